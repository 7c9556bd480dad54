"""Reads a game of turns: fields are told apart, and the inside of a turn and what closes it become states and edges.

`turns` says what is shown by it. An action that asks for an outer cell, where it is read without them
(`PartialReading`), closes a turn. It is read again with those outer cells alone that it asks for, so outer states that
agree in these have one reading.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, groupby, pairwise
from operator import attrgetter, mul

import numpy as np
import numpy.typing as npt

from playproof.language import CHANCE, Interpreter, Phase, Term
from playproof.language.expr import Op, Read, as_term
from playproof.language.fields import Field
from playproof.language.game import Game
from playproof.language.statements import Assign
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.closed_sets import LEAST, MEAN, MOST
from playproof.verifier.kernel.column_reading import PartialReading, UnknownCellUsed
from playproof.verifier.kernel.formula_reading import (
    get_terms_directly_in_statement,
    iter_all_statements_of_rules,
    iter_all_terms_of_rules,
    iter_terms_of_actors_and_weights,
)
from playproof.verifier.kernel.state_graphs import (
    Steps,
    compute_longest_path_to_each_state_or_none,
    enumerate_states_closed_under_steps,
)
from playproof.verifier.kernel.ways_to_play import WorthNumber

Column = npt.NDArray[np.int64]
StateCounter = Callable[[int], None]
MOST_INNER = 100_000
_MOST_TURNS = 1_000
_MOST_KEYS = 1 << 62
_ROWS = 200_000  # read at once


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


# -- fields ---------------------------------------------------------------------------------------------------------


class TurnRules:
    """A game whose cells are told apart. `free` cells are neither inner nor outer: the one that gathers, and those
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
        lasting = [f for f in named.values() if f.name not in parts.inner]
        free = [f for f in lasting if f is self.gathers or f.number not in read]
        self.inner = _list_cells_of_fields([named[name] for name in parts.inner])
        self.free = _list_cells_of_fields(free)
        self.outer = _list_cells_of_fields([f for f in lasting if f not in free])
        self.field_of = {n: f for f in game.fields for n in _list_cells_of_fields([f])}
        self.start, self.after = self._get_last_turn_start_and_later_actions()
        if self.start[1]:
            raise NotShown("the game is over before anybody acts")
        self.before = 0 if self.gathers is None else int(self.start[self.gathers.offset])
        self.least = 0 if self.counted else self.before
        self.size = {n: self.field_of[n].hi - self.field_of[n].lo + 1 for n in self.outer}
        *radix, states = accumulate([1, *self.size.values()], mul)
        self.radix = dict(zip(self.outer, radix, strict=True))
        if states > _MOST_KEYS:
            raise NotShown("what lasts has more values than 62 bits hold")

    def _get_last_turn_start_and_later_actions(self) -> tuple[Column, tuple[int, ...]]:
        """Return the last state on the way that is asked of in which a turn begins, and the actions behind it."""
        play, begins = Interpreter(self.game), [0, *self.inner]
        states = [play.start()]
        for ident in self.number.after:
            states.append(play.apply(states[-1], ident))
        cells = np.array(states, dtype=np.int64)
        last = np.flatnonzero((cells[:, begins] == cells[0, begins]).all(axis=1))[-1]
        return cells[last], self.number.after[last:]

    def make_reader_with_unknown_cells(self, unknown_cells: Sequence[int]) -> PartialReading:
        """Return a reading that does not know these cells."""
        return PartialReading(self.game, [self.term], unknown_cells)

    def pack_outer_cells_into_keys(self, state_rows: Column, cell_numbers: Sequence[int]) -> Column:
        """Return one number for the values of chosen outer cells in each state."""
        keys = np.zeros(len(state_rows), dtype=np.int64)
        for n in cell_numbers:
            keys += (state_rows[:, n] - self.field_of[n].lo) * self.radix[n]
        return keys

    def write_outer_cells_of_keys_in_place(
        self, state_rows: Column, keys: Column, cell_numbers: Sequence[int]
    ) -> Column:
        """Write the values of chosen outer cells, which keys stand for, into states, and return these."""
        for n in cell_numbers:
            state_rows[:, n] = keys // self.radix[n] % self.size[n] + self.field_of[n].lo
        return state_rows

    def get_value_operator_of_phase(self, phase: Phase) -> int:
        """Return how the actions of a phase count. Raises NotShown if chance may act in a player's phase."""
        if phase.actor.lo == phase.actor.hi == CHANCE:
            return MEAN
        if phase.actor.lo <= CHANCE:
            raise NotShown("who acts in a phase depends on the state")
        return {"best": MOST, "worst": LEAST, "random": MEAN}[self.number.play]


