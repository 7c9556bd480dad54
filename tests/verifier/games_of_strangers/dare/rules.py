"""Dare: alone against the clock, roll a die as often as you dare; a 1 loses the turn's points.

Fifty points in ten turns win.
"""

from playproof import CHANCE, Game, Local, Options, goto, lose, otherwise, require, when, win

GOAL, TURNS = 50, 10


def build(options: Options) -> Game:
    """One player."""
    g = Game("dare")
    s = g.state
    g.integer("banked", 0, GOAL - 1)
    g.integer("pot", 0, GOAL)
    g.integer("turn", 1, TURNS)
    g.quantity("round", s.turn)
    g.fact(round="round")
    decide = g.phase("decide", text="roll or hold")
    roll = g.phase("roll", CHANCE, text="the die falls")
    after = g.automatic("after")

    @g.action(decide, "roll")
    def throw() -> None:
        goto(roll)

    @g.action(decide, "hold")
    def hold() -> None:
        require(s.pot > 0, "D1", "nothing to bank")
        with when(s.banked + s.pot >= GOAL):
            win("the goal is reached")
        with otherwise():
            s.banked += s.pot
            s.pot = 0
            goto(after)

    @g.action(roll, "the die shows {face}", face=range(1, 7))
    def fall(face: Local) -> None:
        goto(decide)
        with when(face == 1):
            s.pot = 0
            goto(after)
        with otherwise(s.banked + s.pot + face >= GOAL):
            s.pot = GOAL - s.banked
        with otherwise():
            s.pot += face

    @g.on(after)
    def next_turn() -> None:
        goto(decide)
        with when(s.turn == TURNS):
            lose("the clock has run out")
        with otherwise():
            s.turn += 1

    return g
