"""Missionaries and cannibals cross a river in a small boat; cannibals may nowhere outnumber missionaries.

Published: three of each need 11 crossings with a boat for two; four of each cannot cross with it, but need 9 with a
boat for three. Source: Pressman and Singmaster, "The Jealous Husbands and The Missionaries and Cannibals", The
Mathematical Gazette 73 (1989), https://doi.org/10.2307/3619658
"""

from playproof import Game, Local, Options, lose, pick, require, when, win


def build(options: Options) -> Game:
    """`pairs` of a missionary and a cannibal, a boat for `seats`. The fields count who is on the first bank."""
    pairs, seats = options.number("pairs", range(2, 6), 3), options.number("seats", range(2, 5), 2)
    g = Game("river_crossing")
    s = g.state
    g.integer("missionaries", 0, pairs, pairs)
    g.integer("cannibals", 0, pairs, pairs)
    g.flag("far")  # where the boat is
    play = g.phase("play", text="cross the river")

    @g.action(play, "{m} missionaries and {c} cannibals", m=seats + 1, c=seats + 1)
    def cross(m: Local, c: Local) -> None:
        require((m + c >= 1) & (m + c <= seats), "R1", "the boat holds 1 to {}", seats)
        require((m == 0) | (m >= c), "R2", "cannibals outnumber missionaries in the boat")
        here = pick(s.far == 1, pairs - s.missionaries, s.missionaries)
        hungry = pick(s.far == 1, pairs - s.cannibals, s.cannibals)
        require((m <= here) & (c <= hungry), "R3", "there are not so many")
        left, eaters = here - m, hungry - c
        require((left == 0) | (left >= eaters), "R4", "cannibals outnumber missionaries here")
        require((pairs - left == 0) | (pairs - left >= pairs - eaters), "R5", "cannibals outnumber them there")
        s.missionaries = pick(s.far == 1, s.missionaries + m, s.missionaries - m)
        s.cannibals = pick(s.far == 1, s.cannibals + c, s.cannibals - c)
        s.far = 1 - s.far
        with when(s.missionaries + s.cannibals == 0):
            win("all are across")

    @g.action(play, "give up")
    def give_up() -> None:
        lose("nobody can cross")

    return g
