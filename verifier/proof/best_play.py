"""Best play by one seat against all others, where play may go on for ever: values and the
certificate for them.

A game's states fall into strongly connected parts. The solver starts at the last parts and carries
values back. In a part with circles, the seeker starts with moves that reach the target with some
chance whatever the others do. Where there are none, the others can keep play going for ever, and
the value is 0. Both sides then improve their moves in turn; each choice of moves is one system of
linear equations. Circles that nobody need leave ("end components") thus count as one place, worth
its best way out. Sources: Hoffman and Karp, "On nonterminating stochastic games", Management
Science 12, 1966; Hartmanns and Kaminski, "Optimistic value iteration", CAV 2020; Chatterjee and
others, "Fixed point certificates for reachability and expected rewards in MDPs", TACAS 2025.

The solver works in floats. It then rounds the values to fractions on the safe side, and the kernel
confirms them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType

import numpy as np

LUCK = MappingProxyType({"best": "most", "worst": "least", "mean": "mean"})
"""How an edge of chance counts under each kind of luck."""
WeightedEdge = tuple[int, int]
"""The number of a successor state, and its weight."""
_SCALE = 1 << 56  # bounds are multiples of 1 / _SCALE where they are not simple fractions
_SIMPLE = 1_000_000  # the greatest denominator of a simple fraction
_LONG = 96  # bits of a denominator, beyond which a fraction is rounded to the safe side
_DENSE = 1_500  # states in a part for which equations are solved; larger ones are swept
_SWEEPS, _PASSES, _IMPROVEMENTS = 20_000, 3_000, 200
_CLOSE, _SAME = 1e-13, 1e-11
_NOWHERE = -1


@dataclass(frozen=True)
class Vertex:
    """One state. `worth` is 1 at the event, 0 in any other end, and None if play goes on.

    `chooses` says how the edges count: "most" (the seeker acts, or chance at its best), "least", or
    "mean" (also in ends).
    """

    worth: int | None
    chooses: str
    edges: tuple[WeightedEdge, ...]


@dataclass(slots=True)
class Solution:
    """Bounds on the values of all places, `lower` <= value <= `upper`, and the ranks that go with
    `lower`."""

    lower: list[Fraction]
    upper: list[Fraction]
    ranks: list[int]


def solve_best_play(places: Sequence[Vertex]) -> Solution:
    """Return bounds on the value of every place, as tight as the solver finds them."""
    solver = _BestPlaySolver(places)
    for part in iter_strong_components(places):
        solver.solve_component(part)
    return Solution(solver.lower, solver.upper, solver.ranks)


def iter_strong_components(places: Sequence[Vertex]) -> Iterator[list[int]]:
    """Yield the strongly connected parts, each after all parts that it leads to (Tarjan 1972,
    without recursion)."""
    index, low, on = [-1] * len(places), [0] * len(places), bytearray(len(places))
    stack: list[int] = []
    count = 0
    for root in range(len(places)):
        if index[root] >= 0:
            continue
        work = [(root, 0)]
        while work:
            node, edge = work.pop()
            if edge == 0:
                index[node] = low[node] = count
                count += 1
                stack.append(node)
                on[node] = 1
            elif on[places[node].edges[edge - 1][0]]:
                low[node] = min(low[node], low[places[node].edges[edge - 1][0]])
            edges = places[node].edges
            while edge < len(edges) and index[edges[edge][0]] >= 0:
                if on[edges[edge][0]]:
                    low[node] = min(low[node], index[edges[edge][0]])
                edge += 1
            if edge < len(edges):
                work += [(node, edge + 1), (edges[edge][0], 0)]
            elif low[node] == index[node]:
                part = [stack.pop()]
                while part[-1] != node:
                    part.append(stack.pop())
                for member in part:
                    on[member] = 0
                yield part


@dataclass(slots=True)
class _BestPlaySolver:
    """Carries bounds back from the ends. A place that is not settled yet has the bounds 0 and 1."""

    places: Sequence[Vertex]
    lower: list[Fraction] = field(init=False)
    upper: list[Fraction] = field(init=False)
    ranks: list[int] = field(init=False)
    rank: int = 1

    def __post_init__(self) -> None:
        self.lower = [Fraction(0)] * len(self.places)
        self.upper = [Fraction(1)] * len(self.places)
        self.ranks = [0] * len(self.places)

    def solve_component(self, component: Sequence[int]) -> None:
        """Compute bounds and ranks of one part. All parts that it leads to already have theirs."""
        node, place = component[0], self.places[component[0]]
        if place.worth is not None:
            self.lower[node] = self.upper[node] = Fraction(place.worth)
        elif len(component) == 1 and all(to != node for to, _ in place.edges):
            self.lower[node] = _round_to_safe_side(_compute_step_value(place, self.lower), round_up=False)
            self.upper[node] = _round_to_safe_side(_compute_step_value(place, self.upper), round_up=True)
            self.ranks[node] = self.rank
            self.rank += 1
        else:
            self._solve_cyclic_component(component)

    # -- circles --------------------------------------------------------------------------------------------

    def _solve_cyclic_component(self, component: Sequence[int]) -> None:
        values = _CyclicComponent(
            self.places, component, [float(x) for x in self._list_exit_lower_bounds(component)]
        ).compute_values()
        reached = self._rank_vertices_by_exit(component, values)
        exact = self._try_simple_fractions(component, values, reached)
        if not exact:
            self._set_lower_bounds(component, values, reached)
            self._set_upper_bounds(component, values)

    def _list_exit_lower_bounds(self, component: Sequence[int]) -> list[Fraction]:
        """Return lower bounds of all places that the part leads to, in the order of `_CyclicComponent`."""
        return [self.lower[to] for to in list_exit_vertices(self.places, component)]

    def _rank_vertices_by_exit(self, component: Sequence[int], values: dict[int, float]) -> dict[int, int]:
        """Rank the places from which the seeker leaves the part, or gets to a lower rank, whatever
        the others do. Return each of them with the edge that the seeker takes (`_NOWHERE` if the
        seeker does not choose)."""
        inside, way = set(component), dict[int, int]()
        waiting = sorted(inside)
        while True:
            of_this_rank: dict[int, int] = {}  # they count as a way down for the next rank, not for this one
            for node in waiting:
                to = self._find_descending_edge(node, inside, way, values)
                if to is not None:
                    of_this_rank[node] = to
            if not of_this_rank:
                return way
            for node in of_this_rank:
                self.ranks[node] = self.rank
            way |= of_this_rank
            self.rank += 1
            waiting = [node for node in waiting if node not in way]

    def _find_descending_edge(
        self, node: int, component: set[int], chosen_edges: dict[int, int], values: dict[int, float]
    ) -> int | None:
        """Return the edge by which a place leaves the part or gets to a place that has a way, whatever
        the others do (`_NOWHERE` if the seeker does not choose there); or None."""
        place = self.places[node]
        down = [to for to, _ in place.edges if to in chosen_edges or to not in component]
        if place.chooses == "least":
            return _NOWHERE if len(down) == len(place.edges) else None
        if place.chooses == "mean":
            return _NOWHERE if down else None
        good = [to for to in down if self._estimate_value(to, values) >= values[node] - _SAME]
        if not good or values[node] <= 0:
            return None
        return max(good, key=lambda to: self._estimate_value(to, values))

    def _estimate_value(self, node: int, values: dict[int, float]) -> float:
        return values[node] if node in values else float(self.lower[node])

    def _try_simple_fractions(
        self, component: Sequence[int], values: dict[int, float], chosen_edges: dict[int, int]
    ) -> bool:
        """Return whether simple fractions near the values are fixed points; if so, set them as the
        bounds."""
        if any(self.lower[to] != self.upper[to] for to in list_exit_vertices(self.places, component)):
            return False
        guess = dict.fromkeys(component, Fraction(0))  # who has no way to the target gets 0
        for node in chosen_edges:
            guess[node] = Fraction(values[node]).limit_denominator(_SIMPLE)
        before = {node: (self.lower[node], self.upper[node]) for node in component}
        for node, value in guess.items():
            self.lower[node] = self.upper[node] = value
        if all(self._is_fixed_point(node, value, chosen_edges) for node, value in guess.items()):
            return True
        for node, (low, high) in before.items():
            self.lower[node], self.upper[node] = low, high
        return False

    def _is_fixed_point(self, node: int, value: Fraction, chosen_edges: dict[int, int]) -> bool:
        """Return whether a step of best play keeps a value, and so does the seeker's own move."""
        return (
            _compute_step_value(self.places[node], self.lower) == value
            and self._get_value_of_chosen_edge(node, chosen_edges) >= value
        )

    def _get_value_of_chosen_edge(self, node: int, chosen_edges: dict[int, int]) -> Fraction:
        """Return the lower bound that the seeker's own edge gives."""
        to = chosen_edges.get(node)
        if to is None:
            return Fraction(0)
        return self.lower[node] if to == _NOWHERE else self.lower[to]

    def _set_lower_bounds(
        self, component: Sequence[int], values: dict[int, float], chosen_edges: dict[int, int]
    ) -> None:
        """Set lower bounds: lower the values until no step of the seeker's own moves is worth less.
        Places without a rank get 0."""
        for node in component:
            self.lower[node] = Fraction(int(values[node] * _SCALE) if node in chosen_edges else 0, _SCALE)
        for _ in range(_PASSES):
            changed = False
            for node in sorted(chosen_edges, key=self.ranks.__getitem__):
                new = _round_to_safe_side(
                    self._compute_value_after_own_move(node, chosen_edges), round_up=False
                )
                if new < self.lower[node]:
                    self.lower[node], changed = new, True
            if not changed:
                return
        for node in component:
            self.lower[node] = Fraction(0)

    def _compute_value_after_own_move(self, node: int, chosen_edges: dict[int, int]) -> Fraction:
        return (
            _compute_step_value(self.places[node], self.lower)
            if chosen_edges[node] == _NOWHERE
            else self.lower[chosen_edges[node]]
        )

    def _set_upper_bounds(self, component: Sequence[int], values: dict[int, float]) -> None:
        """Set upper bounds: raise the values until no step of best play is worth more. If that does
        not end, the best way out bounds them all."""
        for node in component:
            self.upper[node] = min(
                Fraction(1), Fraction(int(values[node] * _SCALE) + 1 if values[node] > 0 else 0, _SCALE)
            )
        for _ in range(_PASSES):
            changed = False
            for node in component:
                new = _round_to_safe_side(_compute_step_value(self.places[node], self.upper), round_up=True)
                if new > self.upper[node]:
                    self.upper[node], changed = new, True
            if not changed:
                return
        best = max((self.upper[to] for to in list_exit_vertices(self.places, component)), default=Fraction(0))
        for node in component:
            self.upper[node] = best


