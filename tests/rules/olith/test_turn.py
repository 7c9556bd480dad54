"""Turns: preparing camp, moving, acting, victory turns, clearing up."""

from __future__ import annotations

from playproof.cards.olith.rules.cards import ActionCard
from tests.rules.olith.scene import FOREST, POWER, SOUL, VALLEY, WISDOM, Scene


def test_r21_r28_an_action_turn_or_a_victory_turn() -> None:
    t = Scene().turn(0).active("red 1a").stand(0, "red 1a")
    assert t.can("take a Victory Turn")
    t["camp", 0, "basic"], t["exhausted", 0, "basic"] = 0, 1
    t.do("prepare: basic unit from exhausted to camp")
    assert t.refused("take a Victory Turn") == {"R21"}
    t.do("play the Expedition card")
    assert t["played"] == ActionCard.EXPEDITION
    assert "R28" in t.game.get_action_of_ground_action_number(t.ident("play the Combat card")).rules


def test_r25_r26_the_first_exhausted_unit_is_free_the_next_costs_one_mana() -> None:
    t = Scene().turn(0).mana(0, 0, 0, 1).own(0, FOREST, "l311")
    t["camp", 0, "basic"], t["exhausted", 0, "basic"] = 0, 3
    t.do("prepare: basic unit from exhausted to camp")
    assert t["mana", 0, WISDOM] == 1
    t.do("prepare: basic unit from exhausted to camp", "pay 1 wisdom")
    assert t["mana", 0, WISDOM] == 0
    assert t.refused("prepare: basic unit from exhausted to camp") == {"R26"}


def test_r27_units_come_back_from_port_and_locations_too() -> None:
    t = Scene().turn(0).own(0, VALLEY, "l105", "basic")
    t["camp", 0, "basic"], t["port", 0, "basic"] = 0, 1
    t.do("prepare: basic unit from Port to camp", "prepare: the unit on the valley location to camp")
    assert t["camp", 0, "basic"] == 2
    assert t["loc_unit", "l105"] == 0
    assert "R27" in t.refused("prepare: the unit on red 1a to camp")


def test_r22_r29_r34_r35_play_goes_left_when_the_turn_is_over() -> None:
    t = Scene(3).turn(2, ActionCard.TACTICS).mana(2, 0, 0, 0)
    t["first"] = 0
    t.do("end the Action Turn")
    assert t["turn"] == t["by"] == 0
    assert t["wheel"] == 1, "seat 1 is first player, so the wheel moved"
    assert t["played"] == ActionCard.NOTHING


def test_r35_whoever_can_pay_is_asked_to_unlock() -> None:
    t = Scene().turn(0, ActionCard.TACTICS).mana(0, 0, 2, 0)
    t.do("end the Action Turn")
    assert t.now == "unlock"
    t.do("unlock the next red region with 0 Wisdom", "unlock nothing more")
    assert t["atlas", 0, POWER] == 2
    assert t["turn"] == 1


def test_r36_r37_r13_r14_moves_go_from_camp_to_free_open_sites_or_port() -> None:
    t = Scene().turn(0, ActionCard.EXPEDITION).stand(1, "blue 1a")
    t.do("move basic unit from camp")
    assert t.refused("to blue 1a") == {"R13"}
    assert t.refused("to blue 2a") == {"R63"}
    t.do("to blue 1b", "move basic unit from camp", "to Port")
    assert t["port", 0, "basic"] == 1
    assert t.refused("move basic unit from camp") == {"R36"}
    t["camp", 0, "basic"] = 1
    t.do("move basic unit from camp", "to Port")
    assert t["port", 0, "basic"] == 2, "Port has no limit"


def test_r44_each_unit_acts_once() -> None:
    t = Scene().turn(0, ActionCard.TACTICS).stand(0, "red 1a", "red 1b").mana(0, 0, 0, 0)
    t.do("gain mana at red 1a")
    assert t.refused("gain mana at red 1a") == {"R44"}
    t.do("gain mana at red 1b")
    assert t["mana", 0, POWER] == 2
    assert "R44" in t.refused("excavate red 1a"), "the Expedition card is not in play"


def test_r40_r49_port_gives_no_mana() -> None:
    t = Scene().turn(0, ActionCard.TACTICS)
    t["port", 0, "basic"] = 2
    assert not [words for words in t.options() if words.startswith("gain mana")]


