"""What games are worth, how long they take, what each option is worth: beside plain functions and exact fractions."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from playproof.database.errors import InputError
from playproof.language import CHANCE, Game, Local, pick, score
from playproof.language.registry import build
from playproof.verifier.check import check_evidence_file_to_result
from playproof.verifier.kernel.certificate import Certificate, NotShown, Theorem
from playproof.verifier.kernel.layers import Listing, sweep_layers_cached
from playproof.verifier.kernel.strategies import enumerate_states_under_strategy
from playproof.verifier.kernel.strict_json import decode_json_as_type_or_raise, encode_typed_value_as_json
from playproof.verifier.kernel.worths import (
    ExpectedValue,
    compute_bounds_of_each_option_or_value,
    compute_expected_value_bounds,
)
from playproof.verifier.proof.best_play import Vertex
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.strategies import strategy_spec_to_strategy, worth_spec_to_number
from playproof.verifier.questions.verdicts import (
    Verdict,
    decide_verdict_from_value_and_expectation,
    format_answer_as_lines,
)
from playproof.verifier.search.layer_bounds import propose_bounds_and_ranks_of_layer
from tests.published_games import get_published_game
from tests.verifier.closed_sets import restate, worth, worths
from tests.verifier.test_chance import random_places, solved
from tests.verifier.test_circling import walk

SHUT = str(Path(__file__).parent / "games_of_strangers" / "shut_the_box")
WAYS = {total: 6 - abs(total - 7) for total in range(2, 13)}
Flaps = frozenset[int]
ALL: Flaps = frozenset(range(1, 10))


def sets(left: Flaps, total: int) -> list[Flaps]:
    """The sets of open flaps with this sum."""
    if total == 0:
        return [frozenset()]
    return [
        frozenset({flap}) | rest
        for flap in sorted(left)
        if flap <= total
        for rest in sets(frozenset(f for f in left if f < flap), total - flap)
    ]


@cache
def best(left: Flaps) -> Fraction:
    """The expected sum of shut flaps before a throw, under best play."""
    if not left:
        return Fraction(45)
    return sum((WAYS[t] * moved(left, t) for t in WAYS), Fraction(0)) / 36


def moved(left: Flaps, total: int) -> Fraction:
    """The same, after a throw."""
    return max((best(left - some) for some in sets(left, total)), default=Fraction(45 - sum(left)))


def ordered(game: Game, of: dict[str, object], context: Context) -> Listing:
    """The states behind the actions that are asked of, as one layer."""
    order = Listing(50_000, "0", after=worth_spec_to_number(game, of).after)
    return replace(order, states=sweep_layers_cached(game, order, context).states)


def test_each_option_is_worth_what_a_plain_solver_says(tmp_path: Path) -> None:
    of = {"score": 0, "after": ["9 is thrown"], "options": True}
    [answer] = prove(SHUT, claims=[Question("first", "worth", of)], output=tmp_path, machine=False)
    assert answer.value == pytest.approx(float(moved(ALL, 9)), abs=1e-9)
    options = answer.bound["options"]
    truth = {"shut " + " and ".join(map(str, sorted(some))): float(best(ALL - some)) for some in sets(ALL, 9)}
    assert options.keys() == truth.keys()
    for name, value in truth.items():
        assert options[name]["worth"] == pytest.approx(value, abs=1e-6)
        assert options[name]["regret"] == pytest.approx(max(truth.values()) - value, abs=2e-6)
    first, *others = [words.strip() for words in format_answer_as_lines(answer).splitlines()[1:]]
    assert first == f"{next(iter(options))}: {max(truth.values()):.6f}, best"
    assert len(others) == len(truth) - 1
    assert all(", regret " in words for words in others)


def test_a_spread_between_random_players_is_that_of_all_games() -> None:
    """Chances of each sum of shut flaps, beside a plain count."""

    @cache
    def spread(left: Flaps) -> dict[int, Fraction]:
        chances = Counter[int]()
        if not left:
            return {45: Fraction(1)}
        for total, ways in WAYS.items():
            options = sets(left, total)
            if not options:
                chances[45 - sum(left)] += Fraction(ways, 36)
            for some in options:
                for value, chance in spread(left - some).items():
                    chances[value] += Fraction(ways, 36 * len(options)) * chance
        return chances

    game, context = build(SHUT), Context(propose=propose_bounds_and_ranks_of_layer)
    of = {"number": "shut", "play": "random", "spread": True}
    each = compute_bounds_of_each_option_or_value(game, of, ordered(game, of, context), context)
    truth = spread(ALL)
    assert {int(value.name) for value in each} == set(truth)
    for value in each:
        assert value.low <= truth[int(value.name)] <= value.high <= value.low + Fraction(1, 10**9)


def decisions(places: Sequence[Vertex], start: int) -> Fraction | None:
    """The expected number of steps of a walk on which each way is taken by its weight; None if it may never end."""
    reached = [start]
    for at in reached:
        reached += {to for to, _ in places[at].edges} - set(reached)
    ending = {n for n in reached if places[n].worth is not None}
    while new := {n for n in reached if n not in ending and any(to in ending for to, _ in places[n].edges)}:
        ending |= new
    if ending != set(reached):
        return None
    inner = [n for n in reached if places[n].worth is None]
    rows = []
    for n in inner:
        total = sum(w for _, w in places[n].edges)
        row = [
            Fraction(int(n == m)) - sum((Fraction(w, total) for to, w in places[n].edges if to == m), Fraction(0))
            for m in inner
        ]
        rows.append([*row, Fraction(1)])
    return solved(rows)[inner.index(start)]


def test_the_expected_length_of_random_walks_is_that_of_exact_fractions() -> None:
    ended = endless = 0
    for seed in range(40):
        places = random_places(random.Random(seed), 6)
        at_random = [
            place if place.chooses == "mean" else replace(place, edges=tuple((to, 1) for to, _ in place.edges))
            for place in places
        ]
        truth = decisions(at_random, 2)
        game, context = walk(places), Context(propose=propose_bounds_and_ranks_of_layer)
        of = {"length": "all", "play": "random"}
        order = ordered(game, of, context)
        if truth is None:
            with pytest.raises(NotShown):
                compute_expected_value_bounds(game, of, order, context)
            endless += 1
            continue
        low, high = compute_expected_value_bounds(game, of, order, context)
        assert low <= truth <= high <= low + Fraction(1, 10**6), seed
        ended += 1
    assert ended > 5
    assert endless > 5


def test_who_may_stay_for_ever_makes_a_game_longer_than_any_bound() -> None:
    places = [Vertex(1, "mean", ()), Vertex(0, "mean", ()), Vertex(None, "most", ((2, 1), (3, 1)))]
    game, context = (
        walk([*places, Vertex(None, "mean", ((0, 1), (1, 1)))]),
        Context(propose=propose_bounds_and_ranks_of_layer),
    )
    of = {"length": "players", "play": "best"}
    with pytest.raises(NotShown, match="no bound"):
        compute_expected_value_bounds(game, of, ordered(game, of, context), context)
    of = {"length": "players", "play": "worst"}  # the shortest
    assert compute_expected_value_bounds(game, of, ordered(game, of, context), context)[0] > Fraction(99, 100)


def test_published_lengths() -> None:
    """The gambler's ruin takes a (b - a) games on average (Feller), and craps 557 / 165 throws."""
    for name, length in ((get_published_game("gamblers_ruin"), 21.0), (get_published_game("craps"), 557 / 165)):
        question = Question("length", "worth", {"length": "all", "play": "random"})
        [answer] = prove(name, claims=[question], machine=False)
        assert answer.value == pytest.approx(length, abs=1e-6)


