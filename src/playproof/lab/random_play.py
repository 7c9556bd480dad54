"""What random play says of a design: tension, luck and skill from each position of a game, and the exact
law of random play in games of few positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from playproof.lab.estimates import (
    NO_ESTIMATE,
    Estimate,
    estimate_mean_with_t_interval,
    estimate_ratio_of_means,
    estimate_share_with_wilson_interval,
)
from playproof.language.compiled import Compiled
from playproof.language.explorer import (
    GraphTooLargeError,
    SuccessorGraph,
    evaluate_term_in_many_states,
    explore,
    graph,
    solve,
    unpack_states_into_columns,
)
from playproof.language.game import Game
from playproof.language.game_analysis import is_first_return_deciding_all_returns
from playproof.language.machine.records import ACTOR, GAME, LEGAL
from playproof.language.recorded_playouts import WinChanceCurves
from playproof.referee.batches import flag_games_won_by_each_seat_and_tied
from playproof.referee.bots.exact import copy_graph_with_sides_as_actors
from playproof.referee.view import has_fields_hidden_from_any_seat

# -- tension -------------------------------------------------------------------------------------------------
# Tension, luck and skill: what random games from each position of a game say about who will win.

FloatArray = npt.NDArray[np.float64]
_CLEAR = 2.0  # standard errors from which a lead counts
SURE = 0.9  # a game is decided when its winner's chance stays above this
OPEN = 0.1  # a game that one plays alone is open while the chance is at least this
_PARTS = 10


@dataclass(frozen=True)
class Tension:
    """The tension of a run's games; each figure is a mean over games.

    `lead_changes`: how often the lead passes to another side. `drama`: how far behind the later winner was, where it
    was behind (Browne, "Automatic Generation and Evaluation of Recombination Games", 2008). `comeback`: the least
    chance that the later winner had. `decided`: the part of the decisions after which the winner's chance stays above
    90 %. `runaway`: how often a side that leads at half of the decisions wins. `openness`: by tenths of the game, one
    less the distance between the first two sides.

    Where nobody plays against the side: `open_until` is the part of the decisions of a lost game after which no more
    than one random game in ten is won from there; `losing_turn` is the number of the last decision before that;
    `fading` is the mean chance in lost games, by tenths.
    """

    games: int
    playouts: int
    lead_changes: Estimate
    drama: Estimate
    comeback: Estimate
    decided: Estimate
    runaway: Estimate
    openness: tuple[float, ...]
    open_until: Estimate = NO_ESTIMATE
    losing_turn: Estimate = NO_ESTIMATE
    fading: tuple[float, ...] = ()


def compute_side_or_game_win_chances(
    game: Game, wins_by_position_and_seat: npt.NDArray[Any], games_per_position: int
) -> FloatArray:
    """Return each side's chance to win, a row per position: one column per side, or the player and the game."""
    shares = wins_by_position_and_seat / games_per_position
    columns = [shares[:, team[0]] for team in game.sides]
    if len(columns) == 1:
        columns.append(1 - columns[0])
    return np.stack(columns, axis=1)


def measure_tension_of_recorded_games(game: Game, win_chance_curves: Sequence[WinChanceCurves]) -> Tension:
    """Return the tension of the games in these curves."""
    single = [
        _GameCurve.create_for_game_in_curves(game, curve, number)
        for curve in win_chance_curves
        for number in range(len(curve.numbers))
    ]
    decided = [g for g in single if g.winner is not None]
    playouts = win_chance_curves[0].games if win_chance_curves else 0
    return Tension(
        len(single),
        playouts,
        _estimate_mean_with_extreme_game([g.count_lead_changes(playouts) for g in single], single, largest_value=inf),
        _estimate_mean_with_extreme_game([g.measure_how_far_winner_was_behind() for g in decided], decided),
        _estimate_mean_with_extreme_game(
            [g.get_least_chance_of_later_winner() for g in decided], decided, example_has_least=True
        ),
        _estimate_mean_with_extreme_game([g.compute_share_of_game_until_win_is_sure() for g in decided], decided),
        _estimate_how_often_half_time_leader_wins(decided, playouts),
        tuple(np.mean([g.sample_openness_at_tenths_of_game() for g in single], axis=0).tolist()) if single else (),
        *(_measure_how_long_lost_games_were_open([g for g in single if g.winner == 1]) if len(game.sides) == 1 else ()),
    )


class LostGameOpenness(NamedTuple):
    open_until_share: Estimate
    losing_turn: Estimate
    win_chance_by_tenth: tuple[float, ...]


