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
Bound = Fraction | int
"""A bound on a value. Whole ones are plain numbers, which compare much faster."""
_SCALE = 1 << 56  # bounds are multiples of 1 / _SCALE where they are not simple fractions
_SIMPLE = 1_000_000  # the greatest denominator of a simple fraction
_LONG = 96  # bits of a denominator, beyond which a fraction is rounded to the safe side
_DENSE = 1_500  # states in a part for which equations are solved; larger ones are swept
_SWEEPS, _PASSES, _IMPROVEMENTS = 20_000, 3_000, 200
_CLOSE, _SAME = 1e-13, 1e-11
ChosenEdges = dict[int, int | None]
"""The successor that the seeker chooses at each place from which it can leave; None where it does not choose there."""


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
class BestPlayBounds:
    """Bounds on the values of all places, `lower` <= value <= `upper`, and the ranks that go with
    `lower`."""

    lower: list[Fraction]
    upper: list[Fraction]
    ranks: list[int]


def compute_best_play_bounds(vertices: Sequence[Vertex]) -> BestPlayBounds:
    """Return bounds on the value of every place, as tight as the solver finds them."""
    solver = _BestPlaySolver(vertices)
    for part in iter_strong_components_successors_first(vertices):
        solver.set_bounds_and_ranks_of_component(part)
    return BestPlayBounds(list(map(Fraction, solver.lower)), list(map(Fraction, solver.upper)), solver.ranks)


