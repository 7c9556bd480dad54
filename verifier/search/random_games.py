"""Random games: witnesses from them, games led by curiosity that take rare actions, and states sampled from
them to fit candidates to."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from playproof.language import Interpreter, RulesError, Term
from playproof.language.compiled import Compiled
from playproof.language.explorer import evaluate_term_in_many_states
from playproof.language.playouts import PlayoutResults
from playproof.language.random import Stream, make_game_seed
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.search.case import (
    INTERPRETED,
    Budget,
    Cache,
    GameCase,
    add_work_units_done,
    get_work_units_done,
)
from playproof.verifier.search.lines_of_play import (
    LONGEST,
    ActionLine,
    GameInProgress,
    LinesByTarget,
    PlayedLine,
    Player,
    choose_dtype_holding_every_cell,
    find_shortest_prefix_at_target_or_none,
)

# Witnesses from random games: the quickest way to most of what can happen.

PLAIN_GAMES = 400  # games that are looked through from beginning to end
_MOST_TAKEN = 200_000  # actions searched altogether: some games go on and on
_BATCH, _SLICE = 20_000, 0.5
_CHANCE = 2  # steps for each decision of a player, chance included
_RUN = 20_260_101


class RandomGames:
    """Random games. `lines` are those that were the first to show something: an ending, a short
    game, an action."""

    def __init__(self, case: GameCase) -> None:
        self.case = case
        self.lines: dict[int, PlayedLine] = {}
        self.played = 0
        self._shown: set[tuple[str, int]] = set()
        self._ends: set[int] = set()
        self._size = 50
        self._taken = 0
        self._endless = False  # a game reached `LONGEST`; nothing could stop it in machine code

    @property
    def notable(self) -> list[ActionLine]:
        """Return the lines of the games that showed an ending first or soonest."""
        return [self.lines[game].idents for game in sorted(self._ends)]

    def search_lines_by_target_position(self, targets: Sequence[Target], budget: Budget) -> LinesByTarget:
        """Return lines of play for the targets that random games meet; the keys are positions in
        `targets`."""
        hits: LinesByTarget = {}
        for line in self.lines.values():
            record_first_line_to_each_target(targets, hits, line)
        self._add_lines_found_in_plain_games(targets, hits, budget, 0, min(PLAIN_GAMES, budget.games))
        while len(hits) < len(targets) and self.played < budget.games and budget.left > 0:
            games = min(self._size, budget.games - self.played)
            if self._endless:
                return hits
            if not self.case.machine:
                if self._taken > _MOST_TAKEN:
                    return hits
                self._add_lines_found_in_plain_games(
                    targets, hits, budget, self.played, self.played + min(games, PLAIN_GAMES)
                )
            else:
                self._add_lines_found_in_compiled_games(games, targets, hits, budget)
            budget.report_progress_line(f"{self.played:,} games played at random, {len(hits)} of {len(targets)} found")
        return hits

    def _add_lines_found_in_plain_games(
        self,
        targets: Sequence[Target],
        line_by_target_position: LinesByTarget,
        budget: Budget,
        first_game: int,
        stop_game: int,
    ) -> None:
        """Play games in plain Python, and search each of them while targets are missing."""
        for game in range(first_game, stop_game):
            if len(line_by_target_position) == len(targets) or budget.left <= 0:
                return
            line = play_random_game_of_run(self.case, _RUN, game)
            record_first_line_to_each_target(targets, line_by_target_position, line)
            self._keep_game_if_ending_is_new(line, game)
            self.played = max(self.played, game + 1)
            self._taken += len(line.idents)
            if self._taken > _MOST_TAKEN:
                return

    def _keep_game_if_ending_is_new(self, line: PlayedLine, game_number: int) -> None:
        """Keep a game that is the first to show its ending."""
        self._endless = self._endless or len(line.idents) >= LONGEST
        if line.ending and ("ending", line.ending) not in self._shown:
            self._shown.add(("ending", line.ending))
            self._get_or_store_line_of_game(game_number, line, shows_new_ending=True)

    def _add_lines_found_in_compiled_games(
        self, game_count: int, targets: Sequence[Target], line_by_target_position: LinesByTarget, budget: Budget
    ) -> None:
        """Play a batch in machine code, and search the games that are the first to show an ending,
        a short game or a wanted action."""
        first, began = self.played, get_work_units_done()
        batch, fresh = self._run_compiled_playouts(game_count, first), []
        for ending in np.unique(batch.endings):
            mine = np.flatnonzero(batch.endings == ending)
            shortest = mine[int(np.argmin(batch.rounds[mine]))]
            of_length = f"round {batch.rounds[shortest]} of"
            for what, game in (("ending", int(mine[0])), (of_length, int(shortest))):
                if (what, int(ending)) not in self._shown:
                    self._shown.add((what, int(ending)))
                    fresh.append(self._get_or_store_line_of_game(first + game, None, shows_new_ending=True))
        wanted = collect_actions_of_targets(
            [target for position, target in enumerate(targets) if position not in line_by_target_position]
        )
        for ident in np.flatnonzero(batch.taken):
            if budget.left > 0 and int(ident) in wanted and ("took", int(ident)) not in self._shown:
                self._shown.add(("took", int(ident)))
                fresh.append(
                    self._get_or_store_line_of_game(
                        self._find_first_game_taking_action(int(ident), first, game_count), None
                    )
                )
        self.played += game_count
        for line in fresh:
            record_first_line_to_each_target(targets, line_by_target_position, line)
        if get_work_units_done() - began < _SLICE:
            self._size = min(_BATCH, 2 * self._size)

    def _run_compiled_playouts(self, game_count: int, first_game: int) -> PlayoutResults:
        batch = self.case.compiled.run_playouts(game_count, _RUN, first_game=first_game, max_decisions=LONGEST)
        add_work_units_done(self.case.step_cost * (game_count + _CHANCE * int(batch.decisions.sum())))
        return batch

    def _find_first_game_taking_action(self, action_id: int, first_game: int, game_count: int) -> int:
        """Return the first of these games that takes a ground action, found by halving."""
        while game_count > 1:
            half = game_count // 2
            if self._run_compiled_playouts(half, first_game).taken[action_id]:
                game_count = half
            else:
                first_game, game_count = first_game + half, game_count - half
        return first_game

    def _get_or_store_line_of_game(
        self, game_number: int, line: PlayedLine | None, shows_new_ending: bool = False
    ) -> PlayedLine:
        if shows_new_ending:
            self._ends.add(game_number)
        if game_number not in self.lines:
            self.lines[game_number] = line or play_random_game_of_run(self.case, _RUN, game_number)
        return self.lines[game_number]


class RandomPlayer(Player):
    """A player that takes any legal action with equal probability, and chance by its weights, with
    the random numbers of the compiled random player."""

    def __init__(self, seed: int) -> None:
        self.stream = Stream(seed)

    def choose(self, play: GameInProgress, seat: int) -> int:
        """Return the next action."""
        if seat < 0:
            return play.idents[self.stream.draw_weighted_index(play.weights)]
        return play.idents[self.stream.below(len(play.idents))]


def play_random_game_of_run(case: GameCase, run_seed: int, game_number: int) -> PlayedLine:
    """Return one game of a run of random playouts."""
    return GameInProgress(case).play_to_end_with_player(RandomPlayer(make_game_seed(run_seed, game_number)))


def collect_actions_of_targets(targets: Sequence[Target]) -> frozenset[int]:
    """Return the ground actions that targets ask for."""
    idents: set[int] = set()
    for target in targets:
        idents.update(target.idents or ())
    return frozenset(idents)


def record_first_line_to_each_target(
    targets: Sequence[Target], line_by_target_position: LinesByTarget, line: PlayedLine
) -> None:
    """Record in `line_by_target_position` the beginning of a line that meets a target, for each target without one."""
    for position, target in enumerate(targets):
        if position not in line_by_target_position:
            hit = find_shortest_prefix_at_target_or_none(target, line)
            if hit is not None:
                line_by_target_position[position] = hit
    line.forget_cached_states()


# -- curious games -------------------------------------------------------------------------------------------
# Games led by curiosity: all seats and chance prefer the actions taken least so far, and take a wanted
# action at once.

_MOST_CURIOUS_TAKEN = 200_000  # actions in all games of a search: some games go on and on
_LOOKS = 3  # legal actions compared; the one taken least is taken
_CURIOUS_RUN = 20_260_102


class CuriousPlayer:
    """A player that takes a wanted action, else the least taken among a few legal actions drawn at
    random. With `cells`, it counts an action separately for each set of these cells that are not
    0."""

    def __init__(self, seed: int, cells: Sequence[int] = ()) -> None:
        self.stream, self.cells = Stream(seed), cells
        self.taken: Counter[tuple[int, ...]] = Counter()
        self.wanted: frozenset[int] = frozenset()

    def choose(self, play: GameInProgress, _: int) -> int:
        """Return the next action. Chance is treated like any seat, so weights do not matter."""
        idents = play.idents
        if len(idents) == 1:
            return idents[0]
        chosen = next((ident for ident in idents if ident in self.wanted), None)
        where = tuple(cell for cell in self.cells if play.state[cell])
        if chosen is None:
            drawn = [idents[self.stream.below(len(idents))] for _ in range(_LOOKS)]
            chosen = min(drawn, key=lambda ident: self.taken[ident, *where])
        self.taken[chosen, *where] += 1
        return chosen


def search_new_lines_by_curiosity_games(
    case: GameCase,
    targets: Sequence[Target],
    known_lines: LinesByTarget,
    budget: Budget,
    max_games: int,
    run_number: int = 0,
) -> LinesByTarget:
    """Return lines to targets that have none among `known_lines`, from at most `max_games` games of a run within
    the budget."""
    player, lines, taken = CuriousPlayer(make_game_seed(_CURIOUS_RUN, run_number)), dict(known_lines), 0
    for game in range(max_games):
        missing = [target for position, target in enumerate(targets) if position not in lines]
        if not missing or budget.left <= 0:
            break
        player.wanted = collect_actions_of_targets(missing)
        line = GameInProgress(case).play_to_end_with_player(player)
        record_first_line_to_each_target(targets, lines, line)
        taken += len(line.idents)
        if taken > _MOST_CURIOUS_TAKEN:
            break
        if game % 50 == 0:
            budget.report_progress_line(f"{game} games led by curiosity, {len(lines)} of {len(targets)} found")
    return {position: line for position, line in lines.items() if position not in known_lines}


# -- sampled states ------------------------------------------------------------------------------------------
# Samples states from random games, including those between small steps, to fit candidates to.

_GAMES, _STATES = 120, 12_000
_LINES, _LONGEST = 6, 1_000
_BREAKS = 3  # phases that run for ever take about a second each
_CELLS: Cache[tuple[tuple[int, ...], ...], npt.NDArray[np.int64]] = Cache()
"""Cells of the states met, by the lines that were given."""


class RecordingInterpreter(Interpreter):
    """An interpreter that records every state it passes, including those between automatic
    phases."""

    def __init__(self, play: Interpreter) -> None:
        super().__init__(play.game)
        self.met: list[list[int]] = []

    def run_automatic_phases_yielding_copies(self, state: list[int]) -> Iterator[list[int]]:
        for moment in super().run_automatic_phases_yielding_copies(state):
            self.met.append(moment)
            yield moment


def _list_legal_actions_or_empty_if_broken(compiled_game: Compiled, state: list[int]) -> list[int]:
    """Return the legal actions, or none if the rules break."""
    try:
        return sorted(compiled_game.legal(np.array(state, dtype=choose_dtype_holding_every_cell(compiled_game.game))))
    except RulesError:
        return []


def _apply_action_or_keep_state(interpreter: Interpreter, state: list[int], action_id: int) -> list[int]:
    """Return the state after an action, or the same state object if the rules break."""
    add_work_units_done(INTERPRETED)
    try:
        return interpreter.apply(state, action_id)
    except RulesError:
        return state


def sample_term_values_and_endings(
    case: GameCase, terms: Sequence[Term], extra_lines: Sequence[Sequence[int]] = ()
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the terms' values (rows) in states of random games and of the given lines (columns),
    and the ending number of each state."""
    cells = sample_states_of_random_games(case, extra_lines)
    values = [evaluate_term_in_many_states(t, cells) for t in terms]
    return np.stack(values) if values else np.zeros((0, cells.shape[1]), dtype=np.int64), cells[1]


