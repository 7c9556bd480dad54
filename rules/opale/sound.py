"""Why no number of the base game leaves its bounds: what every step keeps, as quantities that are 1 while it holds.

A card is somewhere: of each face a deck has so many, and what a hand, a draw pile and the board hold adds up to no
more. The points still on cards and those taken add up to all points. A hand holds what its owner may hold, and
whatever is announced (cards to draw, cards to lay) is there to be drawn or laid.
"""

from __future__ import annotations

from playproof.rules.language import Const, Term, all_of, pick, sum_of
from playproof.rules.language.expr import as_term
from playproof.rules.opale.cards import EACH_DECK, Face, Spot
from playproof.rules.opale.state import Table

_SEATS = (0, 1)


def conditions(t: Table) -> dict[str, Term]:
    """The conditions by name; none where a variant or a reading is played that they do not speak of."""
    plain = not (t.readings.seashells or t.readings.foreshadowing)
    if not plain or t.top_most != 1 or t.readings.reads("A4", "at-once"):
        return {}
    return {
        "own cards": all_of(_own(t, seat, f) <= f.copies for seat in _SEATS for f in t.faces),
        "cards of a face": all_of(_all(t, f) <= 2 * f.copies for f in t.faces),
        "piles counted": all_of(_pile_counted(t, seat) for seat in _SEATS),
        "points counted": _points_counted(t),
        "City counted": _city_counted(t),
        "hands limited": all_of(_limited(t, seat) for seat in _SEATS),
        "draws ready": _draws_ready(t),
        "lays ready": all_of(_lays_ready(t, spot) for spot in t.spots if len(spot.faces) > 1),
        "rows open": all_of(t.lying[spot.place] <= spot.most for spot in t.spots),
        "returns open": all_of(_returns_open(t, seat) for seat in _SEATS),
    }


def _own(t: Table, seat: int, face: Face) -> Term:
    """Cards of a face in a player's hand and draw pile."""
    known: Term = t.top[seat, 0] == face.place + 1
    return as_term(t.hand[seat, face.place] + t.bag[seat, face.place] + known)


def _all(t: Table, face: Face) -> Term:
    """Cards of a face that nobody has scored and that are in no City pile."""
    array, cell = t.lying_cell(face)
    tray = t.tray_of(face)
    return as_term(array[cell] + tray + sum_of(_own(t, seat, face) for seat in _SEATS))


def _pile_counted(t: Table, seat: int) -> Term:
    """A draw pile is as large as what is known and unknown of it; with the hand it is no larger than a deck."""
    known: Term = t.top[seat, 0] > 0
    counted: Term = t.pile[seat] == sum_of(t.bag[seat, f.place] for f in t.faces) + known
    return counted & (t.pile[seat] + t.held[seat] <= EACH_DECK)


def _points_counted(t: Table) -> Term:
    """What was scored and what may still be scored are all the points there are."""
    left = sum_of(_all(t, f) * f.points for f in t.faces if f.points)
    return as_term(t.points[0] + t.points[1] + left == 2 * sum(f.points * f.copies for f in t.faces))


def _city_counted(t: Table) -> Term:
    """City cards leave the board in full piles only."""
    faces = t.city.faces
    return as_term(t.s.city_piles * t.city.silhouettes + sum_of(_all(t, f) for f in faces)
                   == 2 * sum(f.copies for f in faces))


def _limited(t: Table, seat: int) -> Term:
    """A hand with what it is about to draw is within its limit, but for the card that its owner is to give back."""
    s, phase, at = t.s, t.g.current_phase, t.at
    drawn = pick((phase == at["draw"].number) & (s.turn == seat), s.to_draw, 0)
    owed = pick((phase == at["give back"].number) & (s.turn != seat), t.printed.pawn_cards, 0)
    return as_term(t.held[seat] + drawn <= t.limit(seat) + owed)


def _draws_ready(t: Table) -> Term:
    """What is to be drawn lies in the draw pile; who is dealt cards has none, and the pawn is beside the board."""
    s, phase, at = t.s, t.g.current_phase, t.at
    drawing: Term = phase == at["draw"].number
    dealing = (drawing & (s.back == at["dealt"].number)) | (phase == at["dealt"].number)
    return all_of((
        ~drawing | ((s.to_draw > 0) & (s.to_draw <= t.pile[s.turn])),
        ~drawing | (s.back == at["dealt"].number) | (s.back == at["refill"].number),
        ~(phase == at["dealt"].number) | (s.back == at["dealt"].number),
        ~dealing | (s.turn == 1) | ((t.held[1] == 0) & (t.pile[1] >= t.deal_size)),
        ~dealing | (s.pawn == 0),
        ~(phase == at["give back"].number) | ((t.held[1 - s.turn] > t.printed.hand) & (s.pawn == s.turn + 1)),
    ))


def _lays_ready(t: Table, spot: Spot) -> Term:
    """Cards announced for a spot are in the hand, and a row has room for them."""
    s = t.s
    laying = (t.g.current_phase == t.at["lay"].number) & (s.spot == spot.place + 1)
    there = as_term((s.to_lay > 0) & (s.to_lay <= t.held_of(s.turn, spot)))
    room = Const(1) if spot.piled else as_term(t.lying[spot.place] + s.to_lay <= spot.silhouettes)
    return as_term(~laying | (there & room))


def _returns_open(t: Table, seat: int) -> Term:
    """Who must give a card back has none lying on the draw pile: whoever draws takes that card first."""
    return as_term((t.top[seat, 0] == 0) | (t.held[seat] <= t.printed.hand))


__all__ = ["conditions"]
