"""Makes text from effects, so that a card's text cannot contradict its effects, and compares the texts
of cards: whether the same words mean the same.

Templates come from the vocabulary, one for each language and style. Style "icons" is the printed
text (`+1 :food:`), style "words" the spoken one (`gain 1 Food`). The markup is `**bold**`,
`*italic*` and `:icon-name:`.

In a template, `{name}` is an argument and `{name.field}` a field of the component that the argument
names, `{name.field.group}` the name of the term that the field says. An effect with `each` repeats its
template for each entry of that argument: as `{n}` and `{term}` for amounts, as `{one}` for a list.

A saying is a text of a card with what it stands for: an option with its cost and effects, or a `text` beside the
effects of its card. Sayings whose words differ in numbers only are of one family."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from playproof.database.components import Component, Effect, Either, Option, Step, Words, iter_effects_nested_in_value
from playproof.database.errors import Finding, Where
from playproof.database.game import Game
from playproof.database.number_words import get_number_words
from playproof.database.vocabulary import HOLE, ICON_MARK, Term, Vocabulary, WordingSpec
from playproof.database.yaml_models import FieldSpec

# Makes text from effects, so that a card's text cannot contradict its effects.

Style = Literal["icons", "words"]

_NUMBER = re.compile(r"\d+|\bX\b")


def made_text(
    thing: Option | Step | Sequence[Step], vocabulary: Vocabulary, language: str = "en", style: Style = "icons"
) -> str:
    """The text of an option, an effect or a list of effects. A missing language falls back to
    English."""
    return _TextMaker(vocabulary, language, style).make_text_of_option_or_effects(thing)


def option_text(option: Option, vocabulary: Vocabulary, language: str = "en", style: Style = "icons") -> str:
    """Return the printed text of an option: its hand-written text in this language, or else the
    made text in the given style."""
    if option.text is not None and option.text.has(language):
        return option.text.text(language)
    return made_text(option, vocabulary, language, style)


def format_amounts_with_term_names(
    amounts: Mapping[str, int], term_group: str, vocabulary: Vocabulary, language: str = "en"
) -> str:
    """Return amounts of terms in words, as `2 Food, 1 Gold`."""
    terms = vocabulary.group(term_group)
    return ", ".join(f"{n} {terms[term].name(language, n)}" for term, n in amounts.items())


def get_text_or_english_or_first(text_by_language: Mapping[str, str], language: str) -> str:
    """Return the text in a language, or else in English, or else in the first language."""
    return text_by_language.get(language) or text_by_language.get("en") or next(iter(text_by_language.values()), "")


def count_numbers_and_icons(text: str) -> Counter[str]:
    """Count the numbers and icons in a text. A hand-written text must have the same counts as the
    made one."""
    icons = [f":{name}:" for name in ICON_MARK.findall(text)]
    return Counter(icons + _NUMBER.findall(ICON_MARK.sub(" ", text)))


def list_icon_names_in_text(text: str) -> list[str]:
    """The names of the icons in a text, in order."""
    return ICON_MARK.findall(text)


class _TextMaker:
    """Makes texts in one language and style."""

    def __init__(self, vocabulary: Vocabulary, language: str, style: Style) -> None:
        self.vocabulary = vocabulary
        self.language = language
        self.style = style
        spec = vocabulary.spec
        self.wording: WordingSpec = spec.wording if style == "icons" else spec.words

    def get_text_or_english_or_first(self, text_by_language: Mapping[str, str]) -> str:
        return get_text_or_english_or_first(text_by_language, self.language)

    def make_text_of_option_or_effects(self, option_or_effects: Option | Step | Sequence[Step]) -> str:
        match option_or_effects:
            case Option():
                return self.make_text_of_cost_effects_and_need(option_or_effects)
            case Effect():
                return self.make_text_of_single_effect(option_or_effects)
            case Either():
                return self.get_text_or_english_or_first(self.wording.either).join(
                    map(self.make_text_of_effect_list, option_or_effects.alternatives)
                )
            case _:
                return self.make_text_of_effect_list(option_or_effects)

    def make_text_of_effect_list(self, steps: Sequence[Step]) -> str:
        return self.get_text_or_english_or_first(self.wording.join).join(
            map(self.make_text_of_option_or_effects, steps)
        )

    def make_text_of_cost_effects_and_need(self, option: Option) -> str:
        cost, effects = (self.make_text_of_effect_list(option.cost), self.make_text_of_effect_list(option.effects))
        if cost and effects:
            text = _fill_template_with_all_values(
                self.get_text_or_english_or_first(self.wording.cost), {"cost": cost, "effects": effects}
            )
        else:
            text = cost or effects or self.get_text_or_english_or_first(self.wording.nothing)
        if not option.needs:
            return text
        return self.fill_template_reading_component_fields(
            self.get_text_or_english_or_first(self.wording.needs), {"needs": option.needs, "effects": text}
        )

    def make_text_of_single_effect(self, effect: Effect) -> str:
        spec = self.vocabulary.effects[effect.op]
        template = self.get_text_or_english_or_first(spec.words if self.style == "words" and spec.words else spec.text)
        if spec.each is None:
            arguments = {
                name: self.format_effect_argument(spec.args[name], value)
                for name, value in effect.args.items()
                if value is not None
            }
            return self.fill_template_reading_component_fields(template, arguments)
        entries = effect.args[spec.each] or ()
        if isinstance(entries, Mapping):
            group = self.vocabulary.group(spec.args[spec.each].group or "")
            texts = [
                self.fill_template_reading_component_fields(
                    template, {"n": str(n), "term": self.format_term_as_icon_or_name(group[term], int(n))}
                )
                for term, n in entries.items()
            ]
            return self.get_text_or_english_or_first(self.wording.join).join(texts)
        assert isinstance(entries, tuple)  # `each` stands over amounts or a list
        return self.get_text_or_english_or_first(self.wording.any_of).join(
            self.fill_template_reading_component_fields(template, {"one": str(e)}) for e in entries
        )

    def format_effect_argument(self, spec: FieldSpec, value: object) -> str:
        """Return an argument as text."""
        if spec.type == "term":
            return self.format_term_as_icon_or_name(self.vocabulary.group(spec.group or "")[str(value)])
        if isinstance(value, tuple):
            return self.get_text_or_english_or_first(self.wording.any_of).join(map(str, value))
        return str(value)

    def format_term_as_icon_or_name(self, term: Term, amount: int = 1) -> str:
        return f":{term.icon}:" if self.style == "icons" else term.name(self.language, amount)

    def fill_template_reading_component_fields(self, template: str, values: Mapping[str, str]) -> str:
        """Fill a template; `{name.field}` reads a field of the component with that name."""

        def hole(match: re.Match[str]) -> str:
            name, field = match.groups()
            value = values.get(name, "")  # an argument that is left out
            return self.get_component_field_text_or_empty(value, field) if field else value

        return HOLE.sub(hole, template)

    def get_component_field_text_or_empty(self, component_id: str, field: str) -> str:
        """Return a plain field of a component; for `title`, the title in this language. `field.group` is the name of
        the group's term that the field says."""
        fields = self.vocabulary.targets.get(component_id, {})
        field, _, group = field.partition(".")
        if group:
            term = self.vocabulary.group(group).get(fields.get(field, ""))
            return "" if term is None else term.name(self.language)
        if field == "title":
            titles = (f"title-{self.language}", "title-en", "title")
            return next((fields[key] for key in titles if key in fields), component_id)
        return fields.get(field, "")


