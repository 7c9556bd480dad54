"""Change values of a game's files and layouts one at a time, and report which changes show nowhere."""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

from playproof.table.rulebook_games import RefereedGamePlayer
from tests.audit.audited_values import audited_values
from tests.audit.run import said_of, where_shown
from tests.audit.unchanged_game import BROKE, NOWHERE


def main() -> int:
    """Run the audit of a game; return 1 if a changed value shows nowhere, or makes a program fail."""
    parser = argparse.ArgumentParser(prog="python -m tests.audit", description=__doc__)
    parser.add_argument("game", metavar="GAME")
    parser.add_argument("--values", type=int, help="how many values to try, instead of all")
    parser.add_argument("--seed", type=int, default=0, help="which ones")
    parser.add_argument("--workers", type=int, default=2, help="how many to try at the same time")
    parser.add_argument("--out", type=Path, default=Path("output"), help="a stopped run continues from this folder")
    options = parser.parse_args()

    values = audited_values(options.game)
    if options.values is not None:
        values = random.Random(options.seed).sample(values, min(options.values, len(values)))
    log = options.out / Path(options.game).resolve().name / "values.jsonl"
    answers = where_shown(
        options.game,
        values,
        RefereedGamePlayer,
        workers=options.workers,
        log=log,
        said=lambda progress: print(progress, file=sys.stderr),
    )
    print(*said_of(answers), sep="\n")
    return 1 if any(answer.where in (NOWHERE, BROKE) for answer in answers) else 0


if __name__ == "__main__":
    sys.exit(main())
