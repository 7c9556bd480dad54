"""Each ruling's options: what the switch changes."""

from __future__ import annotations

import pytest

from playproof.language import Interpreter
from playproof.language.options import OptionError, Options
from playproof.language.registry import build
from tests.rules.eila.scene import Scene, real

CALLS = {"001 green": {"A": "#009, #010 >"}, "002 green": {"A": ">"}, "009 red": {"A": "<"}, "010 red": {"A": "<"}}


def hearts(chapter: str, **rulings: str) -> int:
    """Hearts at the start."""
    play = Interpreter(build("eila", Options({"chapter": chapter}, rulings)))
    return play.quantity("hearts", play.start())


def test_every_ruling_of_the_data_is_a_switch() -> None:
    rulings = real().rulings
    for ident, ruling in rulings.items():
        for option in ruling.options:
            build("eila", Options({}, {ident: option}))
    with pytest.raises(OptionError, match="A11"):
        build("eila", Options({}, {"A11": "maybe"}))
    with pytest.raises(OptionError, match="A99"):
        build("eila", Options({}, {"A99": "nothing"}))


def test_a2_the_first_day_shuffled_keeps_habits_at_the_back() -> None:
    scene = Scene({"001 green": {"A": ">"}, "002 green": {"A": ">"}}, rulings={"A2": "shuffled"})
    assert sorted(scene.texts) == ["001 is revealed", "002 is revealed"]
    game = build("eila", Options({"chapter": "1", "carried": "H01"}, {"A2": "shuffled"}))
    play = Interpreter(game)
    drawn = [m.text for m in play.moves(play.start())]
    assert len(drawn) == 10
    assert not any("H01" in text for text in drawn)


def test_a4_hearts_of_chapter_1() -> None:
    assert [hearts("1", A4=o) for o in ("three", "four", "five")] == [3, 4, 5]
    assert [hearts("0", A4=o) for o in ("three", "four", "five")] == [3, 3, 3]


def test_a5_the_goal_in_the_last_night_wins() -> None:
    scene = Scene(">", goal="G").hold("GE").set("round", 7).choose().do("place", 0)
    assert scene.result == "win"


def test_a6_a_recycled_green_card_does_not_come_back_by_itself() -> None:
    scene = Scene({"001 green": {"A": "@"}, "002 green": {"A": ">"}}).hold("EE").choose().choose()
    assert (scene.present, scene.place("001")) == ("002", "deck")


def test_a7_two_tokens_in_all_for_good() -> None:
    scene = Scene(">", goal="GGSS").hold("GGSSE").choose().do("place", 0).do("place", 1)
    assert (scene.get("round"), scene.held) == (2, "GS")


def test_a8_a_heart_on_the_track_although_energy_is_held() -> None:
    assert Scene(">").hold("E").choose().get("hearts") == 3
    scene = Scene(">", rulings={"A8": "heart-allowed"}).hold("E").choose()
    assert scene.texts == ["put 1 Energy on the time track", "put 1 Heart on the time track"]
    scene.say("Heart")
    assert (scene.held, scene.get("hearts"), scene.get("round")) == ("E", 2, 2)
    last = Scene(">", health=1, rulings={"A8": "heart-allowed"}).hold("E").choose().say("Heart")
    assert last.ending == "no Heart was left for the track"


def test_a8_food_may_become_the_energy_in_time() -> None:
    scene = Scene(">").hold("FF").choose().do("convert food")
    assert (scene.get("hearts"), scene.get("round")) == (3, 2)


def test_a11_ninth_fear_costs_a_heart() -> None:
    cards = {"001 green": {"A": "+3R >"}, "002 green": {"A": ">"}}
    scene = Scene(cards, rulings={"A11": "heart"}).hold("RRRRRRR").choose()
    assert (scene.held, scene.get("hearts")) == ("RRRRRRRR", 1)
    assert Scene(cards, rulings={"A11": "heart"}).hold("RRRRRRRR").choose().ending == "a card took the last Heart"


def test_a12_strict_any_time_also_inside_effects() -> None:
    scene = Scene("+1G >", rulings={"A12": "strict-any-time"}).hold("FFFFFFFS").choose()
    assert "turn 2 Food into 1 Energy" in scene.texts
    scene.do("convert food")
    assert scene.held == "FFFFFGSE"


