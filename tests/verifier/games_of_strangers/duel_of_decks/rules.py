"""A duel of decks: two players gain a card each turn, draw one of their cards, and strike; five hits fell the other."""

from playproof import CHANCE, Game, Local, Options, goto, keep, otherwise, require, weight, when, win

CARDS, HITS, LIFE = ["jab", "blow", "sword"], [0, 1, 2], 5


def build(options: Options) -> Game:
    """Decks are never empty: a card is drawn at random from all that a player owns and is put back."""
    g = Game("duel_of_decks", players=2)
    s = g.state
    g.array("owns", (2, len(CARDS)), 0, 4, [[2, 1, 0], [2, 1, 0]])
    g.array("life", 2, 1, LIFE, LIFE)
    g.integer("turn", 0, 1)
    g.integer("market", 0, 6, 6)
    hits = g.table("hits", HITS)
    gain = g.phase("gain", s.turn, text="gain a card")
    strike = g.phase("strike", CHANCE, text="a card is drawn")

    @g.action(gain, "gain {card}", card=CARDS)
    def gains(card: Local) -> None:
        require((s.market > 0) & (s.owns[s.turn, card] < 4), "D1", "the market is empty, or you have four")
        require((card == 0) | (s.owns[s.turn, card - 1] > 0), "D2", "you need the card below")
        with when(card > 0):
            s.owns[s.turn, card - 1] = s.owns[s.turn, card - 1] - 1
        s.owns[s.turn, card] = s.owns[s.turn, card] + 1
        s.market -= 1
        goto(strike)

    @g.action(gain, "gain nothing")
    def nothing() -> None:
        goto(strike)

    @g.action(strike, "{card} is drawn", card=CARDS)
    def struck(card: Local) -> None:
        require(s.owns[s.turn, card] > 0, "D3", "no such card")
        weight(s.owns[s.turn, card])
        me = keep(s.turn)
        with when(s.life[1 - me] <= hits[card]):
            win("the other is felled", winner=s.turn)
        with otherwise():
            s.life[1 - me] = s.life[1 - me] - hits[card]
            s.turn = 1 - me
            goto(gain)

    return g
