"""What decides the answers to a game's claims in two versions of its cards: their descriptions, setting by setting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from playproof.language.description import digest
from playproof.language.game import Game
from playproof.language.options import Options
from playproof.language.registry import build, load_game_cards
from playproof.verifier.kernel.strict import to_canonical
from playproof.verifier.premises import GameMeaning, describe_card_data
from playproof.verifier.questions.claims import Question, resolve_inner_question
from playproof.verifier.questions.claims_of_game import values_to_texts

Selector = bool | str
"""Which errata a version has, as `load_game` takes it."""


@dataclass
class GameVersions:
    """The descriptions of a game in two versions, built once per setting."""

    ref: str
    old: Selector
    new: Selector
    claims: Mapping[str, Question]
    _cards: dict[Selector, Any] = field(default_factory=dict)
    _games: dict[tuple[str, Selector], tuple[Game, str]] = field(default_factory=dict)
    _meanings: dict[tuple[str, Selector], GameMeaning] = field(default_factory=dict)

    def build_described_game(self, question: Question, version: Selector) -> tuple[Game, str]:
        """Return the description of a question's setting, and its digest."""
        values, rulings = values_to_texts(question.values), values_to_texts(question.rulings)
        key = to_canonical([values, rulings]), version
        if key not in self._games:
            if version not in self._cards:
                self._cards[version] = load_game_cards(self.ref, version)
            game = build(self.ref, Options(values, rulings), self._cards[version])
            self._games[key] = game, digest(game)
        return self._games[key]

    def digests_for_claim(self, question: Question, version: Selector) -> list[str]:
        """Return the digests of all settings that a question is about, and of the cards if it reads them."""
        described = [self.build_described_game(each, version)[1] for each in self._iter_settings(question)]
        cards = describe_card_data(self.build_described_game(question, version)[0], question)
        return [*described, cards] if cards else described

    def has_same_premises(self, question: Question) -> bool:
        """Return whether the answer to a question rests on the same in both versions, in every setting of it."""
        return self.premises_by_setting(question, self.old) == self.premises_by_setting(question, self.new)

    def premises_by_setting(self, question: Question, version: Selector) -> list[str]:
        """Return what the answer to a question rests on, setting by setting."""
        return [
            self._meaning_in_setting(each, version).build_premises_key(each)
            for each in self._iter_settings(question)
        ]

    def _meaning_in_setting(self, question: Question, version: Selector) -> GameMeaning:
        """Return what happens in play in a setting, and the words for it."""
        game, name = self.build_described_game(question, version)
        if (name, version) not in self._meanings:  # descriptions may be equal with other cards
            self._meanings[name, version] = GameMeaning(game)
        return self._meanings[name, version]

    def _play_digest(self, question: Question, version: Selector) -> str:
        """Return a digest of what happens in play in a setting, words apart."""
        return self._meaning_in_setting(question, version).play

    @property
    def settings_that_play_differently(self) -> list[dict[str, str]]:
        """Return the options under which claims are asked and the versions play differently, each game once, as the
        claims come; none if only rulings do."""
        plain = [q for q in self.claims.values() if not any(isinstance(v, list) for v in q.values.values())]
        plain = [q for q in plain if not q.rulings] or [Question("", "reach")]
        plays = dict[str, dict[str, str]]()
        for question in filter(self._plays_differently, plain):
            plays.setdefault(self._play_digest(question, self.new), values_to_texts(question.values))
        return list(plays.values())

    def _plays_differently(self, question: Question) -> bool:
        """Return whether the versions play differently in a setting of the question."""
        each = self._iter_settings(question)
        return any(self._play_digest(q, self.old) != self._play_digest(q, self.new) for q in each)

    def _iter_settings(self, question: Question) -> Iterator[Question]:
        subject = (
            resolve_inner_question(question, self.claims) if question.ask in ("same", "tune") else question
        )
        for _, each in subject.iter_setting_variants():
            yield each
