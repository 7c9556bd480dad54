"""Breakthrough on 5 columns and 6 rows: pieces step forward, capture on the diagonals, and win on the last row."""

from __future__ import annotations

from playproof import Game, Local, Options, otherwise, require, sum_of, when, win

THEIRS, COLUMNS, ROWS = "breakthrough(rows=6,columns=5)", 5, 6
SQUARES = [f"{'abcde'[n % COLUMNS]}{ROWS - n // COLUMNS}" for n in range(COLUMNS * ROWS)]
WAYS = ["left", "straight", "right"]


def build(options: Options) -> Game:
    g = Game("breakthrough_port", players=2)
    s = g.state
    start = [1] * (2 * COLUMNS) + [0] * (COLUMNS * (ROWS - 4)) + [2] * (2 * COLUMNS)
    g.array("board", COLUMNS * ROWS, 0, 2, start)
    g.integer("turn", 0, 1)
    column = g.table("column", [n % COLUMNS for n in range(COLUMNS * ROWS)])
    play = g.phase("play", s.turn)

    @g.action(play, "{square} {way}", square=SQUARES, way=WAYS)
    def move(square: Local, way: Local) -> None:
        own, other = s.turn + 1, 2 - s.turn
        aside = column[square] + way - 1
        to = square + (1 - 2 * s.turn) * COLUMNS + way - 1
        require((s.board[square] == own) & (aside >= 0) & (aside < COLUMNS), "B1", "no such step")
        require((s.board[to] == 0) | ((way != 1) & (s.board[to] == other)), "B2", "the square is taken")
        s.board[to] = own
        s.board[square] = 0
        last = ((s.turn == 0) & (to >= COLUMNS * (ROWS - 1))) | ((s.turn == 1) & (to < COLUMNS))
        with when(last | (sum_of(COLUMNS * ROWS, lambda i: s.board[i] == other) == 0)):
            win("broken through", winner=s.turn)
        with otherwise():
            s.turn = 1 - s.turn

    return g


def words(theirs: str) -> str:
    """`b3c2*` is a step to the right."""
    return f"{theirs[:2]} {WAYS[1 + ord(theirs[2]) - ord(theirs[0])]}"
