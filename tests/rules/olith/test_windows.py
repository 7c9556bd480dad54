"""When Consumables are offered (R72, A29), locations move (R69, A31) and are given up (R67, A32)."""

from __future__ import annotations

from itertools import product

import pytest

from playproof.cards.olith.rules.cards import ActionCard, EffectOperation
from playproof.cards.olith.rules.interrupts import OTHERS_TURN
from playproof.cards.olith.rules.phases import KINDS
from playproof.cards.olith.rules.table import Phases
from tests.rules.olith.scene import CARDS, FOREST, LOCATIONS, MOUNTAIN, VALLEY, Scene

TITLES = {c.id: c.name for c in CARDS.consumables}
SHARED = {"c4", "c6", "c7", "c9"}  # draw, shop row, discards, a unit on the board


def test_r72_every_kind_has_its_argument() -> None:
    for card in CARDS.consumables:
        assert {op for op, _ in card.script} <= set(OTHERS_TURN), card.name
    assert all(why for _, why in OTHERS_TURN.values())
    assert {c.id for c in CARDS.consumables if any(OTHERS_TURN[op][0] for op, _ in c.script)} == SHARED


def test_r72_nothing_is_learnt_within_an_act() -> None:
    """The argument rests on this: after a script has drawn cards it asks its player nothing more."""
    for script in CARDS.scripts:
        drawn = [line for line, (op, _) in enumerate(script) if op is EffectOperation.DRAW]
        asks = {
            EffectOperation.ANY_MANA,
            EffectOperation.ANY_ATLAS,
            EffectOperation.RELOCATE,
            EffectOperation.ROUT,
            EffectOperation.SALVAGE,
            EffectOperation.RECOVER,
        }
        assert all(op not in asks for line in drawn for op, _ in script[line:]), script


def test_every_phase_is_listed_by_what_it_is_for() -> None:
    listed = [name for names in KINDS.values() for name in names]
    assert sorted(listed) == sorted(Phases.__dataclass_fields__)


# -- a model of its own: who is asked after an act ------------------------------------------------------------------


def model(turn: int, players: int, holds: dict[int, set[str]], any_time: bool) -> list[int]:
    """Seats asked after an act of `turn`, in order, when all let it pass."""
    seats = [(turn + away) % players for away in range(1, players)]
    return [seat for seat in seats if holds.get(seat, set()) & (set(TITLES) if any_time else SHARED)]


@pytest.mark.parametrize("ruling", ["matters", "any-time"])
def test_a29_who_is_asked_after_an_act(ruling: str) -> None:
    kits = [set(), {"c1"}, {"c9"}, {"c3", "c6"}]
    for turn, (i, j, k) in product(range(3), product(range(4), repeat=3)):
        if len({i, j, k}) < 3:
            continue
        holds = dict(enumerate((kits[i], kits[j], kits[k])))
        t = Scene(3, A29=ruling).turn(turn, ActionCard.TACTICS).stand(turn, "red 1a")
        for seat, items in holds.items():
            t.kit(seat, *items)
        t.do("gain mana at red 1a")
        asked = []
        while t.now == "reply":
            asked.append(t["by"])
            t.do("say nothing")
        assert asked == model(turn, 3, holds, ruling == "any-time")
        assert (t.now, t["by"], t["heard"]) == ("act", turn, 0)


def test_a29_a_use_lets_the_others_speak_again() -> None:
    t = Scene(3).turn(0, ActionCard.TACTICS).stand(0, "red 1a").kit(1, "c9").kit(2, "c6", "c4")
    t["port", 1, "basic"] = 1
    t.do("gain mana at red 1a", "say nothing")
    assert (t.now, t["by"]) == ("reply", 2)
    t.do("use Digger's Gossip").skip_chance(["draw Cracked Idol", "draw Digging Song"])
    t.do("say nothing")
    assert (t.now, t["by"]) == ("reply", 1), "who let the act pass may answer the use"
    t.do("use Ferry Token", "basic unit in Port moves", "to blue 1a", "say nothing")
    assert (t.now, t["by"]) == ("reply", 2)
    t.do("say nothing")
    assert (t.now, t["by"]) == ("act", 0)


def test_r52_r72_a_defender_comes_by_a_consumable() -> None:
    """Not offered before: a location is attacked, its owner's units are exhausted, Smelling Salts bring one."""
    t = Scene().turn(0, ActionCard.COMBAT).own(1, FOREST, "l101").kit(1, "c3").mana(0, 0, 0, 0).mana(1, 0, 0, 0)
    t["camp", 1, "basic"], t["exhausted", 1, "basic"] = 0, 2
    t.do("move basic unit from camp", "attack the location Hidden Garden")
    assert t.now == "defend"
    assert not t.can("defend with basic unit from camp")
    t.do("use Smelling Salts", "bring basic unit to camp")
    assert (t.now, t["by"]) == ("defend", 1)
    t.do("defend with basic unit from camp")
    assert t["loc_unit", "l101"] == 1
    assert t.now == "dice"


def test_r72_in_a_victory_turn() -> None:
    t = Scene().turn(0).stand(0, "red 1a").active("red 1a").kit(0, "c1").do("take a Victory Turn")
    assert t.now == "victory"
    t.do("use Phial of Three Lights", "gain soul")
    assert t.now == "victory"


