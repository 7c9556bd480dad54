"""Runs the benchmarks named on the command line, or all but the slow ones, and prints one Markdown table each."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from benchmarks.measure import Row

HEAD = ("what", "ours", "other", "ratio", "wanted")


def table(rows: list[Row]) -> str:
    """Rows as a Markdown table."""
    lines = [HEAD, ("---",) * len(HEAD), *(r.cells() for r in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main() -> None:
    """Run and print."""
    here = Path(__file__).parent
    known = sorted(p.stem for p in here.glob("*.py") if not p.stem.startswith("__") and p.stem != "measure")
    for name in sys.argv[1:] or known:
        module = importlib.import_module(f"benchmarks.{name}")
        if sys.argv[1:] or not getattr(module, "SLOW", False):
            print(f"\n## {name}\n\n{table(module.run())}", flush=True)


if __name__ == "__main__":
    main()
