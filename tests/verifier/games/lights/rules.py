"""Lights out for the verifier's tests: a press turns a lamp and its neighbours; the player wins when all are dark.

All lamps are lit at the start. Presses commute, so only which lamps are pressed an odd number of times matters: 5
presses on 3 x 3, 4 on 4 x 4, 15 on 5 x 5 (OEIS A075462).
"""

from playproof.language import Game, Local, all_of, require, when, win
from playproof.language.options import Options


def build(options: Options) -> Game:
    """`size` is the length of a side; each lamp may be pressed once."""
    size = options.number("size", range(2, 7), 3)
    g = Game("lights")
    s = g.state
    g.array("lit", size * size, start=1)
    g.array("pressed", size * size)
    press_phase = g.phase("press")
    near = [
        [n for n in range(size * size) if abs(n // size - m // size) + abs(n % size - m % size) <= 1]
        for m in range(size * size)
    ]
    turns = g.table("turns", [[int(n in near[m]) for n in range(size * size)] for m in range(size * size)])

    @g.action(press_phase, "press {lamp}", lamp=size * size)
    def press(lamp: Local) -> None:
        require(s.pressed[lamp] == 0, "L1", "it was pressed before")
        s.pressed[lamp] = 1
        for n in range(size * size):
            with when(turns[lamp, n] == 1):
                s.lit[n] = 1 - s.lit[n]
        with when(all_of(size * size, lambda n: s.lit[n] == 0)):
            win("all dark")

    return g
