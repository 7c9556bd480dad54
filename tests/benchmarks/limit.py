"""Random games and exploration against hand-written C++ on the same decisions and the same random
numbers.

The programs in tests/benchmarks/limits/ are the limit: each is written for one game, on bit boards. The
benchmark exits if their counts differ from ours. Our rate is that of `simulate`: every action
counted, every tally kept; one core.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from playproof.language.compiled import Compiled
from playproof.language.explorer import explore
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.referee import Variant
from playproof.referee.simulate import simulate
from tests.benchmarks.measure import Row, cpu

GAMES = {
    "eila": (500_000, "2.5"),
    "pig": (200_000, "2.5"),
    "tic_tac_toe": (2_000_000, "6"),
    "connect_four": (1_000_000, "6"),
}
SEED, TURNS = 5, 5


def run() -> list[Row]:
    """Return ratios of CPU time, measured in turns; empty if there is no compiler."""
    compiler = next((found for name in ("g++", "clang++", "c++") if (found := shutil.which(name))), None)
    if compiler is None:
        print("no C++ compiler here: the limit is not measured", file=sys.stderr)
        return []
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "limits"
        source = Path(__file__).parent / "limits" / "limits.cpp"
        subprocess.run([compiler, "-O3", "-march=native", "-std=c++17", str(source), "-o", str(program)], check=True)
        return [*(playouts(program, name) for name in GAMES), exploration(program)]


def said(program: Path, *words: object) -> tuple[float, list[int]]:
    """Return the CPU seconds of a run of the C++ program and its counts."""
    done = subprocess.run([str(program), *map(str, words)], check=True, capture_output=True, text=True)
    seconds, *counts = done.stdout.split()
    return float(seconds), [int(c) for c in counts]


def playouts(program: Path, name: str) -> Row:
    """Measure one game's random playouts in turns. Exits if the counts differ."""
    games, wanted = GAMES[name]
    variant = Variant(name, {}, {})
    tallies = []
    simulate(variant, games, seed=SEED, jobs=1)  # makes the optimised machine code
    pairs = []
    for _ in range(TURNS):
        ours = cpu(lambda: tallies.append(simulate(variant, games, seed=SEED, jobs=1).tally))
        theirs, counts = said(program, name, games, SEED)
        pairs.append((ours, theirs))
    tally = tallies[-1]
    # one player wins or loses
    wins = tally.wins if tally.seats == 2 else [*tally.wins, tally.games - sum(tally.wins)]
    mine = [*wins, tally.ties, sum(n * k for n, k in tally.decisions.items())]
    if mine != counts:
        sys.exit(f"{name}: C++ counts {counts}, we count {mine}")
    ratio = median(a / b for a, b in pairs)
    ours, theirs = median(a for a, _ in pairs), median(b for _, b in pairs)
    return Row(
        f"{name}, {games:,} games",
        f"{games / ours:,.0f}/s",
        f"C++ {games / theirs:,.0f}/s",
        f"{ratio:.1f}",
        f"at most {wanted}",
    )


def exploration(program: Path) -> Row:
    """Measure the exploration of all positions of Connect Four on 5 x 4, in turns. Exits if the
    counts differ."""
    compiled = Compiled(build("connect_four", Options({"width": "5"})))
    found = [explore(compiled)]
    pairs = []
    for _ in range(TURNS):
        ours = cpu(lambda: found.append(explore(compiled)))
        theirs, (states,) = said(program, "explore")
        pairs.append((ours, theirs))
    if found[-1].states != states:
        sys.exit(f"C++ finds {states:,} positions, we find {found[-1].states:,}")
    ratio = median(a / b for a, b in pairs)
    ours, theirs = median(a for a, _ in pairs), median(b for _, b in pairs)
    return Row(
        f"exploring connect four 5 x 4, {states:,} states",
        f"{states / ours:,.0f}/s",
        f"C++ {states / theirs:,.0f}/s",
        f"{ratio:.1f}",
        "at most 2",
    )
