"""Certificates of the expected score or length of a game of turns: one player, much chance in a turn, and few things
that last.

Some fields are *inner*: each turn begins with the values that they have at the start. The others last: those of the
*outer* state, and one field that only ever gathers points. Inside a turn nothing asks for what lasts, so all turns go
through the same inner states; only the actions that *close* a turn differ.

The theorem: let V(t, o) be the expected value of what is still gathered when turn t begins in the outer state o. It
is the value of the first inner state, where a closing action is worth what it gathers and V(t + 1, o') of the outer
state behind it, or, if the game is over, what it gathers and the rest of the number. An inner state is worth the most
(the least, the mean) of its actions where the player chooses, and the mean by weight where chance does. Points that
were gathered before add to every value alike. For a length, nothing is gathered, and each decision that counts adds 1
to the value of its state. Each inner state of the first turn has its value too, and each action there. All of this
holds from any state of a game on, so a claim about later turns is answered from where the last of them begins.

The premises, and where they are checked. No inner action asks for what lasts or changes it: it is read where these
cells are not known (`PartialReading`). An action whose reading asks for them closes a turn in each state. A turn that
closes leaves every inner field and the phase as at the start (`InnerFieldChanged`). The field that gathers is read
where something is added to it that is never negative, and in the number, and nowhere else
(`_require_field_only_added_to`); so no value depends on it, and it stays within its bounds if the greatest sum does
(`_TurnSweep`). Inner play is never endless (`compute_longest_path_to_each_state_or_none`), and so is no game, since
turns are counted and all outer states of each turn are gone through.

Values are whole numbers of a unit, each mean rounded down. Means, the most and the least move with a constant, so a
rounding moves no value by more than a unit: a turn's value is less than a unit for each of its means in a row too low.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from playproof.language import CHANCE, Interpreter, Phase, Term
from playproof.language.expr import Op, Read, as_term
from playproof.language.fields import Field
from playproof.language.game import Game
from playproof.language.statements import Assign
from playproof.verifier.kernel.certificate import Certificate, NotShown, raise_rules_errors_as_not_shown
from playproof.verifier.kernel.closed_sets import LEAST, MEAN, MOST
from playproof.verifier.kernel.column_reading import PartialReading, UnknownCellUsed
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.formula_reading import (
    get_terms_directly_in_statement,
    iter_all_statements_of_rules,
    iter_all_terms_of_rules,
    iter_terms_of_actors_and_weights,
)
from playproof.verifier.kernel.state_graphs import (
    VECTORS,
    Steps,
    compute_longest_path_to_each_state_or_none,
    enumerate_states_closed_under_steps,
)
from playproof.verifier.kernel.statements import Statement
from playproof.verifier.kernel.strict_json import Json, to_canonical_json_text
from playproof.verifier.kernel.ways_to_play import WorthNumber, read_worth
from playproof.verifier.kernel.worths import ExpectedValue, ExpectedValues, ValueBounds

Column = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
StateCounter = Callable[[int], None]
MOST_INNER = 100_000
MOST_OUTER = 5_000_000
_MOST_TURNS = 1_000
_ROWS = 200_000  # read at once
_BLOCK = 512  # outer states whose values are computed at once
_BITS, _LEAST_BITS = 62, 30
_NONE = 1 << 62  # beyond every value: no action


class InnerFieldChanged(NotShown):
    """Raised if a turn may end with another value of an inner field than it began with."""

    def __init__(self, name: str) -> None:
        super().__init__(f"`{name}` may differ between two turns")
        self.name = name


@dataclass(frozen=True)
class TurnFields:
    """The fields that begin each turn as they were at the start, and the one that gathers points, or ""."""

    inner: tuple[str, ...]
    gathers: str


@dataclass(frozen=True)
class TurnsSolution:
    """How many outer states there are in all turns together, and the bounds of the expected number, and of each option
    if it is asked for."""

    states: int
    low: Fraction
    high: Fraction
    each: tuple[ValueBounds, ...]


@dataclass(frozen=True)
class TurnsWorthCertificate(Certificate):
    """Bounds on an expected number, as the module says."""

    kind: ClassVar[str] = "worth in turns"
    rests: ClassVar[str] = VECTORS
    of: Json
    parts: TurnFields
    states: int
    low: Fraction
    high: Fraction

    def build_proved_statement(self) -> Statement:
        """State that the expected number lies between the two bounds."""
        return Statement(ExpectedValue(self.of, self.low, self.high))

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Compute the bounds. Raises NotShown if they are not those of the certificate."""
        solved = compute_expected_value_turn_by_turn(game, self.of, self.parts, context, max_states=self.states)
        if (solved.states, solved.low, solved.high) != (self.states, self.low, self.high):
            raise NotShown("the expected value has other bounds, or the game other states between its turns")


