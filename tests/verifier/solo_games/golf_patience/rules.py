"""Golf: four fans of three cards, a stock of six; a card goes on the pile if its rank is next to the pile's. Won when
all fans are empty. The fans are dealt as they are dug up, so 19 cards come by chance."""

from playproof import CHANCE, Bag, Game, Local, Options, all_of, any_of, goto, lose, otherwise, require, when, win

RANKS, FANS, DEEP, STOCK = 8, 4, 3, 6


def build(options: Options) -> Game:
    g = Game("golf_patience")
    s = g.state
    pack = Bag(g, "pack", RANKS, 3, 3)
    g.array("top", FANS, 0, RANKS, 0)  # 0: to be turned up; else rank + 1
    g.array("left", FANS, 0, DEEP, DEEP)
    g.integer("pile", 0, RANKS - 1)
    g.integer("stock", 0, STOCK, STOCK)
    g.fact(ends_within=FANS * DEEP + STOCK + 2)
    first = g.phase("first", CHANCE, text="the pile's first card")
    deal = g.phase("deal", CHANCE, text="a fan's top card")
    turn = g.phase("turn", CHANCE, text="a card of the stock")
    play = g.phase("play", text="play or turn")
    check = g.automatic("check")

    def begin(card: Local) -> None:
        s.pile = card
        goto(deal)

    pack.draw(g, first, "rank {card} begins the pile", begin)

    def dealt(card: Local) -> None:
        for fan in range(FANS):
            empty = (s.top[fan] == 0) & (s.left[fan] > 0)
            if fan == 0:
                with when(empty):
                    s.top[fan] = card + 1
            else:
                with otherwise(empty):
                    s.top[fan] = card + 1
        goto(check)

    pack.draw(g, deal, "rank {card} is a fan's top card", dealt)

    @g.on(check)
    def checking() -> None:
        with when(all_of(FANS, lambda f: s.left[f] == 0)):
            win("all fans are empty")
        with otherwise(any_of(FANS, lambda f: (s.top[f] == 0) & (s.left[f] > 0))):
            goto(deal)
        with otherwise(
            (s.stock == 0)
            & all_of(FANS, lambda f: (s.left[f] == 0) | ((s.top[f] - 1 != s.pile + 1) & (s.top[f] - 1 != s.pile - 1)))
        ):
            lose("nothing goes on the pile")
        with otherwise():
            goto(play)

    @g.action(play, "play from fan {fan}", fan=FANS)
    def playing(fan: Local) -> None:
        require(s.left[fan] > 0, "G1", "fan {} is empty", fan)
        require((s.top[fan] == s.pile) | (s.top[fan] == s.pile + 2), "G2", "the rank is not next to the pile's")
        s.pile = s.top[fan] - 1
        s.top[fan] = 0
        s.left[fan] -= 1
        goto(check)

    @g.action(play, "turn up the stock")
    def turning() -> None:
        require(s.stock > 0, "G3", "the stock is empty")
        s.stock -= 1
        goto(turn)

    def turned(card: Local) -> None:
        s.pile = card
        goto(check)

    pack.draw(g, turn, "rank {card} is turned up", turned)
    return g
