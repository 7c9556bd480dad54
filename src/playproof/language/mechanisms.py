"""Ready-made mechanisms for rules: piles, bags and decks, and choices that all players make at once.

A shuffled deck is a bag plus the cards known to lie on its top and bottom. Drawing is a chance
action, so a shuffle is never stored: chance decides a card when it is first drawn, which has the
same distribution.

Simultaneous choices: each player commits in secret, then all choices are revealed together.

    bids = Together(g, "bid", range(0, 6), text="bid {bid}", then=award)
    ...
    bids.begin()                 # in a rule: every player is asked
    bids.of(seat)                # in a rule of `then`: what that seat chose

It uses the ordinary parts. Players are asked one after the other; a field that only they see holds
each choice; an automatic phase copies the choices to a field that all see. Nobody learns anything
before all have chosen."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Sequence
from typing import Any

from playproof.language.aggregates import all_of, sum_of
from playproof.language.authoring import Game
from playproof.language.errors import MOST_CELLS, RulesError, refuse_number_above_limit
from playproof.language.expr import Local, NonScalar, Question, Term, Value, as_term, pick
from playproof.language.fields import Labels, Sees
from playproof.language.parts import Over, Phase, make_parameter
from playproof.language.trace import cases, each, goto, keep, otherwise, require, weight, when

# -- zones ---------------------------------------------------------------------------------------------------
# Zones: piles of known order, bags drawn from at random, and decks that combine both.


class _CardZone(NonScalar):
    """What all zones share: none is one value, and their parts are not assigned but moved."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __setattr__(self, part: str, value: object) -> None:
        if part in vars(self):
            raise RulesError(
                "PP321", f"`{part}` of `{self.name}` cannot be assigned", self.suggest_expression_of_single_value()
            )
        super().__setattr__(part, value)

    def describe_in_error_message(self) -> str:
        return f"the {type(self).__name__} `{self.name}`"


def _refuse_too_many_copies_at_start(name: str, start: Sequence[int] | int, max_copies: int) -> None:
    """Refuse a bag that holds more of a card at the start than it may."""
    held = [start] if isinstance(start, int) else [*start]
    if held and max(held) > max_copies:
        raise RulesError(
            "PP323",
            f"`{name}` starts with {max(held)} of a card and may hold {max_copies}",
            f"write most={max(held)}: how many of each card it may hold",
        )


class Pile(_CardZone):
    """Cards in known order. `cards[size - 1]` is the top; `capacity` cards at most."""

    def __init__(
        self,
        g: Game,
        name: str,
        kinds: int,
        capacity: int,
        start: Sequence[int] = (),
        *,
        sees: Sees | Collection[int] = Sees.ALL,
        labels: Labels = None,
        rule: str = "",
    ) -> None:
        super().__init__(name)
        if len(start) > capacity:
            raise RulesError(
                "PP323",
                f"`{name}` starts with {len(start)} cards and may hold {capacity}",
                f"write capacity={len(start)}: how many cards it may hold",
            )
        refuse_number_above_limit(f"the places of `{name}` are", capacity, MOST_CELLS)
        filled = [*start, *[0] * (capacity - len(start))]
        self.capacity = capacity
        self.cards = g.array(f"{name}_cards", capacity, 0, kinds - 1, filled, sees=sees, labels=labels, rule=rule)
        self.size = g.integer(f"{name}_size", 0, capacity, len(start), rule=rule)

    def suggest_expression_of_single_value(self) -> str:
        return f"`{self.name}.size` is how many cards it holds, put, take and clear move them"

    def top(self) -> Term:
        """The top card (meaningless while the pile is empty)."""
        return self.cards[self.size - 1]

    def bottom(self) -> Term:
        """The bottom card (meaningless while the pile is empty)."""
        return self.cards[0]

    def tidy(self) -> Term:
        """Return whether every place without a card is clear, so that equal piles are equal
        states."""
        return all_of((self.size > i) | (self.cards[i] == 0) for i in range(self.capacity))

    def put(self, card: Value) -> None:
        """Put a card on the top."""
        self.cards[self.size] = card
        self.size.set(self.size + 1)

    def take(self) -> None:
        """Remove the top card. The freed place is cleared, so equal piles are equal states."""
        self.cards[self.size - 1] = 0
        self.size.set(self.size - 1)

    def put_under(self, card: Value) -> None:
        """Put a card under the pile."""
        card = keep(card)
        for i in each(self.capacity - 1):
            place = self.capacity - 1 - i
            self.cards[place] = self.cards[place - 1]
        self.cards[0] = card
        self.size.set(self.size + 1)

    def take_under(self) -> None:
        """Remove the bottom card."""
        for i in each(self.capacity - 1):
            self.cards[i] = self.cards[i + 1]
        self.cards[self.capacity - 1] = 0
        self.size.set(self.size - 1)

    def clear(self) -> None:
        """Empty the pile."""
        for i in each(self.capacity):
            self.cards[i] = 0
        self.size.set(0)


