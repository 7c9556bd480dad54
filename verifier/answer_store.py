"""Answers of earlier runs, in the user's cache folder: on claims in two versions of a game (`errata`, the workshop), on
claims under other choices (`prove depends`), and on changed games (`prove mutate`).

An answer is stored under a digest of all that it rests on: the code that decides it, the version of Z3, and what its
asker names. It is trusted as machine code in that folder is. `prove` asks everything anew, and `check` has no part in
it. Whoever prints a stored answer says so, and asks again with `--fresh`.
"""

from __future__ import annotations

import json
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import z3

from playproof.database.files import write_atomically
from playproof.language.cache import ensure_cache_folder
from playproof.verifier.kernel.strict import to_canonical


def ensure_answers_folder() -> Path:
    """Return the folder of answers, one file each."""
    folder = ensure_cache_folder() / "answers"
    folder.mkdir(exist_ok=True)
    return folder


class AnswerStore:
    """The answers that rest on some premises, which every key holds: at least the digest of the deciding code."""

    def __init__(self, *premises: Any) -> None:
        self._folder = ensure_answers_folder()
        self._premises = [z3.get_version_string(), *premises]

    def make_key(self, *parts: Any) -> str:
        """Return the name of an answer: equal names mean the same question about the same game."""
        return sha256(to_canonical([*self._premises, *parts]).encode()).hexdigest()

    def read_answer(self, key: str) -> Any:
        """Return an answer as JSON data; None if there is none, or none that can be read."""
        with suppress(OSError, ValueError):
            return json.loads((self._folder / key).read_text("utf-8"))
        return None

    def write_answer(self, key: str, answer: Any) -> None:
        """Store an answer, which is JSON data. Raises OSError."""
        write_atomically(self._folder / key, json.dumps(answer, ensure_ascii=False).encode())
