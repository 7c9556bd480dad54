"""`build --watch`: the time from saving a changed card of the demo game to its new picture on disk,
with a process started as people start it.

It reports wall time, because people wait for it (only a quiet machine gives a valid figure), and
the CPU time of the process.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from tests.benchmarks.measure import Row

ROOT = Path(__file__).resolve().parents[2]
CARD, FILE, TITLE = "101", "events-1.yaml", "Bramble Breakfast"
SAVES = 7
READY, SHOWN = "watching", "shown"


def run() -> list[Row]:
    """Measure the time to a changed card's face."""
    with tempfile.TemporaryDirectory() as name:
        walls, spent = _saved(Path(name))
    wall, cpu = 1000 * median(walls), 1000 * median(spent)
    what = "a changed card's face after saving, warm"
    return [
        Row(f"{what}, wall", f"{wall:.0f} ms", "-", "-", "under 150 ms"),
        Row(f"{what}, CPU", f"{cpu:.0f} ms", "-", "-", "-"),
    ]


def _saved(folder: Path) -> tuple[list[float], list[float]]:
    """Return wall and CPU seconds of each save but the first, which loads the drawing modules."""
    game = folder / "eila"
    shutil.copytree(ROOT / "cards" / "eila", game)
    shutil.copytree(ROOT / "layouts" / "eila", game / "layouts")
    for shared in ("motifs", "icons"):  # beside the layouts, as in the repository
        shutil.copytree(ROOT / "layouts" / shared, game / shared)
    command = [
        sys.executable,
        "-m",
        "playproof.cli.main",
        "build",
        str(game),
        "--watch",
        "--paper",
        "A4",
        "--out",
        str(folder),
    ]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    walls, spent = [], []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as child:
        try:
            assert child.stdout is not None
            _until(child, READY)
            cards = (game / FILE).read_text("utf-8")
            for turn in range(SAVES):
                time.sleep(0.5)  # so that the watcher is idle
                before, start = _cpu(child.pid), time.perf_counter()
                (game / FILE).write_text(cards.replace(TITLE, f"{TITLE} {turn}"), "utf-8")
                _until(child, SHOWN)
                walls.append(time.perf_counter() - start)
                spent.append(_cpu(child.pid) - before)
                _until(child, READY)
        finally:
            child.terminate()
    return walls[1:], spent[1:]


def _until(child: subprocess.Popen[str], word: str) -> None:
    """Read the process's output until a line begins with the word. Raises RuntimeError if it
    ends before."""
    assert child.stdout is not None
    for line in child.stdout:
        if line.startswith(word):
            return
    raise RuntimeError(f"the watcher ended before it said {word!r}")


def _cpu(pid: int) -> float:
    """Return the CPU seconds of a process so far, from Linux's /proc."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
