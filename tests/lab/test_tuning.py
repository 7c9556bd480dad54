"""Designs that meet a target: on a race whose law a few lines compute exactly, without Playproof."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from playproof.database.errors import InputError
from playproof.database.game import load_game
from playproof.lab.card_worth import compute_win_or_score_gain_per_game_pair, measure_causal_worth_of_cards_best_first
from playproof.lab.game_runner import GameRunner, play_games_of_any_bots
from playproof.lab.tuning import DesignSearch, find_card_of_worth_figure, read_design_target_file
from playproof.language.registry import load_cards_if_rules_need_them
from playproof.referee.variant import Variant
from playproof.verifier.analysis.what_if import explain_first_unreachable_figure_or_empty
from tests.cli.conftest import Answer, playproof

__all__ = ["playproof"]
Call = Callable[..., Answer]

RACE = '''
from playproof import CHANCE, Game, Local, Options, goto, otherwise, when, win


def build(options: Options) -> Game:
    """Who first reaches the goal wins; the second player starts some places ahead."""
    goal, ahead = options.number("goal", range(4, 25), 12), options.number("ahead", range(12), 0)
    g = Game("race", players=2)
    s = g.state
    g.array("at", 2, 0, 40, [0, ahead])
    g.integer("turn", 0, 1)
    ask = g.phase("ask", actor=s.turn, text="walk")
    roll = g.phase("roll", CHANCE, text="the die")

    @g.action(ask, "roll", rule="R1")
    def rolling() -> None:
        goto(roll)

    @g.action(roll, "{pips} pips", pips=range(1, 4), rule="R2")
    def moving(pips: Local) -> None:
        s.at[s.turn] += pips
        goto(ask)
        with when(s.at[s.turn] >= goal):
            win("the goal is reached", winner=s.turn)
        with otherwise():
            s.turn = 1 - s.turn

    return g
'''
WANT = "want:\n  wins of player 1: [46, 54]\n  decisions per game: [17, 20]\n"


def fits(goal: int, ahead: int) -> bool:
    """Whether a race is within the target."""

    @cache
    def law(mine: int, other: int) -> tuple[Fraction, Fraction]:
        """Who is to move: the chance to win, and the rolls to come."""
        wins, rolls = Fraction(0), Fraction(1)
        for pips in (1, 2, 3):
            if mine + pips >= goal:
                wins += Fraction(1, 3)
            else:
                theirs, more = law(other, mine + pips)
                wins, rolls = wins + (1 - theirs) / 3, rolls + more / 3
        return wins, rolls

    wins, rolls = law(0, ahead)
    return Fraction(46, 100) <= wins <= Fraction(54, 100) and 17 <= rolls <= 20


@pytest.fixture
def race(tmp_path: Path) -> Path:
    (tmp_path / "race").mkdir()
    (tmp_path / "race" / "rules.py").write_text(RACE, encoding="utf-8")
    return tmp_path


def tuned(race: Path, change: str, **more: object) -> DesignSearch:
    (race / "target.yaml").write_text(f"change:\n{change}{WANT}", encoding="utf-8")
    tuning = DesignSearch(read_design_target_file(race / "target.yaml", str(race / "race")), jobs=1, **more)  # type: ignore[arg-type]
    tuning.try_designs_until_enough_meet_target()
    return tuning


def test_what_is_said_of_designs_is_so(race: Path) -> None:
    few = tuned(
        race,
        "  goal: [4, 18, 22]\n  ahead: [1, 4]\n",
        wanted=9,
        impossible=lambda variant, target: explain_first_unreachable_figure_or_empty(variant, target.want, 0.5),
    )
    verdicts = {design.words: design.verdict for design in few.designs.values()}
    assert len(verdicts) == few.target.design_count == 6
    for goal in (4, 18, 22):
        for ahead in (1, 4):
            right = ("meets",) if fits(goal, ahead) else ("misses", "impossible")
            assert verdicts[f"goal {goal}, ahead {ahead}"] in right
    assert verdicts["goal 4, ahead 4"] == "impossible"  # the first player cannot win


def test_no_share_of_games_is_above_all_or_below_none(race: Path) -> None:
    """The second player begins one step before the goal, so the first hardly ever wins."""
    file = race / "shares.yaml"
    want = "want:\n  wins of player 2: [90, 100]\n  wins of player 1: [0, 10]\n"
    file.write_text(f"change:\n  goal: [12]\n  ahead: [11]\n{want}", "utf-8")
    search = DesignSearch(read_design_target_file(file, str(race / "race")), jobs=1, games=100)
    search.try_designs_until_enough_meet_target()
    [design] = search.designs.values()
    for figure in design.figures.values():
        assert figure.low is not None
        assert figure.high is not None
        assert 0 <= figure.low <= figure.high <= 1


def test_a_fitting_design_is_found_among_many(race: Path) -> None:
    many = tuned(race, "  goal: all\n  ahead: all\n", tries=40, wanted=1)
    assert many.target.design_count == 252
    assert len(many.designs) == 40
    met = [
        tuple(map(int, (words.split()[1][:-1], words.split()[3])))
        for words in (d.words for d in many.designs_meeting_target)
    ]
    assert met
    assert all(fits(goal, ahead) for goal, ahead in met)


def test_cards_change_by_a_proposed_erratum(tmp_path: Path) -> None:
    text = "change:\n  sorcerer: {cards: [B4-1, R4-1], path: points, from: 1, to: [1, 0]}\nwant: {ties: [0, 5]}\n"
    (tmp_path / "target.yaml").write_text(text, encoding="utf-8")
    target = read_design_target_file(tmp_path / "target.yaml", "opale")
    assert target.format_erratum_yaml_or_empty((0,), "as it is") == ""
    data = target.build_variant_of_design((1,)).data
    before = load_cards_if_rules_need_them("opale")
    assert [data.components[ident].fields["points"] for ident in ("B4-1", "R4-1")] == [0, 0]
    assert before.components["B4-1"].fields["points"] == 1
    assert data.digest != before.digest
    assert data.applied[-1] == "1.3" not in [e.version for e in load_game("opale").errata]
    (tmp_path / "target.yaml").write_text(text.replace("from: 1", "from: 7"), encoding="utf-8")
    with pytest.raises(InputError, match="PP402"):
        _ = read_design_target_file(tmp_path / "target.yaml", "opale").build_variant_of_design((1,)).data


def test_the_worth_of_a_card_is_that_of_a_report() -> None:
    bench = GameRunner(Variant("kuhn_poker"), ["random"], 2, 1)
    for word in ("king", "jack"):
        thing = find_card_of_worth_figure(bench.variant, f"worth of {word}")
        parts = [
            compute_win_or_score_gain_per_game_pair(bench, thing, first, count) for first, count in ((0, 90), (90, 60))
        ]
        made = measure_causal_worth_of_cards_best_first(bench, [thing], 150)[0].held
        assert made is not None
        assert np.concatenate(parts).mean() == pytest.approx(made.value)


def test_the_command_tells_and_refuses(playproof: Call, race: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(race)  # what it makes lies below output/
    (race / "target.yaml").write_text(f"change:\n  goal: [20]\n  ahead: [1]\n{WANT}", encoding="utf-8")
    call = ("compare", "tune", race / "race", "--target", race / "target.yaml", "--work", "0")
    answer = playproof(*call)
    assert (answer.status, "meets: goal 20, ahead 1" in answer.out) == (0, True), answer.err
    assert json.loads(playproof(*call, "--json").out)["meeting"] == ["goal 20, ahead 1"]
    wrong = "change:\n  gaol: [20]\n  ahead: [99]\nwant:\n  wins of player 3: [1, 2]\n  ties: [5, 4]\n"
    (race / "target.yaml").write_text(wrong, encoding="utf-8")
    answer = playproof(*call)
    assert answer.status == 2
    for line, words in ((2, "`gaol`"), (3, "`ahead` cannot be 99"), (5, "wins of player 3"), (6, "[least, most]")):
        assert any(f"target.yaml:{line}:" in row and words in row for row in answer.err.splitlines()), answer.err


def test_at_most_so_many_numbers_change(race: Path) -> None:
    """Nothing is the usual race, goal 12 and nobody ahead; of three values each, one or none may be another."""
    text = f"change_at_most: 1\nchange:\n  goal: [18, 22]\n  ahead: [1, 4]\n{WANT}"
    (race / "target.yaml").write_text(text, encoding="utf-8")
    target = read_design_target_file(race / "target.yaml", str(race / "race"))
    tuning = DesignSearch(target, jobs=1, wanted=9, games=300)
    tuning.try_designs_until_enough_meet_target()
    assert target.design_count == len(tuning.designs) == 5
    assert {target.describe_design_as_names_and_values(choice) for choice in tuning.designs} == {
        "goal 12, ahead 0", "goal 18, ahead 0", "goal 22, ahead 0", "goal 12, ahead 1", "goal 12, ahead 4",
    }  # fmt: skip
    drawn = DesignSearch(target, jobs=1, tries=3, games=200)
    drawn.try_designs_until_enough_meet_target()
    assert len(drawn.designs) == 3
    assert all(map(target.is_within_allowed_change_count, drawn.designs))


def test_one_number_is_a_target_and_players_have_words(race: Path) -> None:
    text = "bots: [searching, by chance]\nchange: {goal: [12]}\nwant: {wins of player 1: 35, decisions per game: 20}\n"
    (race / "target.yaml").write_text(text, encoding="utf-8")
    target = read_design_target_file(race / "target.yaml", str(race / "race"))
    assert target.bots == ("mcts:80", "random")
    assert target.want["wins of player 1"] == pytest.approx((0.3, 0.4))
    assert target.want["decisions per game"] == pytest.approx((18, 22))


def test_bots_that_think_play_the_same_games_whoever_plays_them() -> None:
    """On threads the steps of one engine would share its lists; processes and one thread must agree."""
    benches = [GameRunner(Variant("tic_tac_toe"), ["mcts:5", "random"], 3, jobs) for jobs in (1, 2)]
    alone, both = (play_games_of_any_bots(bench, 0, 60) for bench in benches)
    assert np.array_equal(alone.endings, both.endings)
    assert np.array_equal(alone.decisions, both.decisions)
