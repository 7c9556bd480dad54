"""Two guests, three rooms: every way in which a game may say how its table is drawn."""

from playproof.language import CHANCE, Game, Local, Sees, goto, lose, require, when
from playproof.language.options import Options

ROOMS = ("hall", "attic", "cellar")
TRICKS = ("smoke", "mirror")
THINGS = (*(f"curtain {n}" for n in range(70)), "old clock")


def build(options: Options) -> Game:
    """Guests walk into rooms and may duel; nothing matters but what is seen."""
    g = Game("manor", players=2)
    s = g.state
    g.array("guest", 3, 0, 2)
    g.array("ghost", 3, 0, 1)
    g.integer("hour", 0, 3)
    g.integer("lamp", 0, 2)
    g.array("tricks", (2, 2), sees=Sees.OWNER)
    g.array("tricks_held", 2, 0, 2)
    g.array("deck", 2, start=1, sees=Sees.NOBODY)
    g.array("shelf", 2, 0, 2, [1, 2])
    g.array("keeper", 2, 0, 2)
    g.array("dust", 6)
    g.array("coins", 2, 0, 9)
    g.array("ruins", (2, 5), 0, 3)
    g.integer("at", 0, 2)
    g.integer("turn", 0, 1)
    deal, walk = g.phase("deal", CHANCE), g.phase("walk", s.turn)
    g.quantity("duelling", s.hour == 2)
    g.fact(
        names={
            "tricks": [None, list(TRICKS)],
            "shelf": ["top", "bottom"],
            "dust": ["a", "b", "c", "d", "e", "f"],
            "ruins": [None, ["arch", "wall", "gate", "tower", "well"]],
        },
        values={
            "lamp": ["dark", "dim", "bright"],
            "shelf": ["empty", "vase", "book"],
            "keeper": ["nobody", "butler", "cat"],
            "hour": ["dusk", "night", "midnight", "dawn"],
        },
        titles={"coins": "purse"},
        hidden=["at"],
        texts={"time": "{hour}, {lamp}", "duel": "in the {guest[0]}"},
        only={"duel": "duelling"},
        sizes={"tricks": "tricks_held"},
        each=["shelf"],
        beside={"shelf": "keeper"},
        common=["shelf", "keeper", "deck"],
        totals=["dust"],
        exchangeable=[{"counts": ["tricks", "deck"]}],
        boards=[
            {
                "columns": ["up", "down"],
                "rows": ["house"],
                "cells": [[[1], [0, 2]]],
                "places": list(ROOMS),
                "marks": [
                    {"field": "guest", "words": ["", "G1", "G2"], "seats": True},
                    {"field": "ghost", "words": ["", "haunted"]},
                ],
                "legend": "G1: the first guest",
            }
        ],
    )

    @g.action(deal, "deal {trick} to {seat}", trick=TRICKS, seat=2)
    def give(trick: Local, seat: Local) -> None:
        require(s.deck[trick] > 0, "M1", "it is dealt")
        require(s.tricks_held[seat] == 0, "M1", "a guest has one")
        s.deck[trick] = 0
        s.tricks[seat, trick] = 1
        s.tricks_held[seat] = 1
        with when(s.at == 1):
            goto(walk)
        s.at = 1

    @g.action(walk, "walk to the {room}", room=ROOMS, rule="M2")
    def enter(room: Local) -> None:
        require(s.guest[room] == 0, "M2", "somebody is there")
        s.guest[room] = s.turn + 1
        s.ghost[room] = 1
        s.turn = 1 - s.turn
        s.hour = s.hour + 1
        with when(s.hour == 3):
            lose("it dawns")

    @g.action(walk, "hide behind the {thing} and wait", thing=THINGS, rule="M3")
    def hide(thing: Local) -> None:
        s.turn = 1 - s.turn

    @g.action(walk, "count to {number}", number=12, rule="M4")
    def count(number: Local) -> None:
        s.turn = 1 - s.turn

    return g
