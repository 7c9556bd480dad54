"""Kalah: sow the counters of a house; a last counter in your store gives another turn, one in an empty house of
yours captures what lies opposite and goes to your store with it, even if nothing lies there. The game ends when a side
is empty or a store holds more than half.

Published: who wins Kalah(m, n), with m houses each and n counters in each, for small m and n; its positions.
Source: Irving, Donkers and Uiterwijk, "Solving Kalah", ICGA Journal 23 (2000),
https://m.moam.info/solving-kalah-citeseerx_5a52e3591723dd1f1d1e3fa2.html
"""

from playproof import Game, Local, Options, all_of, goto, keep, otherwise, pick, require, sum_of, tie, when, win


def build(options: Options) -> Game:
    """Kalah with `houses` for each player and `counters` in each house. The places go round: a player's houses,
    the player's store, the other's houses, the other's store."""
    m, n = options.number("houses", range(1, 5), 2), options.number("counters", range(1, 5), 2)
    places, total = 2 * m + 2, 2 * m * n
    g = Game("kalah", players=2)
    s = g.state
    g.array("place", places, 0, total, [*[n] * m, 0] * 2)
    g.integer("turn", 0, 1)
    g.integer("hand", 0, total)
    g.integer("at", 0, places - 1)
    play = g.phase("play", actor=s.turn, text="sow a house")
    sow = g.automatic("sow")
    follow = g.automatic("follow")
    store = g.table("store", [m, 2 * m + 1])

    def next_place(seat: int, place: int) -> int:
        """The place in which a player sows next: never the other's store."""
        others_store = places - 1 if seat == 0 else m
        after = (place + 1) % places
        return (after + 1) % places if after == others_store else after

    ahead = g.table("ahead", [[next_place(seat, p) for p in range(places)] for seat in (0, 1)])
    opposite = g.table("opposite", [2 * m - p if p < places - 1 else p for p in range(places)])

    @g.action(play, "sow house {house}", house=m)
    def choose(house: Local) -> None:
        start = house + s.turn * (m + 1)
        require(s.place[start] > 0, "K1", "the house is empty")
        s.hand = s.place[start]
        s.place[start] = 0
        s.at = start
        goto(sow)

    @g.on(sow)
    def sowing() -> None:
        to = keep(ahead[s.turn, s.at])
        s.place[to] += 1
        s.at = to
        s.hand -= 1
        with when(s.hand == 0):
            goto(follow)

    def is_empty(seat: int):  # type: ignore[no-untyped-def]  # a term of the language
        return all_of(s.place[p] == 0 for p in range(seat * (m + 1), seat * (m + 1) + m))

    @g.on(follow)
    def following() -> None:
        own = pick(s.turn == 0, pick(s.at < m, 1, 0), pick((s.at > m) & (s.at < places - 1), 1, 0))
        captures = keep((own == 1) & (s.place[s.at] == 1))
        again = keep(s.at == store[s.turn])
        with when(captures):
            s.place[store[s.turn]] += s.place[opposite[s.at]] + 1
            s.place[opposite[s.at]] = 0
            s.place[s.at] = 0
        with when(~again):
            s.turn = 1 - s.turn
        s.at = 0
        goto(play)
        more = (2 * s.place[m] > total) | (2 * s.place[places - 1] > total)
        with when(is_empty(0) | is_empty(1) | more):
            first = keep(sum_of(m + 1, lambda p: s.place[p]))
            with when(2 * first > total):
                win("more counters", winner=0)
            with otherwise(2 * first < total):
                win("more counters", winner=1)
            with otherwise():
                tie("as many counters")

    return g
