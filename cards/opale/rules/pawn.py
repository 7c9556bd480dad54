"""The Stone Dragon pawn: six cards in hand, and the card its former holder gives back (R24, R25, A4)."""

from __future__ import annotations

from playproof import Local, cite, goto, keep, otherwise, require, weight, when

from .state import Tabletop


def give_pawn_to_player_to_move(t: Tabletop) -> None:
    """The player to move takes the pawn; from whom holds it already, nothing changes."""
    cite("R24", "R25")
    s = t.s
    former = keep(s.pawn)
    with when(former != s.turn + 1):
        s.pawn = s.turn + 1
        with when((former != 0) & (t.held[1 - s.turn] > t.printed.hand)):
            goto(t.at["give back"])
        with otherwise():
            _start_drawing_sixth_card_if_ruled(t)


def _start_drawing_sixth_card_if_ruled(t: Tabletop) -> None:
    """Under one reading the new holder draws a card at once, before the refill."""
    s = t.s
    if t.readings.reads("A4", "at-once"):
        with when(t.pile[s.turn] > 0):
            s.to_draw = t.printed.pawn_cards
            s.back = t.at["played"].number
            goto(t.at["draw"])


def declare_giving_back_card_for_pawn(t: Tabletop) -> None:
    """Chance takes a card from the former holder's hand and puts it back."""
    g, s = t.g, t.s

    @g.action(t.at["give back"], "{face} goes back", rule="R25", name="give back", face=t.list_face_names())
    def give_back(face: Local) -> None:
        require(t.hand[1 - s.turn, face] > 0, "R25", "the former holder has no such card")
        weight(t.hand[1 - s.turn, face])
        t.hand[1 - s.turn, face] -= 1
        t.held[1 - s.turn] -= 1
        if t.readings.reads("A4", "bottom"):
            t.put_card_under_draw_pile(1 - s.turn, face)
        else:
            t.put_card_on_draw_pile(1 - s.turn, face)
        with when(t.held[1 - s.turn] <= t.printed.hand):
            goto(t.at["played"])
            _start_drawing_sixth_card_if_ruled(t)
