"""Formulas of the kernel, drawn at random: with numbers put in, they are what was asked for; as SMT-LIB text over
integers and over bit-vectors they mean the same to Z3; and ranges exclude exactly what no numbers make true."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from operator import eq, le, lt, ne
from random import Random
from typing import Any

import pytest
import z3

from playproof.verifier.kernel.formulas import (
    Formula,
    FormulaTable,
    add_numbers,
    choose_number,
    compare_numbers,
    conjoin_formulas,
    disjoin_formulas,
    floor_divide_number,
    formulas_to_smtlib_text,
    multiply_numbers,
    negate_formula,
    subtract_numbers,
    take_remainder_of_number,
)
from playproof.verifier.kernel.ranges import do_ranges_exclude
from playproof.verifier.search.formula_solver import FormulaSolver, Z3Translator
from tests.verifier.formula_values import put_numbers_in

SIGNS = {"==": eq, "!=": ne, "<": lt, "<=": le}
DRAWN = range(50)


class Drawing:
    """One drawn question about a few variables: its formulas, and what they are for given numbers, computed beside
    them. The same seed draws the same question for all numbers."""

    def __init__(self, seed: int, depth: int = 3) -> None:
        r = Random(seed)
        self.table, self.depth, self.seed = FormulaTable(), depth, seed
        bounds = {name: sorted((r.randint(-3, 3), r.randint(-3, 4))) for name in "abc"}
        self.variables = {name: self.table.make_variable(name, lo, hi) for name, (lo, hi) in bounds.items()}
        self.ranges = [range(lo, hi + 1) for lo, hi in bounds.values()]

    def draw(self, numbers: tuple[int, ...]) -> list[tuple[Any, bool]]:
        self.r, self.numbers = Random(self.seed), dict(zip("abc", numbers, strict=True))
        return [self.truth(self.depth) for _ in range(2)]

    def number(self, depth: int) -> tuple[Any, int]:
        r = self.r
        if depth <= 0 or r.random() < 0.15:
            if r.random() < 0.3:
                plain = r.randint(-4, 6)
                return plain, plain
            name = r.choice("abc")
            return self.variables[name], self.numbers[name]
        (left, first), (right, second) = self.number(depth - 1), self.number(depth - 1)
        divisor = r.randint(1, 5)
        match r.choice("+-*/%?"):
            case "+":
                return add_numbers(left, right), first + second
            case "-":
                return subtract_numbers(left, right), first - second
            case "*":
                return multiply_numbers(left, right), first * second
            case "/":
                return floor_divide_number(left, divisor), first // divisor
            case "%":
                return take_remainder_of_number(left, divisor), first % divisor
        condition, holds = self.truth(depth - 1)
        return choose_number(condition, left, right), first if holds else second

    def truth(self, depth: int) -> tuple[Any, bool]:
        r = self.r
        kind = r.random()
        if depth <= 0 or kind < 0.5:
            sign = r.choice(sorted(SIGNS))
            (left, first), (right, second) = self.number(depth - 1), self.number(depth - 1)
            return compare_numbers(sign, left, right), SIGNS[sign](first, second)
        if kind < 0.6:
            formula, holds = self.truth(depth - 1)
            return negate_formula(formula), not holds
        parts = [self.truth(depth - 1) for _ in range(r.randint(1, 3))]
        if kind < 0.8:
            return conjoin_formulas([part for part, _ in parts]), all(holds for _, holds in parts)
        return disjoin_formulas([part for part, _ in parts]), any(holds for _, holds in parts)


def iter_answers(drawing: Drawing) -> Iterator[bool]:
    """Yield whether all formulas are true, for all numbers; each formula is what was computed beside it."""
    for numbers in product(*drawing.ranges):
        values = dict(zip(drawing.variables.values(), numbers, strict=True))
        drawn = drawing.draw(numbers)
        for formula, holds in drawn:
            found = put_numbers_in(formula, {v: n for v, n in values.items() if isinstance(v, Formula)})
            assert found == holds, (drawing.seed, numbers)
        yield all(holds for _, holds in drawn)


@pytest.mark.parametrize("seed", DRAWN)
def test_drawn_formulas(seed: int) -> None:
    drawing = Drawing(seed)
    possible = any([*iter_answers(drawing)])
    formulas = [formula for formula, _ in drawing.draw(next(product(*drawing.ranges)))]
    assert do_ranges_exclude(formulas, 100_000) is not possible
    for integers in (True, False):
        solver = z3.Solver() if integers else z3.SolverFor("QF_BV")
        solver.from_string(formulas_to_smtlib_text(formulas, integers))
        assert (solver.check() == z3.sat) is possible
        translated = FormulaSolver(Z3Translator(0 if integers else 40), 20.0, formulas)
        assert (translated.check() == z3.sat) is possible


def test_both_answers_are_drawn() -> None:
    assert {any(iter_answers(Drawing(seed))) for seed in DRAWN[:20]} == {True, False}


def test_two_sums_contradict_each_other() -> None:
    """No range of a, b or c excludes that a + b + c is 12 at most and, with one moved, 13: their sum does."""
    table = FormulaTable()
    a, b, c = (table.make_variable(name, 0, 1000) for name in "abc")
    before = add_numbers(add_numbers(a, b), c)
    after = add_numbers(add_numbers(add_numbers(a, -1), b), add_numbers(c, 1))
    at_most, more = compare_numbers("<=", before, 12), compare_numbers("<", 12, after)
    assert do_ranges_exclude([at_most, more], 200)
    assert not do_ranges_exclude([at_most, compare_numbers("<", 11, after)], 200)


def test_too_little_work_shows_nothing() -> None:
    table = FormulaTable()
    a, b = (table.make_variable(name, 0, 100) for name in "ab")
    product_of_both = multiply_numbers(a, b)
    excluded = [
        compare_numbers("==", product_of_both, 9409 + 1),
        compare_numbers("<", a, 97),
        compare_numbers("<", b, 97),
    ]
    assert do_ranges_exclude(excluded, 100_000)
    assert not do_ranges_exclude(excluded, 2)


def test_text_does_not_depend_on_earlier_questions() -> None:
    """Z3's cost depends on the text, so the text depends on the formulas alone."""

    def ask(table: FormulaTable) -> str:
        a, b = (table.make_variable(name, 0, 9) for name in "ab")
        twice = add_numbers(add_numbers(a, b), add_numbers(a, b))
        return formulas_to_smtlib_text([compare_numbers("==", twice, multiply_numbers(a, b))], True)

    used = FormulaTable()
    for n in range(50):
        add_numbers(used.make_variable("b", 0, 9), n)
    assert ask(used) == ask(FormulaTable())
