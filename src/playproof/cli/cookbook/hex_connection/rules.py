"""Hex map with connection: who joins their two sides first wins.

The board has three rows of two hexagons. The first player joins left and right, the second top and bottom. A chain of
one colour always blocks the other, so there is no tie.
"""

from typing import Any

from playproof import Game, Local, Options, all_of, any_of, otherwise, require, when, win

SIDES = (3, 2)
CELLS = [(row, column) for row in range(SIDES[0]) for column in range(SIDES[1])]
STEPS = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)]


def list_shortest_chains_between_sides(across: int) -> list[frozenset[int]]:
    """The shortest chains from one side to the other: columns (`across` 1) or rows (0) count. Found in Python, once."""
    ready = set[frozenset[int]]()
    growing: list[Any] = [((cell,), cell) for cell in CELLS if cell[across] == 0]
    while growing:
        path, (row, column) = growing.pop()
        if path[-1][across] == SIDES[across] - 1:
            ready.add(frozenset(map(CELLS.index, path)))
            continue
        beside = [(row + down, column + right) for down, right in STEPS]
        growing += [((*path, cell), cell) for cell in beside if cell in CELLS and cell not in path]
    return [chain for chain in ready if not any(other < chain for other in ready)]


def build(options: Options) -> Game:
    """The game, for two players."""
    g = Game("hex_connection", players=2)
    s = g.state
    g.array("board", len(CELLS), labels=[".", "first", "second"])
    g.integer("turn", 0, 1)
    g.fact(ends_within=len(CELLS), grid={"board": SIDES[1]})
    play = g.phase("play", s.turn, text="claim a hexagon")

    def joined(seat: int) -> Any:
        """Whether a chain of this seat is complete."""
        return any_of(
            all_of(s.board[cell] == seat + 1 for cell in sorted(chain))
            for chain in list_shortest_chains_between_sides(1 - seat)
        )

    @g.action(play, "claim {cell}", cell=len(CELLS), rule="X1")
    def claiming(cell: Local) -> None:
        require(s.board[cell] == 0, "X1", "the hexagon is taken")
        s.board[cell] = s.turn + 1
        with when(joined(0)):
            win("left and right are joined", winner=0, rule="X2")
        with otherwise(joined(1)):
            win("top and bottom are joined", winner=1, rule="X2")
        with otherwise():
            s.turn = 1 - s.turn

    return g
