"""Sums that steps seem to leave as they are, and that nobody wrote down.

    unseen[0] + unseen[1] + unseen[2] - left[0] - left[1] - stock - (top[0] == 0) - (top[1] == 0) == 1

Equations over cells that hold in all states of some random games: Karr, "Affine relationships among variables of a
program" (1976). They are candidates: `clauses` drops those that a step breaks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from playproof.verifier.proof.layering import format_weighted_sum
from playproof.verifier.proof.phases_end import format_cell_name
from playproof.verifier.proof.weighing import iter_nullspace_basis
from playproof.verifier.search.case import GameCase
from playproof.verifier.search.sampled_states import sample_cells

_PRIME = (1 << 31) - 1
_MOST_SUMMANDS, _LARGEST, _MULTIPLES = 200, 64, 12
Summand = tuple[int, int | None]
"""A cell, or (with a value) whether the cell has this value."""


def find_linear_equalities(case: GameCase) -> list[str]:
    """Return equations that hold in all states of some random games."""
    summands = list(_iter_summands(case))
    if len(summands) > _MOST_SUMMANDS:
        return []
    met = _evaluate_summands(summands, sample_cells(case))
    first = met[:, :1]
    return list(_iter_equations(case, summands, np.unique((met - first).T, axis=0), first))


def _iter_summands(case: GameCase) -> Iterator[Summand]:
    """Yield each cell, and whether it has its least value, and each phase."""
    for f in case.game.fields:
        for cell in range(f.offset, f.offset + f.size):
            if cell > 1 and f.lo < f.hi and not f.labels:
                yield cell, None
                if f.hi - f.lo > 1:
                    yield cell, f.lo
    for phase in case.game.phases[1:]:
        yield 0, phase.number


def _evaluate_summands(summands: Sequence[Summand], cells: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the summands (rows) in states (columns)."""
    return np.array(
        [cells[c] if value is None else cells[c] == value for c, value in summands], dtype=np.int64
    )


def _iter_equations(
    case: GameCase,
    summands: Sequence[Summand],
    rows: npt.NDArray[np.int64],
    first_values: npt.NDArray[np.int64],
) -> Iterator[str]:
    """Yield equations that hold in the first state and that no row, a difference from it, changes. Those whose factors
    are not small are left out."""
    names = [
        format_cell_name(case.game, cell)
        if value is None
        else f"({format_cell_name(case.game, cell)} == {value})"
        for cell, value in summands
    ]
    sparse = [{n: int(v) for n, v in enumerate(row) if v} for row in rows]
    for solution in iter_nullspace_basis(sparse, len(summands), _PRIME):
        factors = _scale_to_small_integers(solution, len(summands))
        if factors is not None and not (rows @ factors).any():
            yield f"{format_weighted_sum(names, factors.tolist())} == {int(factors @ first_values[:, 0])}"


def _scale_to_small_integers(solution: dict[int, int], width: int) -> npt.NDArray[np.int64] | None:
    """Return a vector modulo the prime as small whole numbers, or None if it has no small multiple."""
    for times in range(1, _MULTIPLES + 1):
        row = np.zeros(width, dtype=np.int64)
        for place, value in solution.items():
            row[place] = (value * times + _PRIME // 2) % _PRIME - _PRIME // 2
        if np.abs(row).max() <= _LARGEST:
            return row
    return None
