"""What random play says of a design: tension, luck and skill from each position of a game, and the exact
law of random play in games of few positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.lab.estimates import NO_ESTIMATE, Estimate, estimate_mean, estimate_ratio, estimate_share
from playproof.language.compiled import Compiled
from playproof.language.explorer import (
    Exploration,
    GraphTooLargeError,
    SuccessorGraph,
    evaluate_term,
    explore,
    graph,
    solve,
    unpack_columns,
)
from playproof.language.game import Game
from playproof.language.game_analysis import is_decided_by_first_seat
from playproof.language.machine.records import ACTOR, GAME, LEGAL
from playproof.language.recorded_playouts import WinChanceCurves
from playproof.referee.batches import find_winners_and_ties
from playproof.referee.bots.exact import merge_seats_by_side
from playproof.referee.view import has_hidden_fields

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


def win_chance_by_side(game: Game, wins: npt.NDArray[Any], games: int) -> FloatArray:
    """Return each side's chance to win, a row per position: one column per side, or the player and the game."""
    shares = wins / games
    columns = [shares[:, team[0]] for team in game.sides]
    if len(columns) == 1:
        columns.append(1 - columns[0])
    return np.stack(columns, axis=1)


def measure_tension(game: Game, curves: Sequence[WinChanceCurves]) -> Tension:
    """Return the tension of the games in these curves."""
    single = [
        _GameCurve.from_curves(game, curve, number)
        for curve in curves
        for number in range(len(curve.numbers))
    ]
    decided = [g for g in single if g.winner is not None]
    playouts = curves[0].games if curves else 0
    return Tension(
        len(single),
        playouts,
        _mean_with_example_game([g.count_lead_changes(playouts) for g in single], single, largest_value=inf),
        _mean_with_example_game([g.measure_drama() for g in decided], decided),
        _mean_with_example_game([g.least_chance_of_winner() for g in decided], decided, show_least=True),
        _mean_with_example_game([g.decided_after_share() for g in decided], decided),
        _measure_runaway(decided, playouts),
        tuple(np.mean([g.openness_at_tenths() for g in single], axis=0).tolist()) if single else (),
        *(_measure_lost_games([g for g in single if g.winner == 1]) if len(game.sides) == 1 else ()),
    )


def _measure_lost_games(lost: Sequence[_GameCurve]) -> tuple[Estimate, Estimate, tuple[float, ...]]:
    """Return until when lost games were open, as a part of their decisions and as a number of them, and their mean
    chance by tenths."""
    fading = tuple(np.mean([g.chances_by_tenths() for g in lost], axis=0).tolist()) if lost else ()
    return (
        _mean_with_example_game([g.last_open_decision()[0] for g in lost], lost),
        _mean_with_example_game([g.last_open_decision()[1] for g in lost], lost, largest_value=inf),
        fading,
    )


