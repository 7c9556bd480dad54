"""Four players, eight cards: a deal, a simultaneous pass, peeks, weather, and tricks that are cleared by themselves."""

from playproof.language import CHANCE, Game, Local, Sees, each, goto, max_of, otherwise, require, score, weight, when
from playproof.language.options import Options

CARDS = ["ace", "two", "three", "four", "five", "six", "seven", "eight"]
STORMS = ["calm", "breeze", "gale"]
SEATS = ["north", "east", "south", "west"]


def build(options: Options) -> Game:
    """Two cards each; one is passed to the left, all at once; who likes peeks; then two tricks are played."""
    g = Game("parlour", players=4)
    s = g.state
    g.array("deck", 8, 0, 1, 1, sees=Sees.NOBODY)
    g.array("hand", (4, 8), 0, 1, sees=Sees.OWNER)
    g.array("passed", 4, 0, 8, sees=Sees.OWNER)
    g.array("peeked", 4, 0, 8, sees=Sees.OWNER)
    g.array("trick", 4, 0, 8)
    g.array("taken", 4, 0, 2)
    g.integer("turn", 0, 3)
    g.integer("dealt", 0, 8)
    g.integer("wind", 0, 1)
    g.integer("played", 0, 8)
    g.returns(*(s.taken[seat] for seat in range(4)))
    g.fact(seats=SEATS, names={"hand": [None, CARDS]}, values={"peeked": ["none", *CARDS], "passed": ["none", *CARDS]})
    deal = g.phase("deal", CHANCE)
    give = g.phase("give", s.turn)
    swap = g.automatic("swap", text="the cards are passed to the left")
    sky = g.phase("sky", CHANCE)
    look = g.phase("look", s.turn, text="look around")
    act = g.phase("act", s.turn)
    sweep = g.automatic("sweep", text="the trick is taken")

    @g.action(deal, "deal {card}", card=CARDS)
    def dealing(card: Local) -> None:
        require(s.deck[card] > 0, "", "it is dealt")
        s.deck[card] = 0
        s.hand[s.turn, card] = 1
        s.dealt += 1
        s.turn = (s.turn + 1) % 4
        with when(s.dealt == 8):
            goto(give)

    @g.action(give, "pass {card}", card=CARDS, secret="card")
    def passing(card: Local) -> None:
        require(s.hand[s.turn, card] > 0, "", "it is not yours")
        s.hand[s.turn, card] = 0
        s.passed[s.turn] = card + 1
        with when(s.turn == 3):
            goto(swap)
        s.turn = (s.turn + 1) % 4

    @g.on(swap)
    def swapping() -> None:
        for seat in each(4):
            s.hand[(seat + 1) % 4, s.passed[seat] - 1] = 1
            s.passed[seat] = 0
        goto(sky)

    @g.action(sky, "the weather is {storm}", storm=STORMS)
    def weather(storm: Local) -> None:
        weight(3 - storm)
        with when(storm == 2):
            s.wind = 1
        goto(look)

    @g.action(look, lambda seat: f"peeks at {SEATS[seat]}", name="peek", seat=4, secret=True)
    def peek(seat: Local) -> None:
        require(seat != s.turn, "", "you know your own cards")
        s.peeked[s.turn] = max_of(8, lambda card: s.hand[seat, card] * (card + 1))  # the higher of two
        goto(act)

    @g.action(look, "looks away", secret=True)
    def away() -> None:
        goto(act)

    @g.action(act, "play {card}", card=CARDS, public="card")
    def playing(card: Local) -> None:
        require(s.hand[s.turn, card] > 0, "", "it is not yours")
        s.hand[s.turn, card] = 0
        s.peeked[s.turn] = 0
        s.trick[s.turn] = card + 1
        s.played += 1
        s.turn = (s.turn + 1) % 4
        with when(s.played % 4 == 0):
            goto(sweep)
        with otherwise():
            goto(look)

    @g.on(sweep)
    def sweeping() -> None:
        for seat in each(4):
            with when(
                (s.trick[seat] >= s.trick[0])
                & (s.trick[seat] >= s.trick[1])
                & (s.trick[seat] >= s.trick[2])
                & (s.trick[seat] >= s.trick[3])
            ):
                s.taken[seat] += 1
                s.turn = seat
        for seat in each(4):
            s.trick[seat] = 0
        goto(look)
        with when(s.played == 8):
            score("all cards are played")

    return g
