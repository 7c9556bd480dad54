"""FreeCell with fewer cells: build all suits up; eight columns built down in changing colours; cells for one card each.
All cards lie open. Three rules only shorten the search: a card on which no other needs to lie goes home at once; empty
columns are filled from the left; and the cards in cells lie in order.

Published: with two cells 25,367 of the 32,000 numbered deals can be won, and 33 were open.
Source: Fish, "Solvability Statistics of Two Freecell Games" (2010),
http://fc-solve.blogspot.com/2010/07/solvability-statistics-of-two-freecell.html
"""

from playproof import Game, Local, Options, Term, all_of, goto, keep, pick, require, when
from tests.examples.patience_columns import CARDS, SUITS, Shuffled

COLUMNS, DEEP = 8, 20


def build(options: Options) -> Game:
    """With `cells` for one card each."""
    cells = options.number("cells", range(1, 5), 2)
    g = Game("two_cells")
    t = Shuffled(g, COLUMNS, DEEP)
    cell = g.array("cell", cells, 0, CARDS)

    def safe(card: Term) -> Term:
        near, same, last = (t.home[(t.suit[card] + k) % SUITS] - t.rank[card] for k in (1, 2, 3))
        other = (same >= -2) | ((near >= 0) & (last >= 0))
        return all_of((t.builds(card), near >= -1, last >= -1, other))

    def safe_cards() -> None:
        for a in range(COLUMNS):
            with when(safe(t.last(a))):
                t.goes_home(a)
        for c in range(cells):
            with when(safe(cell[c])):
                t.build(cell[c])
                _clear(g, t, cells, c)

    t.deals(g, lambda card, dealt: t.lay(card, dealt % COLUMNS))
    t.tidies(g, safe_cards)
    _moves(g, t, cells)
    return g


def _clear(g: Game, t: Shuffled, cells: int, c: Local | int) -> None:
    """Take the card out of a cell; the others close up."""
    s = g.state
    for k in range(cells):
        with when(k >= c):
            s.cell[k] = s.cell[k + 1] if k + 1 < cells else 0
    goto(t.tidy)


def _fits(t: Shuffled, card: Term, b: Local) -> Term:
    onto = pick(t.size[b] == 0, t.first_empty(b), t.lies(card, b))
    return all_of((card > 0, t.size[b] < DEEP, onto))


def _moves(g: Game, t: Shuffled, cells: int) -> None:
    """Let the player move the last card of a column, and cards out of cells, where they lie in order. The search tries
    first what stands last."""
    s = g.state

    @g.action(t.play, "column {a} to a cell", a=COLUMNS)
    def store(a: Local) -> None:
        require((t.size[a] > 0) & (s.cell[cells - 1] == 0), "F1", "no cell is free, or no card lies there")
        s.cell[cells - 1] = t.last(a)
        t.take(a)
        for c in reversed(range(1, cells)):
            with when(s.cell[c - 1] < s.cell[c]):
                card = keep(s.cell[c])
                s.cell[c] = s.cell[c - 1]
                s.cell[c - 1] = card
        goto(t.tidy)

    @g.action(t.play, "cell {c} to column {b}", c=cells, b=COLUMNS)
    def fetch(c: Local, b: Local) -> None:
        require(_fits(t, s.cell[c], b), "F2", "the card does not fit")
        t.lay(s.cell[c], b)
        _clear(g, t, cells, c)

    @g.action(t.play, "column {a} to column {b}", a=COLUMNS, b=COLUMNS)
    def shift(a: Local, b: Local) -> None:
        require(_fits(t, t.last(a), b) & (t.size[b] + t.size[a] > 1), "F2", "the card does not fit")
        t.lay(t.last(a), b)
        t.take(a)
        goto(t.tidy)

    @g.action(t.play, "cell {c} home", c=cells)
    def build_cell(c: Local) -> None:
        require(t.builds(s.cell[c]), "F3", "it is not the next of its suit")
        t.build(s.cell[c])
        _clear(g, t, cells, c)

    @g.action(t.play, "column {a} home", a=COLUMNS)
    def build_column(a: Local) -> None:
        require(t.builds(t.last(a)), "F3", "it is not the next of its suit")
        t.goes_home(a)
