"""Answers to `always: ends`: no game goes on for ever, however it is played.

The longest game of all states that were gone through shows it, or a number that every decision changes in one
direction. A line that comes back to a state refutes it. A circle may be unlikely, and nobody need play it.
"""

from __future__ import annotations

from playproof.language.explorer import Exploration, TooLarge, graph
from playproof.verifier.kernel.invariant import Invariant
from playproof.verifier.kernel.layered import gone_through, longest_of
from playproof.verifier.kernel.statements import Length
from playproof.verifier.proof.circles import explored_circle, played_circle
from playproof.verifier.proof.evidence import of_all_states
from playproof.verifier.proof.layering import by_layers, order_and_alike
from playproof.verifier.proof.length import find_rank, longest_path
from playproof.verifier.proof.phases_end import weighed
from playproof.verifier.proof.unanswered import bound_reached, why
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import Budget, Case

_RANK_SHARE = 0.3


def comes_to_an_end(case: Case, _: Question, budget: Budget) -> Conclusion:
    """Return whether every game comes to an end, and the length of the longest one where it is known."""
    seen = case.small(budget)
    if seen is not None:
        return _of_all_states(case, seen)
    circle = played_circle(case)
    if circle is not None:
        return circle
    order, alike = order_and_alike(case, budget)
    if order is not None:
        longest = longest_of(gone_through(case.game, order, case.context, alike=alike))
        offer = by_layers(Length(longest), order, alike)
        return Conclusion(True, f"layers: {_longest(longest)}", ((offer,),), bound={"longest": longest})
    rank = find_rank(case, budget.share(_RANK_SHARE))
    if rank is not None:
        steps = rank.span(case)
        number = weighed(case.game, rank.rows())
        by_rank = (Invariant(Length(steps), numbers=(number,)),)
        return Conclusion(True, "rank", (by_rank,), bound={"no game is longer than": steps})
    seen = case.explored(budget)
    if seen.complete:
        return _of_all_states(case, seen)
    return Conclusion(None, "layers + rank + exploration", (), why(case, budget), bound_reached(case))


def _of_all_states(case: Case, seen: Exploration) -> Conclusion:
    try:
        net = graph(seen)
    except TooLarge as error:
        return Conclusion(None, "exploration", (), f"memory: {error}", bound_reached(case))
    longest = longest_path(net)
    if longest is None:
        return explored_circle(case, seen, net)
    offer = of_all_states(Length(longest), seen)
    return Conclusion(True, f"exploration: {_longest(longest)}", (offer,), bound={"longest": longest})


def _longest(decisions: int) -> str:
    return f"the longest game has {decisions} decisions"
