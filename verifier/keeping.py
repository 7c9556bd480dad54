"""Whether small steps keep conditions: the heart of a proof by induction.

One question for each step and condition, and none where the step writes nothing that the condition reads. Over
integers an equality is asked as a difference: `left - right` was 0, so it stays 0 if the step adds nothing to it, and
most of two long sums cancels before Z3 is asked. A question without an answer is split: by the values of the step's
parameters, then by those of single fields that the step uses as places (whose turn it is, which unit fights).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import z3

from rules.language import Phase, Term
from rules.language.expr import Apply, Const, Lookup, Op, Read, Reduce, children
from rules.language.fields import Field
from rules.language.game import Action
from rules.language.statements import Assign, If, Invoke, Keep, Require, Statement, walk
from rules.language.symbolic import Move, as_z3, conj, neg
from rules.language.symbolic.sized import Num, Sym, Truth
from rules.language.symbolic.walk import Env

if TYPE_CHECKING:
    from verifier.induction import Prover

Known = tuple[tuple[Num, int], ...]
"""Open values and what they are taken to be."""
_FIRST_MS, _LAST_MS = 300, 20_000
_MOST_SPLITS = 200


class Keeping:
    """Conditions, all assumed before each step; `lost` says which of them a step may break."""

    def __init__(self, prover: Prover, texts: Sequence[str]) -> None:
        self.prover = prover
        self.terms = {text: prover.term(text) for text in texts}
        self.before = {text: prover.holds(term, prover.state) for text, term in self.terms.items()}

    def lost(self, move: Move) -> Iterator[tuple[str, str]]:
        """Conditions that a step may break, each with "may break it" or with what kept Z3 from an answer."""
        fields = self.prover.reading.fields
        written = {f.number for f, old, new in zip(fields, self.prover.state, move.outcome.after, strict=True)
                   if old is not new}
        touched = [text for text, term in self.terms.items() if written & set(term.reads)]
        if not touched:
            return
        solver = self.prover.solver(as_z3(move.outcome.sound), *self.before.values())
        for text in touched:
            answer = self._settled(solver, self.terms[text], move, self._splits(move))
            if answer != z3.unsat:
                yield text, "may break it" if answer == z3.sat else f"Z3 gave no answer ({solver.reason_unknown()})"

    def _splits(self, move: Move) -> list[list[Num]]:
        """What a question is split by, in this order: the open parameters, the single fields used as places."""
        params = [p for p in move.params if isinstance(p, Num)]
        cells = [self.prover.state[f.offset] for f in places(move.what)]
        return [some for some in (params, [c for c in cells if isinstance(c, Num)]) if some]

    def _settled(self, solver: z3.Solver, term: Term, move: Move, splits: Sequence[Sequence[Num]],
                 known: Known = ()) -> z3.CheckSatResult:
        """Z3's answer to "may it break?": as a whole, else for all values of the next split."""
        fixed, before = self._with(move, known)
        question = as_z3(neg(self._stays(term, before, fixed.outcome.after, {})))
        if z3.is_false(question):
            return z3.unsat
        answer = _ask(solver, question, known, _FIRST_MS if splits else _LAST_MS)
        if answer != z3.unknown or not splits:
            return answer
        for values in product(*(range(num.lo, num.hi + 1) for num in splits[0])):
            answer = self._settled(solver, term, move, splits[1:], (*known, *zip(splits[0], values, strict=True)))
            if answer != z3.unsat:
                return answer
        return z3.unsat

    def _with(self, move: Move, known: Known) -> tuple[Move, list[Sym]]:
        """The step and the state before it where some parameters and cells are plain."""
        if not known:
            return move, self.prover.state
        value = {id(num): plain for num, plain in known}
        state = [value.get(id(cell), cell) for cell in self.prover.state]
        env = {p.local.number: value.get(id(s), s)
               for p, s in zip(move.action.params if move.action else (), move.params, strict=True)}
        return self.prover.reading.move(move.what, state, env), state

    def _stays(self, term: Term, before: Sequence[Sym], after: Sequence[Sym], env: Env) -> Truth:
        """The term's truth after a step, given that it held before."""
        walker = self.prover.reading.walker
        if not self.prover.integers:
            return walker.truth(term, after, env)
        match term:
            case Op(op="and"):
                return conj(*(self._stays(part, before, after, env) for part in term.args))
            case Reduce(kind="all"):
                return conj(*(self._stays(term.body, before, after, {**env, term.var.number: i})
                              for i in range(term.start, term.stop)))
            case Op(op="==", args=(part, Const(value=1))) if (part.lo, part.hi) == (0, 1):
                return self._stays(part, before, after, env)
            case Op(op="=="):
                sides = [walker.value(arg, cells, env) for arg in term.args for cells in (after, before)]
                if all(isinstance(side, int | Num) for side in sides):
                    return _unchanged(*sides)
        return walker.truth(term, after, env)


def _unchanged(left: Any, left_before: Any, right: Any, right_before: Any) -> Truth:
    """Whether the difference of two sides is what it was: then 0."""
    values = [x.expr if isinstance(x, Num) else z3.IntVal(x) for x in (left, left_before, right, right_before)]
    change = z3.simplify((values[0] - values[1]) - (values[2] - values[3]))
    if z3.is_int_value(change):
        return bool(change.as_long() == 0)
    same: z3.BoolRef = change == 0
    return same


def _ask(solver: z3.Solver, question: z3.BoolRef, known: Known, ms: int) -> z3.CheckSatResult:
    solver.push()
    try:
        solver.add(question, *(num.expr == value for num, value in known))
        solver.set(timeout=ms)
        return solver.check()
    finally:
        solver.pop()


def places(what: Action | Phase) -> list[Field]:
    """Single fields that a step's own statements use as indices or arguments, those with few values first, as long as
    their values together are not too many."""
    fields = {f.number: f for s in walk(what.body or ()) for index in _indices_of(s) for f in _single(index)}
    chosen, count = [], 1
    for f in sorted(fields.values(), key=lambda f: (f.hi - f.lo, f.number)):
        count *= f.hi - f.lo + 1
        if count <= _MOST_SPLITS:
            chosen.append(f)
    return chosen


def _indices_of(statement: Statement) -> Iterator[Term]:
    match statement:
        case Assign(index=index, value=value):
            yield index
            yield from (*_indices(index), *_indices(value))
        case Keep(value=term) | If(condition=term) | Require(condition=term):
            yield from _indices(term)
        case Invoke(args=args):
            yield from args


def _indices(term: Term) -> Iterator[Term]:
    """The places that a term reads, and what it hands to functions."""
    if isinstance(term, Read | Lookup | Apply):
        yield from children(term)
    for below in children(term):
        yield from _indices(below)


def _single(term: Term) -> Iterator[Field]:
    """Single fields in a term, the phase and the outcome apart."""
    if isinstance(term, Read) and term.field.size == 1 and term.field.number > 1:
        yield term.field
    for below in children(term):
        yield from _single(below)


__all__ = ["Keeping"]
