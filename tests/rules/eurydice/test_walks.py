"""Random games under every reading: cards conserved, always something to do, a fixed number of turns."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from playproof.database.game import load_game
from playproof.language.options import OptionError, Options
from playproof.language.registry import build
from tests.rules.scene import assert_readings_agree

Tabletop = Callable[..., Any]
RULINGS = load_game("eurydice").rulings.values()
OTHER = {r.id: next(o for o in r.options if o != r.default) for r in RULINGS if len(r.options) > 1}
MIXES: list[dict[str, str]] = [{}, {"setting": "hard"}, OTHER, *({ident: other} for ident, other in OTHER.items())]


@pytest.mark.parametrize("options", MIXES, ids=lambda o: "-".join(o.values()) if len(o) < 3 else "all")
def test_random_games_keep_the_invariants(table: Tabletop, options: dict[str, str]) -> None:
    scene = table(**options)
    random, seen = Random(7), set()
    for _ in range(3):
        scene.state = scene.play.start()
        while not scene.over:
            scene.step(random)
            _check(scene)
        seen.add(scene.over)
        if "hearts" in scene.over:
            assert scene.number("round") == scene.game.facts["own"]["turns"]
    assert seen


def _check(scene: Any) -> None:
    assert scene.number("cards") == scene.whole
    for name, held in scene.game.facts["invariants"].items():
        assert scene.play.value(held, scene.state), name
    inside = sum(scene.cards_in("bag").values()) + scene.at("top_size") + scene.at("under_size")
    assert inside == scene.at("deck")
    assert sum(scene.cards_in("down").values()) == scene.at("down_size")
    assert sum(scene.cards_in("removed").values()) == scene.at("removed_size")
    assert scene.at("known", "spade") == 0


@pytest.mark.parametrize("options", [{}, OTHER], ids=lambda o: "-".join(o.values()) if len(o) < 3 else "all")
def test_readings_agree_step_by_step(table: Tabletop, options: dict[str, str]) -> None:
    assert_readings_agree(table(**options), Random(11))


def test_no_other_option_or_reading_is_accepted() -> None:
    with pytest.raises(OptionError, match="A3"):
        build("eurydice", Options({}, {"A3": "reshuffle"}))
    with pytest.raises(OptionError, match="setting"):
        build("eurydice", Options({"setting": "easy"}))
