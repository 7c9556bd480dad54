"""Euclid's game: take a multiple of the smaller number from the larger; who makes a 0 wins.

Published: the player to move wins exactly if the larger number is the smaller, or more than 1.618... times it.
Source: Cole and Davie, "A game based on the Euclidean algorithm", The Mathematical Gazette 53 (1969),
https://doi.org/10.2307/3612461
"""

from playproof import Game, Local, Options, max_of, min_of, otherwise, pick, require, when, win


def build(options: Options) -> Game:
    """The game from the two numbers of `start`, e.g. 5-8."""
    start = options.numbers("start", range(1, 1_000), (5, 8), count=2)
    g = Game("euclids_game", players=2)
    s = g.state
    g.array("number", 2, 0, max(start), start)
    g.integer("turn", 0, 1)
    play = g.phase("play", actor=s.turn, text="take a multiple of the smaller number")

    @g.action(play, "take it {times} times", times=range(1, max(start) // min(start) + max(start)))
    def take(times: Local) -> None:
        least, most = min_of(s.number[0], s.number[1]), max_of(s.number[0], s.number[1])
        require(times * least <= most, "E1", "the larger number is {}", most)
        larger = pick(s.number[1] > s.number[0], 1, 0)
        with when(times * least == most):
            win("made a 0", winner=s.turn)
        with otherwise():
            s.number[larger] = most - times * least
            s.turn = 1 - s.turn

    return g
