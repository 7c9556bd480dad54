"""Resources and conversions: R38 to R47."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from playproof.cards.eila.rules.names import Resource
from playproof.language import Interpreter
from playproof.language.options import Options
from playproof.language.registry import build
from tests.rules.eila.scene import Scene, data_of, real


def test_r38_food_gold_and_stones_lie_on_the_hand_inventory() -> None:
    scene = Scene("+8F, +1E >").choose()
    assert scene.held == "FFFFFFFFE"  # the hand is full, the heart is not
    for token in "GS":
        full = Scene(f"+1{token} >").hold("FFFFFFFF").choose()
        assert full.phase == "overflow"


def test_r39_energy_knowledge_and_fear_lie_on_the_heart_inventory() -> None:
    assert Scene("+8K, +1G >").choose().held == "GKKKKKKKK"
    assert Scene("+1E >").hold("KKKKKKKK").choose().phase == "overflow"
    assert Scene("+1R >").hold("KKKKKKKE").choose().phase == "fear"


def test_r40_each_inventory_has_eight_spaces() -> None:
    assert Scene("+5F >").hold("FFFF").choose().held == "FFFFFFFF"
    assert Scene("+5K, >").hold("KKKK").choose().tokens("knowledge") == 8


def test_r41_overflow_is_decided_token_by_token() -> None:
    scene = Scene("+2G >").hold("FFFFFFFS").choose()
    assert scene.texts == ["drop 1 Food to make room", "drop 1 Stone to make room", "forego what finds no room"]
    scene.say("drop 1 Food")
    assert scene.phase == "overflow"
    scene.say("forego")
    assert scene.held == "FFFFFFGS"


def test_r41_nothing_to_drop_means_nothing_to_ask() -> None:
    assert Scene("+2F >").hold("FFFFFFFF").choose().phase != "overflow"
    assert Scene("+1K >").hold("RRRRRRRR").choose().held == "RRRRRRRR"


def test_r42_fear_must_be_taken_and_the_player_says_what_gives_way() -> None:
    scene = Scene("+2R >").hold("EEEEKKKK").choose()
    assert scene.texts == ["give up 1 Energy for the Fear", "give up 1 Knowledge for the Fear"]
    scene.say("Energy").say("Knowledge").choose()  # the single card comes back the next day
    assert scene.tokens("fear") >= 2


def test_r42_no_question_where_one_kind_can_give_way() -> None:
    scene = Scene({"001 green": {"A": "+1R >"}, "002 green": {"A": ">"}}).hold("EEEEEEEE").choose()
    assert scene.held == "EEEEEEER"


def test_r43_ninth_fear_does_nothing() -> None:
    scene = Scene({"001 green": {"A": "+2R >"}, "002 green": {"A": ">"}}).hold("RRRRRRR").choose()
    assert (scene.held, scene.get("hearts")) == ("RRRRRRRR", 3)


def test_r44_fear_is_never_dropped_to_make_room() -> None:
    scene = Scene("+1E >").hold("RRRRRRRK").choose()
    assert scene.texts == ["drop 1 Knowledge to make room", "forego what finds no room"]


def test_r45_conversions_are_free_between_effects_and_at_night() -> None:
    scene = Scene("-1E -> +1G >").hold("FFFF")
    assert scene.refused() == ["R50"]
    scene.do("convert food").choose()
    assert (scene.phase, scene.held) == ("night", "FFG")
    scene.do("convert food").do("place", 0)
    assert (scene.get("round"), scene.get("hearts")) == (2, 3)


@pytest.mark.parametrize("phase_cards", ["+1G >", "+1R >", "+1E/+1K >", "XE=K >"])
def test_r45_conversions_wait_while_an_effect_is_half_resolved(phase_cards: str) -> None:
    scene = Scene(phase_cards).hold("FFFFFFFSEEEEEEKK").choose()
    assert scene.phase in ("overflow", "fear", "slash", "amount")
    assert not any(text.startswith("turn 2 Food") for text in scene.texts)


def test_r46_two_food_become_one_energy() -> None:
    assert Scene(">").hold("FFF").do("convert food").held == "FE"
    assert Scene(">").hold("F").refused_rules("convert food") == ["R46"]


def test_r47_six_knowledge_become_one_stone() -> None:
    assert Scene(">").hold("KKKKKKK").do("convert knowledge").held == "SK"
    assert Scene(">").hold("KKKKK").refused_rules("convert knowledge") == ["R47"]
    assert Scene(">").hold("SSSSSKKKKKK").refused_rules("convert knowledge") == ["R47"]  # only five Stones


def test_a_conversion_without_room_drops_a_token_first() -> None:
    scene = Scene(">").hold("FFRRRRRRRK")
    assert scene.refused_rules("convert food") == ["R46"]
    assert scene.do("convert food dropping knowledge").held == "ERRRRRRR"
    assert Scene(">").hold("FFRRRRRRRR").refused_rules("convert food dropping knowledge") == ["R46"]


# -- a conversion inside one inventory, against a model of its own ---------------------------------------------------


def converted(held: dict[str, int], pay: str, cost: int, gain: str) -> set[tuple[tuple[str, int], ...]]:
    """What may be held after one conversion: pay, then count the free spaces, then maybe drop one token (A12b)."""
    stores = ({"food", "gold", "stone"}, {"energy", "knowledge", "fear"})
    (store,) = (names for names in stores if gain in names)
    if held[pay] < cost:
        return set()
    left = {**held, pay: held[pay] - cost}
    if sum(left[name] for name in store) < 8:
        return {tuple(sorted({**left, gain: left[gain] + 1}.items()))}
    found = set()
    for name in store - {gain, "fear"}:
        if left[name]:
            found.add(tuple(sorted({**left, name: left[name] - 1, gain: left[gain] + 1}.items())))
    return found


def test_r45_a12b_a_conversion_inside_one_inventory_pays_before_it_counts_room() -> None:
    """6 Knowledge into 1 Energy: both lie on the Heart Inventory, so what is paid makes the room."""
    base = real()
    heart = base.components["heart-inventory"]
    changed = replace(heart, fields={**heart.fields, "pay": {"knowledge": 6}, "gain": {"energy": 1}})
    base = replace(base, components={**base.components, "heart-inventory": changed})
    game = build("eila", Options(), data_of({"001 green": {"A": ">"}}, "GGS", 3, base))
    play = Interpreter(game)
    have = game.get_field("have")
    names = [resource.name.lower() for resource in Resource]
    first, behind = have.offset, have.offset + len(names)
    start = play.start()
    by_name = [("convert food", "food", 2), ("convert knowledge", "knowledge", 6)]
    compared = 0
    for food, energy, knowledge, fear in product((0, 1, 2, 8), range(9), range(9), range(9)):
        if energy + knowledge + fear > 8:
            continue
        held = {**dict.fromkeys(names, 0), "food": food, "energy": energy, "knowledge": knowledge, "fear": fear}
        state = [*start[:first], *held.values(), *start[behind:]]
        for action, pay, cost in by_name:
            idents = [
                i for i in play.legal(state) if game.get_action_of_ground_action_number(i).name.startswith(action)
            ]
            after = [play.apply(state, i)[first:behind] for i in idents]
            assert all(n >= 0 for cells in after for n in cells)
            found = {tuple(sorted(zip(names, cells, strict=True))) for cells in after}
            assert found == converted(held, pay, cost, "energy"), (held, action)
            compared += bool(found)
    assert compared > 300
