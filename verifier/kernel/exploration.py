"""Explorations: a set of states that is closed under all steps, enumerated by the interpreter or in
columns.

The file does not hold the set. The check enumerates it again, state by state, until no new state
appears. With a `number` that no step lowers (the round), states in which it is greater than `most`
are kept but not followed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from playproof.language import Action, Interpreter, Term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import Certificate, NotShown, convert_rules_errors
from playproof.verifier.kernel.columns import ColumnReading
from playproof.verifier.kernel.context import Context, Cut
from playproof.verifier.kernel.deciding import Decision
from playproof.verifier.kernel.laws import (
    does_decision_break_law,
    does_start_break_law,
    is_wanted_decision_refused,
    read_law,
)
from playproof.verifier.kernel.look_alikes import (
    check_nothing_told,
    check_secret_never_differs,
    parse_secret as read_secret,
)
from playproof.verifier.kernel.reading import Reading
from playproof.verifier.kernel.solving import check_unsat
from playproof.verifier.kernel.statements import (
    BOUNDS,
    NO_DEAD_END,
    PHASES_END,
    PROPERTIES,
    Event,
    Law,
    Length,
    Property,
    Secrecy,
    SecretDiffers,
    Statement,
    Subject,
)
from playproof.verifier.kernel.strict import Json, to_json
from playproof.verifier.questions.claims import Question, Target, TargetReader
from playproof.verifier.questions.laws import Law as StepLaw

FEW_STATES = 20_000
"""The interpreter enumerates up to this many states; more are read in columns."""
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

    def list_moves(self, row: int) -> list[tuple[int, int]]:
        """Return the moves from a state, as pairs (action, state)."""
        some = self.edges[self.first[row] : self.first[row + 1], 1:]
        return [(ident, to) for ident, to in some.tolist()]

    def list_legal_actions(self, row: int) -> list[int]:
        """Return the actions that lead from a state."""
        return [ident for ident, _ in self.list_moves(row)]

    def evaluate_condition(self, game: Game, condition: Term) -> npt.NDArray[np.bool_]:
        """Return for each state whether a condition holds in it."""
        return np.not_equal(_make_reader(game, self.few, [condition]).evaluate_term(condition, self.cells), 0)

    def list_actors(self, game: Game) -> Edges:
        """Return who acts in each state; entries for states in which the game is over have no
        meaning."""
        return list_acting_seats(game, _make_reader(game, self.few), self.cells)

    def compute_edge_weights(self, game: Game, reader: RowReader | ColumnReading | None = None) -> Edges:
        """Return the weight of each edge, as a reader reads it."""
        weights, by = np.ones(len(self.edges), dtype=np.int64), reader or _make_reader(game, self.few)
        for ident in np.unique(self.edges[:, 1]).tolist():
            mine = np.flatnonzero(self.edges[:, 1] == ident)
            weights[mine] = by.evaluate_weights(
                game.get_action_of_ident(ident), ident, self.cells[self.edges[mine, 0]]
            )
        return weights


class RowReader:
    """Reads states one by one with the interpreter; `ColumnReading` reads them together. Its numbers are
    those of Python, which have no greatest."""

    def __init__(self, game: Game) -> None:
        self.play = Interpreter(game)

    def evaluate_term(self, term: Term, cells: Edges) -> Edges:
        """Return a term's value in each of the states (rows x cells)."""
        return np.array([self.play.value(term, state) for state in cells.tolist()], dtype=np.object_)

    def evaluate_weights(self, _: Action, ident: int, cells: Edges) -> Edges:
        """Return an action's weight in each of the states."""
        return np.array([self.play.weight(state, ident) for state in cells.tolist()])

    def iter_legal_steps(self, cells: Edges) -> Iterator[Steps]:
        """Yield each legal action of each state, with the state's row and its successor."""
        for row, state in enumerate(cells.tolist()):
            for ident in self.play.legal(state):
                yield np.array([row]), ident, np.array([self.play.apply(state, ident)], dtype=np.object_)


