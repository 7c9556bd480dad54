"""The game of the goose, short: two players, twenty squares, one die; a goose repeats the throw, the well holds a turn.

Who throws more than is left to the last square goes back from it. Source: https://en.wikipedia.org/wiki/Game_of_the_Goose
"""

from playproof import CHANCE, Game, Local, Options, goto, keep, otherwise, pick, when, win

LAST, GEESE, WELL, DEATH = 20, (5, 9, 14), 11, 18


def build(options: Options) -> Game:
    """Nobody decides anything."""
    g = Game("goose", players=2)
    s = g.state
    g.array("at", 2, 0, LAST)
    g.array("held", 2)
    g.integer("turn", 0, 1)
    g.integer("thrown", 0, 6)
    throw = g.phase("throw", CHANCE, text="the die falls")
    move = g.automatic("move")
    is_goose = g.table("goose", [int(n in GEESE) for n in range(LAST + 1)])

    @g.action(throw, "{face}", face=range(1, 7))
    def fall(face: Local) -> None:
        s.thrown = face
        goto(move)

    @g.on(move)
    def moving() -> None:
        far = keep(s.at[s.turn] + s.thrown)
        to = keep(pick(far > LAST, 2 * LAST - far, far))
        s.at[s.turn] = pick(to == DEATH, 0, to)
        with when(to == LAST):
            win("the last square", winner=s.turn)
        with otherwise(is_goose[to] == 0):
            goto(throw)
            s.thrown = 0
            s.held[s.turn] = pick(to == WELL, 1, 0)
            with when(s.held[1 - s.turn] == 1):
                s.held[1 - s.turn] = 0
            with otherwise():
                s.turn = 1 - s.turn

    return g
