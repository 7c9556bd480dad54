"""Ship, captain and crew: five dice, three throws; keep a 6, then a 5, then a 4, and the last two dice are the cargo.

Source of the rules: https://en.wikipedia.org/wiki/Ship,_captain,_and_crew
"""

from playproof import CHANCE, Game, Local, Options, goto, otherwise, require, score, when

DICE, FACES = 5, 6


def build(options: Options) -> Game:
    """`crew` counts what is kept of ship, captain and crew; a throw is known by how many dice show each face."""
    g = Game("ship")
    s = g.state
    g.array("shows", FACES, 0, DICE)
    g.integer("loose", 0, DICE, DICE)
    g.integer("crew", 0, 3)
    g.integer("throws", 0, 2, 2)
    g.integer("cargo", 0, 12)
    g.quantity("round", 3 - s.throws)
    g.fact(round="round")
    g.returns(s.cargo)
    throw = g.phase("throw", CHANCE, text="the dice fall")
    choose = g.phase("choose", text="throw again or stay")
    sort = g.automatic("sort")

    @g.action(throw, "a die shows {face}", face=FACES)
    def fall(face: Local) -> None:
        s.shows[face] += 1
        s.loose -= 1
        with when(s.loose == 0):
            goto(sort)

    @g.on(sort)
    def sorting() -> None:
        with when((s.crew < 3) & (s.shows[5 - s.crew] > 0)):
            s.shows[5 - s.crew] -= 1
            s.crew += 1
        with otherwise():
            goto(choose)

    @g.action(choose, "throw again")
    def again() -> None:
        require(s.throws > 0, "S1", "no throw is left")
        s.throws -= 1
        s.loose = DICE - s.crew
        for face in range(FACES):
            s.shows[face] = 0
        goto(throw)

    @g.action(choose, "stay")
    def stay() -> None:
        with when(s.crew == 3):
            for face in range(FACES):
                s.cargo += s.shows[face] * (face + 1)
        score("the cargo is counted")

    return g
