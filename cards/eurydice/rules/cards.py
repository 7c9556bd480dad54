"""What the rules read from the cards: suits, the boards' spaces, and the special cards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum

from playproof.database.components import Component, Effect
from playproof.database.game import Game as Cards


class Suit(IntEnum):
    """The suits of the pack."""

    HEART = 0
    CLUB = 1
    SPADE = 2
    DIAMOND = 3
    JOKER = 4


SUITS = tuple(s.name.lower() for s in Suit)
LANES = ("left", "right")
NUMBERS = ("spade_removes", "spade_brings", "toll_paid", "toll_failed", "shadow")
FRAMED = {"shadow_toll": "toll", "shadow_exchange": "exchange"}
_SHIFTS = {
    "toll_easier": ("toll_shift", -1),
    "toll_harder": ("toll_shift", 1),
    "return_fewer": ("return_shift", -1),
}
SYMBOLS = (
    "toll",
    "recall",
    "glimpse",
    "return",
    "remove",
    "release",
    "obol",
    "offering",
    "lament",
    "exchange",
    "add",
)


@dataclass(frozen=True, slots=True)
class Task:
    """One symbol with its number, maybe in the Shadow's frame; or cards that a special card adds from outside."""

    symbol: str
    number: int = 0
    framed: bool = False
    adds: tuple[tuple[int, int], ...] = ()

    def __str__(self) -> str:
        words = ["Shadow"] if self.framed else []
        words.append(self.symbol.capitalize())
        if self.number:
            words.append(str(self.number))
        words += [f"{n} {SUITS[suit]}" for suit, n in self.adds]
        return " ".join(words)


@dataclass(frozen=True, slots=True)
class Special:
    """A special card: what it does when drawn and once, as tasks, and what it changes while it lies there."""

    name: str
    board: int
    drawn: tuple[Task, ...]
    once: tuple[Task, ...]
    changes: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Printed:
    """Everything the rules take from the data. `spaces[board][row][lane]` are the tasks of a space."""

    deck: tuple[int, ...]
    outside: tuple[int, ...]
    boards: tuple[str, ...]
    spaces: tuple[tuple[tuple[tuple[Task, ...], ...], ...], ...]
    specials: tuple[Special, ...]
    spade_removes: int
    spade_brings: int
    toll_paid: int
    toll_failed: int
    shadow: int
    tasks: tuple[Task, ...] = field(default=())

    @classmethod
    def of(cls, cards: Cards, hard: bool) -> Printed:
        """Read the game's data; `hard` picks the harder number of clubs."""
        packs = {str(c.fields["suit"]): c for c in cards.of_kind("suit")}
        deck = tuple(_int(packs[name], "hard" if hard else "start") for name in SUITS)
        outside = tuple(packs[name].count - n for name, n in zip(SUITS, deck, strict=True))
        boards = sorted(cards.of_kind("board"), key=lambda c: _int(c, "number"))
        spaces = tuple(tuple(tuple(_tasks(row[lane]) for lane in LANES) for row in _rows(b)) for b in boards)
        specials = tuple(_special(c) for c in cards.of_kind("special"))
        if len({len(board) for board in spaces}) != 1:
            raise ValueError("R7: the boards differ in their number of rows")
        removes, brings, paid, failed, shadow = map(cards.constant, NUMBERS)
        names = tuple(b.name for b in boards)
        made = cls(deck, outside, names, spaces, specials, removes, brings, paid, failed, shadow)
        return replace(made, tasks=tuple(dict.fromkeys(made._all_tasks())))

    @property
    def rows(self) -> int:
        """Rows of each board."""
        return len(self.spaces[0])

    @property
    def spades(self) -> int:
        """Spades in the Deck at the start; seeing as many loses (R22)."""
        return self.deck[Suit.SPADE]

    @property
    def all_spades(self) -> int:
        """Spades of the game, those that cards add later among them."""
        return self.deck[Suit.SPADE] + self.outside[Suit.SPADE]

    def _all_tasks(self) -> Iterable[Task]:
        for board in self.spaces:
            for row in board:
                for space in row:
                    yield from space
        for special in self.specials:
            yield from (*special.drawn, *special.once)

    def number_of(self, task: Task) -> int:
        """The number of a task in fields and tables; 0 is none."""
        return self.tasks.index(task) + 1

    def glimpses(self) -> tuple[list[list[int]], list[int]]:
        """How many cards Glimpses can look at on the rest of the way up, behind each row of each board (row 0 is its
        start); and how many more by the special card that a board's start draws."""

        def of(tasks: Iterable[Task], more: int) -> int:
            return sum(t.number + more for t in tasks if t.symbol == "glimpse")

        cards = [[c for c in self.specials if c.board == b] for b in range(len(self.boards))]
        drawn = [
            max((of((*c.drawn, *c.once), c.changes.get("glimpse_more", 0)) for c in some), default=0)
            for some in cards
        ]
        later: list[list[int]] = []
        beyond = 0
        for board in reversed(range(len(self.boards))):
            more = max((c.changes.get("glimpse_more", 0) for c in cards[board]), default=0)
            behind = [beyond]
            for row in reversed(self.spaces[board]):
                behind.insert(0, behind[0] + max(of(space, more) for space in row))
            later.insert(0, behind)
            beyond = behind[0] + drawn[board]
        return later, drawn

    def most(self, symbol: str) -> int:
        """The highest sum of a symbol's numbers on one way up, special cards included (1 where it has none)."""

        def of(tasks: Iterable[Task]) -> int:
            return sum(max(1, t.number) for t in tasks if t.symbol == symbol)

        ways = sum(max(of(space) for space in row) for board in self.spaces for row in board)
        cards = sum(
            max((of((*c.drawn, *c.once)) for c in self.specials if c.board == b), default=0)
            for b in range(len(self.boards))
        )
        return ways + cards


def _int(component: Component, name: str) -> int:
    return int(str(component.fields[name]))


def _rows(board: Component) -> tuple[Mapping[str, object], ...]:
    rows = board.fields["rows"]
    assert isinstance(rows, tuple)  # the vocabulary declares a list of records
    return rows


def _tasks(value: object) -> tuple[Task, ...]:
    effects = value if isinstance(value, tuple) else ()
    return tuple(_task(e) for e in effects if isinstance(e, Effect))


def _task(effect: Effect) -> Task:
    if effect.op == "add":
        return Task("add", adds=tuple((SUITS.index(str(suit)), n) for suit, n in effect.amounts.items()))
    number = next((int(v) for v in effect.args.values() if isinstance(v, int) and not isinstance(v, bool)), 0)
    return Task(FRAMED.get(effect.op, effect.op), number, effect.op in FRAMED)


def _special(card: Component) -> Special:
    changes: dict[str, int] = {}
    always = card.fields["always"]
    for effect in always if isinstance(always, tuple) else ():
        name, sign = _SHIFTS.get(effect.op, (effect.op, 1))
        changes[name] = sign * next((int(str(v)) for v in effect.args.values()), 1)
    drawn, once = _tasks(card.fields["drawn"]), _tasks(card.fields["once"])
    return Special(card.name, _int(card, "board") - 1, drawn, once, changes)
