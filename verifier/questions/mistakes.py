"""Words for what a claim gets wrong. What stands here decides no verdict: it is only raised."""

from __future__ import annotations

from collections.abc import Mapping

from playproof.database.errors import did_you_mean
from playproof.language.game import Game


def describe_unknown_action(game: Game, name: str, parameter_values: Mapping[str, str]) -> tuple[str, str]:
    """Return the message and the hint for an action that the game does not have: unknown name,
    unknown parameter, or no such values."""
    meant = [a for a in game.actions if name in (a.name, a.text)]
    parameters = [p.local.name for a in meant for p in a.params]
    for key in parameter_values if meant else ():
        if key not in parameters:
            return f"action `{name}` has no parameter `{key}`", did_you_mean(key, parameters)
    hint = did_you_mean(name, dict.fromkeys(a.name for a in game.actions)) if not meant else ""
    return f"no action `{name}` {dict(parameter_values) or ''}".rstrip(), hint
