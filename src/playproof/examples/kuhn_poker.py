"""Kuhn poker: three cards, one each, one bet; the higher card takes the pot.

Known: worth -1/18 to the first player under best play by both (Kuhn, "A Simplified Two-Person
Poker", 1950).
"""

from playproof import CHANCE, Game, Local, Options, Sees, goto, otherwise, pick, require, score, when

CARDS = ["jack", "queen", "king"]


def build(options: Options) -> Game:
    """The game, for two players. A hand holds 0 (no card yet) or 1 + the card's number."""
    g = Game("kuhn_poker", players=2)
    s = g.state
    g.array("hand", 2, labels=["no card", *CARDS], sees=Sees.OWNER)
    g.array("deck", 3, 0, 1, 1, sees=Sees.NOBODY)
    g.array("pot", 2, 1, 2)
    g.integer("turn", 0, 1)
    g.integer("passes", 0, 1)
    g.integer("gain", -2, 2, 0)
    g.returns(s.gain, 0 - s.gain)
    g.fact(
        ends_within=3,
        steps_within=5,
        hidden=["gain"],
        exchangeable=[{"counts": ["deck"], "slots": {"hand": None}, "first": 1}],
    )

    deal = g.phase("deal", CHANCE, text="deal a card to each player")
    speak = g.phase("speak", s.turn, text="bet or pass")

    @g.action(deal, "deal {card} to player {seat}", card=CARDS, seat=["1", "2"], rule="K1")
    def deal_card(card: Local, seat: Local) -> None:
        require(s.deck[card] == 1, "K1", "the card is already dealt")
        require((s.hand[seat] == 0) & ((seat == 0) | (s.hand[0] != 0)), "K1", "the players are dealt to in order")
        s.deck[card] = 0
        s.hand[seat] = card + 1
        with when(seat == 1):
            goto(speak)

    def showdown() -> None:
        with when(s.hand[0] > s.hand[1]):
            s.gain = s.pot[1]
        with otherwise():
            s.gain = 0 - s.pot[0]
        score("showdown")

    @g.action(speak, "bet", rule="K2")
    def bet() -> None:
        s.pot[s.turn] = 2
        with when(s.pot[1 - s.turn] == 2):
            showdown()
        with otherwise():
            s.turn = 1 - s.turn

    @g.action(speak, "pass", rule="K3")
    def pass_() -> None:
        with when(s.pot[1 - s.turn] == 2):
            s.gain = pick(s.turn == 0, -1, 1)
            score("fold")
        with otherwise(s.passes == 1):
            showdown()
        with otherwise():
            s.passes = 1
            s.turn = 1 - s.turn

    return g
