"""Push your luck: go on for more, or stop before you lose what you have.

Two players turn up cards, one after the other, until they stop or turn up a storm, which takes the turn's coins. Who
has ten coins first wins.
"""

from playproof import CHANCE, Game, Local, Options, goto, min_of, otherwise, require, weight, when, win

GOAL = 10
CARDS = ["storm", "a coin", "two coins", "three coins"]
COPIES, COINS = [2, 3, 2, 1], [0, 1, 2, 3]


def build(options: Options) -> Game:
    """The cards are shuffled again for each turn-up, so their number is a weight."""
    g = Game("push_your_luck", players=2)
    s = g.state
    g.array("coins", 2, 0, GOAL - 1)
    g.integer("turn", 0, 1)
    g.integer("pot", 0, GOAL)
    decide = g.phase("decide", s.turn, text="turn up a card or stop")
    card_ = g.phase("card", CHANCE, text="a card is turned up")
    copies, worth = g.table("copies", COPIES), g.table("worth", COINS)

    @g.action(decide, "turn up a card", rule="L1")
    def turning() -> None:
        goto(card_)

    @g.action(decide, "stop", rule="L2")
    def stopping() -> None:
        require(s.pot > 0, "L2", "turn up a card first")
        with when(s.coins[s.turn] + s.pot >= GOAL):
            win("ten coins", winner=s.turn)
        with otherwise():
            s.coins[s.turn] += s.pot
            s.pot = 0
            s.turn = 1 - s.turn

    @g.action(card_, "{card}", card=CARDS, rule="L3")
    def turned(card: Local) -> None:
        weight(copies[card])
        with when(card == 0):
            s.pot = 0
            s.turn = 1 - s.turn
        with otherwise():
            s.pot = min_of(s.pot + worth[card], GOAL - s.coins[s.turn])
        goto(decide)

    return g