class _DrawnZone(_CardZone):
    """A zone of which chance draws a card of one of its `kinds`."""

    kinds: int
    refusal: str

    @abstractmethod
    def weight_of(self, card: Value) -> Term:
        """Return the weight with which a card is drawn next."""

    @abstractmethod
    def remove(self, card: Value) -> None:
        """Take out the card just drawn."""

    def draw(
        self, g: Game, phase: Phase, text: str, then: Callable[[Local], None], *, labels: Labels = None, rule: str = ""
    ) -> None:
        """Chance draws the next card, and `then(card)` carries out what follows. Each card in a bag is equally
        likely."""

        def body(card: Local) -> None:
            require(self.weight_of(card) > 0, rule, self.refusal)
            weight(self.weight_of(card))
            self.remove(card)
            then(card)

        cards = self.kinds if labels is None else labels
        g.add_action(phase, body, text, rule=rule, name=f"draw {phase.name}", card=cards)


class Bag(_DrawnZone):
    """Cards whose order is unknown: `count[kind]` of each kind. Nobody sees which comes next."""

    refusal = "the card is not in the bag"

    def __init__(
        self,
        g: Game,
        name: str,
        kinds: int,
        most: int = 1,
        start: Sequence[int] | int = 0,
        *,
        sees: Sees | Collection[int] = Sees.ALL,
        rule: str = "",
    ) -> None:
        super().__init__(name)
        _refuse_too_many_copies_at_start(name, start, most)
        self.kinds = kinds
        self.count = g.array(f"{name}_bag", kinds, 0, most, start, sees=sees, rule=rule)

        @g.function()
        def bag_size() -> Value:
            return sum_of(kinds, lambda k: self.count[k])

        self._size = bag_size

    def suggest_expression_of_single_value(self) -> str:
        return (
            f"`{self.name}.size()` is how many cards it holds, `{self.name}.count[card]` how many of one; "
            "put, take and draw move them"
        )

    @property
    def size(self) -> Question:
        """The number of cards in the bag, as `bag.size()`."""
        return Question("size", self._size)

    def put(self, kind: Value, n: Value = 1) -> None:
        """Put n cards of a kind into the bag."""
        self.count[kind] = self.count[kind] + n

    def take(self, kind: Value) -> None:
        """Take one card of a kind out of the bag."""
        self.count[kind] = self.count[kind] - 1

    def weight_of(self, card: Value) -> Term:
        return self.count[card]

    def remove(self, card: Value) -> None:
        self.take(card)


class Deck(_DrawnZone):
    """A face-down deck: cards known on top, a bag in the middle, cards known at the bottom."""

    refusal = "that card is not the next one"

    def __init__(
        self,
        g: Game,
        name: str,
        kinds: int,
        *,
        most: int = 1,
        start: Sequence[int] | int = 0,
        top: int = 0,
        bottom: int = 0,
        known: Sequence[int] = (),
        sees: Sees | Collection[int] = Sees.ALL,
        rule: str = "",
    ) -> None:
        """`top` and `bottom` are the numbers of known cards that each end can hold. `known` lies on
        top at the start, uppermost card last."""
        super().__init__(name)
        self.kinds = kinds
        self.bag = Bag(g, name, kinds, most, start, sees=sees, rule=rule)
        self.top = Pile(g, f"{name}_top", kinds, top, known, sees=sees, rule=rule) if top else None
        self.under = Pile(g, f"{name}_under", kinds, bottom, sees=sees, rule=rule) if bottom else None

    def suggest_expression_of_single_value(self) -> str:
        return f"`{self.name}.size()` is how many cards it holds; draw, shuffle and put move them"

    @property
    def size(self) -> Question:
        """The number of cards in the deck, as `deck.size()`."""
        return Question("size", self._sum_card_counts_of_parts)

    def _sum_card_counts_of_parts(self) -> Term:
        total = self.bag.size()
        for pile in (self.top, self.under):
            if pile is not None:
                total = total + pile.size
        return total

    def weight_of(self, card: Value) -> Term:
        """Return the weight with which `card` is drawn next: a known top card is certain; then
        comes the bag; then the bottom."""
        in_bag = self.bag.count[card]
        result: Term = in_bag
        if self.under is not None:
            top_of_under = (self.under.size > 0) & (self.under.top() == card)
            result = pick(self.bag.size() > 0, in_bag, top_of_under)
        if self.top is not None:
            result = pick(self.top.size > 0, self.top.top() == card, result)
        return result

    def remove(self, card: Value) -> None:
        """Take out the card just drawn, wherever it lay."""
        case = cases()
        if self.top is not None:
            with case(self.top.size > 0):
                self.top.take()
        # Without known cards below, the bag is all that is left.
        in_bag = self.bag.size() > 0 if self.under is not None else True
        with case(in_bag):
            self.bag.take(card)
        if self.under is not None:
            with otherwise():
                self.under.take()

    def shuffle(self) -> None:
        """Move the known cards into the bag."""
        for pile in (self.top, self.under):
            if pile is None:
                continue
            for i in each(pile.capacity):
                with when(pile.size > i):
                    self.bag.put(pile.cards[i])
            pile.clear()


