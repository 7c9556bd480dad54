"""The games of published results, a folder each in tests/examples/published. They are asked by their paths."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "examples" / "published"


def list_published_names() -> list[str]:
    """Return the names of all games of published results."""
    return sorted(path.parent.name for path in FOLDER.glob("*/rules.py"))


def get_published_game(name: str) -> str:
    """Return the path by which a game of published results is asked, as `playproof prove PATH`."""
    return str(FOLDER / name)
