"""Evidence written by hand: for every kind of certificate, ways to say what is false, each of which was confirmed once
or is near to one that was. What is true of the same game is accepted, so that no test passes because nothing does."""

from __future__ import annotations

import copy
import os
import pickle
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice, product
from pathlib import Path
from typing import Any, ClassVar

import pytest

from playproof.language import (
    CHANCE,
    Action,
    BoundsError,
    Game,
    Interpreter,
    RulesError,
    Term,
    clamp,
    each,
    goto,
    let,
    otherwise,
    pick,
    require,
    variable,
    weight,
    when,
    win,
)
from playproof.verifier.kernel.certificate import Certificate, NotShown, Theorem
from playproof.verifier.kernel.claim_values import decide_question_from_theorems
from playproof.verifier.kernel.closed_set_certificate import ClosedSetCertificate, Vector
from playproof.verifier.kernel.column_reading import ColumnReading
from playproof.verifier.kernel.evidence import check_certificate_to_theorem
from playproof.verifier.kernel.formula_reading import Reading
from playproof.verifier.kernel.formulas import disjoin_formulas
from playproof.verifier.kernel.induction import Lemma, Split
from playproof.verifier.kernel.invariant import InvariantCertificate
from playproof.verifier.kernel.state_graphs import enumerate_game_states_cached, enumerate_states_from_start
from playproof.verifier.kernel.statements import (
    BOUNDS,
    NO_DEAD_END,
    PHASES_END,
    Event,
    LawObeyed,
    LengthLimit,
    Property,
    Statement,
)
from playproof.verifier.kernel.strict_json import Unreadable, decode_json_as_type_or_raise, encode_typed_value_as_json
from playproof.verifier.kernel.transcript import TranscriptCertificate, WorkedExampleCertificate
from playproof.verifier.proof.best_play import compute_best_play_bounds
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.statement_words import format_statement_sentence
from tests.language.symbolic_zoo import random_game
from tests.verifier.closed_sets import (
    bounds_of,
    chance_in_file,
    exploration,
    moved,
    restate,
    solved_chance,
    state_distance,
    with_other_keys,
)
from tests.verifier.formula_values import match_variables, put_numbers_in
from tests.verifier.places import places_of
from tests.verifier.test_kernel_readings import in_columns

WIN = Event({"outcome": "win"})
AT_4 = Event({"holds": "x == 4"})
STAYS = {"action": "stop", "changes": {"x": 0}}
MANY = 30_000
SEEDS = range(int(os.environ.get("PLAYPROOF_STEPS", "12")))
"""Random games that are compared."""


def coin(players: int = 1) -> Game:
    """A coin that wins with 1/2; else, the first seat walks in a circle for ever."""
    g = Game("coin", players=players)
    fall, walk = g.phase("fall", CHANCE), g.phase("walk", 0)

    @g.action(fall, "heads")
    def heads() -> None:
        win("heads", winner=0)

    @g.action(fall, "tails")
    def tails() -> None:
        goto(walk)

    @g.action(walk, "walk on")
    def walk_on() -> None:
        goto(walk)

    return g.seal()


def bounds(game: Game, luck: str = "mean", seat: int = 0) -> ClosedSetCertificate:
    """The true bounds on the chance to win."""
    found, start = places_of(game, WIN.build_condition_and_actions(game, Context()).condition, luck, seat, Context())
    return solved_chance(compute_best_play_bounds(found), WIN, luck, seat, start)


def start_of(game: Game) -> int:
    """The place of the first state in the order of the states' cells."""
    return places_of(game, WIN.build_condition_and_actions(game, Context()).condition, "mean", 0, Context())[1]


# -- chances --------------------------------------------------------------------------------------------------------


def test_no_chance_below_the_truth_where_play_goes_on_for_ever() -> None:
    """-1 in the circle bounded itself, and drew the start down to 0: (-1 + 1) / 2."""
    game, good = coin(), bounds(coin())
    good.require_valid_for_game(game, Context())
    assert bounds_of(good) == (Fraction(1, 2), Fraction(1, 2))
    found, _ = places_of(game, WIN.build_condition_and_actions(game, Context()).condition, "mean", 0, Context())
    values = (Fraction(-1), Fraction(0), Fraction(1))
    for upper in product(range(3), repeat=len(found)):
        zero = (1,) * len(found)
        forged = chance_in_file(WIN, "mean", 0, values, upper, zero, zero, start_of(game))
        with pytest.raises(NotShown):
            forged.require_valid_for_game(game, Context())
    true = chance_in_file(
        WIN, "mean", 0, values[1:], (1,) * len(found), (0,) * len(found), (0,) * len(found), start_of(game)
    )
    true.require_valid_for_game(game, Context())  # from 0 to 1 it lies in any case


@pytest.mark.parametrize("luck", ["mean", "best", "worst"])
@pytest.mark.parametrize("value", [Fraction(-1), Fraction(-1, 10**300), Fraction(10**300 + 1, 10**300), Fraction(2)])
def test_chances_lie_between_0_and_1(value: Fraction, luck: str) -> None:
    """Each is refused in any of the lists, in use or not."""
    game, good = coin(), bounds(coin(), luck)
    forged = [restate(good, values=(*good.vector.values, value))]
    for name in ("upper", "lower"):
        numbers: tuple[int, ...] = getattr(good.vector, name)
        forged += [
            restate(forged[0], **{name: (*numbers[:n], len(good.vector.values), *numbers[n + 1 :])})
            for n in range(len(numbers))
        ]
    for one in forged:
        with pytest.raises(NotShown, match="from 0 to 1"):
            one.require_valid_for_game(game, Context())


