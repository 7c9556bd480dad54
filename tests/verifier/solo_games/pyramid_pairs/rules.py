"""Pyramid pairs: four open places, a stock of 40 cards of ten ranks; take two that make eleven, else fill a place; the
stock empty before the places choke wins."""

from playproof import CHANCE, Bag, Game, Local, Options, goto, lose, otherwise, require, sum_of, when, win

RANKS, COPIES, ROOM = 8, 4, 5


def build(options: Options) -> Game:
    g = Game("pyramid_pairs")
    s = g.state
    pack = Bag(g, "pack", RANKS, COPIES, COPIES)
    g.array("open", RANKS, 0, 4)
    g.integer("card", 0, RANKS - 1)
    g.integer("swaps", 0, 3, 3)
    g.fact(ends_within=80)
    turn = g.phase("turn", CHANCE, text="the next card")
    choose = g.phase("choose", text="pair it, keep it or throw it away")
    over = g.automatic("over")

    def turned(card: Local) -> None:
        s.card = card
        goto(choose)

    pack.draw(g, turn, "a {card} is turned up", turned)

    @g.action(choose, "pair it")
    def pairing() -> None:
        require(s.open[RANKS - 1 - s.card] > 0, "P1", "its partner is not open")
        s.open[RANKS - 1 - s.card] -= 1
        goto(over)

    @g.action(choose, "keep it open")
    def keeping() -> None:
        require(s.open[s.card] < 4, "P2", "no more of this rank")
        require(sum_of(RANKS, lambda r: s.open[r]) < ROOM, "P3", "no room is left")
        s.open[s.card] += 1
        goto(over)

    @g.action(choose, "throw it away")
    def throwing() -> None:
        require(s.swaps > 0, "P4", "no more is thrown away")
        s.swaps -= 1
        goto(over)

    @g.action(choose, "give up")
    def giving() -> None:
        lose("given up")

    @g.on(over)
    def ending() -> None:
        s.card = 0
        with when((pack.size() == 0) & (sum_of(RANKS, lambda r: s.open[r]) == 0)):
            win("all are paired")
        with otherwise(pack.size() == 0):
            lose("some are left")
        with otherwise():
            goto(turn)

    return g
