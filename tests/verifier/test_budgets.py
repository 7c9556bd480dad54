"""No answer costs more than was allowed, and what is allowed is work: a slow machine answers the same, later."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
import z3

from playproof.language.machine import native
from playproof.verifier.kernel import z3_questions
from playproof.verifier.proof import certificate_offers, counting
from playproof.verifier.proof.certificate_offers import run_in_child_within_budget_or_none
from playproof.verifier.proof.splitting import plan_lemma_with_splits_or_none
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Answer, Conclusion, Verdict
from playproof.verifier.search import case
from playproof.verifier.search.case import Budget, GameCase

GAMES = Path(__file__).parent / "games"
HARVEST, PORTERS, SLIDING = (str(GAMES / name) for name in ("harvest", "porters", "sliding"))
WIN = {"outcome": "win"}
STORE = [{"most": "stored"}]


def test_work_aside_gives_its_result_and_its_errors() -> None:
    assert run_in_child_within_budget_or_none(lambda budget: round(budget.work), Budget(40.0), 0.5) == 20
    assert run_in_child_within_budget_or_none(lambda _: None, Budget(40.0)) is None
    with pytest.raises(ZeroDivisionError):
        run_in_child_within_budget_or_none(lambda _: 1 // 0, Budget(40.0))


def test_work_aside_ends_with_the_clock() -> None:
    began = time.perf_counter()
    assert run_in_child_within_budget_or_none(lambda _: time.sleep(60), Budget(0.4, seconds=0.4)) is None
    assert time.perf_counter() - began < 10
    assert run_in_child_within_budget_or_none(lambda _: 1, Budget(0.0)) is None


def test_work_aside_is_counted_here() -> None:
    budget = Budget(40.0)
    assert run_in_child_within_budget_or_none(lambda _: case.add_work_units_done(7.0) or "done", budget, 0.5) == "done"
    assert 32 < budget.left <= 33 + 1e-9  # sums of work are rounded
    assert not budget.late


def test_integers_are_asked_at_a_glance_before_bit_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, real = list[bool](), z3_questions._ask_z3_and_compare_second_solver

    def counted(text: str, integers: bool, *rest: Any) -> str:
        asked.append(integers)
        return real(text, integers, *rest)

    monkeypatch.setattr(z3_questions, "_ask_z3_and_compare_second_solver", counted)
    plan_lemma_with_splits_or_none(GameCase(HARVEST, machine=False), [], ["stored <= 2 * round"], Budget(60.0))
    assert asked
    assert all(asked)


def hard() -> case.WorkLimitedSolver:
    """A question that Z3 does not answer for minutes: the factors of a product."""
    solver, (a, b) = case.WorkLimitedSolver("QF_BV", 1.0), z3.BitVecs("a b", 48)
    solver.add(a * b == 70_368_744_177_643, z3.UGT(a, 1), z3.UGT(b, 1), z3.ULT(a, 1 << 24), z3.ULT(b, 1 << 24))
    return solver


def test_z3_stops_after_the_work_allowed_and_says_what_it_was() -> None:
    costs = []
    for _ in range(2):
        before, solver = case.get_work_units_done(), hard()
        assert str(solver.check()) == "unknown"
        costs.append(case.get_work_units_done() - before)
    assert 0.9 < costs[0] < 1.5
    assert run_in_child_within_budget_or_none(lambda _: str(hard().check()), Budget(0.5)) == "unknown"


def test_a_child_has_no_more_than_its_share() -> None:
    """Many questions, each within bounds, end together with the budget."""
    budget = Budget(2.0)
    assert (
        run_in_child_within_budget_or_none(lambda _: [str(hard().check()) for _ in range(50)], budget)
        == ["unknown"] * 50
    )
    assert -0.5 < 2.0 - (case.get_work_units_done() - budget.began) < 0.5


# -- the same verdicts on a loaded machine ------------------------------------------------------------------------

CLAIMS: list[tuple[str, dict[str, Any], Question]] = [
    (HARVEST, {}, Question("win", "reach", WIN, {"rounds": 4})),
    (HARVEST, {}, Question("fewest", "minimum", {"number": "round", "when": WIN})),
    (HARVEST, {"goal": "12"}, Question("most", "maximum", {"number": "stored"})),
    (HARVEST, {}, Question("slowly", "always", {"holds": "stored <= 2 * round"})),
    (HARVEST, {}, Question("chance", "luck", WIN, {"rounds": 2})),
    (HARVEST, {}, Question("ends", "always", {"ends": 400})),
    (HARVEST, {}, Question("by-rules", "worth", {"number": "stored", "play": STORE})),
    (HARVEST, {}, Question("lead", "luck", WIN, given=(Question("p", "strategy", {"target": WIN, "play": STORE}),))),
    (PORTERS, {}, Question("odd", "always", {"holds": "at <= 3"})),
    (PORTERS, {}, Question("bounds", "always", "bounds")),
    (SLIDING, {"start": "far", "count": "8"}, Question("fewest", "minimum", {"number": "moves", "when": WIN})),
]
TIGHT = {"work": 0.4, "states": 400, "games": 100}
"""So little that some answers are UNKNOWN: they must be the same ones."""


def asked(ref: str, values: dict[str, Any], question: Question, **limits: Any) -> tuple[Answer, float]:
    before = case.get_work_units_done()
    [answer] = prove(ref, values, claims=[question], machine=False, **limits)
    return answer, case.get_work_units_done() - before


@pytest.mark.parametrize("limits", [{"work": 20.0, "games": 200}, TIGHT], ids=["ample", "tight"])
@pytest.mark.parametrize(("ref", "values", "question"), CLAIMS, ids=lambda x: x.id if isinstance(x, Question) else "")
def test_a_loaded_machine_answers_the_same(
    ref: str, values: dict[str, Any], question: Question, limits: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a clock that runs ten times faster, in which everything seems to take ten times as long."""
    idle, cost = asked(ref, values, question, **limits)
    for module in (case, certificate_offers, case):
        monkeypatch.setattr(module, "perf_counter", lambda: 10 * time.perf_counter())
    loaded, same_cost = asked(ref, values, question, **limits)
    assert (loaded.verdict, loaded.value, loaded.method, loaded.bound) == (
        idle.verdict,
        idle.value,
        idle.method,
        idle.bound,
    )
    assert same_cost == pytest.approx(cost, rel=0.2, abs=0.05)


