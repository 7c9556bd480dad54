"""Sets of states that are closed under all steps, with the moves between them: enumerated by the interpreter if they
are few, else in columns; and Z3's word that what lies beyond a number's limit does not matter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from playproof.language import CHANCE, Action, Interpreter, Term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown, NumbersTooLarge, raise_rules_errors_as_not_shown
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.kernel.closed_sets import StateLayer
from playproof.verifier.kernel.column_reading import ColumnReading
from playproof.verifier.kernel.context import Context, Cut
from playproof.verifier.kernel.formula_reading import Reading
from playproof.verifier.kernel.z3_questions import require_formulas_unsatisfiable

FEW_STATES = 1_000
"""The interpreter enumerates up to this many states; more are read in columns, at a twentieth of the cost or less."""
MOST_BY_ROWS = 20_000
"""The most states that the interpreter reads where numbers are too large for columns."""
MOST_STATES = 1_000_000
MOST_COUNTED = 5_000_000
"""The most states that are kept without their moves."""
_ALL: Cut = ("", 0)
COMPILED = "compiled code, which went through the states: they are more than the kernel reads"
VECTORS = "the kernel's vector reading, which tests compare with the interpreter"
ONE_NAME = "two states have one name of 64 bits"
_AT_ONCE = 20_000
_MIX = 0x9E3779B97F4A7C15
Edges = npt.NDArray[np.int64]
PackedRows = npt.NDArray[np.uint64]
Steps = tuple[Edges, int | Edges, Edges]
"""The rows of states in which an action is legal, its number (one for all, or one for each), and the successor
states."""


@dataclass(frozen=True, eq=False)
class StateGraph:
    """The states that a game reaches and the moves between them. `cells` is states x cells, the
    start first. `edges` has rows (from, action, to), in the order of `from`. States marked in
    `open` were not followed. If the states are `few`, the interpreter reads them. States lie in the order of their
    distance from the start; `layers` says how many there are at most 0, 1, 2 and more decisions away."""

    cells: Edges
    edges: Edges
    open: npt.NDArray[np.bool_]
    few: bool
    layers: Edges

    @cached_property
    def first(self) -> Edges:
        """The row at which each state's edges begin, and at the end the number of edges."""
        return np.searchsorted(self.edges[:, 0], np.arange(len(self.cells) + 1))

    def list_actions_and_successors_of_state(self, state_row: int) -> list[tuple[int, int]]:
        """Return the moves from a state, as pairs (action, state)."""
        some = self.edges[self.first[state_row] : self.first[state_row + 1], 1:]
        return [(ident, to) for ident, to in some.tolist()]

    def list_legal_actions_of_state(self, state_row: int) -> list[int]:
        """Return the actions that lead from a state."""
        return [ident for ident, _ in self.list_actions_and_successors_of_state(state_row)]

    def evaluate_condition_in_each_state(self, game: Game, condition: Term) -> npt.NDArray[np.bool_]:
        """Return for each state whether a condition holds in it."""
        reader = _make_row_or_column_reader(game, self.few, len(self.cells), [condition])
        return np.not_equal(reader.evaluate_term_in_each_state(condition, self.cells), 0)

    def list_actor_of_each_state(self, game: Game) -> Edges:
        """Return who acts in each state; entries for states in which the game is over have no
        meaning."""
        return list_actor_of_each_row(game, _make_row_or_column_reader(game, self.few, len(self.cells)), self.cells)

    def compute_chance_weight_of_each_edge(self, game: Game, reader: RowReader | ColumnReading | None = None) -> Edges:
        """Return the weight of each edge, 1 for those of players. Raises NotShown for one that is not above 0."""
        by = reader or _make_row_or_column_reader(game, self.few, len(self.cells))
        actors = self.list_actor_of_each_state(game)
        return compute_weight_of_each_edge(game, by, self.cells, actors, self.edges[:, 0], self.edges[:, 1])


