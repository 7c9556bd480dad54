"""Conditions kept by steps: asked by what changes, split by places; claims that build on others."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
import z3

from playproof.database.claims_yaml import read_claims
from playproof.database.errors import Collector, InputError
from playproof.database.source import parse
from playproof.language import Interpreter
from playproof.language.expr import Term
from playproof.language.symbolic.sized import Num, Sym, Truth
from playproof.language.symbolic.walk import Env, Walker
from playproof.verifier.proof import kept_conditions
from playproof.verifier.proof.always import conditions_of
from playproof.verifier.proof.changed_summands import Change, parts
from playproof.verifier.proof.induction import Prover, inductive
from playproof.verifier.proof.kept_conditions import Keeping
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.claims_file import questions_of
from playproof.verifier.questions.verdicts import Verdict
from playproof.verifier.search.case import Budget, Case
from tests.verifier.conftest import recheck

PORTERS = str(Path(__file__).parent / "games" / "porters")
CONSERVED = Question("conserved", "always", {"invariant": "conserved"}, expect=True)
SPLIT = pytest.mark.parametrize("split", [False, True], ids=["whole", "split"])


def _only_the_last(solver: z3.Solver, question: Truth, ms: int) -> z3.CheckSatResult:
    """As if Z3 answered nothing but what cannot be split any more."""
    return _ask(solver, question, ms) if ms == kept_conditions._LAST or question is False else z3.unknown


_ask = kept_conditions._ask


def _lost(case: Case, texts: list[str], integers: bool) -> set[tuple[str, str]]:
    prover = Prover(case, integers)
    kept = Keeping(prover, texts)
    return {(move.name, text) for move in prover.moves for text, _ in kept.lost(move, texts)}


@SPLIT
@pytest.mark.parametrize("integers", [False, True], ids=["bits", "integers"])
def test_whole_or_split_the_answer_is_the_same(
    integers: bool, split: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if split:
        monkeypatch.setattr(kept_conditions, "_ask", _only_the_last)
    case = Case(PORTERS, machine=False)
    assert _lost(case, ["cubes == 9"], integers) == set()
    assert _lost(case, ["cubes == 9", "hut[1] <= 3", "load < 9"], integers) == {
        ("lift", "load < 9"),
        ("lay", "hut[1] <= 3"),
    }
    leaking = Case(PORTERS, {"leak": "yes"}, machine=False)
    assert _lost(leaking, ["`conserved` == 1"], integers) == {("lay", "`conserved` == 1")}


@SPLIT
def test_bounds_hold_with_what_is_conserved_and_not_without(
    split: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if split:
        monkeypatch.setattr(kept_conditions, "_ask", _only_the_last)
    prover = Prover(Case(PORTERS, machine=False))
    assert prover.faults(["cubes == 9"]) == []
    assert {fault.split(" leaves ")[0] for fault in prover.faults([])} == {"`hut`", "`load`"}


def test_a_change_says_what_the_condition_says() -> None:
    """Along random games, of a state that meets a condition and of any other state."""
    case = Case(PORTERS, {"leak": "yes"}, machine=False)
    prover, play, rng = Prover(case), Interpreter(case.game), random.Random(3)
    walker, seen = prover.reading.walker, set()
    for text in (
        "cubes == 9",
        "`conserved` == 1",
        "`conserved` == 1 and hut[0] == load",
        "hut[0] - load == 9 - at",
    ):
        term, state = prover.term(text), play.start()
        for _ in range(60):
            after = play.apply(state, rng.choice(play.legal(state)))
            if play.value(term, state):
                keeps = all(Change(walker, state, after).keeps(part) is True for part in parts(term))
                assert keeps == bool(play.value(term, after))
                seen.add((text, keeps))
            state = play.start() if play.terminal(after) or not play.legal(after) else after
    assert {keeps for _, keeps in seen} == {True, False}


class _Fresh(Walker):
    """Every value is another term, dropped as soon as nobody holds it."""

    count = 0

    def value(self, term: Term, cells: Sequence[Sym], env: Env) -> Sym:
        self.count += 1
        return Num(z3.Int("a") + self.count, 0, 9)


def test_a_changed_summand_is_never_taken_for_one_that_stays() -> None:
    """Z3 gives the identity of a dropped term to the next one, so terms must live while they are compared."""
    prover = Prover(Case(PORTERS, machine=False), integers=True)
    change = Change(_Fresh(prover.reading.arithmetic), [], [])
    for part in parts(prover.term("hut[0] + hut[1] + hut[2] == load + at")):
        for _ in range(20):
            assert change.keeps(part) is not True


def test_what_is_known_to_be_kept_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(PORTERS, machine=False)
    assert inductive(case, ["cubes == 9"], Budget(60.0))
    monkeypatch.setattr(kept_conditions, "_ask", lambda *_: z3.unknown)
    assert Prover(case).check(["cubes == 9"]) == ""
    assert "no answer" in Prover(case).check(["cubes == 9", "load < 10 - hut[2]"])


@pytest.mark.parametrize("about", ["bounds", "no dead end"])
def test_claims_of_the_rules_build_on_others(about: str, tmp_path: Path) -> None:
    question = Question("whole", "always", about, given=(CONSERVED,), expect=True)
    (answer,) = prove(PORTERS, claims=[question], output=tmp_path, machine=False)
    assert (answer.verdict, answer.value) == (Verdict.PROVEN, True)
    assert recheck(answer, question, game=PORTERS) == []
    content = json.loads(Path(answer.evidence).read_text(encoding="utf-8"))
    content["settings"][0]["certificates"][0]["layers"][0]["conjuncts"] = ["cubes == 8"]
    Path(answer.evidence).write_text(json.dumps(content), encoding="utf-8")
    assert recheck(answer, question, game=PORTERS) == ["PP714"]


def test_where_the_given_claim_fails_so_does_the_proof_and_says_why() -> None:
    question = Question("whole", "always", "bounds", values={"leak": "yes"}, given=(CONSERVED,), expect=True)
    (answer,) = prove(PORTERS, claims=[question], machine=False)
    assert answer.verdict is Verdict.UNKNOWN
    assert "no proof of `conserved`" in answer.reason
    assert answer.bound == {"proved of what is given": 0}


def _questions(text: str) -> dict[str, Question]:
    collector = Collector()
    return questions_of(read_claims(parse(text), collector, Path()))


def test_claims_are_given_to_those_after_them() -> None:
    known = _questions("""
claims:
  a: {ask: always, says: it holds, of: {holds: x == 1}}
  b: {ask: always, says: it holds, of: {holds: y == 1}, given: [a]}
  c: {ask: always, says: it holds, of: {holds: z == 1, with: [x == 1]}, given: [b]}
""")
    assert conditions_of(known["c"]) == ["x == 1", "y == 1", "z == 1"]
    with pytest.raises(InputError) as error:
        _questions(
            "claims: {a: {ask: always, says: a, of: bounds, given: [b]}, b: {ask: always, says: b, of: bounds}}"
        )
    assert [f.code for f in error.value.findings] == ["PP705"]


def test_only_a_minimum_or_maximum_is_given_an_example() -> None:
    shown = "claims: {{a: {{ask: example, says: a, of: {{line: []}}}}, b: {{ask: {}, says: b, of: x, given: [a]}}}}"
    assert [q.id for q in _questions(shown.format("minimum"))["b"].given] == ["a"]
    with pytest.raises(InputError, match="PP705"):
        _questions(shown.format("always"))