def _measure_runaway(decided: Sequence[_GameCurve], playouts: int) -> Estimate:
    at_half_time = [(game, game.clear_leader_by_moment(playouts)[len(game.chances) // 2]) for game in decided]
    led = [(game, leader) for game, leader in at_half_time if leader >= 0]
    wins = [game.number for game, leader in led if leader == game.winner]
    return estimate_share(len(wins), len(led), wins[0] if wins else None)


def _mean_with_example_game(
    values: Sequence[float],
    games: Sequence[_GameCurve],
    *,
    show_least: bool = False,
    largest_value: float = 1,
) -> Estimate:
    """Return the mean of the games' values, which lie in 0..most, with the game that shows most (or least) of it."""
    if not values:
        return Estimate(None, None, None, 0)
    number = int(np.argmin(values) if show_least else np.argmax(values))
    return estimate_mean(values, games[number].number, value_range=(0, largest_value))


@dataclass(frozen=True)
class _GameCurve:
    """One game: its number, the sides' chances at each decision and at the end, and the side that won alone."""

    number: int
    chances: FloatArray
    winner: int | None

    @classmethod
    def from_curves(cls, game: Game, curve: WinChanceCurves, number: int) -> _GameCurve:
        mine = curve.steps[:, GAME] == number
        steps, chances = curve.steps[mine], win_chance_by_side(game, curve.wins[mine], curve.games)
        matters = (steps[:, ACTOR] >= 0) & (steps[:, LEGAL] > 1)
        matters[-1] = True
        winners = np.flatnonzero(chances[-1] == 1.0)
        return cls(
            int(curve.numbers[number]), chances[matters], int(winners[0]) if len(winners) == 1 else None
        )

    def clear_leader_by_moment(self, playouts: int) -> npt.NDArray[np.int64]:
        """Return at each moment which side clearly leads, or -1."""
        order = np.argsort(self.chances, axis=1)
        rows = np.arange(len(order))
        first, second = self.chances[rows, order[:, -1]], self.chances[rows, order[:, -2]]
        noise = np.sqrt(np.maximum(first + second - (first - second) ** 2, 0.0) / playouts)
        return np.where(first - second > _CLEAR * noise, order[:, -1], -1)

    def count_lead_changes(self, playouts: int) -> float:
        leaders = self.clear_leader_by_moment(playouts)
        clear = leaders[leaders >= 0]
        return float(np.count_nonzero(np.diff(clear)))

    def _chances_of_winner(self) -> FloatArray:
        assert self.winner is not None
        chances: FloatArray = self.chances[:, self.winner]
        return chances

    def measure_drama(self) -> float:
        behind = self.chances.max(axis=1) - self._chances_of_winner()
        behind = behind[behind > 0]
        return float(np.sqrt(behind).mean()) if len(behind) else 0.0

    def least_chance_of_winner(self) -> float:
        return float(self._chances_of_winner().min())

    def decided_after_share(self) -> float:
        unsure = np.flatnonzero(self._chances_of_winner() < SURE)
        return float(unsure[-1] + 1) / max(1, len(self.chances) - 1) if len(unsure) else 0.0

    def last_open_decision(self) -> tuple[float, float]:
        """Return the last decision from which the side that plays alone still had a chance of one in ten, as a part of
        all and as a number; 0 if it never had."""
        there = np.flatnonzero(self.chances[:-1, 0] >= OPEN)
        last = float(there[-1] + 1) if len(there) else 0.0
        return last / max(1, len(self.chances) - 1), last

    def chances_by_tenths(self) -> FloatArray:
        """Return the chance of the side that plays alone, by tenths of the game."""
        moments = np.linspace(0, len(self.chances) - 1, _PARTS + 1).round().astype(int)
        return np.asarray(self.chances[moments, 0], dtype=np.float64)

    def openness_at_tenths(self) -> FloatArray:
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


def measure_leverage(curves: Sequence[WinChanceCurves], *, name_games: bool = True) -> Leverage:
    """Return luck and skill of the games in these curves, each with the game that has most of it, if these are games of
    the run.

    Between random players, each seat's chance to win is a martingale: the variance of who wins is the sum of the
    squares of its steps. The square of a measured step is too large by the variances of both measurements, which are
    subtracted; so each game's sums are unbiased.
    """
    skill: list[float] = []
    luck: list[float] = []
    for curve in curves:
        shares = curve.wins / curve.games
        noise = shares * (1 - shares) / max(1, curve.games - 1)
        squares = ((shares[1:] - shares[:-1]) ** 2 - noise[1:] - noise[:-1]).mean(axis=1)
        steps, game = curve.steps[:-1], curve.steps[:-1, GAME]
        free = steps[:, LEGAL] > 1
        for sums, mine in ((skill, steps[:, ACTOR] >= 0), (luck, steps[:, ACTOR] < 0)):
            sums += np.bincount(game, squares * (free & mine), minlength=len(curve.numbers)).tolist()
    k, luckily = np.array(skill), np.array(luck)
    numbers = [int(number) for curve in curves for number in curve.numbers]

    def most(values: FloatArray) -> Estimate:
        return estimate_mean(values, numbers[int(np.argmax(values))] if name_games and numbers else None)

    return Leverage(most(k), most(luckily), _clamp_index(estimate_ratio(k - luckily, k + luckily)))


def _clamp_index(index: Estimate) -> Estimate:
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


def compute_random_play_law(compiled: Compiled, max_positions: int = POSITIONS) -> RandomPlayLaw | None:
    """Return the law of random play of a game; None if it has more positions, or does not end."""
    game = compiled.game
    seen = explore(compiled, states=max_positions)
    if not seen.complete or seen.stuck:
        return None
    try:
        net = graph(seen, edges=40 * max_positions)
    except GraphTooLargeError:
        return None
    chances = _step_probabilities(net)
    visits = _mean_visits(net, chances)
    if visits is None:
        return None
    ends = np.flatnonzero(net.actors == -9)
    cells = unpack_columns(compiled, seen.packed[ends])
    returned = np.stack([evaluate_term(term, cells) for term in game.results], axis=1).astype(np.int64)
    numbers = cells[1].astype(np.int64)
    won, tied = find_winners_and_ties(game, numbers, returned)
    mass = visits[ends]
    skill, luck = _split_variance(
        net, chances, visits, [_win_chance_by_position(net, chances, ends, w) for w in won]
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
        _best_play_return(compiled, seen, net),
        _greatest_win_chance(compiled, seen, net, ends, won[0]),
    )


def _step_probabilities(net: SuccessorGraph) -> FloatArray:
    """Return the probability of each step: by weight for chance, equal for the choices of a player."""
    counts = np.diff(net.first)
    rows = np.repeat(np.arange(len(counts)), counts)
    weights = np.where(net.actors[rows] == -1, net.chance, 1).astype(np.float64)
    totals = np.bincount(rows, weights, minlength=len(counts))
    return weights / totals[rows]


def _mean_visits(net: SuccessorGraph, chances: FloatArray) -> FloatArray | None:
    """Return the mean number of visits of each position; None if games may go on without end."""
    counts = np.diff(net.first)
    rows = np.repeat(np.arange(len(counts)), counts)
    now = np.zeros(len(counts))
    now[0] = 1.0
    visits = now.copy()
    for _ in range(_SWEEPS):
        now = np.asarray(np.bincount(net.to, now[rows] * chances, minlength=len(counts)), dtype=np.float64)
        visits += now
        if now.sum() <= _REST:
            return visits
    return None


def _win_chance_by_position(
    net: SuccessorGraph, chances: FloatArray, ends: npt.NDArray[np.int64], won: npt.NDArray[np.bool_]
) -> FloatArray:
    """Return for each position the chance that the play ends in one of the `won` ends."""
    counts = np.diff(net.first)
    rows = np.repeat(np.arange(len(counts)), counts)
    value = np.zeros(len(counts))
    value[ends] = won
    for _ in range(_SWEEPS):
        after = np.bincount(rows, chances * value[net.to], minlength=len(counts))
        after[ends] = won
        if np.abs(after - value).max() <= _REST:
            break
        value = np.asarray(after, dtype=np.float64)
    return value


def _split_variance(
    net: SuccessorGraph, chances: FloatArray, visits: FloatArray, values: list[FloatArray]
) -> tuple[float, float]:
    """Return how much of the variance of who wins is decided where players choose, and where chance does: the mean
    over seats of the summed squares of each step's change of the chance to win."""
    counts = np.diff(net.first)
    rows = np.repeat(np.arange(len(counts)), counts)
    skill = luck = 0.0
    for value in values:
        change = visits[rows] * chances * (value[net.to] - value[rows]) ** 2
        skill += float(change[net.actors[rows] >= 0].sum()) / len(values)
        luck += float(change[net.actors[rows] == -1].sum()) / len(values)
    return skill, luck


def _best_play_return(compiled: Compiled, seen: Exploration, net: SuccessorGraph) -> float | None:
    game = compiled.game
    if has_hidden_fields(game) or not is_decided_by_first_seat(game):
        return None
    value = solve(compiled, merge_seats_by_side(net, game), net.returned)
    return value.low if value.gap <= _REST else None


def _greatest_win_chance(
    compiled: Compiled,
    seen: Exploration,
    net: SuccessorGraph,
    ends: npt.NDArray[np.int64],
    won: npt.NDArray[np.bool_],
) -> float | None:
    game = compiled.game
    if has_hidden_fields(game) or len(game.sides) != 1:
        return None
    earned = np.zeros(len(net.actors))
    earned[ends] = won
    value = solve(compiled, merge_seats_by_side(net, game), earned)
    return value.low if value.gap <= _REST else None
