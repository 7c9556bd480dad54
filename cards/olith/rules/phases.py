"""A moment of the game: which phase it is, and for the sake of what.

This is the one place where phases are listed: `KINDS` by what they are for, `REMEMBERED` by what leads back to them,
and the properties of a moment by who is asked. A new phase is entered here, and a test compares the lists with the
game. `control` and `points` say what holds in each kind of moment, and claims prove it."""

from __future__ import annotations

from functools import cached_property

from playproof import Phase, Term, Value, any_of
from playproof.language.expr import as_term

from .table import GameUnderConstruction

KINDS: dict[str, tuple[str, ...]] = {
    "set-up": ("lot", "allegiance", "crystals"),
    "before a turn": ("dawn", "window", "wheel", "favour", "council"),
    "home": ("turn", "act", "victory", "unlock"),  # the player whose turn it is may begin any act
    "others": ("pause", "reply"),  # after an act of that player
    "combat": ("defend", "muster", "commit", "dice", "rally", "clash", "parley", "last", "verdict"),
    "effect": ("resolve", "which_deck", "which_atlas", "recover", "relocate", "rout", "salvage"),
    "part of an act": ("pay", "where", "which_mana", "offer", "token", "region"),
    "drawing": ("deal", "draw", "lodge"),
    "stocking": ("restock", "reveal"),
    "after a turn": ("tidy", "trim", "closing", "after"),
    "the end": ("final", "duel", "duel_over"),
}
"""Every phase by what it is for. A part of an act, a draw or a refill belongs to what its `..._back` remembers."""

SIDES = ("commit", "clash", "last")
"""In these a fighter of a combat is asked, first the attacker, then the defender."""

REMEMBERED: dict[str, tuple[str, ...]] = {
    "draw_back": ("pause", "resolve"),
    "mana_back": ("pause", "resolve"),
    "where_back": ("pause", "resolve"),
    "shop_back": ("turn", "pause", "resolve"),
    "region_back": ("tidy", "restock"),
    "pay_back": ("pause", "restock", "deal"),
    "offer_back": ("pause",),
    "token_back": ("council", "pause"),
    "back": ("pause", "window", "reply", "token", "defend", *SIDES),
}
"""The phases to which each name may lead back while what it is for goes on."""
UNLOCKING = ("offer_back", "token_back", "back")
"""These lead back to `unlock` too where all players unlock together (ruling A3): it is then no part of a turn."""


