"""Drawn pictures on disk, in the cache folder: one folder for each edition of a game."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from playproof.database.files import write_atomically
from playproof.language.cache import ensure_cache_folder

_MOST_EDITIONS = 40  # each a few MB; those that were used longest ago go
_ALL = "all"  # the file that says that every picture is there


class FaceStore:
    """The compressed pictures of an edition. Where nothing can be written they are kept in memory."""

    def __init__(self, edition: str) -> None:
        self._memory: dict[str, bytes] = {}
        self._folder: Path | None = None
        self._complete = False
        with suppress(OSError):
            self._folder = ensure_cache_folder() / "faces" / edition[:32]
            if self._folder.is_dir():
                os.utime(self._folder)
                self._complete = (self._folder / _ALL).is_file()

    def read_picture(self, name: str) -> bytes | None:
        """Return a picture; None if it is not there."""
        if name in self._memory:
            return self._memory[name]
        try:
            return None if self._folder is None else (self._folder / name).read_bytes() or None
        except OSError:
            return None

    def write_picture(self, name: str, picture: bytes) -> None:
        """Keep a picture. An empty one, of a side that its component does not have, is not kept."""
        if not picture:
            return
        try:
            if self._folder is None:
                raise OSError("there is no folder")
            if not self._folder.is_dir():
                _delete_old_editions(self._folder.parent)
            write_atomically(self._folder / name, picture)
        except OSError:
            self._memory[name] = picture

    def mark_complete(self) -> None:
        """Note that every picture has been drawn."""
        self._complete = True
        if self._folder is not None and not self._memory:
            with suppress(OSError):
                write_atomically(self._folder / _ALL, b"")

    @property
    def complete(self) -> bool:
        """Whether every picture has been drawn; what is not there does not exist."""
        return self._complete


def _delete_old_editions(folder: Path) -> None:
    """Make room for one more edition."""
    if not folder.is_dir():
        return
    editions = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)
    for old in editions[: -_MOST_EDITIONS + 1] if len(editions) >= _MOST_EDITIONS else ():
        shutil.rmtree(old, ignore_errors=True)