@pytest.mark.parametrize(
    "change",
    [
        {"low": Fraction(3, 4)},
        {"high": Fraction(1, 4)},
        {"high": Fraction(-1)},
        {"states": 2},
        {"states": 4},
        {"states": 10**30},
        {"measure": "0"},
        {"number": "1"},
        {"most": 1},
        {"after": (0,)},
        {"rise": 1},
        {"vector": Vector()},
        {"upper": ()},
        {"upper": (0, 0)},
        {"lower": (-1, 0, 0)},
        {"ranks": ()},
        {"ranks": (1, 2)},
        {"seat": 1},
        {"seat": -1},
        {"chance": "median"},
        {"values": ()},
        {"event": Event({"outcome": "loss"})},
        {"event": Event({"action": "walk on"})},
        {"upper": (0, 0, 0, 0), "lower": (0, 0, 0, 0), "ranks": (0, 0, 0, 0)},
    ],
)
def test_other_numbers_of_a_chance_are_refused(change: dict[str, Any]) -> None:
    game, good = coin(), bounds(coin())
    forged = restate(good, **change)
    with pytest.raises(NotShown):
        forged.require_valid_for_game(game, Context())


@pytest.mark.parametrize(
    "change",
    [
        {"values": ["\u0661/2"]},
        {"values": ["1/\uff12"]},
        {"values": ["0.5"]},
        {"values": [" 1"]},
        {"values": [True]},
        {"values": ["1e0"]},
        {"values": ["1/-2"]},
        {"values": ["1_0"]},
        {"values": ["-"]},
        {"ranks": [True, 0, 0]},
        {"ranks": [None, 0, 0]},
        {"ranks": ["0", 0, 0]},
        {"states": True},
        {"low": 0},
        {"seat": False},
        {"seat": 0.0},
        {"upper": 0},
    ],
)
def test_a_number_of_a_file_is_written_as_one(change: dict[str, Any]) -> None:
    """Digits of other scripts, truths, and texts that Python would read as numbers."""
    plain = encode_typed_value_as_json(bounds(coin()))
    assert decode_json_as_type_or_raise(Certificate, plain) == bounds(coin())
    with pytest.raises(Unreadable):
        decode_json_as_type_or_raise(Certificate, with_other_keys(plain, change))


def test_a_rank_that_does_not_fall_carries_no_chance_in_a_circle() -> None:
    """Whatever the ranks, also huge and negative ones, nobody gets more than the truth out of the circle."""
    game, good = coin(), bounds(coin())
    values = (Fraction(0), Fraction(1, 2), Fraction(3, 4), Fraction(1))
    for lower in product(range(4), repeat=len(good.vector.lower)):
        for ranks in ((0, 0, 0), (3, 2, 1), (1, 2, 3), (-(10**50), 0, 10**50), (2, 1, 2)):
            forged = chance_in_file(WIN, "mean", 0, values, (3,) * len(lower), lower, ranks, start_of(game))
            if bounds_of(forged)[0] > Fraction(1, 2):
                with pytest.raises(NotShown):
                    forged.require_valid_for_game(game, Context())


def test_bounds_that_are_loose_do_not_move_a_digit() -> None:
    """Bounds that a step keeps, but 0.999e-9 below the truth, made 0.499999999 of 1/2, and refuted it."""
    game, good, question = coin(), bounds(coin()), Question("q", "luck", WIN.of)
    loose = Fraction(1, 2) - Fraction(999, 10**12)
    values, count = (Fraction(0), Fraction(1, 2), loose, Fraction(1)), len(good.vector.lower)
    shown = 0
    for lower, upper in product(product(range(4), repeat=count), repeat=2):
        forged = moved(restate(good, values=values, lower=lower, upper=upper), start_of(game))
        if lower[start_of(game)] in (1, 2) and upper[start_of(game)] == 1:
            with suppress(NotShown):
                theorem = check_certificate_to_theorem(forged, game, Context())
                shown += 1
                assert decide_question_from_theorems(game, question, [theorem], Context()).value in (0.5, None)
    assert shown > 1


def test_the_other_seat_is_against_it() -> None:
    """Where the second seat may stop the first, the chance under best play is 0, and no file says more."""
    g = Game("gate", players=2)
    s = g.state
    g.flag("open")
    gate, walk = g.phase("gate", 1), g.phase("walk", 0)

    @g.action(gate, "open")
    def _open() -> None:
        s.open = 1
        goto(walk)

    @g.action(gate, "wait")
    def wait() -> None:
        goto(gate)

    @g.action(walk, "walk")
    def _walk() -> None:
        win("there", winner=0)

    game = g.seal()
    good = bounds(game)
    good.require_valid_for_game(game, Context())
    assert bounds_of(good) == (0, 0)
    values = (Fraction(0), Fraction(1))
    count = len(good.vector.upper)
    for lower, ranks in product(product(range(2), repeat=count), product(range(count), repeat=count)):
        forged = chance_in_file(WIN, "mean", 0, values, (1,) * count, lower, ranks, start_of(game))
        if lower[start_of(game)]:
            with pytest.raises(NotShown):
                forged.require_valid_for_game(game, Context())