def _fill_template_with_all_values(template: str, values: Mapping[str, str]) -> str:
    return HOLE.sub(lambda match: values[match[1]], template)


# -- families ------------------------------------------------------------------------------------------------
# Families of cards: texts made alike, and whether the same words mean the same.

STYLES: tuple[Style, ...] = ("icons", "words")
"""As cards print a text, and in plain words."""
_NUMBER_IN_SAYING = re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_]+")
_MARKUP = re.compile(r"\*+|:")
_NOT_RULES = ("title", "name", "flavour", "text", "icon", "art", "image")
"""Fields that say nothing of what a card does."""


@dataclass(frozen=True)
class CardTextWithEffect:
    """A text in one language and what it stands for. `effect` is its structure as text; `beside` is all else that the
    card holds of rules, so that two texts with equal effects may still differ by right."""

    component: str
    at: str
    language: str
    words: str
    effect: str
    beside: str
    written: bool
    where: Where

    @property
    def name(self) -> str:
        """The card, with the letter of its option."""
        return f"{self.component} {self.at}".strip()

    @property
    def normalized_words(self) -> str:
        """The words as a listener has them: numbers as digits, no capitals, one apostrophe, no final stop."""
        spoken = get_number_words(self.language)
        numbers = {**{word: n for n, word in enumerate(spoken.cardinals) if n}, **spoken.first}
        text = self.words.casefold().replace("’", "'").rstrip(".! ")
        return _WORD.sub(lambda word: str(numbers.get(word[0], word[0])), text)

    @property
    def template(self) -> str:
        """The words that are heard, with # for each number."""
        return _NUMBER_IN_SAYING.sub("#", self.normalized_words)

    @property
    def shape(self) -> str:
        """The effect with # for each number."""
        return _NUMBER_IN_SAYING.sub("#", self.effect)


