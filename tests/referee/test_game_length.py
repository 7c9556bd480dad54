"""Games that do not end: a declared bound is held to, and without one a game is stopped and counted apart."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from playproof.lab.game_runner import GameRunner, play_games_of_any_bots
from playproof.language import Interpreter
from playproof.language.compiled import Compiled
from playproof.language.machine.players import STOPPED, GameLimits
from playproof.language.random import Stream, make_game_seed
from playproof.language.registry import list_bundled_game_names, list_example_game_names
from playproof.referee import Match, Variant, simulation_report
from playproof.referee.batches import (
    Batch,
    has_reached_limit,
    play_batch_stepwise,
    play_game_to_states_actions_and_choices,
)
from playproof.referee.bots import load_builtin_or_user_bot
from playproof.referee.engine import Engine
from playproof.referee.errors import LengthError
from playproof.referee.simulate import simulate
from playproof.referee.watched_games import replay_game_to_its_violation_or_raise

Tiny = Callable[..., Variant]


@pytest.mark.parametrize("bots", [("random",), ("random", "mcts:5")])
def test_games_without_a_bound_are_stopped_and_counted(tiny: Tiny, bots: tuple[str, ...]) -> None:
    result = simulate(tiny("passing"), 3, bots, longest=50, jobs=1)
    assert result.tally.stopped == 3
    assert result.first_game_with_violation is None
    assert result.tally.decisions == {50: 3}
    assert result.tally.wins == [0, 0]
    facts = simulation_report.as_json(result)
    assert (facts["stopped"], facts["longest"]) == (3, 50)
    assert facts["endings"] == {"no end after 50 steps": 3}


@pytest.mark.parametrize("bots", [("random",), ("random", "mcts:5")])
@pytest.mark.parametrize("watch", [False, True])
def test_a_declared_bound_is_held_to(tiny: Tiny, bots: tuple[str, ...], watch: bool) -> None:
    variant = tiny("passing", declared="yes")
    result = simulate(variant, 3, bots, seed=5, jobs=1, watch=watch)
    assert result.first_game_with_violation == 0
    violation = replay_game_to_its_violation_or_raise(variant, result.bots, 5, 0)
    assert str(violation).startswith("game 0 of seed 5, after step 5 (pass): the rules declare `ends_within=4`")
    assert len(violation.match.steps) == 5


@pytest.mark.parametrize("watch", [False, True])
def test_a_game_that_keeps_its_bound_is_left_alone(tiny: Tiny, watch: bool) -> None:
    result = simulate(tiny("passing", declared="yes", stop="soon"), 20, jobs=1, watch=watch)
    assert (result.first_game_with_violation, result.tally.stopped, result.tally.games) == (None, 0, 20)
    assert result.tally.decisions == {4: 20}


def test_both_readings_stop_a_game_at_the_same_step() -> None:
    """Machine code, plain Python and the stepwise games of bots, under several limits."""
    variant = Variant("pig")
    for decisions, steps in ((7, 1000), (1000, 9), (3, 5)):
        limits = GameLimits(decisions, steps)
        for policies in ([0, 0], [1, 0]):
            fast = Compiled(variant.game).run_playouts(20, 3, policies=policies, limits=limits)
            slow = Compiled(variant.game, machine=False).run_playouts(20, 3, policies=policies, limits=limits)
            for column in ("endings", "decisions", "returns", "taken"):
                assert np.array_equal(getattr(fast, column), getattr(slow, column))
            assert STOPPED in fast.endings
        engine, minds = Engine(variant.game), [load_builtin_or_user_bot("random")] * variant.game.players
        plain = Compiled(variant.game).run_playouts(20, 3, limits=limits)
        for number in range(20):
            states, actions, choices = play_game_to_states_actions_and_choices(
                engine, minds, Stream(make_game_seed(3, number)), limits
            )
            assert len(choices) == plain.decisions[number]
            is_stopped = has_reached_limit(states[-1], len(actions), len(choices), limits)
            assert is_stopped == (plain.endings[number] == STOPPED)


@pytest.mark.parametrize("name", [*list_bundled_game_names(), *list_example_game_names()])
def test_our_games_keep_the_bounds_that_they_declare(name: str) -> None:
    tally = play_batch_stepwise(
        Batch(Variant(name), ("random",) * Variant(name).game.players, 1, 0, 2), Engine(Variant(name).game)
    )
    assert tally.stopped == 0


def test_a_match_refuses_the_step_beyond_its_bound(tiny: Tiny) -> None:
    match = Match(tiny("passing", declared="yes"), 7).apply_all(["pass"] * 4)
    with pytest.raises(LengthError, match="seed 7, step 5: the rules declare `ends_within=4`"):
        match.apply("pass")
    assert len(match.steps) == 4


def test_a_report_refuses_games_that_do_not_end(tiny: Tiny) -> None:
    with pytest.raises(LengthError, match="PP816 game 0 of seed 2: the game has not ended after 10,000 steps"):
        play_games_of_any_bots(GameRunner(tiny("passing"), ["random"], 2, 1), 0, 5)


def test_a_search_thinks_about_a_game_that_does_not_end(tiny: Tiny) -> None:
    variant = tiny("passing")
    tally = play_batch_stepwise(Batch(variant, ("mcts:20", "mcts:20"), 0, 0, 1, longest=10), Engine(variant.game))
    assert tally.stopped == 1


def test_the_interpreter_agrees_that_nothing_ends(tiny: Tiny) -> None:
    play = Interpreter(tiny("passing").game)
    assert play.legal(play.start()) == [0]
