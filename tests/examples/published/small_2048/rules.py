"""2048 on a board of 2 x 2: swipe, equal tiles merge, then a 2 (nine times of ten) or a 4 appears.

Published: the tile 32 is reached about 8 % of the time with best play.
Source: Dean, "The Mathematics of 2048: Optimal Play with Markov Decision Processes" (2018),
https://jdlm.info/articles/2018/03/18/markov-decision-process-2048.html
"""

from playproof import CHANCE, Game, Local, Options, any_of, goto, keep, lose, require, weight, when, win
from playproof.language import Term

LINES = {"left": [(0, 1), (2, 3)], "right": [(1, 0), (3, 2)], "up": [(0, 2), (1, 3)], "down": [(2, 0), (3, 1)]}
"""The two lines of cells of each direction, the cell in front first."""


def build(options: Options) -> Game:
    """The game to the tile 2 to the power of `goal`. Cells hold powers of two, 0 is empty."""
    goal = options.number("goal", range(3, 6), 5)
    g = Game("small_2048")
    s = g.state
    g.array("cell", 4, 0, goal, labels=["."] + [str(2**n) for n in range(1, goal + 1)])
    g.flag("begun")
    appear = g.phase("appear", actor=CHANCE, text="a tile appears")
    swipe = g.phase("swipe", text="swipe")

    def moves(front: int, back: int) -> Term:
        free: Term = (s.cell[back] != 0) & ((s.cell[front] == 0) | (s.cell[front] == s.cell[back]))
        return free

    @g.action(appear, "a {tile} in cell {place}", tile=["2", "4"], place=4)
    def tile(tile: Local, place: Local) -> None:
        require(s.cell[place] == 0, "T1", "the cell is taken")
        weight(9 - 8 * tile)
        s.cell[place] = tile + 1
        with when(s.begun == 1):
            goto(swipe)
            with when(~any_of(moves(*line) for lines in LINES.values() for line in lines)):
                lose("no tile can move")
        s.begun = 1

    for name, lines in LINES.items():

        @g.action(swipe, name, name=name)
        def to(lines: list[tuple[int, int]] = lines) -> None:
            require(any_of(moves(*line) for line in lines), "T2", "nothing would move")
            for front, back in lines:
                here, there = keep(s.cell[front]), keep(s.cell[back])
                with when((here == 0) & (there != 0)):
                    s.cell[front] = there
                    s.cell[back] = 0
                with when((here != 0) & (here == there)):
                    s.cell[front] = here + 1
                    s.cell[back] = 0
            goto(appear)
            with when(any_of(s.cell[place] == goal for place in range(4))):
                win("the tile is made")

    return g
