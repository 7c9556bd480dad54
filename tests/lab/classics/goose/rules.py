"""The game of the goose for two who do not hinder each other: no inn, no well and no prison."""

from playproof import CHANCE, Game, Local, Options, goto, otherwise, when, win

HOME = 63
GEESE = (5, 9, 14, 18, 23, 27, 32, 36, 41, 45, 50, 54, 59)
ELSEWHERE = {6: 12, 42: 39, 58: 0}


def landing(start: int, first: int, second: int) -> int:
    """Where a throw of two dice ends. A nine at first goes to 26 or 53, since geese would carry it home."""
    throw = first + second
    if start == 0 and throw == 9:
        return 26 if {first, second} == {3, 6} else 53
    at = start + throw
    while True:
        if at > HOME:
            at, throw = 2 * HOME - at, -throw
        if at not in GEESE:
            return ELSEWHERE.get(at, at)
        at += throw


def build(options: Options) -> Game:
    """The game: who first comes home wins."""
    g = Game("goose", players=2)
    s = g.state
    g.array("at", 2, 0, HOME)
    g.integer("turn", 0, 1)
    ask, roll = g.phase("ask", s.turn, text="throw"), g.phase("roll", CHANCE, text="the dice")
    rows = [[landing(start, a + 1, b + 1) for a in range(6) for b in range(6)] for start in range(HOME + 1)]
    to = g.table("to", rows)

    @g.action(ask, "throw", rule="G1")
    def throwing() -> None:
        goto(roll)

    @g.action(roll, "{first} and {second}", first=range(6), second=range(6), rule="G1")
    def moving(first: Local, second: Local) -> None:
        s.at[s.turn] = to[s.at[s.turn], first * 6 + second]
        goto(ask)
        with when(s.at[s.turn] == HOME):
            win("home", winner=s.turn)
        with otherwise():
            s.turn = 1 - s.turn

    return g
