"""Eurydice, for one player against a hidden deck: three boards, eleven symbols, three special decks, every ruling."""

from __future__ import annotations

from playproof.database.game import Game as Cards
from playproof.rules.eurydice.cards import Printed
from playproof.rules.eurydice.course import add_course
from playproof.rules.eurydice.facts import declare
from playproof.rules.eurydice.peeking import add_looks
from playproof.rules.eurydice.rulings import Readings
from playproof.rules.eurydice.spades import add_spades
from playproof.rules.eurydice.state import Table
from playproof.rules.eurydice.symbols import add_symbols
from playproof.rules.language import Game
from playproof.rules.options import Options


def build(options: Options, data: Cards) -> Game:
    """The game's description under the chosen setting and rulings."""
    readings = Readings.of(options, data.rulings)
    g = Game("eurydice")
    t = Table(g, Printed.of(data, readings.hard), readings)
    add_course(t)
    add_symbols(t)
    add_looks(t)
    add_spades(t)
    declare(t)
    return g

