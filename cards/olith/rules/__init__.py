"""Olith, whole: two to four players race for eight Victory Tokens or the most when the Fate Wheel ends (R1-R81)."""

from __future__ import annotations

from typing import Any

from playproof.language import Game
from playproof.language.options import Options

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
from .data import cards_of
from .rulings import Rulings
from .world import World


def build(options: Options, data: Any) -> Game:
    """The game for `--players` 2 to 4; `data` is cards/olith as the card database gives it."""
    g = Game("olith", players=options.number("players", range(2, 5), 2))
    w = World(g, cards_of(data), Rulings.read(options))
    shared = common.declare(w)
    draws = draw.declare(w, shared)
    setup.declare(w)
    windows.declare(w, shared)
    wheel.declare(w, shared)
    turn.declare(w, shared)
    fights = combat.declare(w, shared, draws)
    move.declare(w, shared, draws, fights)
    act.declare(w, shared, draws)
    port.declare(w, shared, draws)
    level4.declare(w, shared)
    unlock.declare(w, shared)
    artifacts.declare(w, shared, draws)
    choices.declare(w, shared, draws)
    endings.declare(w, shared)
    invariants.declare(w, shared, draws)
    people.declare(w)
    display.declare(w)
    return g
