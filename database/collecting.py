"""Reading and building without the cycle collector."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Without the cycle collector: cards and scenes have no cycles, and walking a million nodes
    again and again doubles the time of large builds. What was made is not walked later either: it
    stays or goes by its count."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.freeze()
            gc.enable()
