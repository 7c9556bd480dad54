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
# where in `write_legal_actions_heard_as_step` stands what the choices then told, how long it is, and 1 if it begins
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


def is_action_heard_as_observed_step(action_id: int, observations: SeatObservations, step: int) -> bool:
    """Return whether an action sounds like a step."""
    low = int(observations.steps[step, ALIKE])
    high = low + int(observations.steps[step, SOUNDS])
    while low < high:
        middle = (low + high) >> 1
        if int(observations.alike[middle]) < action_id:
            low = middle + 1
        else:
            high = middle
    return (
        low < int(observations.steps[step, ALIKE]) + int(observations.steps[step, SOUNDS])
        and int(observations.alike[low]) == action_id
    )


def has_same_visible_cells_as_view(state: Cells, observations: SeatObservations, view_offset: int) -> bool:
    """Return whether the visible cells, except the phase, are those of a view."""
    for k in range(1, len(observations.eyes)):  # this becomes machine code
        if int(state[int(observations.eyes[k])]) != int(observations.views[view_offset + k]):
            return False
    return True


def apply_action_and_tell_if_step_matches(
    state: Cells, action_id: int, observations: SeatObservations, step: int
) -> bool:
    """Take an action that is legal. Return whether it looks like a step; if not, the state is
    anything."""
    take(state, action_id)
    at = int(observations.steps[step, VIEW])
    end = at + int(observations.steps[step, VIEWS]) * len(observations.eyes)
    first = at
    for _ in range(_LONGEST_RUN):
        running = automatic(state)
        # Between automatic phases, a table that did not change is not a new view.
        if (
            at == first
            or running == 0
            or not has_same_visible_cells_as_view(state, observations, at - len(observations.eyes))
        ):
            phase = -1 if running != 0 else int(state[0])
            if (
                at == end
                or int(observations.views[at]) != phase
                or not has_same_visible_cells_as_view(state, observations, at)
            ):
                return False
            at += len(observations.eyes)
        if running == 0:
            break
        advance(state)
    return at == end and are_actor_and_choices_as_observed(state, observations, step)


def are_actor_and_choices_as_observed(state: Cells, observations: SeatObservations, step: int) -> bool:
    """Return whether whose turn it is, and what may be chosen, tells the seat what it told it after a step."""
    at = int(observations.steps[step, CHOICE])
    told = int(observations.steps[step, CHOICES])
    if told == 0:
        return True
    if observations.steps[step, NAMED] != 0:
        if int(actor(state)) != int(observations.choices[at]):
            return False
        if told == 1:
            return True
        at += 1
        told -= 1
    n = legal(state, observations.room[0], observations.room[1])
    if n != told:
        return False
    for a in range(n):  # noqa: SIM110  # this becomes machine code
        if int(observations.room[0, a]) != int(observations.choices[at + a]):
            return False
    return True


def write_legal_actions_heard_as_step(
    state: Cells, observations: SeatObservations, step: int, actions: Cells, action_weights: Cells
) -> int:
    """Write the legal actions that sound like a step, and their weights; return how many there
    are."""
    if state[1] != 0 or int(actor(state)) != int(observations.steps[step, ACTOR]):
        return 0
    if observations.steps[step, SOUNDS] == 1:  # nothing else needs to be asked
        actions[0] = observations.alike[int(observations.steps[step, ALIKE])]
        action_weights[0] = 1
        return int(allowed(state, int(actions[0])))
    n = legal(state, actions, action_weights)
    heard = 0
    for a in range(n):
        if is_action_heard_as_observed_step(int(actions[a]), observations, step):
            actions[heard] = actions[a]
            action_weights[heard] = action_weights[a]
            heard += 1
    return heard


def apply_if_legal_and_tell_if_step_matches(
    state: Cells, action_id: int, observations: SeatObservations, step: int
) -> bool:
    """Take an action if it is legal; return whether it is and looks like a step."""
    if state[1] != 0 or int(actor(state)) != int(observations.steps[step, ACTOR]) or allowed(state, action_id) == 0:
        return False
    return apply_action_and_tell_if_step_matches(state, action_id, observations, step)


# -- step by step ---------------------------------------------------------------------------------------------------


