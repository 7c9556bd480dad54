"""How many states that games come to meet a condition, and how far the nearest or the farthest of them is, from a
complete exploration."""

from __future__ import annotations

from playproof.verifier.kernel.distances import Distance, compute_state_distance
from playproof.verifier.kernel.exploration import MOST_COUNTED, Count
from playproof.verifier.kernel.statements import Event
from playproof.verifier.kernel.strict import to_json
from playproof.verifier.proof.evidence import build_exploration_excluding_event
from playproof.verifier.proof.unanswered import explain_no_answer, exploration_progress_to_json
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.portfolio import is_target_absent


def answer_state_count_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return the number of states that meet the condition; no number, and how far the exploration came,
    if there are too many states."""
    target = TargetReader(case.game, question.where).read_single_target(question.of, question.within)
    if target.idents is not None:
        return Conclusion(None, "exploration", (), "not supported: states are counted, not actions")
    seen = case.extend_exploration(budget)
    if not seen.complete:
        return Conclusion(
            None, "exploration", (), explain_no_answer(case, budget), exploration_progress_to_json(case)
        )
    number = len(seen.find_rows_where(target.condition))
    made = Count(Event(to_json(question.of), to_json(question.within)), seen.states, number)
    return Conclusion(number, "exploration", ((made,),))


def answer_state_distance_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return how many decisions the nearest or the farthest state is away that meets the condition; no number, and how
    far the exploration came, if there are too many states."""
    [(which, of)] = question.of.items()
    target = TargetReader(case.game, question.where).read_single_target(of, question.within)
    if target.idents is not None:
        return Conclusion(
            None, "exploration", (), "not supported: the way leads to a state, not to an action"
        )
    event, seen = Event(to_json(of), to_json(question.within)), case.extend_exploration(budget)
    if not seen.complete:
        return Conclusion(
            None, "exploration", (), explain_no_answer(case, budget), exploration_progress_to_json(case)
        )
    if is_target_absent(seen, target):
        return Conclusion(
            None, "exploration", (build_exploration_excluding_event(case, event, seen),), vacuous=True
        )
    if seen.states > MOST_COUNTED:
        return Conclusion(
            None, "exploration", (), f"{seen.states:,} states are more than the kernel goes through"
        )
    far = which == "farthest"
    states, number = compute_state_distance(case.game, event, far, seen.states, case.context)
    return Conclusion(number, "layers", ((Distance(event, far, states, number),),))
