"""Each claim is answered by itself: a fault in one is its own UNKNOWN with the reason, and the others are answered."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from playproof.database.errors import InputError
from playproof.language import RulesError
from playproof.verifier import prove as proving
from playproof.verifier.check import check_evidence_file_to_result
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.z3_questions import Disagreement
from playproof.verifier.proof.certificate_offers import run_in_child_within_budget_or_none
from playproof.verifier.prove import answers_to_json, prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Verdict
from playproof.verifier.search.case import Budget
from tests.verifier.conftest import HARVEST, PLAIN

WIN = {"outcome": "win"}
HEAD = """\
from playproof.language import *


def build(options):
    level = options.number("level", range(1, 4), 1)
    g = Game("ill", players={players})
    s = g.state
"""
STOP = """
    @g.action(p, "stop")
    def stop():
        win("stopped", winner=0)
"""
UP = """
    @g.action(p, "up")
    def up():
        s.x = s.x + 1
"""
GAMES = {
    "a value leaves its bounds": (1, 'g.integer("x", 0, 3)\n    p = g.phase("p", 0)' + UP + STOP),
    "so it does by chance": (2, 'g.integer("x", 0, 3)\n    p = g.phase("p", CHANCE)' + UP + STOP),
    "so it does behind the end": (
        2,
        'g.integer("x", 0, 3, 3)\n    p = g.phase("p", 1)'
        + STOP
        + """
    @g.action(p, "lose {n}", n=3)
    def fall(n):
        lose("fell")
        s.x = s.x + n
""",
    ),
    "so it does at the start": (
        1,
        'g.integer("x", 0, 3, 3)\n    a, p = g.automatic("a"), g.phase("p", 0)'
        + STOP
        + """
    @g.on(a)
    def go():
        s.x = s.x + 1
        goto(p)

    g.start(a)
""",
    ),
    "a requirement keeps what is out of bounds": (
        1,
        'g.integer("x", 0, 3)\n    p = g.phase("p", 0)'
        + STOP
        + """
    @g.action(p, "up")
    def up():
        more = keep(s.x + 1)
        require(more < 9, "R1", "too many")
        s.x = more
""",
    ),
    "nobody can act": (
        1,
        'g.integer("x", 0, 3)\n    p = g.phase("p", 0)'
        + STOP.replace("        win", '        require(s.x > 9, "R1", "never")\n        win'),
    ),
    "chance cannot act": (
        1,
        'g.integer("x", 0, 3)\n    p = g.phase("p", CHANCE)'
        + STOP.replace("        win", '        require(s.x > 9, "R1", "never")\n        win'),
    ),
    "play never ends": (
        2,
        'g.integer("x", 0, 3)\n    p, q = g.phase("p", 0), g.phase("q", 1)'
        + STOP.replace("        win", '        require(s.x > 9, "R1", "never")\n        win')
        + """
    @g.action((p, q), "turn")
    def turn():
        with when(s.phase == p):
            goto(q)
        with otherwise():
            goto(p)
""",
    ),
    "it is over at once": (
        2,
        'g.integer("x", 0, 3)\n    a, p = g.automatic("a"), g.phase("p", 0)'
        + STOP
        + """
    @g.on(a)
    def go():
        lose("gone")

    g.start(a)
""",
    ),
    "numbers do not fit 64 bits": (
        2,
        'g.integer("x", 0, 2**70, 2**63)\n    p = g.phase("p", 0)'
        + STOP
        + """
    @g.action(p, "double")
    def double():
        require(s.x < 2**66, "R1", "enough")
        s.x = 2 * s.x
""",
    ),
    "scores do not fit 64 bits": (
        2,
        'g.integer("x", 0, 2**62, 2**61)\n    p = g.phase("p", 0)'
        + """
    @g.action(p, "stop")
    def stop():
        score("counted")

    g.returns(s.x * 8, 1 - s.x * s.x)
