"""Evaluate the `{fact}` expressions of the prose over a game's components and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from playproof.database.components import Component, iter_effects
from playproof.database.game import Game
from playproof.database.number_words import format_number_word, format_ordinal_word
from playproof.database.rulebook_text import FactSpan, Span
from playproof.generator.layout.expression import Expression, ExpressionError, format_value
from playproof.generator.layout.views import ComponentViewer


def build_fact_functions(game: Game, language: str) -> dict[str, Any]:
    """Return the functions that a fact may call besides those of every layout: counts, lists of
    fields and ids, numbers in words."""
    viewer = ComponentViewer(game, language)

    def count(*refs: str) -> int:
        """Return how many components, with copies, have one of these kinds or ids."""
        components = [c for c in game.components.values() if c.kind in refs or c.id in refs]
        if not components:
            raise ExpressionError(f"no component is of the kind, or called, {' '.join(refs)}")
        return sum(component.count for component in components)

    def each(field: str, **wanted: str) -> str:
        """Return a field of all components whose other fields have these values, once for each
        copy, as layouts see it: ``each("points", spot="1")``."""
        values: list[str] = []
        for card in game.components.values():
            if field in card.fields and _has_field_values(card, wanted):
                values += [str(viewer.view_component(card)[field])] * card.count
        if not values:
            raise ExpressionError(f"no component has the field {field!r} with {wanted}")
        return " ".join(values)

    def ids(kind: str, **wanted: str) -> list[str]:
        """Return the ids of the components of a kind whose fields have these values, in ascending
        order."""
        matching = [card.id for card in game.of_kind(kind) if _has_field_values(card, wanted)]
        if not matching:
            raise ExpressionError(f"no {kind} has {wanted}")
        return sorted(matching)

    return {
        "count": count,
        "most": partial(_find_largest_effect_number, game),
        "times": lambda items, item: list(items).count(item),
        "each": each,
        "ids": ids,
        "word": lambda number: format_number_word(number, language),
        "ordinal": lambda number: format_ordinal_word(number, language),
    }


def _has_field_values(card: Component, expected_values: Mapping[str, str]) -> bool:
    """Return whether the card's fields have these values, as they are written."""
    return all(str(card.fields.get(name)) == value for name, value in expected_values.items())


def _find_largest_effect_number(game: Game, kind: str, effect: str, **wanted: str) -> int:
    """Return the largest number in an effect of the matching components: ``most("location", "camp",
    slot="forest")``. Raises ExpressionError if there is none."""
    numbers = []
    for card in game.of_kind(kind):
        if not _has_field_values(card, wanted):
            continue
        effects = [
            node for value in card.fields.values() for node in iter_effects(value) if node.op == effect
        ]
        numbers += [number for node in effects for number in node.args.values() if isinstance(number, int)]
    if not numbers:
        raise ExpressionError(f"no {kind} has the effect {effect!r} with {wanted}")
    return max(numbers)


def evaluate_fact_text(source: str, scope: Mapping[str, Any]) -> str:
    """Return the value of a fact as it is printed. Raises ExpressionError if it cannot be
    evaluated."""
    return format_value(Expression(source)(scope))


def build_fact_scope(game: Game, language: str) -> Mapping[str, Any]:
    """Return the names that a fact may use."""
    return {
        **ComponentViewer(game, language).build_scope(_EmptyLayout, {}),
        **build_fact_functions(game, language),
    }


def get_printed_text(span: Span, scope: Mapping[str, Any]) -> str:
    """Return a span's words as the book prints them; "" for a fact that cannot be evaluated."""
    if isinstance(span, str):
        return span
    if isinstance(span, FactSpan):
        try:
            return evaluate_fact_text(span.source, scope)
        except ExpressionError:
            return ""  # PP509 reports it
    return span.text


class _EmptyLayout:
    """A layout without words and tables, for evaluating facts."""

    tables: Mapping[str, Any] = {}
    words: Mapping[str, Any] = {}
