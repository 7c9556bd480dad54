"""Estimates of chances that stay open: what they say holds, they are called estimates, and no evidence has them.

The ten games in `solo_games/` were written from the documentation, of shapes that solo games have: a patience, push
your luck, tower defence, worker placement, dice allocation, deck building, roll and write, escape with events, pairs,
an engine of cards. `PLAYPROOF_SOLO=all` asks all of them.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from playproof.verifier.estimates.estimated_bounds import (
    PART,
    add_estimates_to_open_conclusion,
    estimate_mean_with_interval,
    estimate_share_with_wilson_interval,
)
from playproof.verifier.estimates.learned_play import train_player_on_drawn_games
from playproof.verifier.estimates.many_states import (
    BatchedGame,
    Goal,
    StateCountEstimate,
    estimate_state_count_by_sampling,
    sample_best_earnings_with_foresight,
)
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.questions.verdicts import ESTIMATED, SIZE, Conclusion, Verdict, format_answer_as_lines
from playproof.verifier.search.case import Budget, GameCase

GAMES = Path(__file__).parent / "solo_games"
CHANCES = {  # as proved by `prove --work 150` and more
    "dice_ship": 0.602172,
    "flooded_cave": 0.946418,
    "lone_farm": 0.943755,
    "mine_shaft": 0.909613,
    "pyramid_pairs": 0.527250,
    "roll_and_write": 0.978237,
    "small_deck": 0.994592,
    "tower_watch": 0.986103,
}
ALL = os.environ.get("PLAYPROOF_SOLO") == "all"
ASKED = sorted(CHANCES) if ALL else ["flooded_cave", "dice_ship"]
WON = Question("chance", "luck", {"outcome": "win"})


def goal_of(case: GameCase) -> Goal:
    return Goal(TargetReader(case.game).read_single_target_of_spec({"outcome": "win"}).condition, is_win=True)


def first_of(case: GameCase) -> np.ndarray:
    return np.array(case.first, dtype=np.int64)


@pytest.mark.parametrize("name", ASKED)
def test_nobody_beats_foresight(name: str) -> None:
    case = GameCase(str(GAMES / name))
    earned = sample_best_earnings_with_foresight(
        BatchedGame(case.game, goal_of(case)), first_of(case), 400 if ALL else 96, lambda: True
    )
    assert set(earned.tolist()) <= {0.0, 1.0}
    assert estimate_share_with_wilson_interval(float(earned.sum()), len(earned)).high >= CHANCES[name]


def test_foresight_of_one_draw_is_the_best_of_what_it_brings(tmp_path: Path) -> None:
    """One guesses which of three cards comes: by chance 1/3, and with foresight always."""
    (tmp_path / "guess").mkdir()
    (tmp_path / "guess" / "rules.py").write_text(GUESS, encoding="utf-8")
    case = GameCase(str(tmp_path / "guess"))
    play = BatchedGame(case.game, goal_of(case))
    assert sample_best_earnings_with_foresight(play, first_of(case), 32, lambda: True).mean() == 1.0
    [answer] = prove(str(tmp_path / "guess"), claims=[WON])
    assert answer.value == pytest.approx(1 / 3)
    assert estimate_state_count_by_sampling(play, first_of(case)) == StateCountEstimate(
        1 + 3 + 6, exact=True, endless=False
    )


GUESS = """
from playproof import CHANCE, Game, goto, lose, otherwise, when, win


def build(options):
    g = Game("guess")
    s = g.state
    g.integer("said", 0, 2)
    say, draw = g.phase("say", text="guess"), g.phase("draw", CHANCE, text="a card")

    @g.action(say, "say {card}", card=["a", "b", "c"])
    def saying(card):
        s.said = card
        goto(draw)

    @g.action(draw, "{card} comes", card=["a", "b", "c"])
    def comes(card):
        with when(card == s.said):
            win("right")
        with otherwise():
            lose("wrong")

    return g
