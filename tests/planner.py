"""`python -m tests.planner`: what can be reached in small puzzles, by the planner Fast Downward and by ours.

The planner reads the puzzle as PDDL. Each of its plans is played by the interpreter; where it finds none, it has gone
through all that a plan could do. `make prove` installs it (`pip install -e '.[planner]'`).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from playproof.language import Interpreter
from playproof.verifier.bridges.model_export import game_and_target_to_pddl_or_raise
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.search.case import GameCase
from tests.published_games import get_published_game

PUZZLES: list[tuple[str, dict[str, str]]] = [
    *((get_published_game("soldiers"), {"row": row, "columns": "3"}) for row in "1234"),
    (get_published_game("soldiers"), {"row": "2", "columns": "5"}),
    (get_published_game("soldiers"), {"row": "3", "columns": "5"}),
    (get_published_game("sokoban"), {"level": "corner"}),
    (get_published_game("sokoban"), {"level": "locked"}),
    *((get_published_game("mutilated_board"), {"size": size}) for size in "234"),
    (get_published_game("klotski"), {}),
]
"""Every game of the examples that has a place in PDDL, so small that a planner is sure of it."""
_UNSOLVABLE = 11
"""The exit status of Fast Downward where there is no plan."""


def planned(case: GameCase, program: Path, folder: Path) -> bool:
    """Return whether the planner finds a plan for a win, each of which the interpreter plays. Raises RuntimeError if it
    does neither find a plan nor exclude one."""
    [target] = TargetReader(case.game).read_targets_of_spec({"outcome": "win"})
    written = game_and_target_to_pddl_or_raise(case, target)
    (folder / "domain.pddl").write_text(written.domain, encoding="utf-8")
    (folder / "problem.pddl").write_text(written.problem, encoding="utf-8")
    command = [sys.executable, str(program), "--alias", "lama-first", "domain.pddl", "problem.pddl"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    if run.returncode == _UNSOLVABLE:
        return False
    if run.returncode != 0:
        raise RuntimeError(f"Fast Downward ended with {run.returncode}: {run.stdout[-400:]}{run.stderr[-400:]}")
    play = Interpreter(case.game)
    state = play.start()
    for line in (folder / "sas_plan").read_text(encoding="utf-8").splitlines():
        if line.startswith("("):
            state = play.apply(state, int(line.strip("() ").rpartition("-")[2]))
    if not play.value(target.condition, state):
        raise RuntimeError(f"the plan for {case.game.name} does not win")
    return True


def main() -> int:
    """Compare all puzzles. Return 1 if an answer differs, 2 if the planner is missing."""
    spec = find_spec("up_fast_downward")
    if spec is None or spec.origin is None:
        print("Fast Downward is missing: pip install -e '.[planner]'", file=sys.stderr)
        return 2
    program = Path(spec.origin).parent / "downward" / "fast-downward.py"
    different = 0
    for game, options in PUZZLES:
        case = GameCase(game, options, machine=False)
        with tempfile.TemporaryDirectory() as folder:
            theirs = planned(case, program, Path(folder))
        question = Question("win", "reach", {"outcome": "win"}, says="It can be won.", values=options)
        [ours] = prove(game, claims=[question])
        different += ours.value is not theirs
        name = " ".join([game, *(f"{key}={value}" for key, value in options.items())])
        words = {True: "can", False: "cannot", None: "open"}
        verdict = "agree" if ours.value is theirs else "DIFFER"
        print(f"{name:<36} Fast Downward: {words[theirs]:<7} ours: {words[ours.value]:<7} {verdict}", flush=True)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
