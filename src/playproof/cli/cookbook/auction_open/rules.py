"""Open auction: bids go round the table until all but one have passed.

Two pictures are sold, one after the other. Who bids must bid more than the last bid; the winner pays it. Pictures count
three points, coins one.
"""

from playproof import Game, Local, Options, goto, otherwise, require, score, sum_of, when

SEATS, COINS, PICTURES, WORTH = 3, 3, 2, 3


def build(options: Options) -> Game:
    """The game, for three players. `best` is 0 before the first bid, else 1 + the seat."""
    g = Game("auction_open", players=SEATS)
    s = g.state
    g.array("coins", SEATS, 0, COINS, COINS)
    g.array("pictures", SEATS, 0, PICTURES)
    g.array("out", SEATS)
    g.integer("turn", 0, SEATS - 1)
    g.integer("bid", 0, COINS)
    g.integer("best", 0, SEATS)
    g.integer("sold", 0, PICTURES)
    g.returns(*(s.coins[seat] + WORTH * s.pictures[seat] for seat in range(SEATS)))
    speak = g.phase("speak", s.turn, text="bid or pass")
    next_ = g.automatic("next")

    @g.action(speak, "bid {coins}", coins=range(1, COINS + 1), rule="A1")
    def bidding(coins: Local) -> None:
        require(coins > s.bid, "A1", "bid more than {}", s.bid)
        require(coins <= s.coins[s.turn], "A2", "you have only {}", s.coins[s.turn])
        s.bid = coins
        s.best = s.turn + 1
        s.turn = (s.turn + 1) % SEATS
        goto(next_)

    @g.action(speak, "pass", rule="A3")
    def passing() -> None:
        s.out[s.turn] = 1
        s.turn = (s.turn + 1) % SEATS
        goto(next_)

    @g.on(next_, rule="A4")
    def following() -> None:
        still_in = sum_of(SEATS, lambda seat: 1 - s.out[seat])
        with when((still_in == 0) | ((still_in == 1) & (s.best > 0))):
            for seat in range(SEATS):
                with when(s.best == seat + 1):
                    s.coins[seat] -= s.bid
                    s.pictures[seat] += 1
                s.out[seat] = 0
            s.bid = 0
            s.best = 0
            s.sold += 1
            goto(speak)
            with when(s.sold == PICTURES):
                score("all pictures are sold")
        with otherwise(s.out[s.turn] == 1):
            s.turn = (s.turn + 1) % SEATS
        with otherwise():
            goto(speak)

    return g
