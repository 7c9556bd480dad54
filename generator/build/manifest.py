"""The manifest: the fingerprint of each built file, kept beside the files."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path as FilePath
from typing import NamedTuple

from playproof.database.files import write_atomically

NAME = ".build.json"


class Entry(NamedTuple):
    """One file's fingerprint, pages, cards and size in bytes, and the product or component that it
    shows."""

    fingerprint: str
    pages: int
    cards: int
    size: int
    of: str = ""


class Manifest:
    """Entries by path, relative to the output folder. A manifest that cannot be read counts as
    empty."""

    def __init__(self, folder: FilePath) -> None:
        self.folder = folder
        self.entries: dict[str, Entry] = {}
        try:
            data = json.loads((folder / NAME).read_text("utf-8"))
            self.entries = {path: Entry(**entry) for path, entry in data["files"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            self.entries = {}

    def current(self, path: FilePath, fingerprint: str) -> Entry | None:
        """Return the entry of a file that exists with its full size and has this fingerprint, else
        None."""
        entry = self.entries.get(self._key(path))
        if entry is None or entry.fingerprint != fingerprint:
            return None
        try:
            return entry if path.stat().st_size == entry.size else None
        except OSError:
            return None

    def note(self, path: FilePath, entry: Entry) -> None:
        self.entries[self._key(path)] = entry

    def remove_others(self, made: Collection[str]) -> list[FilePath]:
        """Remove the files of products and components that are not in ``made``. Return their
        paths."""
        gone = [path for path, entry in self.entries.items() if entry.of and entry.of not in made]
        for path in gone:
            del self.entries[path]
            (self.folder / path).unlink(missing_ok=True)
        return [self.folder / path for path in gone]

    def save(self) -> None:
        """Write the manifest, without entries of files that no longer exist."""
        entries = {
            path: entry._asdict()
            for path, entry in sorted(self.entries.items())
            if (self.folder / path).is_file()
        }
        write_atomically(self.folder / NAME, (json.dumps({"files": entries}, indent=1) + "\n").encode())

    def _key(self, path: FilePath) -> str:
        return path.relative_to(self.folder).as_posix()
