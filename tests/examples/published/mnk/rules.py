"""The m,n,k-game: mark cells of a board of m x n; k in a row win (or lose, in misère play).

Published: 3,3,3 is a draw, in misère play too; 4,3,3 is won by the first player.
Source: Uiterwijk and van den Herik, "The advantage of the initiative", Information Sciences 122 (2000),
https://doi.org/10.1016/S0020-0255(99)00095-X
"""

from playproof import Game, Local, Options, all_of, any_of, otherwise, require, tie, when, win


def build(options: Options) -> Game:
    """The game on `columns` x `rows` cells with `line` in a row."""
    columns, rows = options.number("columns", range(3, 6), 4), options.number("rows", range(2, 6), 3)
    k = options.number("line", range(3, 6), 3)
    misere = options.choice("play", ["normal", "misere"]) == "misere"
    g = Game("mnk", players=2)
    s = g.state
    g.array("cell", columns * rows, labels=[".", "x", "o"])
    g.integer("turn", 0, 1)
    g.fact(ends_within=columns * rows, grid={"cell": columns})
    play = g.phase("play", actor=s.turn, text="mark a cell")
    lines = [
        [(r + i * dr) * columns + c + i * dc for i in range(k)]
        for r in range(rows)
        for c in range(columns)
        for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1))
        if 0 <= r + (k - 1) * dr < rows and 0 <= c + (k - 1) * dc < columns
    ]

    @g.action(play, "mark {cell}", cell=columns * rows)
    def mark(cell: Local) -> None:
        require(s.cell[cell] == 0, "M1", "the cell is taken")
        s.cell[cell] = s.turn + 1
        with when(any_of(all_of(s.cell[c] == s.turn + 1 for c in line) for line in lines)):
            win("a line is made", winner=1 - s.turn if misere else s.turn)
        with otherwise(all_of(s.cell[c] != 0 for c in range(columns * rows))):
            tie("the board is full")
        with otherwise():
            s.turn = 1 - s.turn

    return g
