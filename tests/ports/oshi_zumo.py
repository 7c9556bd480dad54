"""Oshi-zumo: both bid coins in secret; who bids more pushes the wrestler; coins that are bid are gone."""

from __future__ import annotations

from playproof import Game, Options, Together, goto, otherwise, tie, when, win

COINS, SIZE, HORIZON = 4, 1, 6
THEIRS = f"turn_based_simultaneous_game(game=oshi_zumo(coins={COINS},size={SIZE},horizon={HORIZON},min_bid=0))"


def build(options: Options) -> Game:
    g = Game("oshi_port", players=2)
    s = g.state
    g.array("coins", 2, 0, COINS, COINS)
    g.integer("wrestler", 0, 2 * SIZE + 2, SIZE + 1)
    g.integer("moves", 0, HORIZON)
    start = g.automatic("start")
    push = g.automatic("push", text="the bids are shown")
    bids = Together(g, "bid", range(COINS + 1), then=push, text="{bid}", may=lambda seat, bid: bid <= s.coins[seat])

    @g.on(start)
    def starting() -> None:
        bids.begin()

    @g.on(push)
    def pushing() -> None:
        with when(bids.of(0) > bids.of(1)):
            s.wrestler += 1
        with otherwise(bids.of(0) < bids.of(1)):
            s.wrestler -= 1
        for seat in range(2):
            s.coins[seat] -= bids.of(seat)
        s.moves += 1
        is_over = (s.moves == HORIZON) | (s.coins[0] + s.coins[1] == 0)
        with when((s.wrestler == 0) | (is_over & (s.wrestler < SIZE + 1))):
            win("pushed", winner=1)
        with otherwise((s.wrestler == 2 * SIZE + 2) | (is_over & (s.wrestler > SIZE + 1))):
            win("pushed", winner=0)
        with otherwise(is_over):
            tie("in the middle")
        with otherwise():
            goto(start)

    return g


def words(theirs: str) -> str:
    """`[P0]Bid: 3` is 3."""
    return theirs.rsplit(" ", 1)[1]
