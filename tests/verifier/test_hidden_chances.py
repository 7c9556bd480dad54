"""Chances where something is hidden, for players who see all and for players who do not.

Known by hand, for players who see what the rules show them: with one die of two sides, hidden from one player who
guesses it, 1/2. In the penny, one seat hides a coin in a hand and the other guesses: 1/2 for each. For players who see
all, the guesser always wins. With a third player (`coins`) the play of nobody has a value. The car behind one of three
doors is won two times of three.
"""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from playproof.language.options import Options
from playproof.language.registry import build
from playproof.verifier.check import check_evidence_file_to_result
from playproof.verifier.kernel import claim_values
from playproof.verifier.kernel.best_answers import InformationSteps
from playproof.verifier.kernel.certificate import NotShown, Theorem
from playproof.verifier.kernel.claim_values import decide_question_from_theorems
from playproof.verifier.kernel.sight import ChanceBySight, PlansCertificate, ViewsCertificate, bound_by_best_answers
from playproof.verifier.kernel.statements import Event, EventChance, Statement
from playproof.verifier.kernel.strict_json import encode_typed_value_as_json
from playproof.verifier.proof.plans_by_view import bound_chance_by_views
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.verdicts import Answer, Verdict, format_answer_as_lines
from playproof.verifier.search.case import Budget, GameCase
from tests.published_games import get_published_game

RULES = """\
from playproof.language import CHANCE, Game, Sees, goto, lose, otherwise, when, win


def build(options):
    kind = options.choice("kind", ("penny", "die", "coins"))
    alone = kind == "die"
    g = Game("hiding", players=1 if alone else 3 if kind == "coins" else 2)
    s = g.state
    g.integer("coin", 0, 1, sees=Sees.NOBODY)
    g.integer("marked", 0, 2)
    hide, guess = g.phase("hide", CHANCE if alone else 0), g.phase("guess", 0 if alone else 1)

    @g.action(hide, "hide it {side}", side=2, **({} if alone else {"secret": "side"}))
    def put(side):
        s.coin = side
        goto(guess)

    @g.action(guess, "guess {side}", side=2)
    def say(side):
        with when(side == s.coin):
            win("guessed", winner=g.players - 1 if g.players < 3 else 1)
        with otherwise():
            if g.players == 1:
                lose("missed")
            else:
                win("hidden", winner=0)

    return g
"""
PLAIN: Any = {"machine": False, "games": 100, "work": 3}
WIN = {"outcome": "win"}