def iter_strong_components_successors_first(vertices: Sequence[Vertex]) -> Iterator[list[int]]:
    """Yield the strongly connected parts, each after all parts that it leads to (Tarjan 1972,
    without recursion)."""
    index, low, on = [-1] * len(vertices), [0] * len(vertices), bytearray(len(vertices))
    stack: list[int] = []
    count = 0
    for root in range(len(vertices)):
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
            elif on[vertices[node].edges[edge - 1][0]]:
                low[node] = min(low[node], low[vertices[node].edges[edge - 1][0]])
            edges = vertices[node].edges
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
    lower: list[Bound] = field(init=False)
    upper: list[Bound] = field(init=False)
    ranks: list[int] = field(init=False)
    rank: int = 1

    def __post_init__(self) -> None:
        self.lower = [0] * len(self.places)
        self.upper = [1] * len(self.places)
        self.ranks = [0] * len(self.places)

    def set_bounds_and_ranks_of_component(self, component: Sequence[int]) -> None:
        """Compute bounds and ranks of one part. All parts that it leads to already have theirs."""
        node, place = component[0], self.places[component[0]]
        if place.worth is not None:
            self.lower[node] = self.upper[node] = place.worth
        elif len(component) == 1 and all(to != node for to, _ in place.edges):
            self.lower[node] = _shorten_fraction_on_safe_side(
                _compute_vertex_value_from_successors(place, self.lower), round_up=False
            )
            self.upper[node] = _shorten_fraction_on_safe_side(
                _compute_vertex_value_from_successors(place, self.upper), round_up=True
            )
            self.ranks[node] = self.rank
            self.rank += 1
        else:
            self._set_bounds_of_cyclic_component(component)

    # -- circles --------------------------------------------------------------------------------------------

    def _set_bounds_of_cyclic_component(self, component: Sequence[int]) -> None:
        values = _CyclicComponent(
            self.places, component, [float(x) for x in self._list_lower_bounds_of_exits(component)]
        ).compute_value_by_vertex()
        reached = self._rank_and_choose_edges_towards_exit(component, values)
        exact = self._try_to_set_simple_fractions_as_bounds(component, values, reached)
        if not exact:
            self._set_safe_lower_bounds(component, values, reached)
            self._set_safe_upper_bounds(component, values)

    def _list_lower_bounds_of_exits(self, component: Sequence[int]) -> list[Bound]:
        """Return lower bounds of all places that the part leads to, in the order of `_CyclicComponent`."""
        return [self.lower[to] for to in list_outside_vertices_component_leads_to(self.places, component)]

    def _rank_and_choose_edges_towards_exit(self, component: Sequence[int], values: dict[int, float]) -> ChosenEdges:
        """Rank the places from which the seeker leaves the part, or gets to a lower rank, whatever
        the others do. Return each of them with the edge that the seeker takes."""
        inside, way = set(component), ChosenEdges()
        waiting = sorted(inside)
        while True:
            of_this_rank: ChosenEdges = {}  # they count as a way down for the next rank, not for this one
            for node in waiting:
                down = [to for to, _ in self.places[node].edges if to in way or to not in inside]
                if self.places[node].chooses != "most":
                    if self._does_play_take_one_of_edges(node, down):
                        of_this_rank[node] = None
                    continue
                best = self._choose_edge_keeping_value_or_none(node, down, values)
                if best is not None:
                    of_this_rank[node] = best
            if not of_this_rank:
                return way
            for node in of_this_rank:
                self.ranks[node] = self.rank
            way |= of_this_rank
            self.rank += 1
            waiting = [node for node in waiting if node not in way]

    def _does_play_take_one_of_edges(self, vertex: int, successors: Sequence[int]) -> bool:
        """Return whether play takes one of these edges whatever the others do: with some chance, where chance
        acts; where the others act, if there are no more edges."""
        place = self.places[vertex]
        return bool(successors) if place.chooses == "mean" else len(successors) == len(place.edges)

    def _choose_edge_keeping_value_or_none(
        self, vertex: int, successors: Sequence[int], values: dict[int, float]
    ) -> int | None:
        """Return the best of these successors if it is worth as much as the place, and that is more than 0;
        or None."""
        good = [to for to in successors if self._get_estimate_or_lower_bound(to, values) >= values[vertex] - _SAME]
        if not good or values[vertex] <= 0:
            return None
        return max(good, key=lambda to: self._get_estimate_or_lower_bound(to, values))

    def _get_estimate_or_lower_bound(self, vertex: int, values: dict[int, float]) -> float:
        return values[vertex] if vertex in values else float(self.lower[vertex])

    def _try_to_set_simple_fractions_as_bounds(
        self, component: Sequence[int], values: dict[int, float], chosen_edges: ChosenEdges
    ) -> bool:
        """Return whether simple fractions near the values are fixed points; if so, set them as the
        bounds."""
        if any(
            self.lower[to] != self.upper[to] for to in list_outside_vertices_component_leads_to(self.places, component)
        ):
            return False
        guess = dict.fromkeys(component, Fraction(0))  # who has no way to the target gets 0
        for node in chosen_edges:
            guess[node] = Fraction(values[node]).limit_denominator(_SIMPLE)
        before = {node: (self.lower[node], self.upper[node]) for node in component}
        for node, value in guess.items():
            self.lower[node] = self.upper[node] = value
        if all(self._is_value_kept_by_best_play(node, value, chosen_edges) for node, value in guess.items()):
            return True
        for node, (low, high) in before.items():
            self.lower[node], self.upper[node] = low, high
        return False

    def _is_value_kept_by_best_play(self, vertex: int, value: Bound, chosen_edges: ChosenEdges) -> bool:
        """Return whether a step of best play keeps a value, and so does the seeker's own move."""
        return (
            _compute_vertex_value_from_successors(self.places[vertex], self.lower) == value
            and self._get_lower_bound_of_chosen_edge(vertex, chosen_edges) >= value
        )

    def _get_lower_bound_of_chosen_edge(self, vertex: int, chosen_edges: ChosenEdges) -> Bound:
        """Return the lower bound that the seeker's own edge gives."""
        if vertex not in chosen_edges:
            return Fraction(0)
        to = chosen_edges[vertex]
        return self.lower[vertex if to is None else to]

    def _set_safe_lower_bounds(
        self, component: Sequence[int], estimated_values: dict[int, float], chosen_edges: ChosenEdges
    ) -> None:
        """Set lower bounds: lower the values until no step of the seeker's own moves is worth less.
        Places without a rank get 0."""
        for node in component:
            self.lower[node] = Fraction(int(estimated_values[node] * _SCALE) if node in chosen_edges else 0, _SCALE)
        for _ in range(_PASSES):
            changed = False
            for node in sorted(chosen_edges, key=self.ranks.__getitem__):
                new = _shorten_fraction_on_safe_side(
                    self._compute_lower_bound_after_chosen_edge(node, chosen_edges), round_up=False
                )
                if new < self.lower[node]:
                    self.lower[node], changed = new, True
            if not changed:
                return
        for node in component:
            self.lower[node] = Fraction(0)

    def _compute_lower_bound_after_chosen_edge(self, vertex: int, chosen_edges: ChosenEdges) -> Bound:
        to = chosen_edges[vertex]
        return _compute_vertex_value_from_successors(self.places[vertex], self.lower) if to is None else self.lower[to]

    def _set_safe_upper_bounds(self, component: Sequence[int], estimated_values: dict[int, float]) -> None:
        """Set upper bounds: raise the values until no step of best play is worth more. If that does
        not end, the best way out bounds them all."""
        for node in component:
            self.upper[node] = min(
                Fraction(1),
                Fraction(int(estimated_values[node] * _SCALE) + 1 if estimated_values[node] > 0 else 0, _SCALE),
            )
        for _ in range(_PASSES):
            changed = False
            for node in component:
                new = _shorten_fraction_on_safe_side(
                    _compute_vertex_value_from_successors(self.places[node], self.upper), round_up=True
                )
                if new > self.upper[node]:
                    self.upper[node], changed = new, True
            if not changed:
                return
        best = max(
            (self.upper[to] for to in list_outside_vertices_component_leads_to(self.places, component)),
            default=Fraction(0),
        )
        for node in component:
            self.upper[node] = best


