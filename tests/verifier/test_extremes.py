"""The least and the greatest value of a number, shown by a line and by a proof that need not be all states."""

from __future__ import annotations

from pathlib import Path

import pytest

from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Answer, Verdict
from tests.verifier.conftest import HARVEST, WIN, recheck

QUARREL = str(Path(__file__).parent / "games" / "quarrel")


def answer(ref: str, question: Question, output: Path, states: int = 12_000_000, work: float = 20.0) -> Answer:
    (found,) = prove(ref, claims=[question], output=output, machine=False, games=300, states=states, work=work)
    return found


@pytest.mark.parametrize("states", [30, 12_000_000])
def test_the_greatest_store_with_and_without_all_states(states: int, tmp_path: Path) -> None:
    question = Question("most", "maximum", {"number": "stored", "when": {"holds": "round == 1"}}, expect=2)
    found = answer(HARVEST, question, tmp_path, states)
    assert (found.verdict, found.value) == (Verdict.PROVEN, 2)
    assert recheck(found, question) == []


def test_fewest_turns_of_two_players(tmp_path: Path) -> None:
    question = Question("few", "minimum", {"number": "round", "when": {"reason": "five steps gone"}}, expect=5)
    found = answer(QUARREL, question, tmp_path)
    assert (found.verdict, found.value) == (Verdict.PROVEN, 5)
    assert recheck(found, question, game=QUARREL) == []


def test_without_time_both_bounds_are_told(tmp_path: Path) -> None:
    question = Question("few", "minimum", {"number": "round", "when": WIN})
    found = answer(HARVEST, question, tmp_path, work=0.0)
    assert found.verdict is Verdict.UNKNOWN
    assert found.bound["at least"] == 1
    assert found.bound["at most"] is None
