"""Symbols that look at cards: Recall, Glimpse and Lament (R27, R28, R35, R39)."""

from __future__ import annotations

from collections.abc import Callable

from playproof import Array, Const, Local, Term, goto, keep, min_of, otherwise, pick, require, sum_of, weight, when

from .cards import SUITS, Suit
from .state import DECK, DISCARD, KINDS, REMOVED, ZONES, GameUnderConstruction


def declare_symbols_that_look_at_cards(t: GameUnderConstruction) -> None:
    """Choosing what to look at, and looking: chance decides an unseen card when it is looked at."""
    _declare_recall_look_at_discards(t)
    _declare_glimpse_choice_of_cards(t)
    _declare_placing_looked_cards_on_deck(t)
    _declare_lament_over_deck_or_discards(t)
    _declare_looking_during_lament(t)
    _declare_lament_moving_hearts_to_deck(t)
    _declare_chance_of_suits_seen(t)


# -- Recall (R27) ---------------------------------------------------------------------------------------------------


def _declare_recall_look_at_discards(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s
    _declare_turning_up_known_card(t, "recall")
    if t.readings.reads("A12", "declare"):

        @g.action(
            t.at["recall"],
            "look at {number} face-down cards",
            rule="R27",
            name="recall some",
            number=range(t.most_cards + 1),
        )
        def look_at(number: Local) -> None:
            require(number <= t.down_size, "R27", "{} unknown cards lie there", t.down_size)
            t.to_see[DISCARD] = number
            goto(t.at["seeing"])

        return

    @g.action(t.at["recall"], "look at a face-down card", rule="R27", name="recall one")
    def look() -> None:
        require(t.down_size > 0, "R27", "no unknown card lies there")
        t.to_see[DISCARD] = 1
        s.then = t.at["recall"].number
        goto(t.at["seeing"])

    @g.action(t.at["recall"], "look no more", rule="R27", name="recall no more")
    def stop() -> None:
        goto(t.at["next"])


def _declare_turning_up_known_card(t: GameUnderConstruction, phase: str) -> None:
    """A known card that lies face down may be looked at again; it then stays face up (R38)."""
    g, s = t.g, t.s

    @g.action(t.at[phase], "turn up a known {suit}", rule="R27 R28 R38", name=f"turn up {phase}", suit=SUITS)
    def turn_up(suit: Local) -> None:
        require(t.known[suit] > 0, "R28", "no such card lies there")
        t.known[suit] -= 1
        t.up[suit] += 1
        if phase == "glimpse":
            _count_down_glimpse_then_look(t)
        else:
            s.fresh = 0


# -- Glimpse (R28, R39) -----------------------------------------------------------------------------------------------


def _declare_glimpse_choice_of_cards(t: GameUnderConstruction) -> None:
    """The cards are chosen first, then all are looked at together (A5); in every zone there is nothing to choose."""
    g = t.g
    if t.readings.reads("A5", "each-zone"):
        return
    _declare_turning_up_known_card(t, "glimpse")

    @g.action(t.at["glimpse"], "choose a card of the {zone}", rule="R28", name="glimpse", zone=ZONES)
    def choose(zone: Local) -> None:
        size = pick(zone == DECK, t.deck, pick(zone == DISCARD, t.down_size, t.removed_size))
        require(t.to_see[zone] < size, "R28", "there is no other unseen card")
        t.to_see[zone] += 1
        _count_down_glimpse_then_look(t)


def _count_down_glimpse_then_look(t: GameUnderConstruction) -> None:
    s = t.s
    s.left -= 1
    with when(s.left == 0):
        goto(t.at["seeing"])


def _declare_placing_looked_cards_on_deck(t: GameUnderConstruction) -> None:
    g = t.g

    @g.on(t.at["placed"], rule="R39")
    def placed() -> None:
        with when(sum_of(t.looked[k] for k in range(KINDS)) > 0):
            goto(t.at["place"])
        with otherwise():
            goto(t.at["next"])

    @g.action(t.at["place"], "put a {suit} on top", rule="R39", name="put on top", suit=SUITS)
    def on_top(suit: Local) -> None:
        _put_looked_card_back_on_deck(t, suit, t.top.put)

    @g.action(t.at["place"], "put a {suit} at the bottom", rule="R39", name="put at the bottom", suit=SUITS)
    def at_bottom(suit: Local) -> None:
        _put_looked_card_back_on_deck(t, suit, t.under.put_under)


def _put_looked_card_back_on_deck(t: GameUnderConstruction, suit: Local, put_card: Callable[[Local], None]) -> None:
    require(t.looked[suit] > 0, "R39", "no such card was looked at")
    t.looked[suit] -= 1
    put_card(suit)
    t.deck.set(t.deck + 1)
    goto(t.at["placed"])


# -- Lament (R35) -----------------------------------------------------------------------------------------------------


def _declare_lament_over_deck_or_discards(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s

    @g.action(t.at["lament"], "lament over the {zone}", rule="R35", name="lament", zone=ZONES[:2])
    def lament(zone: Local) -> None:
        s.mourned = zone + 1
        if t.readings.reads("A6b", "anywhere"):
            with when(zone == DECK):
                t.shuffle()
        goto(t.at["mourn"])


def _declare_looking_during_lament(t: GameUnderConstruction) -> None:
    g, s = t.g, t.s
    for what, array in (("face-up", t.up), ("known", t.known)):
        g.add_action(
            t.at["mourn"],
            _build_body_of_looking_at_known_diamond(t, array),
            f"look at a {what} diamond",
            rule="R35",
            name=f"mourn {what}",
        )
    if t.readings.reads("A12", "declare"):

        @g.action(
            t.at["mourn"], "look at {number} cards", rule="R35", name="mourn some", number=range(t.most_cards + 1)
        )
        def look_at(number: Local) -> None:
            require(
                number <= _count_unseen_cards_lamented_over(t),
                "R35",
                "{} unseen cards are there",
                _count_unseen_cards_lamented_over(t),
            )
            t.to_see[s.mourned - 1] = number
            s.then = t.at["console"].number
            goto(t.at["seeing"])

        return

    @g.action(t.at["mourn"], "look at a card", rule="R35", name="mourn one")
    def look() -> None:
        require(_count_unseen_cards_lamented_over(t) > 0, "R35", "there is no other unseen card")
        t.to_see[s.mourned - 1] = 1
        s.then = t.at["mourn"].number
        goto(t.at["seeing"])

    @g.action(t.at["mourn"], "look no more", rule="R35", name="mourn no more")
    def stop() -> None:
        goto(t.at["console"])


def _count_unseen_cards_lamented_over(t: GameUnderConstruction) -> Term:
    """Cards that may still be looked at in the place lamented over."""
    return pick(t.s.mourned == DECK + 1, t.deck, t.down_size)


def _build_body_of_looking_at_known_diamond(t: GameUnderConstruction, counts: Array) -> Callable[[], None]:
    """A diamond that the player already knows is looked at again."""

    def body() -> None:
        require(t.s.mourned == DISCARD + 1, "R35", "the lament is over the Deck")
        require(counts[Suit.DIAMOND] > 0, "R35", "no such card lies there")
        counts[Suit.DIAMOND] -= 1
        t.s.diamonds += 1

    return body


def _declare_lament_moving_hearts_to_deck(t: GameUnderConstruction) -> None:
    """Diamonds seen are removed, and as many hearts of the Discard Area go into the Deck (A6)."""
    g, s = t.g, t.s

    @g.on(t.at["console"], rule="R35 R37")
    def console() -> None:
        face_up = keep(min_of(s.diamonds, t.up[Suit.HEART]))
        in_known = keep(min_of(s.diamonds - face_up, t.known[Suit.HEART]))
        hidden = keep(
            Const(0)
            if t.readings.reads("A6", "face-up")
            else min_of(s.diamonds - face_up - in_known, t.down[Suit.HEART])
        )
        if t.readings.reads("A6", "face-up"):
            in_known = keep(Const(0))
        moved = keep(face_up + in_known + hidden)
        t.up[Suit.HEART] -= face_up
        t.known[Suit.HEART] -= in_known
        t.down[Suit.HEART] -= hidden
        t.down_size.set(t.down_size - hidden)
        t.add_cards_to_deck_before_shuffle(Suit.HEART, moved)
        t.add_cards_to_removed(Suit.DIAMOND, moved)
        s.diamonds -= moved
        with when(s.diamonds > 0):
            goto(t.at["surplus"])
        with otherwise():
            _end_lament_and_shuffle(t)

    @g.action(t.at["surplus"], "remove {number} of the other diamonds", rule="R35", name="surplus", number=range(14))
    def surplus(number: Local) -> None:
        require(number <= s.diamonds, "R35", "{} diamonds are left", s.diamonds)
        t.add_cards_to_removed(Suit.DIAMOND, number)
        rest = keep(s.diamonds - number)
        s.diamonds = 0
        with when(s.mourned == DECK + 1):
            t.add_cards_to_deck_before_shuffle(Suit.DIAMOND, rest)
        with otherwise():
            t.up[Suit.DIAMOND] += rest
        _end_lament_and_shuffle(t)


def _end_lament_and_shuffle(t: GameUnderConstruction) -> None:
    t.s.mourned = 0
    t.move_looked_cards_to_deck()
    t.shuffle()
    goto(t.at["next"])


# -- looking -------------------------------------------------------------------------------------------------------


def _declare_chance_of_suits_seen(t: GameUnderConstruction) -> None:
    """Whatever is to be seen is seen, Deck first; then spades have their say, and the symbol goes on."""
    g = t.g

    @g.on(t.at["seeing"], rule="R17")
    def seeing() -> None:
        with when(sum_of(t.to_see[zone] for zone in range(len(ZONES))) > 0):
            goto(t.at["see"])
        with otherwise():
            goto(t.at["seen"])

    @g.action(t.at["see"], "a {suit} is seen", rule="R17 R18", name="see", suit=SUITS)
    def see(suit: Local) -> None:
        of_removed = pick(t.to_see[DISCARD] > 0, t.down[suit], t.removed[suit])
        likely = pick(t.to_see[DECK] > 0, t.get_weight_of_suit_on_deck_top(suit), of_removed)
        require(likely > 0, "R17", "no such card is there to be seen")
        weight(likely)
        with when(t.to_see[DECK] > 0):
            _reveal_card_seen_in_deck(t, suit)
        with otherwise(t.to_see[DISCARD] > 0):
            _reveal_card_seen_in_discard(t, suit)
        with otherwise():
            _reveal_card_seen_in_removed(t, suit)
        goto(t.at["seeing"])


def _reveal_card_seen_in_deck(t: GameUnderConstruction, suit: Local) -> None:
    t.to_see[DECK] -= 1
    t.take_next(suit)
    with when(suit == Suit.SPADE):
        t.spades_seen[DECK] += 1
    with otherwise((suit == Suit.DIAMOND) & (t.s.mourned > 0)):
        t.s.diamonds += 1
    with otherwise():
        t.looked[suit] += 1


def _reveal_card_seen_in_discard(t: GameUnderConstruction, suit: Local) -> None:
    t.to_see[DISCARD] -= 1
    t.remove_face_down_discard(suit)
    with when(suit == Suit.SPADE):
        t.spades_seen[DISCARD] += 1
    with otherwise((suit == Suit.DIAMOND) & (t.s.mourned > 0)):
        t.s.diamonds += 1
    with otherwise():
        t.up[suit] += 1  # R38: it stays face up


def _reveal_card_seen_in_removed(t: GameUnderConstruction, suit: Local) -> None:
    t.to_see[REMOVED] -= 1
    t.removed[suit] -= 1
    t.removed_size.set(t.removed_size - 1)
    with when(suit == Suit.SPADE):
        t.spades_seen[REMOVED] += 1
    with otherwise():
        t.peeked[suit] += 1  # A5b: it is turned face down again
