"""Lines of play in plain Python: played, replayed in the interpreter, which judges every witness, and those
that break the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Protocol

import numpy as np
import numpy.typing as npt

from playproof.language import IllegalAction, Interpreter, RulesError
from playproof.language.errors import ENDLESS
from playproof.language.explorer import Exploration, evaluate_term_in_many_states
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.kernel.column_reading import ColumnReading
from playproof.verifier.search.case import INTERPRETED, PLAIN, Budget, Cache, GameCase, IdentityKey, add_work_units_done

# -- lines ---------------------------------------------------------------------------------------------------
# Lines of play in plain Python: states are lists of ints, and a player that sees everything leads one game
# at a time.

LONGEST = 20_000  # actions after which a game is abandoned: a player may go in circles
ActionLine = list[int]
"""Ground actions from the start, one after the other."""
LinesByTarget = dict[int, ActionLine]
"""Lines of play by the positions of the targets to which they lead."""


_ENDINGS: Cache[IdentityKey, npt.NDArray[np.int64] | None] = Cache()
"""For each condition, the endings with which it can hold."""


class Player(Protocol):
    """Something that chooses for all seats and for chance."""

    def choose(self, play: GameInProgress, seat: int) -> int:
        """Return one of `play.idents`, the legal ground actions; `seat` is below 0 for chance."""


class GameInProgress:
    """A game in progress: `state`, the actions `taken`, and what is legal now (`idents`, with
    chance's `weights`)."""

    def __init__(self, case: GameCase, state: Sequence[int] | None = None, taken: Sequence[int] = ()) -> None:
        self.case, self.module = case, case.plain.module
        self.state: list[int] = list(case.first if state is None else state)
        self.taken = list(taken)
        self._out, self._weights = [0] * self.module.WIDTH, [0] * self.module.WIDTH
        self.idents: list[int] = []
        self.weights: list[int] = []
        self.broken = False

    def update_legal_actions_and_tell_if_any(self) -> bool:
        """Find the legal actions. Return False if the game is over or nobody can act."""
        add_work_units_done(PLAIN)
        count = 0
        if not (self.state[1] or self.broken):
            try:
                count = self.module.legal(self.state, self._out, self._weights)
            except RulesError as error:  # a value that a requirement keeps
                self._record_line_that_breaks_rules(self.taken, error)
        self.idents, self.weights = self._out[:count], self._weights[:count]
        return bool(count)

    def get_state_after_or_current_if_broken(self, action_id: int) -> list[int]:
        """Return the state after a legal action."""
        add_work_units_done(PLAIN)
        trial = self.state.copy()
        try:
            self.module.apply(trial, action_id)
        except RulesError as error:
            self._record_line_that_breaks_rules([*self.taken, action_id], error)
            return self.state
        return trial

    def take_action_or_end_if_rules_break(self, action_id: int) -> None:
        """Take a legal action. If the rules break, the game stops before it."""
        before = self.state.copy()
        try:
            self.module.apply(self.state, action_id)
        except RulesError as error:
            self.state = before
            self._record_line_that_breaks_rules([*self.taken, action_id], error)
            self.broken = True
            return
        self.taken.append(action_id)

    def _record_line_that_breaks_rules(self, action_ids: Sequence[int], error: RulesError) -> None:
        """Record a line that breaks the rules. Phases that run for ever ran until the limit, which
        is work."""
        if error.code == "PP330":
            add_work_units_done(ENDLESS * PLAIN)
        record_line_if_shortest_rule_breaking(self.case, action_ids, error)

    def play_to_end_with_player(self, player: Player) -> PlayedLine:
        """Let a player play until the game is over, or for at most `LONGEST` actions."""
        while len(self.taken) < LONGEST and self.update_legal_actions_and_tell_if_any():
            self.take_action_or_end_if_rules_break(player.choose(self, self.module.actor(self.state)))
        return PlayedLine(self.case, self.taken, self.state[1])


@dataclass
class PlayedLine:
    """The actions of a game from the start, and the number of its ending (0: it is not over)."""

    case: GameCase
    idents: ActionLine
    ending: int

    @cached_property
    def taken_actions(self) -> frozenset[int]:
        """The set of actions taken."""
        return frozenset(self.idents)

    def forget_cached_states(self) -> None:
        """Drop the states, which are large; the next use computes them again."""
        self.__dict__.pop("states", None)

    @cached_property
    def states(self) -> npt.NDArray[np.int64]:
        """The states, one column each; there is one more of them than actions."""
        module: ModuleType = self.case.plain.module
        state = list(self.case.first)
        columns = np.zeros((len(self.idents) + 1, len(state)), dtype=choose_dtype_holding_every_cell(self.case.game))
        columns[0] = state
        add_work_units_done(PLAIN * len(self.idents))
        for number, ident in enumerate(self.idents, 1):
            module.apply(state, ident)
            columns[number] = state
        return columns.T


def choose_dtype_holding_every_cell(game: Game) -> type[np.generic]:
    """Return the type that holds every cell of a state: 64 bits, or plain objects where they are too
    few."""
    fits = all(f.lo >= -(2**63) and f.hi < 2**63 for f in game.fields)
    return np.int64 if fits else np.object_


def mark_endings_likely_meeting_target_or_none(case: GameCase, target: Target) -> npt.NDArray[np.int64] | None:
    """Return, for each ending number, whether the target's condition holds with it and all other cells as at the start:
    a guess, unless the target is `does_target_depend_only_on_ending`. Return None if it holds so
    while the game runs, if it holds with no ending, or if the target is an action."""
    if target.idents is not None:
        return None
    cache, key = _ENDINGS.get_entries_of_case(case), IdentityKey(target.condition)
    if key not in cache:
        # The start, once for each value of the outcome (cell 1).
        cells = np.zeros(
            (case.game.cells, len(case.game.endings) + 1), dtype=choose_dtype_holding_every_cell(case.game)
        )
        cells[:] = np.array(case.game.get_state_before_automatic_phases(), dtype=cells.dtype)[:, None]
        cells[1] = np.arange(len(case.game.endings) + 1)
        holds = (evaluate_term_in_many_states(target.condition, cells) != 0).astype(np.int64)
        cache[key] = None if holds[0] or not holds.any() else holds
    return cache[key]


def find_shortest_prefix_at_target_or_none(target: Target, line: PlayedLine) -> ActionLine | None:
    """Return the shortest beginning of a line that meets the target, or None."""
    if target.idents is not None:
        return _find_prefix_taking_target_or_none(target, line)
    if does_target_depend_only_on_ending(line.case.game, target):
        return line.idents if _does_ending_meet_target(line.case.game, target, line.ending) else None
    hits = np.flatnonzero(evaluate_term_in_many_states(target.condition, line.states))
    return line.idents[: int(hits[0])] if len(hits) else None


def does_target_depend_only_on_ending(game: Game, target: Target) -> bool:
    """Return whether a target depends on nothing but how the game ended."""
    names = {game.fields[number].name for number in target.condition.reads}
    return target.idents is None and names == {"outcome"} and not _does_ending_meet_target(game, target, 0)


def _does_ending_meet_target(game: Game, target: Target, ending_number: int) -> bool:
    state = game.get_state_before_automatic_phases()
    state[1] = ending_number
    return bool(Interpreter(game).value(target.condition, state))


def _find_prefix_taking_target_or_none(target: Target, line: PlayedLine) -> ActionLine | None:
    assert target.idents is not None
    if not target.idents & line.taken_actions:
        return None
    constant = not target.condition.reads  # then one state is enough
    holds = evaluate_term_in_many_states(target.condition, line.states[:, :1] if constant else line.states)
    for number, ident in enumerate(line.idents):
        if ident in target.idents and holds[0 if constant else number]:
            return line.idents[: number + 1]
    return None


# -- replay --------------------------------------------------------------------------------------------------
# Replays a line of play in the interpreter, the one judge of every witness.


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """The result of a replay: `hit` is the number of actions after which the target held, or None;
    `error` gives the reason for None."""

    hit: int | None
    state: list[int]
    error: str = ""


def replay_line_until_target_is_met(case: GameCase, action_ids: Sequence[int], target: Target) -> ReplayResult:
    """Play the actions up to the first moment at which the target holds."""
    play, state = case.play, case.play.start()
    add_work_units_done(INTERPRETED * len(action_ids))
    if _does_state_or_action_meet_target(case, target, state, None):
        return ReplayResult(0, state)
    for number, ident in enumerate(action_ids, 1):
        met = target.idents is not None and _does_state_or_action_meet_target(case, target, state, ident)
        try:
            state = play.apply(state, ident)
        except (IllegalAction, RulesError, IndexError) as error:
            return ReplayResult(None, state, f"action {number}: {error}")
        if met or (target.idents is None and _does_state_or_action_meet_target(case, target, state, None)):
            return ReplayResult(number, state)
    return ReplayResult(None, state, f"{len(action_ids)} actions are legal and never reach: {target.name}")


def _does_state_or_action_meet_target(
    case: GameCase, target: Target, state: Sequence[int], action_id: int | None
) -> bool:
    if target.idents is not None and action_id not in target.idents:
        return False
    return bool(case.play.value(target.condition, state))


# -- breaches ------------------------------------------------------------------------------------------------
# Lines that break the rules: a value leaves its bounds, or automatic phases run for ever.


@dataclass(frozen=True, slots=True)
class BrokenRules:
    """Actions from the start, the last of which the rules cannot carry out, and the error's code
    (PP310, PP330) and message."""

    idents: tuple[int, ...]
    code: str
    message: str


_SHORTEST: Cache[str, BrokenRules] = Cache()
_LOOKED: Cache[str, int] = Cache()
"""How many states `search_rule_break_breadth_first_or_none` searched without a result."""


def record_line_if_shortest_rule_breaking(case: GameCase, action_ids: Sequence[int], error: RulesError) -> None:
    """Keep a line that breaks the rules if it is shorter than the one noted before."""
    before = get_shortest_rule_breaking_line_or_none(case)
    if before is None or len(action_ids) < len(before.idents):
        _SHORTEST.get_entries_of_case(case)[""] = BrokenRules(
            tuple(int(i) for i in action_ids), error.code, error.format_in_one_line()
        )


def get_shortest_rule_breaking_line_or_none(case: GameCase) -> BrokenRules | None:
    """Return the shortest line noted that breaks the rules, or None."""
    return _SHORTEST.get_entries_of_case(case).get("")


def search_rule_break_breadth_first_or_none(
    case: GameCase, budget: Budget, max_states: int = 20_000
) -> BrokenRules | None:
    """Search states in the order of their distance from the start until the rules break. Return the
    line, or None if the states or the budget run out."""
    if (
        get_shortest_rule_breaking_line_or_none(case) is not None
        or _LOOKED.get_entries_of_case(case).get("") == max_states
    ):
        return get_shortest_rule_breaking_line_or_none(case)
    try:
        start = case.first
    except RulesError as error:
        record_line_if_shortest_rule_breaking(case, (), error)
        return get_shortest_rule_breaking_line_or_none(case)
    module = case.plain.module
    out, weights = [0] * module.WIDTH, [0] * module.WIDTH
    lines: dict[tuple[int, ...], tuple[int, ...]] = {start: ()}
    todo = [start]
    for state in todo:  # grows while it is gone through
        if budget.left <= 0 or len(lines) > max_states:
            break
        try:
            idents = sorted(out[: module.legal(list(state), out, weights)])
        except RulesError as error:  # a value that a requirement keeps
            record_line_if_shortest_rule_breaking(case, lines[state], error)
            return get_shortest_rule_breaking_line_or_none(case)
        add_work_units_done(PLAIN * (1 + len(idents)))
        for ident in idents:
            trial = list(state)
            try:
                module.apply(trial, ident)
            except RulesError as error:
                record_line_if_shortest_rule_breaking(case, (*lines[state], ident), error)
                return get_shortest_rule_breaking_line_or_none(case)
            after = tuple(trial)
            if after not in lines:
                lines[after] = (*lines[state], ident)
                todo.append(after)
    _LOOKED.get_entries_of_case(case)[""] = max_states
    return None


# -- breaking states -----------------------------------------------------------------------------------------
# Finds the line that breaks the rules among states that were explored in machine code, which checks no
# bounds.

_BLOCK = 20_000


def find_first_explored_rule_break_or_none(case: GameCase, exploration: Exploration) -> BrokenRules | None:
    """Return the first explored decision that breaks the rules, as a line from the start; None if there is none."""
    reader = ColumnReading(case.game)
    for first in range(0, exploration.states, _BLOCK):
        last = min(exploration.states, first + _BLOCK)
        cells = exploration.unpack_rows_into_columns(first, last).T
        if _do_rules_break_from_some_row(reader, cells):
            row = first + _find_first_row_where_rules_break(reader, cells)
            return _record_rule_breaks_and_get_shortest(case, exploration, row)
    return None


def _do_rules_break_from_some_row(reader: ColumnReading, state_rows: npt.NDArray[np.int64]) -> bool:
    live = state_rows[state_rows[:, 1] == 0]
    try:
        for _ in reader.iter_legal_actions_with_successors(live):
            pass
    except NotShown:
        return True
    return False


def _find_first_row_where_rules_break(reader: ColumnReading, state_rows: npt.NDArray[np.int64]) -> int:
    """Return the first of the rows that breaks; one of them does."""
    low, high = 0, len(state_rows)
    while high - low > 1:
        middle = (low + high) // 2
        if _do_rules_break_from_some_row(reader, state_rows[low:middle]):
            high = middle
        else:
            low = middle
    return low


def _record_rule_breaks_and_get_shortest(case: GameCase, exploration: Exploration, row: int) -> BrokenRules | None:
    """Note the interpreter's error for an action in a row, and return the shortest line noted."""
    state, path = exploration.unpack_state_of_row(row), exploration.list_action_numbers_from_start_to_row(row)
    try:
        legal = case.play.legal(state)
    except RulesError as error:
        record_line_if_shortest_rule_breaking(case, path, error)
        return get_shortest_rule_breaking_line_or_none(case)
    for ident in legal:
        try:
            case.play.apply(state, ident)
        except RulesError as error:
            record_line_if_shortest_rule_breaking(case, [*path, ident], error)
    return get_shortest_rule_breaking_line_or_none(case)