@dataclass(frozen=True)
class TurnsWorthsCertificate(Certificate):
    """Bounds on what each option of a state is worth."""

    kind: ClassVar[str] = "worths in turns"
    rests: ClassVar[str] = VECTORS
    of: Json
    parts: TurnFields
    states: int
    each: tuple[ValueBounds, ...]

    def build_proved_statement(self) -> Statement:
        """State all bounds."""
        return Statement(ExpectedValues(self.of, self.each))

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Compute the bounds. Raises NotShown if they are not those of the certificate."""
        solved = compute_expected_value_turn_by_turn(game, self.of, self.parts, context, max_states=self.states)
        if not self.each or (solved.states, solved.each) != (self.states, self.each):
            raise NotShown("the options have other bounds, or the game other states between its turns")


def compute_expected_value_turn_by_turn(
    game: Game,
    worth_spec: Json,
    turn_fields: TurnFields,
    context: Context,
    *,
    max_states: int = MOST_OUTER,
    count_states: StateCounter = lambda _: None,
) -> TurnsSolution:
    """Return the bounds of what a `worth` claim asks of. `count_states` is told how many inner states of how many outer
    ones were gone through. Raises NotShown, and InnerFieldChanged."""

    @raise_rules_errors_as_not_shown()
    def made() -> TurnsSolution:
        rules = _TurnRules(game, _read_number_turns_can_give(game, worth_spec, context), turn_fields)
        turn = _TurnGraph(rules)
        forward = _TurnSweep(rules, turn, min(max_states, MOST_OUTER), count_states)
        return _compute_solution_from_last_turn_back(rules, turn, forward, count_states)

    solved = context.get_or_build_for_game(
        game, to_canonical_json_text(["turns", worth_spec, turn_fields.inner, turn_fields.gathers]), made
    )
    if solved.states > max_states:
        raise NotShown(f"there are {solved.states:,} states between turns, the evidence speaks of {max_states:,}")
    return solved


def _read_number_turns_can_give(game: Game, worth_spec: Json, context: Context) -> WorthNumber:
    """Return the number that is asked of. Raises InputError, or NotShown if turns do not give it."""
    number = read_worth(game, worth_spec, context)
    if game.players != 1 or number.spread or number.plan is not None:
        raise NotShown("turns give no spread, and nothing for several players or a list of rules")
    return number


# -- fields ---------------------------------------------------------------------------------------------------------


class _TurnRules:
    """A game whose fields are told apart. `free` cells are neither inner nor outer: the one that gathers, and those
    that nothing reads, which are put back to their start."""

    def __init__(self, game: Game, number: WorthNumber, parts: TurnFields) -> None:
        self.game, self.number, self.counted = game, number, number.term is None
        self.term = as_term(0) if number.term is None else number.term
        named = {f.name: f for f in game.fields if f.offset >= 2}
        if len(set(parts.inner)) != len(parts.inner) or not {*parts.inner} <= named.keys():
            raise NotShown("the inner fields are not fields of the game, each once")
        self.gathers = named.get(parts.gathers)
        if parts.gathers and (self.gathers is None or parts.gathers in parts.inner):
            raise NotShown("the field that gathers is none, or begins each turn anew")
        if self.gathers is not None:
            _require_field_only_added_to(game, self.gathers, number.term)
        read = list_numbers_of_fields_read_by_rules(game) | set(self.term.reads)
        idle = {f.name for f in named.values() if f.number not in read} - {*parts.inner, parts.gathers}
        self.inner = [n for name in parts.inner for n in list_cell_numbers_of_field(named[name])]
        self.free = [n for name in idle for n in list_cell_numbers_of_field(named[name])]
        self.free += [] if self.gathers is None else list_cell_numbers_of_field(self.gathers)
        lasting = [f for f in named.values() if f.name not in {*parts.inner, *idle, parts.gathers}]
        self.outer = [n for f in lasting for n in list_cell_numbers_of_field(f)]
        self.field_of = {n: f for f in game.fields for n in list_cell_numbers_of_field(f)}
        self.start, self.after = _get_last_turn_start_and_later_actions(game, number.after, self.inner)
        if self.start[1]:
            raise NotShown("the game is over before anybody acts")
        self.before = 0 if self.gathers is None else int(self.start[self.gathers.offset])
        self.least = 0 if self.counted else self.before
        self.radix: dict[int, int] = {}
        size = 1
        for n in self.outer:
            self.radix[n] = size
            size *= self.field_of[n].hi - self.field_of[n].lo + 1
        if size > _NONE:
            raise NotShown("what lasts has more values than 62 bits hold")

    def make_reader_with_unknown_cells(self, unknown_cells: Sequence[int]) -> PartialReading:
        """Return a reading that does not know these cells."""
        return PartialReading(self.game, [self.term], unknown_cells)

    def pack_outer_cells_into_keys(self, state_rows: Column, cell_numbers: Sequence[int]) -> Column:
        """Return one number for the values of chosen outer cells in each state."""
        parts = [(state_rows[:, n] - self.field_of[n].lo) * self.radix[n] for n in cell_numbers]
        return np.sum(parts, axis=0, dtype=np.int64) if parts else np.zeros(len(state_rows), dtype=np.int64)

    def get_cell_value_from_keys(self, keys: Column, cell_number: int) -> Column:
        """Return the value of an outer cell in states that keys stand for."""
        held = self.field_of[cell_number]
        return keys // self.radix[cell_number] % (held.hi - held.lo + 1) + held.lo

    def do_decisions_of_phase_count_as_length(self, phase: Phase) -> bool:
        """Return whether the decisions of a phase count."""
        return self.counted and (self.number.counts == "all" or phase.actor.hi > CHANCE)

    def get_value_operator_of_phase(self, phase: Phase) -> int:
        """Return how the actions of a phase count. Raises NotShown if chance may act in a player's phase."""
        if phase.actor.lo == phase.actor.hi == CHANCE:
            return MEAN
        if phase.actor.lo <= CHANCE:
            raise NotShown("who acts in a phase depends on the state")
        return {"best": MOST, "worst": LEAST, "random": MEAN}[self.number.play]


