"""Every effect of the cards, and every card once."""

from __future__ import annotations

import pytest

from playproof.cards.olith.rules.card_data import read_cards_or_refuse
from playproof.cards.olith.rules.cards import COLOURS, ActionCard, Bonus, EffectOperation
from playproof.database.components import Effect
from playproof.database.errors import InputError, Where
from tests.rules.olith.scene import ARTIFACTS, CARDS, CONSUMABLES, FOREST, POWER, SHOP, SOUL, WISDOM, Scene, real

TITLES = {c.id: c.name for c in CARDS.artifacts}


def acting(play: ActionCard = ActionCard.EXPEDITION) -> Scene:
    """Seat 0 in the third step, without mana."""
    return Scene().turn(0, play).mana(0, 0, 0, 0)


def test_r64_r81_atlas_tokens_move_and_stop_at_the_end() -> None:
    t = acting().give(0, "a110", "a402", "a334").do("play Old Milestone")
    assert t.row("atlas", 0) == [2, 1, 1]
    t.do("play Keystone", "move the red Atlas Token", "move the red Atlas Token")
    assert t.row("atlas", 0) == [2, 3, 1]
    for colour in range(3):
        t["atlas", 0, colour] = 4
    t.do("play Cartographer's Eye")
    assert t.now == "which_deck", "no token can move, so the card goes on to its draw"


def test_r81_draws_come_from_one_deck_of_an_unlocked_region() -> None:
    t = acting().give(0, "a102", "a401").do("play Digging Song")
    assert t.now == "draw", "only the level 1 deck is open"
    t.skip_chance(["draw Cracked Idol"])
    t["atlas", 0, SOUL] = 2
    t.do("play The Book Unbound")
    assert t.refused("draw from the red 2 deck") == {"R63"}
    t.do("draw from the blue 2 deck", "draw Choir Stone", "draw Mist Cloak", "draw Second Breath")
    assert t["hand_size", 0] == 4
    assert t.now == "act"


def test_r81_mana_of_any_kind() -> None:
    t = acting().give(0, "a103").do("play Surveyor's Rod", "gain power")
    assert t.row("mana", 0) == [0, 2, 0]


def test_r20_mana_stops_at_ten() -> None:
    t = acting(ActionCard.TACTICS).give(0, "a106").mana(0, 0, 9, 0).do("play Ember Jar")
    assert t["mana", 0, POWER] == 10


def test_r24_cards_bring_units_to_camp_while_there_is_room() -> None:
    t = acting().give(0, "a226")
    t["camp", 0, "basic"], t["exhausted", 0, "basic"] = 1, 2
    t.do("play Blood Oath", "bring basic unit to camp")
    assert t["camp", 0, "basic"] == 2
    assert t.now == "act", "the camp is full"


def test_r39_second_breath_overrules_acting_once() -> None:
    t = acting(ActionCard.TACTICS).give(0, "a215").stand(0, "blue 1a")
    t.do("gain mana at blue 1a", "play Second Breath", "gain mana at blue 1a")
    assert t["mana", 0, SOUL] == 2


def test_r39_r63_the_gate_of_reeds_overrules_locks_for_a_turn() -> None:
    t = acting().give(0, "a311").do("play Gate of Reeds", "move basic unit from camp")
    assert t.refused("to red 4a") == {"R63"}
    t.do("to red 3a", "end the Action Turn")
    assert t["pass_level"] == 0


def test_r39_r47_the_salamander_brand_keeps_the_unit() -> None:
    t = acting().give(0, "a322").stand(0, "red 1a").wheel(4)
    t["dug", "red 1a"] = 1
    t.do("play Salamander Brand", "corrupt red 1a").skip_chance(["draw Cracked Idol"])
    assert t["site_owner", "red 1a"] == 1
    assert t["mana", 0, POWER] == 0
    assert t["acted", "red 1a"] == 1


