"""A layout's view of a component: its fields in one language, as plain values that know their
place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import hypot
from typing import Any

from playproof.database.components import Component, Effect, Either, Option, Words
from playproof.database.effect_text import made_text, option_text
from playproof.database.errors import Where, make_nearest_or_possible_words_hint
from playproof.database.game import Game
from playproof.database.patch import describe_missing_component_with_hint
from playproof.database.vocabulary import Term
from playproof.database.yaml_models import FieldSpec
from playproof.generator.layout.expression import (
    ExpressionError,
    Template,
    count_value_and_nested_items,
    format_value_for_text_or_raise,
    refuse_count_above_limit,
)


class PlacedText(str):
    """Text that knows where it was written."""

    where: Where

    def __new__(cls, text: str, where: Where) -> PlacedText:
        self = super().__new__(cls, text)
        self.where = where
        return self


class TermView(str):
    """A term of the vocabulary: its id as text, and its name, icon and colour."""

    readable = ("id", "name", "icon", "colour", "group")
    id: str
    name: str
    icon: str
    colour: str
    group: str

    def __new__(cls, term: Term, language: str) -> TermView:
        self = super().__new__(cls, term.id)
        self.id, self.group, self.icon = term.id, term.group, term.icon
        self.name = term.name(language)
        self.colour = term.spec.colour or ""
        return self


class LayoutWords(Mapping[str, str]):
    """The layout's own words in one language. Their holes are filled on access."""

    def __init__(self, words: Mapping[str, Mapping[str, Template]], language: str, scope: Mapping[str, Any]) -> None:
        self._words = words
        self._language = language
        self._scope = scope

    def __getitem__(self, name: str) -> str:
        texts = self._words[name]
        text = texts.get(self._language) or texts.get("en") or next(iter(texts.values()))
        return text(self._scope)

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __len__(self) -> int:
        return len(self._words)


def capitalise_line_beginnings(text: Any) -> str:
    """Return the text with a capital where a line begins with a letter; icons and numbers stay.

    >>> capitalise_line_beginnings("draw a card"), capitalise_line_beginnings(":draw: and go\\nhome")
    ('Draw a card', ':draw: and go\\nHome')
    """
    return "\n".join(line[:1].upper() + line[1:] for line in format_value_for_text_or_raise(text).split("\n"))


def _get_first_or_none(items: Sequence[Any]) -> Any:
    return items[0] if items else None


def _join_formatted_values(items: Iterable[object], between: object) -> str:
    texts, joint = [format_value_for_text_or_raise(item) for item in items], format_value_for_text_or_raise(between)
    refuse_count_above_limit(sum(map(len, texts)) + len(joint) * len(texts), "letters")
    return joint.join(texts)


def _join_as_bullet_lines(items: Iterable[object]) -> str:
    return _join_formatted_values((f"- {format_value_for_text_or_raise(item)}" for item in items), "\n")


def _format_value_as_text(value: object) -> str:
    return format_value_for_text_or_raise(value)


def _list_range_or_raise_if_too_long(n: int) -> list[int]:
    refuse_count_above_limit(n)
    return list(range(n))


def _repeat_item_or_raise_if_too_many(item: object, n: float) -> list[object]:
    refuse_count_above_limit(n * count_value_and_nested_items(item))
    return [item] * int(n)


# The functions that expressions of layouts may call, besides those that need the game.
_FUNCTIONS: dict[str, Any] = {
    "len": len, "hypot": hypot, "str": _format_value_as_text, "int": int, "min": min, "max": max,
    "sentence": capitalise_line_beginnings,
    "first": _get_first_or_none, "join": _join_formatted_values, "bullets": _join_as_bullet_lines,
    "range": _list_range_or_raise_if_too_long,
    "upper": lambda text: format_value_for_text_or_raise(text).upper(),
    "copies": _repeat_item_or_raise_if_too_many,
}  # fmt: skip