class RowReader:
    """Reads states one by one with the interpreter; `ColumnReading` reads them together. Its numbers are
    those of Python, which have no greatest."""

    def __init__(self, game: Game) -> None:
        self.play = Interpreter(game)

    def evaluate_term_in_each_state(self, term: Term, state_rows: Edges) -> Edges:
        """Return a term's value in each of the states (rows x cells)."""
        return np.array([self.play.value(term, state) for state in state_rows.tolist()], dtype=np.object_)

    def evaluate_action_weight_in_each_state(self, _: Action, action_id: int, state_rows: Edges) -> Edges:
        """Return an action's weight in each of the states."""
        return np.array([self.play.weight(state, action_id) for state in state_rows.tolist()])

    def iter_legal_actions_with_successors(self, state_rows: Edges) -> Iterator[Steps]:
        """Yield each legal action of each state, with the state's row and its successor."""
        for row, state in enumerate(state_rows.tolist()):
            for ident in self.play.legal(state):
                yield np.array([row]), ident, np.array([self.play.apply(state, ident)], dtype=np.object_)


def list_actor_of_each_row(game: Game, reader: RowReader | ColumnReading, state_rows: Edges) -> Edges:
    """Return who acts in each state; entries for states in which the game is over have no meaning."""
    actors = np.zeros(len(state_rows), dtype=np.int64)
    for phase in game.phases:
        rows = np.flatnonzero((state_rows[:, 0] == phase.number) & (state_rows[:, 1] == 0))
        if len(rows):
            actors[rows] = reader.evaluate_term_in_each_state(phase.actor, state_rows[rows])
    return actors


def compute_weight_of_each_edge(
    game: Game,
    reader: RowReader | ColumnReading,
    state_rows: Edges,
    actor_by_state: npt.NDArray[Any],
    edge_rows: Edges,
    edge_actions: Edges,
) -> Edges:
    """Return the weight of each edge, from the state in a row by an action; 1 for those of players. Raises NotShown for
    one that is not above 0, or too large."""
    weights = np.ones(len(edge_rows), dtype=np.int64)
    by_chance = np.flatnonzero(actor_by_state[edge_rows] == CHANCE)
    for ident in np.unique(edge_actions[by_chance]).tolist():
        mine = by_chance[edge_actions[by_chance] == ident]
        weights[mine] = reader.evaluate_action_weight_in_each_state(
            game.get_action_of_ground_action_number(ident), ident, state_rows[edge_rows[mine]]
        )
    if (weights <= 0).any() or (weights >= 1 << 31).any():
        raise NotShown("a result of chance has no weight, or too large a one")
    return weights


class MoveFilter(Protocol):
    """Leaves moves out, as a player does who follows a strategy. `terms` are those that it reads."""

    @property
    def terms(self) -> Sequence[Term]:
        """Return every term that the choice reads."""

    def iter_allowed_moves(
        self, reader: RowReader | ColumnReading, state_rows: Edges, legal_moves: Iterator[Steps]
    ) -> Iterator[Steps]:
        """Yield the moves from these states that are left."""


def _make_row_or_column_reader(
    game: Game, use_interpreter: bool, states: int, extra_terms: Sequence[Term] = ()
) -> RowReader | ColumnReading:
    if not use_interpreter:
        try:
            return ColumnReading(game, extra_terms)
        except NumbersTooLarge:
            if states > MOST_BY_ROWS:
                raise
    return RowReader(game)


def enumerate_game_states_cached(
    game: Game, max_states: int, context: Context, exploration_limit: Cut = _ALL, *, keep_moves: bool = True
) -> StateGraph:
    """Return all states from the start: by the interpreter if at most FEW_STATES are allowed, else in columns. Without
    their moves more fit. Raises NotShown if there are more than allowed, or if the rules break."""
    few, most = max_states <= FEW_STATES, min(max_states, MOST_STATES if keep_moves else MOST_COUNTED)

    def made() -> StateGraph:
        number = context.read_number(game, exploration_limit[0]) if exploration_limit[0] else None
        limit = exploration_limit[1] if number is None else min(max(exploration_limit[1], number.lo - 1), number.hi)
        return enumerate_states_from_start(game, few, most, number, limit, keep_moves=keep_moves)

    graph = context.get_or_build_for_game(game, ("states", exploration_limit, few, keep_moves), made)
    if len(graph.cells) > max_states:
        raise NotShown(f"there are {len(graph.cells):,} states, the evidence speaks of {max_states:,}")
    return graph


