"""Proposes bounds for the states of a layer in which play may come back to a state. The kernel's `closed_sets` has the
theorem, and confirms each proposal; nothing rests on what stands here.

From 0 and from 1, steps of play give bounds in any order. A sweep goes round the circles against the direction of play
(`_order`), and carries a value all the way round; candidates continue the growth of the sweeps before (`_extended`),
and are taken if they are bounds (`_reached`, `_holds`). Sources: Haddad and Monmege, "Interval iteration algorithm for
MDPs and IMDPs", TCS 735, 2018; Hartmanns and Kaminski, "Optimistic value iteration", CAV 2020."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.closed_sets import (
    BEYOND,
    LEAST,
    MEAN,
    MOST,
    SCALE,
    Column,
    ValueStep,
    compute_weighted_mean_of_edges_by_state,
)
from playproof.verifier.kernel.context import Proposal, SideBounds

_SLACK = 1 << 12
_EDGES = 2_000_000_000  # followed in one layer at most; then the bounds stay apart
_FEWEST, _MOST_SWEEPS = 20, 1_000_000
_TIGHTER, _TRIES, _NEAR = 5, 20, 8 * _SLACK
_APART, _FIRST_TRIAL = 1, 8  # sweeps
_FINE_BREAKS = 40
BoolArray = npt.NDArray[np.bool_]


def propose_bounds_and_ranks_of_layer(
    value_steps: Sequence[ValueStep], lower_bounds: SideBounds, upper_bounds: SideBounds | None
) -> Proposal:
    """Return bounds from below of a layer's states with their ranks, and from above if those are wanted too. Each side
    is the values of all states and of all ends, on that side. Raises NotShown if a gain leads beyond 1."""
    circling = CyclicLayer(value_steps)
    lower = circling.compute_lower_bounds_of_layer(circling.get_values_behind_leaving_edges(*lower_bounds))
    ranks = circling.compute_ranks_of_bounds_or_minus_1(lower, circling.get_values_behind_leaving_edges(*lower_bounds))
    upper = (
        None
        if upper_bounds is None
        else circling.compute_upper_bounds_of_layer(lower, circling.get_values_behind_leaving_edges(*upper_bounds))
    )
    return lower, ranks, upper


@dataclass(frozen=True)
class SweepPart:
    """States from `first` to `beyond` whose edges count in the same way, `how`. Edges lead to `to`, those of a state
    stand in a row from `firsts` on; `weight` and `total` are for means. A step adds `gain`."""

    first: int
    beyond: int
    how: int
    to: Column
    firsts: Column
    weight: Column
    total: Column
    gain: Column

    def compute_value_of_each_state_after_step(self, all_values: Column, round_up: bool) -> Column:
        """Return the values of the states after one step."""
        behind = all_values[self.to]
        if self.how == MOST:
            return np.maximum.reduceat(behind, self.firsts) + self.gain
        if self.how == LEAST:
            return np.minimum.reduceat(behind, self.firsts) + self.gain
        return (
            compute_weighted_mean_of_edges_by_state(behind, self.weight, self.total, self.firsts, round_up) + self.gain
        )


class CyclicLayer:
    """The states of one layer, numbered anew: first those that take steps, part by part in the order of a sweep, then
    those without a step; after them each edge out of the layer has the number of a value of its own."""

    def __init__(self, steps: Sequence[ValueStep]) -> None:
        self.first, self.beyond = steps[0].layer.base, steps[-1].layer.beyond
        self.count = self.beyond - self.first
        self.degree = np.concatenate([step.layer.degree for step in steps]).astype(np.int64)
        self.to = np.concatenate([step.layer.to for step in steps]).astype(np.int64)
        self.weight = np.concatenate([step.get_weight_of_each_edge() for step in steps])
        self.met = np.concatenate([step.layer.met for step in steps])
        self.how = np.zeros(self.count, dtype=np.int8)
        total, gain = np.ones(self.count, dtype=np.int64), np.zeros(self.count, dtype=np.int64)
        for step in steps:
            rows = step.layer.base - self.first + step.rows
            self.how[rows], total[rows] = step.how, step.total
            gain[rows] = step.gain
        self.gains = bool(gain.any())
        self.sweeps = min(_MOST_SWEEPS, max(_FEWEST, _EDGES // max(len(self.to), 1)))
        self.generation = np.repeat(np.arange(len(steps)), [len(step.layer.degree) for step in steps])
        self.inner = (self.to >= self.first) & (self.to < self.beyond)
        self._renumber_states_and_make_sweep_parts(total, gain)

    def _renumber_states_and_make_sweep_parts(self, weight_sums: Column, gains: Column) -> None:
        """Number the states anew, and make the parts."""
        starts = np.cumsum(self.degree) - self.degree
        level, breaking = self._order_states_into_levels_and_count_cycle_breakers()
        order = np.lexsort((self.how, level))
        order = np.concatenate([order[level[order] >= 0], order[level[order] < 0]])
        self.place = np.empty(self.count, dtype=np.int64)  # of each state, its new number
        self.place[order] = np.arange(self.count)
        self.still = self.place[level < 0]
        moving = order[: self.count - len(self.still)]
        self.breaking = slice(len(moving) - breaking, len(moving))
        number = np.empty(len(self.to), dtype=np.int64)
        number[self.inner] = self.place[self.to[self.inner] - self.first]
        number[~self.inner] = self.count + np.arange(int((~self.inner).sum()))
        kind = level[moving] * 4 + self.how[moving]
        cuts = np.flatnonzero(np.diff(kind)) + 1
        self.parts = []
        for rows in np.split(moving, cuts) if len(moving) else ():
            degree = self.degree[rows]
            firsts = np.cumsum(degree) - degree
            edges = np.repeat(starts[rows] - firsts, degree) + np.arange(int(degree.sum()))
            first, how = int(self.place[rows[0]]), int(self.how[rows[0]])
            mean = how == MEAN
            self.parts.append(
                SweepPart(
                    first,
                    first + len(rows),
                    how,
                    number[edges],
                    firsts,
                    self.weight[edges] if mean else edges[:0],
                    weight_sums[rows] if mean else edges[:0],
                    gains[rows],
                )
            )

    def _order_states_into_levels_and_count_cycle_breakers(self) -> tuple[Column, int]:
        """Return in which place of a sweep each state takes its step, -1 for those without one. Behind a state come
        those that lead only to it and to earlier ones. Where there is none, some states break the circles: they come
        last, and their number is returned too."""
        level = np.full(self.count, -1, dtype=np.int64)
        moves = (self.degree > 0) & ~self.met
        sources = np.repeat(np.arange(self.count), self.degree)
        edge = np.flatnonzero(self.inner & moves[sources])
        edge = edge[moves[self.to[edge] - self.first]]
        back = edge[np.argsort(self.to[edge], kind="stable")]  # by the state that they lead to
        from_, to = sources[back], self.to[back] - self.first
        many = np.bincount(to, minlength=self.count)
        begins = np.cumsum(many) - many
        left = np.bincount(from_, minlength=self.count)
        waiting, now = moves.copy(), 0
        ready = np.flatnonzero(waiting & (left == 0))
        breaking: list[Column] = []
        while waiting.any():
            if not len(ready):
                if len(breaking) < _FINE_BREAKS:
                    ready = _find_one_state_of_each_cycle(from_, to, waiting)
                else:
                    ready = np.flatnonzero(waiting & (self.generation == self.generation[waiting].min()))
                breaking.append(ready)
            else:
                level[ready] = now
                now += 1
            waiting[ready] = False
            spread = many[ready]
            edges = np.repeat(begins[ready] - (np.cumsum(spread) - spread), spread) + np.arange(spread.sum())
            freed, times = np.unique(from_[edges], return_counts=True)
            left[freed] -= times
            ready = freed[(left[freed] == 0) & waiting[freed]]
        for states in reversed(breaking):
            level[states] = now
            now += 1
        return level, sum(map(len, breaking))

    def get_values_behind_leaving_edges(self, state_values: Column, end_values: Column) -> Column:
        """Return the values behind the edges that leave the layer."""
        to = self.to[~self.inner]
        behind = state_values[np.maximum(to, 0)]
        behind[to < 0] = end_values[-1 - to[to < 0]]
        return behind

    def compute_lower_bounds_of_layer(self, outside_values: Column) -> Column:
        """Return bounds from below of the layer's states, from those behind the edges that leave the layer."""
        if self.gains and not self._can_play_always_leave_layer():
            raise NotShown("play may go on for ever, and no number bounds its length")
        values = self._raise_lower_bounds_until_stable(self._make_bounds_with_initial_value(0, outside_values))
        return (values if self.gains else self._round_near_one_if_still_lower_bound(values))[self.place]

    def compute_upper_bounds_of_layer(self, lower_bounds: Column, outside_values: Column) -> Column:
        """Return bounds from above of the layer's states, from those from below and those behind the edges that leave
        the layer."""
        values = self._make_bounds_with_initial_value(0, outside_values)
        values[self.place] = lower_bounds
        self._raise_positive_values_slightly_in_place(values)
        if self._try_to_raise_candidate_to_upper_bound(values, self.sweeps):
            self._lower_upper_bounds_in_place(values, _TIGHTER)
        elif self.gains:
            raise NotShown(BEYOND)
        else:
            values = self._make_bounds_with_initial_value(SCALE, outside_values)
            self._lower_upper_bounds_in_place(values, self.sweeps)
        return values[self.place]

    def _raise_positive_values_slightly_in_place(self, bounds: Column) -> None:
        """Raise the values of the layer's states a little, but those that are 0."""
        mine = bounds[: self.count]
        np.minimum(mine + _SLACK, SCALE, out=mine, where=mine > 0)

    def _make_bounds_with_initial_value(self, initial_value: int, outside_values: Column) -> Column:
        """Return bounds of which nothing but the event and the dead ends is known."""
        values = np.concatenate([np.full(self.count, initial_value, dtype=np.int64), outside_values])
        values[self.still] = 0
        values[self.place[self.met]] = SCALE
        return values

    def _raise_lower_bounds_until_stable(self, lower_bounds: Column) -> Column:
        """Take steps from bounds from below until none raises one, or a candidate beyond them is a bound."""
        seen: deque[Column] = deque(maxlen=2 * _APART + 1)
        trial = _FIRST_TRIAL
        for count in range(1, self.sweeps + 1):
            if not self._raise_values_and_tell_if_any_rose(lower_bounds, round_up=False):
                break
            if self.gains and int(lower_bounds[: self.count].max()) > SCALE:
                raise NotShown(BEYOND)
            seen.append(lower_bounds[self.breaking].copy())
            if count == trial and self.breaking.start < self.breaking.stop:
                trial *= 2
                candidate = self._extrapolate_lower_bounds(lower_bounds, seen)
                if self._is_lower_bound_with_ranks(candidate):
                    lower_bounds = candidate
                    if self._are_upper_bounds_close_to_lower(lower_bounds):
                        self._raise_lower_bounds_a_few_times(lower_bounds)
                        break
        return lower_bounds

    def _raise_lower_bounds_a_few_times(self, lower_bounds: Column) -> None:
        for _ in range(_TIGHTER):
            self._raise_values_and_tell_if_any_rose(lower_bounds, round_up=False)

    def _can_play_always_leave_layer(self) -> bool:
        """Return whether play leaves the layer, with some chance from each state, whatever the seeker does. Else it may
        gain for ever, and no sweep would come to an end."""
        leaving = np.zeros(self.count + int((~self.inner).sum()), dtype=np.bool_)
        leaving[self.count :] = leaving[self.still] = True
        grows = True
        while grows:
            grows = False
            for part in self.parts:
                among = np.logical_and if part.how == MOST else np.logical_or
                mine, leads = leaving[part.first : part.beyond], among.reduceat(leaving[part.to], part.firsts)
                grows |= bool((leads & ~mine).any())
                mine |= leads
        return bool(leaving.all())

    def _are_upper_bounds_close_to_lower(self, lower_bounds: Column) -> bool:
        """Return whether bounds from above close to these from below are soon there."""
        above = lower_bounds.copy()
        self._raise_positive_values_slightly_in_place(above)
        return self._try_to_raise_candidate_to_upper_bound(above, _TRIES) and int((above - lower_bounds).max()) <= _NEAR

    def _extrapolate_lower_bounds(self, lower_bounds: Column, recent_values: Sequence[Column]) -> Column:
        """Return values to which those of the states that break the circles would grow, if each grew by the same part
        of its last growth for ever (Aitken). All other values follow from these."""
        before, middle, last = (recent_values[n].astype(np.float64) for n in (0, _APART, 2 * _APART))
        growth, latest = middle - before, last - middle
        part = np.divide(latest, growth, out=np.zeros_like(last), where=growth > 0)
        part = np.clip(part, 0, 1 - 1e-6)
        limit = np.minimum(last + latest * part / (1 - part), SCALE).astype(np.int64) - _SLACK
        candidate = lower_bounds.copy()
        np.maximum(candidate[self.breaking], limit, out=candidate[self.breaking])
        for p in self.parts:
            if p.beyond <= self.breaking.start:
                candidate[p.first : p.beyond] = p.compute_value_of_each_state_after_step(candidate, round_up=False)
        return candidate

    def _try_to_raise_candidate_to_upper_bound(self, candidate_bounds: Column, max_sweeps: int) -> bool:
        """Raise a candidate where a step leads above it. Return whether no step does in the end; in that sweep nothing
        changed, so each step was taken from these very values. A gain may lead beyond 1, where it is given up."""
        for _ in range(max_sweeps):
            if not self._raise_values_and_tell_if_any_rose(candidate_bounds, round_up=True):
                return True
            if self.gains and int(candidate_bounds[: self.count].max()) > SCALE:
                return False
        return False

    def _raise_values_and_tell_if_any_rose(self, values: Column, round_up: bool) -> bool:
        """Take a step from each state, and return whether one raised a value."""
        rises = False
        for part in self.parts:
            mine, after = (
                values[part.first : part.beyond],
                part.compute_value_of_each_state_after_step(values, round_up),
            )
            if (after > mine).any():
                np.maximum(mine, after, out=mine)
                rises = True
        return rises

    def _lower_upper_bounds_in_place(self, upper_bounds: Column, max_sweeps: int) -> None:
        """Take steps from bounds from above until none lowers one."""
        for _ in range(max_sweeps):
            falls = False
            for part in self.parts:
                mine, after = (
                    upper_bounds[part.first : part.beyond],
                    part.compute_value_of_each_state_after_step(upper_bounds, round_up=True),
                )
                if (after < mine).any():
                    np.minimum(mine, after, out=mine)
                    falls = True
            if not falls:
                return

    # -- bounds from below that steps from 0 do not reach -----------------------------------------------------------

    def _round_near_one_if_still_lower_bound(self, lower_bounds: Column) -> Column:
        """Return bounds from below that are 1 where those given are nearly so, if the theorem allows; else those
        given."""
        mine = lower_bounds[: self.count]
        near = (mine >= SCALE - _NEAR) & (mine < SCALE)
        if not near.any():
            return lower_bounds
        candidate = lower_bounds.copy()
        candidate[: self.count][near] = SCALE
        return candidate if self._is_lower_bound_with_ranks(candidate) else lower_bounds

    def _is_lower_bound_with_ranks(self, candidate_bounds: Column) -> bool:
        """Return whether a candidate is a bound from below, as the kernel's theorem says."""
        if any(
            (
                p.compute_value_of_each_state_after_step(candidate_bounds, round_up=False)
                < candidate_bounds[p.first : p.beyond]
            ).any()
            for p in self.parts
        ):
            return False
        return bool((self._compute_least_ranks_or_minus_1(candidate_bounds) >= 0).all())

    def compute_ranks_of_bounds_or_minus_1(self, lower_bounds: Column, outside_values: Column) -> Column:
        """Return the ranks of the layer's states for bounds from below; -1 for those that have none."""
        values = self._make_bounds_with_initial_value(0, outside_values)
        values[self.place] = lower_bounds
        return self._compute_least_ranks_or_minus_1(values)[self.place]

    def _compute_least_ranks_or_minus_1(self, lower_bounds: Column) -> Column:
        """Return the least ranks that the theorem allows; a state that gains needs none."""
        rank = np.full(len(lower_bounds), -1, dtype=np.int64)
        rank[self.count :] = 0
        rank[: self.count][lower_bounds[: self.count] <= 0] = 0
        rank[self.place[self.met]] = 0
        for part in self.parts:
            rank[part.first : part.beyond][part.gain > 0] = 0
        ranked = rank >= 0
        now, grows = 0, True
        while grows:
            grows = False
            for part in self.parts:  # each part is a rank of its own
                now += 1
                mine = ranked[part.first : part.beyond]
                if not mine.all():
                    fresh = self._mark_states_that_can_reach_ranked_states(part, lower_bounds, ranked) & ~mine
                    grows |= bool(fresh.any())
                    rank[part.first : part.beyond][fresh] = now
                    mine |= fresh
        return rank

    @staticmethod
    def _mark_states_that_can_reach_ranked_states(
        part: SweepPart, lower_bounds: Column, is_ranked: BoolArray
    ) -> BoolArray:
        """Return in which states of a part play gets to a lower rank as the theorem says."""
        down = is_ranked[part.to]
        if part.how == MEAN:
            return np.logical_or.reduceat(down, part.firsts)
        degree = np.diff(part.firsts, append=len(part.to))
        good = down & (lower_bounds[part.to] >= np.repeat(lower_bounds[part.first : part.beyond] - part.gain, degree))
        return (np.logical_or if part.how == MOST else np.logical_and).reduceat(good, part.firsts)


def _find_one_state_of_each_cycle(edge_sources: Column, edge_targets: Column, is_waiting: BoolArray) -> Column:
    """Return a state of each circle that is left if each waiting state keeps only its edge to the oldest one. The edges
    are those from the states `edge_sources` to the states `edge_targets`; each waiting state has one to a waiting
    state."""
    states = np.flatnonzero(is_waiting)
    number = np.zeros(len(is_waiting), dtype=np.int64)
    number[states] = np.arange(len(states))
    among = is_waiting[edge_sources] & is_waiting[edge_targets]
    follows = np.full(len(states), len(states))
    np.minimum.at(follows, number[edge_sources[among]], number[edge_targets[among]])
    far, least, jump = follows, np.arange(len(states)), follows
    for _ in range(len(states).bit_length()):
        far = far[far]  # in the end all are on circles
        least, jump = np.minimum(least, least[jump]), jump[jump]  # of the states that follow
    circling = np.unique(far)
    chosen: Column = states[circling[least[circling] == circling]]
    return chosen
