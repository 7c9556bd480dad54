"""Klondike, three cards turned at a time, as often as you like; the player sees all cards. Three rules only shorten
the search, and the source says why they lose no deal: a card that no other can need goes home at once; a part of a run
moves only if the card above it can then go home; and empty columns are filled from the left.
Published: 81.945 % of deals can be won, give or take 0.084 %.
Source: Blake and Gent, "The Winnability of Klondike Solitaire" (2019), https://arxiv.org/abs/1906.12314
"""

from playproof import CHANCE, Bag, Game, Local, Options, Term, all_of, goto, keep, pick, require, when, win

RANKS, SUITS, COLUMNS, STOCK, DEEP = 13, 4, 7, 24, 19


def build(options: Options) -> Game:
    """A card is 4 times its rank (the ace 0), its suit (0 and 2 are black), and 1; 0 stands for no card."""
    g = Game("klondike")
    s, n = g.state, RANKS * SUITS
    deck = Bag(g, "deck", n, start=1)
    g.array("pile", (COLUMNS, DEEP), 0, n)
    g.array("size", COLUMNS, 0, DEEP)
    g.array("hidden", COLUMNS, 0, COLUMNS - 1, list(range(COLUMNS)))  # the first cards of a column
    g.array("stock", STOCK, 0, n)
    g.integer("turned", 0, STOCK)
    g.array("home", SUITS, 0, RANKS)
    column = g.table("column", [c for c in range(COLUMNS) for _ in range(c + 1)])
    rank = g.table("rank", [RANKS, *(c // SUITS for c in range(n))])
    suit = g.table("suit", [0, *(c % SUITS for c in range(n))])
    deal = g.phase("deal", actor=CHANCE, text="a card is dealt")
    play = g.phase("play", text="move a card")
    tidy = g.automatic("tidy")

    def last(a: Local | int) -> Term:
        return pick(s.size[a] == 0, 0, s.pile[a, s.size[a] - 1])

    def builds(card: Term) -> Term:
        return all_of((card > 0, s.home[suit[card]] == rank[card]))

    def fits(card: Term, b: Local) -> Term:
        king = (s.size[b] == 0) & all_of((c >= b) | (s.size[c] > 0) for c in range(COLUMNS))
        lies = (s.size[b] > 0) & (rank[last(b)] == rank[card] + 1) & ((suit[last(b)] + suit[card]) % 2 == 1)
        return (card > 0) & pick(rank[card] == RANKS - 1, king, lies)

    def put(card: Term, b: Local | Term) -> None:
        s.pile[b, s.size[b]] = card
        s.size[b] += 1
        goto(tidy)

    def home(a: Local | int) -> None:
        s.home[suit[last(a)]] += 1
        s.pile[a, s.size[a] - 1] = 0
        s.size[a] -= 1
        goto(tidy)

    def leaves(k: Local) -> None:
        for place in range(STOCK):
            with when(place >= k):
                s.stock[place] = s.stock[place + 1] if place + 1 < STOCK else 0
        s.turned = pick((k % 3 == 0) | (s.stock[k] == 0), 0, k)  # the same cards can be laid open
        goto(tidy)

    def opens(k: Local) -> Term:
        turned = (k % 3 == 2) | ((k + 1 >= s.turned) & ((k + 1 - s.turned) % 3 == 0))
        return pick(turned, 1, pick(k == STOCK - 1, 0, s.stock[k + 1]) == 0) == 1

    @g.on(tidy)
    def tidying() -> None:
        goto(play)
        for c in range(COLUMNS):
            s.hidden[c] = pick(s.size[c] > s.hidden[c], s.hidden[c], pick(s.size[c] == 0, 0, s.size[c] - 1))
            near = (s.home[(suit[last(c)] + k) % 4] >= rank[last(c)] - (1 + (k == 2)) for k in (1, 2, 3))
            with when(builds(last(c)) & all_of(near)):
                home(c)
        with when(all_of(s.home[u] == RANKS for u in range(SUITS))):
            win("all suits are built")

    def dealing(card: Local) -> None:
        dealt = keep(n - 1 - deck.size())
        with when(dealt < n - STOCK):
            put(card + 1, column[dealt])
        with when(dealt >= n - STOCK):
            s.stock[dealt - n + STOCK] = card + 1
        goto(pick(dealt < n - 1, deal.number, tidy.number))

    deck.draw(g, deal, "card {card}", dealing)

    @g.action(play, "suit {u} back to column {b}", u=SUITS, b=COLUMNS)
    def back(u: Local, b: Local) -> None:
        card = keep(4 * s.home[u] - 3 + u)
        require((s.home[u] > 1) & (s.size[b] > 0) & fits(card, b), "K2", "it does not fit")
        s.home[u] -= 1
        put(card, b)

    @g.action(play, "card {k} of the stock to column {b}", k=STOCK, b=COLUMNS)
    def fetch(k: Local, b: Local) -> None:
        require(opens(k) & fits(s.stock[k], b), "K3", "it does not lie open, or does not fit")
        put(s.stock[k], b)
        leaves(k)

    @g.action(play, "column {a} to column {b}", a=COLUMNS, b=COLUMNS)
    def shift(a: Local, b: Local) -> None:
        rest = keep(s.size[a] - pick(s.size[b] == 0, RANKS, rank[last(b)]) + rank[last(a)])
        require(fits(s.pile[a, rest], b) & (rest >= s.hidden[a]) & (s.size[b] + rest > 0), "K2", "none fits")
        require((rest == s.hidden[a]) | builds(s.pile[a, rest - 1]), "K4", "the card above does not go home")
        for k in range(DEEP):
            with when((k >= rest) & (k < s.size[a])):
                put(s.pile[a, k], b)
                s.pile[a, k] = 0
        s.size[a] = rest

    @g.action(play, "card {k} of the stock home", k=STOCK)
    def build_card(k: Local) -> None:
        require(opens(k) & builds(s.stock[k]), "K3", "it does not lie open, or does not fit")
        s.home[suit[s.stock[k]]] += 1
        leaves(k)

    @g.action(play, "column {a} home", a=COLUMNS)
    def build_column(a: Local) -> None:
        require(builds(last(a)), "K2", "it does not fit")
        home(a)

    return g
