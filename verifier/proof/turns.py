"""Finds which fields of a game begin each turn anew, so that the kernel can go from turn to turn.

All fields are tried as inner ones, but for one that may gather the points; whatever the kernel names because it may
differ between two turns has to last. So a few tries find the parts, if a game has turns at all.
"""

from __future__ import annotations

from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.strict import Json
from playproof.verifier.kernel.turns import (
    MOST_OUTER,
    InnerFieldChanged,
    TurnFields,
    TurnsSolution,
    TurnsWorth,
    list_fields_read,
    solve_in_turns,
)
from playproof.verifier.questions.worth import read_worth_number
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.work import spend_work

_STATE = 2e-7  # work for an inner state of an outer one


class _WorkExhausted(NotShown):
    """Raised if there is no work left."""


def find_turns_certificate(
    case: GameCase, number_spec: Json, budget: Budget
) -> tuple[TurnsWorth, TurnsSolution] | None:
    """Return the certificate of an expected number or length of a game of turns, with what it was made from; None if it
    is no such game or too large."""
    number = read_worth_number(case.game, number_spec)
    if case.game.players != 1 or number.spread or number.plan is not None:
        return None
    read = list_fields_read(case.game)
    named = [f for f in case.game.fields if f.offset >= 2 and f.lo < f.hi and f.number in read]
    asked = read if number.term is None else number.term.reads
    gathering = [f.name for f in named if f.number in asked and not f.shape]
    for gathers in (*gathering, "") if number.term is None else gathering:
        inner = [f.name for f in named if f.name != gathers]
        solved = _refine_turn_parts(case, number_spec, TurnFields(tuple(inner), gathers), budget)
        if solved is not None:
            return solved
    return None


def _refine_turn_parts(
    case: GameCase, number_spec: Json, parts: TurnFields, budget: Budget
) -> tuple[TurnsWorth, TurnsSolution] | None:
    """Return the certificate after whatever may differ between two turns was taken from the inner fields."""

    def count(states: int) -> None:
        spend_work(states * _STATE)
        if budget.left <= 0:
            raise _WorkExhausted("the work that was allowed is done")

    while True:
        try:
            solved = solve_in_turns(
                case.game,
                number_spec,
                parts,
                case.context,
                max_states=min(MOST_OUTER, budget.states),
                count_states=count,
            )
        except InnerFieldChanged as error:
            parts = TurnFields(tuple(name for name in parts.inner if name != error.name), parts.gathers)
        except NotShown:
            return None
        else:
            return TurnsWorth(number_spec, parts, solved.states, solved.low, solved.high), solved
