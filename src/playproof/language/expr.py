"""Terms over a game's state: immutable, bounded, built by tracing Python operators.

Every term is an integer with bounds `lo..hi`; a truth value is 0 or 1. A term stands for a value
*at the moment it was read*. The tracer refuses a term if one of its fields was assigned since (see
`Tracer.use`), so that a rule and its readings cannot differ.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial, reduce
from itertools import count
from operator import index
from typing import Any, SupportsIndex, Union

from playproof.language.errors import (
    MOST_CHOICES,
    Place,
    RulesError,
    is_file_written_by_designer,
    refuse_number_above_limit,
)
from playproof.language.fields import Field

Value = Union["Operand", int, bool]
_NO_READS: Mapping[int, int] = {}
_NO_LOCALS: frozenset[Local] = frozenset()
_numbers = count(1)


class TermOperators:
    """Python operators build terms. `if`, `and`, `or`, `not` and chained comparisons are
    refused, and so is what Python would answer at once and for good: a text, a length, a place in a
    set or dict. `repr` stays, for debugging."""

    __slots__ = ()

    def __hash__(self) -> int:
        # Terms compare into terms, so a designer's `{s.turn: ...}` or `s.turn in {1, 2}` would never match.
        if is_file_written_by_designer(sys._getframe(1).f_code.co_filename):
            raise RulesError(
                "PP303",
                "a state value was used as a key of a dict or an element of a set",
                "write `g.table(name, values)[index]`, or any_of(x == value for value in (...))",
            )
        return object.__hash__(self)

    def to_term(self) -> Term:
        raise RulesError("PP301", f"{type(self).__name__} is not a single value")

    def __str__(self) -> str:
        raise make_value_in_text_error()

    def __format__(self, spec: str) -> str:
        raise make_value_in_text_error()

    def __len__(self) -> int:
        raise RulesError(
            "PP301",
            "`len` was asked of a value of the state, which is one number",
            "write the value itself; of a list that Python makes, `len` is allowed",
        )

    def __getitem__(self, key: Any) -> Term:
        raise RulesError(
            "PP305",
            "a value of the state is one number and has no places",
            "write both indices in one pair of brackets: `s.board[row, column]`",
        )

    def __bool__(self) -> bool:
        raise RulesError(
            "PP302",
            "a Python `if`, `and`, `or`, `not`, `in` or `a < b < c` was used on a value of the state",
            "write `with when(...):` for a choice, `pick(condition, a, b)` for a value, &, |, ~ for logic with each "
            "comparison in parentheses, and any_of, all_of, max_of, min_of for any, all, max, min",
        )

    def __index__(self) -> int:
        raise RulesError(
            "PP303",
            "a state value was used as a plain Python integer",
            "use `for i in each(n)`, `g.table(...)[i]` or `array[i]`, which keep it in the rules; in the "
            "sentence of `require` write {} and give the value behind it",
        )

    def __iter__(self) -> Any:
        raise RulesError("PP303", "a state value was iterated over", "iterate over its static range instead")

    def __add__(self, other: Value) -> Term:
        if isinstance(other, str):
            raise make_value_in_text_error()
        return make_sum_term(self.to_term(), as_term(other))

    def __radd__(self, other: Value) -> Term:
        if isinstance(other, str):
            raise make_value_in_text_error()
        return make_sum_term(as_term(other), self.to_term())

    def __sub__(self, other: Value) -> Term:
        return make_difference_term(self.to_term(), as_term(other))

    def __rsub__(self, other: Value) -> Term:
        return make_difference_term(as_term(other), self.to_term())

    def __mul__(self, other: Value) -> Term:
        return make_product_term(self.to_term(), as_term(other))

    def __rmul__(self, other: Value) -> Term:
        return make_product_term(as_term(other), self.to_term())

    def __floordiv__(self, other: Value) -> Term:
        return make_floor_quotient_term(self.to_term(), as_term(other))

    def __truediv__(self, other: Value) -> Term:
        raise RulesError("PP307", "`/` gives fractions, and the state holds whole numbers", "write `//` or `%`")

    def __mod__(self, other: Value) -> Term:
        return make_remainder_term(self.to_term(), as_term(other))

    def __neg__(self) -> Term:
        return make_difference_term(Const(0), self.to_term())

    def __eq__(self, other: object) -> Term:  # type: ignore[override]  # terms compare into terms, as in any HDL
        return make_comparison_term("==", self.to_term(), as_term(other))

    def __ne__(self, other: object) -> Term:  # type: ignore[override]  # see __eq__
        return make_comparison_term("!=", self.to_term(), as_term(other))

    def __lt__(self, other: Value) -> Term:
        return make_comparison_term("<", self.to_term(), as_term(other))

    def __le__(self, other: Value) -> Term:
        return make_comparison_term("<=", self.to_term(), as_term(other))

    def __gt__(self, other: Value) -> Term:
        return make_comparison_term("<", as_term(other), self.to_term())

    def __ge__(self, other: Value) -> Term:
        return make_comparison_term("<=", as_term(other), self.to_term())

    def __and__(self, other: Value) -> Term:
        return make_and_term(_convert_condition_to_term_or_raise(self), _convert_condition_to_term_or_raise(other))

    def __rand__(self, other: Value) -> Term:
        return make_and_term(_convert_condition_to_term_or_raise(other), _convert_condition_to_term_or_raise(self))

    def __or__(self, other: Value) -> Term:
        return make_or_term(_convert_condition_to_term_or_raise(self), _convert_condition_to_term_or_raise(other))

    def __ror__(self, other: Value) -> Term:
        return make_or_term(_convert_condition_to_term_or_raise(other), _convert_condition_to_term_or_raise(self))

    def __invert__(self) -> Term:
        return make_not_term(_convert_condition_to_term_or_raise(self))

    def __abs__(self) -> Term:
        return make_absolute_value_term(self.to_term())


def make_value_in_text_error() -> RulesError:
    """Return the error for a value of the state inside a text. The rules are traced once, so the text
    would be the same in every game."""
    return RulesError(
        "PP361",
        "a value of the state was put into a text, which is made once for all games",
        'write {} in the sentence of `require` and the value behind it: require(c, "R1", "you '
        "have {}\", s.food); in an action's text write {name} of a parameter; "
        "an ending's reason is a plain sentence",
    )


class Operand(TermOperators):
    """One value: a term, or the handle of a field."""

    __slots__ = ()


class NonScalar(TermOperators):
    """A thing that is not one value: an array, a zone, a function without its call. Every use as a value
    is refused with `suggest_expression_of_single_value`, which says what to write."""

    __slots__ = ()

    def describe_in_error_message(self) -> str:
        """Return the words for the thing."""
        return f"a {type(self).__name__}"

    def suggest_expression_of_single_value(self) -> str:
        """Return what to write for a value of it."""
        return ""

    def to_term(self) -> Term:
        raise RulesError(
            "PP301",
            f"{self.describe_in_error_message()} is not a single value",
            self.suggest_expression_of_single_value(),
        )

    def __bool__(self) -> bool:
        raise RulesError(
            "PP301",
            f"{self.describe_in_error_message()} is neither true nor false",
            self.suggest_expression_of_single_value(),
        )

    def __len__(self) -> int:
        raise RulesError(
            "PP301",
            f"{self.describe_in_error_message()} has no length for `len`",
            self.suggest_expression_of_single_value(),
        )

    def __iter__(self) -> Any:
        raise RulesError(
            "PP301",
            f"{self.describe_in_error_message()} is not a list that Python can go through",
            self.suggest_expression_of_single_value(),
        )

    def __contains__(self, value: object) -> bool:
        raise RulesError(
            "PP301",
            f"Python's `in` cannot search {self.describe_in_error_message()}",
            self.suggest_expression_of_single_value(),
        )

    def __getitem__(self, key: Any) -> Any:
        raise RulesError(
            "PP301", f"{self.describe_in_error_message()} has no places", self.suggest_expression_of_single_value()
        )


class Question(NonScalar):
    """A function that answers with a value of the state, as `deck.size()`. It has to be called."""

    def __init__(self, name: str, run: Callable[..., Term], doc: str | None = None) -> None:
        self.__name__, self._run, self.__doc__ = name, run, doc

    def describe_in_error_message(self) -> str:
        return f"the function `{self.__name__}`"

    def suggest_expression_of_single_value(self) -> str:
        return f"call it: `{self.__name__}(...)`"

    def __call__(self, *args: Value) -> Term:
        return self._run(*args)


class Term(Operand):
    """A node of the expression graph. `reads` maps a field's index to the trace clock of its
    earliest read; `locals` holds the locals whose values the term needs."""

    __slots__ = ("hi", "lo", "locals", "reads")

    def __init__(
        self, lo: int, hi: int, reads: Mapping[int, int] = _NO_READS, names: frozenset[Local] = _NO_LOCALS
    ) -> None:
        self.lo, self.hi, self.reads, self.locals = lo, hi, reads, names

    def to_term(self) -> Term:
        return self


class Const(Term):
    """A plain integer."""

    __slots__ = ("value",)

    def __init__(self, value: int) -> None:
        super().__init__(value, value)
        self.value = value


FIRST = Const(0)
"""The cell number of a field that has one cell."""


class Local(Term):
    """A name inside one body: an action's parameter, a loop's counter, or a kept value."""

    __slots__ = ("counts", "name", "number")

    def __init__(self, name: str, number: int, lo: int, hi: int, *, counts: bool = True) -> None:
        """`counts` says that it takes each value of its range, as a parameter or counter does; a kept value
        may not."""
        super().__init__(lo, hi, names=frozenset((self,)))
        self.name, self.number, self.counts = name, number, counts


class Read(Term):
    """The value of a field's cell. `index` is the flat cell number inside the field."""

    __slots__ = ("field", "index")

    def __init__(self, field: Field, index: Term, clock: int) -> None:
        super().__init__(
            field.lo, field.hi, _merge_read_clocks_keeping_earliest(index.reads, {field.number: clock}), index.locals
        )
        self.field, self.index = field, index


