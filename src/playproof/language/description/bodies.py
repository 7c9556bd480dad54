"""Builds the statements of a file: for each rule the blocks that it runs, with what is in scope in each."""

from __future__ import annotations

from collections.abc import Sequence
from string import Formatter

from playproof.language.checks import check_requirement_sentence, check_within_bounds
from playproof.language.description.parsed import JsonNode
from playproof.language.description.rows import DescriptionError
from playproof.language.description.terms import (
    MOST_UNFOLDED,
    MOST_WORK,
    EvaluationCost,
    LocalTable,
    TermTable,
    check_index_in_range,
    check_no_free_locals,
)
from playproof.language.errors import RulesError
from playproof.language.expr import Const, Local, Term, as_truth_term
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
    find_written_fields,
)

MOST_BLOCKS_INSIDE = 80  # as deep as Python reads indented lines
_MOST_LOOPS_INSIDE = 15  # and loops
_OUTCOME = 1  # the number of the field that says how the game ended


class BodyBuilder:
    """The blocks of a file. `build_rule_body` builds what one rule runs; procedures are built when they are first
    called."""

    def __init__(
        self,
        blocks: Sequence[JsonNode],
        procedures: Sequence[JsonNode],
        terms: TermTable,
        names: LocalTable,
        fields: Sequence[Field],
        endings: int,
    ) -> None:
        self.blocks, self.procedure_rows = blocks, procedures
        self.terms, self.names, self.fields, self.endings = terms, names, fields, endings
        self.unfolded = 0  # terms and statements of all rules, as often as they are used
        self._procedures: dict[int, tuple[Procedure, EvaluationCost]] = {}
        self.procedures = [self.build_procedure(n, row, len(blocks))[0] for n, row in enumerate(procedures)]

    def build_procedure(self, number: int, user: JsonNode, below: int) -> tuple[Procedure, EvaluationCost]:
        """Return a procedure with its cost. Its block must stand above block `below`, which calls it."""
        if number not in self._procedures:
            name, params, does = self.procedure_rows[number].list_mapping_values("name", "params", "does")
            if type(does.value) is int and does.value >= below:
                user.raise_error(f"the block of procedure {number} is none of the blocks above")
            named = self.names.bind_parameters(params)
            body, cost = self.build_rule_body(does, named)
            made = Procedure(name.read_text(), number, named, body, find_written_fields(body))
            self._procedures[number] = made, cost
        return self._procedures[number]

    def build_rule_body(
        self, node: JsonNode, params: Sequence[Local] = (), *, refusable: bool = False
    ) -> tuple[tuple[Statement, ...], EvaluationCost]:
        """Return the statements of a rule with their cost. Only those of an action are `refusable`."""
        rule = _RuleBodyBuilder(self, refusable=refusable)
        body, cost = rule.build_block(node, set(params), 0, 0)
        if cost.work > MOST_WORK:
            node.raise_error(f"it does {cost.work:,} steps, which is too many")
        return body, cost

    def count_unfolded_terms(self, node: JsonNode, unfolded: int) -> None:
        """Count what a rule holds. Refuse a file that holds too much."""
        self.unfolded += unfolded
        if self.unfolded > MOST_UNFOLDED:
            node.raise_error(f"the rules hold more than {MOST_UNFOLDED:,} terms, as often as they are used")


