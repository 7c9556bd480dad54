"""Hand management: play the right card now, or keep it for later.

One player holds two of five cards and plays them onto two piles, one that rises and one that falls. After each card
one is drawn. Who plays all cards wins.
"""

from playproof import CHANCE, Bag, Game, Local, Options, goto, lose, otherwise, require, sum_of, when, win

CARDS, HAND = 5, 2


def build(options: Options) -> Game:
    """Card n has the number n + 1; the rising pile begins below all of them, the falling one above."""
    g = Game("hand_management")
    s = g.state
    deck = Bag(g, "deck", CARDS, start=1)
    g.array("hand", CARDS)
    g.integer("up", 0, CARDS)
    g.integer("down", 1, CARDS + 1, CARDS + 1)
    numbers = [str(n + 1) for n in range(CARDS)]
    g.fact(ends_within=CARDS, names={"hand": numbers, "deck_bag": numbers})
    draw = g.phase("draw", CHANCE, text="draw a card")
    play = g.phase("play", text="play a card")

    def drawing(card: Local) -> None:
        s.hand[card] = 1
        with when((sum_of(CARDS, lambda n: s.hand[n]) == HAND) | (deck.size() == 0)):
            goto(play)

    deck.draw(g, draw, "draw {card}", drawing, labels=numbers, rule="M1")

    def played(card: Local) -> None:
        s.hand[card] = 0
        with when(deck.size() > 0):
            goto(draw)
        with otherwise(sum_of(CARDS, lambda n: s.hand[n]) == 0):
            win("all cards are played")

    @g.action(play, "{card} on the rising pile", card=numbers, rule="M2")
    def rising(card: Local) -> None:
        require(s.hand[card] == 1, "M2", "you do not hold it")
        require(card + 1 > s.up, "M2", "the pile shows {}", s.up)
        s.up = card + 1
        played(card)

    @g.action(play, "{card} on the falling pile", card=numbers, rule="M3")
    def falling(card: Local) -> None:
        require(s.hand[card] == 1, "M3", "you do not hold it")
        require(card + 1 < s.down, "M3", "the pile shows {}", s.down)
        s.down = card + 1
        played(card)

    @g.action(play, "give up", rule="M4")
    def give_up() -> None:
        lose("cards are left")

    return g
