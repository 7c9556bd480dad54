"""The five Magic Seashells (R41-R48) and passing when a shell bars every card in hand (A13)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from playproof import Local, Value, any_of, goto, min_of, otherwise, require, sum_of, when

from .cards import SHELLS
from .state import GameUnderConstruction

AGAIN, TWICE, RENEW, FETCHES, BAR = range(len(SHELLS))


def declare_shell_actions(t: GameUnderConstruction) -> None:
    """Those that the game has. Three act at the start of a turn, two at its end: all are offered at both, and refused
    by their rule."""
    bodies = {
        "twice": _declare_shell_for_two_plays,
        "renew": _declare_shell_for_exchanging_cards,
        "fetch": _declare_shell_for_draw_then_discard,
    }
    _call_declarations_of_shells_in_game(t, bodies)
    _declare_discarding_for_shell(t)
    _call_declarations_of_shells_in_game(
        t, {"again": _declare_shell_for_another_turn, "bar": _declare_shell_that_bars_spot}
    )
    _declare_ending_of_turn_after_shells(t)
    if t.readings.reads("A13", "redraw"):
        _declare_exchange_without_playable_card(t)


def _call_declarations_of_shells_in_game(
    t: GameUnderConstruction, declarations: Mapping[str, Callable[[GameUnderConstruction], None]]
) -> None:
    """The actions of those shells that are in the game."""
    for shell, body in declarations.items():
        if shell in t.printed.shells:
            body(t)


def _require_unused_shell_at_its_moment(
    t: GameUnderConstruction, shell_index: int, rule_id: str, at_start: bool
) -> None:
    """What every shell asks for: not used before, one a turn, and its own moment."""
    s, moment = t.s, t.at["play" if at_start else "close"]
    name = t.printed.shells[SHELLS[shell_index]]
    require(t.shell[s.turn, shell_index] == 1, "R43", f"{name} has been used already")
    require(s.shell_used == 0, "R42", "only one shell may be played in a turn")
    end = "start" if at_start else "end"
    require(t.g.current_phase == moment.number, rule_id, f"{name} belongs to the {end} of a turn")
    if t.readings.reads("A14", "one-shell"):
        require(s.second_tide == 0, "R44", "no shell in a turn won by a shell")


def _mark_shell_as_used(t: GameUnderConstruction, shell_index: int) -> None:
    t.shell[t.s.turn, shell_index] = 0
    t.s.shell_used = 1


def _declare_shell_for_two_plays(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s

    @g.action((t.at["play"], t.at["close"]), f"shell: {t.printed.shells['twice']}", rule="R45", name="shell twice")
    def twice() -> None:
        _require_unused_shell_at_its_moment(t, TWICE, "R45", at_start=True)
        require(
            sum_of(t.can_mover_play_on_spot(spot) for spot in t.spots) >= 2,
            "R45",
            "cards for two different spots are needed",
        )
        _mark_shell_as_used(t, TWICE)
        s.two_spots = 1


def _declare_shell_for_exchanging_cards(t: GameUnderConstruction) -> None:
    g = t.g

    @g.action((t.at["play"], t.at["close"]), f"shell: {t.printed.shells['renew']}", rule="R46", name="shell renew")
    def renew() -> None:
        _require_unused_shell_at_its_moment(t, RENEW, "R46", at_start=True)
        require(t.pile[t.s.turn] > 0, "R46", "the draw pile is empty")
        _mark_shell_as_used(t, RENEW)
        goto(t.at["discard"])


def _declare_shell_for_draw_then_discard(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s

    @g.action((t.at["play"], t.at["close"]), f"shell: {t.printed.shells['fetch']}", rule="R47", name="shell fetch")
    def fetch() -> None:
        _require_unused_shell_at_its_moment(t, FETCHES, "R47", at_start=True)
        require(t.pile[s.turn] > 0, "R47", "the draw pile is empty")
        _mark_shell_as_used(t, FETCHES)
        s.to_draw = min_of(t.printed.fetch, t.pile[s.turn])
        s.owed = min_of(t.printed.fetch, t.pile[s.turn])
        s.back = t.at["discard"].number
        goto(t.at["draw"])


def _declare_discarding_for_shell(t: GameUnderConstruction) -> None:
    """Either as many as were fetched are owed (R47), or the player stops when pleased and draws as many (R46)."""
    g, s, seen = t.g, t.s, _get_visibility_argument_of_discards(t)

    @g.action(t.at["discard"], "discard {face}", rule="R46 R47", name="discard", **seen, face=t.list_face_names())
    def discard(face: Local) -> None:
        require(t.hand[s.turn, face] > 0, "R46", "you do not hold that card")
        remove_card_from_hand_as_discard(t, s.turn, face)
        with when(s.owed > 0):
            s.owed -= 1
            with when(s.owed == 0):
                s.back = 0
                goto(t.at["play"])
        with otherwise():
            s.thrown += 1
            with when((t.held[s.turn] == 0) | (s.thrown == _count_cards_that_may_be_replaced(t))):
                _start_drawing_replacements(t)

    @g.action(t.at["discard"], "discard no more", rule="R46", name="discard no more")
    def stop() -> None:
        require(s.owed == 0, "R47", "you still have to discard {}", s.owed)
        require(s.thrown > 0, "R46", "at least one card is discarded")
        _start_drawing_replacements(t)


def _count_cards_that_may_be_replaced(t: GameUnderConstruction) -> Value:
    """No more cards may be thrown than the pile held before (A11)."""
    pile = t.pile[t.s.turn]
    return pile - t.s.thrown if t.readings.reads("A11", "under") else pile


def _start_drawing_replacements(t: GameUnderConstruction) -> None:
    s = t.s
    s.to_draw = s.thrown
    s.thrown = 0
    s.back = t.at["play"].number
    goto(t.at["draw"])


def _get_visibility_argument_of_discards(t: GameUnderConstruction) -> dict[str, str]:
    """Cards thrown away lie open, or face down under their owner's draw pile (A11)."""
    return {"secret" if t.readings.reads("A11", "under") else "public": "face"}


