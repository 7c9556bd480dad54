"""A game's own words, declared in its `vocabulary.yaml`: terms, effects, and kinds of component."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import BeforeValidator, Field

from playproof.database.field_types import FieldDecl, FileName, Reader, StrictModel
from playproof.database.source import YamlNode


def wrap_english_text(value: object) -> object:
    """Convert a bare text to an English one, and a bare number too: it is refused as no text, and not as no mapping."""
    return {"en": value} if isinstance(value, str | int | float) else value


WordsSpec = Annotated[
    dict[str, str], BeforeValidator(wrap_english_text, json_schema_input_type=str | dict[str, str])
]


class TermSpec(StrictModel):
    """One word of the game: a resource, a zone, a colour, a moment."""

    name: WordsSpec
    plural: WordsSpec | None = None
    icon: str | None = None
    colour: str | None = Field(default=None, pattern=r"^#[0-9a-fA-F]{6}$")
    supply: list[str | int] | None = Field(
        default=None, description="quantities that exist: `food.count`, or numbers"
    )
    limit: list[str | int] | None = Field(default=None, description="quantities that can be held at most")
    store: str | None = Field(default=None, description="the term in whose `limit` this one shares")
    short: bool = Field(default=False, description="a cost in this may be paid short")
    of: str | None = Field(default=None, description="the broader term this belongs to")


class EffectSpec(StrictModel):
    """One effect: its arguments, and its templates in icons (`text`) and in plain words
    (`words`)."""

    args: dict[str, FieldDecl] = Field(default={})
    each: str | None = Field(
        default=None, description="the `amounts` argument for whose entries the text repeats"
    )
    cost: bool = Field(default=False, description="may stand in `pay`")
    text: WordsSpec
    words: WordsSpec | None = None
    rules: list[str] = Field(default=[])


class KindSpec(StrictModel):
    """One kind of component."""

    name: WordsSpec
    plural: WordsSpec | None = None
    id: str = r".+"
    read_by: Reader | None = Field(
        default=None, description="who reads its fields and its number of copies, where they do not say it"
    )
    count_read_by: Reader | None = Field(
        default=None, description="who reads its number of copies; left out, as `read_by`, else `both`"
    )
    fields: dict[str, FieldDecl] = Field(default={})


class OptionSpec(StrictModel):
    """The parts of a card's lettered options."""

    letters: list[str] = Field(default=["A", "B", "C", "D"], min_length=1)
    to: str = Field(default="zone", description="the group of terms a destination comes from")
    pay: str | None = Field(
        default=None, description="the effect that `pay: {term: number}` stands for; else `pay` lists effects"
    )
    needs: list[str] = Field(default=[], description="the kinds of component an option may need")


class WordingSpec(StrictModel):
    """The templates that join effects into a line of text."""

    join: WordsSpec = Field(default={"en": ", "})
    either: WordsSpec = Field(default={"en": " / "})
    any_of: WordsSpec = Field(default={"en": " or "})
    cost: WordsSpec = Field(default={"en": "{cost} → {effects}"})
    needs: WordsSpec = Field(default={"en": "{needs}: {effects}"})
    nothing: WordsSpec = Field(default={"en": "–"})


class VocabularySpec(StrictModel):
    """The whole of `vocabulary.yaml`."""

    terms: dict[str, Annotated[dict[str, TermSpec], Field(min_length=1)]] = Field(default={})
    effects: dict[str, EffectSpec] = Field(default={})
    kinds: dict[FileName, KindSpec]
    options: OptionSpec = OptionSpec()
    wording: WordingSpec = WordingSpec()
    words: WordingSpec = WordingSpec()
    icons: dict[str, WordsSpec] = Field(
        default={}, description="icons that belong to no term, and what each means"
    )


def is_singular(n: int, language: str) -> bool:
    """Return whether a language counts `n` things in the singular. French does so with zero.

    >>> is_singular(0, "fr"), is_singular(0, "en"), is_singular(1, "en")
    (True, False, True)
    """
    return n == 1 or (n == 0 and language.partition("-")[0] == "fr")


@dataclass(frozen=True, slots=True)
class Term:
    """One word of the game and where it was declared."""

    id: str
    group: str
    spec: TermSpec

    @property
    def icon(self) -> str:
        """The icon's name; by default the term's own id."""
        return self.spec.icon or self.id

    def name(self, language: str, n: int = 1) -> str:
        """Return the term's name in a language, or in English if that is missing; for more than one,
        its plural."""
        names = self.spec.plural if self.spec.plural and not is_singular(n, language) else self.spec.name
        return names.get(language) or names.get("en") or self.id


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A game's terms, effects and kinds. `targets` holds the plain fields of its components, for
    wording."""

    spec: VocabularySpec
    terms: Mapping[str, Mapping[str, Term]]
    languages: tuple[str, ...]
    node: YamlNode
    targets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def effects(self) -> Mapping[str, EffectSpec]:
        """Declared effects by name."""
        return self.spec.effects

    @property
    def kinds(self) -> Mapping[str, KindSpec]:
        """Declared kinds of component by name."""
        return self.spec.kinds

    @property
    def icons(self) -> frozenset[str]:
        """Every icon name the game knows."""
        return frozenset(self.spec.icons) | {t.icon for group in self.terms.values() for t in group.values()}

    def group(self, name: str) -> Mapping[str, Term]:
        """Return the terms of a group; empty if there is no such group."""
        return self.terms.get(name, {})
