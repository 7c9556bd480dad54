"""Bots, chances and reports where some play together: what helps one seat of a team helps all."""

from __future__ import annotations

from pathlib import Path

import pytest

from playproof.lab.game_runner import GameRunner
from playproof.lab.phrases import iter_summary_sentences_of_report
from playproof.lab.random_play import compute_exact_random_play_or_none
from playproof.lab.report import ReportPlan, play_games_and_build_report
from playproof.language.random import Stream
from playproof.referee import Match, Variant
from playproof.referee.bots import Exact, Greedy, TreeSearch
from playproof.referee.bots.tree_search import learn_action_probabilities_or_none
from playproof.referee.engine import Engine
from playproof.referee.simulate import simulate
from playproof.referee.simulation_report import as_json
from playproof.table.bot_processes import estimate_win_chances_over_game
from tests.referee.seats import choice, sight
from tests.verifier.test_teams import CRISIS, HIDDEN, NIM

GIFTS = """from playproof import Game, Local, Options, score, when

def build(options: Options) -> Game:
    teams = [(0, 1), (2,)] if options.choice("teams", ["no", "yes"]) == "yes" else []
    g = Game("gifts", players=3, teams=teams)
    s = g.state
    g.array("coins", 3, 0, 9)
    g.integer("turn", 0, 2)
    g.returns(*(s.coins[n] for n in range(3)))
    g.fact(evaluate=[s.coins[n] for n in range(3)])
    give = g.phase("give", s.turn)

    @g.action(give, "{what}", what=["keep 1", "give 5 to the next"])
    def giving(what: Local) -> None:
        with when(what == 0):
            s.coins[s.turn] += 1
        with when(what == 1):
            s.coins[(s.turn + 1) % 3] += 5
        with when(s.turn == 1):
            score("counted")
        with when(s.turn != 1):
            s.turn = 1

    return g
"""
"""The first two may give more to the next than they may keep; only the first has its partner next."""


def variant_of(tmp_path: Path, rules: str, **values: str) -> Variant:
    folder = tmp_path / "game"
    folder.mkdir(exist_ok=True)
    (folder / "rules.py").write_text(rules, encoding="utf-8")
    return Variant(str(folder), values)


def test_exact_plays_for_its_team(tmp_path: Path) -> None:
    engine = Engine(Variant(CRISIS).game)
    assert Exact().value(engine, engine.start()) == pytest.approx((-7 / 9, -7 / 9))
    of_teams = Engine(variant_of(tmp_path, NIM).game)
    assert Exact().value(of_teams, of_teams.start()) == (1.0, -1.0, 1.0, -1.0)
    law = compute_exact_random_play_or_none(engine.compiled)
    assert law is not None
    assert law.best == pytest.approx(-7 / 9)


@pytest.mark.parametrize("machine", ["0", "1"])
def test_greedy_counts_what_its_partner_gets(machine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYPROOF_MACHINE", machine)
    for teams, first in (("no", "keep 1"), ("yes", "give 5 to the next")):
        variant = variant_of(tmp_path, GIFTS, teams=teams)
        match, engine = Match(variant), Engine(variant.game)
        assert variant.game.show(choice(Greedy(), match, engine, Stream(1))) == first
        result = simulate(variant, 20, seed=2, bots=["greedy"])
        mean = as_json(result)["seats"][1]["score_mean"]
        assert mean == (1 if teams == "no" else 6)


def test_a_search_proves_what_a_team_can_force(tmp_path: Path) -> None:
    variant = variant_of(tmp_path, NIM)
    engine, match = Engine(variant.game), Match(variant)
    best, *_ = TreeSearch(2000).rank_choices_by_search(sight(match, engine), Stream(0))
    assert (variant.game.show(best.ident), best.proved, best.value) == ("take 2", True, 1.0)
    second, *_ = TreeSearch(2000).rank_choices_by_search(
        sight(match.apply_all(["take 2", "take 1"]), engine), Stream(0)
    )
    assert (variant.game.show(second.ident), second.proved, second.value) == ("take 2", True, 1.0), "the partner"


def test_a_search_does_not_fear_its_partner(tmp_path: Path) -> None:
    """Its evaluation was its own coins minus the most of all others, the partner's too."""
    for teams, first in (("no", "keep 1"), ("yes", "give 5 to the next")):
        variant = variant_of(tmp_path, GIFTS, teams=teams)
        ident = choice(TreeSearch(300), Match(variant), Engine(variant.game), Stream(3))
        if teams == "yes":
            assert variant.game.show(ident) == first


def test_partners_do_not_hide_their_plan_from_anybody(tmp_path: Path) -> None:
    rules = HIDDEN.replace("    toss = ", "    g.fact(steps_within=3)\n    toss = ")
    variant = variant_of(tmp_path, rules)
    match = Match(variant).apply_all(["heads"])
    mixture = learn_action_probabilities_or_none(sight(match, Engine(variant.game)), 400, Stream(0))
    assert mixture is None or list(mixture.values()) == [1.0]


def test_what_is_said_of_players_who_win_together() -> None:
    report = play_games_and_build_report(
        GameRunner(Variant(CRISIS), ["random"] * 2, 0),
        ReportPlan(games=200, pairs=20, recorded=20, ladder=("random",), ladder_games=20),
    )
    first, *_ = iter_summary_sentences_of_report(report)
    assert first.startswith("How often the players win together: by chance ")
    assert report.starter is None
    assert report.rungs[0].against is None


def test_the_chances_of_a_team_are_those_of_each_of_its_seats() -> None:
    """Two who lost a game together had half a win each."""
    engine = Engine(Variant(CRISIS).game)
    told = estimate_win_chances_over_game(engine, [engine.start()], 1)
    first, second = told.shares[0]
    assert first == second < 0.2
