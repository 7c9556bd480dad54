"""How a dossier speaks: its words in the languages of its readers, and those of the game in one language. A
language without words of its own reads English."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playproof.database.components import Component
from playproof.database.game import Game
from playproof.database.sheet_cells import format_id_and_title
from playproof.database.vocabulary import ICON_MARK
from playproof.errata.versions import format_rules_texts_by_option_or_field
from playproof.generator.wording import get_words_by_key_or_english_ones
from playproof.referee.notation import strip_bold_and_italic_marks
from playproof.verifier.questions.verdicts import Answer, describe_options_or_game

# -- words of a dossier --------------------------------------------------------------------------------------
# How a dossier speaks: the words of `words.py` with those of the game, in one language.


_NUMBER_BEFORE = re.compile(r"(\d+)\s*$")


@dataclass(frozen=True)
class DossierLanguage:
    """A language, and the game whose names are used; without a game, all names are as they are written."""

    language: str = "en"
    game: Game | None = None

    def format_message(self, message_key: str, **values: object) -> str:
        """Return a word or sentence with its values filled in."""
        return format_message(self.language, message_key, **values)

    def format_number(self, value: float, form: str = ".6g") -> str:
        """Return a number as the language writes it."""
        return format_number(self.language, value, form)

    def quote_text(self, text: object) -> str:
        """Return a text in the language's quotation marks."""
        return self.format_message("quoted", text=text)

    def quote_name_unless_english(self, text: str) -> str:
        """Return a name that stands in files only; in quotation marks where readers have another language."""
        return text if self._is_english else self.quote_text(text)

    def format_label_and_texts(self, label: object, texts: Sequence[str]) -> str:
        """Return a name with what belongs to it: `006: 001, 002`."""
        return f"{label}{self.format_message('colon')} {', '.join(texts)}"

    def name_part_or_whole_of_game(self, options: Mapping[str, Any], game_ref: str) -> str:
        """Return what a sentence about some settings is about: `Chapter 1`, else the game."""
        named = [
            self._get_declared_name_of_option_value(name, value)
            for name, value in options.items()
            if _is_option_selecting_part_of_game(name, value)
        ]
        if named and all(named):
            return ", ".join(filter(None, named))
        written = ", ".join(
            f"{name}={value}" for name, value in options.items() if _is_option_selecting_part_of_game(name, value)
        )
        if self.game and not written:
            return self.game.titles.text(self.language)
        if self._is_english:
            return describe_options_or_game(options, game_ref)
        return self.quote_text(written) if written else game_ref.replace("_", " ")

    def _get_declared_name_of_option_value(self, option_name: str, value: object) -> str:
        switch = self.game.facts.options.get(option_name) if self.game else None
        names = switch.names.get(str(value), {}) if switch else {}
        return names.get(self.language, "")

    def format_claim_words_or_id(self, answer: Answer) -> str:
        """Return the words of a claim without their full stop; in a language that it is not written in, its id."""
        claim = self.game.claims.get(answer.id) if self.game else None
        says = claim.data["says"] if claim else answer.says
        texts = says if isinstance(says, dict) else {self.game.languages[0] if self.game else "en": says}
        words = str(texts.get(self.language) or "").rstrip(".")
        if words or not self._is_english:
            return words or self.format_message("claim", id=answer.id)
        return answer.says.rstrip(".") or answer.id

    def get_label_of_card_field(self, field_path: str, card: Component | None) -> str:
        """Return what a reader calls a value of a card: an option by its letter, else the path's first field; with what
        lies below it, items of lists counted from 1."""
        if field_path.isupper():
            return self.format_message("option", letter=field_path)
        field, *below = field_path.removesuffix(f".{self.language}").split(".")
        if field == "options" and below and below[0].isupper():
            return ", ".join([self.format_message("option", letter=below[0]), *map(self.get_label_of_key, below[1:])])
        declared = self.game.vocabulary.kinds[card.kind].fields.get(field) if self.game and card else None
        named = declared.name.get(self.language) if declared else None
        value = card.get(field) if card is not None else None
        names = [named or self.get_label_of_key(field)]
        for key in below:
            is_item = isinstance(value, tuple) and key.isdigit()
            names.append(self.format_message("item", number=int(key) + 1) if is_item else self.get_label_of_key(key))
            value = _get_inner_value_or_none(value, key)
        return ", ".join(names)

    def get_label_of_key(self, key: str) -> str:
        """Return what a reader calls a key: a known field or a term by its name, a language by its code."""
        if key.isdigit() or (self.game is not None and key in self.game.languages):
            return key
        return self._translate_known_field_or_empty(key) or self._translate_term_or_quote_it(key).replace("_", " ")

    def format_text_with_icons_as_names(self, text: object) -> str:
        """Return a printed text without its markup: an icon is called by its name, or left out beside its name."""
        written = strip_bold_and_italic_marks(str(text or ""))
        parts, last = list[str](), 0
        for icon in ICON_MARK.finditer(written):
            before, after = written[last : icon.start()], written[icon.end() :]
            names = self._list_names_of_icon_or_icon_itself(icon[1])
            behind = before.rstrip().casefold().endswith(tuple(name.casefold() for name in names))
            ahead = after.lstrip().casefold().startswith(tuple(name.casefold() for name in names))
            number = _NUMBER_BEFORE.search(before)
            name = names[-1] if number and number[1] != "1" else names[0]
            parts += [before.rstrip() if behind else before, "" if behind or ahead else name]
            last = icon.end()
        return " ".join("".join([*parts, written[last:]]).split())

    def _list_names_of_icon_or_icon_itself(self, icon: str) -> list[str]:
        """Return what an icon is called: by its term in the singular and the plural, a component with it, or itself."""
        names, vocabulary = list[str](), self.game.vocabulary if self.game else None
        groups = vocabulary.terms.values() if vocabulary else ()
        for term in (term for group in groups for term in group.values() if term.icon == icon):
            names += [term.name(self.language), term.name(self.language, 2)]
        if self.game is not None and not names:
            called = (c.title for c in self.game.components.values() if c.get("icon") == icon)
            names += [title.text(self.language) for title in called if title is not None][:1]
        return names or [icon.replace("-", " ")]

    def format_card_value(self, value: object, field_path: str = "", card: Component | None = None) -> str:
        """Return a value of a card: a term by its name, where its field is declared to hold terms of one group, or if
        all groups of terms agree on it."""
        if value is None:
            return self.format_message("nothing")
        group = self._get_declared_term_group_or_none(field_path, card)
        term = self.game.vocabulary.terms.get(group, {}).get(str(value)) if self.game and group else None
        if term is not None:
            return term.name(self.language)
        return self._translate_term_or_quote_it(value) if isinstance(value, str) else str(value)

    def _get_declared_term_group_or_none(self, field_path: str, card: Component | None) -> str | None:
        """Return the group of terms of which a value is, as its field is declared: itself, or the items in it."""
        name, *below = field_path.split(".")
        fields = self.game.vocabulary.kinds[card.kind].fields if self.game and card else {}
        declared = fields.get(name)
        for key in below:
            declared = declared.get_child_field(key) if declared else None
        return declared.group if declared and declared.type == "term" else None

    def translate_name_of_unit_term_or_card(self, name: str) -> str:
        """Return the name of something that claims count or ask for: a unit, a term, a card, else as it is written."""
        card = self.game.components.get(name) if self.game else None
        title = card.title if card else None
        if title is not None and not self._get_names_of_term(name):
            words = title.text(self.language)
            return format_id_and_title(name, words)
        return self._translate_known_field_or_empty(name) or self._translate_term_or_quote_it(name)

    def capitalize_sentence_unless_english(self, text: str) -> str:
        """Return a sentence with a capital; in English, some begin with a claim's own words or with a name."""
        return text if self._is_english else text[:1].upper() + text[1:]

    def get_only_text_of_card_or_fallback(self, card_and_option: str, fallback: str) -> str:
        """Return the text of a card or of its option (`113 B`); as it was given if the card has several."""
        ident, _, letter = card_and_option.partition(" ")
        if self.game is None or ident not in self.game.components:
            return fallback
        texts = format_rules_texts_by_option_or_field(self.game.components[ident], self.game, self.language)
        return texts.get(letter) or (next(iter(texts.values())) if len(texts) == 1 else fallback)

    def _get_names_of_term(self, term_id: str) -> set[str]:
        """Return the names of the terms with this id, in all groups."""
        groups = self.game.vocabulary.terms.values() if self.game else ()
        return {group[term_id].name(self.language) for group in groups if term_id in group}

    def _translate_term_or_quote_it(self, term_id: str) -> str:
        names = self._get_names_of_term(term_id)
        return names.pop() if len(names) == 1 and not self._is_english else self.quote_name_unless_english(term_id)

    def _translate_known_field_or_empty(self, field_name: str) -> str:
        key = f"field {field_name}"
        known = has_message(key, self.language)
        return self.format_message(key) if known else ""

    @property
    def _is_english(self) -> bool:
        return has_only_english_messages(self.language)


