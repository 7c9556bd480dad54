"""What the answer to a claim rests on. Two answers with equal premises are one answer.

An answer rests on the whole description of its game, but for words by which people are told what stands in it: those
that a claim does not name decide nothing. A claim names a word if it has a whole part of it (letters and digits in a
row) anywhere in what it is about, in its family's members, in the claims that are given to it or in what it expects;
that takes in more than it finds, and never less. `errata` asks anew what has other premises, and `mutate` and
`depends` keep verdicts by theirs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from typing import Any

from playproof.database.errors import InputError
from playproof.database.installation import compute_program_digest
from playproof.language.description import write as describe
from playproof.language.description.writer import separate_words
from playproof.language.game import Game
from playproof.verifier.kernel.strict import to_canonical, to_json
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.ledger import expand_law_family, is_about_card_rows, is_law_family

_ROOMS = ("database", "language", "referee", "verifier")
"""Whose code decides an answer."""
_MUTATES = ("generator", "linting", "mutation", "table")
"""Whose code decides a verdict on a mutant besides: lint asks what is printed and laid out too."""
_RUN = re.compile(r"[^\W_]+")


def digest_answering_code() -> str:
    """Return a digest of the code that decides what is answered."""
    return compute_program_digest(_ROOMS)


def digest_mutant_verdict_code() -> str:
    """Return a digest of the code that decides what is said of a mutant."""
    return compute_program_digest(tuple(sorted((*_ROOMS, *_MUTATES))))


def question_to_json_parts(question: Question) -> list[Any]:
    """Return all that a question says: what it asks, what it expects, its own budget, and what is given to it."""
    given = [question_to_json_parts(claim) for claim in question.given]
    return [question.as_json(), to_json(question.expect), question.budget, given]


def digest_game_rules(game: Game) -> str:
    """Return a digest of the whole description of a game, without the choices that it was built with."""
    described = json.loads(describe(game))
    del described["setting"]
    return sha256(to_canonical(described).encode()).hexdigest()


def describe_card_data(game: Game, question: Question) -> str:
    """Return what a claim reads of the cards beside the description of the game: what a ledger counts, or the laws for
    each row of the cards; "" if it reads none. Descriptions may be equal with other cards."""
    if question.ask != "ledger":
        if not is_about_card_rows(question.of):
            return ""
        with suppress(InputError):  # these cards may have no such rows
            return to_canonical(to_json(expand_law_family(game, question.of, question.where)))
    from playproof.verifier.kernel.context import Context  # few claims read cards, and the kernel loads Z3
    from playproof.verifier.kernel.tally import digest_cards

    return digest_cards(game, Context())


class GameMeaning:
    """What happens in play by a description, and the words for it that a claim may name."""

    def __init__(self, game: Game) -> None:
        self.game = game
        described = separate_words(game)
        self.digest, self.play, self.words = described.digest, described.play_digest, described.words
        self.families: Mapping[str, Any] = game.facts.get("families") or {}

    def build_premises_key(self, question: Question) -> str:
        """Return what the answer to a question rests on, as a text that is equal if that is the same."""
        asked = [*question_to_json_parts(question), *self._list_family_laws(question)]
        parts = {run for text in _iter_texts_in_value(asked) for run in _split_into_word_parts(text)}
        named = list(self.words)
        if not _is_about_every_action_or_ending(question):
            family = [self.families[name] for name in self.families if _split_into_word_parts(name) <= parts]
            parts |= {run for text in _iter_texts_in_value(family) for run in _split_into_word_parts(text)}
            named = [
                (place, word)
                for place, word in self.words
                if not _split_into_word_parts(word) or _split_into_word_parts(word) & parts
            ]
        laws, cards = self._list_family_laws(question), describe_card_data(self.game, question)
        return to_canonical([self.digest, named, laws, cards])

    def _list_family_laws(self, question: Question) -> list[Any]:
        """Return the laws of a family as these cards give them; none if they have no such rows."""
        if is_law_family(question.of):
            with suppress(InputError):
                return [
                    [name, to_json(law)]
                    for name, law in expand_law_family(self.game, question.of, question.where)
                ]
        return []


def _is_about_every_action_or_ending(question: Question) -> bool:
    """Return whether a question is about every action or ending by the words for it."""
    spec = question.of.get("every") if isinstance(question.of, Mapping) else None
    return spec in ("action", "ending") or (isinstance(spec, Mapping) and "action" in spec)


def _split_into_word_parts(text: str) -> frozenset[str]:
    """Return the letters and digits in a row of a text."""
    return frozenset(_RUN.findall(text.casefold()))


def _iter_texts_in_value(value: Any) -> Iterator[str]:
    """Yield every text in a value, and every number as it is written."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from (*_iter_texts_in_value(key), *_iter_texts_in_value(inner))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _iter_texts_in_value(inner)
    elif value is not None:
        yield str(value)
