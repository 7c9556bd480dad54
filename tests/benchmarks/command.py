"""The cost of one random game as a whole command, imports included: `playproof simulate GAME
--games 1`.

CPU seconds of the process and its children. Cold: only Python's bytecode is cached. Warm: the same
run again. Another seed: the game is cached, the run is not.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from statistics import median

from tests.benchmarks.measure import Row

WANTED = {"eila": 1.0, "opale": 1.0, "eurydice": 1.0, "olith": 1.8}
WARM, TURNS = 0.4, 3


def run() -> list[Row]:
    """Return three rows per game, each the median of three caches."""
    played("eila", 1)  # the bytecode
    return [row for name in WANTED for row in rows(name)]


def rows(name: str) -> list[Row]:
    """Measure each kind of run one after the other in a cache, and repeat in new caches."""
    times: list[list[float]] = []
    before = os.environ.get("PLAYPROOF_CACHE")
    for _ in range(TURNS):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["PLAYPROOF_CACHE"] = folder
            times.append([played(name, seed) for seed in (1, 1, 2)])
    if before is None:
        del os.environ["PLAYPROOF_CACHE"]
    else:
        os.environ["PLAYPROOF_CACHE"] = before
    cold, warm, other = (median(one) for one in zip(*times, strict=True))
    return [
        Row(f"{name}, one game, cold", f"{cold:.2f} s", "", "", f"at most {WANTED[name]} s"),
        Row(
            f"{name}, the same again", f"{warm:.2f} s", f"cold {cold:.2f} s", f"{cold / warm:.1f}", f"at most {WARM} s"
        ),
        Row(f"{name}, another seed", f"{other:.2f} s", f"cold {cold:.2f} s", f"{cold / other:.1f}", ""),
    ]


def played(name: str, seed: int) -> float:
    """Return the CPU seconds of one command."""
    before = os.times()
    subprocess.run(
        [sys.executable, "-m", "playproof", "simulate", name, "--games", "1", "--seed", str(seed)],
        check=True,
        stdout=subprocess.DEVNULL,
        env={name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
    )
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system