def test_r56_r72_the_attacker_answers_the_defenders_cards() -> None:
    """A Whetstone turns the combat after the defender has played; then the other side may answer once more."""
    t = (
        Scene()
        .turn(0, ActionCard.COMBAT)
        .stand(1, "red 1a")
        .kit(0, "c5")
        .kit(1, "c2")
        .mana(0, 0, 0, 0)
        .mana(1, 0, 0, 0)
    )
    t.do("move basic unit from camp", "attack red 1a", "commit 0 Power", "commit 0 Power")
    t.do("the dice show 0", "the dice show 1", "play no more cards", "play no more cards")
    assert (t.now, t["by"]) == ("last", 0)
    t.do("use Whetstone", "let it stand")
    assert (t.now, t["by"], t["ap", 0]) == ("last", 1, 2)
    t.do("use Weighted Bones", "the dice show 4")
    assert t["ap", 1] == 4
    t.do("let it stand")
    assert t["site_owner", "red 1a"] == 2, "nobody can answer: the defender keeps the site"
    assert t.now == "act"


def test_r72_r76_before_a_token_of_gods_favor_is_placed() -> None:
    t = Scene().turn(0).kit(0, "c8").phase("token", 0)
    t["token_back"] = next(p.number for p in t.game.phases if p.name == "council")
    assert t.refused("place a Victory Token on blue 2a") == {"R63"}
    t.do("use Torn Chart", "move the blue Atlas Token", "place a Victory Token on blue 2a")
    assert t["token_owner", "blue 2a"] == 1


# -- locations ----------------------------------------------------------------------------------------------------


def test_a31_one_rearrangement_between_two_actions() -> None:
    t = Scene().turn(0, ActionCard.TACTICS).stand(0, "red 1a").own(0, VALLEY, "l213")
    t.do("move the location in the valley slot to the mountain slot")
    assert t.refused("move the location in the mountain slot to the valley slot") == {"R69"}
    t.do("gain mana at red 1a", "move the location in the mountain slot to the valley slot")
    assert t["slot", 0, VALLEY] == LOCATIONS["l213"] + 1


def test_a31_two_such_cards_change_places() -> None:
    t = Scene().turn(0).own(0, VALLEY, "l213").own(0, MOUNTAIN, "l233").own(0, FOREST, "l101")
    assert t.refused("move the location in the valley slot to the forest slot") == {"R66"}
    t.do("move the location in the valley slot to the mountain slot")
    assert t["slot", 0, MOUNTAIN] == LOCATIONS["l213"] + 1
    assert t["slot", 0, VALLEY] == LOCATIONS["l233"] + 1


def test_a31_a_slot_is_cleared_for_a_location_just_found() -> None:
    t = Scene().turn(0, ActionCard.EXPEDITION).stand(0, "red 1a").own(0, FOREST, "l213").do("excavate red 1a")
    t.do("find Hidden Garden")
    assert t.now == "lodge"
    t.do("move the location in the forest slot to the valley slot", "lay it in the forest slot")
    assert t["abandoned", "l213"] == 0
    assert t.sound()


def test_a31_while_defending_and_not_with_own_turn() -> None:
    for ruling, allowed in (("any-time", True), ("own-turn", False)):
        t = Scene(2, A31=ruling).turn(0, ActionCard.COMBAT).own(1, FOREST, "l101").own(1, VALLEY, "l213")
        t.do("move basic unit from camp", "attack the location Hidden Garden")
        assert t.can("move the location in the valley slot to the mountain slot") == allowed


def test_a31_own_turn_once_in_it() -> None:
    t = Scene(2, A31="own-turn").turn(0, ActionCard.TACTICS).stand(0, "red 1a").own(0, VALLEY, "l213")
    t.do("move the location in the valley slot to the mountain slot", "gain mana at red 1a")
    assert t.refused("move the location in the mountain slot to the valley slot") == {"R69"}


def test_a32_own_turn_or_any_time() -> None:
    for ruling, allowed in (("own-turn", False), ("any-time", True)):
        t = Scene(2, A32=ruling).turn(0, ActionCard.COMBAT).own(1, FOREST, "l101").own(1, VALLEY, "l105")
        t.do("move basic unit from camp", "attack the location Hidden Garden")
        assert t.can("abandon the valley location") == allowed
    assert Scene().turn(0).own(0, FOREST, "l101").phase("victory", 0).can("abandon the forest location")


@pytest.mark.parametrize("unit", [None, "basic"])
def test_a32_an_attacker_gets_what_is_abandoned(unit: str | None) -> None:
    t = (
        Scene(2, A32="any-time")
        .turn(0, ActionCard.COMBAT)
        .own(1, FOREST, "l101", unit)
        .mana(0, 0, 0, 0)
        .mana(1, 0, 1, 0)
    )
    exhausted = t["exhausted", 1, "basic"]
    t.do("move basic unit from camp", "attack the location Hidden Garden")
    assert (t.now, t["by"]) == ("commit", 1) if unit else ("defend", 1)
    t.do("abandon the forest location")
    assert t["slot", 0, FOREST] == LOCATIONS["l101"] + 1
    assert t["loc_unit", "l101"] == 1
    assert t["exhausted", 1, "basic"] == exhausted + (unit is not None)
    assert t.now in ("act", "reply")


def test_a32_owners_are_asked_after_each_act() -> None:
    t = Scene(2, A32="any-time").turn(0, ActionCard.TACTICS).stand(0, "red 1a").own(1, FOREST, "l101")
    t.do("gain mana at red 1a")
    assert (t.now, t["by"]) == ("reply", 1)
    t.do("abandon the forest location", "say nothing")
    assert (t.now, t["abandoned", "l101"]) == ("act", 1)
