"""What a recorded game may claim and the rules refuse, each with its rule."""

from __future__ import annotations

import pytest

from playproof.cards.olith.rules.cards import ActionCard
from playproof.language import IllegalAction
from tests.rules.olith.scene import Scene


def expedition() -> Scene:
    """Seat 0 on red 1a, which was excavated this turn."""
    t = Scene().turn(0, ActionCard.EXPEDITION).stand(0, "red 1a", "red 1b").mana(0, 0, 0, 0)
    return t.do("excavate red 1a").skip_chance(["draw Cracked Idol"])


def moving() -> Scene:
    """Seat 0 has a unit in hand, with the Combat card in play."""
    return Scene().turn(0, ActionCard.COMBAT).stand(1, "blue 3a").do("move basic unit from camp")


def in_victory() -> Scene:
    """Seat 0 in a Victory Turn on a site with another player's token."""
    return Scene().turn(0).active("red 1a").stand(0, "red 1a").token(1, "red 1a").do("take a Victory Turn")


@pytest.mark.parametrize(
    ("scene", "words", "rule"),
    [
        (moving, "to blue 2a", "R63"),
        (moving, "attack blue 3a", "R63"),
        (moving, "attack Port", "R40"),
        (expedition, "excavate red 1a", "R45"),
        (expedition, "corrupt red 1a", "R78"),
        (expedition, "play Tin Oracle", "R39"),
        (lambda: expedition().give(0, "a105"), "play Tin Oracle", "R39"),
        (in_victory, "exhaust the unit on red 1a for a Victory Token", "R32"),
        (
            lambda: Scene().turn(0).phase("unlock", 0).mana(0, 0, 0, 0),
            "unlock the next red region with 2 Wisdom",
            "R60",
        ),
        (
            lambda: Scene().turn(0).phase("unlock", 0).mana(0, 0, 1, 0),
            "unlock the next red region with 0 Wisdom",
            "R59",
        ),
        (lambda: Scene().turn(0, ActionCard.TACTICS).phase("pay", 0).mana(0, 0, 0, 0), "pay 1 soul", "R42"),
    ],
)
def test_it_is_refused_with_its_rule(scene, words: str, rule: str) -> None:  # type: ignore[no-untyped-def]
    t = scene()
    with pytest.raises(IllegalAction, match=rf"not legal: {words}; .*{rule}: "):
        t.do(words)
    assert rule in t.refused(words)


def test_a_refusal_says_what_is_asked_and_what_there_is() -> None:
    t = Scene().turn(0, ActionCard.EXPEDITION).stand(0, "red 2a").mana(0, 0, 1, 0).wheel(4)
    t["dug", "red 2a"] = 1
    with pytest.raises(IllegalAction, match="R47: it costs 2 mana of the region, you have 1"):
        t.do("corrupt red 2a")


def test_an_action_of_another_moment_says_when_it_belongs() -> None:
    t = Scene().turn(0)
    with pytest.raises(IllegalAction, match="it belongs to: your Action Turn; now is: take a Victory Turn, or"):
        t.do("excavate red 1a")
