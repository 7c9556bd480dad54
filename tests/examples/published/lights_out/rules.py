"""Lights out: a press changes a light and those beside it; put all lights out.

Published: on 4 x 4 the presses make 4,096 patterns of 65,536, on 3 x 3 all 512.
Source: Anderson and Feil, "Turning lights out with linear algebra", Mathematics Magazine 71 (1998),
https://mathworld.wolfram.com/LightsOutPuzzle.html
"""

from playproof import Game, Local, Options, count_of, when, win


def build(options: Options) -> Game:
    """The board of `size` x `size`; at the start one light is on, or all are out."""
    n = options.number("size", range(2, 5), 3)
    lit = options.choice("start", ["dark", "one"]) == "one"
    g = Game("lights_out")
    s = g.state
    g.array("light", n * n, 0, 1, [int(lit)] + [0] * (n * n - 1))
    g.fact(grid={"light": n})
    play = g.phase("play", text="press a light")
    near = g.table(
        "near", [[int(abs(a // n - b // n) + abs(a % n - b % n) <= 1) for b in range(n * n)] for a in range(n * n)]
    )

    @g.action(play, "press {place}", place=n * n)
    def press(place: Local) -> None:
        for light in range(n * n):
            s.light[light] = (s.light[light] + near[place, light]) % 2
        with when(count_of(n * n, lambda k: s.light[k] == 1) == 0):
            win("all lights are out")

    return g
