"""No answer costs more than was allowed: work aside is ended, settings share time."""

from __future__ import annotations

import time

import pytest

from playproof.verifier.proof import settings
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Found
from playproof.verifier.search.case import Budget
from playproof.verifier.search.child import aside


def test_work_aside_gives_its_result_and_its_errors() -> None:
    assert aside(lambda budget: round(budget.seconds), Budget(40.0), 0.5) == 20
    assert aside(lambda _: None, Budget(40.0)) is None
    with pytest.raises(ZeroDivisionError):
        aside(lambda _: 1 // 0, Budget(40.0))


def test_work_aside_ends_with_the_budget() -> None:
    began = time.perf_counter()
    assert aside(lambda _: time.sleep(60), Budget(0.4)) is None
    assert time.perf_counter() - began < 10
    assert aside(lambda _: 1, Budget(0.0)) is None


def test_settings_that_answer_at_once_leave_their_time_to_the_others() -> None:
    asked: list[tuple[str, float]] = []

    def answer(question: Question, budget: Budget) -> Found:
        option = str(question.rulings["Q1"])
        asked.append((option, budget.seconds))
        return Found(True, "", ()) if option == "any" or len(asked) > 2 else Found(None, "", (), "time")

    question = Question("q", "same", {"ask": "reach", "of": {"holds": "card == 2"}}, rulings={"Q1": ["third", "any"]})
    found = settings.compared(question, {}, answer, Budget(100.0))
    assert found.value is True
    assert [option for option, _ in asked] == ["third", "any", "third"]
    assert asked[0][1] < 16
    assert asked[2][1] > 60