def iter_card_texts_with_effects(game: Game, language: str) -> Iterator[CardTextWithEffect]:
    """Yield every saying of a game in a language, in the order of its files."""
    for component in game.components.values():
        for option in component.options:
            for style in STYLES:
                yield _make_option_text_with_effect(game, component, option, language, style)
        text = component.fields.get("text")
        if isinstance(text, Words) and text.has(language) and not component.options:
            yield _make_text_field_with_effect(component, text, language)
        for name, value in component.fields.items():
            if isinstance(value, tuple) and value and all(isinstance(step, Effect | Either) for step in value):
                where = next(iter_effects_nested_in_value(value)).where
                for style in STYLES:
                    words = _remove_markup_and_extra_spaces(made_text(value, game.vocabulary, language, style))
                    yield CardTextWithEffect(
                        component.id, name, language, words, _format_canonical_json(value), "", False, where
                    )


def _make_option_text_with_effect(
    game: Game, component: Component, option: Option, language: str, style: Style
) -> CardTextWithEffect:
    written = option.text is not None and option.text.has(language)
    words = option_text(option, game.vocabulary, language, style)
    whole = option.needs or (option.cost and option.effects)
    effect = _format_canonical_json(
        [option.needs, option.cost, option.effects] if whole else option.cost or option.effects
    )
    where = option.text.get_place_of_language_text(language) if option.text is not None and written else option.where
    return CardTextWithEffect(
        component.id, option.letter, language, _remove_markup_and_extra_spaces(words), effect, "", written, where
    )


def _make_text_field_with_effect(component: Component, text: Words, language: str) -> CardTextWithEffect:
    """Return the saying of a card's `text`. A card without effects does what the rules that it cites say."""
    effects = {
        name: value
        for name, value in component.fields.items()
        if any(True for _ in iter_effects_nested_in_value(value))
    }
    others = {
        name: value
        for name, value in component.fields.items()
        if name not in _NOT_RULES and name not in effects and not isinstance(value, Words)
    }
    alone = next(iter(effects.values())) if len(effects) == 1 else effects
    effect = _format_canonical_json(alone) if effects else _format_canonical_json([component.kind, component.rules])
    beside = _format_canonical_json([component.kind, others]) if effects else component.id
    words = _remove_markup_and_extra_spaces(text.text(language))
    return CardTextWithEffect(
        component.id, "", language, words, effect, beside, True, text.get_place_of_language_text(language)
    )


def iter_contradicting_card_text_findings(game: Game) -> Iterator[Finding]:
    """PP251: the same words stand for different effects. PP252: the same effect stands in different words. Either by
    hand, or because two effects of the vocabulary are worded alike."""
    for language in game.languages:
        every = [saying for saying in iter_card_texts_with_effects(game, language) if saying.words]
        yield from _iter_same_words_different_effect_findings(every, language)
        yield from _iter_same_effect_different_words_findings(every, language)


