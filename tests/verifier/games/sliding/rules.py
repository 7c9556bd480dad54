"""The 8-puzzle with its moves counted, for the tests of fewest rounds: the action that wins raises the counter too.

Known: the farthest position takes 31 moves, and half of all positions cannot be solved (181,440 each; Reinefeld,
"Complete solution of the eight-puzzle", IJCAI 1993). `size` 2 is the same on a square of four: 12 positions each.
"""

from playproof.language import Game, Local, all_of, require, when, win
from playproof.language.options import Options

EASY = {2: (1, 2, 0, 3), 3: (1, 2, 3, 4, 5, 6, 0, 7, 8)}
ODD = {2: (2, 1, 3, 0), 3: (2, 1, 3, 4, 5, 6, 7, 8, 0)}
FAR = {2: (0, 3, 2, 1), 3: (8, 6, 7, 2, 5, 4, 3, 0, 1)}


def build(options: Options) -> Game:
    """`start`: near, far, or in the half that has no solution. `count`: whether moves are counted, and how far."""
    size = options.number("size", range(2, 4), 2)
    start = options.choice("start", ("easy", "odd", "far"))
    count = options.number("count", range(41), 0)
    tiles = {"easy": EASY, "odd": ODD, "far": FAR}[start][size]
    g = Game("sliding")
    s = g.state
    g.array("tile", size * size, 0, size * size - 1, list(tiles))
    g.integer("gap", 0, size * size - 1, tiles.index(0))
    g.integer("moves", 0, max(1, count))
    g.quantity("moves", s.moves)
    g.fact(round="moves")
    places = range(size * size)
    near = g.table(
        "near", [[int(abs(a // size - b // size) + abs(a % size - b % size) == 1) for b in places] for a in places]
    )
    slide = g.phase("slide")

    @g.action(slide, "slide the tile at {place}", place=size * size)
    def move(place: Local) -> None:
        require(near[s.gap, place] == 1, "S1", "it is not beside the gap")
        if count:
            require(s.moves < count, "S2", "no more moves")
            s.moves += 1
        s.tile[s.gap] = s.tile[place]
        s.tile[place] = 0
        s.gap = place
        goal = (*range(1, size * size), 0)
        with when(all_of(s.tile[i] == t for i, t in enumerate(goal))):
            win("in order")

    return g
