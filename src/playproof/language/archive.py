"""Games without their Python: archives that may come from anybody, and folders that hold descriptions
in place of rules. Nothing in them is run.

An archive may come from anybody. It is read with limits, and nothing of it is run:
`extract_archive_to_cache_folder` leaves its Python where it is.

A game's folder that holds descriptions in place of rules, as an archive brings it: nothing in it is run.

descriptions/settings.json      which description is of which setting
descriptions/DIGEST.json        a description, named by the SHA-256 of its bytes"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import tempfile
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any

from playproof.database.errors import register_folder_of_opened_archive
from playproof.database.source import read_limited_plain_file_or_raise
from playproof.language.cache import ensure_private_cache_folder
from playproof.language.description import DescriptionError, read
from playproof.language.description.file_rows import MOST_BYTES, JsonNode, parse_strict_json
from playproof.language.errors import Place
from playproof.language.game import Game
from playproof.language.options import OptionError, Options

# Archives of games: a zip file with one folder, which has the game's name.

EVIDENCE = "evidence"
"""The folder of an archive that holds evidence of the game's claims."""
MOST_ARCHIVE_BYTES = 200_000_000  # of the archive
_MOST_UNPACKED = 500_000_000
_MOST_FILES = 20_000
_MOST_INSIDE = 12  # folders in one another
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,60}")
_PART = re.compile(r"[^\x00-\x1f\x7f/\\:*?\"<>|.~][^\x00-\x1f\x7f/\\:*?\"<>|]{0,119}")
_BROKEN = (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, RecursionError)
_PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def is_existing_zip_file(path: str) -> bool:
    """Return whether a game is given as an archive."""
    return path.endswith(".zip") and Path(path).is_file()


def extract_archive_to_cache_folder(archive: str, *, include_python: bool = False) -> str:
    """Return a folder with what the archive holds, but for its Python, unless that is `include_python`. It is in the
    cache, under the digest of the archive. Raises DescriptionError (PP371)."""
    data = _read_archive_bytes_or_raise(Path(archive))
    files = dict(_iter_plain_archive_files_or_raise(archive, data))
    name = _get_name_of_only_game_or_raise(archive, files)
    folder = (
        ensure_private_cache_folder() / ("trusted" if include_python else "archives") / sha256(data).hexdigest() / name
    )
    wanted = {path: info for path, info in files.items() if include_python or not _is_rules_or_python_path(path)}
    if not _has_exactly_archive_files(folder.parent, archive, data, wanted):
        shutil.rmtree(folder.parent, ignore_errors=True)  # somebody has emptied or changed it
        _extract_files_atomically(archive, data, wanted, folder.parent)
    register_folder_of_opened_archive(str(folder), Path(archive))
    return str(folder)


def read_game_name_in_archive_or_empty(archive: Path) -> str:
    """Return the name of the game that an archive seems to be of, from its list of files alone; "" for what is no
    archive."""
    try:
        with zipfile.ZipFile(archive) as listed:
            return listed.namelist()[0].partition("/")[0]
    except (*_BROKEN, IndexError):
        return ""


def is_archive_of_game(file: Path, game_name: str) -> bool:
    """Return whether a file is an archive of a game of this name."""
    try:
        with zipfile.ZipFile(file) as listed:
            return f"{game_name}/{FOLDER}/{MANIFEST}" in listed.namelist()
    except _BROKEN:
        return False


def unpack_archive_into_new_game_folder(archive: str, parent_folder: Path) -> Path:
    """Write all files of an archive below a folder, and return the game's. Raises DescriptionError (PP371), and
    FileExistsError if there is something of this name."""
    data = _read_archive_bytes_or_raise(Path(archive))
    files = dict(_iter_plain_archive_files_or_raise(archive, data))
    folder = parent_folder / _get_name_of_only_game_or_raise(archive, files)
    if folder.exists() or folder.is_symlink():
        raise FileExistsError(f"{folder} exists already")
    parent_folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".unpack-", dir=parent_folder) as made:
        _extract_files_atomically(archive, data, files, Path(made) / "all")
        os.replace(Path(made) / "all" / folder.name, folder)
    return folder


def build_reproducible_archive_bytes(game_name: str, content_by_path: dict[str, bytes]) -> bytes:
    """Return an archive of these files, by their paths below the game's folder. Equal files give equal bytes."""
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(content_by_path):
            info = zipfile.ZipInfo(f"{game_name}/{path}", (1980, 1, 1, 0, 0, 0))
            info.external_attr, info.create_system = (stat.S_IFREG | 0o644) << 16, 3
            archive.writestr(info, content_by_path[path], zipfile.ZIP_DEFLATED, 9)
    return made.getvalue()


