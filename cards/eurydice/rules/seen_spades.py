"""Seeing a spade: the bottom of the Deck goes, clubs come, and the spade leaves the game (R18-R22)."""

from __future__ import annotations

from playproof import Const, Local, Term, goto, keep, lose, min_of, otherwise, pick, require, sum_of, weight, when

from .cards import SUITS, Suit
from .state import DECK, DISCARD, KINDS, REMOVED, ZONES, GameUnderConstruction


def declare_effects_of_seen_spades(t: GameUnderConstruction) -> None:
    """What happens after a look, once for all spades seen together (R21)."""
    _declare_spade_check_after_looking(t)
    _declare_spade_removing_deck_bottom(t)
    if t.readings.reads("A11", "literal"):
        _declare_spade_removing_seen_cards(t)
    _declare_spade_adding_clubs_to_deck(t)


def _count_spades_just_seen(t: GameUnderConstruction) -> Term:
    return sum_of(t.spades_seen[zone] for zone in range(len(ZONES)))


def _declare_spade_check_after_looking(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s

    @g.on(t.at["seen"], rule="R18 R21")
    def seen() -> None:
        with when(_count_spades_just_seen(t) > 0):
            s.to_fall = t.get_number_set_by_current_card("spades_remove")
            goto(t.at["sinking"])
        with otherwise():
            for k in range(KINDS):
                t.add_cards_to_removed(k, t.peeked[k])
                t.peeked[k] = 0
            goto(s.then)


def _declare_spade_removing_deck_bottom(t: GameUnderConstruction) -> None:
    """The bottom cards of the Deck are removed, as many as there are (A3)."""
    g, s = t.g, t.s

    @g.on(t.at["sinking"], rule="R18")
    def sinking() -> None:
        with when((s.to_fall > 0) & (t.deck > 0)):
            goto(t.at["sink"])
        if t.readings.reads("A11", "literal"):
            with otherwise((s.to_fall > 0) & (_count_cards_just_looked_at_in_deck(t) > 0)):
                goto(t.at["sink seen"])
        with otherwise():
            s.to_fall = 0
            goto(t.at["grief"])

    @g.action(t.at["sink"], "a {suit} sinks unseen", rule="R18", name="sink", suit=SUITS)
    def sink(suit: Local) -> None:
        require(t.get_weight_of_suit_at_deck_bottom(suit) > 0, "R18", "that is not the bottom card")
        weight(t.get_weight_of_suit_at_deck_bottom(suit))
        t.take_last(suit)
        t.add_cards_to_removed(suit)
        s.to_fall -= 1
        goto(t.at["sinking"])


def _count_cards_just_looked_at_in_deck(t: GameUnderConstruction) -> Term:
    """Cards just looked at in the Deck, the spades among them."""
    return sum_of(t.looked[k] for k in range(KINDS)) + t.spades_seen[DECK]


def _declare_spade_removing_seen_cards(t: GameUnderConstruction) -> None:
    """In the literal order the cards looked at still lie in the Deck, so a small Deck loses some of them."""
    g, s = t.g, t.s

    @g.action(t.at["sink seen"], "a {suit} just seen sinks", rule="R18", name="sink seen", suit=SUITS)
    def sink_seen(suit: Local) -> None:
        there = t.looked[suit] + pick(suit == Suit.SPADE, t.spades_seen[DECK], 0)
        require(there > 0, "R18", "no such card was looked at")
        weight(there)
        with when(suit == Suit.SPADE):
            t.spades_seen[DECK] -= 1
            s.fell += 1
        with otherwise():
            t.looked[suit] -= 1
        t.add_cards_to_removed(suit)
        s.to_fall -= 1
        goto(t.at["sinking"])


def _declare_spade_adding_clubs_to_deck(t: GameUnderConstruction) -> None:
    """Clubs, then jokers, come in; one spade leaves the game, the others go into the Deck; the third one loses."""
    g, s = t.g, t.s

    @g.on(t.at["grief"], rule="R18 R19 R20 R21 R22")
    def grief() -> None:
        clubs = keep(min_of(t.printed.spade_brings, t.outside[Suit.CLUB]))
        jokers = keep(min_of(t.printed.spade_brings - clubs, t.outside[Suit.JOKER]))
        for suit, number in ((Suit.CLUB, clubs), (Suit.JOKER, jokers)):
            t.outside[suit] -= number
            t.add_cards_to_deck_before_shuffle(suit, number)
        _remove_one_seen_spade_from_game(t)
        _return_other_seen_spades(t)
        t.move_looked_cards_to_deck()
        t.shuffle()
        with when(s.spades_gone == t.printed.spades_in_starting_deck):
            lose("all three spades seen", rule="R22")
        goto(t.at["seen"])


def _remove_one_seen_spade_from_game(t: GameUnderConstruction) -> None:
    """One of the spades leaves the game, from where it was seen: Deck, Discard Area, Removed in this order."""
    s = t.s
    s.spades_gone += 1
    fallen = s.fell > 0 if t.readings.reads("A11", "literal") else Const(0)
    with when(t.spades_seen[DECK] > 0):
        t.spades_seen[DECK] -= 1
    with otherwise(fallen):
        t.add_cards_to_removed(Suit.SPADE, -1)
    with otherwise(t.spades_seen[DISCARD] > 0):
        t.spades_seen[DISCARD] -= 1
    with otherwise():
        t.spades_seen[REMOVED] -= 1
    if t.readings.reads("A11", "literal"):
        s.fell = 0


def _return_other_seen_spades(t: GameUnderConstruction) -> None:
    """The other spades go into the Deck (A10), or stay where they were seen."""
    if t.readings.reads("A10", "leave"):
        t.add_cards_to_deck_before_shuffle(Suit.SPADE, t.spades_seen[DECK])
        t.up[Suit.SPADE] += t.spades_seen[DISCARD]
        t.add_cards_to_removed(Suit.SPADE, t.spades_seen[REMOVED])
    else:
        t.add_cards_to_deck_before_shuffle(Suit.SPADE, keep(_count_spades_just_seen(t)))
    for zone in range(len(ZONES)):
        t.spades_seen[zone] = 0