# -- simultaneous choices ------------------------------------------------------------------------------------
# Simultaneous choices: each player commits in secret, then all choices are revealed together.


class Together:
    """A moment at which all players of a game choose at once.

    `over` are the choices, given as an action's parameter gives them. `asked(seat)` says who takes
    part (default: everybody); it must not change while they choose. `may(seat, choice)` says what a
    seat may choose; `rule` and `refusal` explain a refusal. `may` must not depend on what another
    seat has chosen.
    """

    def __init__(
        self,
        g: Game,
        name: str,
        over: Over,
        *,
        then: Phase,
        text: str = "",
        asked: Callable[[Value], Value] | None = None,
        may: Callable[[Value, Value], Value] | None = None,
        rule: str = "",
        refusal: str = "that cannot be chosen now",
    ) -> None:
        self._g, self._then, self._asked = g, then, asked
        made = make_parameter(name, over)
        # The cells hold 0 for no choice, so a number has to be named as well.
        labels = ("nothing", *map(made.format_value, made.values))
        self._low = made.low
        self._turn = g.integer(f"_{name}_turn", 0, g.players - 1)
        self._hidden = g.array(f"_{name}_hidden", g.players, 0, made.count, sees=Sees.OWNER, labels=labels, rule=rule)
        self._shown = g.array(name, g.players, 0, made.count, labels=labels, rule=rule)
        self.asking = g.phase(name, self._turn.to_term(), text=text.split("{")[0].strip() or name, rule=rule)
        self._next = g.automatic(f"{name} next")
        self._reveal = g.automatic(f"{name} revealed", text=f"each {name} is revealed")

        def choose(choice: Local) -> None:
            seat = self._turn.to_term()
            if may is not None:
                require(may(seat, choice), rule, refusal)
            self._hidden[seat] = choice - self._low + 1
            self._ask_next_seat_or_finish()

        # The parameter has the moment's name, so that texts read well; the body takes it by that
        # name.
        choices: dict[str, Any] = {name: over}
        g.add_action(
            self.asking,
            lambda **values: choose(values[name]),
            text or f"{name} {{{name}}}",
            rule=rule,
            name=name,
            secret=name,
            **choices,
        )
        may_choose = [self._make_condition_that_seat_must_choose(seat) for seat in range(g.players)]
        g.facts["together"] = {**g.facts.get("together", {}), name: may_choose}
        g.on(self._next)(self._ask_or_skip_seat)
        g.on(self._reveal, reveals=f"_{name}_hidden")(self._reveal_all)

    def begin(self) -> None:
        """Ask every participant to choose, then reveal all choices; call it in a rule."""
        for seat in each(self._g.players):
            self._shown[seat] = 0
        self._turn.set(0)
        goto(self._next)

    def of(self, seat: Value) -> Term:
        """Return what a seat has chosen; meaningless for a seat that was not asked (see
        `took_part`)."""
        return self._shown[seat] - 1 + self._low

    def took_part(self, seat: Value) -> Term:
        """Return whether a seat has chosen."""
        return self._shown[seat] > 0

    def _make_condition_that_seat_must_choose(self, seat: int) -> Value:
        """Return whether a seat still has to choose, while the players choose."""
        return (self._hidden[seat] == 0) & (as_term(self._make_condition_that_seat_takes_part(seat)) != 0)

    def _make_condition_that_seat_takes_part(self, seat: Value) -> Value:
        return 1 if self._asked is None else self._asked(seat)

    def _ask_next_seat_or_finish(self) -> None:
        """Ask the next seat, or finish if this was the last."""
        last = self._g.players - 1
        with when(self._turn.to_term() == last):
            goto(self._reveal)
        with otherwise():
            self._turn.set(self._turn.to_term() + 1)
            goto(self._next)

    def _ask_or_skip_seat(self) -> None:
        with when(self._make_condition_that_seat_takes_part(self._turn.to_term())):
            goto(self.asking)
        with otherwise():
            self._ask_next_seat_or_finish()

    def _reveal_all(self) -> None:
        for seat in each(self._g.players):
            self._shown[seat] = self._hidden[seat]
            self._hidden[seat] = 0
        self._turn.set(0)
        goto(self._then)
