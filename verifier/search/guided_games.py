"""Witnesses from games that an evaluation of positions leads: games of the greedy player, and a beam of
games in which everybody helps one seat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from playproof.language import RulesError, Term
from playproof.language.expr import as_term
from playproof.language.random import Stream, make_game_seed
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.search import lines_of_play
from playproof.verifier.search.case import PLAIN, Budget, Cache, GameCase, IdentityKey, add_work_units_done
from playproof.verifier.search.lines_of_play import (
    LONGEST,
    ActionLine,
    GameInProgress,
    LinesByTarget,
    PlayedLine,
    find_shortest_prefix_at_target_or_none,
    mark_endings_likely_meeting_target_or_none,
)
from playproof.verifier.search.random_games import record_first_line_to_each_target

# -- greedy games --------------------------------------------------------------------------------------------
# Witnesses from games of the greedy player, for games that declare an evaluation of positions. It finds
# deep wins fast.

_FIRST, _BATCH, _MOST = 500, 5_000, 40_000
_PLAIN = 25  # games a batch in plain Python
_GREEDY_RUN = 41
_LOOKS = 20  # steps looked at for each that a greedy player takes
SEEING = 2
"""The policy of `Playouts` that plays as `GreedyPlayer` does."""


def search_line_by_greedy_games_or_none(
    case: GameCase,
    target: Target,
    budget: Budget,
    *,
    fewer_rounds_than: int | None = None,
    enough_rounds: int | None = None,
) -> ActionLine | None:
    """Return a line to an ending of the target in fewer rounds than `fewer_rounds_than`, the fewest of all
    games played. Stop early once a line takes at most `enough_rounds` rounds; if it is None, after
    the first batch with a line. Return None if the game declares no evaluation or no such game was
    met."""
    wanted = mark_endings_likely_meeting_target_or_none(case, target)
    if "evaluate" not in case.game.facts or wanted is None:
        return None
    best, first = None, 0
    while first < _MOST and budget.left > 0:
        if not case.machine:
            games = _PLAIN
            line = _search_plain_greedy_line_or_none(
                case, target, wanted, range(first, first + games), fewer_rounds_than, budget
            )
        else:
            games = _BATCH if first else _FIRST
            line = _search_compiled_greedy_line_or_none(
                case, target, wanted, range(first, first + games), fewer_rounds_than
            )
        if line is not None:
            best, fewer_rounds_than = line, _get_round_at_end_of_line_or_zero(case, line)
        if best is not None and (
            enough_rounds is None or (fewer_rounds_than is not None and fewer_rounds_than <= enough_rounds)
        ):
            return best
        first += games
        budget.report_progress_line(f"{first:,} games of the greedy player")
    return best


def find_new_lines_in_greedy_games(
    case: GameCase, targets: Sequence[Target], known_lines: LinesByTarget, budget: Budget, game_numbers: range
) -> LinesByTarget:
    """Return lines to targets of any kind that have none among `known_lines`, from games of greedy players in
    plain Python."""
    if "evaluate" not in case.game.facts:
        return {}
    lines = dict(known_lines)
    for game in game_numbers:
        if len(lines) == len(targets) or budget.left <= 0:
            break
        record_first_line_to_each_target(targets, lines, play_greedy_game_of_run(case, _GREEDY_RUN, game))
    return {position: line for position, line in lines.items() if position not in known_lines}


def _search_compiled_greedy_line_or_none(
    case: GameCase,
    target: Target,
    wanted_endings: npt.NDArray[np.int64],
    game_numbers: range,
    fewer_rounds_than: int | None,
) -> ActionLine | None:
    batch = case.compiled.run_playouts(
        len(game_numbers),
        _GREEDY_RUN,
        first_game=game_numbers.start,
        policies=[SEEING] * case.game.players,
        max_decisions=LONGEST,
    )
    add_work_units_done(case.step_cost * (len(game_numbers) + _LOOKS * int(batch.decisions.sum())))
    for number in np.argsort(batch.rounds, kind="stable"):  # the shortest games first
        soon_enough = fewer_rounds_than is None or int(batch.rounds[number]) < fewer_rounds_than
        if not soon_enough or not wanted_endings[batch.endings[number]]:
            continue
        line = find_shortest_prefix_at_target_or_none(
            target, play_greedy_game_of_run(case, _GREEDY_RUN, game_numbers[int(number)])
        )
        if line is not None:
            return line
    return None


def _search_plain_greedy_line_or_none(
    case: GameCase,
    target: Target,
    wanted_endings: npt.NDArray[np.int64],
    game_numbers: range,
    fewer_rounds_than: int | None,
    budget: Budget,
) -> ActionLine | None:
    best: ActionLine | None = None
    for game in game_numbers:
        if budget.left <= 0:
            break
        line = play_greedy_game_of_run(case, _GREEDY_RUN, game)
        hit = find_shortest_prefix_at_target_or_none(target, line) if wanted_endings[line.ending] else None
        if hit is not None and (
            fewer_rounds_than is None or _get_round_at_end_of_line_or_zero(case, hit) < fewer_rounds_than
        ):
            best, fewer_rounds_than = hit, _get_round_at_end_of_line_or_zero(case, hit)
    return best


def _get_round_at_end_of_line_or_zero(case: GameCase, line: ActionLine) -> int:
    """Return the round in which a line ends."""
    name, play = case.game.facts.get("round"), GameInProgress(case)
    for ident in line:
        play.take_action_or_end_if_rules_break(ident)
    return case.play.quantity(name, play.state) if name else 0


class GreedyPlayer:
    """A player that takes, for every seat, the action with the best declared evaluation one step
    ahead. Chance is drawn by its weights."""

    def __init__(self, seed: int) -> None:
        self.stream = Stream(seed)

    def choose(self, play: GameInProgress, seat: int) -> int:
        """Return the next action, with the random numbers of the compiled greedy player."""
        if seat < 0:
            return play.idents[self.stream.draw_weighted_index(play.weights)]
        worths = [play.module.worth_of(play.get_state_after_or_current_if_broken(i), seat) for i in play.idents]
        return play.idents[self.stream.choose_greatest_index_drawing_ties(worths)]


def play_greedy_game_of_run(case: GameCase, run_seed: int, game_number: int) -> PlayedLine:
    """Return one game in which every seat is greedy."""
    return GameInProgress(case).play_to_end_with_player(GreedyPlayer(make_game_seed(run_seed, game_number)))


# -- helpful games -------------------------------------------------------------------------------------------
# A beam of games in which everybody, chance included, has one aim: how soon can the target happen at best?

_BEAM_RUN = 20_260_103
_NARROW, _WIDEST = 24, 6_000
ALIKE = -1  # in place of a seat: all stay alike
_SHAKES = (0, 32, 12)  # the largest random addition to a state's worth, in turn
ActionPath = tuple["ActionPath | None", int]
BeamEntry = tuple[int, list[int], "ActionPath | None"]  # worth, state, the actions that led there


_RUNS: Cache[tuple[IdentityKey, IdentityKey], int] = Cache()
"""The number of beams so far, by target condition and number."""


def search_line_by_cooperative_beams_or_none(
    case: GameCase,
    target: Target,
    budget: Budget,
    *,
    minimized_number: Term | None = None,
    number_below: int | None = None,
    good_enough_number: int | None = None,
) -> ActionLine | None:
    """Return a line to an ending of the target at which `minimized_number` (default: the round) is less than
    `number_below`.

    If `good_enough_number` is None, it stops with the first line found. Otherwise it looks for better ones
    until the number is down to it or the budget is used up. Returns None if the game declares
    no evaluation, or if no line was found.
    """
    if "evaluate" not in case.game.facts or mark_endings_likely_meeting_target_or_none(case, target) is None:
        return None
    term, best = _get_round_or_zero_term(case) if minimized_number is None else minimized_number, None
    # a second search goes on with wider beams
    runs, key = (_RUNS.get_entries_of_case(case), (IdentityKey(target.condition), IdentityKey(term)))
    run = runs.get(key, 0)
    number_below = term.hi + 1 if number_below is None else number_below
    while budget.left > 0:
        aims = case.game.players + (case.game.players > 1)
        seat, turn = run % aims, run // aims
        width = _NARROW * 2 ** (turn // len(_SHAKES))
        if width > _WIDEST:
            break
        aim = seat if seat < case.game.players else ALIKE
        beam = BeamSearch(case, target.condition, term, aim, width, _SHAKES[turn % len(_SHAKES)], run, budget)
        hit = beam.search_number_and_line_of_end_or_none(number_below)
        run += 1
        runs[key] = run
        budget.report_progress_line(f"{run} beams of games in which all have one aim, the last {width} wide")
        if hit is not None:
            number_below, best = hit
        if best is not None and (good_enough_number is None or number_below <= good_enough_number):
            break
    return best


def _get_round_or_zero_term(case: GameCase) -> Term:
    name = case.game.facts.get("round")
    return case.game.quantities[name] if name else as_term(0)


@dataclass(slots=True)
class BeamSearch:
    """One run: it keeps `width` states, and adds at most `shake` at random to a state's worth to
    `seat` (or ALIKE)."""

    case: GameCase
    wanted: Term
    number: Term
    seat: int
    width: int
    shake: int
    run: int
    budget: Budget
    waiting: dict[int, list[BeamEntry]] = field(default_factory=dict)
    met: set[int] = field(default_factory=set)
    random: Callable[[int], int] = field(init=False)

    def search_number_and_line_of_end_or_none(self, number_below: int) -> tuple[int, ActionLine] | None:
        """Return the number at the first wanted end found and the line to it, or None if no end has
        a number below the limit."""
        self.random = Stream(make_game_seed(_BEAM_RUN, self.run)).below
        first = list(self.case.first)
        self.waiting[self._compute_number_at_state(first)] = [(0, first, None)]
        while self.waiting and (now := min(self.waiting)) < number_below:
            front = self._sort_and_cut_to_beam_width(self.waiting.pop(now))
            while front and self.budget.left > 0:
                fresh: list[BeamEntry] = []
                for _, state, path in front:
                    end = self._queue_successors_or_get_wanted_end(state, path, now, fresh)
                    if end is not None and self._compute_number_at_state(end[1]) < number_below:
                        return self._compute_number_at_state(end[1]), _linked_path_to_action_list(end[2])
                front = self._sort_and_cut_to_beam_width(fresh)
            if self.budget.left <= 0:
                return None
        return None

    def _queue_successors_or_get_wanted_end(
        self, state: list[int], path_to_state: ActionPath | None, layer_number: int, next_entries: list[BeamEntry]
    ) -> BeamEntry | None:
        """Add the state after each legal action to `next_entries`, or to `waiting` if the number has
        risen. Return the first wanted end instead, if there is one."""
        module, idents = self.case.plain.module, self._list_legal_actions_of_state(state)
        add_work_units_done(PLAIN * (1 + 2 * len(idents)))
        for ident in idents:
            after = state.copy()
            try:
                module.apply(after, ident)
            except RulesError as error:
                lines_of_play.record_line_if_shortest_rule_breaking(
                    self.case, [*_linked_path_to_action_list(path_to_state), ident], error
                )
                continue
            key = hash(tuple(after))  # two states with one hash: the second is lost, which a beam may do
            if key in self.met:
                continue
            self.met.add(key)
            if after[1]:
                if self.case.play.value(self.wanted, after):
                    return 0, after, (path_to_state, ident)
                continue
            worth = self._compute_evaluation_for_seat(after)
            if self.shake:
                worth += self.random(self.shake)
            value = self._compute_number_at_state(after)
            entries = next_entries if value <= layer_number else self.waiting.setdefault(value, [])
            entries.append((worth, after, (path_to_state, ident)))
        return None

    def _compute_evaluation_for_seat(self, state: list[int]) -> int:
        worth_of = self.case.plain.module.worth_of
        if self.seat != ALIKE:
            return int(worth_of(state, self.seat))
        worths = [worth_of(state, seat) for seat in range(self.case.game.players)]
        return int(min(worths) - max(worths))

    def _list_legal_actions_of_state(self, state: list[int]) -> list[int]:
        module = self.case.plain.module
        out, weights = [0] * module.WIDTH, [0] * module.WIDTH
        return out[: module.legal(state, out, weights)]

    def _compute_number_at_state(self, state: list[int]) -> int:
        return self.case.play.value(self.number, state)

    def _sort_and_cut_to_beam_width(self, entries: list[BeamEntry]) -> list[BeamEntry]:
        return sorted(entries, key=lambda entry: -entry[0])[: self.width]


def _linked_path_to_action_list(path: ActionPath | None) -> ActionLine:
    idents: list[int] = []
    while path is not None:
        path, ident = path
        idents.append(ident)
    return idents[::-1]
