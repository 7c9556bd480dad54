"""Looking, and what a spade does: R17 to R22, R27, R28, R35, R38, R39."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Tabletop = Callable[..., Any]
DECK = {"heart": 5, "club": 4}


# -- Recall -----------------------------------------------------------------------------------------------------


def test_recall_card_by_card(table: Tabletop) -> None:
    """R27, R38, A12: stop whenever you like; what was seen stays face up."""
    scene = table().zones(DECK, down={"heart": 1, "club": 1}).facing("Recall").do("look at a face-down card")
    scene.do("a heart is seen")
    assert (scene.cards_in("up"), scene.at("down_size"), scene.phase) == ({"heart": 1}, 1, "recall")
    assert scene.do("look no more").phase == "move"
    assert table().zones(DECK).facing("Recall").refused("look at a face-down card") == ["R27"]


def test_recall_of_a_known_card(table: Tabletop) -> None:
    """R27, R38: it turns face up without any risk."""
    scene = table().zones(DECK, known={"club": 1}).facing("Recall").do("turn up a known club")
    assert (scene.cards_in("up"), scene.phase) == ({"club": 1}, "recall")


def test_recall_declared_first_under_one_reading(table: Tabletop) -> None:
    """A12, R21: then several spades are one."""

    def recalled(**rulings: str) -> Any:
        return table(**rulings).zones(DECK, down={"spade": 2}).facing("Recall")

    scene = recalled(A12="declare").do("look at 2 face-down cards").chance()
    assert (scene.at("spades_gone"), scene.at("bag", "spade"), scene.phase) == (1, 1, "move")
    one_by_one = recalled().do("look at a face-down card").chance().do("look at a face-down card").chance()
    assert one_by_one.at("spades_gone") == 2
    assert recalled(A12="declare").refused("look at 3 face-down cards") == ["R27"]


# -- Glimpse ----------------------------------------------------------------------------------------------------


def test_glimpse_is_split_over_three_zones(table: Tabletop) -> None:
    """R28, A5, A5b: a total; discards stay up, removed cards go down again."""
    scene = table().zones({"heart": 3}, down={"club": 1}, removed={"joker": 1}).facing("Glimpse 3")
    scene.do("choose a card of the Deck", "choose a card of the Discard Area", "choose a card of the Removed").chance()
    assert (scene.cards_in("looked"), scene.cards_in("up")) == ({"heart": 1}, {"club": 1})
    assert (scene.cards_in("removed"), scene.at("removed_size"), scene.cards_in("peeked")) == ({"joker": 1}, 1, {})


def test_glimpse_looks_at_no_more_than_there_is(table: Tabletop) -> None:
    """R28, A5: fewer unseen cards than X; face-up cards cannot be chosen."""
    scene = table().zones({"heart": 1}, up={"club": 5}).facing("Glimpse 3")
    assert scene.at("left") == 1
    assert scene.refused("choose a card of the Discard Area") == ["R28"]
    assert table().zones({}, up={"club": 5}).facing("Glimpse 3").phase == "move"


def test_glimpse_may_take_a_known_discard(table: Tabletop) -> None:
    """R28: it lies face down, so it counts."""
    scene = table().zones(DECK, known={"club": 1}).facing("Glimpse 2").do("turn up a known club")
    assert (scene.at("left"), scene.cards_in("up")) == (1, {"club": 1})


def test_glimpse_in_every_zone_under_one_reading(table: Tabletop) -> None:
    """A5."""
    zones = {"down": {"club": 3}, "removed": {"club": 1}}
    scene = table(A5="each-zone").zones({"heart": 9}, **zones).facing("Glimpse 2").chance()
    assert (scene.cards_in("looked"), scene.cards_in("up"), scene.at("removed_size")) == ({"heart": 2}, {"club": 2}, 1)


def test_deck_cards_go_to_top_or_bottom(table: Tabletop) -> None:
    """R39: and are known there."""
    scene = table().zones({"heart": 2, "club": 2}).facing("Glimpse 2")
    scene.do("choose a card of the Deck", "choose a card of the Deck", "a heart is seen", "a club is seen")
    assert scene.refused("put a joker on top") == ["R39"]
    scene.do("put a club on top", "put a heart at the bottom")
    assert [scene.at("top_size"), scene.at("under_size"), scene.at("deck"), scene.phase] == [1, 1, 4, "move"]
    scene.facing("Toll 2").do("discard a card")
    assert scene.legal() == ["discard a club"]


# -- Lament -----------------------------------------------------------------------------------------------------


def test_lament_over_the_deck(table: Tabletop) -> None:
    """R35, A6, A6b: a diamond leaves, a heart of the Discard Area comes, face down or not."""
    scene = table().zones({"diamond": 1, "club": 2}, down={"heart": 1}).facing("Lament").do("lament over the Deck")
    scene.do("look at a card", "a diamond is seen", "look no more")
    assert (scene.cards_in("removed"), scene.at("bag", "heart"), scene.at("down_size")) == ({"diamond": 1}, 1, 0)
    assert (scene.phase, scene.at("deck")) == ("move", 3)


def test_lament_over_the_discard_area(table: Tabletop) -> None:
    """R35: diamonds lying face up may be looked at again."""
    scene = table().zones(DECK, up={"diamond": 1, "heart": 1}, known={"diamond": 1}, down={"club": 1}).facing("Lament")
    scene.do("lament over the Discard Area", "look at a face-up diamond", "look at a card").chance()
    assert scene.cards_in("up") == {"heart": 1, "club": 1}
    scene.do("look no more")
    assert (scene.cards_in("removed"), scene.at("bag", "heart")) == ({"diamond": 1}, 6)
    deck = table().zones(DECK, up={"diamond": 1}).facing("Lament").do("lament over the Deck")
    assert deck.refused("look at a face-up diamond") == ["R35"]
    empty = table().zones({}).facing("Lament").do("lament over the Deck")
    assert empty.refused("look at a card") == ["R35"]


@pytest.mark.parametrize(("removed", "left"), [(0, 2), (1, 1), (2, 0)])
def test_diamonds_without_a_heart(table: Tabletop, removed: int, left: int) -> None:
    """R35, A6: remove or leave each of them."""
    scene = table().zones({"diamond": 3}, up={"heart": 1}).facing("Lament").do("lament over the Deck")
    for _ in range(3):
        scene.do("look at a card").chance()
    scene.do("look no more")
    assert scene.refused("remove 3 of the other diamonds") == ["R35"]
    scene.do(f"remove {removed} of the other diamonds")
    assert (scene.at("removed", "diamond"), scene.at("bag", "diamond")) == (1 + removed, left)
    discard = (
        table()
        .zones(DECK, up={"diamond": 2})
        .facing("Lament")
        .do(
            "lament over the Discard Area",
            "look at a face-up diamond",
            "look at a face-up diamond",
            "look no more",
            f"remove {removed} of the other diamonds",
        )
    )
    assert discard.at("up", "diamond") == left


def test_only_face_up_hearts_under_one_reading(table: Tabletop) -> None:
    """A6."""
    scene = table(A6="face-up").zones({"diamond": 1}, down={"heart": 1}, known={"heart": 1}).facing("Lament")
    scene.do("lament over the Deck", "look at a card").chance().do("look no more")
    assert scene.phase == "surplus"


def test_lament_anywhere_in_the_deck_under_one_reading(table: Tabletop) -> None:
    """A6b: the shuffle comes first."""
    scene = table(A6b="anywhere").zones({"heart": 2}, top=("club",)).facing("Lament").do("lament over the Deck")
    assert scene.at("top_size") == 0
    usual = table().zones({"heart": 2}, top=("club",)).facing("Lament").do("lament over the Deck", "look at a card")
    assert usual.legal() == ["a club is seen"]


def test_lament_declared_first_under_one_reading(table: Tabletop) -> None:
    """A12."""
    scene = table(A12="declare").zones({"diamond": 2}, up={"heart": 2}).facing("Lament").do("lament over the Deck")
    assert scene.refused("look at 3 cards") == ["R35"]
    scene.do("look at 2 cards").chance()
    assert (scene.phase, scene.cards_in("removed")) == ("move", {"diamond": 2})


# -- spades -----------------------------------------------------------------------------------------------------


def test_a_spade_seen(table: Tabletop) -> None:
    """R18, R20: three from the bottom, three clubs, shuffled, and the spade is gone."""
    scene = table().zones({"heart": 5}, top=("heart",), under=("club", "joker"), down={"spade": 1}).facing("Recall")
    scene.do("look at a face-down card").chance()
    assert scene.cards_in("removed") == {"heart": 1, "club": 1, "joker": 1}
    assert (scene.at("deck"), scene.cards_in("bag")) == (8, {"heart": 5, "club": 3})
    assert (scene.at("spades_gone"), scene.at("top_size"), scene.at("outside", "club")) == (1, 0, 9)
    assert scene.number("cards") == scene.whole


def test_fewer_than_three_at_the_bottom(table: Tabletop) -> None:
    """A3, R18."""
    scene = table().zones({"heart": 2}, down={"spade": 1}).facing("Recall").do("look at a face-down card").chance()
    assert (scene.cards_in("removed"), scene.cards_in("bag")) == ({"heart": 2}, {"club": 3})


def test_jokers_for_clubs(table: Tabletop) -> None:
    """R19, A17: and nothing when both run out; a joker seen is no spade."""
    scene = table().zones({"heart": 9, "club": 12}, down={"spade": 1}).facing("Recall").do("look at a face-down card")
    scene.chance()
    assert (scene.at("bag", "club"), scene.at("bag", "joker")) == (13, 2)
    bare = table().zones({"heart": 9, "club": 13, "joker": 2}, down={"spade": 1}).facing("Recall")
    assert bare.do("look at a face-down card").chance().at("deck") == 24 - 3
    joker = table().zones({"heart": 9}, down={"joker": 1}).facing("Recall").do("look at a face-down card").chance()
    assert (joker.at("spades_gone"), joker.cards_in("up")) == (0, {"joker": 1})


def test_several_spades_at_once_from_different_zones(table: Tabletop) -> None:
    """R21, A10: one trigger; the others go into the Deck, or stay."""

    def glimpsed(**rulings: str) -> Any:
        scene = table(**rulings).zones({"heart": 9}, top=("spade",), down={"spade": 1}, removed={"spade": 1})
        scene.facing("Glimpse 3").do("choose a card of the Deck", "choose a card of the Discard Area")
        return scene.do("choose a card of the Removed").chance()

    scene = glimpsed()
    assert (scene.at("spades_gone"), scene.at("bag", "spade"), scene.at("bag", "club")) == (1, 2, 3)
    stay = glimpsed(A10="leave")
    assert (stay.at("up", "spade"), stay.at("removed", "spade"), stay.at("bag", "spade")) == (1, 1, 0)


def test_third_spade_loses_at_once(table: Tabletop) -> None:
    """R22, A19: before the rest of the symbol."""
    scene = table().zones({"heart": 9}, down={"spade": 1, "heart": 1}).facing("Recall", spades_gone=2)
    scene.do("look at a face-down card", "a spade is seen").chance()
    assert scene.over == "all three spades seen"
    assert scene.play.returns(scene.state) == (-1,)


def test_cards_in_hand_are_not_at_the_bottom_but_are_under_one_reading(table: Tabletop) -> None:
    """A11, R18: a Deck of three, two of them looked at, one a spade."""

    def glimpsed(**rulings: str) -> Any:
        scene = table(**rulings).zones({"heart": 1}, top=("joker", "spade")).facing("Glimpse 2")
        return scene.do("choose a card of the Deck", "choose a card of the Deck").chance()

    aside = glimpsed()
    assert (aside.cards_in("removed"), aside.cards_in("bag")) == ({"heart": 1}, {"club": 3, "joker": 1})
    literal = glimpsed(A11="literal")
    assert (literal.cards_in("removed"), literal.cards_in("bag")) == ({"heart": 1, "joker": 1}, {"club": 3})
    assert [literal.at("spades_gone"), literal.at("fell"), literal.number("cards")] == [1, 0, literal.whole]


def test_soft_ground_removes_two(table: Tabletop) -> None:
    """R18, R24."""
    scene = table().zones({"heart": 9}, down={"spade": 1}).facing("Recall", card="Soft Ground")
    assert scene.do("look at a face-down card").chance().at("removed_size") == 2
