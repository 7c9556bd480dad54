"""The state of the game: fields, phases, and the few quantities the rules ask for again and again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from playproof import CHANCE, Game, Pile, Term, Value, any_of, count_of, pick, sum_of
from playproof.database.components import raise_error_of_conflicting_components

from .chapter_components import Box
from .names import CardPlace, Resource
from .option_steps import Script, StepOperation, count_max_cards_waiting_at_front
from .rulings import Rulings

MOST_X = 15
Wording = Callable[[Any], str]  # an option or a list of effects, in words


class GameUnderConstruction:
    """One chapter's fields and phases; bodies of rules are given it and speak to it."""

    def __init__(self, g: Game, box: Box, rulings: Rulings, words: Wording) -> None:
        self.g, self.s, self.box, self.rulings, self.words = g, g.state, box, rulings, words
        self.script = Script(box, reverse_calls=rulings.is_ruling_read_as("A16", "printed-order"))
        self.health = (rulings.hearts_of_later_chapter if box.chapter > 0 else None) or box.health
        self.limit = box.per_night
        self._refuse_too_few_hearts_or_energy()
        self.cards = len(box.cards)
        self.basket = sum(box.items[n].amount for n in box.list_item_indexes_at_moment("always"))
        self._declare_phases()
        self._declare_token_fields()
        self._declare_card_fields()
        self._declare_resolution_fields_and_tables()
        self._declare_shared_functions()

    def _refuse_too_few_hearts_or_energy(self) -> None:
        """Check that Hearts and Energy suffice: the rules do not count what lies in the supply of them."""
        box = self.box
        energy, needed = box.supply[Resource.ENERGY], box.spaces["heart"] + box.track
        if energy < needed:
            expected = f"{needed} Energy for the Heart Inventory and the slots of the time track"
            raise_error_of_conflicting_components(
                box.where, expected, f"{energy} tokens", "raise the `count` of energy"
            )
        if box.hearts < self.health:
            expected = f"{self.health} Heart tokens for the Health of chapter {box.chapter}"
            raise_error_of_conflicting_components(
                box.where, expected, f"{box.hearts}", "raise the `count` of heart, or lower `health`"
            )

    # -- declarations -------------------------------------------------------------------------------------------

    def _declare_phases(self) -> None:
        g = self.g
        self.dawn = g.automatic("dawn", rule="R13 R17")
        self.reveal = g.automatic("reveal", rule="R17 R25")
        self.draw = g.phase("draw", CHANCE, text="the next card is revealed", rule="R17 R33")
        self.choose = g.phase("choose", text="choose an option of the card in the Present", rule="R18")
        self.resolve = g.automatic("resolve", rule="R18 R19 R48")
        self.overflow = g.phase("overflow", text="no room: drop a token or leave the new one", rule="R41")
        self.evening = g.automatic("evening", rule="R25 R27")
        self.place = g.phase("night", text="place tokens on the Goal", rule="R27")
        self.payment = g.automatic("time track", rule="R29 R33")

    def _declare_token_fields(self) -> None:
        g, box = self.g, self.box
        g.integer("round", 1, box.track, rule="R13 R16 R32")
        g.integer("hearts", 0, self.health, self.health, rule="R7 R10 R11")
        most = max(box.spaces["hand"] + self.basket, box.spaces["heart"])
        self.have = g.array("have", len(Resource), 0, most, rule="R5 R9 R38 R39 R40")
        self.placed = g.array("placed", len(box.goal), 0, max(n for _, n in box.goal), rule="R14 R27")
        g.integer("tonight", 0, self.limit, rule="R27")

    def _declare_card_fields(self) -> None:
        g, box = self.g, self.box
        start = [CardPlace.STAND if c.basic else CardPlace.DECK for c in box.cards]
        g.array("where", self.cards, start=start, labels=CardPlace, rule="R2 R3 R4 R6 R8 R9 R20 R22 R23 R24 R36")
        names = [c.id for c in box.cards] + ["none"]
        g.integer("present", 0, self.cards, self.cards, labels=names, rule="R9 R17 R26")
        # An item may lay cards at the front; when the first of them calls others, those behind it still wait.
        looked = max((box.items[n].amount for n in box.list_item_indexes_at_moment("day-start")), default=1)
        waiting = max(looked if looked > 1 else 0, count_max_cards_waiting_at_front(box) + looked - 1)
        self.front = Pile(g, "front", self.cards, waiting, labels=names[:-1], rule="R58") if waiting else None
        if box.items:
            owned = [int(item.id in box.carried) for item in box.items]
            self.owned = g.array("owned", len(owned), 0, 1, owned, rule="R35 R37 R59 R61")
        for moment, used in (("heart-loss", "saved"), ("before-energy", "lit")):
            if box.list_item_indexes_at_moment(moment):
                g.flag(used, rule="R60")
        if any(box.items[n].once for n in box.list_item_indexes_at_moment("day-start")):
            g.flag("looked", rule="R60")
        self.once_tools = [n for n in box.list_item_indexes_at_moment("unlock") if box.items[n].once]
        if self.once_tools:
            self.spent = g.array("spent", len(box.items), 0, 1, rule="R60")

    def _declare_resolution_fields_and_tables(self) -> None:
        """Where the resolution of a card is: a step, and tokens that still wait for room. 0 and 0 at rest."""
        g, script = self.g, self.script
        g.integer("at", 0, len(script.steps) - 1, rule="R18 R48")
        gains = [num for op, _, num in script.steps if op == StepOperation.GAIN]
        gains += [self.box.items[n].amount for n in self.box.list_item_indexes_at_moment("heart-loss")]
        gains += [self.g.state.have.field.hi] if any(op == StepOperation.CONVERT for op, _, _ in script.steps) else []
        g.integer("left", 0, max(gains, default=1), rule="R41")
        self.op = g.table("op", [op for op, _, _ in script.steps])
        self.arg = g.table("arg", [arg for _, arg, _ in script.steps])
        self.num = g.table("num", [num for _, _, num in script.steps])
        takes = (StepOperation.GAIN, StepOperation.HEART, StepOperation.CONVERT)
        before = [(StepOperation.REST, 0, 0), *script.steps[:-1]]
        # A step moves `at` on before its tokens are taken in, so the kind is that of the step before.
        self.incoming = g.table("incoming", [arg if op in takes else 0 for op, arg, _ in before])

    def _declare_shared_functions(self) -> None:
        g, s, box = self.g, self.s, self.box

        def room_of(store: Sequence[Resource], spaces: int) -> Term:
            return spaces - sum_of(s.have[r] for r in store)

        @g.function()
        def hand_room() -> Value:
            basket = sum_of(box.items[n].amount * s.owned[n] for n in box.list_item_indexes_at_moment("always"))
            return room_of(box.stores["hand"], box.spaces["hand"]) + basket

        @g.function()
        def heart_room() -> Value:
            return room_of(box.stores["heart"], box.spaces["heart"])

        @g.function(resource=len(Resource))
        def room(resource: Term) -> Value:
            return pick(self.is_kept_on_hand_inventory(resource), hand_room(), heart_room())

        @g.function(resource=len(Resource))
        def supply(resource: Term) -> Value:
            return self._build_count_of_tokens_in_supply(resource)

        @g.function(resource=len(Resource))
        def droppable(resource: Term) -> Value:
            return any_of(len(Resource), lambda r: self.can_drop_token_for_incoming(r, resource))

        self.room: Callable[[Value], Term] = room
        self.supply: Callable[[Value], Term] = supply
        self.droppable: Callable[[Value], Term] = droppable

    # -- quantities ---------------------------------------------------------------------------------------------

    def _build_count_of_tokens_in_supply(self, resource: Term) -> Value:
        """Tokens left in the supply, at most `MOST_X`; only kinds that can run out are counted (A13)."""
        result: Value = MOST_X
        for r in self.list_resources_that_can_run_out():
            left = self.box.supply[r] - self.s.have[r] - self.count_tokens_on_goal(r)
            result = pick(resource == r, left, result)
        return result

    def list_resources_that_can_run_out(self) -> list[Resource]:
        """Kinds of token of which there are fewer than could be held and placed at once (A13: maybe none)."""
        most = self.s.have.field.hi
        if self.rulings.is_ruling_read_as("A13", "unlimited"):
            return []
        hearts_for_fear = self.rulings.is_ruling_read_as("A11", "heart")
        return [
            r
            for r in Resource
            if self.box.supply[r] < most + self.box.get_count_that_goal_needs(r)
            and r is not Resource.ENERGY
            and not (r is Resource.FEAR and hearts_for_fear)
        ]

    def count_tokens_on_goal(self, resource: Resource) -> Value:
        """Tokens of a resource on the Goal."""
        for n, (r, _) in enumerate(self.box.goal):
            if r is resource:
                return self.placed[n]
        return 0

    def is_kept_on_hand_inventory(self, resource: Term) -> Term:
        """Whether a resource lies on the Hand Inventory, and not on the other."""
        return any_of(resource == r for r in self.box.stores["hand"])

    def can_drop_token_for_incoming(self, token: Term, incoming: Term) -> Term:
        """Whether a held token may make room: same inventory, another kind, not Fear (A10, R41, R44)."""
        same_store = self.is_kept_on_hand_inventory(token) == self.is_kept_on_hand_inventory(incoming)
        return same_store & (token != incoming) & (token != Resource.FEAR) & (self.have[token] > 0)

    def has_item_in_front_of_player(self, item: int) -> Term:
        """Whether an item lies in front of the player."""
        return self.owned[item] == 1

    def count_cards_in_unordered_stand(self) -> Term:
        """Cards of the stand whose order is not known."""
        return count_of(self.cards, lambda c: self.s.where[c] == CardPlace.STAND)

    def are_all_goal_spaces_filled(self) -> Term:
        """Whether every space of the Goal is filled."""
        return sum_of(self.s.placed[n] for n in range(len(self.box.goal))) == sum(n for _, n in self.box.goal)
