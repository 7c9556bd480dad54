"""Connect four on a small board: drop a disc into a column; four in a line win.

Known: on 4 x 4 there are 161,029 positions and the game is a draw (Tromp, "John's Connect Four
Playground"; OEIS A212693).
"""

from playproof import Game, Local, Options, Term, all_of, any_of, otherwise, require, tie, when, win


def build(options: Options) -> Game:
    """The game on `width` columns of `height` cells."""
    width, height = options.number("width", range(4, 8), 4), options.number("height", range(4, 7), 4)
    g = Game("connect_four", players=2)
    s = g.state
    g.array("cell", (width, height), labels=[".", "x", "o"])
    g.array("filled", width, 0, height)
    g.integer("turn", 0, 1)
    upright = [[column * height + row for column in range(width)] for row in reversed(range(height))]
    g.fact(ends_within=width * height, grid={"cell": upright})
    drop = g.phase("drop", actor=s.turn, text="drop a disc")
    lines = [
        [(c + i * dc, r + i * dr) for i in range(4)]
        for c in range(width)
        for r in range(height)
        for dc, dr in ((1, 0), (0, 1), (1, 1), (1, -1))
        if 0 <= c + 3 * dc < width and 0 <= r + 3 * dr < height
    ]

    def four(disc: Term) -> Term:
        return any_of(
            (s.cell[a] == disc) & (s.cell[b] == disc) & (s.cell[c] == disc) & (s.cell[d] == disc)
            for a, b, c, d in lines
        )

    @g.action(drop, "drop into column {column}", column=width)
    def fall(column: Local) -> None:
        require(s.filled[column] < height, "C1", "the column is full")
        s.cell[column, s.filled[column]] = s.turn + 1
        s.filled[column] = s.filled[column] + 1
        with when(four(s.turn + 1)):
            win("four in a line", winner=s.turn)
        with otherwise(all_of(width, lambda c: s.filled[c] == height)):
            tie("the board is full")
        with otherwise():
            s.turn = 1 - s.turn

    return g