def _list_cells_of_fields(fields: Sequence[Field]) -> list[int]:
    return [n for field in fields for n in range(field.offset, field.offset + field.size)]


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


def _find_legal_rows_and_successors(
    rules: TurnRules, reader: PartialReading, action_id: int, state_rows: Column
) -> tuple[Column, Column]:
    """Return the rows of states in which an action is legal, and the states behind it. Raises UnknownCellUsed."""
    action = rules.game.get_action_of_ground_action_number(action_id)
    rows = np.flatnonzero(np.isin(state_rows[:, 0], action.phases))
    if len(rows):
        columns = reader.state_rows_to_columns(state_rows[rows])
        rows = rows[reader.find_rows_where_action_is_legal(action, action_id, columns)]
    after = state_rows[rows]
    return rows, reader.apply_action_and_automatic_phases(action, action_id, after) if len(rows) else after


# -- inside a turn --------------------------------------------------------------------------------------------------


class TurnGraph:
    """All inner states of a turn, the first of them first, and the actions `closing` that may end it."""

    def __init__(self, rules: TurnRules) -> None:
        self.rules, self.closing = rules, set[int]()
        gathers = [] if rules.gathers is None else [rules.gathers.offset]
        self.reader = rules.make_reader_with_unknown_cells([*rules.outer, *gathers])
        while True:  # an action that was followed may turn out to close a turn
            graph = enumerate_states_closed_under_steps(rules.start[None, :], self._iter_steps_inside_turn, MOST_INNER)
            if self.closing.isdisjoint(graph.edges[:, 1].tolist()):
                break
        self.graph, self.cells = graph, graph.cells
        numbers, phase_of = np.unique(self.cells[:, 0], return_inverse=True)
        phases = [rules.game.phases[n] for n in numbers.tolist()]
        self.operators = np.array([rules.get_value_operator_of_phase(phase) for phase in phases])[phase_of]
        counts = [rules.counted and (rules.number.counts == "all" or phase.actor.hi > CHANCE) for phase in phases]
        self.gains = np.array(counts, dtype=np.int64)[phase_of]
        lengths = compute_longest_path_to_each_state_or_none(graph)
        if lengths is None:
            raise NotShown("play inside a turn may go in circles")
        self.depths = lengths
        self.states_from_last = np.argsort(-lengths, kind="stable").tolist()
        weights = graph.compute_chance_weight_of_each_edge(rules.game, self.reader)
        self.edges_of = [(graph.edges[a:b, 2], weights[a:b]) for a, b in pairwise(graph.first.tolist())]

    def _iter_steps_inside_turn(self, state_rows: Column) -> Iterator[Steps]:
        """Yield the steps inside a turn, and take up the actions that close one."""
        for ident in range(self.rules.game.ground):
            if ident in self.closing:
                continue
            try:
                rows, after = _find_legal_rows_and_successors(self.rules, self.reader, ident, state_rows)
            except UnknownCellUsed:
                self.closing.add(ident)
                continue
            if after[:, 1].any():
                self.closing.add(ident)
            elif len(rows):
                after[:, self.rules.free] = self.rules.start[self.rules.free]
                yield rows, ident, after

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

    def count_max_mean_states_on_path(self) -> int:
        """Return how many means there are in a row at most."""
        sources, _, to = self.graph.edges.T
        mean = (self.operators == MEAN).astype(np.int64)
        most = mean.copy()
        for depth in range(int(self.depths.max())):
            mine = self.depths[sources] == depth
            np.maximum.at(most, to[mine], most[sources[mine]] + mean[to[mine]])
        return int(most.max())


