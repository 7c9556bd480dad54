"""Bots that users bring: `package.module:Class`, or declared by an installed package.

[project.entry-points."playproof.bots"]
careful = "my_package.bots:Careful"
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from playproof.referee.bots.base import Bot, BotError

GROUP = "playproof.bots"


def load_bot_from_module(module: str, name: str) -> Bot:
    """Return the bot `name` of a module, which may lie in the current directory. Raises
    BotError."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        loaded = importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise BotError(
            f"there is no bot `{module}:{name}`: no module `{error.name}` here or among the packages "
            "installed"
        ) from None
    except Exception as error:
        raise BotError(f"the bot `{module}:{name}` cannot be loaded: {_describe_error(error)}") from error
    factory = getattr(loaded, name, None)
    if factory is None:
        raise BotError(f"`{module}` has no `{name}`; a bot is written package.module:Class")
    return _make_checked_bot(factory, f"{module}:{name}", "")


def load_installed_bot(name: str, budget: str) -> Bot | None:
    """Return the bot of this name that an installed package declares, or None. The package gets the
    budget as text. Raises BotError."""
    entry = next(iter(entry_points(group=GROUP, name=name)), None)
    if entry is None:
        return None
    try:
        factory = entry.load()
    except Exception as error:
        raise BotError(
            f"the bot `{name}` ({entry.value}) cannot be loaded: {_describe_error(error)}"
        ) from error
    return _make_checked_bot(factory, f"{name}:{budget}" if budget else name, budget)


def load_strategy_bot(spec: str, claim_place: str) -> Bot:
    """Return the bot that plays a strategy of a claims file. It belongs to the verifier, which imports this package and
    knows what claims mean; so it is brought as a user's bot is. Raises BotError."""
    module = importlib.import_module("playproof.verifier.strategy_bot")
    return _make_checked_bot(module.StrategyBot, spec, claim_place)


def _make_checked_bot(factory: Callable[..., Any], spec: str, budget: str) -> Bot:
    """Return a bot that carries the name it was asked for, so that a run can be repeated. Raises
    BotError."""
    try:
        bot: Bot = factory(budget) if budget else factory()
    except BotError:
        raise
    except Exception as error:
        raise BotError(f"the bot `{spec}` cannot be made: {_describe_error(error)}") from error
    if not callable(getattr(bot, "choose", None)):
        raise BotError(f"`{spec}` is no bot: it has no `choose(sight, stream)`")
    bot.name = spec
    return bot


def _describe_error(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