@pytest.fixture
def any_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel decides from theorems alone. Here it decides from statements that no certificate shows, so that
    every case can be asked."""
    monkeypatch.setattr(claim_values, "require_all_are_theorems_of_game", lambda game, statements, _: list(statements))


@pytest.fixture(scope="module")
def hiding(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("hiding")
    (folder / "rules.py").write_text(RULES, encoding="utf-8")
    return str(folder)


def seat(number: int) -> dict[str, Any]:
    return {**WIN, "seat": number}


NOT_THE_SAME = [  # players, what is asked, luck, the chance for players who see all, and for players who do not
    ("penny", seat(0), "mean", 0.0, 0.5),
    ("penny", seat(1), "mean", 1.0, 0.5),
    ("penny", seat(0), "worst", False, None),
    ("penny", seat(0), "best", False, None),
    ("penny", seat(1), "worst", True, None),
    ("penny", seat(1), "best", True, None),
    ("coins", seat(0), "mean", 0.0, None),
    ("coins", seat(1), "mean", 1.0, None),
    ("coins", seat(0), "best", False, None),
    ("die", WIN, "mean", 1.0, 0.5),
    ("die", WIN, "worst", True, False),
    ("die", {"reason": "missed"}, "mean", 1.0, 0.5),
]


@pytest.mark.parametrize(("kind", "of", "chance", "seen", "by_sight"), NOT_THE_SAME)
def test_a_chance_for_those_who_see_all_is_no_player_s(
    hiding: str, tmp_path: Path, kind: str, of: Any, chance: str, seen: Any, by_sight: Any
) -> None:
    """Guess the penny had the chance 0 for who hides it, PROVEN."""
    question = Question("q", "luck", of, chance=chance, values={"kind": kind})
    [blind] = prove(hiding, claims=[question], output=tmp_path, **PLAIN)
    assert blind.value == by_sight
    assert (blind.verdict is Verdict.UNKNOWN) == (by_sight is None)
    assert "seeing: all" in blind.reason or by_sight is not None
    if by_sight is not None:
        checked = check_evidence_file_to_result(blind.evidence, game=hiding, claims={"q": question})
        assert (checked.findings, checked.verdict) == ((), blind.verdict)
    all_ = Question("q", "luck", of, chance=chance, values={"kind": kind}, seeing="all")
    [told] = prove(hiding, claims=[all_], output=tmp_path, **PLAIN)
    assert (told.value, told.whom.split(",")[0][-25:]) == (seen, "players who see all cards")
    # The kernel holds to it too: the same certificates for a claim about players who do not see all.
    content = json.loads(Path(told.evidence).read_text(encoding="utf-8"))
    content["claim"]["seeing"] = ""
    forged = tmp_path / "forged.json"
    forged.write_text(json.dumps(content), encoding="utf-8")
    assert [f.code for f in check_evidence_file_to_result(forged, game=hiding, claims={"q": question}).findings] == [
        "PP716"
    ]


def test_no_work_is_asked_for_where_more_is_no_help(hiding: str) -> None:
    """All states had been explored, and the answer said that the work was too little and named more."""
    claim = Question("q", "luck", seat(1), values={"kind": "coins"})
    [found] = prove(hiding, claims=[claim], **PLAIN)
    text = format_answer_as_lines(found)
    assert found.verdict is Verdict.UNKNOWN
    assert "something is hidden" in text
    assert "--work" not in text


@pytest.mark.parametrize(
    ("kind", "of", "chance", "value"),
    [
        ("penny", {"holds": "marked == 2"}, "mean", 0.0),
        ("penny", {"holds": "marked == 2"}, "worst", False),
        ("coins", {"holds": "marked == 1"}, "best", False),
        ("coins", {"outcome": "win", "seat": 2}, "mean", 0.0),
        ("die", {"holds": "marked == 2"}, "mean", 0.0),
        ("die", {"holds": "marked == 2"}, "worst", False),
        ("die", WIN, "best", True),
        ("die", {"holds": "marked == 2"}, "best", False),
    ],
)
def test_what_no_game_comes_to_has_no_chance_for_anybody(
    hiding: str, tmp_path: Path, kind: str, of: Any, chance: str, value: Any
) -> None:
    question = Question("q", "luck", of, chance=chance, values={"kind": kind})
    [found] = prove(hiding, claims=[question], output=tmp_path, **PLAIN)
    assert found.value == value
    assert "see all" not in found.whom
    checked = check_evidence_file_to_result(found.evidence, game=hiding, claims={"q": question})
    assert (checked.findings, checked.verdict) == ((), found.verdict)


@pytest.mark.parametrize(
    ("kind", "chance", "low", "value"),
    [
        ("die", "mean", 0, 0.0),
        ("die", "mean", 1, None),
        ("die", "worst", 0, False),
        ("die", "worst", 1, None),
        ("penny", "mean", 0, None),
        ("penny", "mean", 1, None),
        ("penny", "worst", 0, None),
        ("penny", "best", 0, None),
        ("penny", "best", 1, None),
        ("penny", "worst", 1, None),
        ("coins", "mean", 0, None),
        ("coins", "mean", 1, None),
    ],
)
@pytest.mark.usefixtures("any_statement")
def test_one_player_alone_and_only_0_is_exempt(hiding: str, kind: str, chance: str, low: int, value: Any) -> None:
    """The theorem stands at `deciding._decide_luck_question`; these are all its cases, as the kernel decides them."""
    game = build(hiding, Options({"kind": kind}))
    shown = [Statement(EventChance(Event(WIN), chance, 0, Fraction(low), Fraction(low)))]
    assert (
        decide_question_from_theorems(game, Question("q", "luck", WIN, chance=chance), shown, Context()).value == value
    )
    seen = decide_question_from_theorems(
        game, Question("q", "luck", WIN, chance=chance, seeing="all"), shown, Context()
    )
    assert seen.value == (float(low) if chance == "mean" else bool(low))
    never = [Statement(Event(WIN), False)]
    assert decide_question_from_theorems(game, Question("q", "luck", WIN, chance=chance), never, Context()).value == (
        0.0 if chance == "mean" else False
    )


@pytest.mark.usefixtures("any_statement")
def test_an_event_that_happens_says_nothing_of_its_chance(hiding: str) -> None:
    game = build(hiding, Options({"kind": "penny"}))
    for chance in ("mean", "best", "worst"):
        assert not decide_question_from_theorems(
            game, Question("q", "luck", WIN, chance=chance), [Statement(Event(WIN), True)], Context()
        ).known
    assert encode_typed_value_as_json(Event(WIN))


# -- by sight -----------------------------------------------------------------------------------------------------

MONTY_HALL = get_published_game("monty_hall")
CAR = {"holds": "won == 1"}


def answer_of(game: str, tmp_path: Path, question: Question, **more: Any) -> Answer:
    """The answer to a question, whose evidence a fresh checker confirms."""
    [found] = prove(game, claims=[question], output=tmp_path, **{**PLAIN, **more})
    if found.evidence:
        checked = check_evidence_file_to_result(found.evidence, game=game, claims={question.id: question})
        assert (checked.findings, checked.verdict) == ((), found.verdict)
    return found


def test_who_does_not_see_the_car_wins_it_two_times_of_three(tmp_path: Path) -> None:
    assert answer_of(MONTY_HALL, tmp_path, Question("q", "luck", CAR)).bound["exactly"] == "2/3"
    assert answer_of(MONTY_HALL, tmp_path, Question("q", "worth", {"score": 0})).bound["exactly"] == "2/3"
    worst = Question("q", "worth", {"score": 0, "play": "worst"})
    assert answer_of(MONTY_HALL, tmp_path, worst).bound["exactly"] == "1/3", "by staying"
    assert answer_of(MONTY_HALL, tmp_path, Question("q", "luck", CAR, seeing="all")).value == 1.0
    assert answer_of(MONTY_HALL, tmp_path, Question("q", "luck", CAR, chance="worst")).value is False


def test_the_pot_of_kuhn_poker_is_won_as_often_by_either(tmp_path: Path) -> None:
    pots = [answer_of("kuhn_poker", tmp_path, Question("q", "luck", seat(n))).bound["exactly"] for n in range(2)]
    assert pots == ["1/2", "1/2"]


@pytest.mark.parametrize("name", ["die", "doors"])
def test_no_other_chance_is_shown(hiding: str, name: str) -> None:
    """Bounds that say more, other seats, too few or false actions: none is accepted."""
    case = GameCase(hiding, {"kind": "die"}, machine=False) if name == "die" else GameCase(MONTY_HALL, machine=False)
    game = case.game
    event = Event(WIN if name == "die" else CAR)
    about = ChanceBySight(0, Fraction(0), Fraction(1), event)
    steps = InformationSteps(game, about.read_end_worth(game, Context()))
    true = bound_by_best_answers(game, about, steps, ())
    low, high = true.low, true.high
    assert low == high
    Theorem(PlansCertificate(true, ()), game, Context())
    Theorem(PlansCertificate(replace(true, low=Fraction(0)), (), shared=True), game, Context())
    views = bound_chance_by_views(case, event, 0, Budget(3))
    [[good]] = views.offers
    Theorem(good, game, Context())
    assert isinstance(good, ViewsCertificate)
    tiny = Fraction(1, 10**12)
    for false in (
        *(PlansCertificate(replace(true, low=n, high=n), ()) for n in (low + Fraction(1, 9), low / 2, low + tiny)),
        PlansCertificate(replace(true, low=low - tiny), ()),
        PlansCertificate(replace(true, high=high + tiny), ()),
        PlansCertificate(replace(true, seat=1), ()),
        PlansCertificate(replace(true, seat=-1), ()),
        PlansCertificate(replace(true, partners=(1,)), ()),
        PlansCertificate(replace(true, event=Event({"action": game.actions[0].name})), ()),
        PlansCertificate(true, (((1,),), ((1,),))),
        PlansCertificate(true, (), shared=True),
        PlansCertificate(replace(true, low=Fraction(0), high=high - tiny), (), shared=True),
        replace(good, about=replace(good.about, low=good.about.low + tiny)),
        replace(good, about=replace(good.about, high=low)),
        replace(good, plan=good.plan[:-1]),
        replace(good, plan=(*good.plan, good.plan[0])),
        replace(good, plan=tuple((0,) * len(row) for row in good.plan)),
        replace(good, plan=tuple((*row, 1) for row in good.plan)),
        replace(good, plan=tuple((2, *(-1 for _ in row[1:])) for row in good.plan)),
        replace(good, steps=-1),
        replace(good, steps=0),
    ):
        with pytest.raises(NotShown):
            Theorem(false, game, Context())
