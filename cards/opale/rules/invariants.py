"""Why no number leaves its bounds: what every step keeps, as quantities that are 1 while it holds.

A card is somewhere: of each face a deck has so many, and what a hand, a draw pile, a reserve, the discards and the
board hold adds up to no more. The points still on cards and those taken add up to all points. A hand holds what its
owner may hold, and whatever is announced (cards to draw, cards to lay, cards to discard) is there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from playproof import Const, Term, all_of, pick, sum_of
from playproof.language.expr import as_term

from . import game_length
from .cards import EACH_DECK, Face, Spot
from .state import GameUnderConstruction

_SEATS = (0, 1)


def build_bounds_invariants_by_name(t: GameUnderConstruction) -> dict[str, Term]:
    """The conditions by name; none where a reserve is put aside unseen, of which they do not speak."""
    if t.readings.foreshadowing and t.is_reserve_unseen:
        return {}
    named = {
        "own cards": all_of(
            _count_cards_of_face_player_has(t, seat, f) <= f.copies for seat in _SEATS for f in t.faces
        ),
        "cards of a face": all_of(_count_unscored_cards_of_face(t, f) <= 2 * f.copies for f in t.faces),
        "piles counted": all_of(_build_invariant_of_draw_pile_size(t, seat) for seat in _SEATS),
        "points counted": _build_invariant_of_total_points(t),
        "City counted": _build_invariant_of_city_cards(t),
        "hands limited": all_of(_build_invariant_of_hand_limit(t, seat) for seat in _SEATS),
        "draws ready": _build_invariant_of_pending_draw(t),
        "lays ready": all_of(_build_invariant_of_pending_lay(t, spot) for spot in t.spots if len(spot.faces) > 1),
        "rows open": all_of(t.lying[spot.place] <= spot.most_cards for spot in t.spots),
        "returns open": all_of(_build_invariant_of_room_for_returned_card(t, seat) for seat in _SEATS),
    }
    if t.readings.foreshadowing:
        named["reserves counted"] = _build_invariant_of_reserve_size(t)
    if t.readings.seashells:
        named["discards ready"] = _build_invariant_of_pending_discards(t)
        named["second play ready"] = game_length.build_invariant_of_second_play(t)
        named["shells in place"] = game_length.build_invariant_of_barring_shell(t)
    return named


def _count_cards_of_face_player_has(t: GameUnderConstruction, seat: int, face: Face) -> Term:
    """Cards of a face in a player's hand and draw pile, set aside by that player, or discarded."""
    lain = (
        card == face.place + 1
        for card in (*_list_known_cards_on_draw_pile(t, seat), *_list_known_cards_under_draw_pile(t, seat))
    )
    return sum_of((*_iter_counts_without_known_draw_cards(t, seat, face), *lain))


def _list_known_cards_on_draw_pile(t: GameUnderConstruction, seat: int) -> list[Term]:
    """The cards that lie in known order on a draw pile, 0 where none does."""
    return [t.top[seat, i] for i in range(t.top_most)]


def _list_known_cards_under_draw_pile(t: GameUnderConstruction, seat: int) -> list[Term]:
    """The cards that lie in known order under a draw pile (A4, A11), 0 where none does."""
    return [t.under[seat, i] for i in range(t.under_most)]


def _iter_counts_without_known_draw_cards(t: GameUnderConstruction, seat: int, face: Face) -> Iterator[Term]:
    """The counts of a face that a player has, without the cards that lie in known order on the draw pile."""
    yield t.hand[seat, face.place]
    yield t.bag[seat, face.place]
    if t.readings.foreshadowing:
        yield t.reserve[seat, face.place]
    if t.readings.seashells and t.readings.reads("A11", "out"):
        yield t.discards[seat, face.place]


def _count_unscored_cards_of_face(t: GameUnderConstruction, face: Face) -> Term:
    """Cards of a face that nobody has scored and that are in no City pile."""
    return sum_of(
        (
            *_iter_counts_on_and_under_board(t, face),
            *(_count_cards_of_face_player_has(t, seat, face) for seat in _SEATS),
        )
    )