"""


def test_a_learning_player_wins_where_bots_do_not_and_no_more_than_can_be_won() -> None:
    """Searches of 80 games win 23 times in 100 there, and best play 91 times."""
    case, rounds = GameCase(str(GAMES / "mine_shaft")), iter([True, True, False])
    trained = train_player_on_drawn_games(BatchedGame(case.game, goal_of(case)), first_of(case), lambda: next(rounds))
    earned = trained.player.play_games(1_000, np.random.default_rng(3)).earned
    figure = estimate_share_with_wilson_interval(float(earned.sum()), len(earned))
    assert figure.high > 0.75
    assert figure.low <= CHANCES["mine_shaft"]


@pytest.mark.parametrize("hidden", [False, True])
def test_a_learning_player_that_sees_all_says_nothing_of_who_does_not(tmp_path: Path, hidden: bool) -> None:
    """A guess of a card that lies there is right each time for who sees it, and one time in three for who does not."""
    sees, secret = (", sees=Sees.NOBODY", ', secret="card"') if hidden else ("", "")
    (tmp_path / "guess").mkdir()
    (tmp_path / "guess" / "rules.py").write_text(PEEK.format(sees=sees, secret=secret), encoding="utf-8")
    case = GameCase(str(tmp_path / "guess"))
    open_ = Conclusion(None, "none", reason="not asked")
    bound = add_estimates_to_open_conclusion(case, goal_of(case), 0, open_, Budget(work=10)).bound
    low = bound.get(ESTIMATED, {}).get("at least", 0.0)
    assert low < 1 / 3 if hidden else low > 0.99
    assert ("learning" in str(bound)) is not hidden


PEEK = """
from playproof import CHANCE, Game, Sees, goto, lose, otherwise, when, win


def build(options):
    g = Game("guess")
    s = g.state
    g.integer("card", 0, 2{sees})
    draw, say = g.phase("draw", CHANCE, text="a card"), g.phase("say", text="guess")

    @g.action(draw, "card {{card}} lies there", card=3{secret})
    def comes(card):
        s.card = card
        goto(say)

    @g.action(say, "say {{said}}", said=3)
    def saying(said):
        with when(said == s.card):
            win("right")
        with otherwise():
            lose("wrong")

    return g
"""


def test_a_size_is_right_within_a_factor_of_ten() -> None:
    """The kernel went through 10,308,352 states of it."""
    case = GameCase(str(GAMES / "dice_ship"))
    growth = estimate_state_count_by_sampling(BatchedGame(case.game, goal_of(case)), first_of(case), quick=True)
    assert not growth.exact
    assert 10_308_352 / 12 < growth.states < 10_308_352 * 10
    assert growth.describe_cost_of_exact_answer().startswith("exact takes about ")


def test_an_estimate_below_what_was_met_is_not_believed() -> None:
    growth = StateCountEstimate(1.4e6, False, False)
    assert growth.describe_cost_of_exact_answer(30, is_spent=True, states_met=2_148_336) == (
        "exact takes more than 2.1 million states; the 30 units of work given were too few: --work 90"
    )


def test_estimates_end_soon_after_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playproof.verifier.search.case.get_seconds_waited_for_machine_code", lambda: 0.0)
    budget = Budget(30, seconds=30.0)
    for behind_end, is_over in ((-1, False), (8.9, False), (9.1, True)):
        monkeypatch.setattr("playproof.verifier.search.case.perf_counter", lambda now=budget.end + behind_end: now)
        assert budget.is_late_by_share(PART) is is_over


def test_an_open_chance_has_estimates_beside_it_and_no_evidence_has_them(tmp_path: Path) -> None:
    said: list[str] = []
    [answer] = prove(str(GAMES / "dice_ship"), claims=[WON], work=4, output=tmp_path, progress=said.append)
    assert answer.verdict is Verdict.UNKNOWN
    assert answer.value is None
    estimated = answer.bound[ESTIMATED]
    assert 0 < estimated["at least"] <= CHANCES["dice_ship"] <= estimated["at most"]
    assert answer.bound[SIZE].startswith("exact takes about ")
    words = format_answer_as_lines(answer)
    assert "at least 0." in words
    assert "estimated: who knows what chance brings wins" in words
    assert "proved" not in words
    assert any("exact takes" in text for text in said)  # at the start, before the search
    files = list(tmp_path.rglob("*.json"))
    assert not [file for file in files if "estimated" in file.read_text(encoding="utf-8")]
    assert answer.as_json()["bound"][ESTIMATED]["foresight"]["games"] >= 16


def test_an_open_score_has_estimates_too() -> None:
    question = Question("score", "worth", {"number": "way", "play": "best"})
    [answer] = prove(str(GAMES / "dice_ship"), claims=[question], work=3)
    assert answer.verdict is Verdict.UNKNOWN
    assert 0 < answer.bound[ESTIMATED]["at most"] <= 14


def test_equal_values_leave_room_for_one_more() -> None:
    figure = estimate_mean_with_interval([2.0] * 30, 0, 10)
    assert figure.value == 2.0
    assert (figure.low, figure.high) == (1.0, 3.0)


@pytest.mark.walks("PLAYPROOF_SOLO")
@pytest.mark.parametrize("name", sorted(CHANCES))
def test_a_solo_game_is_answered(name: str) -> None:
    [answer] = prove(str(GAMES / name), claims=[WON], work=280)
    assert answer.value == pytest.approx(CHANCES[name], abs=2e-6)
