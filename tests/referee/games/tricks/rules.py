"""Four players, 28 cards in four suits, one card passed in secret to the left, then seven tricks in which a suit that
is led must be followed: too many deals to count, and much to remember."""

from playproof.language import CHANCE, Game, Local, Sees, any_of, goto, otherwise, require, score, when
from playproof.language.options import Options

SUITS, RANKS, SEATS = 4, 7, 4
COUNT = SUITS * RANKS
CARDS = [f"{suit} {rank}" for suit in ("club", "heart", "spade", "star") for rank in range(1, RANKS + 1)]


def build(options: Options) -> Game:
    """Each trick counts one."""
    g = Game("tricks", players=SEATS)
    s = g.state
    g.array("deck", COUNT, start=1, sees=Sees.NOBODY)
    g.array("hand", (SEATS, COUNT), sees=Sees.OWNER)
    g.array("aside", SEATS, labels=["nothing", *CARDS], sees=Sees.OWNER)
    g.array("trick", SEATS, labels=["nothing", *CARDS])
    g.array("taken", SEATS, 0, RANKS)
    for name in ("turn", "leader", "best"):
        g.integer(name, 0, SEATS - 1)
    g.integer("dealt", 0, COUNT)
    g.integer("laid", 0, SEATS)
    g.returns(*(s.taken[seat] for seat in range(SEATS)))
    g.fact(exchangeable=[{"counts": ["hand", "deck"]}], hidden=["dealt", "laid", "best"])
    deal = g.phase("deal", CHANCE)
    give = g.phase("give", s.turn)
    deliver = g.automatic("deliver", text="the cards are passed")
    play = g.phase("play", s.turn)
    take = g.automatic("take", text="the trick is taken")

    @g.action(deal, "deal {card}", card=CARDS)
    def dealing(card: Local) -> None:
        require(s.deck[card] == 1, "H1", "the card is already dealt")
        s.deck[card] = 0
        s.hand[s.turn, card] = 1
        s.turn = (s.turn + 1) % SEATS
        s.dealt += 1
        with when(s.dealt == COUNT):
            goto(give)

    @g.action(give, "pass {card}", card=CARDS, secret="card")
    def passing(card: Local) -> None:
        require(s.hand[s.turn, card] == 1, "H2", "that card is not in your hand")
        s.hand[s.turn, card] = 0
        s.aside[s.turn] = card + 1
        s.turn = (s.turn + 1) % SEATS
        with when(s.turn == 0):
            goto(deliver)

    @g.on(deliver)
    def delivering() -> None:
        for seat in range(SEATS):
            s.hand[(seat + 1) % SEATS, s.aside[seat] - 1] = 1
        for seat in range(SEATS):
            s.aside[seat] = 0
        goto(play)

    @g.action(play, "play {card}", card=CARDS, public="card")
    def playing(card: Local) -> None:
        led = (s.trick[s.leader] - 1) // RANKS
        follows = (s.laid == 0) | (card // RANKS == led)
        able = any_of(COUNT, lambda c: (s.hand[s.turn, c] == 1) & (c // RANKS == led))
        require(s.hand[s.turn, card] == 1, "H2", "that card is not in your hand")
        require(follows | ~able, "H3", "follow the suit that was led")
        with when((s.laid == 0) | ((card // RANKS == led) & (card + 1 > s.trick[s.best]))):
            s.best = s.turn
        s.hand[s.turn, card] = 0
        s.trick[s.turn] = card + 1
        s.laid += 1
        with when(s.laid == SEATS):
            goto(take)
        with otherwise():
            s.turn = (s.turn + 1) % SEATS

    @g.on(take)
    def taking() -> None:
        s.taken[s.best] += 1
        s.turn = s.best
        s.leader = s.best
        s.best = 0
        s.laid = 0
        for seat in range(SEATS):
            s.trick[seat] = 0
        goto(play)
        with when(s.taken[0] + s.taken[1] + s.taken[2] + s.taken[3] == RANKS):
            score("all cards are played")

    return g
