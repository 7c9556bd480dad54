"""Pong hau k'i: two pieces each on five points joined by seven lines; who cannot move loses.

Published: with best play by both it goes on for ever. Source: Straffin, "Position Graphs for Pong Hau K'i and Mu
Torere", Mathematics Magazine 68 (1995), https://en.wikipedia.org/wiki/Pong_Hau_K%27i
"""

from playproof import Game, Local, Options, any_of, otherwise, require, when, win

LINES = [(0, 2), (1, 2), (2, 3), (2, 4), (0, 3), (1, 4), (3, 4)]
"""Points: 0 and 1 above, 2 in the middle, 3 and 4 below."""


def build(options: Options) -> Game:
    """The usual start: one player's pieces above, the other's below."""
    g = Game("pong_hau_ki", players=2)
    s = g.state
    g.array("point", 5, start=[1, 1, 0, 2, 2], labels=[".", "x", "o"])
    g.integer("turn", 0, 1)
    play = g.phase("play", actor=s.turn, text="move a piece")
    ways = [*LINES, *((b, a) for a, b in LINES)]
    here, there = (g.table(name, [way[k] for way in ways]) for k, name in enumerate(("from", "to")))

    @g.action(play, lambda way: f"{ways[way][0]} to {ways[way][1]}", way=len(ways))
    def move(way: Local) -> None:
        require(s.point[here[way]] == s.turn + 1, "P1", "no piece of yours is there")
        require(s.point[there[way]] == 0, "P2", "the point is taken")
        s.point[here[way]] = 0
        s.point[there[way]] = s.turn + 1
        with when(any_of((s.point[a] == 2 - s.turn) & (s.point[b] == 0) for a, b in ways)):
            s.turn = 1 - s.turn
        with otherwise():
            win("the other cannot move", winner=s.turn)

    return g
