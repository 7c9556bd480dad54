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

from playproof.database.files import write_file_atomically
from playproof.language.cache import ensure_private_cache_folder
from playproof.verifier.kernel.strict_json import to_canonical_json_text


def create_and_get_stored_answers_folder() -> Path:
    """Return the folder of answers, one file each."""
    folder = ensure_private_cache_folder() / "answers"
    folder.mkdir(exist_ok=True)
    return folder


class AnswerStore:
    """The answers that rest on some premises, which every key holds: at least the digest of the deciding code."""

    def __init__(self, *premises: Any) -> None:
        self._folder = create_and_get_stored_answers_folder()
        self._premises = [z3.get_version_string(), *premises]

    def make_key_with_premises(self, *question_parts: Any) -> str:
        """Return the name of an answer: equal names mean the same question about the same game."""
        return sha256(to_canonical_json_text([*self._premises, *question_parts]).encode()).hexdigest()

    def read_stored_answer_or_none(self, key: str) -> Any:
        """Return an answer as JSON data; None if there is none, or none that can be read."""
        with suppress(OSError, ValueError):
            return json.loads((self._folder / key).read_text("utf-8"))
        return None

    def store_answer_under_key(self, key: str, answer: Any) -> None:
        """Store an answer, which is JSON data. Raises OSError."""
        write_file_atomically(self._folder / key, json.dumps(answer, ensure_ascii=False).encode())