def enumerate_states_from_start(
    game: Game,
    use_interpreter: bool,
    max_states: int,
    limiting_number: Term | None = None,
    max_followed_value: int = 0,
    move_filter: MoveFilter | None = None,
    *,
    start_state: Sequence[int] | None = None,
    keep_moves: bool = True,
) -> StateGraph:
    """Enumerate all states and moves from a start. States in which the number is greater than `max_followed_value` stay
    open. `move_filter` leaves moves out. Raises NotShown if there are more than `max_states`, or if the rules break."""
    terms = [
        *(() if limiting_number is None else (limiting_number,)),
        *(() if move_filter is None else move_filter.terms),
    ]
    reader = _make_row_or_column_reader(game, use_interpreter, max_states, terms)

    def mark_open_states(cells: Edges) -> npt.NDArray[np.bool_]:
        if limiting_number is None:
            return np.zeros(len(cells), dtype=np.bool_)
        return (reader.evaluate_term_in_each_state(limiting_number, cells) > max_followed_value).astype(np.bool_)

    def steps(cells: Edges) -> Iterator[Steps]:
        live = np.flatnonzero((cells[:, 1] == 0) & ~mark_open_states(cells))
        taken = reader.iter_legal_actions_with_successors(cells[live])
        if move_filter is not None:
            taken = move_filter.iter_allowed_moves(reader, cells[live], taken)
        yield from ((live[here], ident, after) for here, ident, after in taken)

    with raise_rules_errors_as_not_shown():
        first = Interpreter(game).start() if start_state is None else start_state
        graph = enumerate_states_closed_under_steps(
            np.array([first], dtype=get_smallest_cell_dtype(game)),
            steps,
            max_states,
            use_interpreter=use_interpreter,
            keep_moves=keep_moves,
        )
        graph.open[:] = mark_open_states(graph.cells)
    return graph


def enumerate_states_closed_under_steps(
    start_row: Edges,
    iter_steps_from: Callable[[Edges], Iterator[Steps]],
    max_states: int,
    *,
    use_interpreter: bool = False,
    keep_moves: bool = True,
) -> StateGraph:
    """Return the states that steps lead to from the first one, layer by layer and block by block. Raises NotShown if
    there are more than `max_states`."""
    numbers, blocks, layer, done = StateNumbers(), [start_row], start_row, 0
    numbers.number_states_and_get_new_rows(start_row)
    edges, layers = [np.zeros((0, 3), dtype=np.int64)], list[int]()
    while len(layer):
        layers.append(numbers.count)
        fresh: list[Edges] = [layer[:0]]
        for cells in (layer[at : at + _AT_ONCE] for at in range(0, len(layer), _AT_ONCE)):
            steps = list(iter_steps_from(cells))
            after = np.concatenate([cells[:0], *(states.astype(start_row.dtype) for _, _, states in steps)])
            to, new = numbers.number_states_and_get_new_rows(after)
            fresh.append(new)
            if keep_moves and steps:
                here = np.concatenate([rows for rows, _, _ in steps])
                idents = np.concatenate([np.full(len(rows), ident) for rows, ident, _ in steps])
                edges.append(np.stack([here + done, idents, to], axis=1))
            if numbers.count > max_states:
                raise NotShown(f"there are more than {max_states:,} states")
            done += len(cells)
        layer = np.concatenate(fresh)
        blocks.append(layer)
    made = np.concatenate(edges)
    made = made[np.argsort(made[:, 0], kind="stable")]
    return StateGraph(np.concatenate(blocks), made, np.zeros(done, dtype=np.bool_), use_interpreter, np.array(layers))