def list_outside_vertices_component_leads_to(vertices: Sequence[Vertex], component: Sequence[int]) -> list[int]:
    """Return the places outside a part that it leads to, ascending."""
    reached: set[int] = set()
    for node in component:
        reached.update(to for to, _ in vertices[node].edges)
    return sorted(reached - set(component))


def _compute_vertex_value_from_successors(vertex: Vertex, values: Sequence[Bound]) -> Bound:
    """Return the value of one step of best play from a place."""
    if vertex.worth is not None:
        return vertex.worth
    if vertex.chooses == "mean":
        total = sum(weight for _, weight in vertex.edges)
        return Fraction(sum(values[to] * weight for to, weight in vertex.edges), total)
    behind = [values[to] for to, _ in vertex.edges]
    return max(behind) if vertex.chooses == "most" else min(behind)


def _shorten_fraction_on_safe_side(value: Bound, round_up: bool) -> Bound:
    """Return the value, or one with a short denominator on its safe side."""
    if value.denominator.bit_length() <= _LONG:
        return value
    scaled = value.numerator * _SCALE
    return Fraction(-(-scaled // value.denominator) if round_up else scaled // value.denominator, _SCALE)


class _CyclicComponent:
    """One part with circles, in floats. The part's places come first in the numbering, then the
    places that they lead to outside."""

    def __init__(self, places: Sequence[Vertex], component: Sequence[int], outside: Sequence[float]) -> None:
        self.names = [*component, *list_outside_vertices_component_leads_to(places, component)]
        self.count = len(component)
        at = {name: i for i, name in enumerate(self.names)}
        self.chooses = [places[n].chooses for n in component]
        self.edges = [[(at[to], w) for to, w in places[n].edges] for n in component]
        self.value = np.array([0.0] * self.count + list(outside))

    def compute_value_by_vertex(self) -> dict[int, float]:
        """Return the value of each place of the part."""
        moves = self._map_vertices_to_moves_to_positive_value()
        alive = sorted(moves)
        if self.count > _DENSE:
            self._raise_values_from_zero_until_stable(alive)
        else:
            self._improve_moves_of_both_sides(alive, moves)
        return {self.names[i]: min(1.0, max(0.0, float(self.value[i]))) for i in range(self.count)}

    def _map_vertices_to_moves_to_positive_value(self) -> dict[int, int]:
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

    def _improve_moves_of_both_sides(self, vertices: Sequence[int], moves: dict[int, int]) -> None:
        """Improve the others' moves, then the seeker's, until neither side can improve."""
        for _ in range(_IMPROVEMENTS):
            for _ in range(_IMPROVEMENTS):
                self._compute_values_under_moves(vertices, moves)
                if not self._improve_moves_and_tell_if_any_changed(vertices, moves, "least"):
                    break
            if not self._improve_moves_and_tell_if_any_changed(vertices, moves, "most"):
                return

    def _improve_moves_and_tell_if_any_changed(
        self, vertices: Sequence[int], moves: dict[int, int], max_or_min_side: str
    ) -> bool:
        changed, sign = False, 1 if max_or_min_side == "most" else -1
        for i in vertices:
            if self.chooses[i] == max_or_min_side:
                best = max((to for to, _ in self.edges[i]), key=lambda to: sign * self.value[to])
                if sign * (self.value[best] - self.value[moves[i]]) > _CLOSE:
                    moves[i], changed = best, True
        return changed

    def _compute_values_under_moves(self, vertices: Sequence[int], moves: dict[int, int]) -> None:
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
                self._raise_values_from_zero_until_stable(vertices)

    def _raise_values_from_zero_until_stable(self, vertices: Sequence[int]) -> None:
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
