"""The table as players of two, three and four seats see it, under rulings that change what lies there too."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from playproof.referee.text_table import render_table_seen_by_seat
from tests.rules.olith.scene import Scene


def drawn(scene: Scene, seat: int | None, width: int = 80) -> str:
    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(
        render_table_seen_by_seat(scene.play, scene.state, seat, "Olith")
    )
    return out.getvalue()


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("rulings", [{}, {"A17": "own", "A13": "10"}, {"A13": "14", "A9": "origin"}])
def test_it_fits_and_names_every_seat_once(players: int, rulings: dict[str, str]) -> None:
    scene = Scene(players, **rulings)
    for width in (80, 120):
        text = drawn(scene, 0, width)
        assert max(map(len, text.splitlines())) <= width
        assert text.count("player 1 (you)") == 1
        assert all(f"player {n}" in text for n in range(2, players + 1))
        assert "level 4" in text
        assert "× " not in text


def test_a_hand_is_seen_by_its_owner_and_counted_by_the_others() -> None:
    scene = Scene(3).give(1, "a105")
    assert "Tin Oracle" in drawn(scene, 1)
    assert "Tin Oracle" not in drawn(scene, 0)
    assert "1 × ?" in drawn(scene, 0)


def test_what_lies_on_a_site_stands_together() -> None:
    scene = Scene().turn(0).stand(1, "red 1a").token(0, "red 1a", "red 1a")
    scene["dug", "red 1a"] = 2
    scene["acted", "red 1a"] = 1
    assert "a P2 * corrupted V1 ×2" in drawn(scene, 0, 120)


def test_a_fight_is_shown_while_there_is_one() -> None:
    scene = Scene().turn(0)
    assert "Attack Points" not in drawn(scene, 0)
    scene["target"] = 1
    scene["defender"] = 1
    text = drawn(scene, 0)
    assert "combat over blue 1a, defended by player 2" in text
    assert "Attack Points attacker 0  defender 0" in text
    assert text.count("rolled") == 1


def test_the_shop_has_prices_and_belongs_to_nobody() -> None:
    scene = Scene(3)
    scene["row", 1] = 2
    text = drawn(scene, 0)
    assert "2: Ley Singer (2 Wisdom, 1 of any kind)" in text
    assert "shop" not in text.split("player 1 (you)")[1].split("none:")[0]


def test_a_location_shows_who_stands_there() -> None:
    scene = Scene()
    scene["slot", 0, 1] = 1
    scene["loc_unit", 0] = 1
    assert f"valley: {scene.game.facts['names']['loc_unit'][0]} (basic unit)" in " ".join(drawn(scene, 0, 120).split())
