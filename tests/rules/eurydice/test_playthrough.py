"""One whole game as text, so that any change of meaning shows in a diff."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

Table = Callable[..., Any]


VARIANTS: dict[str, dict[str, str]] = {"usual": {}, "declared": {"setting": "hard", "A12": "declare", "A9": "end-too"}}


@pytest.mark.parametrize("name", VARIANTS)
def test_golden_playthrough(table: Table, golden: Callable[[str, str], None], name: str) -> None:
    scene, random = table(**VARIANTS[name]), Random(5)
    lines = []
    while not scene.over:
        legal = scene.play.legal(scene.state)
        chosen = random.choices(legal, [scene.play.weight(scene.state, i) for i in legal])[0]
        actor = scene.play.actor(scene.state)
        who = "chance" if actor == -1 else "player"
        lines.append(f"{scene.number('round'):3} {who:6} {scene.game.show(chosen)}  ({len(legal)} legal)")
        scene.state = scene.play.apply(scene.state, chosen)
    lines += [scene.over, f"lead {scene.number('lead')}, spades gone {scene.number('spades gone')}", ""]
    golden(f"{name}.txt", "\n".join(lines))
