"""The symbols that move cards: R13, R14, R16, R26, R29, R30, R33, R34, R36."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Tabletop = Callable[..., Any]
DECK = {"heart": 5, "club": 4, "spade": 2}


@pytest.mark.parametrize(("pips", "gone"), [(3, 2), (4, 0), (6, 0), (1, 2)])
def test_toll_by_the_die(table: Tabletop, pips: int, gone: int) -> None:
    """R26, A18: strictly above the number."""
    scene = table().zones(DECK).facing("Toll 3").do("roll the die")
    assert scene.legal() == [f"the die shows {n}" for n in range(1, 7)]
    scene.do(f"the die shows {pips}").chance()
    assert (scene.at("deck"), scene.at("down_size")) == (11 - gone, gone)


def test_toll_by_one_card(table: Tabletop) -> None:
    """R26, R13: the Deck's top card goes face down, whatever it is."""
    scene = table().zones(DECK).facing("Toll 3").do("discard a card")
    assert (scene.phase, scene.play.actor(scene.state)) == ("shed", -1)
    scene.do("discard a spade")
    assert (scene.cards_in("down"), scene.at("spades_gone")) == ({"spade": 1}, 0)


def test_known_top_card_is_discarded_first_and_stays_known(table: Tabletop) -> None:
    """R12, R13, R39."""
    scene = table().zones(DECK, top=("heart", "club")).facing("Toll 3").do("discard a card")
    assert scene.legal() == ["discard a club"]
    assert scene.chance().cards_in("known") == {"club": 1}
    last = table().zones({}, under=("heart", "club")).facing("Toll 3").do("discard a card")
    assert last.legal() == ["discard a club"]


@pytest.mark.parametrize(("rulings", "paid", "failed"), [({}, 2, 3), ({"A7": "per-card"}, 2, 4)])
def test_shadow_adds_one(table: Tabletop, rulings: dict[str, str], paid: int, failed: int) -> None:
    """R34, A7: 2 instead of 1, 3 instead of 2, nothing after a good roll."""

    def shadowed() -> Any:
        return table(**rulings).zones(DECK).facing("Shadow Toll 3")

    assert shadowed().do("discard a card").chance().at("down_size") == paid
    assert shadowed().do("roll the die", "the die shows 1").chance().at("down_size") == failed
    assert shadowed().do("roll the die", "the die shows 4").at("down_size") == 0


def test_empty_deck_gives_what_it_has(table: Tabletop) -> None:
    """A3, R13: nothing to discard is no loss, but is under one reading."""
    scene = table().zones({"heart": 1}).facing("Toll 3").do("roll the die", "the die shows 1").chance()
    assert (scene.at("down_size"), scene.phase) == (1, "move")
    strict = table(A3="loss").zones({"heart": 1}).facing("Toll 3").do("roll the die", "the die shows 1").chance()
    assert strict.over == "the Deck ran out"


def test_return(table: Tabletop) -> None:
    """R16, R29, A16: up to X of any discards; the Deck is shuffled, so what was known is lost."""
    scene = table().zones(DECK, top=("club",), down={"spade": 1}, known={"heart": 1}, up={"heart": 1})
    scene.facing("Return 2").do("return a face-up heart", "return a face-down card")
    assert scene.legal() == ["a spade returns unseen"]
    scene.chance()
    assert (scene.at("deck"), scene.at("top_size"), scene.cards_in("up"), scene.at("bag", "club")) == (14, 0, {}, 5)
    few = table().zones(DECK, known={"heart": 1}).facing("Return 2").do("return no more")
    assert (few.at("deck"), few.phase) == (11, "move")
    assert table().zones(DECK, up={"club": 1}).facing("Return 1").refused("return a face-up heart") == ["R29"]
    assert table().zones(DECK, up={"club": 1}).facing("Return 1").refused("return a face-down card") == ["R29"]


def test_remove(table: Tabletop) -> None:
    """R14, R30, A4: from the Deck's top or the Discard Area, unseen; a removed spade is not seen."""
    scene = table().zones(DECK, down={"spade": 1}, up={"club": 2}).facing("Remove 2")
    scene.do("remove a face-down card")
    assert scene.legal() == ["a spade is removed blindly"]
    scene.chance().do("remove the top card of the Deck", "a heart is removed unseen")
    assert (scene.cards_in("removed"), scene.at("spades_gone"), scene.phase) == ({"heart": 1, "spade": 1}, 0, "move")
    short = table().zones({}, up={"club": 1}).facing("Remove 2")
    assert short.refused("remove the top card of the Deck") == ["R30"]
    assert short.do("remove a face-up club").phase == "move"


def test_remove_from_the_deck_only_under_one_reading(table: Tabletop) -> None:
    """A4."""
    scene = table(A4="deck-only").zones(DECK, down={"club": 1}, up={"club": 1}, known={"club": 1}).facing("Remove 1")
    assert scene.legal() == ["remove the top card of the Deck"]
    assert scene.refused("remove a face-up club") == ["R30"]
    assert scene.refused("remove a face-down card") == ["R30"]


def test_offering(table: Tabletop) -> None:
    """R33, R37: up to X diamonds, as many as are left."""
    scene = table().zones(DECK).facing("Offering 2")
    assert scene.refused("offer 3 diamonds") == ["R33"]
    assert scene.do("offer 2 diamonds").at("bag", "diamond") == 2
    poor = table().zones({"diamond": 12}).facing("Offering 2")
    assert poor.refused("offer 2 diamonds") == ["R33"]


