"""Writes terms and statements as Python source for the compiled reading.

The source is plain Python over a flat state `S`; `playproof.language.machine` turns it into
machine code.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from playproof.language.cells import FEWEST, pattern_of, row_of
from playproof.language.errors import Place
from playproof.language.expr import (
    Apply,
    Const,
    Function,
    Local,
    Lookup,
    Op,
    Read,
    Reduce,
    Table,
    Term,
    add,
    covers,
)
from playproof.language.fields import Field
from playproof.language.machine.sets import MOST
from playproof.language.traced_statements import (
    Assign,
    Finish,
    If,
    Invoke,
    Keep,
    Loop,
    Procedure,
    Require,
    Statement,
    walk,
)
from playproof.language.walks import conjuncts, nodes

# How each operator is written; `abs`, `min` and `max` are Python's own.
_WRITTEN = {
    **{op: f"({{0}} {op} {{1}})" for op in ("+", "-", "*", "//", "%", "==", "!=", "<", "<=", "and", "or")},
    "not": "(not {0})",
    "pick": "({1} if {0} else {2})",
    "min": "min({0}, {1})",
    "max": "max({0}, {1})",
    "abs": "abs({0})",
}
covers("generated source", _WRITTEN)
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1
_PLANES = 3  # bits of a cell that may be kept as planes
_SUMS = {"+", "-", "*", "//", "%"}

# Truth is 0 or 1, so bitwise operators say the same; where the right side is cheap they save a
# branch.
_LOGIC = {"and": "&", "or": "|"}


@dataclass
class Source:
    """Collects generated functions; `lines` is the module text so far, helpers before their users.

    `checked` source refuses a value outside its bounds with the interpreter's error; `written`
    holds the sentences and places of these checks. Machine code omits the checks and relies on the
    verifier's proof. `exact` source converts each cell to a Python integer, which is unbounded;
    numpy's integers have 64 bits. `planes` holds the numbers of the fields that are kept as planes
    (playproof.language.machine.sets); `rows` collects the fields whose cells are compared at
    once.
    """

    checked: bool = False
    exact: bool = False
    planes: frozenset[int] = frozenset()
    rows: set[int] = field(default_factory=set)
    lines: list[str] = field(default_factory=list)
    written: list[tuple[str, str, int, int]] = field(default_factory=list)
    _tables: set[int] = field(default_factory=set)
    _functions: set[int] = field(default_factory=set)
    _procedures: set[int] = field(default_factory=set)
    _reductions: int = 0
    fits: bool = True

    def endless(self) -> list[str]:
        """Return the lines that run if automatic phases do not end. Unchecked code stops the game
        in a state in which nobody can act."""
        return ["_endless(S)"] if self.checked else []

    # -- functions ------------------------------------------------------------------------------------------

    def function(self, name: str, params: Iterable[str], body: Sequence[str]) -> None:
        """Add `def name(params)`; an empty body is `pass`."""
        self.lines += [
            "",
            "",
            f"def {name}({', '.join(params)}):",
            *(f"    {line}" for line in body or ["pass"]),
        ]

    def table(self, table: Table) -> str:
        """The module-level name of a constant table."""
        name = f"T{table.number}"
        if table.number not in self._tables:
            self._tables.add(table.number)
            self.lines += ["", f"{name} = _table({list(table.values)})  # {table.name}"]
        return name

    def derived(self, made: Function) -> str:
        """The generated function of a derived quantity."""
        name = f"f{made.number}_{_identifier(made.name)}"
        if made.number not in self._functions:
            self._functions.add(made.number)
            value = self.term(made.body)
            self.function(name, ["S", *map(local_name, made.params)], [f"return {value}"])
        return name

    def procedure(self, made: Procedure) -> str:
        """The generated function of a procedure."""
        name = f"p{made.number}_{_identifier(made.name)}"
        if made.number not in self._procedures:
            self._procedures.add(made.number)
            self.function(name, ["S", *map(local_name, made.params)], self.effects(made.body))
        return name

    # -- terms ----------------------------------------------------------------------------------------------

    def term(self, term: Term) -> str:
        """Return a term as an expression over `S` and locals. Set `fits` to False if the term may
        leave 64 bits."""
        if term.lo < _LEAST or term.hi > _MOST:
            self.fits = False
        match term:
            case Const():
                return str(term.value)
            case Local():
                return local_name(term)
            case Read() if term.field.number in self.planes:
                return _above(f"held({self._planes(term.field)}, {self.integer(term.index)})", term.field.lo)
            case Read():
                cell = f"S[{self._cell(term.field.offset, term.index)}]"
                return f"int({cell})" if self.exact else cell
            case Lookup():
                return f"{self.table(term.table)}[{self.integer(term.index)}]"
            case Apply():
                args = ", ".join(["S", *(self.term(a) for a in term.args)])
                return f"{self.derived(term.function)}({args})"
            case Reduce():
                return self._reduce(term)
            case Op():
                return self._operation(term)
        raise TypeError(f"unknown term {term!r}")

    def _cell(self, offset: int, index: Term) -> str:
        if isinstance(index, Const):
            return str(offset + index.value)
        return f"{offset} + {self.integer(index)}" if offset else self.integer(index)

    def integer(self, term: Term) -> str:
        """Return a term as an integer expression. Truths are converted: in plain Python a truth may
        be numpy's, and the sum of two of these is a truth."""
        truth = term.lo >= 0 and term.hi <= 1 and not isinstance(term, Const | Read | Lookup)
        return f"int({self.term(term)})" if truth else self.term(term)

    def _operation(self, term: Op) -> str:
        if (pattern := self._pattern(term)) is not None:
            return pattern
        written = self.integer if term.op in _SUMS else self.term
        args = [written(a) for a in term.args]
        if term.op in _LOGIC:
            second = term.args[1]
            # Both sides of `&` are evaluated: a branch less pays for a cheap second side.
            if _cheap(second, 12) or self._pattern(second) is not None:
                return f"({args[0]} {_LOGIC[term.op]} {args[1]})"
        return _WRITTEN[term.op].format(*args)

    def _pattern(self, term: Term) -> str | None:
        """Return an expression that compares all cells of a small field at once, if a conjunction
        wants one value in several of them; else None."""
        if not (self.at_once and isinstance(term, Op) and term.op == "and"):
            return None
        pattern = pattern_of(tuple(conjuncts(term)))
        if pattern is None or pattern.field.size > MOST:
            return None
        wanted = sum(1 << cell for cell in pattern.cells)
        held = self._equal(pattern.field, Const(0), pattern.field.size, pattern.value)
        rest = [self.term(part) for part in pattern.rest]
        conditions = " & ".join([f"(({held} & {wanted}) == {wanted})", *rest])
        return f"({conditions})"

    @property
    def at_once(self) -> bool:
        """Whether the source compares cells all at once. Machine code needs one instruction for
        that; plain Python needs a loop."""
        return not (self.checked or self.exact)

    def places(self, condition: Term, var: Local, start: int, stop: int) -> str | None:
        """Return the set of the variable's values, counted from `start`, for which a condition on
        one row of cells holds. Return None for any other condition."""
        row = row_of(condition, var) if self.at_once and stop - start <= MOST else None
        if row is None:
            return None
        held = self._equal(row.field, add(row.first, Const(start)), stop - start, row.value)
        return f"({held} ^ {(1 << (stop - start)) - 1})" if row.apart else held

    def _equal(self, field: Field, first: Term, count: int, value: Term) -> str:
        """Return the set of the `count` cells of a field that hold a value."""
        self.rows.add(field.number)
        if field.number not in self.planes:
            return f"equals(S, {self._cell(field.offset, first)}, {count}, {self.integer(value)})"
        wanted = self.integer(value)
        holders = f"alike({self._planes(field)}, {field.size}, {_above(wanted, -field.lo)})"
        if value.lo < field.lo or value.hi >= field.lo + (
            1 << field.bits
        ):  # planes see the lowest bits alone
            holders = f"({holders} if {field.lo} <= {wanted} <= {field.hi} else 0)"
        if isinstance(first, Const) and first.value == 0 and count == field.size:
            return holders
        return f"(({holders} >> {self.integer(first)}) & {(1 << count) - 1})"

    @staticmethod
    def _planes(field: Field) -> str:
        return f"S, {field.offset}, {field.bits}"

    def _reduce_at_once(self, term: Reduce) -> str | None:
        """Return a reduction over a row of cells without a loop, or None if there is no such
        form."""
        if term.kind == "min":
            return self._least(term)
        places = self.places(term.body, term.var, term.start, term.stop)
        everything = (1 << (term.stop - term.start)) - 1
        if places is None or term.kind not in ("sum", "any", "all"):
            return None
        return {"sum": f"ones({places})", "any": f"({places} != 0)", "all": f"({places} == {everything})"}[
            term.kind
        ]

    def _least(self, term: Reduce) -> str | None:
        """Return the first place for which a condition holds, or a constant no less than the last
        place; None for any other body."""
        match term.body:
            case Op(op="pick", args=(condition, Local() as var, Const(value=other))):
                fits = term.stop - 1 <= other <= MOST  # `other` is one more bit of the set of places
                if var is not term.var or term.start != 0 or not fits:
                    return None
                places = self.places(condition, var, 0, term.stop)
                return None if places is None else f"lowest({places} | {1 << other})"
        return None

    def _reduce(self, term: Reduce) -> str:
        if (at_once := self._reduce_at_once(term)) is not None:
            return at_once
        free = sorted(term.locals, key=lambda p: p.number)
        body, var = self.term(term.body), local_name(term.var)
        name = f"r{self._reductions}"
        self._reductions += 1
        loop = f"for {var} in range({term.start}, {term.stop}):"
        lines = {
            "sum": ["t = 0", loop, f"    t += {body}", "return t"],
            "any": [loop, f"    if {body}:", "        return 1", "return 0"],
            "all": [loop, f"    if not {body}:", "        return 0", "return 1"],
            "min": [f"t = {term.hi}", loop, f"    t = min(t, {body})", "return t"],
            "max": [f"t = {term.lo}", loop, f"    t = max(t, {body})", "return t"],
        }[term.kind]
        params = ["S", *map(local_name, free)]
        self.function(name, params, lines)
        return f"{name}({', '.join(params)})"

    # -- statements -----------------------------------------------------------------------------------------

    def effects(self, body: Sequence[Statement]) -> list[str]:
        """Return lines that carry out the effects, without requirements."""
        lines: list[str] = []
        for statement in body:
            lines += self._effect(statement)
        return lines

    def _effect(self, statement: Statement) -> list[str]:
        match statement:
            case Assign(to, index, value, place):
                if to.number in self.planes:
                    stored = _above(self.integer(value), -to.lo)
                    return [f"hold({self._planes(to)}, {self.integer(index)}, {stored})"]
                fitted = self._fitted(value, to.lo, to.hi, f"`{to.name}` holds", place)
                return [f"S[{self._cell(to.offset, index)}] = {fitted}"]
            case Keep():
                return [self._keep_line(statement)]
            case If(condition, then, other):
                return self._branch(self.term(condition), self.effects(then), self.effects(other))
            case Loop(var, start, stop, inner):
                body = self.effects(inner)
                return [f"for {local_name(var)} in range({start}, {stop}):", *indented(body)] if body else []
            case Invoke(procedure, args, place):
                fitted_args = [
                    self._fitted(a, p.lo, p.hi, procedure.takes(p), place)
                    for a, p in zip(args, procedure.params, strict=True)
                ]
                return [f"{self.procedure(procedure)}({', '.join(['S', *fitted_args])})"]
            case Finish(ending, _):
                return ["if S[1] == 0:", f"    S[1] = {ending}"]
        return []

    def _keep_line(self, statement: Keep) -> str:
        local = statement.local
        fitted = self._fitted(statement.value, local.lo, local.hi, f"`{local.name}` holds", statement.place)
        return f"{local_name(local)} = {fitted}"

    def _fitted(self, value: Term, lo: int, hi: int, what: str, place: Place) -> str:
        if not self.checked or (value.lo >= lo and value.hi <= hi):
            return self.term(value)
        self.written.append((what, place.file, place.line, place.column))
        return f"_fit({self.term(value)}, {lo}, {hi}, {len(self.written) - 1})"

    @staticmethod
    def _branch(condition: str, then: list[str], other: list[str]) -> list[str]:
        if then and other:
            return [f"if {condition}:", *indented(then), "else:", *indented(other)]
        if then:
            return [f"if {condition}:", *indented(then)]
        return [f"if not {condition}:", *indented(other)] if other else []

    def permits(self, body: Sequence[Statement]) -> list[str]:
        """Return the lines of a function that returns 1 if all requirements hold and 0 otherwise.

        Plain requirements become one expression, which compiles without branches.
        """
        plain = plain_conditions(body)
        if plain is None:
            return [*self.guard(body), "return 1"]
        return [f"return 1 if {' and '.join(map(self.term, plain))} else 0"] if plain else ["return 1"]

    def guard(self, body: Sequence[Statement]) -> list[str]:
        """Return lines that return 0 if a requirement fails and otherwise run on."""
        lines: list[str] = []
        last = 0
        for statement in body:
            match statement:
                case Require(condition, _, _, _, _):
                    lines += [f"if not {self.term(condition)}:", "    return 0"]
                    last = len(lines)
                case Keep():
                    lines.append(self._keep_line(statement))
                case If(condition, then, other):
                    lines += self._branch(self.term(condition), self.guard(then), self.guard(other))
                    last = len(lines)
                case Loop(var, start, stop, inner):
                    checks = self.guard(inner)
                    if checks:
                        lines += [f"for {local_name(var)} in range({start}, {stop}):", *indented(checks)]
                        last = len(lines)
                case _:
                    break
        return lines[:last]


