"""Nim: take any number of matches from one heap; who takes the last match wins.

Known: the player to move wins exactly when the exclusive or of the heaps is not 0
(Bouton, "Nim, a Game with a Complete Mathematical Theory", Annals of Mathematics 3, 1901).
"""

from playproof import Game, Local, Options, all_of, otherwise, require, when, win


def build(options: Options) -> Game:
    """The game with the heaps of `heaps`, e.g. 3-4-5."""
    heaps = options.numbers("heaps", range(1, 1_000), (3, 4, 5))
    g = Game("nim", players=2)
    s = g.state
    g.array("heap", len(heaps), 0, max(heaps), heaps)
    g.integer("turn", 0, 1)
    g.fact(ends_within=sum(heaps))
    play = g.phase("play", actor=s.turn, text="take matches from one heap")

    @g.action(play, "take {matches} from heap {heap}", heap=len(heaps), matches=range(1, max(heaps) + 1))
    def take(heap: Local, matches: Local) -> None:
        require(s.heap[heap] >= matches, "N1", "the heap holds {} matches", s.heap[heap])
        s.heap[heap] = s.heap[heap] - matches
        with when(all_of(len(heaps), lambda i: s.heap[i] == 0)):
            win("took the last match", winner=s.turn)
        with otherwise():
            s.turn = 1 - s.turn

    return g
