"""Claims name phases and values as the game does, and know who wins where games end in scores, in teams, together."""

from __future__ import annotations

from typing import Any

import pytest

from playproof.database.errors import InputError, Where
from playproof.language import Game, Interpreter, Local, score, win
from playproof.language.registry import build
from playproof.referee import Match, Variant
from playproof.verifier.check import list_findings_on_evidence_file
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.conditions import ConditionReader
from playproof.verifier.questions.targets import TargetReader

PLAIN: Any = {"machine": False, "games": 300, "work": 20}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("phase == speak", True),
        ("phase != deal", True),
        ('hand[0] == "king"', True),
        ("hand[0] == king", True),
        ("king == hand[1]", False),
        ("hand[1] == `jack`", True),
        ("hand[0] >= queen and turn == 0", True),
        ("phase == speak or phase == deal", True),
    ],
)
def test_conditions_name_phases_and_values(text: str, holds: bool) -> None:
    match = Match(Variant("kuhn_poker")).apply_all(["deal king to player 1", "deal jack to player 2"])
    term = ConditionReader(match.game, Where("claims.yaml", 1)).condition_text_to_term(text)
    assert bool(match.play.value(term, match.state)) is holds


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("phase == speek", "no value of `phase`.*speak"),
        ("hand[0] == ace", "jack, queen, king"),
        ("turn == king", "neither a quantity nor a field"),
        ('turn == "king"', "values have names"),
        ("hund[0] == 1", "array"),
    ],
)
def test_what_is_no_name_is_told_with_the_nearest(text: str, message: str) -> None:
    with pytest.raises(InputError, match=f"(?s)PP702.*{message}"):
        ConditionReader(build("kuhn_poker"), Where("claims.yaml", 1)).condition_text_to_term(text)


def scored() -> Game:
    """Three seats, the first two a team: each choice gives its scores."""
    g = Game("scored", players=3, teams=[(0, 1), (2,)])
    s = g.state
    g.array("points", 3, 0, 4)
    g.returns(s.points[0], s.points[1], s.points[2])
    table = g.table("scores", [[3, 3, 1], [1, 1, 4], [2, 2, 2]])
    choose = g.phase("choose", 0)

    @g.action(choose, "choose {row}", row=3)
    def choosing(row: Local) -> None:
        for seat in range(3):
            s.points[seat] = table[row, seat]
        score("counted")

    return g.seal()


def test_scores_are_won_by_the_team_that_has_most() -> None:
    game = scored()
    play, targets = Interpreter(game), TargetReader(game)
    ends = [play.apply(play.start(), row) for row in range(3)]

    def won(**seat: int) -> list[int]:
        (target,) = targets.read_targets_of_spec({"outcome": "win", **seat})
        assert play.value(target.condition, play.start()) == 0
        return [play.value(target.condition, end) for end in ends]

    assert [won(seat=0), won(seat=1), won(seat=2), won()] == [[1, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
    (target,) = targets.read_targets_of_spec({"outcome": "scores"})
    assert [play.value(target.condition, end) for end in ends] == [1, 1, 1]
    with pytest.raises(InputError, match="seat 3 of 3"):
        targets.read_targets_of_spec({"outcome": "win", "seat": 3})


def test_a_team_and_everybody_win_with_their_seat() -> None:
    g = Game("team", players=4, teams=[(0, 2), (1, 3)])
    choose = g.phase("choose", 0)

    @g.action(choose, "end")
    def end() -> None:
        win("over", winner=2)

    play, targets = Interpreter(g), TargetReader(g.seal())
    over = play.apply(play.start(), 0)
    found = [
        play.value(targets.read_targets_of_spec({"outcome": "win", "seat": seat})[0].condition, over)
        for seat in range(4)
    ]
    assert found == [1, 0, 1, 0]


@pytest.mark.parametrize(
    ("name", "question", "verdict"),
    [
        ("kuhn_poker", Question("first", "reach", {"outcome": "win", "seat": 0}, expect=True), "PROVEN"),
        ("kuhn_poker", Question("second", "reach", {"outcome": "win", "seat": 1}, expect=True), "PROVEN"),
        ("kuhn_poker", Question("bets", "always", {"holds": "phase != deal or pot[0] == 1"}), "PROVEN"),
        ("prisoners", Question("free", "reach", {"outcome": "win", "seat": 3}, expect=True), "PROVEN"),
    ],
)
def test_such_claims_are_proved(tmp_path: Any, name: str, question: Question, verdict: str) -> None:
    """`{outcome: win}` was refuted of games that end in scores."""
    (answer,) = prove(name, claims=[question], output=tmp_path, **PLAIN)
    assert answer.verdict.value == verdict, answer
    assert list_findings_on_evidence_file(answer.evidence, claims={question.id: question}) == []
