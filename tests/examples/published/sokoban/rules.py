"""Sokoban: push boxes, one at a time, onto the marked places. The first level of XSokoban.

Published: the level can be solved, as solvers show. Source: "Solver Statistics",
http://sokobano.de/wiki/index.php?title=Solver_Statistics
"""

from playproof import Game, Local, Options, all_of, require, when, win

LEVELS = {
    "xsokoban_1": [
        "    #####",
        "    #   #",
        "    #$  #",
        "  ###  $##",
        "  #  $ $ #",
        "### # ## #   ######",
        "#   # ## #####  ..#",
        "# $  $          ..#",
        "##### ### #@##  ..#",
        "    #     #########",
        "    #######",
    ],
    "corner": ["#####", "#@$.#", "#$  #", "#. ##", "####"],
    "locked": ["#####", "#@ $#", "#  .#", "#####"],
}
WAYS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


def floor_of(rows: list[str]) -> list[tuple[int, int]]:
    """Return the places inside the walls, those that the person could walk to if there were no boxes."""
    wall = {(r, c) for r, row in enumerate(rows) for c, mark in enumerate(row) if mark == "#"}
    todo = [(r, row.index("@")) for r, row in enumerate(rows) if "@" in row]
    inside: set[tuple[int, int]] = set()
    while todo:
        r, c = todo.pop()
        if (r, c) not in wall and (r, c) not in inside:
            inside.add((r, c))
            todo += [(r + dr, c + dc) for dr, dc in WAYS.values()]
    return sorted(inside)


def build(options: Options) -> Game:
    """One level. A place has a number; `ahead` says which place is next to it in each direction, itself at a wall."""
    rows = LEVELS[options.choice("level", list(LEVELS))]
    floor = floor_of(rows)
    number = {place: n for n, place in enumerate(floor)}
    marks = [rows[r][c] for r, c in floor]
    ahead_of = [[number.get((r + dr, c + dc), n) for dr, dc in WAYS.values()] for n, (r, c) in enumerate(floor)]
    g = Game("sokoban")
    s = g.state
    g.integer("at", 0, len(floor) - 1, marks.index("@"))
    g.array("box", len(floor), start=[int(mark in "$*") for mark in marks], labels=["-", "#"])
    g.fact(grid={"box": [[number.get((r, c)) for c in range(max(map(len, rows)))] for r in range(len(rows))]})
    ahead = g.table("ahead", ahead_of)
    play = g.phase("play")

    @g.action(play, "walk {way}", way=list(WAYS))
    def walk(way: Local) -> None:
        require(ahead[s.at, way] != s.at, "S1", "a wall is there")
        require(s.box[ahead[s.at, way]] == 0, "S2", "a box is there")
        s.at = ahead[s.at, way]

    @g.action(play, "push {way}", way=list(WAYS))
    def push(way: Local) -> None:
        to = ahead[s.at, way]
        beyond = ahead[to, way]
        require((to != s.at) & (beyond != to), "S1", "a wall is there")
        require(s.box[to] == 1, "S3", "no box is there")
        require(s.box[beyond] == 0, "S4", "a box is behind it")
        s.box[to] = 0
        s.box[beyond] = 1
        s.at = to
        with when(all_of(s.box[n] == 1 for n, mark in enumerate(marks) if mark in ".*")):
            win("all boxes are in place")

    return g
