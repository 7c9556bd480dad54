"""What single cells are in each phase: enough to show that a phase inside a phase keeps what it found."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.kernel.induction import StepChecker
from playproof.verifier.kernel.statements import Event
from playproof.verifier.proof import reach
from playproof.verifier.proof.always import list_condition_texts_of_claim_and_given
from playproof.verifier.proof.certify import Certifier
from playproof.verifier.proof.induction import get_shared_prover
from playproof.verifier.proof.invariant_candidates import propose_conditions_on_cells_near_target
from playproof.verifier.proof.reach import (
    Goal,
    is_target_impossible_within_field_bounds,
    prove_unreachable_by_claim_conditions_or_none,
)
from playproof.verifier.prove import VerifierRun, load_claims_as_questions_or_raise, prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.questions.verdicts import Verdict
from playproof.verifier.search.case import Budget, GameCase
from tests.verifier.conftest import recheck, renew_reads

QUARREL = str(Path(__file__).parent / "games" / "quarrel")
STRIFE = {"holds": "quarrelling == 1 and card != 3"}


def target(case: GameCase, spec: object) -> Target:
    return TargetReader(case.game).read_single_target_of_spec(spec)


def goal(case: GameCase) -> Goal:
    return Goal(Event(STRIFE), target(case, STRIFE))


def test_a_phase_inside_a_phase_is_followed() -> None:
    case = GameCase(QUARREL, machine=False)
    texts = propose_conditions_on_cells_near_target(case, target(case, STRIFE))
    trick, strife = (next(p.number for p in case.game.phases if p.name == name) for name in ("trick", "strife"))
    assert f"phase != {trick} or target == 0 or back == {strife}" in texts
    proof = prove_unreachable_by_claim_conditions_or_none(
        case, Question("q", "reach", STRIFE), goal(case), Budget(60.0)
    )
    assert proof is not None
    assert proof.method == "invariant"
    conjuncts = proof.offer[0].layers[0].conjuncts
    # Asked anew, Z3 may run out of the work that a step gets, which depends on what it was asked before: no objection.
    assert (
        re.sub(r".*Z3 gave no answer.*", "", get_shared_prover(case).explain_kernel_refusal_or_empty(conjuncts)) == ""
    )


def test_what_can_happen_is_not_excluded() -> None:
    case = GameCase(QUARREL, rulings={"Q1": "any"}, machine=False)
    question = Question("q", "reach", STRIFE)
    assert prove_unreachable_by_claim_conditions_or_none(case, question, goal(case), Budget(60.0)) is None


def test_both_readings_of_a_ruling_are_told_apart_and_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playproof.verifier.search.case.SMALL", 10)
    question = Question("q", "same", {"ask": "reach", "of": STRIFE}, rulings={"Q1": ["third", "any"]}, expect=False)
    (answer,) = prove(QUARREL, claims=[question], output=tmp_path, machine=False)
    assert (answer.verdict, answer.value) == (Verdict.PROVEN, False)
    assert recheck(answer, question, game=QUARREL) == []
    content = json.loads(Path(answer.evidence).read_text(encoding="utf-8"))
    (no,) = [c for s in content["settings"] for c in s["certificates"] if c["kind"] == "invariant"]
    no["layers"] = []
    renewed = renew_reads(content, QUARREL, {question.id: question})
    Path(answer.evidence).write_text(json.dumps(renewed), encoding="utf-8")
    assert recheck(answer, question, game=QUARREL) == ["PP714"]


WHILE = Question("while", "always", {"holds": "(target > 0) == (phase == strife or phase == trick and back == strife)"})
"""In which phases somebody quarrels: what mining finds out by itself in this game, and not in one of many phases."""


@pytest.mark.parametrize(("given", "verdict"), [((WHILE,), Verdict.PROVEN), ((), Verdict.UNKNOWN)])
def test_what_is_given_excludes_what_mining_does_not(
    given: tuple[Question, ...], verdict: Verdict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("playproof.verifier.search.case.SMALL", 10)
    monkeypatch.setattr(reach, "_prove_unreachable_by_invariants_or_none", lambda *_: None)
    monkeypatch.setattr(reach, "propose_conditions_on_cells_near_target", lambda *_: [])
    question = Question(
        "q", "same", {"ask": "reach", "of": STRIFE}, rulings={"Q1": ["third", "any"]}, expect=False, given=given
    )
    (answer,) = prove(
        QUARREL, claims=[question], output=tmp_path, machine=False, states=50, games=100, work=20 if given else 3
    )
    assert answer.verdict == verdict
    assert recheck(answer, question, game=QUARREL) == [] if given else answer.reason


def test_what_is_given_excludes_nothing_that_happens(tmp_path: Path) -> None:
    question = Question("q", "reach", STRIFE, rulings={"Q1": "any"}, given=(WHILE,))
    (answer,) = prove(QUARREL, claims=[question], output=tmp_path, machine=False, games=100)
    assert (answer.verdict, answer.value) == (Verdict.PROVEN, True)


def test_what_is_given_and_false_excludes_nothing() -> None:
    """It would leave no room for what is sought, and is itself refused."""
    never = Question("never", "always", {"holds": "target == 0"})
    certifier = Certifier(
        GameCase(QUARREL, machine=False), Question("q", "reach", STRIFE, given=(never,)), Budget(20.0)
    )
    assert not certifier.try_to_answer_by_claim_conditions()
    assert certifier.good == []


def test_settings_that_are_one_game_share_what_is_shown() -> None:
    run = VerifierRun(QUARREL, machine=False)
    first = run.get_or_build_case_of_question(Question("q", "reach", STRIFE))
    assert run.get_or_build_case_of_question(Question("q", "reach", STRIFE, rulings={"Q1": "third"})) is first
    other = run.get_or_build_case_of_question(Question("q", "reach", STRIFE, rulings={"Q1": "any"}))
    assert other is not first
    assert run.get_or_build_case_of_question(Question("q", "reach", STRIFE)) is first


def test_who_fights_in_the_largest_game_has_the_card_in_play() -> None:
    """The words of its claim are kept, given those of the claim that it names, by every step that lays a card or begins
    or ends a fight. `make prove` shows the rest."""
    [given] = load_claims_as_questions_or_raise("olith")["without-the-card"].given
    own = "not (fighting == 1 and played != 3)"
    judge = StepChecker(
        GameCase("olith", machine=False).game,
        [*list_condition_texts_of_claim_and_given(given), own],
        False,
        (),
        Context(),
    )
    steps = [
        k
        for k in judge.reading.iter_actions_and_automatic_phases()
        if k.name in ("action card", "attack", "assault", "verdict", "tidy")
    ]
    assert len(steps) == 5
    for step in steps:
        judge.require_step_keeps_conditions(step, [own])


@pytest.mark.parametrize(
    ("text", "outside"), [("turns > 40", True), ("turns > 39", False), ("card + target > 5", True)]
)
def test_bounds_alone_exclude_some(text: str, outside: bool) -> None:
    case = GameCase(QUARREL, machine=False)
    assert is_target_impossible_within_field_bounds(case, target(case, {"holds": text})) is outside
