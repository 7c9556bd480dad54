"""Recorded games with one wrong move: the judge names the first illegal one with its rule."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from playproof.language import CHANCE
from playproof.referee import Match, Variant, judge
from playproof.referee.transcript import write

SHELLS = {"seashells": "yes"}
WRONG = [
    ("two pictures in one play", {}, "lay a Lava Golem worth 1", "R6"),
    ("more cards than free silhouettes", {}, "play 2 Turtle Rider", "R12"),
    ("no card at all", {}, "play nothing", "R6"),
    ("a look under a pile", {}, "look under Mother of Pearl", "R11"),
    ("a spot barred by a shell", SHELLS, "play 1 Undersea City", "R48"),
    ("two shells in a turn", SHELLS, "shell: Changing Sands", "R42"),
    ("a shell for the start after cards were played", SHELLS, "shell: Deep Catch", "R47"),
    ("a shell for the end before cards are played", SHELLS, "shell: Second Tide", "R44"),
]


def _until_wrong(options: dict[str, str], wrong: str, rule: str) -> Match:
    """A game played at random up to a moment in which only this rule stands against the move."""
    for seed in range(60):
        match, random = Match(Variant("opale", options), seed), Random(seed)
        while not match.over:
            broken = [b.rule for b in match.why_not(wrong)]
            action = match.game.get_action_of_ground_action_number(
                match.lexicon.list_action_ids_of_exact_wording(wrong)[0]
            )
            if match.actor != CHANCE and set(broken) == {rule} and match.state[0] in action.phases:
                return match
            moves = match.legal()
            match.apply(random.choices(moves, [m.weight for m in moves])[0].ident)
    raise AssertionError(f"{wrong} was never refused by {rule} alone")


@pytest.mark.parametrize(("what", "options", "wrong", "rule"), WRONG, ids=[w[0] for w in WRONG])
def test_a_wrong_move_is_named_with_its_rule(
    tmp_path: Path, what: str, options: dict[str, str], wrong: str, rule: str
) -> None:
    match = _until_wrong(options, wrong, rule)
    file = tmp_path / "game.txt"
    file.write_text(write(match).rstrip() + f"\n{wrong}\n", encoding="utf-8")
    (finding,) = judge(file)
    assert rule in str(finding), what
    file.write_text(write(match), encoding="utf-8")
    assert list(judge(file)) == []
