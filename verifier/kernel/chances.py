"""Chances as exact fractions: lower and upper bounds for every state, which one step of best play confirms;
and the values of states, computed layer by layer from the last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import groupby
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from playproof.language import CHANCE, Term
from playproof.language.expr import as_term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import Certificate, NotShown, require_partners_as_in_game
from playproof.verifier.kernel.context import Context, SideBounds
from playproof.verifier.kernel.exploration import FEW_STATES, VECTORS, Edges, StateGraph, enumerate_game_states_cached
from playproof.verifier.kernel.layers import Column, Layers, StateLayer, StatePacking
from playproof.verifier.kernel.statements import Event, EventChance, Statement
from playproof.verifier.kernel.strict_json import OMITTED

# -- chance --------------------------------------------------------------------------------------------------
# Chances as exact fractions: lower and upper bounds for every state, which one step of best play confirms.


@dataclass(frozen=True)
class ChanceBoundsCertificate(Certificate):
    """Bounds on the chance that `seat` and its `partners` bring about the event. `upper`, `lower` and `ranks` have
    one entry for each state; the bounds are indices into `values`. `start` is the number of the
    first state."""

    kind: ClassVar[str] = "chance"
    event: Event
    chance: str
    seat: int
    values: tuple[Fraction, ...]
    upper: tuple[int, ...]
    lower: tuple[int, ...]
    ranks: tuple[int, ...]
    start: int
    partners: tuple[int, ...] = field(default=(), kw_only=True, metadata=OMITTED)

    @property
    def bounds(self) -> tuple[Fraction, Fraction]:
        """The lower and the upper bound at the start."""
        return self.values[self.lower[self.start]], self.values[self.upper[self.start]]

    def describe_what_must_be_trusted(self) -> str:
        """Return the interpreter if there are few states, else the vector reading."""
        return self.rests if len(self.upper) <= FEW_STATES else VECTORS

    def build_proved_statement(self) -> Statement:
        """State that the chance lies between the two bounds of the start."""
        low, high = self.bounds if self._are_lists_consistent() else (Fraction(0), Fraction(1))
        return Statement(EventChance(self.event, self.chance, self.seat, low, high, partners=self.partners))

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Check that one step of best play keeps the bounds of every state. Raises NotShown."""
        target = self.event.build_condition_and_actions(game)
        if target.idents is not None:
            raise NotShown("chances are of conditions, not of actions")
        if self.chance not in LUCK or not 0 <= self.seat < game.players:
            raise NotShown(f"there is no luck `{self.chance[:40]}` for seat {self.seat}")
        require_partners_as_in_game(game, self.seat, self.partners)
        if not self._are_lists_consistent():
            raise NotShown("expected chances from 0 to 1, and for each state two of them and a rank")
        graph = enumerate_game_states_cached(game, len(self.upper), context)
        order = argsort_states_by_cells(graph.cells)
        if len(order) != len(self.upper) or order[self.start] != 0:
            raise NotShown(f"the game has {len(order):,} states, the evidence speaks of others")
        number = np.argsort(order)
        layer = put_all_states_in_one_layer(graph, game, target.condition)
        who = map_actors_to_max_min_or_mean(self.chance, (self.seat, *self.partners))
        self.require_bounds_kept_by_step(ValueStep(layer, who, LEAST), number)

    def require_bounds_kept_by_step(self, value_step: ValueStep, certificate_row_by_state: Edges) -> None:
        """Check that one step keeps the bounds of all states, whose numbers are given. Raises NotShown."""
        units, no_end = np.array(self.values, dtype=np.object_) * SCALE, np.zeros(1, dtype=np.object_)
        require_step_keeps_upper_bounds([value_step], (units[list(self.upper)][certificate_row_by_state], no_end))
        require_step_keeps_lower_bounds_with_ranks(
            [value_step],
            (units[list(self.lower)][certificate_row_by_state], no_end),
            np.array(self.ranks, dtype=np.object_)[certificate_row_by_state],
        )

    def _are_lists_consistent(self) -> bool:
        same_length = len(self.upper) == len(self.lower) == len(self.ranks)
        numbers = all(0 <= n < len(self.values) for n in (*self.upper, *self.lower))
        chances = all(0 <= value <= 1 for value in self.values)
        return same_length and numbers and chances and 0 <= self.start < len(self.upper)


def put_all_states_in_one_layer(graph: StateGraph, game: Game, event_condition: Term) -> StateLayer:
    """Return all states as one layer, in which no state is an end: those without a step are worth 0. Raises NotShown
    for a weight that is not above 0."""
    actors, weight = graph.list_actor_of_each_state(game), graph.compute_chance_weight_of_each_edge(game)
    weight[actors[graph.edges[:, 0]] != CHANCE] = 1
    if (weight <= 0).any() or (weight >= 1 << 31).any():
        raise NotShown("a result of chance has no weight, or too large a one")
    degree, to = np.diff(graph.first).astype(np.int32), graph.edges[:, 2].astype(np.int32)
    met = graph.evaluate_condition_in_each_state(game, event_condition).astype(np.bool_)
    return StateLayer(0, degree, to, weight.astype(np.int32), actors.astype(np.int8), met, 0)


