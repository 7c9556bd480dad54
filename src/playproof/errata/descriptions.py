"""What decides the answers to a game's claims in two versions of its cards: their descriptions, setting by setting."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from playproof.database.errors import InputError
from playproof.language.compiled import generate
from playproof.language.description import digest, write as describe
from playproof.language.game import Game
from playproof.language.options import Options
from playproof.language.registry import build, data_of
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.evidence import texts
from playproof.verifier.kernel.strict import canonical
from playproof.verifier.kernel.tally import cards_of
from playproof.verifier.questions.claims import Question, inner
from playproof.verifier.questions.families import members, of_cards

Selector = bool | str
"""Which errata a version has, as `load_game` takes it."""
_READ = ("locals", "terms", "tables", "functions", "endings", "payoffs", "quantities", "players", "teams")


def reads_cards(question: Question) -> bool:
    """Return whether a claim is about what cards say: one that counts them, or a law for each of them."""
    return question.ask == "ledger" or of_cards(question.of)


@dataclass
class Versions:
    """The descriptions of a game in two versions, built once per setting."""

    ref: str
    old: Selector
    new: Selector
    claims: Mapping[str, Question]
    _cards: dict[Selector, Any] = field(default_factory=dict)
    _games: dict[tuple[str, Selector], tuple[Game, str]] = field(default_factory=dict)
    _plays: dict[str, str] = field(default_factory=dict)

    def game(self, question: Question, version: Selector) -> tuple[Game, str]:
        """Return the description of a question's setting, and its digest."""
        values, rulings = texts(question.values), texts(question.rulings)
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
        """Return whether both versions play alike in every setting of the question, names apart, and have the same
        cards if it reads them."""
        return self.plays(question, self.old) == self.plays(question, self.new)

    def plays(self, question: Question, version: Selector) -> list[str]:
        """Return digests of what happens in play in every setting of the question, and of the cards if it reads
        them."""
        plays = [self._play(each, version) for each in self._settings(question)]
        return [*plays, self._cards_of(question, version)] if reads_cards(question) else plays

    def _play(self, question: Question, version: Selector) -> str:
        """Return a digest of what happens in play and of what claims read of it: of the compiled reading, which knows
        no names, and of the parts of the description that no step of play needs."""
        game, name = self.game(question, version)
        if name not in self._plays:
            meant = canonical([generate(game), _meant(json.loads(describe(game)))])
            self._plays[name] = sha256(meant.encode()).hexdigest()
        return self._plays[name]

    def _cards_of(self, question: Question, version: Selector) -> str:
        """Return what a claim reads of the cards, as a digest or text: descriptions may be equal with other cards. A
        family of laws reads the rows that it is about, and no others."""
        game = self.game(question, version)[0]
        with suppress(InputError):  # these cards may have no such rows
            if question.ask != "ledger":
                return canonical(members(game, question.of, question.where))
        return cards_of(game, Context())

    @property
    def settings(self) -> list[dict[str, str]]:
        """Return the options under which claims are asked and the versions play differently, each game once, as the
        claims come; none if only rulings do."""
        plain = [q for q in self.claims.values() if not any(isinstance(v, list) for v in q.values.values())]
        plain = [q for q in plain if not q.rulings] or [Question("", "reach")]
        plays = dict[str, dict[str, str]]()
        for question in filter(self._differ, plain):
            plays.setdefault(self._play(question, self.new), texts(question.values))
        return list(plays.values())

    def _differ(self, question: Question) -> bool:
        """Return whether the versions play differently in a setting of the question."""
        each = self._settings(question)
        return any(self._play(q, self.old) != self._play(q, self.new) for q in each)

    def _settings(self, question: Question) -> Iterator[Question]:
        subject = inner(question, self.claims) if question.ask in ("same", "tune") else question
        for _, each in subject.variants():
            yield each


def _meant(described: Mapping[str, Any]) -> list[Any]:
    """Return what claims read of a description beside its steps, names of cards apart: quantities, invariants, what
    an ending is worth, and who learns what."""
    invariants = [value for name, value in described["facts"] if name in ("invariants", "round")]
    learnt = [[a["hidden"], a["secret"], a["public"], a["reveals"]] for a in described["actions"]]
    seen = [f["sees"] for f in described["fields"]]
    revealed = [phase["reveals"] for phase in described["phases"]]
    return [[described[name] for name in _READ], invariants, learnt, seen, revealed]
