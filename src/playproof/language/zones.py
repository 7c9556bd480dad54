"""Zones: piles of known order, bags drawn from at random, and decks that combine both.

A shuffled deck is a bag plus the cards known to lie on its top and bottom. Drawing is a chance
action, so a shuffle is never stored: chance decides a card when it is first drawn, which has the
same distribution.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Sequence

from playproof.language.authoring import Game
from playproof.language.errors import RulesError
from playproof.language.expr import Local, NonScalar, Question, Term, Value, pick
from playproof.language.fields import Labels, Sees
from playproof.language.gather import all_of, sum_of
from playproof.language.parts import Phase
from playproof.language.verbs import cases, each, keep, otherwise, require, weight, when


class _Zone(NonScalar):
    """What all zones share: none is one value, and their parts are not assigned but moved."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __setattr__(self, part: str, value: object) -> None:
        if part in vars(self):
            raise RulesError(
                "PP321", f"`{part}` of `{self.name}` cannot be assigned", self.suggest_replacement()
            )
        super().__setattr__(part, value)

    def describe(self) -> str:
        return f"the {type(self).__name__} `{self.name}`"


def _check_start_counts(name: str, start: Sequence[int] | int, max_copies: int) -> None:
    """Refuse a bag that holds more of a card at the start than it may."""
    held = [start] if isinstance(start, int) else [*start]
    if held and max(held) > max_copies:
        raise RulesError(
            "PP323",
            f"`{name}` starts with {max(held)} of a card and may hold {max_copies}",
            f"write most={max(held)}: how many of each card it may hold",
        )


class Pile(_Zone):
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
        filled = [*start, *[0] * (capacity - len(start))]
        self.capacity = capacity
        self.cards = g.array(
            f"{name}_cards", capacity, 0, kinds - 1, filled, sees=sees, labels=labels, rule=rule
        )
        self.size = g.integer(f"{name}_size", 0, capacity, len(start), rule=rule)

    def suggest_replacement(self) -> str:
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


class _DrawnZone(_Zone):
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
        self,
        g: Game,
        phase: Phase,
        text: str,
        then: Callable[[Local], None],
        *,
        labels: Labels = None,
        rule: str = "",
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
        _check_start_counts(name, start, most)
        self.kinds = kinds
        self.count = g.array(f"{name}_bag", kinds, 0, most, start, sees=sees, rule=rule)

        @g.function()
        def bag_size() -> Value:
            return sum_of(kinds, lambda k: self.count[k])

        self._size = bag_size

    def suggest_replacement(self) -> str:
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

    def suggest_replacement(self) -> str:
        return f"`{self.name}.size()` is how many cards it holds; draw, shuffle and put move them"

    @property
    def size(self) -> Question:
        """The number of cards in the deck, as `deck.size()`."""
        return Question("size", self._sum_sizes)

    def _sum_sizes(self) -> Term:
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