# -- from turn to turn ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ClosingEdge:
    """An action that closes a turn, from the inner states `nodes`, in all of which it does the same. `alike` gives each
    outer state of the turn one of few rows. These say with which weight it is taken (0 where it is not legal), whether
    the game goes on, what it gains and gathers, and what is added to the key of the outer state. Edges of one `move`
    lead to the same outer states."""

    ident: int
    operator: int
    nodes: Column
    alike: Column
    weight: Column
    goes_on: Column
    gain: Column
    gathered: Column
    step: Column

    @cached_property
    def move(self) -> tuple[int, bytes]:
        """A name of where the edge leads."""
        return self.ident, self.step.tobytes()


@dataclass(frozen=True)
class Turn:
    """The outer states in which one turn begins, as sorted keys; the edges that close it there, and the numbers of
    those from each inner state."""

    keys: Column
    edges: list[ClosingEdge]
    closing_of: list[Column]

    @property
    def heaviest(self) -> int:
        """What the weights of the edges of one inner state together do not exceed."""
        weights: dict[int, int] = {}
        for edge in self.edges:
            weights[edge.ident] = max(weights.get(edge.ident, 0), int(edge.weight.max()))
        return sum(weights.values())

    @property
    def greatest_gain(self) -> int:
        """What no edge gains more than, or loses."""
        return max((int(np.abs(edge.gain).max()) for edge in self.edges), default=0)

    def find_outer_states_of_next_turn(self) -> Column:
        """Return the keys of the outer states in which the next turn begins."""
        reached = [self.keys[:0]]
        for _, group in groupby(sorted(self.edges, key=attrgetter("move")), key=attrgetter("move")):
            edges = list(group)
            goes_on = np.any([edge.goes_on for edge in edges], axis=0)[edges[0].alike]
            reached.append(self.keys[goes_on] + edges[0].step[edges[0].alike[goes_on]])
        return np.unique(np.concatenate(reached))


def list_turns_from_first(
    rules: TurnRules, graph: TurnGraph, max_states: int, count_states: StateCounter
) -> list[Turn]:
    """Return all turns. Raises NotShown if they have too many outer states."""
    readers = [_ClosingReader(rules, graph, ident, count_states) for ident in sorted(graph.closing)]
    turns, keys = list[Turn](), rules.pack_outer_cells_into_keys(rules.start[None, :], rules.outer)
    while len(keys):
        if sum(len(turn.keys) for turn in turns) + len(keys) > max_states:
            raise NotShown(f"there are more than {max_states:,} states between turns")
        if len(turns) >= _MOST_TURNS:
            raise NotShown(f"a game may have more than {_MOST_TURNS:,} turns")
        edges = [edge for reader in readers for edge in reader.list_edges_in_outer_states(keys)]
        closing_of: list[list[int]] = [[] for _ in graph.cells]
        for number, edge in enumerate(edges):
            for state in edge.nodes.tolist():
                closing_of[state].append(number)
        turns.append(Turn(keys, edges, [np.array(numbers, dtype=np.int64) for numbers in closing_of]))
        keys = turns[-1].find_outer_states_of_next_turn()
    return turns


