"""What the rest of the house sees of a game's cards: small frozen values, each with its place in
the YAML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from playproof.database.errors import Where

SourceKind = Literal["rulebook", "public", "mine", "playproof"]


@dataclass(frozen=True, slots=True)
class Words:
    """Text in several languages. `str()` is the English text, or the first there is."""

    texts: Mapping[str, str]
    where: Where = field(compare=False)

    def __str__(self) -> str:
        return self.text("en")

    def text(self, language: str) -> str:
        """The text in a language; English, or else the first language, where that is missing."""
        return self.texts.get(language) or self.texts.get("en") or next(iter(self.texts.values()),
                                                                        "")

    def has(self, language: str) -> bool:
        """Whether the text is written in this language."""
        return bool(self.texts.get(language))


@dataclass(frozen=True, slots=True)
class Source:
    """One place facts come from: the rulebook (where in it), a public page (its address), or
    ourselves."""

    kind: SourceKind
    place: str = ""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a component's facts come from; empty when its file does not say."""

    sources: tuple[Source, ...] = ()

    def __str__(self) -> str:
        return "; ".join(f"{s.kind}: {s.place}" if s.place else s.kind for s in self.sources)

    def __bool__(self) -> bool:
        return bool(self.sources)


@dataclass(frozen=True, slots=True)
class Effect:
    """One effect of the game's vocabulary with its arguments, as in `gain: {food: 1}`.

    An effect of one argument has it under the name that the vocabulary gives it.
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

    `needs` is the id of a component that must be owned ("" for none), `cost` what must be paid,
    `effects` what then happens from left to right, `to` the zone the card goes to, `text` a
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
        """Whether it asks for nothing: no cost and no need."""
        return not self.cost and not self.needs


@dataclass(frozen=True, slots=True)
class Component:
    """One component: a card, a token, a board. `count` says how many identical ones there are,
    `rules` which rules it embodies (those of setup, above all).

    `fields` holds a value for each field its kind declares: None, or an empty tuple, for an
    optional one that is not given.
    """

    id: str
    kind: str
    name: str
    count: int
    fields: Mapping[str, object]
    source: Provenance
    rules: tuple[str, ...]
    where: Where = field(compare=False)

    def get(self, name: str) -> object:
        """The value of a field, or None."""
        return self.fields.get(name)

    @property
    def options(self) -> tuple[Option, ...]:
        """All lettered options, from whichever field holds them."""
        found: list[Option] = []
        for value in self.fields.values():
            if isinstance(value, tuple):
                found.extend(item for item in value if isinstance(item, Option))
        return tuple(found)

    def option(self, letter: str) -> Option:
        """The option with this letter. Raises KeyError if there is none."""
        for option in self.options:
            if option.letter == letter:
                return option
        raise KeyError(f"{self.id} has no option {letter}")


@dataclass(frozen=True, slots=True)
class Use:
    """A place in the data that names something else: a component, an image or an icon."""

    owner: str
    name: str
    where: Where = field(compare=False)


def effects_in(value: object) -> Iterator[Effect]:
    """Every effect inside a field's value, an option, or a list of them, in the order of the
    file."""
    if isinstance(value, Effect):
        yield value
    elif isinstance(value, Either):
        for alternative in value.alternatives:
            yield from alternative
    elif isinstance(value, Option):
        yield from value.cost
        yield from effects_in(value.effects)
    elif isinstance(value, tuple):
        for item in value:
            yield from effects_in(item)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from effects_in(item)
