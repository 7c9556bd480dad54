"""Plays whole games with random and greedy players, with or without counting the actions taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from playproof.language.machine.draws import below, copy_state, draw_weighted_index
from playproof.language.machine.generated_functions import (
    CELLS,
    HIDES,
    WIDTH,
    WORLD,
    actor,
    apply,
    enter,
    legal,
    returns,
    round_of,
    settle,
    step,
    worth_of,
)
from playproof.language.machine.unseen import write_world_with_unseen_cards_redealt
from playproof.language.random import make_game_seed

if TYPE_CHECKING:
    from playproof.language.machine.kinds import Cells, Dice, IntGrid, Ints, Word


STOPPED = 4096  # in place of an ending, whose numbers are lower: the game reached a limit


class GameLimits(NamedTuple):
    """How long a game may last. It is stopped after more than so many decisions of players, or after so many steps,
    those of chance included."""

    decisions: int
    steps: int


class PlayoutResultArrays(NamedTuple):
    """What each game writes: its ending, decisions, round and returns, and who decided first."""

    endings: Ints
    decisions: Ints
    rounds: Ints
    returned: IntGrid
    starters: Ints


class ActionCountArrays(NamedTuple):
    """For each ground action, how often players took it and the sum of their returns; 1 for those of players; and room
    for one game's actions and who took them."""

    taken: Ints
    worth: Ints
    players_move: Cells
    notes: Ints
    takers: Ints


def choose_index_of_greedy_action(
    state: Cells, scratch_state: Cells, random_state: Dice, actions: Cells, action_count: int, seat: int
) -> int:
    """Return the index of the action with the best evaluation one step ahead; ties are drawn with
    equal probability."""
    best, ties, choice = 0, 0, 0
    for i in range(action_count):
        copy_state(scratch_state, state)
        apply(scratch_state, int(actions[i]))
        value = worth_of(scratch_state, seat)
        if i == 0 or value > best:
            best, ties, choice = value, 1, i
        elif value == best:
            ties += 1
            if below(random_state, ties) == 0:
                choice = i
    return choice


def choose_greedy_index_with_imagined_cards(
    state: Cells,
    scratch_state: Cells,
    imagined_world: Cells,
    random_state: Dice,
    actions: Cells,
    action_count: int,
    seat: int,
) -> int:
    """Return the index of a greedy player's action, who imagines what it does not see."""
    if HIDES == 0:
        return choose_index_of_greedy_action(state, scratch_state, random_state, actions, action_count, seat)
    write_world_with_unseen_cards_redealt(state, imagined_world, random_state, seat)
    return choose_index_of_greedy_action(imagined_world, scratch_state, random_state, actions, action_count, seat)


def mark_stopped_if_unfinished_or_too_long(state: Cells, decision_count: int, limits: GameLimits) -> None:
    """Mark a game that goes on, or had more decisions than it may have, as stopped."""
    if state[1] == 0 or decision_count > limits.decisions:
        state[1] = STOPPED


def play_random_game_counting_decisions(
    state: Cells, random_state: Dice, actions: Cells, action_weights: Cells, players_move: Cells, limits: GameLimits
) -> int:
    """Play a random game to its end without counting; return the number of players' decisions."""
    length = 0
    for _ in range(limits.steps):
        if state[1] != 0 or length > limits.decisions:
            break
        ident = step(state, random_state, actions, action_weights)
        if ident < 0:
            return length
        length += int(players_move[ident])
        settle(state)
    mark_stopped_if_unfinished_or_too_long(state, length, limits)
    return length


def note_random_game_or_minus_one(
    state: Cells,
    random_state: Dice,
    actions: Cells,
    action_weights: Cells,
    limits: GameLimits,
    taken_actions: Ints,
    taking_seats: Ints,
) -> int:
    """Play a random game and note each player's action and who took it; return -1 if the notes are
    full."""
    length = 0
    for _ in range(limits.steps):
        if state[1] != 0 or length > limits.decisions:
            break
        seat = actor(state)
        ident = step(state, random_state, actions, action_weights)
        if ident < 0:
            return length
        if seat >= 0:
            if length == len(taken_actions):
                return -1
            taken_actions[length] = ident
            taking_seats[length] = seat
            length += 1
        settle(state)
    mark_stopped_if_unfinished_or_too_long(state, length, limits)
    return length