def try_to_extend_history_by_matching_action(
    row: int,
    histories: HistoryArrays,
    step: int,
    observations: SeatObservations,
    state: Cells,
    scratch_state: Cells,
    actions: Cells,
    action_weights: Cells,
    random_state: Dice,
) -> bool:
    """Extend a history by a step: draw an action that looks like it. Return whether there is one."""
    for k in range(CELLS):
        state[k] = histories.now[row, k]
    n = write_legal_actions_heard_as_step(state, observations, step, actions, action_weights)
    alikes = 0
    for a in range(n):
        copy_state(scratch_state, state)
        if apply_action_and_tell_if_step_matches(scratch_state, int(actions[a]), observations, step):
            actions[alikes] = actions[a]
            action_weights[alikes] = action_weights[a]
            alikes += 1
    if alikes == 0:
        return False
    place = 0
    if alikes > 1:
        place = (
            draw_weighted_index(random_state, action_weights, alikes)
            if observations.steps[step, ACTOR] < 0
            else below(random_state, alikes)
        )
    histories.acts[row, step] = actions[place]
    apply(state, int(actions[place]))
    for k in range(CELLS):
        histories.now[row, k] = state[k]
    return True


def extend_histories_by_step(
    rows: int, histories: HistoryArrays, step: int, observations: SeatObservations, random_state: Dice, extended: Ints
) -> int:
    """Extend each history by a step if that is possible, and note which; return how many."""
    S = np.zeros(CELLS, dtype=np.int64)
    T = np.zeros(CELLS, dtype=np.int64)
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    count = 0
    for row in range(rows):
        extended[row] = 0
        if try_to_extend_history_by_matching_action(
            row, histories, step, observations, S, T, out, weights, random_state
        ):
            extended[row] = 1
            count += 1
    return count


# -- other choices --------------------------------------------------------------------------------------------------


def write_states_along_history(
    row: int, histories: HistoryArrays, first_step: int, step_count: int, states_by_step: IntGrid, state: Cells
) -> None:
    """Write the states of a history into `states_by_step`, from the state before step `first_step` on, which is
    there."""
    for k in range(CELLS):
        state[k] = states_by_step[first_step, k]
    for step in range(first_step, step_count):
        apply(state, int(histories.acts[row, step]))
        for k in range(CELLS):
            states_by_step[step + 1, k] = state[k]


def has_rejoined_history(state: Cells, states_by_step: IntGrid, step: int) -> bool:
    """Return whether a state is that of the history before a step."""
    for k in range(CELLS):  # noqa: SIM110  # this becomes machine code, where there are no generators
        if int(state[k]) != int(states_by_step[step, k]):
            return False
    return True


def find_heard_replacement_or_minus_one(
    taken_action: int, replaced_action: int, observations: SeatObservations, step: int, parameters_by_action: IntGrid
) -> int:
    """Return the action that sounds like a step and has, where the seat heard nothing, the parameters
    of the action that was replaced; -1 if there is none or the actions differ in kind."""
    if int(parameters_by_action[taken_action, ACTION]) != int(parameters_by_action[replaced_action, ACTION]):
        return -1
    start = int(observations.steps[step, ALIKE])
    last = start + int(observations.steps[step, SOUNDS]) - 1
    low = int(observations.alike[start])
    high = int(observations.alike[last])
    several = int(parameters_by_action[low, ACTION]) != int(parameters_by_action[high, ACTION])
    for j in range(start, last + 1):
        ident = int(observations.alike[j])
        same = int(parameters_by_action[ident, ACTION]) == int(parameters_by_action[replaced_action, ACTION])
        for k in range(PARAMS, PARAMS + int(parameters_by_action[replaced_action, COUNT])):
            silent = several or int(parameters_by_action[low, k]) != int(parameters_by_action[high, k])
            if silent and int(parameters_by_action[ident, k]) != int(parameters_by_action[replaced_action, k]):
                same = False
        if same:
            return ident
    return -1


def draw_heard_action_or_minus_one(
    state: Cells,
    taken_action: int,
    observations: SeatObservations,
    step: int,
    preferred_actions: Ints,
    actions: Cells,
    action_weights: Cells,
    random_state: Dice,
) -> int:
    """Return another action that sounds like a step, in half of the draws one of those in `preferred_actions`;
    -1 if there is none."""
    n = write_legal_actions_heard_as_step(state, observations, step, actions, action_weights)
    others = 0
    for a in range(n):
        if int(actions[a]) != taken_action:
            actions[others] = actions[a]
            others += 1
    if others == 0:
        return -1
    close = 0
    for a in range(others):
        if preferred_actions[int(actions[a])] != 0:
            close += 1
    if close > 0 and below(random_state, 2) == 1:
        rest = below(random_state, close)
        for a in range(others):
            if preferred_actions[int(actions[a])] != 0:
                if rest == 0:
                    return int(actions[a])
                rest -= 1
    return int(actions[below(random_state, others)])


