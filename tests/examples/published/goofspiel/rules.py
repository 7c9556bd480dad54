"""Goofspiel: both bid a card for each prize at once; the higher card takes it, equal cards leave it.

Published: 0 with three cards, as the game is alike for both. Source: Lanctot and others, OpenSpiel,
sequence_form_lp_test.py, https://github.com/google-deepmind/open_spiel (Ross, "Goofspiel: the game of pure strategy",
Journal of Applied Probability 8, 1971)
"""

from playproof import Game, Local, Options, Sees, otherwise, pick, require, tie, when, win


def build(options: Options) -> Game:
    """The game with so many `cards`; prizes come in falling order. The first bid of a round stays hidden."""
    n = options.number("cards", range(2, 5), 3)
    g = Game("goofspiel", players=2)
    s = g.state
    g.array("hand", (2, n), 0, 1, 1, sees=Sees.OWNER)
    g.array("spent", (2, n), 0, 1)
    g.array("bid", 2, 0, n, sees=Sees.OWNER)
    g.array("points", 2, 0, n * (n + 1) // 2)
    g.integer("prize", 0, n, n)
    g.integer("turn", 0, 1)
    g.fact(ends_within=2 * n)
    play = g.phase("play", actor=s.turn, text="bid a card")

    @g.action(play, "bid {card}", card=range(1, n + 1), secret="card")
    def bid(card: Local) -> None:
        require(s.hand[s.turn, card - 1] == 1, "G1", "the card is spent")
        s.hand[s.turn, card - 1] = 0
        s.bid[s.turn] = card
        s.turn = 1 - s.turn
        with when((s.bid[0] > 0) & (s.bid[1] > 0)):
            for seat in range(2):
                s.points[seat] += pick(s.bid[seat] > s.bid[1 - seat], s.prize, 0)
            for seat in range(2):
                s.spent[seat, s.bid[seat] - 1] = 1
            s.bid[0] = 0
            s.bid[1] = 0
            s.prize -= 1
            with when(s.prize == 0):
                with when(s.points[0] > s.points[1]):
                    win("more points", winner=0)
                with otherwise(s.points[0] < s.points[1]):
                    win("more points", winner=1)
                with otherwise():
                    tie("as many points")

    return g
