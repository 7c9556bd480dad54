"""A space with a symbol and many ways on: an obol pays the ferry, and is spent before the symbol is followed.

`late` forgets that; few random games spend the obol just then. `early` and `never` break other laws: what
happens before the first decision, and a step that the rules never reach. Lamps make the states many.
"""

from playproof.language import Game, Local, goto, require, score, when
from playproof.language.options import Options

LAMPS, WAYS = 20, 60


def build(options: Options) -> Game:
    """One player, lamps, and many ways on."""
    kind = options.choice("kind", ["right", "late", "early", "unreachable"])
    g = Game("ferry")
    s = g.state
    g.integer("obols", 0, 2, 1)
    g.integer("space", 0, 3)
    g.flag("fresh", 1)
    g.flag("ghost")
    g.array("lamp", LAMPS)
    dawn, arrival = g.automatic("dawn"), g.automatic("arrival")
    at = g.phase("at", 0, text="at the space")
    g.start(dawn)

    @g.on(dawn)
    def begin() -> None:
        if kind == "early":
            s.obols = 0
        goto(at)

    @g.action(at, "light {lamp}", lamp=LAMPS)
    def light(lamp: Local) -> None:
        require(s.lamp[lamp] == 0, "F1", "it is lit")
        s.lamp[lamp] = 1

    @g.action(at, "follow")
    def follow() -> None:
        require(s.fresh == 1, "F2", "the symbol is followed")
        s.fresh = 0

    @g.action(at, "spend")
    def spend() -> None:
        require(s.obols > 0, "F3", "you have no obol")
        if kind == "unreachable":
            require((s.fresh == 1) | (s.ghost == 1), "F4", "too late")
        elif kind != "late":
            require(s.fresh == 1, "F4", "too late")
        s.obols -= 1

    @g.action(at, "leave by way {way}", way=WAYS)
    def leave(way: Local) -> None:
        s.fresh = 1
        with when(s.space == 3):
            goto(arrival)
        with when(s.space < 3):
            s.space += 1

    @g.on(arrival)
    def arrive() -> None:
        score("arrived")

    return g
