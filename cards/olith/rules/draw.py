"""Drawing from the eight artifact decks, and finding a slot for locations (R45, R46, R65-R69, A15)."""

from __future__ import annotations

from dataclasses import dataclass

from playproof import Local, Term, Value, any_of, each, goto, keep, otherwise, require, sum_of, when
from playproof.language.expr import as_term

from .cards import COLOURS, DECKS, LEVELS, Slot
from .shared_rules import SharedRules
from .table import Function, GameUnderConstruction, Procedure

ANY_SLOT = len(Slot)
DECK_COLOUR = (3, 0, 1, 2, 0, 1, 2, 3)  # 3: shared by all colours
DECK_LEVEL = (1, 2, 2, 2, 3, 3, 3, LEVELS)


@dataclass(frozen=True)
class DeckRules:
    """`house(player, card)` finds a slot for a location and goes on dealing; `open_to(player, deck)`.

    Of a deck: `left` cards in an order that nobody knows, `sold` ones under them, and whether `some` card can be drawn.
    """

    house: Procedure
    open_to: Function
    left: Function
    sold: Function
    some: Function


def declare_decks_and_locations(w: GameUnderConstruction, common: SharedRules) -> DeckRules:
    """The rules of decks and locations."""
    draws = DeckRules(
        _declare_procedure_that_places_location(w),
        _declare_test_of_deck_open_to_player(w),
        *_declare_deck_counting_functions(w),
    )
    _declare_drawing_and_reshuffle_of_deck(w, draws)
    _declare_chance_draw_of_card(w, draws)
    _declare_choices_of_slot_or_abandoning(w, common)
    _declare_giving_up_and_moving_locations(w, common)
    return draws


def _declare_test_of_deck_open_to_player(w: GameUnderConstruction) -> Function:
    g, s = w.g, w.s
    level, colour = g.table("deck_level", DECK_LEVEL), g.table("deck_colour", DECK_COLOUR)

    @g.function(player=w.players, deck=len(DECKS))
    def open_to(player: Local, deck: Local) -> Value:
        """Whether a player has unlocked a region that draws from the deck (A28)."""
        return any_of(
            ((colour[deck] == c) | (colour[deck] == 3)) & (level[deck] <= s.atlas[player, c])
            for c in range(len(COLOURS))
        )

    return open_to


def _declare_deck_counting_functions(w: GameUnderConstruction) -> tuple[Function, Function, Function]:
    g, s = w.g, w.s
    artifacts, locations = len(w.artifacts), len(w.locations)

    @g.function(deck=len(DECKS))
    def left(deck: Local) -> Value:
        """Shuffled cards of a deck; those sold under it are not counted."""
        shuffled = sum_of(artifacts, lambda i: (s.deck_artifacts[i] == 1) & (w.card_deck[i] == deck))
        return shuffled + sum_of(locations, lambda i: (s.deck_locations[i] == 1) & (w.location_deck[i] == deck))

    @g.function(deck=len(DECKS))
    def sold(deck: Local) -> Value:
        """Cards sold under a deck, so the place of the one that is drawn last (R43)."""
        return sum_of(artifacts, lambda i: (s.under[i] > 0) & (w.card_deck[i] == deck))

    @g.function(deck=len(DECKS))
    def some(deck: Local) -> Value:
        """Whether a card can be drawn before the discards are shuffled."""
        return (left(deck) > 0) | any_of(artifacts, lambda i: (s.under[i] == 1) & (w.card_deck[i] == deck))

    return left, sold, some


def _declare_drawing_and_reshuffle_of_deck(w: GameUnderConstruction, draws: DeckRules) -> None:
    """While cards are to be drawn: draw; the discards of a deck that has run out are shuffled first (A15)."""
    g, s, ph, artifacts = w.g, w.s, w.ph, len(w.artifacts)

    def discarded(card: Value) -> Term:
        return as_term((w.card_deck[card] == s.deck) & (s.discard[card] == 1))

    @g.on(ph.deal, rule="R45 R46")
    def deal() -> None:
        s.shifted = 0
        with when(s.draws == 0):
            goto(s.draw_back)
        with otherwise(draws.some(s.deck)):
            goto(ph.draw)
        with otherwise(any_of(artifacts, discarded)):
            for i in each(artifacts):
                with when(discarded(i)):
                    s.discard[i] = 0
                    s.deck_artifacts[i] = 1
        with otherwise():
            s.draws = 0


def _declare_chance_draw_of_card(w: GameUnderConstruction, draws: DeckRules) -> None:
    g, s, ph = w.g, w.s, w.ph

    def lift(card: Value) -> None:
        """A sold card is drawn; those of its deck that were sold later move up (R43)."""
        s.under[card] = 0
        for i in each(len(w.artifacts)):
            with when((w.card_deck[i] == s.deck) & (s.under[i] > 1)):
                s.under[i] = s.under[i] - 1

    @g.action(ph.draw, "draw {card}", card=w.artifacts, name="draw artifact", rule="R43 R45 R81")
    def artifact(card: Local) -> None:
        require(w.card_deck[card] == s.deck, "R45", "the card is in another deck")
        require((s.deck_artifacts[card] == 1) | (s.under[card] == 1), "R45", "the card is not in the deck or not next")
        require((s.under[card] == 0) | (draws.left(s.deck) == 0), "R43", "shuffled cards lie above it")
        s.deck_artifacts[card] = 0
        with when(s.under[card] > 0):
            lift(card)
        s.hand[s.by, card] = 1
        s.hand_size[s.by] = s.hand_size[s.by] + 1
        s.draws = s.draws - 1
        if w.rulings.a9 == "origin":
            s.origin[card] = s.draw_colour
        goto(ph.deal)

    @g.action(ph.draw, "find {card}", card=w.locations, name="find location", rule="R65")
    def location(card: Local) -> None:
        require(w.location_deck[card] == s.deck, "R45", "the card is in another deck")
        require(s.deck_locations[card] == 1, "R45", "the card is not in the deck")
        s.deck_locations[card] = 0
        s.draws = s.draws - 1
        draws.house(s.by, card)


