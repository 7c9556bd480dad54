"""Games led to a target: by curiosity to what is rare, by common effort to what is far; and games as lists of ints."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.search import guided_games, random_games
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.lines_of_play import (
    GameInProgress,
    find_shortest_prefix_at_target_or_none,
    mark_endings_likely_meeting_target_or_none,
    replay_line_until_target_is_met,
)
from playproof.verifier.search.random_games import RandomGames, play_random_game_of_run

GAMES = Path(__file__).parent / "games"
ATTIC, QUARREL = str(GAMES / "attic"), str(GAMES / "quarrel")


def case_of(ref: str) -> GameCase:
    return GameCase(ref, machine=False)


def targets(case: GameCase, spec: object) -> list[Target]:
    return TargetReader(case.game).read_targets_of_spec(spec)


@pytest.mark.parametrize("ref", [ATTIC, QUARREL, "tic_tac_toe", "kuhn_poker"])
def test_a_random_line_is_the_game_of_the_compiled_player(ref: str) -> None:
    case = case_of(ref)
    with np.errstate(over="ignore"):
        batch = case.plain.run_playouts(5, 3)
    lines = [play_random_game_of_run(case, 3, game) for game in range(5)]
    assert [line.ending for line in lines] == batch.endings.tolist()
    assert [int(line.states[1, -1]) for line in lines] == batch.endings.tolist()


def test_curiosity_finds_what_chance_does_not() -> None:
    case = case_of(ATTIC)
    wanted = targets(case, {"every": {"action": "chest"}})
    assert len(wanted) == 40
    assert RandomGames(case).search_lines_by_target_position(wanted, Budget(30.0, games=120)) == {}
    found = random_games.search_new_lines_by_curiosity_games(case, wanted, {}, Budget(30.0), 120)
    assert sorted(found) == list(range(40))
    assert all(replay_line_until_target_is_met(case, found[i], wanted[i]).hit for i in found)


def test_curiosity_keeps_what_is_known_and_its_budget() -> None:
    case = case_of(ATTIC)
    wanted = targets(case, {"every": {"action": "chest"}})
    assert 3 not in random_games.search_new_lines_by_curiosity_games(case, wanted, {3: [1, 2]}, Budget(30.0), 60)
    assert random_games.search_new_lines_by_curiosity_games(case, wanted, {}, Budget(0.0), 60) == {}


def test_where_all_help_one_seat_five_steps_take_five_turns() -> None:
    case = case_of(QUARREL)
    (won,) = targets(case, {"reason": "five steps gone"})
    line = guided_games.search_line_by_cooperative_beams_or_none(case, won, Budget(30.0), good_enough_number=5)
    assert line is not None
    assert case.play.quantity("round", replay_line_until_target_is_met(case, line, won).state) == 5
    assert guided_games.search_line_by_cooperative_beams_or_none(case, won, Budget(2.0), number_below=5) is None
    assert (
        guided_games.search_line_by_cooperative_beams_or_none(
            case, targets(case, {"holds": "card == 2"})[0], Budget(2.0)
        )
        is None
    )


def test_an_ending_with_more_conditions_is_met_as_a_whole() -> None:
    """At the start nobody has gone a step. So the condition holds with each ending there, but not where games end."""
    case = case_of(QUARREL)
    (far,) = targets(case, {"holds": "outcome > 0 and gone[1] == 0"})
    assert mark_endings_likely_meeting_target_or_none(case, far) is not None
    assert guided_games.search_line_by_cooperative_beams_or_none(case, far, Budget(2.0)) is None
    (near,) = targets(case, {"holds": "outcome > 0 and gone[1] <= 4"})
    line = guided_games.search_line_by_cooperative_beams_or_none(case, near, Budget(30.0))
    assert line is not None
    assert replay_line_until_target_is_met(case, line, near).hit == len(line)


def test_an_ending_is_told_from_a_condition() -> None:
    case = case_of(QUARREL)
    (won,) = targets(case, {"reason": "five steps gone"})
    (laid,) = targets(case, {"holds": "card == 2"})
    line = play_random_game_of_run(case, 1, 1)
    assert mark_endings_likely_meeting_target_or_none(case, laid) is None
    assert find_shortest_prefix_at_target_or_none(won, line) == line.idents
    hit = find_shortest_prefix_at_target_or_none(laid, line)
    if hit is not None:
        assert replay_line_until_target_is_met(case, hit, laid).hit == len(hit)


def test_a_play_offers_what_is_legal() -> None:
    case = case_of(QUARREL)
    play = GameInProgress(case)
    assert play.update_legal_actions_and_tell_if_any()
    assert play.idents == case.play.legal(play.state)
    after = play.get_state_after_or_current_if_broken(play.idents[0])
    play.take_action_or_end_if_rules_break(play.idents[0])
    assert play.state == after


def test_greedy_games_are_looked_through_for_anything() -> None:
    case = case_of(QUARREL)
    wanted = targets(case, {"every": {"action": "lay"}})
    found = guided_games.find_new_lines_in_greedy_games(case, wanted, {}, Budget(30.0), range(20))
    assert sorted(found) == [0, 1, 2]
    assert all(replay_line_until_target_is_met(case, found[i], wanted[i]).hit for i in found)
    case.game.facts.pop("evaluate")
    assert guided_games.find_new_lines_in_greedy_games(case, wanted, {}, Budget(30.0), range(20)) == {}
