"""Opale, for two players: the base game, the variants Foreshadowing and Magic Seashells, and every ruling."""

from __future__ import annotations

from playproof import Game, Options
from playproof.database.game import Game as Cards

from .cards import PrintedData
from .facts import declare_facts
from .pawn import declare_pawn
from .play import declare_play
from .rulings import Readings
from .setup import declare_setup
from .shells import declare_shells
from .state import Tabletop
from .turn import declare_turn


def build(options: Options, data: Cards) -> Game:
    """The game's description under the chosen variants and rulings."""
    readings = Readings.from_options(options, data.rulings)
    g = Game("opale", players=2)
    t = Tabletop(g, PrintedData.from_cards(data), readings)
    g.cite("R1", "R5")  # the cards are read from the data; shells only exist where their variant is played
    g.start(t.at["draw"])
    declare_setup(t)
    declare_play(t)
    declare_pawn(t)
    declare_turn(t)
    if readings.seashells:
        declare_shells(t)
    declare_facts(t)
    return g
