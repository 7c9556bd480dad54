"""Bearing off the last checkers of backgammon: both dice are played, a double four times.

Published: two checkers are off after one roll with 6 and 1 in 15 of 36, with 5 and 2 in 19, with 4 and 3 in 17.
Source: Keith, "Backgammon bear-off probabilities", https://www.bkgm.com/faq/
"""

from playproof import CHANCE, Game, Local, Options, all_of, any_of, goto, lose, otherwise, require, when, win


def build(options: Options) -> Game:
    """Checkers on the points of `points`, e.g. 6-1, and so many `rolls`."""
    points = options.numbers("points", range(1, 7), (6, 1))
    rolls = options.number("rolls", range(1, 5), 1)
    g = Game("bear_off")
    s = g.state
    g.array("on", 7, 0, len(points), [points.count(n) for n in range(7)])  # point 0 is off the board
    g.array("die", 2, 0, 6)
    g.array("left", 2, 0, 4)  # how often each die is still to be played
    g.integer("rolls", 0, rolls)
    roll = g.phase("roll", actor=CHANCE, text="the dice are rolled")
    play = g.phase("play", text="play a die")

    @g.action(roll, "the dice show {one} and {other}", one=range(1, 7), other=range(1, 7))
    def shown(one: Local, other: Local) -> None:
        s.die[0] = one
        s.die[1] = other
        s.left[0] = 1
        s.left[1] = 1
        with when(one == other):
            s.left[0] = 4
            s.left[1] = 0
        s.rolls += 1
        goto(play)

    @g.action(play, "play die {which} from {point}", which=2, point=range(1, 7))
    def step(which: Local, point: Local) -> None:
        require((s.left[which] > 0) & (s.on[point] > 0), "B1", "there is nothing to play")
        higher = any_of((s.on[p] > 0) & (p > point) for p in range(2, 7))
        require((s.die[which] <= point) | ~higher, "B2", "a checker stands on a higher point")
        s.on[point] -= 1
        with when(s.die[which] < point):
            s.on[point - s.die[which]] += 1
        with otherwise():
            s.on[0] += 1
        s.left[which] -= 1
        with when(s.on[0] == len(points)):
            win("all are off")
        with otherwise(all_of(s.left[d] == 0 for d in range(2))):
            with when(s.rolls == rolls):
                lose("some are left")
            with otherwise():
                goto(roll)

    return g
