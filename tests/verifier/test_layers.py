"""States gone through layer by layer, and values computed so, beside plain functions that share no code with them.

`PLAYPROOF_DRAWN=600` tries so many random games; PLAYPROOF_SEED names the first.
"""

from __future__ import annotations

import os
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from playproof.database.errors import InputError
from playproof.language import Game, RulesError
from playproof.language.registry import build
from playproof.verifier.kernel.certificate import NotShown, Theorem, list_partners_of_seat
from playproof.verifier.kernel.layers import Listing
from playproof.verifier.kernel.statements import BOUNDS, NO_DEAD_END, EndlessPlay, Event, LengthLimit, Property
from playproof.verifier.kernel.strict_json import decode_json_as_type_or_raise, encode_typed_value_as_json
from playproof.verifier.kernel.transcript import CycleCertificate
from playproof.verifier.kernel.worths import compute_expected_value_bounds
from playproof.verifier.proof.layering import find_layers_or_none
from playproof.verifier.proof.length import answer_whether_every_game_ends
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.verdicts import Verdict
from playproof.verifier.search.case import Budget, GameCase
from tests.verifier.closed_sets import chance_bounds, chance_in_layers, in_layers, worth
from tests.verifier.drawn_games import CHANCE, Graph, Large, Setting, drawn, graph, rules
from tests.verifier.test_worths import ALL, WAYS, sets

SEEDS = int(os.environ.get("PLAYPROOF_DRAWN", "100"))
FIRST = int(os.environ.get("PLAYPROOF_SEED", "100"))
STRANGERS = Path(__file__).parent / "games_of_strangers"
WIN = Event({"outcome": "win", "seat": 0})
_CLOSE = Fraction(1, 10**9)


def game_of(tmp_path: Path, seed: int) -> tuple[GameCase, Graph] | None:
    """A random game whose rules can be carried out, with all that can happen in it; None for another."""
    game = drawn(seed)
    try:
        made = graph(Setting(game))
    except Large:
        return None
    if made.breaks or len(made.states) < 3:
        return None
    folder = tmp_path / f"g{seed}"
    folder.mkdir()
    (folder / "rules.py").write_text(rules(game), encoding="utf-8")
    try:
        return GameCase(str(folder), machine=False), made
    except RulesError:
        return None


def longest_of(made: Graph) -> int | None:
    """The decisions of the longest game, None if play can go in a circle."""
    depth: dict[int, int] = {}
    on = set[int]()

    def of(row: int) -> int:
        if row in on:
            raise RecursionError
        if row not in depth:
            on.add(row)
            depth[row] = max((1 + of(to) for _, to, _ in made.moves[row]), default=0)
            on.discard(row)
        return depth[row]

    try:
        return of(0)
    except RecursionError:
        return None


def value_of(made: Graph, end: Any, seat: int, play: str) -> Fraction:
    """The expected value of what `end` says of ended states, for games without a circle. All play for or against."""
    mine, theirs = {"best": (max, min), "worst": (min, min), "random": (None, None)}[play]

    @cache
    def of(row: int) -> Fraction:
        moves = made.moves[row]
        if not moves:
            return Fraction(end(made.states[row]))
        actor = made.play.actor(made.states[row])
        how = None if actor == CHANCE else mine if actor in made.play.team(seat) else theirs
        if how is not None:
            return how(of(to) for _, to, _ in moves)
        weights = [w if actor == CHANCE else 1 for _, _, w in moves]
        return sum((of(to) * w for (_, to, _), w in zip(moves, weights, strict=True)), Fraction(0)) / sum(weights)

    return of(0)