def put_all_states_in_one_layer(graph: StateGraph, game: Game, event_condition: Term) -> StateLayer:
    """Return all states as one layer, in which no state is an end: those without a step are worth 0. Raises NotShown
    for a weight that is not above 0."""
    actors = graph.list_actor_of_each_state(game)
    weight = graph.compute_chance_weight_of_each_edge(game)
    degree, to = np.diff(graph.first).astype(np.int32), graph.edges[:, 2].astype(np.int32)
    met = graph.evaluate_condition_in_each_state(game, event_condition).astype(np.bool_)
    return StateLayer(0, degree, to, weight.astype(np.int32), actors.astype(np.int8), met, 0)


def argsort_states_by_cells(state_rows: Edges) -> Edges:
    """Return the rows in the order of their cells; plain objects have no order of their own."""
    if state_rows.dtype == np.object_:
        return np.array(sorted(range(len(state_rows)), key=state_rows.tolist().__getitem__))
    return np.lexsort(state_rows.T[::-1])


def get_smallest_cell_dtype(game: Game) -> type[np.generic]:
    """Return the smallest integer type that holds every cell, to save memory; plain objects if none
    does."""
    most = max(max(abs(f.lo), abs(f.hi)) for f in game.fields)
    kinds = (np.int8, np.int16, np.int32, np.int64)
    return next((kind for kind in kinds if most <= np.iinfo(kind).max), np.object_)


class StateNumbers:
    """Numbers of different states, in the order in which they come. A state is found by a name of 64 bits; that no two
    have the same is checked. Plain objects are found by themselves."""

    def __init__(self, count: int = 0) -> None:
        """Number the states from `count` on."""
        self.first = self.count = count
        self._by_cells = dict[tuple[object, ...], int]()
        self._names = np.zeros(0, dtype=np.uint64)  # ascending, with the numbers of their states
        self._numbers = np.zeros(0, dtype=np.int64)
        self._words: PackedRows | None = None  # of the states in the order of their numbers

    def number_states_and_get_new_rows(self, state_rows: npt.NDArray[Any]) -> tuple[Edges, npt.NDArray[Any]]:
        """Return the numbers of states, rows of cells or of words, and the states that are new, which are numbered on.
        Raises NotShown."""
        if state_rows.dtype == np.object_:
            return self._number_objects_and_get_new_rows(state_rows)
        words: PackedRows = state_rows if state_rows.dtype == np.uint64 else _view_states_as_words(state_rows)
        known = words[:0] if self._words is None else self._words
        names, firsts, which = np.unique(hash_packed_states(words), return_index=True, return_inverse=True)
        places = np.searchsorted(self._names, names)
        there = np.zeros(len(names), dtype=np.bool_)
        if len(self._names):
            there = self._names[np.minimum(places, len(self._names) - 1)] == names
        numbers = np.empty(len(names), dtype=np.int64)
        numbers[there] = self._numbers[places[there]]
        new = np.flatnonzero(~there)
        new = new[np.argsort(firsts[new])]
        numbers[new] = self.count + np.arange(len(new))
        self.count += len(new)
        self._words = np.concatenate([known, words[firsts[new]]])
        if (self._words[numbers[which] - self.first] != words).any():
            raise NotShown(ONE_NAME)
        self._names = np.insert(self._names, places[~there], names[~there])
        self._numbers = np.insert(self._numbers, places[~there], numbers[~there])
        return numbers[which], state_rows[firsts[new]]

    def _number_objects_and_get_new_rows(self, state_rows: npt.NDArray[Any]) -> tuple[Edges, npt.NDArray[Any]]:
        new, numbers = [], np.empty(len(state_rows), dtype=np.int64)
        for n, cells in enumerate(map(tuple, state_rows.tolist())):
            if cells not in self._by_cells:
                self._by_cells[cells] = self.count
                self.count += 1
                new.append(n)
            numbers[n] = self._by_cells[cells]
        return numbers, state_rows[new]


