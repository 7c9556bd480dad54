"""Writes files atomically: a kill at any moment leaves the old file or the new one. The folder below
`output/` that holds what was made of one game is claimed by it."""

from __future__ import annotations

import json
import os
import re
import secrets
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import file_digest, sha256
from io import BytesIO
from pathlib import Path, Path as FilePath

from playproof.database.errors import (
    InputError,
    Where,
    find_path_inside_opened_archive,
    make_path_relative_to_working_folder,
)

# Writes files atomically: a kill at any moment leaves the old file or the new one.

STAMP = (1980, 1, 1, 0, 0, 0)  # the same content gives the same zip file


DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|\Z)", re.IGNORECASE)
"""What Windows takes for a device, with any ending."""


def make_safe_file_name(name: str) -> str:
    """Return a name that every file system takes.

    >>> make_safe_file_name("A/B: the café?"), make_safe_file_name("aux.1")
    ('A-B- the café', 'aux_.1')
    """
    plain = re.sub(r'[\\/:*?"<>|\x00-\x1f]+', "-", name).strip(" .-") or "card"
    return DEVICE.sub(r"\1_", plain)


def make_distinct_file_names(names: Iterable[str]) -> dict[str, str]:
    """Return a file's name for each name. Windows and macOS take `a` and `A` for one file: such names end differently.

    >>> make_distinct_file_names(["fox", "a", "A", "../b"])
    {'fox': 'fox', 'a': 'a-ca97', 'A': 'A-559a', '../b': 'b-95cd'}
    """
    made = {name: make_safe_file_name(name) for name in names}
    alike = Counter(plain.casefold() for plain in made.values())
    return {
        name: plain
        if plain == name and alike[plain.casefold()] == 1
        else f"{plain}-{sha256(name.encode()).hexdigest()[:4]}"
        for name, plain in made.items()
    }


def compute_file_sha256(path: FilePath) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def write_file_atomically(path: FilePath, data: bytes) -> None:
    """Write ``data`` to ``path`` through a temporary file in the same folder, which is made if
    missing. Raises OSError that names ``path``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.parent / f".{path.name}.{secrets.token_hex(4)}"
    try:
        with temporary.open("xb") as file:  # has the usual mode: the system takes the user's mask from it
            file.write(data)
        os.replace(temporary, path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):  # a full disk names no file, and others the temporary one
            error.filename = str(path)
        raise


def format_json_bytes(value: object, indent: int = 1) -> bytes:
    """Return a JSON file that people can read too."""
    return (json.dumps(value, indent=indent, ensure_ascii=False) + "\n").encode()


def make_reproducible_zip(content_by_name: Mapping[str, bytes]) -> bytes:
    """Return a zip file of these files, by name. The same files give the same bytes."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content_by_name.items():
            entry = zipfile.ZipInfo(name, STAMP)
            entry.compress_type = zipfile.ZIP_STORED if name.endswith(".png") else zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    return out.getvalue()


# -- output folders ------------------------------------------------------------------------------------------
# The folder below `output/` that holds what was made of one game. A hidden file in it names that game's
# folder, so that two games of one name never overwrite or remove each other's files.

MARKER = ".game"


def refuse_output_folders_of_other_games(folders_with_games: Iterable[tuple[Path, Path]]) -> None:
    """Check that each folder of results belongs to the game that stands beside it, and to one game alone.

    A game is given by its folder or file; one from an archive by the folder into which the archive was opened. Raises
    InputError (PP113) if a folder holds what was made of another game that still exists.
    """
    owners: dict[Path, Path] = {}
    for folder, source in folders_with_games:
        game = (find_path_inside_opened_archive(source) or source).resolve()
        owner = owners.setdefault(folder, _read_game_path_in_marker_or_none(folder / MARKER) or game)
        if owner != game and owner.exists():
            raise InputError.from_single_finding(
                "PP113",
                Where(str(folder)),
                f"this folder is for what is made of {make_path_relative_to_working_folder(owner)}, and "
                f"{make_path_relative_to_working_folder(game)} has the same name",
                "give another folder with --out, or rename one of the two games",
            )


def claim_output_folder_or_raise_if_taken(folder: Path, game_path: Path) -> None:
    """Record that `folder` holds what is made of the game in `game_path`. Raises InputError as
    `refuse_output_folders_of_other_games`."""
    refuse_output_folders_of_other_games([(folder, game_path)])
    # Whoever writes the files themselves says why nothing can be written here.
    with suppress(OSError):
        write_file_atomically(
            folder / MARKER, format_json_bytes({"game": make_relative_path_to_game(game_path, folder)})
        )


def _read_game_path_in_marker_or_none(marker: Path) -> Path | None:
    """Return the game that a marker names; None if there is no readable marker."""
    try:
        named = json.loads(marker.read_text("utf-8"))["game"]
        return marker.parent.joinpath(str(named)).resolve()
    except (OSError, ValueError, KeyError, TypeError):
        return None


def make_relative_path_to_game(game_path: Path, output_folder: Path) -> str:
    """Return the path from a folder of results to its game, which stays true if both move together; across drives, the
    whole path."""
    game_path = (find_path_inside_opened_archive(game_path) or game_path).resolve()
    try:
        return Path(os.path.relpath(game_path, output_folder.resolve())).as_posix()
    except ValueError:
        return game_path.as_posix()
