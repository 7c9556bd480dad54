"""Units from camp to the board, and what attacks begin with (R36-R38, R50-R53, R63, R68)."""

from __future__ import annotations

from playproof import Local, Term, Value, goto, keep, min_of, pick, require, sum_of, when

from .board import ActionCard, ExcavationMark, Slot
from .combat import CombatStart
from .common import SharedRules
from .draw import DeckRules
from .world import Function, Tabletop


def declare_unit_moves(w: Tabletop, common: SharedRules, draws: DeckRules, combat: CombatStart) -> None:
    """Move a unit: choose it, then where it goes."""
    _declare_moving_of_unit_from_camp(w)
    _declare_destinations_of_moved_unit(w, common, draws)
    _declare_attacks_by_moved_unit(w, common, combat)


def _declare_moving_of_unit_from_camp(w: Tabletop) -> None:
    g, s, ph = w.g, w.s, w.ph

    @g.action(ph.act, "move {kind} from camp", kind=w.kinds, name="move", rule="R29 R36")
    def move(kind: Local) -> None:
        require(s.camp[s.by, kind] > 0, "R36", "no such unit is in your camp")
        s.camp[s.by, kind] = s.camp[s.by, kind] - 1
        s.held = kind + 1
        s.where_back = ph.pause.number
        goto(ph.where)


def _declare_destinations_of_moved_unit(w: Tabletop, common: SharedRules, draws: DeckRules) -> None:
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


def declare_location_owner_function(w: Tabletop) -> Function:
    """0 for nobody, else the number of the player (from 1) on whose mat a location lies."""
    g, s, n = w.g, w.s, w.players

    @g.function(card=len(w.locations))
    def location_owner(card: Local) -> Value:
        return sum_of(pick(s.slot[q, i] == card + 1, q + 1, 0) for q in range(n) for i in range(len(Slot)))

    return location_owner


def _declare_attacks_by_moved_unit(w: Tabletop, common: SharedRules, combat: CombatStart) -> None:
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
