"""Playing Artifacts and Consumables, and the small interpreter that carries out their effects line by line.

A card's effect is a script: steps of (operation, number) in constant tables. `resolve` runs one step after the
other and stops in a choosing phase where the player has to decide (R39, R56, R72)."""

from __future__ import annotations

from collections.abc import Callable

from playproof import Local, Term, Value, any_of, each, goto, keep, min_of, otherwise, pick, require, when
from playproof.language.expr import as_term

from .cards import COLOURS, LEVELS, ActionCard, EffectOperation, Slot
from .draw import DeckRules
from .shared_rules import SharedRules
from .table import GameUnderConstruction

UsefulnessTest = Callable[[Value], Term]


def declare_playing_of_cards_and_effects(w: GameUnderConstruction, common: SharedRules, draws: DeckRules) -> None:
    """Play cards and resolve them."""
    useful = _build_test_whether_script_can_do_anything(w, common, draws)
    _declare_artifact_play(w, useful)
    _declare_consumable_use(w, useful)
    _declare_resolution_of_scripts(w, common, draws)


def _build_test_whether_script_can_do_anything(
    w: GameUnderConstruction, common: SharedRules, draws: DeckRules
) -> UsefulnessTest:
    """Whether anything that a script says can be done now; only what asks for a choice can be without one (A35)."""
    s = w.s
    possible: dict[EffectOperation, Callable[[Value], Value]] = {
        EffectOperation.ANY_ATLAS: lambda n: can_move_any_atlas_token(w),
        EffectOperation.RECOVER: lambda n: common.can_recover(s.by),
        EffectOperation.RELOCATE: lambda n: has_any_own_unit_free_to_relocate(w),
        EffectOperation.ROUT: lambda n: can_exhaust_any_enemy_unit(w, n),
        EffectOperation.SALVAGE: lambda n: can_take_back_any_discarded_artifact(w, draws),
    }
    scripts = w.cards.scripts
    always = w.g.table("always_useful", [any(op not in possible for op, _ in script) for script in scripts])
    asked = {
        op: w.g.table(f"asks_{op.name.lower()}", [dict(script).get(op, 0) for script in scripts])
        for op in possible
        if any(op in dict(script) for script in scripts)
    }

    def useful(script: Value) -> Term:
        ways = [(table[script] > 0) & possible[op](table[script]) for op, table in asked.items()]
        return as_term((always[script] == 1) | any_of(ways))

    return useful


def _declare_artifact_play(w: GameUnderConstruction, useful: UsefulnessTest) -> None:
    g, s, ph = w.g, w.s, w.ph

    @g.action(
        (ph.act, ph.clash), "play {card}", card=w.artifacts, name="play artifact", public="card", rule="R29 R39 R56 R57"
    )
    def play(card: Local) -> None:
        fighting = s.phase == ph.clash.number
        require(s.hand[s.by, card] == 1, "R39", "the card is not in your hand")
        require(
            w.symbol[card, pick(fighting, ActionCard.COMBAT, s.played)] == 1,
            "R39",
            "its symbols do not match the Action Card",
        )
        require(fighting | (w.table_of_combat_only_scripts[card] == 0), "R56", "it is played in a combat only")
        if w.rulings.a35 == "refused":
            require(useful(card), "R39", "nothing that the card says can be done (A35)")
        s.hand[s.by, card] = 0
        s.hand_size[s.by] = s.hand_size[s.by] - 1
        s.laid[s.by, card] = 1
        s.script = card
        s.line = 0
        s.back = pick(fighting, ph.clash.number, ph.pause.number)
        goto(ph.resolve)


