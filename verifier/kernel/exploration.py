"""Explorations: a set of states that is closed under all steps, enumerated by the interpreter or in
columns, what holds in all of them, and how many decisions the nearest or the farthest is away that meets
a condition."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from playproof.language import CHANCE, Action, Interpreter, Term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import (
    Certificate,
    NotShown,
    NumbersTooLarge,
    raise_rules_errors_as_not_shown,
)
from playproof.verifier.kernel.claim_values import Decision
from playproof.verifier.kernel.column_reading import ColumnReading
from playproof.verifier.kernel.context import Context, Cut
from playproof.verifier.kernel.formula_reading import Reading
from playproof.verifier.kernel.laws import (
    do_automatic_phases_at_start_break_law,
    does_decision_or_phase_after_it_break_law,
    is_decision_required_by_law_illegal,
    read_law_from_spec,
)
from playproof.verifier.kernel.look_alikes import (
    read_secret_from_spec as read_secret,
    require_no_state_reveals_secret,
    require_secret_equal_in_look_alike_states,
)
from playproof.verifier.kernel.statements import (
    BOUNDS,
    NO_DEAD_END,
    PHASES_END,
    PROPERTIES,
    Event,
    LawObeyed,
    LengthLimit,
    Property,
    Secrecy,
    SecretDiffers,
    Statement,
    Subject,
    target_spec_to_event,
)
from playproof.verifier.kernel.strict_json import Json
from playproof.verifier.kernel.z3_questions import require_formulas_unsatisfiable
from playproof.verifier.questions.claims import Question, Target, TargetReader
from playproof.verifier.questions.laws import Law as StepLaw

FEW_STATES = 1_000
"""The interpreter enumerates up to this many states; more are read in columns, at a twentieth of the cost."""
MOST_BY_ROWS = 20_000
"""The most states that the interpreter reads where numbers are too large for columns."""
MOST_STATES = 1_000_000
MOST_COUNTED = 5_000_000
"""The most states that are kept without their moves."""
_ALL: Cut = ("", 0)
COMPILED = "compiled code, which went through the states: they are more than the kernel reads"
VECTORS = "the kernel's vector reading, which tests compare with the interpreter"
_AT_ONCE = 20_000
Edges = npt.NDArray[np.int64]
Steps = tuple[Edges, int, Edges]
"""The rows of the states in which an action is legal, its number, and the successor states."""


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
        number = TargetReader(game).number_text_to_term(exploration_limit[0]) if exploration_limit[0] else None
        if number is not None:
            require_no_step_lowers_number(game, number, context)
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
    there are more than `most`."""
    rows, blocks, layer, done = {get_hashable_key_of_each_state(start_row)[0]: 0}, [start_row], start_row, 0
    edges, layers = [np.zeros((0, 3), dtype=np.int64)], list[int]()
    while len(layer):
        layers.append(len(rows))
        fresh: list[Edges] = [layer[:0]]
        for cells in (layer[at : at + _AT_ONCE] for at in range(0, len(layer), _AT_ONCE)):
            for here, ident, after in iter_steps_from(cells):
                to, new = number_states_and_get_new_rows(rows, after.astype(start_row.dtype))
                fresh.append(new)
                if keep_moves:
                    edges.append(np.stack([here + done, np.full(len(here), ident), to], axis=1))
                if len(rows) > max_states:
                    raise NotShown(f"there are more than {max_states:,} states")
            done += len(cells)
        layer = np.concatenate(fresh)
        blocks.append(layer)
    made = np.concatenate(edges)
    made = made[np.argsort(made[:, 0], kind="stable")]
    return StateGraph(np.concatenate(blocks), made, np.zeros(done, dtype=np.bool_), use_interpreter, np.array(layers))


def get_smallest_cell_dtype(game: Game) -> type[np.generic]:
    """Return the smallest integer type that holds every cell, to save memory; plain objects if none
    does."""
    most = max(max(abs(f.lo), abs(f.hi)) for f in game.fields)
    kinds = (np.int8, np.int16, np.int32, np.int64)
    return next((kind for kind in kinds if most <= np.iinfo(kind).max), np.object_)


def get_hashable_key_of_each_state(state_rows: Edges) -> list[Hashable]:
    """Return a key for each state. The bytes of plain objects are only where they lie."""
    if state_rows.dtype == np.object_:
        return [tuple(state) for state in state_rows.tolist()]
    text, width = state_rows.tobytes(), state_rows.shape[1] * state_rows.itemsize
    return [text[n * width : (n + 1) * width] for n in range(len(state_rows))]