def collect_game_content_to_compare_prints(game: Game, with_version: bool) -> tuple[object, ...]:
    """Return what any face may print of a game besides its components, to compare it with that of another version:
    words, numbers, rulings and, where a layout prints it, the version."""
    rulings = {ruling.id: ruling.default for ruling in game.rulings.values()}
    facts = (game.titles.texts, dict(game.facts.numbers), game.facts.players, rulings)
    return (*facts, game.vocabulary.spec, _get_printed_game_version(game) if with_version else "")


def get_component_ids_needed_by_options(component: Component) -> set[str]:
    """Return the ids of the components that the options of one need: a layout may show what these are."""
    return {option.needs for option in component.options if option.needs}


class QuotedComponents:
    """Finds the components that a face may print something of: those named in the fields of its component, and those
    named in the fields of these in turn, as an effect prints the icon of the card that it takes."""

    def __init__(self, components: Mapping[str, Component]) -> None:
        self._components = components
        self._named: dict[str, frozenset[str]] = {}

    def collect_ids(self, ids: Iterable[str]) -> set[str]:
        """Return these ids and those of all components that they name, directly or not."""
        found, waiting = set[str](), list(ids)
        while waiting:
            ident = waiting.pop()
            if ident not in found:
                found.add(ident)
                waiting += self._list_ids_named_in_fields(ident)
        return found

    def _list_ids_named_in_fields(self, component_id: str) -> frozenset[str]:
        named = self._named.get(component_id)
        if named is None:
            component = self._components.get(component_id)
            words = _iter_words_in_value(tuple(component.fields.values()) if component is not None else ())
            named = self._named[component_id] = frozenset(word for word in words if word in self._components)
        return named


