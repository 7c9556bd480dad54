"""What `test_sets` calls from Python: a part of its own, around a function that the test writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playproof.language.machine.kinds import Cells


def f(S: Cells, first: int, i: int, value: int, wanted: int) -> int:
    """In the source that the test writes."""
    raise NotImplementedError


def g(S: Cells, bits: int, mask: int, i: int, value: int) -> int:
    """In the source that the test writes."""
    raise NotImplementedError


def run(S: Cells, first: int, i: int, value: int, wanted: int) -> int:
    """Write and ask cells."""
    return f(S, first, i, value, wanted)


def scatter(S: Cells, bits: int, mask: int, i: int, value: int) -> int:
    """Move bits."""
    return g(S, bits, mask, i, value)
