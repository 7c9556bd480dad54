"""Who drew what: the `credits.yaml` in each folder of icons, motifs and fonts."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator
from pathlib import Path as FilePath
from typing import NamedTuple

from playproof.database.errors import FindingCollector, Where
from playproof.database.source import YamlNode, read_yaml_file


class FileCredit(NamedTuple):
    """The names of some files, and the line to print of them."""

    files: frozenset[str]
    author: str
    licence: str
    line: str
    where: Where


def iter_file_credits(files: Iterable[FilePath], key: str, language: str = "en") -> Iterator[FileCredit]:
    """Yield the credits of some files of one folder, from the part ``key`` of its `credits.yaml`. What an entry says
    may be one text, or one per language; ``changed`` says what was changed, as CC BY asks.

    A file belongs to the first entry that matches it, so entries with exact names stand before an
    entry with a pattern for the rest. Raises InputError if an entry lacks a key.
    """
    paths = list(files)
    book = paths[0].parent / "credits.yaml" if paths else None
    if book is None or not book.is_file():
        return
    rest = {path.name for path in paths}
    node = read_yaml_file(book)
    collector = FindingCollector()
    for item in node.get_nearest([key]).items if node.get(key) else ():
        credit = {name: _get_text_in_language(entry.node, language) for name, entry in item.entries.items()}
        missing = [name for name in ("author", "licence", "source") if name not in credit]
        if missing:
            collector.add_finding("PP203", item.where, f"a credit lacks {', '.join(missing)}")
            continue
        theirs = {name for pattern in _list_file_patterns(item) for name in fnmatch.filter(rest, pattern)}
        rest -= theirs
        name = f"**{credit['name']}** " if "name" in credit else ""
        changed = f" · {credit['changed']}" if "changed" in credit else ""
        line = f"{name}{credit['author']}, {credit['licence']}: {credit['source']}{changed}"
        yield FileCredit(frozenset(theirs), credit["author"], credit["licence"], line, item.where)
    collector.raise_if_errors()


def _get_text_in_language(node: YamlNode, language: str) -> str:
    """Return a text in a language, or the only one there is."""
    entry = node.entries.get(language) or node.entries.get("en")
    return str(node.value if entry is None else entry.node.value)


def _list_file_patterns(item: YamlNode) -> list[str]:
    """Return the names or patterns of an entry: one, or a list; without any, it is for all files."""
    files = item.get("files")
    if files is None:
        return ["*"]
    return [str(each.value) for each in files.items] or [str(files.value)]
