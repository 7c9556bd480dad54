"""Evidence written by hand: for every kind of certificate, ways to say what is false, each of which was confirmed once or
is near to one that was. What is true of the same game is accepted, so that no test passes because nothing does."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pytest

from playproof.rules.language import (
    CHANCE,
    BoundsError,
    Game,
    Interpreter,
    RulesError,
    Term,
    each,
    goto,
    let,
    lose,
    otherwise,
    require,
    variable,
    weight,
    when,
    win,
)
from playproof.verifier.kernel import exploration
from playproof.verifier.kernel.certificate import CHECKED, Certificate, NotShown, Theorem
from playproof.verifier.kernel.chance import ChanceBounds, places
from playproof.verifier.kernel.columns import Columns
from playproof.verifier.kernel.deciding import decide
from playproof.verifier.kernel.evidence import shows
from playproof.verifier.kernel.examples import Example
from playproof.verifier.kernel.exploration import Exploration, explored, gone_through
from playproof.verifier.kernel.induction import Layer, Split
from playproof.verifier.kernel.invariant import Invariant
from playproof.verifier.kernel.reading import Reading
from playproof.verifier.kernel.statements import (
    BOUNDS,
    NO_DEAD_END,
    PHASES_END,
    Event,
    Length,
    Property,
    Statement,
    Worth,
)
from playproof.verifier.kernel.transcript import Transcript
from playproof.verifier.proof.best_play import solve
from playproof.verifier.proof.luck import certificate
from playproof.verifier.questions.claims import Question
from tests.language.symbolic_zoo import random_game, random_state

WIN = Event({"outcome": "win"})
MANY = 30_000


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


def bounds(game: Game, luck: str = "mean", seat: int = 0) -> ChanceBounds:
    """The true bounds on the chance to win."""
    found, start = places(game, WIN.target(game).condition, luck, seat)
    return certificate(solve(found), WIN, luck, seat, start)


# -- chances --------------------------------------------------------------------------------------------------------


def test_no_chance_below_the_truth_where_play_goes_on_for_ever() -> None:
    """-1 in the circle bounded itself, and drew the start down to 0: (-1 + 1) / 2."""
    game, good = coin(), bounds(coin())
    good.check(game)
    assert good.bounds == (Fraction(1, 2), Fraction(1, 2))
    found, _ = places(game, WIN.target(game).condition, "mean", 0)
    values = (Fraction(-1), Fraction(0), Fraction(1))
    for upper in product(range(3), repeat=len(found)):
        zero = (1,) * len(found)
        forged = ChanceBounds(WIN, "mean", 0, values, upper, zero, zero, good.start)
        with pytest.raises(NotShown):
            forged.check(game)
    true = ChanceBounds(WIN, "mean", 0, values[1:], (1,) * len(found), (0,) * len(found), (0,) * len(found), good.start)
    true.check(game)  # from 0 to 1 it lies in any case


@pytest.mark.parametrize("luck", ["mean", "best", "worst"])
@pytest.mark.parametrize("value", [Fraction(-1), Fraction(-1, 10**300), Fraction(10**300 + 1, 10**300), Fraction(2)])
def test_chances_lie_between_0_and_1(value: Fraction, luck: str) -> None:
    """Each is refused in any of the lists, in use or not."""
    game, good = coin(), bounds(coin(), luck)
    forged = [replace(good, values=(*good.values, value))]
    for name in ("upper", "lower"):
        numbers: tuple[int, ...] = getattr(good, name)
        forged += [replace(forged[0], **{name: (*numbers[:n], len(good.values), *numbers[n + 1:])})
                   for n in range(len(numbers))]
    for one in forged:
        with pytest.raises(NotShown, match="from 0 to 1"):
            one.check(game)


@pytest.mark.parametrize("change", [
    {"start": 0}, {"start": -1}, {"start": 1}, {"start": 10**30}, {"upper": ()}, {"upper": (0, 0)}, {"lower": (-1, 0, 0)},
    {"ranks": ()}, {"ranks": (1, 2)}, {"seat": 1}, {"seat": -1}, {"chance": "median"}, {"values": ()},
    {"event": Event({"outcome": "loss"})}, {"event": Event({"action": "walk on"})},
    {"upper": (0, 0, 0, 0), "lower": (0, 0, 0, 0), "ranks": (0, 0, 0, 0)}])
def test_other_numbers_of_a_chance_are_refused(change: dict[str, Any]) -> None:
    game, good = coin(), bounds(coin())
    if change.get("start") == good.start:
        change = {"start": good.start + 1}
    if change.get("event") == Event({"outcome": "loss"}):  # it cannot be lost, and 1/2 is claimed
        with pytest.raises(NotShown):
            replace(good, **change).check(game)
        return
    with pytest.raises((NotShown, Exception), match=r"."):
        replace(good, **change).check(game)


def test_a_rank_that_does_not_fall_carries_no_chance_in_a_circle() -> None:
    """Whatever the ranks, also huge and negative ones, nobody gets more than the truth out of the circle."""
    game, good = coin(), bounds(coin())
    values = (Fraction(0), Fraction(1, 2), Fraction(3, 4), Fraction(1))
    for lower in product(range(4), repeat=len(good.lower)):
        for ranks in ((0, 0, 0), (3, 2, 1), (1, 2, 3), (-10**50, 0, 10**50), (2, 1, 2)):
            forged = ChanceBounds(WIN, "mean", 0, values, (3,) * len(lower), lower, ranks, good.start)
            if forged.bounds[0] > Fraction(1, 2):
                with pytest.raises(NotShown):
                    forged.check(game)


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
    good.check(game)
    assert good.bounds == (0, 0)
    values = (Fraction(0), Fraction(1))
    count = len(good.upper)
    for lower, ranks in product(product(range(2), repeat=count), product(range(count), repeat=count)):
        forged = ChanceBounds(WIN, "mean", 0, values, (1,) * count, lower, ranks, good.start)
        if lower[good.start]:
            with pytest.raises(NotShown):
                forged.check(game)


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


LARGE = [2**31, 2**32, 2**62, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**40, -2**63, -2**63 - 1, -2**64, -10**40]


@pytest.mark.parametrize("value", LARGE)
def test_numbers_of_any_size_are_explored_as_python_has_them(value: int) -> None:
    """From 2**63 on they wrapped round, so that `x == 2**63` was shown to be unreachable; from 2**64 on it was an
    OverflowError."""
    game, there = large(value), Event({"holds": f"x == {value}"})
    Exploration(Property(BOUNDS), 4).check(game)
    assert {cells[2] for cells in explored(game, 4).cells.tolist()} == {0, value}
    with pytest.raises(NotShown, match="met in state"):
        Exploration(there, 4).check(game)
    Exploration(Event({"holds": f"x == {value} + 1"}, None), 4).check(game)
    Exploration(Event({"holds": f"x * x * 3 == {3 * value * value + 1}"}), 4).check(game)
    with pytest.raises(NotShown, match="met in state"):
        Exploration(Event({"holds": f"x * x * 3 == {3 * value * value}"}), 4).check(game)
    far = Event({"holds": f"x == {value}"})
    found, start = places(game, far.target(game).condition, "best", 0, 4)
    chance = certificate(solve(found), far, "best", 0, start)
    chance.check(game)
    assert chance.bounds == (1, 1)


@pytest.mark.parametrize(("most", "states"), [(-10**59, 1), (-1, 1), (0, 3), (2, 3), (3, 4), (10**59, 4)])
def test_a_limit_of_any_size_is_a_limit(most: int, states: int) -> None:
    """`most` comes from the file, and was compared in 64 bits. States beyond it count, and are not followed."""
    game = large(3)
    made = Exploration(Event({"holds": "x == 2"}), states, "x", most)
    if most >= 2:
        made.check(game)
    else:  # beyond, the condition itself has to exclude it
        with pytest.raises(NotShown, match="may be met where"):
            made.check(game)
    with pytest.raises(NotShown):
        Exploration(Event({"holds": "x == 3"}), states, "x", most).check(game)


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
    def put(n: Term) -> None:
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


HEADS: list[tuple[Callable[[Any, Any, Any], None], int, int, bool]] = [
    (kept_before, 0, 0, True), (kept_behind, 0, 0, False), (kept_in_a_branch, 0, 0, False),
    (kept_and_weighed, CHANCE, 0, True), (kept_and_weighed, CHANCE, 1, True), (required_in_a_loop, 0, 0, False),
    (kept_behind_an_effect, 0, 0, True)]


@pytest.mark.parametrize(("declare", "actor", "y", "broken"), HEADS, ids=[f"{h[0].__name__}-{h[2]}" for h in HEADS])
def test_both_readings_find_the_same_faults_and_states(declare: Callable[[Any, Any, Any], None], actor: int, y: int,
                                                        broken: bool) -> None:
    """A value kept out of bounds before a requirement was no fault in columns; a requirement in a loop was asked behind
    the effects of the loop's first round, in columns and in formulas; a weight of 0 hid a fault in formulas."""
    game = road(declare, actor, x=(0, 9, 5), y=(0, 9, y))
    if broken:
        for few in (True, False):
            with pytest.raises((NotShown, BoundsError), match=r"bounds|holds"):
                gone_through(game, few, 1000, None, 0)
        with pytest.raises(NotShown):
            Invariant(Property(BOUNDS), (Layer((f"y == {y}", "x == 5"), True, ()),)).check(game)
        Transcript(Property(BOUNDS), (), ()).check(game)
    else:
        one, other = (gone_through(game, few, 1000, None, 0) for few in (True, False))
        assert {tuple(c) for c in one.cells.tolist()} == {tuple(c) for c in other.cells.tolist()}
        with pytest.raises(NotShown, match="does not show"):
            Transcript(Property(BOUNDS), (), ()).check(game)
    with pytest.raises(NotShown):
        Exploration(Property(BOUNDS), 900_000).check(game)