def number_states_and_get_new_rows(number_by_key: dict[Hashable, int], state_rows: Edges) -> tuple[Edges, Edges]:
    """Return the numbers of states, and the states that are new; `number_by_key` takes up the new ones."""
    new, numbers = [], np.empty(len(state_rows), dtype=np.int64)
    for n, key in enumerate(get_hashable_key_of_each_state(state_rows)):
        if key not in number_by_key:
            number_by_key[key] = len(number_by_key)
            new.append(n)
        numbers[n] = number_by_key[key]
    return numbers, state_rows[new]


def require_no_step_lowers_number(game: Game, number: Term, context: Context) -> None:
    """Check with Z3 that no small step lowers the number. Raises NotShown."""
    reading = Reading(game, True, [number])
    cells = reading.make_symbolic_state()
    for what in reading.iter_actions_and_automatic_phases():
        step = reading.build_symbolic_step(what, cells, reading.make_symbolic_parameters(what))
        falls = reading.build_comparison_formula(
            "<", reading.build_term_value(number, step.after, {}), reading.build_term_value(number, cells, {})
        )
        if falls is not False:
            message = f"`{step.name}` may lower the number"
            require_formulas_unsatisfiable(
                [reading.build_cells_within_bounds_formula(cells), step.sound, falls], True, message, context
            )


def require_target_excluded_beyond_limit(
    game: Game, target: Target, number: Term, limit: int, context: Context
) -> None:
    """Check with Z3 that the target does not hold where the number is greater than `most`. Raises
    NotShown."""
    reading = Reading(game, True, [number, target.condition])
    cells = reading.make_symbolic_state()
    beyond = reading.build_comparison_formula("<", limit, reading.build_term_value(number, cells, {}))
    met_there = [
        reading.build_cells_within_bounds_formula(cells),
        beyond,
        reading.build_term_is_true_formula(target.condition, cells, {}),
    ]
    require_formulas_unsatisfiable(met_there, True, f"it may be met where the number is more than {limit}", context)


class EnumerationCertificate(Certificate):
    """What is shown by going through all states, of which there are `states`."""

    states: int

    def require_states_counted(self, graph: StateGraph) -> StateGraph:
        """Return the states that were gone through. Raises NotShown if they are not as many as the evidence says."""
        if len(graph.cells) != self.states:
            raise NotShown(f"there are {len(graph.cells):,} states, the evidence speaks of {self.states:,}")
        return graph

    def describe_what_must_be_trusted(self) -> str:
        """Return what enumerates the states: the interpreter for few, the vector reading for many."""
        return VECTORS if self.states > FEW_STATES else self.rests


@dataclass(frozen=True)
class ExplorationCertificate(EnumerationCertificate):
    """All reachable states, of which there are `states`: none meets the event; the rules keep the
    property in each; no path is longer than the length; no decision breaks the law; what a seat is sent
    does not tell the secret; no two are apart.

    For an event, a `number` limits this to the states in which the number is at most `most`; beyond,
    the event's own condition excludes it.

    The theorem: if the set of states holds the start and, with each state, every state that one
    decision leads to, then every game stays in it. The check makes that set itself. So the premises
    are that the reading is the interpreter's, and that `states` is the size of the set: that size,
    and not the file, decides who reads it.
    """

    kind: ClassVar[str] = "exploration"
    about: Subject
    states: int
    number: str = ""
    most: int = 0

    def describe_what_must_be_trusted(self) -> str:
        """Return what enumerates the states, and Z3 if a number limits them."""
        return (
            f"{self.describe_what_enumerates_states()}, and Z3 for the states beyond"
            if self.number
            else self.describe_what_enumerates_states()
        )

    def describe_what_enumerates_states(self) -> str:
        """Return what enumerates the states."""
        return super().describe_what_must_be_trusted()

    def build_proved_statement(self) -> Statement:
        """State that the event never happens, that the property, the length, the law or the secret is
        kept, or that no two states are apart."""
        return Statement(self.about, not isinstance(self.about, Event | SecretDiffers))

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Enumerate the states and look at each. Raises NotShown, also where the rules break."""
        if (self.number and not isinstance(self.about, Event)) or (self.most and not self.number):
            raise NotShown("only what is said of an event may be limited by a number")
        if not isinstance(self.about, Event | Property | LengthLimit | LawObeyed | Secrecy | SecretDiffers):
            raise NotShown("no exploration can show this")
        if self.states > MOST_STATES:
            raise NotShown(f"{self.states:,} states are more than the kernel goes through")
        graph = self.require_states_counted(
            enumerate_game_states_cached(game, self.states, context, (self.number, self.most))
        )
        match self.about:
            case Event():
                target = self.about.build_condition_and_actions(game)
                _require_target_met_in_no_state(game, graph, target)
                if self.number:
                    require_target_excluded_beyond_limit(
                        game, target, TargetReader(game).number_text_to_term(self.number), self.most, context
                    )
            case Property(name=name):
                _require_property_in_each_state(graph, name)
            case LengthLimit(most=most):
                longest = compute_longest_path_length_or_none(graph)
                if longest is None or longest > most:
                    raise NotShown("play can go in circles" if longest is None else f"a game has {longest} decisions")
            case LawObeyed(law=law):
                _require_no_decision_breaks_law(Interpreter(game), graph, read_law_from_spec(game, law))
            case Secrecy(of=of):
                _require_secret_not_revealed(Interpreter(game), graph, of)
            case SecretDiffers(of=of):
                require_secret_equal_in_look_alike_states(read_secret(game, of), graph.cells.tolist())


@dataclass(frozen=True)
class CompiledExplorationCertificate(ExplorationCertificate):
    """No reachable state meets the event, as an `ExplorationCertificate` states it, if compiled code went through the
    states rightly. There are at most `states`, and more than the kernel goes through itself. The kernel does not
    contain this code: the caller lends it in the context, and the verdict says that it rests on it."""

    kind: ClassVar[str] = "compiled exploration"
    rests: ClassVar[str] = COMPILED

    def describe_what_enumerates_states(self) -> str:
        """Return what enumerates the states."""
        return self.rests

    def build_proved_statement(self) -> Statement:
        """State that the event never happens, if the rules keep their bounds: compiled code does not look at them."""
        return replace(super().build_proved_statement(), grounds=(BOUNDS, PHASES_END))

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Let compiled code go through the states. Raises NotShown."""
        if self.states <= MOST_STATES:
            raise NotShown(f"the kernel goes through {self.states:,} states itself")
        if context.compiled is None:
            raise NotShown(f"{self.states:,} states are more than the kernel goes through")
        if not isinstance(self.about, Event) or (self.most and not self.number):
            raise NotShown("compiled code looks for an event alone, and for no limit without a number")
        target = self.about.build_condition_and_actions(game)
        if self.number:
            number = TargetReader(game).number_text_to_term(self.number)
            require_no_step_lowers_number(game, number, context)
            require_target_excluded_beyond_limit(game, target, number, self.most, context)
        fault = context.compiled(game, target, (self.number, self.most), self.states, None)
        if fault:
            raise NotShown(fault)


