"""The Fate Wheel: who moves it, what it brings, and when it ends the game."""

from __future__ import annotations

from playproof.cards.olith.rules.cards import ActionCard
from tests.rules.olith.scene import CARDS, SOUL, Scene


def end_of_turn(t: Scene, seat: int) -> Scene:
    """A player without mana ends an Action Turn."""
    return t.turn(seat, ActionCard.TACTICS).do("end the Action Turn")


def before(space: int, players: int = 2, **rulings: str) -> Scene:
    """The wheel is about to move to this space (counted from 0); seat 0 is first player; nobody has mana."""
    t = Scene(players, **rulings).wheel(space - 1)
    for seat in range(players):
        t.mana(seat, 0, 0, 0)
    return t


def test_r15_r74_r75_the_first_player_moves_the_wheel_before_each_turn_but_the_first() -> None:
    t = Scene().do("player 1 starts", "follow Cersie", "follow Isha").skip_chance()
    assert t["wheel"] == 0
    t.mana(0, 0, 0, 0).mana(1, 0, 0, 0)
    t.do("play the Tactics card", "end the Action Turn")
    assert (t["wheel"], t["turn"]) == (0, 1)
    t.do("play the Tactics card", "end the Action Turn")
    assert (t["wheel"], t["turn"]) == (1, 0)


def test_r77_new_recruits() -> None:
    t = end_of_turn(before(3), 1)
    assert [t["supply", q] for q in range(2)] == [1, 1]
    assert [t["exhausted", q, "basic"] for q in range(2)] == [1, 1]
    t.wheel(6)
    end_of_turn(t, 1)
    assert [t["supply", q] for q in range(2)] == [0, 0]


def test_r78_corruption_is_the_fifth_space() -> None:
    assert CARDS.wheels["12"].index("corruption") == 4
    t = end_of_turn(before(4), 1)
    assert t["wheel"] == 4


def test_r76_gods_favor_gives_crystal_token_and_turn() -> None:
    t = before(2, 3).mana(2, 3, 0, 0).mana(1, 2, 0, 0)
    end_of_turn(t, 2).do("unlock nothing more")
    assert (t.now, t["by"]) == ("token", 2)
    assert t.refused("place a Victory Token on red 2a") == {"R63"}
    t.do("place a Victory Token on red 1a")
    assert t["first"] == t["turn"] == 2
    assert t["crystals", 2] == 1
    assert t["crystal_left", 0] == 0
    assert t.now == "turn"
    t.do("play the Tactics card", "end the Action Turn", "unlock nothing more")
    assert t["turn"] == 0, "play goes on to the winner's left"
    assert t["wheel"] == 2


def test_r76_the_crystal_stays_where_nobody_has_its_mana() -> None:
    t = end_of_turn(before(2).mana(0, 0, 5, 5), 1)
    assert t["crystal_left", 0] == 1
    assert t["turn"] == 0


def test_r2_r79_the_game_ends_when_the_wheel_cannot_move() -> None:
    t = before(12).token(1, "red 1a", "red 1b").token(0, "blue 1a")
    end_of_turn(t, 1)
    assert t.ending == "the wheel ended: most Victory Tokens"
    assert t.play.returns(t.state) == (-1, 1)


def test_r1_the_eighth_token_wins_at_once() -> None:
    t = Scene().turn(0).active("red 1a").stand(0, "red 1a").token(0, *["blue 1a"] * 7)
    t.do("take a Victory Turn", "exhaust the unit on red 1a for a Victory Token")
    assert t.ending == "all eight Victory Tokens are placed"
    assert t.play.returns(t.state) == (1, -1)


def test_r3_ties_are_broken_by_crystals_mana_levels_and_then_shared() -> None:
    def tied() -> Scene:
        return before(12, 3).token(0, "red 1a").token(1, "blue 1a")

    t = tied()
    t["crystals", 1], t["crystal_left", 0] = 1, 0
    assert end_of_turn(t, 2).ending == "a tie, broken by crystals"
    assert t.play.returns(t.state) == (-1, 1, -1)
    t = end_of_turn(tied().mana(0, 1, 0, 0).mana(2, 9, 9, 9), 2).do("unlock nothing more")
    assert t.ending == "a tie, broken by mana"
    assert t.play.returns(t.state) == (1, -1, -1)
    t = tied()
    t["atlas", 1, SOUL] = 2
    assert end_of_turn(t, 2).ending == "a tie, broken by unlocked levels"
    t = end_of_turn(tied(), 2)
    assert t.ending == "a tie that nothing breaks: victory is shared"
    assert t.play.returns(t.state) == (0, 0, -1)
