"""A deck dealt into a hand and played, for the tests of ranks: `2 * deck + hand` falls at every step.

Known by hand: with n kinds of cards, one of each, a game has 2 * n steps, or one more to end it.
"""

from playproof.language import CHANCE, Game, Local, goto, require, sum_of, when, win
from playproof.language.options import Options


def build(options: Options) -> Game:
    """`kinds` is how many cards there are."""
    kinds = options.number("kinds", range(1, 17), 12)
    g = Game("deal")
    s = g.state
    g.array("deck", kinds, 0, 1, 1)
    g.array("hand", kinds, 0, 1)
    draw, play = g.phase("draw", CHANCE), g.phase("play")

    @g.action(draw, "card {card} is dealt", card=kinds)
    def dealt(card: Local) -> None:
        require(s.deck[card] > 0, "D1", "it is dealt already")
        s.deck[card] = 0
        s.hand[card] = 1
        goto(play)

    @g.action(play, "play card {card}", card=kinds)
    def played(card: Local) -> None:
        require(s.hand[card] > 0, "D2", "it is not in the hand")
        s.hand[card] = 0
        with when(sum_of(s.deck[i] for i in range(kinds)) == 0):
            win("all is played")
        goto(draw)

    return g
