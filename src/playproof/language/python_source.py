"""Writes terms and statements as Python source for the compiled reading; conditions over many cells of
one array compare all of them at once.

The source is plain Python over a flat state `S`; `playproof.language.machine` turns it into
machine code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

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
    make_sum_term,
    require_coverage_of_all_operators,
)
from playproof.language.fields import Field
from playproof.language.machine.sets import LANES, MOST
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
    count_requirements,
    iter_conditions_joined_by_and,
    iter_term_and_subterms,
    make_structural_key_or_identity,
)

# Writes terms and statements as Python source for the compiled reading.

# How each operator is written; `abs`, `min` and `max` are Python's own.
_WRITTEN = {
    **{op: f"({{0}} {op} {{1}})" for op in ("+", "-", "*", "//", "%", "==", "!=", "<", "<=", "and", "or")},
    "not": "(not {0})",
    "pick": "({1} if {0} else {2})",
    "min": "min({0}, {1})",
    "max": "max({0}, {1})",
    "abs": "abs({0})",
}
require_coverage_of_all_operators("generated source", _WRITTEN)
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1
_PLANES = 3  # bits of a cell that may be kept as planes
_SUMS = {"+", "-", "*", "//", "%"}

# Truth is 0 or 1, so bitwise operators say the same; where the right side is cheap they save a
# branch.
_LOGIC = {"and": "&", "or": "|"}


# Lists of conditions that are answered at once, and what of their sets is asked.
_LISTS = {"or": "any", "and": "all", "+": "sum"}


@dataclass
class SourceBuilder:
    """Collects generated functions; `lines` is the module text so far, helpers before their users.

    `checked` source refuses a value outside its bounds with the interpreter's error; `written`
    holds the sentences and places of these checks. All other source moves a value that may leave its bounds to the
    nearest bound, so that machine code of rules that break never reaches beyond an array. `exact` source converts each
    cell to a Python integer, which is unbounded; numpy's integers have 64 bits. `planes` holds the numbers of the
    fields that are kept as planes (playproof.language.machine.sets); `rows` collects the fields whose cells are
    compared at once. `word_tables` names the tables of sets.
    """

    checked: bool = False
    exact: bool = False
    planes: frozenset[int] = frozenset()
    rows: set[int] = field(default_factory=set)
    lines: list[str] = field(default_factory=list)
    written: list[tuple[str, str, int, int]] = field(default_factory=list)
    word_tables: dict[tuple[int, ...], str] = field(default_factory=dict)
    _tables: set[int] = field(default_factory=set)
    _functions: set[int] = field(default_factory=set)
    _procedures: set[int] = field(default_factory=set)
    _reductions: int = 0
    _lists: dict[int, Op] = field(default_factory=dict)
    fits: bool = True

    def generate_lines_for_endless_phases(self) -> list[str]:
        """Return the lines that run if automatic phases do not end. Unchecked code stops the game
        in a state in which nobody can act."""
        return ["_endless(S)"] if self.checked else []

    # -- functions ------------------------------------------------------------------------------------------

    def add_function_definition(self, name: str, params: Iterable[str], body: Sequence[str]) -> None:
        """Add `def name(params)`; an empty body is `pass`."""
        self.lines += ["", "", f"def {name}({', '.join(params)}):", *(f"    {line}" for line in body or ["pass"])]

    def add_table_once_and_get_name(self, table: Table) -> str:
        """The module-level name of a constant table."""
        name = f"T{table.number}"
        if table.number not in self._tables:
            self._tables.add(table.number)
            self.lines += [
                "",
                f"{name} = _table({list(table.values)})  # {replace_non_alphanumerics_by_underscores(table.name)}",
            ]
        return name

    def add_quantity_function_and_get_name(self, function: Function) -> str:
        """The generated function of a derived quantity."""
        name = f"f{function.number}_{replace_non_alphanumerics_by_underscores(function.name)}"
        if function.number not in self._functions:
            self._functions.add(function.number)
            value = self.format_term(function.body)
            self.add_function_definition(name, ["S", *map(format_local_name, function.params)], [f"return {value}"])
        return name

    def add_procedure_function_and_get_name(self, procedure: Procedure) -> str:
        """The generated function of a procedure."""
        name = f"p{procedure.number}_{replace_non_alphanumerics_by_underscores(procedure.name)}"
        if procedure.number not in self._procedures:
            self._procedures.add(procedure.number)
            self.add_function_definition(
                name, ["S", *map(format_local_name, procedure.params)], self.generate_lines_of_effects(procedure.body)
            )
        return name

    # -- terms ----------------------------------------------------------------------------------------------

    def format_term(self, term: Term) -> str:
        """Return a term as an expression over `S` and locals. Set `fits` to False if the term may
        leave 64 bits."""
        if term.lo < _LEAST or term.hi > _MOST:
            self.fits = False
        match term:
            case Const():
                return str(term.value)
            case Local():
                return format_local_name(term)
            case Read() if term.field.number in self.planes:
                return _format_addition(
                    f"held({self._format_arguments_of_plane_functions(term.field)}, "
                    f"{self.format_integer_term(term.index)})",
                    term.field.lo,
                )
            case Read():
                cell = f"S[{self._format_cell_index(term.field.offset, term.index)}]"
                return f"int({cell})" if self.exact else cell
            case Lookup():
                return f"{self.add_table_once_and_get_name(term.table)}[{self.format_integer_term(term.index)}]"
            case Apply():
                args = ", ".join(["S", *(self.format_term(a) for a in term.args)])
                return f"{self.add_quantity_function_and_get_name(term.function)}({args})"
            case Reduce():
                return self._format_reduction(term)
            case Op():
                return self._format_operation(term)
        raise TypeError(f"unknown term {term!r}")

    def _format_cell_index(self, offset: int, index: Term) -> str:
        if isinstance(index, Const):
            return str(offset + index.value)
        return f"{offset} + {self.format_integer_term(index)}" if offset else self.format_integer_term(index)

    def format_integer_term(self, term: Term) -> str:
        """Return a term as an integer expression. Truths are converted: in plain Python a truth may
        be numpy's, and the sum of two of these is a truth."""
        truth = term.lo >= 0 and term.hi <= 1 and not isinstance(term, Const | Read | Lookup)
        return f"int({self.format_term(term)})" if truth else self.format_term(term)

    def _format_operation(self, term: Op) -> str:
        if (pattern := self._format_comparison_of_many_cells(term)) is not None:
            return pattern
        if (at_once := self._format_condition_list_by_bitsets(term)) is not None:
            return at_once
        written = self.format_integer_term if term.op in _SUMS else self.format_term
        args = [written(a) for a in term.args]
        if term.op in _LOGIC:
            second = term.args[1]
            # Both sides of `&` are evaluated: a branch less pays for a cheap second side.
            if (
                is_small_term_without_calls_or_loops(second, 12)
                or self._format_comparison_of_many_cells(second) is not None
            ):
                return f"({args[0]} {_LOGIC[term.op]} {args[1]})"
        return _WRITTEN[term.op].format(*args)

    def _format_comparison_of_many_cells(self, term: Term) -> str | None:
        """Return an expression that compares all cells of a small field at once, if a conjunction
        wants one value in several of them; else None."""
        if not (self.can_compare_at_once and isinstance(term, Op) and term.op == "and"):
            return None
        pattern = find_largest_group_of_equal_cells(tuple(iter_conditions_joined_by_and(term)))
        if pattern is None or pattern.field.size > MOST:
            return None
        wanted = sum(1 << cell for cell in pattern.cells)
        held = self.format_bitset_of_equal_cells(pattern.field, Const(0), pattern.field.size, pattern.value)
        rest = [self.format_term(part) for part in pattern.rest]
        conditions = " & ".join([f"(({held} & {wanted}) == {wanted})", *rest])
        return f"({conditions})"

    @property
    def can_compare_at_once(self) -> bool:
        """Whether the source compares cells all at once. Machine code needs one instruction for
        that; plain Python needs a loop."""
        return not (self.checked or self.exact)

    def format_bitset_of_matching_values(self, condition: Term, var: Local, start: int, stop: int) -> str | None:
        """Return the set of the variable's values, counted from `start`, for which a condition on
        one row of cells holds. Return None for any other condition."""
        row = (
            match_comparison_over_row_of_cells(condition, var)
            if self.can_compare_at_once and stop - start <= MOST
            else None
        )
        if row is None:
            return None
        held = self.format_bitset_of_equal_cells(
            row.field, make_sum_term(row.first, Const(start)), stop - start, row.value
        )
        return f"({held} ^ {(1 << (stop - start)) - 1})" if row.apart else held

    def format_bitset_of_equal_cells(self, field: Field, first_index: Term, count: int, value: Term) -> str:
        """Return the set of the `count` cells of a field that hold a value."""
        self.rows.add(field.number)
        if field.number not in self.planes:
            return (
                f"equals(S, {self._format_cell_index(field.offset, first_index)}, {count}, "
                f"{self.format_integer_term(value)})"
            )
        wanted = self.format_integer_term(value)
        holders = (
            f"alike({self._format_arguments_of_plane_functions(field)}, {field.size}, "
            f"{_format_addition(wanted, -field.lo)})"
        )
        if value.lo < field.lo or value.hi >= field.lo + (1 << field.bits):  # planes see the lowest bits alone
            holders = f"({holders} if {field.lo} <= {wanted} <= {field.hi} else 0)"
        if isinstance(first_index, Const) and first_index.value == 0 and count == field.size:
            return holders
        return f"(({holders} >> {self.format_integer_term(first_index)}) & {(1 << count) - 1})"

    @staticmethod
    def _format_arguments_of_plane_functions(field: Field) -> str:
        return f"S, {field.offset}, {field.bits}"

    def _format_reduction_without_loop(self, term: Reduce) -> str | None:
        """Return a reduction over a row of cells without a loop, or None if there is no such
        form."""
        if term.kind == "min":
            return self._format_first_matching_place(term)
        places = self.format_bitset_of_matching_values(term.body, term.var, term.start, term.stop)
        everything = (1 << (term.stop - term.start)) - 1
        if places is None or term.kind not in ("sum", "any", "all"):
            return None
        return {"sum": f"ones({places})", "any": f"({places} != 0)", "all": f"({places} == {everything})"}[term.kind]

    def _format_first_matching_place(self, term: Reduce) -> str | None:
        """Return the first place for which a condition holds, or a constant no less than the last
        place; None for any other body."""
        match term.body:
            case Op(op="pick", args=(condition, Local() as var, Const(value=other))):
                fits = term.stop - 1 <= other <= MOST  # `other` is one more bit of the set of places
                if var is not term.var or term.start != 0 or not fits:
                    return None
                places = self.format_bitset_of_matching_values(condition, var, 0, term.stop)
                return None if places is None else f"lowest({places} | {1 << other})"
        return None

    def _format_reduction(self, term: Reduce) -> str:
        if (at_once := self._format_reduction_without_loop(term)) is not None:
            return at_once
        if (by_sets := self._format_reduction_by_bitsets(term)) is not None:
            return by_sets
        body, var = self.format_term(term.body), format_local_name(term.var)
        loop = f"for {var} in range({term.start}, {term.stop}):"
        lines = {
            "sum": ["t = 0", loop, f"    t += {body}", "return t"],
            "any": [loop, f"    if {body}:", "        return 1", "return 0"],
            "all": [loop, f"    if not {body}:", "        return 0", "return 1"],
            "min": [f"t = {term.hi}", loop, f"    t = min(t, {body})", "return t"],
            "max": [f"t = {term.lo}", loop, f"    t = max(t, {body})", "return t"],
        }[term.kind]
        return self._add_helper_function_and_get_call(term, lines)

    def _format_reduction_by_bitsets(self, term: Reduce) -> str | None:
        """Return a reduction of which all rounds are answered by sets of bits, or None if they are not."""
        if not self.can_compare_at_once:
            return None
        from playproof.language.reduction_sets import find_set_plan_for_loop
        from playproof.language.set_source import PlacedPlan, generate_function_body_answering_by_sets

        plan = find_set_plan_for_loop(term)
        if plan is None:
            return None
        return self._add_helper_function_and_get_call(
            term, generate_function_body_answering_by_sets(self, PlacedPlan(plan), term.kind)
        )

    def _add_helper_function_and_get_call(self, term: Term, lines: Sequence[str]) -> str:
        """Add a function with these lines for a term; return its call."""
        name = f"r{self._reductions}"
        self._reductions += 1
        free = sorted(term.locals, key=lambda p: p.number)
        params = ["S", *map(format_local_name, free)]
        self.add_function_definition(name, params, lines)
        return f"{name}({', '.join(params)})"

    def _format_condition_list_by_bitsets(self, term: Op) -> str | None:
        """Return an expression for a long list of conditions, of which many are written alike and become sets; else
        None."""
        kind = _LISTS.get(term.op)
        if kind is None or not self.can_compare_at_once or id(term) in self._lists:
            return None
        from playproof.language.reduction_sets import find_set_plan_for_condition_list
        from playproof.language.set_source import PlacedPlan, generate_function_body_answering_by_sets

        if (found := find_set_plan_for_condition_list(term)) is None:
            todo: list[Term] = [term]  # its shorter lists are not tried again
            while todo:
                node = todo.pop()
                if isinstance(node, Op) and node.op == term.op:
                    self._lists[id(node)] = node
                    todo += node.args
            return None
        alike = self._add_helper_function_and_get_call(
            term, generate_function_body_answering_by_sets(self, PlacedPlan(found.plan), kind)
        )
        others = [self.format_integer_term(t) if kind == "sum" else self.format_term(t) for t in found.others]
        return f"({f' {term.op} '.join([*others, alike])})"

    # -- statements -----------------------------------------------------------------------------------------

    def generate_lines_of_effects(self, body: Sequence[Statement]) -> list[str]:
        """Return lines that carry out the effects, without requirements."""
        lines: list[str] = []
        for statement in body:
            lines += self._generate_statement_lines(statement)
        return lines

    def _generate_statement_lines(self, statement: Statement) -> list[str]:
        match statement:
            case Assign(to, index, value, place):
                if to.number in self.planes:
                    stored = _format_addition(self._format_value_moved_into_bounds(value, to.lo, to.hi), -to.lo)
                    return [
                        f"hold({self._format_arguments_of_plane_functions(to)}, "
                        f"{self.format_integer_term(index)}, {stored})"
                    ]
                fitted = self._format_value_checked_or_clamped(value, to.lo, to.hi, f"`{to.name}` holds", place)
                return [f"S[{self._format_cell_index(to.offset, index)}] = {fitted}"]
            case Keep():
                return [self.generate_line_keeping_value(statement)]
            case If(condition, then, other):
                return self._generate_if_else_lines(
                    self.format_term(condition),
                    self.generate_lines_of_effects(then),
                    self.generate_lines_of_effects(other),
                )
            case Loop(var, start, stop, inner):
                body = self.generate_lines_of_effects(inner)
                return [f"for {format_local_name(var)} in range({start}, {stop}):", *indent_lines(body)] if body else []
            case Invoke(procedure, args, place):
                fitted_args = [
                    self._format_value_checked_or_clamped(
                        a, p.lo, p.hi, procedure.begin_sentence_on_parameter_range(p), place
                    )
                    for a, p in zip(args, procedure.params, strict=True)
                ]
                return [f"{self.add_procedure_function_and_get_name(procedure)}({', '.join(['S', *fitted_args])})"]
            case Finish(ending, _):
                return ["if S[1] == 0:", f"    S[1] = {ending}"]
        return []

    def generate_line_keeping_value(self, statement: Keep) -> str:
        """Return the line that keeps a value."""
        local = statement.local
        fitted = self._format_value_checked_or_clamped(
            statement.value, local.lo, local.hi, f"`{local.name}` holds", statement.place
        )
        return f"{format_local_name(local)} = {fitted}"

    def _format_value_checked_or_clamped(self, value: Term, lo: int, hi: int, subject: str, place: Place) -> str:
        if _is_value_always_within(value, lo, hi):
            return self.format_term(value)
        if not self.checked:
            return self._format_value_moved_into_bounds(value, lo, hi)
        self.written.append((subject, place.file, place.line, place.column))
        return f"_fit({self.format_term(value)}, {lo}, {hi}, {len(self.written) - 1})"

    def _format_value_moved_into_bounds(self, value: Term, lo: int, hi: int) -> str:
        written = self.format_integer_term(value)
        if value.lo < lo:
            written = f"max({written}, {lo})"
        return f"min({written}, {hi})" if value.hi > hi else written

    @staticmethod
    def _generate_if_else_lines(condition: str, then_lines: list[str], else_lines: list[str]) -> list[str]:
        if then_lines and else_lines:
            return [f"if {condition}:", *indent_lines(then_lines), "else:", *indent_lines(else_lines)]
        if then_lines:
            return [f"if {condition}:", *indent_lines(then_lines)]
        return [f"if not {condition}:", *indent_lines(else_lines)] if else_lines else []

    def generate_requirement_test_body(self, body: Sequence[Statement]) -> list[str]:
        """Return the lines of a function that returns 1 if all requirements hold and 0 otherwise.

        Plain requirements become one expression, which compiles without branches.
        """
        plain = list_requirements_if_all_come_first(body)
        if plain is None:
            return [*self.generate_lines_returning_zero_if_refused(body), "return 1"]
        return [f"return 1 if {' and '.join(map(self.format_term, plain))} else 0"] if plain else ["return 1"]

    def generate_lines_returning_zero_if_refused(self, body: Sequence[Statement]) -> list[str]:
        """Return lines that return 0 if a requirement fails and otherwise run on."""
        lines: list[str] = []
        last = 0
        for statement in body:
            match statement:
                case Require(condition, _, _, _, _):
                    lines += [f"if not {self.format_term(condition)}:", "    return 0"]
                    last = len(lines)
                case Keep():
                    lines.append(self.generate_line_keeping_value(statement))
                case If(condition, then, other):
                    lines += self._generate_if_else_lines(
                        self.format_term(condition),
                        self.generate_lines_returning_zero_if_refused(then),
                        self.generate_lines_returning_zero_if_refused(other),
                    )
                    last = len(lines)
                case Loop(var, start, stop, inner):
                    checks = self.generate_lines_returning_zero_if_refused(inner)
                    if checks:
                        lines += [f"for {format_local_name(var)} in range({start}, {stop}):", *indent_lines(checks)]
                        last = len(lines)
                case _:
                    break
        return lines[:last]


