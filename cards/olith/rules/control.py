"""What always goes together while the game is played: each phase with the things that are under way in it.

These conditions are kept by every small step only together with those of `invariants`; the verifier takes all of
them at once. Some are of interest by themselves (whose unit fights where), most say what a step may rely on.
"""

from __future__ import annotations

from playproof import Term, Value, all_of, any_of
from playproof.language.expr import as_term

from .artifacts import can_salvage
from .board import ActionCard, Mana, Slot
from .common import SharedRules
from .draw import DeckRules
from .moment import KINDS, PhaseConditions, implies
from .points import build_attack_point_condition
from .world import Tabletop


def make_control_conditions(w: Tabletop, common: SharedRules, draws: DeckRules) -> dict[str, Term]:
    """Conditions that hold in every state, by name."""
    m = PhaseConditions(w)
    return {
        "remembered": _build_remembered_condition(m),
        "in-hand": _build_held_condition(m),
        "whose-move": _build_actor_condition(m),
        "combat": _build_combat_condition(m),
        "acted": _build_acted_condition(m),
        "on-mats": _build_mat_condition(w),
        "crystals-ahead": _build_crystal_condition(m),
        "turns-counted": _build_turn_condition(m),
        "allegiance": _build_allegiance_condition(m),
        "under-way": _build_under_way_condition(m, common, draws),
        "scripts": _build_script_condition(m),
        "attack-points": build_attack_point_condition(m),
        "nobody-has-won": _build_no_winner_condition(m),
    }


def _build_no_winner_condition(m: PhaseConditions) -> Term:
    """The last token ends the game; only in a final battle is it known who still may win."""
    s = m.s
    open_yet = all_of(
        (s.placed[q] < m.w.cards.tokens) & (m.duelling | (s.won[q] == 0)) for q in range(m.w.players)
    )
    return as_term((m.g.outcome != 0) | open_yet)


def _build_remembered_condition(m: PhaseConditions) -> Term:
    """Where cards, mana, tokens, and prices lead back to."""
    ph, s = m.ph, m.s
    return all_of(
        [
            _build_home_condition(m),
            *(implies(goes_on, m.has_allowed_memory(back)) for back, goes_on in m.under_way.items()),
            implies(m.is_phase_in(ph.which_deck), m.is_leading_back_to("draw_back", ph.resolve)),
            implies(
                m.is_phase_in(ph.region) & m.is_leading_back_to("region_back", ph.restock),
                m.is_leading_back_to("shop_back", ph.turn),
            ),
            implies(
                m.is_phase_in(ph.pay) & m.is_leading_back_to("pay_back", ph.restock),
                m.is_leading_back_to("shop_back", ph.pause),
            ),
            implies(
                m.is_phase_in(ph.pay) & m.is_leading_back_to("pay_back", ph.deal),
                m.is_leading_back_to("draw_back", ph.pause),
            ),
            implies(s.rerolling, m.is_phase_in(ph.dice) & m.is_leading_back_to("back", ph.clash, ph.last)),
            implies(~(m.is_phase_in(ph.pause, ph.reply) | m.is_effect_played_in(ph.reply)), s.heard == 0),
            implies(~(m.is_phase_in(ph.parley, ph.last) | m.is_effect_played_in(ph.last)), s.passes == 0),
        ]
    )


def _build_home_condition(m: PhaseConditions) -> Term:
    """The part of a turn to which its player comes back after every act; `act` as long as an Action Card lies there."""
    ph = m.ph
    homes = [getattr(ph, name) for name in KINDS["home"]]
    conditions = [implies(m.is_phase_in(p), m.is_leading_back_to("home", p)) for p in m.w.homes]
    abroad = m.between | m.is_phase_in(ph.tidy)
    first_shop = (m.is_phase_in(ph.region) & m.is_leading_back_to("region_back", ph.restock)) | (
        m.stocking & m.is_leading_back_to("shop_back", ph.turn)
    )
    return all_of(
        [
            *conditions,
            m.is_phase_of_kind("set-up") | m.is_leading_back_to("home", *homes),
            implies(first_shop, m.is_leading_back_to("home", ph.turn)),
            implies(~abroad, m.is_leading_back_to("home", ph.act)),
        ]
    )


def _build_held_condition(m: PhaseConditions) -> Term:
    """A unit is moved, a location is housed, a fighter fights: just then."""
    s = m.s
    return as_term(
        ((s.held > 0) == m.is_phase_in(m.ph.where))
        & ((s.found > 0) == m.is_phase_in(m.ph.lodge))
        & ((s.fighter > 0) == m.fight)
        & ((s.target > 0) == m.fight)
    )


def _build_actor_condition(m: PhaseConditions) -> Term:
    """Who acts: the player whose turn it is, one of the two who fight, or one who is asked."""
    s = m.s
    fighters = all_of(
        [
            s.defender != s.turn,
            implies(m.defending, (s.by == s.defender) & (s.side == 0)),
            implies(m.sides & (s.side == 0), s.by == s.turn),
            implies(m.sides & (s.side == 1), s.by == s.defender),
        ]
    )
    own = ~(m.fight | m.in_seat_order | m.others)
    return as_term(implies(m.fight, fighters) & implies(own, s.by == s.turn))


def _build_combat_condition(m: PhaseConditions) -> Term:
    """The place that is fought for has its defender."""
    s, sites = m.s, len(m.w.sites)
    on_site = all_of(sites, lambda i: implies(s.target == i + 1, s.site_owner[i] == s.defender + 1))
    on_mat = all_of(
        len(m.w.locations),
        lambda c: implies(
            s.target == c + 1 + sites,
            any_of(len(Slot), lambda i: s.slot[s.defender, i] == c + 1)
            & implies(m.defending, s.loc_unit[c] == 0),
        ),
    )
    return as_term(implies(m.fight, on_site & on_mat) & implies(m.defending, s.target > sites))


