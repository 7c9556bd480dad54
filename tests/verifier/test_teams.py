"""Games that are won together: chances, numbers, strategies, joint plans, and evidence of other partners."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from playproof.language import CHANCE, Game, Local, Sees, goto, require, score, when
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.verifier.analysis.strategies import find_best_rules_claim_and_comparison
from playproof.verifier.check import check_evidence_file_to_result
from playproof.verifier.kernel.best_answers import BestAnswer, InformationSteps, TooManyFollowedError
from playproof.verifier.kernel.certificate import NotShown, Theorem
from playproof.verifier.kernel.closed_set_certificate import ClosedSetCertificate
from playproof.verifier.kernel.evidence import check_certificate_to_theorem
from playproof.verifier.kernel.layers import Listing
from playproof.verifier.kernel.sight import ChanceBySight, Equilibrium, PlansCertificate
from playproof.verifier.kernel.statements import Event
from playproof.verifier.kernel.strategies import FailingLineCertificate
from playproof.verifier.kernel.strict_json import Unreadable, decode_json_as_type_or_raise, encode_typed_value_as_json
from playproof.verifier.proof import chances
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.statement_words import format_statement_sentence
from playproof.verifier.questions.verdicts import Answer, Conclusion, format_answer_as_lines
from tests.verifier.closed_sets import chance_in_file, chance_in_layers, restate, worth

CRISIS = str(Path(__file__).parents[2] / "src" / "playproof" / "cli" / "cookbook" / "crisis_deck")
WIN = {"outcome": "win"}
FIRST = {**WIN, "seat": 0}

NIM = """from playproof import Game, Options, Local, require, when, win, otherwise

def build(options: Options) -> Game:
    heap = options.number("heap", range(1, 9), 5)
    g = Game("nim_of_teams", players=4, teams=[(0, 2), (1, 3)])
    s = g.state
    g.integer("heap", 0, heap, heap)
    g.integer("turn", 0, 3)
    take = g.phase("take", s.turn)

    @g.action(take, "take {n}", n=range(1, 3))
    def taking(n: Local) -> None:
        require(s.heap >= n, "N1", "so many are not there")
        s.heap -= n
        with when(s.heap == 0):
            win("the last match is taken", winner=s.turn)
        with otherwise():
            s.turn = (s.turn + 1) % 4

    return g
"""
"""Whoever takes the last of some matches wins with its partner; three are taken from a seat and the next."""

HIDDEN = """from playproof import CHANCE, EVERYBODY, Game, Local, Options, Sees, goto, lose, otherwise, when, win

def build(options: Options) -> Game:
    g = Game("whisper", players=2)
    s = g.state
    g.integer("coin", 0, 2, sees=[0])
    g.integer("said", 0, 1)
    toss = g.phase("toss", CHANCE)
    tell = g.phase("tell", 0)
    guess = g.phase("guess", 1)

    @g.action(toss, "{side}", side=["none", "heads", "tails"])
    def tossed(side: Local) -> None:
        s.coin = side
        goto(tell)

    @g.action(tell, "say {word}", word=["a", "b"], public="word")
    def telling(word: Local) -> None:
        s.said = word
        goto(guess)

    @g.action(guess, "guess {side}", side=["none", "heads", "tails"], public="side")
    def guessing(side: Local) -> None:
        with when(s.coin == side):
            win("right", winner=EVERYBODY)
        with otherwise():
            lose("wrong")

    return g
