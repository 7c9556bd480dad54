"""Five dice as in Yahtzee: roll, keep what you like, roll the others again, and once more.

Published: with best play all five are alike in 347,897 of 7,558,272 games.
Source: Weisstein, "Yahtzee", MathWorld, https://mathworld.wolfram.com/Yahtzee.html
"""

from playproof import CHANCE, Game, Local, Options, any_of, goto, lose, otherwise, require, when, win


def build(options: Options) -> Game:
    """The game of so many `dice` and `rolls`. `kept` counts the dice of each face, `free` those to be rolled."""
    dice, rolls = options.number("dice", range(2, 6), 5), options.number("rolls", range(1, 4), 3)
    g = Game("five_dice")
    s = g.state
    g.array("kept", 6, 0, dice)
    g.integer("free", 0, dice, dice)
    g.integer("again", 0, rolls - 1, rolls - 1)  # how often one may roll again
    g.integer("face", 0, 5)  # faces below it may no longer be taken up
    roll = g.phase("roll", actor=CHANCE, text="a die is rolled")
    take = g.phase("take", text="take up dice to roll again")

    @g.action(roll, "a die shows {face}", face=6)
    def shown(face: Local) -> None:
        s.kept[face] += 1
        s.free -= 1
        with when(s.free == 0):
            with when(any_of(s.kept[f] == dice for f in range(6))):
                win("all dice are alike")
            with otherwise(s.again == 0):
                lose("the dice differ")
            with otherwise():
                s.face = 0
                goto(take)

    @g.action(take, "take up a {face}", face=6)
    def up(face: Local) -> None:
        require(s.face <= face, "D1", "dice are taken up from the lowest face on")
        require(s.kept[face] > 0, "D2", "no die shows it")
        s.face = face
        s.kept[face] -= 1
        s.free += 1

    @g.action(take, "roll them")
    def go() -> None:
        require(s.free > 0, "D3", "no die is taken up")
        s.again -= 1
        s.face = 0
        goto(roll)

    return g
