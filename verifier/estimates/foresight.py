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

from playproof.verifier.estimates.many_states import Ints, ManyStates, Moves, Reals, keys_of, segments

LEAST = 16
"""Games that are drawn at least, however little work is left."""
_LONGEST = 400
_AT_ONCE = 16  # drawn games that are gone through at once
_WIDEST = 2_500  # states of one step of one of these
GoOn = Callable[[], bool]


@dataclass(frozen=True)
class _Step:
    """One step of some drawn games: from states (`rows`, ascending) to states of the next step (`to`), and what is
    earned where the play `ends`."""

    states: int
    rows: Ints
    to: Ints
    ends: Ints
    earned: Reals


def _never() -> bool:
    return False


def foreseen(play: ManyStates, first: Ints, most: int, go_on: GoOn, give_up: GoOn = _never) -> Reals:
    """Return what is earned at best in drawn games by who knows what comes: one number per game, at most so many, and
    `LEAST` or more, unless it gives up; it then counts only what is whole."""
    made: list[Reals] = []
    draw = np.random.default_rng(23)
    while sum(map(len, made)) < most and (go_on() or sum(map(len, made)) < LEAST):
        games = _foreseen(play, first, draw, give_up)
        if games is None:
            break
        made.append(games)
    return np.concatenate(made) if made else np.zeros(0)


def _foreseen(play: ManyStates, first: Ints, draw: np.random.Generator, give_up: GoOn) -> Reals | None:
    cells, games = np.repeat(first.reshape(1, -1), _AT_ONCE, axis=0), np.arange(_AT_ONCE)
    steps: list[_Step] = []
    for number in range(_LONGEST):
        if give_up():
            return None
        over, earned = play.earned(cells)
        crowded = np.bincount(games, minlength=_AT_ONCE)[games] > _WIDEST
        given_up = ~over & (crowded | (number == _LONGEST - 1))
        earned, over = np.where(given_up, play.goal.high, earned), over | given_up
        ends, open_ = np.flatnonzero(over), np.flatnonzero(~over)
        made = play.moves(cells[open_])
        kept = _that_come(play, cells[open_], games[open_], made, draw.random(_AT_ONCE))
        rows, after = open_[made.rows[kept]], made.after[kept]
        keys = keys_of(after) ^ (games[rows].astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15))
        _, places, to = np.unique(keys, return_index=True, return_inverse=True)
        steps.append(_Step(len(cells), rows, to, ends, earned[ends]))
        cells, games = after[places], games[rows][places]
        if play.goal.is_chance:  # who has won a game has no more to find in it
            won = np.unique(games[play.earned(cells)[1] > 0]) if len(cells) else games
            going = ~np.isin(games, won) | (play.earned(cells)[1] > 0) if len(cells) else over[:0]
            steps[-1] = _Step(steps[-1].states, *_left(rows, to, going), ends, earned[ends])
            cells, games = cells[going], games[going]
        if not len(cells):
            break
    return _backwards(play, steps)


def _left(rows: Ints, to: Ints, going: np.typing.NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """Return the steps to states that are followed, with these numbered anew."""
    left = going[to]
    return rows[left], (np.cumsum(going) - 1)[to[left]]


def _that_come(play: ManyStates, cells: Ints, games: Ints, made: Moves, numbers: Reals) -> Ints:
    """Return which steps can be taken in the drawn games: all of players, and one of chance from each state."""
    if not len(made.rows):
        return made.rows
    chance = play.is_chance(cells)[made.rows]
    begins = segments(made.rows)
    sizes = np.diff(np.concatenate([begins, [len(made.rows)]]))
    totals = np.repeat(np.add.reduceat(made.weights, begins), sizes)
    above = np.cumsum(made.weights)
    above -= np.repeat((above - made.weights)[begins], sizes)
    wanted = numbers[games[made.rows]] * totals
    return np.flatnonzero(~chance | ((above - made.weights <= wanted) & (wanted < above)))


def _backwards(play: ManyStates, steps: list[_Step]) -> Reals:
    """Return what is earned at best from each game's start."""
    after = np.zeros(0)
    for step in reversed(steps):
        now = np.full(step.states, play.goal.low if play.goal.is_chance else -np.inf)
        if len(step.rows):
            begins = segments(step.rows)
            now[step.rows[begins]] = np.maximum.reduceat(after[step.to], begins)
        now[step.ends] = step.earned
        now[np.isneginf(now)] = play.goal.high  # nobody can act
        after = now
    return after
