"""Closed sets of states, one vector over them, and one condition at each state.

Take a set that holds the start and, with each state, every state that one step leads to (where seats follow a strategy:
each step that it allows). Let T be one step of play, from values of the states to values of the states:

* 1 where the event holds, whatever comes behind it; else 0 where nobody can act; an end has a value of its own;
* else, of the values behind the state, the MOST, the LEAST, or the MEAN by weights, as `Play` says for who acts there;
* and the step's gain is added.

The value V of a state is the least fixed point of T: play that goes on for ever counts as the event that never happens.
Rounding up in (1) and down in (2) only makes a bound weaker.

(1) *Above.* If T(u) <= u at each state, then V <= u. For V is the least upper bound of 0, T(0), T(T(0)) and so on; T
    keeps order, and 0 <= u, so each of these is below u. This holds in circles too. (Knaster, Tarski.)
(2) *Below.* If l <= T(l) at each state, and play that keeps to l leaves every circle, then l <= V. For let those who
    want the most choose an edge that keeps to l. Whatever the others do, the expected value of l where play stands
    never falls, but by the gains counted; and with probability 1 play comes to an end, to the event, or where l is 0.
    Ranks show that it leaves: from each state that needs it, play comes with some chance to a lower rank, or out of
    these states. States that need none: those where l is 0 or less, of the event, and those that gain. (Play that gains
    for ever is worth more than any number.)

The premises, and where they are checked. The set is closed: the kernel makes it itself (`state_graphs`,
`layers`). All weights are above 0 (`compute_weight_of_each_edge`), and so small that sums stay within 62 bits
(`compute_weighted_mean_of_edges_by_state`). Values, and the bounds that somebody proposes, lie from 0 to 1.

What is said by it (`closed_set_certificate`): *never* is u = 0, so that no state is one of the event; a *length* is
MOST with a gain of 1, bounded from above; a *chance* is MOST for those who want it, LEAST for the others, MEAN for
chance; a *strategy* is a chance in the set that it allows; a *worth* has values at the ends, or a gain. Where steps
lead only to states whose values are there, T itself makes the vector. Elsewhere play may circle: somebody proposes the
vector, or it stands in the file.
(How many states meet a condition, and how far away they are, is read off the enumeration, which goes by distance.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.language import CHANCE
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.context import Context, SideBounds

BEYOND = "a value is more than 1"
SCALE = 1 << 46
"""The value 1, in whole numbers."""
_HEAVIEST = 1 << 15  # the weights of one state together
MOST, LEAST, MEAN = 1, -1, 0
LUCK = MappingProxyType({"best": MOST, "worst": LEAST, "mean": MEAN})
"""How the edges of chance count under each kind of luck."""
Column = npt.NDArray[np.int64]
FractionBounds = tuple[Fraction, Fraction]
PackedRows = npt.NDArray[np.uint64]


@dataclass
class StateLayer:
    """Some states of one measure, numbered from `base`, and their edges in the order of the states. A state has
    `degree` edges. An edge leads to the state `to`, or, below 0, to the end -1 - `to`. `weight` is None if all weigh 1.
    `actor` says who acts, -1 for chance. `met` marks states that meet the event. `block` numbers the measures."""

    base: int
    degree: npt.NDArray[np.int32]
    to: npt.NDArray[np.int32]
    weight: npt.NDArray[np.int32] | None
    actor: npt.NDArray[np.int8]
    met: npt.NDArray[np.bool_]
    block: int

    @property
    def beyond(self) -> int:
        """The number after that of the last state."""
        return self.base + len(self.degree)


@dataclass
class Layers:
    """All layers in the order of the measure; the first state has the number 0. `ends` are the packed states in which
    the game is over, numbered from 1: the end 0 stands for all open states. `stuck` counts states that are not over and
    have no edge, `taken` holds the actions that are legal somewhere, `options` those of the first state in the order of
    its edges. `circles` says that some edge stays in its measure, `open` that some state lies beyond the limit."""

    layers: list[StateLayer] = field(default_factory=list)
    ends: list[PackedRows] = field(default_factory=list)
    states: int = 0
    stuck: int = 0
    taken: set[int] = field(default_factory=set)
    options: tuple[int, ...] = ()
    circles: bool = False
    open: bool = False


def make_layers_of_one(layer: StateLayer) -> Layers:
    """Return all states as one layer without ends, in which play may come back to a state."""
    return Layers([layer], states=len(layer.degree), circles=True)


@dataclass(frozen=True)
class Play:
    """How a step counts what lies behind it: MOST, LEAST or MEAN, by who acts (-1 is chance), and `others` for all
    other actors. Each step adds `gain`, but those of the actors `gainless`."""

    by_actor: Mapping[int, int]
    others: int = LEAST
    gain: int = 0
    gainless: Sequence[int] = ()

    def copy_with_sides_exchanged_without_gain(self) -> Play:
        """Return the play that makes small what this one makes great. It has no gain."""
        return Play({actor: -counts for actor, counts in self.by_actor.items()}, -self.others)


def make_play_of_seekers(luck: str, seats: Sequence[int]) -> Play:
    """Return the play of seats that want an event, against all others."""
    return Play({CHANCE: LUCK[luck], **dict.fromkeys(seats, MOST)})


class ValueStep:
    """One step of play from the states of a layer: their values from those of their successors."""

    def __init__(self, layer: StateLayer, play: Play) -> None:
        self.layer, self.play, self.own = layer, play, slice(layer.base, layer.beyond)
        self.rows = np.flatnonzero(layer.degree)
        self.degree = layer.degree[self.rows].astype(np.int64)
        self.firsts = np.cumsum(self.degree) - self.degree
        actors = layer.actor[self.rows]
        self.how = np.full(len(self.rows), play.others, dtype=np.int8)
        for actor, counts in play.by_actor.items():
            self.how[actors == actor] = counts
        self.gain = np.where(np.isin(actors, list(play.gainless)), 0, play.gain)
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


# -- the theorem ------------------------------------------------------------------------------------------------------


def are_upper_bounds_kept_by_steps(value_steps: Sequence[ValueStep], bounds: SideBounds) -> bool:
    """Return whether the bounds of some layers' states are bounds from above, by (1)."""
    return all(
        (step.compute_values_after_one_step(*bounds, round_up=True) <= bounds[0][step.own]).all()
        for step in value_steps
    )


