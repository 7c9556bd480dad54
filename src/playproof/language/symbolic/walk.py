"""Runs terms and statements on sized values: it runs both branches of a choice and joins the
results.

A run collects an action's requirements (`guards`) and what must never happen (`faults`: a value
outside the bounds of its target). Requirements stand only in an action's own body. If a value kept
among them is at fault, the reference reading stops there; here the later requirements then count as
met, so that the fault is seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from playproof.language.errors import Place
from playproof.language.expr import Apply, Const, Function, Local, Lookup, Op, Read, Reduce, Term, covers
from playproof.language.fields import Field
from playproof.language.symbolic.sized import (
    Arithmetic,
    Num,
    Sym,
    Truth,
    among,
    bounds,
    conj,
    disj,
    neg,
    truth,
)
from playproof.language.traced_statements import Assign, Finish, If, Invoke, Keep, Loop, Require, Statement
from playproof.language.walks import fields_read

Cells = list[Sym]
Env = dict[int, Sym]


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that must never happen under the rules, and the condition under which it
    happens."""

    when: Truth
    message: str
    place: Place


@dataclass(slots=True)
class Gathered:
    """The guards and faults that a run collects."""

    guards: list[Truth] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


class Walker:
    """Evaluates terms and runs statements. It keeps the values of named functions already evaluated
    on the same cells.
    """

    def __init__(self, arithmetic: Arithmetic) -> None:
        self.a = arithmetic
        self._applied: dict[tuple[object, ...], tuple[Sym, tuple[Sym, ...]]] = {}
        self._fields: dict[int, tuple[Field, ...]] = {}

    # -- terms ----------------------------------------------------------------------------------------------

    def value(self, term: Term, cells: Sequence[Sym], env: Env) -> Sym:
        """A term's value on these cells."""
        match term:
            case Const():
                return term.value
            case Local():
                return env[term.number]
            case Read():
                return self._read(term.field, self.value(term.index, cells, env), cells)
            case Op():
                return self._operate(term, cells, env)
            case Lookup():
                return self._select(
                    self.value(term.index, cells, env), term.table.values.__getitem__, len(term.table.values)
                )
            case Apply():
                return self._apply(term.function, tuple(self.value(x, cells, env) for x in term.args), cells)
            case Reduce():
                return self._reduce(term, cells, env)
        raise TypeError(f"unknown term {term!r}")

    def truth(self, term: Term, cells: Sequence[Sym], env: Env) -> Truth:
        """Return the condition that a term is not 0."""
        return truth(self.value(term, cells, env))

    def _read(self, source: Field, index: Sym, cells: Sequence[Sym]) -> Sym:
        return self._select(index, lambda i: cells[source.offset + i], source.size)

    def _select(self, index: Sym, at: Callable[[int], Sym], size: int) -> Sym:
        if isinstance(index, int):
            return at(int(index))
        return self._between(index, self._places(index, size), at)

    def _between(self, index: Sym, places: list[int], at: Callable[[int], Sym]) -> Sym:
        """Return the choice among places by binary splits, so that its depth grows with the
        logarithm of the array."""
        if len(places) == 1:
            return at(places[0])
        middle = len(places) // 2
        left, right = places[:middle], places[middle:]
        return self.a.pick(
            self.a.compare("<", index, right[0]),
            self._between(index, left, at),
            self._between(index, right, at),
        )

    @staticmethod
    def _places(index: Sym, size: int) -> list[int]:
        lo, hi = bounds(index)
        values = among(index)
        return [i for i in range(max(0, lo), min(size - 1, hi) + 1) if values is None or i in values]

    def _operate(self, term: Op, cells: Sequence[Sym], env: Env) -> Sym:
        return _HOW[term.op](self, term, cells, env)

    def _logic(self, term: Op, cells: Sequence[Sym], env: Env) -> Sym:
        first = self.truth(term.args[0], cells, env)
        if isinstance(first, bool) and first == (term.op == "or"):
            return int(first)
        second = self.truth(term.args[1], cells, env)
        return _sym(conj(first, second) if term.op == "and" else disj(first, second))

    def _not(self, term: Op, cells: Sequence[Sym], env: Env) -> Sym:
        return _sym(neg(self.truth(term.args[0], cells, env)))

    def _choice(self, term: Op, cells: Sequence[Sym], env: Env) -> Sym:
        return self._pick(self.truth(term.args[0], cells, env), term.args, cells, env)

    def _comparison(self, term: Op, cells: Sequence[Sym], env: Env) -> Sym:
        left, right = (self.value(x, cells, env) for x in term.args)
        return _sym(self.a.compare(term.op, left, right))

    def _arithmetic(self, term: Op, cells: Sequence[Sym], env: Env) -> Sym:
        left, right = (self.value(x, cells, env) for x in term.args)
        return self.a.operate(term.op, left, right)

    def _distance(self, term: Op, cells: Sequence[Sym], env: Env) -> Sym:
        value = self.value(term.args[0], cells, env)
        return self.a.operate("max", value, self.a.operate("-", 0, value))

    def _pick(self, condition: Truth, args: tuple[Term, ...], cells: Sequence[Sym], env: Env) -> Sym:
        _, yes, no = args
        if isinstance(condition, bool):
            return self.value(yes if condition else no, cells, env)
        return self.a.pick(condition, self.value(yes, cells, env), self.value(no, cells, env))

    def _reduce(self, term: Reduce, cells: Sequence[Sym], env: Env) -> Sym:
        values = [
            self.value(term.body, cells, {**env, term.var.number: i}) for i in range(term.start, term.stop)
        ]
        if term.kind == "any":
            return _sym(disj(*map(truth, values)))
        if term.kind == "all":
            return _sym(conj(*map(truth, values)))
        op = {"sum": "+", "min": "min", "max": "max"}[term.kind]
        result = values[0]
        for value in values[1:]:
            result = self.a.operate(op, result, value)
        return result

    def _apply(self, function: Function, args: tuple[Sym, ...], cells: Sequence[Sym]) -> Sym:
        read = tuple(cells[c] for f in self._read_by(function) for c in range(f.offset, f.offset + f.size))
        key = (function.number, *map(identity, args), *map(identity, read))
        entry = self._applied.get(key)
        if entry is None:
            inner: Env = {p.number: x for p, x in zip(function.params, args, strict=True)}
            value = self.value(function.body, cells, inner)
            # The cells are kept beside the value so that their identities in the key stay theirs.
            entry = self._applied[key] = (value, args + read)
        return entry[0]

    def _read_by(self, function: Function) -> tuple[Field, ...]:
        read = self._fields.get(function.number)
        if read is None:
            read = self._fields[function.number] = fields_read(function.body)
        return read

    # -- statements -----------------------------------------------------------------------------------------

    def run(
        self,
        body: Sequence[Statement],
        cells: Cells,
        env: Env,
        path: Truth,
        into: Gathered,
        requires: bool = False,
    ) -> None:
        """Run statements on `cells` and `env` (both changed) under the condition `path`. With
        `requires`, requirements become guards: they are asked before any effect, so the cells stay
        as they are, also where a loop requires something behind an effect."""
        for statement in body:
            match statement:
                case Assign() | Invoke() | Finish() if requires:
                    return
                case Assign():
                    self._assign(statement, cells, env, path, into)
                case Keep(local, value, place):
                    # A value is kept only if the requirements before it hold.
                    reached = conj(path, *into.guards) if requires else path
                    number = self.value(value, cells, env)
                    env[local.number] = self._fitted(
                        f"`{local.name}` leaves", local, number, reached, into, place
                    )
                case If():
                    self._branch(statement, cells, env, path, into, requires)
                case Loop(var, start, stop, inner):
                    for i in range(start, stop):
                        env[var.number] = i
                        self.run(inner, cells, env, path, into, requires)
                case Invoke(procedure, args, place):
                    bound = {
                        p.number: self._fitted(
                            f"`{procedure.name}` takes {p.name} outside",
                            p,
                            self.value(x, cells, env),
                            path,
                            into,
                            place,
                        )
                        for p, x in zip(procedure.params, args, strict=True)
                    }
                    self.run(procedure.body, cells, bound, path, into)
                case Finish(ending, _):
                    cells[1] = self.a.pick(self.a.compare("==", cells[1], 0), ending, cells[1])
                case Require(condition):
                    if requires:
                        met = self.truth(condition, cells, env)
                        into.guards.append(disj(neg(path), met, *(f.when for f in into.faults)))

    def _assign(self, statement: Assign, cells: Cells, env: Env, path: Truth, into: Gathered) -> None:
        to = statement.field
        new = self.value(statement.value, cells, env)
        index = self.value(statement.index, cells, env)
        outside = conj(path, neg(self.a.within(new, to.lo, to.hi)))
        if outside is not False:
            into.faults.append(Fault(outside, f"`{to.name}` leaves {to.lo}..{to.hi}", statement.place))
        new = self.a.narrow(new, to.lo, to.hi)
        if isinstance(index, int):
            cells[to.offset + int(index)] = new
            return
        for i in self._places(index, to.size):
            here = self.a.compare("==", index, i)
            cells[to.offset + i] = self.a.pick(here, new, cells[to.offset + i])

    def _fitted(self, what: str, local: Local, value: Sym, path: Truth, into: Gathered, place: Place) -> Sym:
        outside = conj(path, neg(self.a.within(value, local.lo, local.hi)))
        if outside is not False:
            into.faults.append(Fault(outside, f"{what} {local.lo}..{local.hi}", place))
        return self.a.narrow(value, local.lo, local.hi)

    def _branch(
        self, statement: If, cells: Cells, env: Env, path: Truth, into: Gathered, requires: bool
    ) -> None:
        condition = self.truth(statement.condition, cells, env)
        if isinstance(condition, bool):
            branch = statement.then if condition else statement.other
            self.run(branch, cells, env, path, into, requires)
            return
        then_cells, then_env = list(cells), dict(env)
        self.run(statement.then, then_cells, then_env, conj(path, condition), into, requires)
        self.run(statement.other, cells, env, conj(path, neg(condition)), into, requires)
        self.join(condition, then_cells, cells)
        for number, value in then_env.items():
            env[number] = self.a.pick(condition, value, env[number]) if number in env else value

    def join(self, condition: Truth, yes: Sequence[Sym], into: Cells) -> None:
        """Make each cell of `into` the cell of `yes` if the condition holds."""
        for i, value in enumerate(yes):
            if value is not into[i]:
                into[i] = self.a.pick(condition, value, into[i])


def _sym(value: Truth) -> Sym:
    return int(value) if isinstance(value, bool) else value


def identity(value: Sym) -> object:
    """Return a key that two values share only if they are the same term. The terms must be kept
    alive, because Z3 reuses numbers."""
    if isinstance(value, int):
        return int(value)
    return ("n", value.expr.get_id(), value.lo, value.hi) if isinstance(value, Num) else ("b", value.get_id())


_HOW: dict[str, Callable[[Walker, Op, Sequence[Sym], Env], Sym]] = {
    "and": Walker._logic,
    "or": Walker._logic,
    "not": Walker._not,
    "pick": Walker._choice,
    "abs": Walker._distance,
    **dict.fromkeys(("==", "!=", "<", "<="), Walker._comparison),
    **dict.fromkeys(("+", "-", "*", "//", "%", "min", "max"), Walker._arithmetic),
}
covers("the symbolic reading", _HOW)
