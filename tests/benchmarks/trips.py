"""How far a reader walks who follows one thing through the code: `python -m tests.benchmarks trips`.

Six trips are run once, each in a process of its own. A reader reads each function where the run first enters it. A
stay is a row of such functions in one module. A return is a stay in a module that was left before. What runs
while modules are loaded is no part of a trip.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

import playproof
from tests.benchmarks.measure import Row

if TYPE_CHECKING:  # each trip loads what it passes
    from playproof.verifier.questions.claims import Question

PACKAGE = Path(playproof.__file__).resolve().parent
TOLL = Path(__file__).resolve().parents[1] / "verifier" / "games" / "toll"
Trip = Callable[[Path], object]


def card_to_page(folder: Path) -> object:
    """Print one card as a PDF."""
    from playproof.database.game import load_game
    from playproof.generator.build import build

    return build(load_game("eila"), folder, only="101", papers=("A4",), workers=1)


def effect_to_interpreter(folder: Path) -> object:
    """Read the cards, trace the rules, and play forty actions."""
    from playproof.language import Interpreter
    from playproof.language.registry import build

    play = Interpreter(build("eila"))
    state = play.start()
    for _ in range(40):
        state = play.apply(state, play.legal(state)[-1])
    return state


def rule_to_machine_code(folder: Path) -> object:
    """Trace one rule, and ask its machine code for the legal actions."""
    from playproof.language import Game, require, win
    from playproof.language.compiled import Compiled

    g = Game("one rule")
    coins = g.integer("coins", 0, 9)
    buying = g.phase("buying")

    @g.action(buying, "buy")
    def buy() -> None:
        require(coins < 9, "R1", "the purse is full")
        coins.set(coins + 1)
        win("bought")

    compiled = Compiled(g)
    return compiled.legal(compiled.start())


def tolls() -> Question:
    """Return a claim about a small game: what a gate takes."""
    from playproof.verifier.questions.claims import Question

    takes = {"action": "pay", "needs": "coins >= 3", "changes": {"coins": -3, "paid": 1}}
    return Question("toll", "step", takes, values={"coins": "5"}, expect=True)


def claim_to_verdict(folder: Path) -> object:
    """Prove one claim."""
    from playproof.verifier.prove import prove

    return prove(str(TOLL), claims=[tolls()], output=folder)


def click_to_page(folder: Path) -> object:
    """Begin a game at a table in the browser and take an action."""
    from starlette.testclient import TestClient

    from playproof.table.hall import ServerState
    from playproof.table.site import TableApp

    hall = ServerState(("tic_tac_toe",), folder, pace=0)
    site = TableApp(hall, {"testserver"})
    with TestClient(site.app) as client:
        fields = {"game": "tic_tac_toe", "seat-00": "person", "seat-01": "person"}
        begun = client.post(f"{site.lobby_at}new", data=fields, follow_redirects=False)
        sitting = hall.desks[begun.headers["location"].split("/")[2]].session
        for seat in sitting.free_seats:
            sitting.take_seat(seat)
        seat = f"/t/{sitting.ident}/{sitting.tokens[sitting.match.actor]}"
        return client.post(f"{seat}/move", data={"ident": "0", "version": str(sitting.version)})


def mutant(folder: Path) -> object:
    """Change rules in one place, and ask the claims."""
    from playproof.mutation.sampling import MutationLimits, examine_mutant
    from playproof.mutation.ways_to_play import build_settings_of_claims

    settings = build_settings_of_claims(str(TOLL), {"toll": tolls()})
    key = min(settings[0].mutants)
    return examine_mutant(settings, key, MutationLimits(steps=600, states=500, search=2.0))


TRIPS: dict[str, Trip] = {
    "card to page": card_to_page,
    "effect to interpreter": effect_to_interpreter,
    "rule to machine code": rule_to_machine_code,
    "claim to verdict": claim_to_verdict,
    "click to page": click_to_page,
    "mutant": mutant,
}


class Reader:
    """Notes the module of each function of the package when it is first entered."""

    def __init__(self) -> None:
        self.modules: list[str] = []
        self._entered: set[CodeType] = set()
        self._loading: dict[int, int] = {}  # by thread: how many modules are being loaded

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        """Take an event of `sys.setprofile`."""
        code = frame.f_code
        thread = threading.get_ident()
        if code.co_name == "<module>":
            self._loading[thread] = self._loading.get(thread, 0) + {"call": 1, "return": -1}.get(event, 0)
        elif event == "call" and not self._loading.get(thread) and code not in self._entered:
            self._entered.add(code)
            module = module_of(code.co_filename)
            if module:
                self.modules.append(module)


def module_of(file: str) -> str:
    """Return the module of the package that a file holds, or "" for any other file."""
    path = Path(file)
    for room in PACKAGE.iterdir():
        if path.is_relative_to(room) or path.resolve().is_relative_to(room.resolve()):
            return ".".join([room.name, *path.resolve().relative_to(room.resolve()).with_suffix("").parts])
    return ""


def walked(trip: str) -> tuple[int, int, int]:
    """Return how many modules a trip passes, its stays and its returns."""
    reader = Reader()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PLAYPROOF_CACHE"] = str(Path(folder) / "cache")
        threading.setprofile(reader)
        sys.setprofile(reader)
        TRIPS[trip](Path(folder))
        sys.setprofile(None)
        threading.setprofile(None)
    stays = [module for module, _ in groupby(reader.modules)]
    return len(set(stays)), len(stays), len(stays) - len(set(stays))


def run() -> list[Row]:
    """Return a row for each trip."""
    rows = []
    for trip in TRIPS:
        command = [sys.executable, "-m", "tests.benchmarks.trips", trip]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        modules, stays, returns = printed[-3:]
        rows.append(Row(trip, f"{modules} modules, {stays} stays, {returns} returns", "", "", ""))
    return rows


if __name__ == "__main__":
    print(*walked(sys.argv[1]))
