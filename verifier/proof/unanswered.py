"""Why a question has no answer, in the words that `prove` prints behind UNKNOWN, and how far a search came."""

from __future__ import annotations

from typing import Any

from playproof.language.machine.native import can_make_machine_code
from playproof.verifier.search.case import Budget, GameCase


def explain_no_answer(case: GameCase, budget: Budget) -> str:
    """Return why there is no answer."""
    if budget.stopped:
        return "stopped by hand"
    seen = case.seen
    if case.breaks:
        return case.breaks
    if seen is not None and seen.states >= budget.states:
        return f"memory: {seen.states:,} states were explored, the limit"
    if budget.late:
        return f"stopped by the clock after {budget.seconds:.3g} s, before the work allowed was done"
    return f"work: {budget.work:.3g} units were used{'' if can_make_machine_code() else ', without machine code'}"


def exploration_progress_to_json(case: GameCase) -> dict[str, Any]:
    """Return how far the exploration came."""
    seen = case.seen
    if seen is None:
        return {}
    return {"states": seen.states, "rounds searched": max(seen.layers, default=0)}