def _iter_same_words_different_effect_findings(
    card_texts: list[CardTextWithEffect], language: str
) -> Iterator[Finding]:
    for some in _iter_groups_of_several_sharing_attribute(card_texts, "template"):
        first, *others = dict.fromkeys(some)
        for other in others:
            same_numbers = other.normalized_words == first.normalized_words
            if (other.effect != first.effect) if same_numbers else (other.shape != first.shape):
                blamed, beside = (other, first) if other.written or not first.written else (first, other)
                message = f"{blamed.name}: the {language} words “{blamed.words}” do something else on {beside.name}"
                hint = f"{beside.where}; say it in other words, or give both the same effect"
                yield Finding("PP251", blamed.where, message, hint)


def _iter_same_effect_different_words_findings(
    card_texts: list[CardTextWithEffect], language: str
) -> Iterator[Finding]:
    """Texts made from effects agree, so one of the two is written by hand."""
    groups: dict[tuple[str, str], list[CardTextWithEffect]] = defaultdict(list)
    for saying in card_texts:
        if not saying.at or saying.at.isupper():
            groups[saying.effect, saying.beside].append(saying)
    for some in groups.values():
        made = [saying.words for saying in some if not saying.written]
        usual = next((saying for saying in some if not saying.written), some[0])
        for other in dict.fromkeys(some):
            if other.written and other.words not in (made or [usual.words]):
                message = f"{other.name}: the {language} text says “{other.words}”; {usual.name} does the same and says"
                yield Finding("PP252", other.where, f"{message} “{usual.words}”", f"{usual.where}", severity="warning")


def iter_pairs_of_own_and_similar_text(
    game: Game, component_id: str
) -> Iterator[tuple[CardTextWithEffect, CardTextWithEffect]]:
    """Yield each text of another component, with the text of this one that is of one family with it."""
    every = [
        saying
        for saying in iter_card_texts_with_effects(game, game.languages[0])
        if _has_number_or_named_effect(saying)
    ]
    own = [saying for saying in every if saying.component == component_id]
    for other in every:
        if other.component != component_id:
            yield from ((saying, other) for saying in own if _are_effects_or_words_similar(saying, other))


def list_ids_of_cards_with_similar_texts(
    game: Game, component_id: str, option_letters_or_fields: Collection[str] | None = None
) -> tuple[str, ...]:
    """Return the other components of which a text is of one family with a text of this one; with
    `option_letters_or_fields`, with the text of these options or fields."""
    near = (
        other.component
        for own, other in iter_pairs_of_own_and_similar_text(game, component_id)
        if option_letters_or_fields is None or own.at in option_letters_or_fields
    )
    return tuple(dict.fromkeys(near))


def _are_effects_or_words_similar(first: CardTextWithEffect, second: CardTextWithEffect) -> bool:
    """Return whether two texts are of one family. Texts that say in words only what their cards do have only their
    words in common."""
    if first.beside == first.component:
        return first.template == second.template
    return first.shape == second.shape


def _has_number_or_named_effect(card_text: CardTextWithEffect) -> bool:
    """Return whether a saying has an effect: all options where nothing happens are no family."""
    return any(char.isdigit() for char in card_text.effect) or '"op"' in card_text.effect


def _iter_groups_of_several_sharing_attribute(
    card_texts: list[CardTextWithEffect], attribute_name: str
) -> Iterator[list[CardTextWithEffect]]:
    groups: dict[str, list[CardTextWithEffect]] = defaultdict(list)
    for saying in card_texts:
        groups[getattr(saying, attribute_name)].append(saying)
    return (group for group in groups.values() if len(group) > 1)


def _remove_markup_and_extra_spaces(text: str) -> str:
    return " ".join(_MARKUP.sub(" ", text).split())


def _format_canonical_json(value: Any) -> str:
    """Return a value as canonical text."""
    return json.dumps(_convert_effects_to_json_data(value), sort_keys=True, ensure_ascii=False)


def _convert_effects_to_json_data(value: Any) -> Any:
    if isinstance(value, Effect):
        return {"op": value.op, "args": _convert_effects_to_json_data(value.args)}
    if isinstance(value, Either):
        return {"either": _convert_effects_to_json_data(value.alternatives)}
    if isinstance(value, Mapping):
        return {str(key): _convert_effects_to_json_data(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_convert_effects_to_json_data(item) for item in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
