"""The Stone Dragon pawn and the end of the game: R24, R25, R34 to R38."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Tabletop = Callable[..., Any]
REST = ["Mother of Pearl 1", "Mother of Pearl 2", "Undersea City", "Octopus Hunter 2"]
OTHER = [*REST, "Guardian of Darkness 1"]
HAND = ["Sorcerer of the Abyss 1", *REST]
DRAGON = {"red": ["Petrified Dragon 3"]}
TAKE = ("play 1 Sorcerer of the Abyss", "take all Petrified Dragon")


def test_a_petrified_dragon_brings_the_pawn_and_a_sixth_card(table: Tabletop) -> None:
    """R24."""
    scene = table().arrange(HAND, OTHER, on=DRAGON).do(*TAKE).chance()
    assert (scene.number("blue has the pawn"), scene.at("held", 0)) == (1, 6)


def test_no_dragon_no_pawn(table: Tabletop) -> None:
    """R24, R16: an empty spot gives nothing."""
    scene = table().arrange(HAND, OTHER, on={"red": ["Mother of Pearl 4"]}).do(*TAKE).chance()
    assert (scene.at("pawn"), scene.at("held", 0)) == (0, 5)


def test_former_holder_gives_a_random_card_back(table: Tabletop) -> None:
    """R25, A4: on top of the draw pile, known to its owner, drawn next."""
    six = [*OTHER, "Turtle Rider 2"]
    scene = table().arrange(HAND, six, on=DRAGON, pawn=2).do(*TAKE)
    assert (scene.phase, scene.play.actor(scene.state)) == ("give back", -1)
    assert "Turtle Rider 2 goes back" in scene.legal()
    scene.do("Turtle Rider 2 goes back")
    assert (scene.at("held", 1), scene.at("pile", 1), scene.at("pawn")) == (5, 44, 1)
    scene.chance().do("play 1 Guardian of Darkness")
    assert scene.legal() == ["draw Turtle Rider 2"]
    scene.do("draw Turtle Rider 2")
    assert [scene.at("top", 1, 0), scene.at("turn")] == [0, 0]


def test_card_goes_under_the_pile_under_one_reading(table: Tabletop) -> None:
    """A4: then it comes last."""
    six = [*OTHER, "Turtle Rider 2"]
    scene = table(A4="bottom").arrange(HAND, six, on=DRAGON, pawn=2).do(*TAKE, "Turtle Rider 2 goes back").chance()
    scene.do("play 1 Guardian of Darkness")
    assert len(scene.legal()) > 1
    scene.empty_pile("red", left=1)
    assert scene.legal() == ["draw Turtle Rider 2"]


def test_card_given_back_can_be_the_whole_draw_pile(table: Tabletop) -> None:
    """A4b."""
    six = [*OTHER, "Turtle Rider 2"]
    scene = table().arrange(HAND, six, on=DRAGON, pawn=2).empty_pile("red").do(*TAKE, "Turtle Rider 2 goes back")
    assert (scene.at("pile", 1), scene.at("top", 1, 0) > 0) == (1, True)


def test_nothing_goes_back_from_five_cards(table: Tabletop) -> None:
    """A4: a former holder with 5 cards or fewer keeps them."""
    scene = table().arrange(HAND, OTHER, on=DRAGON, pawn=2).do(*TAKE)
    assert (scene.phase, scene.at("pawn"), scene.at("held", 1)) == ("draw", 1, 5)


def test_taking_again_changes_nothing(table: Tabletop) -> None:
    """A4: the holder takes dragons without another card."""
    scene = table().arrange([*HAND, "Turtle Rider 1"], OTHER, on=DRAGON, pawn=1).do(*TAKE).chance()
    assert (scene.at("pawn"), scene.at("held", 0)) == (1, 6)


def test_sixth_card_at_once_under_one_reading(table: Tabletop) -> None:
    """A4: one draw before the refill, so it may already be needed for it."""
    scene = table(A4="at-once").arrange(HAND, OTHER, on=DRAGON).do(*TAKE)
    assert (scene.phase, scene.at("to_draw"), scene.at("held", 0)) == ("draw", 1, 4)
    assert scene.chance().at("held", 0) == 6
    after = table(A4="at-once").arrange(HAND, [*OTHER, "Turtle Rider 2"], on=DRAGON, pawn=2).do(*TAKE)
    assert after.do("Turtle Rider 2 goes back").at("to_draw") == 1


# -- the end ------------------------------------------------------------------------------------------------


def test_hand_that_cannot_be_completed_ends_the_game(table: Tabletop) -> None:
    """R34, R35, A6: the other player has one last turn."""
    scene = table().arrange(HAND, OTHER).empty_pile("blue", left=1).do("play 2 Mother of Pearl").chance()
    assert (scene.at("held", 0), scene.at("last_turn"), scene.at("turn")) == (4, 1, 1)
    scene.do("play 1 Guardian of Darkness")
    assert scene.over.startswith("a hand could not be completed")


def test_last_card_is_not_yet_the_end_but_is_under_one_reading(table: Tabletop) -> None:
    """A6."""
    scene = table().arrange(HAND, OTHER).empty_pile("blue", left=1).do("play 1 Undersea City").chance()
    assert (scene.at("held", 0), scene.at("over"), scene.at("last_turn")) == (5, 0, 0)
    early = table(A6="last-card").arrange(HAND, OTHER).empty_pile("blue", left=1).do("play 1 Undersea City").chance()
    assert early.at("last_turn") == 1


def test_last_turn_has_effects_and_pawn_but_no_second_end(table: Tabletop) -> None:
    """A7: a City pile in the last turn changes the count, not the ending."""
    scene = table().arrange(HAND, OTHER, on={"red": ["Undersea City"] * 2}, city_piles=2, over=2, last_turn=1)
    scene.do("play 1 Undersea City")
    assert scene.over.startswith("a hand could not be completed")
    pawn = table().arrange(HAND, OTHER, on=DRAGON, over=1, last_turn=1).do(*TAKE)
    assert pawn.over == "third City pile: most points"
    assert pawn.number("blue points") == 6


def test_points_of_the_scoring_pile_and_three_for_the_pawn(table: Tabletop) -> None:
    """R36, R37, A8: hands and board do not count."""
    scene = table().arrange(HAND, OTHER, over=1, last_turn=1, pawn=2)
    scene.add("points", 2, 0)
    scene.add("points", 1, 1)
    scene.do("play 1 Undersea City")
    assert [scene.number("blue points"), scene.number("red points")] == [2, 4]
    assert scene.play.returns(scene.state) == (-1, 1)


@pytest.mark.parametrize(
    ("pawn", "rulings", "reason", "returns"),
    [
        (1, {}, "tie, the pawn decides", (1, -1)),
        (0, {}, "tie, shared", (0, 0)),
        (1, {"A9": "shared"}, "tie, shared", (0, 0)),
    ],
)
def test_ties(table: Tabletop, pawn: int, rulings: dict[str, str], reason: str, returns: tuple[int, int]) -> None:
    """R38, A9: the pawn's holder wins a tie; without one it is shared; or always shared."""
    scene = table(**rulings).arrange(HAND, OTHER, over=1, last_turn=1, pawn=pawn)
    scene.add("points", 3 * pawn, 1)
    scene.do("play 1 Undersea City")
    assert scene.over.endswith(reason)
    assert scene.play.returns(scene.state) == returns


def test_scoring_piles_are_open_under_one_reading(table: Tabletop) -> None:
    """A18: closed by default; sizes are always open."""
    sees = {f.name: f.sees.value for f in table(A18="open").game.fields}
    assert sees["points"] == "all"
    closed = {f.name: f.sees.value for f in table().game.fields}
    assert (closed["points"], closed["scored"]) == ("nobody", "all")
