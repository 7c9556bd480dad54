"""Builds the terms and the statements of a file, row by row, by the operators that trace them; what
tracing would have written otherwise is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import Formatter
from typing import NamedTuple

from playproof.language.checks import refuse_value_always_out_of_bounds, refuse_wrong_requirement_sentence
from playproof.language.description.file_rows import LOOPS, OPERATIONS, DescriptionError, JsonNode
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
    as_truth_term,
    clamp,
    make_fresh_local,
)
from playproof.language.fields import Field
from playproof.language.statements import (
    Assign,
    Finish,
    If,
    Invoke,
    Keep,
    Loop,
    Procedure,
    Require,
    Statement,
    find_numbers_of_written_fields,
)

# -- terms ---------------------------------------------------------------------------------------------------
# Builds the terms of a file, row by row. Each is built by the operator that traces it, so its bounds are
# derived; one that tracing would have written otherwise is refused.

MOST_DEPTH = 180  # as deep as Python reads brackets
MOST_UNFOLDED = 2_000_000  # terms, each counted as often as it is used
MOST_WORK = 20_000_000  # terms that one rule evaluates, with its loops and calls
MOST_BITS = 256
_MOST_HELD = 1_000_000  # fields and locals of all terms: each term keeps those that it reads
_LOGIC = frozenset(("and", "or", "not"))


@dataclass(frozen=True, slots=True)
class EvaluationCost:
    """What a term or a block costs: how deep it is, how many terms it has where each is written as often as
    it is used, and how many are evaluated at most."""

    depth: int = 1
    unfolded: int = 1
    work: int = 1


class CostedTerm(NamedTuple):
    term: Term
    cost: EvaluationCost


class CostedFunction(NamedTuple):
    function: Function
    body_cost: EvaluationCost


class CostedStatement(NamedTuple):
    statement: Statement
    cost: EvaluationCost


class CostedStatements(NamedTuple):
    statements: tuple[Statement, ...]
    cost: EvaluationCost


class CostedProcedure(NamedTuple):
    procedure: Procedure
    body_cost: EvaluationCost


class LocalTable:
    """The locals of a file. Each is bound in one place: by a rule's parameters, a loop or a kept value."""

    def __init__(self, rows: Sequence[JsonNode]) -> None:
        self.all = [self._parse_local(row) for row in rows]
        self._bound: set[int] = set()

    @staticmethod
    def _parse_local(row: JsonNode) -> Local:
        name, lo, hi = row.read_list_items(3, 3)
        low = lo.read_integer(-(1 << MOST_BITS), 1 << MOST_BITS)
        return make_fresh_local(name.read_text(), low, hi.read_integer(low, 1 << MOST_BITS))

    def get_local(self, node: JsonNode) -> Local:
        """Return the local that a value names."""
        return self.all[node.read_integer(0, len(self.all) - 1)]

    def bind_local_once(self, node: JsonNode) -> Local:
        """Return the local that is bound here. Refuse one that another place binds."""
        local = self.get_local(node)
        if local.number in self._bound:
            node.raise_error(f"the local {node.value} is bound in two places")
        self._bound.add(local.number)
        return local

    def bind_parameters(self, node: JsonNode) -> tuple[Local, ...]:
        """Return the parameters of a function or procedure."""
        return tuple(self.bind_local_once(item) for item in node.read_list_items(100))


