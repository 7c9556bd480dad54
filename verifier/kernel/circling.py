"""Values of states whose layer has circles: play may come back to a state, and go on for ever.

T is one step of best play: what `swept` says of a state's successors. All values of later layers are there. Whoever
runs the kernel proposes values for the states of such a layer; here they are confirmed.

The theorems, for the states of one layer:

  1. If play that goes on for ever is worth 0, the value is the least fixed point of T, and each `upper` that is 0 or
     more with T(`upper`), rounded up, <= `upper` in all states is at least the value (Knaster and Tarski). Circles that
     the seeker need not leave are no harm here.
  2. Under the same convention a `lower` is a bound from below if T(`lower`), rounded down, >= `lower`, and play that
     keeps it leaves the circles: from each state whose bound is above 0 the seeker has a step, the others have only
     steps, to a state of lower rank with no smaller bound; chance has one to a lower rank. A step out of the layer, or
     to a state whose bound is 0, counts as lower. For then play leaves with probability 1: from each state it may leave
     within as many steps as there are ranks, and the chance of that is at least some number above 0. On the way the
     bound does not fall on average (optional stopping). Where the bound is 0, nothing is claimed. A state of the event
     needs no rank. Where a step adds a gain, its state needs none either: play that gains again and again is worth
     more than any bound, and the bound together with the gains so far does not fall on average.
  3. Let the others seek, and count 1 - value instead: then 1 - `lower` of theirs bounds the seeker's value from above,
     if endless play is worth 1 to the seeker. It holds for all that endless play may be worth, from 0 to 1, since the
     value can only fall with it. States of an event, dead ends and gains are worth the same to both sides: there may
     be none.

The premises, and where they are checked: every bound is from 0 to SCALE (`_proposed`); T and the ranks, in each state
(`is_below`, `is_above`). Where proposals come from is no premise.
Sources: Condon, "The complexity of stochastic games", Information and Computation 96, 1992; Chatterjee and others,
"Fixed point certificates for reachability and expected rewards in MDPs", TACAS 2025.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.context import Context, Side
from playproof.verifier.kernel.layers import Column, Layers
from playproof.verifier.kernel.swept import MEAN, SCALE, Step, blocks, by_choice, returns

BEYOND = "a value is more than 1"


def bounded(
    made: Layers,
    ends: tuple[Column, Column],
    who: Mapping[int, int],
    others: int,
    context: Context,
    *,
    endless: bool,
    gain: int = 0,
    free: Sequence[int] = (),
) -> tuple[Column, Column]:
    """Return the bounds of each state's value. `ends` are the values of the ends, rounded down and up; `who` maps
    actors (-1 is chance) to MOST, LEAST or MEAN, and `others` is for all other actors. Endless play is worth 0, or (if
    `endless`) any number from 0 to 1. Each step adds `gain`, but those of the actors `free`. Raises NotShown, also if a
    gain leads beyond 1."""
    for values in ends:
        if not 0 <= values.min() <= values.max() <= SCALE:
            raise NotShown("a value is not from 0 to 1")
    if endless and (gain or any(layer.met.any() or not layer.degree.all() for layer in made.layers)):
        raise NotShown("a state of an event, a dead end, or a gain is worth the same to both sides")
    lower, other = np.zeros(made.states, dtype=np.int64), np.zeros(made.states, dtype=np.int64)
    below, above = (lower, ends[0]), (other, SCALE - ends[1] if endless else ends[1])
    against = {actor: -how for actor, how in who.items()}
    for block in reversed(blocks(made)):
        steps = [Step(layer, who, others, gain, free) for layer in block]
        circles = made.circles and returns(block)
        if endless:
            _settle(steps, below, None, circles, context)
            _settle([Step(layer, against, -others) for layer in block], above, None, circles, context)
        else:
            _settle(steps, below, above, circles, context)
        if other[block[0].base : block[-1].beyond].max() > SCALE:
            raise NotShown(BEYOND)
    return lower, SCALE - other if endless else other


def _settle(steps: Sequence[Step], below: Side, above: Side | None, circles: bool, context: Context) -> None:
    """Set the bounds of some layers' states from those behind them. Raises NotShown."""
    if not circles:
        for step in steps:
            below[0][step.own] = step.taken(*below, up=False)
            if above is not None:
                above[0][step.own] = step.taken(*above, up=True)
        return
    if context.propose is None:
        raise NotShown("play may come back to a state, and nobody proposes bounds")
    lower, ranks, upper = context.propose(steps, below, above)
    _proposed(steps, below, lower)
    is_below(steps, below, ranks)
    if above is not None:
        _proposed(steps, above, upper)
        is_above(steps, above)


def _proposed(steps: Sequence[Step], side: Side, bounds: Column | None) -> None:
    """Take bounds up among the values of all states. Raises NotShown if they are no such bounds."""
    own = slice(steps[0].own.start, steps[-1].own.stop)
    if bounds is None or bounds.shape != (own.stop - own.start,) or bounds.dtype != np.int64:
        raise NotShown("expected one bound for each state")
    if not 0 <= bounds.min() <= bounds.max() <= SCALE:
        raise NotShown("a bound is not from 0 to 1")
    side[0][own] = bounds


def is_above(steps: Sequence[Step], side: Side) -> None:
    """Check that the bounds of some layers' states are bounds from above (1). Raises NotShown."""
    if any((step.taken(*side, up=True) > side[0][step.own]).any() for step in steps):
        raise NotShown("best play may do better than the bound from above")


def is_below(steps: Sequence[Step], side: Side, ranks: npt.NDArray[Any]) -> None:
    """Check that the bounds of some layers' states are bounds from below, by these ranks (2). Raises NotShown."""
    own = slice(steps[0].own.start, steps[-1].own.stop)
    if ranks.shape != (own.stop - own.start,):
        raise NotShown("expected one rank for each state")
    for step in steps:
        if (step.taken(*side, up=False) < side[0][step.own]).any() or not _falls(step, side, ranks, own):
            raise NotShown("the bound from below is not reached")


def _falls(step: Step, side: Side, ranks: npt.NDArray[Any], own: slice) -> bool:
    """Return whether play comes to a lower rank, as 2 says, from each state of a layer that needs one."""
    if not len(step.rows):
        return True
    rows, to = step.layer.base + step.rows, step.layer.to
    here, behind = side[0][rows], step.behind(*side)
    inside = (to >= own.start) & (to < own.stop)
    ranked = ranks[np.where(inside, to - own.start, 0)] < np.repeat(ranks[rows - own.start], step.degree)
    down = ~inside | (behind <= 0) | ranked
    good = down & (behind >= np.repeat(here, step.degree))
    leads = by_choice(step.how, good, step.firsts, np.logical_or, np.logical_and)
    leads |= (step.how == MEAN) & np.logical_or.reduceat(down, step.firsts)
    return bool((leads | (here <= 0) | (step.gain > 0) | step.layer.met[step.rows]).all())
