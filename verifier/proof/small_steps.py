"""A game's symbolic state and its small steps, which proofs by induction ask about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import z3

from playproof.database.errors import Where
from playproof.language import Term
from playproof.language.symbolic import Move, Symbolic, as_z3, truth
from playproof.verifier.questions.conditions import Formula
from playproof.verifier.search.case import Case
from playproof.verifier.search.work import Solver

STEP = 20.0  # work for one question


@dataclass(slots=True)
class SmallSteps:
    """One game's symbolic state and small steps, with a fresh solver for each question.

    Over `integers`, sums of many counts stay sums, which proofs that cards and tokens are conserved
    need. Over bit-vectors, everything else is quicker.
    """

    case: Case
    integers: bool = False
    reading: Symbolic = field(init=False)
    state: list[Any] = field(init=False)
    moves: list[Move] = field(init=False)

    def __post_init__(self) -> None:
        self.reading = Symbolic(self.case.game, self.integers)
        self.state = self.reading.state("s")
        self.moves = self.reading.moves(self.state, "s")

    def term(self, text: str) -> Term:
        """Return a conjunct's text as a term."""
        return Formula(self.case.game, Where("invariant")).read(text)

    def holds(self, term: Term, state: Sequence[Any]) -> z3.BoolRef:
        """Return the condition that a term is true in a state."""
        return as_z3(truth(self.reading.value(term, state)))

    def solver(self, *assumptions: z3.BoolRef) -> z3.Solver:
        """Return a fresh solver over typed states."""
        solver = Solver("" if self.integers else "QF_BV", STEP)
        solver.add(self.reading.typed(self.state), *assumptions)
        return solver