def _make_archive_error(archive: str, message: str) -> DescriptionError:
    return DescriptionError(CODE, message, "`playproof export archive GAME` makes archives", Place(archive, 1))


def _read_archive_bytes_or_raise(archive: Path) -> bytes:
    try:
        return read_limited_plain_file_or_raise(archive, MOST_ARCHIVE_BYTES)
    except OSError as error:
        raise _make_archive_error(str(archive), f"it cannot be read: {error.strerror or error}") from None


def _iter_plain_archive_files_or_raise(archive: str, archive_bytes: bytes) -> Iterator[tuple[str, zipfile.ZipInfo]]:
    """Yield the files of an archive with their paths. Raises DescriptionError for one that is not plain."""
    try:
        listed = zipfile.ZipFile(BytesIO(archive_bytes)).infolist()
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
        if path != info.filename or not 2 <= len(parts) <= _MOST_INSIDE or not all(map(_is_portable_file_name, parts)):
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


def _is_portable_file_name(path_part: str) -> bool:
    """Return whether this names a file or folder alike on every system: some leave out dots and spaces at the end,
    and letters that are not seen."""
    return bool(_PART.fullmatch(path_part)) and path_part[-1] not in ". " and path_part.isprintable()


def _get_name_of_only_game_or_raise(archive: str, member_by_path: dict[str, zipfile.ZipInfo]) -> str:
    """Return the name of the one game that an archive holds."""
    games = {PurePosixPath(path).parts[0] for path in member_by_path}
    if len(games) != 1:
        raise _make_archive_error(archive, f"expected the folder of one game, found {len(games)}")
    (name,) = games
    if not _NAME.fullmatch(name) or f"{name}/{FOLDER}/{MANIFEST}" not in member_by_path:
        raise _make_archive_error(archive, f"expected `{name[:60]}/{FOLDER}/{MANIFEST}`")
    return name


