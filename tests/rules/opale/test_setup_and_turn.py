"""Setting up and the course of a turn: R1 to R17."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Tabletop = Callable[..., Any]
FIVE = ["Mother of Pearl 1", "Mother of Pearl 2", "Lava Golem 1", "Turtle Rider 1", "Undersea City"]


def test_each_player_draws_five_of_fifty(table: Tabletop) -> None:
    """R1, R3: 100 cards, 5 in each hand, 45 in each draw pile, drawn by chance."""
    scene = table()
    assert scene.number("cards") == 100
    scene.chance()
    assert [scene.at("held", 0), scene.at("held", 1)] == [5, 5]
    assert [scene.at("pile", 0), scene.at("pile", 1)] == [45, 45]


def test_pawn_lies_beside_the_board_and_no_shells_are_used(table: Tabletop) -> None:
    """R2, R5."""
    scene = table()
    assert scene.at("pawn") == 0
    assert "shell" not in [f.name for f in scene.game.fields]
    assert not any("shell" in a.name for a in scene.game.actions)


def test_first_player_is_random_or_chosen_by_the_youngest(table: Tabletop) -> None:
    """R4, A1."""
    random = table()
    while random.phase != "first":
        random.do(random.legal()[0])
    assert random.play.actor(random.state) == -1
    assert random.legal() == ["blue begins", "red begins"]
    youngest = table(A1="youngest").chance()
    assert (youngest.phase, youngest.play.actor(youngest.state)) == ("first", 0)
    assert youngest.do("red begins").at("turn") == 1


def test_a_card_must_be_played(table: Tabletop) -> None:
    """R6: zero cards are refused."""
    scene = table().arrange(FIVE, FIVE)
    assert scene.refused("play nothing") == ["R6"]
    assert all(text.startswith("play ") for text in scene.legal())


def test_only_identical_cards_that_are_held(table: Tabletop) -> None:
    """R6: not more than one holds, and no second picture in one play."""
    scene = table().arrange(["Mother of Pearl 1", "Mother of Pearl 2", "Mother of Pearl 2", *FIVE[2:4]], FIVE)
    assert scene.refused("play 4 Mother of Pearl") == ["R6"]
    scene.do("play 2 Mother of Pearl")
    assert scene.phase == "lay"
    assert scene.refused("lay a Lava Golem worth 1")[0] == "R6"
    assert scene.refused("lay a Mother of Pearl worth 4") == ["R6"]
    scene.do("lay a Mother of Pearl worth 2", "lay a Mother of Pearl worth 1")
    assert scene.on("Mother of Pearl") == 2


def test_points_do_not_make_cards_different(table: Tabletop) -> None:
    """R6, A16: the same picture is enough."""
    scene = table().arrange(FIVE, FIVE).do("play 2 Mother of Pearl")
    assert scene.on("Mother of Pearl") == 2
    assert scene.at("uppermost", 2) == 2


def test_requirement_triggers_only_when_reached(table: Tabletop) -> None:
    """R7, R13: the last silhouette triggers, whoever laid the others (the rulebook's example)."""
    scene = table().arrange(
        ["Octopus Hunter 1"] * 2 + FIVE[:3], ["Octopus Hunter 1", *FIVE[:4]], on={"red": ["Coral Dragon 4"]}
    )
    scene.do("play 2 Octopus Hunter").chance()
    assert (scene.on("Octopus Hunter"), scene.on("Coral Dragon")) == (2, 1)
    scene.do("play 1 Octopus Hunter")
    assert (scene.on("Octopus Hunter"), scene.on("Coral Dragon")) == (0, 0)
    assert [scene.at("points", 0), scene.at("points", 1)] == [0, 4]


def test_hand_is_refilled_and_the_turn_passes(table: Tabletop) -> None:
    """R8, R9."""
    scene = table().arrange(FIVE, FIVE).do("play 2 Mother of Pearl")
    assert (scene.phase, scene.at("held", 0)) == ("draw", 3)
    scene.chance()
    assert (scene.at("held", 0), scene.at("turn"), scene.number("round")) == (5, 1, 2)


def test_single_silhouette_takes_any_number(table: Tabletop) -> None:
    """R10: cards pile up until somebody takes them."""
    pearls = ["Mother of Pearl 1", "Mother of Pearl 1", "Mother of Pearl 3", "Mother of Pearl 4", "Undersea City"]
    scene = table().arrange(pearls, FIVE).do("play 4 Mother of Pearl").chance()
    scene.do("play 2 Mother of Pearl")
    assert scene.on("Mother of Pearl") == 6


def test_covered_cards_are_hidden(table: Tabletop) -> None:
    """R11: nobody looks under a pile; sizes and uppermost cards are open."""
    scene = table().arrange(FIVE, FIVE, on={"red": ["Mother of Pearl 4"]})
    assert scene.refused("look under Mother of Pearl") == ["R11"]
    sees = {f.name: f.sees.value for f in scene.game.fields}
    assert (sees["covered"], sees["lying"], sees["uppermost"], sees["rows"]) == ("nobody", "all", "all", "all")


def test_not_more_cards_than_free_silhouettes(table: Tabletop) -> None:
    """R12: fewer are welcome, more are refused."""
    hunters = ["Octopus Hunter 1"] * 3 + FIVE[:2]
    scene = table().arrange(hunters, FIVE, on={"red": ["Octopus Hunter 1"]})
    assert scene.refused("play 3 Octopus Hunter") == ["R12"]
    assert {"play 1 Octopus Hunter", "play 2 Octopus Hunter"} <= set(scene.legal())


def test_taken_cards_are_hidden_and_apart_from_the_draw_pile(table: Tabletop) -> None:
    """R15, R17: all cards of the spot go to the scoring pile; the draw pile is untouched."""
    hand = ["Coral Dragon 2", *FIVE[1:]]
    scene = table().arrange(hand, FIVE, on={"red": ["Mother of Pearl 4", "Mother of Pearl 3"]})
    scene.do("play 1 Coral Dragon")
    assert (scene.at("points", 0), scene.at("scored", 0), scene.at("pile", 0)) == (7, 2, 45)
    assert {f.name: f.sees.value for f in scene.game.fields}["points"] == "nobody"


def test_own_hand_is_seen_by_its_owner_only(table: Tabletop) -> None:
    """R3, R11: hands belong to their owners; no draw pile is known to anybody."""
    sees = {f.name: f.sees.value for f in table().game.fields}
    assert (sees["hand"], sees["bag"], sees["held"], sees["pile"]) == ("owner", "nobody", "all", "all")
