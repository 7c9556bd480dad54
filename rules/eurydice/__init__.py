"""Eurydice, for one player against a hidden deck: three boards, eleven symbols, three special decks, every ruling."""

from __future__ import annotations

from database.game import Game as Cards
from rules.eurydice.course import add_course, clubs, hearts
from rules.eurydice.looks import add_looks
from rules.eurydice.readings import Readings
from rules.eurydice.sheet import Sheet, Suit
from rules.eurydice.spades import add_spades
from rules.eurydice.symbols import add_symbols
from rules.eurydice.table import ROWS, SPADES, Table
from rules.language import Game
from rules.options import Options


def build(options: Options, data: Cards) -> Game:
    """The game's description under the chosen setting and rulings."""
    readings = Readings.of(options)
    g = Game("eurydice")
    t = Table(g, Sheet.of(data, readings.hard), readings)
    add_course(t)
    add_symbols(t)
    add_looks(t)
    add_spades(t)
    _names(t)
    return g


def _names(t: Table) -> None:
    """Quantities that claims, reports and bots may speak of."""
    g, s, boards = t.g, t.s, len(t.sheet.boards)
    skipped = boards - 1 if t.readings.reads("A2", "direct") else 0
    g.fact(round="round", ends_within={"turns": boards * ROWS - skipped})
    # Bots look only at what the player knows: hearts out of the Deck are bad, clubs out of it good, spades worst.
    known = [t.up[suit] + t.known[suit] for suit in Suit]
    g.fact(evaluate=known[Suit.CLUB] - known[Suit.HEART] - s.spades_gone * SPADES - t.down_size)
    entered = s.board if skipped else 0
    g.quantity("round", s.board * ROWS + s.row - entered)
    g.quantity("hearts in the Deck", hearts(t))
    g.quantity("clubs in the Deck", clubs(t))
    g.quantity("lead", hearts(t) - clubs(t))
    g.quantity("Deck", t.deck)
    g.quantity("Discard Area", t.discards())
    g.quantity("Removed", t.removed_size)
    g.quantity("spades gone", s.spades_gone)
    g.quantity("obols", s.obols)
    g.quantity("cards", t.all_cards())