def list_acting_seats(game: Game, reader: RowReader | ColumnReading, cells: Edges) -> Edges:
    """Return who acts in each state; entries for states in which the game is over have no meaning."""
    actors = np.zeros(len(cells), dtype=np.int64)
    for phase in game.phases:
        rows = np.flatnonzero((cells[:, 0] == phase.number) & (cells[:, 1] == 0))
        if len(rows):
            actors[rows] = reader.evaluate_term(phase.actor, cells[rows])
    return actors


class MoveFilter(Protocol):
    """Leaves moves out, as a player does who follows a strategy. `terms` are those that it reads."""

    @property
    def terms(self) -> Sequence[Term]:
        """Return every term that the choice reads."""

    def filter_moves(
        self, reader: RowReader | ColumnReading, cells: Edges, moves: Iterator[Steps]
    ) -> Iterator[Steps]:
        """Yield the moves from these states that are left."""


def _make_reader(game: Game, few: bool, extra: Sequence[Term] = ()) -> RowReader | ColumnReading:
    return RowReader(game) if few else ColumnReading(game, extra)


def explore_game(game: Game, max_states: int, context: Context, cut: Cut = _ALL) -> StateGraph:
    """Return all states from the start: by the interpreter if at most FEW_STATES are allowed, else in
    columns. Raises NotShown if there are more than allowed, or if the rules break."""
    few = max_states <= FEW_STATES

    def made() -> StateGraph:
        number = TargetReader(game).number_to_term(cut[0]) if cut[0] else None
        if number is not None:
            check_never_falls(game, number, context)
        limit = cut[1] if number is None else min(max(cut[1], number.lo - 1), number.hi)
        return enumerate_states(game, few, min(max_states, MOST_STATES), number, limit)

    graph = context.build_once(game, ("states", cut, few), made)
    if len(graph.cells) > max_states:
        raise NotShown(f"there are {len(graph.cells):,} states, the evidence speaks of {max_states:,}")
    return graph


def enumerate_states(
    game: Game,
    few: bool,
    max_states: int,
    number: Term | None = None,
    limit: int = 0,
    move_filter: MoveFilter | None = None,
    *,
    start: Sequence[int] | None = None,
    keep_moves: bool = True,
) -> StateGraph:
    """Enumerate all states and moves from a start. States in which the number is greater than `limit` stay open.
    `choice` leaves moves out. Without `moves` only the states are kept, so that more fit. Raises NotShown if there are
    more than `most`, or if the rules break."""
    terms = [*([] if number is None else [number]), *([] if move_filter is None else move_filter.terms)]
    reader = _make_reader(game, few, terms)

    def steps(cells: Edges) -> Iterator[Steps]:
        live = np.flatnonzero(cells[:, 1] == 0)
        if number is not None:
            live = live[(reader.evaluate_term(number, cells[live]) <= limit).astype(np.bool_)]
        taken = reader.iter_legal_steps(cells[live])
        for here, ident, after in (
            taken if move_filter is None else move_filter.filter_moves(reader, cells[live], taken)
        ):
            yield live[here], ident, after

    with convert_rules_errors():
        first = Interpreter(game).start() if start is None else start
        graph = enumerate_closure(
            np.array([first], dtype=get_smallest_integer_type(game)),
            steps,
            max_states,
            few=few,
            keep_moves=keep_moves,
        )
        if number is not None:
            graph.open[:] = reader.evaluate_term(number, graph.cells) > limit
    return graph


