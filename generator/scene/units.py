"""Millimetres and points as two types, so that the type checker catches mix-ups."""

from __future__ import annotations

from typing import NewType

Mm = NewType("Mm", float)
Pt = NewType("Pt", float)

MM_PER_PT = 25.4 / 72
PT_PER_MM = 72 / 25.4


def pt_to_mm(size: float) -> Mm:
    """Convert points (1/72 inch) to millimetres.

    >>> round(pt_to_mm(72), 3)
    25.4
    """
    return Mm(size * MM_PER_PT)


def mm_to_pt(length: float) -> Pt:
    """Convert millimetres to points (1/72 inch)."""
    return Pt(length * PT_PER_MM)