def change_one_choice_or_minus_one(
    row: int,
    histories: HistoryArrays,
    step_count: int,
    observations: SeatObservations,
    choice_changes: ChoiceChanges,
    state: Cells,
    scratch_state: Cells,
    actions: Cells,
    action_weights: Cells,
    random_state: Dice,
) -> int:
    """Write into `fresh` a history of n steps in which one choice is another, and into S its last
    state. Return the step that was changed, or -1 if the seat would notice."""
    if choice_changes.changeable == 0:
        return -1
    first = int(choice_changes.unseen[below(random_state, choice_changes.changeable)])
    for k in range(CELLS):
        state[k] = choice_changes.track[first, k]
    replaced = int(histories.acts[row, first])
    ident = draw_heard_action_or_minus_one(
        state, replaced, observations, first, choice_changes.near, actions, action_weights, random_state
    )
    if ident < 0 or not apply_action_and_tell_if_step_matches(state, ident, observations, first):
        return -1
    for k in range(step_count):
        choice_changes.fresh[k] = histories.acts[row, k]
    choice_changes.fresh[first] = ident
    for step in range(first + 1, step_count):
        if has_rejoined_history(state, choice_changes.track, step):  # from here on nothing differs
            for k in range(CELLS):
                state[k] = choice_changes.track[step_count, k]
            return first
        ident = int(histories.acts[row, step])
        copy_state(scratch_state, state)
        if not apply_if_legal_and_tell_if_step_matches(scratch_state, ident, observations, step):
            swapped = find_heard_replacement_or_minus_one(ident, replaced, observations, step, choice_changes.ground)
            if swapped < 0 or swapped == ident:
                return -1
            ident = swapped
            copy_state(scratch_state, state)
            if not apply_if_legal_and_tell_if_step_matches(scratch_state, ident, observations, step):
                return -1
        choice_changes.fresh[step] = ident
        copy_state(state, scratch_state)
    return first


def change_history_until_step_fits(
    row: int,
    histories: HistoryArrays,
    step_count: int,
    wanted_action: int,
    max_tries: int,
    observations: SeatObservations,
    choice_changes: ChoiceChanges,
    random_state: Dice,
) -> bool:
    """Change a history of n steps until it can be extended by step n, and extend it. Return whether
    that succeeded.

    A change stays if it brings the wanted action (-1 if it is not known) no farther from being legal.
    """
    S = np.zeros(CELLS, dtype=np.int64)
    T = np.zeros(CELLS, dtype=np.int64)
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    write_states_along_history(row, histories, 0, step_count, choice_changes.track, S)
    gap = far(S, wanted_action) if wanted_action >= 0 else 0
    for _ in range(max_tries):
        first = change_one_choice_or_minus_one(
            row, histories, step_count, observations, choice_changes, S, T, out, weights, random_state
        )
        if first < 0:
            continue
        farther = far(S, wanted_action) if wanted_action >= 0 else 0
        if farther > gap:
            continue
        gap = farther
        for k in range(first, step_count):
            histories.acts[row, k] = choice_changes.fresh[k]
        for k in range(CELLS):
            histories.now[row, k] = S[k]
        if gap == 0 and try_to_extend_history_by_matching_action(
            row, histories, step_count, observations, S, T, out, weights, random_state
        ):
            return True
        write_states_along_history(row, histories, first, step_count, choice_changes.track, S)
    return False


def write_varied_history_or_copy(
    source_row: int,
    target_row: int,
    histories: HistoryArrays,
    step_count: int,
    max_tries: int,
    observations: SeatObservations,
    choice_changes: ChoiceChanges,
    random_state: Dice,
) -> bool:
    """Write into row `target_row` a history like that of `source_row`, with one choice changed if a try succeeds.
    Return whether one did."""
    S = np.zeros(CELLS, dtype=np.int64)
    T = np.zeros(CELLS, dtype=np.int64)
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    write_states_along_history(source_row, histories, 0, step_count, choice_changes.track, S)
    for _ in range(max_tries):
        first = change_one_choice_or_minus_one(
            source_row, histories, step_count, observations, choice_changes, S, T, out, weights, random_state
        )
        if first >= 0:
            for k in range(step_count):
                histories.acts[target_row, k] = choice_changes.fresh[k]
            for k in range(CELLS):
                histories.now[target_row, k] = S[k]
            return True
    for k in range(step_count):
        histories.acts[target_row, k] = histories.acts[source_row, k]
    for k in range(CELLS):
        histories.now[target_row, k] = histories.now[source_row, k]
    return False
