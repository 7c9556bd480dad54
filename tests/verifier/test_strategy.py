"""Strategies: proved to win whatever happens, refuted by a line, or their exact chance."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from playproof.cli.main import run_command_line_and_get_exit_status
from playproof.database.errors import InputError
from playproof.language import Game
from playproof.language.registry import build
from playproof.verifier.analysis.strategies import describe_condition_in_words
from playproof.verifier.check import RequestedSettings, check_evidence_file_to_result
from playproof.verifier.kernel.strategies import StrategyChance
from playproof.verifier.kernel.strict_json import to_plain_json_data
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.verdicts import Answer, Verdict
from playproof.verifier.search.case import GameCase
from playproof.verifier.search.decision_lists import find_best_rule_list_and_best_play_chance
from tests.verifier.conftest import PLAIN, renew_reads

WIN = {"outcome": "win"}
EQUAL = "(heap[0] - heap[1]) * (heap[0] - heap[1])"


def asked(of: Any, chance: str = "worst", **values: Any) -> Question:
    return Question("plan", "strategy", of, says="It wins.", values=values, chance=chance)


def answer(game: str, question: Question, folder: Path) -> Answer:
    """Return the answer to one question, of which the evidence was checked again."""
    [made] = prove(game, claims=[question], output=folder, **PLAIN)
    if made.evidence:
        options = {k: str(v) for k, v in question.values.items()}
        checked = check_evidence_file_to_result(
            made.evidence, game=game, claims={"plan": question}, asked=RequestedSettings(options)
        )
        assert (checked.findings, checked.verdict) == ((), made.verdict)
        assert checked.confirmed is not None
        assert checked.confirmed.decision.value == made.value
    return made


# -- known results ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("heaps", "seat", "wins"), [("3-3", 1, True), ("3-4", 0, True), ("3-3", 0, False)])
def test_who_makes_two_heaps_equal_wins_if_the_others_cannot(tmp_path: Path, heaps: str, seat: int, wins: bool) -> None:
    """Bouton, 1901: of two heaps, the position with equal heaps is lost for who is to move."""
    of = {"target": {**WIN, "seat": seat}, "play": [{"least": EQUAL}]}
    made = answer("nim", asked(of, heaps=heaps), tmp_path)
    assert made.value is wins
    assert made.verdict is (Verdict.PROVEN if wins else Verdict.REFUTED)


def test_prisoners_who_follow_the_numbers_go_free_in_ten_cases_of_24(tmp_path: Path) -> None:
    """Gál and Miltersen, 2007. Each prisoner sees only the numbers that it has found itself."""
    play = [{"when": f"turn == {me} and opened == 0", "take": {"action": "open_", "place": me}} for me in range(4)]
    play += [
        {"when": f"turn == {me} and found[{me}, {box}] == {number + 1}", "take": {"action": "open_", "place": number}}
        for me in range(4)
        for box in range(4)
        for number in range(4)
        if number != me
    ]
    made = answer("prisoners", asked({"target": WIN, "play": play, "seat": "all"}, "mean"), tmp_path)
    assert made.value == round(10 / 24, 9)


@cache
def stands_at_17(hard: int, ace: int, bank: int, bank_ace: int, turn: str) -> Fraction:
    """The chance to win blackjack with an endless deck, for who draws to 17 as the dealer does."""
    best = {name: h + 10 * (a and h <= 11) for name, h, a in (("me", hard, ace), ("bank", bank, bank_ace))}
    if turn == "me" and best["me"] > 21:
        return Fraction(0)
    if turn == "me" and best["me"] >= 17:
        return stands_at_17(hard, ace, bank, bank_ace, "bank")
    if turn == "bank" and best["bank"] >= 17:
        return Fraction(best["bank"] > 21 or best["me"] > best["bank"])
    total = Fraction(0)
    for rank in range(1, 11):
        drawn = (hard + rank, ace or rank == 1, bank, bank_ace)
        banked = (hard, ace, bank + rank, bank_ace or rank == 1)
        total += Fraction(4 if rank == 10 else 1, 13) * stands_at_17(*(drawn if turn == "me" else banked), turn)
    return total


def test_the_chance_of_who_draws_to_17_is_that_of_a_plain_recursion(tmp_path: Path) -> None:
    game = Path(__file__).parents[2] / "src/playproof/examples/blackjack.py"
    text = game.read_text(encoding="utf-8").replace(
        'g.quantity("dealer", dealers())', 'g.quantity("dealer", dealers())\n    g.quantity("mine", mine())'
    )
    (tmp_path / "rules.py").write_text(text, encoding="utf-8")
    play = [{"when": "mine < 17", "take": "hit"}, {"take": "stand"}]
    made = answer(str(tmp_path), asked({"target": WIN, "play": play}, "mean", deck="endless"), tmp_path / "o")
    weights = [(r, Fraction(4 if r == 10 else 1, 13)) for r in range(1, 11)]
    truth = sum(
        (
            a * b * c * stands_at_17(x + y, x == 1 or y == 1, z, z == 1, "me")
            for x, a in weights
            for y, b in weights
            for z, c in weights
        ),
        Fraction(0),
    )
    assert made.value == pytest.approx(float(truth), abs=1e-9)


# -- what a strategy is -----------------------------------------------------------------------------------------

RULES = """\
from playproof import CHANCE, Game, Sees, goto, lose, require, when, otherwise, win


