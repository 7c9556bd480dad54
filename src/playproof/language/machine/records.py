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
from playproof.language.machine.players import choose_greedy_action_imagining
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


def choose_action(
    S: Cells, T: Cells, W: Cells, R: Dice, out: Cells, weights: Cells, policy: Ints, n: int, seat: int
) -> int:
    """Return one of the n actions in `out`: chance's by weight, a seat's by its policy."""
    if seat < 0:
        return int(out[draw_weighted_index(R, weights, n)])
    if policy[seat] == 1:
        return int(out[choose_greedy_action_imagining(S, T, W, R, out, n, seat)])
    return int(out[below(R, n)])


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


def write_step(
    S: Cells,
    T: Cells,
    W: Cells,
    R: Dice,
    out: Cells,
    weights: Cells,
    policy: Ints,
    n: int,
    game: int,
    row: int,
    steps: IntGrid,
) -> None:
    """Choose one of the n actions in `out`, write the step in a row of `steps`, and take it; without an action, nobody
    acts."""
    steps[row, GAME] = game
    steps[row, LEGAL] = n
    steps[row, ACTOR] = actor(S) if n > 0 else -1
    steps[row, IDENT] = -1
    if n > 0:
        ident = choose_action(S, T, W, R, out, weights, policy, n, int(steps[row, ACTOR]))
        steps[row, IDENT] = ident
        apply(S, ident)


def record(
    start: Cells,
    run: Word,
    numbers: Ints,
    policy: Ints,
    states: IntGrid,
    steps: IntGrid,
    options: Ints,
    used: Ints,
) -> int:
    """Play the games with these numbers and write their states, steps and legal actions. Return how many games
    were written; they are fewer if there is no room. `used` receives the numbers of rows and options."""
    S = np.zeros(CELLS, dtype=np.int64)
    T = np.zeros(CELLS, dtype=np.int64)
    W = np.zeros(WORLD, dtype=np.int64)
    R = np.zeros(1, dtype=np.uint64)
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    settle(start)
    rows = 0
    listed = 0
    for game in range(len(numbers)):
        copy_state(S, start)
        R[0] = make_game_seed(run, int(numbers[game]))
        used[0] = rows
        used[1] = listed
        going = True
        while going:
            n = legal(S, out, weights)
            if rows == len(steps) or listed + n > len(options):
                return game
            for i in range(CELLS):
                states[rows, i] = S[i]
            for i in range(n):
                options[listed + i] = out[i]
            write_step(S, T, W, R, out, weights, policy, n, game, rows, steps)
            rows += 1
            listed += n
            going = n > 0 and rows - int(used[0]) < LONGEST
    used[0] = rows
    used[1] = listed
    return len(numbers)


# -- chances to win -------------------------------------------------------------------------------------------------


def has_won(S: Cells, gain: Cells, ends: EndingMeanings, q: int) -> bool:
    """Return whether a seat has won a finished game: everybody, or whose return is above all of the other teams."""
    kind = int(ends.kinds[int(S[1])])
    if kind != TO_THE_GREATEST:
        return kind == TO_ALL
    for other in range(SEATS):  # noqa: SIM110 (there is no `all` in machine code)
        if ends.team[other] != ends.team[q] and gain[other] >= gain[q]:
            return False
    return True


def count_wins(
    S: Cells,
    T: Cells,
    R: Dice,
    out: Cells,
    weights: Cells,
    gain: Cells,
    games: int,
    ends: EndingMeanings,
    row: int,
    wins: IntGrid,
) -> None:
    """Play random games from a state and count each seat's wins in a row of `wins`."""
    for q in range(SEATS):
        wins[row, q] = 0
    for _ in range(games):
        copy_state(T, S)
        for _ in range(LONGEST):
            if T[1] != 0 or step(T, R, out, weights) < 0:
                break
            settle(T)
        for q in range(SEATS):
            gain[q] = 0
        if T[1] != 0:
            returns(T, gain)
            for q in range(SEATS):
                if has_won(T, gain, ends, q):
                    wins[row, q] += 1


