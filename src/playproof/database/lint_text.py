"""Lint of texts: unknown icons, hand-written texts that contradict effects, missing
translations."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from playproof.database.components import Component, Option, PlacedText, Words, effects_in
from playproof.database.effect_text import icons_in, made_text, tally
from playproof.database.errors import Finding, Where, nearest
from playproof.database.game import Game
from playproof.database.icon_hints import find_near_icon
from playproof.database.number_words import (
    languages_with_words,
    numbers_in,
    read_in_letters,
    signed_numbers,
    unlike,
)
from playproof.database.source import Node

_HOLE = re.compile(r"\{[^}]*\}")
_UNFILLED = re.compile(r"(?<!\\)\{([^{}]+)\}")  # braces that no backslash keeps
_NUMBERED = re.compile(r":[a-z-]*?(\d*):")  # `:level-2:` shows 2, `:pearl:` shows no number
_SIGN = re.compile(r":[a-z-]+:|\b[A-Z]\b")  # an icon, or a letter that stands for a number


def unknown_icons(game: Game, icons: Collection[str] | None) -> Iterator[Finding]:
    """PP234: every icon in a field or a text can be drawn."""
    drawable = game.vocabulary.icons if icons is None else frozenset(icons)
    for name, where in _icon_uses(game):
        if name not in drawable:
            yield Finding("PP234", where, f'there is no icon called "{name}"', find_near_icon(name, drawable))
    if icons is not None:
        for name in sorted(game.vocabulary.icons - drawable):
            where = _icon_place(game, name)
            message = f'the vocabulary names the icon "{name}", which cannot be drawn'
            yield Finding("PP234", where, message, find_near_icon(name, drawable))


def missing_icons(game: Game, icons: Collection[str]) -> frozenset[str]:
    """Return the names that PP234 tells of."""
    return frozenset({*game.vocabulary.icons, *(name for name, _ in _icon_uses(game))} - set(icons))


def _icon_place(game: Game, name: str) -> Where:
    """Return where the vocabulary names an icon."""
    for group, members in game.vocabulary.terms.items():
        for key, term in members.items():
            if term.icon == name:
                return game.vocabulary.node.at(["terms", group, key, "icon"]).where
    return game.vocabulary.node.key_where(["icons", name])


def _icon_uses(game: Game) -> Iterator[tuple[str, Where]]:
    for use in game.icons:
        yield use.name, use.where
    for words in _all_words(game):
        for text in words.texts.values():
            for name in icons_in(text):
                yield name, words.where
    for component in game.components.values():
        for option in component.options:
            for name in icons_in(made_text(option, game.vocabulary)):
                yield name, option.where


def overrides(game: Game) -> Iterator[Finding]:
    """PP235: a hand-written text has the numbers and icons of the text made from its effects."""
    for component in game.components.values():
        for option in component.options:
            for language, text in (option.text.texts if option.text else {}).items():
                made = made_text(option, game.vocabulary, language)
                if tally(text) != tally(made):
                    yield _differs(component.id, option, language, text, made)


def _differs(owner: str, option: Option, language: str, text: str, made: str) -> Finding:
    missing = ", ".join((tally(made) - tally(text)).elements())
    surplus = ", ".join((tally(text) - tally(made)).elements())
    parts = [f"lacks {missing}" if missing else "", f"has {surplus} too many" if surplus else ""]
    message = f"{owner} {option.letter}: the {language} text {' and '.join(filter(None, parts))}"
    where = option.text.place(language) if option.text else option.where
    return Finding("PP235", where, message, f"the effects say: {made}")


def translations(game: Game, languages: Sequence[str] = ()) -> Iterator[Finding]:
    """PP238: every text exists in every language of the game, or in those of its languages that are
    given.

    A template without words needs no translation.
    """
    wanted = [language for language in game.languages if not languages or language in languages]
    for owner, words in _owned_words(game):
        for language in wanted:
            if not words.has(language):
                message = f'{owner}: no {language} text for "{str(words)[:40]}"'
                yield Finding("PP238", words.where, message, severity="warning")
    for claim in game.claims.values():
        sentence = claim.data["says"]
        for language in wanted:
            if isinstance(sentence, dict) and not sentence.get(language):
                yield Finding(
                    "PP238",
                    _at(claim.node, "says"),
                    f"claim `{claim.id}`: no {language} text",
                    severity="warning",
                )
    for path, texts, where in _vocabulary_words(game):
        for language in wanted:
            if language not in texts and _has_letters(texts):
                message = f"{path}: no {language} text"
                yield Finding("PP238", where, message, severity="warning")


def unread(game: Game) -> Iterator[Finding]:
    """PP249: the number words of each language are known. Of another language only digits are read."""
    others = [language for language in game.languages if not read_in_letters(language)]
    if others:
        message = f"numbers in letters are read in {', '.join(languages_with_words())} only, not in {', '.join(others)}"
        yield Finding(
            "PP249",
            _at(game.node, "languages"),
            message,
            "in another language digits alone are compared",
            "warning",
        )


def numbers(game: Game) -> Iterator[Finding]:
    """PP247: all languages of a text have the same numbers. PP248: a hand-written text beside
    effects has the effects' numbers from two on, and no number that is neither in the effects nor
    in the component's other fields."""
    for owner, words in _owned_words(game):
        yield from same_numbers(
            owner, words.texts, {language: words.place(language) for language in words.texts}
        )
    for owner, node in _texts_of(game):
        texts = {language: str(entry.node.value) for language, entry in node.entries.items()}
        yield from same_numbers(owner, texts, {key: entry.node.where for key, entry in node.entries.items()})
    for component in game.components.values():
        yield from _beside_values(component)
        text = component.fields.get("text")
        effects = [value for value in component.fields.values() if any(True for _ in effects_in(value))]
        if isinstance(text, Words) and effects and not component.options:
            yield from _beside_effects(component, text, effects)


