"""Lint of texts: unknown icons, hand-written texts that contradict effects, missing
translations."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from playproof.database.components import (
    Component,
    Option,
    PlacedText,
    Words,
    iter_effects_nested_in_value,
    iter_free_texts_in_value,
)
from playproof.database.effect_text import count_numbers_and_icons, list_icon_names_in_text, made_text
from playproof.database.errors import Finding, Where, find_nearest_word_or_empty, make_hint_for_unknown_icon
from playproof.database.game import Game
from playproof.database.lint_numbers import iter_nested_whole_numbers
from playproof.database.number_words import (
    count_numbers_except_word_one,
    has_number_words,
    list_languages_with_number_words,
    list_numbers_only_in_each_translation,
    list_signed_numbers_in_short_text,
)
from playproof.database.source import YamlNode

_HOLE = re.compile(r"\{[^}]*\}")
_UNFILLED = re.compile(r"(?<!\\)\{([^{}]+)\}")  # braces that no backslash keeps
_NUMBERED = re.compile(r":[a-z-]*?(\d*):")  # `:level-2:` shows 2, `:pearl:` shows no number
_SIGN = re.compile(r":[a-z-]+:|\b[A-Z]\b")  # an icon, or a letter that stands for a number


def iter_unknown_icon_findings(game: Game, drawable_icons: Collection[str] | None) -> Iterator[Finding]:
    """PP234: every icon in a field or a text can be drawn."""
    drawable = game.vocabulary.icons if drawable_icons is None else frozenset(drawable_icons)
    for name, where in _iter_icon_names_with_places(game):
        if name not in drawable:
            yield Finding(
                "PP234", where, f'there is no icon called "{name}"', make_hint_for_unknown_icon(name, drawable)
            )
    if drawable_icons is not None:
        for name in sorted(game.vocabulary.icons - drawable):
            where = _get_vocabulary_place_of_icon(game, name)
            message = f'the vocabulary names the icon "{name}", which cannot be drawn'
            yield Finding("PP234", where, message, make_hint_for_unknown_icon(name, drawable))


def find_names_of_undrawable_icons(game: Game, drawable_icons: Collection[str]) -> frozenset[str]:
    """Return the names that PP234 tells of."""
    return frozenset(
        {*game.vocabulary.icons, *(name for name, _ in _iter_icon_names_with_places(game))} - set(drawable_icons)
    )


def _get_vocabulary_place_of_icon(game: Game, name: str) -> Where:
    """Return where the vocabulary names an icon."""
    for group, members in game.vocabulary.terms.items():
        for key, term in members.items():
            if term.icon == name:
                return game.vocabulary.node.get_node_or_nearest_ancestor(["terms", group, key, "icon"]).where
    return game.vocabulary.node.get_place_of_last_key(["icons", name])


def _iter_icon_names_with_places(game: Game) -> Iterator[tuple[str, Where]]:
    for use in game.icons:
        yield use.name, use.where
    for words in _iter_all_texts(game):
        for text in words.texts.values():
            for name in list_icon_names_in_text(text):
                yield name, words.where
    for component in game.components.values():
        for option in component.options:
            for name in list_icon_names_in_text(made_text(option, game.vocabulary)):
                yield name, option.where


def iter_handwritten_text_mismatch_findings(game: Game) -> Iterator[Finding]:
    """PP235: a hand-written text has the numbers and icons of the text made from its effects."""
    for component in game.components.values():
        for option in component.options:
            for language, text in (option.text.texts if option.text else {}).items():
                made = made_text(option, game.vocabulary, language)
                if count_numbers_and_icons(text) != count_numbers_and_icons(made):
                    yield _make_text_mismatch_finding(component.id, option, language, text, made)


def _make_text_mismatch_finding(owner: str, option: Option, language: str, text: str, generated_text: str) -> Finding:
    missing = ", ".join((count_numbers_and_icons(generated_text) - count_numbers_and_icons(text)).elements())
    surplus = ", ".join((count_numbers_and_icons(text) - count_numbers_and_icons(generated_text)).elements())
    parts = [f"lacks {missing}" if missing else "", f"has {surplus} too many" if surplus else ""]
    message = f"{owner} {option.letter}: the {language} text {' and '.join(filter(None, parts))}"
    where = option.text.get_place_of_language_text(language) if option.text else option.where
    return Finding("PP235", where, message, f"the effects say: {generated_text}")


def iter_missing_translation_findings(game: Game, languages: Sequence[str] = ()) -> Iterator[Finding]:
    """PP238: every text exists in every language of the game, or in those of its languages that are
    given.

    A template without words needs no translation.
    """
    wanted = [language for language in game.languages if not languages or language in languages]
    bare = game.vocabulary.language_of_bare_text  # rules and terms hold a bare text as an English one
    for owner, words in _iter_all_texts_with_owner_ids(game):
        for language in wanted:
            if not words.has(language) and not (language == bare and words.has("en")):
                message = f'{owner}: no {language} text for "{str(words)[:40]}"'
                yield Finding("PP238", words.where, message, severity="warning")
    for claim in game.claims.values():
        sentence = claim.data["says"]
        for language in wanted:
            if isinstance(sentence, dict) and not sentence.get(language):
                yield Finding(
                    "PP238",
                    _get_place_of_path(claim.node, "says"),
                    f"claim `{claim.id}`: no {language} text",
                    severity="warning",
                )
    for path, texts, where in _iter_vocabulary_texts_with_places(game):
        for language in wanted:
            is_bare = language == bare and "en" in texts
            if language not in texts and not is_bare and _has_words_to_translate(texts):
                message = f"{path}: no {language} text"
                yield Finding("PP238", where, message, severity="warning")


def iter_unread_number_language_findings(game: Game) -> Iterator[Finding]:
    """PP249: the number words of each language are known. Of another language only digits are read."""
    others = [language for language in game.languages if not has_number_words(language)]
    if others:
        message = (
            f"numbers in letters are read in {', '.join(list_languages_with_number_words())} only, "
            f"not in {', '.join(others)}"
        )
        yield Finding(
            "PP249",
            _get_place_of_path(game.node, "languages"),
            message,
            "in another language digits alone are compared",
            "warning",
        )


def iter_contradicting_number_findings(game: Game) -> Iterator[Finding]:
    """PP247: all languages of a text have the same numbers. PP248: a hand-written text beside
    effects has the effects' numbers from two on, and no number that is neither in the effects nor
    in the component's other fields."""
    for owner, words in _iter_all_texts_with_owner_ids(game):
        yield from iter_translated_number_mismatch_findings(
            owner, words.texts, {language: words.get_place_of_language_text(language) for language in words.texts}
        )
    for owner, node in _iter_translations_in_facts_and_vocabulary(game):
        texts = {language: str(entry.node.value) for language, entry in node.entries.items()}
        yield from iter_translated_number_mismatch_findings(
            owner, texts, {key: entry.node.where for key, entry in node.entries.items()}
        )
    for component in game.components.values():
        yield from _iter_part_text_value_mismatch_findings(component)
        text = component.fields.get("text")
        effects = [
            value for value in component.fields.values() if any(True for _ in iter_effects_nested_in_value(value))
        ]
        if isinstance(text, Words) and effects and not component.options:
            yield from _iter_text_number_mismatch_findings(component, text, effects)


