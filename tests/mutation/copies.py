"""A copy of a game's folder in which some values are others, for tests of what reads files anew."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from playproof.database.game import find_game
from playproof.mutation.values import Value, with_others


@contextmanager
def changed(ref: str, *values: Value) -> Iterator[Path]:
    """A copy of the game's folder, of the same name, in which some values are others."""
    folder = find_game(ref)
    with TemporaryDirectory(prefix="playproof-mutant-") as temporary:
        copy = Path(temporary) / folder.resolve().name
        shutil.copytree(folder, copy)
        for file, mine in groupby(sorted(values, key=lambda v: v.file), key=lambda v: v.file):
            there = copy / file.relative_to(folder)
            there.write_text(with_others(file.read_text(encoding="utf-8"), list(mine)), encoding="utf-8")
        yield copy