def sample_states_of_random_games(case: GameCase, extra_lines: Sequence[Sequence[int]] = ()) -> npt.NDArray[np.int64]:
    """Return the cells (rows) of states of random games and of the given lines (columns)."""
    key = tuple(map(tuple, extra_lines))
    cells = _CELLS.get_entries_of_case(case).get(key)
    if cells is None:
        cells = _CELLS.get_entries_of_case(case)[key] = _play_games_to_sample_states(case, extra_lines)
    return cells


def _play_games_to_sample_states(case: GameCase, extra_lines: Sequence[Sequence[int]]) -> npt.NDArray[np.int64]:
    """Play the games of `sample_states_of_random_games`."""
    play, r = RecordingInterpreter(case.play), random.Random(1)
    for line in extra_lines:
        state = play.start()
        for ident in line:
            state = play.apply(state, ident)
    most, breaks = len(play.met) + _STATES, 0
    for _ in range(_GAMES):
        if breaks == _BREAKS:
            break
        state = play.start()
        while not play.terminal(state) and len(play.met) < most:
            idents = _list_legal_actions_or_empty_if_broken(case.plain, state)
            if not idents:
                break
            before, state = state, _apply_action_or_keep_state(play, state, r.choice(idents))
            if before is state:
                breaks += 1
                break
    return np.array(play.met, dtype=choose_dtype_holding_every_cell(case.game)).T


def sample_small_steps_of_random_games(case: GameCase, max_steps: int = 150) -> list[tuple[list[int], list[int]]]:
    """Return small steps of random games, spread over their course, as (state before, state
    after)."""
    play, r = RecordingInterpreter(case.play), random.Random(2)
    steps: list[tuple[list[int], list[int]]] = []
    for _ in range(_LINES):
        state, begun = play.start(), len(steps)
        while not play.terminal(state) and len(steps) < begun + _LONGEST:  # some games never end
            idents = _list_legal_actions_or_empty_if_broken(case.plain, state)
            if not idents:
                break
            play.met.clear()
            after = _apply_action_or_keep_state(play, state, r.choice(idents))
            if after is state:
                break
            steps += list(zip([state, *play.met], play.met, strict=False))
            state = after
    return steps if len(steps) <= max_steps else r.sample(steps, max_steps)
