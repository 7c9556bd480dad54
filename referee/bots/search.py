"""Monte-Carlo tree search that respects hidden information.

Information-set search with a single observer (Cowling, Powley, Whitehouse, "Information Set Monte Carlo Tree
Search", IEEE TCIAIG 2012): each iteration draws a world that looks like the true one to the searching seat and
walks one shared tree of actions with it, so that what differs between worlds is averaged and never seen. Chance is
drawn anew each time. The budget is in iterations, not in time, so that games replay.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, log, sqrt

from playproof.referee.bots.base import Position
from playproof.referee.engine import Engine, State
from playproof.rules.language import CHANCE
from playproof.rules.language.random import Stream

_EXPLORE = 0.9
_DEEPEST = 200


@dataclass(slots=True)
class Node:
    """What was tried after one sequence of actions: visits, chances to be visited, summed return of each seat."""

    seats: int
    visits: int = 0
    available: int = 0
    total: list[float] = field(default_factory=list)
    children: dict[int, Node] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.total = [0.0] * self.seats


class TreeSearch:
    """`iterations` worlds a decision; the most visited action is taken."""

    def __init__(self, iterations: int = 400) -> None:
        self.iterations = iterations
        self.name = f"mcts:{iterations}"

    def choose(self, position: Position, stream: Stream) -> int:
        """The action visited most often."""
        legal = position.legal
        if len(legal) == 1:
            return legal[0]
        root = self.search(position, stream)
        return max(legal, key=lambda i: root.children[i].visits if i in root.children else -1)

    def search(self, position: Position, stream: Stream) -> Node:
        """The tree after all iterations."""
        root = Node(position.engine.game.players)
        scale = _Scale()
        for _ in range(self.iterations):
            _iterate(position.engine, root, position.world(stream), scale, stream)
        return root


@dataclass(slots=True)
class _Scale:
    """The least and greatest return met so far: UCB wants means between 0 and 1."""

    low: float = inf
    high: float = -inf

    def note(self, values: list[int]) -> None:
        self.low, self.high = min(self.low, *values), max(self.high, *values)

    def fit(self, mean: float) -> float:
        return (mean - self.low) / (self.high - self.low) if self.high > self.low else 0.5


def _iterate(engine: Engine, root: Node, state: State, scale: _Scale, stream: Stream) -> None:
    node, path = root, [root]
    while not state[1] and len(path) < _DEEPEST:
        legal, weights = engine.weighted(state)
        if not legal:
            break
        actor = engine.actor(state)
        if actor == CHANCE:
            ident = legal[stream.weighted(weights)]
            fresh = ident not in node.children
        else:
            ident, fresh = _select(node, legal, actor, scale, stream)
        if fresh:
            node.children[ident] = Node(root.seats)
        node = node.children[ident]
        path.append(node)
        state = engine.apply(state, ident)
        if fresh and actor != CHANCE:
            break
    values = engine.rollout(state, stream.below(1 << 32))
    scale.note(values)
    for visited in path:
        visited.visits += 1
        for seat, value in enumerate(values):
            visited.total[seat] += value


def _select(node: Node, legal: list[int], actor: int, scale: _Scale, stream: Stream) -> tuple[int, bool]:
    """An untried action, else the one with the best upper bound among those legal in this world."""
    untried = [i for i in legal if i not in node.children]
    for ident in legal:
        if ident in node.children:
            node.children[ident].available += 1
    if untried:
        return untried[stream.below(len(untried))], True

    def bound(ident: int) -> float:
        child = node.children[ident]
        mean = scale.fit(child.total[actor] / child.visits)
        return mean + _EXPLORE * sqrt(log(max(child.available, 2)) / child.visits)

    return max(legal, key=bound), False
