"""Automatic phases end: a rank that each of them lowers, looked for and then left to the kernel.

Where no phase comes round to itself their order is a rank. Where one does (a countdown, a walk along a row), what it
counts is one: weights of cells and of their values, which Z3 finds as it finds those that bound a game's length.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

from playproof.rules.language import Game, RulesError
from playproof.rules.language.expr import Const
from playproof.rules.language.statements import Assign, Invoke, Statement, walk
from playproof.verifier.proof.induction import prover
from playproof.verifier.proof.length import rank_of
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.sampled_states import steps_met

Weights = tuple[tuple[int, int, int], ...]
"""A cell, one of its values (or -1: the cell itself), and what that counts."""


def phase_order(game: Game) -> Weights:
    """Weights of the phases by how many automatic ones may follow, where none comes round to itself."""
    automatic = [p for p in game.phases if p.automatic]
    goes_to = {p.number: _assigned(game, p.body or ()) for p in automatic}
    weights = {p.number: 0 for p in automatic}
    for _ in automatic:
        weights = {n: 1 + max((weights[m] for m in goes_to[n] if m in weights), default=0) for n in weights}
    return tuple((0, n, w) for n, w in weights.items())


def _assigned(game: Game, body: Sequence[Statement]) -> set[int]:
    """Numbers of the phases that statements go to by name; a procedure may go anywhere that it names."""
    found: set[int] = set()
    for s in walk(tuple(body)):
        if isinstance(s, Assign) and s.field is game.current_phase.field and isinstance(s.value, Const):
            found.add(s.value.value)
        elif isinstance(s, Invoke):
            found |= _assigned(game, s.procedure.body)
    return found


def phase_rank(case: Case, budget: Budget) -> Weights:
    """Weights that every automatic phase lowers, as far as Z3 finds some; () where it does not."""
    automatic = {p.number for p in case.game.phases if p.automatic}
    only = copy.copy(prover(case, integers=True))
    only.moves = [move for move in only.moves if move.action is None]
    try:
        steps = [(before, after) for before, after in steps_met(case) if before[0] in automatic and not before[1]]
    except RulesError:  # before anybody has acted
        return ()
    rank = rank_of(only, case, steps, budget)
    return () if rank is None else tuple((cell, value, w) for (cell, value), w in sorted(rank.weights.items()))


__all__ = ["phase_order", "phase_rank"]
