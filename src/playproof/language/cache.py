"""The cache on disk, and the record of what a description was made from, by which a later run knows
whether it would come out the same.

While a game is built, this module notes every file that is opened, every folder that is listed and
all loaded modules of the project. If all their bytes are the same, the description is the same."""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.util import source_from_cache
from pathlib import Path
from typing import Any

from playproof.database.installation import PACKAGE

# -- build inputs --------------------------------------------------------------------------------------------
# Records what a description was made from, so that a later run knows whether it would come out the same.

_OPENED, _LISTED = "open", {"os.listdir", "os.scandir"}
_watching: list[set[str]] = []
_hooks: list[object] = []


@contextmanager
def collect_paths_read_in_block() -> Iterator[set[str]]:
    """Collect the paths of the files and folders that are read inside the `with` block."""
    if not _hooks:  # a hook stays for good, so there is one
        _hooks.append(_add_read_path_from_audit_event)
        sys.addaudithook(_add_read_path_from_audit_event)
    paths: set[str] = set()
    _watching.append(paths)
    try:
        yield paths
    finally:
        _watching.remove(paths)


def _add_read_path_from_audit_event(event: str, arguments: tuple[Any, ...]) -> None:
    if not _watching or (event != _OPENED and event not in _LISTED):
        return
    if not arguments or not isinstance(arguments[0], str | os.PathLike):
        return  # an open file's number has no path
    path = os.fspath(arguments[0])
    if event == _OPENED:
        mode = arguments[1]
        if isinstance(mode, str) and mode[:1] in ("w", "a", "x"):
            return  # what is written is no source
    for paths in _watching:
        paths.add(path)


def compute_digest_by_path_of_build_inputs(paths_read: Iterable[str]) -> dict[str, str]:
    """Return the digest of each data file read, of the folders that hold them, of listed
    subfolders, and of the loaded modules."""
    paths = {
        os.path.abspath(path)
        for path in map(_get_py_path_of_pyc_or_same_path, paths_read)
        if _is_path_of_game_or_project(path)
    }
    data = {path for path in paths if not path.endswith(".py") and not os.path.isdir(path)}
    # loaded from a file, they need not be among the modules
    rules = {path for path in paths if path.endswith(".py")}
    homes = {os.path.dirname(path) for path in data}  # a file more in one of them would be read too
    folders = {path for path in paths if os.path.isdir(path) and os.path.dirname(path) in homes}
    modules = {os.path.abspath(path) for path in _list_files_of_loaded_modules() if _is_path_of_game_or_project(path)}
    return {
        path: _compute_digest_of_path_or_empty(path) for path in sorted({*data, *rules, *homes, *folders, *modules})
    }


def are_build_inputs_unchanged(digest_by_path: Mapping[str, str]) -> bool:
    """Return whether everything that was read is unchanged."""
    return all(_compute_digest_of_path_or_empty(path) == digest for path, digest in digest_by_path.items())


def _get_py_path_of_pyc_or_same_path(path: str) -> str:
    """Return the source path of a compiled module; Python opens only the compiled file if it is up
    to date."""
    if not path.endswith(".pyc"):
        return path
    try:
        return source_from_cache(path)
    except ValueError:
        return path


def _list_files_of_loaded_modules() -> list[str]:
    """Return the files of all loaded modules."""
    files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    return [file for file in files if file]


def _is_path_of_game_or_project(path: str) -> bool:
    """Return whether a path belongs to the game or the project, not to Python, another package or a
    compiled module."""
    whole = os.path.realpath(path)
    if whole.startswith(str(PACKAGE)):
        return "__pycache__" not in whole
    return not ("__pycache__" in whole or whole.startswith(_list_python_installation_folders()))


@cache
def _list_python_installation_folders() -> tuple[str, ...]:
    """Return the folders of Python and of installed packages."""
    from sysconfig import get_paths

    folders = get_paths()
    installed = [os.path.realpath(folders[name]) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    return *installed, "/proc", "/dev"


def _compute_digest_of_path_or_empty(path: str) -> str:
    """Return the digest of a file's bytes or of the names in a folder; "" if it cannot be read."""
    try:
        if os.path.isdir(path):
            content = "\0".join(sorted(n for n in os.listdir(path) if n != "__pycache__")).encode()
        else:
            with open(path, "rb") as file:
                content = file.read()
    except OSError:
        return ""
    return hashlib.sha256(content).hexdigest()[:32]


# The cache on disk: generated modules and their machine code, under names made from their content.

_ROOT = 0
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def ensure_private_cache_folder() -> Path:
    """Return the folder of generated modules and their machine code: $PLAYPROOF_CACHE, or a folder
    in the user's cache folder.

    What lies there is run, and its names can be foreseen. So nobody else may write there: the folder is made so, and a
    folder of the user's own is closed. Where the user's cache folder cannot be written, as in many containers, one
    among temporary files takes its place. Raises PermissionError if the folder belongs to somebody else, and OSError if
    the one that $PLAYPROOF_CACHE names cannot be made.
    """
    configured = os.environ.get("PLAYPROOF_CACHE")
    try:
        base = Path(configured) if configured else _find_users_cache_folder()
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not configured and not os.access(base, os.W_OK):
            raise OSError(errno.EROFS, "it cannot be written", str(base))
    except OSError as error:
        if configured:
            why = f"the folder that PLAYPROOF_CACHE names cannot be used: {error.strerror}"
            raise OSError(error.errno, why, configured) from None
        base = _make_temporary_cache_folder_and_warn(error)
    if hasattr(os, "geteuid"):  # other systems keep rights otherwise
        _restrict_writing_or_refuse_foreign_folder(base)
    return base


def _find_users_cache_folder() -> Path:
    """Return the user's cache folder. Raises OSError if the system knows no home of this user."""
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "playproof"
    except RuntimeError as error:
        raise OSError(errno.ENOENT, str(error), "~") from None


def _make_temporary_cache_folder_and_warn(cause: OSError) -> Path:
    """Make a cache folder of this user's among temporary files, for this process and its workers, which find it by
    $PLAYPROOF_CACHE, and say so. Raises OSError."""
    user = os.geteuid() if hasattr(os, "geteuid") else "user"
    folder = Path(tempfile.gettempdir()) / f"playproof-cache-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    logging.getLogger("playproof").warning(
        "the cache cannot be written (%s: %s), so %s takes its place; PLAYPROOF_CACHE names another folder",
        cause.filename,
        cause.strerror,
        folder,
    )
    os.environ["PLAYPROOF_CACHE"] = str(folder)
    return folder


def _restrict_writing_or_refuse_foreign_folder(folder: Path) -> None:
    """Take the right to write in a folder from all but its owner, who must be this user or the system's (root)."""
    held = folder.stat()
    if held.st_uid not in (os.geteuid(), _ROOT):
        raise PermissionError(
            errno.EPERM,
            "the cache belongs to somebody else, and code from it is run; set PLAYPROOF_CACHE to a folder of your own",
            str(folder),
        )
    if held.st_mode & _OTHERS_WRITE and held.st_uid == os.geteuid():
        folder.chmod(stat.S_IMODE(held.st_mode) & ~_OTHERS_WRITE)
