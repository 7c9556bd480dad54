"""Village: build a deck alone. Eight turns; a hand of three cards pays for one card; a manor in it is three points."""

from playproof import CHANCE, Bag, Game, Local, Options, goto, otherwise, require, score, sum_of, when

CARDS, COST, PAYS, TURNS, HAND = ["copper", "silver", "manor"], [0, 3, 6], [1, 2, 0], 8, 3


def build(options: Options) -> Game:
    """The deck begins with five coppers and a manor; bought cards go to the discards, which become the new deck."""
    g = Game("village")
    s = g.state
    g.array("hand", len(CARDS), 0, HAND)
    g.array("discards", len(CARDS), 0, 14)
    g.integer("drawn", 0, HAND)
    g.integer("turn", 1, TURNS)
    g.quantity("round", s.turn)
    g.fact(round="round")
    cost, pays = g.table("cost", COST), g.table("pays", PAYS)
    draw = g.phase("draw", CHANCE, text="a card is drawn")
    buy = g.phase("buy", text="buy a card")
    mix = g.automatic("mix")
    clean = g.automatic("clean")
    deck = Bag(g, "deck", len(CARDS), 14, [5, 0, 1])
    g.returns(3 * (s.deck_bag[2] + s.hand[2] + s.discards[2]))

    def drawn(card: Local) -> None:
        s.hand[card] += 1
        s.drawn += 1
        goto(mix)

    deck.draw(g, draw, "{card} is drawn", drawn)

    @g.on(mix)
    def mixing() -> None:
        goto(draw)
        with when(s.drawn == HAND):
            goto(buy)
        with otherwise(deck.size() == 0):
            for card in range(len(CARDS)):
                s.deck_bag[card] = s.discards[card]
                s.discards[card] = 0

    @g.action(buy, "buy {card}", card=CARDS)
    def buys(card: Local) -> None:
        require(sum_of(len(CARDS), lambda c: s.hand[c] * pays[c]) >= cost[card], "V1", "it costs more than you have")
        s.discards[card] += 1
        goto(clean)

    @g.action(buy, "buy nothing")
    def nothing() -> None:
        goto(clean)

    @g.on(clean)
    def cleaning() -> None:
        for card in range(len(CARDS)):
            s.discards[card] = s.discards[card] + s.hand[card]
            s.hand[card] = 0
        s.drawn = 0
        goto(mix)
        with when(s.turn == TURNS):
            score("the last turn is over")
        with otherwise():
            s.turn += 1

    return g
