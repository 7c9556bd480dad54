"""A rung of the ladder in two versions, against the ladder of one version, which plays by another path."""

from __future__ import annotations

import doctest
from pathlib import Path

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


WAITING = """from playproof import Game, Options, win

def build(options: Options) -> Game:
    g = Game("waiting", players=2)
    s = g.state
    g.integer("turn", 0, 1)
    play = g.phase("play", s.turn)

    @g.action(play, "wait")
    def wait() -> None:
        s.turn = 1 - s.turn

    @g.action(play, "give up")
    def give_up() -> None:
        win("the other has given up", winner=1 - s.turn)

    return g
"""


def test_bots_that_never_end_a_game_are_stopped_and_counted(tmp_path: Path) -> None:
    """Random players end each game; who thinks waits for ever, and a report did not come to an end."""
    (tmp_path / "rules.py").write_text(WAITING, encoding="utf-8")
    variant, bots = Variant(str(tmp_path)), ("mcts:8", "mcts:16")
    [rung] = ladder.play_each_bot_against_lower_rung(GameRunner(variant, bots, 0, 1), bots, 2.0, 2)
    assert (rung.stopped, rung.longest, rung.wins.value) == (2, 200, 0.5)


def test_the_examples_hold() -> None:
    assert doctest.testmod(ladder).failed == 0
