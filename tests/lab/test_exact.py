"""The exact law of random play, against fractions computed without Playproof."""

from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from playproof.lab.random_play import compute_exact_random_play_or_none
from playproof.language.compiled import Compiled
from playproof.language.registry import load_rules_module
from playproof.referee.variant import Variant
from tests.lab.small_games import kuhn_leverage, kuhn_seat_wins, tic_tac_toe


def law(name: str):  # type: ignore[no-untyped-def]
    return compute_exact_random_play_or_none(Compiled(Variant(name).game))


def test_tic_tac_toe_between_random_players() -> None:
    wins, ties, moves = tic_tac_toe()
    assert wins == Fraction(737, 1260)  # the well-known 58.49 %
    found = law("tic_tac_toe")
    assert (found.positions, found.luck, found.best) == (5478, 0.0, 0.0)
    assert [found.wins[0], found.ties, found.decisions] == pytest.approx([float(v) for v in (wins, ties, moves)])
    # The choices decide all of the variance: that of a seat's win, over both seats.
    second = 1 - wins - ties
    assert found.skill == pytest.approx(float(wins * (1 - wins) + second * (1 - second)) / 2)


def test_kuhn_poker_between_random_players() -> None:
    found = law("kuhn_poker")
    deals = [(a, b) for a in (1, 2, 3) for b in (1, 2, 3) if a != b]
    assert found.wins[0] == pytest.approx(float(sum(kuhn_seat_wins(deal, 0) for deal in deals) / 6))
    skill, luck = kuhn_leverage()
    assert (found.skill, found.luck) == pytest.approx((float(skill), float(luck)))
    assert found.skill + found.luck == pytest.approx(found.wins[0] * found.wins[1])
    assert found.best is None  # nobody knows the other's card


def test_a_game_of_more_positions_has_no_law() -> None:
    assert compute_exact_random_play_or_none(Compiled(Variant("tic_tac_toe").game), max_positions=5000) is None
    assert law("clock_patience") is None


def test_the_game_of_the_goose_has_no_longest_game_and_an_exact_law() -> None:
    """One player's throws home are a Markov chain; two who do not hinder each other are two of them, by turns."""
    folder = Path(__file__).parent / "classics" / "goose"
    landing = load_rules_module(str(folder)).landing
    chain = np.zeros((64, 64))
    for start, first, second in product(range(63), range(1, 7), range(1, 7)):
        chain[start, landing(start, first, second)] += 1 / 36
    chain[63, 63] = 1.0
    home, at = [0.0], np.eye(64)[0]
    while home[-1] < 1 - 1e-13:
        at = at @ chain
        home.append(float(at[63]))
    arrives = np.diff(home)
    wins = float((arrives * (1 - np.array(home[:-1]))).sum())  # the first comes home while the second has not
    exact = law(str(folder))
    assert exact.wins[0] == pytest.approx(wins, abs=1e-9)
    assert exact.wins[1] == pytest.approx(1 - wins, abs=1e-9)
    assert (exact.skill, exact.ties) == (0.0, 0.0)
    alone = np.linalg.solve(np.eye(63) - chain[:63, :63], np.ones(63))[0]
    assert float((arrives * np.arange(1, len(home))).sum()) == pytest.approx(alone)
    assert 0.5 < wins < 0.6
