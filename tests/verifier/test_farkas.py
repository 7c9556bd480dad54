"""Linear arguments are checked to the last number."""

from __future__ import annotations

from fractions import Fraction

import pytest

from playproof.verifier.proof.linear_programs import (
    LinearConstraint,
    compute_infeasibility_gap_or_zero,
    find_infeasibility_multipliers_or_none,
)

TIGHT = [
    LinearConstraint("sum", {0: 1, 1: 1}, 5),
    LinearConstraint("first", {0: -1}, -2),
    LinearConstraint("second", {1: -1}, -2),
]


@pytest.mark.parametrize("own", [False, True])
def test_multipliers_are_found_by_both_solvers_and_only_where_there_is_a_contradiction(own: bool) -> None:
    if not own:
        pytest.importorskip("highspy")
    found = find_infeasibility_multipliers_or_none(TIGHT, 2, 5.0, own)
    assert found is not None
    assert compute_infeasibility_gap_or_zero(TIGHT, found) > 0
    loose = [*TIGHT[:2], LinearConstraint("second", {1: -1}, -3)]
    assert find_infeasibility_multipliers_or_none(loose, 2, 5.0, own) is None
    circle = [LinearConstraint("here", {0: 1, 1: -1}, 0, equal=True), LinearConstraint("more", {0: 1, 1: -1}, 1)]
    found = find_infeasibility_multipliers_or_none(circle, 2, 5.0, own)
    assert found is not None
    assert found["here"] < 0


@pytest.mark.parametrize(
    "multipliers",
    [
        {},
        {"sum": Fraction(1)},
        {"sum": Fraction(1), "first": Fraction(1)},
        {"sum": Fraction(-1)},
        {"sum": Fraction(1), "first": Fraction(1), "second": Fraction(999_999, 1_000_000)},
        {"sum": Fraction(1), "first": Fraction(1), "second": Fraction(1), "other": Fraction(1)},
    ],
)
def test_what_does_not_add_up_exactly_shows_nothing(multipliers: dict[str, Fraction]) -> None:
    assert compute_infeasibility_gap_or_zero(TIGHT, multipliers) == 0