@dataclass(frozen=True)
class StateCount(Subject):
    """So many of the states that games come to meet the event."""

    kind: ClassVar[str] = "numbered"
    YES = "states that meet {event}: {number}"
    event: Event
    number: int

    def decide_question_if_about_it(self, game: Game, question: Question, context: Context) -> Decision | None:
        """Return how many states meet the question's condition."""
        wanted = target_spec_to_event(question.of, question.within)
        return Decision(self.number) if question.ask == "count" and self.event.key == wanted.key else None


@dataclass(frozen=True)
class StateCountCertificate(EnumerationCertificate):
    """Of the `states` that games come to, `number` meet the event. The theorem and its premises are those of an
    exploration; the check counts."""

    kind: ClassVar[str] = "count"
    event: Event
    states: int
    number: int

    def build_proved_statement(self) -> Statement:
        """State how many states meet the event."""
        return Statement(StateCount(self.event, self.number))

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Enumerate the states and count those that meet the event. Raises NotShown."""
        target = self.event.build_condition_and_actions(game)
        if target.idents is not None:
            raise NotShown("states are counted, not actions")
        graph = self.require_states_counted(enumerate_game_states_cached(game, self.states, context, keep_moves=False))
        number = int(np.count_nonzero(graph.evaluate_condition_in_each_state(game, target.condition)))
        if number != self.number:
            raise NotShown(f"{number:,} states meet it, the evidence speaks of {self.number:,}")


def _require_target_met_in_no_state(game: Game, graph: StateGraph, target: Target) -> None:
    """Check that no state meets the target, and that none of its actions is taken where its condition holds. Open rows
    do not count. Raises NotShown."""
    meets = graph.evaluate_condition_in_each_state(game, target.condition) & ~graph.open
    if target.idents is not None:
        taken = graph.edges[np.isin(graph.edges[:, 1], sorted(target.idents)), 0]
        meets &= np.isin(np.arange(len(graph.cells)), taken)
    if meets.any():
        raise NotShown(f"it is met in state {np.argmax(meets)}")


def _require_property_in_each_state(graph: StateGraph, property_name: str) -> None:
    """Check that the rules keep a property in each state. The enumeration itself has failed at a
    broken bound or an endless phase. Raises NotShown."""
    if property_name not in PROPERTIES:
        raise NotShown("no exploration can show this")
    stuck = (graph.cells[:, 1] == 0) & (np.diff(graph.first) == 0)
    if property_name == NO_DEAD_END and stuck.any():
        raise NotShown("there is a dead end")


def _require_no_decision_breaks_law(interpreter: Interpreter, graph: StateGraph, law: StepLaw) -> None:
    """Check that no decision breaks a law. Raises NotShown."""
    for row, state in enumerate(graph.cells.tolist()):
        if is_decision_required_by_law_illegal(interpreter, law, state) or any(
            does_decision_or_phase_after_it_break_law(interpreter, law, state, i)
            for i in graph.list_legal_actions_of_state(row)
        ):
            raise NotShown("a decision breaks the law")
    if do_automatic_phases_at_start_break_law(interpreter, law):
        raise NotShown("the start breaks the law")


def _require_secret_not_revealed(interpreter: Interpreter, graph: StateGraph, secret_spec: Json) -> None:
    """Check that what a seat is sent does not tell the secret. Raises NotShown, also where the rules
    break."""
    with raise_rules_errors_as_not_shown():
        require_no_state_reveals_secret(
            interpreter,
            read_secret(interpreter.game, secret_spec),
            graph.cells.tolist(),
            graph.list_legal_actions_of_state,
        )


def compute_longest_path_length_or_none(graph: StateGraph) -> int | None:
    """Return the number of moves on the longest path from row 0, or None if there is a cycle."""
    lengths = compute_longest_path_to_each_state_or_none(graph)
    return None if lengths is None else int(lengths.max())


def compute_longest_path_to_each_state_or_none(graph: StateGraph) -> Edges | None:
    """Return the number of moves on the longest path from row 0 to each row, or None if there is a cycle.
    Kahn's algorithm removes each row as soon as no remaining edge leads to it."""
    count = len(graph.cells)
    waiting = np.bincount(graph.edges[:, 2], minlength=count).tolist()
    depth, ready, done = [0] * count, [row for row, n in enumerate(waiting) if not n], 0
    while ready:
        row = ready.pop()
        done += 1
        for _, to in graph.list_actions_and_successors_of_state(row):
            depth[to] = max(depth[to], depth[row] + 1)
            waiting[to] -= 1
            if not waiting[to]:
                ready.append(to)
    return np.array(depth) if done == count else None


