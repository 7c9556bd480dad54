"""Finding, keeping, abandoning and taking locations; decks that run out."""

from __future__ import annotations

from playproof.cards.olith.rules.cards import ActionCard
from tests.rules.olith.scene import ARTIFACTS, CARDS, FOREST, LOCATIONS, MOUNTAIN, VALLEY, Scene


def dig(t: Scene, site: str = "red 1a", before: tuple[str, ...] = ()) -> Scene:
    """Seat 0 excavates, after other acts of the turn."""
    return t.turn(0, ActionCard.EXPEDITION).stand(0, site).do(*before, f"excavate {site}")


def test_r65_a_location_is_played_at_once() -> None:
    t = dig(Scene()).do("find Hidden Garden")
    assert t["slot", 0, FOREST] == LOCATIONS["l101"] + 1
    assert t["hand_size", 0] == 0
    assert t.now == "act"


def test_r66_r67_with_a_full_slot_one_is_kept_and_one_abandoned() -> None:
    t = dig(Scene().own(0, FOREST, "l211")).do("find Hidden Garden")
    assert t.refused("lay it in the valley slot") == {"R66"}
    t.do("lay it in the forest slot")
    assert t["abandoned", "l211"] == 1
    assert t["slot", 0, FOREST] == LOCATIONS["l101"] + 1


def test_r67_abandoning_is_free_and_exhausts_the_unit_there() -> None:
    t = Scene().turn(0).own(0, FOREST, "l101", "basic")
    t.do("abandon the forest location")
    assert t["abandoned", "l101"] == 1
    assert t["exhausted", 0, "basic"] == 1
    assert t.now == "turn"
    assert t.refused("abandon the forest location") == {"R67"}
    assert t.sound()


def test_r37_r68_a_unit_takes_an_abandoned_location() -> None:
    t = Scene().turn(0, ActionCard.TACTICS)
    t["deck_locations", "l103"], t["abandoned", "l103"] = 0, 1
    t.do("move basic unit from camp")
    assert t.refused("onto the abandoned Hidden Garden") == {"R68"}
    t.do("onto the abandoned Crow Ridge")
    assert t["slot", 0, MOUNTAIN] == LOCATIONS["l103"] + 1
    assert t["loc_unit", "l103"] == 1
    assert t.now == "act"


def test_r68_not_outside_an_action_turn() -> None:
    t = Scene().turn(0).kit(1, "c9")
    t["deck_locations", "l103"], t["abandoned", "l103"], t["port", 1, "basic"] = 0, 1, 1
    t.phase("window", 1).do("use Ferry Token", "basic unit in Port moves")
    assert t.refused("onto the abandoned Crow Ridge") == {"R68"}


def test_r69_any_location_cards_change_slots() -> None:
    t = dig(Scene(), "blue 2a").do("find Wandering Isle")
    assert t.now == "lodge"
    t.do("lay it in the valley slot")
    assert t.refused("move the location in the forest slot to the valley slot") >= {"R69"}
    t.do("move the location in the valley slot to the mountain slot")
    assert t["slot", 0, MOUNTAIN] == LOCATIONS["l213"] + 1
    assert t["slot", 0, VALLEY] == 0
    assert t.refused("move the location in the mountain slot to the valley slot") == {"R69"}, "once a turn (A31)"


def test_r69_other_locations_stay() -> None:
    t = Scene().turn(0).own(0, FOREST, "l101")
    assert "R69" in t.refused("move the location in the forest slot to the valley slot")


def first_deck_run_out(t: Scene) -> Scene:
    """Every card of the deck of level 1 is discarded, every location abandoned."""
    for card, number in ARTIFACTS.items():
        if CARDS.artifacts[number].deck == 0:
            t["deck_artifacts", card] = 0
            t["discard", card] = 1
    for card, number in LOCATIONS.items():
        if CARDS.locations[number].deck == 0:
            t["deck_locations", card] = 0
            t["abandoned", card] = 1
    return t


def test_r43_sold_cards_are_drawn_in_the_order_in_which_they_were_sold() -> None:
    """All saw the order, so nothing is left to chance: Cracked Idol was sold first, Digging Song next."""
    for first, second in (("Cracked Idol", "Digging Song"), ("Digging Song", "Cracked Idol")):
        t = first_deck_run_out(Scene()).give(0, "a101", "a102")
        t["discard", "a101"], t["discard", "a102"] = 0, 0
        t["port", 0, "basic"], t["camp", 0, "basic"] = 2, 0
        dig(t, "red 1a", before=(f"sell {first}", "gain soul", f"sell {second}", "gain soul"))
        assert list(t.chances()) == [f"draw {first}"]
        t.do(f"draw {first}")
        dig(t, "red 1b")
        assert list(t.chances()) == [f"draw {second}"]
        t.do(f"draw {second}")
        dig(t, "red 1c")
        assert len(t.chances()) == 10, "then the discards are shuffled"
        assert {f"draw {first}", f"draw {second}"}.isdisjoint(t.chances())


def test_r43_shuffled_cards_lie_above_those_sold() -> None:
    t = first_deck_run_out(Scene())
    t["discard", "a101"], t["under", "a101"] = 0, 1
    t["discard", "a102"], t["deck_artifacts", "a102"] = 0, 1
    dig(t)
    assert list(t.chances()) == ["draw Digging Song"]
    assert t.refused("draw Cracked Idol") == {"R43"}
    assert t.refused("draw Camp Kettle") >= {"R45"}


def test_a15_a_deck_of_sold_cards_is_not_empty() -> None:
    t = first_deck_run_out(Scene(A15="forbidden")).turn(0, ActionCard.EXPEDITION).stand(0, "red 1a")
    assert t.refused("excavate red 1a") == {"R45"}
    t["discard", "a101"], t["under", "a101"] = 0, 1
    t.do("excavate red 1a")
    assert list(t.chances()) == ["draw Cracked Idol"]


def test_r45_an_empty_deck_takes_sold_cards_then_discards() -> None:
    t = first_deck_run_out(Scene())
    t["discard", "a101"], t["under", "a101"] = 0, 1
    dig(t)
    assert list(t.chances()) == ["draw Cracked Idol"], "the sold card lies under the deck"
    t.do("draw Cracked Idol")
    dig(t, "red 1b")
    assert len(t.chances()) == 11
    for card in ARTIFACTS:
        t["deck_artifacts", card] = 0
    t["draws"] = 0
    dig(t, "red 1c")
    assert t.now == "act", "no card is left, the token is placed all the same"
    assert t["dug", "red 1c"] == 1


def test_r24_forests_make_the_camp_larger() -> None:
    t = Scene().turn(0).own(0, FOREST, "l331").loyal(0, "soul-onn")
    t["camp", 0, "basic"], t["exhausted", 0, "basic"], t["supply", 0] = 0, 4, 0
    t.mana(0, 9, 0, 0)
    t.do("prepare: basic unit from exhausted to camp")
    for _ in range(3):
        t.do("prepare: basic unit from exhausted to camp", "pay 1 soul")
    assert t["camp", 0, "basic"] == 4
