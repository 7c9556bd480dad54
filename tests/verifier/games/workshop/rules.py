"""A small solo game for the tests of the relaxation: wood becomes planks, planks become chairs, a day is short.

Known by hand: a day brings 3 wood; 2 wood make a plank, 2 planks a chair, so `goal` chairs take 4 * goal wood and
4 * goal / 3 days, rounded up. Glue is never made, so nothing is ever glued. The lamp is lit only by day 2 or later, and
only while it is not lit, which no count can tell from the order of things.
"""

from playproof.language import Game, goto, lose, require, when, win
from playproof.language.options import Options

DAYS = 6


def build(options: Options) -> Game:
    """`goal` is how many chairs win."""
    goal = options.number("goal", range(1, 5), 2)
    g = Game("workshop")
    s = g.state
    g.integer("round", 1, DAYS)
    g.integer("wood", 0, 20, 3)
    g.integer("planks", 0, 10)
    g.integer("chairs", 0, 5)
    g.integer("glue", 0, 3)
    g.integer("lamp", 0, 1)
    shop = g.phase("shop")
    evening = g.automatic("evening")
    for name in ("round", "wood", "planks", "chairs", "glue", "lamp"):
        g.quantity(name, getattr(s, name))
    g.fact(round="round")

    @g.action(shop, "saw")
    def saw() -> None:
        require((s.wood >= 2) & (s.planks < 10), "W1", "it takes 2 wood")
        s.wood -= 2
        s.planks += 1

    @g.action(shop, "build")
    def make() -> None:
        require((s.planks >= 2) & (s.chairs < 5), "W2", "it takes 2 planks")
        s.planks -= 2
        s.chairs += 1
        with when(s.chairs == goal):
            win("enough chairs")

    @g.action(shop, "glue it")
    def glue_it() -> None:
        require(s.glue > 0, "W3", "there is no glue")
        s.glue -= 1

    @g.action(shop, "light the lamp")
    def light() -> None:
        require((s.lamp == 0) & (s.round > 1), "W4", "not yet")
        s.lamp = 1

    @g.action(shop, "read by lamp light")
    def read() -> None:
        require((s.lamp == 1) & (s.round == 1), "W5", "the lamp is lit on the second day at the earliest")
        s.lamp = 0

    @g.action(shop, "sleep")
    def sleep() -> None:
        goto(evening)

    @g.on(evening)
    def night() -> None:
        with when(s.round == DAYS):
            lose("the season is over")
        with when(s.round < DAYS):
            with when(s.wood <= 17):
                s.wood += 3
            s.round += 1
            goto(shop)

    return g