# -- distances -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StateDistance(Subject):
    """Of the states that meet the event, the one nearest to the start (if `far`, the farthest one) is `number`
    decisions away by the shortest way."""

    kind: ClassVar[str] = "away"
    event: Event
    far: bool
    number: int

    def format_true_or_false_sentence(self, is_true: bool) -> str:
        """Say how far away it is."""
        which = "farthest" if self.far else "nearest"
        decisions = "1 decision" if self.number == 1 else f"{self.number:,} decisions"
        return f"{'' if is_true else 'not '}{decisions} to the {which} state with: {self.event.format_subject_words()}"

    def decide_question_if_about_it(self, game: Game, question: Question, context: Context) -> Decision | None:
        """Return how far the state is that the question asks about."""
        if question.ask != "distance":
            return None
        [(which, of)] = question.of.items()
        wanted = (target_spec_to_event(of, question.within).key, which == "farthest")
        return Decision(self.number) if (self.event.key, self.far) == wanted else None


@dataclass(frozen=True)
class DistanceCertificate(EnumerationCertificate):
    """Of the `states` that games come to, the nearest (if `far`, the farthest) one that meets the event is `number`
    decisions away."""

    kind: ClassVar[str] = "distance"
    event: Event
    far: bool
    states: int
    number: int

    def build_proved_statement(self) -> Statement:
        """State how far the state is."""
        return Statement(StateDistance(self.event, self.far, self.number))

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Go through the layers. Raises NotShown."""
        if self.number < 0:  # so `count_states_and_get_distance_or_minus_1` says that no state meets the event
            raise NotShown("a distance is no negative number")
        if count_states_and_get_distance_or_minus_1(game, self.event, self.far, self.states, context) != (
            self.states,
            self.number,
        ):
            raise NotShown(f"{self.states:,} states and {self.number:,} decisions are not what there is")


def count_states_and_get_distance_or_minus_1(
    game: Game, event: Event, farthest: bool, max_states: int, context: Context
) -> tuple[int, int]:
    """Return how many states there are, and how many decisions the nearest or the farthest one that meets the event is
    away, -1 if none does. Raises NotShown if there are more than `most`, or if the rules break."""
    target = event.build_condition_and_actions(game)
    if target.idents is not None:
        raise NotShown("the way leads to a state, not to an action")
    graph = enumerate_game_states_cached(game, max_states, context, keep_moves=False)
    rows = np.flatnonzero(graph.evaluate_condition_in_each_state(game, target.condition))
    if not len(rows):
        return len(graph.cells), -1
    return len(graph.cells), int(np.searchsorted(graph.layers, rows[-1 if farthest else 0], side="right"))
