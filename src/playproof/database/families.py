"""Families of cards: texts made alike, and whether the same words mean the same.

A saying is a text of a card with what it stands for: an option with its cost and effects, or a `text` beside the
effects of its card. Sayings whose words differ in numbers only are of one family.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from playproof.database.components import Component, Effect, Either, Option, Words, effects_in
from playproof.database.effect_text import Style, made_text, option_text
from playproof.database.errors import Finding, Where
from playproof.database.game import Game
from playproof.database.number_words import words_of

STYLES: tuple[Style, ...] = ("icons", "words")
"""As cards print a text, and in plain words."""
_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_]+")
_MARKUP = re.compile(r"\*+|:")
_NOT_RULES = ("title", "name", "flavour", "text", "icon", "art", "image")
"""Fields that say nothing of what a card does."""


@dataclass(frozen=True)
class Saying:
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
    def heard(self) -> str:
        """The words as a listener has them: numbers as digits, no capitals, one apostrophe, no final stop."""
        spoken = words_of(self.language)
        numbers = {**{word: n for n, word in enumerate(spoken.cardinals) if n}, **spoken.first}
        text = self.words.casefold().replace("’", "'").rstrip(".! ")
        return _WORD.sub(lambda word: str(numbers.get(word[0], word[0])), text)

    @property
    def template(self) -> str:
        """The words that are heard, with # for each number."""
        return _NUMBER.sub("#", self.heard)

    @property
    def shape(self) -> str:
        """The effect with # for each number."""
        return _NUMBER.sub("#", self.effect)


def sayings(game: Game, language: str) -> Iterator[Saying]:
    """Yield every saying of a game in a language, in the order of its files."""
    for component in game.components.values():
        for option in component.options:
            for style in STYLES:
                yield _of_option(game, component, option, language, style)
        text = component.fields.get("text")
        if isinstance(text, Words) and text.has(language) and not component.options:
            yield _of_text(component, text, language)
        for name, value in component.fields.items():
            if (
                isinstance(value, tuple)
                and value
                and all(isinstance(step, Effect | Either) for step in value)
            ):
                where = next(effects_in(value)).where
                for style in STYLES:
                    words = _plain(made_text(value, game.vocabulary, language, style))
                    yield Saying(component.id, name, language, words, _written(value), "", False, where)


def _of_option(game: Game, component: Component, option: Option, language: str, style: Style) -> Saying:
    written = option.text is not None and option.text.has(language)
    words = option_text(option, game.vocabulary, language, style)
    whole = option.needs or (option.cost and option.effects)
    effect = _written([option.needs, option.cost, option.effects] if whole else option.cost or option.effects)
    where = option.text.place(language) if option.text is not None and written else option.where
    return Saying(component.id, option.letter, language, _plain(words), effect, "", written, where)


def _of_text(component: Component, text: Words, language: str) -> Saying:
    """Return the saying of a card's `text`. A card without effects does what the rules that it cites say."""
    effects = {
        name: value for name, value in component.fields.items() if any(True for _ in effects_in(value))
    }
    others = {
        name: value
        for name, value in component.fields.items()
        if name not in _NOT_RULES and name not in effects and not isinstance(value, Words)
    }
    alone = next(iter(effects.values())) if len(effects) == 1 else effects
    effect = _written(alone) if effects else _written([component.kind, component.rules])
    beside = _written([component.kind, others]) if effects else component.id
    words = _plain(text.text(language))
    return Saying(component.id, "", language, words, effect, beside, True, text.place(language))


def contradictions(game: Game) -> Iterator[Finding]:
    """PP251: the same words stand for different effects. PP252: the same effect stands in different words. Either by
    hand, or because two effects of the vocabulary are worded alike."""
    for language in game.languages:
        every = [saying for saying in sayings(game, language) if saying.words]
        yield from _differing_effects(every, language)
        yield from _differing_words(every, language)


def _differing_effects(every: list[Saying], language: str) -> Iterator[Finding]:
    for some in _grouped(every, "template"):
        first, *others = dict.fromkeys(some)
        for other in others:
            same_numbers = other.heard == first.heard
            if (other.effect != first.effect) if same_numbers else (other.shape != first.shape):
                blamed, beside = (other, first) if other.written or not first.written else (first, other)
                message = (
                    f"{blamed.name}: the {language} words “{blamed.words}” do something else on {beside.name}"
                )
                hint = f"{beside.where}; say it in other words, or give both the same effect"
                yield Finding("PP251", blamed.where, message, hint)


def _differing_words(every: list[Saying], language: str) -> Iterator[Finding]:
    """Texts made from effects agree, so one of the two is written by hand."""
    groups: dict[tuple[str, str], list[Saying]] = defaultdict(list)
    for saying in every:
        if not saying.at or saying.at.isupper():
            groups[saying.effect, saying.beside].append(saying)
    for some in groups.values():
        made = [saying.words for saying in some if not saying.written]
        usual = next((saying for saying in some if not saying.written), some[0])
        for other in dict.fromkeys(some):
            if other.written and other.words not in (made or [usual.words]):
                message = f"{other.name}: the {language} text says “{other.words}”; {usual.name} does the same and says"
                yield Finding(
                    "PP252", other.where, f"{message} “{usual.words}”", f"{usual.where}", severity="warning"
                )


def relations(game: Game, ident: str) -> Iterator[tuple[Saying, Saying]]:
    """Yield each text of another component, with the text of this one that is of one family with it."""
    every = [saying for saying in sayings(game, game.languages[0]) if _says_much(saying)]
    own = [saying for saying in every if saying.component == ident]
    for other in every:
        if other.component != ident:
            yield from ((saying, other) for saying in own if _are_alike(saying, other))


def relatives(game: Game, ident: str, places: Collection[str] | None = None) -> tuple[str, ...]:
    """Return the other components of which a text is of one family with a text of this one; with `places`, with the
    text of these options or fields."""
    near = (other.component for own, other in relations(game, ident) if places is None or own.at in places)
    return tuple(dict.fromkeys(near))


def _are_alike(one: Saying, other: Saying) -> bool:
    """Return whether two texts are of one family. Texts that say in words only what their cards do have only their
    words in common."""
    if one.beside == one.component:
        return one.template == other.template
    return one.shape == other.shape


def _says_much(saying: Saying) -> bool:
    """Return whether a saying has an effect: all options where nothing happens are no family."""
    return any(char.isdigit() for char in saying.effect) or '"op"' in saying.effect


def _grouped(every: list[Saying], key: str) -> Iterator[list[Saying]]:
    groups: dict[str, list[Saying]] = defaultdict(list)
    for saying in every:
        groups[getattr(saying, key)].append(saying)
    return (group for group in groups.values() if len(group) > 1)


def _plain(text: str) -> str:
    return " ".join(_MARKUP.sub(" ", text).split())


def _written(value: Any) -> str:
    """Return a value as canonical text."""
    return json.dumps(_data(value), sort_keys=True, ensure_ascii=False)


def _data(value: Any) -> Any:
    if isinstance(value, Effect):
        return {"op": value.op, "args": _data(value.args)}
    if isinstance(value, Either):
        return {"either": _data(value.alternatives)}
    if isinstance(value, Mapping):
        return {str(key): _data(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_data(item) for item in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