# -- numbers beyond 64 bits -----------------------------------------------------------------------------------------


def large(value: int, low: int = 0) -> Game:
    """`x` is the value after the first step."""
    g = Game("large")
    s = g.state
    g.integer("x", min(low, value), max(low, value), low)
    road = g.phase("road", 0)

    @g.action(road, "go")
    def go() -> None:
        require(s.x == low, "L1", "once")
        s.x = value

    @g.action(road, "stop")
    def stop() -> None:
        win("there")

    return g.seal()


LARGE = [2**31, 2**32, 2**62, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**40, -(2**63), -(2**63) - 1, -(2**64), -(10**40)]


@pytest.mark.parametrize("value", LARGE)
def test_numbers_of_any_size_are_explored_as_python_has_them(value: int) -> None:
    """From 2**63 on they wrapped round, so that `x == 2**63` was shown to be unreachable; from 2**64 on it was an
    OverflowError."""
    game, there = large(value), Event({"holds": f"x == {value}"})
    exploration(Property(BOUNDS), 4).require_valid_for_game(game, Context())
    assert {cells[2] for cells in enumerate_game_states_cached(game, 4, Context()).cells.tolist()} == {0, value}
    with pytest.raises(NotShown, match="met in state"):
        exploration(there, 4).require_valid_for_game(game, Context())
    exploration(Event({"holds": f"x == {value} + 1"}, None), 4).require_valid_for_game(game, Context())
    exploration(Event({"holds": f"x * x * 3 == {3 * value * value + 1}"}), 4).require_valid_for_game(game, Context())
    with pytest.raises(NotShown, match="met in state"):
        exploration(Event({"holds": f"x * x * 3 == {3 * value * value}"}), 4).require_valid_for_game(game, Context())
    far = Event({"holds": f"x == {value}"})
    found, start = places_of(game, far.build_condition_and_actions(game, Context()).condition, "best", 0, Context(), 4)
    chance = solved_chance(compute_best_play_bounds(found), far, "best", 0, start)
    chance.require_valid_for_game(game, Context())
    assert bounds_of(chance) == (1, 1)


HUGE = """\
from playproof.language import Game, require, win


def build(options):
    most = 2 ** options.number("size", range(60, 80), 63)
    g = Game("huge")
    s = g.state
    g.integer("x", 0, most)
    road = g.phase("road", 0)

    @g.action(road, "go")
    def go():
        require(s.x == 0, "L1", "once")
        s.x = most

    @g.action(road, "stop")
    def stop():
        win("there")

    return g
"""


def test_games_of_large_numbers_are_answered_without_a_traceback(tmp_path: Path) -> None:
    """From 2**63 on, every claim ended in an OverflowError of the search, which packs states into words of 64 bits."""
    folder = tmp_path / "huge"
    folder.mkdir()
    (folder / "rules.py").write_text(HUGE, encoding="utf-8")
    asked = [
        Question("reach", "reach", {"holds": "x > 5"}),
        Question("never", "never", {"holds": "x == 4"}),
        Question("most", "maximum", {"number": "x"}),
        Question("bounds", "always", "bounds"),
        Question("luck", "luck", {"holds": "x == 4"}, chance="mean"),
    ]
    for size, never, true in ((62, True, 0.0), (64, None, None)):
        claims = [replace(q, values={"size": size}) for q in asked]
        found = prove(str(folder), claims=claims, work=3, machine=False, games=20)
        assert {a.id: a.value for a in found} == {
            "reach": True,
            "never": never,
            "most": 2**size,
            "bounds": True,
            "luck": true,
        }
    assert any("64 bits" in a.reason for a in found)


@pytest.mark.parametrize(("most", "states"), [(-(10**59), 1), (-1, 1), (0, 3), (2, 3), (3, 4), (10**59, 4)])
def test_a_limit_of_any_size_is_a_limit(most: int, states: int) -> None:
    """`most` comes from the file, and was compared in 64 bits. States beyond it count, and are not followed."""
    game = large(3)
    made = exploration(Event({"holds": "x == 2"}), states, "x", most)
    if most >= 2:
        made.require_valid_for_game(game, Context())
    else:  # beyond, the condition itself has to exclude it
        with pytest.raises(NotShown, match="may be met where"):
            made.require_valid_for_game(game, Context())
    with pytest.raises(NotShown):
        exploration(Event({"holds": "x == 3"}), states, "x", most).require_valid_for_game(game, Context())


# -- the head of an action, and branches not taken -------------------------------------------------------------------


def road(declare: Callable[[Any, Any, Any], None], actor: int = 0, **fields: tuple[int, int, int]) -> Game:
    """A game of one phase, with fields of these bounds and starts, that ends where `stop` is taken."""
    g = Game("road")
    for name, (lo, hi, start) in fields.items():
        g.integer(name, lo, hi, start)
    g.array("row", 3, 0, 9)
    phase = g.phase("road", actor)
    declare(g, g.state, phase)

    @g.action(phase, "stop")
    def stop() -> None:
        win("there")

    return g.seal()


