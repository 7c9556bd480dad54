"""Random rule programs mean the same to the interpreter, the generated source, the vector and the symbolic reading."""

from __future__ import annotations

import random

import numpy as np
import pytest

from playproof.language import BoundsError, Game, IllegalAction, Interpreter, RulesError, each, require, win
from playproof.language.compiled import Compiled
from playproof.language.explorer import evaluate_term_in_many_states
from tests.language.folded import Folded
from tests.language.symbolic_zoo import random_game, random_state

Answer = list[int] | str
SEEDS, STATES = range(40), 12


def states_of(game: Game, seed: int) -> list[list[int]]:
    """Some states with every cell within its bounds."""
    r = random.Random(seed)
    return [random_state(game, r) for _ in range(STATES)]


def said(error: BoundsError) -> str:
    """An error as one line."""
    return f"{error.message} at {error.place}"


def interpreted(play: Interpreter, state: list[int]) -> tuple[Answer, dict[int, Answer]]:
    """The legal actions (or the fault met while asking), and what each leads to."""
    try:
        legal = play.legal(state)
    except BoundsError as error:
        return said(error), {}
    after: dict[int, Answer] = {}
    for ident in legal:
        try:
            after[ident] = play.apply(state, ident)
        except BoundsError as error:
            after[ident] = said(error)
    return legal, after


def generated(compiled: Compiled, state: list[int]) -> tuple[Answer, dict[int, Answer]]:
    """The same of the generated source, run as plain Python."""
    before = np.array(state, dtype=np.int64)
    try:
        legal = compiled.legal(before)
    except BoundsError as error:
        return said(error), {}
    after: dict[int, Answer] = {}
    for ident in legal:
        now = before.copy()
        try:
            compiled.apply(now, ident)
            after[ident] = now.tolist()
        except BoundsError as error:
            after[ident] = said(error)
    return legal, after


@pytest.mark.parametrize("seed", SEEDS)
def test_generated_source_takes_the_interpreters_steps_and_finds_its_faults(seed: int) -> None:
    game = random_game(seed)
    play, compiled = Interpreter(game), Compiled(game, machine=False)
    for state in states_of(game, seed):
        assert generated(compiled, state) == interpreted(play, state)
        assert compiled.actor(np.array(state)) == play.actor(state)
        if state[1]:
            assert compiled.returns(np.array(state)) == play.returns(state)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_symbolic_reading_folds_to_the_interpreters_steps_and_faults(seed: int) -> None:
    game = random_game(seed)
    play, symbolic = Interpreter(game), Folded(game)
    for state in states_of(game, seed)[:6]:
        legal, after = interpreted(play, state)
        steps = {i: symbolic.whole(state, i) for i in range(game.ground)}
        if isinstance(legal, str):  # judging one action already leaves bounds
            assert any(step.legal is True and step.sound is False for step in steps.values())
            continue
        assert [i for i, step in steps.items() if step.legal is True] == legal
        for ident, wanted in after.items():
            assert steps[ident].sound is (not isinstance(wanted, str))
            assert isinstance(wanted, str) or steps[ident].after == wanted


@pytest.mark.parametrize("seed", SEEDS)
def test_quantities_have_one_value_in_every_reading(seed: int) -> None:
    game = random_game(seed)
    play, states = Interpreter(game), states_of(game, seed)
    symbolic = Folded(game, extra=list(game.quantities.values()))
    for name, term in game.quantities.items():
        wanted = [play.quantity(name, state) for state in states]
        assert all(term.lo <= value <= term.hi for value in wanted)
        assert evaluate_term_in_many_states(term, np.array(states, dtype=np.int64).T).tolist() == wanted
        assert [symbolic.build_term_value(term, state, {}) for state in states] == wanted


def test_machine_code_takes_the_same_steps() -> None:
    """One program: compiling takes seconds. Faults are left out, since machine code does not look for them."""
    game = random_game(24)
    play, compiled, compared = Interpreter(game), Compiled(game, machine=True), 0
    for state in states_of(game, 24):
        legal, after = interpreted(play, state)
        if isinstance(legal, str):
            continue
        assert compiled.legal(np.array(state, dtype=np.int64)) == legal
        for ident, wanted in after.items():
            if isinstance(wanted, str):
                continue
            now = np.array(state, dtype=np.int64)
            compiled.apply(now, ident)
            assert now.tolist() == wanted
            compared += 1
    assert compared > 10


def test_the_programs_reach_steps_and_every_kind_of_fault() -> None:
    """A step, a field (while acting), a variable (while judging and while acting) and a procedure's argument."""
    found = set()
    for seed in SEEDS:
        game = random_game(seed)
        for state in states_of(game, seed)[:6]:
            legal, after = interpreted(Interpreter(game), state)
            for answer in (legal, *after.values()):
                found.add("step" if isinstance(answer, list) else answer.split("`")[1])
    assert {"step", "row", "held", "variable", "stir"} <= found


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

    play, symbolic = Interpreter(game.seal()), Folded(game, integers)
    first = play.start()
    assert play.apply(first, 1)[game.get_field("food").offset] == 6
    for food in range(9):
        before = [*first]
        before[game.get_field("food").offset] = food
        for ident in range(game.ground):
            step = symbolic.whole(before, ident)
            try:
                after = play.apply(before, ident)
            except IllegalAction:
                assert step.legal is False
            else:
                assert (step.sound, step.after) == (True, after)


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
