"""Breakthrough: pieces step forward, capture on the diagonals, and win on the last row. The board has any size."""

from __future__ import annotations

from playproof import Game, Local, Options, otherwise, require, sum_of, when, win

THEIRS = "breakthrough(rows=6,columns=5)"
WAYS = ["left", "straight", "right"]


def build(options: Options) -> Game:
    return make_game(5, 6)


def make_game(columns: int, rows: int) -> Game:
    """Return the game on a board of this size."""
    squares = [f"{'abcdefgh'[n % columns]}{rows - n // columns}" for n in range(columns * rows)]
    g = Game("breakthrough_port", players=2)
    s = g.state
    start = [1] * (2 * columns) + [0] * (columns * (rows - 4)) + [2] * (2 * columns)
    g.array("board", columns * rows, 0, 2, start)
    g.integer("turn", 0, 1)
    column = g.table("column", [n % columns for n in range(columns * rows)])
    play = g.phase("play", s.turn)

    @g.action(play, "{square} {way}", square=squares, way=WAYS)
    def move(square: Local, way: Local) -> None:
        own, other = s.turn + 1, 2 - s.turn
        aside = column[square] + way - 1
        to = square + (1 - 2 * s.turn) * columns + way - 1
        require((s.board[square] == own) & (aside >= 0) & (aside < columns), "B1", "no such step")
        require((s.board[to] == 0) | ((way != 1) & (s.board[to] == other)), "B2", "the square is taken")
        s.board[to] = own
        s.board[square] = 0
        last = ((s.turn == 0) & (to >= columns * (rows - 1))) | ((s.turn == 1) & (to < columns))
        with when(last | (sum_of(columns * rows, lambda i: s.board[i] == other) == 0)):
            win("broken through", winner=s.turn)
        with otherwise():
            s.turn = 1 - s.turn

    return g


def words(theirs: str) -> str:
    """`b3c2*` is a step to the right."""
    return f"{theirs[:2]} {WAYS[1 + ord(theirs[2]) - ord(theirs[0])]}"