def _view_states_as_words(state_rows: Edges) -> PackedRows:
    """Return states as rows of 64-bit words, which hold the bytes of their cells."""
    width = state_rows.shape[1] * state_rows.itemsize
    padded = np.zeros((len(state_rows), -(-width // 8) * 8), dtype=np.uint8)
    padded[:, :width] = np.ascontiguousarray(state_rows).view(np.uint8)
    return padded.view(np.uint64)


def hash_packed_states(packed_states: PackedRows) -> PackedRows:
    """Return a number of 64 bits for each row: the word itself, or a mixture of the words."""
    mixed = packed_states[:, 0].copy()
    for word in range(1, packed_states.shape[1]):
        mixed ^= mixed >> np.uint64(29)
        mixed = mixed * np.uint64(_MIX) + packed_states[:, word]
    return mixed


def require_target_excluded_beyond_limit(game: Game, target: Target, limit: Cut, context: Context) -> None:
    """Check with Z3 that no small step lowers the number of a limit, and that the target does not hold beyond it: then
    no way that is not followed leads to the target. Raises NotShown."""
    number, most = context.read_number(game, limit[0]), limit[1]
    key = "no step lowers", limit[0]
    context.get_or_build_for_game(game, key, lambda: _require_no_step_lowers_number(game, number, context))
    reading = Reading(game)
    cells = reading.make_symbolic_state()
    met_beyond = [
        reading.build_cells_within_bounds_formula(cells),
        reading.build_comparison_formula("<", most, reading.build_term_value(number, cells, {})),
        reading.build_term_is_true_formula(target.condition, cells, {}),
    ]
    require_formulas_unsatisfiable(met_beyond, True, f"it may be met where the number is more than {most}", context)


def _require_no_step_lowers_number(game: Game, number: Term, context: Context) -> None:
    reading = Reading(game)
    cells = reading.make_symbolic_state()
    within, before = reading.build_cells_within_bounds_formula(cells), reading.build_term_value(number, cells, {})
    for what in reading.iter_actions_and_automatic_phases():
        step = reading.build_symbolic_step(what, cells, reading.make_symbolic_parameters(what))
        falls = reading.build_comparison_formula("<", reading.build_term_value(number, step.after, {}), before)
        if falls is not False:
            message = f"`{step.name}` may lower the number"
            require_formulas_unsatisfiable([within, step.sound, falls], True, message, context)


def compute_longest_path_length_or_none(graph: StateGraph) -> int | None:
    """Return the number of moves on the longest path from row 0, or None if there is a cycle."""
    lengths = compute_longest_path_to_each_state_or_none(graph)
    return None if lengths is None else int(lengths.max())


def compute_longest_path_to_each_state_or_none(graph: StateGraph) -> Edges | None:
    """Return the number of moves on the longest path from row 0 to each row, or None if there is a cycle."""
    return compute_longest_path_to_each_row_or_none(len(graph.cells), graph.edges[:, 0], graph.edges[:, 2])


def compute_longest_path_to_each_row_or_none(row_count: int, edge_sources: Edges, edge_targets: Edges) -> Edges | None:
    """Return the number of edges on the longest path to each row, or None if there is a cycle. Kahn's algorithm removes
    each row as soon as no remaining edge leads to it; here all such rows at once, again and again. A row is removed in
    the turn behind that of the last row that leads to it."""
    targets = edge_targets[np.argsort(edge_sources, kind="stable")]
    degrees = np.bincount(edge_sources, minlength=row_count)
    firsts = np.cumsum(degrees) - degrees
    waiting = np.bincount(edge_targets, minlength=row_count)
    depths, ready, done, turn = np.zeros(row_count, dtype=np.int64), np.flatnonzero(waiting == 0), 0, 0
    while len(ready):
        depths[ready] = turn
        counts = degrees[ready]
        behind = np.arange(counts.sum()) + np.repeat(firsts[ready] - np.cumsum(counts) + counts, counts)
        reached, edge_counts = np.unique(targets[behind], return_counts=True)
        waiting[reached] -= edge_counts
        done, turn, ready = done + len(ready), turn + 1, reached[waiting[reached] == 0]
    return depths if done == row_count else None