def _get_last_turn_start_and_later_actions(
    game: Game, actions: tuple[int, ...], inner_cells: Sequence[int]
) -> tuple[Column, tuple[int, ...]]:
    """Return the last state on the way behind actions whose phase and inner cells are those of the start, in which a
    turn begins, and the actions behind it."""
    play = Interpreter(game)
    states = [play.start()]
    for ident in actions:
        states.append(play.apply(states[-1], ident))
    cells = np.array(states, dtype=np.int64)
    [begun] = np.nonzero((cells[:, [0, *inner_cells]] == cells[0, [0, *inner_cells]]).all(axis=1))
    return cells[begun[-1]], actions[begun[-1] :]


def list_cell_numbers_of_field(field: Field) -> range:
    """Return the cells of a field."""
    return range(field.offset, field.offset + field.size)


def list_numbers_of_fields_read_by_rules(game: Game) -> set[int]:
    """Return the numbers of the fields that the rules read."""
    return {number for term in iter_all_terms_of_rules(game) for number in term.reads}


def _require_field_only_added_to(game: Game, field: Field, number: Term | None) -> None:
    """Check that the rules read a field only to add to it what is never negative, and that the number, if there is one,
    is the field, or it and what does not read it. Raises NotShown."""
    if field.shape:
        raise NotShown(f"`{field.name}` has several places, so it cannot gather")
    terms = list(iter_terms_of_actors_and_weights(game))
    for statement in iter_all_statements_of_rules(game):
        if not isinstance(statement, Assign) or statement.field is not field:
            terms += get_terms_directly_in_statement(statement)
        elif not _is_field_plus_terms_without_it(statement.value, field) or statement.value.lo < field.lo:
            raise NotShown(f"`{field.name}` gets another value than itself and what is never negative")
    if any(field.number in term.reads for term in terms):
        raise NotShown(f"the rules ask how much `{field.name}` is")
    if number is not None and not _is_field_plus_terms_without_it(number, field):
        raise NotShown(f"the number is not a sum with `{field.name}`")


