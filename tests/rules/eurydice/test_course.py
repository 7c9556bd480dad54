"""Setup, moving, boards, special cards and the count: R1 to R10, R23 to R25, R31, R32."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Tabletop = Callable[..., Any]
DECK = {"heart": 5, "club": 4, "spade": 2}


def test_setup(table: Tabletop) -> None:
    """R2, R3, R4, R5, R6: 9 hearts, 8 clubs, 3 spades; board 1; the token at its start; a card of deck 1."""
    scene = table()
    assert scene.cards_in("bag") == {"heart": 9, "club": 8, "spade": 3}
    assert scene.cards_in("outside") == {"heart": 4, "club": 5, "spade": 10, "diamond": 13, "joker": 2}
    assert [scene.at("board"), scene.at("row"), scene.phase] == [0, 0, "special"]
    assert len(scene.legal()) == 6
    assert table(setting="hard").cards_in("bag") == {"heart": 9, "club": 9, "spade": 3}


def test_special_cards_belong_to_their_board(table: Tabletop) -> None:
    """R23, A20."""
    assert table().refused("the special card is Soft Ground") == ["R23"]


def test_a_turn_is_one_space_up_and_its_symbols(table: Tabletop) -> None:
    """R7, A1: two lanes, either one each time."""
    scene = table().do("the special card is Nine Strings")
    assert {"go up on the left", "go up on the right"} <= set(scene.legal())
    scene.do("go up on the left")
    assert (scene.at("row"), scene.phase) == (1, "toll")
    scene.do("discard a card").chance()
    assert {"go up on the left", "go up on the right"} <= set(scene.legal())


def test_one_lane_under_one_reading(table: Tabletop) -> None:
    """A1."""
    scene = table(A1="one-lane").do("the special card is Nine Strings", "go up on the left", "discard a card").chance()
    assert scene.refused("go up on the right") == ["R7"]


def test_symbols_in_any_order(table: Tabletop) -> None:
    """R8: and each only once."""
    scene = table().zones(DECK).facing("Toll 2", "Obol")
    assert {"follow Toll 2", "follow Obol"} <= set(scene.legal())
    scene.do("follow Obol")
    assert (scene.at("obols"), scene.phase) == (1, "toll")
    other = table().zones(DECK).facing("Toll 2", "Obol").do("follow Toll 2", "discard a card").chance()
    assert (other.at("obols"), other.phase) == (1, "move")
    assert table().zones(DECK).facing("Toll 2", "Obol").refused("follow Recall") == ["R8"]


def test_end_of_a_board(table: Tabletop) -> None:
    """R9, R24, A2, A14: the next board's start, and a new Current Card in the old one's place."""
    scene = table().zones(DECK).facing("Obol", card="Nine Strings", row=6)
    assert [scene.at("board"), scene.at("row"), scene.at("current"), scene.phase] == [1, 0, 0, "special"]
    scene.do("the special card is Soft Ground")
    assert (scene.cards[scene.at("current")], scene.phase, scene.number("round")) == ("Soft Ground", "move", 6)
    out = table(A14="out").zones(DECK).facing("Obol", card="Nine Strings", row=6)
    assert out.state == table().zones(DECK).facing("Obol", card="Nine Strings", row=6).state


def test_direct_entry_saves_a_turn_a_board(table: Tabletop) -> None:
    """A2."""
    scene = table(A2="direct").zones(DECK).facing("Obol", row=6)
    assert scene.number("round") == 5
    assert scene.game.facts["own"]["turns"] == 16
    assert table().game.facts["own"]["turns"] == 18


@pytest.mark.parametrize(
    ("deck", "reason"),
    [
        ({"heart": 5, "club": 4}, "more hearts than clubs"),
        ({"heart": 4, "club": 4, "diamond": 3}, "not more hearts than clubs"),
        ({"heart": 4, "club": 3, "joker": 1}, "not more hearts than clubs"),
        ({}, "not more hearts than clubs"),
    ],
)
def test_the_count(table: Tabletop, deck: dict[str, int], reason: str) -> None:
    """R1, R10, R25, R37, A3, A17: a tie loses, diamonds are nothing, jokers are clubs, an empty Deck loses."""
    assert table().zones(deck).facing("Obol", row=6, board=2).over == reason


def test_known_cards_count_too(table: Tabletop) -> None:
    """R25, R11: cards known on top and bottom are part of the Deck."""
    scene = table().zones({"club": 1}, top=("heart",), under=("heart",)).facing("Obol", row=6, board=2)
    assert scene.over == "more hearts than clubs"


def test_spades_at_the_count(table: Tabletop) -> None:
    """A9: not seen, or seen one after the other."""
    deck = {"heart": 9, "club": 1, "spade": 2}
    assert table().zones(deck).facing("Obol", row=6, board=2).over == "more hearts than clubs"
    late = table(A9="end-too").zones(deck).facing("Obol", row=6, board=2)
    assert late.phase == "sink"
    assert late.chance().at("spades_gone") == 2
    assert (
        table(A9="end-too").zones({"heart": 9, "spade": 3}).facing("Obol", row=6, board=2).chance().over
        == "all three spades seen"
    )


def test_release(table: Tabletop) -> None:
    """R31, A15: the Current Card goes; without one nothing happens."""
    scene = table().zones(DECK).facing("Release", card="A Cold Draught")
    assert (scene.at("current"), scene.phase) == (0, "move")
    assert table().zones(DECK).facing("Release").phase == "move"


def test_obol_ignores_a_whole_space(table: Tabletop) -> None:
    """R32, A13: before any symbol only."""
    scene = table().zones(DECK).facing("Toll 2", "Obol", obols=1).do("spend an obol")
    assert (scene.at("obols"), scene.phase, scene.at("deck")) == (0, "move", 11)
    late = table().zones(DECK).facing("Toll 2", "Obol", obols=1).do("follow Toll 2", "discard a card").chance()
    assert late.phase == "move"
    both = table().zones(DECK).facing("Toll 3", "Recall", obols=1, card="Her Ribbon")
    both.do("follow Toll 3", "roll the die", "the die shows 6")
    assert both.refused("spend an obol") == ["R32"]
    assert "spend an obol" not in table().zones(DECK).facing("Toll 2", "Obol").legal()


def test_never_more_than_three_obols_under_one_reading(table: Tabletop) -> None:
    """A13."""
    assert table(A13="three").zones(DECK).facing("Obol", obols=3).do("follow Obol").at("obols") == 3
    assert table().zones(DECK).facing("Obol", obols=3).do("follow Obol").at("obols") == 4


def test_a_card_is_used_once_between_symbols(table: Tabletop) -> None:
    """R24: in the player's turn, while no symbol is being followed."""
    scene = table().zones(DECK).at_move("Her Ribbon").do("use Her Ribbon")
    assert (scene.at("bag", "heart"), scene.phase) == (6, "move")
    assert scene.refused("use Her Ribbon") == ["R24"]
    assert table().zones(DECK).at_move("Nine Strings").refused("use Her Ribbon") == ["R24"]
    between = table().zones(DECK).facing("Toll 2", card="Her Ribbon")
    assert "use Her Ribbon" in between.legal()


def test_looking_where_nothing_allows_it_is_refused(table: Tabletop) -> None:
    """R15, R17: Deck, Discard Area and Removed."""
    scene = table().zones(DECK).at_move()
    for zone in ("Deck", "Discard Area", "Removed"):
        assert scene.refused(f"look into {zone}") == ["R17"]


def test_hidden_zones(table: Tabletop) -> None:
    """R11, R12, R15, R17: nobody sees what lies face down; sizes are open."""
    sees = {f.name: f.sees.value for f in table().game.fields}
    assert {sees[name] for name in ("bag", "down", "removed")} == {"nobody"}
    assert {sees[name] for name in ("deck", "down_size", "removed_size", "up", "known", "top_cards")} == {"all"}