def note_policy_game_or_minus_one(
    state: Cells,
    scratch_state: Cells,
    imagined_world: Cells,
    random_state: Dice,
    actions: Cells,
    action_weights: Cells,
    policy_by_seat: Ints,
    limits: GameLimits,
    taken_actions: Ints,
    taking_seats: Ints,
) -> int:
    """Play as `note_random_game_or_minus_one` does, with a greedy player for each seat whose
    `policy_by_seat[seat]` is 1, and one that sees everything where it is 2."""
    length = 0
    for _ in range(limits.steps):
        if state[1] != 0 or length > limits.decisions:
            break
        n = legal(state, actions, action_weights)
        if n == 0:
            return length
        seat = actor(state)
        if seat < 0:
            apply(state, int(actions[draw_weighted_index(random_state, action_weights, n)]))
            continue
        if length == len(taken_actions):
            return -1
        if policy_by_seat[seat] == 2:
            number = choose_index_of_greedy_action(state, scratch_state, random_state, actions, n, seat)
        elif policy_by_seat[seat] == 1:
            number = choose_greedy_index_with_imagined_cards(
                state, scratch_state, imagined_world, random_state, actions, n, seat
            )
        else:
            number = below(random_state, n)
        ident = int(actions[number])
        taken_actions[length] = ident
        taking_seats[length] = seat
        length += 1
        apply(state, ident)
    mark_stopped_if_unfinished_or_too_long(state, length, limits)
    return length


def write_results_of_game(
    state: Cells,
    game_index: int,
    decision_count: int,
    counts_actions: bool,
    results: PlayoutResultArrays,
    counts: ActionCountArrays,
) -> None:
    """Write what a finished game leaves. A game that reached a limit has STOPPED for its ending, no returns, and counts
    no actions."""
    results.endings[game_index] = state[1]
    results.decisions[game_index] = decision_count
    results.rounds[game_index] = round_of(state)
    if state[1] != STOPPED:
        returns(state, results.returned[game_index])
    if counts_actions and state[1] != STOPPED:
        for i in range(decision_count):
            counts.taken[counts.notes[i]] += 1
            counts.worth[counts.notes[i]] += results.returned[game_index, counts.takers[i]]


def playouts(
    start_state: Cells,
    run_seed: Word,
    first_game: int,
    game_count: int,
    counts_actions: bool,
    limits: GameLimits,
    results: PlayoutResultArrays,
    counts: ActionCountArrays,
) -> int:
    """Play random games `first_game`, `first_game` + 1, ... of a run; return how many were played. They are fewer
    than requested if `notes` has no room for the next one. The first player to decide is known if
    actions are counted, else it is -1."""
    S = np.zeros(CELLS, dtype=np.int64)
    R = np.zeros(1, dtype=np.uint64)
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    enter(start_state)
    settle(start_state)
    for game in range(game_count):
        copy_state(S, start_state)
        R[0] = make_game_seed(run_seed, first_game + game)
        if counts_actions:
            length = note_random_game_or_minus_one(S, R, out, weights, limits, counts.notes, counts.takers)
        else:
            length = play_random_game_counting_decisions(S, R, out, weights, counts.players_move, limits)
        if length < 0:
            return game
        write_results_of_game(S, game, length, counts_actions, results, counts)
        results.starters[game] = counts.takers[0] if length > 0 and counts_actions else -1
    return game_count


def playouts_with_policies(
    start_state: Cells,
    run_seed: Word,
    first_game: int,
    game_count: int,
    policy_by_seat: Ints,
    counts_actions: bool,
    limits: GameLimits,
    results: PlayoutResultArrays,
    counts: ActionCountArrays,
) -> int:
    """Play games as `playouts` does, with the players of `note_policy_game_or_minus_one`. It is machine
    code of its own, so that who plays random games need not wait for it."""
    S = np.zeros(CELLS, dtype=np.int64)
    T = np.zeros(CELLS, dtype=np.int64)
    W = np.zeros(WORLD, dtype=np.int64)
    R = np.zeros(1, dtype=np.uint64)
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    enter(start_state)
    settle(start_state)
    for game in range(game_count):
        copy_state(S, start_state)
        R[0] = make_game_seed(run_seed, first_game + game)
        length = note_policy_game_or_minus_one(
            S, T, W, R, out, weights, policy_by_seat, limits, counts.notes, counts.takers
        )
        if length < 0:
            return game
        write_results_of_game(S, game, length, counts_actions, results, counts)
        results.starters[game] = counts.takers[0] if length > 0 else -1
    return game_count
