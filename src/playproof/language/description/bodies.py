"""Builds the statements of a file: for each rule the blocks that it runs, with what is in scope in each."""

from __future__ import annotations

from collections.abc import Sequence
from string import Formatter

from playproof.language.checks import check_fits, check_sentence
from playproof.language.description.parsed import Node
from playproof.language.description.rows import DescriptionError
from playproof.language.description.terms import (
    MOST_UNFOLDED,
    MOST_WORK,
    Cost,
    Locals,
    Terms,
    check_closed,
    check_index,
)
from playproof.language.errors import RulesError
from playproof.language.expr import Const, Local, Term, truth
from playproof.language.fields import Field
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
    written_by,
)

MOST_BLOCKS_INSIDE = 80  # as deep as Python reads indented lines
_MOST_LOOPS_INSIDE = 15  # and loops
_OUTCOME = 1  # the number of the field that says how the game ended


class Bodies:
    """The blocks of a file. `body` builds what one rule runs; procedures are built when they are first
    called."""

    def __init__(
        self,
        blocks: Sequence[Node],
        procedures: Sequence[Node],
        terms: Terms,
        names: Locals,
        fields: Sequence[Field],
        endings: int,
    ) -> None:
        self.blocks, self.procedure_rows = blocks, procedures
        self.terms, self.names, self.fields, self.endings = terms, names, fields, endings
        self.unfolded = 0  # terms and statements of all rules, as often as they are used
        self._procedures: dict[int, tuple[Procedure, Cost]] = {}
        self.procedures = [self.procedure(n, row, len(blocks))[0] for n, row in enumerate(procedures)]

    def procedure(self, number: int, user: Node, below: int) -> tuple[Procedure, Cost]:
        """Return a procedure with its cost. Its block must stand above block `below`, which calls it."""
        if number not in self._procedures:
            name, params, does = self.procedure_rows[number].mapping("name", "params", "does")
            if type(does.value) is int and does.value >= below:
                user.fail(f"the block of procedure {number} is none of the blocks above")
            named = self.names.params(params)
            body, cost = self.body(does, named)
            made = Procedure(name.text(), number, named, body, written_by(body))
            self._procedures[number] = made, cost
        return self._procedures[number]

    def body(
        self, node: Node, params: Sequence[Local] = (), *, refusable: bool = False
    ) -> tuple[tuple[Statement, ...], Cost]:
        """Return the statements of a rule with their cost. Only those of an action are `refusable`."""
        rule = _Rule(self, refusable=refusable)
        body, cost = rule.block(node, set(params), 0, 0)
        if cost.work > MOST_WORK:
            node.fail(f"it does {cost.work:,} steps, which is too many")
        return body, cost

    def spend(self, node: Node, unfolded: int) -> None:
        """Count what a rule holds. Refuse a file that holds too much."""
        self.unfolded += unfolded
        if self.unfolded > MOST_UNFOLDED:
            node.fail(f"the rules hold more than {MOST_UNFOLDED:,} terms, as often as they are used")


