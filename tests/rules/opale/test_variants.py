"""Foreshadowing and Magic Seashells: R39 to R48."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Tabletop = Callable[..., Any]
HAND = ["Mother of Pearl 1", "Mother of Pearl 2", "Undersea City", "Octopus Hunter 2", "Lava Golem 1"]
OTHER = ["Mother of Pearl 1", "Mother of Pearl 2", "Undersea City", "Octopus Hunter 2", "Guardian of Darkness 1"]
BAR, AGAIN, TWICE, RENEW, FETCH = (
    "shell: Closed Reef on {}",
    "shell: Second Tide",
    "shell: Two Currents",
    "shell: Changing Sands",
    "shell: Deep Catch",
)


# -- Foreshadowing --------------------------------------------------------------------------------------------


def test_three_of_eight_cards_are_reserved(table: Tabletop) -> None:
    """R39, A10: the player chooses which; nobody else sees them."""
    scene = table(foreshadowing="yes").chance()
    assert (scene.phase, scene.at("held", 0), scene.play.actor(scene.state)) == ("set aside", 8, 0)
    for _ in range(3):
        scene.do(scene.legal()[0])
    assert [scene.at("held", 0), scene.at("reserved", 0), scene.at("pile", 0)] == [5, 3, 42]
    assert {f.name: f.sees.value for f in scene.game.fields}["reserve"] == "owner"
    assert scene.number("cards") == 100


def _with_reserve(table: Tabletop, cards: list[str], **options: str) -> Any:
    scene = table(foreshadowing="yes", **options).arrange(HAND, OTHER)
    for card in cards:
        scene.add("reserve", 1, 0, scene._take(0, card))
        scene.add("reserved", 1, 0)
    return scene


def test_refill_from_pile_or_reserve(table: Tabletop) -> None:
    """R40: card by card; the reserve is not replaced."""
    scene = _with_reserve(table, ["Coral Dragon 4", "Turtle Rider 1"]).do("play 2 Mother of Pearl")
    assert scene.phase == "replenish"
    assert set(scene.legal()) == {
        "draw from the pile",
        "take Coral Dragon 4 from the reserve",
        "take Turtle Rider 1 from the reserve",
    }
    scene.do("take Coral Dragon 4 from the reserve", "draw from the pile").chance()
    assert (scene.holds("blue", "Coral Dragon 4"), scene.at("reserved", 0), scene.at("turn")) == (1, 1, 1)


def test_reserve_counts_as_drawable(table: Tabletop) -> None:
    """A10, A6: an empty pile does not end the game while a reserve is left."""
    scene = _with_reserve(table, ["Coral Dragon 4"]).empty_pile("blue").do("play 1 Undersea City")
    assert scene.refused("draw from the pile") == ["R40"]
    scene.do("take Coral Dragon 4 from the reserve")
    assert (scene.at("over"), scene.at("turn")) == (0, 1)


def test_unseen_reserve_under_one_reading(table: Tabletop) -> None:
    """A10: five cards are drawn, three lie unseen, and taking one is chance."""
    scene = table(foreshadowing="yes", A10="unseen").chance()
    assert [scene.at("held", 0), scene.at("reserved", 0), scene.at("pile", 0)] == [5, 3, 42]
    assert scene.number("cards") == 100
    scene.do(next(text for text in scene.legal() if text.startswith("play"))).chance()
    while scene.phase in ("lay", "target"):
        scene.do(scene.legal()[0])
    scene.do("take a reserved card")
    assert (scene.phase, scene.play.actor(scene.state)) == ("unseen", -1)
    seat = scene.at("turn")
    before = scene.at("held", seat)
    scene.do(scene.legal()[0])
    assert [scene.at("held", seat), scene.at("reserved", seat)] == [before + 1, 2]


# -- Magic Seashells --------------------------------------------------------------------------------------------


def test_each_player_has_five_shells(table: Tabletop) -> None:
    """R41."""
    assert table(seashells="yes").number("shells left") == 10


def test_one_shell_a_turn(table: Tabletop) -> None:
    """R42: two shells in one turn are refused."""
    scene = table(seashells="yes").arrange(HAND, OTHER).do(TWICE)
    assert "R42" in scene.refused(RENEW)
    assert scene.number("shells left") == 9


def test_each_shell_once(table: Tabletop) -> None:
    """R43."""
    scene = table(seashells="yes").arrange(HAND, OTHER)
    scene.add("shell", -1, 0, 1)
    assert scene.refused(TWICE) == ["R43"]


@pytest.mark.parametrize(("shell", "rule"), [(TWICE, "R45"), (RENEW, "R46"), (FETCH, "R47")])
def test_starting_shells_after_a_play_are_refused(table: Tabletop, shell: str, rule: str) -> None:
    """R45, R46, R47: they belong to the start of the turn."""
    scene = table(seashells="yes").arrange(HAND, OTHER).do("play 1 Undersea City").chance()
    assert scene.phase == "close"
    assert scene.refused(shell) == [rule]


@pytest.mark.parametrize(("shell", "rule"), [(AGAIN, "R44"), (BAR.format("Lava Golem"), "R48")])
def test_ending_shells_before_a_play_are_refused(table: Tabletop, shell: str, rule: str) -> None:
    """R44, R48: they belong to the end of the turn."""
    assert table(seashells="yes").arrange(HAND, OTHER).refused(shell) == [rule]


def test_new_turn(table: Tabletop) -> None:
    """R44, A14: after the refill, and another shell may be used in it."""
    scene = table(seashells="yes").arrange(HAND, OTHER).do("play 1 Undersea City").chance().do(AGAIN)
    assert (scene.phase, scene.at("turn"), scene.at("held", 0), scene.number("round")) == ("play", 0, 5, 2)
    assert TWICE in scene.legal()


def test_no_second_shell_in_a_row_under_one_reading(table: Tabletop) -> None:
    """A14."""
    scene = table(seashells="yes", A14="one-shell").arrange(HAND, OTHER).do("play 1 Undersea City").chance().do(AGAIN)
    assert scene.refused(TWICE) == ["R44"]
    scene.do("play 1 Lava Golem").chance().do("end the turn")
    assert scene.at("second_tide") == 0


def test_no_new_turn_once_the_end_is_triggered(table: Tabletop) -> None:
    """A14, R35."""
    scene = table(seashells="yes").arrange(HAND, OTHER).empty_pile("blue").do("play 1 Undersea City")
    assert scene.refused(AGAIN) == ["R44"]


def test_two_different_spots(table: Tabletop) -> None:
    """R45, A15: two plays, each with its effect, then one refill."""
    hand = ["Coral Dragon 2", *HAND[:4]]
    scene = table(seashells="yes").arrange(hand, OTHER, on={"red": ["Mother of Pearl 4"]})
    scene.do(TWICE, "play 1 Coral Dragon")
    assert (scene.phase, scene.at("points", 0), scene.at("held", 0)) == ("play", 4, 4)
    scene.do("play 1 Undersea City").chance()
    assert (scene.at("held", 0), scene.phase, scene.at("two_spots"), scene.at("first_spot")) == (5, "close", 0, 0)


def test_second_play_must_be_elsewhere(table: Tabletop) -> None:
    """R45: and a hand of one kind cannot use the shell."""
    scene = table(seashells="yes").arrange(HAND, OTHER)
    scene.do(TWICE, "play 1 Mother of Pearl", "lay a Mother of Pearl worth 1")
    assert scene.refused("play 1 Mother of Pearl") == ["R45"]
    alike = table(seashells="yes").arrange(["Undersea City"] * 5, OTHER)
    assert alike.refused(TWICE) == ["R45"]


def test_discard_and_draw_as_many(table: Tabletop) -> None:
    """R46, A11: discards leave the game face up."""
    scene = table(seashells="yes").arrange(HAND, OTHER).do(RENEW)
    assert scene.refused("discard no more") == ["R46"]
    scene.do("discard Undersea City", "discard Lava Golem 1", "discard no more")
    assert (scene.phase, scene.at("to_draw")) == ("draw", 2)
    scene.chance()
    assert (scene.phase, scene.at("held", 0), scene.at("pile", 0)) == ("play", 5, 43)
    assert scene.at("discards", 0, scene.names.index("Lava Golem 1")) == 1
    assert {f.name: f.sees.value for f in scene.game.fields}["discards"] == "all"


def test_no_more_discards_than_the_pile_holds(table: Tabletop) -> None:
    """R46, A11: and none at all from an empty pile."""
    scene = table(seashells="yes").arrange(HAND, OTHER).empty_pile("blue", left=1).do(RENEW, "discard Lava Golem 1")
    assert scene.phase == "draw"
    empty = table(seashells="yes").arrange(HAND, OTHER).empty_pile("blue")
    assert empty.refused(RENEW) == ["R46"]
    assert empty.refused(FETCH) == ["R47"]


def test_draw_three_then_discard_three(table: Tabletop) -> None:
    """R47: also with fewer in the pile (A11)."""
    scene = table(seashells="yes").arrange(HAND, OTHER).do(FETCH).chance()
    assert (scene.phase, scene.at("held", 0), scene.at("owed")) == ("discard", 8, 3)
    assert scene.refused("discard no more")[0] == "R47"
    scene.do("discard Undersea City", "discard Lava Golem 1", "discard Octopus Hunter 2")
    assert (scene.phase, scene.at("held", 0)) == ("play", 5)
    few = table(seashells="yes").arrange(HAND, OTHER).empty_pile("blue", left=2).do(FETCH).chance()
    assert (few.at("owed"), few.at("held", 0)) == (2, 7)


def test_discards_go_under_the_pile_under_one_reading(table: Tabletop) -> None:
    """A11: and come back in their order when the rest is drawn."""
    scene = table(seashells="yes", A11="under").arrange(HAND, OTHER).empty_pile("blue", left=2)
    scene.do(RENEW, "discard Undersea City", "discard Lava Golem 1")
    assert scene.phase == "draw"  # no more than the two cards the pile held
    scene.chance()
    assert scene.at("pile", 0) == 2
    scene.do(next(t for t in scene.legal() if t.startswith("play 1")))
    while scene.phase in ("lay", "target"):
        scene.do(scene.legal()[0])
    assert scene.legal() == ["draw Undersea City"]


def test_barred_spot(table: Tabletop) -> None:
    """R48, A12: not for the other player, and only for the next turn; cards there can still be taken."""
    scene = table(seashells="yes").arrange(HAND, OTHER).do("play 1 Undersea City").chance()
    scene.do(BAR.format("Mother of Pearl"))
    assert scene.at("turn") == 1
    assert scene.refused("play 1 Mother of Pearl") == ["R48"]
    scene.do("play 1 Guardian of Darkness").chance()
    assert scene.refused(BAR.format("Mother of Pearl")) == ["R48"]  # no second shell on one spot
    scene.do("end the turn")
    assert [scene.at("barred", 0), scene.at("turn")] == [0, 0]
    assert "play 2 Mother of Pearl" in scene.legal()


def test_barred_spot_can_be_emptied(table: Tabletop) -> None:
    """A12: another spot's effect reaches it."""
    scene = table(seashells="yes").arrange(HAND, ["Coral Dragon 2", *OTHER[1:]], on={"blue": ["Mother of Pearl 4"]})
    scene.do("play 1 Undersea City").chance().do(BAR.format("Mother of Pearl"), "play 1 Coral Dragon")
    assert scene.at("points", 1) == 4


