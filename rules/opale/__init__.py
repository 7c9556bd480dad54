"""Opale, for two players: the base game, the variants Foreshadowing and Magic Seashells, and every ruling."""

from __future__ import annotations

from database.game import Game as Cards
from rules.language import Game, all_true, total
from rules.opale.pawn import add_pawn
from rules.opale.play import add_play
from rules.opale.readings import Readings
from rules.opale.setup import add_setup
from rules.opale.sheet import Sheet
from rules.opale.shells import add_shells
from rules.opale.table import SEATS, Table
from rules.opale.turn import add_turn, total_points
from rules.options import Options


def build(options: Options, data: Cards) -> Game:
    """The game's description under the chosen variants and rulings."""
    readings = Readings.of(options)
    g = Game("opale", players=2)
    t = Table(g, Sheet.of(data), readings)
    g.cite("R1", "R5")  # the cards are read from the data; shells only exist where their variant is played
    g.start(t.at["draw"])
    add_setup(t)
    add_play(t)
    add_pawn(t)
    add_turn(t)
    if readings.seashells:
        add_shells(t)
    _names(t)
    return g


def _names(t: Table) -> None:
    """Quantities that claims, reports and bots may speak of."""
    g, s = t.g, t.s
    g.fact(round="round", seats=list(SEATS), ends_within={"turns": s.turns.field.hi})
    # Bots look at the points taken so far: every card could be counted when it was laid.
    g.fact(evaluate=[total_points(t, seat) - total_points(t, 1 - seat) for seat in (0, 1)])
    g.quantity("round", s.turns)
    for seat, name in enumerate(SEATS):
        g.quantity(f"{name} points", total_points(t, seat))
        g.quantity(f"{name} hand", t.held[seat])
        g.quantity(f"{name} draw pile", t.pile[seat])
        g.quantity(f"{name} scoring pile", t.scored[seat])
        g.quantity(f"{name} has the pawn", s.pawn == seat + 1)
    for spot in t.spots:
        g.quantity(f"on {spot.name}", t.lying[spot.place])
    g.quantity("under the board", t.tray_size())
    g.quantity("City piles", s.city_piles)
    g.quantity("cards", t.all_cards())
    g.quantity("no card can be played", (g.phase == t.at["play"].number) & all_true(~t.may_play(x) for x in t.spots))
    if t.readings.seashells:
        g.quantity("shells left", total(t.shell[seat, i] for seat in (0, 1) for i in range(len(t.sheet.shells))))