def build(options):
    g = Game("guess")
    s = g.state
    g.integer("coin", 0, 2, sees=Sees.NOBODY)
    g.integer("shown", 0, 2)
    g.integer("looks", 0, 3, 3)
    toss, guess = g.phase("toss", CHANCE), g.phase("guess")

    @g.action(toss, "side {side}", side=range(1, 3))
    def falls(side):
        s.coin = side
        goto(guess)

    @g.action(guess, "say {side}", side=range(1, 3))
    def say(side):
        with when(s.coin == side):
            win("right")
        with otherwise():
            lose("wrong")

    @g.action(guess, "look")
    def look():
        require(s.looks > 0, "G1", "no look is left")
        s.looks -= 1
        s.shown = s.coin

    @g.action(guess, "wait")
    def wait():
        s.shown = 0

    return g
"""
SAY = [{"when": f"shown == {n}", "take": {"action": "say", "side": n}} for n in (1, 2)]


@pytest.fixture
def guess(tmp_path: Path) -> str:
    (tmp_path / "rules.py").write_text(RULES, encoding="utf-8")
    return str(tmp_path)


@pytest.mark.parametrize(
    ("play", "chance", "value"),
    [
        ([*SAY, {"take": "look"}], "worst", True),  # who looks first is always right
        ([{"take": {"action": "say", "side": 1}}], "mean", 0.5),
        ([{"take": "say", "most": {"parameter": "side"}}], "worst", False),
        ([{"take": "say"}], "mean", 0.0),  # which side is said, decides who is against the player
        ([{"take": "wait"}], "mean", 0.0),  # and so for ever
    ],
)
def test_a_hidden_coin(guess: str, tmp_path: Path, play: Any, chance: str, value: Any) -> None:
    made = answer(guess, asked({"target": WIN, "play": play}, chance), tmp_path / "o")
    assert (made.value, made.reason) == (value, "")


def test_ties_fall_as_the_claim_says(guess: str, tmp_path: Path) -> None:
    values = {}
    for ties in ("any", "first", "random"):
        of = {"target": WIN, "play": [{"take": "say"}], "ties": ties}
        values[ties] = answer(guess, asked(of, "mean"), tmp_path / ties).value
    assert values == {"any": 0.0, "first": 0.5, "random": 0.5}


@pytest.mark.parametrize(
    ("of", "part"),
    [
        ({"play": [{"when": "coin == 1", "take": "look"}]}, "`when: coin == 1` reads `coin`, which seat 0 does"),
        ({"play": [{"most": "coin"}]}, "`coin` reads `coin`, which seat 0 does not see"),
        ({"play": []}, "expected `play` as a list of rules"),
        ({"play": [{"take": "lock"}]}, "no action `lock`"),
        ({"play": [{"take": "look", "best": "looks"}]}, "unknown key `best` in a rule"),
        ({"play": [{"most": "looks", "least": "shown"}]}, "a rule has `most` or `least`"),
        ({"play": [{"most": "evaluation"}]}, "declares no evaluation"),
        ({"play": [{"most": {"parameter": "side"}}]}, "`look` has no parameter `side`"),
        ({"play": SAY, "ties": "mine"}, "ties `mine`"),
        ({"play": SAY, "seat": 1}, "expected a seat from 0 to 0, found 1"),
        ({"play": SAY, "plays": 1}, "unknown key `plays`"),
    ],
)
def test_what_is_no_strategy_is_refused(guess: str, of: Any, part: str) -> None:
    with pytest.raises(InputError) as error:
        prove(guess, claims=[asked({"target": WIN, **of})], **PLAIN)
    assert part in error.value.findings[0].message + error.value.findings[0].hint


def test_a_look_ahead_that_depends_on_what_is_hidden_is_no_strategy(guess: str, tmp_path: Path) -> None:
    """The rule reads `outcome`, which all see; but only the coin decides which action ends the game so."""
    of = {"target": WIN, "play": [{"most": "outcome == 1"}]}
    made = answer(guess, asked(of), tmp_path / "o")
    assert made.verdict is Verdict.UNKNOWN
    assert "depends on `coin`, which seat 0 does not see" in made.reason


# -- played and printed -----------------------------------------------------------------------------------------

CLAIMS = """\
claims:
  look-first:
    ask: strategy
    says: Who looks first is always right.
    of:
      target: {outcome: win}
      play:
      - {when: shown == 1, take: {action: say, side: 1}}
      - {when: "shown == 2", take: {action: say, side: 2}}
      - {take: look}
    chance: worst
    expect: true
