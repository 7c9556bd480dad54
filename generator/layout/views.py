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
from playproof.database.errors import Where, did_you_mean
from playproof.database.game import Game
from playproof.database.patch import describe_missing_component
from playproof.database.vocabulary import Term
from playproof.database.yaml_models import FieldSpec
from playproof.generator.layout.expression import (
    ExpressionError,
    Template,
    check_count,
    count_nested_items,
    format_value,
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

    def __init__(
        self, words: Mapping[str, Mapping[str, Template]], language: str, scope: Mapping[str, Any]
    ) -> None:
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


def sentence(text: Any) -> str:
    """Return the text with a capital where a line begins with a letter; icons and numbers stay.

    >>> sentence("draw a card"), sentence(":draw: and go\\nhome")
    ('Draw a card', ':draw: and go\\nHome')
    """
    return "\n".join(line[:1].upper() + line[1:] for line in format_value(text).split("\n"))


def _get_first(items: Sequence[Any]) -> Any:
    return items[0] if items else None


def _join_values(items: Iterable[object], between: object) -> str:
    texts, joint = [format_value(item) for item in items], format_value(between)
    check_count(sum(map(len, texts)) + len(joint) * len(texts), "letters")
    return joint.join(texts)


def _join_as_bullets(items: Iterable[object]) -> str:
    return _join_values((f"- {format_value(item)}" for item in items), "\n")


def _format_as_text(value: object) -> str:
    return format_value(value)


def _list_range(n: int) -> list[int]:
    check_count(n)
    return list(range(n))


def _repeat_item(item: object, n: float) -> list[object]:
    check_count(n * count_nested_items(item))
    return [item] * int(n)


# The functions that expressions of layouts may call, besides those that need the game.
_FUNCTIONS: dict[str, Any] = {
    "len": len, "hypot": hypot, "str": _format_as_text, "int": int, "min": min, "max": max, "sentence": sentence,
    "first": _get_first, "join": _join_values, "bullets": _join_as_bullets,
    "range": _list_range,
    "upper": lambda text: format_value(text).upper(),
    "copies": _repeat_item,
}  # fmt: skip


def collect_shared_printed_content(game: Game, with_version: bool) -> tuple[object, ...]:
    """Return what any face may print of a game besides its components, to compare it with that of another version:
    words, numbers, rulings and, where a layout prints it, the version."""
    rulings = {ruling.id: ruling.default for ruling in game.rulings.values()}
    facts = (game.titles.texts, dict(game.facts.numbers), game.facts.players, rulings)
    return (*facts, game.vocabulary.spec, _get_printed_version(game) if with_version else "")


def get_needed_component_ids(component: Component) -> set[str]:
    """Return the ids of the components that the options of one need: a layout may show what these are."""
    return {option.needs for option in component.options if option.needs}


def _get_printed_version(game: Game) -> str:
    return game.applied[-1] if game.applied else str(game.facts.version)


class ComponentViewer:
    """Makes views of one game's components in one language."""

    def __init__(self, game: Game, language: str, rulings: Mapping[str, str] | None = None) -> None:
        self.game = game
        self.language = language
        self.rulings = {ruling.id: ruling.default for ruling in game.rulings.values()} | dict(rulings or {})
        of_the_game = {"term": self.term, "terms": self.terms, "card": self.view_component_by_id}
        self.functions: dict[str, Any] = {**_FUNCTIONS, **of_the_game}
        self._known: dict[str, dict[str, Any]] = {}
        self.asked: set[str] = set()
        """The ids of the components that expressions asked for, and of those that options need."""
        self.version = _get_printed_version(game)

    def term(self, group: str, name: str) -> TermView:
        """Return a term by group and id. Raises KeyError if there is none."""
        return TermView(self.game.vocabulary.group(group)[name], self.language)

    def terms(self, group: str) -> list[TermView]:
        """Return all terms of a group, in the vocabulary's order."""
        groups = self.game.vocabulary.spec.terms
        if group not in groups:
            raise ExpressionError(f"the vocabulary has no group {group!r}", did_you_mean(group, groups))
        return [TermView(term, self.language) for term in self.game.vocabulary.group(group).values()]

    def view_component_by_id(self, ref: str) -> Mapping[str, Any]:
        """Return a component's fields by its id. Raises ExpressionError if it is not in the box."""
        self.asked.add(ref)
        component = self.game.components.get(ref)
        if component is None:
            raise ExpressionError(*describe_missing_component(self.game, str(ref)))
        self.asked |= get_needed_component_ids(component)
        return self.view_component(component)

    def view_component(self, component: Component) -> Mapping[str, Any]:
        """Return the fields of a component, with `id`, `kind`, `count` and `name`."""
        fields = self._known.get(component.id)
        if fields is None:
            specs = self.game.vocabulary.kinds[component.kind].fields
            fields = {
                name: self._convert_value(value, specs.get(name)) for name, value in component.fields.items()
            }
            own = {
                "id": component.id,
                "kind": component.kind,
                "count": component.count,
                "name": component.name,
            }
            fields = own | fields  # a property that the game calls `kind` is the game's
            self._known[component.id] = fields
        return fields

    def build_component_scope(self, component: Component, layout: Any) -> dict[str, Any]:
        """Return everything that an expression may name while this component is drawn."""
        self.asked.update(get_needed_component_ids(component))
        return self.build_scope(
            layout, {**self.view_component(component), **self.get_deck_numbers(component, 1)}
        )

    def get_deck_numbers(self, component: Component, copy: int) -> dict[str, int]:
        """Return what "3 of 54" needs: `copy`, the number of a copy of the component; `index`, that of the card in
        its deck, which is its kind; and `total`, how many cards are in it. A property of that name is the card's."""
        before, total = self._places[component.id]
        numbers = {"copy": copy, "index": before + copy, "total": total}
        return {name: number for name, number in numbers.items() if name not in component.fields}

    @cached_property
    def _places(self) -> Mapping[str, tuple[int, int]]:
        """How many cards of its kind come before each component, and how many there are."""
        before = Counter[str]()
        first = dict[str, int]()
        for component in self.game.components.values():
            first[component.id] = before[component.kind]
            before[component.kind] += component.count
        return {
            component.id: (first[component.id], before[component.kind])
            for component in self.game.components.values()
        }

    def build_scope(self, layout: Any, values: Mapping[str, Any]) -> dict[str, Any]:
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

    def _convert_value(self, value: Any, spec: FieldSpec | None) -> Any:
        if isinstance(value, Words):
            return PlacedText(value.text(self.language), value.where)
        if isinstance(value, Option):
            return self._convert_option(value)
        if isinstance(value, Effect | Either):
            return made_text(value, self.game.vocabulary, self.language)
        if spec is not None and spec.type == "term" and isinstance(value, str):
            return self.term(spec.group or "", value)
        if spec is not None and spec.type == "amounts" and isinstance(value, Mapping):
            return [{"term": self.term(spec.group or "", name), "n": n} for name, n in value.items()]
        if isinstance(value, tuple | list):
            return [self._convert_value(item, spec.of if spec else None) for item in value]
        if isinstance(value, Mapping):
            return {
                name: self._convert_value(item, spec.get_child_field(name) if spec else None)
                for name, item in value.items()
            }
        return value

    def _convert_option(self, option: Option) -> Mapping[str, Any]:
        group = self.game.vocabulary.spec.options.to
        needs = self.game.components.get(option.needs)
        return {
            "letter": option.letter,
            "text": PlacedText(option_text(option, self.game.vocabulary, self.language), option.where),
            "to": self.term(group, option.to),
            "needs": option.needs,
            "needs_icon": needs.get("icon") if needs is not None else "",
            "free": option.free,
        }