def split_graph_into_live_layer_and_ends(graph: StateGraph, game: Game) -> Layers:
    """Return all states as one layer, in which play may come back to a state, with the states in which the game is over
    as its ends. Raises NotShown."""
    layer, over = put_all_states_in_one_layer(graph, game, as_term(0)), graph.cells[:, 1] != 0
    if over[0]:
        raise NotShown("the game is over before anybody acts")
    number = np.where(over, -1 - np.cumsum(over), np.cumsum(~over) - 1).astype(np.int32)
    degree, met = layer.degree[~over], layer.met[~over]  # ends have no edges; others' edges stay in order
    live = replace(layer, degree=degree, to=number[layer.to], actor=layer.actor[~over], met=met)
    ends = [StatePacking(game).pack_states_into_words(graph.cells[over].astype(np.int64))] if over.any() else []
    return Layers([live], ends, len(degree), int((degree == 0).sum()), circles=True)


def argsort_states_by_cells(state_rows: Edges) -> Edges:
    """Return the rows in the order of their cells; plain objects have no order of their own."""
    if state_rows.dtype == np.object_:
        return np.array(sorted(range(len(state_rows)), key=state_rows.tolist().__getitem__))
    return np.lexsort(state_rows.T[::-1])


# -- values layer by layer
# ------------------------------------------------------------------------------------------------
# Values of states, computed layer by layer from the last: chances of an event, and expected numbers at the
# end.

BEYOND = "a value is more than 1"
SCALE = 1 << 46
_HEAVIEST = 1 << 15  # the weights of one state together
MOST, LEAST, MEAN = 1, -1, 0
LUCK = MappingProxyType({"best": MOST, "worst": LEAST, "mean": MEAN})
"""How the edges of chance count under each kind of luck."""


def map_actors_to_max_min_or_mean(luck: str, seats_that_maximize: Sequence[int]) -> dict[int, int]:
    """Return how the edges of chance and of these seats, which want the event, count."""
    return {CHANCE: LUCK[luck], **dict.fromkeys(seats_that_maximize, MOST)}


class ValueStep:
    """One step of play from the states of a layer: their values from those of their successors."""

    def __init__(
        self, layer: StateLayer, who: Mapping[int, int], others: int, gain: int = 0, free: Sequence[int] = ()
    ) -> None:
        """`who` maps actors (-1 is chance) to MOST, LEAST or MEAN, and `others` is for all other actors. Each step adds
        `gain`, but those of the actors `free`."""
        self.layer, self.own = layer, slice(layer.base, layer.beyond)
        self.rows = np.flatnonzero(layer.degree)
        self.degree = layer.degree[self.rows].astype(np.int64)
        self.firsts = np.cumsum(self.degree) - self.degree
        self.how = np.full(len(self.rows), others, dtype=np.int8)
        for each, counts in who.items():
            self.how[layer.actor[self.rows] == each] = counts
        self.gain = np.where(np.isin(layer.actor[self.rows], list(free)), 0, gain)
        self.total = self.degree
        if layer.weight is not None and len(self.rows):
            self.total = np.where(self.how == MEAN, np.add.reduceat(self.get_weight_of_each_edge(), self.firsts), 1)

    def get_weight_of_each_edge(self) -> Column:
        """Return the weight of each edge."""
        if self.layer.weight is None:
            return np.ones(len(self.layer.to), dtype=np.int64)
        return self.layer.weight.astype(np.int64)

    def get_value_behind_each_edge(self, state_values: Column, end_values: Column) -> Column:
        """Return the value behind each edge. `state_values` are those of all states, `end_values` those of the ends."""
        behind = state_values[np.maximum(self.layer.to, 0)]
        over = np.flatnonzero(self.layer.to < 0)
        behind[over] = end_values[-1 - self.layer.to[over].astype(np.int64)]
        return behind

    def compute_values_after_one_step(self, state_values: Column, end_values: Column, round_up: bool) -> Column:
        """Return the values of the layer's states after one step, rounded up or down. Raises NotShown."""
        after = np.zeros(len(self.layer.degree), dtype=state_values.dtype)
        if len(self.rows):
            behind = self.get_value_behind_each_edge(state_values, end_values)
            chosen, mean = np.empty(len(self.rows), dtype=state_values.dtype), self.how == MEAN
            if not mean.all():
                chosen = take_max_or_min_over_edges_of_each_state(self.how, behind, self.firsts, np.maximum, np.minimum)
            if mean.any():
                chosen[mean] = compute_weighted_mean_of_edges_by_state(
                    behind, self.get_weight_of_each_edge(), self.total, self.firsts, round_up
                )[mean]
            after[self.rows] = chosen + self.gain
        after[self.layer.met] = SCALE  # whatever comes behind it
        return after


