"""No Thanks!, small: cards 3 to 10, of which two stay away; take the open card with its chips, or pay a chip.

A card counts its number, but only the lowest of a run; chips count off. Source of the rules:
https://en.wikipedia.org/wiki/No_Thanks!_(game)
"""

from playproof import CHANCE, Bag, Game, Local, Options, goto, otherwise, pick, require, score, when

CARDS, LOWEST, AWAY, CHIPS = 8, 3, 2, 3


def build(options: Options) -> Game:
    """Two players; `owner` says who took a card (0: nobody)."""
    g = Game("no_thanks", players=2)
    s = g.state
    g.array("chips", 2, 0, 2 * CHIPS, CHIPS)
    g.array("owner", CARDS, 0, 2)
    g.integer("open_", 0, CARDS - 1)
    g.integer("pot", 0, 2 * CHIPS)
    g.integer("turn", 0, 1)
    turn = g.phase("show", CHANCE, text="a card is turned")
    play = g.phase("play", s.turn, text="take the card or pay")
    pack = Bag(g, "pack", CARDS, 1, 1)

    def points(seat: int):  # type: ignore[no-untyped-def]
        def of(card: int):  # type: ignore[no-untyped-def]
            mine = s.owner[card] == seat + 1
            first = mine if card == 0 else mine & (s.owner[card - 1] != seat + 1)
            return pick(first, card + LOWEST, 0)

        total = of(0)
        for card in range(1, CARDS):
            total = total + of(card)
        return s.chips[seat] - total

    g.returns(*(points(seat) for seat in range(2)))

    def shown(card: Local) -> None:
        s.open_ = card
        goto(play)

    pack.draw(g, turn, "{card} is turned", shown)

    @g.action(play, "take it")
    def take() -> None:
        s.owner[s.open_] = s.turn + 1
        s.chips[s.turn] += s.pot
        s.pot = 0
        s.open_ = 0
        with when(pack.size() == AWAY):
            score("all cards are taken")
        with otherwise():
            goto(turn)

    @g.action(play, "no thanks")
    def pay() -> None:
        require(s.chips[s.turn] > 0, "N1", "no chip is left")
        s.chips[s.turn] -= 1
        s.pot += 1
        s.turn = 1 - s.turn

    return g