class TermTable:
    """The terms of a file; `all` holds those built so far."""

    def __init__(
        self,
        rows: Sequence[JsonNode],
        fields: Sequence[Field],
        tables: Sequence[Table],
        names: LocalTable,
        functions: Sequence[JsonNode],
    ) -> None:
        self.fields, self.tables, self.names = fields, tables, names
        self._functions: dict[int, CostedFunction] = {}
        self._function_rows = functions
        self._held = 0
        self.all: list[Term] = []
        self.costs: list[EvaluationCost] = []
        for row in rows:
            self._build_and_append_term(row)
        self.functions = [self.get_or_build_function(n, row).function for n, row in enumerate(functions)]

    def get_term(self, node: JsonNode) -> Term:
        """Return the term that a value names."""
        return self.all[node.read_integer(0, len(self.all) - 1)]

    def get_optional_term(self, node: JsonNode) -> Term | None:
        """Return the term that a value names, or None for null."""
        return None if node.value is None else self.get_term(node)

    def get_term_cost(self, node: JsonNode) -> EvaluationCost:
        """Return the cost of the term that a value names."""
        return self.costs[node.value]

    def get_or_build_function(self, function_number: int, caller: JsonNode) -> CostedFunction:
        """Return a function and the cost of its body, which stands above the terms that call it."""
        if function_number not in self._functions:
            row = self._function_rows[function_number]
            name, params, value = row.read_values_of_exact_keys("name", "params", "value")
            if type(value.value) is int and value.value >= len(self.all):
                caller.raise_error(f"the value of function {function_number} is none of the terms above")
            body, named = self.get_term(value), self.names.bind_parameters(params)
            if body.locals - set(named):
                row.raise_error("the value names a local that is no parameter")
            made = Function(name.read_text(), function_number, named, body, row.place)
            self._functions[function_number] = CostedFunction(made, self.get_term_cost(value))
        return self._functions[function_number]

    def _build_and_append_term(self, row: JsonNode) -> None:
        try:
            term, cost = self._build_term(row)
        except DescriptionError:
            raise
        except RulesError as error:
            row.raise_error(error.message)
        if max(abs(term.lo), abs(term.hi)).bit_length() > MOST_BITS:
            row.raise_error(f"its bounds have more than {MOST_BITS} bits")
        self._held += len(term.reads) + len(term.locals)
        if self._held > _MOST_HELD:
            row.raise_error(f"the terms read more than {_MOST_HELD:,} fields and locals, each counted for each term")
        if cost.depth > MOST_DEPTH:
            row.raise_error(f"expected at most {MOST_DEPTH} terms inside each other")
        if cost.unfolded > MOST_UNFOLDED or cost.work > MOST_WORK:
            row.raise_error(f"it stands for {max(cost.unfolded, cost.work):,} terms, which is too many")
        self.all.append(term)
        self.costs.append(cost)

    def _build_term(self, row: JsonNode) -> CostedTerm:
        if type(row.value) is int:
            return CostedTerm(Const(row.value), EvaluationCost())
        kind, *parts = row.read_list_items(102, 2)
        word = kind.read_one_of_words(("local", "read", "lookup", "call", *OPERATIONS, *LOOPS))
        takes = len(parts) if word == "call" else {"local": 1, **OPERATIONS}.get(word, 2)
        if len(parts) != takes:
            row.raise_error(f"expected {takes} value(s) after `{word}`, found {len(parts)}")
        if word == "local":
            return CostedTerm(self.names.get_local(parts[0]), EvaluationCost())
        if word == "call":
            return self._build_function_call(row, parts)
        if word in ("read", "lookup"):
            return self._build_field_or_table_read(word, *parts)
        return self._build_operation(row, word, parts) if word in OPERATIONS else self._build_loop(word, *parts)

    def _build_field_or_table_read(self, kind: str, source: JsonNode, index_node: JsonNode) -> CostedTerm:
        index, cost = self.get_term(index_node), self.get_term_cost(index_node)
        if kind == "read":
            field = self.fields[source.read_integer(0, len(self.fields) - 1)]
            size, made = field.size, Read(field, index, 0)
        else:
            table = self.tables[source.read_integer(0, len(self.tables) - 1)]
            if isinstance(index, Const):
                index_node.raise_error("a value of a table at a plain place is a plain number")
            size, made = len(table.values), Lookup(table, index)  # type: ignore[assignment]
        refuse_index_out_of_range(index_node, index, size)
        is_truth = _is_computed_truth_value(index)
        return CostedTerm(made, EvaluationCost(cost.depth + 1 + is_truth, cost.unfolded + 1, cost.work + 1))

    def _build_function_call(self, row: JsonNode, parts: Sequence[JsonNode]) -> CostedTerm:
        number = parts[0].read_integer(0, len(self._function_rows) - 1)
        function, body = self.get_or_build_function(number, row)
        args = tuple(map(self.get_term, parts[1:]))
        if len(args) != len(function.params):
            row.raise_error(f"`{function.name}` takes {len(function.params)} argument(s), {len(args)} given")
        for node, arg, param in zip(parts[1:], args, function.params, strict=True):
            if clamp(arg, param.lo, param.hi) is not arg:
                node.raise_error(f"its value {arg.lo}..{arg.hi} may lie outside {param.lo}..{param.hi}")
        cost = self._combine_costs_of_terms(parts[1:])
        return CostedTerm(Apply(function, args, 0), EvaluationCost(cost.depth, cost.unfolded, cost.work + body.work))

    def _build_operation(self, row: JsonNode, op: str, parts: Sequence[JsonNode]) -> CostedTerm:
        args = tuple(map(self.get_term, parts))
        made = OPERATORS[op](*args)
        before = made.args if isinstance(made, Op) and made.op == op else ()
        if len(before) != len(args) or any(a is not b for a, b in zip(before, args, strict=True)):
            row.raise_error("its bounds decide it, or it is written in a simpler way")
        cost = self._combine_costs_of_terms(parts)
        # a truth among numbers is written `int(...)`
        spare = op not in _LOGIC and any(map(_is_computed_truth_value, args))
        return CostedTerm(made, EvaluationCost(cost.depth + spare, cost.unfolded, cost.work))

    def _build_loop(self, kind: str, local_node: JsonNode, body_node: JsonNode) -> CostedTerm:
        var, body, cost = (
            self.names.bind_local_once(local_node),
            self.get_term(body_node),
            self.get_term_cost(body_node),
        )
        if kind in ("any", "all") and as_truth_term(body) is not body:
            body_node.raise_error("expected a truth value")
        passes = var.hi - var.lo + 1
        made = Reduce(kind.removesuffix(" of"), var, var.lo, var.hi + 1, body)
        return CostedTerm(made, EvaluationCost(1 + cost.depth, cost.unfolded + 1, max(2, passes) * cost.work + 1))

    def _combine_costs_of_terms(self, term_nodes: Sequence[JsonNode]) -> EvaluationCost:
        costs = [self.get_term_cost(part) for part in term_nodes]
        return EvaluationCost(
            1 + max((c.depth for c in costs), default=0),
            1 + sum(c.unfolded for c in costs),
            1 + sum(c.work for c in costs),
        )


