"""A game as formulas: what a small step does to an open state.

A small step is one action with its parameters, or one automatic phase. Numbers are Z3 integers, or
bit-vectors of one width in which no term of the game can overflow. Plain numbers stay plain, so a
state with some known cells gives small formulas. This reading shares no code with the fast one;
tests compare both with the interpreter.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import z3

from playproof.language import Action, Phase, Place
from playproof.language.expr import (
    Apply,
    Const,
    Function,
    Local,
    Lookup,
    Op,
    Read,
    Reduce,
    Term,
    check_operator_coverage,
    get_child_terms,
)
from playproof.language.game import Game
from playproof.language.statements import (
    Assign,
    Finish,
    If,
    Invoke,
    Keep,
    Loop,
    Require,
    Statement,
    iter_statements,
)
from playproof.verifier.kernel.certificate import NotShown

Number: TypeAlias = Any
"""A plain int or a Z3 number."""
Truth: TypeAlias = Any
"""A plain bool or a Z3 formula."""
Cells: TypeAlias = list[Number]
Env: TypeAlias = dict[int, Number]
_SPARE = 3  # bits for a sign, and for differences of two terms that are added
_DEEPEST = 4  # nested cases that a read looks into
_MOST_VALUES = 2_000  # combinations of a row and a column that an index is taken apart into
_LOGICAL = frozenset(("and", "or", "not", "==", "!=", "<", "<="))
_NUMERIC = frozenset(("+", "-", "*", "//", "%", "min", "max", "abs", "pick"))
check_operator_coverage("the kernel's formulas", _LOGICAL | _NUMERIC)


@dataclass(frozen=True)
class Fault:
    """Something that the rules must never do, and the formula that it happens."""

    when: Truth
    message: str
    place: Place


@dataclass(frozen=True)
class _Bounds:
    """What a value must keep to, and what is said if it does not."""

    lo: int
    hi: int
    what: str
    place: Place


@dataclass
class SmallStep:
    """A small step from a state: whether it is legal, the cells after it, and the faults that may
    happen."""

    name: str
    legal: Truth
    after: Cells
    faults: list[Fault]

    @property
    def sound(self) -> Truth:
        """The formula that the step is legal and has no fault."""
        return conj([self.legal, *(neg(f.when) for f in self.faults)])


@dataclass
class _StepNotes:
    """The guards and faults that a run collects."""

    guards: list[Truth] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


_Run: TypeAlias = Callable[[Sequence[Statement], Cells, Env, Truth, _StepNotes], None]


# -- truths -----------------------------------------------------------------------------------------------------


def conj(parts: Iterable[Truth]) -> Truth:
    """Return the conjunction of the parts."""
    some = [p for p in parts if p is not True]
    if any(p is False for p in some):
        return False
    return _join_truths(z3.And, np.logical_and, some) if some else True


def disj(parts: Iterable[Truth]) -> Truth:
    """Return the disjunction of the parts."""
    some = [p for p in parts if p is not False]
    if any(p is True for p in some):
        return True
    return _join_truths(z3.Or, np.logical_or, some) if some else False


def _join_truths(formula: Callable[..., Truth], columns: Any, parts: Sequence[Truth]) -> Truth:
    if len(parts) == 1:
        return parts[0]
    return columns.reduce(parts) if isinstance(parts[0], np.ndarray) else formula(*parts)


def neg(part: Truth) -> Truth:
    """Return the negation."""
    if isinstance(part, bool):
        return not part
    return ~part if isinstance(part, np.ndarray) else z3.Not(part)


# -- the reading --------------------------------------------------------------------------------------------------


class Reading:
    """Reads one game. `extra` are further terms (of claims) to be read, so that the width of the
    bit-vectors fits them too. A term that does not fit is refused, because its value would
    overflow."""

    def __init__(self, game: Game, integers: bool, extra: Sequence[Term] = ()) -> None:
        self.game, self.integers = game.seal(), integers
        self.fields = [f for f in game.fields for _ in range(f.size)]
        self.width = 0 if integers else _compute_bit_width(game, extra)
        self.most = (1 << self.width >> _SPARE) - 1
        self.automatic = [p.number for p in game.phases if p.automatic]
        self._made: dict[tuple[object, ...], tuple[Number, object]] = {}
        """Formulas by what they are made of, which stands beside them: Z3 gives identities away again."""

    # -- open values ----------------------------------------------------------------------------------------

    def make_state(self, tag: str = "s") -> Cells:
        """Return an open state: a variable for each cell that has more than one value."""
        return [self.make_variable(f"{tag}{n}", f.lo, f.hi) for n, f in enumerate(self.fields)]

    def build_bounds_formula(self, cells: Sequence[Number]) -> Truth:
        """Return the formula that every cell lies within its field's bounds."""
        return conj(self.build_range_formula(c, f.lo, f.hi) for c, f in zip(cells, self.fields, strict=True))

    def make_variable(self, name: str, lo: int, hi: int) -> Number:
        """Return an open number; the caller must state its bounds with `build_range_formula`."""
        if lo == hi:
            return lo
        if self.integers:
            return z3.Int(name)
        if lo < 0:
            return z3.BitVec(name, self.width)
        bits = max(1, hi.bit_length())
        return z3.ZeroExt(self.width - bits, z3.BitVec(name, bits))

    def make_constant(self, value: int) -> Number:
        """Return a plain number as a Z3 number."""
        return z3.IntVal(value) if self.integers else z3.BitVecVal(value, self.width)

    def build_range_formula(self, value: Number, lo: int, hi: int) -> Truth:
        """Return the formula lo <= value <= hi."""
        return conj([self.compare("<=", lo, value), self.compare("<=", value, hi)])

    # -- terms ----------------------------------------------------------------------------------------------

    def read_number(self, term: Term, cells: Sequence[Number], env: Env) -> Number:
        """Return a term's value; truths count as 0 and 1. Raises NotShown if the term does not fit
        the width."""
        if self.width and not -self.most <= term.lo <= term.hi <= self.most:
            raise NotShown("a number is too large for the bits in which the game is read")
        match term:
            case Const():
                return term.value
            case Local():
                return env[term.number]
            case Read(field=source):
                return self._read_at(term.index, lambda i: cells[source.offset + i], source.size, cells, env)
            case Lookup(table=table):
                return self._read_at(term.index, table.values.__getitem__, len(table.values), cells, env)
            case Apply():
                return self._apply_function(
                    term.function, [self.read_number(x, cells, env) for x in term.args], cells
                )
            case Reduce(kind="sum" | "min" | "max"):
                return self._read_reduction(term, cells, env)
            case Op(op="pick"):
                return self._read_pick(term, cells, env)
            case Op(op="abs"):
                return self._read_abs(term, cells, env)
            case Op(op="//" | "%", args=(dividend, divisor)):
                a, b = self.read_number(dividend, cells, env), self.read_number(divisor, cells, env)
                return self.divide(term.op, a, b, dividend.lo)
            case Op(op="+" | "-" | "*" | "min" | "max"):
                a, b = (self.read_number(x, cells, env) for x in term.args)
                return self.combine(term.op, a, b)
        return self.pick(self.read_truth(term, cells, env), 1, 0)

    def read_truth(self, term: Term, cells: Sequence[Number], env: Env) -> Truth:
        """Return the formula that a term is not 0."""
        match term:
            case Op(op="and"):
                return conj(self.read_truth(x, cells, env) for x in term.args)
            case Op(op="or"):
                return disj(self.read_truth(x, cells, env) for x in term.args)
            case Op(op="not"):
                return neg(self.read_truth(term.args[0], cells, env))
            case Op(op="pick"):
                condition, yes, no = (self.read_truth(x, cells, env) for x in term.args)
                return disj([conj([condition, yes]), conj([neg(condition), no])])
            case Op(op="==" | "!=" | "<" | "<="):
                a, b = (self.read_number(x, cells, env) for x in term.args)
                return self.compare(term.op, a, b)
            case Reduce(kind="any"):
                return disj(self.read_truth(term.body, cells, inner) for inner in _iter_locals(term, env))
            case Reduce(kind="all"):
                return conj(self.read_truth(term.body, cells, inner) for inner in _iter_locals(term, env))
        return self.compare("!=", self.read_number(term, cells, env), 0)

    def _read_pick(self, term: Op, cells: Sequence[Number], env: Env) -> Number:
        """`pick(c, a, b)` is a where c holds, else b. A side that a plain condition rules out is not read."""
        condition = self.read_truth(term.args[0], cells, env)
        if isinstance(condition, bool):
            return self.read_number(term.args[1 if condition else 2], cells, env)
        yes, no = (self.read_number(x, cells, env) for x in term.args[1:])
        return self.pick(condition, yes, no)

    def _read_abs(self, term: Op, cells: Sequence[Number], env: Env) -> Number:
        """`abs(a)` is 0 - a where a < 0, else a."""
        a = self.read_number(term.args[0], cells, env)
        return self.pick(self.compare("<", a, 0), self.combine("-", 0, a), a)

    def _read_reduction(self, term: Reduce, cells: Sequence[Number], env: Env) -> Number:
        """The body's values for all turns, joined from left to right."""
        op = "+" if term.kind == "sum" else term.kind
        first, *others = [self.read_number(term.body, cells, inner) for inner in _iter_locals(term, env)]
        for value in others:
            first = self.combine(op, first, value)
        return first

    def compare(self, op: str, a: Number, b: Number) -> Truth:
        """Return the formula `a op b`, for == != < <=."""
        if op == "!=":
            return neg(self.compare("==", a, b))
        if isinstance(a, int) and isinstance(b, int):
            return {"==": a == b, "<": a < b, "<=": a <= b}[op]
        if isinstance(a, int):  # Z3 wants its own number on the left
            a = self.make_constant(a)
        match op:
            case "==":
                return a == b
            case "<":
                return a < b
            case "<=":
                return a <= b
        raise ValueError(f"no comparison `{op}`")

    def pick(self, condition: Truth, yes: Number, no: Number) -> Number:
        """Return `yes` if the condition holds, else `no`."""
        if isinstance(condition, bool):
            return yes if condition else no
        if is_same(yes, no):
            return yes
        return z3.If(condition, self.lift_number(yes), self.lift_number(no))

    def lift_number(self, value: Number) -> Number:
        """Return a number as a Z3 number, also if it is plain."""
        return self.make_constant(value) if isinstance(value, int) else value

    def combine(self, op: str, a: Number, b: Number) -> Number:
        """Return `a op b`, for + - * min max."""
        if op == "+":
            return b if is_same(a, 0) else a if is_same(b, 0) else a + b
        if op == "-":
            return a if is_same(b, 0) else a - b
        if op == "*":
            return 0 if is_same(a, 0) or is_same(b, 0) else a * b
        return self.pick(self.compare("<=", a, b), *((a, b) if op == "min" else (b, a)))

    def divide(self, op: str, a: Number, b: int, least_dividend: int) -> Number:
        """Return // or % by a plain positive number, rounding down. `lo` is the least value of
        `a`."""
        if isinstance(a, int):
            return a // b if op == "//" else a % b
        if self.integers:  # Z3 rounds down for a positive divisor, and its remainder is never negative
            return a / b if op == "//" else a % b
        up = max(0, -(least_dividend // b))  # unsigned division: shift up by a multiple of b, then back
        divisor = self.make_constant(b)
        moved = a + self.make_constant(up * b)
        return z3.UDiv(moved, divisor) - up if op == "//" else z3.URem(moved, divisor)

    # -- places ---------------------------------------------------------------------------------------------

    def _read_at(
        self, index: Term, get_value: Callable[[int], Number], size: int, cells: Sequence[Number], env: Env
    ) -> Number:
        where = self.read_number(index, cells, env)
        if isinstance(where, int):
            return get_value(where)
        places = self._list_possible_places(index, size, cells, env)
        values = [get_value(i) for i in places]
        if all(isinstance(value, int) for value in values):
            return self._look_up_constant(where, places, values)
        return self._choose_by_case(where, places, values, _DEEPEST)

    def _look_up_constant(self, index: Number, places: Sequence[int], values: Sequence[Number]) -> Number:
        """Return the plain number at a place. Rules look the same up again and again, so the formula is kept."""
        key = get_identity_key(index), tuple(places), tuple(values)
        if key not in self._made:
            self._made[key] = self._choose_by_halves(index, places, values), index
        return self._made[key][0]

    def _list_possible_places(self, index: Term, size: int, cells: Sequence[Number], env: Env) -> list[int]:
        """Return the places that an index may mean, in order. An open row and a plain column mean
        the places of that column only."""
        return sorted(
            i
            for i in self._find_values(index, cells, env)
            if max(0, index.lo) <= i <= min(size - 1, index.hi)
        )

    def _find_values(self, term: Term, cells: Sequence[Number], env: Env) -> Collection[int]:
        """Return numbers among which a term's value is: those of its parts, if they are few, else
        its bounds."""
        match term:
            case Op(op="+" | "*", args=(left, right)):
                some, others = self._find_values(left, cells, env), self._find_values(right, cells, env)
                if len(some) * len(others) <= _MOST_VALUES:
                    pairs = product(some, others)
                    return {a + b for a, b in pairs} if term.op == "+" else {a * b for a, b in pairs}
            case Const() | Local() | Read():
                value = self.read_number(term, cells, env)
                if isinstance(value, int):
                    return (value,)
        return range(term.lo, term.hi + 1)

    def _choose_by_case(
        self, where: Number, places: Sequence[int], values: Sequence[Number], depth: int
    ) -> Number:
        """Return the value at a place, as a formula with few cases.

        If all values are choices by one common case, that case is asked first. If all were written
        at one open index (the value at 3 is `If(index == 3, new, old)`), one comparison of the
        place with that index decides; most reads then give the old value.
        """
        cases = [get_if_condition(v) for v in values] if depth and len(values) > 1 else []
        if not cases or any(isinstance(case, int) for case in cases):
            return self._choose_by_halves(where, places, values)
        if all(is_same(cases[0], case) for case in cases):
            new = self._choose_by_case(where, places, [v.arg(1) for v in values], depth - 1)
            return self.pick(
                cases[0], new, self._choose_by_case(where, places, _list_elses(values), depth - 1)
            )
        index = cases[0].arg(0) if z3.is_eq(cases[0]) else 0
        if self._is_written_at_index(index, places, values):
            here = is_same(where, index) or self.compare("==", where, index)
            return self.pick(
                here, values[0].arg(1), self._choose_by_case(where, places, _list_elses(values), depth - 1)
            )
        return self._choose_by_halves(where, places, values)

    def _is_written_at_index(self, index: Number, places: Sequence[int], values: Sequence[Number]) -> bool:
        """Return whether the value at each place is a new one if the index is that place, and the new one is
        the same for all."""
        new = values[0].arg(1)
        for place, value in zip(places, values, strict=True):
            if not is_same(value.arg(0), self.compare("==", index, place)) or not is_same(value.arg(1), new):
                return False
        return True

    def _choose_by_halves(self, where: Number, places: Sequence[int], values: Sequence[Number]) -> Number:
        """Return the value at a place, found by comparing the place with the middle one."""
        if len(places) == 1:
            return values[0]
        half = len(places) // 2
        low = self._choose_by_halves(where, places[:half], values[:half])
        high = self._choose_by_halves(where, places[half:], values[half:])
        if is_same(low, high):
            return low
        return self.pick(self.compare("<", where, places[half]), low, high)

    def _apply_function(self, function: Function, args: Sequence[Number], cells: Sequence[Number]) -> Number:
        """Return a named function's value; the result is kept for the same arguments and cells."""
        read: Cells = []
        for number in function.body.reads:
            source = self.game.fields[number]
            read += [cells[n] for n in range(source.offset, source.offset + source.size)]
        key = (function.number, *map(get_identity_key, args), *map(get_identity_key, read))
        if key not in self._made:
            env = {p.number: x for p, x in zip(function.params, args, strict=True)}
            self._made[key] = (self.read_number(function.body, cells, env), (args, read))
        return self._made[key][0]

    # -- small steps ----------------------------------------------------------------------------------------

    def iter_step_kinds(self) -> Iterator[Action | Phase]:
        """Yield all kinds of small steps: actions, then automatic phases."""
        yield from self.game.actions
        yield from (p for p in self.game.phases if p.automatic)

    def make_parameters(self, part: Action | Phase, tag: str = "p") -> tuple[Number, ...]:
        """Return open parameters for a kind of step; `build_step` states their bounds."""
        some = part.params if isinstance(part, Action) else ()
        return tuple(self.make_variable(f"{tag}{n}", p.low, p.low + p.count - 1) for n, p in enumerate(some))

    def build_step(
        self, part: Action | Phase, state: Sequence[Number], params: Sequence[Number]
    ) -> SmallStep:
        """Return the small step of a kind from a state."""
        cells, met = list(state), _StepNotes()
        if isinstance(part, Action):
            env, rest = self._read_head(part, params, cells, met), part.body[len(part.head) :]
            if any(isinstance(s, Assign | Invoke | Finish) for s in iter_statements(part.head)):
                env, rest = (
                    part.bind_parameters(params),
                    part.body,
                )  # its head has effects, which begin only now
            self._run_statements(rest, cells, env, conj(met.guards), met)
        else:
            met.guards += [self.compare("==", cells[1], 0), self.compare("==", cells[0], part.number)]
            cells[0], cells[1] = part.number, 0
            self._run_statements(part.body or (), cells, {}, conj(met.guards), met)
        legal = conj(met.guards)
        name = part.name if isinstance(part, Action) else f"automatic {part.name}"
        return SmallStep(name, legal, cells, met.faults)

    def build_guards(
        self, action: Action, state: Sequence[Number], params: Sequence[Number]
    ) -> tuple[list[Truth], list[Fault]]:
        """Return all that must hold for an action to be legal, in the order in which it is asked, and the faults
        that may happen when somebody asks."""
        met = _StepNotes()
        self._read_head(action, params, list(state), met)
        return met.guards, met.faults

    def build_legal_formula(self, state: Sequence[Number], ident: int) -> Truth:
        """Return the formula that a ground action is legal."""
        action = self.game.get_action_of_ident(ident)
        return conj(self.build_guards(action, state, action.get_parameter_values(ident))[0])

    def build_parameter_bounds(self, action: Action, params: Sequence[Number]) -> list[Truth]:
        """Return, for each parameter of an action, the formula that it has such a value."""
        pairs = zip(action.params, params, strict=True)
        return [self.build_range_formula(value, p.low, p.low + p.count - 1) for p, value in pairs]

    def read_weight(self, action: Action, state: Sequence[Number], params: Sequence[Number]) -> Number:
        """Return a chance action's weight, or 1 for a player's action."""
        return self._weigh_action(action, state, params, _StepNotes())

    def _weigh_action(
        self, action: Action, state: Sequence[Number], params: Sequence[Number], met: _StepNotes
    ) -> Number:
        """Return the weight, and collect the faults of what is kept for it where the guards hold."""
        if action.weight is None:
            return 1
        env, cells = action.bind_parameters(params), list(state)
        for statement in action.kept:
            self._run_keep(statement, cells, env, conj(met.guards), met)
        return self.read_number(action.weight, state, env)

    def _read_head(self, action: Action, params: Sequence[Number], cells: Cells, met: _StepNotes) -> Env:
        """Collect the guards that decide whether an action is legal, and the faults of asking; make
        the cells those in which its effects begin, and return the locals after its head."""
        met.guards += self.build_parameter_bounds(action, params)
        met.guards.append(self.compare("==", cells[1], 0))
        met.guards.append(disj(self.compare("==", cells[0], n) for n in action.phases))
        cells[1] = 0
        if len(action.phases) == 1:
            cells[0] = action.phases[0]
        env = action.bind_parameters(params)
        self._collect_requirements(action.head, cells, env, True, met)
        if action.weight is not None:  # chance takes only actions of positive weight, and weighs them last
            met.guards.append(self.compare("<", 0, self._weigh_action(action, cells, params, met)))
        return env

    def _collect_requirements(
        self, head: Sequence[Statement], cells: Cells, env: Env, path: Truth, met: _StepNotes
    ) -> None:
        """Collect what a head requires. It is asked before any effect, so the cells stay as they are,
        also where a loop requires something behind an effect. A value is kept only if the
        requirements before it hold."""
        for statement in head:
            match statement:
                case Require(condition=condition):
                    met.guards.append(disj([neg(path), self.read_truth(condition, cells, env)]))
                case Keep():
                    self._run_keep(statement, cells, env, conj([path, *met.guards]), met)
                case If():
                    self._run_branch(statement, cells, env, path, met, self._collect_requirements)
                case Loop(var=var, start=start, stop=stop, body=inner):
                    for i in range(start, stop):
                        env[var.number] = i
                        self._collect_requirements(inner, cells, env, path, met)
                case _:
                    return

    def build_settled_formula(self, cells: Sequence[Number]) -> Truth:
        """Return the formula that somebody is to act or the game is over."""
        due = disj(self.compare("==", cells[0], number) for number in self.automatic)
        return disj([neg(self.compare("==", cells[1], 0)), neg(due)])

    # -- statements -----------------------------------------------------------------------------------------

    def _run_statements(
        self, body: Sequence[Statement], cells: Cells, env: Env, path: Truth, met: _StepNotes
    ) -> None:
        """Run statements; this changes `cells` and `env`. A fault counts only if `path` holds. What
        an action requires was asked before."""
        for statement in body:
            match statement:
                case Keep():
                    self._run_keep(statement, cells, env, path, met)
                case Assign(field=to, value=value, place=place):
                    bounds = _Bounds(to.lo, to.hi, f"`{to.name}` leaves", place)
                    self._run_assignment(
                        statement, self._read_bounded(value, bounds, cells, env, path, met), cells, env
                    )
                case If():
                    self._run_branch(statement, cells, env, path, met, self._run_statements)
                case Loop(var=var, start=start, stop=stop, body=inner):
                    for i in range(start, stop):
                        env[var.number] = i
                        self._run_statements(inner, cells, env, path, met)
                case Invoke(procedure=procedure, args=args, place=place):
                    bound: Env = {}
                    for p, value in zip(procedure.params, args, strict=True):
                        bounds = _Bounds(p.lo, p.hi, procedure.describe_parameter_range(p), place)
                        bound[p.number] = self._read_bounded(value, bounds, cells, env, path, met)
                    self._run_statements(procedure.body, cells, bound, path, met)
                case Finish(ending=ending):
                    cells[1] = self.pick(self.compare("==", cells[1], 0), ending, cells[1])

    def _run_keep(self, statement: Keep, cells: Cells, env: Env, path: Truth, met: _StepNotes) -> None:
        local = statement.local
        bounds = _Bounds(local.lo, local.hi, f"`{local.name}` leaves", statement.place)
        env[local.number] = self._read_bounded(statement.value, bounds, cells, env, path, met)

    def _read_bounded(
        self, term: Term, bounds: _Bounds, cells: Cells, env: Env, path: Truth, met: _StepNotes
    ) -> Number:
        """Return a term's value to go on with, and note that it may leave its bounds where `path` holds. It cannot
        if the term's own bounds are as narrow, since all that it reads is within bounds or at fault already."""
        value = self.read_number(term, cells, env)
        if bounds.lo <= term.lo and term.hi <= bounds.hi:
            return value
        inside = self.build_range_formula(value, bounds.lo, bounds.hi)
        outside = conj([path, neg(inside)])
        if outside is not False:
            met.faults.append(Fault(outside, f"{bounds.what} {bounds.lo}..{bounds.hi}", bounds.place))
        return value if inside is True else self.move_into_bounds(value, bounds.lo, bounds.hi)

    def move_into_bounds(self, value: Number, lo: int, hi: int) -> Number:
        """Return a plain number moved into its bounds. What follows a fault has no meaning, but it
        is read too, and no place that it names may lie outside an array. A formula stays."""
        return min(max(value, lo), hi) if isinstance(value, int) else value

    def _run_assignment(self, statement: Assign, new: Number, cells: Cells, env: Env) -> None:
        to, where = statement.field, self.read_number(statement.index, cells, env)
        if isinstance(where, int):
            cells[to.offset + where] = new
            return
        for i in self._list_possible_places(statement.index, to.size, cells, env):
            cells[to.offset + i] = self.pick(self.compare("==", where, i), new, cells[to.offset + i])

    def simplify_condition(self, condition: Truth) -> Truth:
        """Return a condition, as a plain truth if it is one."""
        return condition

    def _run_branch(
        self, statement: If, cells: Cells, env: Env, path: Truth, met: _StepNotes, run: _Run
    ) -> None:
        condition = self.simplify_condition(self.read_truth(statement.condition, cells, env))
        if isinstance(condition, bool):
            run(statement.then if condition else statement.other, cells, env, path, met)
            return
        yes, then_env = list(cells), dict(env)
        run(statement.then, yes, then_env, conj([path, condition]), met)
        run(statement.other, cells, env, conj([path, neg(condition)]), met)
        for i, value in enumerate(yes):
            if value is not cells[i]:
                cells[i] = self.pick(condition, value, cells[i])
        for number, value in then_env.items():
            if value is not env.get(number):
                env[number] = self.pick(condition, value, env.get(number, value))


def is_same(left: Number, right: Number) -> bool:
    """Return whether two values are the same plain number or the same formula."""
    if isinstance(left, int) or isinstance(right, int):
        return isinstance(left, int) and isinstance(right, int) and left == right
    return left is right or (not isinstance(left, np.ndarray) and bool(left.ast.value == right.ast.value))


def get_if_condition(value: Number) -> Truth:
    """Return the condition of a value that is an if-then-else formula, else 0."""
    return value.arg(0) if not isinstance(value, int) and z3.is_app_of(value, z3.Z3_OP_ITE) else 0


def _list_elses(values: Sequence[Number]) -> list[Number]:
    """Return what each of some if-then-else formulas is if its case fails."""
    return [value.arg(2) for value in values]


def _iter_locals(term: Reduce, env: Env) -> Iterator[Env]:
    """Yield the locals in each turn of a reduction."""
    for i in range(term.start, term.stop):
        yield {**env, term.var.number: i}


def get_identity_key(value: Number) -> object:
    """Return a key that two values share exactly if they are alike, as long as both are kept."""
    return value if isinstance(value, int) else ("z3", value.get_id())


def _compute_bit_width(game: Game, extra: Sequence[Term]) -> int:
    """Return the number of bits in which no term overflows, including a sign and a difference of
    two terms."""
    todo, most, seen = [*extra, *iter_computed_terms(game)], 1, set()
    while todo:
        term = todo.pop()
        if id(term) not in seen:  # the game and `extra` keep every term, and so its id, alive
            seen.add(id(term))
            most = max(most, abs(term.lo), abs(term.hi))
            todo += [*get_child_terms(term), *((term.function.body,) if isinstance(term, Apply) else ())]
    bounds = [abs(b) for f in game.fields for b in (f.lo, f.hi, f.size)]
    return max(most, *bounds, game.ground).bit_length() + _SPARE


def iter_computed_terms(game: Game) -> Iterator[Term]:
    """Yield the terms that the rules compute, and the parameters."""
    yield from (function.body for function in game.functions)
    yield from iter_actor_and_weight_terms(game)
    for action in game.actions:
        yield from (p.local for p in action.params)
    for procedure in game.procedures:
        yield from procedure.params
    for statement in iter_rule_statements(game):
        yield from get_statement_terms(statement)


def iter_actor_and_weight_terms(game: Game) -> Iterator[Term]:
    """Yield the terms that say who acts, and how likely chance is to take an action."""
    yield from (phase.actor for phase in game.phases)
    yield from (action.weight for action in game.actions if action.weight is not None)


def iter_rule_statements(game: Game) -> Iterator[Statement]:
    """Yield all statements of the rules, those inside others too."""
    bodies = [action.body for action in game.actions]
    bodies += [procedure.body for procedure in game.procedures]
    bodies += [phase.body or () for phase in game.phases]
    for body in bodies:
        yield from iter_statements(body)


def get_statement_terms(statement: Statement) -> Sequence[Term]:
    """Return the terms that a statement computes, without those of the statements in it."""
    match statement:
        case Assign(index=index, value=value):
            return index, value
        case Keep(local=local, value=value):
            return local, value
        case If(condition=condition) | Require(condition=condition):
            return (condition,)
        case Invoke(args=args):
            return args
    return ()
