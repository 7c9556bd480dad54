"""Eurydice, for one player against a hidden deck: three boards, eleven symbols, three special decks, every ruling."""

from __future__ import annotations

from playproof.database.game import Game as Cards
from playproof.language import Game
from playproof.language.options import Options

from .cards import Printed
from .course import add_course
from .facts import declare
from .peeking import add_looks
from .rulings import Readings
from .spades import add_spades
from .state import Tabletop
from .symbols import add_symbols


def build(options: Options, data: Cards) -> Game:
    """The game's description under the chosen setting and rulings."""
    readings = Readings.of(options, data.rulings)
    g = Game("eurydice")
    t = Tabletop(g, Printed.of(data, readings.hard), readings)
    add_course(t)
    add_symbols(t)
    add_looks(t)
    add_spades(t)
    declare(t)
    return g
