"""Opale, for two players: the base game, the variants Foreshadowing and Magic Seashells, and every ruling."""

from __future__ import annotations

from playproof.database.game import Game as Cards
from playproof.language import Game
from playproof.language.options import Options

from .cards import Printed
from .facts import declare
from .pawn import add_pawn
from .play import add_play
from .rulings import Readings
from .setup import add_setup
from .shells import add_shells
from .state import Tabletop
from .turn import add_turn


def build(options: Options, data: Cards) -> Game:
    """The game's description under the chosen variants and rulings."""
    readings = Readings.of(options, data.rulings)
    g = Game("opale", players=2)
    t = Tabletop(g, Printed.of(data), readings)
    g.cite("R1", "R5")  # the cards are read from the data; shells only exist where their variant is played
    g.start(t.at["draw"])
    add_setup(t)
    add_play(t)
    add_pawn(t)
    add_turn(t)
    if readings.seashells:
        add_shells(t)
    declare(t)
    return g
