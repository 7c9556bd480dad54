"""The cards against the rulebook, and every rule against rules and tests."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from playproof.cards.opale.rules.cards import PrintedData
from playproof.database.errors import InputError
from playproof.database.game import load_game
from playproof.language.options import Options
from playproof.language.registry import build
from tests.rules.scene import untested

CARDS = load_game("opale")
HERE = Path(__file__).parent
DECK = {
    "Octopus Hunter": [1, 1, 1, 2, 2, 2],
    "Coral Dragon": [2, 2, 3, 3, 4],
    "Mother of Pearl": [1, 1, 2, 2, 2, 3, 3, 4],
    "Sorcerer of the Abyss": [1, 1, 2, 2, 3],
    "Petrified Dragon": [2, 2, 3, 3],
    "Lava Golem": [1, 2, 3, 3],
    "Guardian of Darkness": [1, 1, 1, 1, 2, 2, 2, 3],
    "Turtle Rider": [1, 1, 2, 2],
    "Undersea City": [0] * 6,
}


def test_two_equal_decks_of_fifty() -> None:
    """R1, R3: the deck table, card by card."""
    printed = PrintedData.read_from_cards_or_refuse(CARDS)
    found = {s.name: [f.points for f in s.faces for _ in range(f.copies)] for s in printed.spots}
    assert found == DECK
    assert sum(c.count for c in CARDS.of_kind("card")) == 100
    assert sum(map(sum, DECK.values())) == 88


def test_printed_number_of_copies_counts_the_picture() -> None:
    """R1, A17."""
    for row, spot in zip(CARDS.of_kind("spot"), PrintedData.read_from_cards_or_refuse(CARDS).spots, strict=True):
        assert row.fields["copies"] == len(DECK[spot.name]) == sum(f.copies for f in spot.faces)
    assert build("opale", Options({}, {"A17": "both"})).cells == build("opale").cells


def test_silhouettes_and_arrows() -> None:
    """R10, R12, R14: the board's table."""
    spots = PrintedData.read_from_cards_or_refuse(CARDS).spots
    assert [s.silhouettes for s in spots] == [3, 1, 1, 1, 1, 1, 4, 2, 3]
    assert [tuple(a + 1 for a in s.arrows) for s in spots] == [(2,), (3,), (), (3, 5), (), (4,), (), (6, 4), ()]
    assert [s.place + 1 for s in spots if s.to_tray] == [1, 8]
    assert [s.place + 1 for s in spots if s.takes_own] == [7]
    assert [s.place + 1 for s in spots if s.takes_tray] == [9]
    assert [s.place + 1 for s in spots if s.brings_pawn] == [5]


def test_decks_that_differ_are_refused() -> None:
    """R3: one card more in red."""
    changed = dict(CARDS.components)
    changed["R1-1"] = replace(changed["R1-1"], count=4)
    with pytest.raises(InputError, match="R3"):
        PrintedData.read_from_cards_or_refuse(replace(CARDS, components=changed))


def test_a_deck_of_another_size_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """R3."""
    monkeypatch.setattr("playproof.cards.opale.rules.cards.EACH_DECK", 49)
    with pytest.raises(InputError, match="R3"):
        PrintedData.read_from_cards_or_refuse(CARDS)


def test_every_rule_is_carried_out_and_tested() -> None:
    """A rule must be cited by the rules of some variant, and by a test."""
    both = build("opale", Options({"foreshadowing": "yes", "seashells": "yes"}))
    tested = set(re.findall(r"\bR\d+\b", "".join(p.read_text() for p in HERE.glob("test_*.py"))))
    assert set(CARDS.rules) == {f"R{n}" for n in range(1, 49)}
    assert set(CARDS.rules) - set(both.citations) == set()
    assert set(CARDS.rules) - tested == set()


def test_every_ruling_and_each_of_its_options_is_tested() -> None:
    assert untested(CARDS.rulings, HERE) == set()


def test_everything_says_where_it_comes_from() -> None:
    for component in CARDS.components.values():
        assert component.source, component.id
    for rule in CARDS.rules.values():
        assert rule.source, rule.id


def test_texts_are_in_both_languages() -> None:
    """Each text that people read is there in English and in French."""
    for component in CARDS.components.values():
        for name in ("title", "flavour", "text"):
            words = component.fields.get(name)
            assert words is None or (words.has("en") and words.has("fr")), (component.id, name)  # type: ignore[attr-defined]  # Words
    assert all(rule.words.has("fr") for rule in CARDS.rules.values())