def _declare_procedure_that_places_location(w: GameUnderConstruction) -> Procedure:
    g, s, ph = w.g, w.s, w.ph

    @g.procedure(player=w.players, card=len(w.locations))
    def house(player: Local, card: Local) -> None:
        """A location is played at once: into its empty slot, else its finder chooses (R65, R66)."""
        slot = keep(w.loc_slot[card])
        with when((slot < ANY_SLOT) & (s.slot[player, slot] == 0)):
            s.slot[player, slot] = card + 1
            goto(ph.deal)
        with otherwise():
            s.found = card + 1
            goto(ph.lodge)

    return house


def _declare_choices_of_slot_or_abandoning(w: GameUnderConstruction, common: SharedRules) -> None:
    g, s, ph = w.g, w.s, w.ph

    @g.action(ph.lodge, "lay it in the {slot} slot", slot=Slot, name="lodge", rule="R65 R66 R67 R69")
    def lodge(slot: Local) -> None:
        fits = w.loc_slot[s.found - 1]
        require((fits == slot) | (fits == ANY_SLOT), "R66", "the location is of another kind")
        fought = (s.slot[s.by, slot] > 0) & (s.target == s.slot[s.by, slot] + len(w.sites))
        require(~fought, "R52", "the location there is being fought for")
        with when(s.slot[s.by, slot] > 0):
            common.abandon(s.by, slot)
        s.slot[s.by, slot] = s.found
        s.found = 0
        goto(ph.deal)

    @g.action(ph.lodge, "abandon it", name="leave it", rule="R67")
    def leave() -> None:
        card = keep(s.found - 1)
        unit = keep(s.loc_unit[card])
        with when(unit > 0):
            s.exhausted[s.by, unit - 1] = s.exhausted[s.by, unit - 1] + 1
        s.loc_unit[card] = 0
        s.abandoned[card] = 1
        s.found = 0
        goto(ph.deal)


def _declare_giving_up_and_moving_locations(w: GameUnderConstruction, common: SharedRules) -> None:
    """Owners give locations up (R67, A32), and move those that fit any slot (R69, A31)."""
    _declare_giving_up_of_location(w, common)
    _declare_moving_of_location(w)


def _declare_giving_up_of_location(w: GameUnderConstruction, common: SharedRules) -> None:
    g, s, ph = w.g, w.s, w.ph
    own = (ph.turn, ph.act, ph.victory, ph.unlock)
    always = (*own, ph.window, ph.reply, ph.defend, ph.commit, ph.clash, ph.last)

    @g.action(
        always if w.rulings.a32 == "any-time" else own,
        "abandon the {slot} location",
        slot=Slot,
        name="abandon",
        rule="R67",
    )
    def abandon(slot: Local) -> None:
        require(s.slot[s.by, slot] > 0, "R67", "no location lies there")
        s.shifted = 0
        if w.rulings.a32 == "any-time":
            with when(s.target == s.slot[s.by, slot] + len(w.sites)):
                _give_up_attacked_location(w)
            with otherwise():
                common.abandon(s.by, slot)
                w.go_to_pause_after_act_in_own_turn()
        else:
            common.abandon(s.by, slot)
            w.go_to_pause_after_act_in_own_turn()


def _give_up_attacked_location(w: GameUnderConstruction) -> None:
    """Abandoned while it is attacked: the attacker stands on it and takes it (R68), as an undefended one (A32)."""
    s = w.s
    s.ap[0] = 1
    s.ap[1] = 0
    s.rolled[0] = 0
    s.rolled[1] = 0
    s.passes = 0
    goto(w.ph.verdict)


def _declare_moving_of_location(w: GameUnderConstruction) -> None:
    """One rearrangement between two other actions, so that play goes on (A31); every other action clears `shifted`."""
    g, s, ph, own_turn = w.g, w.s, w.ph, w.rulings.a31 == "own-turn"

    @g.action(
        (ph.turn, ph.act) if own_turn else (*ph.at_any_time, ph.lodge),
        "move the location in the {slot} slot to the {to} slot",
        slot=Slot,
        to=Slot,
        name="shift",
        rule="R69",
    )
    def shift(slot: Local, to: Local) -> None:
        require(s.slot[s.by, slot] > 0, "R69", "no location lies there")
        require(w.loc_slot[s.slot[s.by, slot] - 1] == ANY_SLOT, "R69", "the location fits its own slot only")
        require(slot != to, "R69", "it lies there already")
        there = s.slot[s.by, to]
        require((there == 0) | (w.loc_slot[there - 1] == ANY_SLOT), "R66", "the location there fits its own slot only")
        used = s.shifted_in_turn if own_turn else s.shifted
        require(used == 0, "R69", "one location changes slots " + ("in a turn" if own_turn else "between two actions"))
        card, other = keep(s.slot[s.by, slot]), keep(s.slot[s.by, to])
        s.slot[s.by, slot] = other
        s.slot[s.by, to] = card
        if own_turn:
            s.shifted_in_turn = 1
        else:
            s.shifted = 1
