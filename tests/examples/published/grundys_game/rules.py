"""Grundy's game: split a heap into two unequal heaps; who cannot, loses.

Published: a single heap is lost for the player to move exactly if it has 1, 2, 4, 7, 10, 20, 23 ... pieces.
Source: Grundy, "Mathematics and games", Eureka 2 (1939); https://oeis.org/A036685
"""

from playproof import Game, Local, Options, any_of, otherwise, require, when, win


def build(options: Options) -> Game:
    """The game with one heap of `pieces`. `heaps` counts the heaps of each size."""
    pieces = options.number("pieces", range(3, 30), 10)
    g = Game("grundys_game", players=2)
    s = g.state
    g.array("heaps", pieces + 1, 0, pieces, [0] * pieces + [1])
    g.integer("turn", 0, 1)
    g.fact(ends_within=pieces)
    play = g.phase("play", actor=s.turn, text="split a heap")

    @g.action(play, "split {size} into {part} and the rest", size=pieces + 1, part=range(1, pieces))
    def split(size: Local, part: Local) -> None:
        require((s.heaps[size] > 0) & (2 * part < size), "G1", "there is no such heap, or no such split of it")
        s.heaps[size] -= 1
        s.heaps[part] += 1
        s.heaps[size - part] += 1
        with when(any_of(s.heaps[n] > 0 for n in range(3, pieces + 1))):
            s.turn = 1 - s.turn
        with otherwise():
            win("nothing is left to split", winner=s.turn)

    return g
