"""The tension of games of tic-tac-toe, against exact chances and the formulas written once more, without the lab."""

from __future__ import annotations

from itertools import pairwise
from math import sqrt

import numpy as np
import pytest

from playproof.lab.game_runner import GameRunner
from playproof.lab.random_play import measure_tension_of_recorded_games
from playproof.language.machine.records import GAME, IDENT
from playproof.referee.variant import Variant
from tests.lab.small_games import tic_tac_toe

GAMES, PLAYOUTS = 300, 4000
CLEAR = 0.05  # a lead that so many random games tell apart from a tie


def boards(moves: list[int]) -> list[str]:
    """The board before each move with a choice, and at the end."""
    board, seen = "." * 9, []
    for number, cell in enumerate(moves):
        seen += [board] if board.count(".") > 1 else []
        board = board[:cell] + "xo"[number % 2] + board[cell + 1 :]
    return [*seen, board]


def exactly(moves: list[int]) -> dict[str, float]:
    """What the page says of one game: the figures of the winner only if there is one."""
    chances = [(float(w), float(1 - w - t)) for w, t, _ in map(tic_tac_toe, boards(moves))]
    leaders = [int(o > x) for x, o in chances if x != o]
    figures = {"lead_changes": float(sum(a != b for a, b in pairwise(leaders)))}
    if 1.0 in chances[-1]:
        winner = chances[-1].index(1.0)
        behind = [sqrt(max(pair) - pair[winner]) for pair in chances if max(pair) > pair[winner]]
        figures["drama"] = sum(behind) / len(behind) if behind else 0.0
        figures["comeback"] = min(pair[winner] for pair in chances)
        unsure = [at for at, pair in enumerate(chances) if pair[winner] < 0.9]
        figures["decided"] = (unsure[-1] + 1) / (len(chances) - 1)
        x, o = chances[len(chances) // 2]
        if abs(x - o) > CLEAR:
            figures["runaway"] = float((o > x) == winner)
    return figures


@pytest.fixture(scope="module")
def bench() -> GameRunner:
    return GameRunner(Variant("tic_tac_toe"), ["random"], 5, 1)


@pytest.mark.parametrize("figure", ["lead_changes", "drama", "comeback", "decided", "runaway"])
def test_it_is_what_exact_chances_give(bench: GameRunner, figure: str) -> None:
    curves = bench.compute_win_chance_curves(range(GAMES), PLAYOUTS)
    shown = getattr(measure_tension_of_recorded_games(bench.variant.game, curves), figure)
    values = []
    for curve in curves:
        for number in range(len(curve.numbers)):
            steps = curve.steps[curve.steps[:, GAME] == number]
            values.append(exactly([int(ident) for ident in steps[:, IDENT] if ident >= 0]))
    exact = [game[figure] for game in values if figure in game]
    assert shown.games == pytest.approx(len(exact), rel=0.02)  # leads near to a tie are seen or not
    assert shown.value == pytest.approx(np.mean(exact), abs=0.02)
