"""Three dice: four rounds, each with a throw and up to two more of dice you choose; a round fills one of four boxes.

Sixes count six each, a pair ten, a straight twenty, all dice their sum.
"""

from playproof import CHANCE, Game, Local, Options, any_of, count_of, goto, pick, require, score, sum_of, when

DICE, FACES, BOXES = 3, 6, ["sixes", "pair", "straight", "sum"]


def build(options: Options) -> Game:
    """How many dice show each face is all that counts."""
    g = Game("three_dice")
    s = g.state
    g.array("shows", FACES, 0, DICE)
    g.integer("loose", 0, DICE, DICE)
    g.integer("throws", 0, 2, 2)
    g.array("filled", len(BOXES))
    g.integer("points", 0, 66)
    g.quantity("round", count_of(len(BOXES), lambda b: s.filled[b] == 1))
    g.fact(round="round")
    g.returns(s.points)
    throw = g.phase("throw", CHANCE, text="the dice fall")
    choose = g.phase("choose", text="throw again or fill a box")

    @g.action(throw, "a die shows {face}", face=FACES)
    def fall(face: Local) -> None:
        s.shows[face] += 1
        s.loose -= 1
        with when(s.loose == 0):
            goto(choose)

    @g.action(choose, "pick up a {face}", face=FACES)
    def up(face: Local) -> None:
        require((s.throws > 0) & (s.shows[face] > 0), "T1", "no throw left, or no such die")
        s.shows[face] -= 1
        s.loose += 1

    @g.action(choose, "throw again")
    def again() -> None:
        require(s.loose > 0, "T2", "pick up a die first")
        s.throws -= 1
        goto(throw)

    @g.action(choose, "fill {box}", box=BOXES)
    def fill(box: Local) -> None:
        require((s.filled[box] == 0) & (s.loose == 0), "T3", "the box is full, or dice are in the hand")
        total = sum_of(FACES, lambda f: s.shows[f] * (f + 1))
        straight = any_of(4, lambda f: (s.shows[f] == 1) & (s.shows[f + 1] == 1) & (s.shows[f + 2] == 1))
        paired = any_of(FACES, lambda f: s.shows[f] > 1)
        worth = pick(
            box == 0, 6 * s.shows[5], pick(box == 1, pick(paired, 10, 0), pick(box == 2, pick(straight, 20, 0), total))
        )
        s.points += worth
        s.filled[box] = 1
        for f in range(FACES):
            s.shows[f] = 0
        s.loose = DICE
        s.throws = 2
        goto(throw)
        with when(sum_of(len(BOXES), lambda b: s.filled[b]) == len(BOXES)):
            score("all boxes are full")

    return g
