"""Conditions that nobody wrote: clauses from failing steps, and equations of games."""

from __future__ import annotations

import operator
import random
from pathlib import Path

import pytest

from playproof.language import Interpreter
from playproof.verifier.proof import clauses
from playproof.verifier.proof.clauses import list_equations_true_in_sampled_states
from playproof.verifier.proof.induction import get_shared_prover
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.search.case import Budget, GameCase, get_work_units_done
from tests.verifier.conftest import HARVEST, WIN

GOLF = str(Path(__file__).parent / "games_of_strangers" / "golf")


@pytest.fixture(scope="module")
def golf() -> GameCase:
    return GameCase(GOLF, machine=False)


def test_golf_keeps_its_bounds_and_has_no_dead_end(golf: GameCase) -> None:
    """All states are 12 million and more. The stock does not run out while a card is to be turned, because then a
    column waits for one; and so many cards are unseen as are neither in a column nor were turned."""
    p = get_shared_prover(golf)
    assert p.describe_places_where_bounds_may_break([])
    keep = clauses.find_inductive_conditions_excluding_or_none(
        golf, [], Budget(20.0), clauses.build_value_leaves_bounds_formulas
    )
    assert keep is not None
    assert len(keep) < 10
    assert p.describe_places_where_bounds_may_break(keep) == []
    assert p.explain_kernel_refusal_or_empty(keep) == ""
    [cards] = list_equations_true_in_sampled_states(golf)
    assert not get_shared_prover(golf, integers=True).explain_kernel_refusal_or_empty([*keep, cards])
    assert p.describe_phases_with_possible_dead_end(keep) != []
    assert p.describe_phases_with_possible_dead_end([*keep, cards]) == []


def test_what_a_game_comes_to_is_not_excluded() -> None:
    case = GameCase(HARVEST, machine=False)
    win = TargetReader(case.game).read_single_target_of_spec(WIN)
    assert (
        clauses.find_inductive_conditions_excluding_or_none(
            case, [], Budget(5.0), clauses.make_builder_of_target_formulas(win)
        )
        is None
    )


def met(found: clauses.ClauseLearner, cube: clauses.Cube) -> bool:
    """Whether a game came into a cube, looked up state by state."""
    signs = {"==": operator.eq, "<=": operator.le, ">=": operator.ge}
    return any(all(signs[sign](state[cell], value) for cell, sign, value in cube) for state in found.met.T)


def test_cubes_are_widened_until_a_game_would_come_into_them(golf: GameCase) -> None:
    """Larger games have hundreds of cells and thousands of states: what is compared is counted as work."""
    found, r = clauses.ClauseLearner(golf, [], Budget(20.0)), random.Random(3)
    for _ in range(3):
        nowhere = [r.randint(f.lo, f.hi) for f in golf.game.fields for _ in range(f.size)]
        cube, before = tuple(found._iter_bound_or_label_literals_of_state(nowhere)), get_work_units_done()
        assert not met(found, cube)
        wider = found._list_wider_cubes_shortest_first(cube)
        assert get_work_units_done() > before
        for one in wider:
            assert len(one) < len(cube)
            assert not met(found, one)
            assert all(met(found, (*one[:n], *one[n + 1 :])) for n in range(len(one)))


def test_conditions_hold_along_games(golf: GameCase) -> None:
    """Also in games of other seeds than those that the conditions were made from."""
    conditions = clauses.find_inductive_conditions_excluding_or_none(
        golf, [], Budget(20.0), clauses.build_value_leaves_bounds_formulas
    )
    assert conditions is not None
    terms, play = (
        [get_shared_prover(golf).condition_text_to_term(text) for text in conditions],
        Interpreter(golf.game),
    )
    state = play.start()
    while not play.terminal(state):
        assert all(play.value(term, state) for term in terms)
        state = play.apply(state, play.legal(state)[-1])