# -- attacks --------------------------------------------------------------------------------------------------------


def test_a_certificate_of_other_options_is_refused() -> None:
    game, context = build(SHUT), Context(propose=propose_bounds_and_ranks_of_layer)
    of = {"score": 0, "after": ["9 is thrown", "shut 9", "8 is thrown", "shut 8", "3 is thrown"], "options": True}
    order = ordered(game, of, context)
    each = compute_bounds_of_each_option_or_value(game, of, order, context)
    right = worths(of, order, each)
    Theorem(
        decode_json_as_type_or_raise(Certificate, encode_typed_value_as_json(right)),
        game,
        Context(propose=propose_bounds_and_ranks_of_layer),
    )
    swapped = tuple(replace(one, name=other.name) for one, other in zip(each, reversed(each), strict=True))
    for wrong in (
        restate(right, each=swapped),
        restate(right, each=each[1:]),
        restate(right, each=(replace(each[0], low=each[0].low + 1), *each[1:])),
        restate(right, of={**of, "after": ["9 is thrown", "shut 9", "8 is thrown", "shut 8", "4 is thrown"]}),
        restate(right, listing=replace(order, after=())),
        restate(right, of={"score": 0, "after": of["after"]}),
    ):
        with pytest.raises(NotShown):
            Theorem(
                decode_json_as_type_or_raise(Certificate, encode_typed_value_as_json(wrong)),
                game,
                Context(propose=propose_bounds_and_ranks_of_layer),
            )
    with pytest.raises(NotShown, match="other actions"):
        Theorem(
            worth({"score": 0}, order, Fraction(0), Fraction(45)),
            game,
            Context(propose=propose_bounds_and_ranks_of_layer),
        )


