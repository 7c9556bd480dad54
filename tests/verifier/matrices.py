"""The value of matrix games, in fractions, by enumeration: shared by tests that compute apart what a game is worth."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product


def solve_matrix(matrix: list[list[Fraction]]) -> Fraction:
    """The value of a matrix game to the row player, from the square part that solves it (Shapley and Snow 1950)."""
    rows, columns = range(len(matrix)), range(len(matrix[0]))
    low = max(min(row) for row in matrix)
    high = min(max(row[c] for row in matrix) for c in columns)
    if low == high:
        return low
    for size in range(2, min(len(rows), len(columns)) + 1):
        for some_rows, some_columns in product(combinations(rows, size), combinations(columns, size)):
            part = [[matrix[r][c] for c in some_columns] for r in some_rows]
            mine, theirs = find_equalizing_mix(transpose_matrix(part)), find_equalizing_mix(part)
            if mine is None or theirs is None or mine[1] != theirs[1]:
                continue
            (plan, value), (answer, _) = mine, theirs
            holds = all(sum(p * matrix[r][c] for p, r in zip(plan, some_rows, strict=True)) >= value for c in columns)
            met = all(sum(p * matrix[r][c] for p, c in zip(answer, some_columns, strict=True)) <= value for r in rows)
            if holds and met:
                return value
    raise AssertionError("a matrix game has a value")


def transpose_matrix(matrix: list[list[Fraction]]) -> list[list[Fraction]]:
    return [list(row) for row in zip(*matrix, strict=True)]


def find_equalizing_mix(part: list[list[Fraction]]) -> tuple[list[Fraction], Fraction] | None:
    """Return shares of the columns, none negative, that make all rows worth the same, and that worth."""
    size = len(part)
    system = [[*row, Fraction(-1), Fraction(0)] for row in part] + [[Fraction(1)] * size + [Fraction(0), Fraction(1)]]
    for column in range(size + 1):
        pivot = next((r for r in range(column, size + 1) if system[r][column] != 0), None)
        if pivot is None:
            return None
        system[column], system[pivot] = system[pivot], system[column]
        system[column] = [v / system[column][column] for v in system[column]]
        for r in range(size + 1):
            if r != column and system[r][column] != 0:
                factor = system[r][column]
                system[r] = [v - factor * w for v, w in zip(system[r], system[column], strict=True)]
    solved = [row[-1] for row in system]
    return (solved[:-1], solved[-1]) if min(solved[:-1]) >= 0 else None
