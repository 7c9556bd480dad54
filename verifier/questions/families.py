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
from playproof.verifier.questions.card_rows import EACH, CardRow
from playproof.verifier.questions.ledger import select_card_rows

_NAME = re.compile(r"\{([^{}]+)\}")
_OWN = ("each", "where")
PLACE = "#"
"""The place of a row among those that are chosen, counted from 0."""


def is_law_family(spec: Any) -> bool:
    """Return whether a claim states several laws."""
    return isinstance(spec, list) or (isinstance(spec, Mapping) and "each" in spec)


def is_about_card_rows(spec: Any) -> bool:
    """Return whether the laws of a claim are about rows of the cards."""
    if isinstance(spec, list):
        return any(map(is_about_card_rows, spec))
    return is_law_family(spec) and not isinstance(spec["each"], Mapping)


def expand_law_family(game: Game, spec: Any, where: Where | None = None) -> list[tuple[str, Any]]:
    """Return the laws of a family, each with its name. Raises InputError."""
    place = where or Where(game.name)
    if isinstance(spec, list):
        return [member for part in spec for member in _expand_list_part(game, part, place)]
    each = spec["each"]
    template = {key: value for key, value in spec.items() if key not in _OWN}
    if isinstance(each, Mapping):
        chosen = _build_rows_from_values(each, "where" in spec, place)
        names = set(each) | {PLACE}
    elif each in EACH:
        if game.cards is None:
            raise _make_family_error(place, "the rules have no cards, so a law has no members")
        own = {key: spec[key] for key in _OWN if key in spec}
        chosen, names = select_card_rows(tuple(game.cards.components.values()), own, place)
        names |= {PLACE}
    else:
        expected = f"expected {', '.join(EACH)}, or words with their values"
        raise _make_family_error(place, f"each `{each}`: {expected}", did_you_mean(str(each), EACH))
    numbered = (replace(row, numbers={**row.numbers, PLACE: n}) for n, row in enumerate(chosen))
    return [(row.name, _fill_template(template, row, names, place)) for row in numbered]


def _expand_list_part(game: Game, spec: Any, place: Where) -> list[tuple[str, Any]]:
    """Return a law of a list, or those of a family in it, named by what they are about."""
    about = spec.get("action", spec.get("phase", "can")) if isinstance(spec, Mapping) else spec
    if not is_law_family(spec):
        return [(str(about), spec)]
    return [(f"{about}: {name}", law) for name, law in expand_law_family(game, spec, place)]


def _build_rows_from_values(
    values_by_word: Mapping[str, Any], has_where: bool, place: Where
) -> list[CardRow]:
    """Return a row for each combination of the values of some words. Raises InputError."""
    if has_where:
        raise _make_family_error(
            place, "`where` chooses among cards, and `each` names values", "leave out the values"
        )
    if not values_by_word or not all(
        isinstance(values, list) and values for values in values_by_word.values()
    ):
        raise _make_family_error(
            place, f"expected `each` as words with lists of values, found {dict(values_by_word)}"
        )
    chosen = [
        dict(zip(values_by_word, map(str, values), strict=True))
        for values in product(*values_by_word.values())
    ]
    return [CardRow(", ".join(texts.values()), {}, texts) for texts in chosen]


def _fill_template(value: Any, row: CardRow, names: set[str], place: Where) -> Any:
    """Return a part of the template with what the row prints."""

    def printed(match: re.Match[str]) -> str:
        name = match[1]
        if name not in names:
            raise _make_family_error(place, f"no row prints `{name}`", did_you_mean(name, sorted(names)))
        return str(row.texts.get(name, row.numbers.get(name, 0)))

    if isinstance(value, str):
        return _NAME.sub(printed, value)
    if isinstance(value, Mapping):
        return {
            _fill_template(key, row, names, place): _fill_template(part, row, names, place)
            for key, part in value.items()
        }
    if isinstance(value, list):
        return [_fill_template(part, row, names, place) for part in value]
    return value


def _make_family_error(place: Where, message: str, hint: str = "") -> InputError:
    return InputError.from_single_finding("PP701", place, message, hint)
