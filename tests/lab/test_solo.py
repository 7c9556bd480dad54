"""What designers of games for one player, or for all together, ask first: how often, how hard, which card."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from playproof.cli.verbs.write import COOKBOOK, list_names_of_cookbook_games, list_template_kinds_of_new_games
from playproof.cli.verifier_answers import choose_closest_best_play_bounds, compute_best_play_if_single_side
from playproof.lab import phrases
from playproof.lab.card_worth import list_card_like_things_of_game
from playproof.lab.estimates import Estimate, classify_effects_above_or_below_others
from playproof.lab.game_runner import GameRunner
from playproof.lab.ladder import play_each_bot_against_lower_rung
from playproof.lab.phrases import describe_whether_thinking_pays
from playproof.lab.publisher_sheet import build_one_page_summary_for_publisher
from playproof.lab.report import BestPlay, Report, ReportPlan, play_games_and_build_report
from playproof.lab.report_blocks import DataTable, ReportDocument, ReportParagraph
from playproof.lab.report_document import build_report_document
from playproof.lab.report_page import render_report_to_markdown
from playproof.language.registry import list_example_game_names
from playproof.referee.batches import Batch, play_batch_with_cached_engine
from playproof.referee.variant import Variant
from tests.cli.conftest import Answer, playproof
from tests.published_games import get_published_game

__all__ = ["playproof"]
Call = Callable[..., Answer]
SAMPLE = ("clock_patience", get_published_game("tiny_hanabi"), "crisis_deck", "leduc_poker")
OF_SIDES = ("ead changes", "another side", "first two sides", "A seat loses", "a seat loses")
QUICK = ReportPlan(40, 6, 10)


def every_game() -> list[str]:
    """The examples and the cookbook: all in `make walks`, else a sample."""
    games = [*list_example_game_names(), *(str(COOKBOOK / name) for name in list_names_of_cookbook_games())]
    if os.environ.get("PLAYPROOF_REPORTS") == "all":
        return games
    return [game for game in games if Path(game).name in SAMPLE]


def sections(made: ReportDocument) -> dict[str, str]:
    """The words of each section."""
    words = {}
    for section in made.sections:
        parts = [part.text for block in section.blocks if isinstance(block, ReportParagraph) for part in block.parts]
        for block in section.blocks:
            if isinstance(block, DataTable):
                parts += [*block.heads, *(cell.text for row in block.rows for cell in row)]
        words[section.title] = " ".join(parts)
    return words


def check_words(report: Report) -> None:
    """Each page has a section on cards, and speaks of sides only where there are some."""
    made = build_report_document(report)
    words = sections(made)
    assert words["Cards"]
    assert ("How hard it is" in words) == report.is_solo
    if report.is_solo:
        text = render_report_to_markdown(made)
        assert not [phrase for phrase in OF_SIDES if phrase in text]
    assert build_one_page_summary_for_publisher(report, ["It can be won."]).sections


@pytest.mark.parametrize("game", every_game())
def test_each_game_has_a_report(game: str) -> None:
    bench = GameRunner(Variant(game), ["random"], 0, 1)
    report = play_games_and_build_report(bench, QUICK)
    check_words(report)
    dealt = [thing for thing in list_card_like_things_of_game(bench.variant) if thing.deals]
    names = {worth.word for worth in report.cards}
    assert report.dealt == len(dealt)
    assert names <= {thing.word for thing in list_card_like_things_of_game(bench.variant)}


@pytest.mark.parametrize(
    "kind", list_template_kinds_of_new_games() if os.environ.get("PLAYPROOF_REPORTS") == "all" else ["solo"]
)
def test_each_template_has_a_report(playproof: Call, tmp_path: Path, kind: str) -> None:
    assert playproof("new", "mine", "--kind", kind, "--in", str(tmp_path)).status == 0
    folder = tmp_path / "mine"
    if not (folder / "rules.py").is_file():
        return
    report = play_games_and_build_report(GameRunner(Variant(str(folder)), ["random"], 0, 1), QUICK)
    check_words(report)
    if kind in ("solo", "cooperative"):
        assert report.cards
        assert all(worth.component for worth in report.cards)


@pytest.fixture(scope="module")
def watch(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The report of a deck of events of which one takes, one gives, and three do nothing; two of five come."""
    folder = tmp_path_factory.mktemp("games") / "night"
    folder.mkdir()
    (folder / "rules.py").write_text(NIGHT, encoding="utf-8")
    return play_games_and_build_report(
        GameRunner(Variant(str(folder)), ["random"], 0, 1), ReportPlan(4000, 2000, 100, ("random", "mcts:20"), 60)
    )


