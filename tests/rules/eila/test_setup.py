"""Setup: R1 to R12."""

from __future__ import annotations

from dataclasses import replace

from playproof.cards.eila.rules.chapter_components import collect_chapter_components_or_refuse
from playproof.language import Interpreter
from playproof.language.options import Options
from playproof.language.registry import build
from tests.rules.eila.scene import Scene, real

TWO = {
    "002 green": {"A": "+1G >"},
    "001 green": {"A": "+1F >", "B": "#006 <"},
    "006 blue": {"A": ">"},
    "009 red": {"A": ">"},
}


def test_r1_the_box_has_what_the_rulebook_lists() -> None:
    data = real()
    tokens = {c.id: c.count for c in data.of_kind("token")}
    assert tokens == {"food": 15, "gold": 15, "energy": 15, "knowledge": 15, "fear": 8, "stone": 5, "heart": 5}
    kinds = {k: len(data.of_kind(k)) for k in ("event", "habit", "item", "goal", "inventory", "comic", "stand")}
    assert kinds == {"event": 39, "habit": 3, "item": 5, "goal": 2, "inventory": 2, "comic": 3, "stand": 1}


def test_r2_decks_keep_their_order_and_a_called_card_is_found_by_its_number() -> None:
    scene = Scene(TWO)
    assert scene.place("006") == scene.place("009") == "deck"
    scene.choose("B")
    assert (scene.place("006"), scene.place("009")) == ("future", "deck")


def test_r3_a_chapter_has_the_events_of_its_digit() -> None:
    for chapter, first, n in ((0, "0", 11), (1, "1", 28)):
        events = [c.id for c in collect_chapter_components_or_refuse(real(), chapter, ()).cards if c.back != "habit"]
        assert len(events) == n
        assert all(i.startswith(first) for i in events)


def test_r4_backs_tell_the_three_decks() -> None:
    backs = [c.back for c in collect_chapter_components_or_refuse(real(), 0, ()).cards]
    assert backs == ["green"] * 5 + ["blue"] * 3 + ["red"] * 3 + ["habit"]


def test_r5_all_tokens_begin_in_the_supply() -> None:
    scene = Scene(TWO)
    assert scene.held == ""
    assert [scene.get("placed", n) for n in range(2)] == [0, 0]


def test_r6_green_events_stand_in_the_stand_lowest_number_in_front() -> None:
    scene = Scene(TWO)
    assert (scene.present, scene.place("002")) == ("001", "stand")
    scene.choose("A")
    assert scene.present == "002"


def test_r7_the_goal_is_the_chapters_own() -> None:
    assert (
        collect_chapter_components_or_refuse(real(), 0, ()).goal
        != collect_chapter_components_or_refuse(real(), 1, ()).goal
    )
    assert [(r.name, n) for r, n in collect_chapter_components_or_refuse(real(), 0, ()).goal] == [
        ("GOLD", 2),
        ("STONE", 1),
    ]


def test_r8_habits_and_items_wait_in_their_decks_in_every_chapter() -> None:
    for chapter in "01":
        play = Interpreter(build("eila", Options({"chapter": chapter})))
        start = play.start()
        values = {q: play.quantity(q, start) for q in play.game.quantities if q.startswith(("owns", "habit"))}
        assert {"owns I01", "owns I05"} <= set(values)
        assert set(values.values()) == {0}


def test_r9_inventories_and_zones_begin_empty() -> None:
    scene = Scene(TWO)
    assert scene.held == ""
    assert {scene.place(c) for c in scene.ids} == {"present", "stand", "deck"}


def test_r10_r11_hearts_fill_the_health_slots() -> None:
    assert Scene(TWO, health=2).get("hearts") == 2
    assert Interpreter(build("eila", Options())).quantity("hearts", Interpreter(build("eila", Options())).start()) == 3


def test_r12_chapter_0_has_no_prologue_and_chapter_1_has_one() -> None:
    comics = {(c.fields["chapter"], c.fields["moment"]) for c in real().of_kind("comic")}
    assert comics == {(0, "ending"), (1, "prologue"), (1, "ending")}


def test_the_goal_of_the_data_is_what_is_played() -> None:
    base = real()
    goal = base.components["goal-0"]
    other = replace(
        base, components={**base.components, "goal-0": replace(goal, fields={**goal.fields, "health": 5, "track": 4})}
    )
    game = build("eila", Options(), other)
    assert (game.get_field("hearts").start, game.get_field("round").hi) == ((5,), 4)
