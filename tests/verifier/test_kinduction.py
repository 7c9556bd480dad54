"""k-induction: what one step does not keep, three in a row do; and the check repeats it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from playproof.database.errors import Where
from playproof.verifier.kernel.deciding import opposite
from playproof.verifier.kernel.invariant import Invariant
from playproof.verifier.kernel.strict import encode
from playproof.verifier.proof.k_induction import fault, k_inductive
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import Target, Targets
from playproof.verifier.questions.verdicts import Verdict
from playproof.verifier.search.case import Budget, Case
from tests.verifier.conftest import recheck

RING = str(Path(__file__).parent / "games" / "ring")


@pytest.fixture(scope="module")
def case() -> Case:
    return Case(RING, machine=False)


def target(case: Case, text: str) -> Target:
    return Targets(case.game, Where("test")).one({"holds": text}, {})


def test_three_good_states_in_a_row_exclude_room_7(case: Case) -> None:
    seven = target(case, "room == 7")
    assert "1 states in a row" in fault(case, seven, 1)
    assert "2 states in a row" in fault(case, seven, 2)
    assert fault(case, seven, 3) == ""
    assert k_inductive(case, seven, Budget(60.0)) == 3


def test_what_can_be_met_is_never_excluded(case: Case) -> None:
    assert "it may be met after 1 small steps" in fault(case, target(case, "room == 1"), 2)
    assert k_inductive(case, target(case, "room == 1"), Budget(60.0)) is None


def test_a_shown_invariant_shortens_it(case: Case) -> None:
    assert fault(case, target(case, "room == 7"), 1, ["room <= 1"]) == ""


def test_actions_are_refused(case: Case) -> None:
    taken = Targets(case.game, Where("test")).one({"action": "stop"}, {})
    assert "not of actions" in fault(case, taken, 2)


def test_without_time_it_says_nothing(case: Case) -> None:
    assert k_inductive(case, target(case, "room == 7"), Budget(0.0)) is None


def test_evidence_is_checked_and_a_smaller_k_is_refused(case: Case, tmp_path: Path) -> None:
    question = Question("no-seven", "never", {"holds": "room == 7"})
    (answer,) = prove(RING, claims=[question], output=tmp_path, machine=False, games=100)
    assert answer.verdict is Verdict.PROVEN
    path = Path(answer.evidence)
    stored = json.loads(path.read_text(encoding="utf-8"))
    for k, codes in ((3, []), (2, ["PP714"]), (1, ["PP714"])):
        made = encode(Invariant(opposite(question), (), False, k=k))
        stored["settings"][0]["certificates"] = [made]
        path.write_text(json.dumps(stored), encoding="utf-8")
        assert recheck(path, question, game=RING) == codes
