"""What the symbols on the cards do: R48 to R65."""

from __future__ import annotations

import pytest

from playproof.cards.eila.rules.rulings import NOT_APPLICABLE
from tests.rules.eila.scene import Scene

REST = {"002 green": {"A": ">"}}


def one(text: str, **more: str) -> dict[str, dict[str, str]]:
    """Card 001 with these options, and a harmless second card."""
    return {"001 green": {"A": text, **more}, **REST}


def test_r48_commas_are_resolved_from_left_to_right() -> None:
    assert Scene(one("+1F, +1G, +1K >")).choose().held == "FGK"
    scene = Scene(one("+1G, +1F >")).hold("FFFFFFFF").choose()
    scene.say("drop 1 Food")  # for the Gold, which comes first; then one Food finds no room
    assert scene.texts == ["drop 1 Gold to make room", "forego what finds no room"]


def test_r49_one_side_of_a_slash_is_chosen() -> None:
    scene = Scene(one("+1E/+1F, +1G >")).choose()
    assert scene.texts == ["gain 1 Energy", "gain 1 Food"]
    assert scene.say("Food").held == "FG"


def test_r50_an_arrow_must_be_paid_for() -> None:
    scene = Scene(one("-1E, -2K -> +1G >"))
    assert scene.refused() == ["R50", "R50"]
    assert scene.hold("EKK").choose().held == "G"


def test_r51_a_gain_comes_from_the_supply() -> None:
    assert Scene(one("+3F >")).choose().held == "FFF"
    assert Scene(one("+3S >")).hold("SSSS").choose().held == "SSSSS"  # five Stones are all there are


def test_r52_a_payment_without_arrow_also_forbids_the_option() -> None:
    assert Scene(one("-1G >")).refused() == ["R50"]
    assert Scene(one("-1G >")).hold("GG").choose().held == "G"


@pytest.mark.parametrize(("held", "left"), [("", "E"), ("R", "E"), ("RR", "E"), ("RRR", "ER")])
def test_r53_fear_may_be_paid_short(held: str, left: str) -> None:
    assert Scene(one("-2R -> +1E >")).hold(held).choose().held == left


def test_r54_a_printed_conversion_has_its_own_pair() -> None:
    assert Scene(one("-2F -> +2G >")).hold("FFF").choose().held == "FGG"


def test_r55_x_is_any_number_and_paid_is_gained() -> None:
    scene = Scene(one("XG=K >")).hold("GGG").choose()
    assert scene.texts == ["turn 0", "turn 1", "turn 2", "turn 3"]
    assert scene.refused_rules("turn", 4) == ["R55"]
    assert scene.do("turn", 2).held == "GKK"
    assert Scene(one("XG=K >")).hold("GGG").choose().do("turn", 0).held == "GGG"
    assert Scene(one("XG=K >")).choose().present == "002"  # no Gold: nothing to choose


def test_r55_x_overflows_like_any_gain() -> None:
    scene = Scene(one("XG=K >")).hold("GGEEEEEEE").choose().do("turn", 2)
    assert (scene.phase, scene.held) == ("overflow", "EEEEEEEK")


def test_r56_a_lost_heart_may_be_the_last() -> None:
    assert Scene(one("heart >")).choose().get("hearts") == 2
    assert Scene(one("heart >"), health=1).choose().result == "loss"


def test_r57_a_blue_number_goes_to_the_future_and_comes_tomorrow() -> None:
    scene = Scene({**one("#006 <"), "006 blue": {"A": ">"}}).hold("E").choose()
    assert (scene.place("006"), scene.present) == ("future", "002")
    scene.choose()
    assert sorted(scene.texts) == ["002 is revealed", "006 is revealed"]


def test_r58_a_red_or_habit_number_is_revealed_next() -> None:
    scene = Scene({**one("#009 >"), "009 red": {"A": "#H01 <"}, "H01 habit": {"A": ">"}}).choose()
    assert scene.present == "009"
    assert scene.choose().present == "H01"
    assert scene.choose().present == "002"


