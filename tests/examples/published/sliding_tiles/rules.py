"""Sliding tiles (the 15-puzzle on a smaller board): push a tile next to the gap into the gap.

Published: half of all orders can be reached, 9!/2 = 181,440 on 3 x 3; with two tiles exchanged none solves it.
Source: Johnson and Story, "Notes on the '15' puzzle", American Journal of Mathematics 2 (1879),
https://doi.org/10.2307/2369492
"""

from playproof import Game, Local, Options, all_of, require, when, win


def build(options: Options) -> Game:
    """The board of `columns` x `rows`. At the start it is solved, or its last two tiles are exchanged."""
    columns, rows = options.number("columns", range(2, 5), 3), options.number("rows", range(2, 5), 3)
    exchanged = options.choice("start", ["solved", "exchanged"]) == "exchanged"
    n = columns * rows
    solved = [*range(1, n), 0]
    start = [*solved[: n - 3], n - 1, n - 2, 0] if exchanged else solved
    g = Game("sliding_tiles")
    s = g.state
    g.array("tile", n, 0, n - 1, start)
    g.integer("gap", 0, n - 1, n - 1)
    g.fact(grid={"tile": columns})
    play = g.phase("play", text="push a tile")
    beside = g.table(
        "beside",
        [
            [int(abs(a // columns - b // columns) + abs(a % columns - b % columns) == 1) for b in range(n)]
            for a in range(n)
        ],
    )

    @g.action(play, "push from {place}", place=n)
    def push(place: Local) -> None:
        require(beside[place, s.gap] == 1, "S1", "the gap is not beside it")
        s.tile[s.gap] = s.tile[place]
        s.tile[place] = 0
        s.gap = place
        with when(all_of(s.tile[k] == solved[k] for k in range(n))):
            win("all tiles are in order")

    return g