def kept_before(g: Any, s: Any, phase: Any) -> None:
    @g.action(phase, "go")
    def go() -> None:
        held = variable(s.x, 0, 3, "held")
        require(s.y == 5, "H1", "never")
        s.y = held


def kept_behind(g: Any, s: Any, phase: Any) -> None:
    @g.action(phase, "go")
    def go() -> None:
        require(s.y == 5, "H1", "never")
        held = variable(s.x, 0, 3, "held")
        s.y = held


def kept_in_a_branch(g: Any, s: Any, phase: Any) -> None:
    @g.action(phase, "go")
    def go() -> None:
        with when(s.x < 3):
            held = variable(s.x, 0, 2, "held")
            s.y = s.row[held]
        with otherwise():
            s.x = 0

    @g.action(phase, "set {n}", n=10)
    def put_numbers_in(n: Term) -> None:
        require(s.x == 0, "H2", "once")
        s.x = n


def kept_and_weighed(g: Any, s: Any, phase: Any) -> None:
    @g.action(phase, "go")
    def go() -> None:
        held = variable(s.x, 0, 3, "held")
        weight(s.y)
        s.y = held


def required_in_a_loop(g: Any, s: Any, phase: Any) -> None:
    @g.action(phase, "go")
    def go() -> None:
        for _ in each(3):
            require(s.x == 5, "H3", "once")
            s.x += 1


def kept_behind_an_effect(g: Any, s: Any, phase: Any) -> None:
    @g.action(phase, "go")
    def go() -> None:
        with when(s.y == 0):
            require(s.x <= 5, "H4", "once")
            s.x += 1
        held = variable(s.x, 6, 9, "held")
        s.y = held


def kept_twice(g: Any, s: Any, phase: Any) -> None:
    @g.action(phase, "go")
    def go() -> None:
        first = variable(s.x, 0, 9, "first")
        with when(s.x == 5):
            let(first, 0)
        second = variable(first, 0, 3, "second")
        require(s.x == 5, "H5", "once")
        weight(second + 1)
        s.x = second


HEADS: list[tuple[Callable[[Any, Any, Any], None], int, int, bool]] = [
    (kept_before, 0, 0, True),
    (kept_behind, 0, 0, False),
    (kept_in_a_branch, 0, 0, False),
    (kept_and_weighed, CHANCE, 0, True),
    (kept_and_weighed, CHANCE, 1, True),
    (required_in_a_loop, 0, 0, False),
    (kept_behind_an_effect, 0, 0, True),
]


@pytest.mark.parametrize(("declare", "actor", "y", "broken"), HEADS, ids=[f"{h[0].__name__}-{h[2]}" for h in HEADS])
def test_both_readings_find_the_same_faults_and_states(
    declare: Callable[[Any, Any, Any], None], actor: int, y: int, broken: bool
) -> None:
    """A value kept out of bounds before a requirement was no fault in columns; a requirement in a loop was asked behind
    the effects of the loop's first round, in columns and in formulas; a weight of 0 hid a fault in formulas."""
    game = road(declare, actor, x=(0, 9, 5), y=(0, 9, y))
    if broken:
        for few in (True, False):
            with pytest.raises((NotShown, BoundsError), match=r"bounds|holds"):
                enumerate_states_from_start(game, few, 1000, None, 0)
        with pytest.raises(NotShown):
            InvariantCertificate(Property(BOUNDS), (Lemma((f"y == {y}", "x == 5"), True, ()),)).require_valid_for_game(
                game, Context()
            )
        TranscriptCertificate(Property(BOUNDS), (), ()).require_valid_for_game(game, Context())
    else:
        one, other = (enumerate_states_from_start(game, few, 1000, None, 0) for few in (True, False))
        assert {tuple(c) for c in one.cells.tolist()} == {tuple(c) for c in other.cells.tolist()}
        with pytest.raises(NotShown, match="does not show"):
            TranscriptCertificate(Property(BOUNDS), (), ()).require_valid_for_game(game, Context())
    with pytest.raises(NotShown):
        exploration(Property(BOUNDS), 900_000).require_valid_for_game(game, Context())


def test_what_is_reached_through_a_loop_of_requirements_is_not_excluded() -> None:
    game = road(required_in_a_loop, x=(0, 9, 5), y=(0, 0, 0))
    event = Event({"holds": "x == 8"})
    TranscriptCertificate(event, (0,), ("go",)).require_valid_for_game(game, Context())
    for forged in (
        InvariantCertificate(event, (Lemma(("x == 5",), True, ()),)),
        exploration(event, 4),
        exploration(event, MANY),
    ):
        with pytest.raises(NotShown):
            forged.require_valid_for_game(game, Context())


