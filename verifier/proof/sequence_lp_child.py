"""A separate process for HiGHS, which finds plans for two seats by linear programming over sequences.

It reads {"seconds", "sequences": [n, m], "sets": [[[before, [sequence, ...]], ...], ...], "paid": [[i, j,
worth], ...]} from standard input. Sequence 0 of each seat is the empty one. What is played of the sequence
`before` a set is what is played of its sequences together. It writes how much each seat plays of each of its
sequences, or [] if HiGHS came to no end. The exit status is 3 if HiGHS is not installed.
Source: Koller, Megiddo, von Stengel, "Fast algorithms for finding randomized strategies in game trees", 1994.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

_STEPS = 2_000_000  # of the simplex method: the same on every machine, as seconds are not
_EXACT = 1e-10


def solve(task: dict[str, Any]) -> list[list[float]]:
    """Return both plans as weights of sequences, or [] if there are none."""
    import highspy

    made: Any = highspy.Highs
    model = made()
    for name, value in (("output_flag", False), ("threads", 1), ("simplex_iteration_limit", _STEPS)):
        model.setOptionValue(name, value)
    model.setOptionValue("time_limit", float(task["seconds"]))
    for name in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
        model.setOptionValue(name, _EXACT)
    (mine, theirs), (my_sets, their_sets) = task["sequences"], task["sets"]
    infinity = highspy.kHighsInf
    for _ in range(mine):
        model.addVar(0.0, infinity)
    for n in range(len(their_sets) + 1):  # what the other can still get, from each of its sets on
        model.addVar(-infinity, infinity)
        model.changeColCost(mine + n, -1.0 if n == 0 else 0.0)
    for lower, terms in [*_answers(task, mine, theirs), *_flow(my_sets)]:
        upper = infinity if lower is None else lower
        columns = sorted(terms)
        model.addRow(lower or 0.0, upper, len(columns), columns, [terms[c] for c in columns])
    model.run()
    if model.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return []
    solution = model.getSolution()
    return [
        [max(0.0, float(v)) for v in solution.col_value[:mine]],
        [abs(float(v)) for v in solution.row_dual[:theirs]],
    ]


Row = tuple[float | None, dict[int, float]]
"""What a row is equal to (None: at least 0), and its factors by column."""


def _answers(task: dict[str, Any], mine: int, theirs: int) -> list[Row]:
    """Return a row for each sequence of the other seat: by it, the other leaves no less than it could."""
    rows: list[dict[int, float]] = [{} for _ in range(theirs)]
    for i, j, worth in task["paid"]:
        rows[j][i] = rows[j].get(i, 0.0) + worth
    rows[0][mine] = rows[0].get(mine, 0.0) - 1.0
    for number, (before, sequences) in enumerate(task["sets"][1], mine + 1):
        rows[before][number] = 1.0
        for sequence in sequences:
            rows[sequence][number] = -1.0
    return [(None, row) for row in rows]


def _flow(sets: list[Any]) -> list[Row]:
    """Return a row for each set: its sequences are played as often as the one before it."""
    rows: list[Row] = [(1.0, {0: 1.0})]
    for before, sequences in sets:
        rows.append((0.0, {before: -1.0, **dict.fromkeys(sequences, 1.0)}))
    return rows


if __name__ == "__main__":
    answer = os.dup(1)
    os.dup2(2, 1)  # from version 1.16 on, HiGHS prints its name before it can be told to be silent
    try:
        solved = solve(json.load(sys.stdin))
        with os.fdopen(answer, "w") as file:
            json.dump(solved, file)
    except ImportError:
        sys.exit(3)
