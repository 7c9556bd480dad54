"""One whole game as text, so that any change of meaning shows in a diff."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

Table = Callable[..., Any]


VARIANTS = {"base": {}, "variants": {"foreshadowing": "yes", "seashells": "yes"}}


@pytest.mark.parametrize("name", VARIANTS)
def test_golden_playthrough(table: Table, golden: Callable[[str, str], None], name: str) -> None:
    scene, random = table(**VARIANTS[name]), Random(5)
    lines = []
    while not scene.over:
        legal = scene.play.legal(scene.state)
        chosen = random.choices(legal, [scene.play.weight(scene.state, i) for i in legal])[0]
        actor = scene.play.actor(scene.state)
        who = "chance" if actor == -1 else ("blue", "red")[actor]
        lines.append(f"{scene.number('round'):3} {who:6} {scene.game.show(chosen)}  ({len(legal)} legal)")
        scene.state = scene.play.apply(scene.state, chosen)
    lines += [f"{scene.over}", f"blue {scene.number('blue points')}, red {scene.number('red points')}", ""]
    golden(f"{name}.txt", "\n".join(lines))
