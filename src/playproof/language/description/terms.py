"""Builds the terms of a file, row by row. Each is built by the operator that traces it, so its bounds are
derived; one that tracing would have written otherwise is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from playproof.language.description.parsed import Node
from playproof.language.description.rows import LOOPS, OPERATIONS, DescriptionError
from playproof.language.errors import RulesError
from playproof.language.expr import (
    OPERATORS,
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
    clamp,
    fresh_local,
    truth,
)
from playproof.language.fields import Field

MOST_DEPTH = 180  # as deep as Python reads brackets
MOST_UNFOLDED = 2_000_000  # terms, each counted as often as it is used
MOST_WORK = 20_000_000  # terms that one rule evaluates, with its loops and calls
MOST_BITS = 256
_MOST_HELD = 1_000_000  # fields and locals of all terms: each term keeps those that it reads
_LOGIC = frozenset(("and", "or", "not"))


@dataclass(frozen=True, slots=True)
class Cost:
    """What a term or a block costs: how deep it is, how many terms it has where each is written as often as
    it is used, and how many are evaluated at most."""

    depth: int = 1
    unfolded: int = 1
    work: int = 1


class Locals:
    """The locals of a file. Each is bound in one place: by a rule's parameters, a loop or a kept value."""

    def __init__(self, rows: Sequence[Node]) -> None:
        self.all = [self._local(row) for row in rows]
        self._bound: set[int] = set()

    @staticmethod
    def _local(row: Node) -> Local:
        name, lo, hi = row.items(3, 3)
        low = lo.integer(-(1 << MOST_BITS), 1 << MOST_BITS)
        return fresh_local(name.text(), low, hi.integer(low, 1 << MOST_BITS))

    def named(self, node: Node) -> Local:
        """Return the local that a value names."""
        return self.all[node.integer(0, len(self.all) - 1)]

    def bind(self, node: Node) -> Local:
        """Return the local that is bound here. Refuse one that another place binds."""
        local = self.named(node)
        if local.number in self._bound:
            node.fail(f"the local {node.value} is bound in two places")
        self._bound.add(local.number)
        return local

    def params(self, node: Node) -> tuple[Local, ...]:
        """Return the parameters of a function or procedure."""
        return tuple(self.bind(item) for item in node.items(100))


