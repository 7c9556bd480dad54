"""Plays games of a run again and keeps a record: every state and step, the chances to win at each step, or
the result when one seat's luck or choices are changed.

An unchanged game is the game that `players.playouts` plays under the same number, step by step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from playproof.language.machine.draws import below, copy_state, draw_weighted_index
from playproof.language.machine.generated_functions import (
    CELLS,
    SEATS,
    WIDTH,
    WORLD,
    actor,
    apply,
    legal,
    returns,
    settle,
    step,
)
from playproof.language.machine.players import choose_greedy_index_with_imagined_cards
from playproof.language.random import make_game_seed

if TYPE_CHECKING:
    from playproof.language.machine.kinds import Cells, Dice, IntGrid, Ints, Word

# Columns of `steps`, a row for each state of a game: the game's number in the call, who acts in the state, the
# action that was taken there (-1 at the end), and how many actions were legal.
GAME = 0
ACTOR = 1
IDENT = 2
LEGAL = 3
# What is changed for a seat.
NOTHING = 0
HELD = 1
WITHHELD = 2
UNUSED = 3
# What an ending means for who has won.
TO_THE_GREATEST = 1
TO_ALL = 2
LONGEST = 100000  # steps after which a game is left: it may never end
# What an action has to do with a thing.
DEALS = 1
USES = 2
# In place of how many cells hold a thing: it counts as held once chance deals it.
EVERY_DEAL = -1


def choose_action_by_policy(
    state: Cells,
    scratch_state: Cells,
    imagined_world: Cells,
    random_state: Dice,
    actions: Cells,
    action_weights: Cells,
    policy_by_seat: Ints,
    action_count: int,
    seat: int,
) -> int:
    """Return one of the n actions in `actions`: chance's by weight, a seat's by its policy."""
    if seat < 0:
        return int(actions[draw_weighted_index(random_state, action_weights, action_count)])
    if policy_by_seat[seat] == 1:
        return int(
            actions[
                choose_greedy_index_with_imagined_cards(
                    state, scratch_state, imagined_world, random_state, actions, action_count, seat
                )
            ]
        )
    return int(actions[below(random_state, action_count)])


class EndingMeanings(NamedTuple):
    """What each ending means for who has won, and the team of each seat."""

    kinds: Ints
    team: Ints


class Treatment(NamedTuple):
    """What is changed: the arm, what each ground action has to do with the thing, and the cells that hold it."""

    arm: int
    marks: Ints
    cells: IntGrid


# -- every state ----------------------------------------------------------------------------------------------------


def choose_write_and_take_step(
    state: Cells,
    scratch_state: Cells,
    imagined_world: Cells,
    random_state: Dice,
    actions: Cells,
    action_weights: Cells,
    policy_by_seat: Ints,
    action_count: int,
    game: int,
    row: int,
    steps: IntGrid,
) -> None:
    """Choose one of the n actions in `actions`, write the step in a row of `steps`, and take it; without an
    action, nobody acts."""
    steps[row, GAME] = game
    steps[row, LEGAL] = action_count
    steps[row, ACTOR] = actor(state) if action_count > 0 else -1
    steps[row, IDENT] = -1
    if action_count > 0:
        ident = choose_action_by_policy(
            state,
            scratch_state,
            imagined_world,
            random_state,
            actions,
            action_weights,
            policy_by_seat,
            action_count,
            int(steps[row, ACTOR]),
        )
        steps[row, IDENT] = ident
        apply(state, ident)


def write_states_and_steps_of_games(
    start_state: Cells,
    run_seed: Word,
    game_numbers: Ints,
    policy_by_seat: Ints,
    states: IntGrid,
    steps: IntGrid,
    options: Ints,
    used_counts: Ints,
) -> int:
    """Play the games with these numbers and write their states, steps and legal actions. Return how many games
    were written; they are fewer if there is no room. `used_counts` receives the numbers of rows and options."""
    S = np.zeros(CELLS, dtype=np.int64)
    T = np.zeros(CELLS, dtype=np.int64)
    W = np.zeros(WORLD, dtype=np.int64)
    R = np.zeros(1, dtype=np.uint64)
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    settle(start_state)
    rows = 0
    listed = 0
    for game in range(len(game_numbers)):
        copy_state(S, start_state)
        R[0] = make_game_seed(run_seed, int(game_numbers[game]))
        used_counts[0] = rows
        used_counts[1] = listed
        going = True
        while going:
            n = legal(S, out, weights)
            if rows == len(steps) or listed + n > len(options):
                return game
            for i in range(CELLS):
                states[rows, i] = S[i]
            for i in range(n):
                options[listed + i] = out[i]
            choose_write_and_take_step(S, T, W, R, out, weights, policy_by_seat, n, game, rows, steps)
            rows += 1
            listed += n
            going = n > 0 and rows - int(used_counts[0]) < LONGEST
    used_counts[0] = rows
    used_counts[1] = listed
    return len(game_numbers)


# -- chances to win -------------------------------------------------------------------------------------------------


def has_seat_won(state: Cells, returns_by_seat: Cells, ending_meanings: EndingMeanings, seat: int) -> bool:
    """Return whether a seat has won a finished game: everybody, or whose return is above all of the other teams."""
    kind = int(ending_meanings.kinds[int(state[1])])
    if kind != TO_THE_GREATEST:
        return kind == TO_ALL
    for other in range(SEATS):
        if (
            ending_meanings.team[other] != ending_meanings.team[seat]
            and returns_by_seat[other] >= returns_by_seat[seat]
        ):
            return False
    return True


def count_wins_of_random_games_from_state(
    state: Cells,
    scratch_state: Cells,
    random_state: Dice,
    actions: Cells,
    action_weights: Cells,
    returns_by_seat: Cells,
    games_per_state: int,
    ending_meanings: EndingMeanings,
    row: int,
    wins_by_row: IntGrid,
) -> None:
    """Play random games from a state and count each seat's wins in a row of `wins_by_row`."""
    for q in range(SEATS):
        wins_by_row[row, q] = 0
    for _ in range(games_per_state):
        copy_state(scratch_state, state)
        for _ in range(LONGEST):
            if scratch_state[1] != 0 or step(scratch_state, random_state, actions, action_weights) < 0:
                break
            settle(scratch_state)
        for q in range(SEATS):
            returns_by_seat[q] = 0
        if scratch_state[1] != 0:
            returns(scratch_state, returns_by_seat)
            for q in range(SEATS):
                if has_seat_won(scratch_state, returns_by_seat, ending_meanings, q):
                    wins_by_row[row, q] += 1


