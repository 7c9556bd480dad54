"""Where two methods can answer, they answer alike; each method's own ways to fail are seen to fire."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from playproof.language import Game, goto, win
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.kernel.statements import Event
from playproof.verifier.proof.certificate_offers import build_exploration_certificate_excluding_event
from playproof.verifier.proof.induction import (
    find_conditions_excluding_target_or_none,
    find_proved_lower_bound_or_none,
    get_shared_prover,
)
from playproof.verifier.proof.length import (
    RankFunction,
    _find_steps_not_lowering_rank_or_none,
    find_rank_every_step_lowers_or_none,
)
from playproof.verifier.proof.reach import Goal, prove_goals_unreachable_by_target_name
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.lines_of_play import replay_line_until_target_is_met
from playproof.verifier.search.portfolio import (
    find_explored_line_to_target_or_none,
    is_target_absent_from_exploration,
    search_lines_to_targets_by_all_methods,
)
from tests.verifier.closed_sets import exploration
from tests.verifier.conftest import HARVEST, PLAIN, WIN


def _case(ref: str = HARVEST, **values: str) -> GameCase:
    return GameCase(ref, values, machine=False)


def _target(case: GameCase, spec: object, within: object = None) -> Target:
    return TargetReader(case.game).read_single_target_of_spec(spec, within)


@pytest.mark.parametrize("goal", ["3", "4", "5", "7", "8"])
def test_fewest_rounds_by_exploration_and_invariant_agree(goal: str) -> None:
    case, budget = _case(goal=goal), Budget(60.0)
    target = _target(case, WIN)
    seen = case.extend_shared_exploration(budget)
    line = find_explored_line_to_target_or_none(seen, target)
    assert line is not None
    fewest = case.play.quantity("round", replay_line_until_target_is_met(case, line, target).state)
    assert fewest == -(-int(goal) // 2)
    bound = find_proved_lower_bound_or_none(case, target, case.game.quantities["round"], None, budget, [line])
    assert bound is not None
    assert bound[0] == fewest


def test_best_play_in_tic_tac_toe_is_a_draw() -> None:
    questions = [Question("x", "luck", {"outcome": "win", "seat": 0}), Question("d", "luck", {"outcome": "draw"})]
    x, _ = prove("tic_tac_toe", claims=questions, **PLAIN)
    assert (x.verdict.value, x.value) == ("PROVEN", 0.0)


def test_what_exploration_excludes_invariants_exclude() -> None:
    case, budget = _case(), Budget(60.0)
    target = _target(case, {"reason": "flood"})
    seen = case.extend_shared_exploration(budget)
    assert seen.complete
    assert is_target_absent_from_exploration(seen, target)
    assert build_exploration_certificate_excluding_event(case, Event({"reason": "flood"}), seen) == (
        exploration(Event({"reason": "flood"}), seen.states),
    )
    fresh = _case()
    assert (
        find_conditions_excluding_target_or_none(fresh, _target(fresh, {"holds": "stored > 2 * round"}), budget)
        is not None
    )
    goal = Goal(Event({"reason": "flood"}), _target(fresh, {"reason": "flood"}))
    no = prove_goals_unreachable_by_target_name(fresh, Question("q", "reach", {"reason": "flood"}), [goal], budget)
    assert [proof.method for proof in no.values()] in ([], ["invariant"])


def test_walks_find_actions_by_halving() -> None:
    case = _case()
    targets = TargetReader(case.game).read_targets_of_spec({"every": {"action": "store"}})
    found = search_lines_to_targets_by_all_methods(case, targets, Budget(20.0, games=400), explore=False)
    assert sorted(found.lines) == list(range(len(targets)))


def test_a_rank_is_found_and_a_flat_one_is_refused() -> None:
    case = _case()
    rank = find_rank_every_step_lowers_or_none(case, Budget(60.0))
    assert rank is not None
    assert _find_steps_not_lowering_rank_or_none(get_shared_prover(case, integers=True), rank) == []
    assert _find_steps_not_lowering_rank_or_none(get_shared_prover(case, integers=True), RankFunction({(2, None): -1}))
    longest = max(len(line) for line in _lines(case))
    assert rank.compute_upper_bound_on_steps(case) >= longest


def _lines(case: GameCase) -> list[list[int]]:
    seen = case.extend_shared_exploration(Budget(60.0))
    ends = [int(r) for r in np.flatnonzero(seen.unpack_rows_into_columns(0, seen.states)[1])]
    return [seen.list_action_numbers_from_start_to_row(r) for r in ends[:50]]


def test_a_game_without_end_has_no_rank() -> None:
    game = Game("idle")
    here = game.phase("here")
    s = game.state
    game.integer("n", 0, 3)

    @game.action(here, "wait")
    def wait() -> None:
        goto(here)

    @game.action(here, "stop")
    def stop() -> None:
        s.n = 1
        win("stopped")

    case = _case()
    case.game = game.seal()
    assert find_rank_every_step_lowers_or_none(case, Budget(20.0), max_rounds=3) is None


def test_transcripts_of_a_case_replay_under_its_own_options_only(tmp_path: Path) -> None:
    case = _case(goal="2")
    line = find_explored_line_to_target_or_none(case.extend_shared_exploration(Budget(20.0)), _target(case, WIN))
    assert line is not None
    other = _case(goal="8")
    assert replay_line_until_target_is_met(other, line, _target(other, WIN)).hit is None
