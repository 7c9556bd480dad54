"""What the tracer refuses, and that refusals name the line of the rule."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable

import pytest

from playproof.language import (
    CHANCE,
    Game,
    Interpreter,
    RulesError,
    Term,
    cases,
    each,
    goto,
    keep,
    let,
    otherwise,
    pick,
    require,
    weight,
    when,
    win,
)
from playproof.language.expr import OPERATORS, require_coverage_of_all_operators


def one_rule(body: Callable[[Game], None]) -> Game:
    """A game with one action whose effects are `body`."""
    g = Game("tiny")
    g.integer("food", 0, 8)
    g.integer("gold", 0, 8)
    g.array("cell", 4, 0, 3)
    play = g.phase("play")

    @g.action(play)
    def act() -> None:
        body(g)
        win("done")

    return g.seal()


def refused(code: str, body: Callable[[Game], None]) -> RulesError:
    """The error, which must carry `code` and point into this file."""
    with pytest.raises(RulesError) as caught:
        one_rule(body)
    assert caught.value.code == code
    assert caught.value.place.file == __file__
    return caught.value


def test_python_if_on_the_state_says_what_to_write() -> None:
    def body(g: Game) -> None:
        if g.state.food > 1:
            g.state.gold = 1

    assert "with when" in refused("PP302", body).hint


def test_chained_comparison_is_refused() -> None:
    refused("PP302", lambda g: require(0 < g.state.food < 3, "R1", "some"))


def test_state_value_as_python_integer_is_refused() -> None:
    refused("PP303", lambda g: [0, 1][g.state.food])  # type: ignore[arg-type, return-value]  # the mistake itself


def test_stale_value_is_refused_and_keep_mends_it() -> None:
    def stale(g: Game) -> None:
        old = g.state.food + 1
        g.state.food = 0
        g.state.gold = old

    refused("PP313", stale)

    def mended(g: Game) -> None:
        old = keep(g.state.food + 1)
        g.state.food = 0
        g.state.gold = old

    one_rule(mended)


def test_value_from_before_a_loop_that_assigns_its_field_is_refused() -> None:
    def body(g: Game) -> None:
        old = g.state.food
        for i in each(4):
            g.state.cell[i] = pick(old > 3, 1, 0)
            g.state.food = 0

    refused("PP314", body)


def test_a_branch_may_use_what_the_other_branch_assigned() -> None:
    def body(g: Game) -> None:
        old = g.state.food
        with when(old > 2):
            g.state.food = 0
        with otherwise():
            g.state.gold = old

    one_rule(body)


def test_constant_outside_bounds_is_refused() -> None:
    def body(g: Game) -> None:
        g.state.food = 9

    refused("PP315", body)


def test_requirement_after_an_effect_is_refused() -> None:
    def body(g: Game) -> None:
        g.state.food = 1
        require(g.state.gold > 0, "R1", "gold")

    refused("PP318", body)


def test_otherwise_must_follow_when() -> None:
    def body(g: Game) -> None:
        with otherwise():
            g.state.food = 1

    refused("PP316", body)


def test_break_out_of_a_kept_loop_is_refused() -> None:
    def body(g: Game) -> None:
        for i in each(4):
            g.state.cell[i] = 1
            break

    refused("PP317", body)


def test_unknown_field_lists_the_known_ones() -> None:
    def body(g: Game) -> None:
        g.state.foood = 1

    assert "food" in refused("PP320", body).hint


def test_index_outside_an_array_is_refused() -> None:
    def body(g: Game) -> None:
        g.state.cell[4] = 1

    refused("PP306", body)


def test_wrong_number_of_indices_is_refused() -> None:
    def body(g: Game) -> None:
        g.state.cell[1, 1] = 1

    refused("PP305", body)


def test_division_by_a_state_value_is_refused() -> None:
    def body(g: Game) -> None:
        g.state.food = g.state.gold // g.state.food

    refused("PP307", body)


def test_effect_outside_a_body_is_refused() -> None:
    with pytest.raises(RulesError, match="PP312"):
        win("nobody")


def test_game_without_an_end_is_refused() -> None:
    g = Game("endless")
    play = g.phase("play", actor=CHANCE)
    g.add_action(play, lambda: None, "wait", name="wait")
    with pytest.raises(RulesError, match="PP332"):
        g.seal()


def test_phase_without_actions_is_refused() -> None:
    g = Game("idle")
    g.phase("play")
    with pytest.raises(RulesError, match="PP331"):
        g.seal()


def test_automatic_phase_without_effects_is_refused() -> None:
    g = Game("idle")
    g.automatic("tidy")
    with pytest.raises(RulesError, match="PP329"):
        g.seal()


def test_two_fields_of_one_name_are_refused() -> None:
    g = Game("twice")
    g.flag("tool")
    with pytest.raises(RulesError, match="PP322"):
        g.flag("tool")


@pytest.mark.parametrize("plain", [True, False])
def test_a_chain_goes_on_behind_a_condition_that_is_plain(plain: bool) -> None:
    """Whether a condition is plain may hang on an option; the chain must read alike under each."""

    def body(g: Game) -> None:
        with when(False):
            g.state.food = 1
        with otherwise(plain):
            g.state.food = 2
        with otherwise():
            g.state.food = 3

    play = Interpreter(one_rule(body))
    food = play.game.get_field("food").offset
    assert play.apply(play.start(), 0)[food] == (2 if plain else 3)


def test_nothing_follows_the_last_otherwise() -> None:
    def body(g: Game) -> None:
        with when(g.state.food > 1):
            g.state.gold = 1
        with otherwise():
            g.state.gold = 2
        with otherwise(g.state.food > 3):
            g.state.gold = 3

    refused("PP316", body)


def test_cases_make_a_chain_in_a_loop() -> None:
    def body(g: Game) -> None:
        case = cases()
        for least in (6, 3):
            with case(g.state.food >= least):
                g.state.gold = least
        with otherwise():
            g.state.gold = 1

    play = Interpreter(one_rule(body))
    food, gold = (play.game.get_field(n).offset for n in ("food", "gold"))
    for value, wanted in ((7, 6), (6, 6), (5, 3), (2, 1)):
        state = play.start()
        state[food] = value
        assert play.apply(state, 0)[gold] == wanted


def test_a_kept_value_ends_with_its_block() -> None:
    def body(g: Game) -> None:
        with when(g.state.food > 2):
            old = keep(g.state.food, "old")
        g.state.gold = old

    assert "`old`" in refused("PP319", body).message


def test_a_kept_value_of_another_rule_is_refused() -> None:
    held: list[Term] = []

    def body(g: Game) -> None:
        held.append(keep(g.state.food))

    one_rule(body)
    refused("PP319", lambda g: g.state._get_field_handle_or_raise("gold").set(held[0]))


def test_a_winner_that_has_no_value_when_the_game_is_over_is_refused() -> None:
    def body(g: Game) -> None:
        for i in each(2):
            with when(g.state.food == i):
                win("there", winner=i)

    assert "the winner of `there`" in refused("PP319", body).message


def test_a_phase_can_be_remembered_as_it_is() -> None:
    g = Game("there and back")
    s = g.state
    back = g.remember_phase("back")
    play, aside = g.phase("play"), g.automatic("aside")

    def leave() -> None:
        s.back = play
        goto(aside)

    g.add_action(play, leave, "leave", name="leave")
    g.add_action(play, lambda: win("done"), "stop", name="stop")
    g.on(aside)(lambda: goto(s.back))
    reader = Interpreter(g)
    after = reader.apply(reader.start(), 0)
    assert (after[0], after[back.field.offset]) == (play.number, play.number)


def test_let_is_for_variables() -> None:
    refused("PP333", lambda g: let(keep(g.state.food), 3))
    refused("PP333", lambda g: let(g.state.food, 3))  # type: ignore[arg-type]  # the mistake itself


def test_a_requirement_or_weight_that_could_refuse_nothing_is_refused() -> None:
    for verb in (lambda g: require(g.state.food > 1, "R1", "some"), lambda g: weight(2)):

        def body(g: Game, verb: Callable[[Game], None] = verb) -> None:
            g.procedure()(lambda: verb(g))

        g = Game("tiny")
        g.integer("food", 0, 8)
        with pytest.raises(RulesError, match="PP334") as caught:
            body(g)
        assert caught.value.place.file == __file__


def test_an_action_has_one_weight_outside_conditions() -> None:
    def under_a_condition(g: Game) -> None:
        with when(g.state.food > 1):
            weight(2)

    def twice(g: Game) -> None:
        weight(1)
        weight(2)

    refused("PP335", under_a_condition)
    refused("PP335", twice)


def test_a_weight_has_no_value_that_is_kept_behind_a_condition() -> None:
    g = Game("tiny")
    g.integer("food", 0, 8)

    def draw() -> None:
        with when(g.state.food > 1):
            keep(g.state.food)
        behind = keep(g.state.food + 1, "behind")
        weight(behind)

    with pytest.raises(RulesError, match="PP319 the weight of `draw` is read before `behind` has a value") as caught:
        g.add_action(g.phase("luck", CHANCE), draw, "draw")
    assert caught.value.place.file == __file__


def test_an_ending_is_the_same_only_if_the_same_seat_wins_by_it() -> None:
    g = Game("endings", players=2)
    s = g.state
    g.integer("turn", 0, 1)
    play = g.phase("play", s.turn)
    for name, winner in (("a", s.turn), ("b", 0), ("c", 1), ("d", 1), ("e", None)):
        g.add_action(play, lambda winner=winner: win("far", winner=winner), name, name=name)
    g.returns(s.turn, 0)
    reader = Interpreter(g.seal())
    ends = [reader.apply(reader.start(), ident)[1] for ident in range(g.ground)]
    assert ends == [1, 2, 3, 3, 4]


@pytest.mark.parametrize("actor", [-3, 2])
def test_who_acts_has_a_seat(actor: int) -> None:
    with pytest.raises(RulesError, match="PP336"):
        Game("seats", players=2).phase("play", actor)


def test_a_function_takes_what_is_declared() -> None:
    g = Game("function")
    with pytest.raises(RulesError, match=r"PP339 `worth` takes \(card\), its rule declares \(kind\)"):

        @g.function(kind=2)
        def worth(card: Term) -> Term:
            return card


def test_a_reading_that_forgets_an_operator_cannot_be_imported() -> None:
    require_coverage_of_all_operators("a reading", OPERATORS)
    with pytest.raises(ImportError, match="a reading and the table of operators differ in abs"):
        require_coverage_of_all_operators("a reading", OPERATORS.keys() - {"abs"})
    with pytest.raises(ImportError, match="xor"):
        require_coverage_of_all_operators("a reading", {*OPERATORS, "xor"})


@pytest.mark.parametrize(
    "reading",
    ["language.interpreter", "language.python_source", "language.explorer", "verifier.kernel.term_reading"],
)
def test_a_reading_without_an_operator_is_not_imported(reading: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each reading once more from its file, after the language has got an operator."""
    file = importlib.import_module(f"playproof.{reading}").__file__
    monkeypatch.setitem(OPERATORS, "xor", OPERATORS["+"])  # type: ignore[arg-type]  # a dict, where it is changed
    spec = importlib.util.spec_from_file_location("once_more", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "once_more", module)
    with pytest.raises(ImportError, match="differ in xor"):
        spec.loader.exec_module(module)


def test_the_absolute_value_is_folded_where_the_sign_is_known() -> None:
    game = Game("signs")
    below, above, either = (game.integer("below", -5, 0), game.integer("above", 0, 5), game.integer("either", -3, 2))
    assert [(t.lo, t.hi) for t in map(abs, (below.to_term(), above.to_term(), either.to_term()))] == [
        (0, 5),
        (0, 5),
        (0, 3),
    ]
