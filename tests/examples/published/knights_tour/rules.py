"""A knight's tour: visit every cell of a board once by the moves of a knight.

Published: there is a tour on 3 x 4 and on 5 x 5, and none on 4 x 4. Source: Schwenk, "Which rectangular chessboards
have a knight's tour?", Mathematics Magazine 64 (1991), https://oeis.org/A165134
"""

from playproof import Game, Local, Options, all_of, any_of, lose, otherwise, require, when, win


def build(options: Options) -> Game:
    """The board of `columns` x `rows`; the first cell is free to choose."""
    columns, rows = options.number("columns", range(3, 7), 4), options.number("rows", range(3, 7), 4)
    n = columns * rows
    g = Game("knights_tour")
    s = g.state
    g.array("visited", n, 0, 1)
    g.integer("knight", 0, n, n)
    g.fact(ends_within=n, grid={"visited": columns})
    play = g.phase("play", text="move the knight")
    reach = [
        [int({abs(a // columns - b // columns), abs(a % columns - b % columns)} == {1, 2}) for b in range(n)]
        for a in range(n)
    ] + [[1] * n]
    jumps = g.table("jumps", reach)

    @g.action(play, "to {cell}", cell=n)
    def jump(cell: Local) -> None:
        require(s.visited[cell] == 0, "K1", "the cell was visited")
        require(jumps[s.knight, cell] == 1, "K2", "a knight does not jump there")
        s.visited[cell] = 1
        s.knight = cell
        with when(all_of(s.visited[c] == 1 for c in range(n))):
            win("every cell is visited")
        with otherwise(~any_of((jumps[cell, c] == 1) & (s.visited[c] == 0) for c in range(n))):
            lose("no cell is left to jump to")

    return g
