"""Deck building: what you buy comes back into your hand later.

One player draws two cards a turn, buys at most one, and puts all on the discard pile, which becomes the deck when the
deck is empty. Who owns the crown within six turns wins.
"""

from playproof import CHANCE, Bag, Game, Local, Options, goto, keep, lose, otherwise, require, when, win

CARDS = ["copper", "silver", "gold"]
WORTH, PRICE = [1, 2, 3], [0, 2, 3]
CROWN, HAND, TURNS = 5, 2, 6


def build(options: Options) -> Game:
    """The deck and the discard pile are bags: nobody knows their order."""
    g = Game("deck_building")
    s = g.state
    deck = Bag(g, "deck", 3, most=8, start=[4, 0, 0])
    discard = Bag(g, "discard", 3, most=8)
    g.array("hand", 3, 0, HAND)
    g.integer("money", 0, 6)
    g.integer("drawn", 0, HAND)
    g.integer("turn", 1, TURNS)
    g.fact(ends_within=TURNS, names=dict.fromkeys(("hand", "deck_bag", "discard_bag"), CARDS), hidden=["drawn"])
    draw = g.phase("draw", CHANCE, text="draw a card")
    buy = g.phase("buy", text="buy a card")
    worth, price = g.table("worth", WORTH), g.table("price", PRICE)

    def drawing(card: Local) -> None:
        s.hand[card] += 1
        s.money += worth[card]
        s.drawn += 1
        with when(deck.size() == 0):
            for kind in range(3):
                s.deck_bag[kind] = keep(s.discard_bag[kind])
                s.discard_bag[kind] = 0
        with when(s.drawn == HAND):
            goto(buy)

    deck.draw(g, draw, "draw {card}", drawing, labels=CARDS, rule="B1")

    def end_turn() -> None:
        for kind in range(3):
            s.discard_bag[kind] += s.hand[kind]
            s.hand[kind] = 0
        s.money = 0
        s.drawn = 0
        goto(draw)
        with when(s.turn == TURNS):
            lose("too late", rule="B3")
        with otherwise():
            s.turn += 1

    @g.action(buy, "buy {card}", card=CARDS[1:], rule="B2")
    def buying(card: Local) -> None:
        require(s.money >= price[card + 1], "B2", "that costs more than {}", s.money)
        require(deck.size() + discard.size() < 6, "B2", "the shop is closed")
        discard.put(card + 1)
        end_turn()

    @g.action(buy, "buy nothing", rule="B2")
    def passing() -> None:
        end_turn()

    @g.action(buy, "buy the crown", rule="B3")
    def crowned() -> None:
        require(s.money >= CROWN, "B3", "the crown costs {}", CROWN)
        win("the crown")

    return g
