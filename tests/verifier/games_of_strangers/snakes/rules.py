"""Snakes and ladders: two players on thirty squares with four ladders and four snakes; overshooting is allowed."""

from playproof import CHANCE, Game, Local, Options, clamp, keep, otherwise, when, win

LAST = 30
LEAPS = {3: 22, 5: 8, 11: 26, 20: 29, 27: 1, 21: 9, 17: 4, 19: 7}


def build(options: Options) -> Game:
    """Nobody decides anything."""
    g = Game("snakes", players=2)
    s = g.state
    g.array("at", 2, 0, LAST - 1)
    g.integer("turn", 0, 1)
    to = g.table("to", [LEAPS.get(n, n) for n in range(LAST + 1)])
    throw = g.phase("throw", CHANCE, text="the die falls")

    @g.action(throw, "the die shows {face}", face=range(1, 7))
    def fall(face: Local) -> None:
        me = keep(s.turn)
        square = keep(to[clamp(s.at[me] + face, 0, LAST)])
        with when(square == LAST):
            win("reached the last square", winner=s.turn)
        with otherwise():
            s.at[me] = square
            s.turn = 1 - me

    return g