NIGHT = """
from playproof import CHANCE, Bag, Game, Options, goto, lose, otherwise, when, win

NAMES = ["wolf", "star", "fog", "mist", "rain"]


def build(options):
    g = Game("night")
    s = g.state
    deck = Bag(g, "events", 5, 1, 1)
    g.integer("light", 0, 4, 2)
    g.integer("left", 0, 2, 2)
    event, act = g.phase("event", CHANCE, text="an event"), g.phase("act", text="wait or guess")

    def happens(card):
        s.left -= 1
        with when(card == 0):
            s.light -= 1
        with otherwise(card == 1):
            s.light += 1
        goto(act)

    @g.procedure()
    def go_on():
        with when(s.left > 0):
            goto(event)
        with otherwise(s.light >= 2):
            win("light enough")
        with otherwise():
            lose("dark")

    @g.action(act, "look up")
    def looking():
        go_on()

    deck.draw(g, event, "{card}", happens, labels=[f"{n} {name}" for n, name in enumerate(NAMES)])

    @g.action(act, "wait until {hour}", hour=["one", "two"])
    def waiting(hour):
        go_on()

    return g
"""


def test_an_event_is_worth_what_it_changes(watch: Report) -> None:
    """By hand: with the wolf first the star must come second, 1/4; kept away it never comes, and all is won. With the
    star first or never: 1, and without it the wolf must not be among two of four, 1/2. As they fall: the wolf is among
    two of five in 4 of 10 pairs, in one of these with the star, so 7/10 are won."""
    worths = {worth.word: worth for worth in watch.cards}
    assert len(worths) == 5
    for word, held, early, late in (("0 wolf", -0.75, -0.45, -0.3), ("1 star", 0.5, 0.3, 0.2)):
        worth = worths[word]
        for estimate, value in ((worth.held, held), (worth.early, early), (worth.late, late)):
            assert estimate is not None
            assert estimate.low is not None
            assert estimate.high is not None
            assert estimate.low - 0.02 <= value <= estimate.high + 0.02
    assert worths["0 wolf"].apart == -1
    assert worths["1 star"].apart == 1
    assert "too strong?" in render_report_to_markdown(build_report_document(watch))


def test_the_headline_is_a_ladder(watch: Report) -> None:
    first = next(phrases.iter_summary_sentences_of_report(watch))
    assert first.startswith("How often the player wins: by chance 70.00 % (exact); by search ")
    assert first.endswith("; at best 70.0 % (exact).")
    words = sections(build_report_document(watch))
    assert "wait until …" in words["Restricted play"]
    assert "look up" in words["Restricted play"]
    assert "waiting" not in render_report_to_markdown(build_report_document(watch))


def test_best_play_that_is_not_proved_is_called_an_estimate(watch: Report) -> None:
    best = BestPlay(None, 0.2, 0.93, proved=False, words="estimated so")
    said = phrases.format_best_play_phrase_or_empty(best, is_for_score=False)
    assert said == "the best at least 20.0 % (estimated); nobody more than 93.0 % (estimated)"
    assert "proved" not in phrases.format_best_play_for_table(best, is_for_score=False)
    open_end = BestPlay(None, 0.2, 0.9996, proved=False)
    assert (
        phrases.format_best_play_phrase_or_empty(open_end, is_for_score=False) == "the best at least 20.0 % (estimated)"
    )
    assert phrases.format_best_play_for_table(open_end, is_for_score=False) == "at least 20.0 % (estimated)"


