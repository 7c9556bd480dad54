"""Linear arguments in exact numbers: multipliers that show that no x >= 0 satisfies a list of
inequalities.

Farkas' lemma: `row . x >= bound` for all rows has no solution x >= 0 if there are multipliers y
(not negative, except for equalities) that make no column of `y . rows` positive but make `y .
bounds` positive. HiGHS proposes y in floating point in a separate process. If it is not installed,
a simplex method in fractions solves small systems. No proposal counts before
`compute_contradiction_gap` has re-added the rows in fractions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from playproof.verifier.proof.highs import run_highs_program

_DENOMINATORS = (1, 2, 6, 12, 60, 420, 5040, 1_000_000)
_TINY = 40_000  # cells of a tableau that the simplex method in fractions takes on
_PIVOTS = 2_000


@dataclass(frozen=True, slots=True)
class LinearConstraint:
    """`sum(terms[c] * x[c]) >= bound`, or `==` if `equal`; `name` says what the row is about."""

    name: str
    terms: Mapping[int, int]
    bound: int
    equal: bool = False


def compute_contradiction_gap(
    rows: Sequence[LinearConstraint], multipliers: Mapping[str, Fraction]
) -> Fraction:
    """Return by how much the combined rows contradict x >= 0, or 0 if the multipliers show
    nothing."""
    columns: dict[int, Fraction] = {}
    total = Fraction(0)
    names = {row.name for row in rows}
    if any(name not in names for name in multipliers):
        return Fraction(0)
    for row in rows:
        y = multipliers.get(row.name, Fraction(0))
        if y < 0 and not row.equal:
            return Fraction(0)
        total += y * row.bound
        for c, factor in row.terms.items():
            columns[c] = columns.get(c, Fraction(0)) + y * factor
    return total if total > 0 and all(v <= 0 for v in columns.values()) else Fraction(0)


def find_contradiction_multipliers(
    rows: Sequence[LinearConstraint], columns: int, seconds: float, without_highs: bool = False
) -> dict[str, Fraction] | None:
    """Return multipliers with a gap, checked in fractions, or None if none were found. `own`: do
    not ask HiGHS."""
    proposed = None if without_highs else _propose_multipliers_by_highs(rows, seconds)
    if proposed is None:
        exact = _find_multipliers_by_simplex(rows, columns)
        multipliers = {row.name: y for row, y in zip(rows, exact or (), strict=False) if y}
        return multipliers if multipliers and compute_contradiction_gap(rows, multipliers) > 0 else None
    largest = max((abs(y) for y in proposed), default=0.0)
    for most in _DENOMINATORS if largest > 1e-7 else ():
        rounded = [Fraction(value / largest).limit_denominator(most) for value in proposed]
        multipliers = {row.name: y for row, y in zip(rows, rounded, strict=True) if y}
        if compute_contradiction_gap(rows, multipliers) > 0:
            return multipliers
    return None


def _propose_multipliers_by_highs(rows: Sequence[LinearConstraint], seconds: float) -> list[float] | None:
    """Return the multipliers that HiGHS proposes, all 0 if it finds none. Return None if it is not
    installed, fails or takes too long."""
    task = {
        "bounds": [r.bound for r in rows],
        "equal": [r.equal for r in rows],
        "rows": [sorted(r.terms.items()) for r in rows],
    }
    values: list[float] | None = run_highs_program("multipliers", task, seconds)
    return None if values is None else values or [0.0] * len(rows)


def _find_multipliers_by_simplex(rows: Sequence[LinearConstraint], columns: int) -> list[Fraction] | None:
    """Maximise y . bounds under y . column <= 0 and y <= 1, by the simplex method with Bland's rule
    from y = 0. Return None if the system is too large."""
    signs = [(n, s) for n, r in enumerate(rows) for s in ((1, -1) if r.equal else (1,))]
    height = columns + len(signs)
    if height * len(signs) > _TINY:
        return None
    table = [
        [Fraction(s * rows[n].terms.get(c, 0)) for n, s in signs] + [Fraction(0)] for c in range(columns)
    ]
    table += [[Fraction(i == j) for j in range(len(signs))] + [Fraction(1)] for i in range(len(signs))]
    cost = [Fraction(s * rows[n].bound) for n, s in signs] + [Fraction(0)]
    # Column j of the table stands for `out[j]`, row i for `inside[i]`; slack of row i is numbered
    # len(signs) + i.
    out, inside = list(range(len(signs))), [len(signs) + i for i in range(height)]
    for _ in range(_PIVOTS):
        entering = min((j for j in range(len(signs)) if cost[j] > 0), key=lambda j: out[j], default=None)
        if entering is None:
            break
        ratios = [
            (line[-1] / line[entering], inside[i], i) for i, line in enumerate(table) if line[entering] > 0
        ]
        _pivot_tableau(table, cost, min(ratios)[2], entering)
        leaving = min(ratios)[2]
        inside[leaving], out[entering] = out[entering], inside[leaving]
    values = {name: table[i][-1] for i, name in enumerate(inside)}
    y = [Fraction(0)] * len(rows)
    for j, (n, s) in enumerate(signs):
        y[n] += s * values.get(j, Fraction(0))
    return y


def _pivot_tableau(table: list[list[Fraction]], cost: list[Fraction], row: int, column: int) -> None:
    """Exchange the variables of a row and a column."""
    line = table[row]
    by = line[column]
    line[column] = Fraction(1)
    table[row] = line = [v / by for v in line]
    for other in [*(t for i, t in enumerate(table) if i != row), cost]:
        factor = other[column]
        if factor:
            other[column] = Fraction(0)
            for j, v in enumerate(line):
                if v:
                    other[j] -= factor * v
