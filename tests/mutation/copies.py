"""A copy of a game's folder in which some values are others, for tests of what reads files anew."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from playproof.database.game import require_game_folder
from playproof.mutation.value_changes import YamlValueChange, apply_value_change_to_text


@contextmanager
def changed(ref: str, *values: YamlValueChange) -> Iterator[Path]:
    """A copy of the game's folder, of the same name, in which some values are others."""
    folder = require_game_folder(ref)
    with TemporaryDirectory(prefix="playproof-mutant-") as temporary:
        copy = Path(temporary) / folder.resolve().name
        shutil.copytree(folder, copy)
        from_the_end = sorted(values, key=lambda value: (value.file, value.line, value.column), reverse=True)
        for value in from_the_end:  # what is replaced later stands before it, so its column still holds
            file = copy / value.file.relative_to(folder)
            file.write_text(apply_value_change_to_text(file.read_text(encoding="utf-8"), value), encoding="utf-8")
        yield copy
