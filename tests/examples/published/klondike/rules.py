"""Klondike, three cards turned at a time, as often as you like; the player sees all cards. Three rules only shorten the
search, and the source says why they lose no deal: a card that no other can need goes home at once; a part of a run
moves only if the card above it can then go home; and empty columns are filled from the left. Published: 81.945 % of
deals can be won, give or take 0.084 %. Source: Blake and Gent, "The Winnability of Klondike Solitaire" (2019),
https://arxiv.org/abs/1906.12314
"""

from playproof import Game, Local, Options, Term, all_of, goto, keep, pick, require, when
from tests.examples.patience_columns import CARDS, RANKS, SUITS, Shuffled

COLUMNS, STOCK, DEEP = 7, 24, 19


def build(options: Options) -> Game:
    """The first cards of a column are `hidden`; the last card of the stock that was turned is number `turned`."""
    g = Game("klondike")
    t = Shuffled(g, COLUMNS, DEEP)
    s = g.state
    g.array("hidden", COLUMNS, 0, COLUMNS - 1, list(range(COLUMNS)))
    g.array("stock", STOCK, 0, CARDS)
    g.integer("turned", 0, STOCK)
    column = g.table("column", [c for c in range(COLUMNS) for _ in range(c + 1)])

    def dealing(card: Term, dealt: Term) -> None:
        with when(dealt < CARDS - STOCK):
            t.lay(card, column[dealt])
        with when(dealt >= CARDS - STOCK):
            s.stock[dealt - CARDS + STOCK] = card

    def safe_cards() -> None:
        for c in range(COLUMNS):
            s.hidden[c] = pick(t.size[c] > s.hidden[c], s.hidden[c], pick(t.size[c] == 0, 0, t.size[c] - 1))
            suit, rank = t.suit[t.last(c)], t.rank[t.last(c)]
            near = (t.home[(suit + k) % SUITS] >= rank - (1 + (k == 2)) for k in (1, 2, 3))
            with when(t.builds(t.last(c)) & all_of(near)):
                t.goes_home(c)

    t.deals(g, dealing)
    t.tidies(g, safe_cards)
    _moves(g, t)
    return g


def _fits(t: Shuffled, card: Term, b: Local) -> Term:
    king = (t.size[b] == 0) & t.first_empty(b)
    return (card > 0) & pick(t.rank[card] == RANKS - 1, king, (t.size[b] > 0) & t.lies(card, b))


def _moves(g: Game, t: Shuffled) -> None:
    """Let the player move cards between columns, home and back, and any card of the stock that turning lays open. The
    search tries first what stands last."""
    s = g.state

    def opens(k: Local) -> Term:
        turned = (k % 3 == 2) | ((k + 1 >= s.turned) & ((k + 1 - s.turned) % 3 == 0))
        return pick(turned, 1, pick(k == STOCK - 1, 0, s.stock[k + 1]) == 0) == 1

    def leaves(k: Local) -> None:
        for place in range(STOCK):
            with when(place >= k):
                s.stock[place] = s.stock[place + 1] if place + 1 < STOCK else 0
        s.turned = pick((k % 3 == 0) | (s.stock[k] == 0), 0, k)  # the same cards can be laid open
        goto(t.tidy)

    @g.action(t.play, "suit {u} back to column {b}", u=SUITS, b=COLUMNS)
    def back(u: Local, b: Local) -> None:
        card = keep(4 * t.home[u] - 3 + u)
        require((t.home[u] > 1) & (t.size[b] > 0) & _fits(t, card, b), "K2", "it does not fit")
        t.home[u] -= 1
        t.lay(card, b)
        goto(t.tidy)

    @g.action(t.play, "card {k} of the stock to column {b}", k=STOCK, b=COLUMNS)
    def fetch(k: Local, b: Local) -> None:
        require(opens(k) & _fits(t, s.stock[k], b), "K3", "it does not lie open, or does not fit")
        t.lay(s.stock[k], b)
        leaves(k)

    @g.action(t.play, "column {a} to column {b}", a=COLUMNS, b=COLUMNS)
    def shift(a: Local, b: Local) -> None:
        rest = keep(t.size[a] - pick(t.size[b] == 0, RANKS, t.rank[t.last(b)]) + t.rank[t.last(a)])
        moves = (rest >= s.hidden[a]) & (t.size[b] + rest > 0)
        require(_fits(t, t.pile[a, rest], b) & moves, "K2", "none fits")
        above = (rest == s.hidden[a]) | t.builds(t.pile[a, rest - 1])
        require(above, "K4", "the card above does not go home")
        for k in range(DEEP):
            with when((k >= rest) & (k < t.size[a])):
                t.lay(t.pile[a, k], b)
                t.pile[a, k] = 0
        t.size[a] = rest
        goto(t.tidy)

    @g.action(t.play, "card {k} of the stock home", k=STOCK)
    def build_card(k: Local) -> None:
        require(opens(k) & t.builds(s.stock[k]), "K3", "it does not lie open, or does not fit")
        t.build(s.stock[k])
        leaves(k)

    @g.action(t.play, "column {a} home", a=COLUMNS)
    def build_column(a: Local) -> None:
        require(t.builds(t.last(a)), "K2", "it does not fit")
        t.goes_home(a)
