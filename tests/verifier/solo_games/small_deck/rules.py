"""Deck building: start with six coins and two stones, draw four cards a turn, buy a card; fourteen turns to buy two
crowns. The discards are shuffled when the deck runs out."""

from playproof import CHANCE, Bag, Game, Local, Options, goto, lose, min_of, otherwise, require, sum_of, when, win

CARDS = ["stone", "coin", "silver", "gold", "crown"]
COST, COIN, START = [0, 0, 3, 5, 6], [0, 1, 2, 3, 0], [2, 6, 0, 0, 0]
TURNS, CROWNS, HAND = 14, 2, 4


def build(options: Options) -> Game:
    turns = options.number("turns", range(4, 20), TURNS)
    g = Game("small_deck")
    s = g.state
    deck = Bag(g, "deck", 5, 8, START)
    g.array("discard", 5, 0, 8)
    g.array("hand", 5, 0, 4)
    g.integer("turn", 1, turns)
    g.integer("crowns", 0, CROWNS)
    cost, coin = g.table("cost", COST), g.table("coin", COIN)
    g.fact(ends_within=turns + 1)
    money = sum_of(5, lambda c: s.hand[c] * coin[c])
    g.quantity("money", money)
    g.fact(names={"deck_bag": CARDS, "discard": CARDS, "hand": CARDS})
    draw = g.phase("draw", CHANCE, text="a card is drawn")
    buy = g.phase("buy", text="buy a card")
    again = g.automatic("again")

    def drawn(card: Local) -> None:
        s.hand[card] += 1
        goto(again)

    deck.draw(g, draw, "{card} is drawn", drawn, labels=CARDS)

    @g.on(again)
    def refill() -> None:
        with when(sum_of(5, lambda c: s.hand[c]) == HAND):
            goto(buy)
        with otherwise():
            with when(deck.size() == 0):
                for c in range(5):
                    s.deck_bag[c] = s.discard[c]
                    s.discard[c] = 0
            goto(draw)

    @g.procedure()
    def tidy() -> None:
        for c in range(5):
            s.discard[c] += s.hand[c]
            s.hand[c] = 0

    @g.procedure()
    def over() -> None:
        with when(s.crowns == CROWNS):
            win("two crowns")
        with otherwise(s.turn == turns):
            lose("out of time")
        with otherwise():
            s.turn += 1
            goto(again)

    @g.action(buy, "buy {card}", card=range(2, 5))
    def buying(card: Local) -> None:
        require(money >= cost[card], "K1", "it costs {}", cost[card])
        require(s.discard[card] + s.hand[card] + s.deck_bag[card] < 4, "K2", "none is left")
        with when(card == 4):
            s.crowns = min_of(s.crowns + 1, CROWNS)
        tidy()
        s.discard[card] += 1
        over()

    @g.action(buy, "buy nothing")
    def nothing() -> None:
        tidy()
        over()

    return g