def _iter_counts_on_and_under_board(t: GameUnderConstruction, face: Face) -> Iterator[Term]:
    """The counts of a face on the board and under it."""
    array, cell = t.get_array_and_cell_of_face_on_board(face)
    yield array[cell]
    yield t.count_cards_of_face_in_tray(face)


def _build_invariant_of_draw_pile_size(t: GameUnderConstruction, seat: int) -> Term:
    """A draw pile is as large as what is known and unknown of it; with hand and reserve it is no larger than a deck."""
    both = _list_known_cards_on_draw_pile(t, seat), _list_known_cards_under_draw_pile(t, seat)
    known = sum_of(card > 0 for cards in both for card in cards)
    counted: Term = t.pile[seat] == sum_of(t.bag[seat, f.place] for f in t.faces) + known
    ordered = all_of((card == 0) | (before > 0) for cards in both for before, card in pairwise(cards))
    return counted & (t.count_cards_refill_can_take(seat) + t.held[seat] <= EACH_DECK) & ordered


def _build_invariant_of_total_points(t: GameUnderConstruction) -> Term:
    """What was scored and what may still be scored are all the points there are.

    Count by count: so a step that moves a card changes two summands, and not two sums.
    """
    worth = t.g.table("worth", [0, *(f.points for f in t.faces)])
    lain = (
        worth[card]
        for seat in _SEATS
        for card in (*_list_known_cards_on_draw_pile(t, seat), *_list_known_cards_under_draw_pile(t, seat))
    )
    left = sum_of((*(_sum_unscored_points_of_face(t, f) for f in t.faces if f.points), *lain))
    return as_term(t.points[0] + t.points[1] + left == 2 * sum(f.points * f.copies for f in t.faces))


def _sum_unscored_points_of_face(t: GameUnderConstruction, face: Face) -> Term:
    """The points that cards of a face are worth, but for those in known order on a draw pile or under it."""
    owned = (n for seat in _SEATS for n in _iter_counts_without_known_draw_cards(t, seat, face))
    return sum_of(n * face.points for n in (*_iter_counts_on_and_under_board(t, face), *owned))


def _build_invariant_of_city_cards(t: GameUnderConstruction) -> Term:
    """City cards leave the board in full piles only."""
    faces = t.city_spot.faces
    return as_term(
        t.s.city_piles * t.city_spot.silhouettes + sum_of(_count_unscored_cards_of_face(t, f) for f in faces)
        == 2 * sum(f.copies for f in faces)
    )


def _build_invariant_of_hand_limit(t: GameUnderConstruction, seat: int) -> Term:
    """A hand with what it is about to draw is within its limit, but for a card that is to be given back, cards that
    are to be discarded, and cards that are to be set aside."""
    s, phase, at = t.s, t.g.current_phase, t.at
    drawn = pick((phase == at["draw"].number) & (s.turn == seat), s.to_draw, 0)
    more = pick((phase == at["give back"].number) & (s.turn != seat), t.printed.pawn_cards, 0)
    if t.readings.foreshadowing:
        drawn = drawn + pick(game_length.is_dealing_or_setting_aside_reserve(t) & (s.turn == seat), t.reserved[seat], 0)
        more = more + pick(game_length.is_dealing_or_setting_aside_reserve(t) & (s.turn == seat), t.printed.reserve, 0)
    if t.readings.seashells:
        drawn = drawn + pick(s.turn == seat, s.thrown, 0)
        more = more + pick(s.turn == seat, s.owed, 0)
    return as_term(t.held[seat] + drawn <= t.get_hand_limit_of_player(seat) + more)


