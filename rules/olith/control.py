"""What always goes together while the game is played: each phase with the things that are under way in it.

These conditions are kept by every small step only together with those of `invariants`; the verifier takes all of
them at once. Some are of interest by themselves (whose unit fights where), most say what a step may rely on.
"""

from __future__ import annotations

from rules.language import Phase, Term, Value, all_of, all_true, any_of, any_true
from rules.language.expr import as_term
from rules.olith.board import Mana, Play, Slot
from rules.olith.common import Common
from rules.olith.draw import Draws
from rules.olith.level4 import ARTIFACTS
from rules.olith.world import World


class Moment:
    """Conditions on the phase and on the phases that are remembered."""

    def __init__(self, w: World) -> None:
        self.g, self.s, self.ph, self.w = w.g, w.s, w.ph, w

    def at(self, *phases: Phase | None) -> Term:
        """The phase is one of these (those that the rulings leave out do not count)."""
        return any_true(self.g.phase == p.number for p in phases if p is not None)

    def leads(self, back: str, *phases: Phase) -> Term:
        """The phase remembered under a name is one of these."""
        return any_true(getattr(self.s, back) == p.number for p in phases)

    @property
    def drawing(self) -> Term:
        """Cards are being drawn."""
        return self.at(self.ph.deal, self.ph.draw, self.ph.lodge)

    @property
    def stocking(self) -> Term:
        """The shop is being filled."""
        return self.at(self.ph.restock, self.ph.reveal)

    @property
    def effect(self) -> Term:
        """A card's effect is being carried out."""
        ph, resolve = self.ph, self.ph.resolve
        return any_true([
            self.at(resolve, ph.which_deck, ph.which_atlas, ph.recover, ph.relocate, ph.rout, ph.salvage),
            self.at(ph.which_mana) & self.leads("mana_back", resolve),
            self.at(ph.where) & self.leads("where_back", resolve),
            self.drawing & self.leads("draw_back", resolve),
            self.stocking & self.leads("shop_back", resolve),
            self.at(ph.dice) & self.s.rerolling,
        ])

    def effect_of(self, *phases: Phase) -> Term:
        """An effect of a card played in one of these phases."""
        return self.effect & self.leads("back", *phases)

    @property
    def fight(self) -> Term:
        """A combat is going on."""
        ph = self.ph
        return self.at(ph.defend, ph.muster, ph.commit, ph.dice, ph.rally, ph.clash, ph.verdict) | self.effect_of(
            ph.commit, ph.clash)

    @property
    def between(self) -> Term:
        """No Action Card lies in the play area: before a turn, in a Victory Turn, after clearing up."""
        ph = self.ph
        return any_true([
            self.at(ph.lot, ph.allegiance, ph.crystals, ph.region, ph.dawn, ph.window, ph.wheel, ph.favour, ph.council,
                    ph.turn, ph.victory, ph.closing, ph.unlock, ph.after, ph.final, ph.trim, ph.duel, ph.duel_over),
            self.effect_of(ph.turn, ph.window, ph.unlock),
            self.at(ph.pay) & self.leads("pay_back", ph.turn),
            self.at(ph.offer) & self.leads("offer_back", ph.turn, ph.unlock),
            self.at(ph.token) & self.leads("token_back", ph.council, ph.turn, ph.unlock),
            self.stocking & self.leads("shop_back", ph.turn),
        ])


def lemmas(w: World, common: Common, draws: Draws) -> dict[str, Term]:
    """Conditions that hold in every state, by name."""
    m = Moment(w)
    return {
        "remembered": _remembered(m),
        "in-hand": _in_hand(m),
        "whose-move": _whose_move(m),
        "combat": _combat(m),
        "acted": _acted(m),
        "on-mats": _on_mats(w),
        "crystals-ahead": _crystals_ahead(m),
        "turns-counted": _turns(m),
        "allegiance": _allegiance(m),
        "under-way": _under_way(m, common, draws),
        "scripts": _scripts(m),
        "nobody-has-won": (w.g.outcome != 0) | all_true((w.s.placed[q] < 8) & (w.s.won[q] == 0)
                                                       for q in range(w.players)),
    }


