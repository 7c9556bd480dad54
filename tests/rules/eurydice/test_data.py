"""The cards against the rulebook, and every rule against rules and tests."""

from __future__ import annotations

import re
from pathlib import Path

from playproof.cards.eurydice.rules.cards import SUITS, SYMBOLS, PrintedData, Suit
from playproof.database.game import load_game
from playproof.language.registry import build
from tests.rules.scene import untested

CARDS = load_game("eurydice")
HERE = Path(__file__).parent


def test_three_boards_of_six_rows_and_two_lanes() -> None:
    """R3, R7: 36 spaces; every symbol occurs, and the Shadow frames Toll and Exchange."""
    printed = PrintedData.read_from_cards_or_refuse(CARDS, hard=False)
    assert [len(rows) for rows in printed.spaces] == [6, 6, 6]
    assert all(len(row) == 2 and all(1 <= len(space) <= 2 for space in row) for rows in printed.spaces for row in rows)
    used = {task.symbol for rows in printed.spaces for row in rows for space in row for task in space}
    assert used == set(SYMBOLS) - {"add"}
    assert {t.symbol for t in printed.tasks if t.framed} == {"toll", "exchange"}


def test_three_special_decks_of_six() -> None:
    """R23: three helps, two mixed, one burden each."""
    for board in (1, 2, 3):
        tones = [c.fields["tone"] for c in CARDS.of_kind("special") if c.fields["board"] == board]
        assert sorted(map(str, tones)) == ["burden", *["help"] * 3, *["mixed"] * 2]
    cards = PrintedData.read_from_cards_or_refuse(CARDS, hard=False).specials
    assert all(card.drawn or card.once or card.changes for card in cards)


def test_one_pack_is_enough() -> None:
    """R2, R19: the start of the Deck, and clubs and jokers for two spades."""
    printed = PrintedData.read_from_cards_or_refuse(CARDS, hard=False)
    deck = {suit: number for suit, number in zip(SUITS, printed.deck, strict=True) if number}
    assert deck == {"heart": 9, "club": 8, "spade": 3}
    assert printed.outside[Suit.CLUB] + printed.outside[Suit.JOKER] >= 6
    assert sum(c.count for c in CARDS.of_kind("suit")) == 54


def test_every_rule_is_carried_out_and_tested() -> None:
    """A rule must be cited by the rules and by a test, or say why it does not apply (R40)."""
    cited = set(build("eurydice").citations)
    tested = set(re.findall(r"\bR\d+\b", "".join(p.read_text() for p in HERE.glob("test_*.py"))))
    assert set(CARDS.rules) == {f"R{n}" for n in range(1, 41)}
    assert {r.id for r in CARDS.rules.values() if r.left_out} == {"R40"}
    assert {r.id for r in CARDS.rules.values() if not r.left_out} - cited == set()
    assert set(CARDS.rules) - tested == set()


def test_every_ruling_and_each_of_its_options_is_tested() -> None:
    assert untested(CARDS.rulings, HERE) == set()


def test_everything_says_where_it_comes_from_in_both_languages() -> None:
    for component in CARDS.components.values():
        assert component.source, component.id
        words = component.fields.get("title")
        assert words is None or (words.has("en") and words.has("fr")), component.id  # type: ignore[attr-defined]  # Words
    assert all(rule.source and rule.words.has("fr") for rule in CARDS.rules.values())
