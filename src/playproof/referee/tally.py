"""The results of many games in a form that adds up: counts of endings, lengths, returns, and of
every action."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from playproof.language.machine.players import STOPPED
from playproof.language.playouts import IntArray, PlayoutResults

if TYPE_CHECKING:
    from playproof.language.game import Ending, Game
    from playproof.referee.game_summary import EndingSummary, GameSummary

BoolArray = npt.NDArray[np.bool_]

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
    the first decision. `began_and_won` counts the games won by the seat that began. Several seats may win a game
    (`wins`). `ties` counts ties, not losses. `stopped` counts the games that reached a limit, `first_stopped` is the
    number of the first; they are games that nobody wins.
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
    stopped: int = 0
    first_stopped: int | None = None
    taken: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    worth: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
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
    def from_playouts(cls, game: Game | GameSummary, batch: PlayoutResults, first: int = 0) -> Tally:
        """Return the counts of a batch whose games are numbered from `first`."""
        tally = cls(
            game.players,
            game.ground,
            len(batch.endings),
            _count_values(batch.endings),
            _count_values(batch.decisions),
            _count_values(batch.rounds),
            [_count_values(batch.returns[:, seat]) for seat in range(game.players)],
            taken=batch.taken,
            worth=batch.worth,
        )
        won, tied = find_winners_and_ties(game, batch.endings, batch.returns)
        began = _count_values(batch.starters)
        tally.wins = [int(np.count_nonzero(games)) for games in won]
        tally.ties = int(np.count_nonzero(tied))
        tally.began = [began[seat] for seat in range(game.players)]
        tally.began_and_won = sum(
            int(np.count_nonzero(games & (batch.starters == seat))) for seat, games in enumerate(won)
        )
        tally.stopped = tally.endings[STOPPED]
        if tally.stopped:
            tally.first_stopped = first + int(np.argmax(batch.endings == STOPPED))
        if any(not 1 <= ending <= len(game.endings) for ending in tally.endings if ending != STOPPED):
            flawed = (batch.endings < 1) | (batch.endings > len(game.endings))
            flawed &= batch.endings != STOPPED
            tally.flawed = first + int(np.argmax(flawed))
        return tally

    def add(self, other: Tally) -> Tally:
        """Add another tally in place and return this one."""
        self.games += other.games
        self.ties += other.ties
        for mine, theirs in (
            (self.endings, other.endings),
            (self.decisions, other.decisions),
            (self.rounds, other.rounds),
            *zip(self.returns, other.returns, strict=True),
        ):
            mine.update(theirs)
        self.wins = [a + b for a, b in zip(self.wins, other.wins, strict=True)]
        self.began = [a + b for a, b in zip(self.began, other.began, strict=True)]
        self.began_and_won += other.began_and_won
        self.taken = self.taken + other.taken
        self.worth = self.worth + other.worth
        self.stopped += other.stopped
        self.flawed = _lower_game_number(self.flawed, other.flawed)
        self.first_stopped = _lower_game_number(self.first_stopped, other.first_stopped)
        return self


def _lower_game_number(one: int | None, other: int | None) -> int | None:
    """Return the lower of two numbers of games; None stands for no game."""
    return min((number for number in (one, other) if number is not None), default=None)


def _count_values(values: IntArray) -> Counter[int]:
    """Return how often each value occurs. Uses an array of counts for values close together,
    which avoids sorting."""
    if not len(values):
        return Counter()
    least, most = int(values.min()), int(values.max())
    if least == most:
        return Counter({least: len(values)})
    if most - least <= _CLOSE:
        occurrences = np.bincount(values - least if least else values)
        return Counter({least + k: n for k, n in enumerate(occurrences.tolist()) if n})
    kinds, counts = np.unique(values, return_counts=True)
    return Counter(dict(zip(kinds.tolist(), counts.tolist(), strict=True)))


def find_winners_and_ties(
    game: Game | GameSummary, endings: IntArray, returns: IntArray
) -> tuple[list[BoolArray], BoolArray]:
    """Return for each seat which games it won, and which games are ties.

    All seats win an ending that everybody wins; so do the seats of the only team at a win. Of the other wins and of
    scores, a seat is a winner if its return is greater than that of every seat outside its team. A tie is an ending
    by a tie, or one of these without a winner. A loss, and a game without an ending, is neither.
    """
    alone = len(game.sides) == 1
    contest = _flag_games_ended_by(
        game, endings, lambda end: end.kind == "win" or (end.kind == "scores" and not alone)
    )
    tied = _flag_games_ended_by(game, endings, lambda end: end.kind == "draw")
    if alone:
        return [contest] * game.players, tied
    shared = _flag_games_ended_by(game, endings, lambda end: end.kind == "win" and end.shared)
    won = [shared | (contest & ahead) for ahead in _flag_games_each_seat_leads(game, returns)]
    return won, tied | (contest & ~np.logical_or.reduce(won))


def is_played_for_score(game: Game) -> bool:
    """Return whether nobody can win: one side plays, for a score."""
    kinds = {end.kind for end in game.endings}
    return len(game.sides) == 1 and "scores" in kinds and "win" not in kinds


def _flag_games_ended_by(
    game: Game | GameSummary, endings: IntArray, is_wanted: Callable[[Ending | EndingSummary], bool]
) -> BoolArray:
    """Return which games reached one of the wanted endings."""
    reached = np.zeros(len(endings), dtype=np.bool_)
    for end in game.endings:  # much faster than numpy's `isin`, as there are few
        if is_wanted(end):
            reached |= endings == end.number
    return reached


def _flag_games_each_seat_leads(game: Game | GameSummary, returns: IntArray) -> list[BoolArray]:
    """Return for each seat in which games its return is greater than that of every seat outside its team."""
    if game.players == 2:  # numpy is slow along short rows
        return [returns[:, 0] > returns[:, 1], returns[:, 1] > returns[:, 0]]
    ahead: dict[int, BoolArray] = {}
    for team in game.sides:
        others = [seat for seat in range(game.players) if seat not in team]
        most = returns[:, others].max(axis=1)
        ahead |= {seat: returns[:, seat] > most for seat in team}
    return [ahead[seat] for seat in range(game.players)]


# -- figures --------------------------------------------------------------------------------------------------------


def compute_wilson_interval(wins: float, games: int) -> tuple[float, float]:
    """Return the 95 % interval of a rate (Wilson, JASA 22, 1927). Without games it is 0 to 1. A shared win may count
    as a part of one.

    >>> compute_wilson_interval(0, 0)
    (0.0, 1.0)
    """
    if games == 0:
        return 0.0, 1.0
    rate, z2 = wins / games, _Z * _Z
    centre = (rate + z2 / (2 * games)) / (1 + z2 / games)
    half = _Z / (1 + z2 / games) * sqrt(rate * (1 - rate) / games + z2 / (4 * games * games))
    low = 0.0 if wins == 0 else max(0.0, centre - half)
    return low, 1.0 if wins == games else min(1.0, centre + half)


def compute_mean(counts: Counter[int]) -> float | None:
    """Return the mean of counted values; None without games."""
    games = sum(counts.values())
    return sum(v * n for v, n in counts.items()) / games if games else None


def compute_mean_interval(counts: Counter[int]) -> tuple[float, float] | None:
    """Return the 95 % interval of the mean by the normal approximation.

    Returns None if all games have one value, or there are fewer than two: they do not show how far apart values may
    lie, and an interval without width would claim certainty.
    """
    games, centre = sum(counts.values()), compute_mean(counts)
    if centre is None or len(counts) < 2:
        return None
    spread = sum(n * (v - centre) ** 2 for v, n in counts.items()) / (games - 1)
    half = _Z * sqrt(spread / games)
    return centre - half, centre + half


def compute_quantile(counts: Counter[int], share: float) -> int:
    """Return the least value that at least `share` of the games do not exceed."""
    need, seen = share * sum(counts.values()), 0
    for value in sorted(counts):
        seen += counts[value]
        if seen >= need:
            return value
    return 0
