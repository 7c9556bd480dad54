"""Questions over several settings: do they answer alike (`same`), and which of them make a claim true (`tune`)?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from playproof.verifier.proof.evidence import Part
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Found
from playproof.verifier.search.case import Budget

_AT_ONCE = 0.3  # of the time, for the first try of all settings
Answering = Callable[[Question, Budget], Found]


def inner(question: Question, claims: Mapping[str, Question]) -> Question:
    """The question asked under each setting: `{claim: id}`, or `{ask: ..., of: ...}` in place."""
    spec = question.of
    if isinstance(spec, Mapping) and "claim" in spec:
        named = claims[str(spec["claim"])]
        return replace(named, values={**named.values, **question.values},
                       rulings={**named.rulings, **question.rulings}, within=question.within or named.within)
    if isinstance(spec, Mapping) and "ask" in spec:
        return replace(question, ask=str(spec["ask"]), of=spec.get("of"), within=question.within or spec.get("within"),
                       chance=str(spec.get("chance", "mean")))
    raise KeyError(f"{question.id}: `{question.ask}` needs `of: {{claim: id}}` or `of: {{ask: ..., of: ...}}`")


def compared(question: Question, claims: Mapping[str, Question], answer: Answering, budget: Budget) -> Found:
    """`same`: whether every setting gives one value; `tune`: the settings under which the value is the one meant."""
    asked = inner(question, claims)
    wanted = asked.expect if asked.expect is not None else True
    settings = list(asked.variants())
    answers = _answers([variant for _, variant in settings], answer, budget)
    values, parts, open_ = [], [], []
    for (label, variant), found in zip(settings, answers, strict=True):
        name = ", ".join(f"{k}={v}" for k, v in label.items())
        part: Part = {"kind": "claims", "setting": label, "question": variant.as_json(), "value": found.value,
                      "parts": list(found.parts)}
        parts.append(part)
        values.append((name, found.value))
        if not found.known:
            open_.append(f"{name}: {found.reason}")
    seen = {str(v) for _, v in values if v is not None}
    if question.ask == "same" and len(seen) > 1:
        return Found(False, "each setting in turn", tuple(parts), bound={"values": dict(values)})
    if open_:
        return Found(None, "each setting in turn", tuple(parts), "; ".join(open_), {"values": dict(values)})
    if question.ask == "same":
        return Found(True, "each setting in turn", tuple(parts), bound={"values": dict(values)})
    return Found([name for name, value in values if value == wanted], "each setting in turn", tuple(parts),
                 bound={"values": dict(values)})


def _answers(variants: Sequence[Question], answer: Answering, budget: Budget) -> list[Found]:
    """Each setting's answer: those that come at once first, and the time that is left for the others."""
    if len(variants) == 1:
        return [answer(variants[0], budget)]
    found = [answer(v, budget.share(_AT_ONCE / (len(variants) - n))) for n, v in enumerate(variants)]
    waiting = [n for n, f in enumerate(found) if not f.known and not f.vacuous]
    for done, n in enumerate(waiting):
        again = answer(variants[n], budget.share(1 / (len(waiting) - done)))
        found[n] = again if again.known or again.parts else found[n]
    return found