def are_lower_bounds_kept_with_ranks(
    value_steps: Sequence[ValueStep], bounds: SideBounds, ranks: npt.NDArray[Any]
) -> bool:
    """Return whether the bounds of some layers' states are bounds from below, by (2) and these ranks, one for each of
    these states."""
    own = slice(value_steps[0].own.start, value_steps[-1].own.stop)
    return ranks.shape == (own.stop - own.start,) and all(
        (step.compute_values_after_one_step(*bounds, round_up=False) >= bounds[0][step.own]).all()
        and _can_each_state_step_to_lower_rank(step, bounds, ranks, own)
        for step in value_steps
    )


def _can_each_state_step_to_lower_rank(
    step: ValueStep, bounds: SideBounds, ranks: npt.NDArray[Any], state_range: slice
) -> bool:
    """Return whether play comes to a lower rank, as (2) says, from each state of a layer that needs one."""
    if not len(step.rows):
        return True
    rows, to = step.layer.base + step.rows, step.layer.to
    here, behind = bounds[0][rows], step.get_value_behind_each_edge(*bounds)
    inside = (to >= state_range.start) & (to < state_range.stop)
    rank_behind = ranks[np.where(inside, to - state_range.start, 0)]
    falls = ~inside | (behind <= 0) | (rank_behind < np.repeat(ranks[rows - state_range.start], step.degree))
    keeps = falls & (behind >= np.repeat(here, step.degree))
    leads = take_max_or_min_over_edges_of_each_state(step.how, keeps, step.firsts, np.logical_or, np.logical_and)
    leads |= (step.how == MEAN) & np.logical_or.reduceat(falls, step.firsts)
    return bool((leads | (here <= 0) | (step.gain > 0) | step.layer.met[step.rows]).all())


def require_bounds_implied(claimed: FractionBounds, computed: FractionBounds) -> None:
    """Check that bounds of a file follow from bounds that were computed: they are these, or weaker. Raises NotShown."""
    if not 0 <= claimed[0] <= computed[0] <= computed[1] <= claimed[1] <= 1:
        raise NotShown("the chance has other bounds")


# -- the vector -------------------------------------------------------------------------------------------------------


def compute_bounds_at_start(
    layers: Layers, play: Play, context: Context, end_values: tuple[Column, Column] | None = None
) -> FractionBounds:
    """Return the bounds of the first state's value; `end_values` as `compute_lower_and_upper_state_values` takes them,
    None if there are no ends. Raises NotShown."""
    no_end = np.zeros(1, dtype=np.int64)
    lower, upper = compute_lower_and_upper_state_values(layers, end_values or (no_end, no_end), play, context)
    return Fraction(int(lower[0]), SCALE), Fraction(int(upper[0]), SCALE)


