"""What the game says about itself: named quantities, families, invariants, and what may be exchanged
unseen."""

from __future__ import annotations

from typing import Any

from playproof import Const, Term, all_of, max_of, pick, sum_of

from . import game_length, invariants
from .cards import SHELLS, Spot
from .state import SEATS, GameUnderConstruction
from .turn import compute_points_with_pawn

_TITLES = {
    "lying": "on the board",
    "rows": "rows of cards",
    "tray": "under the board",
    "pile": "draw pile",
    "scored": "scoring pile",
    "uppermost": "on top",
    "over": "the end",
    "top": "back on the pile",
}
_BOOKKEEPING = ("spot", "to_draw", "to_lay", "last_turn", "thrown", "owed")


def declare_quantities_and_facts(t: GameUnderConstruction) -> None:
    """Quantities for claims, reports and bots, and facts about the game as a whole."""
    g, s = t.g, t.s
    conditions = invariants.build_bounds_invariants_by_name(t)
    if conditions or _is_played_without_variants(t):
        conditions["hands ready"] = game_length.build_invariant_of_full_waiting_hand(t)
    _declare_named_quantities(t, conditions)
    worth = [_estimate_lead_of_seat_in_points(t, seat) for seat in (0, 1)]
    g.fact(
        round="round",
        seats=list(SEATS),
        own={"turns": s.turns.field.hi},
        evaluate=worth,
        families=_build_claim_families(t),
        invariants=_build_invariants_by_name(t, conditions),
        exchangeable=[_build_fact_of_cards_exchangeable_unseen(t)],
        names=_map_fields_to_display_names(t),
        hidden=[name for name in _BOOKKEEPING if name in {field.name for field in g.fields}],
        titles=_TITLES,
        sizes={"hand": "held"},
        boards=[_build_display_facts_of_board(t)],
    )


def _estimate_lead_of_seat_in_points(t: GameUnderConstruction, seat: int) -> Term:
    """How far a seat is ahead, as far as it may know: open points, else the cards taken at their mean points. What
    the seat is about to take counts too."""
    if t.readings.reads("A18", "open"):
        return compute_points_with_pawn(t, seat) - compute_points_with_pawn(t, 1 - seat)
    mean = sum(f.points * f.copies for f in t.faces) // sum(f.copies for f in t.faces)
    pawns = (t.has_pawn(seat) - t.has_pawn(1 - seat)) * t.printed.pawn_points
    soon = sum_of(_count_cards_that_spot_is_about_to_take(t, spot) for spot in t.spots) * pick(t.s.turn == seat, 1, -1)
    return (t.scored[seat] - t.scored[1 - seat] + soon) * mean + pawns


def _count_cards_that_spot_is_about_to_take(t: GameUnderConstruction, spot: Spot) -> Term:
    """How many cards a spot takes when the play under way is complete."""
    taken = [t.lying[place] for place in spot.arrows] + [t.lying[spot.place]] * spot.takes_own
    if not taken:
        return Const(0)
    full = Const(1) if spot.is_pile else t.lying[spot.place] + t.s.to_lay == spot.silhouettes
    complete: Term = (t.s.spot == spot.place + 1) & full
    return complete * max_of(*taken)


def _declare_named_quantities(t: GameUnderConstruction, conditions: dict[str, Term]) -> None:
    g, s = t.g, t.s
    g.quantity("round", s.turns)
    for seat, name in enumerate(SEATS):
        g.quantity(f"{name} points", compute_points_with_pawn(t, seat))
        g.quantity(f"{name} hand", t.held[seat])
        g.quantity(f"{name} draw pile", t.pile[seat])
        g.quantity(f"{name} scoring pile", t.scored[seat])
        g.quantity(f"{name} has the pawn", s.pawn == seat + 1)
    for spot in t.spots:
        g.quantity(f"on {spot.name}", t.lying[spot.place])
    g.quantity("under the board", t.count_all_cards_in_tray())
    g.quantity("City piles", s.city_piles)
    g.quantity("cards", t.count_cards_everywhere())
    stuck = all_of(~t.can_mover_play_on_spot(spot) for spot in t.spots)
    g.quantity("no card can be played", (g.current_phase == t.at["play"].number) & stuck)
    g.quantity("spots counted", _build_invariant_of_spot_sizes(t))
    g.quantity("hands counted", _build_invariant_of_hand_sizes(t))
    for name, holds in conditions.items():
        g.quantity(name, holds)
    g.quantity("cards to come", game_length.count_cards_still_to_be_played(t))
    if t.readings.seashells:
        g.quantity("passes to come", game_length.count_turns_that_may_be_passed(t))
        g.quantity("shells left", sum_of(t.shell[seat, i] for seat in (0, 1) for i in range(len(SHELLS))))


