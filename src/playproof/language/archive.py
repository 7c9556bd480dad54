"""Archives of games: a zip file with one folder, which has the game's name.

An archive may come from anybody. It is read with limits, and nothing of it is run: `extract_to_cache` leaves its
Python where it is.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from hashlib import sha256
from io import BytesIO
from pathlib import Path, PurePosixPath

from playproof.database.errors import register_archive_folder
from playproof.database.source import read_plain_file
from playproof.language.cache import ensure_cache_folder
from playproof.language.described import CODE, FOLDER, MANIFEST
from playproof.language.description import DescriptionError
from playproof.language.errors import Place

EVIDENCE = "evidence"
"""The folder of an archive that holds evidence of the game's claims."""
MOST_BYTES = 200_000_000  # of the archive
_MOST_UNPACKED = 500_000_000
_MOST_FILES = 20_000
_MOST_INSIDE = 12  # folders in one another
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,60}")
_PART = re.compile(r"[^\x00-\x1f\x7f/\\:*?\"<>|.~][^\x00-\x1f\x7f/\\:*?\"<>|]{0,119}")
_BROKEN = (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, RecursionError)
_PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def is_archive(ref: str) -> bool:
    """Return whether a game is given as an archive."""
    return ref.endswith(".zip") and Path(ref).is_file()


def extract_to_cache(archive: str, *, trusted: bool = False) -> str:
    """Return a folder with what the archive holds, but for its Python, unless that is `trusted`. It is in the
    cache, under the digest of the archive. Raises DescriptionError (PP371)."""
    data = _read_archive_bytes(Path(archive))
    files = dict(_iter_checked_files(archive, data))
    name = _find_game_name(archive, files)
    folder = ensure_cache_folder() / ("trusted" if trusted else "archives") / sha256(data).hexdigest() / name
    wanted = {path: info for path, info in files.items() if trusted or not _is_python_path(path)}
    if not _has_exactly_archive_files(folder.parent, archive, data, wanted):
        shutil.rmtree(folder.parent, ignore_errors=True)  # somebody has emptied or changed it
        _write_files_atomically(archive, data, wanted, folder.parent)
    register_archive_folder(str(folder), Path(archive))
    return str(folder)


def guess_game_name(archive: Path) -> str:
    """Return the name of the game that an archive seems to be of, from its list of files alone; "" for what is no
    archive."""
    try:
        with zipfile.ZipFile(archive) as listed:
            return listed.namelist()[0].partition("/")[0]
    except (*_BROKEN, IndexError):
        return ""


def unpack_archive(archive: str, into: Path) -> Path:
    """Write all files of an archive below a folder, and return the game's. Raises DescriptionError (PP371), and
    FileExistsError if there is something of this name."""
    data = _read_archive_bytes(Path(archive))
    files = dict(_iter_checked_files(archive, data))
    folder = into / _find_game_name(archive, files)
    if folder.exists() or folder.is_symlink():
        raise FileExistsError(f"{folder} exists already")
    into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".unpack-", dir=into) as made:
        _write_files_atomically(archive, data, files, Path(made) / "all")
        os.replace(Path(made) / "all" / folder.name, folder)
    return folder


def build_archive(name: str, files: dict[str, bytes]) -> bytes:
    """Return an archive of these files, by their paths below the game's folder. Equal files give equal bytes."""
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(files):
            info = zipfile.ZipInfo(f"{name}/{path}", (1980, 1, 1, 0, 0, 0))
            info.external_attr, info.create_system = (stat.S_IFREG | 0o644) << 16, 3
            archive.writestr(info, files[path], zipfile.ZIP_DEFLATED, 9)
    return made.getvalue()


def _make_archive_error(archive: str, message: str) -> DescriptionError:
    return DescriptionError(
        CODE, message, "`playproof export archive GAME` makes archives", Place(archive, 1)
    )


def _read_archive_bytes(archive: Path) -> bytes:
    try:
        return read_plain_file(archive, MOST_BYTES)
    except OSError as error:
        raise _make_archive_error(str(archive), f"it cannot be read: {error.strerror or error}") from None


