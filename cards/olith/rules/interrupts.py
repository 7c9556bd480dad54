"""When a player who is not acting is asked: Consumables at any time (R72, A29), and the last word in a combat.

What "at any time" comes to (ruling A29). A holder may use a Consumable at each of their own decisions that begin or
answer an act: in their turn, Victory Turns included, when a location is to be defended, in each step of a combat,
when a Victory Token is to be placed, between two turns. The parts of one act (which unit, where to, how it is paid)
follow each other at once: nothing is learned between them, so before or after the act comes to the same. A location
found is played at once (R65), and nothing comes between.

In another player's turn it depends on the kind, and `OTHERS_TURN` gives the reason for each. A Consumable that
touches what all share is asked for after each completed act of the player whose turn it is. One that touches only
its holder's own mat is not: nobody else's act reads that mat but those named there, and each of them asks its holder
first. Option `any-time` leaves this argument out and asks for every kind after each completed act.

Whoever uses one is an actor too: all others are asked again, until nobody uses any more. Consumables run out, so
this ends. A shift of locations (R69) changes its owner's mat only and is no act that others are asked after."""

from __future__ import annotations

from collections.abc import Callable

from playproof import Local, Phase, Term, Value, any_of, goto, min_of, otherwise, pick, when

from .cards import EffectOperation, Script
from .shared_rules import SharedRules
from .table import GameUnderConstruction

MOST_PASSES = 2

OTHERS_TURN: dict[EffectOperation, tuple[bool, str]] = {
    EffectOperation.RELOCATE: (True, "a unit may leave before it is attacked, or stand where another was going to"),
    EffectOperation.REFRESH: (
        True,
        "the row of the shop is everybody's, and cards laid out in a turn can be bought in it",
    ),
    EffectOperation.SALVAGE: (True, "another may take the card first, or shuffle the discards into their deck"),
    EffectOperation.DRAW: (True, "another may draw the last cards of a deck, so that its discards are shuffled in"),
    EffectOperation.ANY_MANA: (
        False,
        "mana counts for God's Favor and for the tie rule, both behind the window between two turns, "
        "and as Power in a combat, which asks its holder before Power is committed",
    ),
    EffectOperation.RECOVER: (
        False,
        "a unit in camp does nothing in another's turn but defend, and `defend` asks its holder",
    ),
    EffectOperation.ANY_ATLAS: (
        False,
        "an open region serves its own player's moves, draws and tokens; levels count in the tie "
        "rule, behind the window between two turns",
    ),
    EffectOperation.ATTACK: (False, "Attack Points exist in a combat only, which asks both sides"),
    EffectOperation.REROLL: (False, "dice lie there in a combat only, which asks both sides"),
}
"""For each first step of a Consumable: whether another's turn can ask for it after every act, and why (not)."""


def declare_consumables_out_of_turn(w: GameUnderConstruction, common: SharedRules) -> None:
    """The windows between turns, within another's turn, and before the verdict of a combat."""
    _declare_consumables_between_turns(w, common)
    _declare_consumables_after_others_acts(w)
    _declare_last_consumables_in_combat(w)


def is_script_asked_for_in_others_turn(w: GameUnderConstruction, script: Script) -> bool:
    """Whether a Consumable is asked for after each act of another player."""
    if w.rulings.a29 == "any-time":
        return True
    # Under A2 = reroll the dice read what anybody has unlocked, so an Atlas Token matters in another's turn too.
    shared = {op for op, (counts, _) in OTHERS_TURN.items() if counts} | (
        {EffectOperation.ANY_ATLAS} if w.rulings.a2 == "reroll" else set()
    )
    return any(op in shared for op, _ in script)


def can_give_up_location_at_any_time(w: GameUnderConstruction, player: Value) -> Term:
    """Whether ruling A32 lets a player who is not acting give a location up."""
    if w.rulings.a32 != "any-time":
        return any_of(())
    return any_of(w.s.slot[player, i] > 0 for i in range(w.s.slot.field.shape[1]))


def _go_to_phase_of_next_player_to_ask(
    w: GameUnderConstruction, first_offset: int, counter_name: str, may_speak: Callable[[Value], Value], phase: Phase
) -> None:
    """The next player whom it concerns is asked, from `first_offset` seats after the turn's player on, as
    `counter_name` counts.

    Who calls this says with `otherwise` how the game goes on when nobody is left.
    """
    s, n = w.s, w.players
    following = when
    for place in range(n - first_offset):
        seat = (s.turn + first_offset + place) % n
        with following((getattr(s, counter_name) <= place) & may_speak(seat)):
            setattr(s, counter_name, place + 1)
            s.by = seat
            goto(phase)
        following = otherwise


def _declare_consumables_between_turns(w: GameUnderConstruction, common: SharedRules) -> None:
    """Each player who holds a Consumable may play it between two turns; after a use all are asked again."""
    g, s, ph, n = w.g, w.s, w.ph, w.players

    @g.function(player=n)
    def may_speak(player: Local) -> Value:
        return common.has_kit(player) | can_give_up_location_at_any_time(w, player)

    @g.on(ph.dawn)
    def dawn() -> None:
        s.shifted = 0
        _go_to_phase_of_next_player_to_ask(w, 0, "asked", may_speak, ph.window)
        with otherwise():
            s.asked = 0
            s.by = s.turn
            goto(ph.wheel)

    @g.action(ph.window, "play nothing", name="wait", rule="R72")
    def wait() -> None:
        goto(ph.dawn)


def _declare_consumables_after_others_acts(w: GameUnderConstruction) -> None:
    """An act is completed: those whom it may concern are asked in seat order, then its player goes on."""
    g, s, ph, n = w.g, w.s, w.ph, w.players
    asked_for = [i for i, c in enumerate(w.cards.consumables) if is_script_asked_for_in_others_turn(w, c.script)]

    @g.function(player=n)
    def would_speak(player: Local) -> Value:
        return any_of(s.kit[player, i] for i in asked_for) | can_give_up_location_at_any_time(w, player)

    @g.on(ph.pause, rule="R72")
    def pause() -> None:
        s.shifted = 0
        _go_to_phase_of_next_player_to_ask(w, 1, "heard", would_speak, ph.reply)
        with otherwise():
            s.heard = 0
            s.by = s.turn
            goto(s.home)

    @g.action(ph.reply, "say nothing", name="let pass", rule="R72")
    def let_pass() -> None:
        goto(ph.pause)


def _declare_last_consumables_in_combat(w: GameUnderConstruction) -> None:
    """Both sides have played their cards: whoever can still change Attack Points is asked until both let it be."""
    g, s, ph = w.g, w.s, w.ph
    fighting = [
        i for i, c in enumerate(w.cards.consumables) if w.table_of_combat_only_scripts.values[len(w.artifacts) + i]
    ]

    @g.on(ph.parley, rule="R72")
    def parley() -> None:
        s.shifted = 0
        s.by = pick(s.side == 0, s.turn, s.defender)
        with when(s.passes == MOST_PASSES):
            s.passes = 0
            goto(ph.verdict)
        with otherwise(any_of(s.kit[s.by, i] for i in fighting)):
            goto(ph.last)
        with otherwise():
            s.passes = s.passes + 1
            s.side = 1 - s.side

    @g.action(ph.last, "let it stand", name="last word", rule="R72")
    def stand() -> None:
        s.passes = min_of(s.passes + 1, MOST_PASSES)  # parley asks with a pass to spare; a proof need not know that
        s.side = 1 - s.side
        goto(ph.parley)
