"""Hex on three by three: the first player joins top and bottom, the second left and right.

Known: the first wins, and nobody draws.
"""

from playproof import Game, Local, Options, any_of, goto, otherwise, require, when, win

SIDE = 3
STEPS = [(-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)]
CELLS = [(r, c) for r in range(SIDE) for c in range(SIDE)]


def near(row: int, column: int) -> list[int]:
    """The cells beside a cell."""
    return [CELLS.index((row + a, column + b)) for a, b in STEPS if (row + a, column + b) in CELLS]


def build(options: Options) -> Game:
    """A stone is linked if its player's first side (top, left) can be reached from it over stones of that player."""
    g = Game("hex", players=2)
    s = g.state
    g.array("stone", len(CELLS), 0, 2)
    g.array("linked", len(CELLS))
    g.integer("turn", 0, 1)
    play = g.phase("play", s.turn, text="place a stone")
    link = g.automatic("link")

    def linkable(cell: int):  # type: ignore[no-untyped-def]
        row, column = CELLS[cell]
        touches = [(s.linked[n] == 1) & (s.stone[n] == s.turn + 1) for n in near(row, column)]
        touches += [s.turn == 0] if row == 0 else []
        touches += [s.turn == 1] if column == 0 else []
        return (s.stone[cell] == s.turn + 1) & (s.linked[cell] == 0) & any_of(touches)

    @g.action(play, "place at {cell}", cell=[f"{r + 1}, {c + 1}" for r, c in CELLS])
    def place(cell: Local) -> None:
        require(s.stone[cell] == 0, "H1", "a stone lies there")
        s.stone[cell] = s.turn + 1
        goto(link)

    @g.on(link)
    def linking() -> None:
        for cell in range(len(CELLS)):
            with when(linkable(cell)):
                s.linked[cell] = 1
        down = any_of([(s.linked[n] == 1) & (s.stone[n] == 1) for n, (r, _) in enumerate(CELLS) if r == SIDE - 1])
        across = any_of([(s.linked[n] == 1) & (s.stone[n] == 2) for n, (_, c) in enumerate(CELLS) if c == SIDE - 1])
        with when(down | across):
            win("the sides are joined", winner=s.turn)
        with otherwise(~any_of([linkable(cell) for cell in range(len(CELLS))])):
            s.turn = 1 - s.turn
            goto(play)

    return g
