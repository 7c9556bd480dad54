"""The queens of a chessboard: one in each row, none attacking another.

Published: 92 ways to place eight; 2,057 ways to place some in the first rows, the empty board counted too.
Source: Knuth, "Estimating the efficiency of backtrack programs", Mathematics of Computation 29 (1975);
https://oeis.org/A000170
"""

from playproof import Game, Local, Options, all_of, lose, require, when, win


def build(options: Options) -> Game:
    """The board of `size` x `size`. A row holds 0 until its queen is placed, then 1 + the column."""
    n = options.number("size", range(4, 10), 8)
    g = Game("queens")
    s = g.state
    g.array("row", n, 0, n)
    g.integer("placed", 0, n)
    g.fact(ends_within=n)
    play = g.phase("play", text="place a queen")

    @g.action(play, "column {column}", column=range(1, n + 1))
    def place(column: Local) -> None:
        free = all_of(
            (s.row[r] == 0)
            | ((s.row[r] != column) & (s.row[r] - column != s.placed - r) & (column - s.row[r] != s.placed - r))
            for r in range(n)
        )
        require(free, "Q1", "another queen attacks it")
        s.row[s.placed] = column
        s.placed += 1
        with when(s.placed == n):
            win("all queens are placed")

    @g.action(play, "give up")
    def give_up() -> None:
        lose("no column is free")

    return g
