"""Gomoku on fifteen by fifteen: exactly five stones in a row win."""

from playproof import Game, Local, Options, all_of, any_of, otherwise, require, tie, when, win

SIDE, FIVE = 15, 5
WIDE = SIDE + 2 * FIVE  # with a rim that stays empty, so that no row leaves the board
WAYS = (1, WIDE, WIDE + 1, WIDE - 1)


def build(options: Options) -> Game:
    """The game, for two players."""
    g = Game("gomoku", players=2)
    s = g.state
    g.array("board", WIDE * WIDE, labels=[".", "x", "o"])
    g.integer("turn", 0, 1)
    g.integer("stones", 0, SIDE * SIDE)
    play = g.phase("play", s.turn, text="set a stone")

    @g.action(play, "{row}, {column}", row=SIDE, column=SIDE)
    def setting(row: Local, column: Local) -> None:
        cell = (row + FIVE) * WIDE + column + FIVE
        mine = s.turn + 1
        require(s.board[cell] == 0, "G1", "the space is taken")
        s.board[cell] = mine
        s.stones += 1
        with when(
            any_of(
                all_of(s.board[cell + (at - before) * way] == mine for at in range(FIVE))
                & (s.board[cell - (before + 1) * way] != mine)
                & (s.board[cell + (FIVE - before) * way] != mine)
                for way in WAYS
                for before in range(FIVE)
            )
        ):
            win("five in a row", winner=s.turn)
        with otherwise(s.stones == SIDE * SIDE):
            tie("the board is full")
        with otherwise():
            s.turn = 1 - s.turn

    return g
