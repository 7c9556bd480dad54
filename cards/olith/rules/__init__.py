"""Olith, whole: two to four players race for eight Victory Tokens or the most when the Fate Wheel ends (R1-R81)."""

from __future__ import annotations

from typing import Any

from playproof import Game, Options

from . import (
    act,
    artifacts,
    choices,
    combat,
    common,
    display,
    draw,
    endings,
    invariants,
    level4,
    move,
    people,
    port,
    setup,
    turn,
    unlock,
    wheel,
    windows,
)
from .data import read_cards
from .rulings import Rulings
from .world import Tabletop


def build(options: Options, data: Any) -> Game:
    """The game for `--players` 2 to 4; `data` is cards/olith as the card database gives it."""
    g = Game("olith", players=options.number("players", range(2, 5), 2))
    w = Tabletop(g, read_cards(data), Rulings.from_options(options))
    shared = common.declare_shared_rules(w)
    draws = draw.declare_drawing(w, shared)
    setup.declare_setup(w)
    windows.declare_windows(w, shared)
    wheel.declare_wheel(w, shared)
    turn.declare_turn(w, shared)
    fights = combat.declare_combat(w, shared, draws)
    move.declare_moves(w, shared, draws, fights)
    act.declare_action_turn(w, shared, draws)
    port.declare_port(w, shared, draws)
    level4.declare_level4(w, shared)
    unlock.declare_unlocking(w, shared)
    artifacts.declare_card_play(w, shared, draws)
    choices.declare_effect_choices(w, shared, draws)
    endings.declare_endings(w, shared)
    invariants.declare_invariants(w, shared, draws)
    people.declare_names(w)
    display.declare_display(w)
    return g