def _build_claim_families(t: GameUnderConstruction) -> dict[str, dict[str, dict[str, Any]]]:
    """What claims may ask of every member: pictures, targets of a choice, powers of the shells."""
    chosen = dict.fromkeys(target for spot in t.spots if len(spot.arrows) > 1 for target in spot.arrows)
    families: dict[str, dict[str, dict[str, Any]]] = {
        "picture": {spot.name: {"action": f"play {spot.name}"} for spot in t.spots},
        "target": {t.spots[place].name: {"action": f"take {t.spots[place].name}"} for place in chosen},
    }
    if t.readings.seashells:
        families["power"] = {title: {"action": f"shell {name}"} for name, title in t.printed.shells.items()}
    return families


def _build_invariants_by_name(t: GameUnderConstruction, conditions: dict[str, Term]) -> dict[str, Term]:
    """What holds in every state, by name. `conditions` holds the others together."""
    s = t.s
    invariants: dict[str, Term] = {
        "cards-conserved": t.count_cards_everywhere() == 2 * sum(f.copies for f in t.faces),
        "spots-counted": _build_invariant_of_spot_sizes(t),
        "hands-counted": _build_invariant_of_hand_sizes(t),
        "silhouettes-respected": all_of(t.lying[spot.place] <= spot.most_cards for spot in t.spots),
    }
    invariants |= conditions
    if not t.readings.seashells:
        invariants["every-turn-lays-a-card"] = (
            s.turns + game_length.count_cards_still_to_be_played(t) <= s.turns.field.hi
        )
    elif conditions:
        left = game_length.count_cards_still_to_be_played(t) + game_length.count_turns_that_may_be_passed(t)
        invariants["every-turn-lays-a-card-or-passes"] = s.turns + left <= s.turns.field.hi
    return invariants


def _build_invariant_of_spot_sizes(t: GameUnderConstruction) -> Term:
    """Whether the size of every spot is the number of the cards that lie there."""
    return all_of(
        t.lying[spot.place] == sum_of(_count_cards_of_face_on_board(t, f.place) for f in spot.faces) for spot in t.spots
    )


def _count_cards_of_face_on_board(t: GameUnderConstruction, face_index: int) -> Term:
    array, cell = t.get_array_and_cell_of_face_on_board(t.faces[face_index])
    return array[cell]


def _is_played_without_variants(t: GameUnderConstruction) -> bool:
    """Whether the base game is played, without variants."""
    return not (t.readings.seashells or t.readings.foreshadowing)


def _build_invariant_of_hand_sizes(t: GameUnderConstruction) -> Term:
    """Whether the size of each hand is the number of its cards."""
    return all_of(t.held[seat] == sum_of(t.hand[seat, f.place] for f in t.faces) for seat in (0, 1))


def _build_fact_of_cards_exchangeable_unseen(t: GameUnderConstruction) -> dict[str, Any]:
    """A player cannot tell the other's hand from the other's draw pile."""
    counts = ["hand", "bag"]
    if t.readings.foreshadowing and not t.is_reserve_unseen:
        counts.append("reserve")
    slots = {name: None for name, most in (("top", t.top_most), ("under", t.under_most)) if most}
    return {"counts": counts, "slots": slots, "first": 1, "by_player": True}


def _build_display_facts_of_board(t: GameUnderConstruction) -> dict[str, Any]:
    """The spots, three beside each other: of rows the points of each card, of piles the uppermost and how many."""
    in_rows = [face for spot in t.spots if not spot.is_pile for face in spot.faces]
    rows = [[n for n, face in enumerate(in_rows) if face.spot == spot.place] for spot in t.spots]
    points = [str(face.points) if face.points else "card" for face in in_rows]
    piles = [[spot.place] if spot.is_pile else [] for spot in t.spots]
    return {
        "columns": ["", "", ""],
        "rows": [""] * (len(t.spots) // 3),
        "cells": [[[n], [n + 1], [n + 2]] for n in range(0, len(t.spots), 3)],
        "places": [spot.name for spot in t.spots],
        "blank": True,
        "marks": [
            {
                "field": "rows",
                "cells": rows,
                "names": points,
                "room": [0 if spot.is_pile else spot.silhouettes for spot in t.spots],
            },
            {
                "field": "uppermost",
                "cells": piles,
                "words": ["_", *(str(n) for n in range(1, t.uppermost.field.hi + 1))],
            },
            {"field": "lying", "cells": piles, "words": ["", "", *(f"×{n}" for n in range(2, t.lying.field.hi + 1))]},
        ],
        "legend": "points of the cards on each spot, _ a free place, ×2 a pile of two",
    }


def _map_fields_to_display_names(t: GameUnderConstruction) -> dict[str, Any]:
    faces = t.list_face_names()
    every = {
        "hand": [None, faces],
        "reserve": [None, faces],
        "discards": [None, faces],
        "lying": [spot.name for spot in t.spots],
        "uppermost": [spot.name for spot in t.spots],
        "rows": [faces[f.place] for spot in t.spots if not spot.is_pile for f in spot.faces],
        "covered": [faces[f.place] for spot in t.spots if spot.is_pile for f in spot.faces],
        "tray": [faces[f.place] for spot in t.spots if spot.to_tray for f in spot.faces],
        "shell": [None, [t.printed.shells.get(shell, "") for shell in SHELLS]],
    }
    declared = {field.name for field in t.g.fields}
    return {name: words for name, words in every.items() if name in declared}
