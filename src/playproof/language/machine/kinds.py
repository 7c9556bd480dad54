"""The kinds of parameters of functions that become machine code; their annotations use these names.

`Cells` and `Dice` come without a length and take one pointer; all other arrays carry their lengths.
`Packed` holds `WORDS` 64-bit words per row. In plain Python, an array may also be a list. Parameters that go
together are a named tuple of these kinds; machine code takes its fields one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

INT, WORD, REAL, TRUTH = "int", "word", "real", "truth"

Word: TypeAlias = int  # 64 bits without a sign
if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Cells: TypeAlias = npt.NDArray[np.int64]
    Dice: TypeAlias = npt.NDArray[np.uint64]
    Packed: TypeAlias = npt.NDArray[np.uint64]
    Words: TypeAlias = npt.NDArray[np.uint64]
    Ints: TypeAlias = npt.NDArray[np.int64]
    Ints32: TypeAlias = npt.NDArray[np.int32]
    Ints8: TypeAlias = npt.NDArray[np.int8]
    Reals: TypeAlias = npt.NDArray[np.float64]
    IntGrid: TypeAlias = npt.NDArray[np.int64]
    RealGrid: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ArrayKind:
    """An array's kind: the kind of its elements, how they are stored, its number of dimensions, and
    whether it carries its lengths."""

    element: str
    stored: str
    dtype: str
    dimensions: int = 1
    sized: bool = True

    @property
    def lengths(self) -> int:
        """How many lengths are passed with the pointer."""
        return self.dimensions if self.sized else 0


Kind: TypeAlias = "str | ArrayKind"

KINDS: dict[str, Kind] = {
    "int": INT,
    "Word": WORD,
    "float": REAL,
    "bool": TRUTH,
    "Cells": ArrayKind(INT, "i64", "int64", sized=False),
    "Dice": ArrayKind(WORD, "i64", "uint64", sized=False),
    "Packed": ArrayKind(WORD, "i64", "uint64", 2, sized=False),
    "Words": ArrayKind(WORD, "i64", "uint64"),
    "Ints": ArrayKind(INT, "i64", "int64"),
    "Ints32": ArrayKind(INT, "i32", "int32"),
    "Ints8": ArrayKind(INT, "i8", "int8"),
    "Reals": ArrayKind(REAL, "double", "float64"),
    "IntGrid": ArrayKind(INT, "i64", "int64", 2),
    "RealGrid": ArrayKind(REAL, "double", "float64", 2),
}
