"""A player that learns what positions are worth: for a side against nobody that sees all, where bots are weak.

It plays drawn games, fits for each step from the start what the positions met there bring (fitted value iteration, from
the last step back to the first: D. Ernst et al., "Tree-based batch mode reinforcement learning", 2005), plays again by
what it learnt, and so on. A fit is a ridge regression on the cells of the state, each of their values, and random
combinations of these. What it earns in games that it did not learn from is an estimate from below. Its values are no
bound from above, not even as the price of luck for who knows what comes: tried, they gave more than foresight alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from playproof.verifier.estimates.many_states import (
    BatchedGame,
    FloatArray,
    IntArray,
    StepTable,
    hash_each_state_to_64_bits,
    list_indexes_where_equal_runs_start,
)
from playproof.verifier.search.case import add_work_units_done

_LONGEST = 400  # steps of a game; what is left then brings the least
_WALKS, _STATES = 1_500, 2_500  # games of a walk, and states of a step that a fit rests on
_ROUNDS = 12  # of learning, if the work lasts
_TRIED = 0.15  # the share of choices that a walk makes at random, to learn what lies beside its way
_MIXED, _MOST_VALUES, _RIDGE = 160, 12, 1e-4
_ROW_WORK = 4e-6  # units for the value of a state


@dataclass(frozen=True)
class FittedStepValues:
    """What positions of one step are worth, fitted. Cells outside what was met count as the nearest that was."""

    low: IntArray
    high: IntArray
    columns: IntArray
    one_hot_columns: IntArray
    one_hot_values: IntArray
    mixing: npt.NDArray[np.float32]
    offsets: npt.NDArray[np.float32]
    factors: npt.NDArray[np.float32]

    @classmethod
    def fit_to_values(cls, state_rows: IntArray, values: FloatArray) -> FittedStepValues:
        """Return a fit to the values of states."""
        low, high = state_rows.min(axis=0), state_rows.max(axis=0)
        columns = np.flatnonzero(high > low)
        pairs = [(c, v) for c in columns if high[c] - low[c] <= _MOST_VALUES for v in range(low[c], high[c] + 1)]
        draw, size = np.random.default_rng(5), len(columns) + len(pairs)
        bare = cls(
            low,
            high,
            columns,
            np.array([c for c, _ in pairs], dtype=np.int64),
            np.array([v for _, v in pairs], dtype=np.int64),
            draw.normal(scale=0.35, size=(size, _MIXED)).astype(np.float32),
            draw.normal(scale=0.5, size=_MIXED).astype(np.float32),
            np.zeros(0, dtype=np.float32),
        )
        made = bare._compute_features(state_rows).astype(np.float64)
        square = made.T @ made + _RIDGE * len(made) * np.eye(made.shape[1])
        factors = np.linalg.solve(square, made.T @ values).astype(np.float32)
        return replace(bare, factors=factors)

    def estimate_value_of_states(self, state_rows: IntArray) -> FloatArray:
        """Return the fitted value of each state."""
        add_work_units_done(_ROW_WORK * len(state_rows))
        return np.asarray(self._compute_features(state_rows) @ self.factors, dtype=np.float64)

    def _compute_features(self, state_rows: IntArray) -> npt.NDArray[np.float32]:
        rows = np.clip(state_rows, self.low, self.high)
        span = np.maximum(1, self.high - self.low)[self.columns]
        plain = ((rows - self.low)[:, self.columns] / span * 2 - 1).astype(np.float32)
        flags = (rows[:, self.one_hot_columns] == self.one_hot_values).astype(np.float32)
        both = np.concatenate([plain, flags], axis=1)
        mixed = np.maximum(both @ self.mixing + self.offsets, 0)
        return np.concatenate([np.ones((len(rows), 1), dtype=np.float32), both, mixed], axis=1)


class Walk(NamedTuple):
    """Drawn games: open states of each step, of the games and of choices beside them, and what each game earned."""

    rows_by_step: list[IntArray]
    earned: FloatArray


class LearnedPlayer:
    """Takes the choice behind which the fitted value is greatest. Without fits, it plays by chance."""

    def __init__(self, batched_game: BatchedGame, start_state: IntArray) -> None:
        self.batched_game, self.start = batched_game, start_state.reshape(1, -1)
        self.fits: list[FittedStepValues] = []

    def estimate_value_of_states(self, step_number: int, state_rows: IntArray) -> FloatArray:
        """Return what states of a step are worth: what they earn where the game is over."""
        over, values = self.batched_game.mark_ended_states_and_compute_earnings(state_rows)
        goal, open_ = self.batched_game.goal, np.flatnonzero(~over)
        values = values.astype(np.float64)
        values[open_] = goal.low
        if len(open_) and step_number < len(self.fits):
            _, places, back = np.unique(
                hash_each_state_to_64_bits(state_rows[open_]), return_index=True, return_inverse=True
            )
            fitted = self.fits[step_number].estimate_value_of_states(state_rows[open_[places]])
            values[open_] = np.clip(fitted, goal.low, goal.high)[back]
        return values

    def learn_from_walks(self, walks: list[Walk], rng: np.random.Generator) -> LearnedPlayer:
        """Return a player that has learnt from the states of some walks."""
        made = LearnedPlayer(self.batched_game, self.start)
        longest = max(len(walk.rows_by_step) for walk in walks)
        fits: list[FittedStepValues] = []
        for step in range(longest - 1, -1, -1):
            met = np.concatenate([walk.rows_by_step[step] for walk in walks if step < len(walk.rows_by_step)])
            _, places = np.unique(hash_each_state_to_64_bits(met), return_index=True)
            rows = met[places if len(places) <= _STATES else rng.choice(places, _STATES, replace=False)]
            made.fits = [FittedStepValues.fit_to_values(rows, made._compute_value_one_step_ahead(rows, fits)), *fits]
            fits = made.fits
        return made

    def _compute_value_one_step_ahead(self, state_rows: IntArray, later_fits: list[FittedStepValues]) -> FloatArray:
        """Return the mean (of chance) or the greatest (of players) value behind open states, by the fits of the steps
        that follow."""
        ahead = LearnedPlayer(self.batched_game, self.start)
        ahead.fits = later_fits
        steps = self.batched_game.list_all_steps_from_states(state_rows)
        values = np.full(len(state_rows), float(self.batched_game.goal.low))
        if not len(steps.rows):
            return values
        behind = ahead.estimate_value_of_states(0, steps.after)
        begins = list_indexes_where_equal_runs_start(steps.rows)
        means = np.add.reduceat(steps.weights * behind, begins) / np.add.reduceat(steps.weights, begins)
        here = steps.rows[begins]
        by_chance = self.batched_game.mark_states_where_chance_acts(state_rows)[here]
        values[here] = np.where(by_chance, means, np.maximum.reduceat(behind, begins))
        return values

    def play_games(self, game_count: int, rng: np.random.Generator, tried_share: float = 0.0) -> Walk:
        """Play so many games at once. `tried_share` is the share of choices that are made by chance."""
        rows, games = np.repeat(self.start, game_count, axis=0), np.arange(game_count)
        met: list[IntArray] = []
        beside = self.start[:0]  # what another choice would have led to: a fit must not guess there
        earned = np.full(game_count, float(self.batched_game.goal.low))
        for step in range(_LONGEST):
            over, ends = self.batched_game.mark_ended_states_and_compute_earnings(rows)
            earned[games[over]] = ends[over]
            rows, games = rows[~over], games[~over]
            steps = self.batched_game.list_all_steps_from_states(rows) if len(rows) else None
            if steps is None or not len(steps.rows):
                break
            met.append(np.concatenate([rows, beside]))
            picked = self._draw_one_step_of_each_state(step, rows, steps, rng, tried_share)
            beside = steps.after[rng.integers(len(steps.rows), size=len(rows))]
            beside = beside[~self.batched_game.mark_ended_states_and_compute_earnings(beside)[0]]
            rows, games = steps.after[picked], games[steps.rows[picked]]
        return Walk(met, earned)

    def _draw_one_step_of_each_state(
        self, step_number: int, state_rows: IntArray, steps: StepTable, rng: np.random.Generator, tried_share: float
    ) -> IntArray:
        begins = list_indexes_where_equal_runs_start(steps.rows)
        sizes = np.diff(np.append(begins, len(steps.rows)))
        weights = steps.weights
        if self.fits:
            worth = self.estimate_value_of_states(step_number + 1, steps.after)
            best = worth >= np.repeat(np.maximum.reduceat(worth, begins), sizes)
            tries = np.repeat(rng.random(len(begins)) < tried_share, sizes)
            by_chance = self.batched_game.mark_states_where_chance_acts(state_rows)[steps.rows]
            weights = np.where(by_chance, weights, np.where(tries | best, 1.0, 0.0))
        above = np.cumsum(weights)
        aims = (above - weights)[begins] + rng.random(len(begins)) * np.add.reduceat(weights, begins)
        return np.minimum(np.searchsorted(above, aims, side="right"), begins + sizes - 1)


class TrainedPlayer(NamedTuple):
    """A player and what it earned on the mean in games that chose it among those learnt on the way."""

    player: LearnedPlayer
    mean_earned: float


def train_player_on_drawn_games(
    batched_game: BatchedGame, start_state: IntArray, can_go_on: Callable[[], bool]
) -> TrainedPlayer:
    """Return the best player of some rounds of learning. Raises NotShown where the rules break."""
    rng = np.random.default_rng(31)
    player = LearnedPlayer(batched_game, start_state)
    walks = [player.play_games(_WALKS, rng)]
    best = TrainedPlayer(player, float(walks[0].earned.mean()))
    for _ in range(_ROUNDS):
        if not can_go_on() or not walks[0].rows_by_step:
            break
        player = player.learn_from_walks([walks[0], *walks[1:][-4:]], rng)
        straight, beside = player.play_games(_WALKS, rng), player.play_games(_WALKS // 2, rng, _TRIED)
        walks += [beside, straight]
        if straight.earned.mean() >= best.mean_earned:
            best = TrainedPlayer(player, float(straight.earned.mean()))
    return best
