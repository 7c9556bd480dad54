"""FreeCell: build all suits up; eight columns built down in changing colours, four cells for one card each.

Published: of the 32,000 numbered deals all but number 11,982 can be won.
Source: Keller, "FreeCell: Frequently Asked Questions", http://solitairelaboratory.com/fcfaq.html
"""

from playproof import Game, Local, Options, Term, any_of, lose, otherwise, require, sum_of, when, win

SUITS, RANKS, COLUMNS, CELLS, DEEP = 4, 13, 8, 4, 20


def dealt(number: int) -> list[list[int]]:
    """Return the columns of a numbered deal: a card is 4 times its rank (the ace 0) and its suit (clubs, diamonds,
    hearts, spades), so red suits are 1 and 2."""
    deck, seed, columns = list(range(SUITS * RANKS)), number, [list[int]() for _ in range(COLUMNS)]
    for place in range(SUITS * RANKS):
        seed = (seed * 214013 + 2531011) % 2**31
        chosen = (seed >> 16) % len(deck)
        deck[chosen], deck[-1] = deck[-1], deck[chosen]
        columns[place % COLUMNS].append(deck.pop())
    return columns


def build(options: Options) -> Game:
    """The deal of this number. 0 stands for no card, and card c for c + 1."""
    columns = dealt(options.number("deal", range(1, 32_001), 1))
    g = Game("freecell")
    s = g.state
    n = SUITS * RANKS
    g.array("pile", (COLUMNS, DEEP), 0, n, [[*(c + 1 for c in p), *[0] * (DEEP - len(p))] for p in columns])
    g.array("height", COLUMNS, 0, DEEP, [len(p) for p in columns])
    g.array("cell", CELLS, 0, n)
    g.array("home", SUITS, 0, RANKS)
    rank = g.table("rank", [RANKS, *(c // SUITS for c in range(n))])
    suit = g.table("suit", [0, *(c % SUITS for c in range(n))])
    red = g.table("red", [0, *(int(c % SUITS in (1, 2)) for c in range(n))])
    play = g.phase("play", text="move a card")

    def last(column: Local) -> Term:
        card: Term = s.pile[column, s.height[column] - 1]
        return card

    def lays(card: Term, column: Local) -> None:
        require(s.height[column] < DEEP, "F1", "the column is full")
        fits = (rank[last(column)] == rank[card] + 1) & (red[last(column)] != red[card])
        require((s.height[column] == 0) | fits, "F2", "the card does not fit")
        s.pile[column, s.height[column]] = card
        s.height[column] += 1

    def builds(card: Term) -> None:
        require(s.home[suit[card]] == rank[card], "F3", "it is not the next of its suit")
        s.home[suit[card]] += 1

    def takes(column: Local) -> None:
        s.pile[column, s.height[column] - 1] = 0
        s.height[column] -= 1

    def ends() -> None:
        with when(sum_of(SUITS, lambda u: s.home[u]) == n):
            win("all suits are built")

    @g.action(play, "column {a} to column {b}", a=COLUMNS, b=COLUMNS)
    def shift(a: Local, b: Local) -> None:
        require((a != b) & (s.height[a] > 0), "F4", "no card moves")
        lays(last(a), b)
        takes(a)

    @g.action(play, "column {a} to a cell", a=COLUMNS)
    def store(a: Local) -> None:
        require(s.height[a] > 0, "F4", "no card moves")
        require(any_of(CELLS, lambda c: s.cell[c] == 0), "F5", "no cell is free")
        for c in range(CELLS):
            with when(s.cell[c] == 0) if c == 0 else otherwise(s.cell[c] == 0):
                s.cell[c] = last(a)
        takes(a)

    @g.action(play, "cell {c} to column {b}", c=CELLS, b=COLUMNS)
    def fetch(c: Local, b: Local) -> None:
        require(s.cell[c] > 0, "F4", "no card moves")
        lays(s.cell[c], b)
        s.cell[c] = 0

    @g.action(play, "column {a} home", a=COLUMNS)
    def build_column(a: Local) -> None:
        require(s.height[a] > 0, "F4", "no card moves")
        builds(last(a))
        takes(a)
        ends()

    @g.action(play, "cell {c} home", c=CELLS)
    def build_cell(c: Local) -> None:
        require(s.cell[c] > 0, "F4", "no card moves")
        builds(s.cell[c])
        s.cell[c] = 0
        ends()

    @g.action(play, "give up")
    def give_up() -> None:
        lose("no way is seen")

    return g
