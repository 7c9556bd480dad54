"""Tiny Hanabi: two partners see a card each; the first acts, the second sees that act and acts too; both get the same.

Published: the best joint plans of the six tables A to F give 2.25, 1, 2.5, 2.5, 10 and 7/3 on average.
Source: Sokota and others, "Solving Common-Payoff Games with Approximate Policy Iteration", AAAI 2021; tables and
optima at https://github.com/ssokota/tiny-hanabi
"""

from playproof import CHANCE, Game, Local, Options, Sees, goto, require, score, when

# What both get, by the first's card, the second's card, the first's act, the second's act.
TABLES = {
    "A": [[[[0, 1], [0, 0]], [[0, 1], [3, 2]]], [[[3, 3], [3, 2]], [[2, 0], [3, 3]]]],
    "B": [[[[1, 0], [1, 0]], [[0, 1], [0, 1]]], [[[0, 1], [0, 0]], [[1, 0], [1, 0]]]],
    "C": [[[[3, 0], [0, 3]], [[2, 0], [3, 3]]], [[[2, 2], [3, 0]], [[0, 1], [0, 2]]]],
    "D": [[[[3, 0], [1, 3]], [[3, 0], [3, 0]]], [[[3, 2], [0, 2]], [[0, 1], [0, 0]]]],
    "E": [
        [[[10, 0, 0], [4, 8, 4], [10, 0, 0]], [[0, 0, 10], [4, 8, 4], [0, 0, 10]]],
        [[[0, 0, 10], [4, 8, 4], [0, 0, 0]], [[10, 0, 0], [4, 8, 4], [10, 0, 0]]],
    ],
    "F": [
        [[[0, 3], [3, 2]], [[0, 0], [0, 1]], [[3, 1], [2, 1]]],
        [[[0, 2], [0, 1]], [[1, 2], [1, 2]], [[0, 1], [0, 3]]],
        [[[1, 3], [1, 2]], [[0, 3], [2, 2]], [[3, 1], [3, 0]]],
    ],
}


def build(options: Options) -> Game:
    """One of the six tables, for two partners. A card is 0 before it is dealt."""
    table = TABLES[options.choice("table", list(TABLES), "A")]
    cards, acts = len(table), len(table[0][0])
    g = Game("tiny_hanabi", players=2, teams=[(0, 1)])
    s = g.state
    worth = g.table("worth", [w for first in table for second in first for row in second for w in row])
    g.array("card", 2, 0, cards, sees=Sees.OWNER)
    g.integer("said", 0, acts - 1)
    g.integer("points", 0, 10)
    g.integer("turn", 0, 1)
    g.returns(s.points, s.points)
    g.fact(ends_within=2, hidden=["points"])
    deal = g.phase("deal", CHANCE, text="deal a card to each partner")
    act = g.phase("act", s.turn, text="act")

    @g.action(deal, "card {card} for partner {seat}", card=range(1, cards + 1), seat=["1", "2"], rule="T1")
    def dealt(card: Local, seat: Local) -> None:
        require((s.card[seat] == 0) & ((seat == 0) | (s.card[0] > 0)), "T1", "each partner gets one, in order")
        s.card[seat] = card
        with when(seat == 1):
            goto(act)

    @g.action(act, "act {number}", number=range(acts), rule="T2")
    def acting(number: Local) -> None:
        with when(s.turn == 1):
            s.points = worth[((s.card[0] - 1) * cards + s.card[1] - 1) * acts * acts + s.said * acts + number]
            score("both have acted", rule="T3")
        with when(s.turn == 0):
            s.said = number
            s.turn = 1

    return g