class _Rule:
    """One walk over the blocks of a rule."""

    def __init__(self, bodies: Bodies, *, refusable: bool) -> None:
        self.of, self.terms, self.refusable = bodies, bodies.terms, refusable
        self._effects_begun = False

    def block(
        self, node: Node, scope: set[Local], inside: int, loops: int
    ) -> tuple[tuple[Statement, ...], Cost]:
        """Return the statements of a block; `scope` holds the locals that have a value when it begins."""
        number = node.integer(0, len(self.of.blocks) - 1)
        if inside > MOST_BLOCKS_INSIDE or loops > _MOST_LOOPS_INSIDE:
            node.fail(
                f"expected at most {MOST_BLOCKS_INSIDE} blocks and {_MOST_LOOPS_INSIDE} loops in one another"
            )
        row, mine = self.of.blocks[number], set(scope)
        made, work = list[Statement](), 1
        for item in row.items(100_000):
            statement, cost = self._statement(item, mine, number, inside + 1, loops)
            made.append(statement)
            work += cost.work
            self.of.spend(item, cost.unfolded)
        return tuple(made), Cost(work=work)

    def _statement(
        self, item: Node, scope: set[Local], number: int, inside: int, loops: int
    ) -> tuple[Statement, Cost]:
        kind, *parts = item.items(5, 2)
        takes = {"set": 3, "keep": 2, "if": 3, "loop": 2, "require": 4, "finish": 1, "do": 2}
        if len(parts) != takes[kind.word(takes)]:
            item.fail(f"expected {takes[kind.value]} value(s) after `{kind.value}`, found {len(parts)}")
        try:
            match kind.value:
                case "set":
                    return self._set(item, scope, *parts)
                case "keep":
                    return self._keep(item, scope, *parts)
                case "require":
                    return self._require(item, scope, *parts)
                case "finish":
                    self._effects_begun = True
                    return Finish(parts[0].integer(0, self.of.endings - 1) + 1, item.place), Cost()
                case "do":
                    return self._do(item, scope, number, *parts)
                case "loop":
                    return self._loop(scope, number, (inside, loops + 1), *parts)
            return self._if(item, scope, number, (inside, loops), *parts)
        except DescriptionError:
            raise
        except RulesError as error:
            item.fail(error.message)

    def _value(self, node: Node, scope: set[Local]) -> tuple[Term, Cost]:
        return check_closed(node, self.terms.named(node), scope), self.terms.cost(node)

    def _set(self, item: Node, scope: set[Local], to: Node, at: Node, what: Node) -> tuple[Statement, Cost]:
        field = self.of.fields[to.integer(0, len(self.of.fields) - 1)]
        if field.number == _OUTCOME:
            to.fail("how the game ended is not assigned")
        (index, first), (value, second) = self._value(at, scope), self._value(what, scope)
        check_index(at, index, field.size)
        check_fits(f"`{field.name}` holds", field.lo, field.hi, value)
        self._effects_begun = True
        return Assign(field, index, value, item.place), _both(first, second)

    def _keep(self, item: Node, scope: set[Local], name: Node, what: Node) -> tuple[Statement, Cost]:
        value, cost = self._value(what, scope)
        local = self.of.names.named(name)
        if local not in scope:
            self.of.names.bind(name)
        check_fits(f"`{local.name}` holds", local.lo, local.hi, value)
        local.counts = False
        scope.add(local)
        return Keep(local, value, item.place), cost

    def _condition(self, node: Node, scope: set[Local]) -> tuple[Term, Cost]:
        term, cost = self._value(node, scope)
        if truth(term) is not term:
            node.fail("expected a truth value")
        return term, cost

    def _require(
        self, item: Node, scope: set[Local], when: Node, rule: Node, text: Node, args: Node
    ) -> tuple[Statement, Cost]:
        if not self.refusable:
            item.fail("a requirement stands where nothing can be refused")
        if self._effects_begun:
            item.fail("a requirement stands after an effect")
        condition, cost = self._condition(when, scope)
        if isinstance(condition, Const) and condition.value:
            when.fail("it is always met")
        values = [self._value(node, scope) for node in args.items(100)]
        terms = tuple(term for term, _ in values)
        check_sentence(rule.text(), text.text(), terms)
        if any(form for _, _, form, _ in Formatter().parse(text.value)):
            text.fail("a value has no format")
        return Require(condition, rule.value, text.value, terms, item.place), _both(
            cost, *(c for _, c in values)
        )

    def _do(
        self, item: Node, scope: set[Local], number: int, what: Node, args: Node
    ) -> tuple[Statement, Cost]:
        chosen = what.integer(0, len(self.of.procedure_rows) - 1)
        procedure, body = self.of.procedure(chosen, item, number)
        values = [self._value(node, scope) for node in args.items(100)]
        if len(values) != len(procedure.params):
            item.fail(f"`{procedure.name}` takes {len(procedure.params)} argument(s), {len(values)} given")
        for (term, _), param in zip(values, procedure.params, strict=True):
            check_fits(procedure.takes(param), param.lo, param.hi, term)
        self._effects_begun = True
        cost = _both(*(c for _, c in values))
        return Invoke(procedure, tuple(t for t, _ in values), item.place), Cost(
            1, cost.unfolded, cost.work + body.work
        )

    def _loop(
        self, scope: set[Local], number: int, deep: tuple[int, int], over: Node, does: Node
    ) -> tuple[Statement, Cost]:
        var = self.of.names.bind(over)
        self._above(does, number)
        body, cost = self.block(does, scope | {var}, *deep)
        passes = var.hi - var.lo + 1
        return Loop(var, var.lo, var.hi + 1, body), Cost(work=max(2, passes) * cost.work)

    def _if(
        self,
        item: Node,
        scope: set[Local],
        number: int,
        deep: tuple[int, int],
        when: Node,
        then: Node,
        other: Node,
    ) -> tuple[Statement, Cost]:
        condition, cost = self._condition(when, scope)
        self._above(then, number)
        self._above(other, number)
        if isinstance(condition, Const):
            when.fail("it is decided already")
        yes, first = self.block(then, scope, *deep)
        no, second = self.block(other, scope, *deep)
        return If(condition, yes, no, item.place), Cost(
            1, cost.unfolded, cost.work + first.work + second.work
        )

    @staticmethod
    def _above(node: Node, number: int) -> None:
        if type(node.value) is int and node.value >= number:
            node.fail(f"block {node.value} is none of the blocks above")


def _both(*costs: Cost) -> Cost:
    return Cost(1, 1 + sum(c.unfolded for c in costs), 1 + sum(c.work for c in costs))
