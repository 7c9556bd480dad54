"""Explorations: a set of states that is closed under all steps, gone through by the interpreter.

The set is not in the file. It is made again, state by state, and is closed when nothing new is found. With a `number`
that no step lowers (the round), states beyond `most` are seen and not followed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar
from weakref import WeakKeyDictionary

from playproof.rules.language import Game, Interpreter, RulesError, Term
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.reading import Reading
from playproof.verifier.kernel.solving import refuse
from playproof.verifier.kernel.statements import BOUNDS, NO_DEAD_END, Ends, Event, Keeps, Never, Statement
from playproof.verifier.questions.targets import Target, Targets

MOST_STATES = 300_000
Cut = tuple[str, int]
"""A quantity and the value beyond which states are not followed; ("", 0) follows all."""
_ALL: Cut = ("", 0)


@dataclass(frozen=True)
class Graph:
    """States that a game comes to, and its moves between them: `moves[row]` are pairs (action, row). `open_rows` were
    not followed."""

    states: list[tuple[int, ...]]
    moves: list[list[tuple[int, int]]]
    open_rows: frozenset[int]


_SEEN: WeakKeyDictionary[Game, dict[Cut, Graph]] = WeakKeyDictionary()
"""Complete explorations of each game: claims of one game share them."""


def explored(game: Game, most_states: int, cut: Cut = _ALL) -> Graph:
    """All states from the start. Raises NotShown where there are more than allowed, or where the rules break."""
    known = _SEEN.setdefault(game, {})
    if cut not in known:
        known[cut] = _explored(game, min(most_states, MOST_STATES), cut)
    graph = known[cut]
    if len(graph.states) > most_states:
        raise NotShown(f"there are {len(graph.states):,} states, the evidence speaks of {most_states:,}")
    return graph


def _explored(game: Game, most_states: int, cut: Cut) -> Graph:
    play = Interpreter(game)
    number = Targets(game).number(cut[0]) if cut[0] else None
    if number is not None:
        never_falls(game, number)
    try:
        start = tuple(play.start())
        rows, states = {start: 0}, [start]
        moves: list[list[tuple[int, int]]] = []
        open_rows = set()
        for row, state in enumerate(states):  # the list grows while it is gone through
            moves.append([])
            if number is not None and play.value(number, state) > cut[1]:
                open_rows.add(row)
                continue
            for ident in play.legal(state):
                after = tuple(play.apply(state, ident))
                if after not in rows:
                    rows[after] = len(states)
                    states.append(after)
                moves[row].append((ident, rows[after]))
            if len(states) > most_states:
                raise NotShown(f"there are more than {most_states:,} states")
    except RulesError as error:
        raise NotShown(f"the rules break on the way: {error.message}") from None
    return Graph(states, moves, frozenset(open_rows))


def never_falls(game: Game, number: Term) -> None:
    """No small step lowers the number. Raises NotShown."""
    reading = Reading(game, True, [number])
    cells = reading.state()
    for what in reading.kinds():
        step = reading.step(what, cells, reading.params(what))
        falls = reading.compare("<", reading.number(number, step.after, {}), reading.number(number, cells, {}))
        if falls is not False:
            refuse([reading.typed(cells), step.sound, falls], True, f"`{step.name}` may lower the number")


@dataclass(frozen=True)
class Exploration(Certificate):
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
        graph, target = explored(game, self.states, (self.number, self.most if self.number else 0)), \
            self.event.target(game)
        row = met(game, graph, target)
        if row is not None:
            raise NotShown(f"it is met in state {row}")
        if self.number:
            self._not_beyond(game, target)

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
    play = Interpreter(game)
    for row, state in enumerate(graph.states):
        taken = target.idents is None or any(ident in target.idents for ident, _ in graph.moves[row])
        if row not in graph.open_rows and taken and play.value(target.condition, state):
            return row
    return None


@dataclass(frozen=True)
class SoundStates(Certificate):
    """Among all states no value leaves its bounds, or (`no dead end`) whoever is to act has a legal action."""

    kind: ClassVar[str] = "sound states"
    property: str
    states: int

    def statement(self) -> Statement:
        """The property is kept for ever."""
        return Keeps(self.property)

    def check(self, game: Game) -> None:
        """Explore: a broken bound stops the interpreter; then look at every state."""
        if self.property not in (BOUNDS, NO_DEAD_END):
            raise NotShown(f"expected {BOUNDS} or {NO_DEAD_END}, found {self.property[:40]!r}")
        graph = explored(game, self.states)
        stuck = any(not moves and not state[1] for state, moves in zip(graph.states, graph.moves, strict=True))
        if self.property == NO_DEAD_END and stuck:
            raise NotShown("there is a dead end")


@dataclass(frozen=True)
class LongestGame(Certificate):
    """On all states no game has more than `most` decisions."""

    kind: ClassVar[str] = "longest game"
    most: int
    states: int

    def statement(self) -> Statement:
        """Every game is over after so many decisions."""
        return Ends(self.most)

    def check(self, game: Game) -> None:
        """Explore, and measure the longest path."""
        longest = longest_path(explored(game, self.states).moves)
        if longest is None or longest > self.most:
            raise NotShown("play can go in circles" if longest is None else f"the longest game has {longest} decisions")


def longest_path(moves: Sequence[Sequence[tuple[int, int]]]) -> int | None:
    """Moves on the longest path from row 0, or None where there is a circle: rows are taken off as soon as nothing
    leads to them any more (Kahn's algorithm)."""
    waiting = [0] * len(moves)
    for some in moves:
        for _, to in some:
            waiting[to] += 1
    depth, ready, done = [0] * len(moves), [row for row, n in enumerate(waiting) if not n], 0
    while ready:
        row = ready.pop()
        done += 1
        for _, to in moves[row]:
            depth[to] = max(depth[to], depth[row] + 1)
            waiting[to] -= 1
            if not waiting[to]:
                ready.append(to)
    return max(depth) if done == len(moves) else None


__all__ = ["Cut", "Exploration", "Graph", "LongestGame", "SoundStates", "explored", "longest_path", "met",
           "never_falls"]
