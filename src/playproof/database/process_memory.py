"""Memory of a process: freed memory that stays with it, and a pause of the cycle collector while data
is read and built."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# Memory that stays with a process.

_TRIM, _BLOCK = -1, -3  # mallopt(3): M_TRIM_THRESHOLD, M_MMAP_THRESHOLD
_KEPT = 32 << 20  # bytes; glibc takes no more as the size of a block


def make_c_library_keep_freed_memory() -> None:
    """Have the C library keep what is freed for what is needed next, instead of asking the system again.

    Z3 takes and frees 2 MB for each question of the kernel, which has a context of its own: without this, a tenth to
    a fifth of the time is the system's, which clears those pages. Where the C library has no such setting, nothing
    happens.
    """
    if sys.platform != "linux":
        return
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):
        library.mallopt(_BLOCK, _KEPT)
        library.mallopt(_TRIM, 2 * _KEPT)


# -- garbage collection --------------------------------------------------------------------------------------
# Switches the cycle collector off while data is read and built.


@contextmanager
def pause_garbage_collection_and_freeze_objects() -> Iterator[None]:
    """Switch the cycle collector off inside the `with` block. Cards and scenes have no cycles, and
    repeated walks over a million nodes double the time of large builds. Objects made inside are
    frozen, so later collections skip them too; reference counts still free them."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.freeze()
            gc.enable()