def test_exchange(table: Tabletop) -> None:
    """R36, A8: discard first, then return exactly as many, the new ones among them."""
    scene = table().zones(DECK, up={"heart": 3}).facing("Exchange 3").do("exchange 2 cards").chance()
    assert (scene.phase, scene.at("down_size")) == ("return", 2)
    scene.do("return a face-up heart")
    assert scene.refused("return no more") == ["R36"]
    scene.do("return a face-down card").chance()
    assert (scene.at("deck"), scene.number("Discard Area")) == (11, 3)
    assert table().zones(DECK).facing("Exchange 3").do("exchange 0 cards").phase == "move"


def test_exchange_from_an_empty_deck_is_refused(table: Tabletop) -> None:
    """R13, R36: no more than the Deck holds, no more than X."""
    assert table().zones({}).facing("Exchange 3").refused("exchange 1 cards") == ["R13"]
    assert table().zones(DECK).facing("Shadow Exchange 2").refused("exchange 3 cards") == ["R36"]


def test_shadowed_exchange(table: Tabletop) -> None:
    """R34, R36, A8: the extra discard does not return."""
    scene = table().zones(DECK, up={"heart": 2}).facing("Shadow Exchange 2").do("exchange 2 cards").chance()
    scene.do("return a face-up heart", "return a face-up heart")
    assert (scene.at("deck"), scene.at("down_size")) == (10, 3)
    assert table().zones(DECK).facing("Shadow Exchange 2").do("exchange 0 cards").at("down_size") == 0


def test_fewer_may_return_under_one_reading(table: Tabletop) -> None:
    """A8."""
    scene = table(A8="at-most").zones(DECK).facing("Exchange 3").do("exchange 2 cards").chance().do("return no more")
    assert (scene.at("deck"), scene.phase) == (9, "move")


# -- special cards ------------------------------------------------------------------------------------------------


def test_cards_that_change_tolls(table: Tabletop) -> None:
    """R24, R26: easier, harder, heavier."""
    easy = table().zones(DECK).facing("Toll 3", card="Nine Strings").do("roll the die", "the die shows 3")
    assert easy.at("down_size") == 0
    hard = table().zones(DECK).facing("Toll 3", card="Wet Sandals").do("roll the die", "the die shows 4").chance()
    assert hard.at("down_size") == 2
    heavy = table().zones(DECK).facing("Toll 3", card="A Cold Draught").do("discard a card").chance()
    assert heavy.at("down_size") == 2


def test_cards_about_obols(table: Tabletop) -> None:
    """R24, R32: gained when drawn, paid for, or forbidden."""
    assert table().do("the special card is A Coin under the Tongue").at("obols") == 1
    paid = table().do("the special card is The Ferryman's Arithmetic").chance()
    assert (paid.at("obols"), paid.at("down_size")) == (2, 2)
    purse = table().zones(DECK).facing("Toll 2", "Obol", card="An Empty Purse", obols=1)
    assert purse.refused("spend an obol") == ["R32"]


def test_cards_that_add_from_outside(table: Tabletop) -> None:
    """R6, A20: hearts, and the only way for a fourth spade."""
    scene = table().zones(DECK).facing("Obol", row=6).do("the special card is Two Hearts and a Shadow")
    assert scene.cards_in("bag") == {"heart": 7, "club": 4, "spade": 3}
    assert scene.number("cards") == scene.whole


def test_cards_that_change_other_numbers(table: Tabletop) -> None:
    """R24, R18, R25, R28, R29."""
    lamp = table().zones(DECK, up={"heart": 1}).facing("Return 1", card="A Borrowed Lamp")
    assert (lamp.phase, lamp.cards_in("up")) == ("move", {"heart": 1})
    eyes = table().zones(DECK).facing("Glimpse 2", card="Wider Eyes")
    assert eyes.at("left") == 3
    sweet = table().zones({"heart": 2, "diamond": 1, "club": 2})
    sweet.facing("Obol", card="Salt Turned Sweet", row=6, board=2)
    assert sweet.over == "more hearts than clubs"


def test_a_card_of_two_symbols_follows_them_in_order(table: Tabletop) -> None:
    """R24: The Last Verse returns, then removes."""
    scene = table().zones(DECK, up={"heart": 2, "club": 1}).at_move("The Last Verse").do("use The Last Verse")
    scene.do("return a face-up heart", "return a face-up heart")
    assert scene.phase == "remove"
    scene.do("remove a face-up club")
    assert (scene.phase, scene.at("deck"), scene.at("removed_size")) == ("move", 13, 1)


def test_unseen_cards_return_unless_only_seen_ones_may(table: Tabletop) -> None:
    """A21: an Exchange takes unseen ones under either reading, or it could not be finished."""

    def returning(**rulings: str) -> Any:
        return table(**rulings).zones(DECK, down={"club": 2}).facing("Return 2")

    assert "return a face-down card" in returning().legal()
    strict = returning(A21="seen-only")
    assert strict.refused("return a face-down card") == ["R29"]
    assert strict.legal() == ["return no more"]
    strict.put("exact", 1)
    assert "return a face-down card" in strict.legal()
