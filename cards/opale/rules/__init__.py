"""Opale, for two players: the base game, the variants Foreshadowing and Magic Seashells, and every ruling."""

from __future__ import annotations

from playproof.database.game import Game as Cards
from playproof.rules.language import Game
from playproof.rules.opale.cards import Printed
from playproof.rules.opale.facts import declare
from playproof.rules.opale.pawn import add_pawn
from playproof.rules.opale.play import add_play
from playproof.rules.opale.rulings import Readings
from playproof.rules.opale.setup import add_setup
from playproof.rules.opale.shells import add_shells
from playproof.rules.opale.state import Table
from playproof.rules.opale.turn import add_turn
from playproof.rules.options import Options


def build(options: Options, data: Cards) -> Game:
    """The game's description under the chosen variants and rulings."""
    readings = Readings.of(options, data.rulings)
    g = Game("opale", players=2)
    t = Table(g, Printed.of(data), readings)
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

