"""The worked examples of the rulebook, step by step."""

from __future__ import annotations

from playproof.cards.olith.rules.cards import ActionCard, SiteCondition
from tests.rules.olith.scene import FOREST, LOYALTIES, POWER, SOUL, WISDOM, Scene, real


def test_r17_r18_r19_r20_cersie_starts_with_1_power_4_wisdom_1_soul() -> None:
    t = Scene().do("player 1 starts", "follow Cersie")
    assert (t["mana", 0, POWER], t["mana", 0, WISDOM], t["mana", 0, SOUL]) == (1, 4, 1)
    assert t["camp", 0, "basic"] == 2
    assert t["supply", 0] == 2
    assert t["placed", 0] == 0
    assert t.row("atlas", 0) == [1, 1, 1]
    assert real().components["wisdom-cersie"].source.sources[0].kind == "rulebook"


def test_r17_nobody_takes_a_deck_that_is_taken() -> None:
    t = Scene().do("player 1 starts", "follow Cersie")
    assert t.refused("follow Aldous") == {"R17"}
    t.do("follow Isha")
    assert t["loyalty", 1] == LOYALTIES["power-isha"] + 1


def test_r23_r24_r25_r26_r27_blue_fills_a_camp_with_the_hidden_garden() -> None:
    """Camp 2 + 1: one unit from the board, one exhausted free, one more exhausted for 1 Soul."""
    t = Scene().turn(0).mana(0, 1, 0, 0).own(0, FOREST, "l101").stand(0, "blue 1a")
    t["camp", 0, "basic"], t["exhausted", 0, "basic"] = 0, 2
    t.do("prepare: the unit on blue 1a to camp", "prepare: basic unit from exhausted to camp")
    assert t["camp", 0, "basic"] == 2
    assert t["mana", 0, SOUL] == 1
    t.do("prepare: basic unit from exhausted to camp", "pay 1 soul")
    assert t["camp", 0, "basic"] == 3
    assert t["mana", 0, SOUL] == 0
    assert t["site_owner", "blue 1a"] == 0
    t["exhausted", 0, "basic"] = 1
    assert "R24" in t.refused("prepare: basic unit from exhausted to camp")


def test_r30_r31_r33_red_takes_a_victory_turn_in_yellow_level_2() -> None:
    """Two red units, one other: both are exhausted for tokens, and the dice now show blue level 1."""
    t = Scene(3).turn(0).active("yellow 2a").stand(0, "yellow 2a", "yellow 2b").stand(1, "yellow 2c")
    t.do(
        "take a Victory Turn",
        "exhaust the unit on yellow 2a for a Victory Token",
        "exhaust the unit on yellow 2b for a Victory Token",
        "roll the Active Region dice",
    )
    assert t["exhausted", 0, "basic"] == 2
    assert t["placed", 0] == 2
    assert t["token_owner", "yellow 2a"] == t["token_owner", "yellow 2b"] == 1
    t.do("the Active Region is blue 1")
    assert (t["active_colour"], t["active_level"]) == (0, 1)
    assert t["turn"] == 1


def test_r45_r46_r47_black_excavates_and_later_corrupts_red_level_1() -> None:
    t = Scene().turn(0, ActionCard.EXPEDITION).stand(0, "red 1a").mana(0, 0, 1, 0)
    t.do("excavate red 1a")
    assert t["dug", "red 1a"] == SiteCondition.EXCAVATED
    assert t["site_owner", "red 1a"] == 1, "the unit stays"
    assert all(
        real().components[c.id].get("deck") == "level-1"
        for c in real().of_kind("artifact", "location")
        if f"draw {c.name}" in t.chances() or f"find {c.name}" in t.chances()
    )
    t.do("draw Cracked Idol")
    assert t["hand", 0, "a101"] == 1

    t.turn(0, ActionCard.EXPEDITION).wheel(4)
    t["acted", "red 1a"] = t["dug_now", "red 1a"] = 0
    t.do("corrupt red 1a", "draw Digging Song")
    assert t["dug", "red 1a"] == SiteCondition.CORRUPTED
    assert t["mana", 0, POWER] == 0
    assert t["site_owner", "red 1a"] == 0
    assert t["exhausted", 0, "basic"] == 1
    assert t["hand", 0, "a102"] == 1


def test_r49_blue_would_receive_3_and_1_mana_in_a_tactics_turn() -> None:
    t = Scene().turn(0, ActionCard.TACTICS).stand(0, "blue 3a", "yellow 1b").mana(0, 0, 0, 0)
    t.do("gain mana at blue 3a", "gain mana at yellow 1b")
    assert t.row("mana", 0) == [3, 0, 1]


def test_r59_r60_r61_r62_r63_the_atlas_picture() -> None:
    """Red 1-2, blue 1-3, yellow 1-4: bought in order with 2, then 2 + 4, then 2 + 4 + 6 mana."""
    t = Scene().turn(0).mana(0, 6, 2, 10).phase("unlock", 0)
    assert "R59" in t.refused("unlock the next red region with 3 Wisdom"), "level 2 costs 2"
    t.do("unlock the next red region with 0 Wisdom")
    t.do("unlock the next blue region with 0 Wisdom", "unlock the next blue region with 0 Wisdom")
    t.do("unlock the next yellow region with 2 Wisdom", "unlock the next yellow region with 4 Wisdom")
    assert t.row("mana", 0) == [0, 0, 4]
    assert "R60" in t.refused("unlock the next yellow region with 6 Wisdom")
    t.mana(0, 0, 0, 6).do("unlock the next yellow region with 6 Wisdom")
    assert t.row("atlas", 0) == [3, 2, 4]
    t.turn(0, ActionCard.EXPEDITION)
    t["camp", 0, "basic"] = 2
    t.do("move basic unit from camp")
    reach = {
        site
        for site in (
            "red 1a",
            "red 2a",
            "red 3a",
            "red 4a",
            "blue 1a",
            "blue 2a",
            "blue 3a",
            "blue 4a",
            "yellow 1a",
            "yellow 2a",
            "yellow 3a",
            "yellow 4a",
        )
        if t.can(f"to {site}")
    }
    assert reach == {
        "red 1a",
        "red 2a",
        "blue 1a",
        "blue 2a",
        "blue 3a",
        "yellow 1a",
        "yellow 2a",
        "yellow 3a",
        "yellow 4a",
    }
    assert t.refused("to red 3a") == {"R63"}
