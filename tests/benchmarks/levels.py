"""The time to make machine code, and its speed, by LLVM's level of optimisation, on one core."""

from __future__ import annotations

import os
import tempfile
from statistics import median

from playproof.language.compiled import Compiled
from playproof.language.machine import native
from playproof.language.machine.lazy_parts import GAMES
from playproof.language.registry import build
from tests.benchmarks.measure import Row, cpu

PLAYED = {"eila": 4_000, "opale": 800, "eurydice": 2_000, "olith": 300}
LEVELS, TURNS = (0, 1, 2, 3), 5


def run() -> list[Row]:
    """Return a row per game and level: seconds to make the part that plays games, and its rate
    against the best level's."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PLAYPROOF_CACHE"] = folder
        return [row for name in PLAYED for row in levels(name)]


def levels(name: str) -> list[Row]:
    """Measure each level of one game in turns."""
    made = {level: at(name, level) for level in LEVELS}
    times: dict[int, list[float]] = {level: [] for level in LEVELS}
    for _ in range(TURNS):
        for level, (compiled, _) in made.items():
            times[level].append(cpu(lambda c=compiled: c.run_playouts(PLAYED[name], 1)))
    best = times[LEVELS[-1]]
    return [
        Row(
            f"{name}, level {level}",
            f"made in {seconds:.2f} s",
            f"{PLAYED[name] / median(times[level]):,.0f} games/s",
            f"{median(b / t for b, t in zip(best, times[level], strict=True)):.2f}",
            "",
        )
        for level, (_, seconds) in made.items()
    ]


def at(name: str, level: int) -> tuple[Compiled, float]:
    """Return a game's reading at one level, and the seconds to make its machine code,
    translation included."""
    compiled = Compiled(build(name))
    compiled.__dict__["module"] = module = native.NativeModule(compiled.inner_source, compiled.constants, (GAMES,))
    quick, good = native._QUICK, native._GOOD
    native._QUICK = native._GOOD = level
    try:
        seconds = cpu(lambda: module.parts["playouts"]._load_cached_object_or_compile_it(level))
    finally:
        native._QUICK, native._GOOD = quick, good
    module.parts["playouts"].is_good = True
    return compiled, seconds
