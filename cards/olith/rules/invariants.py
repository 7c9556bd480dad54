"""What must hold in every state, as quantities that are 1 while it holds: claims and tests ask for them.

Sites hold one owner and one kind, so a second unit or an enemy's token on a site would overwrite the first:
conservation of units and tokens says that this never happens (R13, R32).
"""

from __future__ import annotations

from collections.abc import Sequence

from playproof import Term, Value, all_of, max_of, pick, sum_of
from playproof.language.expr import as_term

from .board import COLOURS, DECKS, Mana, SiteCondition, Slot
from .common import SharedRules
from .control import build_control_invariants_by_name
from .draw import DeckRules
from .world import Tabletop

BOOKKEEPING = (
    "by",
    "turn",
    "asked",
    "prepared",
    "recovered",
    "bought",
    "sold",
    "bought_away",
    "sold_away",
    "dug_now",
    "dug_this_turn",
    "shifted",
    "heard",
    "passes",
    "held",
    "debt",
    "debt_mana",
    "draws",
    "deck",
    "found",
    "gain",
    "steps",
    "offered",
    "fighter",
    "script",
    "line",
    "side",
    "fought_again",
    "rerolling",
    "hand_size",
    "deck_locations",
    "won",
)


def declare_invariants_and_report_facts(w: Tabletop, common: SharedRules, draws: DeckRules) -> None:
    """Name the invariants, what reports speak of, and what searching bots need to know."""
    named = {
        "units-conserved": all_of(
            _count_basic_units_everywhere(w, q) == w.cards.units for q in range(w.players)
        ),
        "mercenaries-conserved": all_of(
            _count_places_of_mercenary_figure(w, k) == 1 for k in range(1, len(w.kinds))
        ),
        "artifacts-conserved": _build_invariant_of_artifact_places(w),
        "sold-in-order": _build_invariant_of_sold_card_order(w),
        "locations-conserved": _build_invariant_of_location_places(w),
        "shop-conserved": _build_invariant_of_consumable_places(w),
        "tokens-conserved": _build_invariant_of_victory_tokens(w),
        "crystals-conserved": _build_invariant_of_crystal_count(w),
        "sites-sound": _build_invariant_of_empty_sites(w),
        "no-early-corruption": as_term((w.s.wheel >= w.first_corruption_space) | ~_is_any_site_corrupted(w)),
        **build_control_invariants_by_name(w, common, draws),
    }
    for name, holds in named.items():
        w.g.quantity(name, holds)
    w.g.fact(invariants=named)
    _declare_claim_families(w)
    _declare_report_quantities(w, common)
    _declare_bot_facts(w, common)


def _count_basic_units_everywhere(w: Tabletop, player: int) -> Term:
    """Basic Units that a player has in supply, on board, mat and areas, fighting, and in the hand that moves one."""
    s = w.s
    areas = as_term(s.supply[player] + s.camp[player, 0] + s.exhausted[player, 0] + s.port[player, 0])
    sites = sum_of(len(w.sites), lambda i: (s.site_owner[i] == player + 1) & (s.site_kind[i] == 0))

    mat = sum_of(len(Slot), lambda i: (s.slot[player, i] > 0) & (s.loc_unit[s.slot[player, i] - 1] == 1))
    housed = (s.found > 0) & (s.loc_unit[s.found - 1] == 1) & (s.by == player)
    moving = (s.held == 1) & (s.by == player)
    fighting = (s.fighter == 1) & (s.turn == player)
    return as_term(areas + sites + mat + housed + moving + fighting)


def _count_places_of_mercenary_figure(w: Tabletop, mercenary_kind: int) -> Term:
    """A mercenary figure is in one place, or its card is in the shop. Whose it is does not matter here."""
    s = w.s
    areas = sum_of(
        s.camp[q, mercenary_kind] + s.exhausted[q, mercenary_kind] + s.port[q, mercenary_kind]
        for q in range(w.players)
    )
    sites = sum_of(len(w.sites), lambda i: s.site_kind[i] == mercenary_kind)
    mats = sum_of(len(w.locations), lambda c: s.loc_unit[c] == mercenary_kind + 1)
    offered = sum_of(s.row[i] == mercenary_kind for i in range(3))
    waiting: Term = s.shop_deck[mercenary_kind - 1] + s.shop_discard[mercenary_kind - 1]
    return as_term(
        areas
        + sites
        + mats
        + (s.held == mercenary_kind + 1)
        + (s.fighter == mercenary_kind + 1)
        + offered
        + waiting
    )


def _build_invariant_of_artifact_places(w: Tabletop) -> Term:
    """Each artifact is in its deck, under it, discarded, in one hand or laid out; hands are counted rightly."""
    s, cards = w.s, len(w.artifacts)

    def places(card: Value) -> Term:
        held = sum_of(s.hand[q, card] + s.laid[q, card] for q in range(w.players))
        rest: Term = s.deck_artifacts[card] + (s.under[card] > 0) + s.discard[card]
        return held + rest

    counted = all_of(
        sum_of(cards, lambda i, q=q: s.hand[q, i]) == s.hand_size[q]  # type: ignore[misc]  # default
        for q in range(w.players)
    )
    return all_of(cards, lambda i: places(i) == 1) & counted


def _build_invariant_of_sold_card_order(w: Tabletop) -> Term:
    """Under each deck lie a first sold card, a second, and so on, without a gap: so each can be drawn in its turn."""
    s, numbers = w.s, range(len(w.artifacts))
    decks = [[i for i in numbers if w.cards.artifacts[i].deck == d] for d in range(len(DECKS))]

    def in_order(cards: Sequence[int]) -> Term:
        below = sum_of(s.under[i] > 0 for i in cards)
        return all_of(
            sum_of(s.under[i] == place for i in cards) == (below >= place)
            for place in range(1, len(cards) + 1)
        )

    return all_of(in_order(cards) for cards in decks)


