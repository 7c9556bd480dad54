"""The Day: cards leave the stand one by one, an option is chosen, the card goes where the option says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import permutations

from playproof import (
    CHANCE,
    Const,
    Local,
    Phase,
    Table as LookupTable,
    Term,
    all_of,
    any_of,
    cite,
    goto,
    keep,
    min_of,
    otherwise,
    pick,
    require,
    weight,
    when,
)
from playproof.database.components import Option

from . import effects
from .chapter_components import Box
from .names import CardPlace, Resource
from .option_steps import is_option_always_choosable, sum_resources_needed_for_option
from .state import GameUnderConstruction

LETTERS = ("A", "B", "C", "D")


def declare_day_phases_and_actions(t: GameUnderConstruction) -> None:
    """All of the Day."""
    _declare_dawn_and_look_at_front_cards(t)
    _declare_reveal_of_next_card(t)
    choices = _declare_choice_of_option(t)
    effects.declare_resolution_of_option_effects(t)
    if not all(choices.has_unconditional_option(card) for card in range(t.cards)):
        _declare_passing_of_unchoosable_card(t, choices)


# -- the stand --------------------------------------------------------------------------------------------------


def find_lowest_card_in_unordered_stand(t: GameUnderConstruction) -> Term:
    """The lowest card number in the unordered part of the stand: on the first day that is its front (A2)."""
    return min_of(t.cards, lambda c: pick(t.s.where[c] == CardPlace.STAND, c, t.cards - 1))


def is_next_card_known_without_draw(t: GameUnderConstruction) -> Term:
    """Whether the next card of the stand is known without a draw."""
    in_order = t.count_cards_in_unordered_stand() == 1
    return in_order | (t.s.round == 1) if not t.rulings.is_ruling_read_as("A2", "shuffled") else in_order


def _declare_chance_draw_of_next_card(
    t: GameUnderConstruction, phase: Phase, text: str, place_card: Callable[[Local], None]
) -> None:
    """Chance: each card of the unordered stand is equally likely to be the next."""
    s = t.s

    def draw(card: Local) -> None:
        require(s.where[card] == CardPlace.STAND, "R17", "that card is not in the stand")
        if t.rulings.is_ruling_read_as("A2", "shuffled"):
            basic = any_of((s.where[n] == CardPlace.STAND) for n, c in enumerate(t.box.cards) if c.back != "habit")
            is_habit = t.g.table("is_habit", [int(c.back == "habit") for c in t.box.cards])
            require((s.round > 1) | (is_habit[card] == 0) | ~basic, "R36", "habits stand at the back")
        weight(1)
        place_card(card)

    t.g.add_action(phase, draw, text, rule="R17 R33", name=phase.name, card=[c.id for c in t.box.cards])


def _declare_reveal_of_next_card(t: GameUnderConstruction) -> None:
    s = t.s

    def show(card: Term) -> None:
        s.where[card] = CardPlace.PRESENT
        s.present = card
        goto(t.choose)

    @t.g.on(t.reveal)
    def reveal() -> None:
        cite("R17", "R25", "R26", "R58")
        if t.front is not None:
            with when(t.front.size > 0):
                top = keep(t.front.top(), "top")
                t.front.take()
                show(top)
        with (
            otherwise(t.count_cards_in_unordered_stand() == 0)
            if t.front is not None
            else when(t.count_cards_in_unordered_stand() == 0)
        ):
            goto(t.evening)
        with otherwise(is_next_card_known_without_draw(t)):
            show(keep(find_lowest_card_in_unordered_stand(t), "next"))
        with otherwise():
            goto(t.draw)

    _declare_chance_draw_of_next_card(t, t.draw, "{card} is revealed", show)


def _declare_dawn_and_look_at_front_cards(t: GameUnderConstruction) -> None:
    """The Day begins; an item may let the player order the first cards of the stand (R60).

    Its owner always looks: keeping the order is the same as not having looked. An item that acts once a chapter asks.
    """
    vanes = t.box.list_item_indexes_at_moment("day-start")
    pile = t.front
    if not vanes or pile is None:
        t.g.on(t.dawn)(lambda: goto(t.reveal))
        return
    s, vane = t.s, t.box.items[vanes[0]]
    peek = t.g.phase("peek", CHANCE, text="the front of the stand is looked at", rule="R60")
    some = {2: "two ", 3: "three ", 4: "four "}[vane.amount]
    order = t.g.phase("order", text=f"put the {some}front cards back in any order", rule="R60")
    owner, looking = t.has_item_in_front_of_player(vanes[0]), t.dawn
    if vane.once:
        looking = _declare_use_of_look_item_and_get_phase(t, owner, vane.title)
        owner = Const(1) == 1
    full: Term = pile.size == vane.amount
    if vane.amount > 2:
        full = full | ((pile.size > 1) & (t.count_cards_in_unordered_stand() == 0))

    def lay(card: Term) -> None:
        s.where[card] = CardPlace.FRONT
        pile.put(card)
        goto(looking)

    @t.g.on(looking)
    def dawn() -> None:
        with when(full & owner):
            goto(order)
        with otherwise(~owner | (t.count_cards_in_unordered_stand() + pile.size < 2)):
            goto(t.reveal)
        with otherwise(is_next_card_known_without_draw(t)):
            lay(keep(find_lowest_card_in_unordered_stand(t), "next"))
        with otherwise():
            goto(peek)

    _declare_chance_draw_of_next_card(t, peek, "{card} is seen at the front", lay)
    _declare_ordering_of_two_front_cards(t, order) if vane.amount == 2 else _declare_ordering_of_more_front_cards(
        t, order, vane.amount
    )


def _declare_use_of_look_item_and_get_phase(t: GameUnderConstruction, owner: Term, title: str) -> Phase:
    """An item that acts once a chapter: the Day begins with the question whether to use it. Returns the phase in
    which the cards are looked at."""
    s, looking = t.s, t.g.automatic("look", rule="R60")
    ask = t.g.phase("look or not", text=f"use the {title} now, or keep it", rule="R60")

    @t.g.on(t.dawn)
    def dawn() -> None:
        with when(owner & (s.looked == 0) & (t.count_cards_in_unordered_stand() > 1)):
            goto(ask)
        with otherwise():
            goto(t.reveal)

    @t.g.action(ask, f"use the {title}", rule="R60")
    def look() -> None:
        s.looked = 1
        goto(looking)

    @t.g.action(ask, f"keep the {title} for another Day", rule="R60")
    def wait() -> None:
        goto(t.reveal)

    return looking


def _declare_ordering_of_two_front_cards(t: GameUnderConstruction, order: Phase) -> None:
    pile = t.front
    assert pile is not None  # the item lays cards there

    @t.g.action(order, "keep the order of the two front cards", rule="R60")
    def keep_order() -> None:
        # The card seen first lies below by now: laid back first, it comes out last.
        first, second = keep(pile.cards[0]), keep(pile.cards[1])
        pile.cards[0] = second
        pile.cards[1] = first
        goto(t.reveal)

    @t.g.action(order, "swap the two front cards", rule="R60")
    def swap_order() -> None:
        goto(t.reveal)


def _declare_ordering_of_more_front_cards(t: GameUnderConstruction, order: Phase, max_cards: int) -> None:
    """Three cards or more: every order that they can come out in, by the places in which they were seen. Where the
    stand had fewer, the places behind them stay as they are."""
    pile = t.front
    assert pile is not None  # the item lays cards there
    orders = list(permutations(range(max_cards)))
    seen_as = t.g.table("orders", [list(each) for each in orders])
    names = [", ".join(str(place + 1) for place in each) for each in orders]

    @t.g.action(order, "let the cards come out as {places}", rule="R60", name="arrange", places=names)
    def arrange(places: Local) -> None:
        for place in range(max_cards):
            stays = (pile.size > place) | (seen_as[places, place] == place)
            require(stays, "R60", "there are not so many cards")
        seen = [keep(pile.cards[place]) for place in range(max_cards)]
        for size in range(2, max_cards + 1):
            with when(pile.size == size):
                for n in range(size):  # what comes out first lies on top
                    pile.cards[size - 1 - n] = _pick_value_at_index(seen, seen_as[places, n])
        goto(t.reveal)


def _pick_value_at_index(values: Sequence[Term], index: Term) -> Term:
    """The value with this number."""
    result = values[0]
    for n, value in enumerate(values):
        result = pick(index == n, value, result)
    return result


# -- options ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OptionCondition:
    """What an option asks for: the rule that asks it, and a sentence with `{}` for each of `args`."""

    holds: Term
    rule: str
    text: str
    args: tuple[Term, ...] = ()


class CardOptions:
    """The options of all cards as tables: where each begins, and what must hold for it to be chosen."""

    def __init__(self, t: GameUnderConstruction) -> None:
        self.t = t
        self.start = self._build_table_over_cards_and_letters("option_start", lambda o, start: start)
        costs = {
            r: self._build_table_over_cards_and_letters(
                f"cost_{r.name.lower()}", partial(_get_option_cost_in_resource, t.box, r)
            )
            for r in Resource
        }
        self.costs = {r: table for r, table in costs.items() if any(table.values)}
        self.needs = self._build_table_over_cards_and_letters(
            "needs", lambda o, _: self._get_number_of_needed_item_or_zero(o)
        )
        self.calls = []
        self.missing: LookupTable | None = None
        if t.rulings.is_ruling_read_as("A15", "unchoosable"):
            if any(t.script.calls_card_missing_from_box(o) for c in t.box.cards for o in c.options):
                self.missing = self._build_table_over_cards_and_letters(
                    "call_missing", lambda o, _: int(t.script.calls_card_missing_from_box(o))
                )
            most = max(len(t.script.list_cards_called_outside_slashes(o)) for c in t.box.cards for o in c.options)
            self.calls = [
                self._build_table_over_cards_and_letters(
                    f"call_{k}", partial(self._get_kth_called_card_or_minus_one, k), missing=-1
                )
                for k in range(most)
            ]

    def _get_number_of_needed_item_or_zero(self, option: Option) -> int:
        """The number of the item that an option needs, from 1; 0 for none, one more than all for one not in the box."""
        box = self.t.box
        if not option.needs:
            return 0
        return box.get_index_of_item(option.needs) + 1 if box.is_item_in_box(option.needs) else len(box.items) + 1

    def get_option_by_letter_index(self, card: int, letter: int) -> Option | None:
        """An option by the numbers of its card and letter."""
        return next((o for o in self.t.box.cards[card].options if o.letter == LETTERS[letter]), None)

    def has_unconditional_option(self, card: int) -> bool:
        """Whether a card has an option that can be chosen whatever the state."""
        box, script = self.t.box, self.t.script
        return any(
            is_option_always_choosable(box, o)
            and not (self.calls and script.list_cards_called_outside_slashes(o))
            and not (self.missing is not None and script.calls_card_missing_from_box(o))
            for o in box.cards[card].options
        )

    def list_conditions_to_choose_option(self, card: Term, option: Term) -> list[OptionCondition]:
        """What must hold for the option to be chosen."""
        t, s = self.t, self.t.s
        conditions = [OptionCondition(self.start[card, option] > 0, "R18", "the card has no such option")]
        for n, item in enumerate(t.box.items):
            if n + 1 in self.needs.values:
                held = (self.needs[card, option] != n + 1) | t.has_item_in_front_of_player(n)
                conditions.append(OptionCondition(held, "R63", f"the option needs the {item.title}"))
            if n in t.once_tools:
                fresh = (self.needs[card, option] != n + 1) | (t.spent[n] == 0)
                text = f"the {item.title} has been used this chapter"
                conditions.append(OptionCondition(fresh, "R60", text))
        if len(t.box.items) + 1 in self.needs.values:
            there = self.needs[card, option] != len(t.box.items) + 1
            conditions.append(OptionCondition(there, "R63", "the option needs an item that is not in the box"))
        for r, table in self.costs.items():  # Fear is never asked for (R53)
            cost, text = table[card, option], f"the option costs {{}} {r.name.title()}, you have {{}}"
            conditions.append(OptionCondition(t.have[r] >= cost, "R50", text, (cost, t.have[r])))
        for table in self.calls:
            called = table[card, option]
            there = (called < 0) | (s.where[called] == CardPlace.DECK)
            conditions.append(OptionCondition(there, "R57", "a card it calls is not in its deck"))
        if self.missing is not None:
            there = self.missing[card, option] == 0
            conditions.append(OptionCondition(there, "R57", "a card it calls is not in the box"))
        return conditions

    def format_option_with_card_title(self, card: int, option: int) -> str:
        """An option in words, with its card's title."""
        box, taken = self.t.box.cards[card], self.get_option_by_letter_index(card, option)
        return f"{box.id} {box.title}, {LETTERS[option]}: {self.t.words(taken) if taken else 'no such option'}"

    def _get_kth_called_card_or_minus_one(self, k: int, option: Option, _: int) -> int:
        calls = self.t.script.list_cards_called_outside_slashes(option)
        return calls[k] if k < len(calls) else -1

    def _build_table_over_cards_and_letters(
        self, name: str, value: Callable[[Option, int], int], missing: int = 0
    ) -> LookupTable:
        """A table over cards and letters; `value` is given an option and where it begins, `missing` has none."""
        rows = []
        for n in range(self.t.cards):
            options = [(self.get_option_by_letter_index(n, m), letter) for m, letter in enumerate(LETTERS)]
            rows.append([value(o, self.t.script.start[n][letter]) if o else missing for o, letter in options])
        return self.t.g.table(name, rows)


