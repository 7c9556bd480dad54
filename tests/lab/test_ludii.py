"""Ludii's measures of five classics against ours, both of random play.

`LUDII` is what the program Ludii (its source of 1 August 2023, built and run on 2026-11-27) says of 2,000 random games;
`PUBLISHED` is what its authors publish (`Mining/res/concepts/input/ToMerge` in their repository) of 100 random games,
rounded to two decimals.

Ludii goes on when a board is full: both players pass before it calls the game a draw. Such a game has two moves more
there, and none of them is a decision. Our figures end with the last stone, so the passes are added here.
"""

from __future__ import annotations

import re
from functools import cache
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from playproof.lab.card_worth import HoldingStatistics
from playproof.lab.game_runner import GameRunner, IntArray, play_games_of_any_bots
from playproof.lab.report import (
    ReportPlan,
    _estimate_forced_share_and_branching,
    _estimate_seat_results_and_endings,
    _record_games_into_holdings_count_legal,
    _summarize_decisions_with_quantiles,
    play_games_and_build_report,
    report_to_json_values,
)
from playproof.referee.batches import flag_games_won_by_each_seat_and_tied
from playproof.referee.variant import Variant
from tests.published_games import get_published_game

CLASSICS = Path(__file__).parent / "classics"
DOCS = Path(__file__).parents[2] / "docs"
GAMES, RECORDED = 20_000, 2_000
ERRORS = 3.5  # standard errors that a figure may be off: one false alarm in about two thousand
PASSES = 2
MEASURES = (
    "AdvantageP1",
    "Balance",
    "Completion",
    "Drawishness",
    "Timeouts",
    "DurationTurns",
    "DurationTurnsStdDev",
    "DecisionMoves",
    "DecisionFactorAverage",
)
LUDII = {
    "tic_tac_toe": (0.6390, 0.7220, 0.8690, 0.1310, 0, 7.8975, 1.6864, 0.9398, 5.8580),
    "connect_four": (0.5588, 0.8825, 0.9975, 0.0025, 0, 21.4295, 7.3118, 0.9995, 6.8303),
    "breakthrough": (0.5135, 0.9730, 1.0, 0.0, 0, 63.9195, 15.8014, 1.0, 25.8198),
    "domineering": (0.5275, 0.9450, 1.0, 0.0, 0, 15.4505, 1.1373, 0.9402, 13.9439),
    "gomoku": (0.4995, 0.9990, 1.0, 0.0, 0, 111.8305, 27.0523, 1.0, 169.5848),
}
PUBLISHED = {
    "tic_tac_toe": (0.61, 0.77, 0.87, 0.13, 0, 7.8, 1.74, 0.94),
    "connect_four": (0.45, 0.89, 0.99, 0.01, 0, 20.94, 7.06, 1),
    "breakthrough": (0.46, 0.92, 1, 0, 0, 65.1, 16.06, 1),
    "domineering": (0.55, 0.90, 1, 0, 0, 15.53, 1.04, 0.94),
    "gomoku": (0.49, 0.98, 1, 0, 0, 111.11, 26.98, 1),
}
VARIANTS: dict[str, tuple[str, dict[str, str | int]]] = {
    "tic_tac_toe": ("tic_tac_toe", {}),
    "connect_four": ("connect_four", {"width": 7, "height": 6}),
    "domineering": (get_published_game("domineering"), {"rows": 6, "columns": 6}),
}


@cache
def measures(name: str) -> dict[str, tuple[float, float]]:
    """Return Ludii's measures from the figures of a report on random games, each with the spread of one game."""
    ref, options = VARIANTS.get(name, (str(CLASSICS / name), {}))
    bench = GameRunner(Variant(ref, options), ["random"], 0)
    batch = play_games_of_any_bots(bench, 0, GAMES)
    seats, _, ties, endings = _estimate_seat_results_and_endings(bench, batch, None)
    length = _summarize_decisions_with_quantiles(batch, False)[0]
    legal = _record_games_into_holdings_count_legal(
        bench, ReportPlan(GAMES, recorded=RECORDED), HoldingStatistics([], 2)
    )[0]
    forced, factor = (estimate.value or 0.0 for estimate in _estimate_forced_share_and_branching(legal))
    first, second, tied = (estimate.value or 0.0 for estimate in (seats[0].wins, seats[1].wins, ties))
    unfinished = sum(end.share.value or 0.0 for end in endings if not end.kind)
    _, draws = flag_games_won_by_each_seat_and_tied(bench.variant.game, batch.endings, batch.returns)
    moves = batch.decisions + PASSES * draws
    deviation = float(moves.std())
    full = float(batch.decisions[draws].mean()) if draws.any() else 1.0
    passed = tied * (1 / full - (1 + PASSES) / (full + PASSES))  # the last stone is forced, and so are passes
    wins, tying = sqrt(max(0.0, first + second - (first - second) ** 2)), sqrt(tied * (1 - tied))
    per_game = _per_game(legal)
    return {
        "AdvantageP1": (first + tied / 2, wins / 2),
        "Balance": (1 - abs(first - second), wins),
        "Completion": (1 - tied - unfinished, tying),
        "Drawishness": (tied, tying),
        "Timeouts": (unfinished, 0.0),
        "DurationTurns": ((length.value or 0.0) + PASSES * tied, deviation),
        "DurationTurnsStdDev": (deviation, float(((moves - moves.mean()) ** 2).std()) / 2 / deviation),
        "DecisionMoves": (1 - forced + passed, per_game[0]),
        "DecisionFactorAverage": (factor, per_game[1]),
    }


def _per_game(legal: IntArray) -> tuple[float, float]:
    """Return how far games differ in their share of decisions with a choice, and in how many actions these have."""
    games, counts = legal
    free = np.bincount(games, counts > 1)
    shares = free / np.bincount(games)
    return float(shares.std()), float((np.bincount(games, np.where(counts > 1, counts, 0)) / free).std())


@pytest.mark.parametrize("name", LUDII)
def test_ludii_measures_the_same(name: str) -> None:
    agree(name, LUDII[name], 2_000, 0.00005)


@pytest.mark.parametrize("name", PUBLISHED)
def test_what_ludii_publishes_is_what_its_hundred_games_allow(name: str) -> None:
    agree(name, PUBLISHED[name], 100, 0.005)


def agree(name: str, theirs: tuple[float, ...], games: int, rounding: float) -> None:
    """Our figures lie within the standard errors of both samples, and their rounding."""
    ours = measures(name)
    for measure, value in zip(MEASURES, theirs, strict=False):
        mine, spread = ours[measure]
        allowed = ERRORS * spread * sqrt(1 / games + 1 / RECORDED) + rounding
        assert abs(mine - value) <= allowed, f"{measure} of {name}: ours {mine:.4f}, Ludii's {value}"


def test_the_page_names_figures_that_a_report_has() -> None:
    page = (DOCS / "howto" / "coming-from.md").read_text(encoding="utf-8")
    rows = page.partition("## Ludii and TAG")[2].splitlines()
    cells = [re.findall(r"`(\w+)[\w.\[\]]*`", row.rsplit("|", 2)[1]) for row in rows if row.startswith("| ")][1:]
    names = {name for row in cells for name in row}
    assert len(cells) > 9
    assert {"seats", "ties", "forced", "branching", "tension"} < names
    data = report_to_json_values(
        play_games_and_build_report(GameRunner(Variant("tic_tac_toe"), ["random"], 0), ReportPlan(200, 2, 20))
    )
    assert names <= {*data, "decisions"}
    assert {"wins", "score"} <= set(data["seats"][0])
    assert "rounds" in data["quantiles"]
