"""Finds the line that breaks the rules among states that were explored in machine code, which checks no bounds.

States come in the order in which they were found, so all states before the first that breaks are as the rules say.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from playproof.language import RulesError
from playproof.language.explorer import Exploration
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.columns import ColumnReading
from playproof.verifier.search import breaches
from playproof.verifier.search.case import GameCase

_BLOCK = 20_000


def find_rule_breaking_line_in_exploration(case: GameCase, seen: Exploration) -> breaches.BrokenRules | None:
    """Return the first explored decision that breaks the rules, as a line from the start; None if there is none."""
    reader = ColumnReading(case.game)
    for first in range(0, seen.states, _BLOCK):
        last = min(seen.states, first + _BLOCK)
        cells = seen.get_state_columns(first, last).T
        if _has_breaking_row(reader, cells):
            row = first + _find_first_breaking_row(reader, cells)
            return _record_rule_errors_at_row(case, seen, row)
    return None


def _has_breaking_row(reader: ColumnReading, cells: npt.NDArray[np.int64]) -> bool:
    live = cells[cells[:, 1] == 0]
    try:
        for _ in reader.iter_legal_steps(live):
            pass
    except NotShown:
        return True
    return False


def _find_first_breaking_row(reader: ColumnReading, cells: npt.NDArray[np.int64]) -> int:
    """Return the first of the rows that breaks; one of them does."""
    low, high = 0, len(cells)
    while high - low > 1:
        middle = (low + high) // 2
        if _has_breaking_row(reader, cells[low:middle]):
            high = middle
        else:
            low = middle
    return low


def _record_rule_errors_at_row(case: GameCase, seen: Exploration, row: int) -> breaches.BrokenRules | None:
    """Note the interpreter's error for an action in a row, and return the shortest line noted."""
    state, path = seen.unpack_state(row), seen.find_path_to_row(row)
    try:
        legal = case.play.legal(state)
    except RulesError as error:
        breaches.record_rule_breaking_line(case, path, error)
        return breaches.get_shortest_rule_breaking_line(case)
    for ident in legal:
        try:
            case.play.apply(state, ident)
        except RulesError as error:
            breaches.record_rule_breaking_line(case, [*path, ident], error)
    return breaches.get_shortest_rule_breaking_line(case)
