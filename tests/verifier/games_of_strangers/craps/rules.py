"""Craps, the pass line: 7 or 11 wins at once, 2, 3 or 12 loses; any other sum must come again before a 7."""

from playproof import CHANCE, Game, Local, Options, lose, otherwise, weight, when, win


def build(options: Options) -> Game:
    """Nobody decides anything. Known: 244/495."""
    g = Game("craps")
    s = g.state
    g.integer("point", 0, 10)
    ways = g.table("ways", [0, 0, 1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1])
    throw = g.phase("throw", CHANCE, text="the dice fall")

    @g.action(throw, "{total} is thrown", total=range(2, 13))
    def thrown(total: Local) -> None:
        weight(ways[total])
        with when(s.point == 0):
            with when((total == 7) | (total == 11)):
                win("a natural")
            with otherwise((total == 2) | (total == 3) | (total == 12)):
                lose("craps")
            with otherwise():
                s.point = total
        with otherwise():
            with when(total == s.point):
                win("the point came again")
            with otherwise(total == 7):
                lose("seven out")

    return g
