"""The terms for what an ending is worth to each seat; every reading takes them from here."""

from __future__ import annotations

from collections.abc import Sequence

from playproof.language.expr import Const, Read, Term, disjunction, pick
from playproof.language.fields import Field
from playproof.language.parts import Ending


def make_default_return_terms(
    outcome: Field, endings: Sequence[Ending], teams: Sequence[Sequence[int]]
) -> tuple[Term, ...]:
    """Return each seat's return in a finished state if the game declares none; `teams` holds the team
    of each seat. A win gives 1 to the winner and its team (to all if it names nobody) and -1 to the
    others; a loss gives -1; any other ending gives 0."""
    if not endings:
        return (Const(0),) * len(teams)
    ending = Read(outcome, Const(0), 0)
    return tuple(
        _pick_reached_ending(ending, endings, [_make_ending_worth(end, team) for end in endings])
        for team in teams
    )


def _pick_reached_ending(outcome: Term, endings: Sequence[Ending], worths: Sequence[Term]) -> Term:
    """Return the worth of the ending that was reached."""
    result = worths[-1]
    for end, worth in zip(endings[-2::-1], worths[-2::-1], strict=True):
        result = pick(outcome == end.number, worth, result)
    return result


def _make_ending_worth(end: Ending, team: Sequence[int]) -> Term:
    if end.kind != "win":
        return Const(-1 if end.kind == "loss" else 0)
    if end.winner is None:
        return Const(1)
    return pick(disjunction(end.winner == seat for seat in team), 1, -1)