def iter_unfilled_brace_findings(game: Game, drawable_icons: Collection[str] | None) -> Iterator[Finding]:
    """PP253: no text of a component holds `{name}` (a warning). Layouts and templates fill such a place in; the
    words of a component are printed as they stand."""
    drawable = game.vocabulary.icons if drawable_icons is None else frozenset(drawable_icons)
    for component in game.components.values():
        for name, value in component.fields.items():
            places = [
                (text, words.get_place_of_language_text(key))
                for words in iter_free_texts_in_value(value)
                for key, text in words.texts.items()
            ]
            if isinstance(value, PlacedText):
                places = [(value, value.where)]
            for text, where in places:
                if _is_json_of_a_program(text):
                    continue
                for hole in _UNFILLED.finditer(text):
                    message = f"`{name}` is printed as it stands, with {hole[0]}"
                    hint = _suggest_replacement_of_name_in_braces(component, hole[1], drawable)
                    yield Finding("PP253", where, message, hint, "warning", (component.id,))


def _is_json_of_a_program(text: str) -> bool:
    """Return whether a text is JSON as a whole: a sheet's column for another program, no words with places."""
    if not text.startswith(("{", "[")):
        return False
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _suggest_replacement_of_name_in_braces(component: Component, name: str, icons: Collection[str]) -> str:
    """Return what to write for a name in braces: an icon, the nearest field's value, or that field in the layout."""
    if name in icons:
        return f"an icon in a text is written `:{name}:`; a backslash before a brace prints it"
    fields = {key: value for key, value in component.fields.items() if isinstance(value, int | str | Words)}
    field = name if name in fields else find_nearest_word_or_empty(name, fields)
    instead = f'write "{fields[field]}", or print `{{{field}}}` in the layout; ' if field else ""
    return instead + "a backslash before a brace prints it"


def iter_translated_number_mismatch_findings(
    owner: str, texts: Mapping[str, str], places_by_language: Mapping[str, Where]
) -> Iterator[Finding]:
    """Yield a PP247 finding for each language whose text tells other numbers than the first language's."""
    first, *others = texts or ("",)
    for language in others:
        surplus, missing = list_numbers_only_in_each_translation(texts[language], language, texts[first], first)
        if surplus or missing:
            message = (
                f"{owner}: the {language} text tells {_format_number_list(surplus)}, "
                f"the {first} text {_format_number_list(missing)}"
            )
            yield Finding(
                "PP247",
                places_by_language[language],
                message,
                "a translation tells the same numbers, in digits or letters",
            )