"""
GAME = "title: Guess\nversion: '0.1'\nplayers: {min: 1, max: 1}\nlanguages: [en]\nabout: {en: Guess.}\nsource: mine\n"


@pytest.fixture
def with_claims(guess: str) -> str:
    folder = Path(guess)
    (folder / "claims.yaml").write_text(CLAIMS, encoding="utf-8")
    (folder / "game.yaml").write_text(f"{GAME}components: []\n", encoding="utf-8")
    (folder / "vocabulary.yaml").write_text("terms: {}\nkinds: {}\n", encoding="utf-8")
    return guess


def test_the_bot_plays_what_is_proved(with_claims: str, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["simulate", with_claims, "--bot", "strategy:look-first", "--games", "20", "--jobs", "1", "--json"]
    assert run_command_line_and_get_exit_status(call) == 0
    played = json.loads(capsys.readouterr().out)
    assert played["endings"] == {"right": 20}
    assert played["decisions_per_game"] == 2
    assert run_command_line_and_get_exit_status([*call[:3], "strategy:look-frist", *call[4:]]) == 2
    assert 'did you mean \\"look-first\\"?' in capsys.readouterr().out
    for game in ("eila", "nim"):  # one seat, which is yours; and no claims
        assert run_command_line_and_get_exit_status(["play", game, "--bot", "strategy:look-frist"]) == 2
        assert "no strategy `look-frist`" in capsys.readouterr().err


def test_a_proven_strategy_is_written_as_a_card(with_claims: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line_and_get_exit_status(["prove", "automaton", with_claims, "look-first"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "# Guess: look-first",
        "",
        "Who looks first is always right.",
        "",
        "You play by the first rule that fits.",
        "",
        "1. If shown is 1: say 1.",
        "2. If shown is 2: say 2.",
        "3. Look.",
        "",
        "If no rule fits, take any legal action. Of equal actions take any.",
        "",
        "**Proved: it reaches its target, whatever happens.**",
    ]


def test_a_card_names_the_places_of_an_array_as_the_game_does() -> None:
    game = Game("mats", players=2)
    game.array("where", 3, 0, 2)
    game.array("mat", (2, 2), 0, 2)
    game.array("plain", 3, 0, 2)
    game.fact(names={"where": ["101 An Owl", "102 A Toad", "103 A Moth"], "mat": [None, ["food", "gold"]]})
    text = "where[2] == 1 and mat[1, 0] < 2 and `plain`[1] != 0 and where[where[0]] == 2"
    assert describe_condition_in_words(game, text) == (
        "where[103 A Moth] is 1 and mat[1, food] is less than 2 and plain[1] is not 0 and where[where[101 An Owl]] is 2"
    )


# -- what a strategy says of best play -----------------------------------------------------------------------------


def best_play(game: str, plan: Question, folder: Path, chance: str = "mean", **values: Any) -> Answer:
    """Return the answer to a question of luck that is given a strategy for the same target."""
    target = plan.of["target"]
    luck = Question("luck", "luck", target, values=values, chance=chance, given=(plan,))
    [made] = prove(game, claims=[luck], output=folder, **PLAIN)
    checked = check_evidence_file_to_result(
        made.evidence, game=game, claims={"luck": luck}, asked=RequestedSettings({k: str(v) for k, v in values.items()})
    )
    assert checked.verdict is (None if made.verdict is Verdict.UNKNOWN else made.verdict)
    return made


@pytest.mark.parametrize("chance", ["mean", "worst"])
def test_best_play_is_as_sure_as_a_strategy(guess: str, tmp_path: Path, chance: str) -> None:
    """The coin is hidden, so all states say nothing of a player who does not see it; a plan to look first does."""
    sure = asked({"target": WIN, "play": [*SAY, {"take": "look"}]})
    made = best_play(guess, sure, tmp_path / "o", chance)
    assert (made.verdict, made.value) == (Verdict.PROVEN, 1)
    plan = asked({"target": {**WIN, "seat": 1}, "play": [{"least": EQUAL}]}, heaps="3-3")
    assert best_play("nim", plan, tmp_path / "n", chance, heaps="3-3").value == 1


def test_a_strategy_bounds_best_play_from_below(guess: str, tmp_path: Path) -> None:
    half = asked({"target": WIN, "play": [{"take": {"action": "say", "side": 1}}]}, "mean")
    made = best_play(guess, half, tmp_path / "o")
    assert (made.verdict, made.bound["at least"], made.bound["at most"]) == (Verdict.UNKNOWN, 0.5, 1)


@pytest.mark.parametrize(
    ("changed", "asks"),
    [
        ({}, {"of": WIN}),  # another target
        ({}, {"of": {"outcome": "loss", "seat": 1}}),
        ({}, {"within": {"holds": "1 == 1"}}),  # no time is left to it
        ({}, {"chance": "worst"}),  # the luck of the strategy is better
        ({"chance": "best"}, {}),
        ({"of": {"seat": "all"}}, {}),  # the others play so too
        ({"of": {"seat": 0}}, {}),
        ({"low": Fraction(0), "high": Fraction(0)}, {}),
    ],
)
def test_no_other_strategy_says_anything_of_best_play(changed: Any, asks: Any) -> None:
    target = {**WIN, "seat": 1}
    of = {"target": target, "play": [{"least": EQUAL}], **changed.get("of", {})}
    rest = {"chance": "mean", "low": Fraction(1), "high": Fraction(1)} | {k: changed[k] for k in changed if k != "of"}
    question = Question("luck", "luck", **({"of": target, "chance": "mean"} | asks))
    game = build("nim")
    chance = StrategyChance(to_plain_json_data(of), None, **rest)
    assert chance.get_lower_bound_of_asked_chance(game, question, Context()) == 0
    same = Question("luck", "luck", target, chance="mean")
    sure = StrategyChance(to_plain_json_data({**of, "seat": 1}), None, "worst", Fraction(1), Fraction(1))
    assert sure.get_lower_bound_of_asked_chance(game, same, Context()) == 1


# -- found by search --------------------------------------------------------------------------------------------


def small_dare(folder: Path) -> str:
    """The patience of daring with 9 points in 2 turns."""
    rules = (Path(__file__).parent / "games_of_strangers" / "dare" / "rules.py").read_text(encoding="utf-8")
    (folder / "rules.py").write_text(rules.replace("GOAL, TURNS = 50, 10", "GOAL, TURNS = 9, 2"), encoding="utf-8")
    return str(folder)


@cache
def daring(banked: int, pot: int, turn: int) -> Fraction:
    """The chance to win the small game under best play, by plain Python. At the goal nobody rolls on."""
    if banked + pot >= 9:
        return Fraction(1)
    later = Fraction(0) if turn == 2 else daring(banked, 0, turn + 1)
    rolls = (later + sum(daring(banked, pot + face, turn) for face in range(2, 7))) / 6
    hold = Fraction(0) if turn == 2 or not pot else daring(banked + pot, 0, turn + 1)
    return max(rolls, hold)


def test_rules_that_play_as_well_as_can_be_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Once with rules enough, and once with too few for it; what is printed is proved of the list as it is."""
    folder = small_dare(tmp_path)
    case, win = GameCase(folder, machine=False), {**WIN, "seat": 0}
    best, chance = find_best_rule_list_and_best_play_chance(case, win, 0, 40)
    assert float(chance) == pytest.approx(float(daring(0, 0, 1)), abs=1e-9)
    assert best.low == pytest.approx(chance, abs=1e-9)
    few, _ = find_best_rule_list_and_best_play_chance(case, win, 0, 1)
    assert len(few.rules) == 1
    assert few.high < chance
    made = answer(folder, asked({"target": win, "play": best.rules}, "mean"), tmp_path / "o")
    assert made.value == pytest.approx(float(daring(0, 0, 1)), abs=1e-9)
    assert run_command_line_and_get_exit_status(["prove", "automaton", folder, "--rules", "2"]) == 0
    assert "Best play wins with the chance 0." in capsys.readouterr().out


