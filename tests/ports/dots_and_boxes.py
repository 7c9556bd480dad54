"""Dots and boxes, two by two: who closes a box draws another line; who has more boxes wins."""

from __future__ import annotations

from playproof import Game, Local, Options, keep, otherwise, require, tie, when, win

THEIRS = "dots_and_boxes"
ACROSS = [f"h,{row},{column}" for row in range(3) for column in range(2)]
DOWN = [f"v,{row},{column}" for row in range(2) for column in range(3)]
LINES = ACROSS + DOWN
BOXES = [
    [LINES.index(name) for name in (f"h,{r},{c}", f"h,{r + 1},{c}", f"v,{r},{c}", f"v,{r},{c + 1}")]
    for r in range(2)
    for c in range(2)
]


def build(options: Options) -> Game:
    g = Game("dots_port", players=2)
    s = g.state
    g.array("line", 12)
    g.array("boxes", 2, 0, 4)
    g.integer("turn", 0, 1)
    g.fact(ends_within=12)
    play = g.phase("play", s.turn)

    @g.action(play, "{line}", line=LINES)
    def draw(line: Local) -> None:
        require(s.line[line] == 0, "D1", "it is drawn")
        before = keep(
            sum((s.line[a] + s.line[b] + s.line[c] + s.line[d] == 4 for a, b, c, d in BOXES), start=0 * s.turn)
        )
        s.line[line] = 1
        now = keep(sum((s.line[a] + s.line[b] + s.line[c] + s.line[d] == 4 for a, b, c, d in BOXES), start=0 * s.turn))
        s.boxes[s.turn] += now - before
        with when(now == 4):
            with when(s.boxes[0] > s.boxes[1]):
                win("more boxes", winner=0)
            with otherwise(s.boxes[0] < s.boxes[1]):
                win("more boxes", winner=1)
            with otherwise():
                tie("as many boxes")
        with otherwise(now == before):
            s.turn = 1 - s.turn

    return g


def words(theirs: str) -> str:
    """`P1(h,0,0)` without the player."""
    return theirs[3:-1]
