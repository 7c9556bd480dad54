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
from playproof.language.explorer import evaluate_term
from playproof.language.playouts import PlayoutResults
from playproof.language.random import Stream, make_game_seed
from playproof.verifier.questions.claims import Target
from playproof.verifier.search.case import INTERPRETED, Budget, Cache, GameCase, get_work_done, spend_work
from playproof.verifier.search.lines_of_play import (
    LONGEST,
    GameInProgress,
    PlayedLine,
    Player,
    choose_cell_dtype,
    find_shortest_prefix_reaching_target,
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
    def notable(self) -> list[list[int]]:
        """Return the lines of the games that showed an ending first or soonest."""
        return [self.lines[game].idents for game in sorted(self._ends)]

    def search_lines_to_targets(self, targets: Sequence[Target], budget: Budget) -> dict[int, list[int]]:
        """Return lines of play for the targets that random games meet; the keys are positions in
        `targets`."""
        hits: dict[int, list[int]] = {}
        for line in self.lines.values():
            record_target_hits(targets, hits, line)
        self._play_and_search_games(targets, hits, budget, 0, min(PLAIN_GAMES, budget.games))
        while len(hits) < len(targets) and self.played < budget.games and budget.left > 0:
            games = min(self._size, budget.games - self.played)
            if self._endless:
                return hits
            if not self.case.machine:
                if self._taken > _MOST_TAKEN:
                    return hits
                self._play_and_search_games(
                    targets, hits, budget, self.played, self.played + min(games, PLAIN_GAMES)
                )
            else:
                self._play_machine_batch(games, targets, hits, budget)
            budget.report_progress(
                f"{self.played:,} games played at random, {len(hits)} of {len(targets)} found"
            )
        return hits

    def _play_and_search_games(
        self, targets: Sequence[Target], hits: dict[int, list[int]], budget: Budget, first: int, last: int
    ) -> None:
        """Play games in plain Python, and search each of them while targets are missing."""
        for game in range(first, last):
            if len(hits) == len(targets) or budget.left <= 0:
                return
            line = play_random_game(self.case, _RUN, game)
            record_target_hits(targets, hits, line)
            self._note_new_ending(line, game)
            self.played = max(self.played, game + 1)
            self._taken += len(line.idents)
            if self._taken > _MOST_TAKEN:
                return

    def _note_new_ending(self, line: PlayedLine, game: int) -> None:
        """Keep a game that is the first to show its ending."""
        self._endless = self._endless or len(line.idents) >= LONGEST
        if line.ending and ("ending", line.ending) not in self._shown:
            self._shown.add(("ending", line.ending))
            self._keep_game(game, line, ends=True)

    def _play_machine_batch(
        self, games: int, targets: Sequence[Target], hits: dict[int, list[int]], budget: Budget
    ) -> None:
        """Play a batch in machine code, and search the games that are the first to show an ending,
        a short game or a wanted action."""
        first, began = self.played, get_work_done()
        batch, fresh = self._run_machine_playouts(games, first), []
        for ending in np.unique(batch.endings):
            mine = np.flatnonzero(batch.endings == ending)
            shortest = mine[int(np.argmin(batch.rounds[mine]))]
            of_length = f"round {batch.rounds[shortest]} of"
            for what, game in (("ending", int(mine[0])), (of_length, int(shortest))):
                if (what, int(ending)) not in self._shown:
                    self._shown.add((what, int(ending)))
                    fresh.append(self._keep_game(first + game, None, ends=True))
        wanted = collect_target_actions(
            [target for position, target in enumerate(targets) if position not in hits]
        )
        for ident in np.flatnonzero(batch.taken):
            if budget.left > 0 and int(ident) in wanted and ("took", int(ident)) not in self._shown:
                self._shown.add(("took", int(ident)))
                fresh.append(self._keep_game(self._find_first_game_taking(int(ident), first, games), None))
        self.played += games
        for line in fresh:
            record_target_hits(targets, hits, line)
        if get_work_done() - began < _SLICE:
            self._size = min(_BATCH, 2 * self._size)

    def _run_machine_playouts(self, games: int, first: int) -> PlayoutResults:
        batch = self.case.compiled.run_playouts(games, _RUN, first=first, longest=LONGEST)
        spend_work(self.case.step_cost * (games + _CHANCE * int(batch.decisions.sum())))
        return batch

    def _find_first_game_taking(self, ident: int, first: int, games: int) -> int:
        """Return the first of these games that takes a ground action, found by halving."""
        while games > 1:
            half = games // 2
            if self._run_machine_playouts(half, first).taken[ident]:
                games = half
            else:
                first, games = first + half, games - half
        return first

    def _keep_game(self, game: int, line: PlayedLine | None, ends: bool = False) -> PlayedLine:
        if ends:
            self._ends.add(game)
        if game not in self.lines:
            self.lines[game] = line or play_random_game(self.case, _RUN, game)
        return self.lines[game]


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


def play_random_game(case: GameCase, run: int, game: int) -> PlayedLine:
    """Return one game of a run of random playouts."""
    return GameInProgress(case).play_to_end(RandomPlayer(make_game_seed(run, game)))


def collect_target_actions(targets: Sequence[Target]) -> frozenset[int]:
    """Return the ground actions that targets ask for."""
    idents: set[int] = set()
    for target in targets:
        idents.update(target.idents or ())
    return frozenset(idents)


def record_target_hits(targets: Sequence[Target], hits: dict[int, list[int]], line: PlayedLine) -> None:
    """Record in `hits` the beginning of a line that meets a target, for each target without one."""
    for position, target in enumerate(targets):
        if position not in hits:
            hit = find_shortest_prefix_reaching_target(target, line)
            if hit is not None:
                hits[position] = hit
    line.drop_states()


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


def search_lines_by_curious_games(
    case: GameCase,
    targets: Sequence[Target],
    known_lines: dict[int, list[int]],
    budget: Budget,
    max_games: int,
    run: int = 0,
) -> dict[int, list[int]]:
    """Return lines to targets that have none `before`, from at most `games` games of a run within
    the budget."""
    player, lines, taken = CuriousPlayer(make_game_seed(_CURIOUS_RUN, run)), dict(known_lines), 0
    for game in range(max_games):
        missing = [target for position, target in enumerate(targets) if position not in lines]
        if not missing or budget.left <= 0:
            break
        player.wanted = collect_target_actions(missing)
        line = GameInProgress(case).play_to_end(player)
        record_target_hits(targets, lines, line)
        taken += len(line.idents)
        if taken > _MOST_CURIOUS_TAKEN:
            break
        if game % 50 == 0:
            budget.report_progress(f"{game} games led by curiosity, {len(lines)} of {len(targets)} found")
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

    def iter_states_until_settled(self, state: list[int]) -> Iterator[list[int]]:
        for moment in super().iter_states_until_settled(state):
            self.met.append(moment)
            yield moment


def _list_legal_actions(plain: Compiled, state: list[int]) -> list[int]:
    """Return the legal actions, or none if the rules break."""
    try:
        return sorted(plain.legal(np.array(state, dtype=choose_cell_dtype(plain.game))))
    except RulesError:
        return []


def _apply_or_keep_state(play: Interpreter, state: list[int], ident: int) -> list[int]:
    """Return the state after an action, or the same state object if the rules break."""
    spend_work(INTERPRETED)
    try:
        return play.apply(state, ident)
    except RulesError:
        return state


def sample_term_values(
    case: GameCase, terms: Sequence[Term], lines: Sequence[Sequence[int]] = ()
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the terms' values (rows) in states of random games and of the given lines (columns),
    and the ending number of each state."""
    cells = sample_cells(case, lines)
    values = [evaluate_term(t, cells) for t in terms]
    return np.stack(values) if values else np.zeros((0, cells.shape[1]), dtype=np.int64), cells[1]


def sample_cells(case: GameCase, lines: Sequence[Sequence[int]] = ()) -> npt.NDArray[np.int64]:
    """Return the cells (rows) of states of random games and of the given lines (columns)."""
    key = tuple(map(tuple, lines))
    cells = _CELLS.get_entries(case).get(key)
    if cells is None:
        cells = _CELLS.get_entries(case)[key] = _sample_cells_of_lines_and_games(case, lines)
    return cells


def _sample_cells_of_lines_and_games(case: GameCase, lines: Sequence[Sequence[int]]) -> npt.NDArray[np.int64]:
    """Play the games of `sample_cells`."""
    play, r = RecordingInterpreter(case.play), random.Random(1)
    for line in lines:
        state = play.start()
        for ident in line:
            state = play.apply(state, ident)
    most, breaks = len(play.met) + _STATES, 0
    for _ in range(_GAMES):
        if breaks == _BREAKS:
            break
        state = play.start()
        while not play.terminal(state) and len(play.met) < most:
            idents = _list_legal_actions(case.plain, state)
            if not idents:
                break
            before, state = state, _apply_or_keep_state(play, state, r.choice(idents))
            if before is state:
                breaks += 1
                break
    return np.array(play.met, dtype=choose_cell_dtype(case.game)).T


def sample_small_steps(case: GameCase, max_steps: int = 150) -> list[tuple[list[int], list[int]]]:
    """Return small steps of random games, spread over their course, as (state before, state
    after)."""
    play, r = RecordingInterpreter(case.play), random.Random(2)
    steps: list[tuple[list[int], list[int]]] = []
    for _ in range(_LINES):
        state, begun = play.start(), len(steps)
        while not play.terminal(state) and len(steps) < begun + _LONGEST:  # some games never end
            idents = _list_legal_actions(case.plain, state)
            if not idents:
                break
            play.met.clear()
            after = _apply_or_keep_state(play, state, r.choice(idents))
            if after is state:
                break
            steps += list(zip([state, *play.met], play.met, strict=False))
            state = after
    return steps if len(steps) <= max_steps else r.sample(steps, max_steps)
