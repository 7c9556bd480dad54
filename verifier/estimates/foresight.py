"""How much nobody can beat, as an estimate: what one earns who knows all that chance will bring.

Chance is drawn before each game: one number per step of the game, which says what comes in any state of that step. Who
knows these numbers earns at least as much as the best player, on average, so the mean over drawn games is above the
value of best play, but for the error of the mean (an information relaxation: Brown, Smith and Sun, "Information
relaxations and duality in stochastic dynamic programs", Operations Research 58, 2010).

All states of a drawn game are gone through, step by step. Where they are too many, or the game goes on too long, those
that go on count as won (or as the greatest score): the bound is then weaker, and still one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from playproof.verifier.estimates.many_states import (
    BatchedGame,
    FloatArray,
    IntArray,
    StepTable,
    find_run_starts,
    hash_states,
)

LEAST = 16
"""Games that are drawn at least, however little work is left."""
_LONGEST = 400
_AT_ONCE = 16  # drawn games that are gone through at once
_WIDEST = 2_500  # states of one step of one of these
GoOn = Callable[[], bool]


@dataclass(frozen=True)
class _DrawnStep:
    """One step of some drawn games: from states (`rows`, ascending) to states of the next step (`to`), and what is
    earned where the play `ends`."""

    states: int
    rows: IntArray
    to: IntArray
    ends: IntArray
    earned: FloatArray


def _never_give_up() -> bool:
    return False


def sample_earnings_with_foresight(
    batched_game: BatchedGame,
    start_cells: IntArray,
    max_games: int,
    can_go_on: GoOn,
    give_up: GoOn = _never_give_up,
) -> FloatArray:
    """Return what is earned at best in drawn games by who knows what comes: one number per game, at most so many, and
    `LEAST` or more, unless it gives up; it then counts only what is whole."""
    made: list[FloatArray] = []
    draw = np.random.default_rng(23)
    while sum(map(len, made)) < max_games and (can_go_on() or sum(map(len, made)) < LEAST):
        games = _play_games_with_foresight(batched_game, start_cells, draw, give_up)
        if games is None:
            break
        made.append(games)
    return np.concatenate(made) if made else np.zeros(0)


def _play_games_with_foresight(
    batched_game: BatchedGame, start_cells: IntArray, rng: np.random.Generator, give_up: GoOn
) -> FloatArray | None:
    cells, games = np.repeat(start_cells.reshape(1, -1), _AT_ONCE, axis=0), np.arange(_AT_ONCE)
    steps: list[_DrawnStep] = []
    for number in range(_LONGEST):
        if give_up():
            return None
        over, earned = batched_game.compute_earnings(cells)
        crowded = np.bincount(games, minlength=_AT_ONCE)[games] > _WIDEST
        given_up = ~over & (crowded | (number == _LONGEST - 1))
        earned, over = np.where(given_up, batched_game.goal.high, earned), over | given_up
        ends, open_ = np.flatnonzero(over), np.flatnonzero(~over)
        made = batched_game.list_steps(cells[open_])
        kept = _select_steps_of_drawn_games(
            batched_game, cells[open_], games[open_], made, rng.random(_AT_ONCE)
        )
        rows, after = open_[made.rows[kept]], made.after[kept]
        keys = hash_states(after) ^ (games[rows].astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15))
        _, places, to = np.unique(keys, return_index=True, return_inverse=True)
        steps.append(_DrawnStep(len(cells), rows, to, ends, earned[ends]))
        cells, games = after[places], games[rows][places]
        if batched_game.goal.is_chance:  # who has won a game has no more to find in it
            won = np.unique(games[batched_game.compute_earnings(cells)[1] > 0]) if len(cells) else games
            going = (
                ~np.isin(games, won) | (batched_game.compute_earnings(cells)[1] > 0)
                if len(cells)
                else over[:0]
            )
            steps[-1] = _DrawnStep(
                steps[-1].states, *_keep_followed_steps(rows, to, going), ends, earned[ends]
            )
            cells, games = cells[going], games[going]
        if not len(cells):
            break
    return _compute_best_earnings_backwards(batched_game, steps)


def _keep_followed_steps(
    rows: IntArray, to: IntArray, is_followed: np.typing.NDArray[np.bool_]
) -> tuple[IntArray, IntArray]:
    """Return the steps to states that are followed, with these numbered anew."""
    left = is_followed[to]
    return rows[left], (np.cumsum(is_followed) - 1)[to[left]]


def _select_steps_of_drawn_games(
    batched_game: BatchedGame,
    cells: IntArray,
    games: IntArray,
    step_table: StepTable,
    drawn_numbers: FloatArray,
) -> IntArray:
    """Return which steps can be taken in the drawn games: all of players, and one of chance from each state."""
    if not len(step_table.rows):
        return step_table.rows
    chance = batched_game.find_chance_states(cells)[step_table.rows]
    begins = find_run_starts(step_table.rows)
    sizes = np.diff(np.concatenate([begins, [len(step_table.rows)]]))
    totals = np.repeat(np.add.reduceat(step_table.weights, begins), sizes)
    above = np.cumsum(step_table.weights)
    above -= np.repeat((above - step_table.weights)[begins], sizes)
    wanted = drawn_numbers[games[step_table.rows]] * totals
    return np.flatnonzero(~chance | ((above - step_table.weights <= wanted) & (wanted < above)))


def _compute_best_earnings_backwards(batched_game: BatchedGame, steps: list[_DrawnStep]) -> FloatArray:
    """Return what is earned at best from each game's start."""
    after = np.zeros(0)
    for step in reversed(steps):
        now = np.full(step.states, batched_game.goal.low if batched_game.goal.is_chance else -np.inf)
        if len(step.rows):
            begins = find_run_starts(step.rows)
            now[step.rows[begins]] = np.maximum.reduceat(after[step.to], begins)
        now[step.ends] = step.earned
        now[np.isneginf(now)] = batched_game.goal.high  # nobody can act
        after = now
    return after
