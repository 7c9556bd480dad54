"""A small game of gates: tolls are paid at the first gate, gathered behind the second.

Known by hand: with less than 3 coins at the start nobody gets through, for the coins lie behind the gate. Order
forgotten, the coins behind it would pay for it.
"""

from playproof.language import Game, Local, goto, lose, require, win
from playproof.language.options import Options


def build(options: Options) -> Game:
    """`coins` is what the traveller starts with."""
    coins = options.number("coins", range(6), 1)
    g = Game("toll")
    s = g.state
    g.integer("coins", 0, 9, coins)
    g.integer("paid", 0, 3)
    road = g.phase("road")
    g.quantity("coins", s.coins)
    g.quantity("paid", s.paid)

    @g.action(road, "pay {gate}", gate=2)
    def pay(gate: Local) -> None:
        require((s.coins >= 3) & (s.paid < 3), "T1", "the toll is 3")
        s.coins -= 3
        s.paid += 1

    @g.action(road, "gather")
    def gather() -> None:
        require((s.paid > 0) & (s.coins < 9), "T2", "the coins lie behind the gate")
        s.coins += 1

    @g.action(road, "arrive")
    def arrive() -> None:
        require(s.paid >= 2, "T3", "two gates are on the way")
        win("there")

    @g.action(road, "turn back")
    def back() -> None:
        lose("home again")
        goto(road)

    return g
