"""Tic-tac-toe: two players mark a three by three board; three in a row wins.

Known: 255,168 games, 5,478 positions, a draw under best play (Schaefer, "MathRec Solutions
(Tic-Tac-Toe)", 2002).
"""

from playproof import Game, Local, Options, any_of, count_of, otherwise, require, tie, when, win

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def build(options: Options) -> Game:
    """The game, for two players."""
    g = Game("tic_tac_toe", players=2)
    s = g.state
    g.array("board", 9, labels=[".", "x", "o"])
    g.integer("turn", 0, 1)
    g.fact(ends_within=9)
    play = g.phase("play", actor=s.turn, text="mark a cell")

    @g.action(play, "mark {cell}", cell=9)
    def mark(cell: Local) -> None:
        require(s.board[cell] == 0, "T1", "the cell is taken")
        s.board[cell] = s.turn + 1
        with when(
            any_of(
                (s.board[a] == s.turn + 1) & (s.board[b] == s.turn + 1) & (s.board[c] == s.turn + 1)
                for a, b, c in LINES
            )
        ):
            win("three in a row", winner=s.turn)
        with otherwise(count_of(9, lambda i: s.board[i] != 0) == 9):
            tie("the board is full")
        with otherwise():
            s.turn = 1 - s.turn

    return g
