"""Symbols that move cards: Toll, Return, Remove, Offering, Exchange, and discarding itself (R13-R16,
R26-R36)."""

from __future__ import annotations

from collections.abc import Callable

from playproof import Array, Local, Term, Value, goto, keep, lose, otherwise, require, weight, when

from .cards import SUITS, Suit
from .state import GameUnderConstruction


def declare_symbols_that_move_cards(t: GameUnderConstruction) -> None:
    """Each symbol's own actions."""
    _declare_toll_payment_and_die(t)
    _declare_discarding_of_deck_top_cards(t)
    _declare_return_of_discards_to_deck(t)
    _declare_removal_of_cards_from_game(t)
    _declare_offering_of_diamonds_to_deck(t)
    _declare_exchange_of_deck_and_discards(t)


# -- Toll (R26) and discarding (R13) -----------------------------------------------------------------------------


def _add_shadow_and_burden_to_number(t: GameUnderConstruction, number: Value, burden: Value) -> Term:
    """One more where the Shadow frames it (R34), and what a burden adds; per card discarded under one reading."""
    extra = t.framed[t.s.doing] * t.printed.shadow + burden
    return number + extra * number if t.readings.reads("A7", "per-card") else number + extra


def _declare_toll_payment_and_die(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s

    @g.action(t.at["toll"], "discard a card", rule="R26", name="pay the Toll")
    def pay() -> None:
        s.to_discard = _add_shadow_and_burden_to_number(
            t, t.printed.toll_paid, t.get_number_set_by_current_card("heavier")
        )
        goto(t.at["shedding"])

    @g.action(t.at["toll"], "roll the die", rule="R26", name="roll the die")
    def roll() -> None:
        goto(t.at["die"])

    shown, faces = range(t.printed.die[0], t.printed.die[-1] + 1), t.printed.die
    alike = faces == tuple(shown)
    chances = None if alike else g.table("faces", [faces.count(v) for v in range(shown.stop)])

    @g.action(t.at["die"], "the die shows {pips}", rule="R26", name="die", pips=shown)
    def die(pips: Local) -> None:
        weight(1 if chances is None else chances[pips])
        with when(pips > t.number_of[s.doing] + t.get_number_set_by_current_card("toll_shift")):
            goto(t.at["next"])
        with otherwise():
            s.to_discard = _add_shadow_and_burden_to_number(
                t, t.printed.toll_failed, t.get_number_set_by_current_card("heavier")
            )
            goto(t.at["shedding"])


def _declare_discarding_of_deck_top_cards(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s

    @g.on(t.at["shedding"], rule="R13")
    def shedding() -> None:
        with when((s.to_discard > 0) & (t.deck > 0)):
            goto(t.at["shed"])
        if t.readings.reads("A3", "loss"):
            with otherwise(s.to_discard > 0):
                lose("the Deck ran out", rule="R13")
        with otherwise():
            s.to_discard = 0
            goto(s.then)

    @g.action(t.at["shed"], "discard a {suit}", rule="R13", name="shed", suit=SUITS)
    def shed(suit: Local) -> None:
        require(t.get_weight_of_suit_on_deck_top(suit) > 0, "R13", "that is not the top card")
        weight(t.get_weight_of_suit_on_deck_top(suit))
        open_card = keep((t.top.size > 0) | (t.count_unknown_cards_of_deck() == 0))
        t.take_next(suit)
        with when(open_card):
            t.known[suit] += 1
        with otherwise():
            t.down[suit] += 1
            t.down_size.set(t.down_size + 1)
        s.to_discard -= 1
        goto(t.at["shedding"])


# -- Return (R29) -------------------------------------------------------------------------------------------------


def _declare_return_of_discards_to_deck(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s

    @g.on(t.at["returned"], rule="R16 R29 R36")
    def returned() -> None:
        with when((s.left > 0) & (t.count_discard_area_cards() > 0)):
            goto(t.at["return"])
        with otherwise():
            _end_return_symbol_and_shuffle(t)

    for what, array in (("face-up", t.up), ("known", t.known)):
        g.add_action(
            t.at["return"],
            _build_body_of_returning_known_discard(t, array),
            f"return a {what} {{suit}}",
            rule="R16 R29",
            name=f"return {what}",
            suit=SUITS,
        )

    @g.action(t.at["return"], "return a face-down card", rule="R16 R29", name="return a face-down card")
    def return_blind() -> None:
        require(t.down_size > 0, "R29", "no unknown card lies there")
        if t.readings.reads("A21", "seen-only"):
            require(s.exact == 1, "R29", "nobody has seen that card (A21)")
        goto(t.at["blind return"])

    @g.action(t.at["blind return"], "a {suit} returns unseen", rule="R29", name="blind return", suit=SUITS)
    def blind(suit: Local) -> None:
        require(t.down[suit] > 0, "R29", "no such card lies there")
        weight(t.down[suit])
        t.remove_face_down_discard(suit)
        t.add_cards_to_deck_before_shuffle(suit)
        s.left -= 1
        goto(t.at["returned"])

    @g.action(t.at["return"], "return no more", rule="R29", name="return no more")
    def stop() -> None:
        require(s.exact == 0, "R36", "as many must return as were discarded")
        _end_return_symbol_and_shuffle(t)


def _build_body_of_returning_known_discard(t: GameUnderConstruction, discard_counts: Array) -> Callable[[Local], None]:
    def body(suit: Local) -> None:
        require(discard_counts[suit] > 0, "R29", "no such card lies there")
        discard_counts[suit] -= 1
        t.add_cards_to_deck_before_shuffle(suit)
        t.s.left -= 1
        goto(t.at["returned"])

    return body


def _end_return_symbol_and_shuffle(t: GameUnderConstruction) -> None:
    s = t.s
    s.left = 0
    s.exact = 0
    t.shuffle()
    goto(t.at["next"])


# -- Remove (R30) -------------------------------------------------------------------------------------------------


def _declare_removal_of_cards_from_game(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s
    deck_only = t.readings.reads("A4", "deck-only")

    @g.on(t.at["removal"], rule="R14 R30")
    def removal() -> None:
        there = t.deck if deck_only else t.deck + t.count_discard_area_cards()
        with when((s.left > 0) & (there > 0)):
            goto(t.at["remove"])
        with otherwise():
            s.left = 0
            goto(t.at["next"])

    @g.action(t.at["remove"], "remove the top card of the Deck", rule="R14 R30", name="remove the top card")
    def top() -> None:
        require(t.deck > 0, "R30", "the Deck is empty")
        goto(t.at["top remove"])

    @g.action(t.at["top remove"], "a {suit} is removed unseen", rule="R14 R15", name="top remove", suit=SUITS)
    def from_top(suit: Local) -> None:
        require(t.get_weight_of_suit_on_deck_top(suit) > 0, "R30", "that is not the top card")
        weight(t.get_weight_of_suit_on_deck_top(suit))
        t.take_next(suit)
        _add_to_removed_and_go_on(t, suit)

    for what, array in (("face-up", t.up), ("known", t.known)):
        g.add_action(
            t.at["remove"],
            _build_body_of_removing_known_discard(t, array, deck_only),
            f"remove a {what} {{suit}}",
            rule="R14 R30",
            name=f"remove {what}",
            suit=SUITS,
        )
    _declare_removal_of_face_down_discard(t, deck_only)


def _declare_removal_of_face_down_discard(t: GameUnderConstruction, deck_only: bool) -> None:
    g = t.g

    @g.action(t.at["remove"], "remove a face-down card", rule="R14 R30", name="remove a face-down card")
    def blind() -> None:
        require(t.down_size > 0, "R30", "no unknown card lies there")
        require(not deck_only, "R30", "only the Deck's top card may be removed")
        goto(t.at["blind remove"])

    @g.action(t.at["blind remove"], "a {suit} is removed blindly", rule="R14 R15", name="blind remove", suit=SUITS)
    def unseen(suit: Local) -> None:
        require(t.down[suit] > 0, "R30", "no such card lies there")
        weight(t.down[suit])
        t.remove_face_down_discard(suit)
        _add_to_removed_and_go_on(t, suit)


def _build_body_of_removing_known_discard(
    t: GameUnderConstruction, discard_counts: Array, deck_only: bool
) -> Callable[[Local], None]:
    def body(suit: Local) -> None:
        require(discard_counts[suit] > 0, "R30", "no such card lies there")
        require(not deck_only, "R30", "only the Deck's top card may be removed")
        discard_counts[suit] -= 1
        _add_to_removed_and_go_on(t, suit)

    return body


def _add_to_removed_and_go_on(t: GameUnderConstruction, suit: Local) -> None:
    t.add_cards_to_removed(suit)
    t.s.left -= 1
    goto(t.at["removal"])


# -- Offering (R33) and Exchange (R36) --------------------------------------------------------------------------------


def _declare_offering_of_diamonds_to_deck(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s
    most = max(task.number for task in t.printed.tasks if task.symbol == "offering")

    @g.action(t.at["offer"], "offer {number} diamonds", rule="R33 R37", name="offer", number=range(most + 1))
    def offer(number: Local) -> None:
        require(number <= t.number_of[s.doing], "R33", "up to {} diamonds", t.number_of[s.doing])
        require(number <= t.outside[Suit.DIAMOND], "R33", "{} diamonds are left", t.outside[Suit.DIAMOND])
        t.outside[Suit.DIAMOND] -= number
        t.add_cards_to_deck_before_shuffle(Suit.DIAMOND, number)
        t.shuffle()
        goto(t.at["next"])


def _declare_exchange_of_deck_and_discards(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s
    most = max(task.number for task in t.printed.tasks if task.symbol == "exchange")

    @g.action(t.at["exchange"], "exchange {number} cards", rule="R36", name="exchange", number=range(most + 1))
    def exchange(number: Local) -> None:
        require(number <= t.number_of[s.doing], "R36", "up to {} cards", t.number_of[s.doing])
        require(number <= t.deck, "R13", "the Deck holds {} cards", t.deck)
        s.left = number
        s.exact = (number > 0) if t.readings.reads("A8", "exactly") else 0
        with when(number > 0):
            s.to_discard = _add_shadow_and_burden_to_number(t, number, 0)
        s.then = t.at["returned"].number
        goto(t.at["shedding"])
