"""An open action takes exactly the steps of the interpreter, once its number is put in, and no others."""

from __future__ import annotations

import random

import pytest
import z3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playproof.language import BoundsError, Game, IllegalAction, Interpreter, RulesError, each, require, win
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.verifier.search.open_steps import Steps, formula
from tests.language.symbolic_zoo import random_game, random_state


class Relation:
    """The transition relation of a game on fixed open states, asked about plain ones."""

    def __init__(self, game: Game, integers: bool) -> None:
        self.reading = Steps(game, integers)
        self.before, self.after = self.reading.state("s"), self.reading.state("n")
        self.choice = self.reading.choice("s")
        self.outcome = self.reading.whole_by_choice(self.before, self.choice)
        self.solver = z3.Solver()
        same = formula(self.reading.equal(self.outcome.after, self.after))
        self.related = z3.And(formula(self.outcome.sound), same)

    def holds(self, before: list[int], ident: int, after: list[int]) -> bool:
        """Whether the step is in the relation."""
        here = self.reading.compare("==", self.choice, ident)
        self.solver.push()
        self.solver.add(
            self.reading.equal(self.before, before),
            formula(here),
            self.related,
            self.reading.equal(self.after, after),
        )
        answer = self.solver.check() == z3.sat
        self.solver.pop()
        return answer

    def successor(self, before: list[int], ident: int) -> list[int] | None:
        """The state after, or None where the step is refused or faulty: the open terms with values put in."""
        known = self.reading.open_cells([*self.before, self.choice], [*before, ident])
        if not z3.is_true(z3.simplify(z3.substitute(formula(self.outcome.sound), *known))):
            return None
        model = z3.Solver()
        model.add(*(variable == value for variable, value in known))
        assert model.check() == z3.sat
        return self.reading.plain_state(self.outcome.after, model.model())


def reference(play: Interpreter, state: list[int], ident: int) -> list[int] | None:
    """The interpreter's successor, or None where it refuses or finds a fault."""
    try:
        return play.apply(state, ident)
    except (IllegalAction, BoundsError):
        return None


@pytest.mark.parametrize("integers", [False, True], ids=["bits", "integers"])
def test_every_step_of_random_games_is_in_the_relation_and_no_mutated_step_is(integers: bool) -> None:
    game = build("tic_tac_toe", Options())
    play, relation, r = Interpreter(game), Relation(game, integers), random.Random(5)
    for _ in range(4):
        state = play.start()
        while not play.terminal(state):
            ident = r.choice(play.legal(state))
            after = play.apply(state, ident)
            assert relation.holds(state, ident, after)
            cell = r.choice([i for i, f in enumerate(relation.reading.fields) if f.lo < f.hi])
            field = relation.reading.fields[cell]
            wrong = [*after]
            wrong[cell] = field.lo if wrong[cell] == field.hi else wrong[cell] + 1
            assert not relation.holds(state, ident, wrong)
            state = after
        assert all(relation.successor(state, ident) is None for ident in range(game.ground))


@settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**6), st.booleans())
def test_random_rule_programs_mean_the_same_in_both_readings(seed: int, integers: bool) -> None:
    game, r = random_game(seed), random.Random(seed)
    play, relation = Interpreter(game), Relation(game, integers)
    for _ in range(6):
        state = random_state(game, r)
        for ident in r.sample(range(game.ground), 4):
            expected = reference(play, state, ident)
            assert relation.successor(state, ident) == expected
            plain = relation.reading.whole(state, ident)  # everything known: folded without a solver
            assert (plain.after if plain.sound is True else None) == expected


@pytest.mark.parametrize("integers", [False, True], ids=["bits", "integers"])
def test_a_requirement_in_a_loop_is_asked_before_the_loop_has_effects(integers: bool) -> None:
    game = Game("loop")
    state = game.state
    game.integer("food", 0, 8, 2)

    @game.action(game.phase("play"), take=range(1, 3))
    def eat(take: object) -> None:
        for _ in each(2):
            require(state.food < 3, "R1", "there is enough")
            state.food += take
        win("done")

    play, relation = Interpreter(game.seal()), Relation(game, integers)
    first = play.start()
    assert play.apply(first, 1)[game.field_named("food").offset] == 6
    for food in range(9):
        before = [*first]
        before[game.field_named("food").offset] = food
        for ident in range(game.ground):
            assert relation.successor(before, ident) == reference(play, before, ident)


def test_the_random_programs_reach_every_verdict() -> None:
    seen = set()
    for seed in range(60):
        game, r = random_game(seed), random.Random(seed)
        play = Interpreter(game)
        for _ in range(10):
            try:
                play.apply(random_state(game, r), r.randrange(game.ground))
                seen.add("legal")
            except RulesError as error:
                seen.add(error.code)
            except IllegalAction:
                seen.add("illegal")
    assert {"legal", "illegal", "PP310"} <= seen
