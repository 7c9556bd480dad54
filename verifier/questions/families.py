"""Families of laws: one `step` claim that has several members.

    {each: option, where: "kind == event", action: choose, card: "{id}", option: "{option}",
     needs: "food >= {pay.food}"}                                 a law for each row of the cards
    {each: {thing: [food, gold]}, action: "pay {thing}", changes: {"{thing}": -1}}    for each value
    [{action: dig, only: [ground]}, {action: rest, only: []}]     several laws of one belief

A name in braces stands for what the row prints: a number, 0 where it prints none of it, or a text. A new card is
covered without another line. `{#}` is the row's place among those chosen, from 0: that of its cell in an array.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Any

from playproof.database.errors import InputError, Where, did_you_mean
from playproof.language.game import Game
from playproof.verifier.questions.card_rows import EACH, Row
from playproof.verifier.questions.ledger import chosen_rows

_NAME = re.compile(r"\{([^{}]+)\}")
_OWN = ("each", "where")
PLACE = "#"
"""The place of a row among those that are chosen, counted from 0."""


def is_family(spec: Any) -> bool:
    """Return whether a claim states several laws."""
    return isinstance(spec, list) or (isinstance(spec, Mapping) and "each" in spec)


def of_cards(spec: Any) -> bool:
    """Return whether the laws of a claim are about rows of the cards."""
    if isinstance(spec, list):
        return any(map(of_cards, spec))
    return is_family(spec) and not isinstance(spec["each"], Mapping)


def members(game: Game, spec: Any, where: Where | None = None) -> list[tuple[str, Any]]:
    """Return the laws of a family, each with its name. Raises InputError."""
    place = where or Where(game.name)
    if isinstance(spec, list):
        return [member for part in spec for member in _of_part(game, part, place)]
    each = spec["each"]
    template = {key: value for key, value in spec.items() if key not in _OWN}
    if isinstance(each, Mapping):
        chosen = _rows_of_values(each, "where" in spec, place)
        names = set(each) | {PLACE}
    elif each in EACH:
        if game.cards is None:
            raise _wrong(place, "the rules have no cards, so a law has no members")
        own = {key: spec[key] for key in _OWN if key in spec}
        chosen, names = chosen_rows(tuple(game.cards.components.values()), own, place)
        names |= {PLACE}
    else:
        expected = f"expected {', '.join(EACH)}, or words with their values"
        raise _wrong(place, f"each `{each}`: {expected}", did_you_mean(str(each), EACH))
    numbered = (replace(row, numbers={**row.numbers, PLACE: n}) for n, row in enumerate(chosen))
    return [(row.name, _filled(template, row, names, place)) for row in numbered]


def _of_part(game: Game, spec: Any, place: Where) -> list[tuple[str, Any]]:
    """Return a law of a list, or those of a family in it, named by what they are about."""
    about = spec.get("action", spec.get("phase", "can")) if isinstance(spec, Mapping) else spec
    if not is_family(spec):
        return [(str(about), spec)]
    return [(f"{about}: {name}", law) for name, law in members(game, spec, place)]


def _rows_of_values(each: Mapping[str, Any], limited: bool, place: Where) -> list[Row]:
    """Return a row for each combination of the values of some words. Raises InputError."""
    if limited:
        raise _wrong(place, "`where` chooses among cards, and `each` names values", "leave out the values")
    if not each or not all(isinstance(values, list) and values for values in each.values()):
        raise _wrong(place, f"expected `each` as words with lists of values, found {dict(each)}")
    chosen = [dict(zip(each, map(str, values), strict=True)) for values in product(*each.values())]
    return [Row(", ".join(texts.values()), {}, texts) for texts in chosen]


def _filled(value: Any, row: Row, names: set[str], place: Where) -> Any:
    """Return a part of the template with what the row prints."""

    def printed(match: re.Match[str]) -> str:
        name = match[1]
        if name not in names:
            raise _wrong(place, f"no row prints `{name}`", did_you_mean(name, sorted(names)))
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


def _wrong(place: Where, message: str, hint: str = "") -> InputError:
    return InputError.of("PP701", place, message, hint)
