"""What always goes together while the game is played: each phase with the things that are under way in it.

These conditions are kept by every small step only together with those of `invariants`; the verifier takes all of
them at once. Some are of interest by themselves (whose unit fights where), most say what a step may rely on.
"""

from __future__ import annotations

from playproof import Term, Value, all_of, any_of
from playproof.language.expr import as_term

from .artifacts import can_take_back_any_discarded_artifact
from .board import ActionCard, Mana, Slot
from .common import SharedRules
from .draw import DeckRules
from .moment import KINDS, PhaseConditions, implies
from .points import build_invariant_of_attack_points
from .world import Tabletop


def build_control_invariants_by_name(w: Tabletop, common: SharedRules, draws: DeckRules) -> dict[str, Term]:
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
                implies(goes_on, m.is_remembered_phase_allowed(back))
                for back, goes_on in m.activity_by_memory_name.items()
            ),
            implies(
                m.is_current_phase_one_of(ph.which_deck),
                m.is_remembered_phase_one_of("draw_back", ph.resolve),
            ),
            implies(
                m.is_current_phase_one_of(ph.region)
                & m.is_remembered_phase_one_of("region_back", ph.restock),
                m.is_remembered_phase_one_of("shop_back", ph.turn),
            ),
            implies(
                m.is_current_phase_one_of(ph.pay) & m.is_remembered_phase_one_of("pay_back", ph.restock),
                m.is_remembered_phase_one_of("shop_back", ph.pause),
            ),
            implies(
                m.is_current_phase_one_of(ph.pay) & m.is_remembered_phase_one_of("pay_back", ph.deal),
                m.is_remembered_phase_one_of("draw_back", ph.pause),
            ),
            implies(
                s.rerolling,
                m.is_current_phase_one_of(ph.dice) & m.is_remembered_phase_one_of("back", ph.clash, ph.last),
            ),
            implies(
                ~(m.is_current_phase_one_of(ph.pause, ph.reply) | m.is_running_effect_played_in(ph.reply)),
                s.heard == 0,
            ),
            implies(
                ~(m.is_current_phase_one_of(ph.parley, ph.last) | m.is_running_effect_played_in(ph.last)),
                s.passes == 0,
            ),
        ]
    )


def _build_invariant_of_home_phase(m: PhaseConditions) -> Term:
    """The part of a turn to which its player comes back after every act; `act` as long as an Action Card lies there."""
    ph = m.ph
    homes = [getattr(ph, name) for name in KINDS["home"]]
    conditions = [
        implies(m.is_current_phase_one_of(p), m.is_remembered_phase_one_of("home", p))
        for p in m.w.phases_of_own_turn
    ]
    abroad = m.is_no_action_card_in_play | m.is_current_phase_one_of(ph.tidy)
    first_shop = (
        m.is_current_phase_one_of(ph.region) & m.is_remembered_phase_one_of("region_back", ph.restock)
    ) | (m.is_filling_shop & m.is_remembered_phase_one_of("shop_back", ph.turn))
    return all_of(
        [
            *conditions,
            m.is_current_phase_of_kind("set-up") | m.is_remembered_phase_one_of("home", *homes),
            implies(first_shop, m.is_remembered_phase_one_of("home", ph.turn)),
            implies(~abroad, m.is_remembered_phase_one_of("home", ph.act)),
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
            implies(m.is_asking_location_owner, (s.by == s.defender) & (s.side == 0)),
            implies(m.is_asking_fighter & (s.side == 0), s.by == s.turn),
            implies(m.is_asking_fighter & (s.side == 1), s.by == s.defender),
        ]
    )
    own = ~(m.is_combat_going_on | m.is_asking_in_seat_order | m.is_asking_others_after_act)
    return as_term(implies(m.is_combat_going_on, fighters) & implies(own, s.by == s.turn))


def _build_invariant_of_attacked_place(m: PhaseConditions) -> Term:
    """The place that is fought for has its defender."""
    s, sites = m.s, len(m.w.sites)
    on_site = all_of(sites, lambda i: implies(s.target == i + 1, s.site_owner[i] == s.defender + 1))
    on_mat = all_of(
        len(m.w.locations),
        lambda c: implies(
            s.target == c + 1 + sites,
            any_of(len(Slot), lambda i: s.slot[s.defender, i] == c + 1)
            & implies(m.is_asking_location_owner, s.loc_unit[c] == 0),
        ),
    )
    return as_term(
        implies(m.is_combat_going_on, on_site & on_mat)
        & implies(m.is_asking_location_owner, s.target > sites)
    )


def _build_invariant_of_units_that_acted(m: PhaseConditions) -> Term:
    """Only units of the player whose turn it is have acted, with an Action Card in play."""
    s = m.s
    acting = all_of(
        len(m.w.sites), lambda i: implies(s.acted[i], (s.site_owner[i] == s.turn + 1) & (s.played > 0))
    )
    return as_term(
        implies(m.is_no_action_card_in_play, s.played == ActionCard.NOTHING)
        & implies(~(m.is_no_action_card_in_play | m.is_current_phase_one_of(m.ph.tidy)), s.played > 0)
        & acting
    )