def test_whole_hand_barred(table: Tabletop) -> None:
    """A13: pass without drawing; in the last turn that is the end."""
    cities = ["Undersea City"] * 5
    scene = table(seashells="yes").arrange(HAND, cities).do("play 1 Lava Golem").chance()
    scene.do(BAR.format("Undersea City"))
    assert scene.legal()[0] == "play nothing"
    assert scene.number("no card can be played") == 1
    scene.do("play nothing")
    assert (scene.phase, scene.at("held", 1)) == ("close", 5)
    last = table(seashells="yes").arrange(HAND, cities, turn="red", over=2, last_turn=1)
    last.state[last.cell("barred", 0)] = 9
    assert last.do("play nothing").over.startswith("a hand")


def test_whole_hand_barred_exchanges_one_under_one_reading(table: Tabletop) -> None:
    """A13."""
    scene = table(seashells="yes", A13="redraw").arrange(HAND, ["Undersea City"] * 5)
    scene.do("play 1 Lava Golem").chance().do(BAR.format("Undersea City"))
    assert scene.refused("play nothing") == ["R6"]
    assert "exchange Undersea City" in scene.legal()
    scene.do("exchange Undersea City").chance()
    assert (scene.at("held", 1), scene.phase) == (5, "close")
    free = table(seashells="yes", A13="redraw").arrange(HAND, OTHER)
    assert free.refused("exchange Undersea City") == ["R6"]
