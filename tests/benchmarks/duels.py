"""Bots against each other in the largest game: each deal is played once with the first bot in each
seat.

Slow (a search takes a tenth of a second a move, a game has some 150 moves), so it runs only when
named: `python -m tests.benchmarks duels`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

from playproof.language.random import Stream, make_game_seed
from playproof.referee import Variant
from playproof.referee.batches import compute_95_percent_wilson_interval, play_game_to_states_actions_and_choices
from playproof.referee.bots import Bot, Sight, make_bot
from playproof.referee.engine import Engine
from tests.benchmarks.measure import Row

SLOW = True
RUN = 77
DUELS: list[tuple[int, str, str, int]] = [
    (2, "greedy", "random", 1000),
    (2, "mcts:100", "greedy", 60),
    (2, "mcts:400", "greedy", 60),
    (3, "mcts:400", "greedy", 30),
    (4, "mcts:400", "greedy", 24),
]


@dataclass
class Timed:
    """A bot with a clock that runs if there is more than one legal action."""

    bot: Bot
    seconds: float = 0.0
    moves: int = 0

    @property
    def name(self) -> str:
        """The name of the bot."""
        return self.bot.name

    @property
    def looks(self) -> str:
        """What the bot looks at."""
        return str(getattr(self.bot, "looks", "all"))

    def choose(self, sight: Sight, stream: Stream) -> int:
        """Return the bot's choice and add the time it took."""
        began = perf_counter()
        chosen = self.bot.choose(sight, stream)
        if len(sight.legal) > 1:
            self.seconds += perf_counter() - began
            self.moves += 1
        return chosen


def run() -> list[Row]:
    """Play every duel."""
    return [duel(*d) for d in DUELS]


def duel(players: int, ours: str, theirs: str, games: int) -> Row:
    """Play one bot against others of one kind. A player wins by having alone the greatest
    return."""
    engine = Engine(Variant("olith", {"players": str(players)}).game)
    mind, others = Timed(make_bot(ours)), make_bot(theirs)
    wins = 0
    for game in range(games):
        seat = game % players
        minds: Sequence[Bot] = [mind if n == seat else others for n in range(players)]
        states, _, _ = play_game_to_states_actions_and_choices(
            engine, minds, Stream(make_game_seed(RUN, game // players))
        )
        returns = engine.returns(states[-1])
        wins += returns[seat] == max(returns) and returns.count(max(returns)) == 1
    low, high = compute_95_percent_wilson_interval(wins, games)
    return Row(
        f"Olith, {players} players: {ours} against {theirs}, {games} games",
        f"won {wins}",
        f"{1000 * mind.seconds / mind.moves:.1f} ms a move",
        f"{100 * low:.0f} to {100 * high:.0f} %",
        f"more than {100 / players:.0f} %",
    )