@pytest.mark.parametrize("states", [0, 1, 3, 5, 100, MANY, 900_000, 2_000_000, 10**50, -1])
def test_the_size_of_the_game_decides_who_reads_it(states: int) -> None:
    """A file chose columns, or compiled code, by saying that a tiny game has many states."""
    game = large(3)
    good = exploration(Event({"holds": "x == 2"}), 4)
    good.require_valid_for_game(game, Context())
    assert good.describe_what_must_be_trusted() == "the interpreter"
    with pytest.raises(NotShown, match=r"states"):
        restate(good, states=states).require_valid_for_game(game, Context())


def test_only_an_event_is_limited_by_a_number() -> None:
    game = large(3)
    for forged in (
        exploration(Property(BOUNDS), 4, "x", 1),
        exploration(LengthLimit(5), 4, "x", 1),
        exploration(Event({"holds": "x == 2"}), 4, "", 1),
    ):
        with pytest.raises(NotShown, match="limited"):
            forged.require_valid_for_game(game, Context())


# -- both readings, over random games with planted faults -------------------------------------------------------------


def asked_alone(play: Interpreter, game: Game, state: list[int], ident: int) -> list[int] | str:
    """The state behind an action, "illegal", or "breaks" if asking or acting does."""
    try:
        return "illegal" if play.why_not(state, ident) else play.apply(state, ident)
    except RulesError:
        return "breaks"


def in_formulas(reading: Reading, state: list[int], ident: int) -> list[int] | str:
    """The same of the reading in formulas, which folds plain numbers."""
    game, action = reading.game, reading.game.get_action_of_ground_action_number(ident)
    step = reading.build_symbolic_step(action, state, action.get_values_of_ground_action(ident))
    if any(f.when is True for f in step.faults):
        return "breaks"
    if step.legal is False:
        return "illegal"
    cells = list(step.after)
    while not cells[1] and game.phases[cells[0]].automatic:
        step = reading.build_symbolic_step(game.phases[cells[0]], cells, ())
        if step.sound is not True:
            return "breaks"
        cells = list(step.after)
    return cells