def _is_field_plus_terms_without_it(term: Term, field: Field) -> bool:
    """Return whether a term is the value of a field, plus what does not read it."""
    match term:
        case Read(field=source):
            return source is field
        case Op(op="+", args=(left, right)):
            mine, other = (left, right) if field.number in left.reads else (right, left)
            return field.number not in other.reads and _is_field_plus_terms_without_it(mine, field)
    return False


# -- inside a turn --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _TurnLevel:
    """Inner states at one depth that count alike and have as many actions: their numbers, those of the states behind
    each action (states x actions) and its weight; and their places among those in which a turn may close."""

    operator: int
    nodes: Column
    to: Column
    weights: Column
    closers: Column


class _TurnGraph:
    """All inner states of a turn, the first of them first, and the actions that close it."""

    def __init__(self, rules: _TurnRules) -> None:
        self.rules = rules
        self.reader = rules.make_reader_with_unknown_cells(
            [*rules.outer, *([] if rules.gathers is None else [rules.gathers.offset])]
        )
        self.closing: set[int] = set()
        while not self._explore_inner_states_and_tell_if_valid():
            pass
        self.cells = self.graph.cells
        phases = self.cells[:, 0]
        of = {
            phase.number: rules.get_value_operator_of_phase(phase) for phase in rules.game.phases if not phase.automatic
        }
        self.operators = np.array([of[n] for n in phases.tolist()], dtype=np.int64)
        counted = [
            phase.number
            for phase in rules.game.phases
            if not phase.automatic and rules.do_decisions_of_phase_count_as_length(phase)
        ]
        self.ticks = np.isin(phases, counted).astype(np.int64)
        where = {n for ident in self.closing for n in rules.game.get_action_of_ground_action_number(ident).phases}
        self.closers = np.flatnonzero(np.isin(phases, sorted(where)))
        lengths = compute_longest_path_to_each_state_or_none(self.graph)
        if lengths is None:
            raise NotShown("play inside a turn may go in circles")
        self.depths = lengths
        self.means = self._count_max_mean_states_on_path()
        self.levels = list(self._iter_levels_of_similar_states_from_last())

    def _explore_inner_states_and_tell_if_valid(self) -> bool:
        """Go through the inner states. Return False if an action turned out to close a turn that was followed."""
        self.graph = enumerate_states_closed_under_steps(
            self.rules.start[None, :], self._iter_steps_inside_turn, MOST_INNER
        )
        return self.closing.isdisjoint(self.graph.edges[:, 1].tolist())

    def _iter_steps_inside_turn(self, state_rows: Column) -> Iterator[Steps]:
        """Yield the steps inside a turn."""
        for phase in self.rules.game.phases:
            rows = np.flatnonzero(state_rows[:, 0] == phase.number)
            for action in phase.actions if len(rows) else ():
                for ident in action.idents:
                    if ident in self.closing:
                        continue
                    try:
                        here = rows[
                            self.reader.find_rows_where_action_is_legal(
                                action, ident, self.reader.state_rows_to_columns(state_rows[rows])
                            )
                        ]
                        if not len(here):
                            continue
                        after = self.reader.apply_action_and_automatic_phases(action, ident, state_rows[here])
                    except UnknownCellUsed:
                        self.closing.add(ident)
                        continue
                    if after[:, 1].any():
                        self.closing.add(ident)
                        continue
                    after[:, self.rules.free] = self.rules.start[self.rules.free]
                    yield here, ident, after

    @cached_property
    def place(self) -> int:
        """The inner state that is asked of. It is looked for when all inner fields are right. Raises NotShown."""
        place = 0
        for ident in self.rules.after:
            behind = dict(self.graph.list_actions_and_successors_of_state(place))
            if ident not in behind:
                raise NotShown("an action before what is asked of closes a turn that does not begin as at the start")
            place = behind[ident]
        return place

    def _count_max_mean_states_on_path(self) -> int:
        """Return how many means there are in a row at most."""
        sources, _, to = self.graph.edges.T
        mean = (self.operators == MEAN).astype(np.int64)
        most = mean.copy()
        for depth in range(int(self.depths.max())):
            mine = self.depths[sources] == depth
            np.maximum.at(most, to[mine], most[sources[mine]] + mean[to[mine]])
        return int(most.max())

    def _iter_levels_of_similar_states_from_last(self) -> Iterator[_TurnLevel]:
        """Yield the inner states from the last on, those that are alike together."""
        firsts, places = self.graph.first, np.full(len(self.cells), -1)
        places[self.closers] = np.arange(len(self.closers))
        weights = self.graph.compute_chance_weight_of_each_edge(self.rules.game, self.reader)
        kinds = np.stack([-self.depths, self.operators, np.diff(firsts), places >= 0], axis=1)
        for kind in np.unique(kinds, axis=0):
            nodes = np.flatnonzero((kinds == kind).all(axis=1))
            edges = firsts[nodes][:, None] + np.arange(kind[2])
            closers = places[nodes] if kind[3] else np.zeros(0, dtype=np.int64)
            yield _TurnLevel(int(kind[1]), nodes, self.graph.edges[edges, 2], weights[edges], closers)


