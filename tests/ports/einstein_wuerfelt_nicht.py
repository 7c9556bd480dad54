"""EinStein würfelt nicht: the die names a cube, or the nearest ones left; the far corner or all cubes taken wins."""

from __future__ import annotations

from itertools import permutations

from playproof import (
    CHANCE,
    Game,
    Local,
    Options,
    all_of,
    goto,
    keep,
    max_of,
    min_of,
    otherwise,
    pick,
    require,
    when,
    win,
)

THEIRS = "einstein_wurfelt_nicht"
ORDERS = [*permutations(range(1, 7))]
CORNER = [(0, 1, 2, 5, 6, 10), (14, 18, 19, 22, 23, 24)]  # cells of each colour, row by row
WAYS = [["diag", "down", "right"], ["diag", "up", "left"]]


def build(options: Options) -> Game:
    """`cube` holds 1 to 6 for black cubes, 7 to 12 for white ones; `at` is where each is, or 25."""
    g = Game("einstein_port", players=2)
    s = g.state
    g.array("cube", 25, 0, 12)
    g.array("at", 12, 0, 25, 25)
    g.integer("turn", 0, 1, 1)
    g.integer("die", 0, 5)
    g.integer("laid", 0, 1)
    order = g.table("order", ORDERS)
    column = g.table("column", [n % 5 for n in range(25)])
    lay, roll = g.phase("lay", CHANCE), g.phase("roll", CHANCE)
    play = g.phase("play", s.turn)

    @g.action(lay, "{order_number}", order_number=720)
    def laying(order_number: Local) -> None:
        for seat in (1, 0):
            with when(s.laid == seat):
                for place, cell in enumerate(CORNER[seat]):
                    number = order[order_number, place] + 6 * seat
                    s.cube[cell] = number
                    s.at[number - 1] = cell
                if seat:
                    goto(roll)
                else:
                    s.laid = 1

    @g.action(roll, "roll {die}", die=["1", "2", "3", "4", "5", "6"])
    def rolling(die: Local) -> None:
        s.die = die
        goto(play)

    @g.action(play, "{cube}-{way}", cube=6, way=3)
    def move(cube: Local, way: Local) -> None:
        first = keep(6 * s.turn)
        place = keep(s.at[first + cube])
        lower = max_of(6, lambda i: pick((s.at[first + i] < 25) & (i <= s.die), i, -1))
        higher = min_of(6, lambda i: pick((s.at[first + i] < 25) & (i >= s.die), i, 6))
        require((place < 25) & ((cube == lower) | (cube == higher)), "E1", "the die names another cube")
        ahead = 1 - 2 * s.turn
        aside = column[min_of(place, 24)] + pick(way == 1, 0, ahead)
        to = keep(place + pick(way == 2, 0, 5 * ahead) + pick(way == 1, 0, ahead))
        require((aside >= 0) & (aside < 5) & (to >= 0) & (to < 25), "E2", "that is off the board")
        with when(s.cube[to] > 0):
            s.at[s.cube[to] - 1] = 25
        s.cube[to] = first + cube + 1
        s.cube[place] = 0
        s.at[first + cube] = to
        beaten = all_of(6, lambda i: s.at[6 * (1 - s.turn) + i] == 25)
        with when((to == 24 * (1 - s.turn)) | beaten):
            win("there", winner=s.turn)
        with otherwise():
            s.turn = 1 - s.turn
            goto(roll)

    return g


def words(theirs: str) -> str:
    """`W5-up*`, `roll 3`, `Placing black cubes on the board - action 272`."""
    if theirs[0] == "r":
        return theirs
    if theirs[0] == "P":
        return theirs.rsplit(" ", 1)[1]
    cube, way = theirs.rstrip("*").split("-")
    return f"{int(cube[1]) - 1}-{WAYS[cube[0] == 'W'].index(way)}"
