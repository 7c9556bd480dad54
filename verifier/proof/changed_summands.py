"""How a step changes a condition that held before it: a smaller question for a proof by induction.

An equality of sums that held still holds if its two sides change by the same amount. Summands that
the step leaves unchanged cancel here, before Z3 sees them; in two long sums, most of them do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from playproof.language.expr import Apply, Const, Op, Reduce, Term
from playproof.language.symbolic.sized import Sym, Truth
from playproof.language.symbolic.walk import Env, Walker, identity

Part = tuple[Term, Env]
"""A condition that is part of another, with the values of its bound variables."""


def parts(term: Term, env: Env | None = None) -> Iterator[Part]:
    """Yield the conditions whose conjunction is the term, split until none is a conjunction.

    A conjunction may be written `... == 1`, as claims do.
    """
    env = env or {}
    match term:
        case Op(op="and"):
            for each in term.args:
                yield from parts(each, env)
        case Reduce(kind="all"):
            for i in range(term.start, term.stop):
                yield from parts(term.body, {**env, term.var.number: i})
        case Op(op="==", args=(truth, Const(value=1))) if (truth.lo, truth.hi) == (0, 1):
            yield from parts(truth, env)
        case _:
            yield term, env


@dataclass(slots=True)
class Change:
    """A step, given by the cells before and after it."""

    walker: Walker
    before: Sequence[Sym]
    after: Sequence[Sym]
    _gained: list[Sym] = field(default_factory=list)
    _lost: list[Sym] = field(default_factory=list)

    def keeps(self, part: Part) -> Truth:
        """Return whether a condition holds after the step, given that it held before."""
        term, env = part
        match term:
            case Op(op="==", args=(left, right)) if max(left.hi - left.lo, right.hi - right.lo) > 1:
                self._gained, self._lost = [], []
                self._sum(left, env, 1)
                self._sum(right, env, -1)
                return self.walker.a.compare("==", self._total(self._gained), self._total(self._lost))
        return self.walker.truth(term, self.after, env)

    def _sum(self, term: Term, env: Env, sign: int) -> None:
        """Record what the step adds to a sum and what it takes from it, summand by summand."""
        match term:
            case Op(op="+" | "-", args=(left, right)):
                self._sum(left, env, sign)
                self._sum(right, env, sign if term.op == "+" else -sign)
            case Reduce(kind="sum"):
                for i in range(term.start, term.stop):
                    self._sum(term.body, {**env, term.var.number: i}, sign)
            case Apply(function=function):
                arguments = self._unchanged(term.args, env)
                if arguments is None:
                    self._summand(term, env, sign)
                else:
                    inner = {
                        param.number: value for param, value in zip(function.params, arguments, strict=True)
                    }
                    self._sum(function.body, inner, sign)
            case _:
                self._summand(term, env, sign)

    def _summand(self, term: Term, env: Env, sign: int) -> None:
        if self._unchanged((term,), env) is None:
            old, new = (self._lost, self._gained) if sign > 0 else (self._gained, self._lost)
            old.append(self.walker.value(term, self.before, env))
            new.append(self.walker.value(term, self.after, env))

    def _unchanged(self, terms: Sequence[Term], env: Env) -> list[Sym] | None:
        """Return the terms' values if the step changes none of them, else None. Both lists stay
        alive during the comparison, because Z3 reuses the identity of a term that is gone."""
        before = [self.walker.value(term, self.before, env) for term in terms]
        after = [self.walker.value(term, self.after, env) for term in terms]
        return before if list(map(identity, before)) == list(map(identity, after)) else None

    def _total(self, summands: Sequence[Sym]) -> Sym:
        a = self.walker.a
        result: Sym = 0
        for summand in summands:
            result = a.operate("+", result, a.number(summand))
        return result
