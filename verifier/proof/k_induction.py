"""k-induction: a condition that no single step keeps, but that k good states in a row do. The kernel is asked for
one k after the other.

Source: Sheeran, Singh and Stålmarck, "Checking Safety Properties Using Induction and a SAT-Solver", FMCAD 2000.
"""

from __future__ import annotations

from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.invariant import Invariant
from playproof.verifier.kernel.statements import Event
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.work import RLIMIT, spend

DEEPEST = 6
_MOST_MOVES = 80  # beyond that many small steps the chains are too large to be worth trying
_WORK = 10.0


def k_inductive(case: Case, event: Event, budget: Budget) -> Invariant | None:
    """Return the certificate of the least k that excludes an event, or None."""
    small = len(case.game.actions) + len(case.game.phases)
    if event.target(case.game).idents is not None or small > _MOST_MOVES:
        return None
    for k in range(2, DEEPEST + 1):
        if budget.left <= 0:
            return None
        budget.say(f"k-induction, k = {k}")
        certificate = Invariant(event, integers=False, k=k)
        if _shows(certificate, case, min(_WORK, budget.left)):
            return certificate
    return None


def _shows(certificate: Invariant, case: Case, most: float) -> bool:
    """Return whether the kernel accepts a certificate with so much work."""
    context, allowed = case.context, int(most * RLIMIT)
    with context.limited(allowed):
        try:
            certificate.check(case.game, context)
        except NotShown:
            return False
        finally:
            spend((allowed - context.work) / RLIMIT)
    return True
