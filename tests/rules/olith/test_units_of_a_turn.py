"""What a unit has done in a turn stays done, whatever cards do with it (R41, R48); cards without effect (A33-A36)."""

from __future__ import annotations

import pytest

from playproof.cards.olith.rules.cards import ActionCard
from tests.rules.olith.scene import FOREST, SHOP, VALLEY, Scene


def digging(**rulings: str) -> Scene:
    """A unit has excavated red 1a after the wheel has come to Corruption."""
    t = Scene(2, **rulings).turn(0, ActionCard.EXPEDITION).stand(0, "red 1a").mana(0, 3, 3, 3).wheel(4)
    t.give(0, "a215", "a331").kit(0, "c9").do("excavate red 1a").skip_chance(["draw Cracked Idol"])
    assert t.now == "act"
    return t


@pytest.mark.parametrize("card", ["Second Breath", "Hourless Clock"])
def test_r48_a_unit_that_acts_again_does_not_corrupt_what_it_excavated(card: str) -> None:
    t = digging().do(f"play {card}").skip_chance(["draw Ember Jar"])
    assert t.refused("corrupt red 1a") == {"R48"}
    t["dug", "red 1b"] = 1
    t.stand(0, "red 1b")
    assert t.can("corrupt red 1b"), "excavated in an earlier turn"
    t.do("end the Action Turn")
    assert t["dug_now", "red 1a"] == 0


def test_r48_the_mark_is_of_the_unit_that_excavated() -> None:
    """A36: another unit may corrupt; one that a card moves back is taken for the one that it moved away."""
    t = digging().do("play Second Breath", "use Ferry Token", "the unit on red 1a moves", "to blue 1a")
    t["camp", 0, "basic"] += 1
    t.do("move basic unit from camp", "to red 1a")
    assert t.can("corrupt red 1a")
    t = digging().do("play Second Breath", "use Ferry Token", "the unit on red 1a moves", "to red 1a")
    assert t.refused("corrupt red 1a") == {"R48"}


def trading(*cards: str) -> Scene:
    """One unit in Port has bought, one stands on a site; artifacts in hand."""
    t = Scene().turn(0, ActionCard.TACTICS).mana(0, 9, 9, 9).stand(0, "red 1a").give(0, *cards).kit(0, "c9")
    t["port", 0, "basic"], t["camp", 0, "basic"] = 1, 1
    for place, card in enumerate(("c1", "c3", "c4")):
        t["row", place], t["shop_deck", SHOP[card]] = SHOP[card] + 1, 0
    t.do("buy shop card 3").skip_chance()
    assert t.refused("buy shop card 1") == {"R41"}
    return t


def test_r41_a_unit_that_comes_new_may_buy_when_one_has_bought_and_left() -> None:
    t = trading().do("use Ferry Token", "basic unit in Port moves", "to blue 1a")
    t.do("move basic unit from camp", "to Port")
    assert t.can("buy shop card 1")


def test_r41_a_unit_that_comes_back_has_bought() -> None:
    t = trading().do("use Ferry Token", "basic unit in Port moves", "to Port")
    assert t.refused("buy shop card 1") == {"R41"}
    t.do("end the Action Turn")
    assert t["bought", "basic"] == 0


def test_a35_a_card_without_possible_effect_is_not_played() -> None:
    for scene, rules in ((Scene(2), {"R39", "R72"}), (Scene(2, A35="lost"), set())):
        t = scene.turn(0, ActionCard.TACTICS).kit(0, "c9", "c7", "c3").give(0, "a233")
        for words in ("use Ferry Token", "use Ragpicker's Sack", "use Smelling Salts", "play Envoy's Seal"):
            assert t.refused(words) == rules & {"R39" if words.startswith("play") else "R72"}, words
    t = Scene().turn(0, ActionCard.TACTICS).kit(0, "c9").stand(0, "red 1a")
    assert t.can("use Ferry Token")


def test_a33_a_fighting_unit_is_not_moved() -> None:
    t = Scene().turn(0, ActionCard.COMBAT).stand(1, "red 1a").kit(1, "c9").mana(0, 0, 0, 0)
    t.do("move basic unit from camp", "attack red 1a")
    while t.now == "commit" and t["by"] == 0:
        t.do(next(words for words in t.options() if "Power" in words or "commit" in words))
    assert t["by"] == 1
    assert t.refused("use Ferry Token") == {"R72"}, "the only unit on the board is fighting"


def test_a34_an_any_location_counts_for_what_is_printed_or_forests_alone() -> None:
    for scene, camp in ((Scene(2), 4), (Scene(2, A34="forests"), 3)):
        t = scene.turn(0).own(0, FOREST, "l101").own(0, VALLEY, "l213")
        t["exhausted", 0, "basic"], t["supply", 0], t["camp", 0, "basic"] = 0, 0, camp - 1
        t["exhausted", 0, "basic"] = 1
        assert t.can("prepare: basic unit from exhausted to camp"), camp
        t["camp", 0, "basic"] = camp
        assert t.refused("prepare: basic unit from exhausted to camp") == {"R24"}, camp