def braces(game: Game, icons: Collection[str] | None) -> Iterator[Finding]:
    """PP253: no text of a component holds `{name}` (a warning). Layouts and templates fill such a place in; the
    words of a component are printed as they stand."""
    drawable = game.vocabulary.icons if icons is None else frozenset(icons)
    for component in game.components.values():
        for name, value in component.fields.items():
            places = [
                (text, words.place(key)) for words in _words_in(value) for key, text in words.texts.items()
            ]
            if isinstance(value, PlacedText):
                places = [(value, value.where)]
            for text, where in places:
                for hole in _UNFILLED.finditer(text):
                    message = f"`{name}` is printed as it stands, with {hole[0]}"
                    hint = _instead(component, hole[1], drawable)
                    yield Finding("PP253", where, message, hint, "warning", (component.id,))


def _instead(component: Component, name: str, icons: Collection[str]) -> str:
    """Return what to write for a name in braces: an icon, the nearest field's value, or that field in the layout."""
    if name in icons:
        return f"an icon in a text is written `:{name}:`; a backslash before a brace prints it"
    fields = {key: value for key, value in component.fields.items() if isinstance(value, int | str | Words)}
    field = name if name in fields else nearest(name, fields)
    instead = f'write "{fields[field]}", or print `{{{field}}}` in the layout; ' if field else ""
    return instead + "a backslash before a brace prints it"


def same_numbers(owner: str, texts: Mapping[str, str], where: Mapping[str, Where]) -> Iterator[Finding]:
    """Yield a PP247 finding for each language whose text tells other numbers than the first language's."""
    first, *others = texts or ("",)
    for language in others:
        surplus, missing = unlike(texts[language], language, texts[first], first)
        if surplus or missing:
            message = (
                f"{owner}: the {language} text tells {_listed(surplus)}, the {first} text {_listed(missing)}"
            )
            yield Finding(
                "PP247",
                where[language],
                message,
                "a translation tells the same numbers, in digits or letters",
            )


def _beside_effects(component: Component, text: Words, effects: list[object]) -> Iterator[Finding]:
    plain = [value for value in component.fields.values() if isinstance(value, int)]
    amounts = [n for value in effects for effect in effects_in(value) for n in _whole(effect.args)]
    founded = {*plain, *amounts, *(len(list(effects_in(e))) for e in effects)}
    for language, text_said in text.texts.items():
        in_text = set(numbers_in(text_said, language))
        for number in sorted(in_text - founded):
            listed = ", ".join(map(str, sorted(founded))) or "no number"
            message = f"{component.id}: the {language} text says {number}, its effects have {listed}"
            yield Finding("PP248", text.place(language), message)
        for number in sorted({n for n in amounts if n > 1} - in_text):  # of a single thing a text may say "a"
            message = f"{component.id}: its effects have {number}, the {language} text does not say so"
            yield Finding("PP248", text.place(language), message)


