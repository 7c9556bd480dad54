"""Finds the game that a file records: by its name, and among several of one name by the digest of its description.

A file never says whose rules are run. They are those of a game that a person has named, of an installed game, or none:
archives are read without their Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from playproof.database.game import has_cards
from playproof.language.archive import extract_to_cache, guess_game_name
from playproof.language.described import FOLDER, RULES, load_description_folder
from playproof.language.description import DescriptionError, digest
from playproof.language.options import OptionError, Options
from playproof.language.registry import UnknownGame, build, is_installed, is_recorded_as

_MOST_ARCHIVES = 200
"""Archives of a folder that are looked at."""


@dataclass(frozen=True)
class RecordedGame:
    """What a file says of its game: its name, the digest of its description ("" if a person wrote the file), and
    the setting that it was played under."""

    name: str
    digest: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    rulings: Mapping[str, str] = field(default_factory=dict)

    def has_digest_of(self, ref: str) -> bool:
        """Return whether a game's description under the setting has the recorded digest."""
        described = load_description_folder(ref)
        if described is not None:
            return any(self.digest == name for _, name in described.settings)
        try:
            return digest(build(ref, Options(dict(self.options), dict(self.rulings)))) == self.digest
        except OptionError:
            return False


def find_recorded_game(recorded: RecordedGame, refs: Iterable[str] = (), folders: Iterable[Path] = ()) -> str:
    """Return what finds a recorded game: among `refs`, which a person has named and which go first; else among the
    installed games and the archives in some folders. If several have its name, the digest decides. Raises
    UnknownGame."""
    named = [ref for ref in refs if is_recorded_as(ref, recorded.name)]
    if named:
        return named[0] if len(named) == 1 else next(filter(recorded.has_digest_of, named), named[0])
    if "/" in recorded.name or "\\" in recorded.name or recorded.name in (".", ".."):
        raise UnknownGame(
            f"expected the name of a game, found the path `{recorded.name}`; rules are never run from a path "
            "in a file"
        )
    installed = [recorded.name] if is_installed(recorded.name) else []
    archives = {
        ref: archive for folder in folders for archive, ref in _iter_archives_of_game(folder, recorded.name)
    }
    there = [*installed, *archives]
    if not there:
        raise UnknownGame(f"no installed game is called `{recorded.name}`, and no archive here is of it")
    if len(there) == 1 or (installed and not recorded.digest):
        return there[0]
    same = next(filter(recorded.has_digest_of, there), None)
    if same is None:
        places = ", ".join(
            ["the installed game"] * len(installed) + [str(path) for path in archives.values()]
        )
        raise UnknownGame(
            f"several games are called `{recorded.name}` ({places}), and none has the recorded digest "
            f"{recorded.digest[:16]}; name one with --game"
        )
    return same


def is_archive_folder(ref: str) -> bool:
    """Return whether a folder is no game itself, but holds archives."""
    folder = Path(ref)
    is_game = has_cards(folder) or any((folder / part).exists() for part in (*RULES, FOLDER))
    return not is_installed(ref) and folder.is_dir() and not is_game and any(folder.glob("*.zip"))


def _iter_archives_of_game(folder: Path, name: str) -> Iterator[tuple[Path, str]]:
    """Yield the archives in a folder of a game of this name, with the folders of their files. What is no archive, or
    a broken one, is passed over."""
    for path in sorted(folder.glob("*.zip"))[:_MOST_ARCHIVES]:
        try:
            if path.is_file() and guess_game_name(path) == name:
                yield path, extract_to_cache(str(path))
        except DescriptionError:
            continue