def take_max_or_min_over_edges_of_each_state(
    operator_by_state: npt.NDArray[np.int8],
    edge_values: npt.NDArray[Any],
    first_edge_by_state: Column,
    max_ufunc: np.ufunc,
    min_ufunc: np.ufunc,
) -> npt.NDArray[Any]:
    """Return `max_ufunc` of what lies behind the edges of each state, or `min_ufunc` of it where others choose."""
    chosen: npt.NDArray[Any] = max_ufunc.reduceat(edge_values, first_edge_by_state)
    others = operator_by_state == LEAST
    if others.any():
        chosen[others] = min_ufunc.reduceat(edge_values, first_edge_by_state)[others]
    return chosen


def compute_weighted_mean_of_edges_by_state(
    edge_values: Column, edge_weights: Column, weight_sum_by_state: Column, first_edge_by_state: Column, round_up: bool
) -> Column:
    """Return means of the values behind edges, rounded up or down, but fractions as they are; `first_edge_by_state` are
    the places where the edges of each state begin, and `weight_sum_by_state` is the sum of their weights. Raises
    NotShown."""
    sums = np.add.reduceat(edge_values * edge_weights, first_edge_by_state)
    if sums.dtype == np.object_:
        return np.asarray(sums / weight_sum_by_state)
    if weight_sum_by_state.max() > _HEAVIEST:
        raise NotShown(f"the weights of a state are more than {_HEAVIEST:,} together")
    return -(-sums // weight_sum_by_state) if round_up else sums // weight_sum_by_state


def group_layers_of_same_measure(layers: Layers) -> list[list[StateLayer]]:
    """Return the layers by their measures, in order."""
    return [list(of_one) for _, of_one in groupby(layers.layers, key=lambda layer: layer.block)]


def has_edge_inside_layer_group(layers_of_one_measure: Sequence[StateLayer]) -> bool:
    """Return whether an edge stays in its measure."""
    first, beyond = layers_of_one_measure[0].base, layers_of_one_measure[-1].beyond
    return any(((layer.to >= first) & (layer.to < beyond)).any() for layer in layers_of_one_measure)


def compute_lower_and_upper_state_values(
    layers: Layers,
    lower_and_upper_end_values: tuple[Column, Column],
    operator_by_actor: Mapping[int, int],
    other_operator: int,
    context: Context,
    *,
    is_endless_play_possible: bool,
    gain_per_step: int = 0,
    gainless_actors: Sequence[int] = (),
) -> tuple[Column, Column]:
    """Return the bounds of each state's value. `lower_and_upper_end_values` are the values of the ends, rounded down
    and up; `who` maps actors (-1 is chance) to MOST, LEAST or MEAN, and `others` is for all other actors. Endless play
    is worth 0, or (if `is_endless_play_possible`) any number from 0 to 1. Each step adds `gain_per_step`, but those of
    the actors `free`. Raises NotShown, also if a gain leads beyond 1."""
    for values in lower_and_upper_end_values:
        if not 0 <= values.min() <= values.max() <= SCALE:
            raise NotShown("a value is not from 0 to 1")
    if is_endless_play_possible and (
        gain_per_step or any(layer.met.any() or not layer.degree.all() for layer in layers.layers)
    ):
        raise NotShown("a state of an event, a dead end, or a gain is worth the same to both sides")
    lower, other = np.zeros(layers.states, dtype=np.int64), np.zeros(layers.states, dtype=np.int64)
    below, above = (
        (lower, lower_and_upper_end_values[0]),
        (other, SCALE - lower_and_upper_end_values[1] if is_endless_play_possible else lower_and_upper_end_values[1]),
    )
    against = {actor: -how for actor, how in operator_by_actor.items()}
    for block in reversed(group_layers_of_same_measure(layers)):
        steps = [ValueStep(layer, operator_by_actor, other_operator, gain_per_step, gainless_actors) for layer in block]
        circles = layers.circles and has_edge_inside_layer_group(block)
        if is_endless_play_possible:
            _fill_bounds_of_layer_group(steps, below, None, circles, context)
            _fill_bounds_of_layer_group(
                [ValueStep(layer, against, -other_operator) for layer in block], above, None, circles, context
            )
        else:
            _fill_bounds_of_layer_group(steps, below, above, circles, context)
        if other[block[0].base : block[-1].beyond].max() > SCALE:
            raise NotShown(BEYOND)
    return lower, SCALE - other if is_endless_play_possible else other


def _fill_bounds_of_layer_group(
    value_steps: Sequence[ValueStep],
    lower_bounds: SideBounds,
    upper_bounds: SideBounds | None,
    has_cycles: bool,
    context: Context,
) -> None:
    """Set the bounds of some layers' states from those behind them. Raises NotShown."""
    if not has_cycles:
        for step in value_steps:
            lower_bounds[0][step.own] = step.compute_values_after_one_step(*lower_bounds, round_up=False)
            if upper_bounds is not None:
                upper_bounds[0][step.own] = step.compute_values_after_one_step(*upper_bounds, round_up=True)
        return
    if context.propose is None:
        raise NotShown("play may come back to a state, and nobody proposes bounds")
    for step in value_steps:  # what proposes bounds may not change what they are held against
        for part in (*vars(step).values(), *vars(step.layer).values()):
            if isinstance(part, np.ndarray):
                part.flags.writeable = False
    seen = (
        _make_readonly_views_of_bounds(lower_bounds),
        None if upper_bounds is None else _make_readonly_views_of_bounds(upper_bounds),
    )
    lower, ranks, upper = context.propose(value_steps, *seen)
    _store_proposed_bounds_if_valid(value_steps, lower_bounds, lower)
    require_step_keeps_lower_bounds_with_ranks(value_steps, lower_bounds, ranks)
    if upper_bounds is not None:
        _store_proposed_bounds_if_valid(value_steps, upper_bounds, upper)
        require_step_keeps_upper_bounds(value_steps, upper_bounds)


def _make_readonly_views_of_bounds(bounds: SideBounds) -> SideBounds:
    """Return the same values, which nobody can change by it."""
    views = bounds[0].view(), bounds[1].view()
    for view in views:
        view.flags.writeable = False
    return views


def _store_proposed_bounds_if_valid(
    value_steps: Sequence[ValueStep], all_bounds: SideBounds, proposed_bounds: Column | None
) -> None:
    """Take bounds up among the values of all states. Raises NotShown if they are no such bounds."""
    own = slice(value_steps[0].own.start, value_steps[-1].own.stop)
    if proposed_bounds is None or proposed_bounds.shape != (own.stop - own.start,) or proposed_bounds.dtype != np.int64:
        raise NotShown("expected one bound for each state")
    if not 0 <= proposed_bounds.min() <= proposed_bounds.max() <= SCALE:
        raise NotShown("a bound is not from 0 to 1")
    all_bounds[0][own] = proposed_bounds


def require_step_keeps_upper_bounds(value_steps: Sequence[ValueStep], upper_bounds: SideBounds) -> None:
    """Check that the bounds of some layers' states are bounds from above (1). Raises NotShown."""
    if any(
        (step.compute_values_after_one_step(*upper_bounds, round_up=True) > upper_bounds[0][step.own]).any()
        for step in value_steps
    ):
        raise NotShown("best play may do better than the bound from above")


def require_step_keeps_lower_bounds_with_ranks(
    value_steps: Sequence[ValueStep], lower_bounds: SideBounds, ranks: npt.NDArray[Any]
) -> None:
    """Check that the bounds of some layers' states are bounds from below, by these ranks (2). Raises NotShown."""
    own = slice(value_steps[0].own.start, value_steps[-1].own.stop)
    if ranks.shape != (own.stop - own.start,):
        raise NotShown("expected one rank for each state")
    for step in value_steps:
        if (
            step.compute_values_after_one_step(*lower_bounds, round_up=False) < lower_bounds[0][step.own]
        ).any() or not _can_each_state_step_to_lower_rank(step, lower_bounds, ranks, own):
            raise NotShown("the bound from below is not reached")


def _can_each_state_step_to_lower_rank(
    step: ValueStep, lower_bounds: SideBounds, ranks: npt.NDArray[Any], state_range: slice
) -> bool:
    """Return whether play comes to a lower rank, as 2 says, from each state of a layer that needs one."""
    if not len(step.rows):
        return True
    rows, to = step.layer.base + step.rows, step.layer.to
    here, behind = lower_bounds[0][rows], step.get_value_behind_each_edge(*lower_bounds)
    inside = (to >= state_range.start) & (to < state_range.stop)
    ranked = ranks[np.where(inside, to - state_range.start, 0)] < np.repeat(
        ranks[rows - state_range.start], step.degree
    )
    down = ~inside | (behind <= 0) | ranked
    good = down & (behind >= np.repeat(here, step.degree))
    leads = take_max_or_min_over_edges_of_each_state(step.how, good, step.firsts, np.logical_or, np.logical_and)
    leads |= (step.how == MEAN) & np.logical_or.reduceat(down, step.firsts)
    return bool((leads | (here <= 0) | (step.gain > 0) | step.layer.met[step.rows]).all())
