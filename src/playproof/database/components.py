"""A game's cards as other packages see them: small frozen values, each with its place in the YAML, and
the errors by which rules refuse values that they cannot play.

A game's rules call these while they read its cards. So a change of a card is either played or refused: nothing is
printed that the rules pass over without a word."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NoReturn

from playproof.database.errors import Finding, InputError, Where

# A game's cards as other packages see them: small frozen values, each with its place in the YAML.

SourceKind = Literal["rulebook", "public", "mine", "playproof"]


@dataclass(frozen=True, slots=True)
class Words:
    """Text in several languages. `str()` returns the English text, or the first one if there is no
    English."""

    texts: Mapping[str, str]
    where: Where = field(compare=False)
    places: Mapping[str, Where] = field(default_factory=dict, compare=False)

    def __str__(self) -> str:
        return self.text("en")

    def get_place_of_language_text(self, language: str) -> Where:
        """Return where the text in a language stands."""
        return self.places.get(language, self.where)

    def text(self, language: str) -> str:
        """Return the text in a language, or else in English, or else in the first language."""
        return self.texts.get(language) or self.texts.get("en") or next(iter(self.texts.values()), "")

    def has(self, language: str) -> bool:
        """Return whether the text exists in this language."""
        return bool(self.texts.get(language))


class PlacedText(str):
    """A text that is the same in all languages, with the place where it is written."""

    where: Where

    @classmethod
    def create_at_place(cls, text: str, where: Where) -> PlacedText:
        """Return a text that knows its place."""
        placed = cls(text)
        placed.where = where
        return placed


@dataclass(frozen=True, slots=True)
class Source:
    """One source of facts: the rulebook (with the place in it), a public page (with its address),
    or the designer or the project itself."""

    kind: SourceKind
    place: str = ""


@dataclass(frozen=True, slots=True)
class Provenance:
    """The sources of a component's facts; empty if its file names none."""

    sources: tuple[Source, ...] = ()

    def __str__(self) -> str:
        return "; ".join(f"{s.kind}: {s.place}" if s.place else s.kind for s in self.sources)

    def __bool__(self) -> bool:
        return bool(self.sources)


@dataclass(frozen=True, slots=True)
class Effect:
    """One effect of the game's vocabulary with its arguments, as in `gain: {food: 1}`.

    The argument of a one-argument effect is stored under the name that the vocabulary gives it.
    """

    op: str
    args: Mapping[str, object]
    where: Where = field(compare=False)

    @property
    def amounts(self) -> Mapping[str, int]:
        """The first argument that is a mapping of term to number; empty if there is none."""
        for value in self.args.values():
            if isinstance(value, Mapping):
                return value
        return {}


@dataclass(frozen=True, slots=True)
class Either:
    """A slash: resolve one of the alternatives, each a list of effects."""

    alternatives: tuple[tuple[Effect, ...], ...]
    where: Where = field(compare=False)


Step = Effect | Either


@dataclass(frozen=True, slots=True)
class Option:
    """One lettered option of a card.

    `needs` is the id of a component that must be owned ("" for none). `cost` is what must be paid.
    `effects` happen after that, from left to right. `to` is the zone the card goes to. `text` is a
    hand-written wording.
    """

    letter: str
    needs: str
    cost: tuple[Effect, ...]
    effects: tuple[Step, ...]
    to: str
    text: Words | None
    where: Where = field(compare=False)

    @property
    def free(self) -> bool:
        """Whether the option has no cost and no need."""
        return not self.cost and not self.needs


TITLE_FIELDS = ("title", "name")
"""The fields that say what a component is called; the first that it has counts."""


def find_title_in_fields_or_none(fields: Mapping[str, object], where: Where, fallback_field: str = "") -> Words | None:
    """Return what a component with these fields is called, None if no field says it. ``called_by`` is the field that
    says it for a kind without the usual ones."""
    for value in filter(None, map(fields.get, (*TITLE_FIELDS, fallback_field))):
        return value if isinstance(value, Words) else Words({"en": str(value)}, where)
    return None


