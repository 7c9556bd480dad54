"""Port, shop, mercenaries, consumables."""

from __future__ import annotations

from playproof.cards.olith.rules.cards import ActionCard
from tests.rules.olith.scene import POWER, SHOP, SOUL, VALLEY, WISDOM, Scene


def market(*row: str, units: int = 1) -> Scene:
    """Seat 0 in an Action Turn with units in Port and these cards on show."""
    t = Scene().turn(0, ActionCard.TACTICS).mana(0, 5, 5, 5)
    t["port", 0, "basic"], t["camp", 0, "basic"] = units, 0
    for place, card in enumerate(row):
        t["row", place] = SHOP[card] + 1
        t["shop_deck", SHOP[card]] = 0
    return t


def test_r41_r42_r71_buying_a_mercenary() -> None:
    t = market("m3", "c1", "c4")
    t.do("buy shop card 1")
    assert t["mana", 0, POWER] == 2
    assert t["exhausted", 0, "m3"] == 1
    assert t.now == "reveal", "the gap is filled at once"
    t.skip_chance()
    assert t["row", 0] > 0
    assert t.refused("buy shop card 2") == {"R41"}


def test_r42_mana_of_any_kind_is_paid_by_choice() -> None:
    t = market("m1", "c1", "c8")
    t.do("buy shop card 1", "pay 1 power")
    assert t.row("mana", 0) == [3, 4, 5]
    t = market("m1", "c1", "c8").mana(0, 1, 5, 5)
    assert t.refused("buy shop card 1") == {"R42"}


def test_r43_artifacts_sell_for_the_level_of_their_deck() -> None:
    t = market("c1", "c2", "c3", units=2).give(0, "a221", "a101").mana(0, 0, 0, 0)
    t.do("sell Basalt Maul")
    assert t["mana", 0, POWER] == 2
    assert t["under", "a221"] == 1
    t.do("sell Cracked Idol", "gain soul")
    assert t["mana", 0, SOUL] == 1
    assert t["hand_size", 0] == 0


def test_r41_each_unit_in_port_buys_one_and_sells_one() -> None:
    t = market("c1", "c2", "c3").give(0, "a221", "a222")
    t.do("sell Basalt Maul")
    assert t.refused("sell War Drum") == {"R41"}
    t.do("buy shop card 1", "pay 1 soul").skip_chance()
    assert t.refused("buy shop card 2") == {"R41"}
    t["port", 0, "basic"] = 0
    assert "R41" in t.refused("buy shop card 2")


def test_r71_the_quay_broker_sells_one_more() -> None:
    t = market("c1", "c2", "c3").give(0, "a221", "a222", "a223")
    t["shop_deck", SHOP["m6"]], t["port", 0, "m6"], t["port", 0, "basic"] = 0, 1, 0
    t.do("sell Basalt Maul", "sell War Drum")
    assert t.refused("sell Scorched Map") == {"R41"}


def test_r71_mercenaries_excavate_gather_and_corrupt_better() -> None:
    t = Scene().turn(0, ActionCard.EXPEDITION).stand(0, "red 1a", kind="m1").wheel(4)
    t.stand(0, "red 2a", kind="m5").stand(0, "blue 1a", kind="m2").mana(0, 0, 0, 0)
    t.do("excavate red 1a")
    assert t["draws"] == 2
    t.turn(0, ActionCard.EXPEDITION)
    t["draws"], t["dug", "red 2a"] = 0, 1
    t.do("corrupt red 2a")
    assert t["exhausted", 0, "m5"] == 1
    t.turn(0, ActionCard.TACTICS)
    t.do("gain mana at blue 1a")
    assert t["mana", 0, SOUL] == 2


def test_r72_consumables_are_used_at_any_time_and_discarded() -> None:
    t = Scene().turn(0, ActionCard.TACTICS).kit(0, "c1").kit(1, "c3").mana(0, 0, 0, 0)
    t.do("use Phial of Three Lights", "gain wisdom")
    assert t["mana", 0, WISDOM] == 2
    assert t["shop_discard", SHOP["c1"]] == 1
    t["exhausted", 1, "basic"], t["camp", 1, "basic"] = 2, 0
    t.do("end the Action Turn", "unlock nothing more")
    assert (t.now, t["by"]) == ("window", 1), "between two turns, before the wheel moves"
    t.do("use Smelling Salts", "bring basic unit to camp")
    assert t.now == "window"
    assert t["camp", 1, "basic"] == 1
    t.do("play nothing")
    assert t.now == "turn"


def test_r72_an_empty_shop_deck_is_shuffled_from_the_discards() -> None:
    t = market("c1", "c2", "c3")
    for number in SHOP.values():
        if t["shop_deck", number]:
            t["shop_deck", number], t["shop_discard", number] = 0, 1
    t.do("buy shop card 1", "pay 1 soul")
    assert len(t.chances()) == 12
    t.skip_chance()
    for number in range(15):
        t["shop_deck", number] = t["shop_discard", number] = 0
    t["bought", "basic"] = 0
    t.do("buy shop card 2", "pay 1 soul")
    assert t["row", 1] == 0, "nothing is left to fill the gap"
    assert t.refused("buy shop card 2") >= {"R42"}


def test_r70_valleys_give_mana_with_a_tactics_card() -> None:
    t = Scene().turn(0).own(0, VALLEY, "l332").loyal(0, "wisdom-aldous").mana(0, 0, 0, 0)
    t.do("play the Tactics card")
    assert t["mana", 0, WISDOM] == 4
