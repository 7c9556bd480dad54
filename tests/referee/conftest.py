"""Tiny games in tests/referee/games, by folder."""

from collections.abc import Callable
from pathlib import Path

import pytest

from playproof.referee import Variant

GAMES = Path(__file__).parent / "games"


@pytest.fixture
def tiny() -> Callable[..., Variant]:
    """A variant of one of the tiny games: `tiny("twins", days="1")`."""

    def make(name: str, rulings: dict[str, str] | None = None, **options: str) -> Variant:
        return Variant(str(GAMES / name), options, rulings or {})

    return make
