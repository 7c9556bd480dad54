"""A game read on many states at once, plainly: each cell is a column of numbers, each state a row.

What the interpreter does to one state is done here to all rows that are in the same place of a rule. Rows part where a
condition parts them, so nothing is worked out that the interpreter would not work out. A value that leaves its bounds
in any row ends the reading. It shares no code with the generated reading or with the rules language's own vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from playproof.rules.language import CHANCE, Action, Game
from playproof.rules.language.expr import Apply, Const, Local, Lookup, Op, Read, Reduce, Term, covers
from playproof.rules.language.statements import Assign, Finish, If, Invoke, Keep, Loop, Require, Statement
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.reading import Reading

Column: TypeAlias = npt.NDArray[np.int64]
Truths: TypeAlias = npt.NDArray[np.bool_]
Env: TypeAlias = dict[int, Column]
_BITS = 62  # numbers of that size leave no int64
_PHASES_IN_A_ROW = 1_000
_OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "//": np.floor_divide, "%": np.mod, "abs": np.abs,
    "min": np.minimum, "max": np.maximum, "==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal,
    "and": np.logical_and, "or": np.logical_or, "not": np.logical_not,
    "pick": lambda condition, yes, no: np.where(condition != 0, yes, no),
}
covers("the kernel's columns", _OPERATIONS)
_TOGETHER: dict[str, Callable[[Column], Any]] = {
    "sum": lambda x: x.sum(axis=0), "min": lambda x: x.min(axis=0), "max": lambda x: x.max(axis=0),
    "any": lambda x: (x != 0).any(axis=0), "all": lambda x: (x != 0).all(axis=0)}


class Columns:
    """Reads one game. `cells` are states x cells throughout; `rows` say which states are meant, and what is local has
    one value for each of those."""

    def __init__(self, game: Game, extra: Sequence[Term] = ()) -> None:
        self.game = game.seal()
        if Reading(game, False, extra).width > _BITS:
            raise NotShown("numbers are too large for columns of 64 bits")

    # -- terms ----------------------------------------------------------------------------------------------

    def value(self, term: Term, cells: Column, rows: Column, env: Env) -> Column:
        """A term's value in each of the rows."""
        match term:
            case Const():
                return np.full(len(rows), term.value, dtype=np.int64)
            case Local():
                return env[term.number]
            case Read(field=source):
                where = source.offset + self._index(term.index, source.size, cells, rows, env)
                return cells[rows, where].astype(np.int64)
            case Lookup(table=table):
                values = np.array(table.values, dtype=np.int64)
                return values[self._index(term.index, len(values), cells, rows, env)]
            case Apply(function=function):
                bound = {p.number: self.value(a, cells, rows, env)
                         for p, a in zip(function.params, term.args, strict=True)}
                return self.value(function.body, cells, rows, bound)
            case Reduce():
                values = np.stack([self.value(term.body, cells, rows, {**env, term.var.number: _same(i, rows)})
                                   for i in range(term.start, term.stop)])
                return np.asarray(_TOGETHER[term.kind](values), dtype=np.int64)
            case Op():
                args = [self.value(a, cells, rows, env) for a in term.args]
                return np.asarray(_OPERATIONS[term.op](*args), dtype=np.int64)
        raise NotShown(f"unknown term {type(term).__name__}")

    def _index(self, term: Term, size: int, cells: Column, rows: Column, env: Env) -> Column:
        where = self.value(term, cells, rows, env)
        if len(where) and not 0 <= where.min() <= where.max() < size:
            raise NotShown("an index leaves its array")
        return where

    # -- statements -----------------------------------------------------------------------------------------

    def run(self, body: Sequence[Statement], cells: Column, rows: Column, env: Env) -> None:
        """Carry out statements on the rows of `cells`, which change, as does `env`; requirements are not looked at."""
        for statement in body:
            match statement:
                case Assign(field=to, index=index):
                    new = self._fitting(statement.value, to.lo, to.hi, cells, rows, env)
                    cells[rows, to.offset + self._index(index, to.size, cells, rows, env)] = new
                case Keep(local=local, value=value):
                    env[local.number] = self._fitting(value, local.lo, local.hi, cells, rows, env)
                case If():
                    for part, inner in self._sides(statement, cells, rows, env):
                        some = _of(env, part)
                        self.run(inner, cells, rows[part], some)
                        _merge(env, part, some, len(rows))
                case Loop(var=var, start=start, stop=stop, body=inner):
                    for i in range(start, stop):
                        env[var.number] = _same(i, rows)
                        self.run(inner, cells, rows, env)
                case Invoke(procedure=procedure, args=args):
                    bound = {p.number: self._fitting(a, p.lo, p.hi, cells, rows, env)
                             for p, a in zip(procedure.params, args, strict=True)}
                    self.run(procedure.body, cells, rows, bound)
                case Finish(ending=ending):
                    cells[rows, 1] = np.where(cells[rows, 1] == 0, ending, cells[rows, 1])

    def permits(self, head: Sequence[Statement], cells: Column, rows: Column, env: Env) -> Truths:
        """In which rows every requirement is met; behind one that is not, nothing more is looked at."""
        good = np.ones(len(rows), dtype=np.bool_)
        for statement in head:
            part = np.flatnonzero(good)
            here, some = rows[part], _of(env, part)
            match statement:
                case Require(condition=condition):
                    good[part] = self.value(condition, cells, here, some) != 0
                case Keep():
                    self.run((statement,), cells, here, some)
                case If():
                    for side, inner in self._sides(statement, cells, here, some):
                        theirs = _of(some, side)
                        good[part[side]] = self.permits(inner, cells, here[side], theirs)
                        _merge(some, side, theirs, len(here))
                case Loop(var=var, start=start, stop=stop, body=inner):
                    for i in range(start, stop):
                        left = np.flatnonzero(good[part])
                        theirs = {**_of(some, left), var.number: _same(i, left)}
                        good[part[left]] = self.permits(inner, cells, here[left], theirs)
                        _merge(some, left, theirs, len(here))
                case _:  # effects: no requirement stands behind one
                    break
            _merge(env, part, some, len(rows))
        return good

    def _sides(self, statement: If, cells: Column, rows: Column, env: Env
               ) -> list[tuple[Column, Sequence[Statement]]]:
        """Where a branch goes which way; ways that no row goes are left out."""
        holds = self.value(statement.condition, cells, rows, env) != 0
        sides = ((np.flatnonzero(holds), statement.then), (np.flatnonzero(~holds), statement.other))
        return [(part, body) for part, body in sides if len(part)]

    def _fitting(self, term: Term, lo: int, hi: int, cells: Column, rows: Column, env: Env) -> Column:
        new = self.value(term, cells, rows, env)
        if len(new) and not lo <= new.min() <= new.max() <= hi:
            raise NotShown(f"the rules break on the way: a value leaves {lo}..{hi}")
        return new

    # -- steps ----------------------------------------------------------------------------------------------

    def legal(self, action: Action, ident: int, cells: Column, rows: Column) -> Column:
        """Those of the rows, all of one phase of the action, in which a ground action is legal."""
        phase = self.game.phases[int(cells[rows[0], 0])]
        here = rows[self.permits(action.head, cells, rows, self._bound(action, ident, rows))]
        if action.weight is None or not len(here):
            return here
        never = self.value(phase.actor, cells, here, {}) == CHANCE
        drawn = np.flatnonzero(never)
        never[drawn] = self.weight(action, ident, cells, here[drawn]) <= 0
        return np.asarray(here[~never])

    def weight(self, action: Action, ident: int, cells: Column, rows: Column) -> Column:
        """A chance action's weight in each of the rows (1 for a player's action)."""
        if action.weight is None:
            return _same(1, rows)
        env = self._bound(action, ident, rows)
        self.run(action.kept, cells, rows, env)
        return self.value(action.weight, cells, rows, env)

    def applied(self, action: Action, ident: int, cells: Column, rows: Column) -> Column:
        """The states behind a legal action and the automatic phases after it."""
        after = cells[rows].astype(np.int64)
        all_rows = np.arange(len(rows))
        self.run(action.body, after, all_rows, self._bound(action, ident, all_rows))
        for _ in range(_PHASES_IN_A_ROW):
            now = np.where(after[:, 1] == 0, after[:, 0], -1)
            due = [p for p in self.game.phases if p.automatic and (now == p.number).any()]
            if not due:
                return after
            for phase in due:
                self.run(phase.body or (), after, np.flatnonzero(now == phase.number), {})
        raise NotShown(f"more than {_PHASES_IN_A_ROW:,} automatic phases in a row")

    def _bound(self, action: Action, ident: int, rows: Column) -> Env:
        return {p.local.number: _same(v, rows) for p, v in zip(action.params, action.values(ident), strict=True)}


def _same(value: int, rows: Column) -> Column:
    return np.full(len(rows), value, dtype=np.int64)


def _of(env: Env, part: Column) -> Env:
    return {number: values[part] for number, values in env.items()}


def _merge(env: Env, part: Column, some: Env, count: int) -> None:
    """What was kept for a part of the rows, put among the others'."""
    for number, values in some.items():
        whole = env[number].copy() if number in env else np.zeros(count, dtype=np.int64)
        whole[part] = values
        env[number] = whole


__all__ = ["Columns"]
