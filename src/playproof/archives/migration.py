"""Files of older versions: what each is, what has to change, and the change.

A form that was read once stays readable, or stands here with what takes its place. Nothing is written before every
file can be.
"""

from __future__ import annotations

import ast
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from playproof.database.errors import Finding, InputError, Where, shorten_path
from playproof.database.files import write_atomically
from playproof.database.game_yaml import FORMAT, is_newer_format
from playproof.database.source import YamlEntry, YamlNode, decode_utf8, parse_yaml, read_plain_file
from playproof.language.described import FOLDER, MANIFEST, VERSION as ARCHIVE
from playproof.language.description.rows import VERSION as DESCRIPTION
from playproof.referee.transcript import VERSION as TRANSCRIPT
from playproof.verifier.kernel.evidence import VERSION as EVIDENCE

MOST = 1 << 28  # bytes of a file
KeyPath = tuple[str, ...]
_JSON = {
    "playproof": ("evidence", EVIDENCE, "prove the claim again: `playproof prove GAME`"),
    "playproof-game": ("a description", DESCRIPTION, "pack the game again: `playproof export archive GAME`"),
    "playproof-archive": ("an archive", ARCHIVE, "pack the game again: `playproof export archive GAME`"),
}


@dataclass(frozen=True, slots=True)
class FileChange:
    """A change of a file, or (`by_hand`) one that is left to its author."""

    where: Where
    what: str
    by_hand: bool = False


@dataclass(frozen=True, slots=True)
class FileMigration:
    """A file: what it is in words, what changes, and its new text (None where it stays as it is)."""

    path: Path
    kind: str
    changes: tuple[FileChange, ...] = ()
    text: str | None = None


@dataclass(frozen=True, slots=True)
class RemovedKey:
    """A key that no version reads any more: the files that had it, the keys above it, and why it went."""

    files: re.Pattern[str]
    path: KeyPath
    why: str
    among: Callable[[YamlNode], bool] = lambda _: True

    def find_entries(self, root: YamlNode) -> list[tuple[KeyPath, YamlEntry]]:
        """Return each entry of a file that has this key, and the keys that lead to it; `*` stands for any key."""
        level: list[tuple[KeyPath, YamlNode]] = [((), root)] if self.among(root) else []
        entries: list[tuple[KeyPath, YamlEntry]] = []
        for wanted in self.path:
            entries = [
                ((*above, key), entry)
                for above, node in level
                for key, entry in node.entries.items()
                if wanted in ("*", key)
            ]
            level = [(keys, entry.node) for keys, entry in entries]
        return entries


GONE = (
    RemovedKey(re.compile(r"vocabulary\.yaml"), ("effects", "*", "about"), "nothing read it"),
    RemovedKey(
        re.compile(r"layouts/.*\.yaml"),
        ("columns",),
        "booklets have one column",
        lambda root: root.entries["book"].node.value is True if "book" in root.entries else False,
    ),
)
MOVED = (
    (re.compile(r"\bplayproof\.rules\.language\b"), "playproof.language"),
    (
        re.compile(
            r"\bplayproof\.rules\.(registry|options|doubtful_rules|rulebook_check|rulebook_numbers)\b"
        ),
        r"playproof.language.\1",
    ),
    (re.compile(r"\bplayproof\.rules\.(\w+)\b"), r"playproof.cards.\1.rules"),
    (re.compile(r"\bplayproof\.mutants\b"), "playproof.mutation"),
)
DROPPED = {"better", "identical", "layer"}  # arguments of rules that decided nothing (decision 0021)


def plan_migrations(paths: Sequence[Path]) -> list[FileMigration]:
    """Return each file of games' folders, and each file that is named itself, with what changes. Raises InputError
    for what is of a newer version, or is no file of Playproof."""
    plans: list[FileMigration] = []
    wrong: list[Finding] = []
    for path in paths:
        try:
            plans += _iter_game_file_migrations(path) if path.is_dir() else [_check_file_version(path)]
        except InputError as error:
            wrong += error.findings
    if wrong:
        raise InputError(wrong)
    return plans


def write_migrations(plans: Sequence[FileMigration]) -> None:
    """Write the new texts: all of them, or none if one cannot be written."""
    before = [(plan.path, plan.path.read_bytes()) for plan in plans if plan.text is not None]
    try:
        for plan in plans:
            if plan.text is not None:
                write_atomically(plan.path, plan.text.encode())
    except OSError:
        for path, data in before:
            write_atomically(path, data)
        raise


def _iter_game_file_migrations(folder: Path) -> Iterator[FileMigration]:
    """Yield every file of a game that has a form: its YAML, its layouts, its rules, its recorded games."""
    files = sorted(folder.glob("*.yaml")) + sorted((folder / "layouts").rglob("*.yaml"))
    files += sorted(folder.glob("*.py")) + sorted((folder / "rules").rglob("*.py"))
    if not files:
        raise _unrecognized_file_error(folder, "expected a game's folder, with YAML or rules in it")
    for path in files:
        if path.suffix == ".py":
            yield _migrate_python(path)
        else:
            yield _migrate_yaml(path, folder)
    for path in sorted(folder.rglob("*.txt")):
        if path.read_bytes().startswith(b"playproof transcript"):
            yield _check_file_version(path)