"""
"""One of three sides falls; the first partner sees it and says one of two words, and the second guesses: 2/3."""


def folder_of(tmp_path: Path, rules: str) -> str:
    (tmp_path / "game").mkdir()
    (tmp_path / "game" / "rules.py").write_text(rules, encoding="utf-8")
    return str(tmp_path / "game")


def answers(ref: str, *questions: Question, **more: Any) -> dict[str, Answer]:
    return {a.id: a for a in prove(ref, claims=list(questions), machine=False, **more)}


def lucks(*specs: Any) -> list[Question]:
    return [Question(f"l{n}", "luck", of) for n, of in enumerate(specs)]


# -- what is answered ---------------------------------------------------------------------------------------------


def test_players_who_win_together_are_no_enemies(tmp_path: Path) -> None:
    """ "The chance of seat 0" was 0, and proven; the two save the towns once in nine games."""
    asked = lucks(WIN, {**WIN, "seat": 0}, {**WIN, "seat": 1})
    best = Question("best", "luck", WIN, chance="best")
    worth = Question("worth", "worth", {"number": "9 * (outcome == 2)"})
    equal = Question("equal", "equilibrium")
    found = answers(CRISIS, *asked, best, worth, equal, output=tmp_path)
    assert [found[q.id].bound["exactly"] for q in asked] == ["1/9"] * 3
    assert found["l0"].whom.endswith("for two players who play together")
    assert found["best"].value is True
    assert found["worth"].value == pytest.approx(1)
    assert found["equal"].bound["exactly"] == "-7/9"
    for question in (*asked, best, worth, equal):
        answer = found[question.id]
        checked = check_evidence_file_to_result(answer.evidence, game=CRISIS, claims={question.id: question})
        assert not checked.findings
        assert checked.verdict is answer.verdict


def test_one_of_two_teams_wins_for_sure(tmp_path: Path) -> None:
    """Each seat alone against three had 0."""
    ref = folder_of(tmp_path, NIM)
    found = answers(ref, *lucks(*({**WIN, "seat": seat} for seat in range(4))), Question("e", "equilibrium"))
    assert [found[f"l{seat}"].value for seat in range(4)] == [1.0, 0.0, 1.0, 0.0]
    assert "seats 0 and 2 together against the others" in found["l0"].whom
    assert "seats 1 and 3 together against the others" in found["l1"].whom
    assert found["e"].value == 1.0
    [second] = prove(ref, claims=[Question("e", "equilibrium", {"seat": 3})], machine=False)
    assert second.value == -1.0
    lost = answers(ref, *lucks({**WIN, "seat": 2}, {**WIN, "seat": 3}), values={"heap": "6"})
    assert [answer.value for answer in lost.values()] == [0.0, 1.0]


def test_common_claims_ask_once_of_a_team(tmp_path: Path) -> None:
    common = {a.id: a for a in prove(CRISIS, common=True, machine=False)}
    assert common["chance"].bound["exactly"] == "1/9"
    assert not any("seat" in name for name in common)
    ids = {a.id for a in prove(folder_of(tmp_path, NIM), machine=False)}
    assert {"chance of seats 0 and 2", "can be won of seats 1 and 3"} <= ids


def test_what_partners_hide_counts(tmp_path: Path) -> None:
    ref = folder_of(tmp_path, HIDDEN)
    blind, seeing = Question("blind", "luck", WIN), Question("seeing", "luck", WIN, seeing="all")
    worth, plan = (Question("worth", "worth", {"number": "outcome == 1"}), Question("plan", "equilibrium"))
    found = answers(ref, blind, seeing, worth, plan)
    assert found["seeing"].value == 1.0
    assert (found["blind"].bound["exactly"], found["blind"].bound["if all is shared"]) == ("2/3", 1.0)
    assert found["worth"].bound["exactly"] == "2/3"
    assert found["plan"].bound["exactly"] == "1/3", "2/3 of the games are won, a win is 1 and a loss -1"


def test_a_strategy_is_the_teams_or_a_seats_with_help(tmp_path: Path) -> None:
    ref = folder_of(tmp_path, NIM)
    right = [{"take": "take 2", "when": "heap == 5 or heap == 2"}, {"take": "take 1"}]
    asked = [
        Question("team", "strategy", {"target": FIRST, "play": right}, chance="worst"),
        Question("first", "strategy", {"target": FIRST, "seat": 0, "play": right}, chance="worst"),
        Question("hasty", "strategy", {"target": FIRST, "play": [{"take": "take 1"}]}, chance="worst"),
        Question("helped", "strategy", {"target": FIRST, "seat": 2, "play": [{"take": "take 1"}]}, chance="worst"),
        Question("bound", "luck", FIRST, given=[]),
    ]
    found = answers(ref, *asked, output=tmp_path / "out")
    values = {name: answer.value for name, answer in found.items()}
    assert values == {"team": True, "first": True, "hasty": False, "helped": False, "bound": 1.0}
    for question in asked:
        checked = check_evidence_file_to_result(found[question.id].evidence, game=ref, claims={question.id: question})
        assert checked.verdict is found[question.id].verdict


def test_a_strategy_with_help_is_no_bound_for_players_who_see_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The helper sees the coin, and so do not the partners of the question."""
    for name in ("answer_chance_by_sight", "bound_chance_by_views"):  # which would answer it
        monkeypatch.setattr(chances, name, lambda *_: Conclusion(None, "", ()))
    ref = folder_of(tmp_path, HIDDEN)
    play = [{"take": {"action": "guessing", "side": "none"}}]
    both = Question("both", "strategy", {"target": WIN, "play": play})
    helped = Question("helped", "strategy", {"target": WIN, "seat": 1, "play": play})
    asked = [Question(f"l{n}", "luck", WIN, given=(each,)) for n, each in enumerate((both, helped))]
    found = answers(ref, both, helped, *asked)
    assert [round(found[name].value, 6) for name in ("both", "helped")] == [0.333333, 0.333333]
    assert found["l0"].bound["at least"] == pytest.approx(1 / 3)
    assert "at least" not in found["l1"].bound
    assert "with helpers who see all cards" in format_answer_as_lines(found["helped"])


