"""Setting up: each player draws, may set a reserve aside, and the first player is chosen (R2-R4, R39)."""

from __future__ import annotations

from playproof import Local, goto, otherwise, require, weight, when

from .state import SEATS, GameUnderConstruction


def declare_setup(t: GameUnderConstruction) -> None:
    """Cards are drawn one by one by whoever's turn it is; the same action later refills hands (R8)."""
    _declare_chance_draw_of_card(t)
    _declare_end_of_dealing(t)
    _declare_choice_of_first_player(t)
    if "set aside" in t.at:
        _declare_setting_aside_of_reserve(t)


def _declare_chance_draw_of_card(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s

    @g.action(t.at["draw"], "draw {face}", rule="R3 R8", name="draw", face=t.list_face_names())
    def draw(face: Local) -> None:
        require(
            t.get_weight_of_face_on_draw_pile(s.turn, face) > 0, "R3", "that card is not the next one of the draw pile"
        )
        weight(t.get_weight_of_face_on_draw_pile(s.turn, face))
        t.remove_top_card_of_draw_pile(s.turn, face)
        t.hand[s.turn, face] += 1
        t.held[s.turn] += 1
        s.to_draw -= 1
        with when(s.to_draw == 0):
            goto(s.back)

    t.back.field.start = (t.at["dealt"].number,)


def _declare_end_of_dealing(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s

    @g.on(t.at["dealt"], rule="R3")
    def dealt() -> None:
        if t.readings.foreshadowing and t.is_reserve_unseen:
            t.pile[s.turn] -= t.printed.reserve  # put aside unseen: they stay part of what is unknown
            t.reserved[s.turn] = t.printed.reserve
        if "set aside" in t.at:
            goto(t.at["set aside"])
        else:
            _deal_to_second_player_or_go_on(t)


def _deal_to_second_player_or_go_on(t: GameUnderConstruction) -> None:
    s = t.s
    with when(s.turn == 0):
        s.turn = 1
        s.to_draw = t.cards_dealt_to_player
        goto(t.at["draw"])
    with otherwise():
        s.turn = 0
        goto(t.at["first"])


def _declare_setting_aside_of_reserve(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s

    @g.action(t.at["set aside"], "reserve {face}", rule="R39", name="reserve", secret="face", face=t.list_face_names())
    def reserve(face: Local) -> None:
        require(t.hand[s.turn, face] > 0, "R39", "you do not hold that card")
        t.hand[s.turn, face] -= 1
        t.held[s.turn] -= 1
        t.reserve[s.turn, face] += 1
        t.reserved[s.turn] += 1
        with when(t.reserved[s.turn] == t.printed.reserve):
            _deal_to_second_player_or_go_on(t)


def _declare_choice_of_first_player(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s

    @g.action(t.at["first"], "{seat} begins", rule="R4", name="begin", seat=SEATS)
    def begin(seat: Local) -> None:
        s.turn = seat
        s.turns = 1
        s.back = 0
        goto(t.at["play"])
