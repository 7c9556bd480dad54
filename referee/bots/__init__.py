"""Bots by name: `random`, `greedy`, `mcts` or `mcts:ITERATIONS`, `exact`."""

from __future__ import annotations

from playproof.referee.bots.base import Bot, BotError, Sight, sight_for
from playproof.referee.bots.exact import Exact
from playproof.referee.bots.search import TreeSearch
from playproof.referee.bots.simple import Greedy, Random

NAMES = ("random", "greedy", "mcts", "exact")
_MOST = 1_000_000


def make_bot(spec: str) -> Bot:
    """The bot of a name, with its budget after a colon. Raises BotError."""
    name, colon, budget = spec.partition(":")
    if name == "mcts" and (not colon or (budget.isdigit() and 0 < int(budget) <= _MOST)):
        return TreeSearch(int(budget)) if budget else TreeSearch()
    plain: dict[str, type[Random] | type[Greedy] | type[Exact]] = {"random": Random, "greedy": Greedy, "exact": Exact}
    if name in plain and not colon:
        return plain[name]()
    raise BotError(f"there is no bot `{spec}`; expected random, greedy, exact, mcts or mcts:ITERATIONS "
                   f"(1 to {_MOST})")


__all__ = ["NAMES", "Bot", "BotError", "Exact", "Greedy", "Random", "Sight", "TreeSearch", "make_bot",
           "sight_for"]
