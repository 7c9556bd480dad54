"""The syntax of PDF objects (ISO 32000-1, clause 7), and a document of such objects that ReportLab
writes.

Python values stand for PDF values: numbers, lists, dictionaries with plain names as keys, and text.
`Name` is a name, `Raw` is finished PDF syntax, and a `Reference` points to an object of the
document.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from reportlab.pdfbase.pdfdoc import PDFDocument, PDFObject

LEVEL = 4  # of compression


class Name(str):
    """A name of letters and digits alone, as all of ours are."""

    __slots__ = ()


class Raw(bytes):
    """Bytes that are written to the file unchanged."""

    __slots__ = ()


class Reference(NamedTuple):
    """An object of the document, by its number."""

    number: int


Value: TypeAlias = "Name | Raw | Reference | str | float | Sequence[Value] | Mapping[str, Value]"


class Stream(NamedTuple):
    """A dictionary and the bytes that follow it; `Length` is added."""

    entries: Mapping[str, Value]
    data: bytes


def build_compressed_stream(uncompressed_bytes: bytes) -> Stream:
    """Return the bytes as a compressed stream."""
    return Stream({"Filter": Name("FlateDecode")}, zlib.compress(uncompressed_bytes, LEVEL))


def format_value_in_pdf_syntax(value: Value) -> bytes:
    """Write a value in PDF syntax.

    >>> format_value_in_pdf_syntax({"Type": Name("Page"), "Box": [0, 0.5], "Title": "é"})
    b'<< /Type /Page /Box [0 0.5] /Title <feff00e9> >>'
    """
    if isinstance(value, Raw):
        return bytes(value)
    if isinstance(value, Name):
        return b"/" + value.encode("ascii")
    if isinstance(value, Reference):
        return b"%d 0 R" % value.number
    if isinstance(value, str):
        return _format_pdf_text_string(value)
    if isinstance(value, bool):
        return b"true" if value else b"false"
    if isinstance(value, int | float):
        return _format_number_without_exponent(value)
    if isinstance(value, Mapping):
        entries = [b"/%s %s" % (key.encode("ascii"), format_value_in_pdf_syntax(inner)) for key, inner in value.items()]
        return b"<< %s >>" % b" ".join(entries)
    return b"[%s]" % b" ".join(map(format_value_in_pdf_syntax, value))


def _format_number_without_exponent(value: float) -> bytes:
    """Write a number without an exponent, which PDF does not allow."""
    if isinstance(value, int) or value.is_integer():
        return b"%d" % value
    return f"{value:.6f}".rstrip("0").encode("ascii")


def _format_pdf_text_string(text: str) -> bytes:
    """Write a text string: ASCII as it is, other letters in UTF-16."""
    if not text.isascii() or not text.isprintable():
        return b"<feff%s>" % text.encode("utf-16-be").hex().encode("ascii")
    return b"(%s)" % text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)").encode("ascii")


class _Object(PDFObject):  # type: ignore[misc]  # reportlab is read as Any
    """An object in the form ReportLab takes. Its content is PDF syntax already."""

    def __init__(self) -> None:
        self.content: bytes | None = None

    def format(self, document: PDFDocument) -> bytes:
        """Return the text between `obj` and `endobj`."""
        if self.content is None:
            raise ValueError("an object was kept and never put in")
        return self.content


class PdfFileBuilder:
    """Objects in the order of their addition, and the file that ReportLab makes of them. ReportLab
    numbers the objects and writes the header, the cross-reference table, the identifier and the
    trailer."""

    def __init__(self) -> None:
        self._file = PDFDocument(invariant=1, pdfVersion=(1, 4))
        self._objects: dict[int, _Object] = {}

    def reserve_object_number(self) -> Reference:
        """Reserve a number for an object that is put in later."""
        made = _Object()
        self._file.Reference(made)
        self._objects[self._file.objectcounter] = made
        return Reference(self._file.objectcounter)

    def fill_reserved_object(self, reference: Reference, value: Value | Stream) -> None:
        """Fill a reserved place."""
        if isinstance(value, Stream):
            head = format_value_in_pdf_syntax({**value.entries, "Length": len(value.data)})
            content = b"%s\nstream\n%s\nendstream" % (head, value.data)
        else:
            content = format_value_in_pdf_syntax(value)
        self._objects[reference.number].content = content
        self._file.signature.update(content)

    def add_object_and_get_reference(self, value: Value | Stream) -> Reference:
        """Add an object and return its reference."""
        place = self.reserve_object_number()
        self.fill_reserved_object(place, value)
        return place

    def to_pdf_file_bytes(self, root: Reference, info: Reference) -> bytes:
        """Return the whole file. Its identifier is a hash of its content, so the same content gives
        the same bytes."""
        self._file.Catalog, self._file.info = self._objects[root.number], self._objects[info.number]
        return bytes(self._file.format())
