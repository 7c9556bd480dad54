"""A ladder of bots: how often each rung beats the one below it, which says how deep a game is for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from playproof.lab.estimates import Estimate, Z, estimate_mean, estimate_mean_share, estimate_share
from playproof.lab.playing import GameRunner, play_games
from playproof.language.game import Game
from playproof.referee.batches import Batch
from playproof.referee.engine import Engine
from playproof.referee.simulate import play_batches_on_workers
from playproof.referee.tally import Tally, find_winners_and_ties
from playproof.referee.variant import Variant

_RUNGS = ("random", "greedy", "mcts:20", "mcts:80")
_ITERATIONS = 20_000  # of searches, per rung
_MOST, _LEAST = 200, 16  # games per rung


@dataclass(frozen=True)
class LadderRung:
    """How a bot does: `wins` is its share of games, with one seat, or the seats of its team, against the bot below it
    in all others, each seat as often; a tie is shared. Alone, or in a team alone, it is its share of wins. `fair` is
    the share of equals. `returns` is its mean return."""

    bot: str
    against: str | None
    fair: float | None
    wins: Estimate
    returns: Estimate

    @property
    def is_stronger(self) -> bool | None:
        """Whether the interval lies above the fair share; None without an opponent."""
        if self.fair is None or self.wins.low is None:
            return None
        return self.wins.low > self.fair


def default_ladder_bots(variant: Variant) -> tuple[str, ...]:
    """Return the bots of a ladder, from weak to strong. A greedy bot is one where the game says how good a position is;
    elsewhere it plays random games, and is a slow search."""
    return tuple(bot for bot in _RUNGS if bot != "greedy" or Engine(variant.game).evaluates)


def search_iterations_of_bot(bot: str) -> int:
    """Return how many iterations a bot thinks per decision; 1 if it does not search.

    >>> search_iterations_of_bot("mcts:80")
    80
    """
    name, _, count = bot.partition(":")
    return int(count or 400) if name == "mcts" and (count or "400").isdigit() else 1


def play_ladder(
    bench: GameRunner, bots: Sequence[str], decisions: float, games: int | None
) -> list[LadderRung]:
    """Return the rungs from the first bot up. `decisions` is the mean length of a game. Without `games`, a rung has as
    many games as a fixed number of iterations pays for."""
    variant, seats = bench.variant, bench.variant.game.players
    pairs = pair_bots_with_lower_rung(bots, len(variant.game.sides))
    works: list[Batch] = []
    owners: list[tuple[int, int]] = []
    for number, (bot, below) in enumerate(pairs):
        wanted = games or _affordable_game_count(bot, below, decisions)
        each = max(1, -(-wanted // seats))
        for seat in range(seats):
            team = variant.game.get_team_of_seat(seat)
            named = tuple(bot if s in team else (below or bot) for s in range(seats))
            for first in range(0, each, 5):
                works.append(Batch(variant, named, bench.seed, first, min(5, each - first)))
                owners.append((number, seat))
    tallies = play_batches_on_workers(works, bench.jobs, bench.client)
    sums: dict[tuple[int, int], Tally] = {}
    for owner, tally in zip(owners, tallies, strict=True):
        sums[owner] = sums[owner].add(tally) if owner in sums else tally
    return [
        _make_rung(bot, below, variant.game, [sums[number, s] for s in range(seats)])
        for number, (bot, below) in enumerate(pairs)
    ]


@dataclass(frozen=True)
class RungComparison:
    """What a rung does in two versions of a game, over the same seeds: its shares of games, and how much greater the
    second is."""

    bot: str
    against: str | None
    before: Estimate
    after: Estimate
    difference: Estimate


def compare_rung_in_two_versions(
    pair: tuple[Variant, Variant],
    bot: str,
    below: str | None,
    games: int,
    jobs: int | None,
    error: float = 0.05,
) -> RungComparison:
    """Return how a bot does against the one below it, or alone, in both versions; each seat as often. Bots that search
    play as many games as a fixed number of iterations pays for. The interval of the difference misses with
    probability `error`."""
    seats = pair[0].game.players
    benches = []
    for own in range(seats):
        team = pair[0].game.get_team_of_seat(own)
        bots = [bot if seat in team else (below or bot) for seat in range(seats)]
        benches.append([GameRunner(variant, bots, 0, jobs) for variant in pair])
    if not all(bench.can_play_compiled for sides in benches for bench in sides):
        usual = play_games(GameRunner(pair[0], ["random"], 0, jobs), 0, _MOST)
        games = min(games, _affordable_game_count(bot, below, float(usual.decisions.mean())))
    each = max(1, games // seats)
    before, after = (
        np.concatenate(
            [_win_shares_of_seat(sides[version], seat, each) for seat, sides in enumerate(benches)]
        )
        for version in (0, 1)
    )
    # As Agresti and Min do with pairs (see `estimates.paired`), so that pairs that are all alike have an interval.
    differences = np.concatenate([after - before, [1.0, -1.0]])
    centre, spread = float((after - before).mean()), estimate_mean(differences, value_range=(-1.0, 1.0))
    wider = NormalDist().inv_cdf(1 - error / 2) / Z
    low, high = (
        None if end is None else max(-1.0, min(1.0, centre + wider * (end - centre)))
        for end in (spread.low, spread.high)
    )
    difference = Estimate(centre, low, high, len(before))
    return RungComparison(bot, below, estimate_mean_share(before), estimate_mean_share(after), difference)


def _win_shares_of_seat(bench: GameRunner, seat: int, games: int) -> npt.NDArray[np.float64]:
    """Return what share of each game a seat won: 1 a win, a tie by parts."""
    played, game = play_games(bench, 0, games), bench.variant.game
    won, tied = find_winners_and_ties(game, played.endings, played.returns)
    return np.where(won[seat], 1.0, np.where(tied, 1 / len(game.sides), 0.0))


def pair_bots_with_lower_rung(bots: Sequence[str], sides: int) -> list[tuple[str, str | None]]:
    """Return each rung with the one below it; with one seat, or one team, each rung alone.

    >>> pair_bots_with_lower_rung(["random", "greedy"], 2)
    [('greedy', 'random')]
    """
    return [(bot, None if sides == 1 else bots[at - 1]) for at, bot in enumerate(bots) if at or sides == 1]


def _affordable_game_count(bot: str, below: str | None, decisions: float) -> int:
    cost = max(1.0, decisions) * max(search_iterations_of_bot(bot), search_iterations_of_bot(below or bot), 4)
    return max(_LEAST, min(_MOST, int(_ITERATIONS / cost)))


def _make_rung(bot: str, below: str | None, game: Game, by_seat: Sequence[Tally]) -> LadderRung:
    sides = len(game.sides)
    wins = sum(tally.wins[seat] for seat, tally in enumerate(by_seat))
    games = sum(tally.games for tally in by_seat)
    returns = [value for seat, tally in enumerate(by_seat) for value in tally.returns[seat].elements()]
    possible = min(term.lo for term in game.results), max(term.hi for term in game.results)
    earned = estimate_mean(returns, value_range=possible)
    if below is None:
        return LadderRung(bot, None, None, estimate_share(wins, games), earned)
    ties = sum(tally.ties for tally in by_seat)
    shares = np.repeat([1.0, 1 / sides, 0.0], [wins, ties, games - wins - ties])
    return LadderRung(bot, below, 1 / sides, estimate_mean_share(shares), earned)