ENGLISH = DossierLanguage()


def _get_inner_value_or_none(value: object, key: str) -> object:
    """Return what lies under a key or a place of a value, None if nothing does."""
    if isinstance(value, Mapping):
        return value.get(key)
    is_place = isinstance(value, tuple) and key.isdigit() and int(key) < len(value)
    return value[int(key)] if is_place else None  # type: ignore[index]


def _is_option_selecting_part_of_game(option_name: str, value: object) -> bool:
    """Return whether a setting picks a part of the game: one value, and no ruling."""
    return not isinstance(value, list) and not option_name[:1].isupper()


# -- words ---------------------------------------------------------------------------------------------------
# The words in which a dossier speaks, in the languages of its readers: those of `layouts/wording/`. Readers
# of other languages get English.


def has_message(message_key: str, language: str = "en") -> bool:
    """Return whether there are words for something. A language without a file has the English ones."""
    return message_key in get_words_by_key_or_english_ones("errata", language)


def has_only_english_messages(language: str) -> bool:
    """Return whether readers of a language get English words."""
    return get_words_by_key_or_english_ones("errata", language) is get_words_by_key_or_english_ones("errata", "en")


def format_message(language: str, message_key: str, **values: object) -> str:
    """Return a word or sentence with its values filled in."""
    return get_words_by_key_or_english_ones("errata", language)[message_key].format(**values)


def format_number(language: str, value: float, format_spec: str) -> str:
    """Return a number in the format `format_spec` of Python, as the language writes it: 1,234.5 is 1 234,5 in
    French."""
    marks = str.maketrans(".,", format_message(language, "decimal") + format_message(language, "thousands"))
    return f"{value:{format_spec}}".translate(marks)
