"""Tallies: what the cards of a game say, counted again.

The theorem is about the cards from which the game was built, and holds before anybody plays. The check reads them as
they are now, makes rows of them (`card_rows`), and counts these; a tally also says which rows it counts, so that a
reader can count too. What is counted is said in claim terms: names are what rows print, and texts stand beside them.

    {"each": "option", "where": ["==", ["printed", "kind"], ["text", "event"]], "measure": "sum",
     "of": ["printed", "gain.food"], "by": null, "band": null, "alike": null, "worth": {}}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, ClassVar

from playproof.database.components import Component
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.claim_terms import SIGNS, ClaimTerm
from playproof.verifier.kernel.claim_values import Decision
from playproof.verifier.kernel.context import ClaimPart, Context
from playproof.verifier.kernel.statements import Statement, Subject
from playproof.verifier.kernel.strict_json import (
    Json,
    Unreadable,
    format_data_shortened,
    to_canonical_json_text,
    to_plain_json_data,
)
from playproof.verifier.questions.card_rows import (
    CardRow,
    build_rows_of_cards,
    card_content_to_comparable_json,
    compute_worth_of_printed_fields,
)
from playproof.verifier.questions.claims import Question

WORTH = "worth"


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
        return [("ledger", [self.of, self.cards])]


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
        if not self.cards or self.cards != digest_game_cards_cached_or_empty(game, context):
            raise NotShown("the cards are others than those that were counted")
        data = context.read_claim_part(game, "ledger", [self.of, self.cards])
        counted = count_cards(tuple(game.cards.components.values()), data)
        value = to_plain_json_data(counted.value)
        if to_canonical_json_text(value) != to_canonical_json_text(self.value):
            told = format_data_shortened(self.value)
            raise NotShown(f"the cards give {format_data_shortened(value)}, the evidence says {told}")
        if counted.members != self.rows:
            raise NotShown("the evidence lists other rows than the cards have")


def digest_game_cards_cached_or_empty(game: Game, context: Context) -> str:
    """Return the digest of the cards from which a game was built, by which tallies know them; "" without cards."""
    if game.cards is None:
        return ""
    return context.get_or_build_for_game(game, "cards", lambda: sha256(encode_game_cards_as_json(game)).hexdigest())


def encode_game_cards_as_json(game: Game) -> bytes:
    """Return what the cards of a game say, as the bytes of one JSON file, by whose digest tallies know them."""
    data = [card_content_to_comparable_json(component) for component in game.cards.components.values()]
    return to_canonical_json_text(data).encode()


# -- counting ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CardCount:
    """What is counted: its value, the rows that it speaks of, with their part of it, and those that break it. `value`
    is None if there are no such rows."""

    value: Any
    members: tuple[str, ...]
    breakers: tuple[str, ...] = ()


class RowReader:
    """Reads claim terms on the rows of cards. A name that some row prints as a number is one in all rows, else a text;
    `worth` is what the row prints by a table."""

    def __init__(self, rows: Sequence[CardRow], worth_table: Mapping[str, int]) -> None:
        self.rows, self.worth_table = rows, worth_table
        self.numbers = {name for row in rows for name in row.numbers}
        self.texts = {name for row in rows for name in row.texts} - self.numbers

    def list_rows_where_true(self, condition: ClaimTerm) -> list[CardRow]:
        """Return the rows that a condition is true of. Raises Unreadable."""
        return [row for row in self.rows if self.evaluate_term(condition, row)]

    def evaluate_term(self, data: ClaimTerm, row: CardRow) -> int | str:
        """Return a number or a text. A number and a text differ, and are not compared otherwise. Raises Unreadable."""
        match data:
            case int():
                return data
            case ["text", str(text)]:
                return text
            case ["printed", "worth"]:
                return compute_worth_of_printed_fields(row.printed, self.worth_table)
            case ["printed", str(name)] if name in self.numbers | self.texts:
                return row.numbers.get(name, 0) if name in self.numbers else row.texts.get(name, "")
            case ["negative", part]:
                return -self.evaluate_number(part, row)
            case ["not", part]:
                return not self.evaluate_term(part, row)
            case ["and", *parts]:
                return all(self.evaluate_term(part, row) for part in parts)
            case ["or", *parts]:
                return any(self.evaluate_term(part, row) for part in parts)
            case ["+" | "-" | "*" as sign, left, right]:
                return int(SIGNS[sign](self.evaluate_number(left, row), self.evaluate_number(right, row)))
            case [str(sign), left, right] if sign in SIGNS:
                a, b = self.evaluate_term(left, row), self.evaluate_term(right, row)
                return bool(SIGNS[sign](a, b)) if isinstance(a, str) == isinstance(b, str) else sign == "!="
        raise Unreadable(f"{format_data_shortened(data)} is no term about a row of the cards")

    def evaluate_number(self, data: ClaimTerm, row: CardRow) -> int:
        """Return a number. Raises Unreadable for a text."""
        value = self.evaluate_term(data, row)
        if isinstance(value, str):
            raise Unreadable(f"{format_data_shortened(data)} is a text, and no number")
        return int(value)


def get_printed_text(row: CardRow, name: str) -> str:
    """Return what a row prints under a name, as a text; "" if nothing."""
    return str(row.texts.get(name, row.numbers.get(name, "")))


def count_cards(cards: Sequence[Component], data: Json) -> CardCount:
    """Return what the data of a claim asks of cards. A claim about no rows has no value. Raises Unreadable."""
    reader = RowReader(build_rows_of_cards(cards, data["each"]), data[WORTH])
    chosen, measure = reader.list_rows_where_true(data["where"]), data["measure"]
    if not chosen:
        return CardCount(None, ())
    if measure == "holds":
        broken = tuple(row.name for row in chosen if not reader.evaluate_term(data["of"], row))
        return CardCount(not broken, tuple(row.name for row in chosen), broken)
    parts = [reader.evaluate_number(data["of"], row) for row in chosen]
    groups: dict[str, list[tuple[CardRow, int]]] = {}
    for row, part in zip(chosen, parts, strict=True):
        key = ", ".join(get_printed_text(row, name) for name in data["by"] or ())
        groups.setdefault(key, []).append((row, part))
    if data["alike"] is not None:
        return _compare_sides_of_groups(groups, data["alike"])
    values = {key: _combine_parts(measure, of) for key, of in groups.items()}
    members = tuple(f"{row.name}: {part * row.weight}" for row, part in zip(chosen, parts, strict=True))
    if data["band"] is not None:
        low, high = data["band"]
        beyond = tuple(f"{key}: {n}" if key else f"{n}" for key, n in values.items() if not low <= n <= high)
        return CardCount(not beyond, members, beyond)
    return CardCount(values[""] if data["by"] is None else values, members)


def _combine_parts(measure: str, rows_and_parts: Sequence[tuple[CardRow, int]]) -> int:
    if measure in ("least", "most"):
        return (min if measure == "least" else max)(part for _, part in rows_and_parts)
    return sum(part * row.weight for row, part in rows_and_parts)


def _compare_sides_of_groups(groups: Mapping[str, Sequence[tuple[CardRow, int]]], name: str) -> CardCount:
    """Count each group apart for each value of a name; equal counts are alike."""
    sides = sorted({get_printed_text(row, name) for of in groups.values() for row, _ in of})
    members, broken = list[str](), list[str]()
    for key, of in groups.items():
        sums = dict.fromkeys(sides, 0)
        for row, part in of:
            sums[get_printed_text(row, name)] += part * row.weight
        members.append(f"{key or 'all'}: " + ", ".join(f"{side} {n}" for side, n in sums.items()))
        broken += members[-1:] if len(set(sums.values())) > 1 else []
    return CardCount(not broken, tuple(members), tuple(broken))
