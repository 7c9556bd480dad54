"""A worked example that cannot be played says what does not fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from playproof.verifier.proof.counting import answer_worked_example_claim
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import UNFIT
from playproof.verifier.search.case import Budget, GameCase

PORTERS = str(Path(__file__).parent / "games" / "porters")
UP = ["lift 3", "lift 2"]
UNFITTING = {
    "no such action": ({"line": [*UP, "lift up"]}, 2, "`lift up`: no action of the game; did you mean"),
    "not legal": ({"line": ["set down"]}, 0, "`set down`: "),
    "a refusal that is legal": ({"line": [*UP, "refused: set down"]}, 2, "`refused: set down`: it is legal"),
    "a refusal of nothing": ({"line": ["refused: jump"]}, 0, "`refused: jump`: it is no action of the game"),
    "a condition": ({"line": [*UP, "now: load == 4"]}, 2, "`now: load == 4` does not hold"),
    "a last condition": ({"line": UP, "then": ["load == 5", "load == 4"]}, 2, "`load == 4` does not hold at the end"),
    "an end": ({"line": UP, "end": "all is carried | 1"}, 2, "expected the end `all is carried | 1`, found none"),
}


@pytest.mark.parametrize("case", UNFITTING)
def test_what_does_not_fit_is_said(case: str) -> None:
    example, fit, said = UNFITTING[case]
    found = answer_worked_example_claim(
        GameCase(PORTERS, machine=False), Question("told", "example", example), Budget(5.0)
    )
    assert found.value is False
    assert found.bound["actions that fit"] == fit
    assert found.bound[UNFIT].startswith(said), found.bound[UNFIT]


def test_an_example_that_fits_says_nothing_more() -> None:
    example = {"line": [*UP, "now: load == 5"], "then": ["load == 5"]}
    found = answer_worked_example_claim(
        GameCase(PORTERS, machine=False), Question("told", "example", example), Budget(5.0)
    )
    assert (found.value, found.bound) == (True, {"actions that fit": 2})
