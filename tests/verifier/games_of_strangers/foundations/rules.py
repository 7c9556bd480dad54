"""A patience of twenty cards: four suits of five, built up by rank, with four places to wait in.

Turn a card; build it on its suit if it is the next, else let it wait. Lost if no place is free.
"""

from playproof import CHANCE, Bag, Game, Local, Options, goto, lose, require, sum_of, when, win

SUITS, RANKS, PLACES = 4, 5, 4


def build(options: Options) -> Game:
    """Card c has the suit c // 5 and the rank c % 5."""
    g = Game("foundations")
    s = g.state
    g.array("built", SUITS, 0, RANKS)
    g.array("waiting", SUITS * RANKS)
    g.integer("turned", 0, SUITS * RANKS)
    turn = g.phase("turn", CHANCE, text="a card is turned")
    place = g.phase("place", text="place the card")
    stock = Bag(g, "stock", SUITS * RANKS, 1, 1)

    def seen(card: Local) -> None:
        s.turned = card + 1
        goto(place)

    stock.draw(g, turn, "{card} is turned", seen)

    @g.action(place, "build the turned card")
    def build_turned() -> None:
        card = s.turned - 1
        require((s.turned > 0) & (s.built[card // RANKS] == card % RANKS), "F1", "it is not the next of its suit")
        s.built[card // RANKS] += 1
        s.turned = 0

    @g.action(place, "let it wait")
    def wait() -> None:
        require(s.turned > 0, "F2", "no card is turned")
        with when(sum_of(SUITS * RANKS, lambda c: s.waiting[c]) == PLACES):
            lose("no place is free")
        s.waiting[s.turned - 1] = 1
        s.turned = 0

    @g.action(place, "build waiting {card}", card=SUITS * RANKS)
    def build_waiting(card: Local) -> None:
        require(s.waiting[card] == 1, "F3", "it is not waiting")
        require(s.built[card // RANKS] == card % RANKS, "F4", "it is not the next of its suit")
        s.waiting[card] = 0
        s.built[card // RANKS] += 1

    @g.action(place, "go on")
    def go_on() -> None:
        require(s.turned == 0, "F5", "place the turned card first")
        with when(sum_of(SUITS, lambda u: s.built[u]) == SUITS * RANKS):
            win("all suits are built")
        with when((stock.size() == 0) & (sum_of(SUITS, lambda u: s.built[u]) < SUITS * RANKS)):
            lose("cards wait for ever")
        goto(turn)

    return g