def write_win_chances_along_games(
    start_state: Cells,
    run_seed: Word,
    game_numbers: Ints,
    policy_by_seat: Ints,
    games_per_state: int,
    ending_meanings: EndingMeanings,
    steps: IntGrid,
    wins_by_row: IntGrid,
    used_counts: Ints,
) -> int:
    """Play the games with these numbers. For each state, count how many of `games_per_state` random games each seat
    wins from there. A state behind a step without an alternative has the counts of the state before it. Return how many
    games were written."""
    S = np.zeros(CELLS, dtype=np.int64)
    T = np.zeros(CELLS, dtype=np.int64)
    W = np.zeros(WORLD, dtype=np.int64)
    R = np.zeros(1, dtype=np.uint64)
    Q = np.zeros(1, dtype=np.uint64)
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    gain = np.zeros(SEATS, dtype=np.int64)
    settle(start_state)
    rows = 0
    for game in range(len(game_numbers)):
        copy_state(S, start_state)
        R[0] = make_game_seed(run_seed, int(game_numbers[game]))
        Q[0] = make_game_seed(run_seed + 1, int(game_numbers[game]))
        used_counts[0] = rows
        before = 0
        going = True
        while going:
            if rows == len(steps):
                return game
            if before == 1:
                for q in range(SEATS):
                    wins_by_row[rows, q] = wins_by_row[rows - 1, q]
            else:
                count_wins_of_random_games_from_state(
                    S, T, Q, out, weights, gain, games_per_state, ending_meanings, rows, wins_by_row
                )
            n = legal(S, out, weights)
            choose_write_and_take_step(S, T, W, R, out, weights, policy_by_seat, n, game, rows, steps)
            before = n
            rows += 1
            going = n > 0 and rows - int(used_counts[0]) < LONGEST
    used_counts[0] = rows
    return len(game_numbers)


# -- changed games --------------------------------------------------------------------------------------------------


def is_thing_given_to_seat(state: Cells, scratch_state: Cells, action_id: int, cells: IntGrid, seat: int) -> bool:
    """Return whether an action of chance brings the thing to the seat: one of the seat's cells grows, or takes the
    thing's value. A thing that no cell of a seat holds comes to the seat that acts next. Where nobody plays against the
    seat, whatever is dealt comes to it (EVERY_DEAL)."""
    if cells[seat, 0] < 0:
        return True
    copy_state(scratch_state, state)
    apply(scratch_state, action_id)
    if cells[seat, 0] == 0:
        return scratch_state[1] == 0 and actor(scratch_state) == seat
    for k in range(int(cells[seat, 0])):
        cell = int(cells[seat, 1 + 2 * k])
        wanted = int(cells[seat, 2 + 2 * k])
        if wanted < 0 and scratch_state[cell] > state[cell]:
            return True
        if wanted >= 0 and scratch_state[cell] == wanted and state[cell] != wanted:
            return True
    return False


