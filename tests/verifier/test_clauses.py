"""Conditions that nobody wrote: clauses from failing steps, and equations of games."""

from __future__ import annotations

import operator
import random
from pathlib import Path

import pytest

from playproof.language import Interpreter
from playproof.verifier.proof import clauses
from playproof.verifier.proof.equalities import equalities
from playproof.verifier.proof.induction import prover
from playproof.verifier.questions.targets import Targets
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.work import done
from tests.verifier.conftest import HARVEST, WIN

GOLF = str(Path(__file__).parent / "games_of_strangers" / "golf")


@pytest.fixture(scope="module")
def golf() -> Case:
    return Case(GOLF, machine=False)


def test_golf_keeps_its_bounds_and_has_no_dead_end(golf: Case) -> None:
    """All states are 12 million and more. The stock does not run out while a card is to be turned, because then a
    column waits for one; and so many cards are unseen as are neither in a column nor were turned."""
    p = prover(golf)
    assert p.faults([])
    keep = clauses.against(golf, [], Budget(20.0), clauses.faults)
    assert keep is not None
    assert len(keep) < 10
    assert p.faults(keep) == []
    assert p.check(keep) == ""
    [cards] = equalities(golf)
    assert not prover(golf, integers=True).check([*keep, cards])
    assert p.stuck(keep) != []
    assert p.stuck([*keep, cards]) == []


def test_what_a_game_comes_to_is_not_excluded() -> None:
    case = Case(HARVEST, machine=False)
    win = Targets(case.game).one(WIN)
    assert clauses.against(case, [], Budget(5.0), clauses.target(win)) is None


def met(found: clauses.Clauses, cube: clauses.Cube) -> bool:
    """Whether a game came into a cube, looked up state by state."""
    signs = {"==": operator.eq, "<=": operator.le, ">=": operator.ge}
    return any(all(signs[sign](state[cell], value) for cell, sign, value in cube) for state in found.met.T)


def test_cubes_are_widened_until_a_game_would_come_into_them(golf: Case) -> None:
    """Larger games have hundreds of cells and thousands of states: what is compared is counted as work."""
    found, r = clauses.Clauses(golf, [], Budget(20.0)), random.Random(3)
    for _ in range(3):
        nowhere = [r.randint(f.lo, f.hi) for f in golf.game.fields for _ in range(f.size)]
        cube, before = tuple(found._literals(nowhere)), done()
        assert not met(found, cube)
        wider = found._around(cube)
        assert done() > before
        for one in wider:
            assert len(one) < len(cube)
            assert not met(found, one)
            assert all(met(found, (*one[:n], *one[n + 1 :])) for n in range(len(one)))


def test_conditions_hold_along_games(golf: Case) -> None:
    """Also in games of other seeds than those that the conditions were made from."""
    conditions = clauses.against(golf, [], Budget(20.0), clauses.faults)
    assert conditions is not None
    terms, play = [prover(golf).term(text) for text in conditions], Interpreter(golf.game)
    state = play.start()
    while not play.terminal(state):
        assert all(play.value(term, state) for term in terms)
        state = play.apply(state, play.legal(state)[-1])
