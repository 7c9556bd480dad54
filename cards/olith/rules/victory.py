"""Level 4 sites: five Artifacts for a Victory Token (R73), and the hand limit of ruling A25; the last
round, the tie rule and what each seat gets (R1-R3, R79, A1)."""

from __future__ import annotations

from collections.abc import Callable

from playproof import (
    Local,
    Term,
    Value,
    all_of,
    any_of,
    cases,
    goto,
    max_of,
    otherwise,
    pick,
    require,
    score,
    sum_of,
    weight,
    when,
)

from .cards import COLOURS, LEVELS, Mana
from .combat import count_rolls_by_dice_total
from .shared_rules import SharedRules
from .table import GameUnderConstruction

# -- endings -------------------------------------------------------------------------------------------------
# The last round, the tie rule and what each seat gets (R1-R3, R79, A1).

RankingKey = Callable[[int], Term]


def declare_game_ends_and_returns(w: GameUnderConstruction, common: SharedRules) -> None:
    """Both endings."""
    _declare_result_values_of_seats(w)
    keys = _list_reasons_with_ranking_keys(w, common)
    _declare_rule_that_decides_winners(w, keys)
    if w.rulings.a1 == "battle":
        _declare_tie_breaking_dice_battle(w)


def _declare_result_values_of_seats(w: GameUnderConstruction) -> None:
    """+1 to the only winner, 0 to those who share, -1 to the others."""
    s, n = w.s, w.players
    shared = sum_of(s.won[q] for q in range(n)) > 1
    w.g.returns(*(pick(s.won[q], pick(shared, 0, 1), -1) for q in range(n)))


def _list_reasons_with_ranking_keys(w: GameUnderConstruction, common: SharedRules) -> list[tuple[str, RankingKey]]:
    """Tokens first; then, by ruling A1, crystals, mana, unlocked levels. Each key contains those before it."""
    s = w.s
    most_mana = w.limit * len(Mana) + 1
    most_levels = LEVELS * len(COLOURS) + 1

    def tokens(q: int) -> Term:
        placed: Term = s.placed[q]
        return placed

    def crystals(q: int) -> Term:
        more: Term = s.crystals[q]
        return tokens(q) * 4 + more

    def mana(q: int) -> Term:
        return crystals(q) * most_mana + common.wealth(q)

    def levels(q: int) -> Term:
        return mana(q) * most_levels + sum_of(len(COLOURS), lambda c: s.atlas[q, c])

    keys: list[tuple[str, RankingKey]] = [("the wheel ended: most Victory Tokens", tokens)]
    if w.rulings.a1 == "tiebreak":
        keys += [
            ("a tie, broken by crystals", crystals),
            ("a tie, broken by mana", mana),
            ("a tie, broken by unlocked levels", levels),
        ]
    return keys


def _declare_rule_that_decides_winners(
    w: GameUnderConstruction, reasons_with_ranking_keys: list[tuple[str, RankingKey]]
) -> None:
    g, s, ph, n = w.g, w.s, w.ph, w.players

    def has_greatest_key(key: RankingKey, q: int) -> Term:
        return all_of(key(r) <= key(q) for r in range(n))

    def crown(key: RankingKey) -> None:
        for q in range(n):
            s.won[q] = has_greatest_key(key, q)

    @g.on(ph.final, rule="R2 R3 R79")
    def final() -> None:
        """The wheel cannot move: the first key that one player alone leads decides."""
        case = cases()
        for reason, key in reasons_with_ranking_keys:
            with case(sum_of(has_greatest_key(key, q) for q in range(n)) == 1):
                crown(key)
                score(reason, rule="R79")
        with otherwise():
            crown(reasons_with_ranking_keys[-1][1])
            if ph.duel_over is not None:
                s.asked = 0
                goto(ph.duel_over)
            else:
                score("a tie that nothing breaks: victory is shared", rule="R3")


