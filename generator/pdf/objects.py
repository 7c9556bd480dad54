"""The syntax of PDF files (ISO 32000-1, clause 7): values, streams, and a document with its cross-reference table.

Python's own values stand for PDF's: numbers, lists, dictionaries with plain names as keys, and text. `Name` is a
name, `Raw` is what is already in PDF's words, a `Reference` points to an object that the document holds.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

HEADER = b"%PDF-1.4\n%\x93\x8c\x8b\x9e\n"  # four bytes above 127 say that the file is not text
LEVEL = 6  # of compression


class Name(str):
    """A name: letters and digits alone, as all of ours are."""

    __slots__ = ()


class Raw(bytes):
    """Bytes that stand in the file as they are."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Reference:
    """An object of the document, by its number."""

    number: int


Value: TypeAlias = "Name | Raw | Reference | str | float | Sequence[Value] | Mapping[str, Value]"


@dataclass(frozen=True, slots=True)
class Stream:
    """A dictionary and the bytes that follow it; `Length` is added."""

    entries: Mapping[str, Value]
    data: bytes


def packed(data: bytes, entries: Mapping[str, Value] | None = None) -> Stream:
    """The bytes as a compressed stream."""
    return Stream({**(entries or {}), "Filter": Name("FlateDecode")}, zlib.compress(data, LEVEL))


def written(value: Value) -> bytes:
    """A value in PDF's words.

    >>> written({"Type": Name("Page"), "Box": [0, 0.5], "Title": "é"})
    b'<< /Type /Page /Box [0 0.5] /Title <feff00e9> >>'
    """
    if isinstance(value, Raw):
        return bytes(value)
    if isinstance(value, Name):
        return b"/" + value.encode("ascii")
    if isinstance(value, Reference):
        return b"%d 0 R" % value.number
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return b"true" if value else b"false"
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, Mapping):
        return b"<< %s >>" % b" ".join(b"/%s %s" % (key.encode("ascii"), written(one)) for key, one in value.items())
    return b"[%s]" % b" ".join(map(written, value))


def _number(value: float) -> bytes:
    """A number without an exponent, which PDF does not know."""
    if isinstance(value, int) or value.is_integer():
        return b"%d" % value
    return f"{value:.6f}".rstrip("0").encode("ascii")


def _text(text: str) -> bytes:
    """A text string: letters of ASCII as they are, others in UTF-16."""
    if not text.isascii() or not text.isprintable():
        return b"<feff%s>" % text.encode("utf-16-be").hex().encode("ascii")
    return b"(%s)" % text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)").encode("ascii")


class Document:
    """Objects in the order in which they were added, and the file they make."""

    def __init__(self) -> None:
        self._objects: list[bytes | None] = []

    def reserve(self) -> Reference:
        """A number for an object that is put in later."""
        self._objects.append(None)
        return Reference(len(self._objects))

    def put(self, place: Reference, value: Value | Stream) -> None:
        """Fill a place that was kept."""
        if isinstance(value, Stream):
            head = written({**value.entries, "Length": len(value.data)})
            self._objects[place.number - 1] = b"%s\nstream\n%s\nendstream" % (head, value.data)
        else:
            self._objects[place.number - 1] = written(value)

    def add(self, value: Value | Stream) -> Reference:
        """Add an object."""
        place = self.reserve()
        self.put(place, value)
        return place

    def file(self, root: Reference, info: Reference) -> bytes:
        """The whole file. Its identifier is the hash of its content, so that the same content gives the same bytes."""
        parts = [HEADER]
        at, places = len(HEADER), []
        for number, content in enumerate(self._objects, 1):
            if content is None:
                raise ValueError(f"object {number} was kept and never put in")
            part = b"%d 0 obj\n%s\nendobj\n" % (number, content)
            places.append(at)
            at += len(part)
            parts.append(part)
        table = b"".join(b"%010d 00000 n \n" % place for place in places)
        parts.append(b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(places) + 1, table))
        digest = hashlib.sha256()
        for part in parts:
            digest.update(part)
        same = Raw(b"<%s>" % digest.hexdigest()[:32].encode("ascii"))
        trailer = written({"Size": len(places) + 1, "Root": root, "Info": info, "ID": [same, same]})
        parts.append(b"trailer\n%s\nstartxref\n%d\n%%%%EOF\n" % (trailer, at))
        return b"".join(parts)
