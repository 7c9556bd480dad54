"""What is written must fit: a field, a variable, a procedure's argument. All readings say so of the same states."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from playproof.language import (
    BoundsError,
    Game,
    Interpreter,
    Local,
    RulesError,
    each,
    let,
    otherwise,
    require,
    variable,
    when,
    win,
)
from playproof.language.compiled import Compiled
from playproof.language.explorer import evaluate_term_in_many_states
from playproof.language.expr import Op
from playproof.language.statements import iter_term_and_subterms
from tests.language.folded import Folded

Rule = Callable[[Game], None]


def one_rule(rule: Rule, start: int = 0) -> Game:
    """A game with a number `food` in 0..8 and a number `gold` in 0..3; its one action is `rule`."""
    g = Game("tiny")
    g.integer("food", 0, 8, start)
    g.integer("gold", 0, 3)
    play = g.phase("play")
    g.add_action(play, lambda: rule(g), "act", name="act")
    g.add_action(play, lambda: win("done"), "stop", name="stop")
    return g.seal()


def doubled(g: Game) -> None:
    v = variable(g.state.food, 0, 8, "sum")
    for _ in each(2):
        let(v, v + g.state.food)
    g.state.gold = v % 4


def judged(g: Game) -> None:
    require(g.state.food > 1, "B1", "some food")
    v = variable(g.state.food, 0, 5, "held")
    require(v != 3, "B2", "not three")
    g.state.gold = 1


def branched(g: Game) -> None:
    v = variable(0, 0, 3, "branch")
    with when(g.state.food > 2):
        let(v, g.state.food)
    g.state.gold = v


def assigned(g: Game) -> None:
    g.state.gold = g.state.food


def outcome(rule: Rule, food: int) -> tuple[object, object, object]:
    """What interpreter, plain compiled source and symbolic reading make of the action: a state, "no" or a message."""
    game = one_rule(rule, food)
    play, plain, symbolic = Interpreter(game), Compiled(game, machine=False), Folded(game)
    found: list[object] = []
    try:
        start = play.start()
        found.append(play.apply(start, 0) if 0 in play.legal(start) else "no")
    except BoundsError as error:
        found.append(f"{error.message} at {error.place}")
    try:
        fast = plain.start()
        if 0 in plain.legal(fast):
            plain.apply(fast, 0)
            found.append(fast.tolist())
        else:
            found.append("no")
    except BoundsError as error:
        found.append(f"{error.message} at {error.place}")
    step = symbolic.whole(game.get_state_before_automatic_phases(), 0)
    faults = [f for f in step.faults if f.when is not False]
    found.append("no" if step.legal is False else step.after if not faults else str(faults[0].place))
    return found[0], found[1], found[2]


@pytest.mark.parametrize("rule", [doubled, judged, branched, assigned])
def test_every_reading_draws_the_line_at_the_same_states(rule: Rule) -> None:
    seen = set()
    for food in range(9):
        first, second, third = outcome(rule, food)
        assert first == second
        if isinstance(first, str) and " at " in first:
            assert str(third) in first
            assert __file__ in first
            seen.add("fault")
        else:
            assert third == first
            seen.add("step" if first != "no" else "no")
    assert seen == ({"fault", "step", "no"} if rule is judged else {"fault", "step"})


def test_the_error_says_what_held_what_and_where() -> None:
    game = one_rule(doubled, 4)
    with pytest.raises(BoundsError, match=r"PP310 `sum` holds 0\.\.8, the rule gives 12") as caught:
        Interpreter(game).apply(Interpreter(game).start(), 0)
    assert caught.value.place.file == __file__


def test_a_value_kept_behind_a_requirement_that_fails_need_not_fit() -> None:
    def rule(g: Game) -> None:
        require(g.state.food < 4, "B1", "little food")
        v = variable(g.state.food, 0, 3, "little")
        require(v > 0, "B2", "some food")

    game = one_rule(rule, 7)
    play = Interpreter(game)
    assert [b.rule for b in play.why_not(play.start(), 0)] == ["B1"]
    assert Folded(game).whole(play.start(), 0).legal is False


@pytest.mark.parametrize(
    "rule",
    [
        lambda g: variable(9, 0, 8, "v"),
        lambda g: let(variable(0, 0, 8, "v"), 9),
        lambda g: variable(g.state.food + 9, 0, 8, "v"),
    ],
)
def test_a_value_that_can_never_fit_is_refused_while_tracing(rule: Rule) -> None:
    with pytest.raises(RulesError, match="PP315"):
        one_rule(rule)


def with_procedure(arg: Callable[[Game], object], guard: bool = False) -> Game:
    """A game whose action calls a procedure that takes 0..3, under `when(food <= 3)` if `guard`."""
    g = Game("call")
    s = g.state
    g.integer("food", 0, 8)
    g.array("cell", 4)
    play = g.phase("play")

    @g.procedure(at=4)
    def mark(at: Local) -> None:
        s.cell[at] = 1

    def act() -> None:
        with when((s.food <= 3) if guard else True):
            mark(arg(g))
        with otherwise():
            s.cell[0] = 1

    g.add_action(play, act, "act", name="act")
    g.add_action(play, lambda: win("done"), "stop", name="stop")
    return g.seal()


def test_an_argument_of_a_procedure_must_fit_where_the_call_is_reached() -> None:
    for guard in (False, True):
        game = with_procedure(lambda g: g.state.food, guard)
        play, plain, symbolic = Interpreter(game), Compiled(game, machine=False), Folded(game)
        for food in range(9):
            state = play.start()
            state[game.get_field("food").offset] = food
            step = symbolic.whole(state, 0)
            fast = plain.start()
            fast[:] = state
            if food <= 3 or guard:
                after = play.apply(state, 0)
                plain.apply(fast, 0)
                assert (step.sound, step.after, fast.tolist()) == (True, after, after)
                continue
            with pytest.raises(BoundsError, match=r"`mark` takes at in 0\.\.3, the rule gives"):
                play.apply(state, 0)
            with pytest.raises(BoundsError, match=r"`mark` takes at in 0\.\.3, the rule gives"):
                plain.apply(fast, 0)
            assert step.sound is False


@pytest.mark.parametrize("arg", [4, -1])
def test_an_argument_that_can_never_fit_is_refused_while_tracing(arg: int) -> None:
    with pytest.raises(RulesError, match="PP315 `mark` takes at in"):
        with_procedure(lambda g: arg)


def test_an_argument_of_a_function_is_moved_into_its_range_in_every_reading() -> None:
    g = Game("function")
    s = g.state
    g.integer("food", 0, 8)
    g.array("cell", 4, 0, 9, [5, 6, 7, 9])
    play = g.phase("play")

    @g.function(at=range(1, 3))
    def worth(at: Local) -> object:
        return s.cell[at] * 10 + at

    g.quantity("worth", worth(s.food))
    g.add_action(play, lambda: win("done"), "stop", name="stop")
    with pytest.raises(RulesError, match="PP315 `worth` takes at in"):
        worth(3)
    with pytest.raises(RulesError, match=r"PP309 `worth` takes at in 1\.\.2; 2 argument"):
        worth(1, 2)
    game = g.seal()
    play_, food = Interpreter(game), game.get_field("food").offset
    symbolic = Folded(game, extra=[game.quantities["worth"]])
    for value in range(9):
        state = game.get_state_before_automatic_phases()
        state[food] = value
        wanted = 61 if value <= 1 else 72
        assert play_.quantity("worth", state) == wanted
        assert symbolic.build_term_value(game.quantities["worth"], state, {}) == wanted
    assert evaluate_term_in_many_states(
        game.quantities["worth"], np.array([game.get_state_before_automatic_phases()]).T
    ).tolist() == [61]


@pytest.mark.parametrize("by", [1, 2, 3, 5, 16, 17])
def test_a_remainder_of_products_is_the_same_by_remainders(by: int) -> None:
    g = Game("remainders")
    s = g.state
    g.integer("a", -9, 9)
    g.integer("b", -9, 9)
    cells = np.array([[0, 0, a, b] for a in range(-9, 10) for b in range(-9, 10)]).T
    a, b = cells[2], cells[3]
    for term, value in (
        (s.a * s.a % by, a * a % by),
        ((s.a * s.b - s.b * s.b + 4 * s.a) % by, (a * b - b * b + 4 * a) % by),
        (s.a * s.b * s.a % by, a * b * a % by),
    ):
        assert evaluate_term_in_many_states(term, cells).tolist() == value.tolist()


def test_the_remainder_of_a_square_asks_for_no_square() -> None:
    g = Game("remainders")
    g.integer("a", 0, 10**6)
    term = g.state.a * g.state.a % 7
    assert not any(isinstance(node, Op) and node.op == "*" for node in iter_term_and_subterms(term))
    assert (term.lo, term.hi) == (0, 6)
