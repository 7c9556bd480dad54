"""Wythoff's game: take matches from one of two heaps, or as many from both; who takes the last wins.

Published: the player to move loses from (1, 2), (3, 5), (4, 7), (6, 10) ..., and wins from all others.
Source: Wythoff, "A modification of the game of nim", Nieuw Archief voor Wiskunde 7 (1907),
https://oeis.org/A000201
"""

from playproof import Game, Local, Options, otherwise, require, when, win


def build(options: Options) -> Game:
    """The game with the heaps of `heaps`, e.g. 3-5."""
    heaps = options.numbers("heaps", range(1, 1_000), (3, 5), count=2)
    g = Game("wythoffs_game", players=2)
    s = g.state
    g.array("heap", 2, 0, max(heaps), heaps)
    g.integer("turn", 0, 1)
    g.fact(ends_within=sum(heaps))
    play = g.phase("play", actor=s.turn, text="take matches")

    @g.action(play, "take {matches} from {where}", matches=range(1, max(heaps) + 1), where=["0", "1", "both"])
    def take(matches: Local, where: Local) -> None:
        for heap in range(2):
            require((where == 1 - heap) | (s.heap[heap] >= matches), "W1", "there are not so many matches")
        for heap in range(2):
            with when(where != 1 - heap):
                s.heap[heap] = s.heap[heap] - matches
        with when(s.heap[0] + s.heap[1] == 0):
            win("took the last match", winner=s.turn)
        with otherwise():
            s.turn = 1 - s.turn

    return g
