"""Pyramid, small: six open cards in three rows, a stock of six; take pairs that sum to seven from what lies free.

Two suits of ranks 1 to 6. Source of the rules: https://en.wikipedia.org/wiki/Pyramid_(solitaire)
"""

from playproof import CHANCE, Bag, Game, Local, Options, goto, lose, otherwise, require, when, win

RANKS, PLACES = 6, 6
OVER = [(1, 2), (3, 4), (4, 5)]
"""The places that lie on each of the upper places."""


def build(options: Options) -> Game:
    """A place holds a rank from 1, or 0; `open_` is the last card turned from the stock."""
    g = Game("pyramid")
    s = g.state
    g.array("place", PLACES, 0, RANKS)
    g.integer("laid", 0, PLACES)
    g.integer("open_", 0, RANKS)
    deal = g.phase("deal", CHANCE, text="a card is laid out")
    turn = g.phase("turn", CHANCE, text="the stock is turned")
    play = g.phase("play", text="take a pair or turn")
    pack = Bag(g, "pack", RANKS, 2, 2)

    one, other = (g.table(name, [*(p[k] for p in OVER), 0, 0, 0]) for k, name in enumerate(("one", "other")))

    def free(place):  # type: ignore[no-untyped-def]
        return (s.place[place] > 0) & ((place >= len(OVER)) | (s.place[one[place]] + s.place[other[place]] == 0))

    def laid(card: Local) -> None:
        s.place[s.laid] = card + 1
        with when(s.laid == PLACES - 1):
            s.laid = 0
            goto(turn)
        with otherwise():
            s.laid += 1

    def turned(card: Local) -> None:
        s.open_ = card + 1
        goto(play)

    pack.draw(g, deal, "a {card}", laid)
    pack.draw(g, turn, "{card} is turned", turned)
    pairs = [(a, b) for a in range(PLACES) for b in range(a + 1, PLACES)]
    left, right = (g.table(name, [pair[k] for pair in pairs]) for k, name in enumerate(("left", "right")))

    @g.action(play, "take place {place} with the open card", place=PLACES)
    def with_open(place: Local) -> None:
        require(free(place), "P2", "nothing lies free there")
        require(s.place[place] + s.open_ == RANKS + 1, "P1", "they do not sum to seven")
        s.place[place] = 0
        s.open_ = 0
        with when(s.place[0] == 0):
            win("the pyramid is gone")

    @g.action(play, lambda pair: f"take places {pairs[pair][0]} and {pairs[pair][1]}", pair=len(pairs))
    def both(pair: Local) -> None:
        require(free(left[pair]) & free(right[pair]), "P2", "nothing lies free there")
        require(s.place[left[pair]] + s.place[right[pair]] == RANKS + 1, "P1", "they do not sum to seven")
        s.place[left[pair]] = 0
        s.place[right[pair]] = 0

    @g.action(play, "turn the stock")
    def go_on() -> None:
        with when(pack.size() == 0):
            lose("the stock is empty")
        with otherwise():
            goto(turn)

    return g
