"""A game for one player that ends with a score: nobody can win, so the lab measures scores.

A gem is drawn, and kept for its worth or sold for 2. What random players score is computed here by hand.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from playproof.lab.card_worth import (
    compute_win_or_score_gain_per_game_pair,
    list_actions_to_deny_a_seat,
    list_card_like_things_of_game,
)
from playproof.lab.compare import parse_reference_to_version_or_raise, play_versions_until_settled_or_limit
from playproof.lab.estimates import Estimate
from playproof.lab.game_runner import GameRunner
from playproof.lab.report import Report, ReportPlan, play_games_and_build_report
from playproof.lab.report_document import build_report_document
from playproof.lab.report_page import render_report_to_markdown
from playproof.referee.variant import Variant
from tests.cli.conftest import Answer, playproof

__all__ = ["playproof"]
GEMS = """
from playproof import CHANCE, Game, Local, Options, goto, require, score, when

GEMS, WORTH, SOLD = ["quartz", "opal", "ruby"], [1, 2, 6], 2


def build(options: Options) -> Game:
    g = Game("gems")
    s = g.state
    g.integer("hand", 0, 3, labels=["none", *GEMS])
    g.integer("earned", 0, 6)
    g.returns(s.earned)
    draw, use = g.phase("draw", CHANCE, text="a gem is drawn"), g.phase("use", text="use the gem")
    worth = g.table("worth", WORTH)

    @g.action(draw, "draw the {gem}", gem=GEMS, rule="G1")
    def drawing(gem: Local) -> None:
        s.hand = gem + 1
        goto(use)

    @g.action(use, "keep the {gem}", gem=GEMS, rule="G2")
    def keeping(gem: Local) -> None:
        require(s.hand == gem + 1, "G2", "you have another one")
        s.earned = worth[gem]
        score("kept")

    @g.action(use, "sell it", rule="G3")
    def selling() -> None:
        s.earned = SOLD
        score("sold")

    return g
"""
RANDOM = (3 + 2) / 2  # a gem kept is worth 3 on average
RUBY = (6 + 2) / 2 - (1.5 + 2) / 2
NEVER_SELL = RANDOM - 3


@pytest.fixture(scope="module")
def gems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("games") / "gems"
    folder.mkdir()
    (folder / "rules.py").write_text(GEMS, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def report(gems: Path) -> Report:
    return play_games_and_build_report(GameRunner(Variant(str(gems)), ["random"], 0, 1), ReportPlan(4000, 3000, 200))


def holds(estimate: Estimate, exact: float) -> bool:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low - 0.05 < exact < estimate.high + 0.05


def test_a_version_that_scores_more_is_told_apart(gems: Path) -> None:
    result = play_versions_until_settled_or_limit(
        parse_reference_to_version_or_raise(str(gems), 0, 1),
        parse_reference_to_version_or_raise(f"{gems}:bot=exact", 0, 1),
        2000,
    )
    score = result.figures[0]
    assert score.name == "score of player"
    assert score.settled == "differs"
    assert holds(score.difference, (2 + 2 + 6) / 3 - RANDOM)
    assert not [figure.name for figure in result.figures if figure.name.startswith(("wins", "ties"))]


def test_the_worth_of_a_card_is_in_points_of_score(report: Report) -> None:
    ruby = next(worth for worth in report.cards if worth.word == "ruby")
    assert ruby.held is not None
    assert holds(ruby.held, RUBY)
    assert ruby.counts
    assert ruby.association is not None
    assert holds(ruby.association, RUBY)
    selling = next(choice for choice in report.choices if choice.word == "sell it")
    assert selling.used is not None
    assert holds(selling.used, NEVER_SELL)
    thing = next(thing for thing in list_card_like_things_of_game(report.bench.variant) if thing.word == "ruby")
    assert compute_win_or_score_gain_per_game_pair(report.bench, thing, 0, 3000).mean() == pytest.approx(
        ruby.held.value
    )


def test_the_page_says_scores_and_no_wins(report: Report) -> None:
    text = render_report_to_markdown(build_report_document(report))
    assert re.search(r"^\* What the player scores: by chance 2\.[45]\d \(2\.\d\d to 2\.\d\d\)", text, re.MULTILINE)
    assert "points of score if it comes first" in text
    assert "| score | 1 |" in text
    assert "percentage points" not in text
    assert "wins |" not in text
    assert "share of games" not in text.partition("## How hard it is")[2].partition("## Endings")[0]


def test_a_target_may_want_a_score(playproof: Callable[..., Answer], gems: Path, tmp_path: Path) -> None:
    target = tmp_path / "target.yaml"
    target.write_text("change: {gem: [1]}\nwant: {score of player: [2, 4], wins of player: [1, 2]}\n")
    answer = playproof("compare", "tune", str(gems), "--target", str(target))
    assert answer.status == 2
    assert "no figure `wins of player`" in answer.err
    assert "no figure `score of player`" not in answer.err


def test_a_game_without_cards_is_asked_about_its_named_choices(report: Report) -> None:
    assert [thing.word for thing in list_actions_to_deny_a_seat(report.bench, [])] == [
        "keep the {gem}",
        "sell it",
        "keep the quartz",
        "keep the opal",
        "keep the ruby",
    ]
    assert [
        thing.word
        for thing in list_actions_to_deny_a_seat(report.bench, list_card_like_things_of_game(report.bench.variant))
    ] == ["keep the {gem}", "sell it"]
