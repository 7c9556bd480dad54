"""Blackjack against the dealer: hit or stand; the dealer draws to 17; nearest to 21 without going
over wins.

Known: with an endless deck the dealer, standing on every 17, goes over 21 with probability 0.2816
(Griffin, "The Theory of Blackjack", 1979; the same figure in the public tables of the Wizard of
Odds).
"""

from playproof import CHANCE, Game, Local, Options, goto, lose, otherwise, pick, require, tie, weight, when, win

RANKS = ["ace", "2", "3", "4", "5", "6", "7", "8", "9", "ten"]


def build(options: Options) -> Game:
    """Hit or stand only. `deck` is one pack of 52 cards, or endless."""
    endless = options.choice("deck", ["one", "endless"]) == "endless"
    g = Game("blackjack")
    s = g.state
    many = g.table("many", [4] * 9 + [16])
    if not endless:
        g.array("left", 10, 0, 16, [4] * 9 + [16])
    g.integer("hard", 0, 31)
    g.flag("ace")
    g.integer("dealer_hard", 0, 26)
    g.flag("dealer_ace")
    g.integer("dealt", 0, 3)
    deal = g.phase("deal", actor=CHANCE, text="the cards are dealt")
    decide = g.phase("decide", text="hit or stand")
    hit = g.phase("hit", actor=CHANCE, text="your card")
    bank = g.phase("bank", actor=CHANCE, text="the dealer's card")

    @g.function()
    def mine():  # type: ignore[no-untyped-def]  # a derived quantity: its type is the language's
        return s.hard + pick((s.ace == 1) & (s.hard <= 11), 10, 0)

    @g.function()
    def dealers():  # type: ignore[no-untyped-def]  # see above
        return s.dealer_hard + pick((s.dealer_ace == 1) & (s.dealer_hard <= 11), 10, 0)

    g.quantity("dealer", dealers())

    def card(rank: Local) -> None:
        if endless:
            weight(many[rank])
        else:
            require(s.left[rank] > 0, "B1", "no such card is left")
            weight(s.left[rank])
            s.left[rank] = s.left[rank] - 1

    def to_me(rank: Local) -> None:
        s.hard += rank + 1
        with when(rank == 0):
            s.ace = 1

    def to_dealer(rank: Local) -> None:
        s.dealer_hard += rank + 1
        with when(rank == 0):
            s.dealer_ace = 1

    @g.action(deal, "dealt: {rank}", rank=RANKS)
    def dealing(rank: Local) -> None:
        card(rank)
        with when(s.dealt < 2):
            to_me(rank)
        with otherwise():
            to_dealer(rank)
        with when(s.dealt == 2):
            goto(decide)
            s.dealt = 0
        with otherwise():
            s.dealt += 1

    @g.action(decide, "hit")
    def take() -> None:
        goto(hit)

    @g.action(decide, "stand")
    def stand() -> None:
        goto(bank)

    @g.action(hit, "you get {rank}", rank=RANKS)
    def drawn(rank: Local) -> None:
        card(rank)
        to_me(rank)
        goto(decide)
        with when(s.hard > 21):
            lose("you went over 21")

    @g.action(bank, "the dealer gets {rank}", rank=RANKS)
    def banked(rank: Local) -> None:
        card(rank)
        to_dealer(rank)
        with when(dealers() > 21):
            win("the dealer went over 21")
        with otherwise(dealers() >= 17):
            with when(dealers() > mine()):
                lose("the dealer is nearer to 21")
            with otherwise(dealers() < mine()):
                win("you are nearer to 21")
            with otherwise():
                tie("equal hands")

    return g
