"""k-induction: what one step does not keep, three in a row do; and the check repeats it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.deciding import opposite
from playproof.verifier.kernel.induction import Layer
from playproof.verifier.kernel.invariant import Invariant
from playproof.verifier.kernel.statements import Event
from playproof.verifier.kernel.strict import encode
from playproof.verifier.proof.k_induction import k_inductive
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Verdict
from playproof.verifier.search.case import Budget, Case
from tests.verifier.conftest import recheck

RING = str(Path(__file__).parent / "games" / "ring")


@pytest.fixture(scope="module")
def case() -> Case:
    return Case(RING, machine=False)


def test_three_good_states_in_a_row_exclude_room_7(case: Case) -> None:
    found = k_inductive(case, Event({"holds": "room == 7"}), Budget(60.0))
    assert found is not None
    assert found.k == 3
    for k in (1, 2):
        with pytest.raises(NotShown, match="may lead to it"):
            replace(found, k=k).check(case.game, Context())


def test_what_can_be_met_is_never_excluded(case: Case) -> None:
    assert k_inductive(case, Event({"holds": "room == 1"}), Budget(60.0)) is None
    with pytest.raises(NotShown, match="after 1 small steps"):
        Invariant(Event({"holds": "room == 1"}), (), False, k=2).check(case.game, Context())


def test_a_shown_invariant_shortens_it(case: Case) -> None:
    layer = Layer(("room <= 1",), False, ())
    Invariant(Event({"holds": "room == 7"}), (layer,), False, k=1).check(case.game, Context())


def test_actions_are_not_tried(case: Case) -> None:
    assert k_inductive(case, Event({"action": "stop"}), Budget(60.0)) is None


def test_without_time_it_says_nothing(case: Case) -> None:
    assert k_inductive(case, Event({"holds": "room == 7"}), Budget(0.0)) is None


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
