"""Games led to a target: by curiosity to what is rare, by common effort to what is far; and games as lists of ints."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from playproof.verifier.questions.targets import Target, Targets
from playproof.verifier.search import curious_games, greedy_games, helpful_games
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.lines import Play, endings_of, first_hit
from playproof.verifier.search.random_games import Walks, played
from playproof.verifier.search.replay import replay

GAMES = Path(__file__).parent / "games"
ATTIC, QUARREL = str(GAMES / "attic"), str(GAMES / "quarrel")


def case_of(ref: str) -> Case:
    return Case(ref, machine=False)


def targets(case: Case, spec: object) -> list[Target]:
    return Targets(case.game).read(spec)


@pytest.mark.parametrize("ref", [ATTIC, QUARREL, "tic_tac_toe", "kuhn_poker"])
def test_a_random_line_is_the_game_of_the_compiled_player(ref: str) -> None:
    case = case_of(ref)
    with np.errstate(over="ignore"):
        batch = case.plain.playouts(5, 3)
    lines = [played(case, 3, game) for game in range(5)]
    assert [line.ending for line in lines] == batch.endings.tolist()
    assert [int(line.states[1, -1]) for line in lines] == batch.endings.tolist()


def test_curiosity_finds_what_chance_does_not() -> None:
    case = case_of(ATTIC)
    wanted = targets(case, {"every": {"action": "chest"}})
    assert len(wanted) == 40
    assert Walks(case).search(wanted, Budget(30.0, games=120)) == {}
    found = curious_games.search(case, wanted, {}, Budget(30.0), 120)
    assert sorted(found) == list(range(40))
    assert all(replay(case, found[i], wanted[i]).hit for i in found)


def test_curiosity_keeps_what_is_known_and_its_budget() -> None:
    case = case_of(ATTIC)
    wanted = targets(case, {"every": {"action": "chest"}})
    assert 3 not in curious_games.search(case, wanted, {3: [1, 2]}, Budget(30.0), 60)
    assert curious_games.search(case, wanted, {}, Budget(0.0), 60) == {}


def test_where_all_help_one_seat_five_steps_take_five_turns() -> None:
    case = case_of(QUARREL)
    (won,) = targets(case, {"reason": "five steps gone"})
    line = helpful_games.search(case, won, Budget(30.0), enough=5)
    assert line is not None
    assert case.play.quantity("round", replay(case, line, won).state) == 5
    assert helpful_games.search(case, won, Budget(2.0), below=5) is None
    assert helpful_games.search(case, targets(case, {"holds": "card == 2"})[0], Budget(2.0)) is None


def test_an_ending_with_more_conditions_is_met_as_a_whole() -> None:
    """At the start nobody has gone a step. So the condition holds with each ending there, but not where games end."""
    case = case_of(QUARREL)
    (far,) = targets(case, {"holds": "outcome > 0 and gone[1] == 0"})
    assert endings_of(case, far) is not None
    assert helpful_games.search(case, far, Budget(2.0)) is None
    (near,) = targets(case, {"holds": "outcome > 0 and gone[1] <= 4"})
    line = helpful_games.search(case, near, Budget(30.0))
    assert line is not None
    assert replay(case, line, near).hit == len(line)


def test_an_ending_is_told_from_a_condition() -> None:
    case = case_of(QUARREL)
    (won,) = targets(case, {"reason": "five steps gone"})
    (laid,) = targets(case, {"holds": "card == 2"})
    line = played(case, 1, 1)
    assert endings_of(case, laid) is None
    assert first_hit(won, line) == line.idents
    hit = first_hit(laid, line)
    if hit is not None:
        assert replay(case, hit, laid).hit == len(hit)


def test_a_play_offers_what_is_legal() -> None:
    case = case_of(QUARREL)
    play = Play(case)
    assert play.look()
    assert play.idents == case.play.legal(play.state)
    after = play.behind(play.idents[0])
    play.take(play.idents[0])
    assert play.state == after


def test_greedy_games_are_looked_through_for_anything() -> None:
    case = case_of(QUARREL)
    wanted = targets(case, {"every": {"action": "lay"}})
    found = greedy_games.look_through(case, wanted, {}, Budget(30.0), range(20))
    assert sorted(found) == [0, 1, 2]
    assert all(replay(case, found[i], wanted[i]).hit for i in found)
    case.game.facts.pop("evaluate")
    assert greedy_games.look_through(case, wanted, {}, Budget(30.0), range(20)) == {}