def plain_conditions(body: Sequence[Statement]) -> list[Term] | None:
    """Return the requirements of a body if they all come first and no value is kept among them,
    else None."""
    plain = []
    for statement in body:
        if isinstance(statement, Require):
            plain.append(statement.condition)
        elif any(isinstance(inner, Require) for inner in walk((statement,))) or isinstance(statement, Keep):
            return None
        else:
            break
    return plain


def _above(number: str, least: int) -> str:
    return f"({number} + {least})" if least else number


def in_planes(held: Field) -> bool:
    """Return whether a field can be kept as planes: it has few bits per cell, at least `FEWEST`
    cells and at most `MOST`."""
    return FEWEST <= held.size <= MOST and 1 <= held.bits <= _PLANES


def local_name(local: Local) -> str:
    """A local's name in generated source: unique, so nested bodies never clash."""
    return f"{_identifier(local.name)}_{local.number}"


def _cheap(term: Term, most: int) -> bool:
    """Return whether a term has at most `most` nodes and calls nothing."""
    sized = enumerate(nodes(term), 1)
    return all(size <= most and not isinstance(node, Reduce | Apply) for size, node in sized)


def _identifier(name: str) -> str:
    letters = [c if c.isascii() and c.isalnum() else "_" for c in name]
    return "".join(letters)


def indented(lines: Iterable[str]) -> list[str]:
    """Return lines one level deeper."""
    return [f"    {line}" for line in lines]
