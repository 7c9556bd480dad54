"""What bots may use in Opale: an evaluation that reads nothing hidden, and plays well by it."""

from __future__ import annotations

import pytest

from playproof.referee.engine import Engine
from playproof.referee.simulate import simulate
from playproof.referee.variant import Variant


@pytest.mark.parametrize("scores", ["hidden", "open"])
def test_a_seat_may_know_its_evaluation(scores: str) -> None:
    rulings = {"A18": "open"} if scores == "open" else {}
    assert Engine(Variant("opale", rulings=rulings).game).evaluates


def test_a_greedy_player_beats_a_random_one() -> None:
    """Of 2,000 games it wins 98 in a hundred; fewer than 34 of 40 would be luck once in 10^13."""
    tally = simulate(Variant("opale"), 40, ["random", "greedy"], 7, jobs=1).tally
    assert tally.wins[1] >= 34