# -- from turn to turn ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _ClosingAction:
    """What an action that closes turns does in all outer states of a turn. `alike` gives each outer state one of few
    rows, and `group` each inner state in which turns close one of few columns. For these: is it legal, with which
    weight, is the game over behind it, by how much does the outer state's number change, and what is gathered (with the
    rest of the number, if the game is over)."""

    ident: int
    operator: int
    alike: Column
    group: Column
    legal: Mask
    weight: Column
    over: Mask
    step: Column
    gain: Column
    gathered: Column


class _TurnSweep:
    """The outer states of each turn, as sorted keys, and what the closing actions do there."""

    def __init__(self, rules: _TurnRules, turn: _TurnGraph, most: int, count: StateCounter) -> None:
        self.rules, self.turn, self.count = rules, turn, count
        self.known: dict[int, list[int]] = {ident: [] for ident in sorted(turn.closing)}
        self.layers: list[Column] = []
        self.closings: list[list[_ClosingAction]] = []
        self.states, self.span, self.heaviest = 0, 0, 1
        keys = rules.pack_outer_cells_into_keys(rules.start[None, :], rules.outer)
        total = np.zeros(1, dtype=np.int64)  # the most that may be gathered before
        while len(keys):
            self.states += len(keys)
            if self.states > most:
                raise NotShown(f"there are more than {most:,} states between turns")
            if len(self.layers) >= _MOST_TURNS:
                raise NotShown(f"a game may have more than {_MOST_TURNS:,} turns")
            closings = [
                made for ident in self.known if (made := self._tabulate_closing_action_or_none(ident, keys)) is not None
            ]
            self.layers.append(keys)
            self.closings.append(closings)
            self.span += max((int(np.abs(c.gain[c.legal]).max(initial=0)) for c in closings), default=0)
            self.heaviest = max(self.heaviest, sum(int(c.weight.max(initial=0)) for c in closings))
            keys, total = self._find_next_outer_states_and_most_gathered(keys, total)

    def _find_next_outer_states_and_most_gathered(
        self, outer_keys: Column, most_gathered_before: Column
    ) -> tuple[Column, Column]:
        """Return the outer states of the next turn, with the most that may be gathered before it. Raises NotShown if
        that leaves the bounds of its field."""
        reached, sums = [outer_keys[:0]], [outer_keys[:0]]
        held = self.rules.gathers
        room = 0 if held is None else held.hi - self.rules.before
        for made in self.closings[-1]:
            most = np.where(made.legal, made.gathered, 0).max(axis=1)[made.alike] + most_gathered_before
            if (most > room).any():
                raise NotShown("what is gathered may leave its bounds")
            goes_on = made.legal & ~made.over
            for steps in np.unique(made.step, axis=1).T:
                mine = (made.step == steps[:, None]).all(axis=0)
                there: Mask = np.asarray(goes_on[:, mine].any(axis=1))
                gathered = np.where(goes_on, made.gathered, 0)[:, mine].max(axis=1)
                rows = np.flatnonzero(there[made.alike])
                reached.append(outer_keys[rows] + steps[made.alike[rows]])
                sums.append(most_gathered_before[rows] + gathered[made.alike[rows]])
        distinct, numbers = np.unique(np.concatenate(reached), return_inverse=True)
        most_before = np.zeros(len(distinct), dtype=np.int64)
        np.maximum.at(most_before, numbers, np.concatenate(sums))
        return distinct, most_before

    def _tabulate_closing_action_or_none(self, action_id: int, outer_keys: Column) -> _ClosingAction | None:
        """Return what an action does in these outer states, None if it is legal in none. Cells are taken to be known
        as the reading asks for them."""
        while True:
            try:
                return self._tabulate_closing_action_or_raise_unknown_cell(action_id, outer_keys)
            except UnknownCellUsed as error:
                if error.cell in self.known[action_id]:
                    raise
                self.known[action_id].append(error.cell)

    def _tabulate_closing_action_or_raise_unknown_cell(
        self, action_id: int, outer_keys: Column
    ) -> _ClosingAction | None:
        rules, turn, known = self.rules, self.turn, self.known[action_id]
        action = rules.game.get_action_of_ground_action_number(action_id)
        chosen = sum(
            ((rules.get_cell_value_from_keys(outer_keys, n) - rules.field_of[n].lo) * rules.radix[n] for n in known),
            outer_keys * 0,
        )
        some, alike = np.unique(chosen, return_inverse=True)
        places = np.flatnonzero(np.isin(turn.cells[turn.closers, 0], action.phases))
        inner = turn.cells[turn.closers[places]]
        if not len(inner):
            return None
        [operator] = set(turn.operators[turn.closers[places]].tolist())  # an action is a player's or chance's
        reader = rules.make_reader_with_unknown_cells([n for n in rules.outer if n not in known])
        at_once = max(1, _ROWS // len(inner))
        tables = [
            self._compute_table_of_closing_effects(reader, action_id, some[at : at + at_once], inner)
            for at in range(0, len(some), at_once)
        ]
        table = np.concatenate(tables, axis=1)  # what x rows x inner states
        if not table[0].any():
            return None
        columns, group = np.unique(table.reshape(-1, len(inner)), axis=1, return_inverse=True)
        legal, weight, over, step, gain, gathered = columns.reshape(6, len(some), -1)
        nowhere = np.full(len(turn.closers), columns.shape[1])
        nowhere[places] = group.reshape(-1)
        return _ClosingAction(action_id, operator, alike, nowhere, legal > 0, weight, over > 0, step, gain, gathered)

    def _compute_table_of_closing_effects(
        self, reader: PartialReading, action_id: int, outer_keys: Column, inner_state_rows: Column
    ) -> Column:
        """Return what an action does in each of some outer states, whose keys hold only what it asks for, and each
        inner one: the numbers of a `_ClosingAction`, one after another."""
        rules, known = self.rules, self.known[action_id]
        action = rules.game.get_action_of_ground_action_number(action_id)
        cells = np.tile(inner_state_rows, (len(outer_keys), 1))
        for n in known:
            cells[:, n] = np.repeat(rules.get_cell_value_from_keys(outer_keys, n), len(inner_state_rows))
        self.count(len(cells))
        table = np.zeros((6, len(cells)), dtype=np.int64)
        by_phase = [np.flatnonzero(cells[:, 0] == phase) for phase in np.unique(inner_state_rows[:, 0])]
        rows = np.concatenate(
            [
                here[
                    reader.find_rows_where_action_is_legal(action, action_id, reader.state_rows_to_columns(cells[here]))
                ]
                for here in by_phase
            ]
        )
        if len(rows):
            before, after = (cells[rows], reader.apply_action_and_automatic_phases(action, action_id, cells[rows]))
            over = after[:, 1] != 0
            self._require_next_turn_starts_like_first(after[~over])
            gathered = np.zeros(len(rows), dtype=np.int64)
            if rules.gathers is not None:
                gathered = after[:, rules.gathers.offset] - rules.before
            gain = gathered * (not rules.counted)
            if over.any():
                gain[over] = reader.evaluate_term_in_each_state(rules.term, after[over]) - rules.least
            steps = np.where(
                over,
                0,
                rules.pack_outer_cells_into_keys(after, known) - rules.pack_outer_cells_into_keys(before, known),
            )
            weights = reader.evaluate_action_weight_in_each_state(action, action_id, before)
            table[:, rows] = [np.ones(len(rows), dtype=np.int64), weights, over, steps, gain, gathered]
        return table.reshape(6, len(outer_keys), len(inner_state_rows))

    def _require_next_turn_starts_like_first(self, state_rows: Column) -> None:
        """Check that a turn begins as the first did. Raises InnerFieldChanged, or NotShown."""
        rules = self.rules
        for n in rules.inner:
            if (state_rows[:, n] != rules.start[n]).any():
                raise InnerFieldChanged(rules.field_of[n].name)
        if (state_rows[:, 0] != rules.start[0]).any():
            raise NotShown("a turn may begin in another phase than the first did")


# -- values ---------------------------------------------------------------------------------------------------------


def _compute_solution_from_last_turn_back(
    rules: _TurnRules, turn_graph: _TurnGraph, turn_sweep: _TurnSweep, count_states: StateCounter
) -> TurnsSolution:
    """Compute the value of each outer state, from the last turn back."""
    inner = max((int(level.weights.sum(axis=1).max(initial=0)) for level in turn_graph.levels), default=0)
    heaviest = inner + max(turn_sweep.heaviest, len(turn_sweep.known))
    longest = (int(turn_graph.depths.max()) + 1) * len(turn_sweep.layers) * rules.counted
    bits = _BITS - (max(turn_sweep.span + longest, 1) * heaviest).bit_length() - 1
    if bits < _LEAST_BITS:
        raise NotShown("values or weights are too large for 62 bits")
    unit, inside = 1 << bits, np.zeros((1, 1), dtype=np.int64)
    later = behind = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    for keys, closings in zip(reversed(turn_sweep.layers), reversed(turn_sweep.closings), strict=True):
        behind, values = later, np.empty(len(keys), dtype=np.int64)
        for at in range(0, len(keys), _BLOCK):
            part = slice(at, at + _BLOCK)
            closed = _compute_closing_worths_by_operator(turn_graph, closings, part, keys[part], behind, unit)
            inside = _compute_value_of_each_inner_state(turn_graph, closed, len(keys[part]), unit)
            values[part] = inside[0]
            count_states(len(keys[part]) * len(turn_graph.cells) // 16)
        later = keys, values

    def bounds(value: int) -> tuple[Fraction, Fraction]:
        low = Fraction(value, unit) + rules.least
        return low, low + Fraction(turn_graph.means * len(turn_sweep.layers), unit)

    options = {}
    if rules.number.options:
        options = _compute_worth_of_each_action(turn_graph, turn_sweep, inside, behind, unit)
    each = tuple(ValueBounds(rules.game.show(i), *bounds(value)) for i, value in sorted(options.items()))
    return TurnsSolution(turn_sweep.states, *bounds(int(inside[turn_graph.place, 0])), each)


def _compute_worth_of_each_action(
    turn_graph: _TurnGraph,
    turn_sweep: _TurnSweep,
    inner_values: Column,
    next_turn_keys_and_values: tuple[Column, Column],
    unit: int,
) -> dict[int, int]:
    """Return what each action is worth in the inner state that is asked of."""
    own = int(turn_graph.ticks[turn_graph.place]) * unit
    worths = {
        ident: int(inner_values[to, 0]) + own
        for ident, to in turn_graph.graph.list_actions_and_successors_of_state(turn_graph.place)
    }
    for closing in turn_sweep.closings[0] if turn_graph.place in turn_graph.closers else ():
        group = closing.group[np.searchsorted(turn_graph.closers, turn_graph.place)]
        worth, weight = _compute_values_and_weights_by_group(
            closing, closing.alike, turn_sweep.layers[0], next_turn_keys_and_values, unit
        )
        if weight[group, 0]:
            worths[closing.ident] = int(worth[group, 0]) + own
    return worths


def _compute_closing_worths_by_operator(
    turn_graph: _TurnGraph,
    closings: Sequence[_ClosingAction],
    key_slice: slice,
    outer_keys: Column,
    next_turn_keys_and_values: tuple[Column, Column],
    unit: int,
) -> dict[int, list[Column]]:
    """Return what closing a turn is worth in each inner state (rows) of some outer ones (columns), by how actions
    count: the best value; or the sum of weighted values, and of weights."""
    shape = len(turn_graph.closers), len(outer_keys)
    made: dict[int, list[Column]] = {}
    for closing in closings:
        row = closing.alike[key_slice]
        worth, weight = _compute_values_and_weights_by_group(closing, row, outer_keys, next_turn_keys_and_values, unit)
        if closing.operator == MEAN:
            sums = made.setdefault(MEAN, [np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)])
            sums[0] += (worth * weight)[closing.group]
            sums[1] += weight[closing.group]
            continue
        none, better = _get_neutral_value_and_max_or_min(closing.operator)
        worth = np.where(weight > 0, worth, none)
        [best] = made.setdefault(closing.operator, [np.full(shape, none)])
        better(best, worth[closing.group], out=best)
    return made


def _compute_values_and_weights_by_group(
    closing: _ClosingAction,
    alike_rows: Column,
    outer_keys: Column,
    next_turn_keys_and_values: tuple[Column, Column],
    unit: int,
) -> tuple[Column, Column]:
    """Return values and weights (0 where it is not legal) for each group of inner states, and a last one in which it is
    never legal."""
    groups = closing.legal.shape[1]
    worth = np.zeros((groups + 1, len(outer_keys)), dtype=np.int64)
    weight = np.zeros((groups + 1, len(outer_keys)), dtype=np.int64)
    behind: dict[bytes, Column] = {}
    for group in range(groups):
        name = closing.step[:, group].tobytes()
        if name not in behind:
            wanted = outer_keys + closing.step[:, group][alike_rows]
            places = np.minimum(
                np.searchsorted(next_turn_keys_and_values[0], wanted), len(next_turn_keys_and_values[0]) - 1
            )
            behind[name] = next_turn_keys_and_values[1][places]
        goes_on = (closing.legal & ~closing.over)[:, group][alike_rows]
        worth[group] = np.where(goes_on, behind[name], 0) + closing.gain[:, group][alike_rows] * unit
        weight[group] = closing.weight[:, group][alike_rows]
    return worth, weight


def _get_neutral_value_and_max_or_min(operator: int) -> tuple[int, Any]:
    """Return the value of no action, and which of two values is taken."""
    return (-_NONE, np.maximum) if operator == MOST else (_NONE, np.minimum)


def _compute_value_of_each_inner_state(
    turn_graph: _TurnGraph, closing_worths: dict[int, list[Column]], outer_state_count: int, unit: int
) -> Column:
    """Return the value of each inner state for each outer state. Raises NotShown at a dead end."""
    values = np.empty((len(turn_graph.cells), outer_state_count), dtype=np.int64)
    for level in turn_graph.levels:
        shape = len(level.nodes), outer_state_count
        own = turn_graph.ticks[level.nodes][:, None] * unit
        mine = closing_worths.get(level.operator) if len(level.closers) else None
        if level.operator == MEAN:
            sums, total = np.zeros(shape, dtype=np.int64), level.weights.sum(axis=1)[:, None]
            if mine is not None:
                sums, total = mine[0][level.closers], total + mine[1][level.closers]
            for to, weights in zip(level.to.T, level.weights.T, strict=True):
                sums += values[to] * weights[:, None]
            if not total.all():
                raise NotShown("there is a dead end, which is worth nothing")
            values[level.nodes] = sums // total + own
            continue
        none, better = _get_neutral_value_and_max_or_min(level.operator)
        best = np.full(shape, none) if mine is None else mine[0][level.closers]
        for to in level.to.T:
            better(best, values[to], out=best)
        if (best == none).any():
            raise NotShown("there is a dead end, which is worth nothing")
        values[level.nodes] = best + own
    return values
