"""The folder below `output/` that holds what was made of one game. A hidden file in it names that game's folder, so
that two games of one name never overwrite or remove each other's files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from playproof.database.errors import InputError, Where, in_archive, short_path
from playproof.database.files import json_bytes, write_atomically

MARKER = ".game"


def check_output_folders(sources: Iterable[tuple[Path, Path]]) -> None:
    """Check that each folder of results belongs to the game that stands beside it, and to one game alone.

    A game is given by its folder or file; one from an archive by the folder into which the archive was opened. Raises
    InputError (PP113) if a folder holds what was made of another game that still exists.
    """
    owners: dict[Path, Path] = {}
    for folder, source in sources:
        game = (in_archive(source) or source).resolve()
        owner = owners.setdefault(folder, _read_owner(folder / MARKER) or game)
        if owner != game and owner.exists():
            raise InputError.of(
                "PP113",
                Where(str(folder)),
                f"this folder is for what is made of {short_path(owner)}, and {short_path(game)} has the same name",
                "give another folder with --out, or rename one of the two games",
            )


def claim_output_folder(folder: Path, source: Path) -> None:
    """Record that `folder` holds what is made of the game in `source`. Raises InputError as `check_output_folders`."""
    check_output_folders([(folder, source)])
    # Whoever writes the files themselves says why nothing can be written here.
    with suppress(OSError):
        write_atomically(folder / MARKER, json_bytes({"game": relative_source(source, folder)}))


def _read_owner(marker: Path) -> Path | None:
    """Return the game that a marker names; None if there is no readable marker."""
    try:
        named = json.loads(marker.read_text("utf-8"))["game"]
        return marker.parent.joinpath(str(named)).resolve()
    except (OSError, ValueError, KeyError, TypeError):
        return None


def relative_source(source: Path, folder: Path) -> str:
    """Return the path from a folder of results to its game, which stays true if both move together; across drives, the
    whole path."""
    source = (in_archive(source) or source).resolve()
    try:
        return Path(os.path.relpath(source, folder.resolve())).as_posix()
    except ValueError:
        return source.as_posix()