def test_the_emergency_stop_is_told_and_proves_nothing() -> None:
    question = Question("most", "maximum", {"number": "stored"}, values={"goal": "12"})
    [answer] = prove(HARVEST, claims=[question], machine=False, work=60.0, seconds=0.001)
    assert answer.verdict is Verdict.UNKNOWN
    assert "stopped by the clock after 0.001 s" in answer.reason


def test_what_is_asked_after_a_claim_has_its_own_time() -> None:
    """The stop by the clock is one a process; it once went on after the claim, and Z3 then answered "unknown"."""
    question = Question("most", "maximum", {"number": "stored"}, values={"goal": "12"})
    prove(HARVEST, claims=[question], machine=False, work=60.0, seconds=0.001)
    assert case.WorkLimitedSolver().check(z3.Int("n") > 0) == z3.sat


def test_waiting_for_machine_code_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    budget = Budget(5.0, seconds=5.0)
    monkeypatch.setattr(case, "perf_counter", lambda: time.perf_counter() + 60)
    assert budget.late
    monkeypatch.setattr(native, "_WAITED", [native.get_seconds_waited_for_machine_code() + 60])
    assert not budget.late
    assert budget.left == 5.0


def test_an_exploration_is_the_same_however_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is seen within some work depends on nothing else."""

    def seen() -> tuple[int, int]:
        found = GameCase(SLIDING, {"start": "far", "count": "8"}, machine=False).extend_shared_exploration(Budget(0.02))
        return found.states, found.steps

    first = seen()
    monkeypatch.setattr(case, "perf_counter", lambda: 10 * time.perf_counter())
    assert seen() == first


def test_settings_that_answer_at_once_leave_their_time_to_the_others() -> None:
    asked: list[tuple[str, float]] = []

    def answer(question: Question, budget: Budget) -> Conclusion:
        option = str(question.rulings["Q1"])
        asked.append((option, budget.work))
        return Conclusion(True, "", ()) if option == "any" or len(asked) > 2 else Conclusion(None, "", (), "time")

    question = Question("q", "same", {"ask": "reach", "of": {"holds": "card == 2"}}, rulings={"Q1": ["third", "any"]})
    found = counting.answer_same_or_tune_claim(question, {}, answer, Budget(100.0))
    assert found.value is True
    assert [option for option, _ in asked] == ["third", "any", "third"]
    assert asked[0][1] < 16
    assert asked[2][1] > 60