def test_random_games_have_the_values_that_plain_functions_give(tmp_path: Path) -> None:
    compared = circles = without = 0
    for seed in range(FIRST, FIRST + SEEDS):
        drawn_game = game_of(tmp_path, seed)
        if drawn_game is None:
            continue
        case, made = drawn_game
        longest = longest_of(made)
        answer = answer_whether_every_game_ends(case, Budget(5.0))
        if longest is None:
            assert answer.value is False, seed
            [[circle]] = answer.offers
            assert Theorem(circle, case.game, Context()).about == EndlessPlay()
            assert find_layers_or_none(case, Budget(5.0)) is None, seed
            circles += 1
            continue
        assert answer.value is True, seed
        assert answer.bound == {"longest": longest}, seed
        order = find_layers_or_none(case, Budget(5.0))
        if order is not None:
            _compared(case.game, made, order, longest, seed)
            compared += 1
            without += order is None
    print(f"{compared} games compared, {without} without a measure, {circles} with a circle")
    assert compared > SEEDS // 50
    assert circles


def _compared(game: Game, made: Graph, order: Listing, longest: int, seed: int) -> None:
    """Compare all that layers say of a game."""
    context = Context()
    over = made.play.over
    assert order.states == sum(not state[over] for state in made.states), seed
    Theorem(in_layers(LengthLimit(longest), order), game, context)
    if longest:
        with pytest.raises(NotShown):
            Theorem(in_layers(LengthLimit(longest - 1), order), game, context)
    Theorem(in_layers(Property(BOUNDS), order), game, context)
    stuck = any(not m and not s[over] for s, m in zip(made.states, made.moves, strict=True))
    if stuck:
        with pytest.raises(NotShown):
            Theorem(in_layers(Property(NO_DEAD_END), order), game, context)
    for seat in range(game.players):
        if {ending.kind for ending in game.endings} & {"win", "scores"}:
            event = Event({"outcome": "win", "seat": seat})
            claimed = chance_in_layers(
                event, "mean", seat, order, Fraction(0), Fraction(1), partners=list_partners_of_seat(game, seat)
            )
            low, high = chance_bounds(game, claimed, context)
            wanted = value_of(made, lambda state, s=seat: made.play.won(state, s), seat, "best")
            assert low <= wanted <= high <= low + _CLOSE, seed
        for play in ("best", "worst", "random") if not stuck and made.play.game.payoffs else ():
            of = {"score": seat, "play": play}
            low, high = compute_expected_value_bounds(game, of, order, context)
            wanted = value_of(made, lambda state, s=seat: made.play.returns(state)[s], seat, play)
            assert low <= wanted <= high <= low + _CLOSE, seed


# -- attacks --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def divers() -> tuple[Game, Listing]:
    """A game with layers, and how its states lie in them."""
    case = GameCase(str(STRANGERS / "village"), machine=False)
    order = find_layers_or_none(case, Budget())
    assert order is not None
    return case.game, order


def refused(certificate: Any, game: Game, context: Context | None = None) -> str:
    """Why the kernel refuses a certificate, also behind its way through a file and in a context that has settled
    others."""
    with pytest.raises((NotShown, InputError)) as caught:
        Theorem(
            decode_json_as_type_or_raise(type(certificate), encode_typed_value_as_json(certificate) | {}),
            game,
            context or Context(),
        )
    return str(caught.value)


def test_a_certificate_with_another_number_in_it_is_refused(divers: tuple[Game, Listing]) -> None:
    game, order = divers
    context = Context()
    of = {"score": 0, "play": "best"}
    low, high = compute_expected_value_bounds(game, of, order, context)
    Theorem(worth(of, order, low, high), game, context)
    assert "other bounds" in refused(worth(of, order, low + 1, high + 1), game, context)
    assert "other bounds" in refused(worth({**of, "play": "random"}, order, low, high), game, context)
    assert "states" in refused(worth(of, replace(order, states=order.states - 1), low, high), game, context)
    assert "states" in refused(worth(of, replace(order, states=order.states + 1), low, high), game, context)
    assert refused(worth({"score": 1}, order, low, high), game, context)
    assert refused(worth({"score": 0, "other": 1}, order, low, high), game, context)
    assert refused(worth({"number": "nothing"}, order, low, high), game, context)


