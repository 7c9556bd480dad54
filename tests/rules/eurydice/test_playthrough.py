"""One whole game as text, so that any change of meaning shows in a diff."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from tests.rules.scene import playthrough

Tabletop = Callable[..., Any]
VARIANTS: dict[str, dict[str, str]] = {"usual": {}, "declared": {"setting": "hard", "A12": "declare", "A9": "end-too"}}


@pytest.mark.parametrize("name", VARIANTS)
def test_golden_playthrough(table: Tabletop, golden: Callable[[str, str], None], name: str) -> None:
    scene = table(**VARIANTS[name])
    lines = playthrough(scene, ["player"], Random(5))
    lines += [f"lead {scene.number('lead')}, spades gone {scene.number('spades gone')}", ""]
    golden(f"{name}.txt", "\n".join(lines))
