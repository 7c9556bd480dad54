"""What the answer to a claim rests on. Two answers with equal premises are one answer.

An answer rests on the whole description of its game, but for words by which people are told what stands in it: those
that a claim does not name decide nothing. A claim names a word if it has a whole part of it (letters and digits in a
row) anywhere in what it is about, in its family's members, in the claims that are given to it or in what it expects;
that takes in more than it finds, and never less. `errata`, `depends`, `whatif` and `mutate` ask anew what has other
premises in a changed game, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from typing import Any

from playproof.database.errors import InputError
from playproof.database.installation import compute_digest_of_program_code
from playproof.language.description.writer import split_description_from_words
from playproof.language.game import Game
from playproof.verifier.kernel.strict_json import to_canonical_json_text, to_plain_json_data
from playproof.verifier.questions.claims import Question, is_family_of_laws
from playproof.verifier.questions.ledger import list_names_and_specs_of_laws

_ROOMS = ("database", "language", "referee", "verifier")
"""Whose code decides an answer."""
_MUTATES = ("generator", "linting", "mutation", "table")
"""Whose code decides a verdict on a mutant besides: lint asks what is printed and laid out too."""
_RUN = re.compile(r"[^\W_]+")


def digest_code_deciding_answers() -> str:
    """Return a digest of the code that decides what is answered."""
    return compute_digest_of_program_code(_ROOMS)


def digest_code_deciding_mutant_verdicts() -> str:
    """Return a digest of the code that decides what is said of a mutant."""
    return compute_digest_of_program_code(tuple(sorted((*_ROOMS, *_MUTATES))))


def question_to_list_of_all_it_says(question: Question) -> list[Any]:
    """Return all that a question says: what it asks, what it expects, its own budget, and what is given to it."""
    given = [question_to_list_of_all_it_says(claim) for claim in question.given]
    return [question.as_json(), to_plain_json_data(question.expect), question.budget, given]


def is_law_family_about_card_rows(law_spec: Any) -> bool:
    """Return whether the laws of a claim are about rows of the cards."""
    if isinstance(law_spec, list):
        return any(map(is_law_family_about_card_rows, law_spec))
    return isinstance(law_spec, Mapping) and isinstance(law_spec.get("each"), str)


@lru_cache(maxsize=64)  # as many as the settings of a game's claims in two versions
def read_meaning_of_game(game: Game) -> GameMeaning:
    """Return what claims may rest on in a game, read once."""
    return GameMeaning(game)


class GameMeaning:
    """What happens in play by a description, and the words for it that a claim may name."""

    def __init__(self, game: Game) -> None:
        self.game = game
        described = split_description_from_words(game)
        self.digest, self.play, self.words = described.digest, described.play_digest, described.words
        self.families: Mapping[str, Any] = game.facts.get("families") or {}

    def build_key_of_answer_premises(self, question: Question) -> str:
        """Return what the answer to a question rests on, as a text that is equal if that is the same."""
        laws = self._list_laws_of_family_question(question)
        asked = [*question_to_list_of_all_it_says(question), *laws]
        parts = _split_texts_in_value_into_word_parts(asked)
        named = list(self.words)
        if not _does_question_name_every_action_or_ending(question):
            family = [
                self.families[name] for name in self.families if _split_text_into_set_of_word_parts(name) <= parts
            ]
            parts |= _split_texts_in_value_into_word_parts(family)
            named = [
                (place, word)
                for place, word in self.words
                if not _split_text_into_set_of_word_parts(word) or _split_text_into_set_of_word_parts(word) & parts
            ]
        cards = self._digest_of_cards if question.ask == "ledger" else ""
        return to_canonical_json_text([self.digest, named, laws, cards])

    def list_claims_that_change_touches(self, questions: Sequence[Question], changed: GameMeaning) -> list[Question]:
        """Return those of the questions whose answers may be others in the changed game."""
        if self.digest != changed.digest:
            return list(questions)
        keys = [[each.build_key_of_answer_premises(question) for each in (self, changed)] for question in questions]
        return [question for question, (before, after) in zip(questions, keys, strict=True) if before != after]

    def format_card_data_of_claim_or_empty(self, question: Question) -> str:
        """Return what a claim reads of the cards beside the description of the game: what a ledger counts, or the laws
        for each row of the cards; "" if it reads none. Descriptions may be equal with other cards."""
        if question.ask == "ledger":
            return self._digest_of_cards
        laws = self._list_laws_of_family_question(question) if is_law_family_about_card_rows(question.of) else []
        return to_canonical_json_text(laws) if laws else ""

    @cached_property
    def _digest_of_cards(self) -> str:
        from playproof.verifier.kernel.card_tally import digest_game_cards_cached_or_empty
        from playproof.verifier.questions.context import Context  # few claims read cards, and the kernel loads Z3

        return digest_game_cards_cached_or_empty(self.game, Context())

    def _list_laws_of_family_question(self, question: Question) -> list[Any]:
        """Return the laws of a family as these cards give them; none if they have no such rows."""
        if is_family_of_laws(question.of):
            with suppress(InputError):
                return [
                    [name, to_plain_json_data(law)]
                    for name, law in list_names_and_specs_of_laws(self.game, question.of, question.where)
                ]
        return []


def _does_question_name_every_action_or_ending(question: Question) -> bool:
    """Return whether a question is about every action or ending by the words for it."""
    spec = question.of.get("every") if isinstance(question.of, Mapping) else None
    return spec in ("action", "ending") or (isinstance(spec, Mapping) and "action" in spec)


def _split_texts_in_value_into_word_parts(value: Any) -> set[str]:
    """Return the word parts of every text in a value."""
    return {part for text in _iter_texts_nested_in_value(value) for part in _split_text_into_set_of_word_parts(text)}


@lru_cache(maxsize=1 << 14)
def _split_text_into_set_of_word_parts(text: str) -> frozenset[str]:
    """Return the letters and digits in a row of a text."""
    return frozenset(_RUN.findall(text.casefold()))


def _iter_texts_nested_in_value(value: Any) -> Iterator[str]:
    """Yield every text in a value, and every number as it is written."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from (*_iter_texts_nested_in_value(key), *_iter_texts_nested_in_value(inner))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _iter_texts_nested_in_value(inner)
    elif value is not None:
        yield str(value)