def _iter_checked_files(archive: str, data: bytes) -> Iterator[tuple[str, zipfile.ZipInfo]]:
    """Yield the files of an archive with their paths. Raises DescriptionError for one that is not plain."""
    try:
        listed = zipfile.ZipFile(BytesIO(data)).infolist()
    except _BROKEN as error:
        raise _make_archive_error(archive, f"expected a zip file: {error}") from None
    if len(listed) > _MOST_FILES:
        raise _make_archive_error(archive, f"expected at most {_MOST_FILES:,} files, found {len(listed):,}")
    if sum(info.file_size for info in listed) > _MOST_UNPACKED:
        raise _make_archive_error(archive, f"its files have more than {_MOST_UNPACKED:,} bytes")
    seen = set[str]()
    for info in listed:
        path = info.orig_filename
        parts = path.split("/")
        if (
            path != info.filename
            or not 2 <= len(parts) <= _MOST_INSIDE
            or not all(map(_is_portable_file_name, parts))
        ):
            raise _make_archive_error(archive, f"`{ascii(path)[1:80]}` is no path inside a game's folder")
        kind = info.external_attr >> 16
        if (kind and not stat.S_ISREG(kind)) or info.flag_bits & 1 or info.compress_type not in _PLAIN:
            raise _make_archive_error(
                archive, f"`{path[:80]}` is no plain file: a link, locked, or packed in another way"
            )
        alike = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", path).casefold())
        if alike in seen:
            raise _make_archive_error(archive, f"`{path[:80]}` stands twice")
        seen.add(alike)
        yield path, info


def _is_portable_file_name(part: str) -> bool:
    """Return whether this names a file or folder alike on every system: some leave out dots and spaces at the end,
    and letters that are not seen."""
    return bool(_PART.fullmatch(part)) and part[-1] not in ". " and part.isprintable()


def _find_game_name(archive: str, files: dict[str, zipfile.ZipInfo]) -> str:
    """Return the name of the one game that an archive holds."""
    games = {PurePosixPath(path).parts[0] for path in files}
    if len(games) != 1:
        raise _make_archive_error(archive, f"expected the folder of one game, found {len(games)}")
    (name,) = games
    if not _NAME.fullmatch(name) or f"{name}/{FOLDER}/{MANIFEST}" not in files:
        raise _make_archive_error(archive, f"expected `{name[:60]}/{FOLDER}/{MANIFEST}`")
    return name


def _is_python_path(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return parts[1].casefold() == "rules" or path.casefold().endswith((".py", ".pyc", ".so", ".pyd"))


def _write_files_atomically(
    archive: str, data: bytes, files: dict[str, zipfile.ZipInfo], folder: Path
) -> None:
    """Write files below a folder: all of them or none."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=".part-", dir=folder.parent))
    try:
        with zipfile.ZipFile(BytesIO(data)) as source:
            for path, info in files.items():
                target = made / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(_read_archive_member(archive, source, info))
        try:
            os.replace(made, folder)
        except OSError:
            if not folder.is_dir():  # else another process was first, with the same bytes
                raise
    except OSError as error:
        raise _make_archive_error(archive, f"its files cannot be written: {error}") from None
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _has_exactly_archive_files(
    folder: Path, archive: str, data: bytes, files: dict[str, zipfile.ZipInfo]
) -> bool:
    """Return whether a folder holds these files of an archive, byte for byte, and no others. Python that somebody put
    beside them would be run, and a changed claim or card be believed."""
    paths = [path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()]
    if {path.relative_to(folder).as_posix() for path in paths} != files.keys():
        return False
    with zipfile.ZipFile(BytesIO(data)) as source:
        return all(
            not (folder / path).is_symlink()
            and (folder / path).read_bytes() == _read_archive_member(archive, source, info)
            for path, info in files.items()
        )


def _read_archive_member(archive: str, source: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    try:
        with source.open(info) as file:
            content = file.read(info.file_size + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
        raise _make_archive_error(archive, f"`{info.filename[:80]}` is broken: {error}") from None
    if len(content) != info.file_size:
        raise _make_archive_error(archive, f"`{info.filename[:80]}` has another size than it says")
    return content
