"""A game with a mistake: nobody sees the board, and only a free cell may be marked, so the choices tell."""

from playproof import Game, Local, Options, Sees, count_of, otherwise, require, tie, when, win


def build(options: Options) -> Game:
    """Two players mark three of five cells in a row; who marks the middle one last wins."""
    g = Game("groping", players=2)
    s = g.state
    g.array("board", 5, 0, 2, sees=Sees.NOBODY)
    g.integer("turn", 0, 1)
    play = g.phase("play", s.turn, text="try a cell")

    @g.action(play, "mark {cell}", cell=5, secret="cell")
    def mark(cell: Local) -> None:
        require(s.board[cell] == 0, "G1", "the cell is taken")
        s.board[cell] = s.turn + 1
        with when((s.board[1] == s.turn + 1) & (s.board[2] == s.turn + 1) & (s.board[3] == s.turn + 1)):
            win("three in a row", winner=s.turn)
        with otherwise(count_of(5, lambda i: s.board[i] != 0) == 5):
            tie("the board is full")
        with otherwise():
            s.turn = 1 - s.turn

    return g