class Tiny:
    """Writes a random game of a few dozen states, with requirements, kept values, weights and effects in branches and
    loops; now and then a value leaves its bounds, also in a head, in a branch and in an index."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.g = Game(f"tiny {seed}", players=1)
        self.s = self.g.state
        self.g.integer("x", 0, 3, 1)
        self.g.integer("y", -2, 2, 0)
        self.g.array("row", 3, 0, 2)
        self.seats = [self.g.phase("play", 0), self.g.phase("fall", CHANCE)]
        self.tidy = self.g.automatic("tidy")
        for phase in (0, 0, 1, 1):
            number = len(self.g.actions)
            run = self.fall if phase else self.play
            self.g.add_action(self.seats[phase], run, "do {n}", name=f"a{number}", n=3)

        @self.g.on(self.tidy)
        def _tidy() -> None:
            self.effects([], 1)
            goto(self.seats[self.r.randrange(2)])

    def play(self, n: Term) -> None:
        self.effects(self.head([n]), 2)
        self.finish()

    def fall(self, n: Term) -> None:
        names = self.head([n])
        require(self.truth(names), "T4", "refused")
        weight(self.number(names))
        self.effects(names, 2)
        self.finish()

    def finish(self) -> None:
        with when(self.truth([])):
            goto(self.tidy)
        with otherwise(self.truth([])):
            win("over")
        with otherwise():
            goto(self.seats[self.r.randrange(2)])

    def head(self, names: list[Term]) -> list[Term]:
        """Requirements and kept values, in any order."""
        r = self.r
        for _ in range(r.randint(1, 3)):
            match r.randrange(4):
                case 0:
                    require(self.truth(names), "T1", "refused")
                case 1:
                    names = [*names, self.held(names)]
                case 2:
                    with when(self.truth(names)):
                        held = self.held(names)
                        require(self.truth([*names, held]), "T2", "refused")
                case _:
                    for i in each(2):
                        require(self.truth([*names, i]), "T3", "refused")
                        if r.random() < 0.3:
                            self.s.x = self.fitting(0, 3, [*names, i])
                    if self.g.tracer._effects_begun:
                        break
        return names

    def held(self, names: list[Term]) -> Term:
        held = variable(self.fitting(0, 2, names), 0, 2, "held")
        if self.r.random() < 0.3 and not self.g.tracer._effects_begun:
            with when(self.truth(names)):
                let(held, self.fitting(0, 2, [*names, held]))
        return held

    def effects(self, names: list[Term], deep: int) -> None:
        for _ in range(self.r.randint(1, 2)):
            if deep and self.r.random() < 0.5:
                with when(self.truth(names)):
                    self.effects([*names, self.held(names)], deep - 1)
            else:
                match self.r.randrange(3):
                    case 0:
                        self.s.x = self.fitting(0, 3, names)
                    case 1:
                        self.s.y = self.fitting(-2, 2, names)
                    case _:
                        self.s.row[self.index(names)] = self.fitting(0, 2, names)

    def fitting(self, lo: int, hi: int, names: list[Term]) -> Term:
        """A number that mostly lies in lo..hi."""
        value = self.number(names)
        leave = self.r.random() < 0.12 and value.lo <= hi and value.hi >= lo
        return value if leave else clamp(value, lo, hi)

    def number(self, names: list[Term]) -> Term:
        s, r = self.s, self.r
        one: Sequence[Callable[[], Term]] = [
            lambda: s.x + 0,
            lambda: s.y + 0,
            lambda: s.row[self.index(names)] + 0,
            lambda: r.choice(names or [s.x]) + 0 * s.y,
        ]
        a, b = r.choice(one)(), r.choice(one)()
        return r.choice([a, a + b, a - b, a * b, (a - 2) // 2, (a - b) % 3, a + 1, pick(b > 0, a, 1 + 0 * a)])

    def index(self, names: list[Term]) -> Term:
        return self.r.choice([n for n in names if n.lo >= 0 and n.hi <= 2] or [clamp(self.s.x, 0, 2)])

    def truth(self, names: list[Term]) -> Term:
        a, b = self.number(names), self.number(names)
        return self.r.choice([a < 2, a <= b, a != b, (a > 0) | (b > 0), ~(a == 1), a >= b]) & (self.s.y > -9 - a * 0)


def any_state(game: Game, r: random.Random) -> list[int]:
    """A state with every cell somewhere within its bounds, in which somebody acts."""
    state = [r.randint(f.lo, f.hi) for f in game.fields for _ in range(f.size)]
    state[0], state[1] = r.choice([p.number for p in game.phases if not p.automatic]), 0
    return state


def random_games() -> Iterator[tuple[int, Game]]:
    """Random games, with the seed of each; some are refused while they are traced."""
    for seed in (*SEEDS, *(1_000 + seed for seed in SEEDS)):
        with suppress(RulesError):
            yield seed, Tiny(seed).g.seal()
    yield from ((seed, random_game(seed)) for seed in SEEDS[::4])


def test_three_readings_agree_on_every_state_and_every_fault() -> None:
    """Asked of one action in one state, which play need not reach; faults of asking included."""
    met: set[str] = set()
    for seed, game in random_games():
        play, columns, reading, r = (Interpreter(game), ColumnReading(game), Reading(game), random.Random(seed))
        for state in [any_state(game, r) for _ in range(6)]:
            for ident in range(game.ground):
                wanted = asked_alone(play, game, state, ident)
                assert in_columns(columns, state, ident) == wanted, (seed, state, game.show(ident))
                assert in_formulas(reading, state, ident) == wanted, (seed, state, game.show(ident))
                met.add(wanted if isinstance(wanted, str) else "after")
    assert met == {"illegal", "breaks", "after"}


def test_open_formulas_say_the_same_of_each_state() -> None:
    """With the numbers of a state put in: the same faults, and where there are none, the same guards and cells."""
    for seed, game in islice(random_games(), 8):
        reading, r = Reading(game), random.Random(seed)
        cells = reading.make_symbolic_state()
        for what in reading.iter_actions_and_automatic_phases():
            params = reading.make_symbolic_parameters(what)
            step, state = reading.build_symbolic_step(what, cells, params), any_state(game, r)
            state[0] = state[0] if isinstance(what, Action) else what.number
            given = (
                what.get_values_of_ground_action(r.randrange(what.first, what.first + what.count))
                if isinstance(what, Action)
                else ()
            )
            put_in = match_variables([*cells, *params], [*state, *given])
            plain = reading.build_symbolic_step(what, state, given)
            broken = disjoin_formulas(f.when for f in plain.faults)
            assert put_numbers_in(disjoin_formulas(f.when for f in step.faults), put_in) is broken, (
                seed,
                what.name,
                state,
            )
            if not broken:
                assert put_numbers_in(step.legal, put_in) is plain.legal
                assert not plain.legal or [put_numbers_in(cell, put_in) for cell in step.after] == plain.after


def went_through(game: Game, few: bool) -> set[tuple[object, ...]] | str:
    """The moves of a game with their weights, or "breaks"."""
    try:
        graph = enumerate_states_from_start(game, few, 2_000, None, 0)
    except (NotShown, BoundsError) as error:
        return "too many" if "2,000 states" in str(error) else "breaks"
    cells, weights = (
        [tuple(row) for row in graph.cells.tolist()],
        graph.compute_chance_weight_of_each_edge(game).tolist(),
    )
    moves = {(cells[a], ident, cells[b], w) for (a, ident, b), w in zip(graph.edges.tolist(), weights, strict=True)}
    return moves | {(cell,) for cell in cells}


def test_whole_games_are_the_same_in_both_readings() -> None:
    """Every state, move and weight; and where one reading breaks, the other does."""
    met = set()
    for seed, game in random_games():
        if "grid" in game.handles:  # too many states
            continue
        one, other = went_through(game, True), went_through(game, False)
        assert one == other != "too many", seed
        met.add("breaks" if one == "breaks" else "large" if len(one) > 20 else "small")
    assert met == {"breaks", "small", "large"}


def test_a_weight_keeps_what_was_first_given() -> None:
    """What is kept for a weight may leave its bounds where what is kept for a requirement does not."""
    game = road(kept_twice, CHANCE, x=(0, 9, 5), y=(0, 0, 0))
    for few in (True, False):
        with pytest.raises((NotShown, BoundsError), match=r"bounds|holds"):
            enumerate_states_from_start(game, few, 100, None, 0)
    with pytest.raises(NotShown):
        InvariantCertificate(Property(BOUNDS), (Lemma(("x == 5",), True, ()),)).require_valid_for_game(game, Context())


def test_a_split_by_more_values_than_can_be_asked_is_refused() -> None:
    game = large(2**70)
    for integers in (True, False):
        layer = Lemma((f"x == 0 or x == {2**70}",), integers, (Split("", integers, ("cell 2",)),))
        with pytest.raises(NotShown, match="too many values"):
            InvariantCertificate(Event({"holds": "x == 1"}), (layer,)).require_valid_for_game(game, Context())
        InvariantCertificate(Event({"holds": "x == 1"}), (replace(layer, splits=()),)).require_valid_for_game(
            game, Context()
        )


# -- phases that end late ---------------------------------------------------------------------------------------------


def late(most: int, loop: bool) -> Game:
    """After `go`, an automatic phase counts to `most`, or to 3 and back again for ever."""
    g = Game("late")
    s = g.state
    g.integer("count", 0, most)
    play, run = g.phase("play", 0), g.automatic("run")

    @g.on(run)
    def _run() -> None:
        with when(s.count < (3 if loop else most)):
            s.count += 1
        with otherwise():
            s.count = 0
            if not loop:
                goto(play)

    @g.action(play, "go")
    def go() -> None:
        goto(run)

    @g.action(play, "stop")
    def stop() -> None:
        win("there")

    return g.seal()


GO = ((0,), ("go",))


def test_a_limit_of_players_refutes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Phases that end after the limit were "for ever" to a line of play, and finite to an invariant."""
    monkeypatch.setattr("playproof.language.interpreter.ENDLESS", 50)
    slow, forever, quick = late(60, False), late(60, True), late(40, False)
    ends = InvariantCertificate(Property(PHASES_END), numbers=("phase", "-count"))
    ends.require_valid_for_game(slow, Context())
    ends.require_valid_for_game(quick, Context())
    with pytest.raises(NotShown, match="may leave the rank"):
        ends.require_valid_for_game(forever, Context())
    TranscriptCertificate(Property(PHASES_END), *GO).require_valid_for_game(forever, Context())
    with pytest.raises(NotShown, match="does not show"):
        TranscriptCertificate(Property(PHASES_END), *GO).require_valid_for_game(slow, Context())
    with pytest.raises(NotShown, match="rules break"):
        TranscriptCertificate(Property(BOUNDS), *GO).require_valid_for_game(slow, Context())
    for name in (BOUNDS, NO_DEAD_END, PHASES_END):
        with pytest.raises(NotShown):
            TranscriptCertificate(Property(name), *GO).require_valid_for_game(quick, Context())
        with pytest.raises(NotShown, match="rules break"):
            exploration(Property(name), 2).require_valid_for_game(slow, Context())
    line = {"line": ["go"]}
    WorkedExampleCertificate(line, True).require_valid_for_game(quick, Context())
    WorkedExampleCertificate(line, False).require_valid_for_game(forever, Context())
    for played in (True, False):
        with pytest.raises(NotShown, match="rules break"):
            WorkedExampleCertificate(line, played).require_valid_for_game(slow, Context())


