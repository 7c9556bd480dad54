"""What is proved of every game, as far as that takes seconds; `make prove` takes the rest."""

from __future__ import annotations

from pathlib import Path

from playproof.verifier.check import check
from playproof.verifier.proof.always import conditions_of
from playproof.verifier.proof.induction import prover
from playproof.verifier.prove import claims_of, prove
from playproof.verifier.questions.verdicts import Verdict
from playproof.verifier.search.case import Case

# The kernel needs a minute and more for each of the others: docs/decisions/0016 says which stay open, and random walks
# ask all of their conditions after every step (test_walks.py).
QUICK = ["no-early-corruption"]


def test_the_quick_claims_are_proved_and_confirmed(tmp_path: Path) -> None:
    answers = prove("olith", only=QUICK, output=tmp_path, machine=False)
    assert [(a.id, a.verdict) for a in answers] == [(name, Verdict.PROVEN) for name in QUICK]
    assert [check(answer.evidence) for answer in answers] == [[]]


def test_what_the_claims_say_leaves_no_fault_and_no_dead_end() -> None:
    """That it is kept is for `make prove`; that it is enough, and that it is needed, is shown here."""
    case, known = Case("olith", machine=False), claims_of("olith")
    said = list(dict.fromkeys(text for g in known["within-bounds"].given for text in conditions_of(g)))
    assert prover(case).faults(said) == []
    assert prover(case).stuck(said) == []
    assert prover(case).stuck([text for text in said if "under-way" not in text])
