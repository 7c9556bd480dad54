"""Climbers: two players on three paths of lengths 3, 4 and 3; throw two dice of three faces, climb, go on or stay.

The sum 2 or 3 climbs the first path, 4 the second, 5 or 6 the third. A throw on a closed path loses the turn's climb.
"""

from playproof import CHANCE, Game, Local, Options, count_of, goto, keep, otherwise, weight, when, win

LENGTHS = [3, 4, 3]


def build(options: Options) -> Game:
    """Who closes two of the three paths wins."""
    g = Game("climbers", players=2)
    s = g.state
    g.array("camp", (2, 3), 0, 4)
    g.array("rope", 3, 0, 4)
    g.array("closed", 3, 0, 2)
    g.integer("turn", 0, 1)
    length, ways = g.table("length", LENGTHS), g.table("ways", [3, 3, 3])
    throw = g.phase("throw", CHANCE, text="the dice fall")
    decide = g.phase("decide", s.turn, text="go on or stay")

    def over() -> None:
        for path in range(3):
            s.rope[path] = 0
        s.turn = 1 - s.turn
        goto(throw)

    @g.action(throw, "path {path} is thrown", path=3)
    def thrown(path: Local) -> None:
        weight(ways[path])
        with when((s.closed[path] > 0) | (s.camp[s.turn, path] + s.rope[path] == length[path])):
            over()
        with otherwise():
            s.rope[path] += 1
            goto(decide)

    @g.action(decide, "go on")
    def on() -> None:
        goto(throw)

    @g.action(decide, "stay")
    def stay() -> None:
        me = keep(s.turn)
        for path in range(3):
            s.camp[me, path] = s.camp[me, path] + s.rope[path]
            with when((s.camp[me, path] == length[path]) & (s.closed[path] == 0)):
                s.closed[path] = me + 1
        over()
        with when(count_of(3, lambda p: s.closed[p] == me + 1) >= 2):
            win("two paths are closed", winner=1 - s.turn)

    return g