def _iter_words_in_value(value: object) -> Iterator[str]:
    """Yield every word in a value of a component that may be a name; free texts are none."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from (str(key), *_iter_words_in_value(inner))
    elif isinstance(value, Effect):
        yield from _iter_words_in_value(value.args)
    elif isinstance(value, Either):
        yield from _iter_words_in_value(value.alternatives)
    elif isinstance(value, Option):
        yield from _iter_words_in_value((value.needs, value.cost, value.effects))
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _iter_words_in_value(item)


def _get_printed_game_version(game: Game) -> str:
    return game.applied[-1] if game.applied else str(game.facts.version)


class ComponentViewer:
    """Makes views of one game's components in one language."""

    def __init__(self, game: Game, language: str, rulings: Mapping[str, str] | None = None) -> None:
        self.game = game
        self.language = language
        self.rulings = {ruling.id: ruling.default for ruling in game.rulings.values()} | dict(rulings or {})
        of_the_game = {
            "term": self.get_term_view,
            "terms": self.list_term_views_of_group_or_raise,
            "card": self.view_fields_by_id_and_note_asked,
        }
        self.functions: dict[str, Any] = {**_FUNCTIONS, **of_the_game}
        self._known: dict[str, dict[str, Any]] = {}
        self.asked: set[str] = set()
        """The ids of the components that expressions asked for, and of those that options need."""
        self.version = _get_printed_game_version(game)

    def get_term_view(self, group: str, name: str) -> TermView:
        """Return a term by group and id. Raises KeyError if there is none."""
        return TermView(self.game.vocabulary.group(group)[name], self.language)

    def list_term_views_of_group_or_raise(self, group: str) -> list[TermView]:
        """Return all terms of a group, in the vocabulary's order."""
        groups = self.game.vocabulary.spec.terms
        if group not in groups:
            raise ExpressionError(
                f"the vocabulary has no group {group!r}", make_nearest_or_possible_words_hint(group, groups)
            )
        return [TermView(term, self.language) for term in self.game.vocabulary.group(group).values()]

    def view_fields_by_id_and_note_asked(self, ref: str) -> Mapping[str, Any]:
        """Return a component's fields by its id. Raises ExpressionError if it is not in the box."""
        self.asked.add(ref)
        component = self.game.components.get(ref)
        if component is None:
            raise ExpressionError(*describe_missing_component_with_hint(self.game, str(ref)))
        self.asked |= get_component_ids_needed_by_options(component)
        return self.view_component_fields(component)

    def view_component_fields(self, component: Component) -> Mapping[str, Any]:
        """Return the fields of a component, with `id`, `kind`, `count` and `name`."""
        fields = self._known.get(component.id)
        if fields is None:
            specs = self.game.vocabulary.kinds[component.kind].fields
            fields = {
                name: self._convert_field_value_to_view(value, specs.get(name))
                for name, value in component.fields.items()
            }
            own = {"id": component.id, "kind": component.kind, "count": component.count, "name": component.name}
            fields = own | fields  # a property that the game calls `kind` is the game's
            self._known[component.id] = fields
        return fields

    def build_expression_scope_of_component(self, component: Component, layout: Any) -> dict[str, Any]:
        """Return everything that an expression may name while this component is drawn."""
        return self.build_expression_scope(
            layout,
            {**self.view_component_fields(component), **self.get_copy_number_and_place_in_deck_by_name(component, 1)},
        )

    def get_copy_number_and_place_in_deck_by_name(self, component: Component, copy_number: int) -> dict[str, int]:
        """Return what "3 of 54" needs: `copy_number`, the number of a copy of the component; `index`, that of the card
        in its deck, which is its kind; and `total`, how many cards are in it. A property of that name is the card's."""
        before, total = self._card_positions_and_counts_by_id[component.id]
        numbers = {"copy": copy_number, "index": before + copy_number, "total": total}
        return {name: number for name, number in numbers.items() if name not in component.fields}

    @cached_property
    def _card_positions_and_counts_by_id(self) -> Mapping[str, tuple[int, int]]:
        """How many cards of its kind come before each component, and how many there are."""
        before = Counter[str]()
        first = dict[str, int]()
        for component in self.game.components.values():
            first[component.id] = before[component.kind]
            before[component.kind] += component.count
        return {
            component.id: (first[component.id], before[component.kind]) for component in self.game.components.values()
        }

    def build_expression_scope(self, layout: Any, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return everything that an expression may name: functions, the layout's own tables and
        words, these values."""
        scope = {**self.functions, "tables": layout.tables, **self._names_shared_by_components, **values}
        if layout.words or "words" not in values:  # a property may be called so where the layout has none
            scope["words"] = LayoutWords(layout.words, self.language, scope)
        return scope

    @cached_property
    def _names_shared_by_components(self) -> Mapping[str, Any]:
        """The names that have the same value for all components."""
        zones = self.game.vocabulary.group(self.game.vocabulary.spec.options.to)
        players = self.game.facts.players
        return {
            "rulings": self.rulings,
            "language": self.language,
            "game": {
                "title": self.game.titles.text(self.language),
                "version": self.version,
                "players": {"min": players.min, "max": players.max},
                "numbers": dict(self.game.facts.numbers),
            },
            "zones": {name: TermView(term, self.language) for name, term in zones.items()},
        }

    def _convert_field_value_to_view(self, value: Any, spec: FieldSpec | None) -> Any:
        if isinstance(value, Words):
            return PlacedText(value.text(self.language), value.where)
        if isinstance(value, Option):
            return self._convert_option_to_view(value)
        if isinstance(value, Effect | Either):
            return made_text(value, self.game.vocabulary, self.language)
        if spec is not None and spec.type == "term" and isinstance(value, str):
            return self.get_term_view(spec.group or "", value)
        if spec is not None and spec.type == "amounts" and isinstance(value, Mapping):
            return [{"term": self.get_term_view(spec.group or "", name), "n": n} for name, n in value.items()]
        if isinstance(value, tuple | list):
            return [self._convert_field_value_to_view(item, spec.of if spec else None) for item in value]
        if isinstance(value, Mapping):
            return {
                name: self._convert_field_value_to_view(item, spec.get_child_field(name) if spec else None)
                for name, item in value.items()
            }
        return value

    def _convert_option_to_view(self, option: Option) -> Mapping[str, Any]:
        group = self.game.vocabulary.spec.options.to
        needs = self.game.components.get(option.needs)
        return {
            "letter": option.letter,
            "text": PlacedText(option_text(option, self.game.vocabulary, self.language), option.where),
            "to": self.get_term_view(group, option.to),
            "needs": option.needs,
            "needs_icon": needs.get("icon") if needs is not None else "",
            "free": option.free,
        }
