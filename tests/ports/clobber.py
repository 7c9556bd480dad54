"""Clobber: a stone takes one of the other colour beside it; who cannot move loses. The board has any size."""

from __future__ import annotations

from playproof import Game, Local, Options, any_of, require, when, win

THEIRS = "clobber(rows=3,columns=4)"


def build(options: Options) -> Game:
    return make_game(4, 3)


def make_game(columns: int, rows: int) -> Game:
    """Return the game on a board of this size."""
    cells = range(columns * rows)
    squares = [f"{'abcdefgh'[n % columns]}{rows - n // columns}" for n in cells]
    near = [
        (a, b) for a in cells for b in cells if abs(a % columns - b % columns) + abs(a // columns - b // columns) == 1
    ]
    g = Game("clobber_port", players=2)
    s = g.state
    colours = [1 + (n % columns + n // columns) % 2 for n in cells]
    g.array("board", len(cells), 0, 2, colours)
    g.integer("turn", 0, 1)
    start = g.table("start", [a for a, _ in near])
    end = g.table("end", [b for _, b in near])
    play = g.phase("play", s.turn)

    @g.action(play, "{way}", way=[squares[a] + squares[b] for a, b in near])
    def take(way: Local) -> None:
        require((s.board[start[way]] == s.turn + 1) & (s.board[end[way]] == 2 - s.turn), "C1", "nothing is taken")
        s.board[end[way]] = s.turn + 1
        s.board[start[way]] = 0
        s.turn = 1 - s.turn
        can = any_of((s.board[a] == s.turn + 1) & (s.board[b] == 2 - s.turn) for a, b in near)
        with when(~can):
            win("the other cannot move", winner=1 - s.turn)

    return g


def words(theirs: str) -> str:
    return theirs