class Op(Term):
    """An operation, one of `OPERATORS`."""

    __slots__ = ("args", "op")

    def __init__(self, op: str, args: tuple[Term, ...], lo: int, hi: int) -> None:
        super().__init__(
            lo,
            hi,
            _merge_read_clocks_keeping_earliest(*(a.reads for a in args)),
            _NO_LOCALS.union(*(a.locals for a in args)),
        )
        self.op, self.args = op, args


class Lookup(Term):
    """A constant table read at a computed place."""

    __slots__ = ("index", "table")

    def __init__(self, table: Table, index: Term) -> None:
        super().__init__(min(table.values), max(table.values), index.reads, index.locals)
        self.table, self.index = table, index


class Reduce(Term):
    """`kind` (sum, any, all, min, max) of `body` over `var` in start..stop-1, kept as a loop."""

    __slots__ = ("body", "kind", "start", "stop", "var")

    def __init__(self, kind: str, var: Local, start: int, stop: int, body: Term) -> None:
        n = stop - start
        lo, hi = {"sum": (min(body.lo * n, 0), max(body.hi * n, 0)), "any": (0, 1), "all": (0, 1)}.get(
            kind, (body.lo, body.hi)
        )
        super().__init__(lo, hi, body.reads, body.locals - {var})
        self.kind, self.var, self.start, self.stop, self.body = kind, var, start, stop, body


