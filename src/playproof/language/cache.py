"""The cache on disk: generated modules and their machine code, under names made from their
content."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_ROOT = 0
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def ensure_cache_folder() -> Path:
    """Return the folder of generated modules and their machine code: $PLAYPROOF_CACHE, or a folder
    in the user's cache folder.

    What lies there is run, and its names can be foreseen. So nobody else may write there: the folder is made so, and a
    folder of the user's own is closed. Raises PermissionError if the folder belongs to somebody else.
    """
    configured = os.environ.get("PLAYPROOF_CACHE")
    if configured:
        base = Path(configured)
    else:
        users_cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
        base = users_cache / "playproof"
    base.mkdir(mode=0o700, parents=True, exist_ok=True)
    if hasattr(os, "geteuid"):  # other systems keep rights otherwise
        _restrict_writing_to_owner(base)
    return base


def _restrict_writing_to_owner(folder: Path) -> None:
    """Take the right to write in a folder from all but its owner, who must be this user or the system's (root)."""
    held = folder.stat()
    if held.st_uid not in (os.geteuid(), _ROOT):
        raise PermissionError(
            errno.EPERM,
            "the cache belongs to somebody else, and code from it is run; set "
            "PLAYPROOF_CACHE to a folder of your own",
            str(folder),
        )
    if held.st_mode & _OTHERS_WRITE and held.st_uid == os.geteuid():
        folder.chmod(stat.S_IMODE(held.st_mode) & ~_OTHERS_WRITE)