def list_requirements_if_all_come_first(body: Sequence[Statement]) -> list[Term] | None:
    """Return the requirements of a body if they all come first and no value is kept among them,
    else None."""
    plain: list[Term] = []
    left = count_requirements(body)
    for statement in body:
        if len(plain) == left:
            break
        if not isinstance(statement, Require):
            return None
        plain.append(statement.condition)
    return plain


def _is_value_always_within(value: Term, lo: int, hi: int) -> bool:
    return value.lo >= lo and value.hi <= hi


def _format_addition(number: str, addend: int) -> str:
    return f"({number} + {addend})" if addend else number


def can_keep_field_in_bit_planes(field: Field) -> bool:
    """Return whether a field can be kept as planes: it has few bits per cell, at least `FEWEST`
    cells and at most 64."""
    return FEWEST <= field.size <= LANES and 1 <= field.bits <= _PLANES


def format_local_name(local: Local) -> str:
    """A local's name in generated source: unique, so nested bodies never clash."""
    return f"{'_' * local.name[:1].isdigit()}{replace_non_alphanumerics_by_underscores(local.name)}_{local.number}"


def is_small_term_without_calls_or_loops(term: Term, max_nodes: int) -> bool:
    """Return whether a term has at most `most` nodes and calls nothing."""
    sized = enumerate(iter_term_and_subterms(term), 1)
    return all(size <= max_nodes and not isinstance(node, Reduce | Apply) for size, node in sized)


