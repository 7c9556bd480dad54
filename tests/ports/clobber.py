"""Clobber on 3 rows and 4 columns: a stone takes one of the other colour beside it; who cannot move loses."""

from __future__ import annotations

from playproof import Game, Local, Options, any_of, require, when, win

THEIRS, COLUMNS, ROWS = "clobber(rows=3,columns=4)", 4, 3
SQUARES = [f"{'abcd'[n % COLUMNS]}{ROWS - n // COLUMNS}" for n in range(COLUMNS * ROWS)]
NEAR = [
    (a, b)
    for a in range(COLUMNS * ROWS)
    for b in range(COLUMNS * ROWS)
    if abs(a % COLUMNS - b % COLUMNS) + abs(a // COLUMNS - b // COLUMNS) == 1
]


def build(options: Options) -> Game:
    g = Game("clobber_port", players=2)
    s = g.state
    colours = [1 + (n % COLUMNS + n // COLUMNS) % 2 for n in range(COLUMNS * ROWS)]
    g.array("board", COLUMNS * ROWS, 0, 2, colours)
    g.integer("turn", 0, 1)
    start = g.table("start", [a for a, _ in NEAR])
    end = g.table("end", [b for _, b in NEAR])
    play = g.phase("play", s.turn)

    @g.action(play, "{way}", way=[SQUARES[a] + SQUARES[b] for a, b in NEAR])
    def take(way: Local) -> None:
        require(
            (s.board[start[way]] == s.turn + 1) & (s.board[end[way]] == 2 - s.turn), "C1", "nothing is taken"
        )
        s.board[end[way]] = s.turn + 1
        s.board[start[way]] = 0
        s.turn = 1 - s.turn
        can = any_of((s.board[a] == s.turn + 1) & (s.board[b] == 2 - s.turn) for a, b in NEAR)
        with when(~can):
            win("the other cannot move", winner=1 - s.turn)

    return g


def words(theirs: str) -> str:
    return theirs
