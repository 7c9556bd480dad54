"""Explorations: a set of states that is closed under all steps, gone through by the interpreter or in columns.

The set is not in the file. It is made again, state by state, and is closed when nothing new is found. With a `number`
that no step lowers (the round), states beyond `most` are seen and not followed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from playproof.rules.language import Game, Interpreter, RulesError, Term
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.columns import Columns
from playproof.verifier.kernel.reading import Reading
from playproof.verifier.kernel.solving import refuse
from playproof.verifier.kernel.statements import NO_DEAD_END, PROPERTIES, Ends, Event, Keeps, Never, Statement
from playproof.verifier.questions.targets import Target, Targets

FEW_STATES = 20_000
"""As many states as the interpreter goes through; more are read in columns."""
MOST_STATES = 1_000_000
Cut = tuple[str, int]
"""A quantity and the value beyond which states are not followed; ("", 0) follows all."""
_ALL: Cut = ("", 0)
VECTORS = "the kernel's vector reading, which tests compare with the interpreter"
COMPILED = "compiled code, which went through the states: they are more than the kernel reads"
BEYOND: list[Callable[[Game, Target, Cut, int], str]] = []
"""Where states are more than that: who goes through them, and says why the target is not absent, or "". The kernel has
none of its own."""
_AT_ONCE = 20_000
Edges = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Graph:
    """States that a game comes to (`cells`: states x cells, the start first), and its moves between them: `edges` are
    rows (from, action, to), in the order of `from`. States that are `open` were not followed."""

    cells: Edges
    edges: Edges
    open: npt.NDArray[np.bool_]

    @property
    def few(self) -> bool:
        """Whether the interpreter is asked."""
        return len(self.cells) <= FEW_STATES

    @cached_property
    def first(self) -> Edges:
        """Where the edges of each state begin, and one more: where the last ones end."""
        return np.searchsorted(self.edges[:, 0], np.arange(len(self.cells) + 1))

    def moves(self, row: int) -> list[tuple[int, int]]:
        """The moves from a state: action, state."""
        some = self.edges[self.first[row]:self.first[row + 1], 1:]
        return [(ident, to) for ident, to in some.tolist()]

    def holds(self, game: Game, condition: Term) -> npt.NDArray[np.bool_]:
        """In which states a condition holds."""
        if self.few:
            play = Interpreter(game)
            return np.array([bool(play.value(condition, state)) for state in self.cells.tolist()])
        return np.not_equal(Columns(game, [condition]).values(condition, self.cells), 0)

    def actors(self, game: Game) -> Edges:
        """Who acts in each state; nothing is said of states in which the game is over."""
        if self.few:
            return np.array([0 if state[1] else Interpreter(game).actor(state) for state in self.cells.tolist()])
        found = np.zeros(len(self.cells), dtype=np.int64)
        for phase in game.phases:
            rows = np.flatnonzero((self.cells[:, 0] == phase.number) & (self.cells[:, 1] == 0))
            if len(rows):
                found[rows] = Columns(game).values(phase.actor, self.cells[rows])
        return found

    def weights(self, game: Game) -> Edges:
        """The weight of each edge."""
        if self.few:
            play, states = Interpreter(game), self.cells.tolist()
            return np.array([play.weight(states[row], ident) for row, ident, _ in self.edges.tolist()], dtype=np.int64)
        found, columns = np.ones(len(self.edges), dtype=np.int64), Columns(game)
        for ident in np.unique(self.edges[:, 1]).tolist():
            mine = np.flatnonzero(self.edges[:, 1] == ident)
            found[mine] = columns.weights(game.action_of(ident), ident, self.cells[self.edges[mine, 0]])
        return found


_SEEN: WeakKeyDictionary[Game, dict[tuple[Cut, bool], Graph]] = WeakKeyDictionary()
"""Complete explorations of each game, by the interpreter or not: claims of one game share them."""


def explored(game: Game, most_states: int, cut: Cut = _ALL) -> Graph:
    """All states from the start: by the interpreter where they are few, else in columns. Raises NotShown where there
    are more than allowed, or where the rules break."""
    known, few = _SEEN.setdefault(game, {}), most_states <= FEW_STATES
    if (cut, few) not in known:
        number = Targets(game).number(cut[0]) if cut[0] else None
        if number is not None:
            never_falls(game, number)
        how = _by_interpreter if few else _in_columns
        known[cut, few] = how(game, min(most_states, MOST_STATES), number, cut[1])
    graph = known[cut, few]
    if len(graph.cells) > most_states:
        raise NotShown(f"there are {len(graph.cells):,} states, the evidence speaks of {most_states:,}")
    return graph


def _by_interpreter(game: Game, most: int, number: Term | None, limit: int) -> Graph:
    play = Interpreter(game)
    try:
        start = tuple(play.start())
        rows, states = {start: 0}, [start]
        edges: list[tuple[int, int, int]] = []
        beyond = []
        for row, state in enumerate(states):  # the list grows while it is gone through
            beyond.append(number is not None and play.value(number, state) > limit)
            for ident in play.legal(state) if not beyond[-1] else ():
                after = tuple(play.apply(state, ident))
                if after not in rows:
                    rows[after] = len(states)
                    states.append(after)
                edges.append((row, ident, rows[after]))
            _few_enough(len(states), most)
    except RulesError as error:
        raise NotShown(f"the rules break on the way: {error.message}") from None
    return _graph(np.array(states, dtype=_narrow(game)), edges, np.array(beyond))


def _in_columns(game: Game, most: int, number: Term | None, limit: int) -> Graph:
    columns = Columns(game, [number] if number is not None else [])
    try:
        start = np.array([Interpreter(game).start()], dtype=_narrow(game))
    except RulesError as error:
        raise NotShown(f"the rules break on the way: {error.message}") from None
    rows, blocks, todo, done = {start.tobytes(): 0}, [start], start, 0
    edges: list[Edges] = []
    beyond: list[npt.NDArray[np.bool_]] = []
    while len(todo):
        cells, fresh = todo[:_AT_ONCE], list[Edges]()
        over = np.zeros(len(cells), dtype=np.bool_)
        if number is not None:
            over = columns.values(number, cells) > limit
        beyond.append(over)
        for here, ident, after in _steps(columns, cells, np.flatnonzero(~over & (cells[:, 1] == 0))):
            to, new = _numbered(rows, after.astype(start.dtype))
            fresh.append(new)
            edges.append(np.stack([here + done, np.full(len(here), ident), to], axis=1))
            _few_enough(len(rows), most)
        done += len(cells)
        blocks += fresh
        todo = np.concatenate([todo[_AT_ONCE:], *fresh])
    return _graph(np.concatenate(blocks), edges, np.concatenate(beyond))


def _narrow(game: Game) -> type[np.signedinteger[Any]]:
    """The least kind of number that holds every cell: a million states take room."""
    most = max(max(abs(f.lo), abs(f.hi)) for f in game.fields)
    return next((kind for kind in (np.int8, np.int16, np.int32) if most <= np.iinfo(kind).max), np.int64)


def _steps(columns: Columns, cells: Edges, live: Edges) -> Iterator[tuple[Edges, int, Edges]]:
    """Each ground action with the rows in which it is legal and the states behind it."""
    for phase in columns.game.phases:
        rows = live[cells[live, 0] == phase.number]
        state = columns.columns(cells[rows])
        for action in phase.actions if len(rows) else ():
            for ident in range(action.first, action.first + action.count):
                here = rows[columns.legal(action, ident, state)]
                if len(here):
                    yield here, ident, columns.applied(action, ident, cells[here])


def _numbered(rows: dict[bytes, int], states: Edges) -> tuple[Edges, Edges]:
    """The numbers of states, and those that are new."""
    text, width, new = states.tobytes(), states.shape[1] * states.itemsize, []
    numbers = np.empty(len(states), dtype=np.int64)
    for n in range(len(states)):
        key = text[n * width:(n + 1) * width]
        if key not in rows:
            rows[key] = len(rows)
            new.append(n)
        numbers[n] = rows[key]
    return numbers, states[new]


def _few_enough(count: int, most: int) -> None:
    if count > most:
        raise NotShown(f"there are more than {most:,} states")


def _graph(cells: Edges, edges: Sequence[Any], beyond: npt.NDArray[np.bool_]) -> Graph:
    made = np.concatenate([np.asarray(e, dtype=np.int64).reshape(-1, 3) for e in edges]) if edges else \
        np.zeros((0, 3), dtype=np.int64)
    return Graph(cells, made[np.argsort(made[:, 0], kind="stable")], beyond)


def never_falls(game: Game, number: Term) -> None:
    """No small step lowers the number. Raises NotShown."""
    reading = Reading(game, True, [number])
    cells = reading.state()
    for what in reading.kinds():
        step = reading.step(what, cells, reading.params(what))
        falls = reading.compare("<", reading.number(number, step.after, {}), reading.number(number, cells, {}))
        if falls is not False:
            refuse([reading.typed(cells), step.sound, falls], True, f"`{step.name}` may lower the number")


class Explored(Certificate, abstract=True):
    """What rests on going through `states` states."""

    states: int

    def leans_on(self) -> str:
        """The interpreter goes through few states, the vector reading through many, compiled code through more."""
        if self.states > MOST_STATES:
            return COMPILED
        return self.rests if self.states <= FEW_STATES else VECTORS


@dataclass(frozen=True)
class Exploration(Explored):
    """The event is in none of the states: not in all `states` of them, or (with a `number`) in none of those up to
    `most`, beyond which the event cannot be, as its own condition says."""

    kind: ClassVar[str] = "exploration"
    event: Event
    states: int
    number: str
    most: int

    def statement(self) -> Statement:
        """The event never happens."""
        return Never(self.event)

    def check(self, game: Game) -> None:
        """Explore, and look for the event in every state."""
        target, cut = self.event.target(game), (self.number, self.most if self.number else 0)
        if self.states > MOST_STATES:
            self._by_compiled_code(game, target, cut)
        else:
            row = met(game, explored(game, self.states, cut), target)
            if row is not None:
                raise NotShown(f"it is met in state {row}")
        if self.number:
            self._not_beyond(game, target)

    def _by_compiled_code(self, game: Game, target: Target, cut: Cut) -> None:
        """What the kernel itself does not go through is left to whoever asks it, and the verdict says so."""
        if not BEYOND:
            raise NotShown(f"{self.states:,} states are more than the kernel goes through")
        if cut[0]:
            never_falls(game, Targets(game).number(cut[0]))
        fault = BEYOND[0](game, target, cut, self.states)
        if fault:
            raise NotShown(fault)

    def _not_beyond(self, game: Game, target: Target) -> None:
        """Where the number is greater than `most` the target does not hold."""
        number = Targets(game).number(self.number)
        reading = Reading(game, True, [number, target.condition])
        cells = reading.state()
        beyond = reading.compare("<", self.most, reading.number(number, cells, {}))
        refuse([reading.typed(cells), beyond, reading.truth(target.condition, cells, {})], True,
               f"it may be met where {self.number} is more than {self.most}")


def met(game: Game, graph: Graph, target: Target) -> int | None:
    """The first row in which a target is met, or from which its action is taken; rows left open are not looked at."""
    found = graph.holds(game, target.condition) & ~graph.open
    if target.idents is not None:
        taken = graph.edges[np.isin(graph.edges[:, 1], sorted(target.idents)), 0]
        found &= np.isin(np.arange(len(graph.cells)), taken)
    return int(np.argmax(found)) if found.any() else None


@dataclass(frozen=True)
class SoundStates(Explored):
    """All states are there: no value leaves its bounds, automatic phases end, and (`no dead end`) whoever is to act has
    a legal action."""

    kind: ClassVar[str] = "sound states"
    property: str
    states: int

    def statement(self) -> Statement:
        """The property is kept for ever."""
        return Keeps(self.property)

    def check(self, game: Game) -> None:
        """Explore: a broken bound and an endless phase stop the interpreter; then look at every state."""
        if self.property not in PROPERTIES:
            raise NotShown(f"expected one of {', '.join(PROPERTIES)}, found {self.property[:40]!r}")
        graph = explored(game, self.states)
        stuck = (graph.cells[:, 1] == 0) & (np.diff(graph.first) == 0)
        if self.property == NO_DEAD_END and stuck.any():
            raise NotShown("there is a dead end")


@dataclass(frozen=True)
class LongestGame(Explored):
    """On all states no game has more than `most` decisions."""

    kind: ClassVar[str] = "longest game"
    most: int
    states: int

    def statement(self) -> Statement:
        """Every game is over after so many decisions."""
        return Ends(self.most)

    def check(self, game: Game) -> None:
        """Explore, and measure the longest path."""
        longest = longest_path(explored(game, self.states))
        if longest is None or longest > self.most:
            raise NotShown("play can go in circles" if longest is None else f"the longest game has {longest} decisions")


def longest_path(graph: Graph) -> int | None:
    """Moves on the longest path from row 0, or None where there is a circle: rows are taken off as soon as nothing
    leads to them any more (Kahn's algorithm)."""
    count = len(graph.cells)
    waiting = np.bincount(graph.edges[:, 2], minlength=count).tolist()
    depth, ready, done = [0] * count, [row for row, n in enumerate(waiting) if not n], 0
    while ready:
        row = ready.pop()
        done += 1
        for _, to in graph.moves(row):
            depth[to] = max(depth[to], depth[row] + 1)
            waiting[to] -= 1
            if not waiting[to]:
                ready.append(to)
    return max(depth) if done == count else None


__all__ = ["BEYOND", "COMPILED", "FEW_STATES", "MOST_STATES", "VECTORS", "Cut", "Exploration", "Graph", "LongestGame",
           "SoundStates", "explored", "longest_path", "met", "never_falls"]
