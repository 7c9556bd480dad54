"""How long a game lasts: every turn lays a card for good, unless a shell bars the whole hand.

So the cards that may still be laid, and the turns that may still pass, give a number that no turn raises. Nobody
starts a turn with an empty hand, and whoever plays on two spots can play on the second.
"""

from __future__ import annotations

from playproof.language import Term, all_of, any_of, sum_of
from playproof.language.expr import as_term

from .cards import SHELLS, Spot
from .state import Tabletop

_SEATS = (0, 1)
_BEFORE_THE_PLAY = ("dealt", "set aside", "first", "play", "lay", "discard")
_OF_A_PLAY = ("lay", "resolve", "target", "give back", "played")
_BEHIND_A_PLAY = ("resolve", "target", "give back", "played", "refill", "replenish")
_AGAIN, _BAR = SHELLS.index("again"), SHELLS.index("bar")


def phase_is(t: Tabletop, *names: str) -> Term:
    """Whether the phase is one of these, as far as the variant has them."""
    return any_of(t.g.current_phase == t.at[name].number for name in names if name in t.at)


def drawing_for(t: Tabletop, *goals: str) -> Term:
    """Whether cards are drawn, and one of these phases goes on with them."""
    return phase_is(t, "draw") & any_of(t.s.back == t.at[name].number for name in goals if name in t.at)


def dealing(t: Tabletop) -> Term:
    """Whether the first hands are being dealt and reserves set aside."""
    return phase_is(t, "dealt", "set aside") | drawing_for(t, "dealt")


def has_laid(t: Tabletop, seat: int) -> Term:
    """Whether a player has laid a card in this turn and may still refill the hand."""
    return as_term((t.s.turn == seat) & (phase_is(t, *_BEHIND_A_PLAY) | drawing_for(t, "refill")))


def hands_ready(t: Tabletop) -> Term:
    """Why nobody starts a turn with an empty hand: whoever waits holds five cards, until the last turn has come."""
    s, five = t.s, t.printed.hand
    mine, other = t.held[s.turn] >= five, t.held[1 - s.turn] >= five
    drawn = t.held[s.turn] + s.to_draw
    conditions = [
        ~drawing_for(t, "dealt") | (drawn >= t.deal_size),
        ~phase_is(t, "dealt") | (t.held[s.turn] >= t.deal_size),
        ~dealing(t) | (((s.turn == 0) | other) & (s.last_turn == 0) & (s.over == 0)),
        ~phase_is(t, "first") | (mine & other),
        ~phase_is(t, "play") | (mine | (s.first_spot != 0) if t.readings.seashells else mine),
        ~phase_is(t, "give back") | (t.held[1 - s.turn] > five),
        dealing(t) | (s.last_turn == 1) | other,
        ~phase_is(t, "close", "follow") | ((s.last_turn == 0) & ((s.over != 0) | mine)),
    ]
    if t.readings.foreshadowing:
        conditions.append(~phase_is(t, "set aside") | (t.held[s.turn] + t.reserved[s.turn] >= t.deal_size))
    if t.readings.seashells:
        conditions.append(~drawing_for(t, "discard", "play") | (drawn >= five + s.owed))
        conditions.append(~phase_is(t, "discard") | (t.held[s.turn] + s.thrown >= five + s.owed))
    return all_of(conditions)


def cards_to_come(t: Tabletop) -> Term:
    """Cards that can still be played, and one more in a turn that has laid its own."""
    return sum_of(t.held[seat] + t.drawable(seat) for seat in _SEATS) + _played(t)


def _played(t: Tabletop) -> Term:
    """Whether a card of this turn already lies on the board, or the turn has passed."""
    early = phase_is(t, *_BEFORE_THE_PLAY) | drawing_for(t, "dealt", "discard", "play")
    return as_term(~early | (t.s.first_spot != 0) if t.readings.seashells else ~early)


def passes_to_come(t: Tabletop) -> Term:
    """Turns that may still pass: a shell that bars a spot, or may yet, can bar one turn of the other player, and one
    more that this player wins by a shell."""
    return sum_of(_passes(t, seat) for seat in _SEATS)


def _passes(t: Tabletop, barring: int) -> Term:
    """Turns that one player's shell may still make the other player pass."""
    lies: Term = t.barred[barring] > 0
    there: Term = t.shell[barring, _BAR] == 1
    over = lies & (t.s.turn == 1 - barring) & _played(t)
    return as_term((there | (lies & ~over)) + (there | lies) * t.shell[1 - barring, _AGAIN])


def second_play_ready(t: Tabletop) -> Term:
    """Who has chosen to play on two spots has cards for both, until the second play is made."""
    s = t.s
    two, second = s.two_spots == 1, s.first_spot != 0
    of_a_play = phase_is(t, *_OF_A_PLAY)
    if t.readings.reads("A4", "at-once"):
        of_a_play = of_a_play | phase_is(t, "draw") & (s.back == t.at["played"].number)
    playable = [t.may_play(spot) for spot in t.spots]
    return all_of(
        (
            ~two | ((s.shell_used == 1) & (phase_is(t, "play") | of_a_play)),
            ~second | two,
            ~(phase_is(t, "play") & two) | second | (sum_of(playable) >= 2),
            ~(phase_is(t, "play") & second) | any_of(playable),
            ~(of_a_play & two) | second | (s.spot != 0) & any_of(_another(t, spot) for spot in t.spots),
        )
    )


def _another(t: Tabletop, spot: Spot) -> Term:
    """Whether the player to move could still play on this spot after the spot of this play."""
    return as_term(t.may_play(spot) & (t.s.spot != spot.place + 1))


def shells_in_place(t: Tabletop) -> Term:
    """A shell that bars a spot has been used, and lies there from the end of its owner's turn to the start of the
    next."""
    s = t.s
    early = dealing(t) | phase_is(t, "first")
    return all_of(
        (
            *((t.barred[seat] == 0) | (t.shell[seat, _BAR] == 0) for seat in _SEATS),
            (t.barred[s.turn] == 0) | phase_is(t, "follow"),
            ~early | ((t.barred[0] == 0) & (t.barred[1] == 0)),
        )
    )