def _beside_values(component: Component) -> Iterator[Finding]:
    """Check a part with a `text` and a `value`, such as a face of a die: a text that says one number
    says the value."""
    for field in component.fields.values():
        for part in field if isinstance(field, tuple) else ():
            text, value = (part.get("text"), part.get("value")) if isinstance(part, Mapping) else (None, None)
            if not isinstance(text, Words) or not isinstance(value, int) or isinstance(value, bool):
                continue
            for language, printed in text.texts.items():
                in_text = signed_numbers(_NUMBERED.sub(r" \1 ", printed), language)
                if len(in_text) == 1 and in_text != [value]:
                    message = f"{component.id}: the {language} text says {printed}, its value is {value}"
                    yield Finding("PP248", text.place(language), message)


def _whole(value: object) -> Iterator[int]:
    """Every whole number in an effect's arguments."""
    if isinstance(value, int) and not isinstance(value, bool):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _whole(each)


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers)) or "no other number"


def _has_letters(texts: Mapping[str, str]) -> bool:
    return any(
        character.isalpha() for text in texts.values() for character in _SIGN.sub("", _HOLE.sub("", text))
    )


def _all_words(game: Game) -> Iterator[Words]:
    for _, words in _owned_words(game):
        yield words


def _owned_words(game: Game) -> Iterator[tuple[str, Words]]:
    """Yield every text of every component, rule and ruling, with its id."""
    for component in game.components.values():
        for value in component.fields.values():
            for words in _words_in(value):
                yield component.id, words
    for rule in game.rules.values():
        yield rule.id, rule.words
    for ruling in game.rulings.values():
        yield ruling.id, ruling.words
        for words in (*ruling.option_words.values(), *filter(None, [ruling.narrowed])):
            yield ruling.id, words
    for key, words in game.rulebook.sections.items():
        yield key, words


def _texts_of(game: Game) -> Iterator[tuple[str, Node]]:
    """Yield every text of `game.yaml` and of the vocabulary that is there in several languages, with the
    keys that lead to it."""
    for root in (game.node, game.vocabulary.node):
        yield from _translated(root, "", frozenset(game.languages))


def _translated(node: Node, keys: str, languages: frozenset[str]) -> Iterator[tuple[str, Node]]:
    if len(node.entries) > 1 and languages.issuperset(node.entries):
        if all(isinstance(entry.node.value, str) for entry in node.entries.values()):
            yield keys, node
        return
    for key, entry in node.entries.items():
        yield from _translated(entry.node, f"{keys}.{key}".strip("."), languages)
    for number, item in enumerate(node.items):
        yield from _translated(item, f"{keys}.{number}", languages)


def _words_in(value: object) -> Iterator[Words]:
    if isinstance(value, Words):
        yield value
    elif isinstance(value, Option):
        yield from _words_in(value.text)
    elif isinstance(value, tuple):
        for item in value:
            yield from _words_in(item)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _words_in(item)


def _vocabulary_words(game: Game) -> Iterator[tuple[str, Mapping[str, str], Where]]:
    """Yield the names and templates of the vocabulary that need translation."""
    node = game.vocabulary.node
    spec = game.vocabulary.spec
    for group, members in game.vocabulary.terms.items():
        for name, term in members.items():
            yield f"terms.{group}.{name}", term.spec.name, _at(node, "terms", group, name, "name")
    for name, effect in spec.effects.items():
        yield f"effects.{name}.text", effect.text, _at(node, "effects", name, "text")
        if effect.words:
            yield f"effects.{name}.words", effect.words, _at(node, "effects", name, "words")
    for name, kind in spec.kinds.items():
        yield f"kinds.{name}", kind.name, _at(node, "kinds", name, "name")


def _at(node: Node, *path: str) -> Where:
    return node.at(path).where