def replace_non_alphanumerics_by_underscores(name: str) -> str:
    """Return a name with `_` for all that is no ASCII letter or digit. Every name of a description that enters
    source passes here, so that no name is code."""
    letters = [c if c.isascii() and c.isalnum() else "_" for c in name]
    return "".join(letters)


def indent_lines(lines: Iterable[str]) -> list[str]:
    """Return lines one level deeper."""
    return [f"    {line}" for line in lines]


# -- cells ---------------------------------------------------------------------------------------------------
# Finds conditions that compare many cells of an array with one value, so that generated code can compare
# all these cells at once.

FEWEST = 3  # cells that are asked at once rather than one by one


@dataclass(frozen=True)
class CellRow:
    """The condition `field[first + var] == value` for each value of a variable, or `!=` if `apart`
    is true."""

    field: Field
    first: Term
    value: Term
    apart: bool


def match_comparison_over_row_of_cells(condition: Term, var: Local) -> CellRow | None:
    """Return the row of cells that a condition compares over `var`, or None for any other
    condition."""
    if not isinstance(condition, Op) or condition.op not in ("==", "!="):
        return None
    for cell, value in (condition.args, condition.args[::-1]):
        if isinstance(cell, Read) and var in cell.locals and var not in value.locals:
            first = _subtract_variable_from_index_sum(cell.index, var)
            return None if first is None else CellRow(cell.field, first, value, condition.op == "!=")
    return None


