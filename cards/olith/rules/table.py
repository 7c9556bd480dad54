"""The table in play: every field, phase and constant table of the game, declared once and shared by all
rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from playproof import CHANCE, Game, Phase, Sees, Table, Term, Var, any_of, goto, when

from .cards import (
    COLOURS,
    DECKS,
    LEVELS,
    ActionCard,
    Bonus,
    Cards,
    EffectOperation,
    ExcavationMark,
    Mana,
    SiteCondition,
    Skill,
    Slot,
    get_deck_index_of_region,
)
from .rulings import Rulings

Function = Callable[..., Term]
Procedure = Callable[..., None]
UNLIMITED = 99
WHEEL_ICONS = ("none", "god", "recruits", "corruption")


@dataclass(frozen=True)
class Phases:
    """Every moment of the game."""

    lot: Phase
    allegiance: Phase
    crystals: Phase
    region: Phase
    dawn: Phase
    window: Phase
    pause: Phase
    reply: Phase
    wheel: Phase
    favour: Phase
    council: Phase
    turn: Phase
    pay: Phase
    victory: Phase
    act: Phase
    where: Phase
    defend: Phase
    muster: Phase
    commit: Phase
    dice: Phase
    rally: Phase
    clash: Phase
    parley: Phase
    last: Phase
    verdict: Phase
    deal: Phase
    draw: Phase
    lodge: Phase
    resolve: Phase
    which_deck: Phase
    which_mana: Phase
    which_atlas: Phase
    recover: Phase
    relocate: Phase
    rout: Phase
    salvage: Phase
    restock: Phase
    reveal: Phase
    offer: Phase
    token: Phase
    tidy: Phase
    closing: Phase
    unlock: Phase
    after: Phase
    final: Phase

    @property
    def at_any_time(self) -> tuple[Phase, ...]:
        """The phases in which a player may do what the rules allow at any time (R72; A29, A31)."""
        own_turn = (self.turn, self.act, self.victory, self.unlock, self.window, self.reply, self.token)
        return (*own_turn, self.defend, self.commit, self.clash, self.last)

    trim: Phase | None = None
    duel: Phase | None = None
    duel_over: Phase | None = None


class GameUnderConstruction:
    """The shared context of the rules: the game under construction, its cards, rulings, fields and tables."""

    def __init__(self, g: Game, cards: Cards, rulings: Rulings) -> None:
        self.g, self.s, self.cards, self.rulings = g, g.state, cards, rulings
        self.players = g.players
        self.limit = cards.mat.track if rulings.a14 == "ten" else UNLIMITED
        self.sites, self.site_names = cards.sites, tuple(map(str, cards.sites))
        self.kinds = ("basic unit", *(m.name for m in cards.mercenaries))
        self.spaces = cards.wheels[rulings.a13]
        self._declare_player_fields()
        self._declare_board_fields()
        self._declare_card_fields()
        self._declare_turn_fields()
        self._declare_combat_fields()
        self._declare_unit_fields()
        self._declare_ruling_fields()
        self.ph = self._declare_phases()
        self._declare_constant_tables()

    # -- fields ---------------------------------------------------------------------------------------------

    def _declare_player_fields(self) -> None:
        g, n = self.g, self.players
        names = ("none", *(c.name for c in self.cards.loyalties))
        g.array("loyalty", n, labels=names, rule="R17 R18")
        g.array("mana", (n, len(Mana)), 0, self.limit, rule="R20 R4")
        g.array("atlas", (n, len(COLOURS)), 1, LEVELS, 1, rule="R19 R4")
        kinds = len(self.kinds)
        camp = [[self.cards.first_camp, *[0] * (kinds - 1)] for _ in range(n)]
        g.array("camp", (n, kinds), 0, self.cards.units, camp, rule="R17 R4 R71")
        g.array("exhausted", (n, kinds), 0, self.cards.units, rule="R17")
        g.array("port", (n, kinds), 0, self.cards.units, rule="R14 R40")
        supply = self.cards.units - self.cards.first_camp
        g.array("supply", n, 0, supply, supply, rule="R17 R4")
        g.array("placed", n, 0, self.cards.tokens, rule="R1 R4")
        g.array("slot", (n, len(Slot)), 0, len(self.cards.locations), rule="R66")
        g.array("crystals", n, 0, 3, rule="R76 R4")
        g.array("won", n, rule="R1 R2")

    def _declare_board_fields(self) -> None:
        g, n = self.g, self.players
        sites = len(self.sites)
        g.array("site_owner", sites, 0, n, rule="R12 R13 R5")
        g.array("site_kind", sites, 0, len(self.kinds) - 1, rule="R13")
        g.array("acted", sites, rule="R44")
        g.array("dug", sites, labels=SiteCondition, rule="R45 R47 R4 R5")
        g.array("token_owner", sites, 0, n, rule="R31 R32")
        g.array("tokens", sites, 0, self.cards.tokens, rule="R31 R4")
        g.integer("wheel", 0, len(self.spaces) - 1, rule="R8 R15 R4")
        g.array("crystal", 3, labels=Mana, start=[0, 1, 2], rule="R9 R4")
        g.array("crystal_left", 3, start=1, rule="R76")
        g.choice("active_colour", COLOURS, rule="R10 R4")
        g.integer("active_level", 1, LEVELS, rule="R10 R4")

    def _declare_card_fields(self) -> None:
        g, n = self.g, self.players
        artifacts, locations = len(self.cards.artifacts), len(self.cards.locations)
        g.array("hand", (n, artifacts), sees=Sees.OWNER, rule="R39 R6")
        g.array("deck_artifacts", artifacts, start=1, sees=Sees.NOBODY, rule="R6 R4")
        g.array("deck_locations", locations, start=1, rule="R6 R65")  # the others lie open: all know which are left
        g.array("hand_size", n, 0, artifacts, rule="R73")
        # Sold cards lie under their deck in an order that all have seen: 1 is drawn first, 0 lies elsewhere.
        below = max(sum(c.deck == d for c in self.cards.artifacts) for d in range(len(DECKS)))
        g.array("under", artifacts, 0, below, rule="R43")
        g.array("discard", artifacts, rule="R34")
        g.array("laid", (n, artifacts), rule="R39 R57")
        g.array("loc_unit", locations, 0, len(self.kinds), rule="R52 R68")
        g.array("abandoned", locations, rule="R67")
        shop = len(self.cards.mercenaries) + len(self.cards.consumables)
        g.array("row", 3, 0, shop, rule="R7 R42")
        g.array("shop_deck", shop, start=1, sees=Sees.ALL, rule="R7 R4")
        g.array("shop_discard", shop, rule="R72")
        g.array("kit", (n, len(self.cards.consumables)), rule="R72")

    def _declare_turn_fields(self) -> None:
        g, n = self.g, self.players
        g.integer("turn", 0, n - 1, rule="R21")
        g.integer("first", 0, n - 1, rule="R74 R76")
        g.integer("by", 0, n - 1)
        g.integer("turns", 1, len(self.spaces) * n, rule="R79")
        g.integer("asked", 0, n)
        g.choice("played", ActionCard, rule="R28")
        g.flag("prepared")
        g.integer("recovered", 0, 9, rule="R25")
        # Cards that units in Port have bought and sold in this turn, by kind of unit: units of one kind look alike.
        g.array("bought", len(self.kinds), 0, self.cards.units, rule="R41")
        g.array("sold", len(self.kinds), 0, self.most_sales_of_unit_kind, rule="R41")
        g.flag("dug_this_turn")
        g.flag("shifted", rule="R69")
        g.integer("heard", 0, n - 1, rule="R72")
        g.integer("pass_level", 0, LEVELS)
        g.flag("tireless")
        g.integer("held", 0, len(self.kinds), rule="R29")
        g.integer("debt", 0, 9)
        g.integer("debt_mana", 0, 3)
        g.integer("draws", 0, 9)
        g.integer("deck", 0, len(DECKS) - 1)
        g.integer("found", 0, len(self.cards.locations), rule="R65")
        g.integer("gain", 0, 9)
        g.integer("steps", 0, 9)
        g.integer("offered", 0, self.cards.offering, rule="R73")
        g.integer("script", 0, len(self.cards.scripts) - 1)
        g.integer("line", 0, max(map(len, self.cards.scripts)) + 1)
        for name in (
            "home",
            "back",
            "draw_back",
            "where_back",
            "mana_back",
            "token_back",
            "offer_back",
            "dice_back",
            "shop_back",
            "region_back",
            "pay_back",
        ):
            g.remember_phase(name)

    def _declare_combat_fields(self) -> None:
        g, n = self.g, self.players
        places = len(self.sites) + len(self.cards.locations)
        g.integer("target", 0, places, rule="R51 R52")
        g.integer("fighter", 0, len(self.kinds), rule="R51 R52")  # the attacking unit, beside the defender
        g.integer("defender", 0, n - 1)
        g.integer("side", 0, 1, rule="R54")
        g.array("ap", 2, -8, 199, 0, rule="R11 R16 R4")
        g.array("rolled", 2, -self.cards.combat_dice, self.cards.combat_dice, 0, rule="R55 R4")
        g.integer("passes", 0, 2, rule="R72")
        g.flag("fought_again")
        g.flag("rerolling")

    def _declare_unit_fields(self) -> None:
        """What a unit has done in this turn that a card may not undo. They stand last but for those of readings, so
        that the others keep their numbers."""
        g, kinds = self.g, len(self.kinds)
        g.array("dug_now", len(self.sites), labels=ExcavationMark, rule="R48")
        g.array("bought_away", kinds, 0, self.cards.units, rule="R41")
        g.array("sold_away", kinds, 0, self.most_sales_of_unit_kind, rule="R41")

    def _declare_ruling_fields(self) -> None:
        """Fields that one reading of a ruling needs. They stand last: so all others have the same numbers under every
        reading, and a step that reads none of these is the same step."""
        g, n, rulings = self.g, self.players, self.rulings
        if rulings.a1 == "battle":
            g.array("duel_ap", n, 0, 199, rule="R3")
        if rulings.a9 == "origin":
            g.array("origin", len(self.cards.artifacts), 0, len(COLOURS), rule="R43")
            g.integer("draw_colour", 0, len(COLOURS))
        if rulings.a17 == "own":
            g.array("digger", len(self.sites), 0, n, rule="R47")
        if rulings.a31 == "own-turn":
            g.flag("shifted_in_turn", rule="R69")

    # -- phases ---------------------------------------------------------------------------------------------

    def _declare_phases(self) -> Phases:
        g, by = self.g, self.s.by
        talk = {
            "allegiance": "choose a Loyalty Card",
            "window": "play Consumables before the next turn",
            "reply": "play Consumables in another's turn",
            "last": "a last Consumable before the verdict",
            "turn": "take a Victory Turn, or prepare camp and play an Action Card",
            "pay": "pay mana",
            "victory": "place Victory Tokens",
            "act": "your Action Turn",
            "where": "where the unit moves",
            "defend": "defend the location",
            "commit": "commit Power",
            "clash": "play combat cards",
            "lodge": "a slot for the location",
            "which_deck": "a deck to draw from",
            "which_mana": "a kind of mana",
            "which_atlas": "an Atlas Token to move",
            "recover": "a unit to bring to camp",
            "relocate": "a unit to move",
            "rout": "an enemy to exhaust",
            "salvage": "a discarded artifact",
            "offer": "discard five artifacts",
            "token": "place a Victory Token",
            "trim": "discard down to seven",
            "unlock": "unlock regions",
        }
        chance = {"lot", "crystals", "region", "dice", "draw", "reveal", "duel"}
        left_out = ({"trim"} if self.rulings.a25 == "none" else set()) | (
            {"duel", "duel_over"} if self.rulings.a1 != "battle" else set()
        )
        made: dict[str, Phase] = {}
        for name in sorted(set(Phases.__dataclass_fields__) - left_out, key=list(Phases.__dataclass_fields__).index):
            if name in talk:
                made[name] = g.phase(name, by, text=talk[name])
            elif name in chance:
                made[name] = g.phase(name, CHANCE)
            else:
                made[name] = g.automatic(name)
        return Phases(**made)

    # -- constant tables ------------------------------------------------------------------------------------

    def _declare_constant_tables(self) -> None:
        g = self.g
        self.colour_of = g.table("colour_of", [s.colour for s in self.sites])
        self.level_of = g.table("level_of", [s.level for s in self.sites])
        self.region_deck = g.table("region_deck", [get_deck_index_of_region(s.colour, s.level) for s in self.sites])
        cards = self.cards
        self.card_deck = g.table("card_deck", [c.deck for c in cards.artifacts])
        self.location_deck = g.table("location_deck", [c.deck for c in cards.locations])
        self.symbol = g.table("symbol", [[0, c.expedition, c.tactics, c.combat] for c in cards.artifacts])
        self.returns = g.table("returns", [c.returns for c in cards.artifacts])
        self.loc_slot = g.table("loc_slot", [3 if c.slot is None else c.slot for c in cards.locations])
        forests = self.rulings.a34 == "forests"
        camps = [0 if forests and c.slot != Slot.FOREST else c.camp for c in cards.locations]
        self.loc_camp = g.table("loc_camp", [0, *camps])
        self.loc_attack = g.table("loc_attack", [0, *(c.attack for c in cards.locations)])
        self.loc_mana = g.table("loc_mana", [[0, 0, 0], *(list(c.mana) for c in cards.locations)])
        skills = [[m.amount * (m.skill == skill) for skill in Skill] for m in cards.mercenaries]
        self.skill = g.table("skill", [[0] * len(Skill), *skills])
        bonuses = [[c.amount * (c.bonus == bonus) for bonus in Bonus] for c in cards.loyalties]
        self.bonus = g.table("bonus", [[0] * len(Bonus), *bonuses])
        self.start_mana = g.table("start_mana", [list(c.mana) for c in cards.loyalties])
        self.unlock_cost = g.table("unlock_cost", [*cards.mat.unlock, 0])  # by the level the token stands on
        self.icon = g.table("icon", [WHEEL_ICONS.index(i) for i in self.spaces])
        self.cost = g.table("cost", [list(cost) for cost in cards.shop_costs])
        width = max(map(len, cards.scripts)) + 1
        padded = [[*script, *[(EffectOperation.END, 0)] * (width - len(script))] for script in cards.scripts]
        self.op = g.table("op", [[int(op) for op, _ in row] for row in padded])
        self.amount = g.table("amount", [[n for _, n in row] for row in padded])

    @cached_property
    def table_of_combat_only_scripts(self) -> Table:
        """Scripts that do something in a combat only, so they are played there (R56)."""
        fighting = {EffectOperation.ATTACK, EffectOperation.REROLL}
        return self.g.table("fights_only", [any(op in fighting for op, _ in s) for s in self.cards.scripts])

    @cached_property
    def table_of_reroll_scripts(self) -> Table:
        """Scripts that roll dice again, so they are played when dice lie there (R55)."""
        return self.g.table(
            "rolls_only", [any(op == EffectOperation.REROLL for op, _ in s) for s in self.cards.scripts]
        )

    @property
    def phases_of_own_turn(self) -> tuple[Phase, ...]:
        """Where a player's own turn asks what to do; after each act the others may be asked first (`pause`).

        Under A3 = together the players unlock in turn, and it is not the turn's player who is asked there.
        """
        ph = self.ph
        return (
            (ph.turn, ph.act, ph.victory) if self.rulings.a3 == "together" else (ph.turn, ph.act, ph.victory, ph.unlock)
        )

    def is_current_phase_one_of(self, *phases: Phase) -> Term:
        """Whether the phase is one of these."""
        return any_of(self.s.phase == p.number for p in phases)

    def go_to_pause_after_act_in_own_turn(self) -> None:
        """An act is completed: on to the others, or to the same question where it is not a turn of one's own."""
        with when(self.is_current_phase_one_of(*self.phases_of_own_turn)):
            goto(self.ph.pause)

    @property
    def most_sales_of_unit_kind(self) -> int:
        """Cards that the units of a kind in Port can sell in a turn, at most."""
        more = max(m.amount * (m.skill == Skill.TRADE) for m in self.cards.mercenaries)
        return self.cards.units * (1 + more)

    @property
    def first_corruption_space(self) -> int:
        """The space of the Fate Wheel from which corrupting is allowed (R78)."""
        return self.spaces.index("corruption")

    @property
    def artifacts(self) -> tuple[str, ...]:
        """Names of the artifacts, in card order."""
        return tuple(c.name for c in self.cards.artifacts)

    @property
    def locations(self) -> tuple[str, ...]:
        """Names of the locations, in card order."""
        return tuple(c.name for c in self.cards.locations)

    @property
    def consumables(self) -> tuple[str, ...]:
        """Names of the consumables, in card order."""
        return tuple(c.name for c in self.cards.consumables)

    @property
    def seat(self) -> Var:
        """Who acts now: the player whose turn it is, or a defender, or one who is asked."""
        by: Var = self.s.by
        return by
