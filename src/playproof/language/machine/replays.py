"""Replays of histories that must look to a seat as what it observed (playproof.referee.histories).

A history is a row of `acts`, and its last state a row of `now`. `steps` and the arrays beside it hold
what the seat observed. `unseen` lists the steps of which it did not see all: only these can be
changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from playproof.language.machine.draws import below, copy, draw
from playproof.language.machine.generated_functions import (
    CELLS,
    WIDTH,
    actor,
    advance,
    allowed,
    apply,
    automatic,
    far,
    legal,
    take,
)

if TYPE_CHECKING:
    from playproof.language.machine.kinds import Cells, Dice, IntGrid, Ints

# Columns of `steps`, a row for each step: who acted, where in `alike` the actions begin that sound
# like it and how many they are, where in `views` the visible cells begin and how many views there were.
ACTOR = 0
ALIKE = 1
SOUNDS = 2
VIEW = 3
VIEWS = 4
# Columns of `ground`, a row for each ground action: the number of its action, and its parameters: how
# many, and from PARAMS on their values.
ACTION = 0
COUNT = 1
PARAMS = 2
_LONGEST_RUN = 10000  # automatic phases after one action


# -- what is seen ---------------------------------------------------------------------------------------------------


def hears(ident: int, steps: IntGrid, step: int, alike: Ints) -> bool:
    """Return whether an action sounds like a step."""
    low = int(steps[step, ALIKE])
    high = low + int(steps[step, SOUNDS])
    while low < high:
        middle = (low + high) >> 1
        if int(alike[middle]) < ident:
            low = middle + 1
        else:
            high = middle
    return low < int(steps[step, ALIKE]) + int(steps[step, SOUNDS]) and int(alike[low]) == ident


def shows(S: Cells, views: Ints, at: int, eyes: Ints) -> bool:
    """Return whether the visible cells, except the phase, are those of a view."""
    for k in range(1, len(eyes)):  # noqa: SIM110  # this becomes machine code
        if int(S[int(eyes[k])]) != int(views[at + k]):
            return False
    return True


def looks(S: Cells, ident: int, steps: IntGrid, step: int, views: Ints, eyes: Ints) -> bool:
    """Take an action that is legal. Return whether it looks like a step; if not, the state is
    anything."""
    take(S, ident)
    at = int(steps[step, VIEW])
    end = at + int(steps[step, VIEWS]) * len(eyes)
    first = at
    for _ in range(_LONGEST_RUN):
        running = automatic(S)
        # Between automatic phases, a table that did not change is not a new view.
        if at == first or running == 0 or not shows(S, views, at - len(eyes), eyes):
            phase = -1 if running != 0 else int(S[0])
            if at == end or int(views[at]) != phase or not shows(S, views, at, eyes):
                return False
            at += len(eyes)
        if running == 0:
            break
        advance(S)
    return at == end


def choices(S: Cells, steps: IntGrid, step: int, alike: Ints, out: Cells, weights: Cells) -> int:
    """Write the legal actions that sound like a step, and their weights; return how many there
    are."""
    if S[1] != 0 or int(actor(S)) != int(steps[step, ACTOR]):
        return 0
    if steps[step, SOUNDS] == 1:  # nothing else needs to be asked
        out[0] = alike[int(steps[step, ALIKE])]
        weights[0] = 1
        return int(allowed(S, int(out[0])))
    n = legal(S, out, weights)
    heard = 0
    for a in range(n):
        if hears(int(out[a]), steps, step, alike):
            out[heard] = out[a]
            weights[heard] = weights[a]
            heard += 1
    return heard


def fits(S: Cells, ident: int, steps: IntGrid, step: int, views: Ints, eyes: Ints) -> bool:
    """Take an action if it is legal; return whether it is and looks like a step."""
    if S[1] != 0 or int(actor(S)) != int(steps[step, ACTOR]) or allowed(S, ident) == 0:
        return False
    return looks(S, ident, steps, step, views, eyes)


# -- step by step ---------------------------------------------------------------------------------------------------


def onward(
    row: int,
    now: IntGrid,
    acts: IntGrid,
    step: int,
    steps: IntGrid,
    alike: Ints,
    views: Ints,
    eyes: Ints,
    S: Cells,
    T: Cells,
    out: Cells,
    weights: Cells,
    R: Dice,
) -> bool:
    """Extend a history by a step: draw an action that looks like it. Return whether there is one."""
    for k in range(CELLS):
        S[k] = now[row, k]
    n = choices(S, steps, step, alike, out, weights)
    alikes = 0
    for a in range(n):
        copy(T, S)
        if looks(T, int(out[a]), steps, step, views, eyes):
            out[alikes] = out[a]
            weights[alikes] = weights[a]
            alikes += 1
    if alikes == 0:
        return False
    place = 0
    if alikes > 1:
        place = draw(R, weights, alikes) if steps[step, ACTOR] < 0 else below(R, alikes)
    acts[row, step] = out[place]
    apply(S, int(out[place]))
    for k in range(CELLS):
        now[row, k] = S[k]
    return True


def extend(
    rows: int,
    now: IntGrid,
    acts: IntGrid,
    step: int,
    steps: IntGrid,
    alike: Ints,
    views: Ints,
    eyes: Ints,
    R: Dice,
    extended: Ints,
) -> int:
    """Extend each history by a step if that is possible, and note which; return how many."""
    S = np.zeros(CELLS, dtype=np.int64)
    T = np.zeros(CELLS, dtype=np.int64)
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    count = 0
    for row in range(rows):
        extended[row] = 0
        if onward(row, now, acts, step, steps, alike, views, eyes, S, T, out, weights, R):
            extended[row] = 1
            count += 1
    return count


# -- other choices --------------------------------------------------------------------------------------------------


def trace(row: int, acts: IntGrid, first: int, n: int, track: IntGrid, S: Cells) -> None:
    """Write the states of a history into `track`, from the state before step `first` on, which is
    there."""
    for k in range(CELLS):
        S[k] = track[first, k]
    for step in range(first, n):
        apply(S, int(acts[row, step]))
        for k in range(CELLS):
            track[step + 1, k] = S[k]


def rejoins(S: Cells, track: IntGrid, step: int) -> bool:
    """Return whether a state is that of the history before a step."""
    for k in range(CELLS):  # noqa: SIM110  # this becomes machine code, where there are no generators
        if int(S[k]) != int(track[step, k]):
            return False
    return True


def instead(taken: int, replaced: int, steps: IntGrid, step: int, alike: Ints, ground: IntGrid) -> int:
    """Return the action that sounds like a step and has, where the seat heard nothing, the parameters
    of the action that was replaced; -1 if there is none or the actions differ in kind."""
    if int(ground[taken, ACTION]) != int(ground[replaced, ACTION]):
        return -1
    start = int(steps[step, ALIKE])
    last = start + int(steps[step, SOUNDS]) - 1
    low = int(alike[start])
    high = int(alike[last])
    several = int(ground[low, ACTION]) != int(ground[high, ACTION])
    for j in range(start, last + 1):
        ident = int(alike[j])
        same = int(ground[ident, ACTION]) == int(ground[replaced, ACTION])
        for k in range(PARAMS, PARAMS + int(ground[replaced, COUNT])):
            silent = several or int(ground[low, k]) != int(ground[high, k])
            if silent and int(ground[ident, k]) != int(ground[replaced, k]):
                same = False
        if same:
            return ident
    return -1


def other_choice(
    S: Cells,
    taken: int,
    steps: IntGrid,
    step: int,
    alike: Ints,
    near: Ints,
    out: Cells,
    weights: Cells,
    R: Dice,
) -> int:
    """Return another action that sounds like a step, in half of the draws one of those in `near`;
    -1 if there is none."""
    n = choices(S, steps, step, alike, out, weights)
    others = 0
    for a in range(n):
        if int(out[a]) != taken:
            out[others] = out[a]
            others += 1
    if others == 0:
        return -1
    close = 0
    for a in range(others):
        if near[int(out[a])] != 0:
            close += 1
    if close > 0 and below(R, 2) == 1:
        rest = below(R, close)
        for a in range(others):
            if near[int(out[a])] != 0:
                if rest == 0:
                    return int(out[a])
                rest -= 1
    return int(out[below(R, others)])


def change(
    row: int,
    acts: IntGrid,
    n: int,
    track: IntGrid,
    steps: IntGrid,
    alike: Ints,
    views: Ints,
    eyes: Ints,
    unseen: Ints,
    changeable: int,
    near: Ints,
    ground: IntGrid,
    fresh: Ints,
    S: Cells,
    T: Cells,
    out: Cells,
    weights: Cells,
    R: Dice,
) -> int:
    """Write into `fresh` a history of n steps in which one choice is another, and into S its last
    state. Return the step that was changed, or -1 if the seat would notice."""
    if changeable == 0:
        return -1
    first = int(unseen[below(R, changeable)])
    for k in range(CELLS):
        S[k] = track[first, k]
    replaced = int(acts[row, first])
    ident = other_choice(S, replaced, steps, first, alike, near, out, weights, R)
    if ident < 0 or not looks(S, ident, steps, first, views, eyes):
        return -1
    for k in range(n):
        fresh[k] = acts[row, k]
    fresh[first] = ident
    for step in range(first + 1, n):
        if rejoins(S, track, step):  # from here on nothing differs
            for k in range(CELLS):
                S[k] = track[n, k]
            return first
        ident = int(acts[row, step])
        copy(T, S)
        if not fits(T, ident, steps, step, views, eyes):
            swapped = instead(ident, replaced, steps, step, alike, ground)
            if swapped < 0 or swapped == ident:
                return -1
            ident = swapped
            copy(T, S)
            if not fits(T, ident, steps, step, views, eyes):
                return -1
        fresh[step] = ident
        copy(S, T)
    return first


def mend(
    row: int,
    now: IntGrid,
    acts: IntGrid,
    n: int,
    wanted: int,
    tries: int,
    track: IntGrid,
    steps: IntGrid,
    alike: Ints,
    views: Ints,
    eyes: Ints,
    unseen: Ints,
    changeable: int,
    near: Ints,
    ground: IntGrid,
    fresh: Ints,
    R: Dice,
) -> bool:
    """Change a history of n steps until it can be extended by step n, and extend it. Return whether
    that succeeded.

    A change stays if it brings the wanted action (-1 if it is not known) no farther from being legal.
    """
    S = np.zeros(CELLS, dtype=np.int64)
    T = np.zeros(CELLS, dtype=np.int64)
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    trace(row, acts, 0, n, track, S)
    gap = far(S, wanted) if wanted >= 0 else 0
    for _ in range(tries):
        first = change(
            row,
            acts,
            n,
            track,
            steps,
            alike,
            views,
            eyes,
            unseen,
            changeable,
            near,
            ground,
            fresh,
            S,
            T,
            out,
            weights,
            R,
        )
        if first < 0:
            continue
        farther = far(S, wanted) if wanted >= 0 else 0
        if farther > gap:
            continue
        gap = farther
        for k in range(first, n):
            acts[row, k] = fresh[k]
        for k in range(CELLS):
            now[row, k] = S[k]
        if gap == 0 and onward(row, now, acts, n, steps, alike, views, eyes, S, T, out, weights, R):
            return True
        trace(row, acts, first, n, track, S)
    return False


def vary(
    row: int,
    to: int,
    now: IntGrid,
    acts: IntGrid,
    n: int,
    tries: int,
    track: IntGrid,
    steps: IntGrid,
    alike: Ints,
    views: Ints,
    eyes: Ints,
    unseen: Ints,
    changeable: int,
    near: Ints,
    ground: IntGrid,
    fresh: Ints,
    R: Dice,
) -> bool:
    """Write into row `to` a history like that of `row`, with one choice changed if a try succeeds.
    Return whether one did."""
    S = np.zeros(CELLS, dtype=np.int64)
    T = np.zeros(CELLS, dtype=np.int64)
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    trace(row, acts, 0, n, track, S)
    for _ in range(tries):
        first = change(
            row,
            acts,
            n,
            track,
            steps,
            alike,
            views,
            eyes,
            unseen,
            changeable,
            near,
            ground,
            fresh,
            S,
            T,
            out,
            weights,
            R,
        )
        if first >= 0:
            for k in range(n):
                acts[to, k] = fresh[k]
            for k in range(CELLS):
                now[to, k] = S[k]
            return True
    for k in range(n):
        acts[to, k] = acts[row, k]
    for k in range(CELLS):
        now[to, k] = now[row, k]
    return False
