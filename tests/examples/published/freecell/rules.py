"""FreeCell: build all suits up; eight columns built down in changing colours, four cells for one card each.

Published: of the 32,000 numbered deals all but number 11,982 can be won.
Source: Keller, "FreeCell: Frequently Asked Questions", http://solitairelaboratory.com/fcfaq.html
"""

from playproof import Game, Local, Options, Term, any_of, lose, otherwise, require, sum_of, when, win
from tests.examples.patience_columns import CARDS, SUITS, Columns

COLUMNS, CELLS, DEEP = 8, 4, 20
NUMBERED = (0, 1, 3, 2)
"""The suits (clubs, diamonds, hearts, spades) as they are numbered here: red ones are odd."""


def dealt(number: int) -> list[list[int]]:
    """Return the columns of a numbered deal."""
    deck, seed, columns = list(range(CARDS)), number, [list[int]() for _ in range(COLUMNS)]
    for place in range(CARDS):
        seed = (seed * 214013 + 2531011) % 2**31
        chosen = (seed >> 16) % len(deck)
        deck[chosen], deck[-1] = deck[-1], deck[chosen]
        rank, suit = divmod(deck.pop(), SUITS)
        columns[place % COLUMNS].append(SUITS * rank + NUMBERED[suit] + 1)
    return columns


def build(options: Options) -> Game:
    """The deal of this number."""
    g = Game("freecell")
    t = Columns(g, COLUMNS, DEEP, dealt(options.number("deal", range(1, 32_001), 1)))
    cell = g.array("cell", CELLS, 0, CARDS)
    play = g.phase("play", text="move a card")

    def lays(card: Term, b: Local) -> None:
        require(t.size[b] < DEEP, "F1", "the column is full")
        require((t.size[b] == 0) | t.lies(card, b), "F2", "the card does not fit")
        t.lay(card, b)

    def goes_home(card: Term) -> None:
        require(t.builds(card), "F3", "it is not the next of its suit")
        t.build(card)

    def ends() -> None:
        with when(sum_of(SUITS, lambda u: t.home[u]) == CARDS):
            win("all suits are built")

    @g.action(play, "column {a} to column {b}", a=COLUMNS, b=COLUMNS)
    def shift(a: Local, b: Local) -> None:
        require((a != b) & (t.size[a] > 0), "F4", "no card moves")
        lays(t.last(a), b)
        t.take(a)

    @g.action(play, "column {a} to a cell", a=COLUMNS)
    def store(a: Local) -> None:
        require(t.size[a] > 0, "F4", "no card moves")
        require(any_of(CELLS, lambda c: cell[c] == 0), "F5", "no cell is free")
        for c in range(CELLS):
            with when(cell[c] == 0) if c == 0 else otherwise(cell[c] == 0):
                cell[c] = t.last(a)
        t.take(a)

    @g.action(play, "cell {c} to column {b}", c=CELLS, b=COLUMNS)
    def fetch(c: Local, b: Local) -> None:
        require(cell[c] > 0, "F4", "no card moves")
        lays(cell[c], b)
        cell[c] = 0

    @g.action(play, "column {a} home", a=COLUMNS)
    def build_column(a: Local) -> None:
        require(t.size[a] > 0, "F4", "no card moves")
        goes_home(t.last(a))
        t.take(a)
        ends()

    @g.action(play, "cell {c} home", c=CELLS)
    def build_cell(c: Local) -> None:
        require(cell[c] > 0, "F4", "no card moves")
        goes_home(cell[c])
        cell[c] = 0
        ends()

    @g.action(play, "give up")
    def give_up() -> None:
        lose("no way is seen")

    return g
