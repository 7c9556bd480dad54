"""Olith, whole: two to four players race for eight Victory Tokens or the most when the Fate Wheel ends (R1-R81)."""

from __future__ import annotations

from typing import Any

from playproof import Game, Options

from . import (
    action_cards,
    card_effects,
    combat,
    display,
    draw,
    effect_choices,
    fate_wheel,
    interrupts,
    invariants,
    port,
    setup,
    shared_rules,
    turn,
    unlock,
    victory,
)
from .card_data import read_cards_or_refuse
from .rulings import Rulings
from .table import GameUnderConstruction


def build(options: Options, data: Any) -> Game:
    """The game for `--players` 2 to 4; `data` is cards/olith as the card database gives it."""
    g = Game("olith", players=options.number("players", range(2, 5), 2))
    w = GameUnderConstruction(g, read_cards_or_refuse(data), Rulings.read_from_options(options))
    shared = shared_rules.declare_shared_functions_and_procedures(w)
    draws = draw.declare_decks_and_locations(w, shared)
    setup.declare_setup(w)
    interrupts.declare_consumables_out_of_turn(w, shared)
    fate_wheel.declare_fate_wheel(w, shared)
    turn.declare_player_turn(w, shared)
    fights = combat.declare_combat(w, shared, draws)
    action_cards.declare_unit_moves(w, shared, draws, fights)
    action_cards.declare_unit_actions_and_turn_end(w, shared, draws)
    port.declare_trade_in_port(w, shared, draws)
    victory.declare_offering_and_hand_limit(w, shared)
    unlock.declare_unlocking_of_regions(w, shared)
    card_effects.declare_playing_of_cards_and_effects(w, shared, draws)
    effect_choices.declare_choices_asked_by_effects(w, shared, draws)
    victory.declare_game_ends_and_returns(w, shared)
    invariants.declare_invariants_and_report_facts(w, shared, draws)
    display.declare_display_names(w)
    display.declare_display_facts(w)
    return g
