"""Columns that are built down in changing colours, and suits that are built up, as in Klondike and FreeCell.

A card is 4 times its rank (the ace 0), its suit (0 and 2 are black), and 1; 0 stands for no card.
"""

from collections.abc import Callable, Sequence

from playproof import CHANCE, Bag, Game, Local, Term, all_of, goto, keep, pick, when, win

SUITS, RANKS = 4, 13
CARDS = SUITS * RANKS


class Columns:
    """The columns of a game, each with room for `deep` cards, and how many cards of each suit are built. `dealt` are
    the cards that lie there at first."""

    def __init__(self, g: Game, columns: int, deep: int, dealt: Sequence[Sequence[int]] = ()) -> None:
        rows = [[*column, *[0] * (deep - len(column))] for column in dealt]
        self.pile = g.array("pile", (columns, deep), 0, CARDS, rows or 0)
        self.size = g.array("size", columns, 0, deep, [len(column) for column in dealt] or 0)
        self.home = g.array("home", SUITS, 0, RANKS)
        self.rank = g.table("rank", [RANKS, *(c // SUITS for c in range(CARDS))])
        self.suit = g.table("suit", [0, *(c % SUITS for c in range(CARDS))])
        self.columns, self.deep = columns, deep

    def last(self, a: Local | int) -> Term:
        """Return the last card of a column."""
        return pick(self.size[a] == 0, 0, self.pile[a, self.size[a] - 1])

    def builds(self, card: Term) -> Term:
        """Return whether a card is the next of its suit."""
        return all_of((card > 0, self.home[self.suit[card]] == self.rank[card]))

    def lies(self, card: Term, b: Local) -> Term:
        """Return whether a card fits onto the last of a column."""
        last = self.last(b)
        return (self.rank[last] == self.rank[card] + 1) & ((self.suit[last] + self.suit[card]) % 2 == 1)

    def first_empty(self, b: Local) -> Term:
        """Return whether no column before this one is empty."""
        return all_of((c >= b) | (self.size[c] > 0) for c in range(self.columns))

    def lay(self, card: Term, b: Local | Term) -> None:
        """Lay a card onto a column."""
        self.pile[b, self.size[b]] = card
        self.size[b] += 1

    def take(self, a: Local | int) -> None:
        """Take the last card off a column."""
        self.pile[a, self.size[a] - 1] = 0
        self.size[a] -= 1

    def build(self, card: Term) -> None:
        """Build a card onto its suit."""
        self.home[self.suit[card]] += 1


class Shuffled(Columns):
    """Columns of a pack that chance deals. The player moves; what moves by itself is done in the phase `tidy`."""

    def __init__(self, g: Game, columns: int, deep: int) -> None:
        super().__init__(g, columns, deep)
        self.deck = Bag(g, "deck", CARDS, start=1)
        self.deal = g.phase("deal", actor=CHANCE, text="a card is dealt")
        self.play = g.phase("play", text="move a card")
        self.tidy = g.automatic("tidy")

    def deals(self, g: Game, lay: Callable[[Term, Term], None]) -> None:
        """Let chance deal all cards; `lay` lays a card down, before which so many were dealt."""

        def dealing(card: Local) -> None:
            dealt = keep(CARDS - 1 - self.deck.size())
            lay(card + 1, dealt)
            goto(pick(dealt < CARDS - 1, self.deal.number, self.tidy.number))

        self.deck.draw(g, self.deal, "card {card}", dealing)

    def tidies(self, g: Game, by_itself: Callable[[], None]) -> None:
        """Do `by_itself` behind each move, until nothing moves by itself; the game is won once all suits are built."""

        @g.on(self.tidy)
        def tidying() -> None:
            goto(self.play)
            by_itself()
            with when(all_of(self.home[u] == RANKS for u in range(SUITS))):
                win("all suits are built")

    def goes_home(self, a: Local | int) -> None:
        """Build the last card of a column onto its suit."""
        self.build(self.last(a))
        self.take(a)
        goto(self.tidy)
