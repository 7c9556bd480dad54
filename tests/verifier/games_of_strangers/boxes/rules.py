"""Dots and boxes with two by two boxes: draw a line; who closes a box owns it and draws again."""

from playproof import Game, Local, Options, keep, pick, require, score, sum_of, when

LINES, BOXES = 12, [(0, 2, 6, 7), (1, 3, 7, 8), (2, 4, 9, 10), (3, 5, 10, 11)]


def build(options: Options) -> Game:
    """Lines 0 to 5 lie flat, row by row; 6 to 11 stand, row by row."""
    g = Game("boxes", players=2)
    s = g.state
    g.array("drawn", LINES)
    g.array("owns", 2, 0, len(BOXES))
    g.integer("turn", 0, 1)
    g.returns(s.owns[0], s.owns[1])
    draw = g.phase("draw", s.turn, text="draw a line")

    @g.action(draw, "draw line {line}", line=LINES)
    def draws(line: Local) -> None:
        require(s.drawn[line] == 0, "D1", "it is drawn")
        me = keep(s.turn)
        before = keep(sum_of([pick(sum_of([s.drawn[n] for n in box]) == 4, 1, 0) for box in BOXES]))
        s.drawn[line] = 1
        after = keep(sum_of([pick(sum_of([s.drawn[n] for n in box]) == 4, 1, 0) for box in BOXES]))
        s.owns[me] = s.owns[me] + after - before
        with when(after == before):
            s.turn = 1 - me
        with when(sum_of(LINES, lambda n: s.drawn[n]) == LINES):
            score("all lines are drawn")

    return g