def _build_invariant_of_units_on_locations(w: Tabletop) -> Term:
    """A unit stands on a location that lies on a mat, or is just being housed."""
    s = w.s

    def lies(card: Value) -> Term:
        mats = any_of(s.slot[q, i] == card + 1 for q in range(w.players) for i in Slot)
        return as_term(mats | (s.found == card + 1))

    return all_of(len(w.locations), lambda c: implies(s.loc_unit[c] > 0, lies(c)))


def _build_invariant_of_crystals_ahead(m: PhaseConditions) -> Term:
    """Crystals lie on the spaces that the wheel has not reached."""
    s, spaces = m.s, [i for i in range(len(m.w.spaces)) if m.w.spaces[i] == "god"]
    return all_of(
        implies(
            (s.wheel < space) | ((s.wheel == space) & m.is_current_phase_one_of(m.ph.favour)),
            s.crystal_left[i] == 1,
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
            implies(m.is_before_wheel_move, s.turns == waiting),
            implies(~m.is_before_wheel_move & ~m.is_current_phase_of_kind("the end"), s.turns == played),
            implies(m.is_first_players_turn_unbegun, s.turn == s.first),
            implies(m.is_current_phase_one_of(m.ph.lot), s.wheel == 0),
        ]
    )


def _build_invariant_of_players_asked(m: PhaseConditions) -> Term:
    """Loyalty Cards are chosen in turn, and dice of the final battle are rolled by one player after the other."""
    s, ph, n = m.s, m.ph, m.w.players
    choosing = all_of(
        [
            s.asked < n,
            s.by == (s.turn + s.asked) % n,
            *(implies((q - s.turn + n) % n >= s.asked, s.loyalty[q] == 0) for q in range(n)),
        ]
    )
    asking = m.is_asking_in_seat_order | m.is_final_battle
    if m.is_unlocking_together:  # the first who is asked may offer Artifacts, and place a token for them
        asking = any_of([asking, *m.build_offering_and_token_conditions(ph.unlock)])
    return as_term(
        implies(m.is_current_phase_one_of(ph.allegiance), choosing)
        & implies(~asking, s.asked == 0)
        & implies(m.is_current_phase_one_of(ph.duel), s.asked < n)
        & implies(m.is_current_phase_one_of(ph.lot), all_of(s.loyalty[q] == 0 for q in range(n)))
    )


def _build_invariant_of_pending_amounts(m: PhaseConditions, common: SharedRules, draws: DeckRules) -> Term:
    """What is to be paid, drawn, discarded, placed or moved can be."""
    s, ph, w = m.s, m.ph, m.w

    def usable(kind: Mana) -> Value:
        wisdom = w.rulings.a18 == "wisdom" and kind is not Mana.WISDOM
        return as_term(s.mana[s.by, kind] + (s.mana[s.by, Mana.WISDOM] if wisdom else 0))

    own = any_of((s.debt_mana == k) & (usable(k) >= s.debt) for k in Mana)
    any_kind = as_term((s.debt_mana == 3) & (common.wealth(s.by) >= s.debt))
    return all_of(
        [
            implies(m.is_current_phase_one_of(ph.pay), (s.debt > 0) & (own | any_kind)),
            implies(m.is_current_phase_one_of(ph.draw), (s.draws > 0) & draws.some(s.deck)),
            implies(
                m.is_current_phase_one_of(ph.reveal),
                any_of(3, lambda i: s.row[i] == 0)
                & any_of(len(w.cards.shop_names), lambda i: s.shop_deck[i]),
            ),
            implies(
                m.is_current_phase_one_of(ph.offer),
                (s.offered < w.cards.offering) & (s.hand_size[s.by] + s.offered >= w.cards.offering),
            ),
            implies(~m.is_current_phase_one_of(ph.offer), s.offered == 0),
            implies(
                m.is_current_phase_one_of(ph.offer, ph.token) | m.is_running_effect_played_in(ph.token),
                common.has_place(s.by),
            ),
            implies(m.is_current_phase_one_of(ph.which_atlas, ph.recover), s.steps > 0),
            implies(
                m.is_current_phase_one_of(ph.which_atlas), any_of(s.atlas[s.by, c] < 4 for c in range(3))
            ),
            implies(m.is_current_phase_one_of(ph.salvage), can_take_back_any_discarded_artifact(w, draws)),
        ]
    )


def _build_invariant_of_script_line(m: PhaseConditions) -> Term:
    """A script is read to its end and no further; what only a combat can do happens there."""
    s, w, ph = m.s, m.w, m.ph
    length = m.g.table("length", [len(script) for script in w.cards.scripts])
    return as_term(
        implies(m.is_card_effect_running, s.line <= length[s.script])
        & implies(~m.is_card_effect_running, s.line == 0)
        & implies(
            m.is_card_effect_running & (w.table_of_combat_only_scripts[s.script] == 1),
            m.is_remembered_phase_one_of("back", ph.commit, ph.clash, ph.last),
        )
        & implies(
            m.is_card_effect_running & (w.table_of_reroll_scripts[s.script] == 1),
            m.is_remembered_phase_one_of("back", ph.clash, ph.last),
        )
    )
