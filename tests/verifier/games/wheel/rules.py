"""Small games that may go on for ever, for the tests of chance.

Known by hand, for the first seat's win (endless play is no win):

    kind    mean    best    worst
    half    1/2     1       0       a wheel leads home or to a road without an end
    third   1       1       0       spun again until it leads home: endless only against all luck
    stall   0       0       0       the second seat can pass the turn back for ever, and loses otherwise
    push    1       1       1       as `stall`, but the first seat has a way that the second cannot stop
    detour  3/4     1       0       going round in a circle is worth as much as the best way out of it
"""

from playproof.language import CHANCE, Game, Local, goto, lose, require, weight, win
from playproof.language.options import Options


def build(options: Options) -> Game:
    """`kind` names the game."""
    kind = options.choice("kind", ("half", "third", "stall", "push", "detour"))
    g = Game("wheel", players=2 if kind in ("stall", "push") else 1)
    s = g.state
    g.integer("here", 0, 1)
    g.quantity("here", s.here)
    {"half": _half, "third": _third, "stall": _stall, "push": _stall, "detour": _detour}[kind](g, kind)
    return g


def _half(g: Game, kind: str) -> None:
    s, spin = g.state, g.phase("spin", CHANCE)
    road = g.phase("road")

    @g.action(spin, "it shows {side}", side=2)
    def fall(side: Local) -> None:
        s.here = side
        goto(road)

    @g.action(road, "walk on")
    def walk() -> None:
        require(s.here == 1, "W1", "home is here")

    @g.action(road, "go home")
    def home() -> None:
        require(s.here == 0, "W2", "home is far away")
        win("home")


def _third(g: Game, kind: str) -> None:
    spin = g.phase("spin", CHANCE)

    @g.action(spin, "it goes round")
    def around() -> None:
        weight(2)

    @g.action(spin, "it leads home")
    def home() -> None:
        win("home")


def _stall(g: Game, kind: str) -> None:
    first, second = g.phase("first", 0), g.phase("second", 1)

    @g.action(first, "ask")
    def ask() -> None:
        goto(second)

    if kind == "push":

        @g.action(first, "push")
        def push() -> None:
            win("pushed", winner=0)

    @g.action(second, "pass back")
    def wait() -> None:
        goto(first)

    @g.action(second, "give in")
    def give_in() -> None:
        win("given in", winner=0)


def _detour(g: Game, kind: str) -> None:
    s, lane = g.state, g.phase("lane")
    spin = g.phase("spin", CHANCE)

    @g.action(lane, "go round")
    def around() -> None:
        s.here = 1 - s.here

    @g.action(lane, "try the {door} door", door=["good", "bad"])
    def leave(door: Local) -> None:
        require(s.here == 0, "W3", "the doors are on the other side")
        s.here = door
        goto(spin)

    @g.action(spin, "it opens")
    def opens() -> None:
        weight(3 - 2 * s.here)
        win("through")

    @g.action(spin, "it stays shut")
    def shut() -> None:
        weight(1 + 2 * s.here)
        lose("shut out")
