"""Why a question has no answer, in the words that `prove` prints behind UNKNOWN, and how far a search came."""

from __future__ import annotations

from typing import Any

from playproof.language.machine.native import has_machine
from playproof.verifier.search.case import Budget, Case


def why(case: Case, budget: Budget) -> str:
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
    return f"work: {budget.work:.3g} units were used{'' if has_machine() else ', without machine code'}"


def bound_reached(case: Case) -> dict[str, Any]:
    """Return how far the exploration came."""
    seen = case.seen
    if seen is None:
        return {}
    return {"states": seen.states, "rounds searched": max(seen.layers, default=0)}
