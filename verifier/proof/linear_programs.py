"""Linear programs by HiGHS, in a process of its own, which runs this file; and exact multipliers that show
that a list of inequalities has no solution."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

# -- farkas --------------------------------------------------------------------------------------------------
# Linear arguments in exact numbers: multipliers that show that no x >= 0 satisfies a list of inequalities.

_DENOMINATORS = (1, 2, 6, 12, 60, 420, 5040, 1_000_000)
_SMALL_TABLEAU = 40_000  # cells of a tableau that the simplex method in fractions takes on
_PIVOTS = 2_000


@dataclass(frozen=True, slots=True)
class LinearConstraint:
    """`sum(terms[c] * x[c]) >= bound`, or `==` if `equal`; `name` says what the row is about."""

    name: str
    terms: Mapping[int, int]
    bound: int
    equal: bool = False


def compute_infeasibility_gap_or_zero(
    constraints: Sequence[LinearConstraint], multiplier_by_name: Mapping[str, Fraction]
) -> Fraction:
    """Return by how much the combined rows contradict x >= 0, or 0 if the multipliers show
    nothing."""
    columns: dict[int, Fraction] = {}
    total = Fraction(0)
    names = {row.name for row in constraints}
    if any(name not in names for name in multiplier_by_name):
        return Fraction(0)
    for row in constraints:
        y = multiplier_by_name.get(row.name, Fraction(0))
        if y < 0 and not row.equal:
            return Fraction(0)
        total += y * row.bound
        for c, factor in row.terms.items():
            columns[c] = columns.get(c, Fraction(0)) + y * factor
    return total if total > 0 and all(v <= 0 for v in columns.values()) else Fraction(0)


def find_infeasibility_multipliers_or_none(
    constraints: Sequence[LinearConstraint], variable_count: int, time_limit: float, without_highs: bool = False
) -> dict[str, Fraction] | None:
    """Return multipliers with a gap, checked in fractions, or None if none were found. `without_highs`: do
    not ask HiGHS."""
    proposed = None if without_highs else _propose_multipliers_by_highs_or_none(constraints, time_limit)
    if proposed is None:
        exact = _find_simplex_multipliers_none_if_large(constraints, variable_count)
        multipliers = {row.name: y for row, y in zip(constraints, exact or (), strict=False) if y}
        return multipliers if multipliers and compute_infeasibility_gap_or_zero(constraints, multipliers) > 0 else None
    largest = max((abs(y) for y in proposed), default=0.0)
    for most in _DENOMINATORS if largest > 1e-7 else ():
        rounded = [Fraction(value / largest).limit_denominator(most) for value in proposed]
        multipliers = {row.name: y for row, y in zip(constraints, rounded, strict=True) if y}
        if compute_infeasibility_gap_or_zero(constraints, multipliers) > 0:
            return multipliers
    return None


def _propose_multipliers_by_highs_or_none(
    constraints: Sequence[LinearConstraint], time_limit: float
) -> list[float] | None:
    """Return the multiplier of each constraint that HiGHS proposes, [] if it finds none. Return None if it is not
    installed, fails or takes too long."""
    task = {
        "bounds": [r.bound for r in constraints],
        "equal": [r.equal for r in constraints],
        "rows": [sorted(r.terms.items()) for r in constraints],
    }
    values: list[float] | None = run_highs_in_own_process_or_get_none("multipliers", task, time_limit)
    return values


def _find_simplex_multipliers_none_if_large(
    constraints: Sequence[LinearConstraint], variable_count: int
) -> list[Fraction] | None:
    """Maximise y . bounds under y . column <= 0 and y <= 1, by the simplex method with Bland's rule
    from y = 0. Return None if the system is too large."""
    signs = [(n, s) for n, r in enumerate(constraints) for s in ((1, -1) if r.equal else (1,))]
    height = variable_count + len(signs)
    if height * len(signs) > _SMALL_TABLEAU:
        return None
    table = [
        [Fraction(s * constraints[n].terms.get(c, 0)) for n, s in signs] + [Fraction(0)] for c in range(variable_count)
    ]
    table += [[Fraction(i == j) for j in range(len(signs))] + [Fraction(1)] for i in range(len(signs))]
    cost = [Fraction(s * constraints[n].bound) for n, s in signs] + [Fraction(0)]
    # Column j of the table stands for `out[j]`, row i for `inside[i]`; slack of row i is numbered
    # len(signs) + i.
    out, inside = list(range(len(signs))), [len(signs) + i for i in range(height)]
    for _ in range(_PIVOTS):
        entering = min((j for j in range(len(signs)) if cost[j] > 0), key=lambda j: out[j], default=None)
        if entering is None:
            break
        ratios = [(line[-1] / line[entering], inside[i], i) for i, line in enumerate(table) if line[entering] > 0]
        _pivot_tableau_in_place(table, cost, min(ratios)[2], entering)
        leaving = min(ratios)[2]
        inside[leaving], out[entering] = out[entering], inside[leaving]
    values = {name: table[i][-1] for i, name in enumerate(inside)}
    y = [Fraction(0)] * len(constraints)
    for j, (n, s) in enumerate(signs):
        y[n] += s * values.get(j, Fraction(0))
    return y


def _pivot_tableau_in_place(tableau: list[list[Fraction]], cost_row: list[Fraction], row: int, column: int) -> None:
    """Exchange the variables of a row and a column."""
    line = tableau[row]
    by = line[column]
    line[column] = Fraction(1)
    tableau[row] = line = [v / by for v in line]
    for other in [*(t for i, t in enumerate(tableau) if i != row), cost_row]:
        factor = other[column]
        if factor:
            other[column] = Fraction(0)
            for j, v in enumerate(line):
                if v:
                    other[j] -= factor * v


# -- highs ---------------------------------------------------------------------------------------------------
# Linear programs by HiGHS, in a process of its own: its library does not share a process with another
# solver's.

LinearRow = tuple[float, float, dict[int, float]]
"""Between which numbers a row lies, and its factors by column."""
_TINY, _EXACT = 1e-7, 1e-10
_STEPS = {"multipliers": 100_000, "plans": 2_000_000, "rises": 100_000}
"""Of the simplex method: the same on every machine, as seconds are not."""
_INFINITY = float("inf")


def run_highs_in_own_process_or_get_none(program_name: str, task: Mapping[str, Any], time_limit: float) -> Any:
    """Return the answer of a program of this file to a task; None if HiGHS is not installed, fails or takes too
    long."""
    try:
        done = subprocess.run(
            [sys.executable, "-P", __file__, program_name],
            input=json.dumps({**task, "seconds": time_limit}),
            capture_output=True,
            text=True,
            timeout=time_limit + 20,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    return None if done.returncode else json.loads(done.stdout)


def solve_infeasibility_multipliers_or_empty(highs_model: Any, task: Mapping[str, Any]) -> list[float]:
    """Return the multipliers y that maximise y . bounds under y . column <= 0 and |y| <= 1 (y >= 0 for a row that is no
    equality), or [] if no combination is positive. The task is {"rows": [[[column, factor], ...], ...], "bounds",
    "equal"}."""
    columns: dict[int, dict[int, float]] = {}
    for n, terms in enumerate(task["rows"]):
        highs_model.addVar(-1.0 if task["equal"][n] else 0.0, 1.0)
        highs_model.changeColCost(n, -float(task["bounds"][n]))
        for c, factor in terms:
            columns.setdefault(c, {})[n] = float(factor)
    for factors in columns.values():
        _add_row_to_highs_model(highs_model, (-_INFINITY, 0.0, factors))
    if not _run_highs_and_check_optimal(highs_model) or highs_model.getInfo().objective_function_value > -_TINY:
        return []
    return [float(v) for v in highs_model.getSolution().col_value]


def solve_rising_factors_or_empty(highs_model: Any, task: Mapping[str, Any]) -> list[float]:
    """Return factors by which each change rises by 1 or more, with the smallest greatest rise; [] if there are none.
    The task is {"changes": [[number, ...], ...]}."""
    width = len(task["changes"][0])
    for column in range(width + 1):  # the last is the greatest rise
        highs_model.addVar(0.0 if column == width else -_INFINITY, _INFINITY)
    highs_model.changeColCost(width, 1.0)
    for change in task["changes"]:
        factors = {column: float(number) for column, number in enumerate(change) if number}
        _add_row_to_highs_model(highs_model, (1.0, _INFINITY, factors))
        _add_row_to_highs_model(highs_model, (-_INFINITY, 0.0, {**factors, width: -1.0}))
    return (
        [float(v) for v in highs_model.getSolution().col_value[:width]]
        if _run_highs_and_check_optimal(highs_model)
        else []
    )


def solve_sequence_frequencies_or_empty(highs_model: Any, task: Mapping[str, Any]) -> list[list[float]]:
    """Return how much each of two seats plays of each of its sequences, or [] if HiGHS comes to no end. The task is
    {"sequences": [n, m], "sets": [[[before, [sequence, ...]], ...], ...], "paid": [[i, j, worth], ...]}. Sequence 0 of
    each seat is the empty one. What is played of the sequence `before` a set is what is played of its sequences
    together. Source: Koller, Megiddo, von Stengel, "Fast algorithms for finding randomized strategies in game trees",
    1994."""
    for name in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
        highs_model.setOptionValue(name, _EXACT)
    (mine, theirs), (my_sets, their_sets) = task["sequences"], task["sets"]
    for _ in range(mine):
        highs_model.addVar(0.0, _INFINITY)
    for n in range(len(their_sets) + 1):  # what the other can still get, from each of its sets on
        highs_model.addVar(-_INFINITY, _INFINITY)
        highs_model.changeColCost(mine + n, -1.0 if n == 0 else 0.0)
    for row in (
        *_iter_best_response_constraint_rows(task, mine, theirs),
        *_iter_sequence_flow_constraint_rows(my_sets),
    ):
        _add_row_to_highs_model(highs_model, row)
    if not _run_highs_and_check_optimal(highs_model):
        return []
    solution = highs_model.getSolution()
    return [
        [max(0.0, float(v)) for v in solution.col_value[:mine]],
        [abs(float(v)) for v in solution.row_dual[:theirs]],
    ]


def _iter_best_response_constraint_rows(
    task: Mapping[str, Any], own_count: int, opponent_count: int
) -> Iterator[LinearRow]:
    """Yield a row for each sequence of the other seat: by it, the other leaves no less than it could."""
    rows: list[dict[int, float]] = [{} for _ in range(opponent_count)]
    for i, j, worth in task["paid"]:
        rows[j][i] = rows[j].get(i, 0.0) + worth
    rows[0][own_count] = rows[0].get(own_count, 0.0) - 1.0
    for number, (before, sequences) in enumerate(task["sets"][1], own_count + 1):
        rows[before][number] = 1.0
        for sequence in sequences:
            rows[sequence][number] = -1.0
    return ((0.0, _INFINITY, row) for row in rows)


def _iter_sequence_flow_constraint_rows(information_sets: list[Any]) -> Iterator[LinearRow]:
    """Yield a row for each set: its sequences are played as often as the one before it."""
    yield 1.0, 1.0, {0: 1.0}
    for before, sequences in information_sets:
        yield 0.0, 0.0, {before: -1.0, **dict.fromkeys(sequences, 1.0)}


def _add_row_to_highs_model(highs_model: Any, row: LinearRow) -> None:
    low, high, factors = row
    columns = sorted(factors)
    highs_model.addRow(low, high, len(columns), columns, [factors[c] for c in columns])


def _run_highs_and_check_optimal(highs_model: Any) -> bool:
    """Run HiGHS, and return whether it found the best there is."""
    highs_model.run()
    return bool(highs_model.modelStatusToString(highs_model.getModelStatus()) == "Optimal")


def _solve_program_from_stdin_to_stdout() -> None:
    answer = os.dup(1)
    os.dup2(2, 1)  # from version 1.16 on, HiGHS prints its name before it can be told to be silent
    program, task = sys.argv[1], json.load(sys.stdin)
    try:
        import highspy
    except ImportError:
        sys.exit(3)
    made: Any = highspy.Highs
    model = made()
    options = {"output_flag": False, "threads": 1, "time_limit": float(task["seconds"])}
    for name, value in {**options, "simplex_iteration_limit": _STEPS[program]}.items():
        model.setOptionValue(name, value)
    solution = {
        "multipliers": solve_infeasibility_multipliers_or_empty,
        "plans": solve_sequence_frequencies_or_empty,
        "rises": solve_rising_factors_or_empty,
    }[program](model, task)
    with os.fdopen(answer, "w") as file:
        json.dump(solution, file)


if __name__ == "__main__":
    _solve_program_from_stdin_to_stdout()