def _subtract_variable_from_index_sum(index: Term, var: Local) -> Term | None:
    """Return what an index adds to the variable, or None if the index is not a sum with the
    variable."""
    if index is var:
        return Const(0)
    if isinstance(index, Op) and index.op == "+":
        for side, other in (index.args, index.args[::-1]):
            rest = _subtract_variable_from_index_sum(side, var) if var not in other.locals else None
            if rest is not None:
                return make_sum_term(rest, other)
    return None


@dataclass(frozen=True)
class CellPattern:
    """Numbers of cells of a field that must all hold one value; `rest` holds the other
    conditions."""

    field: Field
    cells: frozenset[int]
    value: Term
    rest: tuple[Term, ...]


def find_largest_group_of_equal_cells(conditions: Sequence[Term]) -> CellPattern | None:
    """Return the pattern that most of these conditions share: cells of one field compared with one
    value. Return None if it has fewer than `FEWEST` cells."""
    groups: dict[tuple[int, object], list[tuple[Term, Read, Const, Term]]] = {}
    for part in conditions:
        if not (isinstance(part, Op) and part.op == "=="):
            continue
        for cell, value in (part.args, part.args[::-1]):
            if isinstance(cell, Read) and isinstance(cell.index, Const):
                key = (cell.field.number, make_structural_key_or_identity(value))
                groups.setdefault(key, []).append((part, cell, cell.index, value))
                break
    most = max(groups.values(), key=len, default=[])
    if len(most) < FEWEST:
        return None
    _, first_cell, _, value = most[0]
    cells = frozenset(index.value for _, _, index, _ in most)
    taken = {id(part) for part, *_ in most}
    rest = tuple(part for part in conditions if id(part) not in taken)
    return CellPattern(first_cell.field, cells, value, rest)
