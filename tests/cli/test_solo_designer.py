"""What a designer of a solo game with dice met: names of values in claims, numbers of choices, words for difficulty."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from playproof.lab.phrases import describe_difficulty_in_one_or_two_words
from playproof.lab.report import BestPlay, Report
from playproof.language import RulesError
from playproof.language.game_analysis import list_player_actions_before_chance
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.verifier.estimates.many_states import StateCountEstimate

Call = Callable[..., Any]
WEATHER = """
    g.integer("weather", 0, 2)
    g.array("sky", 2, 0, 1)
    g.fact(values={"weather": ["dry", "wet", "wild"]}, names={"sky": ["east", "west"]})
"""
ROLL = """
    dare = g.phase("dare", text="dare or rest")
    roll = g.phase("roll", CHANCE, text="the die")

    @g.action(dare, "dare the die")
    def dare_the_die() -> None:
        goto(roll)

    @g.action(dare, "rest")
    def rest() -> None:
        goto(choose)

    @g.action(roll, "roll {face}", face=range(1, 7))
    def roll_the_die(face: Local) -> None:
        s.weather = face // 3
        s.sky[0] = 1
        goto(choose)
"""


@pytest.fixture
def game(playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The solo template with a die that players dare after each card."""
    monkeypatch.chdir(tmp_path)
    playproof("new", "lamp", "--kind", "solo")
    rules = tmp_path / "lamp" / "rules.py"
    text = rules.read_text("utf-8")
    text = text.replace("    choose = g.phase", f"{WEATHER}    choose = g.phase", 1)
    text = text.replace('    @g.action(choose, "walk on"', f'{ROLL}\n    @g.action(choose, "walk on"', 1)
    text = text.replace("        goto(choose)\n        with when(rest", "        goto(dare)\n        with when(rest", 1)
    rules.write_text(text, "utf-8")
    return tmp_path / "lamp"


def replace_text(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def test_names_of_values_stand_in_claims(playproof: Call, game: Path) -> None:
    claims = game / "claims.yaml"
    claims.write_text(
        'claims:\n  wild: {ask: reach, says: It can be wild., of: {holds: "weather == wild"}, expect: true}\n', "utf-8"
    )
    proved = playproof("prove", "lamp")
    assert (proved.status, "PROVEN   wild" in proved.out) == (0, True), proved.err
    replace_text(claims, "== wild", "== wlid")
    refused = playproof("prove", "lamp")
    assert 'PP702 claim `wild`: `wlid` is no value of `weather` (did you mean "wild"?)' in refused.err


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (', "wild"]', "]", "the fact `values` has 2 of the 3 values of `weather`"),
        ('["east", "west"]', '["east"]', "the fact `names` has 1 of the 2 places of `sky`"),
    ],
)
def test_a_list_of_names_that_is_too_short_is_refused(
    playproof: Call, game: Path, old: str, new: str, said: str
) -> None:
    replace_text(game / "rules.py", old, new)
    with pytest.raises(RulesError, match=r"has \d of the \d"):
        build("lamp", Options())
    refused = playproof("lint", "lamp")
    assert refused.status == 2
    assert f"PP387 {said}" in refused.err


def test_an_effect_that_no_rule_reads_is_warned_of(playproof: Call, game: Path) -> None:
    """The rules read the effects, and of these two alone by name."""
    harm = "  harm:\n    args: {n: integer}\n    text: 'Harm {n}'\n    words: 'take {n} harm'\n\nkinds:\n"
    replace_text(game / "vocabulary.yaml", "\nkinds:\n", f"\n{harm}")
    replace_text(game / "paths.yaml", "effects: [{gain: {light: 1}}]", "effects: [{gain: {light: 1}}, {harm: 2}]")
    linted = playproof("lint", "lamp")
    assert "PP388 warning: the effect `harm` of 04 changes nothing in play" in linted.out
    replace_text(
        game / "rules.py", 'total(card, "gain", "light") -', 'total(card, "gain", "light") - total(card, "harm", "") -'
    )
    assert "PP388" not in playproof("lint", "lamp").out


def test_why_and_read_take_the_numbers_that_are_printed(playproof: Call, game: Path) -> None:
    said = playproof("play", "lamp", stdin="1\nwhy 2\nwhy 9\nread 1\nread 5\nquit\n").out
    assert "nothing forbids it: rest" in said
    assert "there is no choice 9: they are 1 to 2" in said
    assert "choice 1 names no card: dare the die" in said
    assert "A Cold Wind (path)" in said


def test_choices_that_chance_answers_are_known(game: Path) -> None:
    names = [action.text for action in list_player_actions_before_chance(build("lamp", Options()))]
    assert names == ["dare the die", "walk on"]


def test_play_by_chance_is_called_so(playproof: Call, game: Path) -> None:
    said = playproof("simulate", "lamp", "--games", "20")
    assert "this is play by chance: `--bot greedy` plays better" in said.err
    assert "by chance" not in playproof("simulate", "lamp", "--games", "20", "--bot", "greedy").err


def test_advice_asks_for_more_work_than_was_given() -> None:
    few = StateCountEstimate(1_000_000.0, exact=False, endless=False)
    assert few.describe_cost_of_exact_answer(10).endswith(": --work 20")
    assert few.describe_cost_of_exact_answer(20).endswith("within the work that is given")
    spent = few.describe_cost_of_exact_answer(20, is_spent=True)
    assert spent.endswith("the 20 units of work given were too few: --work 60")


TRIED = "for the players that were tried"


@pytest.mark.parametrize(
    ("best", "searching", "word"),
    [
        (BestPlay(0.67, 0.67, 0.67, proved=True), (0.3, 0.25, 0.35), "even"),
        (
            BestPlay(None, 0.67, None, proved=False, low_proved=True),
            (0.3, 0.25, 0.35),
            f"even {TRIED}, perhaps very easy for better ones",
        ),
        (BestPlay(None, 0.67, 0.69, proved=False), (0.3, 0.25, 0.35), "even"),
        (
            BestPlay(None, 0.21, 0.95, proved=False),
            (0.3, 0.25, 0.35),
            f"hard {TRIED}, perhaps very easy for better ones",
        ),
        (None, (0.3, 0.25, 0.35), f"hard {TRIED}"),
        (None, (0.3, 0.15, 0.5), f"very hard to even {TRIED}"),
    ],
)
def test_the_word_for_difficulty_rests_on_the_best_player_known(
    best: BestPlay | None, searching: tuple[float, float, float], word: str
) -> None:
    """A game that best play wins 67 times in 100 was called hard, for the bots that were tried; one that it wins 91
    times in 100, of which nothing was known but that, very hard to hard."""
    value, low, high = searching
    by_chance = SimpleNamespace(value=0.05, low=0.04, high=0.06, exact=False)
    rungs = [SimpleNamespace(bot="mcts:80", wins=SimpleNamespace(value=value, low=low, high=high))]
    report = SimpleNamespace(best=best, rungs=rungs, seats=[SimpleNamespace(exact=None, wins=by_chance)])
    assert describe_difficulty_in_one_or_two_words(cast(Report, report)) == word