def test_r59_an_item_is_taken() -> None:
    scene = Scene(one("item I01 >"))
    assert scene.play.quantity("owns I01", scene.state) == 0
    assert scene.play.quantity("owns I01", scene.choose().state) == 1


def test_r60_an_item_works_at_once() -> None:
    scene = Scene({"001 green": {"A": "item I01 >"}, "002 green": {"A": "[I01] +1S >", "B": ">"}}).choose()
    assert scene.can("A")


def test_r60_lantern_puts_back_a_fear_before_the_energy() -> None:
    scene = Scene(">", owned="I02").hold("RRE").choose()
    assert scene.phase == "night"
    scene.say("Lantern")
    assert (scene.get("round"), scene.held) == (2, "R")
    scene.hold("RE").choose()
    assert any("Lantern" in text for text in scene.texts)  # once each Night


def test_r60_lantern_is_used_once_a_night() -> None:
    scene = Scene(">", owned="I02").hold("RRGE").choose().say("Lantern")
    assert scene.refused_rules("use I02") == ["R60"]
    assert Scene(">", owned="I02").set("owned", 0).hold("RGE").choose().refused_rules("use I02") == ["R60"]


def test_r60_basket_widens_the_hand() -> None:
    assert Scene(one("+5F >"), owned="I03").hold("FFFFF").choose().held == "F" * 10
    assert Scene(one("+5F >"), owned="I03").set("owned", 0).hold("FFFFF").choose().held == "F" * 8


def test_r60_weather_vane_orders_the_two_front_cards() -> None:
    cards = {"001 green": {"A": ">"}, "002 green": {"A": ">"}, "003 green": {"A": ">"}}
    for action, order in (("keep", ["002", "003"]), ("swap", ["003", "002"])):
        scene = Scene(cards, owned="I04").hold("EE").choose().choose().choose()
        assert scene.phase == "peek"
        scene.do("peek", 1).do("peek", 2).say(action)
        assert [scene.present, scene.choose().present] == order
        assert scene.choose().present == "001"


def test_r60_weather_vane_needs_two_cards() -> None:
    scene = Scene(">", owned="I04").hold("E").choose()
    assert (scene.phase, scene.present) == ("choose", "001")


def test_r60_scarf_keeps_the_first_heart_for_two_fear() -> None:
    scene = Scene({"001 green": {"A": "heart >"}, "002 green": {"A": "heart >"}, "003 green": {"A": ">"}}, owned="I05")
    scene.choose()
    assert (scene.get("hearts"), scene.held) == (3, "RR")
    scene.choose()
    assert (scene.get("hearts"), scene.held) == (2, "RR")


def test_r61_items_are_never_lost_in_a_chapter() -> None:
    scene = Scene("item I01 >").hold("EEE").choose().choose().choose()
    assert scene.play.quantity("owns I01", scene.state) == 1


def test_r62_one_of_the_items_joined_by_or() -> None:
    cards = {n: {"A": "item I01|I02 >"} for n in ("001 green", "002 green", "003 green")} | {"004 green": {"A": ">"}}
    scene = Scene(cards).choose()
    assert scene.texts == ["take the Tool", "take the Lantern"]
    scene.say("Lantern").choose()  # one is left, so nothing is asked
    assert [scene.get("owned", n) for n in range(2)] == [1, 1]
    assert scene.choose().present == "004"  # both owned: nothing


def test_r63_a_tool_option_needs_the_tool_and_keeps_it() -> None:
    cards = {"001 green": {"A": "[I01] +1S >", "B": ">"}, "002 green": {"A": "item I01 >"}}
    scene = Scene(cards)
    assert scene.refused("A") == ["R63"]
    scene.set("owned", 1).choose("A")
    assert (scene.held, scene.get("owned")) == ("S", 1)


def test_r64_r65_what_the_demo_does_not_have_says_so() -> None:
    assert set(NOT_APPLICABLE) == {"R64", "R65"}