def _build_invariant_of_location_places(w: Tabletop) -> Term:
    """Each location is in its deck, on one mat, abandoned, or just found."""
    s, slots = w.s, range(len(Slot))

    def places(card: Value) -> Term:
        mats = sum_of(s.slot[q, i] == card + 1 for q in range(w.players) for i in slots)
        rest: Term = s.deck_locations[card] + s.abandoned[card]
        return as_term(mats + rest + (s.found == card + 1))

    return all_of(len(w.locations), lambda i: places(i) == 1)


def _build_invariant_of_consumable_places(w: Tabletop) -> Term:
    """Each consumable is in the deck, the row, the discards or with one player."""
    s, first = w.s, len(w.cards.mercenaries)

    def places(item: Value) -> Term:
        rest: Term = s.shop_deck[item + first] + s.shop_discard[item + first]
        held = sum_of(s.kit[q, item] for q in range(w.players))
        return rest + held + sum_of(s.row[i] == item + first + 1 for i in range(3))

    return all_of(len(w.consumables), lambda i: places(i) == 1)


def _build_invariant_of_victory_tokens(w: Tabletop) -> Term:
    """The Victory Tokens lying on the board are those each player has placed."""
    s = w.s

    def lying(player: int) -> Term:
        return sum_of(len(w.sites), lambda i: pick(s.token_owner[i] == player + 1, s.tokens[i], 0))

    return all_of(lying(q) == s.placed[q] for q in range(w.players))


def _build_invariant_of_crystal_count(w: Tabletop) -> Term:
    s = w.s
    left = sum_of(s.crystal_left[i] for i in range(3))
    return left + sum_of(s.crystals[q] for q in range(w.players)) == 3


def _build_invariant_of_empty_sites(w: Tabletop) -> Term:
    """An empty site has no kind of unit, no action taken on it, and no tokens without an owner."""
    s = w.s

    def sound(i: Value) -> Term:
        empty: Term = s.site_owner[i] == 0
        clear: Term = (s.site_kind[i] == 0) & (s.acted[i] == 0)
        bare: Term = s.token_owner[i] == 0
        return as_term((~empty | clear) & (bare == (s.tokens[i] == 0)))

    return all_of(len(w.sites), sound)


def _is_any_site_corrupted(w: Tabletop) -> Term:
    return as_term(~all_of(len(w.sites), lambda i: w.s.dug[i] != SiteCondition.CORRUPTED))


def _declare_claim_families(w: Tabletop) -> None:
    """What `{every: ...}` in a claim ranges over."""

    def taken(action: str, parameter: str, names: Sequence[str]) -> dict[str, dict[str, str]]:
        return {name: {"action": action, parameter: name} for name in names}

    w.g.fact(
        families={
            "artifact": taken("play artifact", "card", w.artifacts),
            "location": taken("find location", "card", w.locations),
            "consumable": taken("use consumable", "item", w.consumables),
            "shop card": taken("reveal", "card", w.cards.shop_names),
            "space": {f"space {n + 1}": {"holds": f"wheel == {n}"} for n in range(len(w.spaces))},
        }
    )


def _declare_report_quantities(w: Tabletop, common: SharedRules) -> None:
    g, s = w.g, w.s
    g.quantity("round", s.wheel + 1)
    g.quantity("turns", s.turns)
    for q in range(w.players):
        g.quantity(f"tokens of seat {q + 1}", s.placed[q])
        g.quantity(f"mana of seat {q + 1}", common.wealth(q))
    g.quantity("most tokens on a site", max_of(len(w.sites), lambda i: s.tokens[i]))
    g.quantity("excavated sites", sum_of(len(w.sites), lambda i: s.dug[i] != SiteCondition.BLANK))
    g.quantity("corrupted sites", sum_of(len(w.sites), lambda i: s.dug[i] == SiteCondition.CORRUPTED))
    g.fact(round="round", hidden=list(BOOKKEEPING), own={"turns": s.turns.field.hi})


def _declare_bot_facts(w: Tabletop, common: SharedRules) -> None:
    """What is exchangeable between hidden hands and decks, and how good a state looks to each seat."""
    g, s = w.g, w.s
    decks = [[i for i, c in enumerate(w.cards.artifacts) if c.deck == d] for d in range(len(DECKS))]
    g.fact(
        exchangeable=[
            {"counts": ["hand", "deck_artifacts"], "kinds": [cards[0], cards[-1] + 1]} for cards in decks
        ]
    )

    def worth(q: int) -> Term:
        """Tokens above all; then what leads to them. A step begun (a unit in hand, cards to be drawn, a Victory
        Turn declared) counts as much as its fruit, so that a player who looks one step ahead begins it."""
        levels = sum_of(len(COLOURS), lambda c: s.atlas[q, c])
        standing = sum_of(len(w.sites), lambda i: (s.site_owner[i] == q + 1) * (w.level_of[i] * 3 + 3))
        mana = sum_of(len(Mana), lambda k: s.mana[q, k])
        home = sum_of(len(w.kinds), lambda k: s.camp[q, k] * 2 + s.port[q, k] * 3)
        begun = (s.held > 0) * 6 + s.draws * 4 + (g.current_phase == w.ph.victory.number) * 20
        return as_term(
            s.placed[q] * 60
            + levels * 8
            + standing
            + mana * 2
            + s.hand_size[q] * 4
            + home
            + pick(s.by == q, begun, 0)
        )

    g.fact(evaluate=tuple(worth(q) for q in range(w.players)))