def enumerate_closure(
    start: Edges,
    steps: Callable[[Edges], Iterator[Steps]],
    max_states: int,
    *,
    few: bool = False,
    keep_moves: bool = True,
) -> StateGraph:
    """Return the states that steps lead to from the first one, layer by layer and block by block. Raises NotShown if
    there are more than `most`."""
    rows, blocks, layer, done = {get_state_keys(start)[0]: 0}, [start], start, 0
    edges, layers = [np.zeros((0, 3), dtype=np.int64)], list[int]()
    while len(layer):
        layers.append(len(rows))
        fresh: list[Edges] = [layer[:0]]
        for cells in (layer[at : at + _AT_ONCE] for at in range(0, len(layer), _AT_ONCE)):
            for here, ident, after in steps(cells):
                to, new = number_states(rows, after.astype(start.dtype))
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
    return StateGraph(np.concatenate(blocks), made, np.zeros(done, dtype=np.bool_), few, np.array(layers))


def enumerate_without_moves(game: Game, max_states: int, context: Context) -> StateGraph:
    """Return all states without their moves, so that more fit. Raises NotShown if there are more than `most`, or if
    the rules break."""
    few = max_states <= FEW_STATES

    def made() -> StateGraph:
        return enumerate_states(game, few, min(max_states, MOST_COUNTED), keep_moves=False)

    return context.build_once(game, ("layers", few), made)


def get_smallest_integer_type(game: Game) -> type[np.generic]:
    """Return the smallest integer type that holds every cell, to save memory; plain objects if none
    does."""
    most = max(max(abs(f.lo), abs(f.hi)) for f in game.fields)
    kinds = (np.int8, np.int16, np.int32, np.int64)
    return next((kind for kind in kinds if most <= np.iinfo(kind).max), np.object_)


def get_state_keys(states: Edges) -> list[Hashable]:
    """Return a key for each state. The bytes of plain objects are only where they lie."""
    if states.dtype == np.object_:
        return [tuple(state) for state in states.tolist()]
    text, width = states.tobytes(), states.shape[1] * states.itemsize
    return [text[n * width : (n + 1) * width] for n in range(len(states))]


def number_states(rows: dict[Hashable, int], states: Edges) -> tuple[Edges, Edges]:
    """Return the numbers of states, and the states that are new; `rows` takes up the new ones."""
    new, numbers = [], np.empty(len(states), dtype=np.int64)
    for n, key in enumerate(get_state_keys(states)):
        if key not in rows:
            rows[key] = len(rows)
            new.append(n)
        numbers[n] = rows[key]
    return numbers, states[new]


def check_never_falls(game: Game, number: Term, context: Context) -> None:
    """Check with Z3 that no small step lowers the number. Raises NotShown."""
    reading = Reading(game, True, [number])
    cells = reading.make_state()
    for what in reading.iter_step_kinds():
        step = reading.build_step(what, cells, reading.make_parameters(what))
        falls = reading.compare(
            "<", reading.read_number(number, step.after, {}), reading.read_number(number, cells, {})
        )
        if falls is not False:
            message = f"`{step.name}` may lower the number"
            check_unsat([reading.build_bounds_formula(cells), step.sound, falls], True, message, context)


def check_excluded_beyond(game: Game, target: Target, number: Term, limit: int, context: Context) -> None:
    """Check with Z3 that the target does not hold where the number is greater than `most`. Raises
    NotShown."""
    reading = Reading(game, True, [number, target.condition])
    cells = reading.make_state()
    beyond = reading.compare("<", limit, reading.read_number(number, cells, {}))
    met_there = [reading.build_bounds_formula(cells), beyond, reading.read_truth(target.condition, cells, {})]
    check_unsat(met_there, True, f"it may be met where the number is more than {limit}", context)


class Enumeration(Certificate):
    """What is shown by going through all states, of which there are `states`."""

    states: int

    def describe_trusted_parts(self) -> str:
        """Return what enumerates the states: the interpreter for few, the vector reading for many."""
        return VECTORS if self.states > FEW_STATES else self.rests


