"""Words for what a claim gets wrong. What stands here decides no verdict: it is only raised."""

from __future__ import annotations

from collections.abc import Mapping

from playproof.database.errors import make_nearest_or_possible_words_hint
from playproof.language.game import Game


def make_message_and_hint_for_unknown_action(
    game: Game, action_name: str, parameter_values: Mapping[str, str]
) -> tuple[str, str]:
    """Return the message and the hint for an action that the game does not have: unknown name,
    unknown parameter, or no such values."""
    meant = [a for a in game.actions if action_name in (a.name, a.text)]
    parameters = [p.local.name for a in meant for p in a.params]
    for key in parameter_values if meant else ():
        if key not in parameters:
            return f"action `{action_name}` has no parameter `{key}`", make_nearest_or_possible_words_hint(
                key, parameters
            )
    hint = (
        make_nearest_or_possible_words_hint(action_name, dict.fromkeys(a.name for a in game.actions))
        if not meant
        else ""
    )
    return f"no action `{action_name}` {dict(parameter_values) or ''}".rstrip(), hint