def test_six_sure_digits_refute_no_number_that_the_bounds_allow() -> None:
    """Of 1000/3, which is expected, 333.333333 was given, and 1000/3 is not that."""
    about = ExpectedValue(
        {"length": "all"}, Fraction(1000, 3) - Fraction(4, 10**7), Fraction(1000, 3) + Fraction(4, 10**7)
    )
    question, game = Question("q", "worth", {"length": "all"}), build(SHUT)
    for expect, value in ((None, 333.333333), (334, 333.333333), ("1000/3", None), (333.333333, 333.333333)):
        answer = about.decide_question_if_about_it(game, replace(question, expect=expect), Context())
        assert (answer and answer.value) == value, expect


def test_a_number_that_a_float_cannot_hold_to_nine_digits_is_compared_as_it_is_written() -> None:
    """So drawn games found it: 10737418245.52 was refuted by its own value."""
    exact = Fraction("10737418245.52")
    about, game = (ExpectedValue({"score": 0}, exact - Fraction(1, 10**14), exact + Fraction(1, 10**14)), build(SHUT))
    wanted = {"10737418245.52": "PROVEN", "10737418245.5200004": "REFUTED", "268435456138/25": "PROVEN"}
    for expect, verdict in wanted.items():
        answer = about.decide_question_if_about_it(game, Question("q", "worth", {"score": 0}, expect=expect), Context())
        assert answer is not None
        assert decide_verdict_from_value_and_expectation(answer, expect).value == verdict, expect
    beyond = ExpectedValue({"score": 0}, exact + Fraction("0.000001"), exact + Fraction("0.000001"))
    assert beyond.decide_question_if_about_it(game, Question("q", "worth", {"score": 0}), Context()) is None


# -- by a list of rules ---------------------------------------------------------------------------------------------

TURN = """
from playproof import CHANCE, Game, Local, Options, goto, otherwise, score, when

def build(options: Options) -> Game:
    g = Game("turn")
    s = g.state
    g.integer("pot", 0, 30)
    throw = g.phase("throw", CHANCE)
    choose = g.phase("choose")

    @g.action(throw, "{die} is thrown", die=range(1, 7))
    def thrown(die: Local) -> None:
        with when(die == 1):
            s.pot = 0
            score("bust")
        with otherwise():
            s.pot += die
            goto(choose)

    @g.action(choose, "hold")
    def hold() -> None:
        score("held")

    @g.action(choose, "roll")
    def roll() -> None:
        goto(throw)

    g.returns(s.pot)
    return g
"""
HOLD_AT_20 = [{"when": "pot >= 20", "take": "hold"}, {"take": "roll"}]


def turn_of_pig(pot: int = 0) -> dict[int, Fraction]:
    """How likely each gain of a turn is for who holds at 20."""
    if pot >= 20:
        return {pot: Fraction(1)}
    chances = Counter({0: Fraction(1, 6)})
    for die in range(2, 7):
        for gain, chance in turn_of_pig(pot + die).items():
            chances[gain] += chance / 6
    return dict(chances)


@pytest.fixture
def turn(tmp_path: Path) -> str:
    folder = tmp_path / "turn"
    folder.mkdir()
    (folder / "rules.py").write_text(TURN, encoding="utf-8")
    return str(folder)


def test_who_holds_at_20_gains_so_much_in_a_turn_of_pig(turn: str, tmp_path: Path) -> None:
    of = {"score": 0, "play": HOLD_AT_20, "ties": "first", "spread": True}
    [answer] = prove(turn, claims=[Question("gain", "worth", of)], output=tmp_path, machine=False)
    truth = turn_of_pig()
    assert answer.verdict is Verdict.PROVEN
    assert answer.value == pytest.approx(float(sum(n * chance for n, chance in truth.items())), abs=1e-9)
    assert answer.value == pytest.approx(8.14, abs=0.01)  # as Neller and Presser print it
    assert {int(n): chance for n, chance in answer.bound["spread"].items()} == pytest.approx(
        {n: float(chance) for n, chance in truth.items()}, abs=1e-6
    )
    checked = check_evidence_file_to_result(answer.evidence, game=turn, claims={"gain": Question("gain", "worth", of)})
    assert checked.verdict is Verdict.PROVEN, checked.findings


