"""The prisoners' boxes: each prisoner opens half of the boxes alone, and all go free if each finds
its own number.

Known: guessing, all find theirs with probability 1/2 to the power of their number; opening first
the box of one's own number and then the box of each number found, 4 prisoners go free in 10 of 24
cases (Gál and Miltersen, "The Cell Probe Complexity of Succinct Data Structures", 2007; optimal by
Curtin and Warshauer, "The Locker Puzzle", 2006).
"""

from playproof.language import (
    CHANCE,
    EVERYBODY,
    Game,
    Local,
    Sees,
    any_of,
    goto,
    keep,
    lose,
    otherwise,
    require,
    when,
    win,
)
from playproof.language.options import Options


def build(options: Options) -> Game:
    """As many players as boxes. What a prisoner finds is seen by that prisoner alone."""
    n = options.number("players", range(2, 7), 4)
    tries = n // 2
    g = Game("prisoners", players=n)
    s = g.state
    g.array("box", n, 0, n, sees=Sees.NOBODY)  # 0 while nothing is in it, else 1 + the number
    g.array("loose", n, start=1, sees=Sees.NOBODY)
    g.array("found", (n, n), 0, n, sees=Sees.OWNER)
    g.integer("turn", 0, n - 1)
    g.integer("filled", 0, n)
    g.integer("opened", 0, tries)
    g.fact(
        title="Prisoners and boxes",
        ends_within=n * tries,
        steps_within=n * (tries + 1),
        hidden=["filled"],
        seats=[f"prisoner {seat}" for seat in range(n)],
        common=["box", "loose"],
    )
    fill = g.phase("fill", CHANCE, text="the numbers are put into the boxes")
    look = g.phase("look", s.turn, text="open a box")
    leave = g.automatic("leave")

    @g.action(fill, "put {number} into the next box", number=n)
    def put(number: Local) -> None:
        require(s.loose[number] == 1, "B1", "each number lies in one box")
        s.loose[number] = 0
        s.box[s.filled] = number + 1
        with when(s.filled == n - 1):
            goto(look)
        s.filled += 1

    @g.action(look, "open box {place}", place=n, secret="place", rule="B2")
    def open_(place: Local) -> None:
        require(s.found[s.turn, place] == 0, "B2", "you have opened it")
        s.found[s.turn, place] = s.box[place]
        s.opened += 1
        with when(s.opened == tries):
            goto(leave)

    @g.on(leave, rule="B3")
    def leaving() -> None:
        free = keep(any_of(n, lambda place: s.found[s.turn, place] == s.turn + 1))
        s.opened = 0
        goto(look)
        with when(free == 0):
            lose("a prisoner did not find its number")
        with otherwise(s.turn == n - 1):
            win("all have found their numbers", winner=EVERYBODY)
        with otherwise():
            s.turn += 1

    return g