def test_r36_r39_the_envoys_seal_moves_a_unit_that_has_not_acted() -> None:
    t = acting(ActionCard.TACTICS).give(0, "a233").stand(0, "red 1a", "red 1b")
    t.do("gain mana at red 1b", "play Envoy's Seal")
    assert t.refused("the unit on red 1b moves") == {"R44"}
    t.do("the unit on red 1a moves")
    t.stand(1, "red 1c")["played"] = ActionCard.COMBAT
    assert t.refused("attack red 1c") == {"R50"}
    t.do("to blue 1a")
    assert t["site_owner", "blue 1a"] == 1
    assert t["site_owner", "red 1a"] == 0
    assert t.now == "act"


def test_r39_the_wardens_horn_exhausts_an_enemy_in_reach() -> None:
    t = (
        acting(ActionCard.TACTICS)
        .give(0, "a224")
        .stand(1, "red 1a", "red 2a")
        .stand(0, "red 1b")
        .do("play Warden's Horn")
    )
    assert t.refused("exhaust the enemy on red 2a") == {"R39"}
    assert t.refused("exhaust the enemy on red 1b") == {"R39"}
    t.do("exhaust the enemy on red 1a")
    assert t["exhausted", 1, "basic"] == 1


def test_r39_the_scribes_trick_takes_a_card_back() -> None:
    t = acting().give(0, "a235")
    for card in ("a101", "a211"):
        t["deck_artifacts", card], t["discard", card] = 0, 1
    t.do("play Scribe's Trick")
    assert t.refused("take Tidal Lantern back") == {"R63"}
    t.do("take Cracked Idol back")
    assert t["hand", 0, "a101"] == 1


def test_r55_r72_weighted_bones_roll_again() -> None:
    t = Scene().turn(0, ActionCard.COMBAT).stand(1, "red 1a").kit(0, "c2").mana(0, 0, 0, 0).mana(1, 0, 0, 0)
    t.do("move basic unit from camp", "attack red 1a")
    assert t.refused("use Weighted Bones") == {"R55"}, "not before the dice"
    t.do("commit 0 Power", "the dice show -3", "the dice show 0", "use Weighted Bones", "the dice show 2")
    assert t["ap", 0] == 2
    assert t.now == "clash"
    t.do("play no more cards")
    assert t["site_owner", "red 1a"] == 1


def test_r42_r72_a_harbour_bribe_deals_a_new_row() -> None:
    t = acting().kit(0, "c6")
    for place, card in enumerate(("m1", "m2", "c1")):
        t["row", place], t["shop_deck", SHOP[card]] = SHOP[card] + 1, 0
    t.do("use Harbour Bribe")
    assert t.now == "reveal"
    t.skip_chance()
    assert t["shop_discard", SHOP["m1"]] == 1
    assert all(t["row", place] for place in range(3))
    assert t.now == "act"


@pytest.mark.parametrize("card", ARTIFACTS)
def test_r39_every_artifact_can_be_played_to_its_end(card: str) -> None:
    """With the board set so that every effect has something to do, each card changes the state and is laid out."""
    number = ARTIFACTS[card]
    fights = any(op is EffectOperation.ATTACK for op, _ in CARDS.artifacts[number].script)
    symbols = CARDS.artifacts[number]
    play = ActionCard.COMBAT if symbols.combat else ActionCard.TACTICS if symbols.tactics else ActionCard.EXPEDITION
    t = Scene().turn(0, play).give(0, card).stand(0, "blue 1a").stand(1, "red 1a", "red 1b").mana(0, 0, 0, 0)
    t.mana(1, 0, 0, 0)
    t["exhausted", 0, "basic"], t["camp", 0, "basic"], t["supply", 0] = 2, 1, 0
    t["acted", "blue 1a"] = int(any(op is EffectOperation.AGAIN for op, _ in symbols.script))
    spare = "a112" if card != "a112" else "a111"
    t["deck_artifacts", spare], t["discard", spare] = 0, 1
    if fights:
        t.do("move basic unit from camp", "attack red 1a", "the dice show 0", "the dice show 0")
    before = list(t.state)
    t.do(f"play {TITLES[card]}")
    home = "clash" if fights else "act"
    for _ in range(40):
        if t.now == home:
            break
        t.do(t.options()[0]) if t.play.actor(t.state) >= 0 else t.skip_chance()
    assert t.now == home
    assert t["laid", 0, card] == 1
    used = {t.game.get_field("hand"), t.game.get_field("laid"), t.game.get_field("hand_size")}
    cells = {c for f in used for c in range(f.offset, f.offset + f.size)}
    assert any(a != b for i, (a, b) in enumerate(zip(before, t.state, strict=True)) if i not in cells)
    assert t.sound()