class PhaseConditions:
    """Conditions on the phase and on the phases that are remembered."""

    def __init__(self, w: GameUnderConstruction) -> None:
        self.g, self.s, self.ph, self.w = w.g, w.s, w.ph, w

    def is_current_phase_one_of(self, *phases: Phase | None) -> Term:
        """The phase is one of these (those that the rulings leave out do not count)."""
        return any_of(self.g.current_phase == p.number for p in phases if p is not None)

    def is_current_phase_of_kind(self, *kinds: str) -> Term:
        """The phase is of one of these kinds."""
        return self.is_current_phase_one_of(*(getattr(self.ph, name) for kind in kinds for name in KINDS[kind]))

    def is_remembered_phase_one_of(self, memory_name: str, *phases: Phase) -> Term:
        """The phase remembered under a name is one of these."""
        return any_of(getattr(self.s, memory_name) == p.number for p in phases)

    def is_remembered_phase_allowed(self, memory_name: str) -> Term:
        """The phase remembered under a name is one of those that it may be."""
        named = (
            *REMEMBERED[memory_name],
            *(("unlock",) if self.is_unlocking_together and memory_name in UNLOCKING else ()),
        )
        return self.is_remembered_phase_one_of(memory_name, *(getattr(self.ph, name) for name in named))

    @cached_property
    def activity_by_memory_name(self) -> dict[str, Term]:
        """For each name under which a phase is remembered: whether that goes on for which it is."""
        ph = self.ph
        return {
            "draw_back": self.is_drawing_cards,
            "mana_back": self.is_current_phase_one_of(ph.which_mana),
            "where_back": self.is_current_phase_one_of(ph.where),
            "shop_back": self.is_filling_shop,
            "region_back": self.is_current_phase_one_of(ph.region),
            "pay_back": self.is_current_phase_one_of(ph.pay),
            "offer_back": self.is_current_phase_one_of(ph.offer),
            "token_back": self.is_current_phase_one_of(ph.token) | self.is_running_effect_played_in(ph.token),
            "back": self.is_card_effect_running,
        }

    @cached_property
    def is_unlocking_together(self) -> bool:
        """Whether all players unlock regions together (A3)."""
        return self.w.rulings.a3 == "together"

    @cached_property
    def is_before_wheel_move(self) -> Term:
        """The wheel has not moved on to the turn that comes."""
        ph = self.ph
        return self.is_current_phase_one_of(ph.dawn, ph.window, ph.wheel) | self.is_running_effect_played_in(ph.window)

    @cached_property
    def is_first_players_turn_unbegun(self) -> Term:
        """It is the first player's turn, but not begun."""
        return self.is_current_phase_one_of(self.ph.favour, self.ph.lot, self.ph.allegiance)

    @cached_property
    def is_asking_in_seat_order(self) -> Term:
        """Players are asked one after the other, whoever's turn it is: before a turn, or after another's act."""
        ph = self.ph
        in_order = self.is_current_phase_one_of(ph.allegiance, ph.dawn, ph.window) | self.is_running_effect_played_in(
            ph.window
        )
        if self.is_unlocking_together:
            in_order = (
                in_order
                | self.is_current_phase_one_of(ph.unlock, ph.council)
                | self.is_running_effect_played_in(ph.unlock)
            )
        return in_order

    @cached_property
    def is_asking_fighter(self) -> Term:
        """A fighter of a combat is asked."""
        fighters = [getattr(self.ph, name) for name in SIDES]
        return self.is_current_phase_one_of(*fighters) | self.is_running_effect_played_in(*fighters)

    @cached_property
    def is_asking_location_owner(self) -> Term:
        """The owner of an attacked location is asked who defends it."""
        return self.is_current_phase_one_of(self.ph.defend) | self.is_running_effect_played_in(self.ph.defend)

    @cached_property
    def is_final_battle(self) -> Term:
        """The final battle is fought."""
        return self.is_current_phase_one_of(self.ph.duel, self.ph.duel_over)

    @cached_property
    def is_drawing_cards(self) -> Term:
        """Cards are being drawn."""
        return self.is_current_phase_of_kind("drawing")

    @cached_property
    def is_filling_shop(self) -> Term:
        """The shop is being filled."""
        return self.is_current_phase_of_kind("stocking")

    @cached_property
    def is_card_effect_running(self) -> Term:
        """A card's effect is being carried out."""
        ph, resolve = self.ph, self.ph.resolve
        return any_of(
            [
                self.is_current_phase_of_kind("effect"),
                self.is_current_phase_one_of(ph.which_mana) & self.is_remembered_phase_one_of("mana_back", resolve),
                self.is_current_phase_one_of(ph.where) & self.is_remembered_phase_one_of("where_back", resolve),
                self.is_drawing_cards & self.is_remembered_phase_one_of("draw_back", resolve),
                self.is_filling_shop & self.is_remembered_phase_one_of("shop_back", resolve),
                self.is_current_phase_one_of(ph.dice) & self.s.rerolling,
            ]
        )

    def is_running_effect_played_in(self, *phases: Phase) -> Term:
        """An effect of a card played in one of these phases (`pause`: in a player's own turn)."""
        return self.is_card_effect_running & self.is_remembered_phase_one_of("back", *phases)

    @cached_property
    def is_combat_going_on(self) -> Term:
        """A combat is going on."""
        return self.is_current_phase_of_kind("combat") | self.is_asking_location_owner | self.is_asking_fighter

    @cached_property
    def is_asking_others_after_act(self) -> Term:
        """Other players may speak after an act."""
        return self.is_current_phase_of_kind("others") | self.is_running_effect_played_in(self.ph.reply)

    @cached_property
    def is_no_action_card_in_play(self) -> Term:
        """No Action Card lies in the play area: before a turn, in a Victory Turn, after clearing up."""
        ph = self.ph
        resting = ~self.is_remembered_phase_one_of("home", ph.act)
        of_turn = any_of(
            [
                self.is_asking_others_after_act,
                self.is_running_effect_played_in(ph.pause),
                self.is_current_phase_one_of(ph.pay) & self.is_remembered_phase_one_of("pay_back", ph.pause),
                *self.build_offering_and_token_conditions(ph.pause),
                self.is_filling_shop & self.is_remembered_phase_one_of("shop_back", ph.pause),
            ]
        )
        return any_of(
            [
                self.is_current_phase_of_kind("set-up", "before a turn", "the end"),
                self.is_current_phase_one_of(ph.region, ph.turn, ph.victory, ph.unlock),
                self.is_current_phase_one_of(ph.trim, ph.closing, ph.after),
                self.is_running_effect_played_in(ph.window, ph.unlock),
                self._is_placing_token_that_leads_to(ph.council, ph.unlock),
                self.is_current_phase_one_of(ph.offer) & self.is_remembered_phase_one_of("offer_back", ph.unlock),
                self.is_filling_shop & self.is_remembered_phase_one_of("shop_back", ph.turn),
                resting & of_turn,
            ]
        )

    def build_offering_and_token_conditions(self, phase: Phase) -> tuple[Term, Term]:
        """Artifacts are offered, or a Victory Token is placed; either leads back to this phase."""
        return self.is_current_phase_one_of(self.ph.offer) & self.is_remembered_phase_one_of(
            "offer_back", phase
        ), self._is_placing_token_that_leads_to(phase)

    def _is_placing_token_that_leads_to(self, *phases: Phase) -> Term:
        """A Victory Token is placed that leads back to one of these; or a Consumable is used before that."""
        return (
            self.is_current_phase_one_of(self.ph.token) | self.is_running_effect_played_in(self.ph.token)
        ) & self.is_remembered_phase_one_of("token_back", *phases)


def build_implication_term(condition: Value, consequence: Value) -> Term:
    """Where the condition holds, so does the other."""
    return as_term(~as_term(condition) | consequence)
