"""Answers to `always: ends`: no game goes on for ever, however it is played.

The longest game of all states that were gone through shows it, or a number that every decision changes in one
direction. A line that comes back to a state refutes it. A circle may be unlikely, and nobody need play it.
"""

from __future__ import annotations

from playproof.language.explorer import Exploration, GraphTooLargeError, graph
from playproof.verifier.kernel.invariant import Invariant
from playproof.verifier.kernel.layered import compute_longest_game, sweep_counted_layers
from playproof.verifier.kernel.statements import Length
from playproof.verifier.proof.circles import find_cycle_by_random_play, find_cycle_in_exploration
from playproof.verifier.proof.evidence import build_exploration_of_all_states
from playproof.verifier.proof.layering import build_layered_certificate, find_layer_order_with_renamings
from playproof.verifier.proof.length import compute_longest_path_length, find_rank_function
from playproof.verifier.proof.phases_end import format_weighted_cell_sum
from playproof.verifier.proof.unanswered import explain_no_answer, exploration_progress_to_json
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import Budget, GameCase

_RANK_SHARE = 0.3


def answer_always_ends_claim(case: GameCase, _: Question, budget: Budget) -> Conclusion:
    """Return whether every game comes to an end, and the length of the longest one where it is known."""
    seen = case.explore_if_small(budget)
    if seen is not None:
        return _answer_from_all_states(case, seen)
    circle = find_cycle_by_random_play(case)
    if circle is not None:
        return circle
    order, alike = find_layer_order_with_renamings(case, budget)
    if order is not None:
        longest = compute_longest_game(sweep_counted_layers(case.game, order, case.context, renamings=alike))
        offer = build_layered_certificate(Length(longest), order, alike)
        return Conclusion(
            True, f"layers: {_describe_longest_game(longest)}", ((offer,),), bound={"longest": longest}
        )
    rank = find_rank_function(case, budget.take_share(_RANK_SHARE))
    if rank is not None:
        steps = rank.compute_span(case)
        number = format_weighted_cell_sum(case.game, rank.weights_to_rows())
        by_rank = (Invariant(Length(steps), numbers=(number,)),)
        return Conclusion(True, "rank", (by_rank,), bound={"no game is longer than": steps})
    seen = case.extend_exploration(budget)
    if seen.complete:
        return _answer_from_all_states(case, seen)
    return Conclusion(
        None,
        "layers + rank + exploration",
        (),
        explain_no_answer(case, budget),
        exploration_progress_to_json(case),
    )


def _answer_from_all_states(case: GameCase, seen: Exploration) -> Conclusion:
    try:
        net = graph(seen)
    except GraphTooLargeError as error:
        return Conclusion(None, "exploration", (), f"memory: {error}", exploration_progress_to_json(case))
    longest = compute_longest_path_length(net)
    if longest is None:
        return find_cycle_in_exploration(case, seen, net)
    offer = build_exploration_of_all_states(Length(longest), seen)
    return Conclusion(
        True, f"exploration: {_describe_longest_game(longest)}", (offer,), bound={"longest": longest}
    )


def _describe_longest_game(decisions: int) -> str:
    return f"the longest game has {decisions} decisions"