@pytest.mark.parametrize("bonus", Bonus)
def test_r18_every_kind_of_loyalty_bonus_exists_and_works(bonus: Bonus) -> None:
    holders = [c for c in CARDS.loyalties if c.bonus == bonus]
    assert holders
    card = holders[0].id
    t = Scene().loyal(0, card)
    match bonus:
        case Bonus.ATTACK:
            t.turn(0, ActionCard.COMBAT).stand(1, "red 1a").mana(0, 0, 0, 0).mana(1, 0, 0, 0)
            t.do("move basic unit from camp", "attack red 1a")
            assert t["ap", 0] == 1
        case Bonus.CAMP:
            t.turn(0)["exhausted", 0, "basic"] = 1
            t.do("prepare: basic unit from exhausted to camp")
            assert t["camp", 0, "basic"] == 3
        case Bonus.UNLOCK:
            t.turn(0).phase("unlock", 0).mana(0, 1, 0, 0).do("unlock the next blue region with 0 Wisdom")
            assert t["atlas", 0, SOUL] == 2
        case Bonus.DRAW:
            t.turn(0, ActionCard.EXPEDITION).stand(0, "red 1a", "red 1b").do("excavate red 1a")
            assert t["draws"] == 2
            t.skip_chance([c.name for c in CARDS.artifacts]).do("excavate red 1b")
            assert t["draws"] == 1
        case Bonus.TACTICS:
            t.turn(0).mana(0, 0, 0, 0).do("play the Tactics card")
            assert t["mana", 0, WISDOM] == 1
        case Bonus.SALE:
            t.turn(0, ActionCard.TACTICS).give(0, "a221").mana(0, 0, 0, 0)["port", 0, "basic"] = 1
            t.do("sell Basalt Maul")
            assert t["mana", 0, POWER] == 3
        case Bonus.RECOVER:
            t.turn(0).own(0, FOREST, "l311").mana(0, 0, 0, 0)
            t["camp", 0, "basic"], t["exhausted", 0, "basic"] = 0, 3
            t.do(*["prepare: basic unit from exhausted to camp"] * 2)
            assert t.refused("prepare: basic unit from exhausted to camp") == {"R26"}


def test_every_step_of_an_effect_is_on_some_card() -> None:
    used = {op for script in CARDS.scripts for op, _ in script}
    assert used == set(EffectOperation) - {EffectOperation.END}
    assert len(CONSUMABLES) == 9
    assert COLOURS == ("blue", "red", "yellow")


@pytest.mark.parametrize(("card", "op"), [("a101", "camp"), ("l101", "draw"), ("m1", "draw"), ("soul-onn", "draw")])
def test_a_card_that_no_rule_can_carry_out_is_refused_with_its_place(card: str, op: str) -> None:
    from dataclasses import replace

    data = real()
    old = data.components[card]
    odd = replace(old, fields={**old.fields, "effect": (Effect(op, {"n": 1}, Where("cards.yaml", 7, 3)),)})
    with pytest.raises(InputError, match=rf"cards\.yaml:7:3: PP860 `effect` of {card} .* found {op}"):
        read_cards_or_refuse(replace(data, components={**data.components, card: odd}))