class _RuleBodyBuilder:
    """One walk over the blocks of a rule."""

    def __init__(self, bodies: BodyBuilder, *, refusable: bool) -> None:
        self.of, self.terms, self.refusable = bodies, bodies.terms, refusable
        self._effects_begun = False

    def build_block(
        self, node: JsonNode, scope: set[Local], depth: int, loop_depth: int
    ) -> tuple[tuple[Statement, ...], EvaluationCost]:
        """Return the statements of a block; `scope` holds the locals that have a value when it begins."""
        number = node.read_integer(0, len(self.of.blocks) - 1)
        if depth > MOST_BLOCKS_INSIDE or loop_depth > _MOST_LOOPS_INSIDE:
            node.raise_error(
                f"expected at most {MOST_BLOCKS_INSIDE} blocks and {_MOST_LOOPS_INSIDE} loops in one another"
            )
        row, mine = self.of.blocks[number], set(scope)
        made, work = list[Statement](), 1
        for item in row.list_items(100_000):
            statement, cost = self._build_statement(item, mine, number, depth + 1, loop_depth)
            made.append(statement)
            work += cost.work
            self.of.count_unfolded_terms(item, cost.unfolded)
        return tuple(made), EvaluationCost(work=work)

    def _build_statement(
        self, item: JsonNode, scope: set[Local], number: int, depth: int, loops: int
    ) -> tuple[Statement, EvaluationCost]:
        kind, *parts = item.list_items(5, 2)
        takes = {"set": 3, "keep": 2, "if": 3, "loop": 2, "require": 4, "finish": 1, "do": 2}
        if len(parts) != takes[kind.read_word(takes)]:
            item.raise_error(
                f"expected {takes[kind.value]} value(s) after `{kind.value}`, found {len(parts)}"
            )
        try:
            match kind.value:
                case "set":
                    return self._build_assign(item, scope, *parts)
                case "keep":
                    return self._build_keep(item, scope, *parts)
                case "require":
                    return self._build_require(item, scope, *parts)
                case "finish":
                    self._effects_begun = True
                    return Finish(
                        parts[0].read_integer(0, self.of.endings - 1) + 1, item.place
                    ), EvaluationCost()
                case "do":
                    return self._build_procedure_call(item, scope, number, *parts)
                case "loop":
                    return self._build_loop(scope, number, (depth, loops + 1), *parts)
            return self._build_if(item, scope, number, (depth, loops), *parts)
        except DescriptionError:
            raise
        except RulesError as error:
            item.raise_error(error.message)

    def _resolve_value(self, node: JsonNode, scope: set[Local]) -> tuple[Term, EvaluationCost]:
        return check_no_free_locals(node, self.terms.get_term(node), scope), self.terms.get_cost(node)

    def _build_assign(
        self,
        item: JsonNode,
        scope: set[Local],
        field_node: JsonNode,
        index_node: JsonNode,
        value_node: JsonNode,
    ) -> tuple[Statement, EvaluationCost]:
        field = self.of.fields[field_node.read_integer(0, len(self.of.fields) - 1)]
        if field.number == _OUTCOME:
            field_node.raise_error("how the game ended is not assigned")
        (index, first), (value, second) = (
            self._resolve_value(index_node, scope),
            self._resolve_value(value_node, scope),
        )
        check_index_in_range(index_node, index, field.size)
        check_within_bounds(f"`{field.name}` holds", field.lo, field.hi, value)
        self._effects_begun = True
        return Assign(field, index, value, item.place), _sum_costs(first, second)

    def _build_keep(
        self, item: JsonNode, scope: set[Local], name: JsonNode, value_node: JsonNode
    ) -> tuple[Statement, EvaluationCost]:
        value, cost = self._resolve_value(value_node, scope)
        local = self.of.names.get_local(name)
        if local not in scope:
            self.of.names.bind_local(name)
        check_within_bounds(f"`{local.name}` holds", local.lo, local.hi, value)
        local.counts = False
        scope.add(local)
        return Keep(local, value, item.place), cost

    def _resolve_condition(self, node: JsonNode, scope: set[Local]) -> tuple[Term, EvaluationCost]:
        term, cost = self._resolve_value(node, scope)
        if as_truth_term(term) is not term:
            node.raise_error("expected a truth value")
        return term, cost

    def _build_require(
        self,
        item: JsonNode,
        scope: set[Local],
        when: JsonNode,
        rule: JsonNode,
        text: JsonNode,
        args: JsonNode,
    ) -> tuple[Statement, EvaluationCost]:
        if not self.refusable:
            item.raise_error("a requirement stands where nothing can be refused")
        if self._effects_begun:
            item.raise_error("a requirement stands after an effect")
        condition, cost = self._resolve_condition(when, scope)
        if isinstance(condition, Const) and condition.value:
            when.raise_error("it is always met")
        values = [self._resolve_value(node, scope) for node in args.list_items(100)]
        terms = tuple(term for term, _ in values)
        check_requirement_sentence(rule.read_text(), text.read_text(), terms)
        if any(form for _, _, form, _ in Formatter().parse(text.value)):
            text.raise_error("a value has no format")
        return Require(condition, rule.value, text.value, terms, item.place), _sum_costs(
            cost, *(c for _, c in values)
        )

    def _build_procedure_call(
        self, item: JsonNode, scope: set[Local], number: int, procedure_node: JsonNode, args: JsonNode
    ) -> tuple[Statement, EvaluationCost]:
        chosen = procedure_node.read_integer(0, len(self.of.procedure_rows) - 1)
        procedure, body = self.of.build_procedure(chosen, item, number)
        values = [self._resolve_value(node, scope) for node in args.list_items(100)]
        if len(values) != len(procedure.params):
            item.raise_error(
                f"`{procedure.name}` takes {len(procedure.params)} argument(s), {len(values)} given"
            )
        for (term, _), param in zip(values, procedure.params, strict=True):
            check_within_bounds(procedure.describe_parameter_range(param), param.lo, param.hi, term)
        self._effects_begun = True
        cost = _sum_costs(*(c for _, c in values))
        return Invoke(procedure, tuple(t for t, _ in values), item.place), EvaluationCost(
            1, cost.unfolded, cost.work + body.work
        )

    def _build_loop(
        self, scope: set[Local], number: int, depths: tuple[int, int], local_node: JsonNode, does: JsonNode
    ) -> tuple[Statement, EvaluationCost]:
        var = self.of.names.bind_local(local_node)
        self._check_block_is_above(does, number)
        body, cost = self.build_block(does, scope | {var}, *depths)
        passes = var.hi - var.lo + 1
        return Loop(var, var.lo, var.hi + 1, body), EvaluationCost(work=max(2, passes) * cost.work)

    def _build_if(
        self,
        item: JsonNode,
        scope: set[Local],
        number: int,
        depths: tuple[int, int],
        when: JsonNode,
        then: JsonNode,
        other: JsonNode,
    ) -> tuple[Statement, EvaluationCost]:
        condition, cost = self._resolve_condition(when, scope)
        self._check_block_is_above(then, number)
        self._check_block_is_above(other, number)
        if isinstance(condition, Const):
            when.raise_error("it is decided already")
        yes, first = self.build_block(then, scope, *depths)
        no, second = self.build_block(other, scope, *depths)
        return If(condition, yes, no, item.place), EvaluationCost(
            1, cost.unfolded, cost.work + first.work + second.work
        )

    @staticmethod
    def _check_block_is_above(node: JsonNode, number: int) -> None:
        if type(node.value) is int and node.value >= number:
            node.raise_error(f"block {node.value} is none of the blocks above")


def _sum_costs(*costs: EvaluationCost) -> EvaluationCost:
    return EvaluationCost(1, 1 + sum(c.unfolded for c in costs), 1 + sum(c.work for c in costs))
