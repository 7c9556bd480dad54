"""Liar's dice, small: two players with one hidden die each; raise the bid or doubt it."""

from playproof import CHANCE, Game, Local, Options, Sees, goto, keep, otherwise, require, when, win

FACES = 6


def build(options: Options) -> Game:
    """A bid b says that at least b // 6 + 1 dice show the face b % 6; bids rise."""
    g = Game("liars_dice", players=2)
    s = g.state
    g.array("die", 2, 0, FACES, sees=Sees.OWNER)
    g.integer("turn", 0, 1)
    g.integer("bid", 0, 2 * FACES)
    g.fact(title="Liar's dice")
    roll = g.phase("roll", CHANCE, text="a die falls in secret")
    bid = g.phase("bid", s.turn, text="bid or doubt")

    @g.action(roll, "{face} falls", face=FACES)
    def fall(face: Local) -> None:
        s.die[s.turn] = face + 1
        with when(s.turn == 0):
            s.turn = 1
        with otherwise():
            s.turn = 0
            goto(bid)

    @g.action(bid, "bid {level}", level=2 * FACES)
    def raise_(level: Local) -> None:
        require(level + 1 > s.bid, "L1", "a bid must rise")
        s.bid = level + 1
        s.turn = 1 - s.turn

    @g.action(bid, "doubt")
    def doubt() -> None:
        require(s.bid > 0, "L2", "nothing is bid")
        face = keep((s.bid - 1) % FACES + 1)
        count = keep((s.die[0] == face) + (s.die[1] == face))
        with when(count >= (s.bid - 1) // FACES + 1):
            win("the bid was true", winner=1 - s.turn)
        with otherwise():
            win("the bid was a lie", winner=s.turn)

    return g
