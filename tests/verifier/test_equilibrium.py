"""Best play by two seats that do not see the same: published values, an independent count of all plans, and
evidence that says too much."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from playproof.database.errors import InputError
from playproof.language import CHANCE, Game, Sees, goto, lose, require, score, tie, when, win
from playproof.language.registry import build
from playproof.verifier.kernel.best_answers import BestAnswer, InformationSteps
from playproof.verifier.kernel.certificate import NotShown, Theorem
from playproof.verifier.kernel.claim_values import decide_question_from_theorems
from playproof.verifier.kernel.sight import Equilibrium, OrderedPlan, PlansCertificate, bound_by_best_answers
from playproof.verifier.kernel.strict_json import Unreadable, decode_json_as_type_or_raise, encode_typed_value_as_json
from playproof.verifier.proof import play_by_sight
from playproof.verifier.proof.play_by_sight import SequenceForm
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.verdicts import Verdict
from tests.published_games import get_published_game
from tests.verifier.conftest import recheck

ASKED = Question("value", "equilibrium")
ZERO = Fraction(0)


def steps_of(game: Game, seat: int = 0) -> InformationSteps:
    return InformationSteps(game, Equilibrium(seat, ZERO, ZERO).read_end_worth(game, Context()))


def play_all_alike(_: Any, idents: tuple[int, ...]) -> tuple[int, ...]:
    return (1,) * len(idents)


def best_answer(game: Game, seat: int, choose: Any = play_all_alike, **more: Any) -> Fraction:
    """What a seat gets by its best answer to a plan of the other."""
    return BestAnswer(steps_of(game, seat), [(seat,)], choose, **more).compute_value()


def value_of(name: str, question: Question = ASKED, **more: Any) -> Any:
    [answer] = prove(name, claims=[question], machine=False, **more)
    return answer


def test_kuhn_poker_is_worth_minus_one_in_eighteen(tmp_path: Path) -> None:
    asked = replace(ASKED, expect="-1/18")
    found = value_of("kuhn_poker", asked, output=tmp_path)
    assert (found.verdict, found.bound["exactly"]) == (Verdict.PROVEN, "-1/18")
    assert recheck(found, asked, game="kuhn_poker") == []
    assert value_of("kuhn_poker", replace(ASKED, of={"seat": 1})).bound["exactly"] == "1/18"
    assert value_of("kuhn_poker", replace(ASKED, expect="-1/19")).verdict is Verdict.REFUTED


def test_what_is_hidden_counts() -> None:
    """Who sees the car always wins it; who does not wins it two times of three."""
    assert value_of(get_published_game("monty_hall")).bound["exactly"] == "2/3"


@pytest.mark.parametrize(("name", "sets"), [("kuhn_poker", [6, 6]), ("leduc_poker", [144, 144])])
def test_information_sets_are_those_of_the_literature(name: str, sets: list[int]) -> None:
    form = SequenceForm(build(name), 0, steps_of(build(name)))
    form.follow_all_histories(10_000)
    assert [len(each) for each in form.sets] == sets


@pytest.mark.parametrize(
    ("sees", "worth"), [(Sees.ALL, 1), (Sees.OWNER, 1), ([0], 1), (Sees.OTHERS, 0), (Sees.NOBODY, 0), ([1], 0)]
)
def test_a_seat_knows_what_the_rules_show_it(sees: Sees | list[int], worth: int) -> None:
    """A seat guesses the card before it. It wins if it sees the card, and half of the time if only others do."""
    g = Game("guess", players=2)
    g.array("card", 2, 0, 2, sees=sees)
    g.integer("gain", -1, 1)
    g.returns(g.state.gain, 0 - g.state.gain)
    deal, guess = g.phase("deal", CHANCE), g.phase("guess", 0)

    @g.action(deal, "deal {card}", card=range(1, 3))
    def deal_card(card: Any) -> None:
        g.state.card[0] = card
        goto(guess)

    @g.action(guess, "say {card}", card=range(1, 3))
    def say(card: Any) -> None:
        g.state.gain = 2 * (card == g.state.card[0]) - 1
        score("told")

    assert best_answer(g.seal(), 0) == worth


# -- against all plans there are ----------------------------------------------------------------------------------

HANDS = [(a, b) for a in range(3) for b in range(3) if a != b]
ENDS = {"bp": (1, 0), "bb": (0, 2), "pp": (0, 1), "pbp": (-1, 0), "pbb": (0, 2)}
"""What the first player gets however the cards are, and what the higher card gets."""


def paid(hands: tuple[int, int], plan: Any, other: Any) -> Fraction:
    """What the first player of Kuhn poker gets, if both bet as often as their plans say."""
    total, waiting = Fraction(0), [("", Fraction(1))]
    while waiting:
        said, chance = waiting.pop()
        if said in ENDS:
            anyhow, stake = ENDS[said]
            total += chance * (anyhow + (stake if hands[0] > hands[1] else -stake))
            continue
        bet = (plan, other)[len(said) % 2][hands[len(said) % 2], said]
        waiting += [(said + "b", chance * bet), (said + "p", chance * (1 - bet))]
    return total


def test_the_best_answer_is_the_best_of_all_answers() -> None:
    """All 64 plans of either player of Kuhn poker, against plans drawn by chance."""
    game, r = build("kuhn_poker"), random.Random(5)
    sets = [[(card, said) for card in range(3) for said in whose] for whose in (("", "pb"), ("b", "p"))]
    steps = [steps_of(game, seat) for seat in range(2)]
    names = [_name_information_sets(game, steps[seat], 1 - seat) for seat in range(2)]
    for _ in range(3):
        plans = [{key: Fraction(r.randrange(5), 4) for key in sets[seat]} for seat in range(2)]
        for seat in range(2):
            answers = [dict(zip(sets[seat], map(Fraction, bits), strict=True)) for bits in product((0, 1), repeat=6)]
            best = max(
                (1 - 2 * seat)
                * sum(paid(h, *((a, plans[1]) if seat == 0 else (plans[0], a))) for h in HANDS)
                / Fraction(6)
                for a in answers
            )
            bets = {known: int(4 * plans[1 - seat][name]) for known, name in names[seat].items()}
            answer = BestAnswer(steps[seat], [(seat,)], lambda known, _, bets=bets: (bets[known], 4 - bets[known]))
            assert answer.compute_value() == best


def _name_information_sets(game: Game, steps: InformationSteps, seat: int) -> dict[Any, tuple[int, str]]:
    """The information sets of a player of Kuhn poker, as the kernel numbers them: the card, and what was said."""
    names, hand = dict[Any, tuple[int, str]](), next(f for f in game.fields if f.name == "hand")
    level = [(0, (0, 0), "")]
    for state, known, said in level:
        choices = steps.get_choices(state)
        if choices.actor == seat:
            names[seat, known[seat]] = steps.states[state][hand.offset + seat] - 1, said
        for place, worth in enumerate(choices.worth):
            if worth is None:
                more = "" if choices.actor == CHANCE else "bp"[place]
                learnt = tuple(steps.get_knowledge_after((n,), known[n], state, place) for n in range(2))
                level.append((choices.following[place], learnt, said + more))
    return names


# -- what it must refuse ------------------------------------------------------------------------------------------


def kuhn() -> tuple[Game, PlansCertificate]:
    game = build("kuhn_poker")
    found = bound_by_best_answers(game, Equilibrium(0, ZERO, ZERO), steps_of(game), [play_all_alike] * 2)
    return game, PlansCertificate(found, (((1, 1),) * 6,) * 2)


def test_plans_that_are_not_best_bound_the_value_from_both_sides() -> None:
    (game, alike), context = kuhn(), Context()
    alike.require_valid_for_game(game, Context())
    assert alike.about.low < Fraction(-1, 18) < alike.about.high
    assert not decide_question_from_theorems(game, ASKED, [Theorem(alike, game, context)], context).known


def change_certificate(certificate: PlansCertificate, change: dict[str, Any]) -> PlansCertificate:
    """Change a certificate, or what it is about."""
    own = {key: value for key, value in change.items() if key in ("plans", "shared")}
    return replace(certificate, about=replace(certificate.about, **{k: change[k] for k in change.keys() - own}), **own)


@pytest.mark.parametrize(
    "change",
    [
        {"low": Fraction(0)},
        {"low": Fraction(-7, 18) - Fraction(1, 10**9)},
        {"partners": (1,)},
        {"high": Fraction(-1)},
        {"seat": 2},
        {"seat": -1},
        {"plans": ()},
        {"plans": (((1, 1),) * 6,)},
        {"plans": (((1, 1),) * 5, ((1, 1),) * 6)},
        {"plans": (((1, 1, 1),) * 6, ((1, 1),) * 6)},
        {"plans": (((0, 0),) * 6, ((1, 1),) * 6)},
        {"plans": (((-1, 2),) * 6, ((1, 1),) * 6)},
        {"plans": (((1, 0),) * 6, ((1, 1),) * 6)},
        {"plans": (((1, 1),) * 7, ((1, 1),) * 6)},
        {"shared": True, "plans": ()},
    ],
)
def test_what_is_no_plan_or_bounds_nothing_is_refused(change: dict[str, Any]) -> None:
    game, alike = kuhn()
    with pytest.raises(NotShown):
        change_certificate(alike, change).require_valid_for_game(game, Context())


def test_a_row_is_for_the_actions_of_one_information_set() -> None:
    plan = OrderedPlan(((1, 0), (0, 3)))
    assert [plan.choose(known, (4, 5)) for known in ("a", "b", "a")] == [(1, 0), (0, 3), (1, 0)]
    with pytest.raises(NotShown, match="other actions are legal"):
        plan.choose("a", (4, 6))
    with pytest.raises(NotShown, match="a weight for each action"):
        plan.choose("c", (4, 5))


def test_a_file_holds_no_floats() -> None:
    data = encode_typed_value_as_json(kuhn()[1])
    assert decode_json_as_type_or_raise(PlansCertificate, data) == kuhn()[1]
    with pytest.raises(Unreadable):
        decode_json_as_type_or_raise(PlansCertificate, {**data, "about": {**data["about"], "low": 0.5}})
    with pytest.raises(Unreadable):
        decode_json_as_type_or_raise(PlansCertificate, {**data, "plans": [[[0.5, 0.5]]]})


def odd(kind: str) -> Game:
    """Games that have no value, or none that the kernel can compute."""
    g = Game("odd", players=3 if kind == "three" else 2)
    s = g.state
    g.array("coin", 3 if kind == "three" else 2, 0, 1, sees=Sees.OWNER)
    g.integer("turn", 0, 1)
    if kind == "unequal":
        g.returns(s.turn + 1, 0)
    p = g.phase("p", actor=s.turn)

    @g.action(p, "go on")
    def go_on() -> None:
        if kind == "stuck":
            require(s.turn == 0, "O1", "only the first")
        s.turn = 1 - s.turn

    @g.action(p, "stop")
    def stop() -> None:
        if kind == "stuck":
            require(s.turn == 0, "O1", "only the first")
        if kind == "everybody":
            lose("both lose")
        else:
            win("the first", winner=0)

    return g


@pytest.mark.parametrize("kind", ["unequal", "everybody", "stuck", "endless"])
def test_games_without_a_value_are_refused(kind: str) -> None:
    with pytest.raises(NotShown):
        best_answer(odd(kind), 0, most=200)
    with pytest.raises(NotShown):
        SequenceForm(odd(kind), 0, steps_of(odd(kind))).follow_all_histories(200)


def test_three_players_have_no_value() -> None:
    with pytest.raises(NotShown, match="one player or two"):
        PlansCertificate(Equilibrium(0, ZERO, ZERO), ()).require_valid_for_game(odd("three"), Context())


def pennies(shown: bool) -> Game:
    """One hides a coin, the other guesses its side; a guess counts if the side was heads or tails as guessed."""
    g = Game("pennies", players=2)
    s = g.state
    g.array("coin", 2, 0, 2, sees=Sees.ALL if shown else Sees.OWNER)
    hide, guess = g.phase("hide", actor=0), g.phase("guess", actor=1)

    @g.action(hide, "hide {side}", side=2, **({"public": "side"} if shown else {"secret": "side"}))
    def hidden(side: Any) -> None:
        s.coin[0] = side + 1
        goto(guess)

    @g.action(guess, "guess {side}", side=2)
    def guessed(side: Any) -> None:
        with when(s.coin[0] == side + 1):
            win("guessed", winner=1)
        with when(s.coin[0] != side + 1):
            win("not guessed", winner=0)

    return g


@pytest.mark.parametrize(("shown", "value"), [(False, 0), (True, -1)])
def test_a_guesser_wins_half_the_games_and_all_if_the_coin_is_seen(shown: bool, value: int) -> None:
    game = pennies(shown).seal()
    form = SequenceForm(game, 0, steps_of(game))
    form.follow_all_histories(100)
    assert (-best_answer(game, 1), best_answer(game, 0), len(form.sets[1])) == (value, 0, 2 if shown else 1)


def test_a_whole_number_is_said_only_of_what_is_exactly_that() -> None:
    (game, alike), context = kuhn(), Context()
    nearly = change_certificate(alike, {"low": Fraction(-1, 10**12), "high": Fraction(1, 10**12)})
    theorem = Theorem(alike, game, context)
    object.__setattr__(theorem, "about", nearly.build_proved_statement().about)
    assert not decide_question_from_theorems(game, ASKED, [theorem], context).known


@pytest.mark.parametrize(
    "wrong", [{"of": {"chair": 1}}, {"of": {"seat": 2}}, {"within": "turn == 1"}, {"expect": True}]
)
def test_a_claim_of_other_words_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        value_of("kuhn_poker", replace(ASKED, **wrong))


def test_too_large_and_too_many_players_are_told() -> None:
    found = value_of("three_suits")
    assert (found.verdict, found.reason.partition(":")[0]) == (Verdict.UNKNOWN, "not supported")
    found = value_of("tic_tac_toe", work=0.1)
    assert found.reason.startswith("work: there are more than ")
    assert found.reason.endswith(" moments, and --work 0.1 follows no more")


def test_a_tree_that_the_usual_work_allows_is_followed() -> None:
    """The page says a million moments; the usual work ended at 300,000, and the reason said "not supported"."""
    assert 60 * play_by_sight._MOMENTS >= play_by_sight.MOST_MOMENTS


def test_chance_is_no_seat() -> None:
    """A tie by chance is worth 0, half and half."""
    g = Game("toss", players=2)
    p = g.phase("p", actor=CHANCE)

    @g.action(p, "falls {side}", side=3)
    def falls(side: Any) -> None:
        with when(side == 0):
            win("first", winner=0)
        with when(side == 1):
            win("second", winner=1)
        with when(side == 2):
            tie("edge")

    assert best_answer(g.seal(), 0) == best_answer(g, 1) == 0
