"""The Action Cards Expedition and Tactics, units from camp to the board, what attacks begin with, and the
end of an Action Turn (R29, R36-R38, R44-R53, R63, R68)."""

from __future__ import annotations

from playproof import Local, Term, Value, goto, keep, max_of, min_of, otherwise, pick, require, sum_of, when

from .cards import ActionCard, Bonus, ExcavationMark, Mana, SiteCondition, Skill, Slot
from .combat import CombatStart
from .draw import DeckRules
from .shared_rules import SharedRules
from .table import Function, GameUnderConstruction

# -- act -----------------------------------------------------------------------------------------------------
# The Action Cards Expedition and Tactics, and the end of an Action Turn (R29, R44-R49).


def declare_unit_actions_and_turn_end(w: GameUnderConstruction, common: SharedRules, draws: DeckRules) -> None:
    """What units on sites do."""
    _declare_excavation(w, common, draws)
    _declare_corruption(w, common)
    _declare_gathering_of_mana(w, common)
    _declare_end_of_action_turn(w)


def _require_own_unit_that_can_act(w: GameUnderConstruction, site: Value, action_card: ActionCard) -> None:
    """A unit of yours stands there, may do this with the card in play, and has not acted this turn."""
    s = w.s
    require(s.played == action_card, "R44", f"the {action_card.name.capitalize()} card is not in play")
    require(s.site_owner[site] == s.by + 1, "R44", "no unit of yours stands there")
    require(s.acted[site] == 0, "R44", "this unit has acted this turn")


def _start_drawing_from_deck_of_site(w: GameUnderConstruction, site: Value, card_count: Value) -> None:
    s, ph = w.s, w.ph
    s.deck = w.region_deck[site]
    s.draws = card_count
    if w.rulings.a9 == "origin":
        s.draw_colour = w.colour_of[site] + 1
    s.draw_back = ph.pause.number
    goto(ph.deal)


def _declare_excavation(w: GameUnderConstruction, common: SharedRules, draws: DeckRules) -> None:
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


def _declare_corruption(w: GameUnderConstruction, common: SharedRules) -> None:
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
        require(s.dug_now[site] != ExcavationMark.HERE, "R48", "this unit has excavated the site in this turn")
        if w.rulings.a17 == "own":
            require(s.digger[site] == s.by + 1, "R47", "another player excavated it")
        require(
            purse(site) >= price(site), "R47", "it costs {} mana of the region, you have {}", price(site), purse(site)
        )
        s.dug[site] = SiteCondition.CORRUPTED
        owed = keep(price(site))
        with when(s.tireless):
            s.acted[site] = 1
        with otherwise():
            common.exhaust(site)
        _start_drawing_from_deck_of_site(w, site, 1)
        _charge_corruption_price_or_ask(w, site, owed)


def _charge_corruption_price_or_ask(w: GameUnderConstruction, site: Value, price: Value) -> None:
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


def _declare_gathering_of_mana(w: GameUnderConstruction, common: SharedRules) -> None:
    g, s, ph = w.g, w.s, w.ph

    @g.action(ph.act, "gain mana at {site}", site=w.site_names, name="gather", rule="R49 R40")
    def gather(site: Local) -> None:
        _require_own_unit_that_can_act(w, site, ActionCard.TACTICS)
        s.acted[site] = 1
        more = w.skill[s.site_kind[site], Skill.TACTICS]
        common.gain(s.by, w.colour_of[site], w.level_of[site] + more)
        goto(ph.pause)


def _declare_end_of_action_turn(w: GameUnderConstruction) -> None:
    g, ph = w.g, w.ph

    @g.action(ph.act, "end the Action Turn", name="end turn", rule="R22 R34")
    def end() -> None:
        goto(ph.tidy)


# -- move ----------------------------------------------------------------------------------------------------
# Units from camp to the board, and what attacks begin with (R36-R38, R50-R53, R63, R68).


def declare_unit_moves(w: GameUnderConstruction, common: SharedRules, draws: DeckRules, combat: CombatStart) -> None:
    """Move a unit: choose it, then where it goes."""
    _declare_moving_of_unit_from_camp(w)
    _declare_destinations_of_moved_unit(w, common, draws)
    _declare_attacks_by_moved_unit(w, common, combat)


