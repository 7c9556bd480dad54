"""Combat in its three steps, for sites and for locations."""

from __future__ import annotations

from playproof.cards.olith.rules.cards import ActionCard
from playproof.cards.olith.rules.combat import count_rolls_by_dice_total
from tests.rules.olith.scene import FOREST, LOCATIONS, MOUNTAIN, POWER, Scene


def attack(t: Scene, where: str, kind: str = "basic unit") -> Scene:
    """Seat 1 of the table moves a unit from camp to attack."""
    return t.do(f"move {kind} from camp", where)


def fight(players: int = 2, **rulings: str) -> Scene:
    """Seat 0 plays Combat; seat 1 stands on red 1a; nobody has mana."""
    t = Scene(players, **rulings).turn(0, ActionCard.COMBAT).stand(1, "red 1a")
    for seat in range(players):
        t.mana(seat, 0, 0, 0)
    return t


def test_r38_r50_r51_r58_the_winner_keeps_the_site() -> None:
    t = attack(fight(), "attack red 1a").do("the dice show 2", "the dice show 1")
    assert t["site_owner", "red 1a"] == 1
    assert t["exhausted", 1, "basic"] == 1
    assert t["camp", 0, "basic"] == 1
    assert t.now == "act"
    assert t.sound()


def test_r51_the_loser_is_exhausted() -> None:
    t = attack(fight(), "attack red 1a").do("the dice show -1", "the dice show 1")
    assert t["site_owner", "red 1a"] == 2
    assert t["exhausted", 0, "basic"] == 1


def test_r54_the_attacker_commits_power_first_as_much_as_there_is() -> None:
    t = fight().mana(0, 0, 3, 0).mana(1, 0, 2, 0)
    attack(t, "attack red 1a")
    assert t["by"] == 0
    assert t.refused("commit 4 Power") == {"R54"}
    t.do("commit 2 Power")
    assert t["by"] == 1
    t.do("commit 2 Power")
    assert [t["ap", i] for i in range(2)] == [2, 2]
    assert t["mana", 0, POWER] == 1
    assert t.now == "dice"


def test_r54_r70_mountains_and_loyalty_cards_count_before_power() -> None:
    t = fight().own(0, MOUNTAIN, "l221").loyal(1, "power-brannoc")
    attack(t, "attack red 1a")
    assert [t["ap", i] for i in range(2)] == [2, 1]


