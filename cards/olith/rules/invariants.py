"""What must hold in every state, as quantities that are 1 while it holds: claims and tests ask for them.
And what always goes together while the game is played: each phase with the things that are under way in
it."""

from __future__ import annotations

from collections.abc import Sequence

from playproof import Term, Value, all_of, any_of, max_of, pick, sum_of
from playproof.language.expr import as_term

from .card_effects import can_take_back_any_discarded_artifact
from .cards import COLOURS, DECKS, ActionCard, Mana, SiteCondition, Slot
from .combat import build_invariant_of_attack_points
from .draw import DeckRules
from .phases import KINDS, PhaseConditions, build_implication_term
from .shared_rules import SharedRules
from .table import GameUnderConstruction

# What must hold in every state, as quantities that are 1 while it holds: claims and tests ask for them.

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


def declare_invariants_and_report_facts(w: GameUnderConstruction, common: SharedRules, draws: DeckRules) -> None:
    """Name the invariants, what reports speak of, and what searching bots need to know."""
    named = {
        "units-conserved": all_of(_count_basic_units_everywhere(w, q) == w.cards.units for q in range(w.players)),
        "mercenaries-conserved": all_of(_count_places_of_mercenary_figure(w, k) == 1 for k in range(1, len(w.kinds))),
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
    _declare_facts_for_searching_bots(w, common)


def _count_basic_units_everywhere(w: GameUnderConstruction, player: int) -> Term:
    """Basic Units that a player has in supply, on board, mat and areas, fighting, and in the hand that moves one."""
    s = w.s
    areas = as_term(s.supply[player] + s.camp[player, 0] + s.exhausted[player, 0] + s.port[player, 0])
    sites = sum_of(len(w.sites), lambda i: (s.site_owner[i] == player + 1) & (s.site_kind[i] == 0))

    mat = sum_of(len(Slot), lambda i: (s.slot[player, i] > 0) & (s.loc_unit[s.slot[player, i] - 1] == 1))
    housed = (s.found > 0) & (s.loc_unit[s.found - 1] == 1) & (s.by == player)
    moving = (s.held == 1) & (s.by == player)
    fighting = (s.fighter == 1) & (s.turn == player)
    return as_term(areas + sites + mat + housed + moving + fighting)


def _count_places_of_mercenary_figure(w: GameUnderConstruction, mercenary_kind: int) -> Term:
    """A mercenary figure is in one place, or its card is in the shop. Whose it is does not matter here."""
    s = w.s
    areas = sum_of(
        s.camp[q, mercenary_kind] + s.exhausted[q, mercenary_kind] + s.port[q, mercenary_kind] for q in range(w.players)
    )
    sites = sum_of(len(w.sites), lambda i: s.site_kind[i] == mercenary_kind)
    mats = sum_of(len(w.locations), lambda c: s.loc_unit[c] == mercenary_kind + 1)
    offered = sum_of(s.row[i] == mercenary_kind for i in range(3))
    waiting: Term = s.shop_deck[mercenary_kind - 1] + s.shop_discard[mercenary_kind - 1]
    return as_term(
        areas + sites + mats + (s.held == mercenary_kind + 1) + (s.fighter == mercenary_kind + 1) + offered + waiting
    )


def _build_invariant_of_artifact_places(w: GameUnderConstruction) -> Term:
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


def _build_invariant_of_sold_card_order(w: GameUnderConstruction) -> Term:
    """Under each deck lie a first sold card, a second, and so on, without a gap: so each can be drawn in its turn."""
    s, numbers = w.s, range(len(w.artifacts))
    decks = [[i for i in numbers if w.cards.artifacts[i].deck == d] for d in range(len(DECKS))]

    def in_order(cards: Sequence[int]) -> Term:
        below = sum_of(s.under[i] > 0 for i in cards)
        return all_of(
            sum_of(s.under[i] == place for i in cards) == (below >= place) for place in range(1, len(cards) + 1)
        )

    return all_of(in_order(cards) for cards in decks)


def _build_invariant_of_location_places(w: GameUnderConstruction) -> Term:
    """Each location is in its deck, on one mat, abandoned, or just found."""
    s, slots = w.s, range(len(Slot))

    def places(card: Value) -> Term:
        mats = sum_of(s.slot[q, i] == card + 1 for q in range(w.players) for i in slots)
        rest: Term = s.deck_locations[card] + s.abandoned[card]
        return as_term(mats + rest + (s.found == card + 1))

    return all_of(len(w.locations), lambda i: places(i) == 1)


def _build_invariant_of_consumable_places(w: GameUnderConstruction) -> Term:
    """Each consumable is in the deck, the row, the discards or with one player."""
    s, first = w.s, len(w.cards.mercenaries)

    def places(item: Value) -> Term:
        rest: Term = s.shop_deck[item + first] + s.shop_discard[item + first]
        held = sum_of(s.kit[q, item] for q in range(w.players))
        return rest + held + sum_of(s.row[i] == item + first + 1 for i in range(3))

    return all_of(len(w.consumables), lambda i: places(i) == 1)


def _build_invariant_of_victory_tokens(w: GameUnderConstruction) -> Term:
    """The Victory Tokens lying on the board are those each player has placed."""
    s = w.s

    def lying(player: int) -> Term:
        return sum_of(len(w.sites), lambda i: pick(s.token_owner[i] == player + 1, s.tokens[i], 0))

    return all_of(lying(q) == s.placed[q] for q in range(w.players))


def _build_invariant_of_crystal_count(w: GameUnderConstruction) -> Term:
    s = w.s
    left = sum_of(s.crystal_left[i] for i in range(3))
    return left + sum_of(s.crystals[q] for q in range(w.players)) == 3


def _build_invariant_of_empty_sites(w: GameUnderConstruction) -> Term:
    """An empty site has no kind of unit, no action taken on it, and no tokens without an owner."""
    s = w.s

    def sound(i: Value) -> Term:
        empty: Term = s.site_owner[i] == 0
        clear: Term = (s.site_kind[i] == 0) & (s.acted[i] == 0)
        bare: Term = s.token_owner[i] == 0
        return as_term((~empty | clear) & (bare == (s.tokens[i] == 0)))

    return all_of(len(w.sites), sound)


def _is_any_site_corrupted(w: GameUnderConstruction) -> Term:
    return as_term(~all_of(len(w.sites), lambda i: w.s.dug[i] != SiteCondition.CORRUPTED))


def _declare_claim_families(w: GameUnderConstruction) -> None:
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


def _declare_report_quantities(w: GameUnderConstruction, common: SharedRules) -> None:
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


def _declare_facts_for_searching_bots(w: GameUnderConstruction, common: SharedRules) -> None:
    """What is exchangeable between hidden hands and decks, and how good a state looks to each seat."""
    g, s = w.g, w.s
    decks = [[i for i, c in enumerate(w.cards.artifacts) if c.deck == d] for d in range(len(DECKS))]
    g.fact(exchangeable=[{"counts": ["hand", "deck_artifacts"], "kinds": [cards[0], cards[-1] + 1]} for cards in decks])

    def worth(q: int) -> Term:
        """Tokens above all; then what leads to them. A step begun (a unit in hand, cards to be drawn, a Victory
        Turn declared) counts as much as its fruit, so that a player who looks one step ahead begins it."""
        levels = sum_of(len(COLOURS), lambda c: s.atlas[q, c])
        standing = sum_of(len(w.sites), lambda i: (s.site_owner[i] == q + 1) * (w.level_of[i] * 3 + 3))
        mana = sum_of(len(Mana), lambda k: s.mana[q, k])
        home = sum_of(len(w.kinds), lambda k: s.camp[q, k] * 2 + s.port[q, k] * 3)
        begun = (s.held > 0) * 6 + s.draws * 4 + (g.current_phase == w.ph.victory.number) * 20
        return as_term(
            s.placed[q] * 60 + levels * 8 + standing + mana * 2 + s.hand_size[q] * 4 + home + pick(s.by == q, begun, 0)
        )

    g.fact(evaluate=tuple(worth(q) for q in range(w.players)))


# -- control -------------------------------------------------------------------------------------------------
# What always goes together while the game is played: each phase with the things that are under way in it.


def build_control_invariants_by_name(
    w: GameUnderConstruction, common: SharedRules, draws: DeckRules
) -> dict[str, Term]:
    """Conditions that hold in every state, by name."""
    m = PhaseConditions(w)
    return {
        "remembered": _build_invariant_of_remembered_phases(m),
        "in-hand": _build_invariant_of_pieces_in_hand(m),
        "whose-move": _build_invariant_of_acting_player(m),
        "combat": _build_invariant_of_attacked_place(m),
        "acted": _build_invariant_of_units_that_acted(m),
        "on-mats": _build_invariant_of_units_on_locations(w),
        "crystals-ahead": _build_invariant_of_crystals_ahead(m),
        "turns-counted": _build_invariant_of_turn_count(m),
        "allegiance": _build_invariant_of_players_asked(m),
        "under-way": _build_invariant_of_pending_amounts(m, common, draws),
        "scripts": _build_invariant_of_script_line(m),
        "attack-points": build_invariant_of_attack_points(m),
        "nobody-has-won": _build_invariant_of_no_winner_yet(m),
    }


def _build_invariant_of_no_winner_yet(m: PhaseConditions) -> Term:
    """The last token ends the game; only in a final battle is it known who still may win."""
    s = m.s
    open_yet = all_of(
        (s.placed[q] < m.w.cards.tokens) & (m.is_final_battle | (s.won[q] == 0)) for q in range(m.w.players)
    )
    return as_term((m.g.outcome != 0) | open_yet)


def _build_invariant_of_remembered_phases(m: PhaseConditions) -> Term:
    """Where cards, mana, tokens, and prices lead back to."""
    ph, s = m.ph, m.s
    return all_of(
        [
            _build_invariant_of_home_phase(m),
            *(
                build_implication_term(goes_on, m.is_remembered_phase_allowed(back))
                for back, goes_on in m.activity_by_memory_name.items()
            ),
            build_implication_term(
                m.is_current_phase_one_of(ph.which_deck), m.is_remembered_phase_one_of("draw_back", ph.resolve)
            ),
            build_implication_term(
                m.is_current_phase_one_of(ph.region) & m.is_remembered_phase_one_of("region_back", ph.restock),
                m.is_remembered_phase_one_of("shop_back", ph.turn),
            ),
            build_implication_term(
                m.is_current_phase_one_of(ph.pay) & m.is_remembered_phase_one_of("pay_back", ph.restock),
                m.is_remembered_phase_one_of("shop_back", ph.pause),
            ),
            build_implication_term(
                m.is_current_phase_one_of(ph.pay) & m.is_remembered_phase_one_of("pay_back", ph.deal),
                m.is_remembered_phase_one_of("draw_back", ph.pause),
            ),
            build_implication_term(
                s.rerolling,
                m.is_current_phase_one_of(ph.dice) & m.is_remembered_phase_one_of("back", ph.clash, ph.last),
            ),
            build_implication_term(
                ~(m.is_current_phase_one_of(ph.pause, ph.reply) | m.is_running_effect_played_in(ph.reply)), s.heard == 0
            ),
            build_implication_term(
                ~(m.is_current_phase_one_of(ph.parley, ph.last) | m.is_running_effect_played_in(ph.last)), s.passes == 0
            ),
        ]
    )


def _build_invariant_of_home_phase(m: PhaseConditions) -> Term:
    """The part of a turn to which its player comes back after every act; `act` as long as an Action Card lies there."""
    ph = m.ph
    homes = [getattr(ph, name) for name in KINDS["home"]]
    conditions = [
        build_implication_term(m.is_current_phase_one_of(p), m.is_remembered_phase_one_of("home", p))
        for p in m.w.phases_of_own_turn
    ]
    abroad = m.is_no_action_card_in_play | m.is_current_phase_one_of(ph.tidy)
    first_shop = (m.is_current_phase_one_of(ph.region) & m.is_remembered_phase_one_of("region_back", ph.restock)) | (
        m.is_filling_shop & m.is_remembered_phase_one_of("shop_back", ph.turn)
    )
    return all_of(
        [
            *conditions,
            m.is_current_phase_of_kind("set-up") | m.is_remembered_phase_one_of("home", *homes),
            build_implication_term(first_shop, m.is_remembered_phase_one_of("home", ph.turn)),
            build_implication_term(~abroad, m.is_remembered_phase_one_of("home", ph.act)),
        ]
    )


def _build_invariant_of_pieces_in_hand(m: PhaseConditions) -> Term:
    """A unit is moved, a location is housed, a fighter fights: just then."""
    s = m.s
    return as_term(
        ((s.held > 0) == m.is_current_phase_one_of(m.ph.where))
        & ((s.found > 0) == m.is_current_phase_one_of(m.ph.lodge))
        & ((s.fighter > 0) == m.is_combat_going_on)
        & ((s.target > 0) == m.is_combat_going_on)
    )


def _build_invariant_of_acting_player(m: PhaseConditions) -> Term:
    """Who acts: the player whose turn it is, one of the two who fight, or one who is asked."""
    s = m.s
    fighters = all_of(
        [
            s.defender != s.turn,
            build_implication_term(m.is_asking_location_owner, (s.by == s.defender) & (s.side == 0)),
            build_implication_term(m.is_asking_fighter & (s.side == 0), s.by == s.turn),
            build_implication_term(m.is_asking_fighter & (s.side == 1), s.by == s.defender),
        ]
    )
    own = ~(m.is_combat_going_on | m.is_asking_in_seat_order | m.is_asking_others_after_act)
    return as_term(build_implication_term(m.is_combat_going_on, fighters) & build_implication_term(own, s.by == s.turn))


def _build_invariant_of_attacked_place(m: PhaseConditions) -> Term:
    """The place that is fought for has its defender."""
    s, sites = m.s, len(m.w.sites)
    on_site = all_of(sites, lambda i: build_implication_term(s.target == i + 1, s.site_owner[i] == s.defender + 1))
    on_mat = all_of(
        len(m.w.locations),
        lambda c: build_implication_term(
            s.target == c + 1 + sites,
            any_of(len(Slot), lambda i: s.slot[s.defender, i] == c + 1)
            & build_implication_term(m.is_asking_location_owner, s.loc_unit[c] == 0),
        ),
    )
    return as_term(
        build_implication_term(m.is_combat_going_on, on_site & on_mat)
        & build_implication_term(m.is_asking_location_owner, s.target > sites)
    )


def _build_invariant_of_units_that_acted(m: PhaseConditions) -> Term:
    """Only units of the player whose turn it is have acted, with an Action Card in play."""
    s = m.s
    acting = all_of(
        len(m.w.sites), lambda i: build_implication_term(s.acted[i], (s.site_owner[i] == s.turn + 1) & (s.played > 0))
    )
    return as_term(
        build_implication_term(m.is_no_action_card_in_play, s.played == ActionCard.NOTHING)
        & build_implication_term(~(m.is_no_action_card_in_play | m.is_current_phase_one_of(m.ph.tidy)), s.played > 0)
        & acting
    )


def _build_invariant_of_units_on_locations(w: GameUnderConstruction) -> Term:
    """A unit stands on a location that lies on a mat, or is just being housed."""
    s = w.s

    def is_on_mat_or_found(card: Value) -> Term:
        mats = any_of(s.slot[q, i] == card + 1 for q in range(w.players) for i in Slot)
        return as_term(mats | (s.found == card + 1))

    return all_of(len(w.locations), lambda c: build_implication_term(s.loc_unit[c] > 0, is_on_mat_or_found(c)))


def _build_invariant_of_crystals_ahead(m: PhaseConditions) -> Term:
    """Crystals lie on the spaces that the wheel has not reached."""
    s, spaces = m.s, [i for i in range(len(m.w.spaces)) if m.w.spaces[i] == "god"]
    return all_of(
        build_implication_term(
            (s.wheel < space) | ((s.wheel == space) & m.is_current_phase_one_of(m.ph.favour)), s.crystal_left[i] == 1
        )
        for i, space in enumerate(spaces)
    )


def _build_invariant_of_turn_count(m: PhaseConditions) -> Term:
    """Turns are counted round by round; the one that comes is not counted before the wheel has moved."""
    s, n = m.s, m.w.players
    played = s.wheel * n + (s.turn - s.first + n) % n + 1
    waiting = s.wheel * n + (s.turn - s.first + n - 1) % n + 1
    return all_of(
        [
            build_implication_term(m.is_before_wheel_move, s.turns == waiting),
            build_implication_term(~m.is_before_wheel_move & ~m.is_current_phase_of_kind("the end"), s.turns == played),
            build_implication_term(m.is_first_players_turn_unbegun, s.turn == s.first),
            build_implication_term(m.is_current_phase_one_of(m.ph.lot), s.wheel == 0),
        ]
    )


def _build_invariant_of_players_asked(m: PhaseConditions) -> Term:
    """Loyalty Cards are chosen in turn, and dice of the final battle are rolled by one player after the other."""
    s, ph, n = m.s, m.ph, m.w.players
    choosing = all_of(
        [
            s.asked < n,
            s.by == (s.turn + s.asked) % n,
            *(build_implication_term((q - s.turn + n) % n >= s.asked, s.loyalty[q] == 0) for q in range(n)),
        ]
    )
    asking = m.is_asking_in_seat_order | m.is_final_battle
    if m.is_unlocking_together:  # the first who is asked may offer Artifacts, and place a token for them
        asking = any_of([asking, *m.build_offering_and_token_conditions(ph.unlock)])
    return as_term(
        build_implication_term(m.is_current_phase_one_of(ph.allegiance), choosing)
        & build_implication_term(~asking, s.asked == 0)
        & build_implication_term(m.is_current_phase_one_of(ph.duel), s.asked < n)
        & build_implication_term(m.is_current_phase_one_of(ph.lot), all_of(s.loyalty[q] == 0 for q in range(n)))
    )


def _build_invariant_of_pending_amounts(m: PhaseConditions, common: SharedRules, draws: DeckRules) -> Term:
    """What is to be paid, drawn, discarded, placed or moved can be."""
    s, ph, w = m.s, m.ph, m.w

    def get_mana_usable_as(kind: Mana) -> Value:
        wisdom = w.rulings.a18 == "wisdom" and kind is not Mana.WISDOM
        return as_term(s.mana[s.by, kind] + (s.mana[s.by, Mana.WISDOM] if wisdom else 0))

    own = any_of((s.debt_mana == k) & (get_mana_usable_as(k) >= s.debt) for k in Mana)
    any_kind = as_term((s.debt_mana == 3) & (common.wealth(s.by) >= s.debt))
    return all_of(
        [
            build_implication_term(m.is_current_phase_one_of(ph.pay), (s.debt > 0) & (own | any_kind)),
            build_implication_term(m.is_current_phase_one_of(ph.draw), (s.draws > 0) & draws.some(s.deck)),
            build_implication_term(
                m.is_current_phase_one_of(ph.reveal),
                any_of(3, lambda i: s.row[i] == 0) & any_of(len(w.cards.shop_names), lambda i: s.shop_deck[i]),
            ),
            build_implication_term(
                m.is_current_phase_one_of(ph.offer),
                (s.offered < w.cards.offering) & (s.hand_size[s.by] + s.offered >= w.cards.offering),
            ),
            build_implication_term(~m.is_current_phase_one_of(ph.offer), s.offered == 0),
            build_implication_term(
                m.is_current_phase_one_of(ph.offer, ph.token) | m.is_running_effect_played_in(ph.token),
                common.has_place(s.by),
            ),
            build_implication_term(m.is_current_phase_one_of(ph.which_atlas, ph.recover), s.steps > 0),
            build_implication_term(
                m.is_current_phase_one_of(ph.which_atlas), any_of(s.atlas[s.by, c] < 4 for c in range(3))
            ),
            build_implication_term(
                m.is_current_phase_one_of(ph.salvage), can_take_back_any_discarded_artifact(w, draws)
            ),
        ]
    )


def _build_invariant_of_script_line(m: PhaseConditions) -> Term:
    """A script is read to its end and no further; what only a combat can do happens there."""
    s, w, ph = m.s, m.w, m.ph
    length = m.g.table("length", [len(script) for script in w.cards.scripts])
    return as_term(
        build_implication_term(m.is_card_effect_running, s.line <= length[s.script])
        & build_implication_term(~m.is_card_effect_running, s.line == 0)
        & build_implication_term(
            m.is_card_effect_running & (w.table_of_combat_only_scripts[s.script] == 1),
            m.is_remembered_phase_one_of("back", ph.commit, ph.clash, ph.last),
        )
        & build_implication_term(
            m.is_card_effect_running & (w.table_of_reroll_scripts[s.script] == 1),
            m.is_remembered_phase_one_of("back", ph.clash, ph.last),
        )
    )