def list_exit_vertices(places: Sequence[Vertex], component: Sequence[int]) -> list[int]:
    """Return the places outside a part that it leads to, ascending."""
    reached: set[int] = set()
    for node in component:
        reached.update(to for to, _ in places[node].edges)
    return sorted(reached - set(component))


def _compute_step_value(place: Vertex, values: Sequence[Fraction]) -> Fraction:
    """Return the value of one step of best play from a place."""
    if place.worth is not None:
        return Fraction(place.worth)
    if place.chooses == "mean":
        total = sum(weight for _, weight in place.edges)
        return sum((values[to] * weight for to, weight in place.edges), Fraction(0)) / total
    best = max if place.chooses == "most" else min
    return best(values[to] for to, _ in place.edges)


def _round_to_safe_side(value: Fraction, round_up: bool) -> Fraction:
    """Return the value, or one with a short denominator on its safe side."""
    if value.denominator.bit_length() <= _LONG:
        return value
    scaled = value.numerator * _SCALE
    return Fraction(-(-scaled // value.denominator) if round_up else scaled // value.denominator, _SCALE)


class _CyclicComponent:
    """One part with circles, in floats. The part's places come first in the numbering, then the
    places that they lead to outside."""

    def __init__(self, places: Sequence[Vertex], component: Sequence[int], outside: Sequence[float]) -> None:
        self.names = [*component, *list_exit_vertices(places, component)]
        self.count = len(component)
        at = {name: i for i, name in enumerate(self.names)}
        self.chooses = [places[n].chooses for n in component]
        self.edges = [[(at[to], w) for to, w in places[n].edges] for n in component]
        self.value = np.array([0.0] * self.count + list(outside))

    def compute_values(self) -> dict[int, float]:
        """Return the value of each place of the part."""
        moves = self._find_promising_moves()
        alive = sorted(moves)
        if self.count > _DENSE:
            self._iterate_values(alive)
        else:
            self._improve_moves_alternately(alive, moves)
        return {self.names[i]: min(1.0, max(0.0, float(self.value[i]))) for i in range(self.count)}

    def _find_promising_moves(self) -> dict[int, int]:
        """Return the places that reach something of positive value with some chance whatever the
        others do, each with an edge that leads there."""
        good = {i for i in range(self.count, len(self.names)) if self.value[i] > 0}
        moves: dict[int, int] = {}
        while True:
            new = {}
            for i in range(self.count):
                inside = [to for to, _ in self.edges[i] if to in good]
                wanted = len(self.edges[i]) if self.chooses[i] == "least" else 1
                if i not in moves and len(inside) >= wanted:
                    new[i] = inside[0]
            if not new:
                return moves
            moves |= new
            good |= new.keys()

    def _improve_moves_alternately(self, vertices: Sequence[int], moves: dict[int, int]) -> None:
        """Improve the others' moves, then the seeker's, until neither side can improve."""
        for _ in range(_IMPROVEMENTS):
            for _ in range(_IMPROVEMENTS):
                self._evaluate_moves(vertices, moves)
                if not self._improve_one_side(vertices, moves, "least"):
                    break
            if not self._improve_one_side(vertices, moves, "most"):
                return

    def _improve_one_side(self, vertices: Sequence[int], moves: dict[int, int], chooses: str) -> bool:
        changed, sign = False, 1 if chooses == "most" else -1
        for i in vertices:
            if self.chooses[i] == chooses:
                best = max((to for to, _ in self.edges[i]), key=lambda to: sign * self.value[to])
                if sign * (self.value[best] - self.value[moves[i]]) > _CLOSE:
                    moves[i], changed = best, True
        return changed

    def _evaluate_moves(self, vertices: Sequence[int], moves: dict[int, int]) -> None:
        """Compute the values if both sides keep to their moves."""
        row = {i: r for r, i in enumerate(vertices)}
        matrix, right = np.eye(len(vertices)), np.zeros(len(vertices))
        for i in vertices:
            edges = self.edges[i] if self.chooses[i] == "mean" else [(moves[i], 1)]
            total = sum(w for _, w in edges)
            for to, w in edges:
                if to in row:
                    matrix[row[i], row[to]] -= w / total
                else:
                    right[row[i]] += w / total * self.value[to]
        if vertices:
            try:
                self.value[vertices] = np.linalg.solve(matrix, right)
            except np.linalg.LinAlgError:
                self._iterate_values(vertices)

    def _iterate_values(self, vertices: Sequence[int]) -> None:
        """Raise values from 0 until a sweep changes nothing. The values come from below, so they
        are never too great."""
        self.value[list(vertices)] = 0.0
        for _ in range(_SWEEPS):
            change = 0.0
            for i in vertices:
                values = [self.value[to] for to, _ in self.edges[i]]
                if self.chooses[i] == "mean":
                    weights = [w for _, w in self.edges[i]]
                    new = sum(v * w for v, w in zip(values, weights, strict=True)) / sum(weights)
                else:
                    new = max(values) if self.chooses[i] == "most" else min(values)
                change = max(change, new - self.value[i])
                self.value[i] = new
            if change <= _CLOSE:
                return
