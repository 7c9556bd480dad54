"""The small game of these tests, and its claims answered once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Answer

HARVEST = str(Path(__file__).parent / "games" / "harvest")
WIN = {"outcome": "win"}
PLAIN: Any = {"numba": False, "games": 1500}  # small games are answered before machine code is worth making
QUESTIONS = [
    Question("win", "reach", WIN, {"rounds": 4}, expect=True),
    Question("fewest", "minimum", {"number": "round", "when": WIN}, expect=2),
    Question("flood", "reach", {"reason": "flood"}, expect=True),
    Question("no-flood", "never", {"reason": "flood"}),
    Question("every-ending", "reach", {"every": "ending"}),
    Question("dead-actions", "dead", {"every": "action"}, expect="none"),
    Question("stored-slowly", "always", {"holds": "stored <= 2 * round"}),
    Question("little-grain", "always", {"holds": "grain <= 1"}),
    Question("bounds", "always", "bounds"),
    Question("goes-on", "always", "no dead end"),
    Question("ends", "always", {"ends": 400}),
    Question("ends-early", "always", {"ends": 10}),
    Question("lucky", "luck", WIN, chance="best"),
    Question("unlucky", "luck", WIN, {"rounds": 2}, chance="worst"),
    Question("chance", "luck", WIN, {"rounds": 2}),
    Question("most", "maximum", {"number": "stored"}, expect=4),
    Question("flooded-when", "minimum", {"number": "round", "when": {"reason": "flood"}}),
    Question("alike", "same", {"claim": "stored-slowly"}, rulings={"H1": ["spoils", "keeps"]}),
    Question("barns", "tune", {"ask": "never", "of": {"outcome": "win"}}, values={"goal": [8, 12]}),
]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the evidence of the session lies."""
    return tmp_path_factory.mktemp("output")


@pytest.fixture(scope="session")
def answers(folder: Path) -> dict[str, Answer]:
    """Every question of the small game, answered."""
    return {a.id: a for a in prove(HARVEST, claims=QUESTIONS, seconds=20, output=folder, **PLAIN)}