def test_what_is_reached_through_a_loop_of_requirements_is_not_excluded() -> None:
    game = road(required_in_a_loop, x=(0, 9, 5), y=(0, 0, 0))
    event = Event({"holds": "x == 8"})
    Transcript(event, (0,), ("go",)).check(game)
    for forged in (Invariant(event, k=8), Invariant(event, (Layer(("x == 5",), True, ()),)), Exploration(event, 4),
                   Exploration(event, MANY)):
        with pytest.raises(NotShown):
            forged.check(game)


@pytest.mark.parametrize("states", [0, 1, 3, 5, 100, MANY, 900_000, 2_000_000, 10**50, -1])
def test_the_size_of_the_game_decides_who_reads_it(states: int) -> None:
    """A file chose columns, or compiled code, by saying that a tiny game has many states."""
    game = large(3)
    good = Exploration(Event({"holds": "x == 2"}), 4)
    good.check(game)
    assert good.leans_on() == "the interpreter"
    with pytest.raises(NotShown, match=r"states"):
        replace(good, states=states).check(game)


def test_only_an_event_is_limited_by_a_number() -> None:
    game = large(3)
    for forged in (Exploration(Property(BOUNDS), 4, "x", 1), Exploration(Length(5), 4, "x", 1),
                   Exploration(Event({"holds": "x == 2"}), 4, "", 1)):
        with pytest.raises(NotShown, match="limited by a number"):
            forged.check(game)


