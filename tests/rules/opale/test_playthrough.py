"""One whole game as text, so that any change of meaning shows in a diff."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from tests.rules.scene import playthrough

Tabletop = Callable[..., Any]
VARIANTS = {"base": {}, "variants": {"foreshadowing": "yes", "seashells": "yes"}}


@pytest.mark.parametrize("name", VARIANTS)
def test_golden_playthrough(table: Tabletop, golden: Callable[[str, str], None], name: str) -> None:
    scene = table(**VARIANTS[name])
    lines = playthrough(scene, ["blue", "red"], Random(5))
    lines += [f"blue {scene.number('blue points')}, red {scene.number('red points')}", ""]
    golden(f"{name}.txt", "\n".join(lines))