def _declare_tie_breaking_dice_battle(w: GameUnderConstruction) -> None:
    """A1 = battle: the tied players roll four combat dice and add all their Power."""
    g, s, ph, n = w.g, w.s, w.ph, w.players
    dice = w.cards.combat_dice
    ways = g.table("duel_ways", count_rolls_by_dice_total(w.cards.combat_die, dice))
    assert ph.duel is not None
    assert ph.duel_over is not None
    duel, duel_over = ph.duel, ph.duel_over

    @g.on(duel_over, rule="R3")
    def over() -> None:
        with when(s.asked < n):
            with when(s.won[s.asked]):
                goto(duel)
            with otherwise():
                s.asked = s.asked + 1
        with otherwise():
            best = max_of(*(s.duel_ap[q] for q in range(n)))
            for q in range(n):
                s.won[q] = s.won[q] & (s.duel_ap[q] == best)
            with when(sum_of(s.won[q] for q in range(n)) == 1):
                score("a tie, broken by the final battle", rule="R3")
            with otherwise():
                score("a tie that nothing breaks: victory is shared", rule="R3")

    @g.action(duel, "the final dice show {total}", total=range(-dice, dice + 1), name="final battle", rule="R3 R55")
    def roll(total: Local) -> None:
        weight(ways[total + dice])
        s.duel_ap[s.asked] = s.mana[s.asked, Mana.POWER] + total + dice  # the same offset for all keeps it positive
        s.asked = s.asked + 1
        goto(duel_over)


# -- level4 --------------------------------------------------------------------------------------------------
# Level 4 sites: five Artifacts for a Victory Token (R73). And the hand limit of ruling A25.

HAND = 7


def declare_offering_and_hand_limit(w: GameUnderConstruction, common: SharedRules) -> None:
    """Offer artifacts; discard down to the hand limit."""
    _declare_offering_of_artifacts(w, common)
    _declare_hand_limit_if_ruled(w, common)


def _discard_artifact_from_hand(w: GameUnderConstruction, card: Value) -> None:
    s = w.s
    s.hand[s.by, card] = 0
    s.hand_size[s.by] = s.hand_size[s.by] - 1
    s.discard[card] = 1


def has_unit_on_level4_site(w: GameUnderConstruction) -> Term:
    """Whether a unit of the acting player stands on a level 4 site."""
    s = w.s
    return any_of(s.site_owner[i] == s.by + 1 for i, site in enumerate(w.sites) if site.level == LEVELS)


def can_offer_artifacts_for_token(w: GameUnderConstruction, common: SharedRules) -> Term:
    """Whether the acting player can trade artifacts for a Victory Token."""
    enough: Term = w.s.hand_size[w.s.by] >= w.cards.offering
    return enough & has_unit_on_level4_site(w) & common.has_place(w.s.by)


def _declare_offering_of_artifacts(w: GameUnderConstruction, common: SharedRules) -> None:
    g, s, ph = w.g, w.s, w.ph

    @g.action((ph.turn, ph.act, ph.unlock), "offer five Artifacts on a level 4 site", name="offer", rule="R73")
    def offer() -> None:
        require(s.by == s.turn, "R73", "it is done on your own turn")
        require(has_unit_on_level4_site(w), "R73", "no unit of yours is on a level 4 site")
        require(s.hand_size[s.by] >= w.cards.offering, "R73", "you hold {} Artifacts", s.hand_size[s.by])
        require(common.has_place(s.by), "R32", "there is no place for a Victory Token")
        s.offer_back = pick(w.is_current_phase_one_of(*w.phases_of_own_turn), ph.pause.number, s.phase)
        goto(ph.offer)

    @g.action(ph.offer, "discard {card}", card=w.artifacts, name="discard for token", public="card", rule="R73")
    def discard(card: Local) -> None:
        require(s.hand[s.by, card] == 1, "R73", "the card is not in your hand")
        _discard_artifact_from_hand(w, card)
        s.offered = s.offered + 1
        with when(s.offered == w.cards.offering):
            s.offered = 0
            s.token_back = s.offer_back
            goto(ph.token)


def _declare_hand_limit_if_ruled(w: GameUnderConstruction, common: SharedRules) -> None:
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
