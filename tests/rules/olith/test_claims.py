"""What is proved of every game, as far as that takes seconds; `make prove` takes the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from playproof.verifier.check import list_findings_on_evidence_file
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.induction import StepChecker
from playproof.verifier.kernel.invariant import require_legal_action_in_phase
from playproof.verifier.proof.always import list_condition_texts_of_claim_and_given
from playproof.verifier.proof.induction import get_shared_prover
from playproof.verifier.prove import load_claims_as_questions_or_raise, prove
from playproof.verifier.questions.verdicts import Verdict
from playproof.verifier.search.case import GameCase

# The kernel needs a minute and more for each of the others: docs/decisions/0016 says which stay open, and random walks
# ask all of their conditions after every step (test_walks.py).
QUICK = ["no-early-corruption"]


def test_the_quick_claims_are_proved_and_confirmed(tmp_path: Path) -> None:
    answers = prove("olith", only=QUICK, output=tmp_path, machine=False)
    assert [(a.id, a.verdict) for a in answers] == [(name, Verdict.PROVEN) for name in QUICK]
    assert [list_findings_on_evidence_file(answer.evidence) for answer in answers] == [[]]


def _said() -> list[str]:
    """Return the conditions that the claims before the one about bounds state, each once."""
    texts: dict[str, None] = {}
    for claim in load_claims_as_questions_or_raise("olith")["within-bounds"].given:
        texts |= dict.fromkeys(list_condition_texts_of_claim_and_given(claim))
    return list(texts)


def test_what_the_claims_say_leaves_no_fault() -> None:
    """That it is kept is for `make prove`; that it is enough is shown here."""
    assert get_shared_prover(GameCase("olith", machine=False)).describe_places_where_bounds_may_break(_said()) == []


def test_what_the_claims_say_lets_whoever_has_to_draw_do_so() -> None:
    case, said = GameCase("olith", machine=False), _said()
    draws = next(phase for phase in case.game.phases if phase.name == "draw")
    require_legal_action_in_phase(StepChecker(case.game, said, False, (), case.context), draws)
    with pytest.raises(NotShown, match="phase `draw`: Z3 finds a counterexample"):
        require_legal_action_in_phase(StepChecker(case.game, [], False, (), case.context), draws)
