"""Leduc poker: six cards, a private card each, a round of betting, a card on the table, a second
round.

Known: 288 information sets where suits do not matter (Southey and others, "Bayes' Bluff", 2005);
worth -0.0856 to the first player under best play by both (as computed by OpenSpiel and others).
"""

from playproof.language import (
    CHANCE,
    Game,
    Local,
    Sees,
    Term,
    goto,
    keep,
    min_of,
    otherwise,
    pick,
    require,
    score,
    weight,
    when,
)
from playproof.language.options import Options

RANKS = ["jack", "queen", "king"]
MOST_RAISES, MOST_IN = 2, 13


def build(options: Options) -> Game:
    """Both pay 1; bets are 2 in the first round and 4 in the second; a pair wins, else the higher
    card."""
    g = Game("leduc_poker", players=2)
    s = g.state
    g.array("hand", 2, labels=["no card", *RANKS], sees=Sees.OWNER)
    g.choice("table", ["no card", *RANKS])
    g.array("deck", 3, 0, 2, 2, sees=Sees.NOBODY)
    g.array("paid", 2, 1, MOST_IN, 1)
    g.integer("turn", 0, 1)
    g.integer("raises", 0, MOST_RAISES)
    g.flag("checked")
    g.integer("gain", -MOST_IN, MOST_IN, 0)
    g.returns(s.gain, 0 - s.gain)
    g.fact(ends_within=8, steps_within=11, hidden=["gain", "checked"])
    deal = g.phase("deal", CHANCE, text="deal a card to each player")
    speak = g.phase("speak", s.turn, text="fold, call or raise")
    turn_up = g.phase("turn up", CHANCE, text="turn up a card")

    def take(card: Local) -> None:
        require(s.deck[card] > 0, "L1", "both such cards are dealt")
        weight(s.deck[card])
        s.deck[card] -= 1

    @g.action(deal, "deal {card} to player {seat}", card=RANKS, seat=["1", "2"], rule="L1")
    def dealing(card: Local, seat: Local) -> None:
        require((s.hand[seat] == 0) & ((seat == 0) | (s.hand[0] != 0)), "L1", "the players are dealt to in order")
        take(card)
        s.hand[seat] = card + 1
        with when(seat == 1):
            goto(speak)

    @g.action(turn_up, "turn up {card}", card=RANKS, rule="L2")
    def turning(card: Local) -> None:
        take(card)
        s.table = card + 1
        goto(speak)

    def strength(seat: int) -> Term:
        """A pair beats every card without one."""
        return pick(s.hand[seat] == s.table, s.hand[seat] + len(RANKS), s.hand[seat])

    def end_of_round() -> None:
        s.turn = 0
        s.raises = 0
        s.checked = 0
        with when(s.table == 0):
            goto(turn_up)
        with otherwise():
            lost = keep(min_of(s.paid[0], s.paid[1]))
            with when(strength(0) > strength(1)):
                s.gain = lost
            with otherwise(strength(0) < strength(1)):
                s.gain = 0 - lost
            score("showdown")

    @g.action(speak, "fold", rule="L3")
    def fold() -> None:
        require(s.raises > 0, "L3", "there is no bet to fold to")
        s.gain = pick(s.turn == 0, 0 - s.paid[0], s.paid[1])
        score("fold")

    @g.action(speak, "call", rule="L4")
    def call() -> None:
        s.paid[s.turn] = s.paid[1 - s.turn]
        with when((s.raises > 0) | (s.checked == 1)):
            end_of_round()
        with otherwise():
            s.checked = 1
            s.turn = 1 - s.turn

    @g.action(speak, "raise", rule="L5")
    def raise_() -> None:
        require(s.raises < MOST_RAISES, "L5", "two raises a round")
        s.paid[s.turn] = s.paid[1 - s.turn] + pick(s.table == 0, 2, 4)
        s.raises += 1
        s.turn = 1 - s.turn

    return g
