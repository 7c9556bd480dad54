"""The cache on disk: generated modules and their machine code, under names made from their
content."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def cache_folder() -> Path:
    """Return the folder of generated modules and their machine code: $PLAYPROOF_CACHE, or a folder
    in the user's cache folder."""
    given = os.environ.get("PLAYPROOF_CACHE")
    base = Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "playproof"
    base.mkdir(parents=True, exist_ok=True)
    return base


def write(path: Path, content: bytes) -> None:
    """Write a file atomically: other processes see the whole file or none, even if they write it at
    the same time."""
    with tempfile.NamedTemporaryFile("wb", dir=path.parent, suffix=".tmp", delete=False) as file:
        file.write(content)
    os.replace(file.name, path)
