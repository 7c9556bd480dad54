"""Formulas over open cells: numbers and truths as data, each with the bounds between which its value lies.

A variable lies within the bounds that it is made with, in every question. So what these bounds decide is decided when a
formula is made, and no solver is asked. Equal formulas of one table are one object. Plain numbers and truths are no
formulas: they stay ints and bools.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

Number: TypeAlias = Any
"""A plain int or a formula of a number; for readings of many states at once a column of numbers."""
Truth: TypeAlias = Any
"""A plain bool or a formula that is 0 or 1; for readings of many states at once a column of truths."""
VARIABLE, PLUS, MINUS, TIMES, QUOTIENT, REMAINDER, CHOICE = "variable", "+", "-", "*", "//", "%", "if"
EQUAL, UP_TO, AND, OR, NOT = "==", "<=", "and", "or", "not"
TRUTHS = frozenset((EQUAL, UP_TO, AND, OR, NOT))


class Formula:
    """A part `op` of `args`, which are formulas and plain numbers (of a variable: its name and bounds). Its value lies
    from `lo` to `hi`."""

    __slots__ = ("args", "hi", "lo", "op", "table")

    def __init__(self, op: str, args: tuple[Any, ...], bounds: tuple[int, int], table: FormulaTable) -> None:
        self.op, self.args, self.table = op, args, table
        self.lo, self.hi = bounds


class FormulaTable:
    """Makes formulas, each once."""

    def __init__(self) -> None:
        self._made: dict[tuple[Any, ...], Formula] = {}
        self.compared_choices: dict[tuple[Any, Formula, int], Truth | None] = {}

    def make_formula(self, op: str, args: tuple[Any, ...], lo: int, hi: int) -> Formula:
        """Return the formula of these parts, whose value lies from `lo` to `hi`."""
        key = (op, *args)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = Formula(op, args, (lo, hi), self)
        return found

    def make_variable(self, name: str, lo: int, hi: int) -> Number:
        """Return an open number from `lo` to `hi`; a plain one if they are the same."""
        return lo if lo == hi else self.make_formula(VARIABLE, (name, lo, hi), lo, hi)


def get_lowest_and_highest(number: Number) -> tuple[int, int]:
    """Return the bounds of a number."""
    return (number, number) if isinstance(number, int) else (number.lo, number.hi)


# -- numbers ----------------------------------------------------------------------------------------------------------


def add_numbers(left: Number, right: Number) -> Number:
    """Return the sum."""
    if isinstance(left, int):
        left, right = right, left
    if isinstance(left, int):
        return left + right
    if isinstance(right, int):
        if right == 0:
            return left
        if left.op == PLUS and isinstance(left.args[1], int):
            return add_numbers(left.args[0], left.args[1] + right)
        return left.table.make_formula(PLUS, (left, right), left.lo + right, left.hi + right)
    return left.table.make_formula(PLUS, (left, right), left.lo + right.lo, left.hi + right.hi)


def subtract_numbers(left: Number, right: Number) -> Number:
    """Return the difference."""
    if isinstance(right, int):
        return add_numbers(left, -right)
    if left is right:
        return 0
    lo, hi = get_lowest_and_highest(left)
    return right.table.make_formula(MINUS, (left, right), lo - right.hi, hi - right.lo)


def multiply_numbers(left: Number, right: Number) -> Number:
    """Return the product."""
    if isinstance(left, int):
        left, right = right, left
    if isinstance(left, int):
        return left * right
    if isinstance(right, int) and right in (0, 1):
        return left if right else 0
    lo, hi = get_lowest_and_highest(right)
    ends = [a * b for a in (left.lo, left.hi) for b in (lo, hi)]
    return left.table.make_formula(TIMES, (left, right), min(ends), max(ends))


def floor_divide_number(dividend: Number, divisor: int) -> Number:
    """Return the quotient by a plain positive number, rounded down."""
    lo, hi = get_lowest_and_highest(dividend)
    if lo // divisor == hi // divisor:
        return lo // divisor
    return dividend.table.make_formula(QUOTIENT, (dividend, divisor), lo // divisor, hi // divisor)


def take_remainder_of_number(dividend: Number, divisor: int) -> Number:
    """Return the remainder by a plain positive number, from 0 to below the number."""
    lo, hi = get_lowest_and_highest(dividend)
    if lo // divisor == hi // divisor:
        return subtract_numbers(dividend, lo // divisor * divisor)
    return dividend.table.make_formula(REMAINDER, (dividend, divisor), 0, divisor - 1)


def choose_number(condition: Truth, value_if_true: Number, value_if_false: Number) -> Number:
    """Return the one number if the condition holds, else the other."""
    if isinstance(condition, bool):
        return value_if_true if condition else value_if_false
    if condition.op == NOT:
        condition, value_if_true, value_if_false = condition.args[0], value_if_false, value_if_true
    if isinstance(value_if_true, Formula) and value_if_true.op == CHOICE and value_if_true.args[0] is condition:
        value_if_true = value_if_true.args[1]
    if isinstance(value_if_false, Formula) and value_if_false.op == CHOICE and value_if_false.args[0] is condition:
        value_if_false = value_if_false.args[2]
    if is_same_number_or_formula(value_if_true, value_if_false):
        return value_if_true
    low, high = get_lowest_and_highest(value_if_true)
    lo, hi = get_lowest_and_highest(value_if_false)
    args = (condition, value_if_true, value_if_false)
    formula: Formula = condition.table.make_formula(CHOICE, args, min(lo, low), max(hi, high))
    return formula


# -- truths -----------------------------------------------------------------------------------------------------------


def compare_numbers(operator: str, left: Number, right: Number) -> Truth:
    """Return the truth of `left operator right`, for == != < <=."""
    if operator == "!=":
        return negate_formula(_are_equal(left, right))
    if operator == "<":
        return negate_formula(_is_up_to(right, left))
    return _are_equal(left, right) if operator == EQUAL else _is_up_to(left, right)


def _are_equal(left: Number, right: Number) -> Truth:
    if left is right:
        return True
    if isinstance(left, int):
        left, right = right, left
    if isinstance(left, int):
        return left == right
    lo, hi = get_lowest_and_highest(right)
    if left.hi < lo or hi < left.lo:
        return False
    simpler = _compare_part_with_plain_or_none(_are_equal, left, right) if isinstance(right, int) else None
    return simpler if simpler is not None else left.table.make_formula(EQUAL, (left, right), 0, 1)


def _is_up_to(left: Number, right: Number) -> Truth:
    (low, high), (lo, hi) = get_lowest_and_highest(left), get_lowest_and_highest(right)
    if high <= lo:
        return True
    if hi < low or left is right:
        return left is right
    if isinstance(left, int):  # 3 <= x is: not x <= 2
        return negate_formula(_is_up_to(right, left - 1))
    simpler = _compare_part_with_plain_or_none(_is_up_to, left, right) if isinstance(right, int) else None
    return simpler if simpler is not None else left.table.make_formula(UP_TO, (left, right), 0, 1)


def _compare_part_with_plain_or_none(compare: Callable[..., Truth], whole: Formula, plain: int) -> Truth | None:
    """Return the comparison of a formula with a plain number as a simpler one: of a part of a sum with another number,
    or of a choice whose two sides are decided; else None."""
    if whole.op == PLUS and isinstance(whole.args[1], int):
        return compare(whole.args[0], plain - whole.args[1])
    if whole.op != CHOICE:
        return None
    known, key = whole.table.compared_choices, (compare, whole, plain)
    if key not in known:  # a choice may hold many others
        condition, yes, no = whole.args
        truths = compare(yes, plain), compare(no, plain)
        undecided = {(True, False): condition, (False, True): negate_formula(condition)}.get(truths)
        known[key] = truths[0] if truths[0] is truths[1] else undecided
    return known[key]


def negate_formula(formula: Truth) -> Truth:
    """Return the negation."""
    if isinstance(formula, bool):
        return not formula
    if isinstance(formula, Formula):
        return formula.args[0] if formula.op == NOT else formula.table.make_formula(NOT, (formula,), 0, 1)
    return ~formula


def conjoin_formulas(formulas: Iterable[Truth]) -> Truth:
    """Return the conjunction of the parts. Parts behind one that is plainly false are not made."""
    return _join_truths(AND, False, formulas)


def disjoin_formulas(formulas: Iterable[Truth]) -> Truth:
    """Return the disjunction of the parts. Parts behind one that is plainly true are not made."""
    return _join_truths(OR, True, formulas)


def _join_truths(op: str, decisive: bool, formulas: Iterable[Truth]) -> Truth:
    """Return the parts joined; one that is `decisive` decides."""
    some, columns = dict[Formula, None](), list[Any]()
    for formula in formulas:
        if formula is decisive:
            return decisive
        if formula is (not decisive):
            continue
        if not isinstance(formula, Formula):
            columns.append(formula)
        elif formula.op == op:
            some.update(dict.fromkeys(formula.args))
        else:
            some[formula] = None
    if columns:
        return _join_columns(op, columns)
    if any(part.op == NOT and part.args[0] in some for part in some):
        return decisive
    if len(some) < 2:
        return next(iter(some), not decisive)
    parts = tuple(some)
    return parts[0].table.make_formula(op, parts, 0, 1)


def _join_columns(op: str, columns: Sequence[Any]) -> Any:
    joined = columns[0]
    for column in columns[1:]:
        joined = joined & column if op == AND else joined | column
    return joined


# -- parts ------------------------------------------------------------------------------------------------------------


def is_same_number_or_formula(left: Number, right: Number) -> bool:
    """Return whether two values are the same plain number or the same formula."""
    return left is right or (isinstance(left, int) and isinstance(right, int) and left == right)


def is_choice(value: Number) -> bool:
    """Return whether a number is chosen by a condition."""
    return isinstance(value, Formula) and value.op == CHOICE


def list_parts_before_wholes(formulas: Iterable[Truth]) -> list[Formula]:
    """Return all formulas that some consist of, these included, each once and behind its parts. Their order is that in
    which they stand in the formulas, whatever else was made before."""
    waiting = [formula for formula in formulas if isinstance(formula, Formula)][::-1]
    listed, opened = dict[Formula, None](), set[Formula]()
    while waiting:
        formula = waiting[-1]
        if formula in opened:
            listed.setdefault(waiting.pop())
        else:
            opened.add(formula)
            waiting += [arg for arg in formula.args[::-1] if isinstance(arg, Formula) and arg not in opened]
    return list(listed)


# -- SMT-LIB ----------------------------------------------------------------------------------------------------------

_DEEPEST = 40
"""Parts that stand in one another before one gets a name."""
_SIGNS = MappingProxyType({QUOTIENT: "div", REMAINDER: "mod", EQUAL: "=", CHOICE: "ite"})
_BIT_SIGNS = MappingProxyType({**_SIGNS, PLUS: "bvadd", MINUS: "bvsub", TIMES: "bvmul", UP_TO: "bvsle"})
"""The words of SMT-LIB, where they are others."""


def formulas_to_smtlib_text(formulas: Sequence[Truth], use_integers: bool) -> str:
    """Return the question whether formulas of one table can be true together, as SMT-LIB text. Numbers are integers, or
    bit-vectors of a width in which none of them overflows."""
    return "\n".join(_SmtlibWriter(formulas, use_integers).iter_lines())


class _SmtlibWriter:
    """Writes formulas. A part that stands twice, or too deep, is written once, and has a name."""

    def __init__(self, formulas: Sequence[Truth], use_integers: bool) -> None:
        self.formulas, self.parts = formulas, list_parts_before_wholes(formulas)
        most = max((max(abs(part.lo), abs(part.hi), *_iter_plain_sizes(part)) for part in self.parts), default=0)
        self.width = 0 if use_integers else most.bit_length() + 2
        self.signs = _SIGNS if use_integers else _BIT_SIGNS
        self.sort = "Int" if use_integers else f"(_ BitVec {self.width})"

    def iter_lines(self) -> Iterator[str]:
        """Yield the lines of the question."""
        uses = dict.fromkeys(self.parts, 0)
        for part in self.parts:
            for arg in part.args:
                if isinstance(arg, Formula):
                    uses[arg] += 1
        texts, depths = dict[Any, str](), dict[Any, int]()
        for number, part in enumerate(self.parts):
            if part.op == VARIABLE:
                texts[part] = f"|{part.args[0]}|"
                yield from self._iter_lines_of_variable(part)
                continue
            text = self._format_part(part, [texts.get(arg) or self._format_plain(arg) for arg in part.args])
            depth = 1 + max((depths.get(arg, 0) for arg in part.args), default=0)
            if uses[part] > 1 or depth > _DEEPEST:
                yield f"(define-fun f{number} () {'Bool' if part.op in TRUTHS else self.sort} {text})"
                text, depth = f"f{number}", 0
            texts[part], depths[part] = text, depth
        for formula in self.formulas:
            yield f"(assert {texts[formula] if isinstance(formula, Formula) else str(formula).lower()})"
        yield "(check-sat)"

    def _iter_lines_of_variable(self, variable: Formula) -> Iterator[str]:
        name, lo, hi = variable.args
        if self.width and lo >= 0:  # the bits above are 0
            bits = hi.bit_length()
            yield f"(declare-fun |{name}.bits| () (_ BitVec {bits}))"
            yield f"(define-fun |{name}| () {self.sort} ((_ zero_extend {self.width - bits}) |{name}.bits|))"
        else:
            yield f"(declare-fun |{name}| () {self.sort})"
        sign = self.signs.get(UP_TO, UP_TO)
        yield f"(assert ({sign} {self._format_plain(lo)} |{name}|))"
        yield f"(assert ({sign} |{name}| {self._format_plain(hi)}))"

    def _format_plain(self, value: int) -> str:
        if self.width:
            return f"(_ bv{value % (1 << self.width)} {self.width})"
        return str(value) if value >= 0 else f"(- {-value})"

    def _format_part(self, part: Formula, texts: Sequence[str]) -> str:
        if self.width and part.op in (QUOTIENT, REMAINDER):
            return self._format_bit_division(part, texts[0])
        return f"({self.signs.get(part.op, part.op)} {' '.join(texts)})"

    def _format_bit_division(self, part: Formula, dividend_text: str) -> str:
        """Write // or %, which bit-vectors have of numbers from 0 on: the dividend is raised by a multiple of the
        divisor."""
        dividend, divisor = part.args
        turns = max(0, -(dividend.lo // divisor))
        raised = f"(bvadd {dividend_text} {self._format_plain(turns * divisor)})"
        if part.op == REMAINDER:
            return f"(bvurem {raised} {self._format_plain(divisor)})"
        return f"(bvsub (bvudiv {raised} {self._format_plain(divisor)}) {self._format_plain(turns)})"


def _iter_plain_sizes(part: Formula) -> Iterator[int]:
    """Yield how large the plain numbers of a part are, and what is added to a dividend."""
    yield from (abs(arg) for arg in part.args if isinstance(arg, int))
    if part.op in (QUOTIENT, REMAINDER):
        yield part.args[0].hi - min(0, part.args[0].lo) + part.args[1]
