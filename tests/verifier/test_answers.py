"""Every question answers what is known by hand of the small game, and its evidence stands up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
import z3

from playproof.database.errors import InputError
from playproof.verifier.kernel.z3_questions import check_solver_unless_stopped
from playproof.verifier.prove import VerifierRun, answers_to_json, prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Answer, Conclusion
from playproof.verifier.search.case import Budget, GameCase
from tests.verifier.conftest import HARVEST, PLAIN, QUESTIONS, WIN, recheck

EXPECTED: dict[str, tuple[str, Any]] = {
    "win": ("PROVEN", True),
    "fewest": ("PROVEN", 2),
    "flood": ("REFUTED", False),
    "no-flood": ("PROVEN", True),
    "every-ending": ("REFUTED", False),
    "dead-actions": ("REFUTED", ["trade", "call the flood"]),
    "stored-slowly": ("PROVEN", True),
    "little-grain": ("REFUTED", False),
    "bounds": ("PROVEN", True),
    "goes-on": ("PROVEN", True),
    "ends": ("PROVEN", True),
    "ends-early": ("REFUTED", False),
    "lucky": ("PROVEN", True),
    "unlucky": ("REFUTED", False),
    "chance": ("PROVEN", 0.444444444),
    "most": ("PROVEN", 4),
    "flooded-when": ("VACUOUS", None),
    "alike": ("PROVEN", True),
    "barns": ("PROVEN", ["goal=12"]),
}


@pytest.mark.parametrize("ident", [q.id for q in QUESTIONS])
def test_the_answer_is_the_one_known_by_hand(answers: dict[str, Answer], ident: str) -> None:
    answer = answers[ident]
    assert (answer.verdict.value, answer.value) == EXPECTED[ident], answer


@pytest.mark.parametrize("ident", [q.id for q in QUESTIONS])
def test_the_evidence_of_each_answer_is_accepted(answers: dict[str, Answer], ident: str) -> None:
    assert answers[ident].evidence
    assert recheck(answers[ident]) == []


def test_the_json_has_the_fields_scripts_rely_on(answers: dict[str, Answer]) -> None:
    [claim] = answers_to_json([answers["win"]])["claims"]
    assert {"game", "id", "ask", "verdict", "value", "seconds", "method", "evidence"} <= set(claim)
    json.dumps(claim)


def test_unlucky_players_are_not_promised_a_win_and_a_missed_expectation_is_refuted() -> None:
    wrong = Question("fewest", "minimum", {"number": "round", "when": WIN}, expect=1)
    [answer] = prove(HARVEST, claims=[wrong], **PLAIN)
    assert (answer.verdict.value, answer.value) == ("REFUTED", 2)


@pytest.mark.parametrize(("limits", "reason"), [({"work": 0.0}, "work"), ({"states": 5, "games": 0}, "memory")])
def test_what_was_not_decided_is_unknown_with_reason_and_bound(limits: dict[str, Any], reason: str) -> None:
    chance = Question("chance", "luck", WIN)
    [answer] = prove(HARVEST, claims=[chance], **{**PLAIN, **limits})
    assert answer.verdict.value == "UNKNOWN"
    assert answer.reason.startswith(reason)
    assert "states" in answer.bound


def test_what_is_not_supported_is_unknown_and_says_so() -> None:
    [answer] = prove(HARVEST, claims=[Question("l", "luck", {"action": "store"})], **PLAIN)
    assert (answer.verdict.value, answer.reason[:13]) == ("UNKNOWN", "not supported")


def test_an_interrupt_answers_unknown_with_the_bound() -> None:
    def interrupt(_line: str) -> None:
        raise KeyboardInterrupt

    budget = Budget(20.0, progress=interrupt)
    found = VerifierRun(HARVEST, machine=False).find_certified_conclusion(Question("chance", "luck", WIN), {}, budget)
    assert not found.known
    assert found.reason == "stopped by hand"
    assert found.bound["states"] >= 1


def test_an_interrupt_of_what_a_claim_rests_on_stops_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """`bounds` asks first whether phases end, with work of its own; Ctrl-C there was lost, and all went on."""
    asked: list[str] = []

    def answer(_run: VerifierRun, question: Question, _budget: Budget) -> Conclusion:
        asked.append(question.id)
        raise KeyboardInterrupt

    monkeypatch.setattr(VerifierRun, "_find_conclusion_for_one_setting", answer)
    claims = [
        Question("sound", "always", {"invariant": "bounds"}),
        Question("phases", "always", {"invariant": "automatic phases end"}),
    ]
    [found] = prove(HARVEST, claims=claims, **PLAIN)
    assert (found.id, found.reason) == ("sound", "stopped by hand")
    assert len(asked) == 1


def test_z3_that_is_stopped_by_hand_stops_the_claim() -> None:
    """Z3 takes the signal of Ctrl-C for itself, and Python hears nothing of it."""

    class Stopped:
        def check(self) -> z3.CheckSatResult:
            return z3.unknown

        def reason_unknown(self) -> str:
            return "interrupted from keyboard"

    with pytest.raises(KeyboardInterrupt):
        check_solver_unless_stopped(cast(z3.Solver, Stopped()))


def test_options_choose_among_claims_and_rulings_reach_the_rules() -> None:
    questions = [Question("a", "reach", WIN, values={"goal": 2}), Question("b", "reach", WIN, values={"goal": 12})]
    assert [a.id for a in prove(HARVEST, {"goal": "2"}, claims=questions, **PLAIN)] == ["a"]
    trap = prove(HARVEST, claims=[Question("t", "always", "no dead end", values={"trap": "yes"})], **PLAIN)[0]
    assert trap.verdict.value == "REFUTED"


@pytest.mark.parametrize(
    ("question", "code", "hint"),
    [
        (Question("x", "reach", {"outcome": "wim"}), "PP701", "win"),
        (Question("x", "reach", {"reason": "the floot"}), "PP701", "the flood"),
        (Question("x", "reach", {"action": "stor"}), "PP701", "store"),
        (Question("x", "always", {"holds": "stord <= 2"}), "PP702", "stored"),
        (Question("x", "always", {"holds": "stored <= "}), "PP702", ""),
        (Question("x", "always", {"holds": "stored / 2 == 1"}), "PP702", ""),
        (Question("x", "reach", {"every": "card"}), "PP701", ""),
        (Question("x", "reach", 7), "PP701", ""),
    ],
)
def test_a_claim_that_names_nothing_is_an_input_error_with_the_near_miss(
    question: Question, code: str, hint: str
) -> None:
    with pytest.raises(InputError) as error:
        prove(HARVEST, claims=[question], **PLAIN)
    [finding] = error.value.findings
    assert finding.code == code
    assert hint in finding.hint


def test_the_digest_names_the_rules_and_not_what_was_built_before() -> None:
    one = GameCase(HARVEST).digest
    assert GameCase(HARVEST, {"goal": "5"}).digest != one
    assert GameCase(HARVEST).digest == one


def test_evidence_is_written_whole_under_the_games_name(answers: dict[str, Answer], folder: Path) -> None:
    files = sorted(p.name for p in (folder / "harvest" / "evidence").iterdir())
    assert files == sorted(f"{q.id}.json" for q in QUESTIONS)
