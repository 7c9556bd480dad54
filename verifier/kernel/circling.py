"""Values of states whose layer has circles: play may come back to a state, and go on for ever.

T is one step of best play: what `swept` says of a state's successors. All values of later layers are there.

The theorems, for the states of one layer:

  1. T keeps order, so from bounds it makes bounds: if `lower` <= value <= `upper` in all successors, then T(`lower`),
     rounded down, is at most the value, and T(`upper`), rounded up, at least. From 0 and from 1 every step of this kind
     is sound, whichever states take it, and in whichever order.
  2. If play that goes on for ever is worth 0, the value is the least fixed point of T, and each `upper` from 0 to 1
     with T(`upper`) <= `upper` in all states is at least the value (Knaster and Tarski). Circles that the seeker need
     not leave are no harm here, though no step from 1 would lower their bound.
  3. Under the same convention a `candidate` is a bound from below if T(`candidate`) >= `candidate`, and play that keeps
     it leaves the circles: the states fall into ranks; from each whose candidate is above 0 the seeker has a step, the
     others have only steps, to a state of lower rank with no smaller candidate; chance has one to a lower rank. A step
     out of the layer, to the event, or to a state whose candidate is 0 counts as lower. For then play leaves with
     probability 1, in at most so many steps as there are ranks with a chance that has a bound, and the candidate
     never falls on average on the way (optional stopping). Where the candidate is 0, nothing is claimed.

Whoever does not know what endless play is worth uses 1 alone: `lower` from 0, `upper` from 1 bound the value for each
number from 0 to 1 that endless play may be worth.

The premises, and where they are checked: `lower` starts at 0 and only takes steps (`_raised`) or what 3 gives
(`_reached`); `upper` starts at 1 and only takes steps (`_lowered`), or is a fixed bound as 2 says (`_holds`).
Sources: Condon, "The complexity of stochastic games", Information and Computation 96, 1992; Haddad and Monmege,
"Interval iteration algorithm for MDPs and IMDPs", TCS 735, 2018; Hartmanns and Kaminski, "Optimistic value iteration",
CAV 2020; Chatterjee and others, "Fixed point certificates for reachability and expected rewards in MDPs", TACAS 2025.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.layers import Column, Layer, Layers
from playproof.verifier.kernel.swept import LEAST, MOST, SCALE, Step, blocks, returns

_SLACK = 1 << 12
_EDGES = 20_000_000_000  # followed in one layer at most; then the bounds stay apart
_FEWEST, _MOST_SWEEPS = 20, 1_000_000
_TIGHTER = 60


def bounded(
    made: Layers, ends: tuple[Column, Column], who: Mapping[int, int], others: int, *, endless: bool
) -> tuple[Column, Column]:
    """Return the bounds of each state's value. `ends` are the values of the ends, rounded down and up; `who` maps
    actors (-1 is chance) to MOST, LEAST or MEAN, and `others` is for all other actors. Endless play is worth 0, or (if
    `endless`) any number from 0 to 1. Raises NotShown."""
    for values in ends:
        if not 0 <= values.min() <= values.max() <= SCALE:
            raise NotShown("a value is not from 0 to 1")
    lower, upper = np.zeros(made.states, dtype=np.int64), np.zeros(made.states, dtype=np.int64)
    for block in reversed(blocks(made)):
        if made.circles and returns(block):
            Circling(block, ends, who, others).settle(lower, upper, endless)
            continue
        for layer in block:
            down, up = Step(layer, ends[0], who, others), Step(layer, ends[1], who, others)
            lower[layer.base : layer.beyond] = down.taken(lower, up=False)
            upper[layer.base : layer.beyond] = up.taken(upper, up=True)
    return lower, upper


class Circling:
    """The states of one layer. `lower` and `upper` hold the bounds of all states of the game, those of later layers
    already."""

    def __init__(
        self, block: Sequence[Layer], ends: tuple[Column, Column], who: Mapping[int, int], others: int
    ) -> None:
        """`ends` are the values of the ends, rounded down and up."""
        self.first, self.beyond = block[0].base, block[-1].beyond
        latest_first = list(reversed(block))
        self.down = [Step(layer, ends[0], who, others) for layer in latest_first]
        self.up = [Step(layer, ends[1], who, others) for layer in latest_first]
        edges = sum(len(layer.to) for layer in block)
        self.sweeps = min(_MOST_SWEEPS, max(_FEWEST, _EDGES // max(edges, 1)))

    def settle(self, lower: Column, upper: Column, endless: bool) -> None:
        """Set the bounds of the layer's states. Endless play is worth 0, or (if `endless`) any number from 0 to 1."""
        mine = slice(self.first, self.beyond)
        lower[mine], upper[mine] = 0, SCALE
        self._raised(lower)
        if not endless:
            certain = lower[mine] >= SCALE - _SLACK
            if certain.any() and (lower[mine][certain] < SCALE).any():
                self._reached(lower, np.where(certain, SCALE, lower[mine]))
            candidate = np.where(lower[mine] > 0, np.minimum(lower[mine] + _SLACK, SCALE), 0)
            if self._holds(upper, candidate):
                self._lowered(upper, _TIGHTER)
                return
            upper[mine] = SCALE
        self._lowered(upper, self.sweeps)

    def _raised(self, lower: Column) -> None:
        """Take steps from `lower` until none raises it."""
        for _ in range(self.sweeps):
            rises = False
            for step in self.down:
                mine = lower[step.layer.base : step.layer.beyond]
                after = step.taken(lower, up=False)
                if (after > mine).any():
                    np.maximum(mine, after, out=mine)
                    rises = True
            if not rises:
                return

    def _lowered(self, upper: Column, sweeps: int) -> None:
        """Take steps from `upper` until none lowers it."""
        for _ in range(sweeps):
            falls = False
            for step in self.up:
                mine = upper[step.layer.base : step.layer.beyond]
                after = step.taken(upper, up=True)
                if (after < mine).any():
                    np.minimum(mine, after, out=mine)
                    falls = True
            if not falls:
                return

    def _holds(self, upper: Column, candidate: Column) -> bool:
        """Raise a candidate where a step leads above it, and return whether no step does in the end: then it is a bound,
        and `upper` holds it."""
        upper[self.first : self.beyond] = candidate
        for _ in range(self.sweeps):
            rises = False
            for step in self.up:
                mine = upper[step.layer.base : step.layer.beyond]
                after = step.taken(upper, up=True)
                if (after > mine).any():
                    np.maximum(mine, after, out=mine)
                    rises = True
            if not rises:  # in this sweep nothing changed, so each step was taken from these very values
                return True
        return False

    # -- bounds from below ------------------------------------------------------------------------------------------

    def _reached(self, lower: Column, candidate: Column) -> None:
        """Set `lower` to a candidate, if it is a bound as 3 says."""
        tried = lower.copy()
        tried[self.first : self.beyond] = candidate
        for step in self.down:
            if (step.taken(tried, up=False) < tried[step.layer.base : step.layer.beyond]).any():
                return
        ranked = np.zeros(len(lower), dtype=np.bool_)
        ranked[self.beyond :] = True
        ranked[self.first : self.beyond] = candidate <= 0
        for step in self.down:
            ranked[step.layer.base : step.layer.beyond] |= step.layer.met
        while not ranked[self.first : self.beyond].all():
            new = [_leads_down(step, tried, ranked) for step in self.down]  # all of one rank: from the ranks before
            grows = False
            for step, down in zip(self.down, new, strict=True):
                mine = ranked[step.layer.base : step.layer.beyond]
                grows |= bool((down & ~mine).any())
                mine |= down
            if not grows:
                return
        lower[self.first : self.beyond] = candidate


def _leads_down(step: Step, values: Column, ranked: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return in which states of a layer play gets to a lower rank as the theorem says."""
    down = ranked[step.successors]
    down[step.over] = True
    degree = step.layer.degree[step.rows]
    keeps = step.following(values) >= np.repeat(values[step.layer.base + step.rows], degree)
    for_all = np.logical_and.reduceat(down & keeps, step.firsts) if len(step.rows) else down[:0]
    for_one = np.logical_or.reduceat(down & keeps, step.firsts) if len(step.rows) else down[:0]
    by_chance = np.logical_or.reduceat(down, step.firsts) if len(step.rows) else down[:0]
    after = np.zeros(len(step.layer.degree), dtype=np.bool_)
    after[step.rows] = np.where(step.how == MOST, for_one, np.where(step.how == LEAST, for_all, by_chance))
    return after
