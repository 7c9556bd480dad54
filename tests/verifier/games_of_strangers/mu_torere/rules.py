"""Mu torere: a star of eight points and a centre, four pieces each; who cannot move has lost.

A piece goes to the free neighbouring point, from a point to the centre only beside an enemy. Source:
https://en.wikipedia.org/wiki/M%C5%AB_t%C5%8Drere
"""

from playproof import Game, Local, Options, any_of, goto, otherwise, require, when, win

POINTS, CENTRE = 8, 8


def build(options: Options) -> Game:
    """Two players."""
    g = Game("mu_torere", players=2)
    s = g.state
    g.array("piece", POINTS + 1, 0, 2, [1, 1, 1, 1, 2, 2, 2, 2, 0])
    g.integer("turn", 0, 1)
    play = g.phase("play", s.turn, text="move a piece")
    look = g.automatic("look")
    before, behind = (g.table(name, [(n + by) % POINTS for n in range(POINTS)]) for name, by in (("l", 7), ("r", 1)))

    def can(point, me):  # type: ignore[no-untyped-def]
        beside = (s.piece[before[point]] == 0) | (s.piece[behind[point]] == 0)
        enemy = (s.piece[before[point]] == 3 - me) | (s.piece[behind[point]] == 3 - me)
        return (s.piece[point] == me) & (beside | ((s.piece[CENTRE] == 0) & enemy))

    @g.action(play, "{point} goes on", point=POINTS)
    def step(point: Local) -> None:
        require(can(point, s.turn + 1), "M1", "it cannot move")
        with when(s.piece[before[point]] == 0):
            s.piece[before[point]] = s.turn + 1
        with otherwise(s.piece[behind[point]] == 0):
            s.piece[behind[point]] = s.turn + 1
        with otherwise():
            s.piece[CENTRE] = s.turn + 1
        s.piece[point] = 0
        goto(look)

    @g.action(play, "the centre goes to {point}", point=POINTS)
    def out(point: Local) -> None:
        require((s.piece[CENTRE] == s.turn + 1) & (s.piece[point] == 0), "M2", "it cannot go there")
        s.piece[point] = s.turn + 1
        s.piece[CENTRE] = 0
        goto(look)

    @g.on(look)
    def looking() -> None:
        goto(play)
        with when((s.piece[CENTRE] == 2 - s.turn) | any_of(POINTS, lambda p: can(p, 2 - s.turn))):
            s.turn = 1 - s.turn
        with otherwise():
            win("the other cannot move", winner=s.turn)

    return g
