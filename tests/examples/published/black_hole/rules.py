"""Black Hole and All in a Row: play the open card of a pile onto the heap, one rank up or down; the ace follows the
king. All cards lie open.

Published: of a million shuffles, 86.9 % of Black Hole can be won, and 67.1 % of All in a Row.
Source: Wolter, "Experimental Analysis of Black Hole Solitaire" (2014), https://politaire.com/article/blackhole.html
"""

from playproof import CHANCE, Game, Local, Options, Term, any_of, goto, lose, otherwise, require, weight, when, win

RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]


def build(options: Options) -> Game:
    """Black Hole has the ace of spades on the heap and 17 piles of three; All in a Row has 13 piles of four and begins
    with any open card. `ranks` and `piles` make smaller packs of four suits."""
    hole = options.choice("game", ["black_hole", "all_in_a_row"]) == "black_hole"
    ranks = options.number("ranks", range(3, 14), 13)
    deep = 3 if hole else 4
    cards = 4 * ranks - int(hole)
    piles = -(-cards // deep)
    g = Game("black_hole")
    s = g.state
    g.array("left", ranks, 0, 4, [4 - int(hole)] + [4] * (ranks - 1))
    g.integer("dealt", 0, cards)
    g.array("card", (piles, deep), 0, ranks - 1)
    g.array("height", piles, 0, deep, [min(deep, cards - deep * p) for p in range(piles)])
    g.integer("heap", 0, ranks, 0 if hole else ranks)  # the rank on the heap; `ranks` if there is none
    g.integer("gone", 0, cards)
    g.fact(ends_within=cards, hidden=["left", "dealt"])
    deal = g.phase("deal", actor=CHANCE, text="a card is dealt")
    play = g.phase("play", text="play a card onto the heap")

    def fits(pile: Local | int) -> Term:
        """Whether the open card of a pile goes onto the heap."""
        apart = (s.card[pile, s.height[pile] - 1] - s.heap + ranks) % ranks
        next_: Term = (s.height[pile] > 0) & ((s.heap == ranks) | (apart == 1) | (apart == ranks - 1))
        return next_

    @g.action(deal, "a {rank}", rank=RANKS[:ranks])
    def dealing(rank: Local) -> None:
        require(s.left[rank] > 0, "B1", "all such cards are dealt")
        weight(s.left[rank])
        s.left[rank] -= 1
        s.card[s.dealt // deep, s.dealt % deep] = rank
        with when(s.dealt == cards - 1):
            s.dealt = 0
            goto(play)
            with when(~any_of(fits(p) for p in range(piles))):
                lose("no card fits")
        with otherwise():
            s.dealt += 1

    @g.action(play, "pile {pile}", pile=piles)
    def onto(pile: Local) -> None:
        require(fits(pile), "B2", "no card of the next rank lies there")
        s.heap = s.card[pile, s.height[pile] - 1]
        s.height[pile] -= 1
        s.gone += 1
        with when(s.gone == cards):
            win("all cards are on the heap")
        with otherwise(~any_of(fits(p) for p in range(piles))):
            lose("no card fits")

    return g