def _if(condition: Value, then: Value) -> Term:
    return as_term(~as_term(condition) | then)


def _remembered(m: Moment) -> Term:
    """Where cards, mana, tokens, and prices lead back to."""
    ph = m.ph
    return all_true([
        _if(m.drawing, m.leads("draw_back", ph.act, ph.resolve)),
        _if(m.at(ph.which_deck), m.leads("draw_back", ph.resolve)),
        _if(m.at(ph.which_mana), m.leads("mana_back", ph.act, ph.resolve)),
        _if(m.at(ph.where), m.leads("where_back", ph.act, ph.resolve)),
        _if(m.stocking, m.leads("shop_back", ph.turn, ph.act, ph.resolve)),
        _if(m.at(ph.region), m.leads("region_back", ph.tidy, ph.restock)),
        _if(m.at(ph.region) & m.leads("region_back", ph.restock), m.leads("shop_back", ph.turn)),
        _if(m.at(ph.pay), m.leads("pay_back", ph.turn, ph.restock, ph.deal)),
        _if(m.at(ph.pay) & m.leads("pay_back", ph.restock), m.leads("shop_back", ph.act)),
        _if(m.at(ph.pay) & m.leads("pay_back", ph.deal), m.leads("draw_back", ph.act)),
        _if(m.at(ph.offer), m.leads("offer_back", ph.turn, ph.act, ph.unlock)),
        _if(m.at(ph.token), m.leads("token_back", ph.council, ph.turn, ph.act, ph.unlock)),
        _if(m.effect, m.leads("back", ph.turn, ph.act, ph.unlock, ph.window, ph.commit, ph.clash)),
        _if(m.s.rerolling, m.at(ph.dice) & m.leads("back", ph.clash)),
    ])


def _in_hand(m: Moment) -> Term:
    """A unit is moved, a location is housed, a fighter fights: just then."""
    s = m.s
    return as_term(((s.held > 0) == m.at(m.ph.where)) & ((s.found > 0) == m.at(m.ph.lodge))
                   & ((s.fighter > 0) == m.fight) & ((s.target > 0) == m.fight))


def _whose_move(m: Moment) -> Term:
    """Who acts: the player whose turn it is, one of the two who fight, or one who is asked."""
    s, ph = m.s, m.ph
    asked = m.at(ph.allegiance, ph.dawn, ph.window) | m.effect_of(ph.window)
    if m.w.rulings.a3 == "together":
        asked = asked | m.at(ph.unlock, ph.council) | m.effect_of(ph.unlock)
    sides = m.at(ph.commit, ph.clash) | m.effect_of(ph.commit, ph.clash)
    fighters = all_true([
        s.defender != s.turn,
        _if(m.at(ph.defend), s.by == s.defender),
        _if(sides & (s.side == 0), s.by == s.turn),
        _if(sides & (s.side == 1), s.by == s.defender),
    ])
    return as_term(_if(m.fight, fighters) & _if(~(m.fight | asked), s.by == s.turn))


def _combat(m: Moment) -> Term:
    """The place that is fought for has its defender."""
    s, ph, sites = m.s, m.ph, len(m.w.sites)
    on_site = all_of(sites, lambda i: _if(s.target == i + 1, s.site_owner[i] == s.defender + 1))
    on_mat = all_of(len(m.w.locations), lambda c: _if(
        s.target == c + 1 + sites,
        any_of(len(Slot), lambda i: s.slot[s.defender, i] == c + 1) & _if(m.at(ph.defend), s.loc_unit[c] == 0)))
    return as_term(_if(m.fight, on_site & on_mat) & _if(m.at(ph.defend), s.target > sites))


def _acted(m: Moment) -> Term:
    """Only units of the player whose turn it is have acted, with an Action Card in play."""
    s = m.s
    acting = all_of(len(m.w.sites), lambda i: _if(s.acted[i], (s.site_owner[i] == s.turn + 1) & (s.played > 0)))
    return as_term(_if(m.between, s.played == Play.NOTHING) & _if(~(m.between | m.at(m.ph.tidy)), s.played > 0)
                   & acting)


