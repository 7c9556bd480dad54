"""Steps of many states of a game at once, for estimates: who acts, what follows, with which weight, what is earned."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from playproof.language import CHANCE, Term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.columns import ColumnReading
from playproof.verifier.kernel.exploration import list_acting_seats
from playproof.verifier.search.work import spend_work

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
_ROW, _CALL = 2e-6, 3e-5  # work for one successor, and for one action in one call


@dataclass(frozen=True)
class Goal:
    """What players want at the end: that `condition` holds in some state, or that `number` is great when the game is
    over (`condition` is then None). `low` and `high` are what it can be. `is_win` says that the condition is a win, as
    bots want it."""

    condition: Term | None
    number: Term | None = None
    low: int = 0
    high: int = 1
    is_win: bool = False

    @property
    def is_chance(self) -> bool:
        """Whether it is a chance, and no score."""
        return self.condition is not None


@dataclass(frozen=True)
class StepTable:
    """Steps from states, sorted by their `rows`: each action's number, its weight (1 for players) and the state
    behind it."""

    rows: IntArray
    idents: IntArray
    weights: FloatArray
    after: IntArray


class BatchedGame:
    """Plays a game for a goal, many states (rows x cells) at once. Raises NotShown where the rules break, TooWide for
    numbers of more than 62 bits."""

    def __init__(self, game: Game, goal: Goal) -> None:
        self.game, self.goal = game, goal
        self.reader = ColumnReading(
            game, [term for term in (goal.condition, goal.number) if term is not None]
        )

    @cached_property
    def chance_actions(self) -> frozenset[int]:
        """The numbers of the actions of chance."""
        chance = [a for a in self.game.actions if all(self.game.phases[p].chance for p in a.phases)]
        return frozenset(ident for action in chance for ident in action.idents)

    def list_steps(self, cells: IntArray) -> StepTable:
        """Return all steps from states in which the game is not over."""
        rows, idents, weights, after = [], [], [], []
        spend_work(_CALL * self.game.ground)
        for here, ident, then in self.reader.iter_legal_steps(cells):
            rows.append(here)
            idents.append(np.full(len(here), ident))
            after.append(then)
            weight = np.ones(len(here))
            if ident in self.chance_actions:
                weight = self.reader.evaluate_weights(
                    self.game.get_action_of_ident(ident), ident, cells[here]
                ).astype(float)
            weights.append(weight)
        if not rows:
            none = np.zeros(0, dtype=np.int64)
            return StepTable(none, none, none.astype(float), cells[:0])
        every = np.concatenate(rows)
        spend_work(_ROW * len(every))
        order = np.argsort(every, kind="stable")
        return StepTable(
            every[order],
            np.concatenate(idents)[order],
            np.concatenate(weights)[order],
            np.concatenate(after)[order],
        )

    def find_chance_states(self, cells: IntArray) -> npt.NDArray[np.bool_]:
        """Return in which states chance acts."""
        return np.asarray(list_acting_seats(self.game, self.reader, cells) == CHANCE)

    def compute_earnings(self, cells: IntArray) -> tuple[npt.NDArray[np.bool_], FloatArray]:
        """Return which states end the play for the goal, and what is earned in these."""
        over = cells[:, 1] != 0
        if self.goal.condition is not None:
            reached = self.reader.evaluate_term(self.goal.condition, cells) != 0
            return over | reached, reached.astype(float)
        assert self.goal.number is not None
        return over, np.where(over, self.reader.evaluate_term(self.goal.number, cells), 0).astype(float)


def find_run_starts(rows: IntArray) -> IntArray:
    """Return where each run of equal rows begins.

    >>> find_run_starts(np.array([0, 0, 2, 2, 5])).tolist()
    [0, 2, 4]
    """
    return np.flatnonzero(np.concatenate([[True], rows[1:] != rows[:-1]])) if len(rows) else rows


def hash_states(cells: IntArray) -> npt.NDArray[np.uint64]:
    """Return a number of 64 bits for each state. Two states of a few millions have the same with a chance of less than
    one in a million, which an estimate may bear."""
    factors = np.random.default_rng(7).integers(1, 1 << 62, cells.shape[1], dtype=np.uint64) * np.uint64(2)
    with np.errstate(over="ignore"):
        mixed = (cells.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)) * (factors + np.uint64(1))
        mixed ^= mixed >> np.uint64(29)
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
        total: npt.NDArray[np.uint64] = mixed.sum(axis=1, dtype=np.uint64)
        total ^= total >> np.uint64(32)
    return total


__all__ = ["BatchedGame", "Goal", "NotShown", "StepTable", "find_run_starts", "hash_states"]
