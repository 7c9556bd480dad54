"""What decides the answers to a game's claims in two versions of its cards: their descriptions, setting by setting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from playproof.database.errors import InputError
from playproof.language.description import digest
from playproof.language.game import Game
from playproof.language.options import Options
from playproof.language.registry import build, data_of
from playproof.verifier.kernel.strict import canonical
from playproof.verifier.premises import Meaning, cards_read, reads_cards
from playproof.verifier.questions.claims import Question, inner
from playproof.verifier.questions.claims_of_game import as_texts
from playproof.verifier.questions.families import members

Selector = bool | str
"""Which errata a version has, as `load_game` takes it."""


@dataclass
class Versions:
    """The descriptions of a game in two versions, built once per setting."""

    ref: str
    old: Selector
    new: Selector
    claims: Mapping[str, Question]
    _cards: dict[Selector, Any] = field(default_factory=dict)
    _games: dict[tuple[str, Selector], tuple[Game, str]] = field(default_factory=dict)
    _meanings: dict[tuple[str, Selector], Meaning] = field(default_factory=dict)

    def game(self, question: Question, version: Selector) -> tuple[Game, str]:
        """Return the description of a question's setting, and its digest."""
        values, rulings = as_texts(question.values), as_texts(question.rulings)
        key = canonical([values, rulings]), version
        if key not in self._games:
            if version not in self._cards:
                self._cards[version] = data_of(self.ref, version)
            game = build(self.ref, Options(values, rulings), self._cards[version])
            self._games[key] = game, digest(game)
        return self._games[key]

    def digests(self, question: Question, version: Selector) -> list[str]:
        """Return the digests of all settings that a question is about, and of the cards if it reads them."""
        described = [self.game(each, version)[1] for each in self._settings(question)]
        return [*described, self._cards_of(question, version)] if reads_cards(question) else described

    def alike(self, question: Question) -> bool:
        """Return whether the answer to a question rests on the same in both versions, in every setting of it."""
        return self.premises(question, self.old) == self.premises(question, self.new)

    def premises(self, question: Question, version: Selector) -> list[str]:
        """Return what the answer to a question rests on, setting by setting."""
        return [self._meaning(each, version).premises(each) for each in self._settings(question)]

    def _meaning(self, question: Question, version: Selector) -> Meaning:
        """Return what happens in play in a setting, and the words for it."""
        game, name = self.game(question, version)
        if (name, version) not in self._meanings:  # descriptions may be equal with other cards
            self._meanings[name, version] = Meaning(game)
        return self._meanings[name, version]

    def _play(self, question: Question, version: Selector) -> str:
        """Return a digest of what happens in play in a setting, words apart."""
        return self._meaning(question, version).play

    def _cards_of(self, question: Question, version: Selector) -> str:
        """Return what a claim reads of the cards, as a digest or text: descriptions may be equal with other cards. A
        family of laws reads the rows that it is about, and no others."""
        game = self.game(question, version)[0]
        with suppress(InputError):  # these cards may have no such rows
            if question.ask != "ledger":
                return canonical(members(game, question.of, question.where))
        return cards_read(game)

    @property
    def settings(self) -> list[dict[str, str]]:
        """Return the options under which claims are asked and the versions play differently, each game once, as the
        claims come; none if only rulings do."""
        plain = [q for q in self.claims.values() if not any(isinstance(v, list) for v in q.values.values())]
        plain = [q for q in plain if not q.rulings] or [Question("", "reach")]
        plays = dict[str, dict[str, str]]()
        for question in filter(self._differ, plain):
            plays.setdefault(self._play(question, self.new), as_texts(question.values))
        return list(plays.values())

    def _differ(self, question: Question) -> bool:
        """Return whether the versions play differently in a setting of the question."""
        each = self._settings(question)
        return any(self._play(q, self.old) != self._play(q, self.new) for q in each)

    def _settings(self, question: Question) -> Iterator[Question]:
        subject = inner(question, self.claims) if question.ask in ("same", "tune") else question
        for _, each in subject.variants():
            yield each