class _ClosingReader:
    """Reads one action that closes turns, where only those outer cells are `known` that it asks for."""

    def __init__(self, rules: TurnRules, graph: TurnGraph, action_id: int, count_states: StateCounter) -> None:
        self.rules, self.ident, self.count_states, self.known = rules, action_id, count_states, list[int]()
        self.action = rules.game.get_action_of_ground_action_number(action_id)
        self.nodes = np.flatnonzero(np.isin(graph.cells[:, 0], self.action.phases))
        self.inner, self.operators = graph.cells[self.nodes], set(graph.operators[self.nodes].tolist())

    def list_edges_in_outer_states(self, outer_keys: Column) -> list[ClosingEdge]:
        """Return what the action does in these outer states. Raises NotShown."""
        while True:
            try:
                return self._list_edges_or_raise_unknown_cell(outer_keys)
            except UnknownCellUsed as error:
                if error.cell in self.known:
                    raise
                self.known.append(error.cell)

    def _list_edges_or_raise_unknown_cell(self, outer_keys: Column) -> list[ClosingEdge]:
        rules = self.rules
        cells = np.zeros((len(outer_keys), len(rules.start)), dtype=np.int64)
        rules.write_outer_cells_of_keys_in_place(cells, outer_keys, self.known)
        some, alike = np.unique(rules.pack_outer_cells_into_keys(cells, self.known), return_inverse=True)
        reader = rules.make_reader_with_unknown_cells([n for n in rules.outer if n not in self.known])
        at_once = max(1, _ROWS // max(1, len(self.nodes)))
        blocks = [some[at : at + at_once] for at in range(0, len(some), at_once)]
        table = np.concatenate([self._compute_effects_in_outer_states(reader, keys) for keys in blocks], axis=1)
        legal = np.flatnonzero(table[0].any(axis=0))
        if not len(legal):
            return []
        if len(self.operators) > 1:
            raise NotShown("an action is a player's, and chance's")
        [operator] = self.operators
        effects, group = np.unique(table[:, :, legal].reshape(-1, len(legal)), axis=1, return_inverse=True)
        return [
            ClosingEdge(self.ident, operator, self.nodes[legal[group.ravel() == n]], alike, *effect)
            for n, effect in enumerate(effects.T.reshape(-1, 5, len(some)))
        ]

    def _compute_effects_in_outer_states(self, reader: PartialReading, outer_keys: Column) -> Column:
        """Return what the action does in some outer states, whose keys hold only what it asks for: the five
        numbers of a `ClosingEdge` for each outer and inner state (numbers x outer x inner)."""
        rules = self.rules
        cells = np.tile(self.inner, (len(outer_keys), 1))
        rules.write_outer_cells_of_keys_in_place(cells, np.repeat(outer_keys, len(self.inner)), self.known)
        self.count_states(len(cells))
        rows, after = _find_legal_rows_and_successors(rules, reader, self.ident, cells)
        table = np.zeros((5, len(cells)), dtype=np.int64)
        if len(rows):
            over = after[:, 1] != 0
            self._require_next_turn_starts_like_first(after[~over])
            gathered = np.zeros(len(rows), dtype=np.int64)
            if rules.gathers is not None:
                gathered = after[:, rules.gathers.offset] - rules.before
            gain = gathered * (not rules.counted)
            if over.any():
                gain[over] = reader.evaluate_term_in_each_state(rules.term, after[over]) - rules.least
            keys, next_keys = (rules.pack_outer_cells_into_keys(each, self.known) for each in (cells[rows], after))
            weight = reader.evaluate_action_weight_in_each_state(self.action, self.ident, cells[rows])
            table[:, rows] = [weight, ~over, gain, gathered, np.where(over, 0, next_keys - keys)]
        return table.reshape(5, len(outer_keys), len(self.inner))

    def _require_next_turn_starts_like_first(self, state_rows: Column) -> None:
        """Check that a turn begins as the first did. Raises InnerFieldChanged, or NotShown."""
        for n in self.rules.inner:
            if (state_rows[:, n] != self.rules.start[n]).any():
                raise InnerFieldChanged(self.rules.field_of[n].name)
        if (state_rows[:, 0] != self.rules.start[0]).any():
            raise NotShown("a turn may begin in another phase than the first did")
