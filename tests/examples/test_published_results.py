"""The page of published results is what results.yaml lists and what the claims answer; its games are small."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from playproof.cli.main import run_command_line_and_get_exit_status
from playproof.language import Interpreter
from playproof.language.compiled import Compiled
from playproof.language.registry import build
from playproof.verifier.proof.counting import build_deal_sample_of_claim
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Answer, Verdict
from playproof.verifier.search.case import Budget, GameCase
from tests import published as command
from tests.published_games import FOLDER, get_published_game, list_published_names

RESULTS = command.read_results()
FAST = [r for r in RESULTS if r.fast]
ROWS = command.rows_of(command.PAGE.read_text(encoding="utf-8"))


def test_the_page_has_a_row_for_each_result() -> None:
    assert [row.split(" | ")[1] for row in ROWS.values()] == [command.number(r) for r in RESULTS]
    assert command.page(list(ROWS.values())) == command.PAGE.read_text(encoding="utf-8")
    assert len(RESULTS) >= 30
    assert len(FAST) >= 8


@pytest.mark.parametrize("result", FAST, ids=lambda r: r.question.id)
def test_fast_results_are_answered_as_the_page_says(result: command.Published, tmp_path: Path) -> None:
    again = command.answered(result, tmp_path, machine=False)
    assert again.agrees is True
    row = next(row for says, row in ROWS.items() if result.question.says.rstrip(".") in says)
    assert command.row(again).split(" | ")[:-1] == row.split(" | ")[:-1]


def answer(value: object, exactly: str = "") -> Answer:
    bound = {"exactly": exactly} if exactly else {}
    return Answer("g", "c", "luck", "", Verdict.PROVEN, value, None, 0.0, "", "file", bound=bound)


@pytest.mark.parametrize(
    ("number", "value", "exactly", "so"),
    [
        ("0.2816", 0.281592847, "", True),
        ("0.2816", 0.281692847, "", False),
        ("1/3", 0.333333333, "1/3", True),
        ("1/3", 0.333333334, "333333334/1000000000", False),
        (0, 0.0, "0", True),
        (0, 1e-9, "1/1000000000", False),
        (5478, 5478, "", True),
        (5478, 5479, "", False),
        (True, True, "", True),
        (False, True, "", False),
        (1, True, "", True),
    ],
)
def test_a_number_agrees_to_the_digits_that_were_published(
    number: str | int | bool, value: object, exactly: str, so: bool
) -> None:
    assert command.agrees(number, answer(value, exactly)) is so


def test_an_answer_without_checked_evidence_agrees_with_nothing() -> None:
    result = command.Result(FAST[0], answer(FAST[0].number), 0.0, "", "")
    assert result.agrees is None
    yes = replace(result, published=replace(FAST[0], number=True))
    assert "0 of 1 results agree" in command.page([command.row(yes)])
    assert replace(result, evidence="chance").agrees is not None


@pytest.mark.parametrize("name", list_published_names())
def test_games_of_published_results_are_small_and_read_alike(name: str) -> None:
    """At most 120 lines; a source; and a random game of the compiled reading is one of the interpreter's."""
    file = FOLDER / name / "rules.py"
    assert len(file.read_text(encoding="utf-8").splitlines()) <= 120
    game, r = build(get_published_game(name)), random.Random(3)
    play, compiled = Interpreter(game), Compiled(game, machine=False)
    state = play.start()
    for _ in range(25):
        if play.terminal(state):
            break
        legal = play.legal(state)
        cells = compiled.start() * 0 + state
        assert sorted(compiled.legal(cells)) == legal
        ident = r.choice(legal)
        compiled.apply(cells, ident)
        state = play.apply(state, ident)
        assert cells.tolist() == state


def test_a_search_of_klondike_finishes_suits_first() -> None:
    """What stands last in the rules is tried first. With the same moves in another order, the first deal is open."""
    question = Question("share", "deals", {"share": {"outcome": "win"}, "deals": 1})
    sample = build_deal_sample_of_claim(GameCase(get_published_game("klondike"), machine=False), question)
    assert sample.search_deal_for_evidence(0, Budget(), max_states=600).line


def test_an_unknown_claim_of_such_a_game_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line_and_get_exit_status(["export", "pddl", get_published_game("soldiers"), "--claim", "x"]) == 2
    assert "PP705 there is no claim `x` (one of: bounds, " in capsys.readouterr().err


def test_every_game_of_published_results_has_one() -> None:
    assert {get_published_game(name) for name in list_published_names()} <= {r.game for r in RESULTS}
