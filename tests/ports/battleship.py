"""Battleship on three by three with ships of two and three cells, and four shots each."""

from __future__ import annotations

from playproof import Game, Local, Options, Sees, all_of, any_of, goto, otherwise, require, score, when

SIZE, SHOTS, SHIPS, VALUES = 3, 4, (2, 3), (1, 2)
THEIRS = (
    "battleship(board_width=3,board_height=3,ship_sizes=[2;3],ship_values=[1;2],num_shots=4,"
    "allow_repeated_shots=False,loss_multiplier=1.0)"
)
CELLS = [f"{n // SIZE}, {n % SIZE}" for n in range(SIZE * SIZE)]
PLACES = [f"{way} {cell}" for way in ("horizontally", "vertically") for cell in CELLS]
COVERS = [
    [
        [n + k * (1, SIZE)[way] for k in range(size)] if (n % SIZE, n // SIZE)[way] + size <= SIZE else []
        for way in range(2)
        for n in range(SIZE * SIZE)
    ]
    for size in SHIPS
]


def build(options: Options) -> Game:
    """`ship` holds for each seat the ship in a cell, `shot` what the other's shot at a cell has met."""
    g = Game("battleship_port", players=2)
    s = g.state
    g.array("ship", (2, SIZE * SIZE), 0, len(SHIPS), sees=Sees.OWNER)
    g.array("shot", (2, SIZE * SIZE), labels=["", "water", "hit", "sunk"])
    g.integer("placed", 0, len(SHIPS))
    g.integer("fired", 0, 2 * SHOTS)
    g.integer("turn", 0, 1)
    covers = [
        g.table(f"covers{n}", [[int(c in cells) for c in range(SIZE * SIZE)] for cells in COVERS[n]]) for n in (0, 1)
    ]
    place, shoot = g.phase("place", s.turn), g.phase("shoot", s.turn)

    def sunk(seat: int, ship: int):  # type: ignore[no-untyped-def]  # a term
        return all_of(SIZE * SIZE, lambda c: (s.ship[seat, c] != ship) | (s.shot[seat, c] > 1))

    lost = [[sunk(seat, ship) for ship in (1, 2)] for seat in (0, 1)]
    worth = [VALUES[0] * row[0] + VALUES[1] * row[1] for row in lost]
    g.returns(worth[1] - worth[0], worth[0] - worth[1])

    @g.action(place, "place {where}", where=PLACES, secret="where")
    def placing(where: Local) -> None:
        for number, table in enumerate(covers):
            fits = any_of(SIZE * SIZE, lambda c, t=table: t[where, c] == 1) & all_of(
                SIZE * SIZE, lambda c, t=table: (t[where, c] == 0) | (s.ship[s.turn, c] == 0)
            )
            require((s.placed != number) | fits, "S1", "the ship does not fit there")
        for number, table in enumerate(covers):
            with when(s.placed == number):
                for cell in range(SIZE * SIZE):
                    with when(table[where, cell] == 1):
                        s.ship[s.turn, cell] = number + 1
        with when(s.turn == 1):
            s.placed += 1
            with when(s.placed == len(SHIPS)):
                goto(shoot)
        s.turn = 1 - s.turn

    @g.action(shoot, "shoot {cell}", cell=CELLS, public="cell", reveals="ship")
    def shooting(cell: Local) -> None:
        require(s.shot[1 - s.turn, cell] == 0, "S2", "you have shot there")
        for seat in (0, 1):
            with when(s.turn != seat):
                hit = s.ship[seat, cell]
                rest = any_of(
                    (s.ship[seat, c] == hit) & (cell != c) & (s.shot[seat, c] == 0) for c in range(SIZE * SIZE)
                )
                with when(hit == 0):
                    s.shot[seat, cell] = 1
                with otherwise(rest):
                    s.shot[seat, cell] = 2
                with otherwise():
                    s.shot[seat, cell] = 3
        s.fired += 1
        fleet = [all_of(SIZE * SIZE, lambda c, q=q: (s.ship[q, c] == 0) | (s.shot[q, c] > 1)) for q in (0, 1)]
        with when((s.fired == 2 * SHOTS) | fleet[0] | fleet[1]):
            score("the shooting is over")
        with otherwise():
            s.turn = 1 - s.turn

    return g


def words(theirs: str) -> str:
    """`Pl0: place ship vertically with top-left corner in (0, 1)`, `Pl1: shoot at (2, 0)`."""
    cell = theirs[theirs.index("(") + 1 : -1]
    if "shoot" in theirs:
        return f"shoot {cell}"
    return f"place {'horizontally' if 'horizontally' in theirs else 'vertically'} {cell}"