class Terms:
    """The terms of a file; `all` holds those built so far."""

    def __init__(
        self,
        rows: Sequence[Node],
        fields: Sequence[Field],
        tables: Sequence[Table],
        names: Locals,
        functions: Sequence[Node],
    ) -> None:
        self.fields, self.tables, self.names = fields, tables, names
        self._functions: dict[int, tuple[Function, Cost]] = {}
        self._function_rows = functions
        self._held = 0
        self.all: list[Term] = []
        self.costs: list[Cost] = []
        for row in rows:
            self._add(row)
        self.functions = [self.function(n, row)[0] for n, row in enumerate(functions)]

    def named(self, node: Node) -> Term:
        """Return the term that a value names."""
        return self.all[node.integer(0, len(self.all) - 1)]

    def optional(self, node: Node) -> Term | None:
        """Return the term that a value names, or None for null."""
        return None if node.value is None else self.named(node)

    def cost(self, node: Node) -> Cost:
        """Return the cost of the term that a value names."""
        return self.costs[node.value]

    def function(self, number: int, user: Node) -> tuple[Function, Cost]:
        """Return a function and the cost of its body, which stands above the terms that call it."""
        if number not in self._functions:
            row = self._function_rows[number]
            name, params, value = row.mapping("name", "params", "value")
            if type(value.value) is int and value.value >= len(self.all):
                user.fail(f"the value of function {number} is none of the terms above")
            body, named = self.named(value), self.names.params(params)
            if body.locals - set(named):
                row.fail("the value names a local that is no parameter")
            made = Function(name.text(), number, named, body, row.place)
            self._functions[number] = made, self.cost(value)
        return self._functions[number]

    def _add(self, row: Node) -> None:
        try:
            term, cost = self._built(row)
        except DescriptionError:
            raise
        except RulesError as error:
            row.fail(error.message)
        if max(abs(term.lo), abs(term.hi)).bit_length() > MOST_BITS:
            row.fail(f"its bounds have more than {MOST_BITS} bits")
        self._held += len(term.reads) + len(term.locals)
        if self._held > _MOST_HELD:
            row.fail(f"the terms read more than {_MOST_HELD:,} fields and locals, each counted for each term")
        if cost.depth > MOST_DEPTH:
            row.fail(f"expected at most {MOST_DEPTH} terms inside each other")
        if cost.unfolded > MOST_UNFOLDED or cost.work > MOST_WORK:
            row.fail(f"it stands for {max(cost.unfolded, cost.work):,} terms, which is too many")
        self.all.append(term)
        self.costs.append(cost)

    def _built(self, row: Node) -> tuple[Term, Cost]:
        if type(row.value) is int:
            return Const(row.value), Cost()
        kind, *parts = row.items(102, 2)
        word = kind.word(("local", "read", "lookup", "call", *OPERATIONS, *LOOPS))
        takes = len(parts) if word == "call" else {"local": 1, **OPERATIONS}.get(word, 2)
        if len(parts) != takes:
            row.fail(f"expected {takes} value(s) after `{word}`, found {len(parts)}")
        if word == "local":
            return self.names.named(parts[0]), Cost()
        if word == "call":
            return self._call(row, parts)
        if word in ("read", "lookup"):
            return self._cell(word, *parts)
        return self._operation(row, word, parts) if word in OPERATIONS else self._loop(word, *parts)

    def _cell(self, kind: str, source: Node, at: Node) -> tuple[Term, Cost]:
        index, cost = self.named(at), self.cost(at)
        if kind == "read":
            field = self.fields[source.integer(0, len(self.fields) - 1)]
            size, made = field.size, Read(field, index, 0)
        else:
            table = self.tables[source.integer(0, len(self.tables) - 1)]
            if isinstance(index, Const):
                at.fail("a value of a table at a plain place is a plain number")
            size, made = len(table.values), Lookup(table, index)  # type: ignore[assignment]
        check_index(at, index, size)
        return made, Cost(cost.depth + 1 + _is_truth(index), cost.unfolded + 1, cost.work + 1)

    def _call(self, row: Node, parts: Sequence[Node]) -> tuple[Term, Cost]:
        number = parts[0].integer(0, len(self._function_rows) - 1)
        function, body = self.function(number, row)
        args = tuple(map(self.named, parts[1:]))
        if len(args) != len(function.params):
            row.fail(f"`{function.name}` takes {len(function.params)} argument(s), {len(args)} given")
        for node, arg, param in zip(parts[1:], args, function.params, strict=True):
            if clamp(arg, param.lo, param.hi) is not arg:
                node.fail(f"its value {arg.lo}..{arg.hi} may lie outside {param.lo}..{param.hi}")
        cost = self._together(parts[1:])
        return Apply(function, args, 0), Cost(cost.depth, cost.unfolded, cost.work + body.work)

    def _operation(self, row: Node, op: str, parts: Sequence[Node]) -> tuple[Term, Cost]:
        args = tuple(map(self.named, parts))
        made = OPERATORS[op](*args)
        before = made.args if isinstance(made, Op) and made.op == op else ()
        if len(before) != len(args) or any(a is not b for a, b in zip(before, args, strict=True)):
            row.fail("its bounds decide it, or it is written in a simpler way")
        cost = self._together(parts)
        spare = op not in _LOGIC and any(map(_is_truth, args))  # a truth among numbers is written `int(...)`
        return made, Cost(cost.depth + spare, cost.unfolded, cost.work)

    def _loop(self, kind: str, over: Node, what: Node) -> tuple[Term, Cost]:
        var, body, cost = self.names.bind(over), self.named(what), self.cost(what)
        if kind in ("any", "all") and truth(body) is not body:
            what.fail("expected a truth value")
        passes = var.hi - var.lo + 1
        made = Reduce(kind.removesuffix(" of"), var, var.lo, var.hi + 1, body)
        return made, Cost(1 + cost.depth, cost.unfolded + 1, max(2, passes) * cost.work + 1)

    def _together(self, parts: Sequence[Node]) -> Cost:
        costs = [self.cost(part) for part in parts]
        return Cost(
            1 + max((c.depth for c in costs), default=0),
            1 + sum(c.unfolded for c in costs),
            1 + sum(c.work for c in costs),
        )


def _is_truth(term: Term) -> bool:
    return term.lo >= 0 and term.hi <= 1 and not isinstance(term, Const | Read | Lookup)


def check_index(node: Node, index: Term, size: int) -> None:
    """Refuse an index that may lie outside an array."""
    if index.lo < 0 or index.hi >= size:
        node.fail(f"the index {index.lo}..{index.hi} may lie outside 0..{size - 1}")


def check_closed(node: Node, term: Term, scope: frozenset[Local] | set[Local]) -> Term:
    """Return a term. Refuse it if it names a local that has no value here."""
    for local in sorted(term.locals - scope, key=lambda p: p.number):
        node.fail(f"`{local.name}` has no value here")
    return term