def _on_mats(w: World) -> Term:
    """A unit stands on a location that lies on a mat, or is just being housed."""
    s = w.s

    def lies(card: Value) -> Term:
        mats = any_true(s.slot[q, i] == card + 1 for q in range(w.players) for i in Slot)
        return as_term(mats | (s.found == card + 1))

    return all_of(len(w.locations), lambda c: _if(s.loc_unit[c] > 0, lies(c)))


def _crystals_ahead(m: Moment) -> Term:
    """Crystals lie on the spaces that the wheel has not reached."""
    s, spaces = m.s, [i for i in range(len(m.w.spaces)) if m.w.spaces[i] == "god"]
    return all_true(_if((s.wheel < space) | ((s.wheel == space) & m.at(m.ph.favour)), s.crystal_left[i] == 1)
                    for i, space in enumerate(spaces))


def _turns(m: Moment) -> Term:
    """Turns are counted round by round; the one that comes is not counted before the wheel has moved."""
    s, ph, n = m.s, m.ph, m.w.players
    coming = m.at(ph.dawn, ph.window, ph.wheel) | m.effect_of(ph.window)
    played = s.wheel * n + (s.turn - s.first + n) % n + 1
    waiting = s.wheel * n + (s.turn - s.first + n - 1) % n + 1
    over = m.at(ph.final, ph.duel, ph.duel_over)
    return all_true([
        _if(coming, s.turns == waiting), _if(~coming & ~over, s.turns == played),
        _if(m.at(ph.favour, ph.lot, ph.allegiance), s.turn == s.first), _if(m.at(ph.lot), s.wheel == 0),
    ])


def _allegiance(m: Moment) -> Term:
    """Loyalty Cards are chosen in turn."""
    s, ph, n = m.s, m.ph, m.w.players
    choosing = all_true([s.asked < n, s.by == (s.turn + s.asked) % n,
                         *(_if((q - s.turn + n) % n >= s.asked, s.loyalty[q] == 0) for q in range(n))])
    asking = m.at(ph.allegiance, ph.dawn, ph.window, ph.duel, ph.duel_over) | m.effect_of(ph.window)
    if m.w.rulings.a3 == "together":
        asking = asking | m.at(ph.council, ph.unlock) | m.effect_of(ph.unlock)
    return as_term(_if(m.at(ph.allegiance), choosing) & _if(~asking, s.asked == 0)
                   & _if(m.at(ph.lot), all_true(s.loyalty[q] == 0 for q in range(n))))


def _under_way(m: Moment, common: Common, draws: Draws) -> Term:
    """What is to be paid, drawn, discarded, placed or moved can be."""
    s, ph, w = m.s, m.ph, m.w
    own = any_true((s.debt_mana == k) & (s.mana[s.by, k] >= s.debt) for k in range(len(Mana)))
    any_kind = as_term((s.debt_mana == 3) & (common.wealth(s.by) >= s.debt))
    return all_true([
        _if(m.at(ph.pay), (s.debt > 0) & (own | any_kind)),
        _if(m.at(ph.draw), (s.draws > 0) & (draws.left(s.deck) > 0)),
        _if(m.at(ph.reveal), any_of(3, lambda i: s.row[i] == 0) & any_of(len(w.cards.shop_names),
                                                                        lambda i: s.shop_deck[i])),
        _if(m.at(ph.offer), (s.offered < ARTIFACTS) & (s.hand_size[s.by] + s.offered >= ARTIFACTS)),
        _if(~m.at(ph.offer), s.offered == 0),
        _if(m.at(ph.offer, ph.token), common.has_place(s.by)),
        _if(m.at(ph.which_atlas, ph.recover), s.steps > 0),
        _if(m.at(ph.which_atlas), any_true(s.atlas[s.by, c] < 4 for c in range(3))),
    ])


def _scripts(m: Moment) -> Term:
    """A script is read to its end and no further; what only a combat can do happens there."""
    s, w, ph = m.s, m.w, m.ph
    length = m.g.table("length", [len(script) for script in w.cards.scripts])
    return as_term(_if(m.effect, s.line <= length[s.script]) & _if(~m.effect, s.line == 0)
                   & _if(m.effect & (w.fights_only[s.script] == 1), m.leads("back", ph.clash)))


__all__ = ["lemmas"]