def _measure_how_long_lost_games_were_open(lost_games: Sequence[_GameCurve]) -> LostGameOpenness:
    """Return until when lost games were open, as a part of their decisions and as a number of them, and their mean
    chance by tenths."""
    fading = (
        tuple(np.mean([g.sample_chances_of_only_side_at_tenths() for g in lost_games], axis=0).tolist())
        if lost_games
        else ()
    )
    return LostGameOpenness(
        _estimate_mean_with_extreme_game(
            [g.get_last_open_decision_share_and_number().share_of_game for g in lost_games], lost_games
        ),
        _estimate_mean_with_extreme_game(
            [g.get_last_open_decision_share_and_number().decision_number for g in lost_games],
            lost_games,
            largest_value=inf,
        ),
        fading,
    )


def _estimate_how_often_half_time_leader_wins(won_games: Sequence[_GameCurve], playouts_per_position: int) -> Estimate:
    at_half_time = [
        (game, game.find_leader_or_minus_one_per_decision(playouts_per_position)[len(game.chances) // 2])
        for game in won_games
    ]
    led = [(game, leader) for game, leader in at_half_time if leader >= 0]
    wins = [game.number for game, leader in led if leader == game.winner]
    return estimate_share_with_wilson_interval(len(wins), len(led), wins[0] if wins else None)


def _estimate_mean_with_extreme_game(
    values: Sequence[float], games: Sequence[_GameCurve], *, example_has_least: bool = False, largest_value: float = 1
) -> Estimate:
    """Return the mean of the games' values, which lie in 0..most, with the game that shows most (or least) of it."""
    if not values:
        return Estimate(None, None, None, 0)
    number = int(np.argmin(values) if example_has_least else np.argmax(values))
    return estimate_mean_with_t_interval(values, games[number].number, value_range=(0, largest_value))


class LastOpenDecision(NamedTuple):
    share_of_game: float
    decision_number: float


@dataclass(frozen=True)
class _GameCurve:
    """One game: its number, the sides' chances at each decision and at the end, and the side that won alone."""

    number: int
    chances: FloatArray
    winner: int | None

    @classmethod
    def create_for_game_in_curves(cls, game: Game, curve: WinChanceCurves, game_index: int) -> _GameCurve:
        mine = curve.steps[:, GAME] == game_index
        steps, chances = curve.steps[mine], compute_side_or_game_win_chances(game, curve.wins[mine], curve.games)
        matters = (steps[:, ACTOR] >= 0) & (steps[:, LEGAL] > 1)
        matters[-1] = True
        winners = np.flatnonzero(chances[-1] == 1.0)
        return cls(int(curve.numbers[game_index]), chances[matters], int(winners[0]) if len(winners) == 1 else None)

    def find_leader_or_minus_one_per_decision(self, playouts_per_position: int) -> npt.NDArray[np.int64]:
        """Return at each moment which side clearly leads, or -1."""
        order = np.argsort(self.chances, axis=1)
        rows = np.arange(len(order))
        first, second = self.chances[rows, order[:, -1]], self.chances[rows, order[:, -2]]
        noise = np.sqrt(np.maximum(first + second - (first - second) ** 2, 0.0) / playouts_per_position)
        return np.where(first - second > _CLEAR * noise, order[:, -1], -1)

    def count_lead_changes(self, playouts_per_position: int) -> float:
        leaders = self.find_leader_or_minus_one_per_decision(playouts_per_position)
        clear = leaders[leaders >= 0]
        return float(np.count_nonzero(np.diff(clear)))

    def _get_chances_of_later_winner(self) -> FloatArray:
        assert self.winner is not None
        chances: FloatArray = self.chances[:, self.winner]
        return chances

    def measure_how_far_winner_was_behind(self) -> float:
        behind = self.chances.max(axis=1) - self._get_chances_of_later_winner()
        behind = behind[behind > 0]
        return float(np.sqrt(behind).mean()) if len(behind) else 0.0

    def get_least_chance_of_later_winner(self) -> float:
        return float(self._get_chances_of_later_winner().min())

    def compute_share_of_game_until_win_is_sure(self) -> float:
        unsure = np.flatnonzero(self._get_chances_of_later_winner() < SURE)
        return float(unsure[-1] + 1) / max(1, len(self.chances) - 1) if len(unsure) else 0.0

    def get_last_open_decision_share_and_number(self) -> LastOpenDecision:
        """Return the last decision from which the side that plays alone still had a chance of one in ten, as a part of
        all and as a number; 0 if it never had."""
        there = np.flatnonzero(self.chances[:-1, 0] >= OPEN)
        last = float(there[-1] + 1) if len(there) else 0.0
        return LastOpenDecision(last / max(1, len(self.chances) - 1), last)

    def sample_chances_of_only_side_at_tenths(self) -> FloatArray:
        """Return the chance of the side that plays alone, by tenths of the game."""
        moments = np.linspace(0, len(self.chances) - 1, _PARTS + 1).round().astype(int)
        return np.asarray(self.chances[moments, 0], dtype=np.float64)

    def sample_openness_at_tenths_of_game(self) -> FloatArray:
        ordered = np.sort(self.chances, axis=1)
        gap = ordered[:, -1] - ordered[:, -2]
        moments = np.linspace(0, len(gap) - 1, _PARTS + 1).round().astype(int)
        return np.asarray(1 - gap[moments], dtype=np.float64)


# -- luck and skill -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Leverage:
    """How much of the variance of who wins players' choices decide (`skill`, K) and chance decides (`luck`, L), in
    games of random players; K + L is all of it. `index` is S = (K - L) / (K + L): -1 for a coin toss, 1 for chess
    (the form of arXiv 2511.11611, with K and L as variances)."""

    skill: Estimate
    luck: Estimate
    index: Estimate


def estimate_luck_and_skill(win_chance_curves: Sequence[WinChanceCurves], *, name_games: bool = True) -> Leverage:
    """Return luck and skill of the games in these curves, each with the game that has most of it, if these are games of
    the run.

    Between random players, each seat's chance to win is a martingale: the variance of who wins is the sum of the
    squares of its steps. The square of a measured step is too large by the variances of both measurements, which are
    subtracted; so each game's sums are unbiased.
    """
    skill: list[float] = []
    luck: list[float] = []
    for curve in win_chance_curves:
        shares = curve.wins / curve.games
        noise = shares * (1 - shares) / max(1, curve.games - 1)
        squares = ((shares[1:] - shares[:-1]) ** 2 - noise[1:] - noise[:-1]).mean(axis=1)
        steps, game = curve.steps[:-1], curve.steps[:-1, GAME]
        free = steps[:, LEGAL] > 1
        for sums, mine in ((skill, steps[:, ACTOR] >= 0), (luck, steps[:, ACTOR] < 0)):
            sums += np.bincount(game, squares * (free & mine), minlength=len(curve.numbers)).tolist()
    k, luckily = np.array(skill), np.array(luck)
    numbers = [int(number) for curve in win_chance_curves for number in curve.numbers]

    def most(values: FloatArray) -> Estimate:
        return estimate_mean_with_t_interval(
            values, numbers[int(np.argmax(values))] if name_games and numbers else None
        )

    return Leverage(most(k), most(luckily), _clamp_luck_skill_index(estimate_ratio_of_means(k - luckily, k + luckily)))


def _clamp_luck_skill_index(index: Estimate) -> Estimate:
    """Return the index with what cannot be cut off: it lies in -1..1."""
    if index.value is None:
        return index
    low, high = (None if end is None else min(1.0, max(-1.0, end)) for end in (index.low, index.high))
    return Estimate(min(1.0, max(-1.0, index.value)), low, high, index.games)


# -- exact ---------------------------------------------------------------------------------------------------
# The exact law of random play, in games of so few positions that all of them can be visited.

POSITIONS = 60_000  # positions up to which the law is computed
_SWEEPS = 5_000
_REST = 1e-12  # chance of games that are still running when the sweeps end


@dataclass(frozen=True)
class RandomPlayLaw:
    """What happens between random players, exactly.

    `endings` maps an ending's number to its chance, `wins` and `returns` hold each seat's chance to win and mean
    return, `ties` the chance of a tie. `decisions` is the mean number of players' decisions. `skill` and `luck` are
    the parts of the variance of who wins that players' choices and chance decide. `best` is the first seat's return
    under best play, where that is defined: without secrets, for one side, or for two whose returns cancel. `most_wins`
    is the greatest chance to win of a side that plays against nobody and sees all.
    """

    positions: int
    endings: dict[int, float]
    wins: list[float]
    returns: list[float]
    ties: float
    decisions: float
    skill: float
    luck: float
    best: float | None
    most_wins: float | None = None


def compute_exact_random_play_or_none(compiled: Compiled, max_positions: int = POSITIONS) -> RandomPlayLaw | None:
    """Return the law of random play of a game; None if it has more positions, or does not end."""
    game = compiled.game
    seen = explore(compiled, states=max_positions)
    if not seen.complete or seen.stuck:
        return None
    try:
        net = graph(seen, edges=40 * max_positions)
    except GraphTooLargeError:
        return None
    chances = _compute_step_probabilities(net)
    visits = _compute_mean_visits_or_none_if_endless(net, chances)
    if visits is None:
        return None
    ends = np.flatnonzero(net.actors == -9)
    cells = unpack_states_into_columns(compiled, seen.packed[ends])
    returned = np.stack([evaluate_term_in_many_states(term, cells) for term in game.results], axis=1).astype(np.int64)
    numbers = cells[1].astype(np.int64)
    won, tied = flag_games_won_by_each_seat_and_tied(game, numbers, returned)
    mass = visits[ends]
    skill, luck = _split_win_variance_into_skill_and_luck(
        net, chances, visits, [_compute_win_chance_at_each_position(net, chances, ends, w) for w in won]
    )
    return RandomPlayLaw(
        seen.states,
        {end.number: float(mass[numbers == end.number].sum()) for end in game.endings},
        [float(mass[w].sum()) for w in won],
        [float((mass * returned[:, seat]).sum()) for seat in range(game.players)],
        float(mass[tied].sum()),
        float(visits[net.actors >= 0].sum()),
        skill,
        luck,
        _compute_best_play_return_or_none(compiled, net),
        _compute_best_solo_win_chance_or_none(compiled, net, ends, won[0]),
    )


def _compute_step_probabilities(graph: SuccessorGraph) -> FloatArray:
    """Return the probability of each step: by weight for chance, equal for the choices of a player."""
    counts = np.diff(graph.first)
    rows = np.repeat(np.arange(len(counts)), counts)
    weights = np.where(graph.actors[rows] == -1, graph.chance, 1).astype(np.float64)
    totals = np.bincount(rows, weights, minlength=len(counts))
    return weights / totals[rows]


def _compute_mean_visits_or_none_if_endless(graph: SuccessorGraph, step_probabilities: FloatArray) -> FloatArray | None:
    """Return the mean number of visits of each position; None if games may go on without end."""
    counts = np.diff(graph.first)
    rows = np.repeat(np.arange(len(counts)), counts)
    now = np.zeros(len(counts))
    now[0] = 1.0
    visits = now.copy()
    for _ in range(_SWEEPS):
        now = np.asarray(np.bincount(graph.to, now[rows] * step_probabilities, minlength=len(counts)), dtype=np.float64)
        visits += now
        if now.sum() <= _REST:
            return visits
    return None


def _compute_win_chance_at_each_position(
    graph: SuccessorGraph,
    step_probabilities: FloatArray,
    end_positions: npt.NDArray[np.int64],
    is_won_at_end: npt.NDArray[np.bool_],
) -> FloatArray:
    """Return for each position the chance that the play ends in one of the `is_won_at_end` ends."""
    counts = np.diff(graph.first)
    rows = np.repeat(np.arange(len(counts)), counts)
    value = np.zeros(len(counts))
    value[end_positions] = is_won_at_end
    for _ in range(_SWEEPS):
        after = np.bincount(rows, step_probabilities * value[graph.to], minlength=len(counts))
        after[end_positions] = is_won_at_end
        if np.abs(after - value).max() <= _REST:
            break
        value = np.asarray(after, dtype=np.float64)
    return value


class WinVariance(NamedTuple):
    by_choices: float
    by_chance: float


def _split_win_variance_into_skill_and_luck(
    graph: SuccessorGraph, step_probabilities: FloatArray, visits: FloatArray, win_chances_by_seat: list[FloatArray]
) -> WinVariance:
    """Return how much of the variance of who wins is decided where players choose, and where chance does: the mean
    over seats of the summed squares of each step's change of the chance to win."""
    counts = np.diff(graph.first)
    rows = np.repeat(np.arange(len(counts)), counts)
    skill = luck = 0.0
    for value in win_chances_by_seat:
        change = visits[rows] * step_probabilities * (value[graph.to] - value[rows]) ** 2
        skill += float(change[graph.actors[rows] >= 0].sum()) / len(win_chances_by_seat)
        luck += float(change[graph.actors[rows] == -1].sum()) / len(win_chances_by_seat)
    return WinVariance(skill, luck)


def _compute_best_play_return_or_none(compiled: Compiled, graph: SuccessorGraph) -> float | None:
    game = compiled.game
    if has_fields_hidden_from_any_seat(game) or not is_first_return_deciding_all_returns(game):
        return None
    value = solve(compiled, copy_graph_with_sides_as_actors(graph, game), graph.returned)
    return value.low if value.gap <= _REST else None


def _compute_best_solo_win_chance_or_none(
    compiled: Compiled,
    graph: SuccessorGraph,
    end_positions: npt.NDArray[np.int64],
    is_won_at_end: npt.NDArray[np.bool_],
) -> float | None:
    game = compiled.game
    if has_fields_hidden_from_any_seat(game) or len(game.sides) != 1:
        return None
    earned = np.zeros(len(graph.actors))
    earned[end_positions] = is_won_at_end
    value = solve(compiled, copy_graph_with_sides_as_actors(graph, game), earned)
    return value.low if value.gap <= _REST else None
