"""Replays of histories that must look to a seat as what it observed (playproof.referee.worlds).

A history is a row of actions, with its last state; a seat cannot tell those that it holds apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from playproof.language.machine.draws import below, copy_state, draw_weighted_index
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


class HistoryArrays(NamedTuple):
    """Histories: a row of actions for each, and its last state."""

    acts: IntGrid
    now: IntGrid


class SeatObservations(NamedTuple):
    """What the seat observed: the steps, the actions that sound like them, what it saw, the cells that it sees, and
    what its choices told it; with room for the legal actions of a state and their weights."""

    steps: IntGrid
    alike: Ints
    views: Ints
    eyes: Ints
    choices: Ints
    room: IntGrid


class ChoiceChanges(NamedTuple):
    """What other choices are made with. Only those of the first `changeable` steps in `unseen`, of which the seat did
    not see all, can be changed. `near` marks actions that are tried first; `ground` has a row for each ground action;
    `track` and `fresh` are room for the states and the actions of a history."""

    track: IntGrid
    unseen: Ints
    changeable: int
    near: Ints
    ground: IntGrid
    fresh: Ints


# Columns of `steps`, a row for each step: who acted, where in `alike` the actions begin that sound
# like it and how many they are, where in `views` the visible cells begin and how many views there were,
# where in `write_matching_actions` stands what the choices then told, how long it is, and 1 if it begins
# with the actor.
ACTOR = 0
ALIKE = 1
SOUNDS = 2
VIEW = 3
VIEWS = 4
CHOICE = 5
CHOICES = 6
NAMED = 7
# Columns of `ground`, a row for each ground action: the number of its action, and its parameters: how
# many, and from PARAMS on their values.
ACTION = 0
COUNT = 1
PARAMS = 2
_LONGEST_RUN = 10000  # automatic phases after one action


# -- what is seen ---------------------------------------------------------------------------------------------------


def is_heard_as_step(ident: int, sight: SeatObservations, step: int) -> bool:
    """Return whether an action sounds like a step."""
    low = int(sight.steps[step, ALIKE])
    high = low + int(sight.steps[step, SOUNDS])
    while low < high:
        middle = (low + high) >> 1
        if int(sight.alike[middle]) < ident:
            low = middle + 1
        else:
            high = middle
    return (
        low < int(sight.steps[step, ALIKE]) + int(sight.steps[step, SOUNDS])
        and int(sight.alike[low]) == ident
    )


def has_visible_cells_of_view(S: Cells, sight: SeatObservations, at: int) -> bool:
    """Return whether the visible cells, except the phase, are those of a view."""
    for k in range(1, len(sight.eyes)):  # noqa: SIM110  # this becomes machine code
        if int(S[int(sight.eyes[k])]) != int(sight.views[at + k]):
            return False
    return True


def apply_and_compare_with_step(S: Cells, ident: int, sight: SeatObservations, step: int) -> bool:
    """Take an action that is legal. Return whether it looks like a step; if not, the state is
    anything."""
    take(S, ident)
    at = int(sight.steps[step, VIEW])
    end = at + int(sight.steps[step, VIEWS]) * len(sight.eyes)
    first = at
    for _ in range(_LONGEST_RUN):
        running = automatic(S)
        # Between automatic phases, a table that did not change is not a new view.
        if at == first or running == 0 or not has_visible_cells_of_view(S, sight, at - len(sight.eyes)):
            phase = -1 if running != 0 else int(S[0])
            if at == end or int(sight.views[at]) != phase or not has_visible_cells_of_view(S, sight, at):
                return False
            at += len(sight.eyes)
        if running == 0:
            break
        advance(S)
    return at == end and is_choice_as_observed(S, sight, step)


def is_choice_as_observed(S: Cells, sight: SeatObservations, step: int) -> bool:
    """Return whether whose turn it is, and what may be chosen, tells the seat what it told it after a step."""
    at = int(sight.steps[step, CHOICE])
    told = int(sight.steps[step, CHOICES])
    if told == 0:
        return True
    if sight.steps[step, NAMED] != 0:
        if int(actor(S)) != int(sight.choices[at]):
            return False
        if told == 1:
            return True
        at += 1
        told -= 1
    n = legal(S, sight.room[0], sight.room[1])
    if n != told:
        return False
    for a in range(n):  # noqa: SIM110  # this becomes machine code
        if int(sight.room[0, a]) != int(sight.choices[at + a]):
            return False
    return True


def write_matching_actions(S: Cells, sight: SeatObservations, step: int, out: Cells, weights: Cells) -> int:
    """Write the legal actions that sound like a step, and their weights; return how many there
    are."""
    if S[1] != 0 or int(actor(S)) != int(sight.steps[step, ACTOR]):
        return 0
    if sight.steps[step, SOUNDS] == 1:  # nothing else needs to be asked
        out[0] = sight.alike[int(sight.steps[step, ALIKE])]
        weights[0] = 1
        return int(allowed(S, int(out[0])))
    n = legal(S, out, weights)
    heard = 0
    for a in range(n):
        if is_heard_as_step(int(out[a]), sight, step):
            out[heard] = out[a]
            weights[heard] = weights[a]
            heard += 1
    return heard


def apply_if_fits_step(S: Cells, ident: int, sight: SeatObservations, step: int) -> bool:
    """Take an action if it is legal; return whether it is and looks like a step."""
    if S[1] != 0 or int(actor(S)) != int(sight.steps[step, ACTOR]) or allowed(S, ident) == 0:
        return False
    return apply_and_compare_with_step(S, ident, sight, step)


# -- step by step ---------------------------------------------------------------------------------------------------


def extend_history(
    row: int,
    paths: HistoryArrays,
    step: int,
    sight: SeatObservations,
    S: Cells,
    T: Cells,
    out: Cells,
    weights: Cells,
    R: Dice,
) -> bool:
    """Extend a history by a step: draw an action that looks like it. Return whether there is one."""
    for k in range(CELLS):
        S[k] = paths.now[row, k]
    n = write_matching_actions(S, sight, step, out, weights)
    alikes = 0
    for a in range(n):
        copy_state(T, S)
        if apply_and_compare_with_step(T, int(out[a]), sight, step):
            out[alikes] = out[a]
            weights[alikes] = weights[a]
            alikes += 1
    if alikes == 0:
        return False
    place = 0
    if alikes > 1:
        place = draw_weighted_index(R, weights, alikes) if sight.steps[step, ACTOR] < 0 else below(R, alikes)
    paths.acts[row, step] = out[place]
    apply(S, int(out[place]))
    for k in range(CELLS):
        paths.now[row, k] = S[k]
    return True


def extend(
    rows: int, paths: HistoryArrays, step: int, sight: SeatObservations, R: Dice, extended: Ints
) -> int:
    """Extend each history by a step if that is possible, and note which; return how many."""
    S = np.zeros(CELLS, dtype=np.int64)
    T = np.zeros(CELLS, dtype=np.int64)
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    count = 0
    for row in range(rows):
        extended[row] = 0
        if extend_history(row, paths, step, sight, S, T, out, weights, R):
            extended[row] = 1
            count += 1
    return count


# -- other choices --------------------------------------------------------------------------------------------------


def write_history_states(
    row: int, paths: HistoryArrays, first: int, n: int, track: IntGrid, S: Cells
) -> None:
    """Write the states of a history into `track`, from the state before step `first` on, which is
    there."""
    for k in range(CELLS):
        S[k] = track[first, k]
    for step in range(first, n):
        apply(S, int(paths.acts[row, step]))
        for k in range(CELLS):
            track[step + 1, k] = S[k]


def has_rejoined_history(S: Cells, track: IntGrid, step: int) -> bool:
    """Return whether a state is that of the history before a step."""
    for k in range(CELLS):  # noqa: SIM110  # this becomes machine code, where there are no generators
        if int(S[k]) != int(track[step, k]):
            return False
    return True


def find_replacement_action(
    taken: int, replaced: int, sight: SeatObservations, step: int, ground: IntGrid
) -> int:
    """Return the action that sounds like a step and has, where the seat heard nothing, the parameters
    of the action that was replaced; -1 if there is none or the actions differ in kind."""
    if int(ground[taken, ACTION]) != int(ground[replaced, ACTION]):
        return -1
    start = int(sight.steps[step, ALIKE])
    last = start + int(sight.steps[step, SOUNDS]) - 1
    low = int(sight.alike[start])
    high = int(sight.alike[last])
    several = int(ground[low, ACTION]) != int(ground[high, ACTION])
    for j in range(start, last + 1):
        ident = int(sight.alike[j])
        same = int(ground[ident, ACTION]) == int(ground[replaced, ACTION])
        for k in range(PARAMS, PARAMS + int(ground[replaced, COUNT])):
            silent = several or int(ground[low, k]) != int(ground[high, k])
            if silent and int(ground[ident, k]) != int(ground[replaced, k]):
                same = False
        if same:
            return ident
    return -1


def draw_other_choice(
    S: Cells, taken: int, sight: SeatObservations, step: int, near: Ints, out: Cells, weights: Cells, R: Dice
) -> int:
    """Return another action that sounds like a step, in half of the draws one of those in `near`;
    -1 if there is none."""
    n = write_matching_actions(S, sight, step, out, weights)
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


def change_one_choice(
    row: int,
    paths: HistoryArrays,
    n: int,
    sight: SeatObservations,
    other: ChoiceChanges,
    S: Cells,
    T: Cells,
    out: Cells,
    weights: Cells,
    R: Dice,
) -> int:
    """Write into `fresh` a history of n steps in which one choice is another, and into S its last
    state. Return the step that was changed, or -1 if the seat would notice."""
    if other.changeable == 0:
        return -1
    first = int(other.unseen[below(R, other.changeable)])
    for k in range(CELLS):
        S[k] = other.track[first, k]
    replaced = int(paths.acts[row, first])
    ident = draw_other_choice(S, replaced, sight, first, other.near, out, weights, R)
    if ident < 0 or not apply_and_compare_with_step(S, ident, sight, first):
        return -1
    for k in range(n):
        other.fresh[k] = paths.acts[row, k]
    other.fresh[first] = ident
    for step in range(first + 1, n):
        if has_rejoined_history(S, other.track, step):  # from here on nothing differs
            for k in range(CELLS):
                S[k] = other.track[n, k]
            return first
        ident = int(paths.acts[row, step])
        copy_state(T, S)
        if not apply_if_fits_step(T, ident, sight, step):
            swapped = find_replacement_action(ident, replaced, sight, step, other.ground)
            if swapped < 0 or swapped == ident:
                return -1
            ident = swapped
            copy_state(T, S)
            if not apply_if_fits_step(T, ident, sight, step):
                return -1
        other.fresh[step] = ident
        copy_state(S, T)
    return first


def mend(
    row: int,
    paths: HistoryArrays,
    n: int,
    wanted: int,
    tries: int,
    sight: SeatObservations,
    other: ChoiceChanges,
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
    write_history_states(row, paths, 0, n, other.track, S)
    gap = far(S, wanted) if wanted >= 0 else 0
    for _ in range(tries):
        first = change_one_choice(row, paths, n, sight, other, S, T, out, weights, R)
        if first < 0:
            continue
        farther = far(S, wanted) if wanted >= 0 else 0
        if farther > gap:
            continue
        gap = farther
        for k in range(first, n):
            paths.acts[row, k] = other.fresh[k]
        for k in range(CELLS):
            paths.now[row, k] = S[k]
        if gap == 0 and extend_history(row, paths, n, sight, S, T, out, weights, R):
            return True
        write_history_states(row, paths, first, n, other.track, S)
    return False


def vary(
    row: int,
    to: int,
    paths: HistoryArrays,
    n: int,
    tries: int,
    sight: SeatObservations,
    other: ChoiceChanges,
    R: Dice,
) -> bool:
    """Write into row `to` a history like that of `row`, with one choice changed if a try succeeds.
    Return whether one did."""
    S = np.zeros(CELLS, dtype=np.int64)
    T = np.zeros(CELLS, dtype=np.int64)
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    write_history_states(row, paths, 0, n, other.track, S)
    for _ in range(tries):
        first = change_one_choice(row, paths, n, sight, other, S, T, out, weights, R)
        if first >= 0:
            for k in range(n):
                paths.acts[to, k] = other.fresh[k]
            for k in range(CELLS):
                paths.now[to, k] = S[k]
            return True
    for k in range(n):
        paths.acts[to, k] = paths.acts[row, k]
    for k in range(CELLS):
        paths.now[to, k] = paths.now[row, k]
    return False