""",
    ),
    "facts of any kind": (
        1,
        'g.integer("x", 0, 3)\n    p = g.phase("p", 0)'
        + STOP
        + """
    g.fact(own={"weight": 2, "half": "1/2", "some": [1, None, True, {"x": s.x}], "none": {}})
""",
    ),
    "one option cannot be built": (
        1,
        'g.integer("x", 0, 3, 0 if level < 3 else 4)\n    p = g.phase("p", 0)'
        + STOP
        + "\n    if level == 2:\n        raise ValueError('no level two')\n",
    ),
}
FIRST = Question("first", "always", {"holds": "x >= 0"})
CLAIMS = [
    Question("mean", "luck", WIN),
    Question("best", "luck", WIN, chance="best"),
    Question("worst", "luck", WIN, chance="worst"),
    Question("ends", "always", {"ends": 5}),
    Question("holds", "always", {"holds": "x <= 3"}),
    Question("product", "always", {"holds": "x * x * x * x >= 0"}),
    Question("bounds", "always", "bounds"),
    Question("stuck", "always", "no dead end"),
    Question("phases", "always", "automatic phases end"),
    Question("never", "never", {"action": "stop"}, "x > 2"),
    Question("reach", "reach", {"action": "stop"}),
    Question("every", "reach", {"every": "action"}),
    Question("dead", "dead", {"every": "ending"}),
    Question("least", "minimum", {"number": "x", "when": {"holds": "x > 2"}}),
    Question("most", "maximum", {"number": "x * x * 9 + 2"}),
    Question("given", "maximum", {"number": "x"}, given=(FIRST,)),
    Question("law", "step", {"action": "stop", "needs": "x >= 0", "changes": {"x": 0}}),
    Question("can", "step", {"when": "x == 0", "can": {"action": "stop"}}),
    Question("same", "same", {"ask": "luck", "of": WIN}, values={"level": [1, 2, 3]}),
    Question("tune", "tune", {"ask": "reach", "of": WIN}, values={"level": [1, 2]}),
    Question("level", "reach", WIN, values={"level": 2}),
    Question("example", "example", {"line": ["stop", "stop"], "then": ["x == 0"], "end": "stopped | 1"}),
    Question("last", "reach", WIN),
]


@pytest.mark.parametrize("name", GAMES)
def test_ill_behaved_games_leave_no_claim_unanswered(name: str, tmp_path: Path) -> None:
    """Most of these ended `prove` as a fault of playproof itself, and the later claims had no answer."""
    players, body = GAMES[name]
    folder = tmp_path / "ill"
    folder.mkdir()
    (folder / "rules.py").write_text(f"{HEAD.format(players=players)}    {body}\n    return g\n", encoding="utf-8")
    answers = prove(str(folder), claims=CLAIMS, work=0.4, output=tmp_path / "out", **{**PLAIN, "games": 30})
    assert {a.id for a in answers} == {q.id for q in CLAIMS}
    assert [f"{a.id}: {a.reason}" for a in answers if a.fault] == []
    assert [a.id for a in answers if a.verdict is Verdict.UNKNOWN and not a.reason] == []
    json.dumps(answers_to_json(answers))
    claims = {q.id: q for q in CLAIMS}
    for answer in answers:
        if answer.evidence and answer.verdict is not Verdict.UNKNOWN:
            checked = check_evidence_file_to_result(answer.evidence, game=folder, claims=claims)
            assert (checked.findings, checked.verdict) == ((), answer.verdict), answer
    if name == "one option cannot be built":
        found = {a.id: a for a in answers}
        assert "PP808" in found["level"].reason
        assert found["last"].value is True


# -- faults of our own ----------------------------------------------------------------------------------------------


class Unportable(Exception):
    """An error that cannot pass from a child to its parent."""

    def __init__(self, one: str, two: Any) -> None:
        super().__init__(one)
        self.two = two


ERRORS: list[tuple[Callable[[], BaseException], str, str]] = [
    (lambda: AssertionError("odd"), "PP720 a fault of playproof itself: AssertionError: odd", "PP720"),
    (lambda: LookupError("a parent"), "PP720 a fault of playproof itself: LookupError", "PP720"),
    (lambda: RecursionError("deep"), "PP720 a fault of playproof itself: RecursionError", "PP720"),
    (lambda: Unportable("x", lambda: 1), "PP720 a fault of playproof itself: Unportable: x", "PP720"),
    (lambda: NotShown("no"), "PP720 found, and not confirmed by the kernel: no", "PP720"),
    (lambda: Disagreement("Z3 and cvc5"), "PP718 Z3 and cvc5", "PP718"),
    (MemoryError, "memory", ""),
    (lambda: OverflowError("int"), "not supported: a number of the game does not fit 64 bits", ""),
    (lambda: RulesError("PP310", "x is 4"), "the rules break", ""),
    (lambda: InputError([]), "", ""),
]


@pytest.mark.parametrize(("error", "reason", "fault"), ERRORS[:-1])
def test_a_fault_in_one_claim_is_its_own_answer(
    monkeypatch: pytest.MonkeyPatch, error: Callable[[], Exception], reason: str, fault: str
) -> None:
    def fails(*_: Any) -> Any:
        raise error()

    monkeypatch.setitem(proving.ASKS, "maximum", fails)
    asked = [
        Question("most", "maximum", {"number": "stored"}),
        Question("win", "reach", WIN, {"rounds": 4}),
        Question("each", "same", {"ask": "maximum", "of": {"number": "stored"}}, values={"goal": [8, 12]}),
    ]
    most, win, each = prove(HARVEST, claims=asked, **PLAIN)
    assert most.verdict is each.verdict is Verdict.UNKNOWN
    assert most.reason.startswith(reason)
    assert reason in each.reason
    assert (most.fault, each.fault, win.fault) == (fault, fault, "")
    assert win.verdict is Verdict.PROVEN
    assert [c["fault"] for c in answers_to_json([most, win])["claims"]] == [fault, ""]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no child processes")
def test_what_a_child_raises_reaches_its_parent() -> None:
    def fails(_: Budget) -> None:
        raise Unportable("x", lambda: 1)

    with pytest.raises(RuntimeError, match="Unportable: x"):
        run_in_child_within_budget_or_none(fails, Budget(5.0))


def test_a_claim_that_only_another_needs_does_not_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A claim about bounds first asks whether automatic phases end."""

    def fails(*_: Any) -> Any:
        raise LookupError("gone")

    monkeypatch.setattr("playproof.verifier.proof.always._answer_automatic_phases_end", fails)
    monkeypatch.setattr("playproof.verifier.prove.Certifier.try_to_answer_by_claim_conditions", lambda _: False)
    asked = [
        Question("bounds", "always", "bounds"),
        Question("phases", "always", "automatic phases end"),
        Question("win", "reach", WIN),
    ]
    found = {a.id: a for a in prove(HARVEST, claims=asked, **PLAIN)}
    assert found["phases"].fault == "PP720"
    assert found["win"].verdict is Verdict.PROVEN
    assert found["bounds"].verdict is not Verdict.REFUTED


def test_a_fault_while_one_file_is_checked_is_that_file_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    question = Question("win", "reach", WIN)
    [answer] = prove(HARVEST, claims=[question], output=tmp_path, **PLAIN)
    for error, code in ((LookupError("gone"), "PP720"), (OverflowError("int"), "PP711"), (TypeError("x"), "PP720")):
        monkeypatch.setattr(
            "playproof.verifier.check.check_certificates_and_compute_answer",
            lambda *_, e=error: (_ for _ in ()).throw(e),
        )
        [finding] = check_evidence_file_to_result(answer.evidence, game=HARVEST, claims={"win": question}).findings
        assert finding.code == code
