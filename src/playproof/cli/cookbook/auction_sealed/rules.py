"""Sealed auction: all bid in secret, then all bids are shown; everybody pays what they bid.

Three players bid for three prizes in turn. The highest bid takes the prize; of equal bids, the first seat's.
"""

from playproof import Game, Options, Together, goto, otherwise, score, when

SEATS, COINS = 2, 4
PRIZES = [3, 2, 4]


def build(options: Options) -> Game:
    """The game, for two players."""
    g = Game("auction_sealed", players=SEATS)
    s = g.state
    g.array("coins", SEATS, 0, COINS, COINS)
    g.array("points", SEATS, 0, sum(PRIZES))
    g.integer("prize", 0, len(PRIZES) - 1)
    g.returns(s.points[0], s.points[1])
    g.fact(ends_within=SEATS * len(PRIZES))
    start = g.automatic("start", text="the next prize is shown")
    award = g.automatic("award", text="the bids are shown")
    bids = Together(g, "bid", range(COINS + 1), then=award, may=lambda seat, bid: bid <= s.coins[seat], rule="S1")
    prize = g.table("prizes", PRIZES)

    @g.on(start, rule="S1")
    def starting() -> None:
        bids.begin()

    @g.on(award, rule="S2")
    def awarding() -> None:
        with when(bids.of(0) >= bids.of(1)):
            s.points[0] += prize[s.prize]
        with otherwise():
            s.points[1] += prize[s.prize]
        for seat in range(SEATS):
            s.coins[seat] -= bids.of(seat)
        goto(start)
        with when(s.prize == len(PRIZES) - 1):
            score("all prizes are given")
        with otherwise():
            s.prize += 1

    return g
