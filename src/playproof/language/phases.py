"""The phases that a game can go to: a fixed point over the values assigned to the fields that hold
phases."""

from __future__ import annotations

from playproof.language.expr import Const, Op, Read, Term
from playproof.language.fields import Field
from playproof.language.game import Game
from playproof.language.parts import Phase
from playproof.language.traced_statements import Assign, iter_statements


def compute_phase_values(game: Game) -> dict[int, frozenset[int]]:
    """Return, for each field that holds phases, the values that the rules ever assign to it (a
    fixed point over assignments)."""
    held = {f.number: f for f in (game.current_phase.field, *game.phase_fields)}
    bodies = (
        [a.body for a in game.actions]
        + [p.body or () for p in game.phases]
        + [p.body for p in game.procedures]
    )
    assigned = [
        s
        for body in bodies
        for s in iter_statements(body)
        if isinstance(s, Assign) and s.field.number in held
    ]
    values: dict[int, frozenset[int]] = {n: frozenset(f.start) for n, f in held.items()}
    while True:
        grown = dict(values)
        for s in assigned:
            grown[s.field.number] |= _find_possible_values(s.value, values, held[s.field.number])
        if grown == values:
            return values
        values = grown


def find_unreached_phases(game: Game) -> list[Phase]:
    """Return the phases that no rule goes to: a `goto` is missing, or the loaded cards never ask for
    them."""
    reached = compute_phase_values(game)[game.current_phase.field.number]
    return [phase for phase in game.phases if phase.number not in reached]


def _find_possible_values(term: Term, values: dict[int, frozenset[int]], field: Field) -> frozenset[int]:
    match term:
        case Const():
            return frozenset((term.value,))
        case Read() if term.field.number in values:
            return values[term.field.number]
        case Op(op="pick"):
            return _find_possible_values(term.args[1], values, field) | _find_possible_values(
                term.args[2], values, field
            )
    return frozenset(range(field.lo, field.hi + 1))