@pytest.mark.parametrize("measure", ["0 - turn", "nothing", "turn +", "0 - drawn", "hand[0]"])
def test_a_measure_that_a_step_lowers_is_refused(divers: tuple[Game, Listing], measure: str) -> None:
    game, order = divers
    assert refused(in_layers(Property(BOUNDS), replace(order, measure=measure)), game)


@pytest.mark.parametrize("measure", ["turn", "0"])
def test_a_measure_that_a_step_keeps_shows_no_length(divers: tuple[Game, Listing], measure: str) -> None:
    game, order = divers
    Theorem(in_layers(Property(BOUNDS), replace(order, measure=measure)), game, Context())
    assert "circles" in refused(in_layers(LengthLimit(1_000), replace(order, measure=measure)), game)


def test_an_event_that_is_met_and_a_seat_that_is_not_there_are_refused(divers: tuple[Game, Listing]) -> None:
    game, order = divers
    context = Context()
    assert "met" in refused(in_layers(Event({"holds": "turn == 3"}), order), game, context)
    assert "met" in refused(in_layers(Event({"outcome": "scores"}), order), game, context)
    assert "legal" in refused(in_layers(Event({"action": "buy nothing"}), order), game, context)
    assert "no such seat" in refused(chance_in_layers(WIN, "mean", 1, order, Fraction(0), Fraction(1)), game, context)
    assert refused(chance_in_layers(WIN, "none", 0, order, Fraction(0), Fraction(1)), game, context)
    Theorem(in_layers(Event({"holds": "turn == 3 and hand[0] == 3 and hand[1] > 0"}), order), game, context)


def test_a_line_that_does_not_come_back_is_no_circle() -> None:
    game = build(str(STRANGERS / "craps"))
    again = tuple(i for i in range(game.ground) if game.show(i) == "4 is thrown")
    other = tuple(i for i in range(game.ground) if game.show(i) == "5 is thrown")
    line = (*again, *other, *other)
    words = tuple(map(game.show, line))
    Theorem(CycleCertificate(1, line, words), game, Context())
    for wrong in (
        CycleCertificate(0, line, words),
        CycleCertificate(3, line, words),
        CycleCertificate(-1, line, words),
        CycleCertificate(1, line, words[:2]),
        CycleCertificate(1, (*again, 99), words[:2]),
        CycleCertificate(0, again * 2, (words[0],) * 2),  # the second throw ends the game
    ):
        refused(wrong, game)


# -- published numbers ----------------------------------------------------------------------------------------------


def test_worth_is_asked_as_any_claim_is(tmp_path: Path) -> None:
    """Shut the box under best play, and what the language refuses. Checked by plain functions below."""
    questions = [
        Question("best", "worth", {"score": 0}),
        Question("random", "worth", {"score": 0, "play": "random"}),
        Question("worst", "worth", {"number": "shut", "play": "worst"}),
    ]
    answers = prove(str(STRANGERS / "shut_the_box"), claims=questions, output=tmp_path)
    assert [a.verdict for a in answers] == [Verdict.PROVEN] * 3
    assert [a.value for a in answers] == [
        pytest.approx(float(_shut(play)), abs=1e-9) for play in ("best", "random", "worst")
    ]


def _shut(play: str) -> Fraction:
    """The expected sum of shut flaps, one player, two dice thrown until none can be shut."""

    @cache
    def of(left: frozenset[int]) -> Fraction:
        if not left:
            return Fraction(45)
        return sum((WAYS[t] * _moved(left, t) for t in WAYS), Fraction(0)) / 36

    def _moved(left: frozenset[int], total: int) -> Fraction:
        after = [of(left - some) for some in sets(left, total)]
        if not after:
            return Fraction(45 - sum(left))
        return {"best": max, "worst": min, "random": lambda v: sum(v, Fraction(0)) / len(v)}[play](after)

    return of(ALL)
