"""A moment of the game: which phase it is, and for the sake of what.

`KINDS` is the one place where the phases are listed by what they are for; a new phase is entered here, and a test
compares the list with the game. `control` and `points` say what holds in each kind of moment, and claims prove it.
"""

from __future__ import annotations

from playproof.rules.language import Phase, Term, Value, any_of
from playproof.rules.language.expr import as_term
from playproof.rules.olith.world import World

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


class Moment:
    """Conditions on the phase and on the phases that are remembered."""

    def __init__(self, w: World) -> None:
        self.g, self.s, self.ph, self.w = w.g, w.s, w.ph, w

    def at(self, *phases: Phase | None) -> Term:
        """The phase is one of these (those that the rulings leave out do not count)."""
        return any_of(self.g.current_phase == p.number for p in phases if p is not None)

    def of(self, *kinds: str) -> Term:
        """The phase is of one of these kinds."""
        return self.at(*(getattr(self.ph, name) for kind in kinds for name in KINDS[kind]))

    def leads(self, back: str, *phases: Phase) -> Term:
        """The phase remembered under a name is one of these."""
        return any_of(getattr(self.s, back) == p.number for p in phases)

    @property
    def drawing(self) -> Term:
        """Cards are being drawn."""
        return self.of("drawing")

    @property
    def stocking(self) -> Term:
        """The shop is being filled."""
        return self.of("stocking")

    @property
    def effect(self) -> Term:
        """A card's effect is being carried out."""
        ph, resolve = self.ph, self.ph.resolve
        return any_of([
            self.of("effect"),
            self.at(ph.which_mana) & self.leads("mana_back", resolve),
            self.at(ph.where) & self.leads("where_back", resolve),
            self.drawing & self.leads("draw_back", resolve),
            self.stocking & self.leads("shop_back", resolve),
            self.at(ph.dice) & self.s.rerolling,
        ])

    def effect_of(self, *phases: Phase) -> Term:
        """An effect of a card played in one of these phases (`pause`: in a player's own turn)."""
        return self.effect & self.leads("back", *phases)

    @property
    def fight(self) -> Term:
        """A combat is going on."""
        ph = self.ph
        return self.of("combat") | self.effect_of(ph.defend, ph.commit, ph.clash, ph.last)

    @property
    def others(self) -> Term:
        """Other players may speak after an act."""
        return self.of("others") | self.effect_of(self.ph.reply)

    @property
    def between(self) -> Term:
        """No Action Card lies in the play area: before a turn, in a Victory Turn, after clearing up."""
        ph = self.ph
        resting = ~self.leads("home", ph.act)
        of_turn = any_of([
            self.others, self.effect_of(ph.pause), self.at(ph.pay) & self.leads("pay_back", ph.pause),
            self.at(ph.offer) & self.leads("offer_back", ph.pause), self._placing(ph.pause),
            self.stocking & self.leads("shop_back", ph.pause),
        ])
        return any_of([
            self.of("set-up", "before a turn", "the end"), self.at(ph.region, ph.turn, ph.victory, ph.unlock),
            self.at(ph.trim, ph.closing, ph.after),
            self.effect_of(ph.window, ph.unlock), self._placing(ph.council, ph.unlock),
            self.at(ph.offer) & self.leads("offer_back", ph.unlock), self.stocking & self.leads("shop_back", ph.turn),
            resting & of_turn,
        ])

    def _placing(self, *phases: Phase) -> Term:
        """A Victory Token is placed that leads back to one of these; or a Consumable is used before that."""
        return (self.at(self.ph.token) | self.effect_of(self.ph.token)) & self.leads("token_back", *phases)


def implies(condition: Value, then: Value) -> Term:
    """Where the condition holds, so does the other."""
    return as_term(~as_term(condition) | then)


__all__ = ["KINDS", "Moment", "implies"]
