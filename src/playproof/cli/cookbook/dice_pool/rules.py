"""Dice pool: many dice at once; keep the good ones, roll the others again.

One player rolls four dice and may roll those that show no success twice more. Three successes, fives or sixes, win.
"""

from playproof import CHANCE, Game, Local, Options, goto, lose, otherwise, require, weight, when, win

DICE, GOAL, AGAIN = 4, 3, 2


def build(options: Options) -> Game:
    """Only the number of successes matters, so a roll of n dice is one event of chance with its weight."""
    g = Game("dice_pool")
    s = g.state
    g.integer("successes", 0, DICE)
    g.integer("rolls", 0, 1 + AGAIN)
    g.fact(ends_within=AGAIN + 1)
    ways = [[1, 0, 0, 0, 0], [4, 2, 0, 0, 0], [16, 16, 4, 0, 0], [64, 96, 48, 8, 0], [256, 512, 384, 128, 16]]
    roll = g.phase("roll", CHANCE, text="the dice fall")
    decide = g.phase("decide", text="roll again or stop")
    table = g.table("ways", ways)  # by dice rolled, then by how many of them succeed

    @g.action(roll, "{n} dice succeed", n=range(DICE + 1), rule="P1")
    def falling(n: Local) -> None:
        require(n <= DICE - s.successes, "P1", "so many dice were not rolled")
        weight(table[DICE - s.successes, n])
        s.successes += n
        s.rolls += 1
        goto(decide)

    @g.action(decide, "roll again", rule="P2")
    def again() -> None:
        require(s.rolls <= AGAIN, "P2", "you have rolled again twice")
        require(s.successes < DICE, "P2", "no die is left to roll")
        goto(roll)

    @g.action(decide, "stop", rule="P3")
    def stop() -> None:
        with when(s.successes >= GOAL):
            win("enough successes")
        with otherwise():
            lose("too few successes")

    return g