def curves(
    start: Cells,
    run: Word,
    numbers: Ints,
    policy: Ints,
    games: int,
    ends: EndingMeanings,
    steps: IntGrid,
    wins: IntGrid,
    used: Ints,
) -> int:
    """Play the games with these numbers. For each state, count how many of `games` random games each seat wins
    from there. A state behind a step without an alternative has the counts of the state before it. Return how
    many games were written."""
    S = np.zeros(CELLS, dtype=np.int64)
    T = np.zeros(CELLS, dtype=np.int64)
    W = np.zeros(WORLD, dtype=np.int64)
    R = np.zeros(1, dtype=np.uint64)
    Q = np.zeros(1, dtype=np.uint64)
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    gain = np.zeros(SEATS, dtype=np.int64)
    settle(start)
    rows = 0
    for game in range(len(numbers)):
        copy_state(S, start)
        R[0] = make_game_seed(run, int(numbers[game]))
        Q[0] = make_game_seed(run + 1, int(numbers[game]))
        used[0] = rows
        before = 0
        going = True
        while going:
            if rows == len(steps):
                return game
            if before == 1:
                for q in range(SEATS):
                    wins[rows, q] = wins[rows - 1, q]
            else:
                count_wins(S, T, Q, out, weights, gain, games, ends, rows, wins)
            n = legal(S, out, weights)
            write_step(S, T, W, R, out, weights, policy, n, game, rows, steps)
            before = n
            rows += 1
            going = n > 0 and rows - int(used[0]) < LONGEST
    used[0] = rows
    return len(numbers)


# -- changed games --------------------------------------------------------------------------------------------------


def is_thing_given_to_seat(S: Cells, T: Cells, ident: int, cells: IntGrid, seat: int) -> bool:
    """Return whether an action of chance brings the thing to the seat: one of the seat's cells grows, or takes the
    thing's value. A thing that no cell of a seat holds comes to the seat that acts next. Where nobody plays against the
    seat, whatever is dealt comes to it (EVERY_DEAL)."""
    if cells[seat, 0] < 0:
        return True
    copy_state(T, S)
    apply(T, ident)
    if cells[seat, 0] == 0:
        return T[1] == 0 and actor(T) == seat
    for k in range(int(cells[seat, 0])):
        cell = int(cells[seat, 1 + 2 * k])
        wanted = int(cells[seat, 2 + 2 * k])
        if wanted < 0 and T[cell] > S[cell]:
            return True
        if wanted >= 0 and T[cell] == wanted and S[cell] != wanted:
            return True
    return False


def is_action_allowed_by_change(
    S: Cells, T: Cells, ident: int, change: Treatment, seat: int, aside: bool
) -> bool:
    """Return whether a change lets an action stand. HELD wants what brings the thing to the seat or, `aside`, what
    deals it to nobody; WITHHELD what does not bring it; UNUSED what does not use it."""
    if change.arm == UNUSED:
        return int(change.marks[ident]) != USES
    if change.marks[ident] != DEALS:
        return change.arm == WITHHELD or aside
    if aside:
        return False
    return is_thing_given_to_seat(S, T, ident, change.cells, seat) == (change.arm == HELD)


def filter_allowed_actions(
    S: Cells, T: Cells, out: Cells, weights: Cells, n: int, change: Treatment, seat: int, aside: bool
) -> int:
    """Keep the actions in `out` that a change lets stand, in their order. Return how many there are; all stay, and
    none is counted, if none would."""
    left = 0
    for i in range(n):
        if is_action_allowed_by_change(S, T, int(out[i]), change, seat, aside):
            left += 1
    if left == 0 or left == n:
        return left
    left = 0
    for i in range(n):
        if is_action_allowed_by_change(S, T, int(out[i]), change, seat, aside):
            out[left] = out[i]
            weights[left] = weights[i]
            left += 1
    return left


def has_action_of_change(out: Cells, n: int, change: Treatment) -> bool:
    """Return whether one of n actions has to do with the change at all."""
    wanted = USES if change.arm == UNUSED else DEALS
    for i in range(n):  # noqa: SIM110 (there is no `any` in machine code)
        if change.marks[int(out[i])] == wanted:
            return True
    return False


def treat(
    start: Cells,
    run: Word,
    first: int,
    policy: Ints,
    change: Treatment,
    ends: EndingMeanings,
    won: Ints,
    returned: Ints,
    changed: Ints,
) -> int:
    """Play games `first`, `first` + 1 ... with one change for one seat, which is the game's number modulo the
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
    settle(start)
    for game in range(len(won)):
        copy_state(S, start)
        R[0] = make_game_seed(run, first + game)
        treated = (first + game) % SEATS
        changed[game] = 0
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
            if due and has_action_of_change(out, n, change):
                left = filter_allowed_actions(S, T, out, weights, n, change, treated, False)
                if arm == HELD and left > 0:
                    received = True
                elif arm == HELD:  # nobody else gets it first
                    left = filter_allowed_actions(S, T, out, weights, n, change, treated, True)
                if left == 0:
                    left = n
                if left < n:
                    changed[game] = 1
            apply(S, choose_action(S, T, W, R, out, weights, policy, left, seat))
        for q in range(SEATS):
            gain[q] = 0
        if S[1] != 0:
            returns(S, gain)
        won[game] = 1 if S[1] != 0 and has_won(S, gain, ends, treated) else 0
        returned[game] = gain[treated]
    return len(won)