# -- both readings, over random games with planted faults -------------------------------------------------------------


def planted(seed: int) -> Game:
    """A random game in which values leave their bounds in places where no requirement keeps them."""
    return random_game(1_000 + seed)


def asked_alone(play: Interpreter, game: Game, state: list[int], ident: int) -> list[int] | str:
    """The state behind an action, "illegal", or "breaks" if asking or acting does."""
    try:
        return "illegal" if play.why_not(state, ident) else play.apply(state, ident)
    except RulesError:
        return "breaks"


def in_columns(columns: Columns, state: list[int], ident: int) -> list[int] | str:
    """The same of the reading in columns."""
    action, cells = columns.game.action_of(ident), np.array([state], dtype=np.int64)
    if state[1] or state[0] not in action.phases:
        return "illegal"
    try:
        if not len(columns.legal(action, ident, columns.columns(cells))):
            return "illegal"
        return [int(v) for v in columns.applied(action, ident, cells)[0]]
    except NotShown:
        return "breaks"


def in_formulas(reading: Reading, state: list[int], ident: int) -> list[int] | str:
    """The same of the reading in formulas, which folds plain numbers."""
    game, action = reading.game, reading.game.action_of(ident)
    step = reading.step(action, state, action.values(ident))
    if any(f.when is True for f in step.faults):
        return "breaks"
    if step.legal is False:
        return "illegal"
    cells = list(step.after)
    while not cells[1] and game.phases[cells[0]].automatic:
        step = reading.step(game.phases[cells[0]], cells, ())
        if step.sound is not True:
            return "breaks"
        cells = list(step.after)
    return cells


