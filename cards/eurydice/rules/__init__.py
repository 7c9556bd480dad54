"""Eurydice, for one player against a hidden deck: three boards, eleven symbols, three special decks, every ruling."""

from __future__ import annotations

from playproof import Game, Options
from playproof.database.game import Game as Cards

from .cards import PrintedData
from .course import declare_course
from .facts import declare_facts
from .peeking import declare_looks
from .rulings import Readings
from .spades import declare_spades
from .state import Tabletop
from .symbols import declare_symbols


def build(options: Options, data: Cards) -> Game:
    """The game's description under the chosen setting and rulings."""
    readings = Readings.from_options(options, data.rulings)
    g = Game("eurydice")
    t = Tabletop(g, PrintedData.from_cards(data, readings.hard), readings)
    declare_course(t)
    declare_symbols(t)
    declare_looks(t)
    declare_spades(t)
    declare_facts(t)
    return g