class Apply(Term):
    """A named function of the state, applied to arguments. It stays a call, so that each reading
    writes the function once."""

    __slots__ = ("args", "function")

    def __init__(self, function: Function, args: tuple[Term, ...], clock: int) -> None:
        body = function.body
        reads = _merge_read_clocks_keeping_earliest(*(a.reads for a in args), dict.fromkeys(body.reads, clock))
        super().__init__(body.lo, body.hi, reads, _NO_LOCALS.union(*(a.locals for a in args)))
        self.function, self.args = function, args


class Function:
    """A derived quantity, named once and used everywhere. `params` are its locals, `body` its term,
    `place` is where it is written."""

    __slots__ = ("body", "name", "number", "params", "place")

    def __init__(
        self, name: str, number: int, params: tuple[Local, ...], body: Term, place: Place | None = None
    ) -> None:
        self.name, self.number, self.params, self.body, self.place = name, number, params, body, place


class Table(NonScalar):
    """A constant array of one or more dimensions, indexed by terms: `cost[card, option]`."""

    __slots__ = ("beyond", "name", "number", "shape", "values")

    def __init__(self, name: str, number: int, values: tuple[int, ...], shape: tuple[int, ...]) -> None:
        self.name, self.number, self.values, self.shape = name, number, values, shape
        self.beyond: list[RulesError] = []  # the game puts its tracer's list here

    def __getitem__(self, key: Value | tuple[Value, ...]) -> Term:
        index = make_clamped_row_major_index_term(f"table {self.name}", self.shape, key, self.beyond)
        if isinstance(index, Const):
            return Const(self.values[index.value])
        return Lookup(self, index)

    def __len__(self) -> int:
        return self.shape[0]

    def describe_in_error_message(self) -> str:
        return f"the table `{self.name}`"

    def suggest_expression_of_single_value(self) -> str:
        return f"write it with its {_describe_indices(self.shape)}"


