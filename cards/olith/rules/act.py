"""The Action Cards Expedition and Tactics, and the end of an Action Turn (R29, R44-R49)."""

from __future__ import annotations

from playproof import Local, Value, goto, keep, max_of, otherwise, pick, require, when

from .board import ActionCard, ExcavationMark, Mana, SiteCondition
from .cards import Bonus, Skill
from .common import SharedRules
from .draw import DeckRules
from .world import Tabletop


def declare_unit_actions_and_turn_end(w: Tabletop, common: SharedRules, draws: DeckRules) -> None:
    """What units on sites do."""
    _declare_excavation(w, common, draws)
    _declare_corruption(w, common)
    _declare_gathering_of_mana(w, common)
    _declare_end_of_action_turn(w)


def _require_own_unit_that_can_act(w: Tabletop, site: Value, action_card: ActionCard) -> None:
    """A unit of yours stands there, may do this with the card in play, and has not acted this turn."""
    s = w.s
    require(s.played == action_card, "R44", f"the {action_card.name.capitalize()} card is not in play")
    require(s.site_owner[site] == s.by + 1, "R44", "no unit of yours stands there")
    require(s.acted[site] == 0, "R44", "this unit has acted this turn")


def _start_drawing_from_deck_of_site(w: Tabletop, site: Value, card_count: Value) -> None:
    s, ph = w.s, w.ph
    s.deck = w.region_deck[site]
    s.draws = card_count
    if w.rulings.a9 == "origin":
        s.draw_colour = w.colour_of[site] + 1
    s.draw_back = ph.pause.number
    goto(ph.deal)


def _declare_excavation(w: Tabletop, common: SharedRules, draws: DeckRules) -> None:
    g, s, ph = w.g, w.s, w.ph

    @g.action(ph.act, "excavate {site}", site=w.site_names, name="excavate", rule="R44 R45 R46 R81")
    def excavate(site: Local) -> None:
        _require_own_unit_that_can_act(w, site, ActionCard.EXPEDITION)
        require(s.dug[site] == SiteCondition.BLANK, "R45", "the site is not blank: it was excavated before")
        if w.rulings.a15 == "forbidden":
            require(draws.some(w.region_deck[site]), "R45", "the deck of this region is empty")
        s.dug[site] = SiteCondition.EXCAVATED
        s.dug_now[site] = ExcavationMark.HERE
        if w.rulings.a17 == "own":
            s.digger[site] = s.by + 1
        s.acted[site] = 1
        extra = w.skill[s.site_kind[site], Skill.EXCAVATE]
        first = pick(s.dug_this_turn, 0, common.bonus(s.by, Bonus.DRAW))
        _start_drawing_from_deck_of_site(w, site, 1 + extra + first)
        s.dug_this_turn = 1


def _declare_corruption(w: Tabletop, common: SharedRules) -> None:
    g, s, ph = w.g, w.s, w.ph

    def price(site: Value) -> Value:
        return max_of(w.level_of[site] - w.skill[s.site_kind[site], Skill.CORRUPT], 0)

    def purse(site: Value) -> Value:
        own: Value = s.mana[s.by, w.colour_of[site]]
        if w.rulings.a18 == "wisdom":
            own = own + pick(w.colour_of[site] == Mana.WISDOM, 0, s.mana[s.by, Mana.WISDOM])
        return own

    @g.action(ph.act, "corrupt {site}", site=w.site_names, name="corrupt", rule="R47 R48")
    def corrupt(site: Local) -> None:
        require(s.wheel >= w.first_corruption_space, "R78", "the Fate Wheel has not reached Corruption")
        _require_own_unit_that_can_act(w, site, ActionCard.EXPEDITION)
        require(s.dug[site] != SiteCondition.BLANK, "R47", "the site has not been excavated")
        require(s.dug[site] != SiteCondition.CORRUPTED, "R47", "the site is corrupted already")
        require(
            s.dug_now[site] != ExcavationMark.HERE, "R48", "this unit has excavated the site in this turn"
        )
        if w.rulings.a17 == "own":
            require(s.digger[site] == s.by + 1, "R47", "another player excavated it")
        require(
            purse(site) >= price(site),
            "R47",
            "it costs {} mana of the region, you have {}",
            price(site),
            purse(site),
        )
        s.dug[site] = SiteCondition.CORRUPTED
        owed = keep(price(site))
        with when(s.tireless):
            s.acted[site] = 1
        with otherwise():
            common.exhaust(site)
        _start_drawing_from_deck_of_site(w, site, 1)
        _charge_corruption_price_or_ask(w, site, owed)


def _charge_corruption_price_or_ask(w: Tabletop, site: Value, price: Value) -> None:
    """The region's mana is paid; with Wisdom allowed the player says which (A18)."""
    s, ph = w.s, w.ph
    if w.rulings.a18 == "region":
        s.mana[s.by, w.colour_of[site]] = s.mana[s.by, w.colour_of[site]] - price
        return
    with when(price > 0):
        s.debt = price
        s.debt_mana = w.colour_of[site]
        s.pay_back = ph.deal.number
        goto(ph.pay)


def _declare_gathering_of_mana(w: Tabletop, common: SharedRules) -> None:
    g, s, ph = w.g, w.s, w.ph

    @g.action(ph.act, "gain mana at {site}", site=w.site_names, name="gather", rule="R49 R40")
    def gather(site: Local) -> None:
        _require_own_unit_that_can_act(w, site, ActionCard.TACTICS)
        s.acted[site] = 1
        more = w.skill[s.site_kind[site], Skill.TACTICS]
        common.gain(s.by, w.colour_of[site], w.level_of[site] + more)
        goto(ph.pause)


def _declare_end_of_action_turn(w: Tabletop) -> None:
    g, ph = w.g, w.ph

    @g.action(ph.act, "end the Action Turn", name="end turn", rule="R22 R34")
    def end() -> None:
        goto(ph.tidy)