def test_each_end_of_best_play_says_whether_it_is_proved() -> None:
    """A score of which one end alone is proved was called an estimate, and a proved score of 1 or more was left out."""
    one_end = choose_closest_best_play_bounds({"at least": 14.0, "estimated": {"at most": 31.5}}, is_chance=False)
    assert one_end is not None
    said = phrases.format_best_play_for_table(one_end, is_for_score=True)
    assert said == "at least 14.0 (proved), at most 31.5 (estimated)"
    assert phrases.format_best_play_phrase_or_empty(one_end, is_for_score=True) == (
        "the best at least 14.00 (proved); nobody more than 31.50 (estimated)"
    )
    high = choose_closest_best_play_bounds({"at most": 20}, is_chance=False)
    assert high is not None
    assert phrases.format_best_play_phrase_or_empty(high, is_for_score=True) == "nobody more than 20.00 (proved)"
    low = choose_closest_best_play_bounds({"at least": 3, "estimated": {"at least": 2.5}}, is_chance=False)
    assert low is not None
    assert phrases.format_best_play_phrase_or_empty(low, is_for_score=True) == "the best at least 3.00 (proved)"
    closer = {"at least": 0.1, "at most": 0.9, "estimated": {"at least": 0.4, "at most": 0.8}}
    estimates = choose_closest_best_play_bounds(closer, is_chance=True)
    assert estimates is not None
    cell = phrases.format_best_play_for_table(estimates, is_for_score=False)
    assert cell == "at least 40.0 % (estimated), at most 80.0 % (estimated)"
    assert choose_closest_best_play_bounds({"at least": 0, "at most": 1}, is_chance=True) is None


def test_noise_does_not_stand_apart() -> None:
    alike = [Estimate(value / 100, value / 100 - 0.03, value / 100 + 0.03, 500) for value in (0, 1, 2, 3, 4)]
    assert classify_effects_above_or_below_others(alike) == [0] * 5
    assert classify_effects_above_or_below_others([*alike, Estimate(0.3, 0.27, 0.33, 500)]) == [0, 0, 0, 0, 0, 1]


def test_a_careful_player_that_loses_more_than_chance_is_named() -> None:
    """It said that no bot wins clearly more than another, above rates that do not overlap."""

    def rung(bot: str, low: float, high: float) -> SimpleNamespace:
        return SimpleNamespace(bot=bot, wins=SimpleNamespace(value=(low + high) / 2, low=low, high=high))

    rungs = [rung("random", 0.155, 0.266), rung("greedy", 0.014, 0.064)]
    seat = SimpleNamespace(exact=None, wins=rungs[0].wins)
    report = SimpleNamespace(rungs=rungs, seats=[seat], bench=SimpleNamespace(bots=["random"]))
    words = describe_whether_thinking_pays(cast(Report, report))
    assert words.startswith("a careful player wins clearly less often than who plays by chance")


LAMPS = """
from playproof import CHANCE, EVERYBODY, Game, Sees, goto, lose, otherwise, require, when, win


def build(options):
    g = Game("lamps", players=2, teams=[(0, 1)])
    s = g.state
    g.array("oil", 2, 0, 2, sees=Sees.OWNER)
    g.integer("need", 1, 3)
    g.integer("lit", 0, 4)
    g.integer("turn", 0, 1)
    deal = g.phase("deal", CHANCE, text="oil for both")
    act = g.phase("act", s.turn, text="light or wait")

    @g.action(deal, "{a} and {b}, need {need}", a=range(0, 3), b=range(0, 3), need=range(1, 4), secret=["a", "b"])
    def dealt(a, b, need):
        s.oil[0] = a
        s.oil[1] = b
        s.need = need
        goto(act)

    @g.procedure()
    def finish():
        with when(s.turn == 0):
            s.turn = 1
        with otherwise(s.lit == s.need):
            win("lit", winner=EVERYBODY)
        with otherwise():
            lose("dark")

    @g.action(act, "light {n}", n=range(0, 3))
    def light(n):
        require(s.oil[s.turn] == n, "L1", "all the oil or none")
        s.lit += n
        finish()

    @g.action(act, "wait")
    def wait():
        finish()

    return g
"""