def _declare_consumable_use(w: GameUnderConstruction, useful: UsefulnessTest) -> None:
    g, s, ph, first = w.g, w.s, w.ph, len(w.artifacts)
    mercenaries = len(w.cards.mercenaries)

    @g.action(ph.at_any_time, "use {item}", item=w.consumables, name="use consumable", rule="R72")
    def use(item: Local) -> None:
        require(s.kit[s.by, item] == 1, "R72", "you do not hold it")
        require(
            (w.table_of_combat_only_scripts[item + first] == 0)
            | w.is_current_phase_one_of(ph.commit, ph.clash, ph.last),
            "R56",
            "it is played in a combat only",
        )
        require(
            (w.table_of_reroll_scripts[item + first] == 0) | w.is_current_phase_one_of(ph.clash, ph.last),
            "R55",
            "no dice lie there yet",
        )
        if w.rulings.a35 == "refused":
            require(useful(item + first), "R72", "nothing that it says can be done (A35)")
        s.kit[s.by, item] = 0
        s.shop_discard[item + mercenaries] = 1
        s.script = item + first
        s.line = 0
        s.back = pick(w.is_current_phase_one_of(*w.phases_of_own_turn), ph.pause.number, s.phase)
        s.passes = 0
        with when(s.phase == ph.window.number):
            s.asked = 0
        with when(s.phase == ph.reply.number):
            s.heard = 0
        goto(ph.resolve)


EffectStep = Callable[[Value], None]


def _declare_resolution_of_scripts(w: GameUnderConstruction, common: SharedRules, draws: DeckRules) -> None:
    g, s, ph = w.g, w.s, w.ph
    steps = {
        **_build_gain_steps_by_operation(w, common),
        **_build_rule_suspending_steps_by_operation(w),
        **_build_choice_steps_by_operation(w, common, draws),
    }

    @g.on(ph.resolve, rule="R39 R64 R81")
    def resolve() -> None:
        s.shifted = 0
        op, amount = keep(w.op[s.script, s.line]), keep(w.amount[s.script, s.line])
        s.line = s.line + 1
        with when(op == EffectOperation.END):
            s.line = 0
            s.script = 0
            goto(s.back)
        for code, step in steps.items():
            with otherwise(op == code):
                step(amount)


def _build_gain_steps_by_operation(w: GameUnderConstruction, common: SharedRules) -> dict[EffectOperation, EffectStep]:
    """Steps without a choice: mana, Atlas Tokens, AP."""
    s = w.s

    def mana(kind: int) -> EffectStep:
        return lambda n: common.gain(s.by, kind, n)

    def atlas(colour: int) -> EffectStep:
        def forward(n: Value) -> None:
            s.atlas[s.by, colour] = min_of(s.atlas[s.by, colour] + n, LEVELS)

        return forward

    def attack(n: Value) -> None:
        s.ap[s.side] = s.ap[s.side] + n

    kinds = (EffectOperation.SOUL, EffectOperation.POWER, EffectOperation.WISDOM)
    tokens = (EffectOperation.BLUE, EffectOperation.RED, EffectOperation.YELLOW)
    return {
        **{op: mana(i) for i, op in enumerate(kinds)},
        **{op: atlas(i) for i, op in enumerate(tokens)},
        EffectOperation.ATTACK: attack,
    }


def _build_rule_suspending_steps_by_operation(w: GameUnderConstruction) -> dict[EffectOperation, EffectStep]:
    """Steps that set a rule aside for the turn, and those that roll or deal anew."""
    s, ph = w.s, w.ph

    def passage(n: Value) -> None:
        s.pass_level = n

    def tireless(_: Value) -> None:
        s.tireless = 1

    def again(_: Value) -> None:
        for site in each(len(w.sites)):
            s.acted[site] = 0

    def reroll(_: Value) -> None:
        s.ap[s.side] = s.ap[s.side] - s.rolled[s.side]
        s.rerolling = 1
        goto(ph.dice)

    def refresh(_: Value) -> None:
        for place in range(3):
            with when(s.row[place] > 0):
                s.shop_discard[s.row[place] - 1] = 1
                s.row[place] = 0
        s.shop_back = ph.resolve.number
        goto(ph.restock)

    return {
        EffectOperation.PASS: passage,
        EffectOperation.TIRELESS: tireless,
        EffectOperation.AGAIN: again,
        EffectOperation.REROLL: reroll,
        EffectOperation.REFRESH: refresh,
    }


