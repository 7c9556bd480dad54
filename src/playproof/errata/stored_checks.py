"""What earlier runs found in a game's versions: findings, and rulebook pages that differ.

They rest on the files of the game and of the layouts, the code of Playproof and every module that the rules have
loaded, Python and its packages, and the versions that were compared.
"""

from __future__ import annotations

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
from playproof.database.game import Game
from playproof.database.installation import compute_digest_of_program_code
from playproof.database.worker_processes import start_or_defer_work_until_waited
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.language.cache import compute_digest_by_path_of_build_inputs
from playproof.language.result_store import ResultStore

R = TypeVar("R")
Json = Any
_NO_PARTS_OF_GAMES = frozenset({"__pycache__", ".git", ".venv"})


class StoredChecks:
    """The results of checks on two versions of a game as their files stand now."""

    def __init__(self, game_ref: str, versions: Sequence[bool | str], game: Game, *, fresh: bool = False) -> None:
        """Take a digest of all that the checks rest on. The rules have to be loaded, so that their modules are known.
        Nothing is stored of a game whose cards are in spreadsheets, which may lie anywhere, or that is no folder."""
        self._fresh = fresh
        self._store: ResultStore | None = None
        if not game.facts.sheets and game.folder.is_dir():
            self._store = ResultStore("check", *_list_premises(game_ref, versions, game.folder))

    def start_check_or_recall_result(
        self,
        check: str,
        find: Callable[[], R],
        jobs: int,
        to_json: Callable[[R], Json],
        from_json: Callable[[Json], R],
    ) -> Callable[[], R]:
        """Return what waits for the result of a check: the stored one, or else what `find` finds, beside other work
        where there are several jobs. `to_json` gives None for what cannot be stored."""
        store = self._store
        if store is None:
            return start_or_defer_work_until_waited(find, jobs)
        key = store.make_key_with_premises(check)
        stored = None if self._fresh else store.read_stored_result_or_none(key)
        if stored is not None:
            with suppress(KeyError, TypeError, ValueError):  # written by something else: find it again
                return partial(_return_value, from_json(stored))
        wait = start_or_defer_work_until_waited(find, jobs)

        def wait_and_store() -> R:
            found = wait()
            data = to_json(found)
            if data is not None:
                store.store_result_if_possible(key, data)
            return found

        return wait_and_store


def _return_value(value: R) -> R:
    return value


def _list_premises(game_ref: str, versions: Sequence[bool | str], folder: Path) -> list[Json]:
    """Return all that a check rests on, as JSON data."""
    packages = sorted(path.name for path in Path(get_paths()["purelib"]).glob("*.dist-info"))
    return [
        *(str(game_ref), os.getcwd(), [str(version) for version in versions], sys.version, packages),
        *(compute_digest_of_program_code(), compute_digest_by_path_of_build_inputs(())),
        *(_hash_files_of_folder(each) for each in (folder.resolve(), LAYOUTS.resolve())),
    ]


def _hash_files_of_folder(folder: Path) -> Mapping[str, str]:
    """Return the digests of all files of a folder, by their places in it, but for what no game is made of."""
    files = (path for path in folder.rglob("*") if not _NO_PARTS_OF_GAMES.intersection(path.parts) and path.is_file())
    return {path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest() for path in sorted(files)}


def findings_to_json_or_none(findings: Iterable[Finding]) -> Json:
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
    """Return the findings of `findings_to_json_or_none`. Raises ValueError or TypeError for other data."""
    findings = []
    for code, is_path, file, line, column, message, hint, severity, about in rows:
        where = Where(Path(file) if is_path else file, line, column)
        findings.append(Finding(code, where, message, hint, severity, tuple(about)))
    return findings


def bytes_to_base64_text(data: bytes) -> str:
    """Return bytes as text."""
    return b64encode(data).decode()


def bytes_from_base64_text(text: str) -> bytes:
    """Return the bytes of `bytes_to_base64_text`. Raises ValueError for other text."""
    return b64decode(text, validate=True)