def test_r47_r48_r78_corrupting_costs_mana_and_the_unit_and_comes_after_the_wheel() -> None:
    t = Scene().turn(0, ActionCard.EXPEDITION).stand(0, "red 2a").mana(0, 0, 1, 9).wheel(3)
    t["dug", "red 2a"] = 1
    assert t.refused("corrupt red 2a") == {"R78", "R47"}, "too early, and two Power are needed"
    t.wheel(4).mana(0, 0, 2, 0)
    assert t.can("corrupt red 2a")
    t["acted", "red 2a"] = 1
    assert t.refused("corrupt red 2a") == {"R44"}
    t["dug_now", "red 2a"] = 1
    assert t.refused("corrupt red 2a") == {"R44", "R48"}
    t["dug_now", "red 2a"] = 0
    t["acted", "red 2a"], t["dug", "red 2a"] = 0, 2
    assert t.refused("corrupt red 2a") == {"R47"}, "once a game"
    t["dug", "red 2a"] = 0
    assert t.refused("corrupt red 2a") == {"R47"}, "blank"


def test_r30_dominance_is_more_than_any_other() -> None:
    t = Scene(3).turn(0).active("red 1a").stand(0, "red 1a", "red 1b").stand(1, "red 1c")
    assert t.can("take a Victory Turn")
    t.stand(2, "red 1d").stand(1, "red 1b")
    assert t.refused("take a Victory Turn") == {"R30"}
    t.active("red 2a")
    assert t.refused("take a Victory Turn") == {"R30"}, "nobody is there"


def test_r31_r32_tokens_go_on_the_sites_left_but_not_on_another_players() -> None:
    t = Scene().turn(0).active("red 1a").stand(0, "red 1a", "red 1b", "blue 1a").token(1, "red 1a")
    t.token(0, "red 1b").do("take a Victory Turn")
    assert t.refused("exhaust the unit on red 1a for a Victory Token") == {"R32"}
    assert t.refused("exhaust the unit on blue 1a for a Victory Token") == {"R31"}
    assert t.refused("exhaust the unit on red 1c for a Victory Token") == {"R31"}
    t.do("exhaust the unit on red 1b for a Victory Token", "roll the Active Region dice")
    assert t["tokens", "red 1b"] == 2
    assert t.now == "region"


def test_r34_played_cards_are_discarded_or_return() -> None:
    t = Scene().turn(0, ActionCard.TACTICS).give(0, "a105", "a106").mana(0, 0, 0, 0)
    t.do("play Tin Oracle", "play Ember Jar")
    assert t["laid", 0, "a105"] == t["laid", 0, "a106"] == 1
    assert t.row("mana", 0) == [0, 3, 1]
    t.do("end the Action Turn", "unlock nothing more")
    assert t["hand", 0, "a105"] == 1
    assert t["discard", "a106"] == 1
    assert t["hand_size", 0] == 1


def test_r39_artifacts_match_the_action_card() -> None:
    t = Scene().turn(0, ActionCard.TACTICS).give(0, "a102", "a103")
    assert t.refused("play Digging Song") == {"R39"}
    assert t.can("play Surveyor's Rod")
    assert "R39" in t.refused("play Ember Jar"), "not in hand"


def test_r73_five_artifacts_for_a_token_on_level_4() -> None:
    hand = ("a101", "a102", "a103", "a104", "a105", "a106")
    t = Scene().turn(0, ActionCard.TACTICS).give(0, *hand).stand(0, "blue 3a")
    assert t.refused("offer five Artifacts on a level 4 site") == {"R73"}
    t.stand(0, "red 4a").token(1, "blue 1a")
    t.do("offer five Artifacts on a level 4 site")
    for title in ("Cracked Idol", "Digging Song", "Surveyor's Rod", "Camp Kettle", "Tin Oracle"):
        t.do(f"discard {title}")
    assert t.refused("place a Victory Token on blue 1a") == {"R32"}
    assert t.refused("place a Victory Token on blue 2a") == {"R63"}
    t.do("place a Victory Token on blue 1b")
    assert t["placed", 0] == 1
    assert t.now == "act"
    assert t["hand_size", 0] == 1
    assert t.refused("offer five Artifacts on a level 4 site") == {"R73"}


def test_r60_r61_regions_cost_their_colour_or_wisdom() -> None:
    t = Scene().turn(0).phase("unlock", 0).mana(0, 1, 0, 1)
    assert "R59" in t.refused("unlock the next blue region with 0 Wisdom")
    t.do("unlock the next blue region with 1 Wisdom")
    assert t.row("mana", 0) == [0, 0, 0]
    assert t["atlas", 0, SOUL] == 2
    assert "R60" in t.refused("unlock the next yellow region with 0 Wisdom")


def test_r62_the_lower_level_comes_first_and_the_track_ends() -> None:
    t = Scene().turn(0).phase("unlock", 0).mana(0, 10, 0, 0)
    t.do("unlock the next blue region with 0 Wisdom")
    assert t["atlas", 0, SOUL] == 2
    t.do("unlock the next blue region with 0 Wisdom")
    assert t["mana", 0, SOUL] == 4
    t["atlas", 0, SOUL] = 4
    assert "R62" in t.refused("unlock the next blue region with 0 Wisdom")