def test_forged_worths_of_rules_are_refused(turn: str) -> None:
    game, context = build(turn), Context(propose=propose_bounds_and_ranks_of_layer)
    of = {"score": 0, "play": HOLD_AT_20}
    states = len(
        enumerate_states_under_strategy(
            game, strategy_spec_to_strategy(game, {"play": HOLD_AT_20}), of, 1_000, context
        ).cells
    )
    low, high = compute_expected_value_bounds(game, of, Listing(states), context)
    right = worth(of, Listing(states), low, high)
    Theorem(
        decode_json_as_type_or_raise(Certificate, encode_typed_value_as_json(right)),
        game,
        Context(propose=propose_bounds_and_ranks_of_layer),
    )
    other = [{"when": "pot >= 19", "take": "hold"}, {"take": "roll"}]
    for wrong in (
        restate(right, of={**of, "play": other}),
        restate(right, of={**of, "play": [*reversed(HOLD_AT_20)]}),
        restate(right, of={"score": 0, "play": "best"}),
        restate(right, listing=Listing(states + 1)),
        restate(right, listing=Listing(states - 1)),
        restate(right, listing=Listing(states, "pot")),
        restate(right, listing=Listing(states, "0")),
        restate(right, listing=Listing(states, "", "pot", 12)),
        restate(right, listing=Listing(states, after=(0,))),
        restate(right, low=low - 1, high=high - 1),
        restate(right, low=Fraction(0), high=Fraction(30)),
    ):
        with pytest.raises(NotShown):
            Theorem(
                decode_json_as_type_or_raise(Certificate, encode_typed_value_as_json(wrong)),
                game,
                Context(propose=propose_bounds_and_ranks_of_layer),
            )


@pytest.mark.parametrize(
    ("of", "said"),
    [
        ({"score": 0, "options": True}, "no player chooses"),
        ({"score": 0, "after": ["10 is thrown", "shut 9"]}, "not legal"),
        ({"score": 0, "after": "9 is thrown"}, "as a list"),
        ({"number": "shut", "spread": True}, "nobody chooses"),
        ({"number": "shut", "play": [{"least": "shut"}], "spread": True}, "nobody chooses"),
        ({"number": "shut", "play": "best", "ties": "first"}, "`ties`"),
        ({"number": "shut", "play": [{"least": "shut"}], "options": True, "after": ["9 is thrown"]}, "start"),
        ({"number": "shut", "play": []}, "list of rules"),
        ({"number": "shut", "spread": "yes"}, "expected one of"),
        ({"length": "rounds"}, "length"),
        ({"length": "all", "score": 0}, "expected"),
        ({"score": 0, "seat": 0}, "unknown key"),
        ({"score": 0, "play": "well"}, "play"),
    ],
)
def test_what_is_no_worth_is_refused(of: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        worth_spec_to_number(build(SHUT), of)


@pytest.mark.parametrize(("top", "answered"), [(1 << 31, True), (5_000_000_123, False), (7_900_000_001, False)])
def test_a_number_that_is_too_large_to_be_scaled_is_refused(top: int, answered: bool) -> None:
    """With 5,000,000,123 the products left 64 bits, and the mean was 2,499,825,298.7 for 2,500,000,061.3."""
    g = Game("lots")
    g.integer("money", 0, top)
    g.returns(g.state.money)

    @g.action(g.phase("draw", CHANCE), "lot {lot}", lot=3)
    def lot(lot: Local) -> None:
        g.state.money = pick(lot == 0, top, pick(lot == 1, top // 2 + 1, 0))
        score("drawn")

    def asked() -> tuple[Fraction, Fraction]:
        return compute_expected_value_bounds(g.seal(), {"score": 0}, Listing(1, "0"), Context())

    if answered:
        low, high = asked()
        assert low <= Fraction(top + top // 2 + 1, 3) <= high < low + 1
    else:
        with pytest.raises(NotShown, match="too many values"):
            asked()
