"""Writes files atomically: a kill at any moment leaves the old file or the new one."""

from __future__ import annotations

import os
import tempfile
from hashlib import file_digest
from pathlib import Path as FilePath


def sha256_of(path: FilePath) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def write_atomically(path: FilePath, data: bytes) -> None:
    """Write ``data`` to ``path`` through a temporary file in the same folder, which is made if
    missing. Raises OSError that names ``path``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException as error:
        os.unlink(temporary)
        if isinstance(error, OSError):  # a full disk names no file, and others the temporary one
            error.filename = str(path)
        raise
