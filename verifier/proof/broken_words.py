"""Names the condition under `with` that a game does not keep, and the game: what is meant to help a proof and is false
helps none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from playproof.language import RulesError
from playproof.language.expr import as_term
from playproof.verifier.kernel.invariant import Invariant
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import Target, TargetReader
from playproof.verifier.questions.verdicts import BROKEN, Conclusion
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.portfolio import search_lines_to_targets

_WORK = 3.0


def _list_proved_conditions(conclusion: Conclusion) -> set[str]:
    """Return the conditions that the accepted certificates show to hold in every state."""
    certificates = [each for setting in conclusion.settings for each in setting.certificates]
    layers = [layer for each in certificates if isinstance(each, Invariant) for layer in each.layers]
    return {text for layer in layers for text in layer.conjuncts}


def add_broken_with_condition(case: GameCase, question: Question, conclusion: Conclusion) -> Conclusion:
    """Return the result with the first condition under `with` that a game breaks, and the actions of that game. What an
    accepted invariant rests on needs no look: it holds."""
    of = question.of
    held = _list_proved_conditions(conclusion)
    texts = [str(text) for text in of.get("with", []) if text not in held] if isinstance(of, Mapping) else []
    if question.ask not in ("always", "never") or not texts:
        return conclusion
    reader = TargetReader(case.game, question.where)
    targets = [Target(text, None, as_term(~as_term(reader.formula.read_condition(text)))) for text in texts]
    try:
        lines = search_lines_to_targets(
            case, targets, Budget(_WORK), explore=False, only_first_games=True
        ).lines
    except RulesError:  # the answer stands, and says what the rules do
        return conclusion
    if not lines:
        return conclusion
    first = min(lines)
    line = ", ".join(map(case.game.show, lines[first])) or "the start"
    return replace(conclusion, bound={**conclusion.bound, BROKEN: f"`{texts[first]}` after: {line}"})
