"""Conditions kept by steps: asked by what changes, split by places; claims that build on others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from playproof.database.claims_yaml import read_valid_claims_by_id_and_note_errors
from playproof.database.errors import FindingCollector, InputError
from playproof.database.source import parse_yaml
from playproof.verifier.proof.always import list_condition_texts_of_claim_and_given
from playproof.verifier.prove import prove
from playproof.verifier.questions.claim_check import claims_to_questions_by_id_or_raise
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Verdict
from tests.verifier.conftest import recheck, renew_reads

PORTERS = str(Path(__file__).parent / "games" / "porters")
CONSERVED = Question("conserved", "always", {"invariant": "conserved"}, expect=True)


@pytest.mark.parametrize("about", ["bounds", "no dead end"])
def test_claims_of_the_rules_build_on_others(about: str, tmp_path: Path) -> None:
    question = Question("whole", "always", about, given=(CONSERVED,), expect=True)
    (answer,) = prove(PORTERS, claims=[question], output=tmp_path, machine=False)
    assert (answer.verdict, answer.value) == (Verdict.PROVEN, True)
    assert recheck(answer, question, game=PORTERS) == []
    content = json.loads(Path(answer.evidence).read_text(encoding="utf-8"))
    content["settings"][0]["certificates"][0]["layers"][0]["conjuncts"] = ["cubes == 8"]
    renewed = renew_reads(content, PORTERS, {question.id: question})
    Path(answer.evidence).write_text(json.dumps(renewed), encoding="utf-8")
    assert recheck(answer, question, game=PORTERS) == ["PP714"]


def test_where_the_given_claim_fails_so_does_the_proof_and_says_why() -> None:
    question = Question("whole", "always", "bounds", values={"leak": "yes"}, given=(CONSERVED,), expect=True)
    (answer,) = prove(PORTERS, claims=[question], work=6, machine=False)
    assert answer.verdict is Verdict.UNKNOWN
    assert "no proof of `conserved`" in answer.reason
    assert answer.bound == {"proved of what is given": 0}


def _questions(text: str) -> dict[str, Question]:
    collector = FindingCollector()
    return claims_to_questions_by_id_or_raise(
        read_valid_claims_by_id_and_note_errors(parse_yaml(text), collector, Path())
    )


def test_claims_are_given_to_those_after_them() -> None:
    known = _questions("""
claims:
  a: {ask: always, says: it holds, of: {holds: x == 1}}
  b: {ask: always, says: it holds, of: {holds: y == 1}, given: [a]}
  c: {ask: always, says: it holds, of: {holds: z == 1, with: [x == 1]}, given: [b]}
""")
    assert list_condition_texts_of_claim_and_given(known["c"]) == ["x == 1", "y == 1", "z == 1"]
    with pytest.raises(InputError) as error:
        _questions("claims: {a: {ask: always, says: a, of: bounds, given: [b]}, b: {ask: always, says: b, of: bounds}}")
    assert [f.code for f in error.value.findings] == ["PP705"]


def test_only_a_minimum_or_maximum_is_given_an_example() -> None:
    shown = "claims: {{a: {{ask: example, says: a, of: {{line: []}}}}, b: {{ask: {}, says: b, of: x, given: [a]}}}}"
    assert [q.id for q in _questions(shown.format("minimum"))["b"].given] == ["a"]
    with pytest.raises(InputError, match="PP705"):
        _questions(shown.format("always"))
