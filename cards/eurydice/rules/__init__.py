"""Eurydice, for one player against a hidden deck: three boards, eleven symbols, three special decks, every ruling."""

from __future__ import annotations

from playproof import Game, Options
from playproof.database.game import Game as Cards

from .ascent import declare_way_up_and_game_end
from .cards import PrintedData
from .looking_symbols import declare_symbols_that_look_at_cards
from .moving_symbols import declare_symbols_that_move_cards
from .quantities import declare_quantities_and_facts
from .rulings import Readings
from .seen_spades import declare_effects_of_seen_spades
from .state import GameUnderConstruction


def build(options: Options, data: Cards) -> Game:
    """The game's description under the chosen setting and rulings."""
    readings = Readings.read_from_options(options, data.rulings)
    g = Game("eurydice")
    t = GameUnderConstruction(g, PrintedData.read_from_cards_or_refuse(data, readings.hard), readings)
    declare_way_up_and_game_end(t)
    declare_symbols_that_move_cards(t)
    declare_symbols_that_look_at_cards(t)
    declare_effects_of_seen_spades(t)
    declare_quantities_and_facts(t)
    return g
