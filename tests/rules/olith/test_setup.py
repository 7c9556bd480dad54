"""What is in the box and how a game begins."""

from __future__ import annotations

from collections import Counter

import pytest

from playproof.cards.olith.rules.cards import LEVELS
from playproof.database.effect_text import list_icon_names_in_text, made_text
from tests.rules.olith.scene import CARDS, Scene, game_of, real


def test_r4_r5_r17_r71_the_box() -> None:
    data = real()
    counts = Counter({kind: sum(c.count for c in data.of_kind(kind)) for kind in data.vocabulary.kinds})
    assert counts["artifact"] + counts["location"] == 69
    assert counts["loyalty"] + counts["action"] == 20
    assert counts["mercenary"] + counts["consumable"] == 15
    assert (counts["mat"], counts["crystal"], counts["board"]) == (4, 3, 1)
    assert data.components["site-token"].count == len(CARDS.sites) == 30
    assert [(m.name, m.cost) for m in CARDS.mercenaries] == [
        (data.components[f"m{i}"].name, CARDS.mercenaries[i - 1].cost) for i in range(1, 7)
    ]


def test_r6_r46_eight_decks_of_18_9_9_9_6_6_6_6() -> None:
    decks = Counter(c.deck for c in (*CARDS.artifacts, *CARDS.locations))
    assert [decks[d] for d in range(8)] == [18, 9, 9, 9, 6, 6, 6, 6]


def test_r12_r13_twelve_regions_with_4_3_2_1_sites() -> None:
    board = real().components["board"]
    regions = [(r["colour"], r["level"], r["sites"]) for r in board.get("regions")]  # type: ignore[attr-defined]
    assert len(regions) == 12
    for colour, level, sites in regions:
        number = ("blue", "red", "yellow").index(colour)
        assert sum(s.colour == number and s.level == level for s in CARDS.sites) == sites == 5 - level
    assert len(CARDS.sites) == sum(sites for *_, sites in regions)


def test_r7_r8_r9_r10_r11_r16_r18_before_the_first_turn() -> None:
    t = Scene()
    assert t.now == "lot"
    assert t["wheel"] == 0
    t.do("player 2 starts", "follow Tolke", "follow Onn")
    assert t["loyalty", 1] == 4
    assert len(t.chances()) == 6, "three crystals in any order"
    t.do("crystals lie Power, Wisdom, Soul")
    assert [t["crystal", i] for i in range(3)] == [1, 2, 0]
    weights = t.chances()
    assert weights["the Active Region is red 1"] == weights["the Active Region is blue 2"] == 4
    assert weights["the Active Region is yellow 4"] == 2
    t.do("the Active Region is red 3")
    assert len(t.chances()) == 15
    t.do("the shop offers Reaver", "the shop offers Torn Chart", "the shop offers Heretic")
    assert all(t["row", i] for i in range(3))
    assert t.now == "turn"
    assert t["by"] == t["turn"] == t["first"] == 1
    assert [t["ap", i] for i in range(2)] == [0, 0]
    assert t.sound()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_r80_two_to_four_players(players: int) -> None:
    game = game_of(players, ())
    assert game.players == players
    assert game.get_field("turns").hi == 12 * players
    facts = real().facts
    assert (facts.players.min, facts.players.max) == (2, 4)


def test_r18_everyone_has_the_three_action_cards_every_turn() -> None:
    cards = real().of_kind("action")
    assert Counter(str(c.get("player")) for c in cards) == dict.fromkeys(("soul", "shadow", "power", "wisdom"), 3)
    assert {c.get("after") for c in cards} == {"return"}
    assert LEVELS == 4
    t = Scene().turn(0)
    assert {f"play the {card} card" for card in ("Expedition", "Tactics", "Combat")} <= set(t.options())


def test_r81_every_icon_of_the_icon_guide_is_on_some_card() -> None:
    data = real()
    cards = data.of_kind("artifact", "location", "mercenary", "consumable", "loyalty", "action")
    seen: set[str] = set()
    for card in cards:
        for field in ("effect", "text"):
            text = card.get(field)
            said = made_text(text, data.vocabulary) if isinstance(text, tuple) else str(text or "")
            seen |= set(list_icon_names_in_text(said))
        seen |= {str(card.get("after")), *(str(p) for p in card.get("plays") or ())}
    wanted = {
        "soul",
        "power",
        "wisdom",
        "mana",
        "expedition",
        "tactics",
        "combat",
        "discard",
        "return",
        "atlas-red",
        "atlas-blue",
        "atlas-yellow",
        "atlas-any",
        "unlocked",
        "draw-1",
        "draw-2",
        "draw-3",
        "camp",
    }
    assert wanted <= seen
    guide = " ".join(
        str(line)
        for section in data.components["icon-guide"].get("sections")  # type: ignore[attr-defined]
        for line in section["lines"]
    )
    assert wanted <= set(list_icon_names_in_text(guide))
