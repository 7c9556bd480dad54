"""Beggar-my-neighbour: an ace demands four cards, a king three, a queen two, a jack one; nobody decides anything.

Published: a deal whose play comes to a loop of 62 tricks and never ends. Source: Casella and others, "A non-terminating
game of beggar-my-neighbor" (2024), https://arxiv.org/abs/2403.13855
"""

from playproof import Game, Options, goto, keep, otherwise, pick, when, win

ENDLESS = [
    *(0, 0, 0, 3, 0, 0, 0, 2, 0, 3, 2, 4, 1, 0, 0, 0, 0, 0, 4, 4, 1, 0, 0, 1, 0, 0),
    *(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 2, 0, 1, 0, 0, 0, 0, 0, 3, 4),
]
CARDS = "-JQKA"


def build(options: Options) -> Game:
    """The game of one deal: what each card demands, the top one first; the first player has the first `split` of them.
    All cards without a demand are alike. A step is a trick."""
    deal = options.numbers("deal", range(len(CARDS)), ENDLESS)
    most, split = len(deal), options.number("split", range(53), 26)
    hands = [deal[:split], deal[split:]]
    g = Game("beggar_my_neighbour", players=2)
    s = g.state
    start = [[*hand, *[0] * (most - len(hand))] for hand in hands]
    g.array("hand", (2, most), start=start, labels=list(CARDS))
    g.array("size", 2, 0, most, [len(hand) for hand in hands])
    g.array("heap", most, labels=list(CARDS))
    g.integer("laid", 0, most)
    g.integer("owed", 0, 4)
    g.integer("turn", 0, 1)
    begin = g.phase("begin", actor=s.turn, text="begin a trick")
    lay = g.automatic("lay")
    take = g.automatic("take")

    @g.action(begin, "play a trick")
    def trick() -> None:
        goto(lay)

    @g.on(lay)
    def laying() -> None:
        with when(s.size[s.turn] == 0):
            win("the other has no card left", winner=1 - s.turn)
        with otherwise():
            card = keep(s.hand[s.turn, 0])
            s.heap[s.laid] = card
            s.laid += 1
            for place in range(most - 1):
                s.hand[s.turn, place] = s.hand[s.turn, place + 1]
            s.hand[s.turn, most - 1] = 0
            s.size[s.turn] -= 1
            with when(card > 0):
                s.owed = card
                s.turn = 1 - s.turn
            with otherwise(s.owed == 0):
                s.turn = 1 - s.turn
            with otherwise():
                s.owed -= 1
                with when(s.owed == 0):  # the demand is paid: who made it takes the heap and begins
                    s.turn = 1 - s.turn
                    goto(take)

    @g.on(take)
    def taking() -> None:
        held = keep(s.size[s.turn])
        for place in range(most):
            from_heap = pick(place - held < s.laid, s.heap[place - held], 0)
            s.hand[s.turn, place] = pick(place < held, s.hand[s.turn, place], from_heap)
        s.size[s.turn] += s.laid
        for place in range(most):
            s.heap[place] = 0
        s.laid = 0
        goto(begin)

    return g
