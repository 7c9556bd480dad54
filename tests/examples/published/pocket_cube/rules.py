"""The cube of 2 x 2 x 2: turn three of its faces, while the corner that they do not hold stays where it is.

Published: it has 7! x 3^6 = 3,674,160 positions; none is farther from order than 11 turns, or 14 quarter turns.
Source: Hirata, "Probabilistic estimates of the diameters of the Rubik's Cube groups" (2024),
https://arxiv.org/abs/2404.07337
"""

from playproof import Game, Local, Options, all_of, keep, require, when, win

ROUND = {"up": (0, 1, 2, 3), "right": (0, 3, 6, 4), "front": (0, 4, 5, 1)}
"""The places that a quarter turn of a face goes through. Places 0 to 3 are the upper corners (right front, left front,
left back, right back), then come the lower ones: right front, left front, right back."""
TWISTED = {"up": (0, 0, 0, 0), "right": (1, 2, 1, 2), "front": (2, 1, 2, 1)}
"""How much a corner is twisted that comes to the place behind each of these."""
PLACES = 7


def build(options: Options) -> Game:
    """The cube in order at the start; whoever has it in order may stop. Without `half` turns, one turn is a quarter."""
    quarter = options.choice("turn", ["half", "quarter"]) == "quarter"
    g = Game("pocket_cube")
    s = g.state
    g.array("corner", PLACES, 0, PLACES - 1, list(range(PLACES)))
    g.array("twist", PLACES, 0, 2)
    play = g.phase("play", text="turn a face")

    for face, places in ROUND.items():

        @g.action(play, f"turn {face} {{times}} times", times=range(1, 4), name=f"turn_{face}")
        def turn(times: Local, places: tuple[int, ...] = places, face: str = face) -> None:
            if quarter:
                require(times != 2, "C2", "a half turn is two quarter turns")
            corners = [keep(s.corner[p]) for p in places]
            twists = [keep(s.twist[p]) for p in places]
            for more in range(1, 4):
                with when(times == more):
                    for start in range(4):
                        to = (start + more) % 4
                        added = sum(TWISTED[face][(start + n) % 4] for n in range(more))
                        s.corner[places[to]] = corners[start]
                        s.twist[places[to]] = (twists[start] + added) % 3

    @g.action(play, "stop")
    def stop() -> None:
        in_order = all_of((s.corner[p] == p) & (s.twist[p] == 0) for p in range(PLACES))
        require(in_order, "C1", "the cube is not in order")
        win("the cube is in order")

    return g