def test_r55_four_dice_with_two_faces_each_of_plus_zero_minus() -> None:
    ways = count_rolls_by_dice_total((1, 1, 0, 0, -1, -1), 4)
    assert sum(ways) == 6**4
    assert [n // 16 for n in ways] == [1, 4, 10, 16, 19, 16, 10, 4, 1]
    t = attack(fight(), "attack red 1a")
    assert t.chances()["the dice show 4"] == 16
    assert len(t.chances()) == 9


def test_r56_attacker_then_defender_plays_combat_cards() -> None:
    t = fight().give(0, "a109", "a102").give(1, "a108")
    attack(t, "attack red 1a").do("the dice show 0", "the dice show 0")
    assert t["by"] == 0
    assert t.refused("play Digging Song") == {"R39"}
    t.do("play Bone Whistle", "play no more cards")
    assert t["by"] == 1
    t.do("play Chipped Blade")
    assert [t["ap", i] for i in range(2)] == [2, 1]
    t.do("play no more cards")
    assert t["site_owner", "red 1a"] == 1


def test_r56_cards_that_only_add_ap_wait_for_a_combat() -> None:
    t = fight().give(0, "a109")
    assert t.refused("play Bone Whistle") == {"R56"}


def test_r57_the_defenders_cards_stay_until_the_end_of_their_next_turn() -> None:
    t = fight().give(1, "a108")
    attack(t, "attack red 1a").do("the dice show 0", "the dice show 0", "play Chipped Blade", "play no more cards")
    t.do("end the Action Turn")
    assert t["laid", 1, "a108"] == 1
    assert t["turn"] == 1
    t.do("play the Tactics card", "end the Action Turn")
    assert t["laid", 1, "a108"] == 0
    assert t["hand", 1, "a108"] == 1


def test_r52_an_undefended_location_is_taken_at_once() -> None:
    t = fight().own(1, FOREST, "l101")
    attack(t, "attack the location Hidden Garden")
    assert t["by"] == 1
    assert t.now == "defend"
    t.do("leave the location undefended")
    assert t["slot", 0, FOREST] == LOCATIONS["l101"] + 1
    assert t["slot", 1, FOREST] == 0
    assert t["loc_unit", "l101"] == 1
    assert t.now == "act"
    assert t.sound()


def test_r52_r53_any_unexhausted_unit_may_defend_and_the_winner_takes_the_location() -> None:
    t = fight().own(1, FOREST, "l101")
    t["port", 1, "basic"], t["camp", 1, "basic"] = 1, 0
    attack(t, "attack the location Hidden Garden")
    assert t.refused("defend with basic unit from camp") == {"R52"}
    t.do("defend with basic unit from Port", "the dice show 3", "the dice show 0")
    assert t["slot", 0, FOREST] == LOCATIONS["l101"] + 1
    assert t["loc_unit", "l101"] == 1
    assert t["exhausted", 1, "basic"] == 1
    assert t.sound()


def test_r52_a_defender_may_come_from_a_site_and_keep_the_location() -> None:
    t = fight().own(1, FOREST, "l101")
    attack(t, "attack the location Hidden Garden")
    t.do("defend with the unit on red 1a", "the dice show -2", "the dice show 0")
    assert t["slot", 1, FOREST] == LOCATIONS["l101"] + 1
    assert t["loc_unit", "l101"] == 1
    assert t["site_owner", "red 1a"] == 0
    assert t["exhausted", 0, "basic"] == 1


def test_r52_a_unit_on_the_location_defends_it() -> None:
    t = fight().own(1, FOREST, "l101", "basic")
    attack(t, "attack the location Hidden Garden")
    assert t.now == "dice"
    assert t["side"] == 0
    t.do("the dice show 2", "the dice show 0")
    assert t["exhausted", 1, "basic"] == 1


def test_r53_with_a_full_slot_the_winner_chooses() -> None:
    t = fight().own(1, FOREST, "l101").own(0, FOREST, "l211")
    attack(t, "attack the location Hidden Garden").do("leave the location undefended")
    assert t.now == "lodge"
    t.do("abandon it")
    assert t["abandoned", "l101"] == 1
    assert t["slot", 0, FOREST] == LOCATIONS["l211"] + 1
    assert t["exhausted", 0, "basic"] == 1, "the unit on an abandoned location is exhausted (A23)"
    assert t.sound()


def test_r71_mercenaries_fight_with_their_abilities() -> None:
    t = fight().hire(0, "m3")
    t.stand(1, "red 1b", kind="m4")["shop_deck", 3] = 0
    attack(t, "attack red 1b", "Reaver")
    assert [t["ap", i] for i in range(2)] == [2, 2]
    t.do("the dice show 0", "the dice show 0")
    assert t["exhausted", 0, "m3"] == 1, "a tie is the defender's"


def test_r40_r50_r63_where_attacks_are_refused() -> None:
    t = Scene().turn(0, ActionCard.EXPEDITION).stand(1, "red 1a", "blue 2a").stand(0, "red 1b").own(1, FOREST, "l101")
    t.do("move basic unit from camp")
    assert t.refused("attack red 1a") == {"R50"}
    assert t.refused("attack the location Hidden Garden") == {"R50"}
    t["played"] = ActionCard.COMBAT
    assert t.refused("attack Port") == {"R40"}
    assert t.refused("attack blue 2a") == {"R63"}
    assert t.refused("attack red 1b") == {"R38"}
    assert t.refused("attack the location Charcoal Wood") == {"R38"}
    assert t.can("attack red 1a")


def test_r51_nothing_that_is_being_fought_for_can_be_moved_away() -> None:
    t = fight().kit(1, "c9").own(1, FOREST, "l101", "basic")
    attack(t, "attack red 1a")
    t.do("commit 0 Power", "the dice show 0", "the dice show 0", "use Ferry Token")
    assert t.refused("the unit on red 1a moves") == {"R51"}
    t.do("the unit on the forest location moves", "to Port", "play no more cards")
    assert t["site_owner", "red 1a"] == 2
    assert t.sound()
