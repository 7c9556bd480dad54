"""What `make prove` makes of a planner's answers; the planner here is a script, so that nothing need be installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from playproof.verifier.search.case import GameCase
from tests.planner import planned
from tests.published_games import get_published_game


@pytest.mark.parametrize(
    ("status", "plan", "answer"),
    [
        (11, [], "False"),
        (0, ["(a2-2)", "; cost = 1"], "True"),
        (0, ["(a0-0)", "; cost = 1"], "does not win"),
        (0, ["(a1-1)"], "S1"),
        (22, [], "ended with 22"),
    ],
)
def test_a_plan_is_played_and_no_plan_is_believed_only_if_none_is_left(
    tmp_path: Path, status: int, plan: list[str], answer: str
) -> None:
    program = tmp_path / "planner.py"
    text = "\n".join(plan)
    program.write_text(f"import pathlib\npathlib.Path('sas_plan').write_text({text!r})\nraise SystemExit({status})")
    case = GameCase(get_published_game("soldiers"), {"row": "1", "columns": "3"}, machine=False)
    try:
        said = str(planned(case, program, tmp_path))
    except Exception as error:
        said = str(error)
    assert answer in said
