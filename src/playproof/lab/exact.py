"""The exact law of random play, in games of so few positions that all of them can be visited."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from playproof.language.compiled import Compiled
from playproof.language.explorer import (
    Exploration,
    GraphTooLargeError,
    SuccessorGraph,
    explore,
    graph,
    solve,
    unpack_columns,
)
from playproof.language.vector import evaluate_term
from playproof.referee.bots.exact import merge_seats_by_side
from playproof.referee.payoffs import is_decided_by_first_seat
from playproof.referee.tally import find_winners_and_ties
from playproof.referee.view import has_hidden_fields

FloatArray = npt.NDArray[np.float64]
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
