"""Linear programs by HiGHS, in a process of its own: its library does not share a process with another solver's.

This file is both sides: `run_highs_program` runs it, with the name of a program, and the process reads a
task as JSON and writes the answer. The exit status is 3 if HiGHS is not installed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import Any

LinearRow = tuple[float, float, dict[int, float]]
"""Between which numbers a row lies, and its factors by column."""
_TINY, _EXACT = 1e-7, 1e-10
_STEPS = {"multipliers": 100_000, "plans": 2_000_000, "rises": 100_000}
"""Of the simplex method: the same on every machine, as seconds are not."""
_INFINITY = float("inf")


def run_highs_program(program: str, task: Mapping[str, Any], seconds: float) -> Any:
    """Return the answer of a program of this file to a task; None if HiGHS is not installed, fails or takes too
    long."""
    try:
        done = subprocess.run(
            [sys.executable, "-P", __file__, program],
            input=json.dumps({**task, "seconds": seconds}),
            capture_output=True,
            text=True,
            timeout=seconds + 20,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    return None if done.returncode else json.loads(done.stdout)


def solve_multipliers(model: Any, task: Mapping[str, Any]) -> list[float]:
    """Return the multipliers y that maximise y . bounds under y . column <= 0 and |y| <= 1 (y >= 0 for a row that is no
    equality), or [] if no combination is positive. The task is {"rows": [[[column, factor], ...], ...], "bounds",
    "equal"}."""
    columns: dict[int, dict[int, float]] = {}
    for n, terms in enumerate(task["rows"]):
        model.addVar(-1.0 if task["equal"][n] else 0.0, 1.0)
        model.changeColCost(n, -float(task["bounds"][n]))
        for c, factor in terms:
            columns.setdefault(c, {})[n] = float(factor)
    for factors in columns.values():
        _add_model_row(model, (-_INFINITY, 0.0, factors))
    if not _solve_to_optimum(model) or model.getInfo().objective_function_value > -_TINY:
        return []
    return [float(v) for v in model.getSolution().col_value]


def solve_rising_factors(model: Any, task: Mapping[str, Any]) -> list[float]:
    """Return factors by which each change rises by 1 or more, with the smallest greatest rise; [] if there are none.
    The task is {"changes": [[number, ...], ...]}."""
    width = len(task["changes"][0])
    for column in range(width + 1):  # the last is the greatest rise
        model.addVar(0.0 if column == width else -_INFINITY, _INFINITY)
    model.changeColCost(width, 1.0)
    for change in task["changes"]:
        factors = {column: float(number) for column, number in enumerate(change) if number}
        _add_model_row(model, (1.0, _INFINITY, factors))
        _add_model_row(model, (-_INFINITY, 0.0, {**factors, width: -1.0}))
    return [float(v) for v in model.getSolution().col_value[:width]] if _solve_to_optimum(model) else []


def solve_sequence_plans(model: Any, task: Mapping[str, Any]) -> list[list[float]]:
    """Return how much each of two seats plays of each of its sequences, or [] if HiGHS comes to no end. The task is
    {"sequences": [n, m], "sets": [[[before, [sequence, ...]], ...], ...], "paid": [[i, j, worth], ...]}. Sequence 0 of
    each seat is the empty one. What is played of the sequence `before` a set is what is played of its sequences
    together.
    Source: Koller, Megiddo, von Stengel, "Fast algorithms for finding randomized strategies in game trees", 1994."""
    for name in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
        model.setOptionValue(name, _EXACT)
    (mine, theirs), (my_sets, their_sets) = task["sequences"], task["sets"]
    for _ in range(mine):
        model.addVar(0.0, _INFINITY)
    for n in range(len(their_sets) + 1):  # what the other can still get, from each of its sets on
        model.addVar(-_INFINITY, _INFINITY)
        model.changeColCost(mine + n, -1.0 if n == 0 else 0.0)
    for row in (*_iter_best_response_rows(task, mine, theirs), *_iter_flow_rows(my_sets)):
        _add_model_row(model, row)
    if not _solve_to_optimum(model):
        return []
    solution = model.getSolution()
    return [
        [max(0.0, float(v)) for v in solution.col_value[:mine]],
        [abs(float(v)) for v in solution.row_dual[:theirs]],
    ]


def _iter_best_response_rows(
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


def _iter_flow_rows(sets: list[Any]) -> Iterator[LinearRow]:
    """Yield a row for each set: its sequences are played as often as the one before it."""
    yield 1.0, 1.0, {0: 1.0}
    for before, sequences in sets:
        yield 0.0, 0.0, {before: -1.0, **dict.fromkeys(sequences, 1.0)}


def _add_model_row(model: Any, row: LinearRow) -> None:
    low, high, factors = row
    columns = sorted(factors)
    model.addRow(low, high, len(columns), columns, [factors[c] for c in columns])


def _solve_to_optimum(model: Any) -> bool:
    """Run HiGHS, and return whether it found the best there is."""
    model.run()
    return bool(model.modelStatusToString(model.getModelStatus()) == "Optimal")


def _main() -> None:
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
        "multipliers": solve_multipliers,
        "plans": solve_sequence_plans,
        "rises": solve_rising_factors,
    }[program](model, task)
    with os.fdopen(answer, "w") as file:
        json.dump(solution, file)


if __name__ == "__main__":
    _main()
