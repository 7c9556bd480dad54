"""Tallies: what the cards of a game say, counted again.

The theorem is about the cards from which the game was built, and holds before anybody plays. The check reads them
as they are now and counts them itself; a tally also says which rows it counts, so that a reader can count too."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import ClassVar

from playproof.database.errors import Where
from playproof.language.game import Game
from playproof.verifier.kernel.card_counts import MEASURES, CardCounter
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.claim_values import Decision
from playproof.verifier.kernel.context import ClaimPart, Context
from playproof.verifier.kernel.statements import Statement, Subject
from playproof.verifier.kernel.strict_json import (
    Json,
    format_data_shortened,
    to_canonical_json_text,
    to_plain_json_data,
)
from playproof.verifier.questions.card_rows import card_content_to_comparable_json
from playproof.verifier.questions.claims import Question


@dataclass(frozen=True)
class CardTally(Subject):
    """A claim about the cards has this value. `cards` is the digest of the cards; `value` is null if the claim
    speaks of no card."""

    kind: ClassVar[str] = "tallied"
    of: Json
    cards: str
    value: Json

    def decide_question_if_about_it(self, game: Game, question: Question, context: Context) -> Decision | None:
        """Return what the cards of this game give; a claim that speaks of no card is empty."""
        if question.ask != "ledger" or self.cards != digest_game_cards_cached_or_empty(game, context):
            return None
        mine = to_canonical_json_text(self.of) == to_canonical_json_text(question.of)
        return Decision(self.value, vacuous=self.value is None) if mine else None

    def list_claim_parts(self) -> list[ClaimPart]:
        """Return the expressions that are counted."""
        return [("row expression", str(self.of[key])) for key in ("where", *MEASURES) if key in self.of]


@dataclass(frozen=True)
class CardTallyCertificate(Certificate):
    """The cards give this value, by these rows."""

    kind: ClassVar[str] = "tally"
    rests: ClassVar[str] = "how cards are read"
    of: Json
    cards: str
    value: Json
    rows: tuple[str, ...]

    def build_proved_statement(self) -> Statement:
        """State the value."""
        return Statement(CardTally(self.of, self.cards, self.value))

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Count the cards again. Raises NotShown."""
        if self.cards != digest_game_cards_cached_or_empty(game, context):
            raise NotShown("the cards are others than those that were counted")
        cards, read = tuple(game.cards.components.values()), partial(context.read_claim_part, game, "row expression")
        result = CardCounter(cards, self.of, Where(game.name), read).evaluate_ledger_spec()
        if to_canonical_json_text(to_plain_json_data(result.value)) != to_canonical_json_text(self.value):
            raise NotShown(
                f"the cards give {format_data_shortened(to_plain_json_data(result.value))}, the evidence "
                f"says {format_data_shortened(self.value)}"
            )
        if result.members != self.rows:
            raise NotShown("the evidence lists other rows than the cards have")


def digest_game_cards_cached_or_empty(game: Game, context: Context) -> str:
    """Return the digest of the cards from which a game was built, by which tallies know them; "" without cards."""
    if game.cards is None:
        return ""

    def digest() -> str:
        return sha256(encode_game_cards_as_json(game)).hexdigest()

    return context.get_or_build_for_game(game, "cards", digest)


def encode_game_cards_as_json(game: Game) -> bytes:
    """Return what the cards of a game say, as the bytes of one JSON file, by whose digest tallies know them."""
    data = [card_content_to_comparable_json(component) for component in game.cards.components.values()]
    return to_canonical_json_text(data).encode()
