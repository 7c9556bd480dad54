"""A second reader of every PDF that the suite makes: qpdf (through pikepdf) parses each content stream and each string,
and each operator must have the operands that the standard gives it (ISO 32000-1, annex A). `tests/conftest.py` calls
it for every file that our writer finishes, so that no test must think of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from hashlib import blake2b
from io import BytesIO
from typing import Any

import pikepdf

# By operator, its operands: n a number, N a name, s a string, a an array, d a dictionary or a name.
OPERANDS = {
    "q": "", "Q": "", "cm": "nnnnnn", "w": "n", "J": "n", "j": "n", "M": "n", "d": "an", "ri": "N", "i": "n", "gs": "N",
    "m": "nn", "l": "nn", "c": "nnnnnn", "v": "nnnn", "y": "nnnn", "h": "", "re": "nnnn", "S": "", "s": "", "f": "",
    "f*": "", "B": "", "B*": "", "b": "", "b*": "", "n": "", "W": "", "W*": "", "BT": "", "ET": "", "Tc": "n",
    "Tw": "n",
    "Tz": "n", "TL": "n", "Tf": "Nn", "Tr": "n", "Ts": "n", "Td": "nn", "TD": "nn", "Tm": "nnnnnn", "T*": "", "Tj": "s",
    "TJ": "a", "g": "n", "G": "n", "rg": "nnn", "RG": "nnn", "k": "nnnn", "K": "nnnn", "sh": "N", "Do": "N", "BMC": "N",
    "BDC": "Nd", "EMC": "", "cs": "N", "CS": "N", "d0": "nn", "d1": "nnnnnn",
}  # fmt: skip
OPENED = {"q": "Q", "BT": "ET", "BMC": "EMC", "BDC": "EMC"}
RESOURCES = {"Tf": "/Font", "Do": "/XObject", "gs": "/ExtGState", "sh": "/Shading"}
# What every reader of PDF takes for a number. qpdf is lenient with a few more.
NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)\Z")
TOKENS = re.compile(rb"<[0-9A-Fa-f]*>|[\[\]]|[^\s\[\]<>]+")
_read: set[bytes] = set()  # streams that were read with their resources; most occur in many files


class Unreadable(AssertionError):
    """A file of ours that a second reader does not read as it was meant."""


def read_back(data: bytes) -> None:
    """Raise Unreadable for a file with a stream that is not as the standard has it."""
    with pikepdf.open(BytesIO(data)) as pdf:
        for stream, resources in _streams(pdf):
            raw = bytes(stream.read_raw_bytes())
            names = [sorted(resources.get(kind, {}).keys()) for kind in RESOURCES.values()]
            key = blake2b(raw + repr(names).encode(), digest_size=16).digest()
            if key not in _read:
                _check(stream, resources)
                _read.add(key)


def _streams(pdf: pikepdf.Pdf) -> Iterator[tuple[pikepdf.Object, pikepdf.Object]]:
    """Yield every content stream with the resources it may name."""
    for page in pdf.pages:
        yield page.obj["/Contents"], page.obj.get("/Resources", pikepdf.Dictionary())
    for made in pdf.objects:
        if isinstance(made, pikepdf.Stream) and str(made.get("/Subtype", "")) == "/Form":
            yield made, made.get("/Resources", pikepdf.Dictionary())


def _check(stream: pikepdf.Object, resources: pikepdf.Object) -> None:
    opened: list[str] = []
    try:
        instructions = pikepdf.parse_content_stream(stream)
    except (TypeError, pikepdf.PdfError) as error:
        raise Unreadable(f"a stream cannot be parsed: {error}") from None
    for instruction in instructions:
        operator, operands = str(instruction.operator), instruction.operands
        wanted = OPERANDS.get(operator)
        if wanted is None:
            raise Unreadable(f"{operator!r} is no operator of PDF, after {list(operands)}")
        if len(operands) != len(wanted) or not all(map(_is, operands, wanted)):
            raise Unreadable(f"{operator} wants {wanted!r}, found {list(operands)}")
        if operator in OPENED:
            opened.append(OPENED[operator])
        elif operator in OPENED.values() and (not opened or opened.pop() != operator):
            raise Unreadable(f"{operator} closes what was not opened")
        elif operator in RESOURCES and str(operands[0]) not in resources.get(RESOURCES[operator], {}):
            raise Unreadable(f"{operator} names {operands[0]}, which the resources do not have")
        elif operator == "TJ" and not all(isinstance(part, pikepdf.String) or _is_number(part) for part in operands[0]):
            raise Unreadable(f"TJ shows {list(operands[0])}")
    if opened:
        raise Unreadable(f"the stream ends without {opened[-1]}")
    for line in stream.read_bytes().splitlines():
        if b" TJ" in line:
            _check_line(line)


def _check_line(line: bytes) -> None:
    """Look at the letters of a line of type themselves: numbers apart, glyphs of two bytes."""
    for token in TOKENS.findall(line):
        if token.startswith(b"<") and (len(token) - 2) % 4:
            raise Unreadable(f"half a glyph: {token!r}")
        if token[:1] in b"+-.0123456789" and not NUMBER.match(token):
            raise Unreadable(f"{token!r} is no number")


def _is(operand: Any, wanted: str) -> bool:
    if wanted == "n":
        return _is_number(operand)
    kinds = {"N": pikepdf.Name, "s": pikepdf.String, "a": pikepdf.Array, "d": (pikepdf.Dictionary, pikepdf.Name)}
    return isinstance(operand, kinds[wanted])


@lru_cache(maxsize=1)
def _number_types() -> tuple[type, ...]:
    from decimal import Decimal

    return (int, float, Decimal)


def _is_number(operand: Any) -> bool:
    return isinstance(operand, _number_types()) and not isinstance(operand, bool)


def read_back_from(finish: Callable[..., bytes]) -> Callable[..., bytes]:
    """Return the function that finishes a file, with the second reader behind it."""

    def finished(*arguments: Any, **options: Any) -> bytes:
        data = finish(*arguments, **options)
        read_back(data)
        return data

    return finished
