"""Checks that small steps keep conditions, and that their values keep their bounds: the heart of a
proof by induction.

There is one question for each step and condition, and none if the step writes nothing that the
condition reads. A question that Z3 does not answer at once is split again and again: into the
conditions that it consists of, then by the values of the step's parameters, then by the values of a
cell that the step uses as an index (whose turn it is, which site is fought for), one cell at a
time. For each value the step is read anew and gets smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import z3

from playproof.language.symbolic import Move, as_z3, conj, disj, neg
from playproof.language.symbolic.sized import Num, Sym, Truth
from playproof.language.symbolic.walk import Fault
from playproof.verifier.proof.changed_summands import Change, Part, parts
from playproof.verifier.search.work import Solver

if TYPE_CHECKING:
    from playproof.verifier.proof.induction import Prover

Known = dict[int, int]
"""Values assumed for symbolic cells and parameters, by their Z3 identity."""
Wrong = Callable[[Move, Sequence[Sym]], Truth]
"""A function from a step, and the cells before it, to what must not hold."""
_FIRST, _NEXT, _LAST = 1.0, 3.0, 20.0  # work for one question


class Keeping:
    """Conditions, all assumed before each step; `lost` reports which of them a step may break."""

    def __init__(self, prover: Prover, texts: Sequence[str]) -> None:
        self.prover = prover
        self.terms = {text: prover.term(text) for text in texts}
        self.before = {text: prover.holds(term, prover.state) for text, term in self.terms.items()}

    def lost(self, move: Move, texts: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield each of these conditions that a step may break, with "may break it" or the
        reason why Z3 gave no answer."""
        fields = self.prover.reading.fields
        written = {
            f.number
            for f, old, new in zip(fields, self.prover.state, move.outcome.after, strict=True)
            if old is not new
        }
        touched = [text for text in texts if written & set(self.terms[text].reads)]
        if not touched:
            return
        solver = self.prover.solver(as_z3(move.outcome.sound), *self.before.values())
        for text in touched:
            answer = self._broken(solver, move, list(parts(self.terms[text])))
            if answer != z3.unsat:
                yield (
                    text,
                    "may break it" if answer == z3.sat else f"Z3 gave no answer ({solver.reason_unknown()})",
                )

    def faults(self, move: Move) -> Iterator[Fault]:
        """Yield what may go wrong in a step from a state in which the conditions hold."""
        if not move.outcome.faults:
            return
        solver = self.prover.solver(*self.before.values())
        for fault in move.outcome.faults:
            if self._settled(solver, move, _happens(fault), {}) != z3.unsat:
                yield fault

    def _broken(self, solver: Solver, move: Move, conditions: Sequence[Part]) -> z3.CheckSatResult:
        """Return Z3's answer to "may one of these be broken?", asked for all together, else one by
        one."""
        answer = z3.unknown
        if len(conditions) > 1:
            change = Change(self.prover.reading.walker, self.prover.state, move.outcome.after)
            answer = _ask(solver, disj(*(neg(change.keeps(part)) for part in conditions)), _FIRST)
        return (
            answer
            if answer != z3.unknown
            else _worst(self._settled(solver, move, self._breaks(part), {}) for part in conditions)
        )

    def _breaks(self, part: Part) -> Wrong:
        walker = self.prover.reading.walker
        return lambda move, before: neg(Change(walker, before, move.outcome.after).keeps(part))

    def _settled(self, solver: Solver, move: Move, wrong: Wrong, assumed: Known) -> z3.CheckSatResult:
        """Return Z3's answer to "may it go wrong?", asked as a whole, else for each value of the
        next open place."""
        fixed, before, place = self._with(move, assumed)
        if place is None:  # it cannot be split further
            most = _LAST
        else:
            most = _NEXT if assumed or not move.params else _FIRST
        answer = _ask(solver, conj(fixed.outcome.legal, wrong(fixed, before)), most)
        if answer != z3.unknown or place is None:
            return answer
        return _worst(
            self._where(solver, move, wrong, assumed, place, value) for value in range(place.lo, place.hi + 1)
        )

    def _where(
        self, solver: Solver, move: Move, wrong: Wrong, assumed: Known, place: Num, value: int
    ) -> z3.CheckSatResult:
        """Return the same answer under the assumption that a place has a value."""
        solver.push()
        try:
            solver.add(place.expr == value)
            return self._settled(solver, move, wrong, {**assumed, place.expr.get_id(): value})
        finally:
            solver.pop()

    def _with(self, move: Move, assumed: Known) -> tuple[Move, list[Sym], Num | None]:
        """Return the step and the cells before it under the assumed values, and the place to split
        by next."""

        def fixed(value: Sym) -> Sym:
            return assumed.get(value.expr.get_id(), value) if isinstance(value, Num) else value

        state, values = list(map(fixed, self.prover.state)), list(map(fixed, move.params))
        params = move.action.params if move.action else ()
        env = {param.local.number: value for param, value in zip(params, values, strict=True)}
        walker = self.prover.reading.walker
        walker.opened.clear()  # the reading below notes the indices that it cannot tell
        step = self.prover.reading.move(move.what, state, env)
        open_params = [value for value in values if isinstance(value, Num)]
        if open_params:
            return step, state, _widest(open_params)
        open_cells = [cell for cell in state if isinstance(cell, Num)]
        return step, state, _next(open_cells, list(walker.opened.values()))


def _happens(fault: Fault) -> Wrong:
    """Return the condition that a fault happens, in whatever form a step has it."""
    return lambda move, _: disj(
        *(f.when for f in move.outcome.faults if (f.message, f.place) == (fault.message, fault.place))
    )


def _worst(answers: Iterator[z3.CheckSatResult]) -> z3.CheckSatResult:
    """Return the first answer that is not "unsatisfiable", else "unsatisfiable"."""
    return next((answer for answer in answers if answer != z3.unsat), z3.unsat)


def _ask(solver: Solver, question: Truth, most: float) -> z3.CheckSatResult:
    if question is False:
        return z3.unsat
    solver.push()
    try:
        solver.add(as_z3(question))
        solver.most = most
        return solver.check()
    finally:
        solver.pop()


def _next(cells: Sequence[Num], indices: Sequence[Num]) -> Num | None:
    """Return the cell with the most values in the index that consists of the fewest cells, or
    None."""
    open_cells = {cell.expr.get_id(): cell for cell in cells}
    made_of: list[list[Num]] = []  # for each index that depends on open cells, those cells
    for index in indices:
        cells_in_it = [open_cells[i] for i in _constants(index.expr) if i in open_cells]
        if cells_in_it:
            made_of.append(cells_in_it)
    if not made_of:
        return None
    fewest = min(map(len, made_of))
    return _widest([cell for cells_in_it in made_of if len(cells_in_it) == fewest for cell in cells_in_it])


def _widest(values: Sequence[Num]) -> Num:
    return max(values, key=lambda value: value.hi - value.lo)


def _constants(expr: z3.ExprRef) -> set[int]:
    """Return the identities of the constants in a Z3 term."""
    constants: set[int] = set()
    seen: set[int] = set()
    todo = [expr]
    while todo:
        here = todo.pop()
        if here.get_id() not in seen:
            seen.add(here.get_id())
            todo.extend(here.children())
            if z3.is_const(here):
                constants.add(here.get_id())
    return constants
