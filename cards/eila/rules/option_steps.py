"""Card options as short lists of steps in constant tables, so that one automatic phase resolves any card.

A step has an operation, an argument and a number. Position 0 is "nothing is being resolved". Every option
ends with `END`, which moves the card out of the Present. A slash jumps to one of its branches; a branch
jumps back behind the slash."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from playproof.database.components import (
    Effect,
    Either,
    Option,
    iter_effects_nested_in_value,
    raise_error_of_conflicting_components,
)

from .chapter_components import Box, get_resource_by_name
from .names import CardPlace, Resource


class StepOperation(IntEnum):
    """What a step does; `arg` and `num` in brackets."""

    REST = 0  # nothing is being resolved
    GAIN = 1  # take num of resource arg from the supply
    PAY = 2  # return num of resource arg (of Fear: as many as there are)
    HEART = 3  # lose a Heart; arg is the resource that comes instead where an item says so
    FUTURE = 4  # card arg goes from its deck to the Future
    FRONT = 5  # card arg goes from its deck to the front of the stand
    ITEM = 6  # take item arg
    SLASH = 7  # choose one of the branches of slash arg; num is where to go on if none is possible
    CONVERT = 8  # turn any number of resource num into resource arg
    JUMP = 9  # go on at position arg
    END = 10  # the card goes from the Present to place arg


DESTINATIONS = {"future": CardPlace.FUTURE, "past": CardPlace.PAST, "deck": CardPlace.DECK}


@dataclass(frozen=True)
class Branch:
    """One alternative of a slash. `item` is the item it gives where items are joined by OR, else None."""

    slash: int
    start: int
    steps: tuple[Effect, ...]
    cost: dict[Resource, int]
    item: int | None


@dataclass
class Script:
    """All steps of all options of a chapter. `start[card][letter]` is where an option begins, 0 if there is none."""

    box: Box
    reverse_calls: bool = False
    steps: list[tuple[int, int, int]] = field(default_factory=lambda: [(StepOperation.REST, 0, 0)])
    branches: list[Branch] = field(default_factory=list)
    slashes: int = 0
    start: list[dict[str, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for card in self.box.cards:
            self.start.append({option.letter: self._append_steps_of_option(option) for option in card.options})

    def _append_step_and_get_position(self, op: StepOperation, arg: int = 0, num: int = 0) -> int:
        self.steps.append((op, arg, num))
        return len(self.steps) - 1

    def _append_steps_of_option(self, option: Option) -> int:
        start = len(self.steps)
        for effect in option.cost:
            self._append_steps_of_effect(effect)
        for step in self._order_effects_with_reversed_front_calls(option.effects):
            if isinstance(step, Either):
                self._append_slash_with_branches([(list(way), None) for way in step.alternatives])
            else:
                self._append_steps_of_effect(step)
        self._append_step_and_get_position(StepOperation.END, DESTINATIONS[option.to])
        return start

    def _order_effects_with_reversed_front_calls(self, effects: Sequence[Effect | Either]) -> list[Effect | Either]:
        """A16: neighbouring calls to the front are reversed where they shall be revealed as printed."""
        ordered = list(effects)
        if not self.reverse_calls:
            return ordered
        fronts = [n for n, e in enumerate(ordered) if isinstance(e, Effect) and self._calls_card_to_front(e)]
        swapped = {n: ordered[m] for n, m in zip(fronts, reversed(fronts), strict=True)}
        return [swapped.get(n, step) for n, step in enumerate(ordered)]

    def _calls_card_to_front(self, effect: Effect) -> bool:
        return (
            self._calls_card_that_is_in_box(effect)
            and self._get_called_card_and_operation(effect)[1] is StepOperation.FRONT
        )

    def _calls_card_that_is_in_box(self, effect: Effect | Either) -> bool:
        """Whether an effect calls a card that is in the box; a card that is not is in no deck (A15)."""
        return isinstance(effect, Effect) and effect.op == "call" and self.box.is_card_in_box(str(effect.args["card"]))

    def _get_called_card_and_operation(self, effect: Effect) -> tuple[int, StepOperation]:
        card = self.box.get_index_of_card(str(effect.args["card"]))
        return card, StepOperation.FUTURE if self.box.cards[card].back == "blue" else StepOperation.FRONT

    def _append_steps_of_effect(self, effect: Effect) -> None:
        args: Any = effect.args
        match effect.op:
            case "gain" | "pay":
                for name, n in effect.amounts.items():
                    self._append_step_and_get_position(
                        StepOperation.GAIN if effect.op == "gain" else StepOperation.PAY, get_resource_by_name(name), n
                    )
            case "lose_heart":
                for _ in range(args["hearts"]):
                    self._append_step_and_get_position(StepOperation.HEART, self._get_resource_in_place_of_lost_heart())
            case "call":
                if self._calls_card_that_is_in_box(effect):
                    card, op = self._get_called_card_and_operation(effect)
                    self._append_step_and_get_position(op, card)
            case "convert":
                self._append_step_and_get_position(
                    StepOperation.CONVERT, get_resource_by_name(args["to"]), get_resource_by_name(args["from"])
                )
            case "item":
                items = [i for i in args["items"] if self.box.is_item_in_box(i)]
                if len(items) == 1:
                    self._append_step_and_get_position(StepOperation.ITEM, self.box.get_index_of_item(items[0]))
                elif items:
                    self._append_slash_with_branches(
                        [
                            ([Effect("item", {"items": (i,)}, effect.where)], self.box.get_index_of_item(i))
                            for i in items
                        ]
                    )
            case unknown:
                expected = "an effect that happens when a card is resolved"
                raise_error_of_conflicting_components(
                    effect.where, expected, f"`{unknown}`", "it is the power of an item"
                )

    def _get_resource_in_place_of_lost_heart(self) -> Resource:
        """What comes in place of a lost Heart where an item says so."""
        guards = [self.box.items[n].resource for n in self.box.list_item_indexes_at_moment("heart-loss")]
        return next((r for r in guards if r is not None), Resource.FEAR)

    def _append_slash_with_branches(self, branches: list[tuple[list[Effect], int | None]]) -> None:
        slash, self.slashes = self.slashes, self.slashes + 1
        fork = self._append_step_and_get_position(StepOperation.SLASH, slash)
        exits = []
        for effects, item in branches:
            self.branches.append(
                Branch(
                    slash, len(self.steps), tuple(effects), sum_resources_needed_for_effects(self.box, effects), item
                )
            )
            for effect in effects:
                self._append_steps_of_effect(effect)
            exits.append(self._append_step_and_get_position(StepOperation.JUMP))
        after = len(self.steps)
        self.steps[fork] = (StepOperation.SLASH, slash, after)
        for position in exits:
            self.steps[position] = (StepOperation.JUMP, after, 0)

    def list_cards_called_outside_slashes(self, option: Option) -> list[int]:
        """Numbers of the cards an option calls outside slashes."""
        return [
            self._get_called_card_and_operation(e)[0]
            for e in option.effects
            if isinstance(e, Effect) and self._calls_card_that_is_in_box(e)
        ]

    def calls_card_missing_from_box(self, option: Option) -> bool:
        """Whether an option calls a card outside slashes that is not in the box."""
        calls = [e for e in option.effects if isinstance(e, Effect) and e.op == "call"]
        return any(not self._calls_card_that_is_in_box(e) for e in calls)


def sum_resources_needed_for_effects(box: Box, effects: Sequence[Effect | Either]) -> dict[Resource, int]:
    """What must be held to choose these effects: payments in anything that may not be paid short (R53)."""
    payments: dict[Resource, int] = {}
    for effect in effects:
        if isinstance(effect, Effect) and effect.op == "pay":
            for name, n in effect.amounts.items():
                if get_resource_by_name(name) not in box.short:
                    payments[get_resource_by_name(name)] = payments.get(get_resource_by_name(name), 0) + n
    return payments


def sum_resources_needed_for_option(box: Box, option: Option) -> dict[Resource, int]:
    """What must be held to choose an option (R50, R52)."""
    return sum_resources_needed_for_effects(box, (*option.cost, *option.effects))


def is_option_always_choosable(box: Box, option: Option) -> bool:
    """Whether an option can always be chosen, whatever is held."""
    return not sum_resources_needed_for_option(box, option) and not option.needs


def count_max_cards_waiting_at_front(box: Box) -> int:
    """How many called cards can wait at the front of the stand at once: the longest chain of calls."""
    graph = {
        n: [_list_cards_option_may_call_to_front(box, option) for option in card.options]
        for n, card in enumerate(box.cards)
    }
    everything = len({c for ways in graph.values() for called in ways for c in called})

    def height(card: int, seen: frozenset[int]) -> int:
        tallest = 0
        for called in graph[card]:
            for waiting, c in enumerate(called):
                above = everything if c in seen else height(c, seen | {c})
                tallest = max(tallest, waiting + 1, waiting + above)
        return min(tallest, everything)

    return max(height(n, frozenset({n})) for n in graph)


def _list_cards_option_may_call_to_front(box: Box, option: Option) -> list[int]:
    """Cards an option may put at the front: slashes count with all their branches."""
    cards = []
    for effect in iter_effects_nested_in_value(option):
        called = str(effect.args.get("card"))
        if (
            effect.op == "call"
            and box.is_card_in_box(called)
            and box.cards[box.get_index_of_card(called)].back != "blue"
        ):
            cards.append(box.get_index_of_card(called))
    return cards
