"""The choices that card effects ask for: a deck, mana, an Atlas Token, a unit, an enemy, a discarded card."""

from __future__ import annotations

from playproof import Local, Value, goto, keep, min_of, require, when

from .card_effects import can_move_any_atlas_token, is_location_attacked
from .cards import COLOURS, DECKS, LEVELS, ExcavationMark, Mana, Slot
from .draw import DeckRules
from .shared_rules import SharedRules
from .table import GameUnderConstruction


def declare_choices_asked_by_effects(w: GameUnderConstruction, common: SharedRules, draws: DeckRules) -> None:
    """One phase for each choice; all return to the effect they came from."""
    _declare_deck_choice(w, draws)
    _declare_mana_choice(w, common)
    _declare_atlas_token_choice(w)
    _declare_recovery_by_effect(w, common)
    _declare_relocation_of_unit(w)
    _declare_exhausting_of_enemy(w, common)
    _declare_taking_back_of_discard(w, draws)


def _declare_deck_choice(w: GameUnderConstruction, draws: DeckRules) -> None:
    g, s, ph = w.g, w.s, w.ph

    @g.action(ph.which_deck, "draw from the {deck} deck", deck=DECKS, name="choose deck", rule="R81")
    def choose(deck: Local) -> None:
        require(draws.open_to(s.by, deck), "R63", "you have unlocked no region of this deck")
        s.deck = deck
        goto(ph.deal)


def _declare_mana_choice(w: GameUnderConstruction, common: SharedRules) -> None:
    g, s, ph = w.g, w.s, w.ph

    @g.action(ph.which_mana, "gain {mana}", mana=Mana, name="choose mana", rule="R43 R81")
    def choose(mana: Local) -> None:
        common.gain(s.by, mana, s.gain)
        s.gain = 0
        goto(s.mana_back)


def _declare_atlas_token_choice(w: GameUnderConstruction) -> None:
    g, s, ph = w.g, w.s, w.ph

    @g.action(ph.which_atlas, "move the {colour} Atlas Token", colour=COLOURS, name="choose atlas", rule="R64 R81")
    def choose(colour: Local) -> None:
        require(s.atlas[s.by, colour] < LEVELS, "R64", "it is at the end of its track")
        s.atlas[s.by, colour] = s.atlas[s.by, colour] + 1
        s.steps = s.steps - 1
        with when((s.steps == 0) | ~can_move_any_atlas_token(w)):
            s.steps = 0
            goto(ph.resolve)


def _declare_recovery_by_effect(w: GameUnderConstruction, common: SharedRules) -> None:
    g, s, ph = w.g, w.s, w.ph

    @g.action(ph.recover, "bring {kind} to camp", kind=w.kinds, name="bring", rule="R24")
    def bring(kind: Local) -> None:
        require(s.exhausted[s.by, kind] > 0, "R25", "no such unit is exhausted")
        s.exhausted[s.by, kind] = s.exhausted[s.by, kind] - 1
        s.camp[s.by, kind] = s.camp[s.by, kind] + 1
        s.steps = s.steps - 1
        with when((s.steps == 0) | ~common.can_recover(s.by)):
            s.steps = 0
            goto(ph.resolve)

    _declare_waiving_of_effect(w, "recover")


def _declare_waiving_of_effect(w: GameUnderConstruction, phase_name: str) -> None:
    """Most effects may be waived."""

    @w.g.action(getattr(w.ph, phase_name), "nothing more", name=f"skip {phase_name}")
    def skip() -> None:
        w.s.steps = 0
        goto(w.ph.resolve)


def _declare_relocation_of_unit(w: GameUnderConstruction) -> None:
    g, s, ph = w.g, w.s, w.ph

    def lift(kind: Value) -> None:
        s.held = kind + 1
        s.steps = 0
        s.where_back = ph.resolve.number
        goto(ph.where)

    @g.action(ph.relocate, "the unit on {site} moves", site=w.site_names, name="relocate from site", rule="R36 R39")
    def from_site(site: Local) -> None:
        require(s.site_owner[site] == s.by + 1, "R39", "no unit of yours stands there")
        require(s.acted[site] == 0, "R44", "this unit has acted this turn")
        require(s.target != site + 1, "R51", "this unit is fighting")
        kind = keep(s.site_kind[site])
        s.site_owner[site] = 0
        s.site_kind[site] = 0
        with when(s.dug_now[site] == ExcavationMark.HERE):
            s.dug_now[site] = ExcavationMark.MOVED
        lift(kind)

    @g.action(ph.relocate, "{kind} in Port moves", kind=w.kinds, name="relocate from port", rule="R36 R39")
    def from_port(kind: Local) -> None:
        require(s.port[s.by, kind] > 0, "R39", "no such unit of yours is in Port")
        s.port[s.by, kind] = s.port[s.by, kind] - 1
        _move_trade_marks_out_of_port(w, kind)
        lift(kind)

    @g.action(
        ph.relocate, "the unit on the {slot} location moves", slot=Slot, name="relocate from location", rule="R36 R39"
    )
    def from_location(slot: Local) -> None:
        card = s.slot[s.by, slot] - 1
        require((s.slot[s.by, slot] > 0) & (s.loc_unit[card] > 0), "R39", "no unit of yours stands there")
        require(~is_location_attacked(w, s.slot[s.by, slot]), "R52", "this unit is fighting")
        card = keep(s.slot[s.by, slot] - 1)
        kind = keep(s.loc_unit[card] - 1)
        s.loc_unit[card] = 0
        lift(kind)

    _declare_waiving_of_effect(w, "relocate")


def _move_trade_marks_out_of_port(w: GameUnderConstruction, kind: Value) -> None:
    """What a unit has bought and sold goes with it when a card moves it out of Port."""
    s = w.s
    for here, away in ((s.bought, s.bought_away), (s.sold, s.sold_away)):
        with when(here[kind] > 0):
            here[kind] = here[kind] - 1
            away[kind] = min_of(away[kind] + 1, away.field.hi)


def _declare_exhausting_of_enemy(w: GameUnderConstruction, common: SharedRules) -> None:
    g, s, ph = w.g, w.s, w.ph

    @g.action(ph.rout, "exhaust the enemy on {site}", site=w.site_names, name="rout", rule="R39")
    def rout(site: Local) -> None:
        require((s.site_owner[site] > 0) & (s.site_owner[site] != s.by + 1), "R39", "no enemy stands there")
        require(w.level_of[site] <= s.steps, "R39", "the card reaches level {}", s.steps)
        require(s.target != site + 1, "R39", "that unit is fighting")
        common.exhaust(site)
        if w.rulings.a8 == "always":  # else nobody fights in a turn of excavating
            s.dug_now[site] = ExcavationMark.NO
        s.steps = 0
        goto(ph.resolve)

    _declare_waiving_of_effect(w, "rout")


def _declare_taking_back_of_discard(w: GameUnderConstruction, draws: DeckRules) -> None:
    g, s, ph = w.g, w.s, w.ph

    @g.action(ph.salvage, "take {card} back", card=w.artifacts, name="salvage", public="card", rule="R39")
    def take(card: Local) -> None:
        require(s.discard[card] == 1, "R39", "the card is not in a discard pile")
        require(draws.open_to(s.by, w.card_deck[card]), "R63", "you have unlocked no region of its deck")
        s.discard[card] = 0
        s.hand[s.by, card] = 1
        s.hand_size[s.by] = s.hand_size[s.by] + 1
        s.steps = 0
        goto(ph.resolve)
