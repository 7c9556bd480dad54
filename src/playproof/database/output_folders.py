"""The folder below `output/` that holds what was made of one game. A hidden file in it names that game's folder, so
that two games of one name never overwrite or remove each other's files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from playproof.database.errors import InputError, Where, find_path_in_archive, shorten_path
from playproof.database.files import format_json_bytes, write_atomically

MARKER = ".game"


def check_output_folders(sources: Iterable[tuple[Path, Path]]) -> None:
    """Check that each folder of results belongs to the game that stands beside it, and to one game alone.

    A game is given by its folder or file; one from an archive by the folder into which the archive was opened. Raises
    InputError (PP113) if a folder holds what was made of another game that still exists.
    """
    owners: dict[Path, Path] = {}
    for folder, source in sources:
        game = (find_path_in_archive(source) or source).resolve()
        owner = owners.setdefault(folder, _read_owner(folder / MARKER) or game)
        if owner != game and owner.exists():
            raise InputError.from_single_finding(
                "PP113",
                Where(str(folder)),
                f"this folder is for what is made of {shorten_path(owner)}, and {shorten_path(game)} has the same name",
                "give another folder with --out, or rename one of the two games",
            )


def claim_output_folder(folder: Path, source: Path) -> None:
    """Record that `folder` holds what is made of the game in `source`. Raises InputError as `check_output_folders`."""
    check_output_folders([(folder, source)])
    # Whoever writes the files themselves says why nothing can be written here.
    with suppress(OSError):
        write_atomically(
            folder / MARKER, format_json_bytes({"game": make_relative_source_path(source, folder)})
        )


def _read_owner(marker: Path) -> Path | None:
    """Return the game that a marker names; None if there is no readable marker."""
    try:
        named = json.loads(marker.read_text("utf-8"))["game"]
        return marker.parent.joinpath(str(named)).resolve()
    except (OSError, ValueError, KeyError, TypeError):
        return None


def make_relative_source_path(source: Path, folder: Path) -> str:
    """Return the path from a folder of results to its game, which stays true if both move together; across drives, the
    whole path."""
    source = (find_path_in_archive(source) or source).resolve()
    try:
        return Path(os.path.relpath(source, folder.resolve())).as_posix()
    except ValueError:
        return source.as_posix()
