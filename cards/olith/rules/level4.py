"""Level 4 sites: five Artifacts for a Victory Token (R73). And the hand limit of ruling A25."""

from __future__ import annotations

from playproof import Local, Term, Value, any_of, goto, pick, require, when

from .board import LEVELS
from .common import SharedRules
from .world import Tabletop

HAND = 7


def declare_offering_and_hand_limit(w: Tabletop, common: SharedRules) -> None:
    """Offer artifacts; discard down to the hand limit."""
    _declare_offering_of_artifacts(w, common)
    _declare_hand_limit_if_ruled(w, common)


def _discard_artifact_from_hand(w: Tabletop, card: Value) -> None:
    s = w.s
    s.hand[s.by, card] = 0
    s.hand_size[s.by] = s.hand_size[s.by] - 1
    s.discard[card] = 1


def has_unit_on_level4_site(w: Tabletop) -> Term:
    """Whether a unit of the acting player stands on a level 4 site."""
    s = w.s
    return any_of(s.site_owner[i] == s.by + 1 for i, site in enumerate(w.sites) if site.level == LEVELS)


def can_offer_artifacts_for_token(w: Tabletop, common: SharedRules) -> Term:
    """Whether the acting player can trade artifacts for a Victory Token."""
    enough: Term = w.s.hand_size[w.s.by] >= w.cards.offering
    return enough & has_unit_on_level4_site(w) & common.has_place(w.s.by)


def _declare_offering_of_artifacts(w: Tabletop, common: SharedRules) -> None:
    g, s, ph = w.g, w.s, w.ph

    @g.action(
        (ph.turn, ph.act, ph.unlock), "offer five Artifacts on a level 4 site", name="offer", rule="R73"
    )
    def offer() -> None:
        require(s.by == s.turn, "R73", "it is done on your own turn")
        require(has_unit_on_level4_site(w), "R73", "no unit of yours is on a level 4 site")
        require(s.hand_size[s.by] >= w.cards.offering, "R73", "you hold {} Artifacts", s.hand_size[s.by])
        require(common.has_place(s.by), "R32", "there is no place for a Victory Token")
        s.offer_back = pick(w.is_current_phase_one_of(*w.phases_of_own_turn), ph.pause.number, s.phase)
        goto(ph.offer)

    @g.action(
        ph.offer, "discard {card}", card=w.artifacts, name="discard for token", public="card", rule="R73"
    )
    def discard(card: Local) -> None:
        require(s.hand[s.by, card] == 1, "R73", "the card is not in your hand")
        _discard_artifact_from_hand(w, card)
        s.offered = s.offered + 1
        with when(s.offered == w.cards.offering):
            s.offered = 0
            s.token_back = s.offer_back
            goto(ph.token)


def _declare_hand_limit_if_ruled(w: Tabletop, common: SharedRules) -> None:
    """The hand limit where there is one (A25)."""
    g, s, ph = w.g, w.s, w.ph
    if ph.trim is None:
        return

    @g.action(ph.trim, "discard {card}", card=w.artifacts, name="trim hand", public="card")
    def trim(card: Local) -> None:
        require(s.hand[s.by, card] == 1, "", "the card is not in your hand")
        require(s.hand_size[s.by] > HAND, "", "you hold seven cards or fewer")
        _discard_artifact_from_hand(w, card)

    @g.action(ph.trim, "keep the hand", name="keep hand")
    def kept() -> None:
        require(s.hand_size[s.by] <= HAND, "", "you hold more than seven cards")
        goto(ph.closing)