def test_three_readings_agree_on_every_state_and_every_fault() -> None:
    """Asked of one action at a time, faults in heads included, and then of whole games: what one reading explores, the
    other does, and where one breaks, the other breaks."""
    import random

    met: set[str] = set()
    for seed in range(60):
        game, r = planted(seed), random.Random(seed)
        play, columns, reading = Interpreter(game), Columns(game), Reading(game, True)
        for state in [random_state(game, r) for _ in range(6)]:
            for ident in range(game.ground):
                wanted = asked_alone(play, game, state, ident)
                assert in_columns(columns, state, ident) == wanted, (seed, state, game.show(ident))
                assert in_formulas(reading, state, ident) == wanted, (seed, state, game.show(ident))
                met.add(wanted if isinstance(wanted, str) else "after")
    assert met == {"illegal", "breaks", "after"}


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
    monkeypatch.setattr("playproof.rules.language.interpreter.ENDLESS", 50)
    slow, forever, quick = late(60, False), late(60, True), late(40, False)
    ends = Invariant(Property(PHASES_END), numbers=("phase", f"-count"))
    ends.check(slow)
    ends.check(quick)
    with pytest.raises(NotShown, match="may leave the rank"):
        ends.check(forever)
    Transcript(Property(PHASES_END), *GO).check(forever)
    with pytest.raises(NotShown, match="does not show"):
        Transcript(Property(PHASES_END), *GO).check(slow)
    with pytest.raises(NotShown, match="rules break"):
        Transcript(Property(BOUNDS), *GO).check(slow)
    for name in (BOUNDS, NO_DEAD_END, PHASES_END):
        with pytest.raises(NotShown):
            Transcript(Property(name), *GO).check(quick)
        with pytest.raises(NotShown, match="rules break"):
            Exploration(Property(name), 2).check(slow)
    line = {"line": ["go"]}
    Example(line, True).check(quick)
    Example(line, False).check(forever)
    for played in (True, False):
        with pytest.raises(NotShown, match="rules break"):
            Example(line, played).check(slow)


def test_the_players_limit_is_named_as_what_it_is() -> None:
    with pytest.raises(RulesError, match="more than 100,000 automatic phases") as error:
        play = Interpreter(late(5, True))
        play.apply(play.start(), 0)
    assert error.value.code == "PP330"


# -- theorems -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Hearsay(Certificate):
    """A certificate whose check accepts anything."""

    kind: ClassVar[str] = ""

    def statement(self) -> Statement:
        return Statement(WIN, False)

    def check(self, game: Game) -> None:
        pass


def test_a_theorem_is_made_by_a_check_alone() -> None:
    game = large(3)
    good = Exploration(Event({"holds": "x == 2"}), 4)
    theorem = shows(good, game)
    assert (theorem, theorem.words()) == (Theorem(good, game), good.statement().words())
    makers: Sequence[Callable[[], object]] = [
        lambda: Theorem(WIN, False), lambda: Theorem(good.statement(), game),  # type: ignore[arg-type]
        lambda: Theorem(about=WIN, so=False), lambda: replace(theorem, so=True),  # type: ignore[call-arg]
        lambda: copy.copy(theorem), lambda: copy.deepcopy(theorem), lambda: pickle.dumps(theorem),
        lambda: type("Other", (Theorem,), {}), lambda: setattr(theorem, "so", True),
        lambda: setattr(theorem, "about", WIN), lambda: delattr(theorem, "so")]
    for make in makers:
        with pytest.raises((TypeError, AttributeError, NotShown)):
            make()
    assert theorem == Theorem(good, game)
    with pytest.raises(NotShown, match="no kind"):
        Theorem(Hearsay(), game)
    with pytest.raises(NotShown, match="states"):
        Theorem(replace(good, states=5), game)


def test_no_claim_is_answered_from_what_is_no_theorem_of_its_game() -> None:
    game, other = large(3), large(4)
    question = Question("q", "never", {"holds": "x == 4"})
    good = Exploration(Event({"holds": "x == 4"}), 4)
    assert decide(game, question, [shows(good, game)]).value is True
    for said in (good.statement(), Statement(Event({"holds": "x == 4"}), False)):
        with pytest.raises(TypeError, match="theorems"):
            decide(game, question, [said])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="of this game"):
        decide(other, question, [shows(good, game)])
    assert decide(large(3), question, [shows(good, game)]).value is True  # the same game, built anew
    bare = replace(decide(game, question, [shows(good, game)]), used=(Statement(WIN, False, (BOUNDS,)),))
    assert bare.assumed([Statement(Property(BOUNDS))]) == (BOUNDS,)  # type: ignore[list-item]


def test_what_was_checked_once_is_told_by_all_of_it() -> None:
    """The certificates that are not checked again are known by all their data."""
    game = coin()
    good = bounds(game)
    Theorem(good, game)
    count = len(CHECKED[game])
    Theorem(good, game)
    assert len(CHECKED[game]) == count
    with pytest.raises(NotShown):
        Theorem(replace(good, values=tuple(v / 2 for v in good.values)), game)
    assert len(CHECKED[game]) == count