def test_a12b_no_room_no_conversion() -> None:
    scene = Scene(">", rulings={"A12b": "forbid"}).hold("FFKKKKKKKK")
    assert not any("Food" in text for text in scene.texts if text.startswith("turn"))


def test_a13_what_the_supply_does_not_have_is_lost() -> None:
    cards = {"001 green": {"A": "+2S, +1G >"}, "002 green": {"A": ">"}}
    assert Scene(cards, goal="GSS").hold("SSS").set("placed", 1, 1).choose().held == "GSSSS"


def test_a13_an_unlimited_supply() -> None:
    cards = {"001 green": {"A": "+2S, +1G >"}, "002 green": {"A": ">"}}
    scene = Scene(cards, goal="GSS", rulings={"A13": "unlimited"}).hold("SSS").set("placed", 1, 1).choose()
    assert scene.held == "GSSSSS"
    fear = {"001 green": {"A": "+2R >"}, "002 green": {"A": ">"}}
    full = Scene(fear, rulings={"A13": "unlimited"}).hold("RRRRRRR").choose()
    assert full.held == "RRRRRRRR", "there is no room for more, whatever the supply has"


def test_a20_open_piles_show_the_faces() -> None:
    closed = Scene("+1G >")
    opened = Scene("+1G >", rulings={"A20": "open"})
    assert closed.game.facts["names"]["where"] == ["001"]
    assert opened.game.facts["names"]["where"] == ["001 Card 001 (A: gain 1 Gold)"]
    assert opened.texts == closed.texts


def test_a15_a_called_card_that_is_not_there() -> None:
    cards = {
        "001 green": {"A": "#006 <", "B": ">"},
        "002 green": {"A": "#006, +1F >", "B": ">"},
        "006 blue": {"A": ">"},
    }
    scene = Scene(cards).choose()
    assert scene.can("A")
    assert scene.choose().held == "F"
    strict = Scene(cards, rulings={"A15": "unchoosable"}).choose()
    assert strict.refused("A") == ["R57"]
    assert strict.can("B")
    assert strict.refused("D") == ["R18"]


@pytest.mark.parametrize(("option", "order"), [("last-in-front", ["010", "009"]), ("printed-order", ["009", "010"])])
def test_a16_two_red_calls_in_one_option(option: str, order: list[str]) -> None:
    scene = Scene(CALLS, rulings={"A16": option}).choose()
    assert [scene.present, scene.choose().present] == order
    assert scene.choose().present == "002"


def test_a16_a_call_by_the_last_card_makes_the_day_go_on() -> None:
    scene = Scene({"001 green": {"A": "#009 >"}, "009 red": {"A": "<"}}).choose()
    assert (scene.present, scene.get("round")) == ("009", 1)


@pytest.mark.parametrize(("option", "hearts"), [("to-future", 3), ("lose-heart", 2)])
def test_a18_a_card_without_a_possible_option(option: str, hearts: int) -> None:
    cards = {"001 green": {"A": "-1E -> +1F <", "B": "[I01] +1S <"}, "002 green": {"A": "item I01 >"}}
    scene = Scene(cards, rulings={"A18": option})
    assert scene.texts == ["no option can be paid"]
    scene.do("pass_by")
    assert (scene.place("001"), scene.present, scene.get("hearts")) == ("future", "002", hearts)


def test_a18_passing_by_is_no_choice_while_an_option_can_be_paid() -> None:
    scene = Scene({"001 green": {"A": "-1E -> +1F <"}, "002 green": {"A": ">"}}).hold("E")
    assert scene.refused_rules("pass_by") == ["A18"]
    assert scene.texts == ["001 Card 001, A: pay 1 Energy: gain 1 Food"]


def test_a18_the_last_heart_of_a_stuck_player() -> None:
    scene = Scene("-1E -> +1F <", health=1, rulings={"A18": "lose-heart"}).do("pass_by")
    assert scene.ending == "a card took the last Heart"


def test_a18_our_own_cards_never_need_it() -> None:
    for chapter in "01":
        assert all(a.name != "pass_by" for a in build("eila", Options({"chapter": chapter})).actions)


def test_a21_a_habit_in_the_future_is_shuffled_like_any_card() -> None:
    cards = {"001 green": {"A": "#H01 >"}, "H01 habit": {"A": ">"}}
    scene = Scene(cards).hold("E").choose().choose()
    assert sorted(scene.texts) == ["001 is revealed", "H01 is revealed"]
