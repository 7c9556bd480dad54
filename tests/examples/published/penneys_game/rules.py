"""Penney's game: each player names three results of a coin in a row; whose row comes first wins.

Published: whoever names second wins at least two of three games, and seven of eight against HHH.
Source: Gardner, "Mathematical Games", Scientific American 231 (October 1974), https://en.wikipedia.org/wiki/Penney%27s_game
"""

from playproof import CHANCE, Game, Local, Options, goto, otherwise, require, when, win

ROWS = ["HHH", "HHT", "HTH", "HTT", "THH", "THT", "TTH", "TTT"]


def build(options: Options) -> Game:
    """The game with rows of three; `first` may fix what the first player names."""
    first = options.choice("first", ["any", *ROWS])
    g = Game("penneys_game", players=2)
    s = g.state
    g.array("row", 2, 0, 7)
    g.integer("turn", 0, 1)
    g.integer("last", 0, 7)
    g.integer("flips", 0, 2)
    name = g.phase("name", actor=s.turn, text="name a row")
    flip = g.phase("flip", actor=CHANCE, text="the coin is flipped")

    @g.action(name, "name {row}", row=ROWS)
    def named(row: Local) -> None:
        require((s.turn == 0) | (row != s.row[0]), "P1", "the other player has named it")
        if first != "any":
            require((s.turn == 1) | (row == ROWS.index(first)), "P2", "another row is to be named")
        s.row[s.turn] = row
        with when(s.turn == 1):
            goto(flip)
        with otherwise():
            s.turn = 1

    @g.action(flip, "the coin shows {side}", side=["heads", "tails"])
    def shown(side: Local) -> None:
        with when(s.flips < 2):
            s.flips += 1
            s.last = (2 * s.last + side) % 8
        with otherwise((2 * s.last + side) % 8 == s.row[0]):
            win("the first row", winner=0)
        with otherwise((2 * s.last + side) % 8 == s.row[1]):
            win("the second row", winner=1)
        with otherwise():
            s.last = (2 * s.last + side) % 4  # the row before it is of no use any more

    return g
