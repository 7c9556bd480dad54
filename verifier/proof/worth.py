"""Answers to `worth`: the expected value of a number at the end of the game.

`play: best` is best for the seat, with all others against it; `worst` is the least that the seat can be brought to, by
itself too; `random` means that every player takes each legal action alike often.
"""

from __future__ import annotations

from fractions import Fraction

from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.layered import LayeredWorth, bounds_of_number
from playproof.verifier.kernel.strict import plain
from playproof.verifier.proof.layering import order_of
from playproof.verifier.proof.reach import bound_reached
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Found
from playproof.verifier.search.case import Budget, Case

_METHOD = "layers, rounded down and up"
_APART = Fraction(1, 10**6)  # what `deciding` takes for one number


def worth(case: Case, question: Question, budget: Budget) -> Found:
    """Return the expected number, or why it is open."""
    case.small(budget)
    order = order_of(case, budget, circles=True)
    if order is None:
        reason = "no measure found that no decision lowers: the game has too many states"
        return Found(None, _METHOD, (), reason, bound_reached(case))
    of = plain(question.of)
    try:
        low, high = bounds_of_number(case.game, of, order, case.context)
    except NotShown as error:
        return Found(None, _METHOD, (), str(error))
    bound = {"exactly": str(low)} if low == high else {"at least": float(low), "at most": float(high)}
    offer = (LayeredWorth(of, order, low, high),)
    if high - low > _APART:
        reason = "the bounds do not meet: play may go on for ever, and it is open what that is worth"
        return Found(None, _METHOD, (offer,), reason, bound)
    return Found(round(float((low + high) / 2), 9), _METHOD, (offer,), bound=bound)