def test_rules_are_searched_for_a_team(tmp_path: Path) -> None:
    question, _ = find_best_rules_claim_and_comparison(folder_of(tmp_path, NIM), {}, {}, seat=0, max_rules=4)
    assert question.chance == "worst", "they win for sure"
    assert "seat" not in question.of, "both partners keep to them"
    together, best = find_best_rules_claim_and_comparison(CRISIS, {}, {}, seat=1, max_rules=6)
    assert together.chance == "mean"
    assert "0.111111111" in best


# -- who plays with whom -------------------------------------------------------------------------------------------


def declared(ends: str, players: int = 2, returns: str = "", teams: Any = ()) -> Game:
    """A game with endings and returns as written."""
    from playproof.language import EVERYBODY, lose, tie, win

    g = Game("declared", players=players, teams=teams)
    s = g.state
    g.integer("x", 0, 5)
    g.integer("y", 0, 5)
    play = g.phase("play", 0)
    make = {
        "all": lambda: win("all", winner=EVERYBODY),
        "0": lambda: win("first", winner=0),
        "loss": lambda: lose("lost"),
        "draw": lambda: tie("drawn"),
        "scores": lambda: score("counted"),
    }
    names = ends.split()

    @g.action(play, "end {how}", how=len(names))
    def end(how: Local) -> None:
        for number, name in enumerate(names):
            with when(how == number):
                make[name]()

    if returns:
        g.returns(*[getattr(s, name) if name.isalpha() else int(name) for name in returns.split()])
    return g.seal()


TOGETHER, APART = ((0, 1),), ((0,), (1,))


@pytest.mark.parametrize(
    ("game", "sides"),
    [
        (declared("all loss"), TOGETHER),
        (declared("all draw", returns="x x"), TOGETHER),
        (declared("scores", returns="x x"), TOGETHER),
        (declared("scores loss", teams=[(0, 1)], returns="x y"), TOGETHER),
        (declared("all loss", returns="x y"), APART),
        (declared("all 0"), APART),
        (declared("all scores", returns="x y"), APART),
        (declared("0 loss"), APART),
        (declared("loss draw"), APART),
        (declared("loss", returns="0 0"), APART),
        (declared("all", 3, teams=[(0, 2), (1,)]), ((0, 1, 2),)),
        (declared("all 0", 3, teams=[(2, 0), (1,)]), ((2, 0), (1,))),
    ],
)
def test_sides_are_what_the_description_says(game: Game, sides: Any) -> None:
    assert game.sides == sides


# -- joint plans against a count of all plans -----------------------------------------------------------------------


def signals(table: dict[tuple[int, ...], int]) -> Game:
    """The first partner sees a card and acts, the second sees another and acts, the first acts again."""
    g = Game("signals", players=2, teams=[(0, 1)])
    s = g.state
    g.array("card", 2, 0, 2, sees=Sees.OWNER)
    g.array("act", 3)
    g.integer("points", 0, 9)
    g.integer("step", 0, 2)
    g.returns(s.points, s.points)
    points = g.table("points", [table[key] for key in product(range(2), repeat=5)])
    deal = g.phase("deal", CHANCE)
    act = g.phase("act", s.step % 2)

    @g.action(deal, "card {card} for {seat}", card=range(1, 3), seat=2)
    def dealt(card: Local, seat: Local) -> None:
        require((s.card[seat] == 0) & ((seat == 0) | (s.card[0] > 0)), "S1", "each gets one, in order")
        s.card[seat] = card
        with when(seat == 1):
            goto(act)

    @g.action(act, "act {n}", n=2)
    def acting(n: Local) -> None:
        s.act[s.step] = n
        with when(s.step == 2):
            at = (s.card[0] - 1) * 16 + (s.card[1] - 1) * 8 + s.act[0] * 4 + s.act[1] * 2 + n
            s.points = points[at]
            score("done")
        with when(s.step < 2):
            s.step += 1

    return g.seal()


def best_of_all_plans(table: dict[tuple[int, ...], int]) -> Fraction:
    """The best of 2^2 * 2^4 * 2^4 plans that matter, each played through all four deals."""
    best = 0
    two = list(product(range(2), repeat=2))
    for first in product(range(2), repeat=2):
        for second in (dict(zip(two, plan, strict=True)) for plan in product(range(2), repeat=4)):
            for last in (dict(zip(two, plan, strict=True)) for plan in product(range(2), repeat=4)):
                total = 0
                for c, d in two:
                    a = first[c]
                    b = second[d, a]
                    total += table[c, d, a, b, last[c, b]]
                best = max(best, total)
    return Fraction(best, 4)


