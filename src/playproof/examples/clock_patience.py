"""Clock patience: turn a card, put it at its hour, turn the next card there; lost when the last
king comes early.

A patience without choices, and the shortest example of a shuffle that is never stored: each card is
decided when it is turned. Known: it comes out with probability 1 / ranks, so 1/13 with a full pack
(Jenkyns and Muller, "A Probabilistic Analysis of Clock Solitaire", Mathematics Magazine 54, 1981).
"""

from playproof import CHANCE, Bag, Game, Local, Options, lose, otherwise, sum_of, when, win


def build(options: Options) -> Game:
    """The game with `ranks` hours (the last is the king's) and `suits` cards of each."""
    ranks, suits = options.number("ranks", range(2, 14), 13), options.number("suits", range(1, 5), 4)
    g = Game("clock_patience")
    s = g.state
    g.fact(ends_within=0)
    turn = g.phase("turn", actor=CHANCE, text="the next card is turned")
    pack = Bag(g, "unseen", ranks, suits, suits)

    def turned(rank: Local) -> None:
        # The pile of hour r is empty once all its cards were turned there: only the king's can be
        # asked in vain.
        with when((rank == ranks - 1) & (s.unseen_bag[ranks - 1] == 0)):
            with when(sum_of(ranks, lambda r: s.unseen_bag[r]) == 0):
                win("every card is at its hour")
            with otherwise():
                lose("the last king came early")

    pack.draw(g, turn, "a card of rank {card}", turned)
    return g
