"""What the game says about itself: named quantities, families, invariants, and what may be exchanged
unseen."""

from __future__ import annotations

from playproof import Term

from . import invariants
from .ascent import count_cards_against_player_in_final_deck, count_cards_for_player_in_final_deck
from .cards import LANES, SUITS, Suit
from .state import GameUnderConstruction

_BOOKKEEPING = (
    "doing",
    "fresh",
    "left",
    "to_discard",
    "to_see",
    "exact",
    "to_fall",
    "card_used",
    "lane",
    "space_todo",
    "card_todo",
    "mourned",
    "diamonds",
    "spades_seen",
    "fell",
)
_TITLES = {
    "top": "top of the Deck",
    "under": "under the Deck",
    "up": "face up",
    "down_size": "face down",
    "known": "known face down",
    "removed_size": "removed",
    "outside": "out of play",
    "current": "special card",
    "looked": "seen in the Deck",
    "peeked": "seen face down",
    "deck": "Deck",
}


def declare_quantities_and_facts(t: GameUnderConstruction) -> None:
    """Quantities for claims, reports and bots, and facts about the game as a whole."""
    _declare_named_quantities(t)
    g, s = t.g, t.s
    # Bots look only at what the player knows: hearts out of the Deck are bad, clubs out of it good, spades worst.
    located = [t.up[suit] + t.known[suit] for suit in Suit]
    worth = located[Suit.CLUB] - located[Suit.HEART] - s.spades_gone * t.printed.spades_in_starting_deck - t.down_size
    turns = len(t.printed.boards) * t.printed.rows_of_each_board - _count_turns_skipped_between_boards(t)
    g.fact(
        round="round",
        own={"turns": turns},
        evaluate=worth,
        families=_build_claim_families(t),
        invariants={
            "cards-conserved": t.count_all_cards() == sum(t.printed.deck) + sum(t.printed.outside),
            "piles-are-tidy": _are_known_piles_without_gaps(t),
        },
        exchangeable=[{"counts": ["bag", "down", "removed"]}],
        show=["Discard Area"],
        titles=_TITLES,
        boards=[_build_display_facts_of_board(t, number) for number in range(len(t.printed.boards))],
        names={name: list(SUITS) for name in ("known", "up", "outside", "looked", "peeked")},
        hidden=[name for name in _BOOKKEEPING if name in {field.name for field in g.fields}],
    )


def _build_display_facts_of_board(t: GameUnderConstruction, number: int) -> dict[str, object]:
    """A board on the way up: the highest row above, the symbols of both spaces, and where the player stands."""
    rows, lanes = t.printed.spaces[number], len(LANES)
    return {
        "title": "",
        "while": ["board", number],
        "columns": [f"on the {lane}" for lane in LANES],
        "blank": True,
        "rows": [f"row {row}" for row in range(len(rows), 0, -1)],
        "cells": [[[row * lanes + lane] for lane in range(lanes)] for row in range(len(rows) - 1, -1, -1)],
        "places": [", ".join(map(str, space)) for row in rows for space in row],
        "marks": [
            {
                "word": "you",
                "by": ["row", "lane"],
                "at": [[None] * lanes, *([row * lanes + lane for lane in range(lanes)] for row in range(len(rows)))],
            }
        ],
    }


def _are_known_piles_without_gaps(t: GameUnderConstruction) -> Term:
    """Whether what is known of the Deck is noted without gaps."""
    return t.top.tidy() & t.under.tidy()


def _count_turns_skipped_between_boards(t: GameUnderConstruction) -> int:
    """Turns saved by going straight on to the next board's first row (A2)."""
    return len(t.printed.boards) - 1 if t.readings.reads("A2", "direct") else 0


def _declare_named_quantities(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s
    g.quantity(
        "round",
        s.board * t.printed.rows_of_each_board + s.row - (s.board if _count_turns_skipped_between_boards(t) else 0),
    )
    g.quantity("hearts in the Deck", count_cards_for_player_in_final_deck(t))
    g.quantity("clubs in the Deck", count_cards_against_player_in_final_deck(t))
    g.quantity("lead", count_cards_for_player_in_final_deck(t) - count_cards_against_player_in_final_deck(t))
    g.quantity("Deck", t.deck)
    g.quantity("Discard Area", t.count_discard_area_cards())
    g.quantity("Removed", t.removed_size)
    g.quantity("spades gone", s.spades_gone)
    g.quantity("obols", s.obols)
    g.quantity("cards", t.count_all_cards())
    g.quantity("piles-are-tidy", _are_known_piles_without_gaps(t))
    g.quantity("counting", g.current_phase == t.at["count"].number)
    g.quantity("jokers in play", t.printed.outside[Suit.JOKER] - t.outside[Suit.JOKER])
    for name, holds in invariants.build_bounds_invariants_by_name(t).items():
        g.quantity(name, holds)
    g.quantity("spades in play", t.printed.spades_in_deck_and_outside - t.outside[Suit.SPADE])


def _build_claim_families(t: GameUnderConstruction) -> dict[str, dict[str, dict[str, str]]]:
    """What claims may ask of every member: symbols followed, special cards met, special cards used."""
    spaces = [space for board in t.printed.spaces for row in board for space in row]
    beside = {task for space in spaces if len(space) > 1 for task in space}
    symbols = {
        str(task): {"action": f"follow {task}"}
        if task in beside
        else {"reach": f"doing == {t.printed.get_number_of_task(task)}"}
        for task in t.printed.tasks
        if task.symbol != "add"
    }
    used = {card.name: {"action": f"use {card.name}"} for card in t.printed.specials if card.once}
    met = {card.name: {"action": f"the special card is {card.name}"} for card in t.printed.specials} | used
    return {"symbol": symbols, "special": met, "use": used}
