"""Memory that stays with a process: what the system counts as its pages."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

_FAULTS = """
import resource, sys
from playproof.database.process_memory import make_c_library_keep_freed_memory

if "keep" in sys.argv:
    make_c_library_keep_freed_memory()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    blocks = [bytearray(b"x") * (2 << 20) for _ in range(8)]
    del blocks
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(*arguments: str) -> int:
    """Return the pages that a process of its own gets from the system for eight blocks of 2 MB, again and again."""
    done = subprocess.run([sys.executable, "-c", _FAULTS, *arguments], capture_output=True, text=True, check=True)
    return int(done.stdout)


@pytest.mark.skipif(
    "CS_GNU_LIBC_VERSION" not in getattr(os, "confstr_names", ()), reason="another C library than GNU's"
)
def test_freed_memory_serves_again() -> None:
    assert faults("keep") < faults() / 5