def _build_choice_steps_by_operation(
    w: GameUnderConstruction, common: SharedRules, draws: DeckRules
) -> dict[EffectOperation, EffectStep]:
    """Steps that ask the player; each is skipped where there is nothing to choose."""
    s, ph = w.s, w.ph

    def draw(n: Value) -> None:
        s.draws = n
        s.draw_back = ph.resolve.number
        if w.rulings.a9 == "origin":
            s.draw_colour = 0
        some = any_of(s.atlas[s.by, c] > 1 for c in range(len(COLOURS))) if w.rulings.a28 == "unlocked" else 0
        with when(some):
            goto(ph.which_deck)
        with otherwise():
            s.deck = 0
            goto(ph.deal)

    def any_mana(n: Value) -> None:
        s.gain = n
        s.mana_back = ph.resolve.number
        goto(ph.which_mana)

    def asks(phase_name: str, possible: Callable[[Value], Value]) -> EffectStep:
        def ask(n: Value) -> None:
            with when(possible(n)):
                s.steps = n
                goto(getattr(ph, phase_name))

        return ask

    return {
        EffectOperation.DRAW: draw,
        EffectOperation.ANY_MANA: any_mana,
        EffectOperation.ANY_ATLAS: asks("which_atlas", lambda n: can_move_any_atlas_token(w)),
        EffectOperation.RECOVER: asks("recover", lambda n: common.can_recover(s.by)),
        EffectOperation.RELOCATE: asks("relocate", lambda n: has_any_own_unit_free_to_relocate(w)),
        EffectOperation.ROUT: asks("rout", lambda n: can_exhaust_any_enemy_unit(w, n)),
        EffectOperation.SALVAGE: asks("salvage", lambda n: can_take_back_any_discarded_artifact(w, draws)),
    }


def can_move_any_atlas_token(w: GameUnderConstruction) -> Value:
    """Some Atlas Token of the player can still move forward."""
    s = w.s
    return any_of(s.atlas[s.by, c] < LEVELS for c in range(len(COLOURS)))


def has_any_own_unit_free_to_relocate(w: GameUnderConstruction) -> Value:
    """The player has a unit on the board that has not acted."""
    s = w.s
    on_site = any_of(len(w.sites), lambda i: (s.site_owner[i] == s.by + 1) & (s.acted[i] == 0) & (s.target != i + 1))
    in_port = any_of(len(w.kinds), lambda k: s.port[s.by, k] > 0)
    on_mat = any_of(
        len(Slot),
        lambda i: (
            (s.slot[s.by, i] > 0) & (s.loc_unit[s.slot[s.by, i] - 1] > 0) & ~is_location_attacked(w, s.slot[s.by, i])
        ),
    )
    return on_site | in_port | on_mat


def is_location_attacked(w: GameUnderConstruction, location_number: Value) -> Term:
    """Whether the location in a slot (its number from 1) is being fought for."""
    return as_term(w.s.target == location_number + len(w.sites))


def can_exhaust_any_enemy_unit(w: GameUnderConstruction, highest_level: Value) -> Value:
    """Some enemy unit stands on a site of this level or less, and not in the combat that is going on."""
    s = w.s
    return any_of(
        len(w.sites),
        lambda i: (
            (s.site_owner[i] > 0)
            & (s.site_owner[i] != s.by + 1)
            & (w.level_of[i] <= highest_level)
            & (s.target != i + 1)
        ),
    )


def can_take_back_any_discarded_artifact(w: GameUnderConstruction, draws: DeckRules) -> Value:
    """Some discard pile of a deck open to the player has a card."""
    s = w.s
    return any_of(len(w.artifacts), lambda i: (s.discard[i] == 1) & draws.open_to(s.by, w.card_deck[i]))