def test_what_cannot_be_won_or_seen_has_no_rules(capsys: pytest.CaptureFixture[str]) -> None:
    """Who moves first with two equal heaps is lost (Bouton); the cards of the other are hidden in poker."""
    assert run_command_line_and_get_exit_status(["prove", "automaton", "nim", "--option", "heaps=2-2"]) == 1
    assert "seat 0 has no chance against best play" in capsys.readouterr().err
    assert run_command_line_and_get_exit_status(["prove", "automaton", "kuhn_poker"]) == 1
    assert "something is hidden from seat 0" in capsys.readouterr().err
    assert (
        run_command_line_and_get_exit_status(["prove", "automaton", "nim", "--option", "heaps=2-2", "--seat", "1"]) == 0
    )
    assert "**Proved: it reaches its target, whatever happens.**" in capsys.readouterr().out


# -- attacks ----------------------------------------------------------------------------------------------------


def tampered(folder: Path, change: Callable[[Any], None]) -> list[str]:
    """Return the codes of the findings in the evidence of two claims, each changed: one proven, one refuted."""
    codes = []
    for seat in (1, 0):
        of = {"target": {**WIN, "seat": seat}, "play": [{"least": EQUAL}]}
        question = asked(of, heaps="2-2")
        path = Path(answer("nim", question, folder).evidence)
        data = json.loads(path.read_text(encoding="utf-8"))
        [certificate] = data["settings"][0]["certificates"]
        change(certificate)
        renewed = renew_reads(data, "nim", {"plan": question})
        path.write_text(json.dumps(renewed), encoding="utf-8")
        checked = check_evidence_file_to_result(
            path, claims={"plan": question}, asked=RequestedSettings({"heaps": "2-2"})
        )
        codes += [finding.code for finding in checked.findings] or ["accepted"]
    return codes