def _is_rules_or_python_path(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return parts[1].casefold() == "rules" or path.casefold().endswith((".py", ".pyc", ".so", ".pyd"))


def _extract_files_atomically(
    archive: str, archive_bytes: bytes, member_by_path: dict[str, zipfile.ZipInfo], folder: Path
) -> None:
    """Write files below a folder: all of them or none."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=".part-", dir=folder.parent))
    try:
        with zipfile.ZipFile(BytesIO(archive_bytes)) as source:
            for path, info in member_by_path.items():
                target = made / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(_read_archive_member_or_raise(archive, source, info))
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
    folder: Path, archive: str, archive_bytes: bytes, member_by_path: dict[str, zipfile.ZipInfo]
) -> bool:
    """Return whether a folder holds these files of an archive, byte for byte, and no others. Python that somebody put
    beside them would be run, and a changed claim or card be believed."""
    paths = [path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()]
    if {path.relative_to(folder).as_posix() for path in paths} != member_by_path.keys():
        return False
    with zipfile.ZipFile(BytesIO(archive_bytes)) as source:
        return all(
            not (folder / path).is_symlink()
            and (folder / path).read_bytes() == _read_archive_member_or_raise(archive, source, info)
            for path, info in member_by_path.items()
        )


def _read_archive_member_or_raise(archive: str, zip_file: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    try:
        with zip_file.open(member) as file:
            content = file.read(member.file_size + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
        raise _make_archive_error(archive, f"`{member.filename[:80]}` is broken: {error}") from None
    if len(content) != member.file_size:
        raise _make_archive_error(archive, f"`{member.filename[:80]}` has another size than it says")
    return content


# -- described -----------------------------------------------------------------------------------------------
# A game's folder that holds descriptions in place of rules, as an archive brings it: nothing in it is run.

CODE = "PP371"
VERSION = 1
FOLDER = "descriptions"
MANIFEST = "settings.json"
RULES = ("rules.py", "rules/__init__.py")
_MOST_SETTINGS = 1_000
_DIGEST = re.compile(r"[0-9a-f]{64}")
ChosenSetting = Mapping[str, Mapping[str, str]]
"""`options` and `rulings` by name, without those that have their default."""


@dataclass(frozen=True)
class DescriptionFolder:
    """The descriptions of a folder. `cards` is the digest of the cards that they were made with, "" for a
    game without cards; `usual` holds the default of each option and ruling; `settings` pairs each
    setting with the digest of its description."""

    folder: Path
    name: str
    cards: str
    usual: ChosenSetting
    settings: Sequence[tuple[ChosenSetting, str]]

    def load_described_game(self, options: Options, cards: Any) -> Game:
        """Return the game under a setting. Raises OptionError if there is no description of it, and
        DescriptionError if a file is wrong or the cards are others than it was made with."""
        wanted = self._get_non_default_setting_or_raise(options)
        self._add_described_choices_to_options(options)
        digest = next((digest for setting, digest in self.settings if setting == wanted), None)
        if digest is None:
            described = ", ".join(_format_options_and_rulings_for_message(setting) for setting, _ in self.settings)
            raise OptionError(
                f"the archive of `{self.name}` has no description for "
                f"{_format_options_and_rulings_for_message(wanted)}; it has those for {described}; add --trust to run "
                "its rules, which are Python, if you trust who wrote them"
            )
        if str(getattr(cards, "digest", "")) != self.cards:
            raise self._make_description_error(
                "the cards are others than the descriptions were made with",
                "if you asked for other cards, add --trust to run the rules; else ask for the archive again",
            )
        game = read(self._read_description_or_raise_if_changed(digest), f"{FOLDER}/{digest[:12]}.json")
        if (game.name, game.setting) != (self.name, wanted):
            raise self._make_description_error(f"the description {digest[:12]} is of another game or setting")
        return game

    def _add_described_choices_to_options(self, options: Options) -> None:
        """Note what may be chosen, as rules do that ask for it: the default first, then what is described. An option
        whose default is no text names several things, and offers no list of values."""
        for kind, noted in (("options", options.choices), ("rulings", options.read)):
            for name, usual in self.usual[kind].items():
                values = (setting[kind][name] for setting, _ in self.settings if name in setting[kind])
                options.asked.add(name)
                if usual:
                    noted[name] = tuple(dict.fromkeys((usual, *values)))
        options.usual.update(self.usual["options"])

    def _get_non_default_setting_or_raise(self, options: Options) -> ChosenSetting:
        setting = {"options": options.values, "rulings": options.rulings}
        for kind, values in setting.items():
            for name in values:
                if name not in self.usual[kind]:
                    names = ", ".join(self.usual[kind]) or "none"
                    raise OptionError(f"`{self.name}` does not know {name}; its {kind} are {names}")
        return {
            kind: {n: str(v) for n, v in sorted(values.items()) if self.usual[kind][n] != str(v)}
            for kind, values in setting.items()
        }

    def _read_description_or_raise_if_changed(self, digest: str) -> bytes:
        file = self.folder / FOLDER / f"{digest}.json"
        try:
            data = read_limited_plain_file_or_raise(file, MOST_BYTES)
        except OSError as error:
            raise self._make_description_error(f"{file.name} cannot be read: {error.strerror or error}") from None
        if sha256(data).hexdigest() != digest:
            raise self._make_description_error(f"{file.name} does not have the digest that it is named by")
        return data

    def _make_description_error(self, message: str, hint: str = "ask for the archive again") -> DescriptionError:
        return DescriptionError(CODE, message, hint, Place(f"{self.folder.name}/{FOLDER}", 1))

    def format_manifest_as_json_bytes(self) -> bytes:
        """Return the manifest as a file."""
        rows = [{**setting, "description": digest} for setting, digest in self.settings]
        manifest = {
            "playproof-archive": VERSION,
            "game": self.name,
            "cards": self.cards,
            "usual": self.usual,
            "settings": rows,
        }
        return (json.dumps(manifest, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def load_descriptions_unless_rules_exist(game_folder: str) -> DescriptionFolder | None:
    """Return the descriptions of a game's folder; None if it has none, or has rules. Raises DescriptionError."""
    folder = Path(game_folder)
    manifest = folder / FOLDER / MANIFEST
    if not manifest.is_file() or any((folder / rules).is_file() for rules in RULES):
        return None
    whole = parse_strict_json(read_limited_plain_file_or_raise(manifest, MOST_BYTES), str(manifest))
    version, name, cards, usual, settings = whole.read_values_of_exact_keys(
        "playproof-archive", "game", "cards", "usual", "settings"
    )
    if version.value != VERSION or version.value is True:
        version.raise_expected_but_found(f"version {VERSION} of archives")
    made = list[tuple[ChosenSetting, str]]()
    for node in settings.read_list_items(_MOST_SETTINGS, 1):
        made.append(_parse_setting_and_digest(node))
        if made[-1][0] in (setting for setting, _ in made[:-1]):
            node.raise_expected_but_found("each setting once")
    return DescriptionFolder(folder, name.read_text(), cards.read_text(), usual.read_options_and_rulings(), made)


def _parse_setting_and_digest(node: JsonNode) -> tuple[ChosenSetting, str]:
    options, rulings, description = node.read_values_of_exact_keys("options", "rulings", "description")
    if not _DIGEST.fullmatch(description.read_text()):
        description.raise_expected_but_found("the digest of a description")
    return {"options": options.read_text_mapping(), "rulings": rulings.read_text_mapping()}, description.value


def _format_options_and_rulings_for_message(setting: ChosenSetting) -> str:
    chosen = [f"{name}={value}" for values in setting.values() for name, value in values.items()]
    return " ".join(chosen) or "the defaults"