def _build_invariant_of_pending_draw(t: GameUnderConstruction) -> Term:
    """What is to be drawn lies in the draw pile; who is dealt cards has none, and the pawn is beside the board."""
    s, phase, at = t.s, t.g.current_phase, t.at
    drawing: Term = phase == at["draw"].number
    dealt: Term = s.back == at["dealt"].number
    dealing = game_length.is_dealing_or_setting_aside_reserve(t)
    goals = ["dealt", "refill", *(("discard", "play") if t.readings.seashells else ())]
    goals += ["played"] if t.readings.reads("A4", "at-once") else []
    settled = ~drawing
    for name in goals:
        settled = settled | (s.back == at[name].number)
    waits = (t.held[1] == 0) & (t.pile[1] >= t.cards_dealt_to_player)
    if t.readings.foreshadowing:
        waits = waits & (t.reserved[1] == 0)
    return all_of(
        (
            ~drawing | ((s.to_draw > 0) & (s.to_draw <= t.pile[s.turn])),
            settled,
            ~(phase == at["dealt"].number) | dealt,
            ~dealing | (s.turn == 1) | waits,
            ~dealing | (s.pawn == 0),
            ~(phase == at["give back"].number) | ((t.held[1 - s.turn] > t.printed.hand) & (s.pawn == s.turn + 1)),
        )
    )


def _build_invariant_of_pending_lay(t: GameUnderConstruction, spot: Spot) -> Term:
    """Cards announced for a spot are in the hand, and a row has room for them."""
    s = t.s
    laying = (t.g.current_phase == t.at["lay"].number) & (s.spot == spot.place + 1)
    there = as_term((s.to_lay > 0) & (s.to_lay <= t.count_cards_of_spot_in_hand(s.turn, spot)))
    room = Const(1) if spot.is_pile else as_term(t.lying[spot.place] + s.to_lay <= spot.silhouettes)
    return as_term(~laying | (there & room))


def _build_invariant_of_room_for_returned_card(t: GameUnderConstruction, seat: int) -> Term:
    """Who must give a card back has room for it on the draw pile: whoever draws takes such a card first, and a reserve
    is too small to spare a player both."""
    held, lain = t.held[seat], sum_of(card > 0 for card in _list_known_cards_on_draw_pile(t, seat))
    if not t.readings.foreshadowing:
        return as_term((lain == 0) | (held <= t.printed.hand))
    spent = (
        held + t.reserved[seat] + game_length.has_laid_card_and_may_refill(t, seat)
    )  # nobody holds six again without a play and a refill
    return as_term(
        ((lain < 2) | ((held <= t.printed.hand) & (spent <= t.printed.hand + 1)))
        & ((lain < 1) | (spent <= t.printed.hand + t.printed.reserve))
        & ((lain < 1) | (held <= t.printed.hand) | (held + t.reserved[seat] <= t.printed.most_in_hand + 1))
    )


def _build_invariant_of_reserve_size(t: GameUnderConstruction) -> Term:
    """A reserve is as large as the cards in it; it grows while cards are set aside, and is there when asked for."""
    s, phase, at = t.s, t.g.current_phase, t.at
    early = game_length.is_dealing_or_setting_aside_reserve(t) & (phase != at["set aside"].number)
    mine = t.reserved[s.turn]
    return all_of(
        (
            *(t.reserved[seat] == sum_of(t.reserve[seat, f.place] for f in t.faces) for seat in _SEATS),
            ~early | (mine == 0),
            ~(phase == at["set aside"].number) | ((mine < t.printed.reserve) & (s.back == at["dealt"].number)),
            ~(phase == at["replenish"].number) | (t.held[s.turn] < t.get_hand_limit_of_player(s.turn)),
        )
    )


def _build_invariant_of_pending_discards(t: GameUnderConstruction) -> Term:
    """Cards are owed from the moment of fetching until they are discarded; of one's own will no more are discarded than
    the draw pile can replace."""
    s, phase, at = t.s, t.g.current_phase, t.at
    discarding: Term = phase == at["discard"].number
    fetching = (phase == at["draw"].number) & (s.back == at["discard"].number)
    return all_of(
        (
            discarding | (s.thrown == 0),
            discarding | fetching | (s.owed == 0),
            ~fetching | (s.owed > 0),
            ~discarding | pick(s.owed > 0, s.thrown == 0, s.thrown < t.pile[s.turn]),
        )
    )
