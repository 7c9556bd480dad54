"""FreeCell with fewer cells: build all suits up; eight columns built down in changing colours; cells for one card each.
All cards lie open. Three rules only shorten the search: a card on which no other needs to lie goes home at once; empty
columns are filled from the left; and the cards in cells lie in order.

Published: with two cells 25,367 of the 32,000 numbered deals can be won, and 33 were open.
Source: Fish, "Solvability Statistics of Two Freecell Games" (2010),
http://fc-solve.blogspot.com/2010/07/solvability-statistics-of-two-freecell.html
"""

from playproof import CHANCE, Bag, Game, Local, Options, Term, all_of, goto, keep, pick, require, when, win

SUITS, RANKS, COLUMNS, DEEP = 4, 13, 8, 20


def build(options: Options) -> Game:
    """A card is 4 times its rank (the ace 0), its suit (0 and 2 are black), and 1; 0 stands for no card."""
    cells = options.number("cells", range(1, 5), 2)
    g = Game("two_cells")
    s, n = g.state, SUITS * RANKS
    deck = Bag(g, "deck", n, start=1)
    g.array("pile", (COLUMNS, DEEP), 0, n)
    g.array("height", COLUMNS, 0, DEEP)
    g.array("cell", cells, 0, n)
    g.array("home", SUITS, 0, RANKS)
    rank = g.table("rank", [RANKS, *(c // SUITS for c in range(n))])
    suit = g.table("suit", [0, *(c % SUITS for c in range(n))])
    deal = g.phase("deal", actor=CHANCE, text="a card is dealt")
    play = g.phase("play", text="move a card")
    tidy = g.automatic("tidy")

    def last(a: Local | int) -> Term:
        return pick(s.height[a] == 0, 0, s.pile[a, s.height[a] - 1])

    def builds(card: Term) -> Term:
        return all_of((card > 0, s.home[suit[card]] == rank[card]))

    def safe(card: Term) -> Term:
        one, other, two = (s.home[(suit[card] + k) % 4] - rank[card] for k in (1, 2, 3))
        return all_of((builds(card), one >= -1, two >= -1, (other >= -2) | ((one >= 0) & (two >= 0))))

    def fits(card: Term, b: Local) -> Term:
        first = all_of((c >= b) | (s.height[c] > 0) for c in range(COLUMNS))
        lies = (rank[last(b)] == rank[card] + 1) & ((suit[last(b)] + suit[card]) % 2 == 1)
        return all_of((card > 0, s.height[b] < DEEP, pick(s.height[b] == 0, first, lies)))

    def lay(card: Term, b: Local | Term) -> None:
        s.pile[b, s.height[b]] = card
        s.height[b] += 1
        goto(tidy)

    def takes(a: Local | int) -> None:
        s.pile[a, s.height[a] - 1] = 0
        s.height[a] -= 1
        goto(tidy)

    def clears(cell: Local | int) -> None:
        for k in range(cells):
            with when(k >= cell):
                s.cell[k] = s.cell[k + 1] if k + 1 < cells else 0
        goto(tidy)

    @g.on(tidy)
    def tidying() -> None:
        goto(play)
        for a in range(COLUMNS):
            with when(safe(last(a))):
                s.home[suit[last(a)]] += 1
                takes(a)
        for c in range(cells):
            with when(safe(s.cell[c])):
                s.home[suit[s.cell[c]]] += 1
                clears(c)
        with when(all_of(s.home[u] == RANKS for u in range(SUITS))):
            win("all suits are built")

    def dealing(card: Local) -> None:
        lay(card + 1, (n - 1 - deck.size()) % COLUMNS)
        goto(pick(deck.size() > 0, deal.number, tidy.number))

    deck.draw(g, deal, "card {card}", dealing)

    @g.action(play, "column {a} to a cell", a=COLUMNS)
    def store(a: Local) -> None:
        require((s.height[a] > 0) & (s.cell[cells - 1] == 0), "F1", "no cell is free, or no card lies there")
        s.cell[cells - 1] = last(a)
        takes(a)
        for c in reversed(range(1, cells)):
            with when(s.cell[c - 1] < s.cell[c]):
                card = keep(s.cell[c])
                s.cell[c] = s.cell[c - 1]
                s.cell[c - 1] = card

    @g.action(play, "cell {c} to column {b}", c=cells, b=COLUMNS)
    def fetch(c: Local, b: Local) -> None:
        require(fits(s.cell[c], b), "F2", "the card does not fit")
        lay(s.cell[c], b)
        clears(c)

    @g.action(play, "column {a} to column {b}", a=COLUMNS, b=COLUMNS)
    def shift(a: Local, b: Local) -> None:
        require(fits(last(a), b) & (s.height[b] + s.height[a] > 1), "F2", "the card does not fit")
        lay(last(a), b)
        takes(a)

    @g.action(play, "cell {c} home", c=cells)
    def build_cell(c: Local) -> None:
        require(builds(s.cell[c]), "F3", "it is not the next of its suit")
        s.home[suit[s.cell[c]]] += 1
        clears(c)

    @g.action(play, "column {a} home", a=COLUMNS)
    def build_column(a: Local) -> None:
        require(builds(last(a)), "F3", "it is not the next of its suit")
        s.home[suit[last(a)]] += 1
        takes(a)

    return g
