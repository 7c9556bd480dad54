"""No answer costs more than was allowed: work aside is ended, nobody waits for machine code, settings share time."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from playproof.verifier.proof import settings
from playproof.verifier.proof.reach import why
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Found
from playproof.verifier.search import machine_code
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.child import aside
from playproof.verifier.search.machine_code import EXPLORER, GAMES, Warming

QUARREL = str(Path(__file__).parent / "games" / "quarrel")


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


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Children that never finish compiling."""

    def start(_: Warming, __: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])

    monkeypatch.setattr(Warming, "_start", start)


@pytest.mark.usefixtures("slow")
def test_until_machine_code_is_there_plain_python_plays() -> None:
    case = Case(QUARREL, numba=True)
    try:
        assert case.quick() is case.plain
        assert case.quick(EXPLORER) is case.plain  # one child at a time
        assert list(case.warming._children) == [GAMES]
        assert case.explored(Budget(0.5)).states > 1
    finally:
        case.warming.stop()
    assert case.warming.ready(GAMES)


@pytest.mark.usefixtures("slow")
def test_the_reason_says_that_it_was_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(QUARREL, numba=True)
    monkeypatch.setattr(Warming, "waiting", 7.0)
    assert why(case, Budget(3.0)) == "time: 3 s were used, and machine code, compiling for 7 s, was not ready"
    assert why(Case(QUARREL, numba=False), Budget(3.0)) == "time: 3 s were used"


def test_a_small_game_is_not_compiled_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_code, "_ROOT", "/nowhere")
    case = Case(QUARREL, numba=False)
    assert case.quick() is case.plain
    assert not case.warming._children


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