def _iter_text_number_mismatch_findings(component: Component, text: Words, effects: list[object]) -> Iterator[Finding]:
    all_arguments = [effect.args for value in effects for effect in iter_effects_nested_in_value(value)]
    amounts = [n for arguments in all_arguments for n in _iter_amounts(arguments)]
    founded = {
        *iter_nested_whole_numbers(component.fields),
        *(n for arguments in all_arguments for n in iter_nested_whole_numbers(arguments)),
        *(len(list(iter_effects_nested_in_value(value))) for value in effects),
    }
    for language, text_said in text.texts.items():
        in_text = set(count_numbers_except_word_one(text_said, language))
        for number in sorted(in_text - founded):
            listed = ", ".join(map(str, sorted(founded))) or "no number"
            message = f"{component.id}: the {language} text says {number}, its effects have {listed}"
            yield Finding("PP248", text.get_place_of_language_text(language), message)
        for number in sorted({n for n in amounts if n > 1} - in_text):  # of a single thing a text may say "a"
            message = f"{component.id}: its effects have {number}, the {language} text does not say so"
            yield Finding("PP248", text.get_place_of_language_text(language), message)


def _iter_part_text_value_mismatch_findings(component: Component) -> Iterator[Finding]:
    """Check a part with a `text` and a `value`, such as a face of a die: a text that says one number
    says the value."""
    for field in component.fields.values():
        for part in field if isinstance(field, tuple) else ():
            text, value = (part.get("text"), part.get("value")) if isinstance(part, Mapping) else (None, None)
            if not isinstance(text, Words) or not isinstance(value, int) or isinstance(value, bool):
                continue
            for language, printed in text.texts.items():
                in_text = list_signed_numbers_in_short_text(_NUMBERED.sub(r" \1 ", printed), language)
                if len(in_text) == 1 and in_text != [value]:
                    message = f"{component.id}: the {language} text says {printed}, its value is {value}"
                    yield Finding("PP248", text.get_place_of_language_text(language), message)


def _iter_amounts(value: object) -> Iterator[int]:
    """Yield the whole numbers in an effect's arguments that a text has to say: in lists stand places and choices."""
    if isinstance(value, int) and not isinstance(value, bool):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _iter_amounts(each)


def _format_number_list(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers)) or "no other number"


def _has_words_to_translate(texts: Mapping[str, str]) -> bool:
    return any(character.isalpha() for text in texts.values() for character in _SIGN.sub("", _HOLE.sub("", text)))


def _iter_all_texts(game: Game) -> Iterator[Words]:
    for _, words in _iter_all_texts_with_owner_ids(game):
        yield words


def _iter_all_texts_with_owner_ids(game: Game) -> Iterator[tuple[str, Words]]:
    """Yield every text of every component, rule and ruling, with its id."""
    for component in game.components.values():
        for value in component.fields.values():
            for words in iter_free_texts_in_value(value):
                yield component.id, words
    for rule in game.rules.values():
        yield rule.id, rule.words
    for ruling in game.rulings.values():
        yield ruling.id, ruling.words
        for words in (*ruling.option_words.values(), *filter(None, [ruling.narrowed])):
            yield ruling.id, words
    for key, words in game.rulebook.sections.items():
        yield key, words


def _iter_translations_in_facts_and_vocabulary(game: Game) -> Iterator[tuple[str, YamlNode]]:
    """Yield every text of `game.yaml` and of the vocabulary that is there in several languages, with the
    keys that lead to it."""
    for root in (game.node, game.vocabulary.node):
        yield from _iter_translated_nodes(root, "", frozenset(game.languages))


def _iter_translated_nodes(node: YamlNode, key_path: str, languages: frozenset[str]) -> Iterator[tuple[str, YamlNode]]:
    if len(node.entries) > 1 and languages.issuperset(node.entries):
        if all(isinstance(entry.node.value, str) for entry in node.entries.values()):
            yield key_path, node
        return
    for key, entry in node.entries.items():
        yield from _iter_translated_nodes(entry.node, f"{key_path}.{key}".strip("."), languages)
    for number, item in enumerate(node.items):
        yield from _iter_translated_nodes(item, f"{key_path}.{number}", languages)


def _iter_vocabulary_texts_with_places(game: Game) -> Iterator[tuple[str, Mapping[str, str], Where]]:
    """Yield the names and templates of the vocabulary that need translation."""
    node = game.vocabulary.node
    spec = game.vocabulary.spec
    for group, members in game.vocabulary.terms.items():
        for name, term in members.items():
            yield (f"terms.{group}.{name}", term.spec.name, _get_place_of_path(node, "terms", group, name, "name"))
    for name, effect in spec.effects.items():
        yield f"effects.{name}.text", effect.text, _get_place_of_path(node, "effects", name, "text")
        if effect.words:
            yield f"effects.{name}.words", effect.words, _get_place_of_path(node, "effects", name, "words")
    for name, kind in spec.kinds.items():
        yield f"kinds.{name}", kind.name, _get_place_of_path(node, "kinds", name, "name")


def _get_place_of_path(node: YamlNode, *path: str) -> Where:
    return node.get_node_or_nearest_ancestor(path).where
