"""Klotski (L'ane rouge): ten blocks on a board of 4 x 5; the square of 2 x 2 is to reach the middle of the bottom.

Published: 25,955 positions can be reached, blocks of one shape counted as alike.
Source: Spaans, "Klotski", https://en.wikipedia.org/wiki/Klotski
"""

from playproof import Game, Options, all_of, require, when, win

COLUMNS, ROWS = 4, 5
SHAPES = {"square": (2, 2), "upright": (1, 2), "level": (2, 1), "small": (1, 1)}
"""Columns and rows of a block."""
START = {"square": [1], "upright": [0, 3, 8, 11], "level": [9], "small": [13, 14, 16, 19]}
"""The upper left cells of the blocks of each shape."""
STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


def covered(shape: str, corner: int) -> list[int]:
    """Return the cells that a block covers."""
    columns, rows = SHAPES[shape]
    return [corner + r * COLUMNS + c for r in range(rows) for c in range(columns)]


def build(options: Options) -> Game:
    """The usual start. A cell holds 0 if it is free, 1 if it is covered by a block whose corner is elsewhere, and
    2 or more for the corner of a block of each shape."""
    goal = options.choice("goal", ["escape", "none"]) == "escape"
    g = Game("klotski")
    s = g.state
    start = [0] * (COLUMNS * ROWS)
    for kind, corners in enumerate(START.values(), 2):
        for corner in corners:
            for cell in covered(list(SHAPES)[kind - 2], corner):
                start[cell] = kind if cell == corner else 1
    g.array("cell", COLUMNS * ROWS, start=start, labels=[".", "*", *SHAPES])
    g.fact(grid={"cell": COLUMNS})
    play = g.phase("play", text="move a block")

    for kind, (shape, (wide, high)) in enumerate(SHAPES.items(), 2):
        for name, (down, right) in STEPS.items():
            corners = [
                r * COLUMNS + c
                for r in range(ROWS - high + 1)
                for c in range(COLUMNS - wide + 1)
                if 0 <= r + down <= ROWS - high and 0 <= c + right <= COLUMNS - wide
            ]
            for corner in corners:
                there = corner + down * COLUMNS + right
                left = [c for c in covered(shape, corner) if c not in covered(shape, there)]
                taken = [c for c in covered(shape, there) if c not in covered(shape, corner)]

                @g.action(play, f"{shape} at {corner} {name}", name=f"move_{kind}_{corner}_{name}")
                def move(
                    kind: int = kind,
                    shape: str = shape,
                    corner: int = corner,
                    there: int = there,
                    left: list[int] = left,
                    taken: list[int] = taken,
                ) -> None:
                    require(s.cell[corner] == kind, "K1", "no such block is there")
                    require(all_of(s.cell[c] == 0 for c in taken), "K2", "the way is not free")
                    for cell in left:
                        s.cell[cell] = 0
                    for cell in covered(shape, there):
                        s.cell[cell] = kind if cell == there else 1
                    if goal and shape == "square" and there == 13:
                        win("the square is out")

    if not goal:

        @g.action(play, "stop")
        def stop() -> None:
            with when(s.cell[13] == 2):
                win("the square is out")

    return g
