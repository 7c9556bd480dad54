"""Makes text from effects, so that a card's text cannot contradict its effects.

Templates come from the vocabulary, one for each language and style. Style "icons" is the printed
text (`+1 :food:`), style "words" the spoken one (`gain 1 Food`). The markup is `**bold**`,
`*italic*` and `:icon-name:`.

In a template, `{name}` is an argument and `{name.field}` a field of the component that the argument
names, `{name.field.group}` the name of the term that the field says. An effect with `each` repeats its
template for each entry of that argument: as `{n}` and `{term}` for amounts, as `{one}` for a list.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from playproof.database.components import Effect, Either, Option, Step
from playproof.database.field_types import FieldSpec
from playproof.database.templates import HOLE
from playproof.database.vocabulary import Term, Vocabulary, WordingSpec

Style = Literal["icons", "words"]

_ICON = re.compile(r":([a-z][a-z0-9-]*):")
_NUMBER = re.compile(r"\d+|\bX\b")


def made_text(
    thing: Option | Step | Sequence[Step],
    vocabulary: Vocabulary,
    language: str = "en",
    style: Style = "icons",
) -> str:
    """The text of an option, an effect or a list of effects. A missing language falls back to
    English."""
    return _TextMaker(vocabulary, language, style).text(thing)


def option_text(option: Option, vocabulary: Vocabulary, language: str = "en", style: Style = "icons") -> str:
    """Return the printed text of an option: its hand-written text in this language, or else the
    made text in the given style."""
    if option.text is not None and option.text.has(language):
        return option.text.text(language)
    return made_text(option, vocabulary, language, style)


def format_amounts(
    amounts: Mapping[str, int], group: str, vocabulary: Vocabulary, language: str = "en"
) -> str:
    """Return amounts of terms in words, as `2 Food, 1 Gold`."""
    terms = vocabulary.group(group)
    return ", ".join(f"{n} {terms[term].name(language, n)}" for term, n in amounts.items())


def pick_language(words: Mapping[str, str], language: str) -> str:
    """Return the text in a language, or else in English, or else in the first language."""
    return words.get(language) or words.get("en") or next(iter(words.values()), "")


def count_numbers_and_icons(text: str) -> Counter[str]:
    """Count the numbers and icons in a text. A hand-written text must have the same counts as the
    made one."""
    icons = [f":{name}:" for name in _ICON.findall(text)]
    return Counter(icons + _NUMBER.findall(_ICON.sub(" ", text)))


def find_icons(text: str) -> list[str]:
    """The names of the icons in a text, in order."""
    return _ICON.findall(text)


class _TextMaker:
    """Makes texts in one language and style."""

    def __init__(self, vocabulary: Vocabulary, language: str, style: Style) -> None:
        self.vocabulary = vocabulary
        self.language = language
        self.style = style
        spec = vocabulary.spec
        self.wording: WordingSpec = spec.wording if style == "icons" else spec.words

    def pick_text(self, words: Mapping[str, str]) -> str:
        return pick_language(words, self.language)

    def text(self, thing: Option | Step | Sequence[Step]) -> str:
        match thing:
            case Option():
                return self.option(thing)
            case Effect():
                return self.make_effect_text(thing)
            case Either():
                return self.pick_text(self.wording.either).join(map(self.make_steps_text, thing.alternatives))
            case _:
                return self.make_steps_text(thing)

    def make_steps_text(self, steps: Sequence[Step]) -> str:
        return self.pick_text(self.wording.join).join(map(self.text, steps))

    def option(self, option: Option) -> str:
        cost, effects = self.make_steps_text(option.cost), self.make_steps_text(option.effects)
        if cost and effects:
            text = _fill_template(self.pick_text(self.wording.cost), {"cost": cost, "effects": effects})
        else:
            text = cost or effects or self.pick_text(self.wording.nothing)
        if not option.needs:
            return text
        return self.fill_template(
            self.pick_text(self.wording.needs), {"needs": option.needs, "effects": text}
        )

    def make_effect_text(self, effect: Effect) -> str:
        spec = self.vocabulary.effects[effect.op]
        template = self.pick_text(spec.words if self.style == "words" and spec.words else spec.text)
        if spec.each is None:
            arguments = {
                name: self.format_argument(spec.args[name], value)
                for name, value in effect.args.items()
                if value is not None
            }
            return self.fill_template(template, arguments)
        entries = effect.args[spec.each] or ()
        if isinstance(entries, Mapping):
            group = self.vocabulary.group(spec.args[spec.each].group or "")
            texts = [
                self.fill_template(template, {"n": str(n), "term": self.format_term(group[term], int(n))})
                for term, n in entries.items()
            ]
            return self.pick_text(self.wording.join).join(texts)
        assert isinstance(entries, tuple)  # `each` stands over amounts or a list
        return self.pick_text(self.wording.any_of).join(
            self.fill_template(template, {"one": str(e)}) for e in entries
        )

    def format_argument(self, spec: FieldSpec, value: object) -> str:
        """Return an argument as text."""
        if spec.type == "term":
            return self.format_term(self.vocabulary.group(spec.group or "")[str(value)])
        if isinstance(value, tuple):
            return self.pick_text(self.wording.any_of).join(map(str, value))
        return str(value)

    def format_term(self, term: Term, n: int = 1) -> str:
        return f":{term.icon}:" if self.style == "icons" else term.name(self.language, n)

    def fill_template(self, template: str, values: Mapping[str, str]) -> str:
        """Fill a template; `{name.field}` reads a field of the component with that name."""

        def hole(match: re.Match[str]) -> str:
            name, field = match.groups()
            value = values.get(name, "")  # an argument that is left out
            return self.get_target_field(value, field) if field else value

        return HOLE.sub(hole, template)

    def get_target_field(self, target: str, field: str) -> str:
        """Return a plain field of a component; for `title`, the title in this language. `field.group` is the name of
        the group's term that the field says."""
        fields = self.vocabulary.targets.get(target, {})
        field, _, group = field.partition(".")
        if group:
            term = self.vocabulary.group(group).get(fields.get(field, ""))
            return "" if term is None else term.name(self.language)
        if field == "title":
            titles = (f"title-{self.language}", "title-en", "title")
            return next((fields[key] for key in titles if key in fields), target)
        return fields.get(field, "")


def _fill_template(template: str, values: Mapping[str, str]) -> str:
    return HOLE.sub(lambda match: values[match[1]], template)