def _describe_indices(shape: Sequence[int]) -> str:
    """Return the words for the indices of an array or table."""
    ranges = ", ".join(f"0..{size - 1}" for size in shape)
    return f"[index], {ranges}" if len(shape) == 1 else f"indices in one pair of brackets, [{ranges}]"


def as_term(value: object) -> Term:
    """Return the term of a plain integer (or a phase, which stands for its number), a truth value,
    a field or a term."""
    if isinstance(value, TermOperators):
        return value.to_term()
    if isinstance(value, int | SupportsIndex):  # numbers first: to ask a protocol takes long
        return Const(index(value))
    raise RulesError(
        "PP304",
        f"expected an integer or a value of the state, found {_describe_value(value)}",
        _suggest_instead_of_non_integer(value),
    )


def _suggest_instead_of_non_integer(value: object) -> str:
    """Return what to write in place of something that is no whole number."""
    if isinstance(value, float):
        return "the state holds whole numbers: compare with a whole number, and write `//` for a quotient"
    if value is None:
        return "this is what Python gives for nothing: a function without `return`, or an effect used as a value"
    if isinstance(value, slice):
        return "write one index; `for i in each(n)` goes through many"
    if isinstance(value, Iterable) and not isinstance(value, str):
        return "give one value; of many take any_of, all_of, sum_of, min_of or max_of"
    if callable(value):
        return "give the condition or value itself: without `lambda`, and with () behind a function's name"
    return "a name stands for a number: its place among the labels, or an IntEnum"


def _describe_value(value: object) -> str:
    if isinstance(value, NonScalar):
        return value.describe_in_error_message().rstrip(",")
    if isinstance(value, Operand):
        return "a value of the state"
    if isinstance(value, str | int | float | None):
        return repr(value)
    if isinstance(value, list | tuple | set | frozenset | dict):
        return f"a {type(value).__name__} of {len(value)}"
    if callable(value):
        return f"the function `{getattr(value, '__name__', value)}`"
    return f"a {type(value).__name__}" if isinstance(value, Iterable) else repr(value)


def _convert_condition_to_term_or_raise(value: TermOperators | Value) -> Term:
    """Return a term of `&`, `|` or `~`. These join conditions, so a number is refused: `a == 1 & b` means
    `a == (1 & b)` in Python, and `a & 3` would not mean the bits of `a`."""
    if isinstance(value, int) and not isinstance(value, bool):
        raise RulesError(
            "PP302",
            f"`&`, `|` and `~` join conditions, and {value} is a number",
            "write each comparison in parentheses: `(a == 1) & (b == 2)`",
        )
    return as_term(value)


def make_clamped_row_major_index_term(
    subject: str, shape: tuple[int, ...], key: Value | tuple[Value, ...], range_errors: list[RulesError]
) -> Term:
    """Return the row-major cell number of an index, which may be computed; checked against the
    shape. A parameter or counter that goes beyond the end is added to `range_errors`, for lint."""
    keys = key if isinstance(key, tuple) else (key,)
    if len(keys) != len(shape):
        raise RulesError(
            "PP305",
            f"{subject} has {len(shape)} dimension(s), {len(keys)} given",
            f"write its {_describe_indices(shape)}",
        )
    total: Term | None = None
    for part, size in zip(keys, shape, strict=True):
        term = as_term(part)
        if term.lo < 0 or term.hi >= size:
            if isinstance(term, Const):
                raise RulesError(
                    "PP306",
                    f"{subject}: index {term.value} is outside 0..{size - 1}",
                    f"places are counted from 0; the last one is {size - 1}",
                )
            if isinstance(term, Local) and term.counts:
                message = f"{subject}: `{term.name}` goes over {term.lo}..{term.hi}, the places are 0..{size - 1}"
                range_errors.append(
                    RulesError("PP306", message, f"let it go over {size}, or write clamp({term.name}, 0, {size - 1})")
                )
            # A computed index may have loose bounds; every reading clamps it to the array.
            term = clamp(term, 0, size - 1)
        total = term if total is None else make_sum_term(make_product_term(total, Const(size)), term)
    return FIRST if total is None else total


