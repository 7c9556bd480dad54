"""Sized values: the numbers of the symbolic reading, as bit-vectors sized by their bounds or as
integers.

A value is a plain `int` (known), a `Num` (a Z3 term with bounds), or a Z3 `BoolRef` (a truth, 0 or
1). Known values are folded here, so a term grows only if something is open.

Bit-vectors: a `Num` with lo >= 0 is unsigned with just the bits `hi` needs, else two's complement.
Every operation uses a width that holds its result, so nothing wraps around.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import or_
from typing import Any, TypeAlias

import z3

_FEW = 24  # a value known to be one of at most this many is tracked as a set


@dataclass(frozen=True, eq=False, slots=True)
class Num:
    """A Z3 term whose value lies in lo..hi. `among` is a small set known to contain the value, or
    None."""

    expr: Any  # z3.BitVecRef or z3.ArithRef
    lo: int
    hi: int
    among: frozenset[int] | None = None


Truth: TypeAlias = bool | z3.BoolRef
Sym: TypeAlias = int | Num | z3.BoolRef


def bits_of(lo: int, hi: int) -> int:
    """Bits that hold lo..hi: unsigned for lo >= 0, else two's complement. At least one.

    >>> bits_of(0, 8), bits_of(-1, 1), bits_of(0, 0)
    (4, 2, 1)
    """
    if lo >= 0:
        return max(1, hi.bit_length())
    return max((-lo - 1).bit_length(), hi.bit_length() if hi > 0 else 0) + 1


def conj(*parts: Truth) -> Truth:
    """And; plain truths are folded."""
    open_ = _distinct(p for p in parts if not isinstance(p, bool))
    if any(p is False for p in parts):
        return False
    if not open_:
        return True
    return open_[0] if len(open_) == 1 else z3.And(*open_)


def disj(*parts: Truth) -> Truth:
    """Or; plain truths are folded."""
    open_ = _distinct(p for p in parts if not isinstance(p, bool))
    if any(p is True for p in parts):
        return True
    if not open_:
        return False
    return open_[0] if len(open_) == 1 else z3.Or(*open_)


def neg(part: Truth) -> Truth:
    """Not."""
    if isinstance(part, bool):
        return not part
    return part.arg(0) if z3.is_not(part) else z3.Not(part)


def as_z3(part: Truth) -> z3.BoolRef:
    """Return a truth, plain or symbolic, as a Z3 term."""
    return z3.BoolVal(part) if isinstance(part, bool) else part


def _distinct(parts: Iterable[z3.BoolRef]) -> list[z3.BoolRef]:
    return list({p.get_id(): p for p in parts}.values())


def truth(value: Sym) -> Truth:
    """Return the condition that a value is not 0."""
    if isinstance(value, z3.BoolRef):
        return value
    if isinstance(value, int):
        return value != 0
    if value.lo > 0 or value.hi < 0:
        return True
    same: z3.BoolRef = value.expr != 0
    return same


def bounds(value: Sym) -> tuple[int, int]:
    """Return the least and the greatest value."""
    if isinstance(value, int):
        return int(value), int(value)
    return (value.lo, value.hi) if isinstance(value, Num) else (0, 1)


def among(value: Sym) -> frozenset[int] | None:
    """Return the small set known to contain a value, or None."""
    if isinstance(value, int):
        return frozenset((int(value),))
    if isinstance(value, z3.BoolRef):
        return frozenset((0, 1))
    if value.among is None and value.hi - value.lo < _FEW:
        return frozenset(range(value.lo, value.hi + 1))
    return value.among


class Arithmetic:
    """Operations on sized values. `integers` chooses Z3 integers over bit-vectors."""

    def __init__(self, integers: bool = False) -> None:
        self.integers = integers

    # -- making ---------------------------------------------------------------------------------------------

    def variable(self, name: str, lo: int, hi: int, values: frozenset[int] | None = None) -> Sym:
        """Return an open value in lo..hi, or a plain one if lo == hi. `declared` states its
        bounds."""
        if lo == hi:
            return lo
        expr = z3.Int(name) if self.integers else z3.BitVec(name, bits_of(lo, hi))
        return Num(expr, lo, hi, values)

    def declared(self, value: Sym) -> Truth:
        """Return the condition that an open value is within its bounds; true if its sort ensures
        that."""
        if not isinstance(value, Num):
            return True
        if self.integers or value.lo < 0:
            return _bool(z3.And(value.expr >= value.lo, value.expr <= value.hi))
        # A bound that the sort cannot pass need not be stated.
        low = z3.UGE(value.expr, value.lo) if value.lo > 0 else True
        high = z3.ULE(value.expr, value.hi) if value.hi + 1 < 1 << value.expr.size() else True
        return conj(low, high)

    def raw(self, value: Sym, lo: int, hi: int) -> Any:
        """Return the value as a Z3 term of the sort for lo..hi."""
        if isinstance(value, int):
            return z3.IntVal(value) if self.integers else z3.BitVecVal(value, bits_of(lo, hi))
        if isinstance(value, z3.BoolRef):
            return z3.If(value, self.raw(1, lo, hi), self.raw(0, lo, hi))
        if self.integers:
            return value.expr
        width, has = bits_of(lo, hi), value.expr.size()
        if width == has:
            return value.expr
        if width < has:
            return z3.Extract(width - 1, 0, value.expr)
        return (z3.ZeroExt if value.lo >= 0 else z3.SignExt)(width - has, value.expr)

    def narrow(self, value: Sym, lo: int, hi: int) -> Sym:
        """Return the value, on the assumption that it lies in lo..hi."""
        if isinstance(value, int):
            return max(lo, min(hi, int(value)))
        if lo == hi:
            return lo
        low, high = bounds(value)
        if isinstance(value, z3.BoolRef) or (low >= lo and high <= hi):
            return value
        low, high = max(lo, low), min(hi, high)
        if low >= high:  # one value is left, or none where a bounds obligation has failed
            return min(low, hi)
        values = among(value)
        left = frozenset(v for v in values if low <= v <= high) if values is not None else None
        return Num(self.raw(value, low, high), low, high, left or None)

    def within(self, value: Sym, lo: int, hi: int) -> Truth:
        """Return the condition that lo <= value <= hi, folded if the bounds decide it."""
        return conj(self.compare("<=", lo, value), self.compare("<=", value, hi))

    def one_of(self, value: Sym, values: Iterable[int]) -> Truth:
        """Return the condition that the value is in a set."""
        return disj(*(self.compare("==", value, v) for v in sorted(values)))

    # -- operations -----------------------------------------------------------------------------------------

    def operate(self, op: str, a: Sym, b: Sym) -> Sym:
        """Apply + - * min max, or // % by a plain positive number."""
        if isinstance(a, int) and isinstance(b, int):
            return _PLAIN[op](int(a), int(b))
        if op == "min":
            return self.pick(self.compare("<=", a, b), a, b)
        if op == "max":
            return self.pick(self.compare("<=", a, b), b, a)
        if op in ("//", "%"):
            assert isinstance(b, int)
            return self._quotient(a, b) if op == "//" else self._remainder(a, b)
        if isinstance(b, int) and (op, int(b)) in (("+", 0), ("-", 0), ("*", 1)):
            return a
        if isinstance(a, int) and (op, int(a)) in (("+", 0), ("*", 1)):
            return b
        (al, ah), (bl, bh) = bounds(a), bounds(b)
        ends = [_PLAIN[op](x, y) for x in (al, ah) for y in (bl, bh)]
        lo, hi = min(ends), max(ends)
        if lo == hi:
            return lo
        return Num(_PLAIN[op](self.raw(a, lo, hi), self.raw(b, lo, hi)), lo, hi)

    def _quotient(self, a: Sym, d: int) -> Sym:
        low, high = bounds(a)
        lo, hi = low // d, high // d
        if lo == hi:
            return lo
        if self.integers:
            return Num(self.raw(a, low, high) / d, lo, hi)  # Z3 rounds down for a positive divisor
        up = max(0, -lo) * d
        wide = max(high + up, d)
        raised = self.raw(self.operate("+", a, up), 0, wide)
        return self.operate("-", self._shrink(z3.UDiv(raised, d), (high + up) // d), up // d)

    def _remainder(self, a: Sym, d: int) -> Sym:
        low, high = bounds(a)
        if low >= 0 and high < d:
            return a
        if d == 1:
            return 0
        if self.integers:
            return Num(self.raw(a, low, high) % d, 0, d - 1)
        up = max(0, -(low // d)) * d
        wide = max(high + up, d)
        return self._shrink(z3.URem(self.raw(self.operate("+", a, up), 0, wide), d), d - 1)

    @staticmethod
    def _shrink(expr: Any, hi: int) -> Sym:
        width = bits_of(0, hi)
        if width < expr.size():
            expr = z3.Extract(width - 1, 0, expr)
        return Num(expr, 0, hi)

    def compare(self, op: str, a: Sym, b: Sym) -> Truth:
        """Apply == != < <=; folded if bounds or sets decide it."""
        if isinstance(a, int) and isinstance(b, int):
            return bool(_PLAIN[op](a, b))
        if op == "!=":
            return neg(self.compare("==", a, b))
        decided = self._decided(op, a, b)
        if decided is not None:
            return decided
        if isinstance(a, z3.BoolRef) or isinstance(b, z3.BoolRef):
            return self._compare_truths(op, a, b)
        (al, ah), (bl, bh) = bounds(a), bounds(b)
        lo, hi = min(al, bl), max(ah, bh)
        left, right = self.raw(a, lo, hi), self.raw(b, lo, hi)
        if op == "==":
            return _bool(left == right)
        if self.integers or lo < 0:
            return _bool(left < right if op == "<" else left <= right)
        return _bool(z3.ULT(left, right) if op == "<" else z3.ULE(left, right))

    @staticmethod
    def _decided(op: str, a: Sym, b: Sym) -> bool | None:
        (al, ah), (bl, bh) = bounds(a), bounds(b)
        if op == "==":
            first, second = among(a), among(b)
            if ah < bl or bh < al or (first is not None and second is not None and not first & second):
                return False
            return True if a is b else None
        strict = op == "<"
        if ah < bl or (not strict and ah <= bl):
            return True
        if al > bh or (strict and al >= bh):
            return False
        return None

    def _compare_truths(self, op: str, a: Sym, b: Sym) -> Truth:
        if op == "==":
            for side, other in ((a, b), (b, a)):
                if isinstance(side, int):
                    if side == 1:
                        return truth(other)
                    return neg(truth(other)) if side == 0 else False
            if isinstance(a, z3.BoolRef) and isinstance(b, z3.BoolRef):
                return _bool(a == b)
        return self.compare(op, self.number(a), self.number(b))

    def number(self, value: Sym) -> int | Num:
        """Return a truth as a number; return a number unchanged."""
        return Num(self.raw(value, 0, 1), 0, 1) if isinstance(value, z3.BoolRef) else value

    def pick(self, condition: Truth, yes: Sym, no: Sym) -> Sym:
        """`yes` if the condition holds, else `no`."""
        if isinstance(condition, bool):
            return yes if condition else no
        if yes is no or (isinstance(yes, int) and isinstance(no, int) and yes == no):
            return yes
        formulas = [isinstance(v, z3.BoolRef) for v in (yes, no)]
        plain_truths = [isinstance(v, int) and v in (0, 1) for v in (yes, no)]
        if any(formulas) and all(map(or_, formulas, plain_truths)):
            return self._pick_truth(condition, truth(yes), truth(no))
        (al, ah), (bl, bh) = bounds(yes), bounds(no)
        lo, hi = min(al, bl), max(ah, bh)
        first, second = among(yes), among(no)
        both = None if first is None or second is None else first | second
        left, right = self.raw(yes, lo, hi), self.raw(no, lo, hi)
        if left.eq(right):
            return yes
        few = both if both and len(both) <= _FEW else None
        return Num(z3.If(condition, left, right), lo, hi, few)

    @staticmethod
    def _pick_truth(condition: z3.BoolRef, yes: Truth, no: Truth) -> Sym:
        result: Truth
        if isinstance(yes, bool) or isinstance(no, bool):
            result = disj(conj(condition, yes), conj(neg(condition), no))
        else:
            result = z3.If(condition, yes, no)
        return int(result) if isinstance(result, bool) else result


def _bool(value: Any) -> z3.BoolRef:
    return value


_PLAIN: dict[str, Any] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "min": min,
    "max": max,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
}
