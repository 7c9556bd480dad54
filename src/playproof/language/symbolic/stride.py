"""Strides: steps that need not settle. A stride is an action (if no automatic phase is due) and
then a fixed number of sweeps through the automatic phases.

If automatic phases fold quickly, a stride is a whole step. Otherwise each stride runs them once, in
the order in which they follow each other; the next stride runs those that are still due.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from time import perf_counter

import z3

from playproof.language.expr import Const, Term
from playproof.language.fields import Field
from playproof.language.game import Game, Phase
from playproof.language.symbolic.reading import Outcome, Symbolic
from playproof.language.symbolic.sized import Sym, Truth, as_z3, conj, disj, neg
from playproof.language.symbolic.walk import Env, Gathered
from playproof.language.traced_statements import Assign, walk
from playproof.language.walks import chosen

_MOST_SWEEPS = 4
_FOLD_SECONDS = 2.0


class Strides(Symbolic):
    """Reads one game in strides; bit-vectors sized by the fields' bounds."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._automatic = _in_order(self._automatic, self.game.current_phase.field)

    def due(self, state: Sequence[Sym]) -> Truth:
        """Return the condition that automatic phases must run before anybody acts."""
        return self._due(state) if self._automatic else False

    def stride(self, state: Sequence[Sym], choice: Sym) -> Outcome:
        """Return the stride of an open action number. The number has no effect if automatic phases
        are due."""
        due = self.due(state)
        cells, gathered, legal = self._joined(state, choice)
        for i, cell in enumerate(state):
            if cells[i] is not cell:
                cells[i] = self.arithmetic.pick(due, cell, cells[i])
        for _ in range(self.turns):
            for phase in self._automatic:
                self._run_phase(phase, cells, gathered)
        return self._outcome(disj(due, legal), cells, gathered)

    def stride_of(self, state: Sequence[Sym], ident: int) -> Outcome:
        """Return the stride of one ground action from a state in which no automatic phase is
        due."""
        action = self.game.action_of(ident)
        env: Env = {p.local.number: v for p, v in zip(action.params, action.values(ident), strict=True)}
        cells, gathered = self._act(action, env, state)
        legal = conj(neg(self.due(state)), *gathered.guards)
        if legal is False:
            return Outcome(False, list(state), ())
        for _ in range(self.turns):
            for phase in self._automatic:
                self._run_phase(phase, cells, gathered)
        return self._outcome(legal, cells, gathered)

    def stride_of_nobody(self, state: Sequence[Sym]) -> Outcome:
        """Return the stride of a state in which automatic phases are due."""
        cells, gathered = list(state), Gathered()
        for _ in range(self.turns):
            for phase in self._automatic:
                self._run_phase(phase, cells, gathered)
        return self._outcome(self.due(state), cells, gathered)

    @cached_property
    def turns(self) -> int:
        """The number of sweeps in a stride: enough to settle every step if Z3 shows that quickly,
        else one."""
        if not self._automatic:
            return 0
        began, state = perf_counter(), self.state("s")
        cells, gathered, legal = self._joined(state, self.choice("s"))
        for sweep in range(_MOST_SWEEPS + 1):
            left = _FOLD_SECONDS - (perf_counter() - began)
            if left <= 0:
                return 1
            solver = z3.SolverFor("QF_BV")
            solver.set(timeout=max(1, int(1000 * left)))
            solver.add(as_z3(conj(legal, self._due(cells), *(neg(f.when) for f in gathered.faults))))
            if solver.check() == z3.unsat:
                return sweep
            for phase in self._automatic:
                self._run_phase(phase, cells, gathered)
        return 1


def _in_order(phases: Sequence[Phase], held: Field) -> list[Phase]:
    """Sort phases before those they go to, except within cycles."""
    numbers = {p.number: p for p in phases}
    placed: list[Phase] = []
    begun: set[int] = set()

    def place(phase: Phase) -> None:
        begun.add(phase.number)
        for s in walk(phase.body or ()):
            for n in _phases_in(s.value) if isinstance(s, Assign) and s.field is held else ():
                if n in numbers and n not in begun:
                    place(numbers[n])
        placed.append(phase)

    for phase in phases:
        if phase.number not in begun:
            place(phase)
    return placed[::-1]


def _phases_in(term: Term) -> list[int]:
    return [arm.value for arm in chosen(term) if isinstance(arm, Const)]
