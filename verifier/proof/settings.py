"""Questions over several settings: whether they all answer alike (`same`), and which of them make a
claim true (`tune`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from playproof.verifier.kernel.deciding import Decision
from playproof.verifier.kernel.evidence import combine_answers, list_question_settings
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import Budget

_AT_ONCE = 0.3  # of the time, for the first try of all settings
QuestionAnswerer = Callable[[Question, Budget], Conclusion]


def answer_claim_over_settings(
    question: Question, claims: Mapping[str, Question], answer: QuestionAnswerer, budget: Budget
) -> Conclusion:
    """Return, for `same`, whether every setting gives one value; for `tune`, the settings under
    which the value is the intended one."""
    wanted = list_question_settings(question, claims)
    names = [name for name, _ in wanted]
    answers = dict(
        zip(names, _answer_each_setting([variant for _, variant in wanted], answer, budget), strict=True)
    )
    decisions = {name: Decision(each.value, each.vacuous, whom=each.whom) for name, each in answers.items()}
    decision = combine_answers(question, claims, decisions)
    settings = chain.from_iterable(each.settings for each in answers.values())
    assumed = chain.from_iterable(each.assumed for each in answers.values())
    result = Conclusion(
        decision.value,
        "each setting in turn",
        bound={"values": {name: each.value for name, each in answers.items()}},
        settings=tuple(settings),
        assumed=tuple(dict.fromkeys(assumed)),
        whom=decision.whom,
    )
    if decision.value is not None:
        return result
    reasons = [
        f"{name}: {each.reason}" if name else each.reason for name, each in answers.items() if not each.known
    ]
    faults = [each.fault for each in answers.values() if each.fault]
    return replace(result, reason="; ".join(reasons), fault=faults[0] if faults else "")


def _answer_each_setting(
    variants: Sequence[Question], answer: QuestionAnswerer, budget: Budget
) -> list[Conclusion]:
    """Return each setting's answer. A first try with small shares of the budget answers the easy
    ones; the others share what is left."""
    if len(variants) == 1:
        return [answer(variants[0], budget)]
    answers = []
    for n, variant in enumerate(variants):
        share = _AT_ONCE / (len(variants) - n)
        answers.append(answer(variant, budget.take_share(share)))
    waiting = [n for n, first in enumerate(answers) if not first.known and not first.vacuous]
    for done, n in enumerate(waiting):
        again = answer(variants[n], budget.take_share(1 / (len(waiting) - done)))
        if again.known:
            answers[n] = again
    return answers