@pytest.mark.parametrize("seed", range(6))
def test_joint_plans_are_the_best_of_all_plans(seed: int) -> None:
    r = random.Random(seed)
    table = {key: r.choice([0, 0, 1, 3, 9]) for key in product(range(2), repeat=5)}
    game = signals(table)
    truth = best_of_all_plans(table)
    about = Equilibrium(0, truth, truth, partners=(1,))
    steps = InformationSteps(game, about.read_end_worth(game, Context()))
    assert BestAnswer(steps, [(0,), (1,)], None).compute_value() == truth
    check_certificate_to_theorem(PlansCertificate(about, ()), game, Context())
    for wrong in (truth + 1, truth + Fraction(1, 10**9), truth - Fraction(1, 10**9)):
        with pytest.raises(NotShown, match="found bounds of"):
            PlansCertificate(replace(about, low=wrong, high=wrong), ()).require_valid_for_game(game, Context())
    with pytest.raises(TooManyFollowedError):
        BestAnswer(steps, [(0,), (1,)], None, most=30).compute_value()


def test_what_all_share_bounds_a_chance_from_above_alone(tmp_path: Path) -> None:
    """Of three sides of a coin, one partner sees which fell and says one of two words: 2/3, and 1 if all were seen."""
    game, none, two, one = build(folder_of(tmp_path, HIDDEN)), Fraction(0), Fraction(2, 3), Fraction(1)
    about = ChanceBySight(0, two, two, Event(WIN), partners=(1,))
    for certificate in (
        PlansCertificate(about, ()),
        PlansCertificate(replace(about, low=none, high=one), (), shared=True),
    ):
        Theorem(certificate, game, Context())
    for low, high, shared in (
        (two, two, True),
        (none, two, True),
        (one, one, True),
        (one, one, False),
        (two, one, False),
    ):
        with pytest.raises(NotShown, match="found bounds of"):
            Theorem(PlansCertificate(replace(about, low=low, high=high), (), shared=shared), game, Context())
    worth = Equilibrium(0, none, one, partners=(1,))
    with pytest.raises(NotShown, match="for a chance alone"):
        Theorem(PlansCertificate(worth, (), shared=True), game, Context())


# -- forged evidence ------------------------------------------------------------------------------------------------


def test_the_kernel_refuses_other_partners(tmp_path: Path) -> None:
    """What is true of seat 0 against seat 1 is no evidence of the two together, and the other way round."""
    event, context = Event({**WIN, "seat": 0}), Context()
    pig = build("pig", Options({"goal": "8"}))
    crisis = build(CRISIS)
    right = answers(CRISIS, *lucks({**WIN, "seat": 0}), output=tmp_path)["l0"]
    data = json.loads(Path(right.evidence).read_text(encoding="utf-8"))
    [certificate] = data["settings"][0]["certificates"]
    good = decode_json_as_type_or_raise(ClosedSetCertificate, certificate)
    assert good.about.partners == (1,)
    assert "seats 0 and 1 together" in format_statement_sentence(Theorem(good, crisis, context))
    for forged in (restate(good, partners=()), restate(good, partners=(0,)), restate(good, partners=(1, 1))):
        with pytest.raises(NotShown, match="seat 0 plays with 1, the evidence lets it play"):
            forged.require_valid_for_game(crisis, context)
    for forged in (
        chance_in_layers(event, "mean", 0, Listing(10, "0"), Fraction(0), Fraction(1), partners=(1,)),
        chance_in_file(event, "mean", 0, (Fraction(1),), (0,), (0,), (0,), 0, partners=(1,)),
    ):
        with pytest.raises(NotShown, match="seat 0 plays alone, the evidence lets it play with 1"):
            forged.require_valid_for_game(pig, context)
    of = {"number": "fires[0]", "play": "best"}
    with pytest.raises(NotShown, match="play together are others"):
        worth(of, Listing(10, "0"), Fraction(0), Fraction(1)).require_valid_for_game(crisis, context)
    with pytest.raises(NotShown, match="a plan for each of two"):
        PlansCertificate(Equilibrium(0, Fraction(1), Fraction(1)), ()).require_valid_for_game(pig, context)


def test_a_partner_that_is_not_there_is_not_written() -> None:
    alone = chance_in_file(Event(WIN), "mean", 0, (Fraction(1),), (0,), (0,), (0,), 0)
    data = encode_typed_value_as_json(alone)
    assert "partners" not in data["about"]
    assert decode_json_as_type_or_raise(ClosedSetCertificate, data) == alone
    with pytest.raises(Unreadable, match="`partners` is left out"):
        decode_json_as_type_or_raise(ClosedSetCertificate, {**data, "about": {**data["about"], "partners": []}})


def test_a_line_shows_nothing_where_a_partner_may_do_otherwise() -> None:
    game = build(CRISIS)
    of = {"target": WIN, "seat": 0, "play": [{"take": {"action": "going"}}]}
    line = FailingLineCertificate(of, None, (), ())
    with pytest.raises(NotShown, match="helpers may choose another"):
        line.require_valid_for_game(game, Context())
