"""A table set up by hand: name the cards of each zone, play actions by their words, read the rule of a refusal."""

from __future__ import annotations

import pytest

from playproof.cards.eurydice.rules.cards import SUITS
from playproof.database.game import load_game
from tests.rules.scene import Position

PACK = {str(card.fields["suit"]): card.count for card in load_game("eurydice").of_kind("suit")}
Cards = dict[str, int]


class Scene(Position):
    """A position. Zones are given as {suit: number}; whatever is not named lies outside the game."""

    def __init__(self, **options: str) -> None:
        super().__init__("eurydice", options)
        self.whole = sum(PACK.values())  # cards of the pack
        self.tasks = self.game.get_field("doing").labels
        self.cards = self.game.get_field("current").labels

    # -- setting up -----------------------------------------------------------------------------------------

    def zones(
        self,
        deck: Cards,
        *,
        top: tuple[str, ...] = (),
        under: tuple[str, ...] = (),
        down: Cards | None = None,
        known: Cards | None = None,
        up: Cards | None = None,
        removed: Cards | None = None,
    ) -> Scene:
        """The cards. `top` and `under` are known, the Deck's outermost card last in `top`, first in `under`."""
        for pile, cards in (("top", top), ("under", under)):
            for i, card in enumerate(cards):
                self.put(f"{pile}_cards", SUITS.index(card), i)
            self.put(f"{pile}_size", len(cards))
        ends = [SUITS.index(card) for card in (*top, *under)]
        inside = {"bag": deck, "down": down or {}, "known": known or {}, "up": up or {}, "removed": removed or {}}
        for name, cards in inside.items():
            self._fill(name, cards)
        self.put("deck", sum(deck.values()) + len(ends))
        self.put("down_size", sum((down or {}).values()))
        self.put("removed_size", sum((removed or {}).values()))
        for k, suit in enumerate(SUITS):
            in_zones = sum(self.at(name, k) for name in inside)
            self.put("outside", PACK[suit] - ends.count(k) - in_zones, k)
        return self

    def _fill(self, name: str, cards: Cards) -> None:
        for k, suit in enumerate(SUITS):
            self.put(name, cards.get(suit, 0), k)

    def facing(self, *tasks: str, card: str = "none", **fields: int) -> Scene:
        """The token has just come to a space with these symbols; a Current Card may lie there."""
        self.at_move(card, **fields)
        self.put("fresh", 1)
        for slot, task in enumerate(tasks):
            self.put("space_todo", self.tasks.index(task), slot)
        return self.put("phase", self.phase_number("next")).settle()

    def at_move(self, card: str = "none", **fields: int) -> Scene:
        """The player is about to move."""
        for slot in range(2):
            self.put("card_todo", 0, slot)
        self.put("current", self.cards.index(card)).put("row", 1).put("phase", self.phase_number("move"))
        for name, value in fields.items():
            self.put(name, value)
        return self

    def put(self, name: str, value: int, *index: int) -> Scene:
        """Set one cell."""
        self.state[self.cell(name, *index)] = value
        return self

    def settle(self) -> Scene:
        """Let automatic phases run."""
        self.state = self.play._run_automatic_phases_in_place(list(self.state))
        return self

    # -- reading --------------------------------------------------------------------------------------------

    def at(self, name: str, *index: int | str) -> int:
        """The value of a field's cell; a suit may be given by name."""
        return super().at(name, *(SUITS.index(i) if isinstance(i, str) else i for i in index))

    def cards_in(self, name: str) -> Cards:
        """A zone as {suit: number}."""
        return {suit: self.at(name, suit) for suit in SUITS if self.at(name, suit)}


@pytest.fixture
def table() -> type[Scene]:
    """`table(A12="declare").zones({"heart": 5}).facing("Toll 3")`."""
    return Scene
