"""Run the benchmarks named on the command line, or all but the slow ones, and print one Markdown
table each."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path

from tests.benchmarks.measure import Row

NOT_MEASURED = {"measure", "methods"}  # what others share, what methods answer
HEAD = ("what", "ours", "other", "ratio", "wanted")


def table(rows: list[Row]) -> str:
    """Return rows as a Markdown table."""
    lines = [HEAD, ("---",) * len(HEAD), *(r.cells() for r in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main() -> None:
    """Run the benchmarks and print the tables."""
    here = Path(__file__).parent
    known = sorted(p.stem for p in here.glob("*.py") if not p.stem.startswith("__") and p.stem not in NOT_MEASURED)
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {', '.join(known)}")
    parser.add_argument("--minutes", type=float, help="how long `tables` plays")
    asked = parser.parse_args()
    for name in asked.names or known:
        module = importlib.import_module(f"tests.benchmarks.{name}")
        if asked.names or not getattr(module, "SLOW", False):
            how = {"minutes": asked.minutes} if asked.minutes and name == "tables" else {}
            print(f"\n## {name}\n\n{table(module.run(**how))}", flush=True)


if __name__ == "__main__":
    main()
