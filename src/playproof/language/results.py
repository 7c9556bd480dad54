"""The terms for what an ending is worth to each seat; every reading takes them from here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from playproof.language.expr import Const, Read, Term, disjunction, pick
from playproof.language.parts import Ending

if TYPE_CHECKING:
    from playproof.language.game import Game


def default_results(game: Game) -> tuple[Term, ...]:
    """Return each seat's return in a finished state if the game declares none. A win gives 1 to the
    winner and its team (to all if it names nobody) and -1 to the others; a loss gives -1; any other
    ending gives 0."""
    if not game.endings:
        return (Const(0),) * game.players
    outcome = Read(game.outcome.field, Const(0), 0)
    return tuple(
        _chosen(outcome, game.endings, [_worth(end, game.team_of(seat)) for end in game.endings])
        for seat in range(game.players)
    )


def _chosen(outcome: Term, endings: Sequence[Ending], worths: Sequence[Term]) -> Term:
    """Return the worth of the ending that was reached."""
    result = worths[-1]
    for end, worth in zip(endings[-2::-1], worths[-2::-1], strict=True):
        result = pick(outcome == end.number, worth, result)
    return result


def _worth(end: Ending, team: Sequence[int]) -> Term:
    if end.kind != "win":
        return Const(-1 if end.kind == "loss" else 0)
    if end.winner is None:
        return Const(1)
    return pick(disjunction(end.winner == seat for seat in team), 1, -1)
