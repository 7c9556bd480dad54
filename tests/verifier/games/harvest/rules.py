"""A small solo game for the verifier's tests: gather grain by day, store two by night, fill the barn in time.

Known by hand: with goal g the barn is full after g / 2 rounds, rounded up, if it is sunny; grain is at most 2 after a
day; the trade (it takes 5 grain) and the flood never happen.
"""

from playproof.language import CHANCE, Game, Local, goto, lose, otherwise, require, weight, when, win
from playproof.language.options import Options

ROUNDS = 4


def build(options: Options) -> Game:
    """`goal` is how much the barn holds; ruling H1 says whether grain keeps overnight."""
    goal = options.number("goal", range(1, 13), 4)
    keeps = options.ruling("H1", "spoils", ["keeps"]) == "keeps"
    trap = options.choice("trap", ["no", "yes"]) == "yes"
    g = Game("harvest")
    s = g.state
    g.integer("round", 1, ROUNDS)
    g.integer("grain", 0, 6)
    g.integer("stored", 0, goal)
    g.integer("tonight", 0, 2)
    day = g.phase("day", CHANCE)
    night = g.phase("night")
    dawn = g.automatic("dawn")
    g.quantity("round", s.round)
    g.quantity("grain", s.grain)
    g.quantity("stored", s.stored)
    g.fact(round="round")

    @g.action(day, "the weather brings {grain}", grain=range(1, 3))
    def weather(grain: Local) -> None:
        weight(grain)
        with when(s.grain + grain > 6):
            s.grain = 6
        with otherwise():
            s.grain += grain
        goto(night)

    @g.action(night, "store")
    def store() -> None:
        require(s.grain > 0, "H2", "there is no grain")
        require(s.tonight < 2, "H3", "two a night are stored")
        s.grain -= 1
        s.stored += 1
        s.tonight += 1
        with when(s.stored == goal):
            win("the barn is full")

    @g.action(night, "trade")
    def trade() -> None:
        require(s.grain >= 5, "H4", "it takes 5 grain, you have {}", s.grain)
        s.grain = 0

    @g.action(night, "call the flood")
    def flood() -> None:
        require(s.grain > 5, "H5", "no flood without plenty")
        lose("the flood")

    @g.action(night, "sleep")
    def sleep() -> None:
        if trap:
            require(s.tonight == 2, "H6", "store two first")
        goto(dawn)

    @g.on(dawn)
    def next_day() -> None:
        s.tonight = 0
        if not keeps:
            s.grain = 0
        with when(s.round == ROUNDS):
            lose("winter is here")
        with otherwise():
            s.round += 1
            goto(day)

    g.start(day)
    return g
