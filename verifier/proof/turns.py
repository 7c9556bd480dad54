"""Finds which fields of a game begin each turn anew, so that the kernel can go from turn to turn.

All fields are tried as inner ones, but for one that may gather the points; whatever the kernel names because it may
differ between two turns has to last. So a few tries find the parts, if a game has turns at all.
"""

from __future__ import annotations

from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.strict import Json
from playproof.verifier.kernel.turns import (
    MOST_OUTER,
    Lasts,
    Parts,
    Solved,
    TurnsWorth,
    fields_read,
    in_turns,
)
from playproof.verifier.questions.worth import read_number
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.work import spend

_STATE = 2e-7  # work for an inner state of an outer one


class _Spent(NotShown):
    """Raised if there is no work left."""


def by_turns(case: Case, of: Json, budget: Budget) -> TurnsWorth | None:
    """Return the certificate of an expected number of a game of turns, None if it is no such game or too large."""
    number = read_number(case.game, of)
    if case.game.players != 1 or number.term is None or number.after or number.options or number.spread:
        return None
    read = fields_read(case.game)
    named = [f for f in case.game.fields if f.offset >= 2 and f.lo < f.hi]
    for gathers in (f for f in named if f.number in number.term.reads and not f.shape):
        inner = [f.name for f in named if f.number in read and f is not gathers]
        certificate = _refined(case, of, Parts(tuple(inner), gathers.name), budget)
        if certificate is not None:
            return certificate
    return None


def _refined(case: Case, of: Json, parts: Parts, budget: Budget) -> TurnsWorth | None:
    """Return the certificate after whatever may differ between two turns was taken from the inner fields."""

    def count(states: int) -> None:
        spend(states * _STATE)
        if budget.left <= 0:
            raise _Spent("the work that was allowed is done")

    while True:
        try:
            solved = in_turns(
                case.game, of, parts, case.context, most=min(MOST_OUTER, budget.states), count=count
            )
        except Lasts as error:
            parts = Parts(tuple(name for name in parts.inner if name != error.name), parts.gathers)
        except NotShown:
            return None
        else:
            return _certificate(of, parts, solved)


def _certificate(of: Json, parts: Parts, solved: Solved) -> TurnsWorth:
    return TurnsWorth(of, parts, solved.states, solved.low, solved.high)
