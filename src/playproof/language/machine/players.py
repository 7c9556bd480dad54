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
from playproof.language.machine.unseen import deal_unseen_cards
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


def choose_greedy_action(S: Cells, T: Cells, R: Dice, out: Cells, n: int, seat: int) -> int:
    """Return the index of the action with the best evaluation one step ahead; ties are drawn with
    equal probability."""
    best, ties, choice = 0, 0, 0
    for i in range(n):
        copy_state(T, S)
        apply(T, int(out[i]))
        value = worth_of(T, seat)
        if i == 0 or value > best:
            best, ties, choice = value, 1, i
        elif value == best:
            ties += 1
            if below(R, ties) == 0:
                choice = i
    return choice


def choose_greedy_action_imagining(
    S: Cells, T: Cells, W: Cells, R: Dice, out: Cells, n: int, seat: int
) -> int:
    """Return the index of a greedy player's action, who imagines what it does not see."""
    if HIDES == 0:
        return choose_greedy_action(S, T, R, out, n, seat)
    deal_unseen_cards(S, W, R, seat)
    return choose_greedy_action(W, T, R, out, n, seat)


def mark_stopped(S: Cells, length: int, limits: GameLimits) -> None:
    """Mark a game that goes on, or had more decisions than it may have, as stopped."""
    if S[1] == 0 or length > limits.decisions:
        S[1] = STOPPED


def play_random_game(
    S: Cells, R: Dice, out: Cells, weights: Cells, players_move: Cells, limits: GameLimits
) -> int:
    """Play a random game to its end without counting; return the number of players' decisions."""
    length = 0
    for _ in range(limits.steps):
        if S[1] != 0 or length > limits.decisions:
            break
        ident = step(S, R, out, weights)
        if ident < 0:
            return length
        length += int(players_move[ident])
        settle(S)
    mark_stopped(S, length, limits)
    return length


def play_random_game_counted(
    S: Cells, R: Dice, out: Cells, weights: Cells, limits: GameLimits, taken: Ints, takers: Ints
) -> int:
    """Play a random game and note each player's action and who took it; return -1 if the notes are
    full."""
    length = 0
    for _ in range(limits.steps):
        if S[1] != 0 or length > limits.decisions:
            break
        seat = actor(S)
        ident = step(S, R, out, weights)
        if ident < 0:
            return length
        if seat >= 0:
            if length == len(taken):
                return -1
            taken[length] = ident
            takers[length] = seat
            length += 1
        settle(S)
    mark_stopped(S, length, limits)
    return length


def play_game_with_policies(
    S: Cells,
    T: Cells,
    W: Cells,
    R: Dice,
    out: Cells,
    weights: Cells,
    policy: Ints,
    limits: GameLimits,
    taken: Ints,
    takers: Ints,
) -> int:
    """Play as `play_random_game_counted` does, with a greedy player for each seat whose `policy[seat]` is 1, and
    one that sees everything where it is 2."""
    length = 0
    for _ in range(limits.steps):
        if S[1] != 0 or length > limits.decisions:
            break
        n = legal(S, out, weights)
        if n == 0:
            return length
        seat = actor(S)
        if seat < 0:
            apply(S, int(out[draw_weighted_index(R, weights, n)]))
            continue
        if length == len(taken):
            return -1
        if policy[seat] == 2:
            number = choose_greedy_action(S, T, R, out, n, seat)
        elif policy[seat] == 1:
            number = choose_greedy_action_imagining(S, T, W, R, out, n, seat)
        else:
            number = below(R, n)
        ident = int(out[number])
        taken[length] = ident
        takers[length] = seat
        length += 1
        apply(S, ident)
    mark_stopped(S, length, limits)
    return length


def write_game_results(
    S: Cells, game: int, length: int, count: bool, results: PlayoutResultArrays, counts: ActionCountArrays
) -> None:
    """Write what a finished game leaves. A game that reached a limit has STOPPED for its ending, no returns, and counts
    no actions."""
    results.endings[game] = S[1]
    results.decisions[game] = length
    results.rounds[game] = round_of(S)
    if S[1] != STOPPED:
        returns(S, results.returned[game])
    if count and S[1] != STOPPED:
        for i in range(length):
            counts.taken[counts.notes[i]] += 1
            counts.worth[counts.notes[i]] += results.returned[game, counts.takers[i]]


def playouts(
    start: Cells,
    run: Word,
    first: int,
    games: int,
    count: bool,
    limits: GameLimits,
    results: PlayoutResultArrays,
    counts: ActionCountArrays,
) -> int:
    """Play random games `first`, `first` + 1, ... of a run; return how many were played. They are fewer
    than requested if `notes` has no room for the next one. The first player to decide is known if
    actions are counted, else it is -1."""
    S = np.zeros(CELLS, dtype=np.int64)
    R = np.zeros(1, dtype=np.uint64)
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    enter(start)
    settle(start)
    for game in range(games):
        copy_state(S, start)
        R[0] = make_game_seed(run, first + game)
        if count:
            length = play_random_game_counted(S, R, out, weights, limits, counts.notes, counts.takers)
        else:
            length = play_random_game(S, R, out, weights, counts.players_move, limits)
        if length < 0:
            return game
        write_game_results(S, game, length, count, results, counts)
        results.starters[game] = counts.takers[0] if length > 0 and count else -1
    return games


def playouts_with_policies(
    start: Cells,
    run: Word,
    first: int,
    games: int,
    policy: Ints,
    count: bool,
    limits: GameLimits,
    results: PlayoutResultArrays,
    counts: ActionCountArrays,
) -> int:
    """Play games as `playouts` does, with the players of `play_game_with_policies`. It is machine code of its own, so
    that who plays random games need not wait for it."""
    S = np.zeros(CELLS, dtype=np.int64)
    T = np.zeros(CELLS, dtype=np.int64)
    W = np.zeros(WORLD, dtype=np.int64)
    R = np.zeros(1, dtype=np.uint64)
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    enter(start)
    settle(start)
    for game in range(games):
        copy_state(S, start)
        R[0] = make_game_seed(run, first + game)
        length = play_game_with_policies(
            S, T, W, R, out, weights, policy, limits, counts.notes, counts.takers
        )
        if length < 0:
            return game
        write_game_results(S, game, length, count, results, counts)
        results.starters[game] = counts.takers[0] if length > 0 else -1
    return games
