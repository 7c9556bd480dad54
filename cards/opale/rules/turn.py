"""From one turn to the next: refilling the hand, the reserve, the last turn and the count (R8, R9,
R34-R40); and the Stone Dragon pawn (R24, R25, A4)."""

from __future__ import annotations

from playproof import Local, Term, cite, goto, keep, min_of, otherwise, pick, require, tie, weight, when, win

from .state import CITY, SHORT, GameUnderConstruction

# From one turn to the next: refilling the hand, the reserve, the last turn and the count (R8, R9, R34-R40).


def declare_turn_end_and_game_end(t: GameUnderConstruction) -> None:
    """Everything after the cards are played."""
    _declare_second_play_or_refill_phase(t)
    _declare_hand_refill_that_may_end_game(t)
    if t.readings.foreshadowing:
        _declare_refill_from_pile_or_reserve(t)
    _declare_change_to_next_turn(t)
    _declare_final_point_count_and_winner(t)


def _declare_second_play_or_refill_phase(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s

    @g.on(t.at["played"], rule="R8")
    def played() -> None:
        goto(t.at["refill"])
        if t.readings.seashells:
            with when((s.two_spots == 1) & (s.first_spot == 0)):
                s.first_spot = s.spot
                goto(t.at["play"])
            with otherwise():
                s.first_spot = 0
                s.two_spots = 0
        s.spot = 0


def _declare_hand_refill_that_may_end_game(t: GameUnderConstruction) -> None:
    """Draw up to the limit; a hand that cannot be completed ends the game (A6). The last turn has no refill (A7)."""
    g, s = t.g, t.s

    @g.on(t.at["refill"], rule="R8 R34 R35")
    def refill() -> None:
        missing = keep(t.get_hand_limit_of_player(s.turn) - t.held[s.turn])
        left = keep(t.count_cards_refill_can_take(s.turn))
        s.back = 0
        with when(s.last_turn == 1):
            goto(t.at["count"])
        with otherwise(missing <= 0):
            if t.readings.reads("A6", "last-card"):
                with when((left == 0) & (s.over == 0)):
                    s.over = SHORT
            goto(t.phase_after_refill)
        with otherwise(left == 0):
            with when(s.over == 0):
                s.over = SHORT
            goto(t.phase_after_refill)
        if t.readings.foreshadowing:
            with otherwise(t.reserved[s.turn] > 0):
                goto(t.at["replenish"])
        with otherwise():
            s.to_draw = min_of(missing, t.pile[s.turn])
            s.back = t.at["refill"].number
            goto(t.at["draw"])


def _declare_refill_from_pile_or_reserve(t: GameUnderConstruction) -> None:
    """With a reserve every card of the refill comes from the pile or from the reserve, as its owner likes (R40)."""
    g, s = t.g, t.s

    @g.action(t.at["replenish"], "draw from the pile", rule="R40", name="draw from the pile")
    def from_pile() -> None:
        require(t.pile[s.turn] > 0, "R40", "the draw pile is empty")
        s.to_draw = 1
        s.back = t.at["refill"].number
        goto(t.at["draw"])

    if t.is_reserve_unseen:
        _declare_taking_of_unseen_reserve(t)
        return

    @g.action(
        t.at["replenish"],
        "take {face} from the reserve",
        rule="R40",
        name="from reserve",
        secret="face",
        face=t.list_face_names(),
    )
    def from_reserve(face: Local) -> None:
        require(t.reserve[s.turn, face] > 0, "R40", "that card is not in your reserve")
        t.reserve[s.turn, face] -= 1
        t.reserved[s.turn] -= 1
        t.hand[s.turn, face] += 1
        t.held[s.turn] += 1
        goto(t.at["refill"])


def _declare_taking_of_unseen_reserve(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s

    @g.action(t.at["replenish"], "take a reserved card", rule="R40", name="take a reserved card")
    def take() -> None:
        goto(t.at["unseen"])

    @g.action(t.at["unseen"], "turn up {face}", rule="R40", name="turn up", face=t.list_face_names())
    def turn_up(face: Local) -> None:
        require(t.bag[s.turn, face] > 0, "R40", "that card is not among the unknown ones")
        weight(t.bag[s.turn, face])
        t.bag[s.turn, face] -= 1
        t.reserved[s.turn] -= 1
        t.hand[s.turn, face] += 1
        t.held[s.turn] += 1
        goto(t.at["refill"])


def _declare_change_to_next_turn(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s

    @g.on(t.at["follow"], rule="R9 R35")
    def follow() -> None:
        other = keep(1 - s.turn)
        s.turns += 1
        with when(s.over != 0):
            s.last_turn = 1
        if t.readings.seashells:
            s.shell_used = 0
            t.barred[other] = 0  # R48: the shell comes back at the start of its owner's next turn
            if t.readings.reads("A14", "one-shell"):
                s.second_tide = 0
        s.turn = other
        goto(t.at["play"])


def compute_points_with_pawn(t: GameUnderConstruction, seat: int) -> Term:
    """Points of the scoring pile and of the pawn (R36, R37); nothing else scores (A8)."""
    return t.points[seat] + t.has_pawn(seat) * t.printed.pawn_points


def _declare_final_point_count_and_winner(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s

    @g.on(t.at["count"], rule="R36 R37 R38")
    def count() -> None:
        blue, red = keep(compute_points_with_pawn(t, 0)), keep(compute_points_with_pawn(t, 1))
        for cause, name in ((CITY, "third City pile"), (SHORT, "a hand could not be completed")):
            with when(s.over == cause):
                with when(blue != red):
                    win(
                        f"{name}: most points",
                        pick(compute_points_with_pawn(t, 0) > compute_points_with_pawn(t, 1), 0, 1),
                        rule="R36",
                    )
                with otherwise(s.pawn != 0 if t.readings.reads("A9", "pawn") else False):
                    win(f"{name}: tie, the pawn decides", s.pawn - 1, rule="R38")
                with otherwise():
                    tie(f"{name}: tie, shared", rule="R38")


# -- pawn ----------------------------------------------------------------------------------------------------
# The Stone Dragon pawn: six cards in hand, and the card its former holder gives back (R24, R25, A4).


def give_pawn_to_player_to_move(t: GameUnderConstruction) -> None:
    """The player to move takes the pawn; from whom holds it already, nothing changes."""
    cite("R24", "R25")
    s = t.s
    former = keep(s.pawn)
    with when(former != s.turn + 1):
        s.pawn = s.turn + 1
        with when((former != 0) & (t.held[1 - s.turn] > t.printed.hand)):
            goto(t.at["give back"])
        with otherwise():
            _start_drawing_pawn_card_if_ruled(t)


def _start_drawing_pawn_card_if_ruled(t: GameUnderConstruction) -> None:
    """Under one reading the new holder draws a card at once, before the refill."""
    s = t.s
    if t.readings.reads("A4", "at-once"):
        with when(t.pile[s.turn] > 0):
            s.to_draw = t.printed.pawn_cards
            s.back = t.at["played"].number
            goto(t.at["draw"])


def declare_giving_back_card_for_pawn(t: GameUnderConstruction) -> None:
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
            _start_drawing_pawn_card_if_ruled(t)