@dataclass(frozen=True, slots=True)
class Component:
    """One component: a card, a token, a board. `count` is the number of identical copies; `rules`
    lists the rules that it embodies (mostly those of setup).

    `fields` holds a value for each field that its kind declares. An optional field that is not
    given holds None or an empty tuple. `called_by` is the field that says what it is called, if none of
    the usual ones does.
    """

    id: str
    kind: str
    name: str
    count: int
    fields: Mapping[str, object]
    source: Provenance
    rules: tuple[str, ...]
    where: Where = field(compare=False)
    called_by: str = field(default="", metadata={"is_label": True})

    def get(self, name: str) -> object:
        """The value of a field, or None."""
        return self.fields.get(name)

    @property
    def title(self) -> Words | None:
        """What people call it, in each language; None if its fields do not say so."""
        return find_title_in_fields_or_none(self.fields, self.where, self.called_by)

    @property
    def options(self) -> tuple[Option, ...]:
        """All lettered options, from whichever field holds them."""
        options: list[Option] = []
        for value in self.fields.values():
            if isinstance(value, tuple):
                options.extend(item for item in value if isinstance(item, Option))
        return tuple(options)

    def option(self, letter: str) -> Option:
        """The option with this letter. Raises KeyError if there is none."""
        for option in self.options:
            if option.letter == letter:
                return option
        raise KeyError(f"{self.id} has no option {letter}")


@dataclass(frozen=True, slots=True)
class UnreadComponent:
    """A component that cannot be read, and what is wrong with it. `kind` is "" if even that is not known."""

    kind: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class NameUse:
    """A place in the data that names something else: a component, an image or an icon."""

    owner: str
    name: str
    where: Where = field(compare=False)


def iter_free_texts_in_value(field_value: object) -> Iterator[Words]:
    """Yield the free texts in a value of a component, those of its options too; effects have none."""
    if isinstance(field_value, Words):
        yield field_value
    elif isinstance(field_value, Option):
        if field_value.text is not None:
            yield field_value.text
    elif isinstance(field_value, Effect | Either):
        return
    elif isinstance(field_value, tuple):
        for item in field_value:
            yield from iter_free_texts_in_value(item)
    elif isinstance(field_value, Mapping):
        for item in field_value.values():
            yield from iter_free_texts_in_value(item)


def iter_effects_nested_in_value(field_value: object) -> Iterator[Effect]:
    """Yield every effect inside a field's value, an option, or a list of them, in the order of the
    file."""
    if isinstance(field_value, Effect):
        yield field_value
    elif isinstance(field_value, Either):
        for alternative in field_value.alternatives:
            yield from alternative
    elif isinstance(field_value, Option):
        yield from field_value.cost
        yield from iter_effects_nested_in_value(field_value.effects)
    elif isinstance(field_value, tuple):
        for item in field_value:
            yield from iter_effects_nested_in_value(item)
    elif isinstance(field_value, Mapping):
        for item in field_value.values():
            yield from iter_effects_nested_in_value(item)


# -- unplayable ----------------------------------------------------------------------------------------------
# Refuses values of cards that a game's rules cannot play, as mistakes of the file that says them.


def raise_error_of_unplayable_value(
    component: Component,
    field_name: str,
    expected: str,
    found_value: object = None,
    hint: str = "",
    where: Where | None = None,
) -> NoReturn:
    """Raise InputError (PP860): the rules cannot play a value of a component. `expected` says what they can; `found`
    is the value, read from the component if it is left out; `where` is its place if it has one of its own."""
    value = component.get(field_name) if found_value is None else found_value
    message = f"`{field_name}` of {component.id} {component.name}: expected {expected}, found {value}"
    hint = hint or "change it back, or change the rules with it"
    raise InputError.from_single_finding("PP860", where or component.where, message, hint)


def require_playable_copy_count(component: Component, allowed_counts: Collection[int], hint: str) -> None:
    """Check that the rules can play so many copies of a component. Raises InputError (PP861)."""
    if component.count in allowed_counts:
        return
    numbers = " or ".join(map(str, sorted(allowed_counts)))
    message = f"`count` of {component.id} {component.name}: expected {numbers}, found {component.count}"
    raise InputError.from_single_finding("PP861", component.where, message, hint)


def raise_error_of_conflicting_components(where: Where, expected: str, found: str, hint: str) -> NoReturn:
    """Raise InputError (PP862): what several components say does not go together."""
    raise InputError.from_single_finding("PP862", where, f"expected {expected}, found {found}", hint)
