"""Three suits: three players, twelve cards, four tricks; a player who can follow the suit that was
led must follow it.

Known: 12! / (4! 4! 4!) = 34,650 deals. A player that does not follow shows that it holds none of
the suit, so what the others hold possible shrinks to the deals that agree; tests/examples counts
them.
"""

from playproof.language import CHANCE, Game, Local, Sees, any_of, goto, otherwise, require, score, when
from playproof.language.options import Options

SUITS, RANKS, SEATS = 3, 4, 3
CARDS = [f"{rank} of {suit}" for suit in ("cups", "coins", "swords") for rank in ("six", "seven", "queen", "king")]
EACH = len(CARDS) // SEATS


def build(options: Options) -> Game:
    """Most tricks win; the highest card of the suit led takes a trick."""
    g = Game("three_suits", players=SEATS)
    s = g.state
    g.array("deck", len(CARDS), start=1, sees=Sees.NOBODY)
    g.array("hand", (SEATS, len(CARDS)), sees=Sees.OWNER)
    g.array("trick", SEATS, labels=["nothing", *CARDS])
    g.array("tricks", SEATS, 0, EACH)
    g.integer("turn", 0, SEATS - 1)
    g.integer("leader", 0, SEATS - 1)
    g.integer("dealt", 0, len(CARDS))
    g.integer("laid", 0, SEATS)
    g.integer("best", 0, SEATS - 1)
    g.returns(*(s.tricks[seat] for seat in range(SEATS)))
    g.fact(
        title="Three suits",
        ends_within=len(CARDS),
        steps_within=2 * len(CARDS),
        names={"hand": [None, CARDS]},
        hidden=["dealt", "laid", "best"],
        seats=["north", "east", "west"],
    )
    deal = g.phase("deal", CHANCE, text="the cards are dealt")
    play = g.phase("play", s.turn, text="play a card")
    take = g.automatic("take", text="the trick is taken")

    @g.action(deal, "deal {card}", card=CARDS, rule="T1")
    def dealing(card: Local) -> None:
        require(s.deck[card] == 1, "T1", "the card is already dealt")
        s.deck[card] = 0
        s.hand[s.turn, card] = 1
        s.turn = (s.turn + 1) % SEATS
        s.dealt += 1
        with when(s.dealt == len(CARDS)):
            goto(play)

    @g.action(play, "play {card}", card=CARDS, public="card", rule="T2")
    def playing(card: Local) -> None:
        led = (s.trick[s.leader] - 1) // RANKS
        follows = (s.laid == 0) | (card // RANKS == led)
        able = any_of(len(CARDS), lambda c: (s.hand[s.turn, c] == 1) & (c // RANKS == led))
        require(s.hand[s.turn, card] == 1, "T2", "that card is not in your hand")
        require(follows | ~able, "T3", "follow the suit that was led")
        with when((s.laid == 0) | ((card // RANKS == led) & (card + 1 > s.trick[s.best]))):
            s.best = s.turn
        s.hand[s.turn, card] = 0
        s.trick[s.turn] = card + 1
        s.laid += 1
        with when(s.laid == SEATS):
            goto(take)
        with otherwise():
            s.turn = (s.turn + 1) % SEATS

    @g.on(take, rule="T4")
    def taking() -> None:
        s.tricks[s.best] += 1
        s.turn = s.best
        s.leader = s.best
        s.best = 0
        s.laid = 0
        for seat in range(SEATS):
            s.trick[seat] = 0
        goto(play)
        with when(s.tricks[0] + s.tricks[1] + s.tricks[2] == EACH):
            score("all cards are played")

    return g