def _build_acted_condition(m: PhaseConditions) -> Term:
    """Only units of the player whose turn it is have acted, with an Action Card in play."""
    s = m.s
    acting = all_of(
        len(m.w.sites), lambda i: implies(s.acted[i], (s.site_owner[i] == s.turn + 1) & (s.played > 0))
    )
    return as_term(
        implies(m.between, s.played == ActionCard.NOTHING)
        & implies(~(m.between | m.is_phase_in(m.ph.tidy)), s.played > 0)
        & acting
    )


def _build_mat_condition(w: Tabletop) -> Term:
    """A unit stands on a location that lies on a mat, or is just being housed."""
    s = w.s

    def lies(card: Value) -> Term:
        mats = any_of(s.slot[q, i] == card + 1 for q in range(w.players) for i in Slot)
        return as_term(mats | (s.found == card + 1))

    return all_of(len(w.locations), lambda c: implies(s.loc_unit[c] > 0, lies(c)))


def _build_crystal_condition(m: PhaseConditions) -> Term:
    """Crystals lie on the spaces that the wheel has not reached."""
    s, spaces = m.s, [i for i in range(len(m.w.spaces)) if m.w.spaces[i] == "god"]
    return all_of(
        implies((s.wheel < space) | ((s.wheel == space) & m.is_phase_in(m.ph.favour)), s.crystal_left[i] == 1)
        for i, space in enumerate(spaces)
    )


def _build_turn_condition(m: PhaseConditions) -> Term:
    """Turns are counted round by round; the one that comes is not counted before the wheel has moved."""
    s, n = m.s, m.w.players
    played = s.wheel * n + (s.turn - s.first + n) % n + 1
    waiting = s.wheel * n + (s.turn - s.first + n - 1) % n + 1
    return all_of(
        [
            implies(m.coming, s.turns == waiting),
            implies(~m.coming & ~m.is_phase_of_kind("the end"), s.turns == played),
            implies(m.beginning, s.turn == s.first),
            implies(m.is_phase_in(m.ph.lot), s.wheel == 0),
        ]
    )


def _build_allegiance_condition(m: PhaseConditions) -> Term:
    """Loyalty Cards are chosen in turn, and dice of the final battle are rolled by one player after the other."""
    s, ph, n = m.s, m.ph, m.w.players
    choosing = all_of(
        [
            s.asked < n,
            s.by == (s.turn + s.asked) % n,
            *(implies((q - s.turn + n) % n >= s.asked, s.loyalty[q] == 0) for q in range(n)),
        ]
    )
    asking = m.in_seat_order | m.duelling
    if m.together:  # the first who is asked may offer Artifacts, and place a token for them
        asking = any_of([asking, *m.list_offering_conditions(ph.unlock)])
    return as_term(
        implies(m.is_phase_in(ph.allegiance), choosing)
        & implies(~asking, s.asked == 0)
        & implies(m.is_phase_in(ph.duel), s.asked < n)
        & implies(m.is_phase_in(ph.lot), all_of(s.loyalty[q] == 0 for q in range(n)))
    )


def _build_under_way_condition(m: PhaseConditions, common: SharedRules, draws: DeckRules) -> Term:
    """What is to be paid, drawn, discarded, placed or moved can be."""
    s, ph, w = m.s, m.ph, m.w

    def usable(kind: Mana) -> Value:
        wisdom = w.rulings.a18 == "wisdom" and kind is not Mana.WISDOM
        return as_term(s.mana[s.by, kind] + (s.mana[s.by, Mana.WISDOM] if wisdom else 0))

    own = any_of((s.debt_mana == k) & (usable(k) >= s.debt) for k in Mana)
    any_kind = as_term((s.debt_mana == 3) & (common.wealth(s.by) >= s.debt))
    return all_of(
        [
            implies(m.is_phase_in(ph.pay), (s.debt > 0) & (own | any_kind)),
            implies(m.is_phase_in(ph.draw), (s.draws > 0) & draws.some(s.deck)),
            implies(
                m.is_phase_in(ph.reveal),
                any_of(3, lambda i: s.row[i] == 0)
                & any_of(len(w.cards.shop_names), lambda i: s.shop_deck[i]),
            ),
            implies(
                m.is_phase_in(ph.offer),
                (s.offered < w.cards.offering) & (s.hand_size[s.by] + s.offered >= w.cards.offering),
            ),
            implies(~m.is_phase_in(ph.offer), s.offered == 0),
            implies(
                m.is_phase_in(ph.offer, ph.token) | m.is_effect_played_in(ph.token), common.has_place(s.by)
            ),
            implies(m.is_phase_in(ph.which_atlas, ph.recover), s.steps > 0),
            implies(m.is_phase_in(ph.which_atlas), any_of(s.atlas[s.by, c] < 4 for c in range(3))),
            implies(m.is_phase_in(ph.salvage), can_salvage(w, draws)),
        ]
    )


def _build_script_condition(m: PhaseConditions) -> Term:
    """A script is read to its end and no further; what only a combat can do happens there."""
    s, w, ph = m.s, m.w, m.ph
    length = m.g.table("length", [len(script) for script in w.cards.scripts])
    return as_term(
        implies(m.effect, s.line <= length[s.script])
        & implies(~m.effect, s.line == 0)
        & implies(
            m.effect & (w.fights_only[s.script] == 1),
            m.is_leading_back_to("back", ph.commit, ph.clash, ph.last),
        )
        & implies(m.effect & (w.rolls_only[s.script] == 1), m.is_leading_back_to("back", ph.clash, ph.last))
    )
