"""How many states that games come to meet a condition, from a complete exploration."""

from __future__ import annotations

from playproof.verifier.kernel.exploration import Count
from playproof.verifier.kernel.statements import Event
from playproof.verifier.kernel.strict import plain
from playproof.verifier.proof.reach import bound_reached, why
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import Targets
from playproof.verifier.questions.verdicts import Found
from playproof.verifier.search.case import Budget, Case


def counted(case: Case, question: Question, budget: Budget) -> Found:
    """Return the number of states that meet the condition; no number, and how far the exploration came,
    if there are too many states."""
    target = Targets(case.game, question.where).one(question.of, question.within)
    if target.idents is not None:
        return Found(None, "exploration", (), "not supported: states are counted, not actions")
    seen = case.explored(budget)
    if not seen.complete:
        return Found(None, "exploration", (), why(case, budget), bound_reached(case))
    number = len(seen.rows(target.condition))
    made = Count(Event(plain(question.of), plain(question.within)), seen.states, number)
    return Found(number, "exploration", ((made,),))
