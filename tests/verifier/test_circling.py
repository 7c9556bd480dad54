"""Chances and worths of games in which play comes back, beside exact fractions over all ways to play.

`PLAYPROOF_DRAWN=600` tries so many random games; PLAYPROOF_SEED names the first.
"""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from playproof import CHANCE, Game, Local, goto, require, weight, when, win
from playproof.verifier.kernel import circling
from playproof.verifier.kernel.certificate import NotShown, Theorem
from playproof.verifier.kernel.chance import Place
from playproof.verifier.kernel.circling import Circling, bounded
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.layered import (
    LayeredChance,
    LayeredStates,
    LayeredWorth,
    Ordered,
    bounds_of_chance,
    bounds_of_number,
)
from playproof.verifier.kernel.layers import Layer, Layers
from playproof.verifier.kernel.statements import BOUNDS, Event, Length, Property
from playproof.verifier.kernel.strict import decode, encode
from playproof.verifier.kernel.swept import LEAST, MEAN, MOST, SCALE
from tests.verifier.test_chance import by_all_moves, random_places

SEEDS = int(os.environ.get("PLAYPROOF_DRAWN", "60"))
FIRST = int(os.environ.get("PLAYPROOF_SEED", "0"))
WIN = Event({"outcome": "win", "seat": 0})
_CLOSE = Fraction(1, 10**9)
_ACTORS = {"most": 0, "least": 1, "mean": CHANCE}
_WIDE = 3


def walk(places: Sequence[Place], start: int = 2) -> Game:
    """A token walks from place to place. Seat 0 wins in place 0, and seat 1 in place 1."""
    g = Game("walk", players=2)
    s = g.state
    edges = [[*place.edges, *[(0, 0)] * (_WIDE - len(place.edges))] for place in places]
    to = g.table("to", [[there for there, _ in row] for row in edges])
    ways = g.table("ways", [[ways for _, ways in row] for row in edges])
    who = g.table("who", [list(_ACTORS).index(place.chooses) for place in places])
    g.integer("at", 0, len(places) - 1, start)
    names = sorted(_ACTORS, key=lambda name: name != places[start].chooses)  # the first phase is where play starts
    phases = {name: g.phase(name, actor=_ACTORS[name]) for name in names}

    def declare(name: str) -> None:
        @g.action(phases[name], f"{name} {{edge}}", name=name, edge=range(_WIDE))
        def go(edge: Local) -> None:
            require(ways[s.at, edge] > 0, "W1", "there is no such way")
            if name == "mean":
                weight(ways[s.at, edge])
            s.at = to[s.at, edge]
            with when(s.at == 0):
                win("good", 0)
            with when(s.at == 1):
                win("bad", 1)
            for number, each in enumerate(_ACTORS):
                with when((s.at > 1) & (who[s.at] == number)):
                    goto(phases[each])

    for name in names:
        declare(name)
    g.returns((s.at == 0) * 1, (s.at == 1) * 1)
    return g.seal()


def chance_of(game: Game, states: int, luck: str = "mean", seat: int = 0) -> tuple[Fraction, Fraction]:
    """The kernel's bounds on a seat's chance to win."""
    order = Ordered("0", states)
    event = Event({"outcome": "win", "seat": seat})
    return bounds_of_chance(game, LayeredChance(event, luck, seat, order, Fraction(0), Fraction(1)), Context())
