"""Phantom tic-tac-toe: marks are hidden; whoever tries a taken cell is told, and tries another one."""

from __future__ import annotations

from playproof import Game, Local, Options, Sees, all_of, any_of, otherwise, require, tie, when, win

THEIRS = "phantom_ttt(obstype=reveal-numturns)"
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def build(options: Options) -> Game:
    """`known` holds for each player the marks that it has made or found."""
    g = Game("phantom_port", players=2)
    s = g.state
    g.array("board", 9, labels=[".", "x", "o"], sees=Sees.NOBODY)
    g.array("known", (2, 9), labels=[".", "x", "o"], sees=Sees.OWNER)
    g.integer("turn", 0, 1)
    play = g.phase("play", s.turn)

    @g.action(play, "{cell}", cell=9, secret="cell", reveals="board")
    def mark(cell: Local) -> None:
        require(s.known[s.turn, cell] == 0, "P1", "you know that it is taken")
        with when(s.board[cell] != 0):
            s.known[s.turn, cell] = s.board[cell]
        with otherwise():
            s.board[cell] = s.turn + 1
            s.known[s.turn, cell] = s.turn + 1
            own = s.turn + 1
            with when(any_of((s.board[a] == own) & (s.board[b] == own) & (s.board[c] == own) for a, b, c in LINES)):
                win("three in a row", winner=s.turn)
            with otherwise(all_of(9, lambda i: s.board[i] != 0)):
                tie("the board is full")
            with otherwise():
                s.turn = 1 - s.turn

    return g


def words(theirs: str) -> str:
    """`x(1,2)` is cell 5."""
    return str(3 * int(theirs[2]) + int(theirs[4]))
