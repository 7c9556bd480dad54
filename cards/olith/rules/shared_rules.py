"""Quantities and effects that many rules use: camp, mana, open regions, tokens, units leaving and arriving."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playproof import Local, Term, Value, any_of, keep, min_of, score, sum_of, when
from playproof.database.number_words import format_number_in_letters_if_small

from .cards import Bonus, Mana, Slot
from .table import Function, GameUnderConstruction, Procedure

KINDS_OF_MANA = len(Mana)


@dataclass(frozen=True)
class SharedRules:
    """What the rules share."""

    bonus: Function
    camp_left: Function
    port_size: Function
    wealth: Function
    unlocked: Function
    enterable: Function
    token_fits: Function
    has_place: Function
    has_kit: Function
    can_recover: Function
    gain: Procedure
    exhaust: Procedure
    arrive: Procedure
    place_token: Procedure
    abandon: Procedure


def declare_shared_functions_and_procedures(w: GameUnderConstruction) -> SharedRules:
    """Declare them once."""
    shared: dict[str, Any] = {
        **_declare_functions_of_player_holdings(w),
        **_declare_functions_of_site_access(w),
        **_declare_mana_unit_and_token_procedures(w),
    }
    return SharedRules(**shared)


def _declare_functions_of_player_holdings(w: GameUnderConstruction) -> dict[str, Function]:
    """Camp, Port and hand of a player."""
    g, s, kinds = w.g, w.s, len(w.kinds)

    @g.function(player=w.players, which=len(Bonus))
    def bonus(player: Local, which: Local) -> Value:
        return w.bonus[s.loyalty[player], which]

    @g.function(player=w.players)
    def camp_left(player: Local) -> Value:
        """Free places in the camp (R24); negative after a Forest was given up."""
        size = w.cards.mat.camp + bonus(player, Bonus.CAMP) + sum_of(len(Slot), lambda i: w.loc_camp[s.slot[player, i]])
        return size - sum_of(kinds, lambda k: s.camp[player, k])

    @g.function(player=w.players)
    def port_size(player: Local) -> Value:
        return sum_of(kinds, lambda k: s.port[player, k])

    @g.function(player=w.players)
    def wealth(player: Local) -> Value:
        return sum_of(KINDS_OF_MANA, lambda k: s.mana[player, k])

    @g.function(player=w.players)
    def has_kit(player: Local) -> Value:
        return any_of(len(w.consumables), lambda i: s.kit[player, i])

    @g.function(player=w.players)
    def can_recover(player: Local) -> Value:
        return (camp_left(player) > 0) & any_of(kinds, lambda k: s.exhausted[player, k] > 0)

    return {
        "bonus": bonus,
        "camp_left": camp_left,
        "port_size": port_size,
        "wealth": wealth,
        "has_kit": has_kit,
        "can_recover": can_recover,
    }


def _declare_functions_of_site_access(w: GameUnderConstruction) -> dict[str, Function]:
    """Which sites a player may enter, and where a Victory Token fits."""
    g, s, alone = w.g, w.s, w.rulings.a7 == "one"

    def level(player: Value, site: Value) -> Term:
        """How far the player's Atlas Token of the site's colour has come."""
        reached: Term = s.atlas[player, w.colour_of[site]]
        return reached

    @g.function(player=w.players, site=len(w.sites))
    def unlocked(player: Local, site: Local) -> Value:
        return w.level_of[site] <= level(player, site)

    @g.function(player=w.players, site=len(w.sites))
    def enterable(player: Local, site: Local) -> Value:
        lent: Term = (w.level_of[site] <= s.pass_level) & (s.turn == player)
        return (w.level_of[site] <= level(player, site)) | lent

    def free(player: Value, site: Value) -> Term:
        """No other player's token lies there (R32), and none at all under ruling A7 = one."""
        owner: Term = s.token_owner[site]
        none = owner == 0
        return none if alone else none | (owner == player + 1)

    @g.function(player=w.players, site=len(w.sites))
    def token_fits(player: Local, site: Local) -> Value:
        return free(player, site)

    def reached(player: Value, site: Value) -> Term:
        if w.rulings.a11b == "own":
            return unlocked(player, site)
        return any_of(unlocked(q, site) for q in range(w.players))

    @g.function(player=w.players)
    def has_place(player: Local) -> Value:
        return any_of(len(w.sites), lambda i: token_fits(player, i) & reached(player, i))

    return {"unlocked": unlocked, "enterable": enterable, "token_fits": token_fits, "has_place": has_place}


def _declare_mana_unit_and_token_procedures(w: GameUnderConstruction) -> dict[str, Procedure]:
    g, s, n, sites = w.g, w.s, w.players, len(w.sites)

    @g.procedure(player=n, kind=KINDS_OF_MANA, amount=20)
    def gain(player: Local, kind: Local, amount: Local) -> None:
        """Mana up to the end of the track (A14)."""
        s.mana[player, kind] = min_of(s.mana[player, kind] + amount, w.limit)

    @g.procedure(site=sites)
    def exhaust(site: Local) -> None:
        """The unit on a site goes to its owner's exhausted area."""
        owner, kind = keep(s.site_owner[site] - 1), keep(s.site_kind[site])
        s.exhausted[owner, kind] = s.exhausted[owner, kind] + 1
        s.site_owner[site] = 0
        s.site_kind[site] = 0
        s.acted[site] = 0

    @g.procedure(player=n, kind=len(w.kinds), site=sites)
    def arrive(player: Local, kind: Local, site: Local) -> None:
        """A unit that has not acted yet stands on a site."""
        s.site_owner[site] = player + 1
        s.site_kind[site] = kind
        s.acted[site] = 0

    @g.procedure(player=n, site=sites)
    def place_token(player: Local, site: Local) -> None:
        """A Victory Token; the last one wins at once (R1)."""
        s.token_owner[site] = player + 1
        s.tokens[site] = s.tokens[site] + 1
        s.placed[player] = s.placed[player] + 1
        with when(s.placed[player] == w.cards.tokens):
            s.won[player] = 1
            score(f"all {format_number_in_letters_if_small(w.cards.tokens, 'en')} Victory Tokens are placed", rule="R1")

    @g.procedure(player=n, slot=len(Slot))
    def abandon(player: Local, slot: Local) -> None:
        """A location leaves the mat; a unit on it is exhausted (R67)."""
        card = keep(s.slot[player, slot] - 1)
        unit = keep(s.loc_unit[card])
        s.slot[player, slot] = 0
        s.abandoned[card] = 1
        s.loc_unit[card] = 0
        with when(unit > 0):
            s.exhausted[player, unit - 1] = s.exhausted[player, unit - 1] + 1

    return {"gain": gain, "exhaust": exhaust, "arrive": arrive, "place_token": place_token, "abandon": abandon}


def is_site_open_to_token(w: GameUnderConstruction, common: SharedRules, player: Value, site: Value) -> Term:
    """Whether "any unlocked region" holds this site for a player who places a token (A11b)."""
    if w.rulings.a11b == "own":
        return common.unlocked(player, site)
    return any_of(common.unlocked(q, site) for q in range(w.players))
