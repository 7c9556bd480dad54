"""What earlier runs found in a game's versions, in the user's cache folder: findings, and rulebook pages that differ.

A result is stored under a digest of all that it rests on: the files of the game and of the layouts, the code of
Playproof and every module that the rules have loaded, Python and its packages, and the versions that were compared. So
a changed comma makes another name, and nothing is ever taken for what it was. Results of what is asked again with
`--fresh` replace those stored.
"""

from __future__ import annotations

import json
import os
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from sysconfig import get_paths
from typing import Any, TypeVar

from playproof.database.errors import Finding, SheetName, Where
from playproof.database.files import write_file_atomically
from playproof.database.game import Game
from playproof.database.installation import compute_digest_of_program_code
from playproof.database.worker_processes import start_work_and_return_waiter
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.language.cache import compute_digest_by_path_of_build_inputs, ensure_private_cache_folder

R = TypeVar("R")
Json = Any
_NO_PARTS_OF_GAMES = frozenset({"__pycache__", ".git", ".venv"})


class StoredChecks:
    """The results of checks on two versions of a game as their files stand now."""

    def __init__(self, game_ref: str, versions: Sequence[bool | str], game: Game, *, fresh: bool = False) -> None:
        """Take a digest of all that the checks rest on. The rules have to be loaded, so that their modules are known.
        Nothing is stored of a game whose cards are in spreadsheets, which may lie anywhere, or that is no folder."""
        self._fresh, self._premises = fresh, ""
        if not game.facts.sheets and game.folder.is_dir():
            self._premises = _hash_premises(game_ref, versions, game.folder)

    def start_or_recall(
        self,
        check: str,
        find: Callable[[], R],
        jobs: int,
        to_json: Callable[[R], Json],
        from_json: Callable[[Json], R],
    ) -> Callable[[], R]:
        """Return what waits for the result of a check: the stored one, or else what `find` finds, beside other work
        where there are several jobs. `to_json` gives None for what cannot be stored."""
        stored = self._read_or_none(check)
        if stored is not None:
            with suppress(KeyError, TypeError, ValueError):  # written by something else: find it again
                return partial(_return_value, from_json(stored))
        wait = start_work_and_return_waiter(find, jobs)

        def wait_and_store() -> R:
            found = wait()
            self._store(check, to_json(found))
            return found

        return wait_and_store

    def _get_path(self, check: str) -> Path:
        folder = ensure_private_cache_folder() / "checks"
        folder.mkdir(exist_ok=True)
        return folder / sha256(f"{self._premises}\0{check}".encode()).hexdigest()

    def _read_or_none(self, check: str) -> Json:
        if self._fresh or not self._premises:
            return None
        with suppress(OSError, ValueError):
            return json.loads(self._get_path(check).read_text("utf-8"))
        return None

    def _store(self, check: str, data: Json) -> None:
        if data is not None and self._premises:
            with suppress(OSError):  # a cache that cannot be written costs time, and no more
                write_file_atomically(self._get_path(check), json.dumps(data).encode())


def _return_value(value: R) -> R:
    return value


def _hash_premises(game_ref: str, versions: Sequence[bool | str], folder: Path) -> str:
    """Return the digest of all that a check rests on."""
    packages = sorted(path.name for path in Path(get_paths()["purelib"]).glob("*.dist-info"))
    parts = [
        *(str(game_ref), os.getcwd(), [str(version) for version in versions], sys.version, packages),
        *(compute_digest_of_program_code(), compute_digest_by_path_of_build_inputs(())),
        *(_hash_files_of_folder(each) for each in (folder.resolve(), LAYOUTS.resolve())),
    ]
    return sha256(json.dumps(parts).encode()).hexdigest()


def _hash_files_of_folder(folder: Path) -> Mapping[str, str]:
    """Return the digests of all files of a folder, by their places in it, but for what no game is made of."""
    files = (path for path in folder.rglob("*") if not _NO_PARTS_OF_GAMES.intersection(path.parts) and path.is_file())
    return {path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest() for path in sorted(files)}


def findings_to_json(findings: Iterable[Finding]) -> Json:
    """Return findings as JSON data; None if one is in a spreadsheet, whose places have another form."""
    rows = list(findings)
    if any(isinstance(each.where.file, SheetName) for each in rows):
        return None
    return [_finding_to_json(finding) for finding in rows]


def _finding_to_json(finding: Finding) -> Json:
    file, line, column = finding.where
    place = [isinstance(file, Path), str(file), line, column]
    return [finding.code, *place, finding.message, finding.hint, finding.severity, list(finding.about)]


def findings_from_json(rows: Json) -> list[Finding]:
    """Return the findings of `findings_to_json`. Raises ValueError or TypeError for other data."""
    findings = []
    for code, is_path, file, line, column, message, hint, severity, about in rows:
        where = Where(Path(file) if is_path else file, line, column)
        findings.append(Finding(code, where, message, hint, severity, tuple(about)))
    return findings


def bytes_to_json_text(data: bytes) -> str:
    """Return bytes as text."""
    return b64encode(data).decode()


def bytes_from_json_text(text: str) -> bytes:
    """Return the bytes of `bytes_to_json_text`. Raises ValueError for other text."""
    return b64decode(text, validate=True)