def compute_lower_and_upper_state_values(
    layers: Layers,
    lower_and_upper_end_values: tuple[Column, Column],
    play: Play,
    context: Context,
    *,
    is_endless_play_possible: bool = False,
) -> tuple[Column, Column]:
    """Return the bounds of each state's value. `lower_and_upper_end_values` are the values of the ends, rounded down
    and up. Endless play is worth 0, or (if `is_endless_play_possible`) any number from 0 to 1: then the bound from
    above is what the other side is sure to keep it down to. Raises NotShown, also if a gain leads beyond 1."""
    down, up = lower_and_upper_end_values
    if not all(0 <= values.min() <= values.max() <= SCALE for values in (down, up)):
        raise NotShown("a value is not from 0 to 1")
    if is_endless_play_possible and (
        play.gain or any(layer.met.any() or not layer.degree.all() for layer in layers.layers)
    ):
        raise NotShown("a state of an event, a dead end, or a gain is worth the same to both sides")
    below, above = ((np.zeros(layers.states, dtype=np.int64), values) for values in (down, up))
    if is_endless_play_possible:
        above = above[0], SCALE - up
    for _, group in groupby(reversed(layers.layers), key=lambda layer: layer.block):
        block = list(group)[::-1]
        steps = [ValueStep(layer, play) for layer in block]
        circles = layers.circles and _has_edge_inside_layer_group(block)
        if is_endless_play_possible:
            against = [ValueStep(layer, play.copy_with_sides_exchanged_without_gain()) for layer in block]
            _fill_bounds_of_layer_group(steps, below, None, circles, context)
            _fill_bounds_of_layer_group(against, above, None, circles, context)
        else:
            _fill_bounds_of_layer_group(steps, below, above, circles, context)
        if above[0][block[0].base : block[-1].beyond].max() > SCALE:
            raise NotShown(BEYOND)
    return below[0], SCALE - above[0] if is_endless_play_possible else above[0]


def _has_edge_inside_layer_group(layers_of_one_measure: Sequence[StateLayer]) -> bool:
    """Return whether an edge stays in its measure."""
    first, beyond = layers_of_one_measure[0].base, layers_of_one_measure[-1].beyond
    return any(((layer.to >= first) & (layer.to < beyond)).any() for layer in layers_of_one_measure)


def _fill_bounds_of_layer_group(
    value_steps: Sequence[ValueStep], below: SideBounds, above: SideBounds | None, has_cycles: bool, context: Context
) -> None:
    """Set the bounds of some layers' states from those behind them. Raises NotShown."""
    if not has_cycles:
        for step in value_steps:
            below[0][step.own] = step.compute_values_after_one_step(*below, round_up=False)
            if above is not None:
                above[0][step.own] = step.compute_values_after_one_step(*above, round_up=True)
        return
    if context.propose is None:
        raise NotShown("play may come back to a state, and nobody proposes bounds")
    for step in value_steps:  # what proposes bounds may not change what they are held against
        for part in (*vars(step).values(), *vars(step.layer).values()):
            if isinstance(part, np.ndarray):
                part.flags.writeable = False
    lower, ranks, upper = context.propose(
        value_steps, _make_readonly_views_of_bounds(below), above and _make_readonly_views_of_bounds(above)
    )
    _store_proposed_bounds_or_raise(value_steps, below, lower)
    if not are_lower_bounds_kept_with_ranks(value_steps, below, ranks):
        raise NotShown("the bound from below is not reached")
    if above is not None:
        _store_proposed_bounds_or_raise(value_steps, above, upper)
        if not are_upper_bounds_kept_by_steps(value_steps, above):
            raise NotShown("best play may do better than the bound from above")


def _make_readonly_views_of_bounds(bounds: SideBounds) -> SideBounds:
    """Return the same values, which nobody can change by it."""
    views = bounds[0].view(), bounds[1].view()
    for view in views:
        view.flags.writeable = False
    return views


def _store_proposed_bounds_or_raise(
    value_steps: Sequence[ValueStep], all_bounds: SideBounds, proposed_bounds: Column | None
) -> None:
    """Take bounds up among the values of all states. Raises NotShown if they are no such bounds."""
    own = slice(value_steps[0].own.start, value_steps[-1].own.stop)
    if proposed_bounds is None or proposed_bounds.shape != (own.stop - own.start,) or proposed_bounds.dtype != np.int64:
        raise NotShown("expected one bound for each state")
    if not 0 <= proposed_bounds.min() <= proposed_bounds.max() <= SCALE:
        raise NotShown("a bound is not from 0 to 1")
    all_bounds[0][own] = proposed_bounds


def compute_longest_game_length(layers: Layers) -> int:
    """Return the number of decisions of the longest game, by (1). Raises NotShown if a decision keeps the measure."""
    if layers.circles:
        raise NotShown("play may go in circles: a decision keeps the measure")
    lengths = np.zeros(layers.states, dtype=np.int64)
    ends = np.zeros(1 + sum(map(len, layers.ends)), dtype=np.int64)
    for layer in reversed(layers.layers):
        step = ValueStep(layer, Play({}, MOST, gain=1))
        lengths[step.own] = step.compute_values_after_one_step(lengths, ends, round_up=True)
    return int(lengths[0])
