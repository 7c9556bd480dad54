"""Compare two descriptions of a game: Z3 looks for a state and a small step in which they differ.

Random walks find rules that forbid too much or do the wrong thing. They hardly ever find a rule
that permits too much. This query finds all three kinds, or proves that the descriptions agree. A
value that leaves its bounds in one description only is a difference too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import z3

from playproof.language import Game
from playproof.verifier.kernel.formulas import Truth, conjoin_formulas, disjoin_formulas, negate_formula
from playproof.verifier.search.step_readings import OpenStep, OpenStepReading


@dataclass(frozen=True, slots=True)
class Parting:
    """A difference between two descriptions: the small step, the state (a flat list), and whether
    each description allows the step."""

    step: str
    state: list[int]
    legal: tuple[bool, bool]

    def __str__(self) -> str:
        if all(self.legal):
            return f"`{self.step}`: both allow it, with different results"
        first, second = ("allows" if legal else "forbids" for legal in self.legal)
        return f"`{self.step}`: one {first} it, the other {second} it"


def parting(game: Game, other: Game, *, most: float = 60.0) -> Parting | None:
    """Return a state in which the descriptions differ, or None if Z3 proves that there is none.

    Raises ValueError if fields, phases or actions differ in shape (the games are then different),
    and TimeoutError if Z3 gives no answer.
    """
    first, second = OpenStepReading(game), OpenStepReading(other)
    if _shape(game) != _shape(other):
        raise ValueError("the descriptions declare different fields, phases or actions")
    state = first.make_symbolic_state("s")
    left = {m.name + str(m.action is None): m for m in first.list_symbolic_small_steps(state, "s")}
    right = {m.name + str(m.action is None): m for m in second.list_symbolic_small_steps(state, "s")}
    for key in dict.fromkeys([*left, *right]):
        difference = _parting(first, state, left.get(key), right.get(key), most)
        if difference is not None:
            return difference
    return None


def _shape(game: Game) -> object:
    fields = [(f.name, f.lo, f.hi, f.shape) for f in game.fields]
    phases = [(p.name, p.automatic) for p in game.phases]
    actions = []
    for action in game.actions:
        params = [(param.low, param.count) for param in action.params]
        actions.append((action.name, action.phases, params))
    return fields, phases, actions, len(game.endings)


def _legal(move: OpenStep | None) -> Truth:
    """Return the condition that a step is legal; a step that a game does not have never is."""
    return False if move is None else move.outcome.legal


def _differ(first: Truth, second: Truth) -> Truth:
    return disjoin_formulas(
        [conjoin_formulas([first, negate_formula(second)]), conjoin_formulas([second, negate_formula(first)])]
    )


def _parting(
    reading: OpenStepReading, state: Sequence[Any], first: OpenStep | None, second: OpenStep | None, most: float
) -> Parting | None:
    legal = [_legal(first), _legal(second)]
    differs = _differ(*legal)
    if first is not None and second is not None:
        sound = [m.outcome.sound for m in (first, second)]
        same = reading.build_states_equal_formula(first.outcome.after, second.outcome.after)
        results = conjoin_formulas([*sound, negate_formula(same)])
        differs = disjoin_formulas([differs, conjoin_formulas([*legal, _differ(*sound)]), results])
    solver = reading.make_solver(most, reading.build_cells_within_bounds_formula(state), differs)
    answer = solver.check()
    if answer == z3.unknown:
        raise TimeoutError("no answer within the work allowed")
    if answer == z3.unsat:
        return None
    model, name = solver.model(), (first or second).name  # type: ignore[union-attr]  # one of them is a move
    allowed = [reading.translator.is_true_in_model(x, model) for x in legal]
    return Parting(name, reading.get_state_from_model(state, model), (allowed[0], allowed[1]))
