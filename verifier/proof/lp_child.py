"""A separate process for HiGHS, whose library does not share a process with another solver's.

It reads {"columns", "seconds", "rows": [[[column, factor], ...], ...], "bounds", "equal"} from
standard input. It writes the multipliers y that maximise y . bounds under y . column <= 0 and |y|
<= 1 (y >= 0 for a row that is no equality), or [] if no combination is positive. The exit status is
3 if HiGHS is not installed.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

_STEPS = 100_000  # of the simplex method: the same on every machine, as seconds are not


def solve(task: dict[str, Any]) -> list[float]:
    """Return the multipliers, or [] if there are none."""
    import highspy

    made: Any = highspy.Highs
    model = made()
    model.setOptionValue("output_flag", False)
    model.setOptionValue("time_limit", float(task["seconds"]))
    model.setOptionValue("simplex_iteration_limit", _STEPS)
    model.setOptionValue("threads", 1)
    columns: dict[int, list[tuple[int, float]]] = {}
    for n, terms in enumerate(task["rows"]):
        model.addVar(-1.0 if task["equal"][n] else 0.0, 1.0)
        model.changeColCost(n, -float(task["bounds"][n]))
        for c, factor in terms:
            columns.setdefault(c, []).append((n, float(factor)))
    for terms in columns.values():
        model.addRow(-highspy.kHighsInf, 0.0, len(terms), [n for n, _ in terms], [f for _, f in terms])
    model.run()
    if (
        model.getModelStatus() != highspy.HighsModelStatus.kOptimal
        or model.getInfo().objective_function_value > -1e-7
    ):
        return []
    return [float(v) for v in model.getSolution().col_value]


if __name__ == "__main__":
    answer = os.dup(1)
    os.dup2(2, 1)  # from version 1.16 on, HiGHS prints its name before it can be told to be silent
    try:
        solved = solve(json.load(sys.stdin))
        with os.fdopen(answer, "w") as file:
            json.dump(solved, file)
    except ImportError:
        sys.exit(3)
