"""Roses and a skull: two players lay discs face down, one bids how many roses it can turn; a skull costs a disc."""

from playproof import Game, Local, Options, Sees, goto, keep, otherwise, require, when, win


def build(options: Options) -> Game:
    """Each lays one disc, then the first may bid one or two. Two won bids win, two lost bids lose."""
    g = Game("skull", players=2)
    s = g.state
    g.array("laid", 2, 0, 2, sees=Sees.OWNER)
    g.array("won", 2, 0, 1)
    g.array("lost", 2, 0, 1)
    g.integer("turn", 0, 1)
    g.integer("first", 0, 1)
    g.integer("bid", 0, 2)
    lay = g.phase("lay", s.turn, text="lay a disc")
    bid = g.phase("bid", s.turn, text="bid or pass")

    @g.action(lay, "lay {disc}", disc=["a rose", "the skull"], secret="disc")
    def put(disc: Local) -> None:
        s.laid[s.turn] = disc + 1
        s.turn = 1 - s.turn
        with when(s.turn == s.first):
            goto(bid)

    def settle(bidder, level) -> None:  # type: ignore[no-untyped-def]
        me, other = keep(bidder), keep(1 - bidder)
        good = keep((s.laid[me] == 1) & ((level == 1) | (s.laid[other] == 1)))
        s.laid[0] = 0
        s.laid[1] = 0
        s.bid = 0
        s.first = other
        s.turn = other
        goto(lay)
        with when(good):
            with when(s.won[me] == 1):
                win("two bids are won", winner=1 - s.turn)
            s.won[me] = 1
        with otherwise():
            with when(s.lost[me] == 1):
                win("two bids are lost", winner=s.turn)
            s.lost[me] = 1

    @g.action(bid, "bid {roses}", roses=range(1, 3))
    def raise_(roses: Local) -> None:
        require(roses > s.bid, "K1", "a bid must rise")
        with when(roses == 2):
            settle(s.turn, 2)
        with otherwise():
            s.bid = 1
            s.turn = 1 - s.turn

    @g.action(bid, "pass")
    def give() -> None:
        require(s.bid > 0, "K2", "the first must bid")
        settle(1 - s.turn, s.bid)

    return g