def is_action_allowed_by_change(
    state: Cells, scratch_state: Cells, action_id: int, change: Treatment, seat: int, dealt_to_nobody: bool
) -> bool:
    """Return whether a change lets an action stand. HELD wants what brings the thing to the seat or,
    `dealt_to_nobody`, what deals it to nobody; WITHHELD what does not bring it; UNUSED what does not use it."""
    if change.arm == UNUSED:
        return int(change.marks[action_id]) != USES
    if change.marks[action_id] != DEALS:
        return change.arm == WITHHELD or dealt_to_nobody
    if dealt_to_nobody:
        return False
    return is_thing_given_to_seat(state, scratch_state, action_id, change.cells, seat) == (change.arm == HELD)


def keep_allowed_or_all_and_count(
    state: Cells,
    scratch_state: Cells,
    actions: Cells,
    action_weights: Cells,
    action_count: int,
    change: Treatment,
    seat: int,
    dealt_to_nobody: bool,
) -> int:
    """Keep the actions in `actions` that a change lets stand, in their order. Return how many there are; all stay, and
    none is counted, if none would."""
    left = 0
    for i in range(action_count):
        if is_action_allowed_by_change(state, scratch_state, int(actions[i]), change, seat, dealt_to_nobody):
            left += 1
    if left == 0 or left == action_count:
        return left
    left = 0
    for i in range(action_count):
        if is_action_allowed_by_change(state, scratch_state, int(actions[i]), change, seat, dealt_to_nobody):
            actions[left] = actions[i]
            action_weights[left] = action_weights[i]
            left += 1
    return left


def has_action_affected_by_change(actions: Cells, action_count: int, change: Treatment) -> bool:
    """Return whether one of n actions has to do with the change at all."""
    wanted = USES if change.arm == UNUSED else DEALS
    for i in range(action_count):  # noqa: SIM110 (there is no `any` in machine code)
        if change.marks[int(actions[i])] == wanted:
            return True
    return False


def play_games_with_one_change(
    start_state: Cells,
    run_seed: Word,
    first_game: int,
    policy_by_seat: Ints,
    change: Treatment,
    ending_meanings: EndingMeanings,
    won_by_game: Ints,
    return_by_game: Ints,
    changed_by_game: Ints,
) -> int:
    """Play games `first_game`, `first_game` + 1 ... with one change for one seat, which is the game's number modulo the
    seats. Write for that seat whether it won, its return, and whether the change applied. Return the number of
    games."""
    S = np.zeros(CELLS, dtype=np.int64)
    T = np.zeros(CELLS, dtype=np.int64)
    W = np.zeros(WORLD, dtype=np.int64)
    R = np.zeros(1, dtype=np.uint64)
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    gain = np.zeros(SEATS, dtype=np.int64)
    arm = change.arm
    settle(start_state)
    for game in range(len(won_by_game)):
        copy_state(S, start_state)
        R[0] = make_game_seed(run_seed, first_game + game)
        treated = (first_game + game) % SEATS
        changed_by_game[game] = 0
        received = False
        for _ in range(LONGEST):
            if S[1] != 0:
                break
            n = legal(S, out, weights)
            if n == 0:
                break
            seat = int(actor(S))
            left = n
            due = seat == treated if arm == UNUSED else seat < 0 and not received and arm != NOTHING
            if due and has_action_affected_by_change(out, n, change):
                left = keep_allowed_or_all_and_count(S, T, out, weights, n, change, treated, False)
                if arm == HELD and left > 0:
                    received = True
                elif arm == HELD:  # nobody else gets it first
                    left = keep_allowed_or_all_and_count(S, T, out, weights, n, change, treated, True)
                if left == 0:
                    left = n
                if left < n:
                    changed_by_game[game] = 1
            apply(S, choose_action_by_policy(S, T, W, R, out, weights, policy_by_seat, left, seat))
        for q in range(SEATS):
            gain[q] = 0
        if S[1] != 0:
            returns(S, gain)
        won_by_game[game] = 1 if S[1] != 0 and has_seat_won(S, gain, ending_meanings, treated) else 0
        return_by_game[game] = gain[treated]
    return len(won_by_game)
