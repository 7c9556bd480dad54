"""Ludo, small: two players with two pawns each on a ring of eight squares; a pawn that is met goes back."""

from playproof import CHANCE, Game, Local, Options, any_of, goto, keep, require, when, win

TRACK, HOME = 8, 9


def build(options: Options) -> Game:
    """Places 1 to 8 lie on the common ring, seen from each player's own start; the starts lie four apart."""
    g = Game("ludo", players=2)
    s = g.state
    g.array("pawn", (2, 2), 0, HOME)
    g.integer("turn", 0, 1)
    g.integer("die", 0, 3)
    throw = g.phase("throw", CHANCE, text="the die falls")
    move = g.phase("move", s.turn, text="move a pawn")

    @g.action(throw, "the die shows {face}", face=range(1, 4))
    def fall(face: Local) -> None:
        s.die = face
        goto(move)

    def can(pawn: int):  # type: ignore[no-untyped-def]
        return (s.pawn[s.turn, pawn] < HOME) & (s.pawn[s.turn, pawn] + s.die <= HOME)

    @g.action(move, "move pawn {pawn}", pawn=2)
    def go(pawn: Local) -> None:
        require(can(pawn), "L1", "it has not so far to go")
        me = keep(s.turn)
        to = keep(s.pawn[me, pawn] + s.die)
        s.pawn[me, pawn] = to
        for other in range(2):
            with when(
                (to < HOME)
                & (s.pawn[1 - me, other] > 0)
                & (s.pawn[1 - me, other] < HOME)
                & ((s.pawn[1 - me, other] + 4 - to) % TRACK == 0)
            ):
                s.pawn[1 - me, other] = 0
        s.turn = 1 - me
        s.die = 0
        goto(throw)
        with when((s.pawn[me, 0] == HOME) & (s.pawn[me, 1] == HOME)):
            win("both pawns are home", winner=1 - s.turn)

    @g.action(move, "pass")
    def give() -> None:
        require(~any_of([can(0), can(1)]), "L2", "a pawn can move")
        s.turn = 1 - s.turn
        s.die = 0
        goto(throw)

    return g
