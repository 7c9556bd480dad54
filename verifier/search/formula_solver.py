"""Z3 as searches use it: solvers to which formulas are added one after the other, and whose models are read. The kernel
asks by text instead (`kernel/z3_questions.py`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import z3

from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.formulas import (
    AND,
    CHOICE,
    EQUAL,
    MINUS,
    NOT,
    OR,
    PLUS,
    QUOTIENT,
    REMAINDER,
    TIMES,
    UP_TO,
    VARIABLE,
    Formula,
    Number,
    Truth,
    list_parts_before_wholes,
)
from playproof.verifier.search.case import WorkLimitedSolver

_BUILDERS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        PLUS: lambda left, right: left + right,
        MINUS: lambda left, right: left - right,
        TIMES: lambda left, right: left * right,
        EQUAL: lambda left, right: left == right,
        UP_TO: lambda left, right: left <= right,
        AND: z3.And,
        OR: z3.Or,
        NOT: z3.Not,
        CHOICE: z3.If,
    }
)


class Z3Translator:
    """Writes formulas as Z3's objects: over integers if `width` is 0, else over bit-vectors of so many bits."""

    def __init__(self, width: int = 0) -> None:
        self.width = width
        self._made: dict[Formula, Any] = {}
        self._ranges: dict[Formula, tuple[z3.BoolRef, ...]] = {}

    def translate_formula(self, formula: Number | Truth) -> Any:
        """Return a number or a truth for Z3. Raises NotShown if a number does not fit the width."""
        if isinstance(formula, bool):
            return z3.BoolVal(formula)
        if isinstance(formula, int):
            return self._translate_plain(formula)
        if formula not in self._made:
            for part in list_parts_before_wholes([formula]):
                if part not in self._made:
                    self._made[part] = self._translate_part(part)
        return self._made[formula]

    def list_ranges_of_variables(self, formula: Truth) -> tuple[z3.BoolRef, ...]:
        """Return that the variables of a formula lie within their bounds."""
        if not isinstance(formula, Formula):
            return ()
        if formula not in self._ranges:
            variables = [part for part in list_parts_before_wholes([formula]) if part.op == VARIABLE]
            for each in variables:
                open_number = self.translate_formula(each)
                low, high = map(self._translate_plain, (each.lo, each.hi))
                self._ranges[each] = (z3.And(low <= open_number, open_number <= high),)
            self._ranges[formula] = tuple(self._ranges[each][0] for each in variables)
        return self._ranges[formula]

    def get_number_from_model(self, number: Number, model: z3.ModelRef) -> int:
        """Return the value that a model gives a number."""
        if isinstance(number, int):
            return int(number)
        value = model.eval(self.translate_formula(number), model_completion=True)
        return int(value.as_signed_long() if self.width else value.as_long())

    def is_true_in_model(self, truth: Truth, model: z3.ModelRef) -> bool:
        """Return whether a model makes a formula true."""
        return bool(z3.is_true(model.eval(self.translate_formula(truth), model_completion=True)))

    def _translate_plain(self, value: int) -> Any:
        return z3.BitVecVal(value, self.width) if self.width else z3.IntVal(value)

    def _translate_part(self, part: Formula) -> Any:
        if self.width and max(-part.lo, part.hi) >= 1 << self.width >> 2:
            raise NotShown("a number is too large for the bits in which the game is read")
        if part.op == VARIABLE:
            return self._translate_variable(*part.args)
        args = [self._made[arg] if isinstance(arg, Formula) else self._translate_plain(arg) for arg in part.args]
        if part.op in (QUOTIENT, REMAINDER):
            return self._translate_division(part, args[0])
        return _BUILDERS[part.op](*args)

    def _translate_variable(self, name: str, lo: int, hi: int) -> Any:
        if not self.width:
            return z3.Int(name)
        if lo < 0:
            return z3.BitVec(name, self.width)
        bits = hi.bit_length()
        return z3.ZeroExt(self.width - bits, z3.BitVec(name, bits))

    def _translate_division(self, part: Formula, dividend: Any) -> Any:
        """Write // or %: bit-vectors have them of numbers from 0 on, so the dividend is raised by a multiple of the
        divisor."""
        divisor, is_quotient = part.args[1], part.op == QUOTIENT
        if not self.width:
            return dividend / divisor if is_quotient else dividend % divisor
        turns = max(0, -(part.args[0].lo // divisor))
        raised, by = dividend + self._translate_plain(turns * divisor), self._translate_plain(divisor)
        return z3.UDiv(raised, by) - turns if is_quotient else z3.URem(raised, by)


class FormulaSolver(WorkLimitedSolver):
    """A Z3 solver to which formulas are added. Their variables lie within their bounds. One that `tracks` formulas says
    which of them exclude each other."""

    def __init__(
        self, translator: Z3Translator, max_work: float, formulas: Sequence[Truth] = (), tracks: bool = False
    ) -> None:
        super().__init__("QF_BV" if translator.width and not tracks else "", max_work)
        self.translator = translator
        self.add_formulas(*formulas)

    def add_formulas(self, *formulas: Truth) -> None:
        """Add formulas, which all have to be true."""
        for formula in formulas:
            self.add(self.translator.translate_formula(formula), *self.translator.list_ranges_of_variables(formula))

    def track_formula(self, formula: Truth, name: str) -> None:
        """Add a formula that an unsatisfiable core may name."""
        self.add(*self.translator.list_ranges_of_variables(formula))
        self.assert_and_track(self.translator.translate_formula(formula), name)