def _declare_moving_of_unit_from_camp(w: GameUnderConstruction) -> None:
    g, s, ph = w.g, w.s, w.ph

    @g.action(ph.act, "move {kind} from camp", kind=w.kinds, name="move", rule="R29 R36")
    def move(kind: Local) -> None:
        require(s.camp[s.by, kind] > 0, "R36", "no such unit is in your camp")
        s.camp[s.by, kind] = s.camp[s.by, kind] - 1
        s.held = kind + 1
        s.where_back = ph.pause.number
        goto(ph.where)


def _declare_destinations_of_moved_unit(w: GameUnderConstruction, common: SharedRules, draws: DeckRules) -> None:
    g, s, ph = w.g, w.s, w.ph

    @g.action(ph.where, "to {site}", site=w.site_names, name="to site", rule="R37 R13")
    def to_site(site: Local) -> None:
        require(common.enterable(s.by, site), "R63", "the region is locked")
        require(s.site_owner[site] == 0, "R13", "a unit stands there already")
        common.arrive(s.by, s.held - 1, site)
        s.held = 0
        # Units of one kind look alike: one that a card moves back is the one that a card moved away (A36).
        with when((s.dug_now[site] == ExcavationMark.MOVED) & (s.where_back == ph.resolve.number)):
            s.dug_now[site] = ExcavationMark.HERE
        goto(s.where_back)

    @g.action(ph.where, "to Port", name="to port", rule="R37 R14 R40")
    def to_port() -> None:
        kind = keep(s.held - 1)
        s.port[s.by, kind] = s.port[s.by, kind] + 1
        s.held = 0
        for here, away in ((s.bought, s.bought_away), (s.sold, s.sold_away)):
            with when((away[kind] > 0) & (s.where_back == ph.resolve.number)):
                away[kind] = away[kind] - 1
                here[kind] = min_of(here[kind] + 1, here.field.hi)
        goto(s.where_back)

    @g.action(ph.where, "onto the abandoned {card}", card=w.locations, name="take abandoned", rule="R37 R68")
    def take(card: Local) -> None:
        require(s.abandoned[card] == 1, "R68", "the location is not abandoned")
        require(s.played != ActionCard.NOTHING, "R68", "abandoned locations are taken in an Action Turn")
        s.abandoned[card] = 0
        s.loc_unit[card] = s.held
        s.held = 0
        s.draw_back = s.where_back
        draws.house(s.by, card)


def declare_location_owner_function(w: GameUnderConstruction) -> Function:
    """0 for nobody, else the number of the player (from 1) on whose mat a location lies."""
    g, s, n = w.g, w.s, w.players

    @g.function(card=len(w.locations))
    def location_owner(card: Local) -> Value:
        return sum_of(pick(s.slot[q, i] == card + 1, q + 1, 0) for q in range(n) for i in range(len(Slot)))

    return location_owner


def _declare_attacks_by_moved_unit(w: GameUnderConstruction, common: SharedRules, combat: CombatStart) -> None:
    g, s, ph, port = w.g, w.s, w.ph, len(w.sites)
    owner_of = declare_location_owner_function(w)

    def may_attack() -> None:
        require(s.where_back == ph.pause.number, "R50", "only a unit from camp attacks")
        if w.rulings.a8 == "combat-card":
            require(s.played == ActionCard.COMBAT, "R50", "attacks need the Combat card in play")

    def enemy(owner: Term) -> Term:
        other: Term = owner != s.by + 1
        return (owner != 0) & other

    @g.action(ph.where, "attack {site}", site=(*w.site_names, "Port"), name="attack", rule="R38 R50 R51")
    def attack(site: Local) -> None:
        require(site != port, "R40", "no combat takes place in Port")
        may_attack()
        square = min_of(site, port - 1)  # Port has no square; it was refused above
        require((site == port) | enemy(s.site_owner[square]), "R38", "no enemy stands there")
        require((site == port) | common.enterable(s.by, square), "R63", "the region is locked")
        combat.start(s.site_owner[square] - 1, square + 1)
        goto(ph.muster)

    @g.action(ph.where, "attack the location {card}", card=w.locations, name="assault", rule="R38 R50 R52")
    def assault(card: Local) -> None:
        may_attack()
        owner = owner_of(card)
        require(enemy(owner), "R38", "it lies on no other player's mat")
        owner = keep(owner - 1)
        combat.start(owner, card + 1 + len(w.sites))
        combat.alert(owner, card)