def _is_computed_truth_value(term: Term) -> bool:
    return term.lo >= 0 and term.hi <= 1 and not isinstance(term, Const | Read | Lookup)


def refuse_index_out_of_range(node: JsonNode, index: Term, size: int) -> None:
    """Refuse an index that may lie outside an array."""
    if index.lo < 0 or index.hi >= size:
        node.raise_error(f"the index {index.lo}..{index.hi} may lie outside 0..{size - 1}")


def require_locals_in_scope(node: JsonNode, term: Term, scope: frozenset[Local] | set[Local]) -> Term:
    """Return a term. Refuse it if it names a local that has no value here."""
    for local in sorted(term.locals - scope, key=lambda p: p.number):
        node.raise_error(f"`{local.name}` has no value here")
    return term


# -- bodies --------------------------------------------------------------------------------------------------
# Builds the statements of a file: for each rule the blocks that it runs, with what is in scope in each.

MOST_BLOCKS_INSIDE = 80  # as deep as Python reads indented lines
_MOST_LOOPS_INSIDE = 15  # and loops
_OUTCOME = 1  # the number of the field that says how the game ended


class BodyBuilder:
    """The blocks of a file. `build_rule_statements` builds what one rule runs; procedures are built when they are first
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
        self._procedures: dict[int, CostedProcedure] = {}
        self.procedures = [
            self.get_or_build_procedure(n, row, len(blocks)).procedure for n, row in enumerate(procedures)
        ]

    def get_or_build_procedure(self, procedure_number: int, caller: JsonNode, calling_block: int) -> CostedProcedure:
        """Return a procedure with its cost. Its block must stand above block `calling_block`, which calls it."""
        if procedure_number not in self._procedures:
            name, params, does = self.procedure_rows[procedure_number].read_values_of_exact_keys(
                "name", "params", "does"
            )
            if type(does.value) is int and does.value >= calling_block:
                caller.raise_error(f"the block of procedure {procedure_number} is none of the blocks above")
            named = self.names.bind_parameters(params)
            body, cost = self.build_rule_statements(does, named)
            made = Procedure(name.read_text(), procedure_number, named, body, find_numbers_of_written_fields(body))
            self._procedures[procedure_number] = CostedProcedure(made, cost)
        return self._procedures[procedure_number]

    def build_rule_statements(
        self, node: JsonNode, params: Sequence[Local] = (), *, refusable: bool = False
    ) -> CostedStatements:
        """Return the statements of a rule with their cost. Only those of an action are `refusable`."""
        rule = _RuleBodyBuilder(self, refusable=refusable)
        body, cost = rule.build_block_statements(node, set(params), 0, 0)
        if cost.work > MOST_WORK:
            node.raise_error(f"it does {cost.work:,} steps, which is too many")
        return CostedStatements(body, cost)

    def add_unfolded_terms_or_raise_above_limit(self, node: JsonNode, unfolded: int) -> None:
        """Count what a rule holds. Refuse a file that holds too much."""
        self.unfolded += unfolded
        if self.unfolded > MOST_UNFOLDED:
            node.raise_error(f"the rules hold more than {MOST_UNFOLDED:,} terms, as often as they are used")


class _RuleBodyBuilder:
    """One walk over the blocks of a rule."""

    def __init__(self, bodies: BodyBuilder, *, refusable: bool) -> None:
        self.of, self.terms, self.refusable = bodies, bodies.terms, refusable
        self._effects_begun = False

    def build_block_statements(
        self, node: JsonNode, scope: set[Local], depth: int, loop_depth: int
    ) -> CostedStatements:
        """Return the statements of a block; `scope` holds the locals that have a value when it begins."""
        number = node.read_integer(0, len(self.of.blocks) - 1)
        if depth > MOST_BLOCKS_INSIDE or loop_depth > _MOST_LOOPS_INSIDE:
            node.raise_error(
                f"expected at most {MOST_BLOCKS_INSIDE} blocks and {_MOST_LOOPS_INSIDE} loops in one another"
            )
        row, mine = self.of.blocks[number], set(scope)
        made, work = list[Statement](), 1
        for item in row.read_list_items(100_000):
            statement, cost = self._build_statement(item, mine, number, depth + 1, loop_depth)
            made.append(statement)
            work += cost.work
            self.of.add_unfolded_terms_or_raise_above_limit(item, cost.unfolded)
        return CostedStatements(tuple(made), EvaluationCost(work=work))

    def _build_statement(
        self, statement_node: JsonNode, scope: set[Local], block_number: int, depth: int, loop_depth: int
    ) -> CostedStatement:
        kind, *parts = statement_node.read_list_items(5, 2)
        takes = {"set": 3, "keep": 2, "if": 3, "loop": 2, "require": 4, "finish": 1, "do": 2}
        if len(parts) != takes[kind.read_one_of_words(takes)]:
            statement_node.raise_error(
                f"expected {takes[kind.value]} value(s) after `{kind.value}`, found {len(parts)}"
            )
        try:
            match kind.value:
                case "set":
                    return self._build_assign(statement_node, scope, *parts)
                case "keep":
                    return self._build_keep(statement_node, scope, *parts)
                case "require":
                    return self._build_require(statement_node, scope, *parts)
                case "finish":
                    self._effects_begun = True
                    ending_number = parts[0].read_integer(0, self.of.endings - 1) + 1
                    return CostedStatement(Finish(ending_number, statement_node.place), EvaluationCost())
                case "do":
                    return self._build_procedure_call(statement_node, scope, block_number, *parts)
                case "loop":
                    return self._build_loop(scope, block_number, (depth, loop_depth + 1), *parts)
            return self._build_if(statement_node, scope, block_number, (depth, loop_depth), *parts)
        except DescriptionError:
            raise
        except RulesError as error:
            statement_node.raise_error(error.message)

    def _get_term_and_cost_in_scope(self, node: JsonNode, scope: set[Local]) -> CostedTerm:
        term = require_locals_in_scope(node, self.terms.get_term(node), scope)
        return CostedTerm(term, self.terms.get_term_cost(node))

    def _build_assign(
        self,
        statement_node: JsonNode,
        scope: set[Local],
        field_node: JsonNode,
        index_node: JsonNode,
        value_node: JsonNode,
    ) -> CostedStatement:
        field = self.of.fields[field_node.read_integer(0, len(self.of.fields) - 1)]
        if field.number == _OUTCOME:
            field_node.raise_error("how the game ended is not assigned")
        (index, first), (value, second) = (
            self._get_term_and_cost_in_scope(index_node, scope),
            self._get_term_and_cost_in_scope(value_node, scope),
        )
        refuse_index_out_of_range(index_node, index, field.size)
        refuse_value_always_out_of_bounds(f"`{field.name}` holds", field.lo, field.hi, value)
        self._effects_begun = True
        return CostedStatement(Assign(field, index, value, statement_node.place), _sum_costs(first, second))

    def _build_keep(
        self, statement_node: JsonNode, scope: set[Local], local_node: JsonNode, value_node: JsonNode
    ) -> CostedStatement:
        value, cost = self._get_term_and_cost_in_scope(value_node, scope)
        local = self.of.names.get_local(local_node)
        if local not in scope:
            self.of.names.bind_local_once(local_node)
        refuse_value_always_out_of_bounds(f"`{local.name}` holds", local.lo, local.hi, value)
        local.counts = False
        scope.add(local)
        return CostedStatement(Keep(local, value, statement_node.place), cost)

    def _get_condition_and_cost_in_scope(self, node: JsonNode, scope: set[Local]) -> CostedTerm:
        term, cost = self._get_term_and_cost_in_scope(node, scope)
        if as_truth_term(term) is not term:
            node.raise_error("expected a truth value")
        return CostedTerm(term, cost)

    def _build_require(
        self,
        statement_node: JsonNode,
        scope: set[Local],
        condition_node: JsonNode,
        rule: JsonNode,
        text: JsonNode,
        args: JsonNode,
    ) -> CostedStatement:
        if not self.refusable:
            statement_node.raise_error("a requirement stands where nothing can be refused")
        if self._effects_begun:
            statement_node.raise_error("a requirement stands after an effect")
        condition, cost = self._get_condition_and_cost_in_scope(condition_node, scope)
        if isinstance(condition, Const) and condition.value:
            condition_node.raise_error("it is always met")
        values = [self._get_term_and_cost_in_scope(node, scope) for node in args.read_list_items(100)]
        terms = tuple(term for term, _ in values)
        refuse_wrong_requirement_sentence(rule.read_text(), text.read_text(), terms)
        if any(form for _, _, form, _ in Formatter().parse(text.value)):
            text.raise_error("a value has no format")
        required = Require(condition, rule.value, text.value, terms, statement_node.place)
        return CostedStatement(required, _sum_costs(cost, *(c for _, c in values)))

    def _build_procedure_call(
        self, statement_node: JsonNode, scope: set[Local], block_number: int, procedure_node: JsonNode, args: JsonNode
    ) -> CostedStatement:
        chosen = procedure_node.read_integer(0, len(self.of.procedure_rows) - 1)
        procedure, body = self.of.get_or_build_procedure(chosen, statement_node, block_number)
        values = [self._get_term_and_cost_in_scope(node, scope) for node in args.read_list_items(100)]
        if len(values) != len(procedure.params):
            statement_node.raise_error(
                f"`{procedure.name}` takes {len(procedure.params)} argument(s), {len(values)} given"
            )
        for (term, _), param in zip(values, procedure.params, strict=True):
            refuse_value_always_out_of_bounds(
                procedure.begin_sentence_on_parameter_range(param), param.lo, param.hi, term
            )
        self._effects_begun = True
        cost = _sum_costs(*(c for _, c in values))
        call = Invoke(procedure, tuple(t for t, _ in values), statement_node.place)
        return CostedStatement(call, EvaluationCost(1, cost.unfolded, cost.work + body.work))

    def _build_loop(
        self,
        scope: set[Local],
        block_number: int,
        block_and_loop_depths: tuple[int, int],
        local_node: JsonNode,
        block_node: JsonNode,
    ) -> CostedStatement:
        var = self.of.names.bind_local_once(local_node)
        self._require_block_above_using_block(block_node, block_number)
        body, cost = self.build_block_statements(block_node, scope | {var}, *block_and_loop_depths)
        passes = var.hi - var.lo + 1
        return CostedStatement(Loop(var, var.lo, var.hi + 1, body), EvaluationCost(work=max(2, passes) * cost.work))

    def _build_if(
        self,
        statement_node: JsonNode,
        scope: set[Local],
        block_number: int,
        block_and_loop_depths: tuple[int, int],
        condition_node: JsonNode,
        then_block: JsonNode,
        else_block: JsonNode,
    ) -> CostedStatement:
        condition, cost = self._get_condition_and_cost_in_scope(condition_node, scope)
        self._require_block_above_using_block(then_block, block_number)
        self._require_block_above_using_block(else_block, block_number)
        if isinstance(condition, Const):
            condition_node.raise_error("it is decided already")
        yes, first = self.build_block_statements(then_block, scope, *block_and_loop_depths)
        no, second = self.build_block_statements(else_block, scope, *block_and_loop_depths)
        branch = If(condition, yes, no, statement_node.place)
        return CostedStatement(branch, EvaluationCost(1, cost.unfolded, cost.work + first.work + second.work))

    @staticmethod
    def _require_block_above_using_block(node: JsonNode, using_block: int) -> None:
        if type(node.value) is int and node.value >= using_block:
            node.raise_error(f"block {node.value} is none of the blocks above")


def _sum_costs(*costs: EvaluationCost) -> EvaluationCost:
    return EvaluationCost(1, 1 + sum(c.unfolded for c in costs), 1 + sum(c.work for c in costs))
