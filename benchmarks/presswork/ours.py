"""Ours: from YAML to imposed sheets. `python -m benchmarks.presswork.ours FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from playproof.database.game import load_game
from playproof.generator.build.run import Builder
from playproof.generator.layout.bind import Looks


def main(folder: Path) -> None:
    """Build the deck from nothing."""
    game = load_game(folder / "game")
    builder = Builder(game, folder / "out", looks=Looks(game, folder / "looks"))
    jobs = [builder.sheet_job(p, c, "A4", "en", "fronts", False) for p, c in builder.chosen(None, None)]
    builder.run(jobs, True, None)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
