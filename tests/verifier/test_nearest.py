"""Why a target is in none of all states, in the game's words: which number is short, and how far it comes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question

RULES = '''
from playproof import Game, Options, lose, require, when, win


def build(options: Options) -> Game:
    """Three potions are to be brewed in four days."""
    g = Game("brew")
    s = g.state
    g.integer("herbs", 0, 9, 1)
    g.array("buckets", 2, 0, 9, [2, 0])
    g.integer("potions", 0, 3)
    g.integer("day", 1, 9, 1)
    g.fact(round="day")
    day = g.phase("day")
    g.quantity("day", s.day)
    g.quantity("water", s.buckets[0])

    def next_day() -> None:
        s.day += 1
        with when(s.day > 4):
            lose("time is up")

    @g.action(day, "pick herbs")
    def pick() -> None:
        s.herbs += 2
        next_day()

    @g.action(day, "brew")
    def brew() -> None:
        require((s.herbs >= 2) & (s.buckets[0] >= 1), "B1", "a potion takes two herbs and a bucket")
        s.herbs -= 2
        s.buckets[0] -= 1
        s.potions += 1
        with when(s.potions == 3):
            win("three potions")
        next_day()

    return g
'''
NEVER = "each of its conditions holds in some of them, never all at once; where the others hold,"


@pytest.mark.parametrize(
    ("of", "within", "words"),
    [
        ({"outcome": "win"}, None, "`potions` is 0 to 2 (at most 0, 1, 1, 2 by the end of rounds 1 to 4) there"),
        ({"holds": "water == 5"}, None, "`water` is 0 to 2 there"),
        ({"holds": "`buckets`[1] > 0"}, None, "`buckets[1]` is 0 there"),
        (
            {"holds": "potions == 2 and herbs >= 4"},
            None,
            f"{NEVER} `potions` is 0 to 1 (at most 0, 0, 1 by the end of rounds 2 to 4)",
        ),
        ({"holds": "herbs >= 6"}, {"rounds": 2}, f"{NEVER} `herbs` is 1 to 3"),
        ({"holds": "herbs * water == 27"}, None, "`herbs` is 1 to 9 and `the sum of buckets` is 0 to 2 there"),
    ],
)  # fmt: skip
def test_a_no_says_which_number_is_short(tmp_path: Path, of: Any, within: Any, words: str) -> None:
    (tmp_path / "rules.py").write_text(RULES, encoding="utf-8")
    [answer] = prove(str(tmp_path), claims=[Question("c", "reach", of, within)], work=5, machine=False)
    assert answer.value is False
    assert str(answer.bound["because"]).endswith(words)


def test_what_lies_outside_bounds_says_so(tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text(RULES, encoding="utf-8")
    question = Question("c", "reach", {"holds": "herbs >= 30"})
    [answer] = prove(str(tmp_path), claims=[question], work=5, machine=False, states=2)
    assert answer.bound["because"] == "its numbers cannot be so: it lies outside their bounds"
