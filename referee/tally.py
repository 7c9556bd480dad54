"""The results of many games in a form that adds up: counts of endings, lengths, returns, and of
every action."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from playproof.rules.language.playouts import Ints, Playouts

if TYPE_CHECKING:
    from playproof.referee.game_summary import GameSummary
    from playproof.rules.language.game import Game

_CLOSE = 4096  # values in a range up to this are counted in an array
_Z = 1.959964  # two-sided 95 %
NOBODY = "nobody can act"


@dataclass
class Tally:
    """Counts over games. `returns[seat]` and the other counters map a value to the number of games
    that had it.

    `taken` and `worth` are by ground action: how often players took it, and the sum of the taker's
    returns. `flawed` is the number of the first game that did not end by one of the game's endings:
    nobody could act, or an invariant failed. `began[seat]` counts the games in which that seat made
    the first decision. `began_and_won` counts the games won by the seat that began.
    """

    seats: int
    ground: int
    games: int = 0
    endings: Counter[int] = field(default_factory=Counter)
    decisions: Counter[int] = field(default_factory=Counter)
    rounds: Counter[int] = field(default_factory=Counter)
    returns: list[Counter[int]] = field(default_factory=list)
    wins: list[int] = field(default_factory=list)
    ties: int = 0
    taken: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    worth: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    flawed: int | None = None
    began: list[int] = field(default_factory=list)
    began_and_won: int = 0

    def __post_init__(self) -> None:
        self.began = self.began or [0] * self.seats
        self.returns = self.returns or [Counter() for _ in range(self.seats)]
        self.wins = self.wins or [0] * self.seats
        if not len(self.taken):
            self.taken = np.zeros(self.ground, dtype=np.int64)
            self.worth = np.zeros(self.ground, dtype=np.int64)

    @classmethod
    def of(cls, game: Game | GameSummary, batch: Playouts, first: int = 0) -> Tally:
        """Return the counts of a batch whose games are numbered from `first`."""
        tally = cls(game.players, game.ground, len(batch.endings), _counts(batch.endings),
                    _counts(batch.decisions), _counts(batch.rounds),
                    [_counts(batch.returns[:, seat])
                                            for seat in range(game.players)],
                    taken=batch.taken, worth=batch.worth)
        winners = _winners(game, batch.endings, batch.returns)
        won, began = _counts(winners), _counts(batch.starters)
        tally.wins = [won[seat] for seat in range(game.players)]
        tally.ties = won[-1] if game.players > 1 else 0
        tally.began = [began[seat] for seat in range(game.players)]
        tally.began_and_won = int(np.count_nonzero((winners == batch.starters) & (winners >= 0)))
        if any(not 1 <= ending <= len(game.endings) for ending in tally.endings):
            flawed = (batch.endings < 1) | (batch.endings > len(game.endings))
            tally.flawed = first + int(np.argmax(flawed))
        return tally

    def add(self, other: Tally) -> Tally:
        """Add another tally in place and return this one."""
        self.games += other.games
        self.ties += other.ties
        for mine, theirs in ((self.endings, other.endings), (self.decisions, other.decisions),
                             (self.rounds, other.rounds),
                             *zip(self.returns, other.returns, strict=True)):
            mine.update(theirs)
        self.wins = [a + b for a, b in zip(self.wins, other.wins, strict=True)]
        self.began = [a + b for a, b in zip(self.began, other.began, strict=True)]
        self.began_and_won += other.began_and_won
        self.taken = self.taken + other.taken
        self.worth = self.worth + other.worth
        self.flawed = min((n for n in (self.flawed, other.flawed) if n is not None), default=None)
        return self


def _counts(values: Ints) -> Counter[int]:
    """Return how often each value occurs. Uses an array of counts for values close together,
    which avoids sorting."""
    if not len(values):
        return Counter()
    least, most = int(values.min()), int(values.max())
    if least == most:
        return Counter({least: len(values)})
    if most - least <= _CLOSE:
        found = np.bincount(values - least if least else values)
        return Counter({least + k: n for k, n in enumerate(found.tolist()) if n})
    kinds, counts = np.unique(values, return_counts=True)
    return Counter(dict(zip(kinds.tolist(), counts.tolist(), strict=True)))


def _winners(game: Game | GameSummary, endings: Ints, returns: Ints) -> Ints:
    """Return the winning seat of each game, -1 for none.

    With one player, the player wins if the ending is a win. With more, the seat with the greatest
    return wins if the game reached an ending and no other seat shares that return.
    """
    if game.players == 1:
        won = np.zeros(len(endings), dtype=np.bool_)
        for end in game.endings:  # much faster than numpy's `isin`, as there are few
            if end.kind == "win":
                won |= endings == end.number
        return np.where(won, 0, -1)
    if game.players == 2:  # numpy is slow along short rows
        ahead = np.sign(returns[:, 0] - returns[:, 1])
        return np.where((ahead != 0) & (endings > 0), (1 - ahead) >> 1, -1)
    best = returns.max(axis=1)
    alone = (returns == best[:, None]).sum(axis=1) == 1
    return np.where(alone & (endings > 0), returns.argmax(axis=1), -1)


# -- figures --------------------------------------------------------------------------------------------------------


def wilson(wins: int, games: int) -> tuple[float, float]:
    """Return the 95 % interval of a rate (Wilson, JASA 22, 1927). Without games it is 0 to 1.

    >>> wilson(0, 0)
    (0.0, 1.0)
    """
    if games == 0:
        return 0.0, 1.0
    rate, z2 = wins / games, _Z * _Z
    centre = (rate + z2 / (2 * games)) / (1 + z2 / games)
    half = _Z / (1 + z2 / games) * sqrt(rate * (1 - rate) / games + z2 / (4 * games * games))
    low = 0.0 if wins == 0 else max(0.0, centre - half)
    return low, 1.0 if wins == games else min(1.0, centre + half)


def mean(counts: Counter[int]) -> float:
    """Return the mean of counted values; 0 without games."""
    games = sum(counts.values())
    return sum(v * n for v, n in counts.items()) / games if games else 0.0


def mean_interval(counts: Counter[int]) -> tuple[float, float]:
    """Return the 95 % interval of the mean by the normal approximation."""
    games, centre = sum(counts.values()), mean(counts)
    if games < 2:
        return centre, centre
    spread = sum(n * (v - centre) ** 2 for v, n in counts.items()) / (games - 1)
    half = _Z * sqrt(spread / games)
    return centre - half, centre + half


def quantile(counts: Counter[int], share: float) -> int:
    """Return the least value that at least `share` of the games do not exceed."""
    need, seen = share * sum(counts.values()), 0
    for value in sorted(counts):
        seen += counts[value]
        if seen >= need:
            return value
    return 0
