"""Values of a game's terms in an open state, as formulas.

Plain numbers stay plain, so a state with some known cells gives small formulas. This reading shares no code with the
fast one; tests compare both with the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import product
from typing import TypeAlias

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
    require_coverage_of_all_operators,
)
from playproof.language.game import Game
from playproof.verifier.kernel.formulas import (
    Formula,
    FormulaTable,
    Number,
    Truth,
    add_numbers,
    choose_number,
    compare_numbers,
    conjoin_formulas,
    disjoin_formulas,
    floor_divide_number,
    is_choice,
    is_same_number_or_formula,
    multiply_numbers,
    negate_formula,
    subtract_numbers,
    take_remainder_of_number,
)

Cells: TypeAlias = list[Number]
Env: TypeAlias = dict[int, Number]
_DEEPEST = 4  # nested cases that a read looks into
_MOST_VALUES = 2_000  # combinations of a row and a column that an index is taken apart into
_LOGICAL = frozenset(("and", "or", "not", "==", "!=", "<", "<="))
_NUMERIC = frozenset(("+", "-", "*", "//", "%", "min", "max", "abs", "pick"))
require_coverage_of_all_operators("the kernel's formulas", _LOGICAL | _NUMERIC)


class TermReading:
    """Reads the terms of one game."""

    def __init__(self, game: Game) -> None:
        self.game = game.seal()
        self.fields = [f for f in game.fields for _ in range(f.size)]
        self.formulas = FormulaTable()
        self._made: dict[tuple[object, ...], tuple[Number, object]] = {}
        """Values by what they are made of, which stands beside them, so that its identity is not given away again."""

    # -- open values ----------------------------------------------------------------------------------------

    def make_symbolic_state(self, variable_prefix: str = "s") -> Cells:
        """Return an open state: a variable within its field's bounds for each cell that has more than one value."""
        make = self.formulas.make_variable
        return [make(f"{variable_prefix}{n}", f.lo, f.hi) for n, f in enumerate(self.fields)]

    def build_cells_within_bounds_formula(self, cells: Sequence[Number]) -> Truth:
        """Return the formula that every cell lies within its field's bounds."""
        return conjoin_formulas(
            self.build_value_in_range_formula(c, f.lo, f.hi) for c, f in zip(cells, self.fields, strict=True)
        )

    def build_value_in_range_formula(self, value: Number, lo: int, hi: int) -> Truth:
        """Return the formula lo <= value <= hi."""
        return conjoin_formulas(
            [self.build_comparison_formula("<=", lo, value), self.build_comparison_formula("<=", value, hi)]
        )

    # -- terms ----------------------------------------------------------------------------------------------

    def build_term_value(self, term: Term, cells: Sequence[Number], local_values: Env) -> Number:
        """Return a term's value; truths count as 0 and 1."""
        match term:
            case Const():
                return term.value
            case Local():
                return local_values[term.number]
            case Read(field=source):
                return self._read_value_at_index(
                    term.index, lambda i: cells[source.offset + i], source.size, cells, local_values
                )
            case Lookup(table=table):
                return self._read_value_at_index(
                    term.index, table.values.__getitem__, len(table.values), cells, local_values
                )
            case Apply():
                return self._evaluate_named_function(
                    term.function, [self.build_term_value(x, cells, local_values) for x in term.args], cells
                )
            case Reduce(kind="sum" | "min" | "max"):
                return self._build_reduction_value(term, cells, local_values)
            case Op(op="pick"):
                return self._build_pick_value(term, cells, local_values)
            case Op(op="abs"):
                return self._build_absolute_value(term, cells, local_values)
            case Op(op="+" | "-" | "*" | "//" | "%" | "min" | "max"):
                a, b = (self.build_term_value(x, cells, local_values) for x in term.args)
                return self.combine_numbers(term.op, a, b)
        return self.choose_by_condition(self.build_term_is_true_formula(term, cells, local_values), 1, 0)

    def build_term_is_true_formula(self, term: Term, cells: Sequence[Number], local_values: Env) -> Truth:
        """Return the formula that a term is not 0."""
        match term:
            case Op(op="and"):
                return conjoin_formulas(self.build_term_is_true_formula(x, cells, local_values) for x in term.args)
            case Op(op="or"):
                return disjoin_formulas(self.build_term_is_true_formula(x, cells, local_values) for x in term.args)
            case Op(op="not"):
                return negate_formula(self.build_term_is_true_formula(term.args[0], cells, local_values))
            case Op(op="pick"):
                condition, yes, no = (self.build_term_is_true_formula(x, cells, local_values) for x in term.args)
                return disjoin_formulas(
                    [conjoin_formulas([condition, yes]), conjoin_formulas([negate_formula(condition), no])]
                )
            case Op(op="==" | "!=" | "<" | "<="):
                a, b = (self.build_term_value(x, cells, local_values) for x in term.args)
                return self.build_comparison_formula(term.op, a, b)
            case Reduce(kind="any"):
                return disjoin_formulas(
                    self.build_term_is_true_formula(term.body, cells, inner)
                    for inner in _iter_locals_of_each_reduction_turn(term, local_values)
                )
            case Reduce(kind="all"):
                return conjoin_formulas(
                    self.build_term_is_true_formula(term.body, cells, inner)
                    for inner in _iter_locals_of_each_reduction_turn(term, local_values)
                )
        return self.build_comparison_formula("!=", self.build_term_value(term, cells, local_values), 0)

    def _build_pick_value(self, pick_term: Op, cells: Sequence[Number], local_values: Env) -> Number:
        """`choose_by_condition(c, a, b)` is a where c holds, else b. A side that a plain condition rules out is
        not read."""
        condition = self.build_term_is_true_formula(pick_term.args[0], cells, local_values)
        if isinstance(condition, bool):
            return self.build_term_value(pick_term.args[1 if condition else 2], cells, local_values)
        yes, no = (self.build_term_value(x, cells, local_values) for x in pick_term.args[1:])
        return self.choose_by_condition(condition, yes, no)

    def _build_absolute_value(self, abs_term: Op, cells: Sequence[Number], local_values: Env) -> Number:
        """`abs(a)` is 0 - a where a < 0, else a."""
        a = self.build_term_value(abs_term.args[0], cells, local_values)
        return self.choose_by_condition(self.build_comparison_formula("<", a, 0), self.combine_numbers("-", 0, a), a)

    def _build_reduction_value(self, reduce_term: Reduce, cells: Sequence[Number], local_values: Env) -> Number:
        """The body's values for all turns, joined from left to right."""
        op = "+" if reduce_term.kind == "sum" else reduce_term.kind
        first, *others = [
            self.build_term_value(reduce_term.body, cells, inner)
            for inner in _iter_locals_of_each_reduction_turn(reduce_term, local_values)
        ]
        for value in others:
            first = self.combine_numbers(op, first, value)
        return first

    def build_comparison_formula(self, operator: str, left: Number, right: Number) -> Truth:
        """Return the formula `left operator right`, for == != < <=."""
        return compare_numbers(operator, left, right)

    def choose_by_condition(self, condition: Truth, value_if_true: Number, value_if_false: Number) -> Number:
        """Return `value_if_true` if the condition holds, else `value_if_false`."""
        return choose_number(condition, value_if_true, value_if_false)

    def combine_numbers(self, operator: str, left: Number, right: Number) -> Number:
        """Return `left operator right`, for + - * // % min max. A divisor is plain and positive."""
        match operator:
            case "+":
                return add_numbers(left, right)
            case "-":
                return subtract_numbers(left, right)
            case "*":
                return multiply_numbers(left, right)
            case "//":
                return floor_divide_number(left, right)
            case "%":
                return take_remainder_of_number(left, right)
        first, second = (left, right) if operator == "min" else (right, left)
        return self.choose_by_condition(self.build_comparison_formula("<=", left, right), first, second)

    # -- places ---------------------------------------------------------------------------------------------

    def _read_value_at_index(
        self, index: Term, get_value: Callable[[int], Number], size: int, cells: Sequence[Number], local_values: Env
    ) -> Number:
        where = self.build_term_value(index, cells, local_values)
        if isinstance(where, int):
            return get_value(where)
        places = self._list_places_index_may_mean(where, index, size, cells, local_values)
        values = [get_value(i) for i in places]
        if all(isinstance(value, int) for value in values):
            return self._build_constant_lookup_cached(where, places, values)
        return self._build_value_at_place_by_cases(where, places, values, _DEEPEST)

    def _build_constant_lookup_cached(self, index: Number, places: Sequence[int], values: Sequence[Number]) -> Number:
        """Return the plain number at a place. Rules look the same up again and again, so the formula is kept."""
        key = get_number_or_formula_key(index), tuple(places), tuple(values)
        if key not in self._made:
            self._made[key] = self._build_value_at_place_by_halving(index, places, values), index
        return self._made[key][0]

    def _list_places_index_may_mean(
        self, where: Number, index: Term, size: int, cells: Sequence[Number], local_values: Env
    ) -> list[int]:
        """Return the places that an index, whose value is `where`, may mean, in order. An open row and a plain column
        mean the places of that column only."""
        values = self._list_values_term_may_have(index, cells, local_values)
        inside = sorted(i for i in values if max(0, index.lo) <= i <= min(size - 1, index.hi))
        if not isinstance(where, Formula):
            return inside
        return [i for i in inside if where.lo <= i <= where.hi] or inside  # none of them: the rules are at fault there

    def _list_values_term_may_have(self, term: Term, cells: Sequence[Number], local_values: Env) -> Collection[int]:
        """Return numbers among which a term's value is: those of its parts, if they are few, else
        its bounds."""
        match term:
            case Op(op="+" | "*", args=(left, right)):
                some, others = (self._list_values_term_may_have(x, cells, local_values) for x in (left, right))
                if len(some) * len(others) <= _MOST_VALUES:
                    pairs = product(some, others)
                    return {a + b for a, b in pairs} if term.op == "+" else {a * b for a, b in pairs}
            case Const() | Local() | Read():
                value = self.build_term_value(term, cells, local_values)
                if isinstance(value, int):
                    return (value,)
        return range(term.lo, term.hi + 1)

    def _build_value_at_place_by_cases(
        self, place: Number, places: Sequence[int], values: Sequence[Number], depth: int
    ) -> Number:
        """Return the value at a place, as a formula with few cases.

        If all values are choices by one common case, that case is asked first. If all were written
        at one open index (the value at 3 is `If(index == 3, new, old)`), one comparison of the
        place with that index decides; most reads then give the old value.
        """
        choice = next(filter(is_choice, values), None) if depth and len(values) > 1 else None
        if choice is None:
            return self._build_value_at_place_by_halving(place, places, values)
        case, new, _ = choice.args
        if all(is_choice(value) and value.args[0] is case for value in values):
            yes, no = [value.args[1] for value in values], [value.args[2] for value in values]
            return self.choose_by_condition(
                case,
                self._build_value_at_place_by_cases(place, places, yes, depth - 1),
                self._build_value_at_place_by_cases(place, places, no, depth - 1),
            )
        if case.op == "==" and isinstance(case.args[1], int):
            older = self._list_values_before_write_or_none(case.args[0], new, places, values)
            if older is not None:
                return self.choose_by_condition(
                    self.build_comparison_formula("==", place, case.args[0]),
                    new,
                    self._build_value_at_place_by_cases(place, places, older, depth - 1),
                )
        return self._build_value_at_place_by_halving(place, places, values)

    def _list_values_before_write_or_none(
        self, index: Number, new_value: Number, places: Sequence[int], values: Sequence[Number]
    ) -> list[Number] | None:
        """Return what stood at each place before `new_value` was written at an open index; None if it was not."""
        older = list[Number]()
        for place, value in zip(places, values, strict=True):
            here = self.build_comparison_formula("==", index, place)
            if here is False or is_same_number_or_formula(value, new_value):
                older.append(value)
            elif is_choice(value) and value.args[0] is here and is_same_number_or_formula(value.args[1], new_value):
                older.append(value.args[2])
            else:
                return None
        return older

    def _build_value_at_place_by_halving(
        self, place: Number, places: Sequence[int], values: Sequence[Number]
    ) -> Number:
        """Return the value at a place, found by comparing the place with the middle one."""
        if len(places) == 1:
            return values[0]
        half = len(places) // 2
        low = self._build_value_at_place_by_halving(place, places[:half], values[:half])
        high = self._build_value_at_place_by_halving(place, places[half:], values[half:])
        if is_same_number_or_formula(low, high):
            return low
        return self.choose_by_condition(self.build_comparison_formula("<", place, places[half]), low, high)

    def _evaluate_named_function(
        self, function: Function, argument_values: Sequence[Number], cells: Sequence[Number]
    ) -> Number:
        """Return a named function's value; the result is kept for the same arguments and cells."""
        read = self.list_cells_term_reads(function.body, cells)
        key = (function.number, *map(get_number_or_formula_key, argument_values), *map(get_number_or_formula_key, read))
        if key not in self._made:
            env = {p.number: x for p, x in zip(function.params, argument_values, strict=True)}
            self._made[key] = (self.build_term_value(function.body, cells, env), (argument_values, read))
        return self._made[key][0]

    def list_cells_term_reads(self, term: Term, cells: Sequence[Number]) -> Cells:
        """Return the values of the cells that a term may read."""
        fields = [self.game.fields[number] for number in term.reads]
        return [cell for each in fields for cell in cells[each.offset : each.offset + each.size]]


def _iter_locals_of_each_reduction_turn(reduce_term: Reduce, local_values: Env) -> Iterator[Env]:
    """Yield the locals in each turn of a reduction."""
    for i in range(reduce_term.start, reduce_term.stop):
        yield {**local_values, reduce_term.var.number: i}


def get_number_or_formula_key(value: Number) -> object:
    """Return a key that two values share exactly if they are alike, as long as both are kept."""
    return value if isinstance(value, int | Formula) else ("object", id(value))
