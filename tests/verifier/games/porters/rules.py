"""A small game of burdens for the tests of induction: nine cubes are carried from hut to hut.

Known by hand: cubes are neither made nor lost, so no hut and no load ever holds more than nine; any hut can be empty.
"""

from playproof.language import Game, Local, require, sum_of, win
from playproof.language.options import Options


def build(options: Options) -> Game:
    """`leak`: whether a cube that is set down is lost."""
    leak = options.choice("leak", ("no", "yes"))
    g = Game("porters")
    s = g.state
    g.array("hut", 4, 0, 9, [9, 0, 0, 0])
    g.integer("load", 0, 9)
    g.integer("at", 0, 3)
    road = g.phase("road")
    g.quantity("cubes", sum_of(s.hut[i] for i in range(4)) + s.load)
    g.quantity("conserved", sum_of(s.hut[i] for i in range(4)) + s.load == 9)

    @g.action(road, "walk to {hut}", hut=4)
    def walk(hut: Local) -> None:
        s.at = hut

    @g.action(road, "lift {cubes}", cubes=range(1, 4))
    def lift(cubes: Local) -> None:
        require(s.hut[s.at] >= cubes, "P1", "so many do not lie there")
        s.hut[s.at] = s.hut[s.at] - cubes
        s.load += cubes

    @g.action(road, "set down")
    def lay() -> None:
        require(s.load > 0, "P2", "nothing is carried")
        s.hut[s.at] = s.hut[s.at] + s.load - (leak == "yes")
        s.load = 0

    @g.action(road, "rest")
    def rest() -> None:
        require(s.hut[3] == 9, "P3", "all must lie in the last hut")
        win("all is carried")

    return g
