"""Questions over several settings: whether they all answer alike (`same`), and which of them make a
claim true (`tune`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from playproof.verifier.kernel.deciding import Decision
from playproof.verifier.kernel.evidence import settings_of, together
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Found
from playproof.verifier.search.case import Budget

_AT_ONCE = 0.3  # of the time, for the first try of all settings
Answering = Callable[[Question, Budget], Found]


def compared(question: Question, claims: Mapping[str, Question], answer: Answering, budget: Budget) -> Found:
    """Return, for `same`, whether every setting gives one value; for `tune`, the settings under
    which the value is the intended one."""
    wanted = settings_of(question, claims)
    answers = dict(zip([name for name, _ in wanted], _answers([q for _, q in wanted], answer, budget), strict=True))
    decisions = {name: Decision(found.value, found.vacuous, whom=found.whom) for name, found in answers.items()}
    decision = together(question, claims, decisions)
    value = decision.value
    open_ = [f"{name}: {found.reason}" if name else found.reason for name, found in answers.items() if not found.known]
    return Found(value, "each setting in turn", reason="" if value is not None else "; ".join(open_),
                 bound={"values": {name: found.value for name, found in answers.items()}},
                 settings=tuple(s for found in answers.values() for s in found.settings),
                 assumed=tuple(dict.fromkeys(a for found in answers.values() for a in found.assumed)),
                 whom=decision.whom,
                 fault="" if value is not None else next((f.fault for f in answers.values() if f.fault), ""))


def _answers(variants: Sequence[Question], answer: Answering, budget: Budget) -> list[Found]:
    """Return each setting's answer. A first try with small shares of the budget answers the easy
    ones; the others share what is left."""
    if len(variants) == 1:
        return [answer(variants[0], budget)]
    found = [answer(v, budget.share(_AT_ONCE / (len(variants) - n))) for n, v in enumerate(variants)]
    waiting = [n for n, f in enumerate(found) if not f.known and not f.vacuous]
    for done, n in enumerate(waiting):
        again = answer(variants[n], budget.share(1 / (len(waiting) - done)))
        found[n] = again if again.known else found[n]
    return found