def _migrate_yaml(path: Path, folder: Path) -> FileMigration:
    text = decode_utf8(read_plain_file(path, MOST), shorten_path(path))
    name, kind = path.relative_to(folder).as_posix(), f"game files of format {FORMAT}"
    root = parse_yaml(text, shorten_path(path))
    version = root.get("format") if name == "game.yaml" else None
    if version is not None and is_newer_format(str(version.value)):
        raise _newer_version_error(path, f"a game of format {version.value}", FORMAT)
    changes, new = list[FileChange](), text
    for gone in GONE:
        if not gone.files.fullmatch(name):
            continue
        for keys, entry in reversed(
            gone.find_entries(root)
        ):  # from below, so that the lines above keep their numbers
            shorter = _remove_entry_lines(new, keys, entry)
            changes.append(
                FileChange(entry.key_where, f"take out `{entry.key}`: {gone.why}", shorter is None)
            )
            new = new if shorter is None else shorter
    return FileMigration(path, kind, tuple(reversed(changes)), new if new != text else None)


def _remove_entry_lines(text: str, keys: KeyPath, entry: YamlEntry) -> str | None:
    """Return the text without the lines of an entry; None if other things share them, or the text then says more or
    less than without the entry."""
    lines = text.splitlines(keepends=True)
    first, column = entry.key_where.line - 1, entry.key_where.column - 1
    if lines[first][:column].strip():
        return None  # in braces, or behind a dash
    last = first + 1
    while last < len(lines) and lines[last].strip() and len(lines[last]) - len(lines[last].lstrip()) > column:
        last += 1
    shorter = "".join(lines[:first] + lines[last:])
    expected = inner = parse_yaml(text).data
    for key in keys[:-1]:
        assert isinstance(inner, dict), "keys lead through mappings"
        inner = inner[key]
    assert isinstance(inner, dict), "keys lead through mappings"
    del inner[keys[-1]]
    return shorter if parse_yaml(shorter).data == expected else None


def _migrate_python(path: Path) -> FileMigration:
    """Give imports their new names, and name arguments that are gone."""
    text = path.read_text("utf-8")
    lines, changes = text.splitlines(keepends=True), list[FileChange]()
    for number, line in enumerate(lines):
        if re.match(r"\s*(from|import)\s+playproof\b", line):
            for old, new in MOVED:
                lines[number] = old.sub(new, lines[number])
            if lines[number] != line:
                what = f"`{line.strip()}` is now `{lines[number].strip()}`"
                changes.append(FileChange(Where(shorten_path(path), number + 1), what))
    try:
        calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    except SyntaxError as error:
        raise _unrecognized_file_error(
            path, f"expected Python, found {error.msg} in line {error.lineno}"
        ) from None
    for keyword in (keyword for call in calls for keyword in call.keywords if keyword.arg in DROPPED):
        where = Where(shorten_path(path), keyword.lineno, keyword.col_offset + 1)
        changes.append(FileChange(where, f"take out `{keyword.arg}=`: it decided nothing", by_hand=True))
    new = "".join(lines)
    return FileMigration(path, "rules", tuple(changes), new if new != text else None)


def _check_file_version(path: Path) -> FileMigration:
    """Return what a transcript, evidence, a description or an archive is."""
    raw = _read_archive_manifest(path) if zipfile.is_zipfile(path) else read_plain_file(path, MOST)
    text = decode_utf8(raw, shorten_path(path))
    recorded = re.match(r"playproof transcript (\d{1,9})\s*\n", text)
    if recorded:
        if int(recorded[1]) > TRANSCRIPT:
            raise _newer_version_error(path, f"a recorded game of version {recorded[1]}", str(TRANSCRIPT))
        older = re.search(r"^data *:", text, re.MULTILINE)
        return FileMigration(path, "a recorded game" + (" by its cards, read as before" if older else ""))
    try:
        data = json.loads(text)
    except ValueError:
        data = None
    for key, (kind, version, remedy) in _JSON.items():
        if isinstance(data, dict) and isinstance(data.get(key), int):
            if data[key] > version:
                raise _newer_version_error(path, f"{kind} of version {data[key]}", str(version))
            versioned = f"{kind} of version {data[key]}"
            stale = FileChange(Where(shorten_path(path), 0), f"{versioned}: {remedy}", by_hand=True)
            return FileMigration(path, versioned, (stale,) if data[key] < version else ())
    raise _unrecognized_file_error(
        path, "expected a game's folder, a recorded game, evidence, a description or an archive"
    )


def _read_archive_manifest(path: Path) -> bytes:
    """Return the file of an archive that says its version."""
    with zipfile.ZipFile(path) as archive:
        names = [info for info in archive.infolist() if info.filename.endswith(f"{FOLDER}/{MANIFEST}")]
        if not names or names[0].file_size > MOST:
            raise _unrecognized_file_error(path, "expected an archive that `playproof export archive` made")
        return archive.read(names[0])


def _newer_version_error(path: Path, found: str, newest_readable: str) -> InputError:
    message = f"this is {found}, and this version of Playproof reads up to {newest_readable}"
    return InputError.from_single_finding(
        "PP813", Where(shorten_path(path), 0), message, "install a newer Playproof"
    )


def _unrecognized_file_error(path: Path, message: str) -> InputError:
    return InputError.from_single_finding("PP814", Where(shorten_path(path), 0), message)