def test_the_players_limit_is_named_as_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playproof.language.interpreter.ENDLESS", 50)
    play = Interpreter(late(5, True))
    with pytest.raises(RulesError, match="more than 100,000 automatic phases") as error:
        play.apply(play.start(), 0)
    assert error.value.code == "PP330"


LATE = """\
from playproof.language import Game, goto, otherwise, when, win


def build(options):
    loop = options.choice("loop", ("no", "yes")) == "yes"
    g = Game("late")
    s = g.state
    g.integer("count", 0, 60)
    play, run = g.phase("play", 0), g.automatic("run")

    @g.on(run)
    def _run():
        with when(s.count < (3 if loop else 60)):
            s.count += 1
        with otherwise():
            s.count = 0
            if not loop:
                goto(play)

    @g.action(play, "go")
    def go():
        goto(run)

    @g.action(play, "stop")
    def stop():
        win("there")

    return g
"""


def test_what_reaches_the_limit_is_proved_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for reading in ("interpreter", "compiled"):
        monkeypatch.setattr(f"playproof.language.{reading}.ENDLESS", 50)
    folder = tmp_path / "late"
    folder.mkdir()
    (folder / "rules.py").write_text(LATE, encoding="utf-8")
    asked = [
        Question("ends", "always", "automatic phases end"),
        Question("bounds", "always", "bounds"),
        Question("played", "example", {"line": ["go"]}),
    ]
    for loop, values in (("no", [True, True, None]), ("yes", [False, False, False])):
        claims = [replace(q, values={"loop": loop}) for q in asked]
        found = {a.id: a for a in prove(str(folder), claims=claims, work=20, machine=False, games=20)}
        assert [found[q.id].value for q in asked] == values, loop
    assert "PP330" in found["ends"].bound["breaks"]


# -- theorems ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Hearsay(Certificate):
    """A certificate whose check accepts anything."""

    kind: ClassVar[str] = ""

    def build_proved_statement(self) -> Statement:
        return Statement(WIN, False)

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        pass


