"""Before the first turn: who starts, Loyalty Cards, crystals, the Active Region, the shop."""

from __future__ import annotations

from itertools import permutations

from playproof import Local, all_of, each, goto, require, weight, when

from .cards import COLOURS, LEVELS, Mana
from .table import GameUnderConstruction


def declare_setup(w: GameUnderConstruction) -> None:
    """The rules of the set-up (R5-R11, R17-R20)."""
    _declare_first_player_lot_as_start_phase(w)
    _declare_choice_of_loyalty_card(w)
    _declare_chance_order_of_crystals(w)
    _declare_roll_of_active_region(w)


def _declare_first_player_lot_as_start_phase(w: GameUnderConstruction) -> None:
    g, s, ph = w.g, w.s, w.ph

    @g.action(ph.lot, "player {seat} starts", seat=[str(i + 1) for i in range(w.players)], rule="R74")
    def lot(seat: Local) -> None:
        if w.rulings.a12 == "youngest":
            require(seat == 0, "R74", "the youngest player, seat 1, starts")
        s.turn = seat
        s.first = seat
        s.by = seat
        goto(ph.allegiance)

    g.start(ph.lot)


def _declare_choice_of_loyalty_card(w: GameUnderConstruction) -> None:
    g, s, ph, n = w.g, w.s, w.ph, w.players
    deck = g.table("loyalty_deck", [0, *(c.deck + 1 for c in w.cards.loyalties)])

    @g.action(ph.allegiance, "follow {card}", card=[c.name for c in w.cards.loyalties], rule="R17 R18 R19 R20")
    def follow(card: Local) -> None:
        require(
            all_of(deck[s.loyalty[q]] != deck[card + 1] for q in range(n)), "R17", "another player has that player deck"
        )
        s.loyalty[s.by] = card + 1
        for kind in Mana:
            s.mana[s.by, kind] = w.start_mana[card, kind]
        s.by = (s.by + 1) % n
        s.asked = s.asked + 1
        with when(s.asked == n):
            s.asked = 0
            goto(ph.crystals)


def _declare_chance_order_of_crystals(w: GameUnderConstruction) -> None:
    g, s, ph = w.g, w.s, w.ph
    orders = list(permutations(Mana))
    order_of = g.table("crystal_orders", [[int(m) for m in order] for order in orders])
    names = [", ".join(m.name.capitalize() for m in order) for order in orders]

    @g.action(ph.crystals, "crystals lie {order}", order=names, rule="R9")
    def lay(order: Local) -> None:
        for i in each(3):
            s.crystal[i] = order_of[order, i]
        s.home = ph.turn.number
        s.shop_back = ph.turn.number
        s.region_back = ph.restock.number
        goto(ph.region)


def _declare_roll_of_active_region(w: GameUnderConstruction) -> None:
    g, s, ph = w.g, w.s, w.ph
    even = w.rulings.a2 != "early"
    colour_faces = g.table("colour_faces", [1 if even else w.cards.colour_die.count(c) for c in range(len(COLOURS))])
    level_faces = g.table("level_faces", [1 if even else w.cards.level_die.count(n) for n in range(LEVELS + 1)])

    @g.action(
        ph.region, "the Active Region is {colour} {level}", colour=COLOURS, level=range(1, LEVELS + 1), rule="R10 R33"
    )
    def roll(colour: Local, level: Local) -> None:
        if w.rulings.a2 == "reroll":
            seen = s.atlas[0, colour] >= level
            for q in range(1, w.players):
                seen = seen | (s.atlas[q, colour] >= level)
            require(seen, "R10", "a region that nobody has unlocked is rolled again")
        weight(colour_faces[colour] * level_faces[level])
        s.active_colour = colour
        s.active_level = level
        goto(s.region_back)
