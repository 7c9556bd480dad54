"""Elevens: seven open cards of ranks 1 to 10, two of each; take pairs that sum to eleven, fill up from the pack."""

from playproof import CHANCE, Bag, Game, Local, Options, goto, lose, otherwise, require, sum_of, when, win

RANKS, PLACES = 10, 7


def build(options: Options) -> Game:
    """Lost if no pair is open; won if all cards are gone. Only how many of each rank are open counts."""
    g = Game("elevens")
    s = g.state
    g.array("open", RANKS, 0, 2)
    g.integer("laid", 0, PLACES)
    deal = g.phase("deal", CHANCE, text="a card is laid out")
    play = g.phase("play", text="take a pair")
    look = g.automatic("look")
    pack = Bag(g, "pack", RANKS, 2, 2)

    def dealt(card: Local) -> None:
        s.open[card] += 1
        s.laid += 1
        with when((s.laid == PLACES) | (pack.size() == 0)):
            goto(look)

    pack.draw(g, deal, "{card} is laid out", dealt)

    @g.on(look)
    def looking() -> None:
        goto(play)
        with when((s.laid == 0) & (pack.size() == 0)):
            win("all cards are gone")
        with otherwise(sum_of(5, lambda r: s.open[r] * s.open[9 - r]) == 0):
            lose("no pair is open")

    @g.action(play, "take {low} and its partner", low=5)
    def take(low: Local) -> None:
        require((s.open[low] > 0) & (s.open[9 - low] > 0), "E1", "no such pair is open")
        s.open[low] -= 1
        s.open[9 - low] -= 1
        s.laid -= 2
        with when(pack.size() > 0):
            goto(deal)
        with otherwise():
            goto(look)

    return g