def test_a_team_is_told_who_carries_whom_and_what_deciding_apart_costs(tmp_path: Path) -> None:
    """By hand: who sees his own oil alone wins 12 of the 27 deals, who sees all 13."""
    (tmp_path / "lamps").mkdir()
    (tmp_path / "lamps" / "rules.py").write_text(LAMPS, encoding="utf-8")
    variant = Variant(str(tmp_path / "lamps"))
    plan = ReportPlan(40, 2, 10, ("random", "mcts:20"), 120)
    report = play_games_and_build_report(GameRunner(variant, ["random"], 0, 1), plan)
    report.best, report.shared = (
        compute_best_play_if_single_side(variant, 10, lambda _: None, seeing=seeing) for seeing in ("", "all")
    )
    assert report.best is not None
    assert report.shared is not None
    assert report.best.value == pytest.approx(12 / 27)
    assert report.shared.value == pytest.approx(13 / 27)
    carrying = report.carrying
    assert carrying is not None
    assert carrying.weak == "random"
    first, second = carrying.seats
    assert first.stronger == second.weaker  # of two, one alone plays better if the other alone plays worse
    assert carrying.all_strong.games == first.stronger.games == 120
    words = sections(build_report_document(report))["Together"]
    assert "costs the best play 3.7 percentage points (proved)" in words
    assert "by search and the others by chance" in words


def test_what_deciding_apart_costs_is_proved_only_if_all_its_ends_are() -> None:
    apart = BestPlay(None, 0.4, 0.5, proved=False, low_proved=True)
    loss = phrases.compute_loss_of_deciding_apart(apart, BestPlay(0.6, 0.6, 0.6, proved=True))
    assert (loss.low, loss.high, loss.is_proved) == (pytest.approx(0.1), pytest.approx(0.2), False)
    apart = BestPlay(None, 0.4, None, proved=False, low_proved=True)
    loss = phrases.compute_loss_of_deciding_apart(apart, BestPlay(0.6, 0.6, 0.6, proved=True))
    assert (loss.low, loss.high, loss.is_proved) == (0.0, pytest.approx(0.2), True)


def test_a_rung_of_a_team_counts_each_game_once(tmp_path: Path) -> None:
    """Each seat of a team was played in turn, and so the same games were counted once for each."""
    (tmp_path / "lamps").mkdir()
    (tmp_path / "lamps" / "rules.py").write_text(LAMPS, encoding="utf-8")
    variant = Variant(str(tmp_path / "lamps"))
    [rung] = play_each_bot_against_lower_rung(GameRunner(variant, ["random"], 0, 1), ["random"], 2.0, 60)
    played = play_batch_with_cached_engine(Batch(variant, ("random", "random"), 0, 0, 60))
    assert (rung.wins.games, rung.wins.value) == (60, played.wins[0] / 60)
    assert 0 < played.wins[0] < 60


def test_cards_of_games_that_are_hardly_ever_won_are_said_to_show_little() -> None:
    wins = SimpleNamespace(value=0.017)
    bench = SimpleNamespace(is_for_score=False, players_text="random players")
    report = SimpleNamespace(cards=[1], is_solo=True, bench=bench, seats=[SimpleNamespace(exact=None, wins=wins)])
    [sentence] = phrases.iter_sentences_on_cards_in_rare_wins(cast(Report, report))
    assert "of which 1.7 % are won" in sentence
    wins.value = 0.0
    assert "none is won" in next(phrases.iter_sentences_on_cards_in_rare_wins(cast(Report, report)))
    wins.value = 0.2
    assert not list(phrases.iter_sentences_on_cards_in_rare_wins(cast(Report, report)))
