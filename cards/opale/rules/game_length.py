"""How long a game lasts: every turn lays a card for good, unless a shell bars the whole hand.

So the cards that may still be laid, and the turns that may still pass, give a number that no turn raises. Nobody
starts a turn with an empty hand, and whoever plays on two spots can play on the second."""

from __future__ import annotations

from playproof import Term, all_of, any_of, sum_of
from playproof.language.expr import as_term

from .cards import SHELLS, Spot
from .state import GameUnderConstruction

_SEATS = (0, 1)
_BEFORE_THE_PLAY = ("dealt", "set aside", "first", "play", "lay", "discard")
_OF_A_PLAY = ("lay", "resolve", "target", "give back", "played")
_BEHIND_A_PLAY = ("resolve", "target", "give back", "played", "refill", "replenish")
_AGAIN, _BAR = SHELLS.index("again"), SHELLS.index("bar")


def is_current_phase_one_of(t: GameUnderConstruction, *phase_names: str) -> Term:
    """Whether the phase is one of these, as far as the variant has them."""
    return any_of(t.g.current_phase == t.at[name].number for name in phase_names if name in t.at)


def is_drawing_before_one_of(t: GameUnderConstruction, *next_phases: str) -> Term:
    """Whether cards are drawn, and one of these phases goes on with them."""
    return is_current_phase_one_of(t, "draw") & any_of(
        t.s.back == t.at[name].number for name in next_phases if name in t.at
    )


def is_dealing_or_setting_aside_reserve(t: GameUnderConstruction) -> Term:
    """Whether the first hands are being dealt and reserves set aside."""
    return is_current_phase_one_of(t, "dealt", "set aside") | is_drawing_before_one_of(t, "dealt")


def has_laid_card_and_may_refill(t: GameUnderConstruction, seat: int) -> Term:
    """Whether a player has laid a card in this turn and may still refill the hand."""
    return as_term(
        (t.s.turn == seat) & (is_current_phase_one_of(t, *_BEHIND_A_PLAY) | is_drawing_before_one_of(t, "refill"))
    )


def build_invariant_of_full_waiting_hand(t: GameUnderConstruction) -> Term:
    """Why nobody starts a turn with an empty hand: whoever waits holds five cards, until the last turn has come."""
    s, five = t.s, t.printed.hand
    mine, other = t.held[s.turn] >= five, t.held[1 - s.turn] >= five
    drawn = t.held[s.turn] + s.to_draw
    conditions = [
        ~is_drawing_before_one_of(t, "dealt") | (drawn >= t.cards_dealt_to_player),
        ~is_current_phase_one_of(t, "dealt") | (t.held[s.turn] >= t.cards_dealt_to_player),
        ~is_dealing_or_setting_aside_reserve(t) | (((s.turn == 0) | other) & (s.last_turn == 0) & (s.over == 0)),
        ~is_current_phase_one_of(t, "first") | (mine & other),
        ~is_current_phase_one_of(t, "play") | (mine | (s.first_spot != 0) if t.readings.seashells else mine),
        ~is_current_phase_one_of(t, "give back") | (t.held[1 - s.turn] > five),
        is_dealing_or_setting_aside_reserve(t) | (s.last_turn == 1) | other,
        ~is_current_phase_one_of(t, "close", "follow") | ((s.last_turn == 0) & ((s.over != 0) | mine)),
    ]
    if t.readings.foreshadowing:
        conditions.append(
            ~is_current_phase_one_of(t, "set aside") | (t.held[s.turn] + t.reserved[s.turn] >= t.cards_dealt_to_player)
        )
    if t.readings.seashells:
        conditions.append(~is_drawing_before_one_of(t, "discard", "play") | (drawn >= five + s.owed))
        conditions.append(~is_current_phase_one_of(t, "discard") | (t.held[s.turn] + s.thrown >= five + s.owed))
    return all_of(conditions)


def count_cards_still_to_be_played(t: GameUnderConstruction) -> Term:
    """Cards that can still be played, and one more in a turn that has laid its own."""
    return sum_of(
        t.held[seat] + t.count_cards_refill_can_take(seat) for seat in _SEATS
    ) + _has_current_turn_played_or_passed(t)


def _has_current_turn_played_or_passed(t: GameUnderConstruction) -> Term:
    """Whether a card of this turn already lies on the board, or the turn has passed."""
    early = is_current_phase_one_of(t, *_BEFORE_THE_PLAY) | is_drawing_before_one_of(t, "dealt", "discard", "play")
    return as_term(~early | (t.s.first_spot != 0) if t.readings.seashells else ~early)


def count_turns_that_may_be_passed(t: GameUnderConstruction) -> Term:
    """Turns that may still pass: a shell that bars a spot, or may yet, can bar one turn of the other player, and one
    more that this player wins by a shell."""
    return sum_of(_count_passes_that_seat_can_force(t, seat) for seat in _SEATS)


def _count_passes_that_seat_can_force(t: GameUnderConstruction, barring_seat: int) -> Term:
    """Turns that one player's shell may still make the other player pass."""
    lies: Term = t.barred[barring_seat] > 0
    there: Term = t.shell[barring_seat, _BAR] == 1
    over = lies & (t.s.turn == 1 - barring_seat) & _has_current_turn_played_or_passed(t)
    return as_term((there | (lies & ~over)) + (there | lies) * t.shell[1 - barring_seat, _AGAIN])


def build_invariant_of_second_play(t: GameUnderConstruction) -> Term:
    """Who has chosen to play on two spots has cards for both, until the second play is made."""
    s = t.s
    two, second = s.two_spots == 1, s.first_spot != 0
    of_a_play = is_current_phase_one_of(t, *_OF_A_PLAY)
    if t.readings.reads("A4", "at-once"):
        of_a_play = of_a_play | is_current_phase_one_of(t, "draw") & (s.back == t.at["played"].number)
    playable = [t.can_mover_play_on_spot(spot) for spot in t.spots]
    return all_of(
        (
            ~two | ((s.shell_used == 1) & (is_current_phase_one_of(t, "play") | of_a_play)),
            ~second | two,
            ~(is_current_phase_one_of(t, "play") & two) | second | (sum_of(playable) >= 2),
            ~(is_current_phase_one_of(t, "play") & second) | any_of(playable),
            ~(of_a_play & two)
            | second
            | (s.spot != 0) & any_of(_can_play_on_spot_after_current_play(t, spot) for spot in t.spots),
        )
    )


def _can_play_on_spot_after_current_play(t: GameUnderConstruction, spot: Spot) -> Term:
    """Whether the player to move could still play on this spot after the spot of this play."""
    return as_term(t.can_mover_play_on_spot(spot) & (t.s.spot != spot.place + 1))


def build_invariant_of_barring_shell(t: GameUnderConstruction) -> Term:
    """A shell that bars a spot has been used, and lies there from the end of its owner's turn to the start of the
    next."""
    s = t.s
    early = is_dealing_or_setting_aside_reserve(t) | is_current_phase_one_of(t, "first")
    return all_of(
        (
            *((t.barred[seat] == 0) | (t.shell[seat, _BAR] == 0) for seat in _SEATS),
            (t.barred[s.turn] == 0) | is_current_phase_one_of(t, "follow"),
            ~early | ((t.barred[0] == 0) & (t.barred[1] == 0)),
        )
    )
