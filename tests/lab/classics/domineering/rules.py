"""Domineering on six by six (Andersson, about 1973): who cannot lay a domino loses."""

from playproof import Game, Local, Options, any_of, goto, otherwise, require, when, win

SIDE = 6
LAST = SIDE - 1


def build(options: Options) -> Game:
    """The game, for two players: the first lays across, the second lays down."""
    g = Game("domineering", players=2)
    s = g.state
    g.array("board", SIDE * SIDE, labels=[".", "across", "down"])
    across, down = g.phase("across", 0, text="lay across"), g.phase("down", 1, text="lay down")
    beside = [row * SIDE + column for row in range(SIDE) for column in range(LAST)]
    below = list(range(SIDE * LAST))

    def lay(seat: int, first: Local, gap: int) -> None:
        require((s.board[first] == 0) & (s.board[first + gap] == 0), "D1", "the spaces are taken")
        s.board[first] = seat + 1
        s.board[first + gap] = seat + 1
        starts, step = (below, SIDE) if seat == 0 else (beside, 1)
        with when(any_of((s.board[cell] == 0) & (s.board[cell + step] == 0) for cell in starts)):
            goto(down if seat == 0 else across)
        with otherwise():
            win("no domino fits", winner=seat)

    @g.action(across, "at {row}, {column}", row=SIDE, column=LAST)
    def laying_across(row: Local, column: Local) -> None:
        lay(0, row * SIDE + column, 1)

    @g.action(down, "at {first}", first=SIDE * LAST)
    def laying_down(first: Local) -> None:
        lay(1, first, SIDE)

    return g