def named(certificate: Any) -> Any:
    return certificate["about"]["of"] if "about" in certificate else certificate["of"]


def another_strategy(certificate: Any) -> None:
    named(certificate)["play"] = [{"most": EQUAL}]


def an_easier_one(certificate: Any) -> None:
    """Ties that fall as the seat likes them best would leave branches out."""
    named(certificate)["ties"] = "first"


def another_target(certificate: Any) -> None:
    named(certificate)["target"] = WIN


def another_seat(certificate: Any) -> None:
    named(certificate)["seat"] = 0 if named(certificate)["target"]["seat"] else 1


def a_branch_left_out(certificate: Any) -> None:
    if "listing" in certificate:
        certificate["listing"]["states"] -= 1
    else:
        certificate["idents"], certificate["words"] = certificate["idents"][:-1], certificate["words"][:-1]


def the_opposite(certificate: Any) -> None:
    if "about" in certificate:
        certificate["about"] |= {"low": "0", "high": "0"}
    else:
        certificate["before"] = 0


def another_move(certificate: Any) -> None:
    if "listing" in certificate:
        certificate["about"]["chance"] = "best"
    else:  # whoever empties one heap first does not keep them equal
        certificate["idents"][1] = certificate["idents"][0]


@pytest.mark.parametrize(
    "change",
    [another_strategy, an_easier_one, another_target, another_seat, a_branch_left_out, the_opposite, another_move],
)
def test_a_file_that_says_something_else_is_refused(tmp_path: Path, change: Callable[[Any], None]) -> None:
    codes = tampered(tmp_path, change)
    assert len(codes) == 2
    assert "accepted" not in codes


def test_a_bound_near_1_is_no_failure_where_luck_leaves_0_or_1() -> None:
    """Whoever proposes bounds may propose loose ones: 1 - 1e-12 as a bound from below made a strategy fail."""
    question = asked({"target": WIN, "play": []}, chance="worst")
    near = StrategyChance(to_plain_json_data(question.of), None, "worst", 1 - Fraction(1, 10**12), Fraction(1))
    decision = near.decide_question_if_about_it(build("nim"), question, Context())
    assert decision is not None
    assert decision.value is True


def test_a_file_that_reads_a_hidden_field_is_refused(guess: str, tmp_path: Path) -> None:
    question = asked({"target": WIN, "play": [*SAY, {"take": "look"}]})
    path = Path(answer(guess, question, tmp_path / "o").evidence)
    data = json.loads(path.read_text(encoding="utf-8"))
    [certificate] = data["settings"][0]["certificates"]
    peeking = [{"when": f"coin == {n}", "take": {"action": "say", "side": n}} for n in (1, 2)]
    certificate["about"]["of"]["play"] = peeking
    for kind, words, _ in data["settings"][0]["reads"]:
        if kind == "strategy":
            words["play"] = peeking
    path.write_text(json.dumps(data), encoding="utf-8")
    checked = check_evidence_file_to_result(path, game=guess, claims={"plan": question})
    assert [f.code for f in checked.findings] == ["PP711"]
    assert "does not see" in checked.findings[0].message
