"""Fibonacci nim: the first player does not take all; afterwards nobody takes more than twice what was taken last.

Published: the second player wins exactly if the number of matches is a Fibonacci number. Source: Whinihan, "Fibonacci
Nim", The Fibonacci Quarterly 1 (1963), https://www.fq.math.ca/Scanned/1-4/whinihan.pdf
"""

from playproof import Game, Local, Options, min_of, otherwise, require, when, win


def build(options: Options) -> Game:
    """The game with so many `matches`."""
    matches = options.number("matches", range(2, 60), 13)
    g = Game("fibonacci_nim", players=2)
    s = g.state
    g.integer("left", 0, matches, matches)
    g.integer("most", 1, matches, matches - 1)
    g.integer("turn", 0, 1)
    g.fact(ends_within=matches)
    play = g.phase("play", actor=s.turn, text="take matches")

    @g.action(play, "take {some}", some=range(1, matches))
    def take(some: Local) -> None:
        require(some <= min_of(s.most, s.left), "F1", "at most {} may be taken", s.most)
        s.left -= some
        s.most = min_of(2 * some, matches)
        with when(s.left == 0):
            win("took the last match", winner=s.turn)
        with otherwise():
            s.turn = 1 - s.turn

    return g
