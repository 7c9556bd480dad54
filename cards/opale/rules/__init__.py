"""Opale, for two players: the base game, the variants Foreshadowing and Magic Seashells, and every ruling."""

from __future__ import annotations

from playproof import Game, Options
from playproof.database.game import Game as Cards

from .cards import PrintedData
from .play import declare_card_play_and_effects
from .quantities import declare_quantities_and_facts
from .rulings import Readings
from .setup import declare_setup
from .shells import declare_shell_actions
from .state import GameUnderConstruction
from .turn import declare_giving_back_card_for_pawn, declare_turn_end_and_game_end


def build(options: Options, data: Cards) -> Game:
    """The game's description under the chosen variants and rulings."""
    readings = Readings.read_from_options(options, data.rulings)
    g = Game("opale", players=2)
    t = GameUnderConstruction(g, PrintedData.read_from_cards_or_refuse(data), readings)
    g.cite("R1", "R5")  # the cards are read from the data; shells only exist where their variant is played
    g.start(t.at["draw"])
    declare_setup(t)
    declare_card_play_and_effects(t)
    declare_giving_back_card_for_pawn(t)
    declare_turn_end_and_game_end(t)
    if readings.seashells:
        declare_shell_actions(t)
    declare_quantities_and_facts(t)
    return g
