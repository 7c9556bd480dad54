"""Names the condition under `with` that a game does not keep, and the game: what is meant to help a proof and is false
helps none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from playproof.language import RulesError
from playproof.language.expr import as_term
from playproof.verifier.kernel.invariant import Invariant
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import Target, Targets
from playproof.verifier.questions.verdicts import BROKEN, Conclusion
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.portfolio import seek

_WORK = 3.0


def _held(conclusion: Conclusion) -> set[str]:
    """Return the conditions that the accepted certificates show to hold in every state."""
    certificates = [each for setting in conclusion.settings for each in setting.certificates]
    layers = [layer for each in certificates if isinstance(each, Invariant) for layer in each.layers]
    return {text for layer in layers for text in layer.conjuncts}


def named(case: Case, question: Question, conclusion: Conclusion) -> Conclusion:
    """Return the result with the first condition under `with` that a game breaks, and the actions of that game. What an
    accepted invariant rests on needs no look: it holds."""
    of = question.of
    held = _held(conclusion)
    texts = [str(text) for text in of.get("with", []) if text not in held] if isinstance(of, Mapping) else []
    if question.ask not in ("always", "never") or not texts:
        return conclusion
    reader = Targets(case.game, question.where)
    targets = [Target(text, None, as_term(~as_term(reader.formula.read(text)))) for text in texts]
    try:
        lines = seek(case, targets, Budget(_WORK), explore=False, first_look=True).lines
    except RulesError:  # the answer stands, and says what the rules do
        return conclusion
    if not lines:
        return conclusion
    first = min(lines)
    line = ", ".join(map(case.game.show, lines[first])) or "the start"
    return replace(conclusion, bound={**conclusion.bound, BROKEN: f"`{texts[first]}` after: {line}"})
