"""Breakthrough on eight by eight (Troyka, 2000): who reaches the other side wins."""

from playproof import Game, Local, Options, Term, goto, otherwise, require, when, win

SIDE = 8
WIDE = SIDE + 2  # with a rim on both sides, where nobody may go
WAYS = ("left", "ahead", "right")


def build(options: Options) -> Game:
    """The game, for two players: the first starts in the first two rows."""
    g = Game("breakthrough", players=2)
    s = g.state
    rows = [1, 1, 0, 0, 0, 0, 2, 2]
    g.array("board", SIDE * WIDE, 0, 3, [cell for row in rows for cell in (3, *[row] * SIDE, 3)])
    up, down = g.phase("up", 0, text="move up"), g.phase("down", 1, text="move down")

    def move(seat: int, row: Local, column: Local, way: Local) -> None:
        ahead: Term = row + (1 if seat == 0 else -1)
        start, target = row * WIDE + column + 1, ahead * WIDE + column + way
        require(s.board[start] == seat + 1, "B1", "no piece of yours")
        require((s.board[target] == 0) | ((s.board[target] == 2 - seat) & (way != 1)), "B2", "the space is taken")
        s.board[start] = 0
        s.board[target] = seat + 1
        with when(ahead == (SIDE - 1 if seat == 0 else 0)):
            win("the other side is reached", winner=seat)
        with otherwise():
            goto(down if seat == 0 else up)

    @g.action(up, "{row}, {column}: {way}", row=range(SIDE - 1), column=SIDE, way=WAYS)
    def moving_up(row: Local, column: Local, way: Local) -> None:
        move(0, row, column, way)

    @g.action(down, "{row}, {column}: {way}", row=range(1, SIDE), column=SIDE, way=WAYS)
    def moving_down(row: Local, column: Local, way: Local) -> None:
        move(1, row, column, way)

    return g