def _get_option_cost_in_resource(box: Box, resource: Resource, option: Option, _: int) -> int:
    return sum_resources_needed_for_option(box, option).get(resource, 0)


def _declare_choice_of_option(t: GameUnderConstruction) -> CardOptions:
    choices = CardOptions(t)
    s = t.s

    @t.g.action(
        t.choose,
        choices.format_option_with_card_title,
        rule="R18 R52 R53",
        card=[c.id for c in t.box.cards],
        option=LETTERS,
    )
    def choose(card: Local, option: Local) -> None:
        require(s.present == card, "R26", "that card is not in the Present")
        for c in choices.list_conditions_to_choose_option(card, option):
            require(c.holds, c.rule, c.text, *c.args)
        for n in t.once_tools:
            with when(choices.needs[card, option] == n + 1):
                t.spent[n] = 1
        s.at = choices.start[card, option]
        goto(t.resolve)

    return choices


def _declare_passing_of_unchoosable_card(t: GameUnderConstruction, choices: CardOptions) -> None:
    """A18: a card none of whose options can be chosen goes to the Future (our own cards never need this)."""
    s = t.s

    @t.g.action(t.choose, "no option can be paid", rule="R50")
    def pass_by() -> None:
        for letter in range(len(LETTERS)):
            possible = all_of(c.holds for c in choices.list_conditions_to_choose_option(s.present, Const(letter)))
            require(~possible, "A18", f"option {LETTERS[letter]} can be chosen")
        if t.rulings.is_ruling_read_as("A18", "lose-heart"):
            effects.lose_heart_and_maybe_game(t)
        s.where[s.present] = CardPlace.FUTURE
        s.present = t.cards
        goto(t.reveal)