def _merge_read_clocks_keeping_earliest(*maps: Mapping[int, int]) -> Mapping[int, int]:
    several = [reads for reads in maps if reads]
    if len(several) < 2:
        return several[0] if several else _NO_READS
    merged: dict[int, int] = {}
    for reads in several:
        for number, clock in reads.items():
            merged[number] = min(clock, merged.get(number, clock))
    return merged


def make_sum_term(a: Term, b: Term) -> Term:
    """a + b; folded if both are plain."""
    if isinstance(a, Const) and isinstance(b, Const):
        return Const(a.value + b.value)
    if isinstance(a, Const) and a.value == 0:
        return b
    if isinstance(b, Const) and b.value == 0:
        return a
    return Op("+", (a, b), a.lo + b.lo, a.hi + b.hi)


def make_difference_term(a: Term, b: Term) -> Term:
    """a - b; folded if both are plain."""
    if isinstance(a, Const) and isinstance(b, Const):
        return Const(a.value - b.value)
    if isinstance(b, Const) and b.value == 0:
        return a
    return Op("-", (a, b), a.lo - b.hi, a.hi - b.lo)


def make_product_term(a: Term, b: Term) -> Term:
    """a * b; folded if both are plain."""
    if isinstance(a, Const) and isinstance(b, Const):
        return Const(a.value * b.value)
    for factor, other in ((a, b), (b, a)):
        if isinstance(factor, Const) and factor.value in (0, 1):
            return other if factor.value else Const(0)
    corners = [x * y for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
    return Op("*", (a, b), min(corners), max(corners))


def _get_positive_constant_or_raise(b: Term) -> int:
    if not isinstance(b, Const) or b.value <= 0:
        raise RulesError("PP307", "a divisor must be a positive constant", "use a table for other quotients")
    return b.value


def make_floor_quotient_term(a: Term, b: Term) -> Term:
    """Floor division by a positive constant."""
    d = _get_positive_constant_or_raise(b)
    if isinstance(a, Const):
        return Const(a.value // d)
    return a if d == 1 else Op("//", (a, b), a.lo // d, a.hi // d)


def make_remainder_term(a: Term, b: Term) -> Term:
    """Remainder (never negative) by a positive constant."""
    d = _get_positive_constant_or_raise(b)
    if isinstance(a, Const):
        return Const(a.value % d)
    a = _rewrite_products_modulo(a, d)
    return a if a.lo >= 0 and a.hi < d else Op("%", (a, b), 0, d - 1)


_MOST_REMAINDERS = 16


def _rewrite_products_modulo(term: Term, divisor: int) -> Term:
    """Return a term with the same remainder by d, whose products are products of remainders, written as sums: linear
    terms, of which solvers decide what they do not decide of the square of a large number."""
    match term:
        case Op(op="*", args=(a, b)) if divisor <= _MOST_REMAINDERS and not {type(a), type(b)} & {Const}:
            left, right = (make_remainder_term(a, Const(divisor)), make_remainder_term(b, Const(divisor)))
            return make_sum_of_many_terms(
                pick(make_comparison_term("<", Const(k), right), left, 0) for k in range(divisor - 1)
            )
        case Op(op="+" | "-"):
            args = [_rewrite_products_modulo(a, divisor) for a in term.args]
            changed = any(a is not b for a, b in zip(args, term.args, strict=True))
            return OPERATORS[term.op](*args) if changed else term
    return term


def make_comparison_term(op: str, a: Term, b: Term) -> Term:
    """a op b for op in == != < <=; folded if the bounds decide it."""
    if isinstance(a, Const) and isinstance(b, Const):
        return Const(
            int(
                {"==": a.value == b.value, "!=": a.value != b.value, "<": a.value < b.value, "<=": a.value <= b.value}[
                    op
                ]
            )
        )
    apart = a.hi < b.lo or b.hi < a.lo
    if op in ("==", "!=") and apart:
        return _make_and_record_decided_comparison(op == "!=", a, b)
    if (op == "<" and a.hi < b.lo) or (op == "<=" and a.hi <= b.lo):
        return _make_and_record_decided_comparison(True, a, b)
    if (op == "<" and a.lo >= b.hi) or (op == "<=" and a.lo > b.hi):
        return _make_and_record_decided_comparison(False, a, b)
    return Op(op, (a, b), 0, 1)


_SETTLED: deque[tuple[Const, tuple[Term, Term]]] = deque(maxlen=32)
"""The latest comparisons that bounds decided, each with its sides. A rule's condition is looked up here at
once, so that the terms themselves stay plain numbers."""


def _make_and_record_decided_comparison(answer: bool, a: Term, b: Term) -> Const:
    result = Const(int(answer))
    _SETTLED.append((result, (a, b)))
    return result


def find_sides_of_recently_decided_comparison(term: Term) -> tuple[Term, Term] | None:
    """Return what a comparison compared whose bounds have just decided it; None for any other term."""
    return next((sides for result, sides in reversed(_SETTLED) if result is term), None)


def as_truth_term(a: Term) -> Term:
    """`a` as 0 or 1."""
    return a if a.lo >= 0 and a.hi <= 1 else make_comparison_term("!=", a, Const(0))


def make_and_term(a: Term, b: Term) -> Term:
    """Logical and."""
    a, b = as_truth_term(a), as_truth_term(b)
    if isinstance(a, Const):
        return b if a.value else a
    if isinstance(b, Const):
        return a if b.value else b
    return Op("and", (a, b), 0, 1)


def make_or_term(a: Term, b: Term) -> Term:
    """Logical or."""
    a, b = as_truth_term(a), as_truth_term(b)
    if isinstance(a, Const):
        return a if a.value else b
    if isinstance(b, Const):
        return b if b.value else a
    return Op("or", (a, b), 0, 1)


def make_not_term(a: Term) -> Term:
    """Logical not."""
    a = as_truth_term(a)
    if isinstance(a, Const):
        return Const(1 - a.value)
    if isinstance(a, Op) and a.op == "not":
        return a.args[0]
    return Op("not", (a,), 0, 1)


def pick(condition: Value, yes: Value, no: Value) -> Term:
    """`yes` if the condition holds, otherwise `no`."""
    if isinstance(condition, int) and not isinstance(condition, bool):
        raise RulesError(
            "PP302",
            f"the condition of `pick` is the number {condition}",
            "write pick(condition, value if it holds, value if not)",
        )
    c, a, b = as_truth_term(as_term(condition)), as_term(yes), as_term(no)
    if isinstance(c, Const):
        return a if c.value else b
    return Op("pick", (c, a, b), min(a.lo, b.lo), max(a.hi, b.hi))


def make_minimum_term(*values: Value) -> Term:
    """The least of the values."""
    result = as_term(values[0])
    for value in values[1:]:
        a, b = result, as_term(value)
        result = a if a.hi <= b.lo else b if b.hi <= a.lo else Op("min", (a, b), min(a.lo, b.lo), min(a.hi, b.hi))
    return result


def make_maximum_term(*values: Value) -> Term:
    """The greatest of the values."""
    result = as_term(values[0])
    for value in values[1:]:
        a, b = result, as_term(value)
        result = a if a.lo >= b.hi else b if b.lo >= a.hi else Op("max", (a, b), max(a.lo, b.lo), max(a.hi, b.hi))
    return result


def make_absolute_value_term(value: Value) -> Term:
    """The absolute value."""
    a = as_term(value)
    if a.lo >= 0:
        return a
    return make_difference_term(Const(0), a) if a.hi <= 0 else Op("abs", (a,), 0, max(-a.lo, a.hi))


def clamp(value: Value, lo: int, hi: int) -> Term:
    """`value` moved into lo..hi."""
    return make_minimum_term(make_maximum_term(value, lo), hi)


LONGEST_CHAIN = 100
"""The most values of a list that are joined one after another; a longer list is joined by halves, so that its term is
not as deep as it is long."""


def make_conjunction_term(values: Iterable[Value]) -> Term:
    """All of the values."""
    return _join_terms_by_halves(make_and_term, Const(1), [as_term(value) for value in values])


def make_disjunction_term(values: Iterable[Value]) -> Term:
    """Any of the values."""
    return _join_terms_by_halves(make_or_term, Const(0), [as_term(value) for value in values])


def make_sum_of_many_terms(values: Iterable[Value]) -> Term:
    """The sum of the values."""
    return _join_terms_by_halves(make_sum_term, Const(0), [as_term(value) for value in values])


def _join_terms_by_halves(join: Callable[[Term, Term], Term], neutral: Term, terms: Sequence[Term]) -> Term:
    if len(terms) <= LONGEST_CHAIN:
        return reduce(join, terms, neutral)
    half = len(terms) // 2
    return join(_join_terms_by_halves(join, neutral, terms[:half]), _join_terms_by_halves(join, neutral, terms[half:]))


MOST_DEPTH = 150
"""The most operations inside one another in a term. Python reads at most 200 nested parentheses in generated code."""


def refuse_too_deep_term(term: Term) -> None:
    """Raise RulesError (PP385) for a term whose operations lie too deep inside one another."""
    known: dict[int, int] = {}
    todo = [term]
    while todo:
        node = todo[-1]
        below = get_child_terms(node)
        missing = [child for child in below if id(child) not in known]
        if missing:
            todo += missing
            continue
        todo.pop()
        known[id(node)] = 1 + max((known[id(child)] for child in below), default=0)
    if known[id(term)] > MOST_DEPTH:
        raise RulesError(
            "PP385",
            f"{known[id(term)]:,} operations lie inside one another, at most {MOST_DEPTH} can",
            "join a list by `all_of([...])`, `any_of([...])` or `sum_of([...])`, or name parts with `keep(...)`",
        )


# The operators there are, and what builds each. Every reading has a table with the same keys
# (`require_coverage_of_all_operators`).
OPERATORS: Mapping[str, Callable[..., Term]] = {
    "+": make_sum_term,
    "-": make_difference_term,
    "*": make_product_term,
    "//": make_floor_quotient_term,
    "%": make_remainder_term,
    "==": partial(make_comparison_term, "=="),
    "!=": partial(make_comparison_term, "!="),
    "<": partial(make_comparison_term, "<"),
    "<=": partial(make_comparison_term, "<="),
    "and": make_and_term,
    "or": make_or_term,
    "not": make_not_term,
    "pick": pick,
    "min": make_minimum_term,
    "max": make_maximum_term,
    "abs": make_absolute_value_term,
}


def require_coverage_of_all_operators(implementation_name: str, operators: Iterable[str]) -> None:
    """Check, as a reading is imported, that it covers all operators. Raises ImportError if its
    operators and the table differ."""
    wrong = OPERATORS.keys() ^ set(operators)
    if wrong:
        raise ImportError(f"{implementation_name} and the table of operators differ in {', '.join(sorted(wrong))}")


def get_child_terms(term: Term) -> tuple[Term, ...]:
    """The terms directly below a term (a function's body is not below its application)."""
    if isinstance(term, Op | Apply):
        return term.args
    if isinstance(term, Read | Lookup):
        return (term.index,)
    if isinstance(term, Reduce):
        return (term.body,)
    return ()


def get_start_and_stop_of_range_or_raise(loop_range: int | range) -> tuple[int, int]:
    """Start and stop of a range with step one."""
    if not isinstance(loop_range, int | range):
        raise RulesError(
            "PP308",
            f"expected a number or a range, found {_describe_value(loop_range)}",
            "loop over all that there may be, and ask inside with `when` or `&`",
        )
    r = range(loop_range) if isinstance(loop_range, int) else loop_range
    if r.step != 1 or len(r) == 0:
        raise RulesError("PP308", f"expected a non-empty range with step 1, found {loop_range!r}")
    refuse_number_above_limit("the values of a loop are", len(r), MOST_CHOICES)
    return r.start, r.stop


def make_fresh_local(name: str, lo: int, hi: int, *, counts: bool = True) -> Local:
    """A local with a number of its own."""
    return Local(name, next(_numbers), lo, hi, counts=counts)


def make_reduction_term(kind: str, loop_range: int | range, body: Callable[[Local], Value]) -> Term:
    """Return sum, any, all, min or max over a range, kept as a loop."""
    start, stop = get_start_and_stop_of_range_or_raise(loop_range)
    var = make_fresh_local("i", start, stop - 1)
    inner = as_term(body(var))
    if kind in ("any", "all"):
        inner = as_truth_term(inner)
    return Reduce(kind, var, start, stop, inner)


NestedIntegers = Sequence[Any] | int
