"""The mutilated chessboard: dominoes on a board without two opposite corners.

Published: it cannot be covered, since each domino covers a white and a black cell.
Source: McCarthy, "A Tough Nut for Proof Procedures", Stanford AI Memo 16 (1964),
https://en.wikipedia.org/wiki/Mutilated_chessboard_problem
"""

from playproof import Game, Local, Options, all_of, lose, require, when, win


def build(options: Options) -> Game:
    """The board of `size` x `size`; without the corners, or whole."""
    n = options.number("size", range(2, 9), 8)
    whole = options.choice("board", ["mutilated", "whole"]) == "whole"
    g = Game("mutilated_board")
    s = g.state
    corners = (0, n * n - 1)
    g.array("covered", n * n, 0, 1, [int(not whole and c in corners) for c in range(n * n)])
    g.fact(grid={"covered": n}, ends_within=n * n // 2 + 1)
    play = g.phase("play", text="lay a domino")
    spots = [(c, c + 1) for c in range(n * n) if c % n < n - 1] + [(c, c + n) for c in range(n * n - n)]
    first, second = (g.table(name, [spot[k] for spot in spots]) for k, name in enumerate(("a", "b")))

    @g.action(play, lambda spot: f"on {spots[spot][0]} and {spots[spot][1]}", spot=len(spots))
    def lay(spot: Local) -> None:
        free = (s.covered[first[spot]] == 0) & (s.covered[second[spot]] == 0)
        require(free, "M1", "a cell is covered or missing")
        s.covered[first[spot]] = 1
        s.covered[second[spot]] = 1
        with when(all_of(s.covered[c] == 1 for c in range(n * n))):
            win("the board is covered")

    @g.action(play, "give up")
    def give_up() -> None:
        lose("no domino fits")

    return g
