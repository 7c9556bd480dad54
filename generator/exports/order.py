"""The order manifest of a print shop: every file with its digest, and what arrived at the shop held against it."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from playproof.database.errors import Finding, FindingCollector, InputError, Where, shorten_path
from playproof.database.files import compute_file_sha256, format_json_bytes, write_atomically
from playproof.generator.sheets.pieces import Piece

ORDER = "order-{}.json"
FORMAT = 1
# beside an order, and not printed
OTHERS = ("left-out.txt", "adapted.txt", "__MACOSX", ".DS_Store", "Thumbs.db")

OrderEntry = dict[str, Any]


def build_order_entries(
    written_path: Path, pieces: Sequence[Piece], folder: Path
) -> Mapping[str, OrderEntry]:
    """Return what the manifest says of a PDF, or of each picture of a folder: by its place below `folder`, the digest
    and the copies of each card in it."""
    counted = [piece for piece in pieces if piece.count]
    if written_path.is_file():
        copies = {piece.name: piece.count for piece in counted}
        return {
            written_path.relative_to(folder).as_posix(): {
                "sha256": compute_file_sha256(written_path),
                "copies": copies,
            }
        }
    pictures: dict[str, OrderEntry] = {}
    for path in sorted(written_path.glob("*/*.png")):
        piece = counted[int(path.name[:3]) - 1]  # a picture's name begins with the number of its card
        copies = {piece.name: piece.count}
        pictures[path.relative_to(folder).as_posix()] = {
            "sha256": compute_file_sha256(path),
            "copies": copies,
        }
    return pictures


def write_order(path: Path, game: str, shop: str, files: Mapping[str, OrderEntry]) -> Path:
    """Write the manifest and return its path."""
    order = {"format": FORMAT, "game": game, "shop": shop, "files": files}
    write_atomically(path, format_json_bytes(order))
    return path


def check_order(order: Path, uploaded: Sequence[Path]) -> list[Finding]:
    """Hold files, folders and zip files against a manifest: what is missing, different, extra, or there too often.

    A file counts by its bytes: a shop may call it otherwise. Raises InputError for a manifest that cannot be read.
    """
    wanted = _read_order_files(order)
    others = {
        name for other in order.parent.glob(ORDER.format("*")) for name in _read_order_files(other)
    } - wanted.keys()
    # of another language, where the shop's whole folder is given
    ours = {str(order.parent / name) for name in others}
    there = [(where, digest) for where, digest in _iter_file_digests(uploaded) if where not in ours]
    counts = Counter(digest for _, digest in there)
    needed = Counter(entry["sha256"] for entry in wanted.values())
    collector = FindingCollector()
    changed = set[str]()
    for name, entry in wanted.items():
        if counts[entry["sha256"]]:
            continue
        tail = "/".join(Path(name).parts[-2:])  # such as fronts/001 name.png, whatever folder was sent
        alike = [where for where, _ in there if where.endswith(tail) and where not in changed]
        cards = ", ".join(f"{card} x{count}" for card, count in [*entry["copies"].items()][:4])
        if alike:
            changed.add(alike[0])
            collector.add_finding("PP556", Where(alike[0], 0), f"this is not the picture of {name} ({cards})")
        else:
            collector.add_finding("PP555", Where(order, 0), f"{name} was not uploaded ({cards})")
    for digest, count in needed.items():
        names = [name for name, entry in wanted.items() if entry["sha256"] == digest]
        if counts[digest] and counts[digest] != count:
            message = f"expected {names[0]} {count} times, found it {counts[digest]} times"
            collector.add_finding("PP558", Where(order, 0), message)
    for where, digest in there:
        if digest not in needed and where not in changed:
            collector.add_finding("PP557", Where(where, 0), f"this file is not of the order {order.name}")
    return collector.findings


def _read_order_files(order: Path) -> Mapping[str, OrderEntry]:
    try:
        data = json.loads(order.read_text("utf-8"))
        files: Mapping[str, OrderEntry] = data["files"]
        readable = data["format"] == FORMAT and all(e["sha256"] and dict(e["copies"]) for e in files.values())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        readable = False
    if not readable:
        message = f"expected an order manifest of format {FORMAT}, which `playproof build GAME --vendor NAME` writes"
        raise InputError.from_single_finding("PP559", Where(shorten_path(order), 0), message)
    return files


def _iter_file_digests(uploaded: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """Yield the name and the digest of each file, also of those in folders and zip files."""
    for path in uploaded:
        if path.is_dir():
            inner = (file for file in sorted(path.rglob("*")) if file.is_file() and _is_printed_file(file))
            yield from ((str(file), compute_file_sha256(file)) for file in inner)
        elif zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                for info in archive.infolist():
                    if not info.is_dir() and _is_printed_file(Path(info.filename)):
                        yield f"{path}!{info.filename}", hashlib.sha256(archive.read(info)).hexdigest()
        else:
            yield str(path), compute_file_sha256(path)


def _is_printed_file(path: Path) -> bool:
    is_order = path.match(ORDER.format("*"))
    return not is_order and not any(part in OTHERS for part in path.parts)
