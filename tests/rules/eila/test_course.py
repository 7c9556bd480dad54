"""Winning and losing, the Day, the Night: R13 to R33."""

from __future__ import annotations

from tests.rules.eila.scene import Scene

DAY = {
    "001 green": {"A": ">", "B": "<", "C": "@"},
    "002 green": {"A": ">", "B": "#006 >", "C": "#009 >"},
    "006 blue": {"A": ">", "B": "@"},
    "009 red": {"A": ">", "B": "@", "C": "<"},
}


def test_r13_a_round_is_a_day_and_a_night() -> None:
    scene = Scene(DAY).hold("E")
    scene.choose("A").choose("A")
    assert (scene.get("round"), scene.held, scene.phase) == (2, "", "draw")


def test_r14_all_tokens_on_the_goal_win() -> None:
    scene = Scene(">", goal="G").hold("G").choose().say("place 1 Gold")
    assert (scene.result, scene.ending) == ("win", "the Goal is complete")


def test_r15_no_heart_left_loses_at_once() -> None:
    scene = Scene("heart, +1F >", health=1).choose()
    assert (scene.ending, scene.held) == ("a card took the last Heart", "")


def test_r16_seven_rounds_lose() -> None:
    scene = Scene(">").hold("EEEEEEE")
    for passed in range(7):
        assert scene.get("round") == passed + 1
        scene.choose()
    assert (scene.result, scene.ending) == ("loss", "time is up: all rounds have passed")


def test_r17_the_front_card_comes_to_the_present() -> None:
    scene = Scene(DAY)
    assert (scene.present, scene.place("001"), scene.place("002")) == ("001", "present", "stand")


def test_r18_one_listed_option_is_chosen() -> None:
    scene = Scene("+1F >")
    assert scene.refused("B") == ["R18"]
    assert scene.can("A")


def test_r19_r20_the_right_arrow_goes_to_the_future() -> None:
    assert Scene(DAY).choose("A").place("001") == "future"


def test_r21_future_cards_come_back_next_day() -> None:
    scene = Scene(DAY).hold("E").choose("A").choose("A")
    assert scene.place("001") == "stand"
    assert sorted(scene.texts) == ["001 is revealed", "002 is revealed"]


def test_r22_r23_the_left_arrow_goes_to_the_past_for_good() -> None:
    scene = Scene(DAY).hold("EE").choose("B").choose("A")
    assert (scene.place("001"), scene.present) == ("past", "002")
    scene.choose("A")
    assert (scene.place("001"), scene.present) == ("past", "002")


def test_r24_recycle_puts_a_card_back_into_its_deck() -> None:
    scene = Scene(DAY).choose("A").choose("C")
    assert scene.present == "009"
    scene.hold("EE").choose("B")
    assert scene.place("009") == "deck"
    scene.draw("002").choose("C")
    assert scene.present == "009"  # it can be called again


def test_r25_the_day_goes_on_until_the_stand_is_empty() -> None:
    scene = Scene(DAY).hold("GE").choose("A")
    assert (scene.phase, scene.present) == ("choose", "002")
    scene.choose("A")
    assert scene.phase == "night"


def test_r26_only_the_card_in_the_present_can_be_chosen_from() -> None:
    scene = Scene(DAY)
    assert scene.refused_rules("choose", scene.ids.index("002"), 0) == ["R26"]
    assert [scene.place(c) for c in scene.ids].count("present") == 1


def test_r27_at_most_two_tokens_a_night_on_matching_spaces() -> None:
    scene = Scene(">", goal="GGSK").hold("GGGSE").choose()
    assert scene.texts == ["place 1 Gold on the Goal", "place 1 Stone on the Goal", "go on to the time track"]
    scene.say("place 1 Gold").say("place 1 Gold")
    assert (scene.get("round"), scene.held) == (2, "GS")  # nothing more could be done, so the Night went on
    full = Scene(">", goal="GGS").hold("GGGSE").set("placed", 2, 0).choose()
    assert full.refused_rules("place", 0) == ["R27"]


def test_r28_the_goal_is_looked_at_before_the_time_track() -> None:
    scene = Scene(">", goal="G").hold("G").set("round", 7).set("hearts", 1).choose().say("place 1 Gold")
    assert scene.result == "win"


def test_r29_an_energy_goes_on_the_track() -> None:
    scene = Scene(">").hold("EE").choose()
    assert (scene.get("round"), scene.held, scene.get("hearts")) == (2, "E", 3)


def test_r30_without_energy_a_heart_goes_on_the_track() -> None:
    scene = Scene(">").choose()
    assert (scene.get("round"), scene.get("hearts")) == (2, 2)


def test_r31_out_of_hearts_on_the_track_loses() -> None:
    scene = Scene(">", health=1).choose()
    assert (scene.result, scene.ending) == ("loss", "no Heart was left for the track")


def test_r32_the_seventh_slot_loses() -> None:
    scene = Scene(">").hold("E").set("round", 7).choose()
    assert scene.ending == "time is up: all rounds have passed"


def test_r33_the_future_is_shuffled_into_the_stand() -> None:
    scene = Scene(DAY).hold("E").choose("A").choose("A")
    moves = scene.play.moves(scene.state)
    assert [(m.text, m.weight) for m in moves] == [("001 is revealed", 1), ("002 is revealed", 1)]


def test_an_empty_stand_makes_an_empty_day() -> None:
    scene = Scene("<").hold("EE").choose()
    assert (scene.ending, scene.get("hearts")) == ("no Heart was left for the track", 0)
