"""Laws over all cards: one `step` claim that has a member for each row of the cards.

    {each: option, where: "kind == event", action: choose, card: "{id}", option: "{option}",
     needs: "food >= {pay.food}"}

A name in braces stands for what the row prints: a number, 0 where it prints none of it, or a text. A new card is
covered without another line. `{#}` is the row's place among those chosen, from 0: that of its cell in an array.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from playproof.database.errors import Finding, InputError, Where, did_you_mean
from playproof.language import Game
from playproof.verifier.questions.card_rows import EACH, Row
from playproof.verifier.questions.ledger import chosen_rows

_NAME = re.compile(r"\{([^{}]+)\}")
_OWN = ("each", "where")
PLACE = "#"
"""The place of a row among those that are chosen, counted from 0."""


def is_family(spec: Any) -> bool:
    """Return whether a law is about each row of the cards."""
    return isinstance(spec, Mapping) and "each" in spec


def members(game: Game, spec: Mapping[str, Any], where: Where | None = None) -> list[tuple[str, Any]]:
    """Return the laws of a family, each with the name of its row. Raises InputError."""
    place = where or Where(game.name)
    if game.cards is None:
        raise InputError([Finding("PP701", place, "the rules have no cards, so a law has no members")])
    if spec["each"] not in EACH:
        hint = did_you_mean(str(spec["each"]), EACH)
        raise InputError(
            [Finding("PP701", place, f"each `{spec['each']}`: expected {', '.join(EACH)}", hint)]
        )
    own = {key: spec[key] for key in _OWN if key in spec}
    rows, names = chosen_rows(tuple(game.cards.components.values()), own, place)
    template = {key: value for key, value in spec.items() if key not in _OWN}
    numbered = (replace(row, numbers={**row.numbers, PLACE: n}) for n, row in enumerate(rows))
    return [(row.name, _filled(template, row, names | {PLACE}, place)) for row in numbered]


def _filled(value: Any, row: Row, names: set[str], place: Where) -> Any:
    """Return a part of the template with what the row prints."""

    def printed(match: re.Match[str]) -> str:
        name = match[1]
        if name not in names:
            raise InputError(
                [Finding("PP701", place, f"no row prints `{name}`", did_you_mean(name, sorted(names)))]
            )
        return str(row.texts.get(name, row.numbers.get(name, 0)))

    if isinstance(value, str):
        return _NAME.sub(printed, value)
    if isinstance(value, Mapping):
        return {
            _filled(key, row, names, place): _filled(part, row, names, place) for key, part in value.items()
        }
    if isinstance(value, list):
        return [_filled(part, row, names, place) for part in value]
    return value
