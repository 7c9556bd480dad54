"""A rung of the ladder in two versions, against the ladder of one version, which plays by another path."""

from __future__ import annotations

import doctest

import pytest

from playproof.lab import ladder
from playproof.lab.game_runner import GameRunner
from playproof.referee.variant import Variant


@pytest.mark.parametrize("bots", [("random", "greedy"), ("random", "mcts:4")])
def test_a_rung_that_does_not_move_wins_what_the_ladder_says(bots: tuple[str, str]) -> None:
    """Ties are shared, and each seat plays as often. An interval without width would be too sure."""
    variant = Variant("tic_tac_toe")
    [(bot, below)] = ladder.pair_bots_with_lower_rung(bots, 2)
    [rung] = ladder.play_each_bot_against_lower_rung(GameRunner(variant, bots, 0, 1), bots, 8.0, 60)
    moved = ladder.compare_rung_in_two_versions((variant, variant), bot, below, 60, 1)
    assert moved.before == moved.after == rung.wins
    assert moved.difference.value == 0
    assert (moved.difference.low or 0.0) < 0 < (moved.difference.high or 0.0)


def test_the_examples_hold() -> None:
    assert doctest.testmod(ladder).failed == 0
