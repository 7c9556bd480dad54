"""Fetches published sheets once and keeps them beside the game: reading a game never asks the network."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from pathlib import Path

from playproof.database.errors import FindingCollector, InputError, Where
from playproof.database.game import Game, load_game
from playproof.database.sheet_source import SheetSpec, get_sheet_nodes
from playproof.database.source import LIMITS, read_yaml_file
from playproof.database.spreadsheets import read_tables
from playproof.database.validation import validate_node

PATIENCE = 30.0
"""Seconds that a server may take."""
_EDITED = re.compile(r"(https://docs\.google\.com/spreadsheets/d/(?!e/)[\w-]+)/edit\S*?(?:[#&?]gid=(\d+))?$")
_HINT = "publish the sheet to the web as CSV, and take that link"


def get_csv_address(url: str) -> str:
    """Return the address of a Google Sheet's cells as CSV, also for the address that its editor shows.

    >>> get_csv_address("https://docs.google.com/spreadsheets/d/1aB/edit#gid=7")
    'https://docs.google.com/spreadsheets/d/1aB/export?format=csv&gid=7'
    """
    edited = _EDITED.match(url)
    return f"{edited[1]}/export?format=csv&gid={edited[2] or 0}" if edited else url


def fetch_sheets(folder: Path) -> list[Path]:
    """Fetch every sheet of a game that has an address, and return the files. Raises InputError, and leaves all files
    as they were, if one cannot be fetched or if the game cannot be read with them."""
    collector = FindingCollector()
    # Sheets give a game without vocabulary.yaml what else its game.yaml leaves out.
    entries = get_sheet_nodes(read_yaml_file(folder / "game.yaml"))
    specs = [validate_node(SheetSpec, entry, collector) for entry in entries]
    collector.raise_if_errors()
    fetched = dict[Path, bytes]()
    for spec, entry in zip(specs, entries, strict=True):
        if spec and spec.url:
            fetched[_find_target_path(folder, spec, entry.get_nearest(["file"]).where)] = _download_sheet(
                spec.url, entry.get_nearest(["url"]).where
            )
    before = {path: path.read_bytes() if path.is_file() else None for path in fetched}
    try:
        for path, raw in fetched.items():
            path.write_bytes(raw)
            read_tables(path)
        _ = _load_game(folder)
    except BaseException:
        for path, old in before.items():
            path.unlink(missing_ok=True)
            if old is not None:
                path.write_bytes(old)
        raise
    return list(fetched)


def _load_game(folder: Path) -> Game:
    return load_game(folder)


def _find_target_path(folder: Path, spec: SheetSpec, where: Where) -> Path:
    path = folder / spec.file
    if not path.resolve().is_relative_to(folder.resolve()) or path.suffix.lower() not in (
        ".csv",
        ".tsv",
        ".json",
    ):
        message = f"expected a CSV, TSV or JSON file inside the game's folder, found {spec.file}"
        raise InputError.from_single_finding("PP264", where, message)
    return path


def _download_sheet(url: str, where: Where) -> bytes:
    """Return what stands at an address. Raises InputError if nothing does, or a page for people."""
    request = urllib.request.Request(get_csv_address(url), headers={"User-Agent": "playproof"})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            raw = bytes(answer.read(LIMITS.bytes + 1))
            kind = str(answer.headers.get_content_type())
    except (OSError, ValueError) as error:  # URLError is an OSError
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        raise InputError.from_single_finding(
            "PP264", where, f"cannot fetch this sheet: {reason}", _HINT
        ) from None
    if len(raw) > LIMITS.bytes:
        raise InputError.from_single_finding(
            "PP264", where, f"expected at most {LIMITS.bytes} bytes, found more"
        )
    if kind == "text/html":
        raise InputError.from_single_finding("PP264", where, "expected a sheet, found a web page", _HINT)
    return raw
