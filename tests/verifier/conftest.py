"""The small game of these tests, and its claims answered once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from playproof.verifier.check import RequestedSettings, list_findings_on_evidence_file
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Answer

HARVEST = str(Path(__file__).parent / "games" / "harvest")
WIN = {"outcome": "win"}
PLAIN: Any = {"machine": False, "games": 1500}  # small games are answered before machine code is worth making
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


def recheck(answer: Answer | Path | str, *questions: Question, game: str = HARVEST, **options: str) -> list[str]:
    """Codes of what `list_findings_on_evidence_file` finds wrong with evidence for questions that stand in no
    claims.yaml."""
    path = answer.evidence if isinstance(answer, Answer) else answer
    claims = {q.id: q for q in questions or QUESTIONS}
    return [
        f.code for f in list_findings_on_evidence_file(path, game=game, claims=claims, asked=RequestedSettings(options))
    ]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the evidence of the session lies."""
    return tmp_path_factory.mktemp("output")


@pytest.fixture(scope="session")
def answers(folder: Path) -> dict[str, Answer]:
    """Every question of the small game, answered by all methods there are, not only by going through its states. With
    more work each method that does not find the answer to `barns` searches longer before."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "playproof.verifier.search.case.GameCase.explore_all_states_or_none_if_many",
            lambda case, budget: None,
        )
        return {a.id: a for a in prove(HARVEST, claims=QUESTIONS, work=9, output=folder, **PLAIN)}