@dataclass(frozen=True)
class Exploration(Enumeration):
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

    def describe_trusted_parts(self) -> str:
        """Return what enumerates the states, and Z3 if a number limits them."""
        return (
            f"{self.describe_reader()}, and Z3 for the states beyond"
            if self.number
            else self.describe_reader()
        )

    def describe_reader(self) -> str:
        """Return what enumerates the states."""
        return super().describe_trusted_parts()

    def statement(self) -> Statement:
        """State that the event never happens, that the property, the length, the law or the secret is
        kept, or that no two states are apart."""
        return Statement(self.about, not isinstance(self.about, Event | SecretDiffers))

    def check(self, game: Game, context: Context) -> None:
        """Enumerate the states and look at each. Raises NotShown, also where the rules break."""
        if (self.number and not isinstance(self.about, Event)) or (self.most and not self.number):
            raise NotShown("only what is said of an event may be limited by a number")
        if not isinstance(self.about, Event | Property | Length | Law | Secrecy | SecretDiffers):
            raise NotShown("no exploration can show this")
        if self.states > MOST_STATES:
            raise NotShown(f"{self.states:,} states are more than the kernel goes through")
        graph = explore_game(game, self.states, context, (self.number, self.most))
        if len(graph.cells) != self.states:
            raise NotShown(f"there are {len(graph.cells):,} states, the evidence speaks of {self.states:,}")
        match self.about:
            case Event():
                target = self.about.build_target(game)
                _check_target_absent(game, graph, target)
                if self.number:
                    check_excluded_beyond(
                        game, target, TargetReader(game).number_to_term(self.number), self.most, context
                    )
            case Property(name=name):
                _check_property(graph, name)
            case Length(most=most):
                _check_length(graph, most)
            case Law(law=law):
                _check_law(Interpreter(game), graph, read_law(game, law))
            case Secrecy(of=of):
                _check_secret_untold(Interpreter(game), graph, of)
            case SecretDiffers(of=of):
                check_secret_never_differs(read_secret(game, of), graph.cells.tolist())


@dataclass(frozen=True)
class CompiledExploration(Exploration):
    """No reachable state meets the event, as an `Exploration` states it, if compiled code went through the
    states rightly. There are at most `states`, and more than the kernel goes through itself. The kernel does not
    contain this code: the caller lends it in the context, and the verdict says that it rests on it."""

    kind: ClassVar[str] = "compiled exploration"
    rests: ClassVar[str] = COMPILED

    def describe_reader(self) -> str:
        """Return what enumerates the states."""
        return self.rests

    def statement(self) -> Statement:
        """State that the event never happens, if the rules keep their bounds: compiled code does not look at them."""
        return replace(super().statement(), grounds=(BOUNDS, PHASES_END))

    def check(self, game: Game, context: Context) -> None:
        """Let compiled code go through the states. Raises NotShown."""
        if self.states <= MOST_STATES:
            raise NotShown(f"the kernel goes through {self.states:,} states itself")
        if context.compiled is None:
            raise NotShown(f"{self.states:,} states are more than the kernel goes through")
        if not isinstance(self.about, Event) or (self.most and not self.number):
            raise NotShown("compiled code looks for an event alone, and for no limit without a number")
        target = self.about.build_target(game)
        if self.number:
            check_never_falls(game, TargetReader(game).number_to_term(self.number), context)
            check_excluded_beyond(
                game, target, TargetReader(game).number_to_term(self.number), self.most, context
            )
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

    def answer_question(self, game: Game, question: Question, context: Context) -> Decision | None:
        """Return how many states meet the question's condition."""
        wanted = Event(to_json(question.of), to_json(question.within))
        return Decision(self.number) if question.ask == "count" and self.event.key == wanted.key else None


