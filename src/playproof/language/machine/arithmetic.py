"""Operators on values, with the meaning of Python's operators in 64 bits."""

from __future__ import annotations

import ast

from playproof.language.machine.functions import FunctionSource
from playproof.language.machine.kinds import INT, REAL, TRUTH, WORD
from playproof.language.machine.llvm_lines import AssemblyLines, TypedValue

_SIGNED = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "slt", ast.LtE: "sle", ast.Gt: "sgt", ast.GtE: "sge"}
_UNSIGNED = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "ult", ast.LtE: "ule", ast.Gt: "ugt", ast.GtE: "uge"}
_REALS = {ast.Eq: "oeq", ast.NotEq: "une", ast.Lt: "olt", ast.LtE: "ole", ast.Gt: "ogt", ast.GtE: "oge"}
_INTEGERS = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
}
_DOUBLES = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}


class ArithmeticTranslator:
    """Writes the operators of one function to its lines."""

    def __init__(self, function: FunctionSource, lines: AssemblyLines) -> None:
        self.function, self.lines = function, lines

    def emit_binary_operation(
        self, node: ast.AST, operator: ast.operator, left: TypedValue, right: TypedValue
    ) -> TypedValue:
        """Write `left operator right`. Raises Untranslatable if this operator has no translation."""
        how = type(operator)
        if REAL in (left.kind, right.kind) or how is ast.Div:
            if how not in _DOUBLES:
                raise self.function.make_untranslatable_error(node, f"{how.__name__} of doubles")
            return self.lines.emit_instruction_with_result(
                f"{_DOUBLES[how]} double {self.lines.emit_conversion_to_kind(left, REAL)}, "
                f"{self.lines.emit_conversion_to_kind(right, REAL)}",
                REAL,
            )
        if left.kind == right.kind == TRUTH and how in (ast.BitAnd, ast.BitOr, ast.BitXor):
            return self.lines.emit_instruction_with_result(
                f"{_INTEGERS[how]} i1 {left.text}, {right.text}", TRUTH
            )
        kind = WORD if WORD in (left.kind, right.kind) else INT
        a, b = (
            TypedValue(kind, self.lines.emit_conversion_to_kind(left, kind)),
            TypedValue(kind, self.lines.emit_conversion_to_kind(right, kind)),
        )
        if how in _INTEGERS:
            return self.lines.emit_instruction_with_result(f"{_INTEGERS[how]} i64 {a.text}, {b.text}", kind)
        if how in (ast.LShift, ast.RShift):
            return self._write_shift(
                how is ast.LShift, TypedValue(left.kind if left.kind == WORD else INT, a.text), b
            )
        if how in (ast.FloorDiv, ast.Mod):
            if not b.literal or int(b.text) <= 0:
                raise self.function.make_untranslatable_error(node, "a divisor must be a positive constant")
            return self._write_floor_division_or_remainder(how is ast.Mod, a, int(b.text))
        raise self.function.make_untranslatable_error(node, f"operator {how.__name__}")

    def _write_shift(self, is_left: bool, value: TypedValue, bit_count: TypedValue) -> TypedValue:
        """Return a shift. Shifts by 64 and more, which LLVM leaves undefined, give Python's result
        in 64 bits."""
        how = "shl" if is_left else "lshr" if value.kind == WORD else "ashr"
        if bit_count.literal and 0 <= int(bit_count.text) < 64:
            return self.lines.emit_instruction_with_result(
                f"{how} i64 {value.text}, {bit_count.text}", value.kind
            )
        far = self.lines.emit_instruction_with_result(f"icmp ugt i64 {bit_count.text}, 63", TRUTH).text
        near = self.lines.emit_instruction_with_result(
            f"select i1 {far}, i64 {63 if how == 'ashr' else 0}, i64 {bit_count.text}", INT
        ).text
        moved = self.lines.emit_instruction_with_result(f"{how} i64 {value.text}, {near}", value.kind)
        if how == "ashr":
            return moved
        return self.lines.emit_instruction_with_result(
            f"select i1 {far}, i64 0, i64 {moved.text}", value.kind
        )

    def _write_floor_division_or_remainder(
        self, wants_remainder: bool, value: TypedValue, divisor: int
    ) -> TypedValue:
        """Return the quotient or remainder, rounded down."""
        power = divisor & (divisor - 1) == 0
        if value.kind == WORD:
            return self.lines.emit_instruction_with_result(
                f"{'urem' if wants_remainder else 'udiv'} i64 {value.text}, {divisor}", WORD
            )
        if power:  # shifts and masks round down by themselves
            how = (
                f"and i64 {value.text}, {divisor - 1}"
                if wants_remainder
                else f"ashr i64 {value.text}, {divisor.bit_length() - 1}"
            )
            return self.lines.emit_instruction_with_result(how, INT)
        left = self.lines.emit_instruction_with_result(f"srem i64 {value.text}, {divisor}", INT)
        below = self.lines.emit_instruction_with_result(f"icmp slt i64 {left.text}, 0", TRUTH)
        if wants_remainder:
            more = self.lines.emit_instruction_with_result(f"add i64 {left.text}, {divisor}", INT)
            return self.lines.emit_instruction_with_result(
                f"select i1 {below.text}, i64 {more.text}, i64 {left.text}", INT
            )
        quotient = self.lines.emit_instruction_with_result(f"sdiv i64 {value.text}, {divisor}", INT)
        less = self.lines.emit_instruction_with_result(f"sext i1 {below.text} to i64", INT)
        return self.lines.emit_instruction_with_result(f"add i64 {quotient.text}, {less.text}", INT)

    def emit_negation(self, value: TypedValue) -> TypedValue:
        """Write `-value`."""
        if value.kind == REAL:
            return self.lines.emit_instruction_with_result(f"fneg double {value.text}", REAL)
        return self.lines.emit_instruction_with_result(
            f"sub i64 0, {self.lines.emit_conversion_to_kind(value, INT)}", INT
        )

    def emit_comparison(self, node: ast.AST, operator: ast.cmpop, a: TypedValue, b: TypedValue) -> TypedValue:
        """Write one comparison. Raises Untranslatable if it has no translation."""
        how = type(operator)
        if how not in _SIGNED:
            raise self.function.make_untranslatable_error(node, f"comparison {how.__name__}")
        if REAL in (a.kind, b.kind):
            return self.lines.emit_instruction_with_result(
                f"fcmp {_REALS[how]} double {self.lines.emit_conversion_to_kind(a, REAL)}, "
                f"{self.lines.emit_conversion_to_kind(b, REAL)}",
                TRUTH,
            )
        if a.kind == b.kind == TRUTH and how in (ast.Eq, ast.NotEq):
            return self.lines.emit_instruction_with_result(
                f"icmp {_SIGNED[how]} i1 {a.text}, {b.text}", TRUTH
            )
        unsigned = WORD in (a.kind, b.kind)
        if (
            unsigned
            and how not in (ast.Eq, ast.NotEq)
            and not all(v.kind == WORD or v.literal for v in (a, b))
        ):
            raise self.function.make_untranslatable_error(
                node, "integers with and without a sign are compared"
            )
        names = _UNSIGNED if unsigned else _SIGNED
        return self.lines.emit_instruction_with_result(
            f"icmp {names[how]} i64 {self.lines.emit_conversion_to_kind(a, INT)}, {self.lines.emit_conversion_to_kind(b, INT)}",
            TRUTH,
        )
