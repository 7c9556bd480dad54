"""What the rules read from the cards: suits, the boards' spaces, and the special cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum

from playproof.database.components import (
    Component,
    Effect,
    raise_error_of_conflicting_components,
    raise_error_of_unplayable_value,
    require_playable_copy_count,
)
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
SLOTS = 2  # symbols of a space, and of a special card: the most that are waiting at once
FRAMED = {"shadow_toll": "toll", "shadow_exchange": "exchange"}
_SHIFTS = {"toll_easier": ("toll_shift", -1), "toll_harder": ("toll_shift", 1), "return_fewer": ("return_shift", -1)}
CHANGES = (
    "toll_shift",
    "glimpse_more",
    "return_shift",
    "heavier",
    "obol_costs",
    "no_obol",
    "spades_remove",
    "diamonds_count",
)
"""What a special card can change while it lies there; each is a table of the state."""
SYMBOLS = ("toll", "recall", "glimpse", "return", "remove", "release", "obol", "offering", "lament", "exchange", "add")


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
class SpecialCard:
    """A special card: what it does when drawn and once, as tasks, and what it changes while it lies there."""

    name: str
    board: int
    drawn: tuple[Task, ...]
    once: tuple[Task, ...]
    changes: Mapping[str, int]
    copies: int = 1


@dataclass(frozen=True, slots=True)
class PrintedData:
    """Everything the rules take from the data. `spaces[board][row][lane]` are the tasks of a space."""

    deck: tuple[int, ...]
    outside: tuple[int, ...]
    boards: tuple[str, ...]
    spaces: tuple[tuple[tuple[tuple[Task, ...], ...], ...], ...]
    specials: tuple[SpecialCard, ...]
    spade_removes: int
    spade_brings: int
    toll_paid: int
    toll_failed: int
    shadow: int
    obols: int
    die: tuple[int, ...]
    tasks: tuple[Task, ...] = field(default=())

    @classmethod
    def read_from_cards_or_refuse(cls, cards: Cards, hard: bool) -> PrintedData:
        """Read the game's data; `hard` picks the harder number of clubs."""
        packs = _map_suits_to_pack_rows_or_refuse(cards)
        deck = tuple(_get_whole_number_field(packs[name], "hard" if hard else "start") for name in SUITS)
        outside = tuple(packs[name].count - n for name, n in zip(SUITS, deck, strict=True))
        boards = _list_boards_in_order_or_refuse(cards)
        spaces = tuple(
            tuple(tuple(_build_tasks_of_field(b, "rows", row[lane]) for lane in LANES) for row in _get_rows_of_board(b))
            for b in boards
        )
        specials = tuple(_build_special_card(c) for c in cards.of_kind("special") if c.count > 0)
        if len({len(board) for board in spaces}) != 1:
            rows = ", ".join(str(len(board)) for board in spaces)
            hint = "give every board the same number of rows"
            raise_error_of_conflicting_components(
                boards[0].where, "boards with as many rows (R7)", f"{rows} rows", hint
            )
        for number, board in enumerate(boards):
            if all(special.board != number for special in specials):
                hint = "leave one of them in the box"
                raise_error_of_conflicting_components(
                    board.where, f"a special card for {board.name} (R5)", "none", hint
                )
        removes, brings, paid, failed, shadow = map(cards.constant, NUMBERS)
        names = tuple(b.name for b in boards)
        tokens = {c.id: c.count for c in cards.of_kind("token")}
        _refuse_too_few_tokens(cards, tokens, deck[Suit.SPADE])
        made = cls(
            deck,
            outside,
            names,
            spaces,
            specials,
            removes,
            brings,
            paid,
            failed,
            shadow,
            tokens.get("obol", 0),
            _list_die_faces_or_refuse(cards),
        )
        return replace(made, tasks=tuple(dict.fromkeys(made._iter_tasks_of_spaces_and_specials())))

    @property
    def rows_of_each_board(self) -> int:
        """Rows of each board."""
        return len(self.spaces[0])

    @property
    def spades_in_starting_deck(self) -> int:
        """Spades in the Deck at the start; seeing as many loses (R22)."""
        return self.deck[Suit.SPADE]

    @property
    def spades_in_deck_and_outside(self) -> int:
        """Spades of the game, those that cards add later among them."""
        return self.deck[Suit.SPADE] + self.outside[Suit.SPADE]

    def _iter_tasks_of_spaces_and_specials(self) -> Iterable[Task]:
        for board in self.spaces:
            for row in board:
                for space in row:
                    yield from space
        for special in self.specials:
            yield from (*special.drawn, *special.once)

    def get_number_of_task(self, task: Task) -> int:
        """The number of a task in fields and tables; 0 is none."""
        return self.tasks.index(task) + 1

    def count_glimpsed_cards_by_row_and_board(self) -> tuple[list[list[int]], list[int]]:
        """How many cards Glimpses can look at on the rest of the way up, behind each row of each board (row 0 is its
        start); and how many more by the special card that a board's start draws."""

        def of(tasks: Iterable[Task], more: int) -> int:
            return sum(t.number + more for t in tasks if t.symbol == "glimpse")

        cards = [[c for c in self.specials if c.board == b] for b in range(len(self.boards))]
        drawn = [
            max((of((*c.drawn, *c.once), c.changes.get("glimpse_more", 0)) for c in some), default=0) for some in cards
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

    def compute_highest_symbol_sum_on_way_up(self, symbol: str) -> int:
        """The highest sum of a symbol's numbers on one way up, special cards included (1 where it has none)."""

        def of(tasks: Iterable[Task]) -> int:
            return sum(max(1, t.number) for t in tasks if t.symbol == symbol)

        ways = sum(max(of(space) for space in row) for board in self.spaces for row in board)
        cards = sum(
            max((of((*c.drawn, *c.once)) for c in self.specials if c.board == b), default=0)
            for b in range(len(self.boards))
        )
        return ways + cards


def _get_whole_number_field(component: Component, name: str) -> int:
    return int(str(component.fields[name]))


def _map_suits_to_pack_rows_or_refuse(cards: Cards) -> dict[str, Component]:
    """The row of each suit. A Deck starts with no more cards of a suit than the pack has."""
    rows = cards.of_kind("suit")
    packs = {str(c.fields["suit"]): c for c in rows}
    if len(packs) != len(rows) or len(packs) != len(SUITS):
        found = Counter(str(c.fields["suit"]) for c in rows)
        wrong = next((c for c in rows if found[str(c.fields["suit"])] > 1), None)
        where = wrong.where if wrong else cards.node.where
        named = ", ".join(sorted(found.elements()))
        raise_error_of_conflicting_components(
            where, f"one row for each suit: {', '.join(SUITS)}", named, "give each suit one row"
        )
    for name in ("start", "hard"):
        if _get_whole_number_field(packs["spade"], name) < 1:
            raise_error_of_unplayable_value(packs["spade"], name, "1 or more: seeing all of them loses (R22)")
    for row in rows:
        most = max(_get_whole_number_field(row, "start"), _get_whole_number_field(row, "hard"))
        if row.count < most:
            require_playable_copy_count(row, range(most, 14), f"the Deck starts with {most} of them")
    return packs


def _list_boards_in_order_or_refuse(cards: Cards) -> list[Component]:
    """The boards from the bottom up, one of each number."""
    boards = sorted(cards.of_kind("board"), key=lambda c: _get_whole_number_field(c, "number"))
    for board in boards:
        require_playable_copy_count(board, (1,), "the way up goes over each board once")
    numbers = [_get_whole_number_field(board, "number") for board in boards]
    if numbers != list(range(1, len(boards) + 1)):
        hint = "the way up goes over them in this order"
        found = ", ".join(map(str, numbers))
        raise_error_of_conflicting_components(boards[0].where, "boards with the numbers 1, 2, 3", found, hint)
    return boards


def _refuse_too_few_tokens(cards: Cards, tokens: Mapping[str, int], spades: int) -> None:
    """Check that there is a token for the player, and a mark for each spade of the Deck (R4, R20)."""
    for name, least, why in (
        ("traveller", 1, "one token walks up the boards"),
        ("obol", 1, "symbols give obols"),
        ("spade-mark", spades, f"each of the {spades} spades of the Deck is marked when it is seen"),
    ):
        if tokens.get(name, 0) < least:
            found = str(tokens.get(name, 0))
            where = cards.components[name].where if name in cards.components else cards.node.where
            raise_error_of_conflicting_components(where, f"at least {least} of {name}", found, why)


def _list_die_faces_or_refuse(cards: Cards) -> tuple[int, ...]:
    """What the faces of the die show, low faces first."""
    dice = cards.of_kind("die")
    if len(dice) != 1 or dice[0].count < 1:
        where = dice[-1].where if dice else cards.node.where
        found = f"{len(dice)} kinds of dice" if len(dice) > 1 else "none"
        raise_error_of_conflicting_components(where, "a die to roll for a Toll (R26)", found, "leave one in the box")
    die = dice[0]
    faces = die.fields["faces"]
    assert isinstance(faces, tuple)  # the vocabulary declares a list of records
    values = tuple(sorted(int(face["value"]) for face in faces))
    if values[0] < 0:
        raise_error_of_unplayable_value(die, "faces", "no number below 0", values[0])
    return values


def _get_rows_of_board(board: Component) -> tuple[Mapping[str, object], ...]:
    rows = board.fields["rows"]
    assert isinstance(rows, tuple)  # the vocabulary declares a list of records
    return rows


def _build_tasks_of_field(component: Component, name: str, value: object) -> tuple[Task, ...]:
    """The symbols of a field, of which at most two can wait at once."""
    effects = [e for e in (value if isinstance(value, tuple) else ()) if isinstance(e, Effect)]
    if len(effects) > SLOTS:
        raise_error_of_unplayable_value(component, name, f"at most {SLOTS} symbols together", f"{len(effects)}")
    return tuple(_build_task_of_effect(component, name, e) for e in effects)


def _build_task_of_effect(component: Component, name: str, effect: Effect) -> Task:
    if effect.op == "add":
        return Task("add", adds=tuple((SUITS.index(str(suit)), n) for suit, n in effect.amounts.items()))
    if FRAMED.get(effect.op, effect.op) not in SYMBOLS:
        hint = "what lasts while the card lies there stands under `always`"
        raise_error_of_unplayable_value(
            component, name, f"symbols: {', '.join((*SYMBOLS, *FRAMED))}", effect.op, hint, effect.where
        )
    number = next((int(v) for v in effect.args.values() if isinstance(v, int) and not isinstance(v, bool)), 0)
    return Task(FRAMED.get(effect.op, effect.op), number, effect.op in FRAMED)


def _build_special_card(card: Component) -> SpecialCard:
    drawn, once = (_build_tasks_of_field(card, name, card.fields[name]) for name in ("drawn", "once"))
    return SpecialCard(
        card.name,
        _get_whole_number_field(card, "board") - 1,
        drawn,
        once,
        _sum_lasting_changes_of_special_card(card),
        card.count,
    )


def _sum_lasting_changes_of_special_card(card: Component) -> dict[str, int]:
    """What a special card changes while it lies there; Tolls made easier and harder add up."""
    changes: dict[str, int] = {}
    always = card.fields["always"]
    for effect in always if isinstance(always, tuple) else ():
        name, sign = _SHIFTS.get(effect.op, (effect.op, 1))
        if name not in CHANGES:
            hint = "a symbol to follow stands under `drawn` or `once`"
            raise_error_of_unplayable_value(
                card, "always", f"a change that lasts: {', '.join(CHANGES)}", effect.op, hint, effect.where
            )
        if name in changes and effect.op not in _SHIFTS:
            raise_error_of_unplayable_value(card, "always", f"`{effect.op}` once", "it twice", "write one with the sum")
        number = sign * next((int(str(v)) for v in effect.args.values()), 1)
        changes[name] = changes.get(name, 0) + number
    return changes
