"""What each spot does: R14 to R33."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Tabletop = Callable[..., Any]
REST = ["Mother of Pearl 1", "Mother of Pearl 2", "Undersea City", "Octopus Hunter 2"]
OTHER = [*REST, "Guardian of Darkness 1"]


def test_hunters_take_coral_dragons_and_lie_under_the_board(table: Tabletop) -> None:
    """R19, R20, A3: the tray is open to all."""
    board = {"red": ["Coral Dragon 2", "Coral Dragon 3"]}
    scene = table().arrange(["Octopus Hunter 1"] * 3 + REST[:2], OTHER, on=board)
    scene.do("play 3 Octopus Hunter")
    assert (scene.at("points", 0), scene.number("under the board"), scene.on("Octopus Hunter")) == (5, 3, 0)
    assert {f.name: f.sees.value for f in scene.game.fields}["tray"] == "all"


@pytest.mark.parametrize(
    ("card", "taken"), [("Coral Dragon 2", "Mother of Pearl 3"), ("Lava Golem 1", "Sorcerer of the Abyss 3")]
)
def test_one_arrow_is_followed_by_itself(table: Tabletop, card: str, taken: str) -> None:
    """R14, R21, R27: Coral Dragon takes Mother of Pearl, Lava Golem takes Sorcerers."""
    scene = table().arrange([card, *REST], OTHER, on={"red": [taken]}).do(f"play 1 {card[:-2]}")
    assert (scene.at("points", 0), scene.on(taken[:-2]), scene.on(card[:-2])) == (3, 0, 1)


@pytest.mark.parametrize("card", ["Mother of Pearl 4", "Petrified Dragon 3"])
def test_spots_without_arrow_do_nothing(table: Tabletop, card: str) -> None:
    """R18, R22, R26."""
    board = {"red": ["Coral Dragon 2", "Lava Golem 1"]}
    scene = table().arrange([card, *REST[1:], "Lava Golem 2"], OTHER, on=board).do(f"play 1 {card[:-2]}")
    assert (scene.at("scored", 0), scene.on("Coral Dragon"), scene.on("Lava Golem")) == (0, 1, 1)


def test_empty_target_gives_nothing(table: Tabletop) -> None:
    """R16."""
    scene = table().arrange(["Coral Dragon 2", *REST], OTHER).do("play 1 Coral Dragon")
    assert (scene.at("scored", 0), scene.phase) == (0, "draw")


@pytest.mark.parametrize(("target", "points"), [("Mother of Pearl", 4), ("Petrified Dragon", 3)])
def test_sorcerer_chooses(table: Tabletop, target: str, points: int) -> None:
    """R23, R14: Mother of Pearl or Petrified Dragons."""
    board = {"red": ["Mother of Pearl 4", "Petrified Dragon 3"]}
    scene = table().arrange(["Sorcerer of the Abyss 1", *REST], OTHER, on=board).do("play 1 Sorcerer of the Abyss")
    assert scene.phase == "target"
    assert scene.refused("take all Lava Golem") == ["R14"]
    assert scene.do(f"take all {target}").at("points", 0) == points


def test_empty_spot_may_be_chosen_or_not(table: Tabletop) -> None:
    """A2: the player always chooses; under the other reading the full spot is taken by itself."""
    board = {"red": ["Mother of Pearl 4"]}
    hand = ["Sorcerer of the Abyss 1", *REST]
    scene = table().arrange(hand, OTHER, on=board).do("play 1 Sorcerer of the Abyss")
    assert scene.legal() == ["take all Mother of Pearl", "take all Petrified Dragon"]
    assert scene.do("take all Petrified Dragon").at("scored", 0) == 0
    strict = table(A2="only-full").arrange(hand, OTHER, on=board).do("play 1 Sorcerer of the Abyss")
    assert (strict.phase, strict.at("points", 0)) == ("draw", 4)
    other = table(A2="only-full").arrange(hand, OTHER, on={"red": ["Petrified Dragon 2"]})
    assert other.do("play 1 Sorcerer of the Abyss").at("points", 0) == 2
    both = table(A2="only-full").arrange(hand, OTHER, on={"red": ["Petrified Dragon 2", *board["red"]]})
    assert both.do("play 1 Sorcerer of the Abyss").phase == "target"


def test_fourth_guardian_takes_the_guardians(table: Tabletop) -> None:
    """R28."""
    lying = {"red": ["Guardian of Darkness 3", "Guardian of Darkness 2", "Guardian of Darkness 1"]}
    scene = table().arrange(["Guardian of Darkness 2", *REST], OTHER, on=lying).do("play 1 Guardian of Darkness")
    assert (scene.at("points", 0), scene.at("scored", 0), scene.on("Guardian of Darkness")) == (8, 4, 0)


@pytest.mark.parametrize(("target", "points"), [("Lava Golem", 3), ("Sorcerer of the Abyss", 2)])
def test_second_rider_chooses_and_riders_lie_under_the_board(table: Tabletop, target: str, points: int) -> None:
    """R29, R30, A5: it must choose one of the two."""
    board = {"red": ["Turtle Rider 1", "Lava Golem 3", "Sorcerer of the Abyss 2"]}
    scene = table().arrange(["Turtle Rider 2", *REST], OTHER, on=board).do("play 1 Turtle Rider")
    assert scene.legal() == ["take all Sorcerer of the Abyss", "take all Lava Golem"]
    scene.do(f"take all {target}")
    assert (scene.at("points", 0), scene.number("under the board"), scene.on("Turtle Rider")) == (points, 2, 0)


def test_rider_may_decline_under_one_reading(table: Tabletop) -> None:
    """A5, R29: only the Rider can; a Sorcerer must take."""
    board = {"red": ["Turtle Rider 1", "Lava Golem 3", "Mother of Pearl 4"]}
    hand = ["Turtle Rider 2", "Sorcerer of the Abyss 1", *REST[:3]]
    scene = table(A5="decline").arrange(hand, OTHER, on=board).do("play 1 Turtle Rider", "take nothing")
    assert (scene.at("scored", 0), scene.on("Lava Golem"), scene.number("under the board")) == (0, 1, 2)
    sorcerer = table(A5="decline").arrange(hand, OTHER, on=board).do("play 1 Sorcerer of the Abyss")
    assert sorcerer.refused("take nothing") == ["R29"]


def test_third_city_takes_the_tray_and_forms_a_pile(table: Tabletop) -> None:
    """R31, R32: the Cities themselves are never scored (A8)."""
    hand = ["Undersea City", *REST[:2], "Lava Golem 1", "Turtle Rider 1"]
    scene = table().arrange(hand, OTHER, on={"red": ["Undersea City"] * 2}, tray=["Octopus Hunter 2", "Turtle Rider 2"])
    scene.do("play 1 Undersea City")
    assert (scene.at("points", 0), scene.at("scored", 0), scene.number("under the board")) == (4, 2, 0)
    assert (scene.number("City piles"), scene.on("Undersea City")) == (1, 0)


def test_third_pile_brings_the_last_turn(table: Tabletop) -> None:
    """R33, R34, R35, A7."""
    scene = table().arrange(
        ["Undersea City", *REST[:2], "Lava Golem 1", "Turtle Rider 1"],
        OTHER,
        on={"red": ["Undersea City"] * 2},
        city_piles=2,
    )
    scene.do("play 1 Undersea City").chance()
    assert (scene.at("turn"), scene.at("last_turn"), scene.at("held", 0)) == (1, 1, 5)
    scene.do("play 1 Guardian of Darkness")
    assert scene.over.startswith("third City pile")
    assert scene.at("held", 1) == 4  # A7: no refill in the last turn
