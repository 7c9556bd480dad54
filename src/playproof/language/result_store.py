"""Results of earlier runs, in the user's cache folder: answers to claims, findings of checks, counts of games.

A result is stored under a digest of all that it rests on, which whoever stores it names. So a changed comma makes
another name, and nothing is ever taken for what it was. It is trusted as machine code in that folder is. Whoever prints
a stored result says so, and asks again with `--fresh`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from playproof.database.files import write_file_atomically
from playproof.language.cache import ensure_private_cache_folder


def create_and_get_stored_results_folder() -> Path:
    """Return the folder of results, one file each; it may be missing where the disk is full."""
    folder = ensure_private_cache_folder() / "answers"
    with suppress(OSError):
        folder.mkdir(exist_ok=True)
    return folder


class ResultStore:
    """The results that rest on some premises, which every key holds: at least the digest of the deciding code."""

    def __init__(self, *premises: Any, to_json_text: Callable[[Any], str] = json.dumps) -> None:
        """Take premises, which `to_json_text` turns into one text."""
        self._folder = create_and_get_stored_results_folder()
        self._premises, self._to_json_text = premises, to_json_text

    def make_key_with_premises(self, *parts: Any) -> str:
        """Return the name of a result: equal names mean the same question about the same things."""
        return sha256(self._to_json_text([*self._premises, *parts]).encode()).hexdigest()

    def read_stored_result_or_none(self, key: str) -> Any:
        """Return a result as JSON data; None if there is none, or none that can be read."""
        with suppress(OSError, ValueError):
            return json.loads((self._folder / key).read_text("utf-8"))
        return None

    def store_result_under_key(self, key: str, result: Any) -> None:
        """Store a result, which is JSON data. Raises OSError."""
        write_file_atomically(self._folder / key, json.dumps(result, ensure_ascii=False).encode())

    def store_result_if_possible(self, key: str, result: Any) -> None:
        """Store a result whose loss costs time, and no more."""
        with suppress(OSError):
            self.store_result_under_key(key, result)
