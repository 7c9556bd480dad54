"""Every game: each small step of random games is in the symbolic relation, and no mutated step is."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache

import pytest
import z3

from playproof.language import Interpreter
from playproof.language.options import Options
from playproof.language.registry import build, example_names, names
from playproof.language.symbolic import Move, Symbolic, as_z3

GAMES = [*example_names(), *names()]
WALKS, STEPS = 2, 25


@dataclass(frozen=True)
class Step:
    """One action of a walk: the state before, the ground action, and the settled state after."""

    before: list[int]
    ident: int
    after: list[int]


@dataclass(frozen=True)
class Subject:
    """A game with both readings and some steps of random games, spread over their course."""

    play: Interpreter
    reading: Symbolic
    state: list[object]
    moves: tuple[Move, ...]
    steps: tuple[Step, ...]


@cache
def subject(name: str) -> Subject:
    """The game, its readings, and a walk or two."""
    game = build(name, Options())
    play, reading, r = Interpreter(game), Symbolic(game), random.Random(name)
    state = reading.state("s")
    met: list[Step] = []
    for _ in range(WALKS):
        now = play.start()
        while not play.terminal(now) and play.legal(now):
            ident = r.choice(play.legal(now))
            after = play.apply(now, ident)
            met.append(Step(now, ident, after))
            now = after
    chosen = r.sample(met, min(STEPS, len(met)))
    return Subject(play, reading, state, tuple(reading.moves(state, "s")), tuple(chosen))


@pytest.mark.parametrize("name", GAMES)
def test_what_the_interpreter_refuses_is_not_legal(name: str) -> None:
    s, r = subject(name), random.Random(name)
    for step in s.steps[:8]:
        legal = s.play.legal(step.before)
        for ident in r.sample(range(s.play.game.ground), min(12, s.play.game.ground)):
            assert s.reading.permits(step.before, ident) is (ident in legal)


@pytest.mark.parametrize("name", GAMES)
def test_small_steps_are_in_the_relation_and_mutated_ones_are_not(name: str) -> None:
    s, r = subject(name), random.Random(name)
    open_cells = [i for i, f in enumerate(s.reading.fields) if f.lo < f.hi]
    for step in s.steps[:6]:
        move, values = _move_of(s, step.ident)
        after = _act(s, step)
        assert _related(s, move, values, step.before, after)
        cell = r.choice(open_cells)
        field = s.reading.fields[cell]
        wrong = [*after]
        wrong[cell] = field.lo if wrong[cell] == field.hi else wrong[cell] + 1
        assert not _related(s, move, values, step.before, wrong)


def _move_of(s: Subject, ident: int) -> tuple[Move, tuple[int, ...]]:
    action = s.play.game.action_of(ident)
    return next(m for m in s.moves if m.action is action), action.values(ident)


def _act(s: Subject, step: Step) -> list[int]:
    """The state just after the action, before automatic phases."""
    action = s.play.game.action_of(step.ident)
    after = list(step.before)
    bound = {p.local.number: v for p, v in zip(action.params, action.values(step.ident), strict=True)}
    s.play._run(action.body, after, bound)
    return after


def _related(s: Subject, move: Move, values: tuple[int, ...], before: list[int], after: list[int]) -> bool:
    solver = z3.SolverFor("QF_BV")
    same = [as_z3(s.reading.arithmetic.compare("==", p, v)) for p, v in zip(move.params, values, strict=True)]
    solver.add(
        s.reading.equal(s.state, before),
        *same,
        as_z3(move.outcome.sound),
        s.reading.equal(move.outcome.after, after),
    )
    return bool(solver.check() == z3.sat)
