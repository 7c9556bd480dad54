"""Fetches published sheets once and keeps them beside the game: reading a game never asks the network."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from pathlib import Path

from playproof.database.errors import Collector, InputError, Where
from playproof.database.game import Game, load_game
from playproof.database.sheet_source import SheetSpec, spec_nodes
from playproof.database.source import LIMITS, read
from playproof.database.spreadsheets import read_tables
from playproof.database.validation import check

PATIENCE = 30.0
"""Seconds that a server may take."""
_EDITED = re.compile(r"(https://docs\.google\.com/spreadsheets/d/(?!e/)[\w-]+)/edit\S*?(?:[#&?]gid=(\d+))?$")
_HINT = "publish the sheet to the web as CSV, and take that link"


def csv_address(url: str) -> str:
    """Return the address of a Google Sheet's cells as CSV, also for the address that its editor shows.

    >>> csv_address("https://docs.google.com/spreadsheets/d/1aB/edit#gid=7")
    'https://docs.google.com/spreadsheets/d/1aB/export?format=csv&gid=7'
    """
    edited = _EDITED.match(url)
    return f"{edited[1]}/export?format=csv&gid={edited[2] or 0}" if edited else url


def fetch_sheets(folder: Path) -> list[Path]:
    """Fetch every sheet of a game that has an address, and return the files. Raises InputError, and leaves all files
    as they were, if one cannot be fetched or if the game cannot be read with them."""
    collector = Collector()
    # Sheets give a game without vocabulary.yaml what else its game.yaml leaves out.
    entries = spec_nodes(read(folder / "game.yaml"))
    specs = [check(SheetSpec, entry, collector) for entry in entries]
    collector.check()
    fetched = dict[Path, bytes]()
    for spec, entry in zip(specs, entries, strict=True):
        if spec and spec.url:
            fetched[_target(folder, spec, entry.at(["file"]).where)] = _get(spec.url, entry.at(["url"]).where)
    before = {path: path.read_bytes() if path.is_file() else None for path in fetched}
    try:
        for path, raw in fetched.items():
            path.write_bytes(raw)
            read_tables(path)
        _ = _loaded(folder)
    except BaseException:
        for path, old in before.items():
            path.unlink(missing_ok=True)
            if old is not None:
                path.write_bytes(old)
        raise
    return list(fetched)


def _loaded(folder: Path) -> Game:
    return load_game(folder)


def _target(folder: Path, spec: SheetSpec, where: Where) -> Path:
    path = folder / spec.file
    if not path.resolve().is_relative_to(folder.resolve()) or path.suffix.lower() not in (
        ".csv",
        ".tsv",
        ".json",
    ):
        message = f"expected a CSV, TSV or JSON file inside the game's folder, found {spec.file}"
        raise InputError.of("PP264", where, message)
    return path


def _get(url: str, where: Where) -> bytes:
    """Return what stands at an address. Raises InputError if nothing does, or a page for people."""
    request = urllib.request.Request(csv_address(url), headers={"User-Agent": "playproof"})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            raw = bytes(answer.read(LIMITS.bytes + 1))
            kind = str(answer.headers.get_content_type())
    except (OSError, ValueError) as error:  # URLError is an OSError
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        raise InputError.of("PP264", where, f"cannot fetch this sheet: {reason}", _HINT) from None
    if len(raw) > LIMITS.bytes:
        raise InputError.of("PP264", where, f"expected at most {LIMITS.bytes} bytes, found more")
    if kind == "text/html":
        raise InputError.of("PP264", where, "expected a sheet, found a web page", _HINT)
    return raw
