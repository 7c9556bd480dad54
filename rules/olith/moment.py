"""A moment of the game: which phase it is, and for the sake of what."""

from __future__ import annotations

from playproof.rules.language import Phase, Term, Value, any_true
from playproof.rules.language.expr import as_term
from playproof.rules.olith.world import World


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


def implies(condition: Value, then: Value) -> Term:
    """Where the condition holds, so does the other."""
    return as_term(~as_term(condition) | then)


__all__ = ["Moment", "implies"]
