"""Craps: 7 or 11 wins at once, 2, 3 and 12 lose; any other sum is the point, to be rolled again before a 7.

Published: the pass line wins 244 of 495 times. Source: Ethier and Hoppe, "A world record in Atlantic City and the
length of the shooter's hand at craps" (2010), https://arxiv.org/abs/0906.1545
"""

from playproof import CHANCE, Game, Local, Options, lose, otherwise, weight, when, win


def build(options: Options) -> Game:
    """The pass line. The two dice are rolled as their sum, with its weight of 36."""
    g = Game("craps")
    s = g.state
    g.integer("point", 0, 10)
    ways = g.table("ways", [6 - abs(7 - sum_) if sum_ >= 2 else 0 for sum_ in range(13)])
    roll = g.phase("roll", actor=CHANCE, text="the dice are rolled")

    @g.action(roll, "the dice show {total}", total=range(2, 13))
    def shown(total: Local) -> None:
        weight(ways[total])
        with when(s.point == 0):
            with when((total == 7) | (total == 11)):
                win("a natural")
            with otherwise((total < 4) | (total == 12)):
                lose("craps")
            with otherwise():
                s.point = total
        with otherwise(total == s.point):
            win("the point")
        with otherwise(total == 7):
            lose("seven out")

    return g
