"""Timing in turns: A B A B ..., CPU seconds, and the median of the pairwise ratios."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Row:
    """One line of a result: what was done, our figure, the other's, their ratio, and the
    required figure."""

    what: str
    ours: str
    other: str
    ratio: str
    wanted: str

    def cells(self) -> tuple[str, ...]:
        """Return the row as table cells."""
        return (self.what, self.ours, self.other, self.ratio, self.wanted)


def cpu(run: Callable[[], object]) -> float:
    """Return the CPU seconds of one call in this process."""
    began = time.process_time()
    run()
    return time.process_time() - began


def by_turns(ours: Callable[[], object], other: Callable[[], object], turns: int = 5) -> tuple[float, float, float]:
    """Return median CPU seconds of each side and the median of other / ours, pair by pair, after
    one warm-up of each."""
    ours()
    other()
    pairs = [(cpu(ours), cpu(other)) for _ in range(turns)]
    return median(a for a, _ in pairs), median(b for _, b in pairs), median(b / a for a, b in pairs)
