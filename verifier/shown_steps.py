"""What earlier runs showed of steps (`kernel/induction.py`), in the user's cache folder: a digest for each question.

It is trusted as machine code in that folder is. It serves `errata` and `depends` alone, which ask about many versions
of a game. `prove` adds to it and asks all anew; `check` has no part in it. No archive and no evidence holds any of it.
"""

from __future__ import annotations

import os
from pathlib import Path

import z3

from playproof.database.places import compute_program_digest
from playproof.language.cache import ensure_cache_folder

_ROOMS = ("verifier", "language", "database")
"""The packages whose code decides what a digest says."""
_LETTERS = 64


def load_proved_step_digests() -> set[bytes]:
    """Return the digests that runs of this program with this Z3 kept. A line that a stopped process left half written
    counts for nothing."""
    try:
        lines = _get_step_cache_path().read_text("ascii").split()
        return {bytes.fromhex(line) for line in lines if len(line) == _LETTERS}
    except (OSError, ValueError):
        return set()


def store_proved_step_digests(digests: set[bytes]) -> None:
    """Keep digests for later runs. Several processes may do so at once: each adds in one piece what is not there."""
    text = "".join(f"\n{digest.hex()}" for digest in sorted(digests - load_proved_step_digests()))
    if text:
        file = os.open(_get_step_cache_path(), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, f"{text}\n".encode())
        finally:
            os.close(file)


def _get_step_cache_path() -> Path:
    folder = ensure_cache_folder() / "steps"
    folder.mkdir(exist_ok=True)
    return folder / f"{compute_program_digest(_ROOMS)[:32]}-{z3.get_version_string()}"
