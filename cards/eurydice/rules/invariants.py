"""Why no number of the game leaves its bounds: what every step keeps, as quantities that are 1 while it holds.

Of each suit the pack has so many cards, and each of them is somewhere. A zone is as large as what it holds. Whatever
is announced (cards to discard, to look at, to move) is there. What was put back on the Deck's ends, and what may still
be looked at on the way up, is never more than all that can be looked at in a game."""

from __future__ import annotations

from collections.abc import Iterable

from playproof import Term, all_of, any_of, pick, sum_of
from playproof.language.expr import as_term

from .cards import SLOTS, Suit
from .state import DECK, KINDS, ZONES, GameUnderConstruction

_LOOKING = ("seeing", "see", "seen", "sinking", "sink", "grief")


def build_bounds_invariants_by_name(t: GameUnderConstruction) -> dict[str, Term]:
    """The conditions by name; none under readings of which they do not speak."""
    if not (t.readings.reads("A5", "in-total") and t.readings.reads("A12", "one-by-one")):
        return {}
    return {
        "suits counted": all_of(
            _count_cards_of_suit_everywhere(t, k) == t.printed.deck[k] + t.printed.outside[k] for k in range(KINDS)
        ),
        "piles counted": _build_invariant_of_zone_sizes(t),
        "moments sound": _build_invariant_of_phases(t),
        "mourning sound": _build_invariant_of_lament_place(t),
        "ways on": _build_invariant_of_following_phases(t),
        "symbols sound": _build_invariant_of_symbols_and_special_card(t),
        "looks limited": _count_cards_that_can_be_looked_at(t) <= t.most_looked,
    }


def _count_cards_of_suit_everywhere(t: GameUnderConstruction, suit: int) -> Term:
    """Cards of a suit, wherever they are."""
    counted = sum_of(array[suit] for array in (t.bag, t.down, t.known, t.up, t.removed, t.outside, t.looked, t.peeked))
    in_piles = sum_of(t.count_known_cards_of_suit_in_pile(pile, suit) for pile in (t.top, t.under))
    apart: Term = as_term(0)
    if suit == Suit.DIAMOND:
        apart = as_term(t.s.diamonds)
    if suit == Suit.SPADE:
        apart = as_term(t.s.spades_gone + sum_of(t.spades_seen[zone] for zone in range(len(ZONES))))
    return as_term(counted + in_piles + apart)


def _build_invariant_of_zone_sizes(t: GameUnderConstruction) -> Term:
    """Every zone is as large as what is known and unknown of it."""
    in_piles = sum_of(t.count_known_cards_of_suit_in_pile(pile, k) for pile in (t.top, t.under) for k in range(KINDS))
    return all_of(
        (
            t.deck == sum_of(t.bag[k] for k in range(KINDS)) + in_piles,
            t.down_size == sum_of(t.down[k] for k in range(KINDS)),
            t.removed_size == sum_of(t.removed[k] for k in range(KINDS)),
        )
    )


def _is_current_phase_one_of(t: GameUnderConstruction, names: Iterable[str]) -> Term:
    return any_of(t.g.current_phase == t.at[name].number for name in names)


def _build_invariant_of_phases(t: GameUnderConstruction) -> Term:
    """What a moment is for is there: a row to go to, cards to move, a spade that was seen."""
    s = t.s
    seen = sum_of(t.spades_seen[zone] for zone in range(len(ZONES)))
    to_see = sum_of(t.to_see[zone] for zone in range(len(ZONES)))
    return all_of(
        (
            ~_is_current_phase_one_of(t, ("move",)) | (s.row < t.printed.rows_of_each_board),
            ~_is_current_phase_one_of(t, ("glimpse", "return", "blind return", "remove", "top remove", "blind remove"))
            | (s.left > 0),
            ~_is_current_phase_one_of(t, ("shed",)) | (s.to_discard > 0),
            ~_is_current_phase_one_of(t, ("sink",)) | (s.to_fall > 0),
            ~_is_current_phase_one_of(t, ("sinking", "sink", "grief")) | (seen > 0),
            ~_is_current_phase_one_of(t, ("see",)) | (to_see > 0),
            _is_current_phase_one_of(t, ("glimpse", "seeing", "see")) | (to_see == 0),
        )
    )


def _build_invariant_of_lament_place(t: GameUnderConstruction) -> Term:
    """There is a place lamented over just while the lament lasts."""
    here = _is_current_phase_one_of(t, ("mourn", "console", "surplus")) | (
        _is_current_phase_one_of(t, _LOOKING) & _is_following_phase_one_of(t, ("mourn",))
    )
    return all_of(((t.s.mourned > 0) | ~here, (t.s.mourned == 0) | here))


def _is_following_phase_one_of(t: GameUnderConstruction, names: Iterable[str]) -> Term:
    return any_of(t.s.then == t.at[name].number for name in names)


def _build_invariant_of_following_phases(t: GameUnderConstruction) -> Term:
    """Discarding and looking lead back to what they were for."""
    return all_of(
        (
            ~_is_current_phase_one_of(t, ("toll", "die", "shedding", "shed"))
            | _is_following_phase_one_of(t, ("next", "returned")),
            ~_is_current_phase_one_of(t, _LOOKING) | _is_following_phase_one_of(t, ("placed", "recall", "mourn")),
            ~_is_current_phase_one_of(t, ("glimpse",)) | _is_following_phase_one_of(t, ("placed",)),
        )
    )


def _build_invariant_of_symbols_and_special_card(t: GameUnderConstruction) -> Term:
    """The Current Card is one of its board; no symbols are left where a space or a board is left."""
    s = t.s
    left = sum_of(s.space_todo[slot] + s.card_todo[slot] for slot in range(SLOTS))
    return all_of(
        (
            (s.current == 0) | (t.card_board[s.current - 1] == s.board),
            ~_is_current_phase_one_of(t, ("special",)) | (s.current == 0),
            (s.card_todo[0] > 0) | (s.card_todo[1] == 0),
            ~_is_current_phase_one_of(t, ("special", "advance", "move")) | (left == 0),
        )
    )


def _count_cards_that_can_be_looked_at(t: GameUnderConstruction) -> Term:
    """Cards known on the Deck's ends, those just looked at to be put there, and those that may still be looked at."""
    s = t.s
    waiting = [s.space_todo[slot] for slot in range(SLOTS)] + [s.card_todo[slot] for slot in range(SLOTS)]
    once = sum_of(t.count_cards_glimpsed_by_task(t.once[s.current, slot]) for slot in range(SLOTS))
    hand = t.to_see[DECK] + sum_of(t.looked[k] for k in range(KINDS))
    return as_term(
        t.top.size
        + t.under.size
        + pick(s.mourned == DECK + 1, 0, hand)
        + sum_of(t.count_cards_glimpsed_by_task(task) for task in waiting)
        + pick(_is_current_phase_one_of(t, ("run",)), t.count_cards_glimpsed_by_task(s.doing), 0)
        + pick(_is_current_phase_one_of(t, ("glimpse",)), s.left, 0)
        + pick(s.card_used == 0, once, 0)
        + t.glimpses_later[s.board, s.row]
        + pick(_is_current_phase_one_of(t, ("special",)), t.glimpses_drawn[s.board], 0)
    )
