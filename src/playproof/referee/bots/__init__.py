"""Bots by name: `random`, `greedy`, `mcts` or `mcts:ITERATIONS`, `exact`, `openspiel:NAME`,
`strategy:FILE#CLAIM`, and bots that users bring."""

from __future__ import annotations

import re
from collections.abc import Callable

from playproof.referee.bots.base import (
    Bot,
    BotError,
    Greedy,
    Random,
    Sight,
    import_and_make_user_bot,
    make_installed_bot_or_none,
    make_sight_that_bot_asks_for,
)
from playproof.referee.bots.exact import Exact
from playproof.referee.bots.tree_search import TreeSearch

STRATEGY = "strategy"
NAMES = ("random", "greedy", "mcts", "exact")
_MOST = 1_000_000
_PLAIN: dict[str, Callable[[], Bot]] = {"random": Random, "greedy": Greedy, "exact": Exact}


def make_bot(spec: str) -> Bot:
    """Make a bot from its name; a budget may follow a colon: `mcts:100`.

    The bot is built in, or an installed package declares it. No other code is loaded, so the name
    may come from anywhere. Raises BotError.
    """
    name, colon, budget = spec.partition(":")
    if name == "mcts" and (not colon or (re.fullmatch(r"[0-9]{1,18}", budget) and 0 < int(budget) <= _MOST)):
        return TreeSearch(int(budget)) if budget else TreeSearch()
    if name == "openspiel" and budget:
        from playproof.referee.bots.openspiel_bots import OpenSpielBot

        return OpenSpielBot(budget)
    if name in _PLAIN and not colon:
        return _PLAIN[name]()
    bot = None if name in (*NAMES, STRATEGY) else make_installed_bot_or_none(name, budget)
    if bot is None:
        raise BotError(
            f"there is no bot `{spec}`; expected random, greedy, exact, mcts, mcts:ITERATIONS (1 to "
            f"{_MOST}), openspiel:NAME, or package.module:Class where bots may be brought"
        )
    return bot


def load_builtin_or_user_bot(bot_spec: str) -> Bot:
    """Like `make_bot`, but also accepts `package.module:Class` and runs its code. Use it only for
    names that the user has typed: `strategy:FILE#CLAIM` too reads a file. Raises BotError."""
    name, colon, what = bot_spec.partition(":")
    if name == STRATEGY and (bot := make_installed_bot_or_none(name, what)) is not None:
        return bot
    if (
        colon
        and what.isidentifier()
        and name not in (*NAMES, "openspiel")
        and make_installed_bot_or_none(name, what) is None
    ):
        return import_and_make_user_bot(name, what)
    return make_bot(bot_spec)


__all__ = [
    "NAMES",
    "STRATEGY",
    "Bot",
    "BotError",
    "Exact",
    "Greedy",
    "Random",
    "Sight",
    "TreeSearch",
    "load_builtin_or_user_bot",
    "make_bot",
    "make_sight_that_bot_asks_for",
]
