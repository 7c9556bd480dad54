"""How many steps the facts of a target cost if no step ever undid a fact: the additive estimate of planners.

The estimate of a fact that holds is 0. That of another is the least over the operators that make it of 1 and the
estimates of what they need, added up. Thousands of states are estimated together.

Source: Bonet and Geffner, "Planning as heuristic search", Artificial Intelligence 129 (2001).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import z3

from playproof.language import Term
from playproof.verifier.questions.targets import Target
from playproof.verifier.search.case import Case
from playproof.verifier.search.goals import ways_to
from playproof.verifier.search.open_steps import Steps, formula
from playproof.verifier.search.operators import Fact, Operator, TooMany, operators
from playproof.verifier.search.work import Solver, spend

NEVER = 1_000_000
"""The estimate of a fact that no operators make."""
_MOST_WAYS = 16
_MOST_GOALS = 200
_ROUNDS = 200
_MOST = 5_000
_WORK = 2.0
_COST = 1 / 300_000_000  # work for a number that a round looks at
_NUMBERS = 4_000_000
"""Numbers held at once."""


class Estimate:
    """The estimates for a target of a case. `useful` says whether they tell the start from the target."""

    def __init__(self, case: Case, target: Target) -> None:
        self.ways = [facts for way in ways_to(case, target)[:_MOST_WAYS] if (facts := implied(case, way))]
        self.useful = bool(self.ways)
        if not self.useful:
            return
        try:
            several = operators(case.game, _MOST)
        except (TooMany, RecursionError):
            self.useful = False
            return
        self._arrange(several)
        start = np.array(case.first, dtype=np.int64)[:, None]
        self.useful = bool(0 < self.of(start)[0] < NEVER)

    def _arrange(self, several: Sequence[Operator]) -> None:
        """Number the facts and lay the operators out as arrays: what each needs, and who makes each fact."""
        needs, makes = _parts(several)
        facts = {fact for need in needs for fact in need} | {fact for way in self.ways for fact in way}
        self.numbers = {fact: n for n, fact in enumerate(sorted(facts))}
        self.cells = np.array([cell for cell, _ in self.numbers], dtype=np.int64)
        self.values = np.array([value for _, value in self.numbers], dtype=np.int64)[:, None]
        always = len(self.numbers)  # a fact that costs nothing fills the rows
        longest = max(map(len, needs), default=1)
        rows = [[self.numbers[f] for f in need] for need in needs]
        self.needs = np.array([row + [always] * (longest - len(row)) for row in rows], dtype=np.int64)
        pairs = sorted(
            (self.numbers[f], n) for n, made in enumerate(makes) for f in made if f in self.numbers
        )
        self.makers = np.array([n for _, n in pairs], dtype=np.int64)
        made = np.array([fact for fact, _ in pairs], dtype=np.int64)
        self.made, self.firsts = np.unique(made, return_index=True)

    def of(self, cells: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Return the estimates of states (cells x states)."""
        most = max(1, _NUMBERS // max(1, self.needs.size))
        parts = [self._some(cells[:, k : k + most]) for k in range(0, cells.shape[1], most)]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)

    def _some(self, cells: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        width = cells.shape[1]
        cost = np.zeros((len(self.numbers) + 1, width), dtype=np.int32)
        cost[:-1] = np.where(cells[self.cells] == self.values, 0, NEVER)
        for _ in range(_ROUNDS if len(self.makers) else 0):
            spend(_COST * width * self.needs.size)
            price = np.minimum(cost[self.needs].sum(axis=1, dtype=np.int32) + 1, NEVER)
            least = np.minimum.reduceat(price[self.makers], self.firsts, axis=0)
            now = np.minimum(cost[self.made], least)
            if (now == cost[self.made]).all():
                break
            cost[self.made] = now
        goals = [cost[[self.numbers[f] for f in way]].sum(axis=0, dtype=np.int64) for way in self.ways]
        least_of_all: npt.NDArray[np.int64] = np.minimum(np.min(goals, axis=0), NEVER)
        return least_of_all


def _parts(several: Iterable[Operator]) -> tuple[list[list[Fact]], list[list[Fact]]]:
    """Return what each part of an operator needs and what it makes; effects under the same facts are one part."""
    needs: list[list[Fact]] = []
    makes: list[list[Fact]] = []
    for operator in several:
        groups: dict[tuple[Fact, ...], list[Fact]] = {}
        for effect in operator.effects:
            groups.setdefault(effect.when, []).append(effect.fact)
        for when, made in groups.items():
            own = sorted({*operator.needs.items(), *when})
            needs.append(own)
            makes.append([fact for fact in made if fact not in own])
    return needs, makes


def implied(case: Case, way: Sequence[Term]) -> list[Fact]:
    """Return the facts that hold in every state in which these conditions hold. For example, one peg on the whole board
    and a peg in its middle mean that all other holes are empty."""
    reading = Steps(case.game, integers=True, extra=way)
    state = reading.state("g")
    fields = [f for f in case.game.fields for _ in range(f.size)]
    read = {number for condition in way for number in condition.reads}
    cells = [n for n, f in enumerate(fields) if f.number in read and f.hi > f.lo]
    solver = Solver("", _WORK)
    solver.add(formula(reading.typed(state)), *(reading.holds(c, state) for c in way))
    if len(cells) > _MOST_GOALS or solver.check() != z3.sat:
        return []
    values = reading.plain_state(state, solver.model())
    others = ([*state[:cell], values[cell], *state[cell + 1 :]] for cell in cells)
    equal = (formula(reading.equal(state, other)) for other in others)
    return [(cell, values[cell]) for cell, same in zip(cells, equal, strict=True) if _only(solver, same)]


def _only(solver: Solver, equal: z3.BoolRef) -> bool:
    """Return whether nothing else is possible."""
    solver.push()
    solver.add(z3.Not(equal))
    never: bool = solver.check() == z3.unsat
    solver.pop()
    return never
