"""k-induction: proves a condition that no single step keeps, but that k good states in a row do.

Base: no line of fewer than k small steps from the start meets the target. Step: after k states in a
row that do not meet it (and keep the given invariants), the next does not either. Source: Sheeran,
Singh and Stålmarck, "Checking Safety Properties Using Induction and a SAT-Solver", FMCAD 2000.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import z3

from playproof.database.errors import Where
from playproof.language.symbolic import Sym, Symbolic, as_z3, truth
from playproof.verifier.questions.conditions import Formula
from playproof.verifier.questions.targets import Target
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.work import Solver

DEEPEST = 6
_MOST_MOVES = 80  # beyond that many small steps the chains are too large to be worth trying
_WORK = 10.0


@dataclass(slots=True)
class Chain:
    """States joined by small steps in one solver, from the start of the game or (`open_start`) from
    any state."""

    case: Case
    open_start: bool
    most: float = _WORK
    reading: Symbolic = field(init=False)
    states: list[list[Sym]] = field(init=False)
    solver: z3.Solver = field(init=False)

    def __post_init__(self) -> None:
        self.reading = Symbolic(self.case.game)
        self.solver = Solver("QF_BV", self.most)
        self.states = [self.reading.state("k0") if self.open_start else list(self.case.game.initial())]
        if self.open_start:
            self.solver.add(self.reading.typed(self.states[0]))

    def longer(self) -> None:
        """Add one small step."""
        here, number = self.states[-1], len(self.states)
        following = self.reading.state(f"k{number}")
        steps = [
            z3.And(as_z3(move.outcome.sound), self.reading.equal(move.outcome.after, following))
            for move in self.reading.moves(here, f"m{number}")
        ]
        self.solver.add(self.reading.typed(following), z3.Or(*steps))
        self.states.append(following)

    def meets(self, target: Target) -> Any:
        """Return the condition that the last state meets the target."""
        return as_z3(truth(self.reading.value(target.condition, self.states[-1])))

    def keep(self, case: Case, texts: Sequence[str], target: Target) -> None:
        """Assert that the last state keeps the invariants and does not meet the target."""
        for text in texts:
            term = Formula(case.game, Where("invariant")).read(text)
            self.solver.add(as_z3(truth(self.reading.value(term, self.states[-1]))))
        self.solver.add(z3.Not(self.meets(target)))


def fault(case: Case, target: Target, k: int, texts: Sequence[str] = (), most: float = _WORK) -> str:
    """Return why k-induction under proved invariants does not exclude the target, or "" if it
    does."""
    if target.idents is not None:
        return "k-induction speaks of states, not of actions"
    base = Chain(case, open_start=False, most=most)
    for depth in range(k):
        if depth:
            base.longer()
        if base.solver.check(base.meets(target)) != z3.unsat:
            return f"it may be met after {depth} small steps"
    step = Chain(case, open_start=True, most=most)
    for _ in range(k):
        step.keep(case, texts, target)
        step.longer()
    if step.solver.check(step.meets(target)) != z3.unsat:
        return f"{k} states in a row do not exclude it in the next"
    return ""


def k_inductive(case: Case, target: Target, budget: Budget, texts: Sequence[str] = ()) -> int | None:
    """Return the least k that excludes a target, or None."""
    small = len(case.game.actions) + len(case.game.phases)
    if target.idents is not None or small > _MOST_MOVES:
        return None
    for k in range(2, DEEPEST + 1):
        if budget.left <= 0:
            return None
        budget.say(f"k-induction, k = {k}")
        if not fault(case, target, k, texts, min(_WORK, budget.left)):
            return k
    return None