def test_a_theorem_is_made_by_a_check_alone() -> None:
    game = large(3)
    good = exploration(Event({"holds": "x == 2"}), 4)
    theorem = check_certificate_to_theorem(good, game, Context())
    assert (theorem, format_statement_sentence(theorem)) == (
        Theorem(good, game, Context()),
        format_statement_sentence(good.build_proved_statement()),
    )
    makers: Sequence[Callable[[], object]] = [
        lambda: Theorem(WIN, False, Context()),
        lambda: Theorem(good.build_proved_statement(), game, Context()),  # type: ignore[arg-type]
        lambda: Theorem(about=WIN, so=False),
        lambda: replace(theorem, so=True),  # type: ignore[call-arg]
        lambda: copy.copy(theorem),
        lambda: copy.deepcopy(theorem),
        lambda: pickle.dumps(theorem),
        lambda: type("Other", (Theorem,), {}),
        lambda: setattr(theorem, "so", True),
        lambda: setattr(theorem, "about", WIN),
        lambda: delattr(theorem, "so"),
    ]
    for make in makers:
        with pytest.raises((TypeError, AttributeError, NotShown)):
            make()
    assert theorem == Theorem(good, game, Context())
    with pytest.raises(NotShown, match="no kind"):
        Theorem(Hearsay(), game, Context())
    with pytest.raises(NotShown, match="states"):
        Theorem(restate(good, states=5), game, Context())


def test_no_claim_is_answered_from_what_is_no_theorem_of_its_game() -> None:
    game, other = large(3), large(4)
    question = Question("q", "never", {"holds": "x == 4"})
    good = exploration(Event({"holds": "x == 4"}), 4)
    context = Context()
    theorem = check_certificate_to_theorem(good, game, context)
    assert decide_question_from_theorems(game, question, [theorem], context).value is True
    for said in (good.build_proved_statement(), Statement(Event({"holds": "x == 4"}), False)):
        with pytest.raises(TypeError, match="theorems"):
            decide_question_from_theorems(game, question, [said], context)  # type: ignore[list-item]
    with pytest.raises(TypeError, match="of this game"):
        decide_question_from_theorems(other, question, [theorem], context)
    assert (
        decide_question_from_theorems(large(3), question, [theorem], context).value is True
    )  # the same game, built anew
    bare = replace(
        decide_question_from_theorems(game, question, [theorem], context), used=(Statement(WIN, False, (BOUNDS,)),)
    )
    assert bare.list_assumed_but_unproved_properties([Statement(Property(BOUNDS))]) == (BOUNDS,)  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("certificate", "question", "heeded"),
    [
        (exploration(LawObeyed(STAYS), 4), Question("q", "step", STAYS), {"within": "x < 2"}),
        (exploration(Property(BOUNDS), 4), Question("q", "always", "bounds"), {"within": "x < 2"}),
        (exploration(LengthLimit(2), 4), Question("q", "always", {"ends": 2}), {"within": "x < 2"}),
        (exploration(LengthLimit(2), 4), Question("q", "always", "ends"), {"within": "x < 2"}),
        (
            exploration(LengthLimit(2), 4),
            Question("q", "always", {"ends": 2}),
            {"of": {"ends": 2, "rounds": 1}},
        ),
        (
            exploration(Property(BOUNDS), 4),
            Question("q", "always", {"invariant": "bounds"}),
            {"of": {"invariant": "bounds", "on": "x"}},
        ),
        (exploration(AT_4, 4), Question("q", "never", AT_4.of), {"chance": "best"}),
        (exploration(AT_4, 4), Question("q", "never", AT_4.of), {"seeing": "all"}),
        (
            state_distance(Event({"holds": "x == 3"}), False, 4, 1),
            Question("q", "distance", {"nearest": {"holds": "x == 3"}}),
            {"of": {"nearset": {"holds": "x == 3"}}},
        ),
    ],
)
def test_no_answer_passes_a_word_of_the_claim_over(
    certificate: Certificate, question: Question, heeded: dict[str, Any]
) -> None:
    """Claims are refused with words that say nothing; if that fails, the kernel still answers no other claim."""
    game, context = large(3), Context()
    theorem = check_certificate_to_theorem(certificate, game, context)
    assert decide_question_from_theorems(game, question, [theorem], context).known
    assert not decide_question_from_theorems(game, replace(question, **heeded), [theorem], context).known


def test_what_was_checked_once_is_told_by_all_of_it() -> None:
    """The certificates that are not checked again are known by all their data."""
    game, context = coin(), Context()
    good = bounds(game)
    Theorem(good, game, context)
    count = len(context.settled)
    Theorem(good, game, context)
    assert len(context.settled) == count > 0
    with pytest.raises(NotShown):
        Theorem(restate(good, values=tuple(v / 2 for v in good.vector.values)), game, context)
    assert len(context.settled) == count


def test_what_was_settled_of_one_game_is_not_taken_for_another() -> None:
    """One context, and certificates that hold of the first game alone."""
    context, event = Context(), Event({"holds": "x == 4"})
    layered = InvariantCertificate(event, (Lemma(("x != 4",), True, ()),))
    for good in (exploration(event, 4), InvariantCertificate(event), layered):
        check_certificate_to_theorem(good, large(3), context)
        with pytest.raises(NotShown):
            check_certificate_to_theorem(good, large(4), context)