def remove_card_from_hand_as_discard(t: GameUnderConstruction, seat: Value, face: Local) -> None:
    """A card from a hand leaves the game, or goes under its owner's draw pile (A11)."""
    t.hand[seat, face] -= 1
    t.held[seat] -= 1
    if t.readings.reads("A11", "under"):
        t.put_card_under_draw_pile(seat, face)
    else:
        t.discards[seat, face] += 1


def _declare_shell_for_another_turn(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s

    @g.action((t.at["play"], t.at["close"]), f"shell: {t.printed.shells['again']}", rule="R44", name="shell again")
    def again() -> None:
        _require_unused_shell_at_its_moment(t, AGAIN, "R44", at_start=False)
        require(s.over == 0, "R44", "the end of the game has been triggered")
        t.shell[s.turn, AGAIN] = 0
        s.turns += 1
        if t.readings.reads("A14", "one-shell"):
            s.second_tide = 1
        goto(t.at["play"])


def _declare_shell_that_bars_spot(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s
    names = [spot.name for spot in t.spots]

    @g.action(
        (t.at["play"], t.at["close"]),
        f"shell: {t.printed.shells['bar']} on {{spot}}",
        rule="R48",
        name="shell bar",
        spot=names,
    )
    def bar(spot: Local) -> None:
        _require_unused_shell_at_its_moment(t, BAR, "R48", at_start=False)
        require(t.barred[1 - s.turn] != spot + 1, "R48", "a shell lies there already")
        t.shell[s.turn, BAR] = 0
        t.barred[s.turn] = spot + 1
        goto(t.at["follow"])


def _declare_ending_of_turn_after_shells(t: GameUnderConstruction) -> None:
    g = t.g

    @g.action(t.at["close"], "end the turn", rule="R9", name="end the turn")
    def end() -> None:
        goto(t.at["follow"])


def _declare_exchange_without_playable_card(t: GameUnderConstruction) -> None:
    """Under one reading of A13 a player without a playable card exchanges one instead of passing."""
    g, s = t.g, t.s

    @g.action(
        t.at["play"],
        "exchange {face}",
        rule="R48",
        name="exchange",
        **_get_visibility_argument_of_discards(t),
        face=t.list_face_names(),
    )
    def exchange(face: Local) -> None:
        require(~any_of(t.can_mover_play_on_spot(spot) for spot in t.spots), "R6", "at least one card must be played")
        require(t.hand[s.turn, face] > 0, "R6", "you do not hold that card")
        remove_card_from_hand_as_discard(t, s.turn, face)
        goto(t.at["refill"])