@dataclass(frozen=True)
class Count(Enumeration):
    """Of the `states` that games come to, `number` meet the event. The theorem and its premises are those of an
    exploration; the check counts."""

    kind: ClassVar[str] = "count"
    event: Event
    states: int
    number: int

    def statement(self) -> Statement:
        """State how many states meet the event."""
        return Statement(StateCount(self.event, self.number))

    def check(self, game: Game, context: Context) -> None:
        """Enumerate the states and count those that meet the event. Raises NotShown."""
        target = self.event.build_target(game)
        if target.idents is not None:
            raise NotShown("states are counted, not actions")
        graph = enumerate_without_moves(game, self.states, context)
        states, number = (
            len(graph.cells),
            int(np.count_nonzero(graph.evaluate_condition(game, target.condition))),
        )
        if (states, number) != (self.states, self.number):
            raise NotShown(
                f"{number:,} of {states:,} states meet it, the evidence speaks of {self.number:,} of "
                f"{self.states:,}"
            )


def _check_target_absent(game: Game, graph: StateGraph, target: Target) -> None:
    """Check that no state meets the target, and that none of its actions is taken where its condition holds. Open rows
    do not count. Raises NotShown."""
    meets = graph.evaluate_condition(game, target.condition) & ~graph.open
    if target.idents is not None:
        taken = graph.edges[np.isin(graph.edges[:, 1], sorted(target.idents)), 0]
        meets &= np.isin(np.arange(len(graph.cells)), taken)
    if meets.any():
        raise NotShown(f"it is met in state {np.argmax(meets)}")


def _check_length(graph: StateGraph, max_moves: int) -> None:
    """Check that no path has more than `most` moves. Raises NotShown."""
    longest = compute_longest_path(graph)
    if longest is None or longest > max_moves:
        raise NotShown("play can go in circles" if longest is None else f"a game has {longest} decisions")


def _check_property(graph: StateGraph, property_name: str) -> None:
    """Check that the rules keep a property in each state. The enumeration itself has failed at a
    broken bound or an endless phase. Raises NotShown."""
    if property_name not in PROPERTIES:
        raise NotShown("no exploration can show this")
    stuck = (graph.cells[:, 1] == 0) & (np.diff(graph.first) == 0)
    if property_name == NO_DEAD_END and stuck.any():
        raise NotShown("there is a dead end")


def _check_law(play: Interpreter, graph: StateGraph, rule: StepLaw) -> None:
    """Check that no decision breaks a law. Raises NotShown."""
    for row, state in enumerate(graph.cells.tolist()):
        if is_wanted_decision_refused(play, rule, state) or any(
            does_decision_break_law(play, rule, state, i) for i in graph.list_legal_actions(row)
        ):
            raise NotShown("a decision breaks the law")
    if does_start_break_law(play, rule):
        raise NotShown("the start breaks the law")


def _check_secret_untold(play: Interpreter, graph: StateGraph, secret_spec: Json) -> None:
    """Check that what a seat is sent does not tell the secret. Raises NotShown, also where the rules
    break."""
    with convert_rules_errors():
        check_nothing_told(
            play, read_secret(play.game, secret_spec), graph.cells.tolist(), graph.list_legal_actions
        )


def compute_longest_path(graph: StateGraph) -> int | None:
    """Return the number of moves on the longest path from row 0, or None if there is a cycle."""
    lengths = compute_depths(graph)
    return None if lengths is None else int(lengths.max())


def compute_depths(graph: StateGraph) -> Edges | None:
    """Return the number of moves on the longest path from row 0 to each row, or None if there is a cycle.
    Kahn's algorithm removes each row as soon as no remaining edge leads to it."""
    count = len(graph.cells)
    waiting = np.bincount(graph.edges[:, 2], minlength=count).tolist()
    depth, ready, done = [0] * count, [row for row, n in enumerate(waiting) if not n], 0
    while ready:
        row = ready.pop()
        done += 1
        for _, to in graph.list_moves(row):
            depth[to] = max(depth[to], depth[row] + 1)
            waiting[to] -= 1
            if not waiting[to]:
                ready.append(to)
    return np.array(depth) if done == count else None
