"""Which cells hold the cards that a seat cannot tell apart: what `g.fact(exchangeable=...)` declares, cell by cell.

`playproof.referee.worlds` says what the declaration means and deals from these cells. The machine code of greedy
players deals from the same cells (`encode_card_pools`, `playproof.language.machine.unseen`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from playproof.language.fields import Field
from playproof.language.game import Game

_MOST_CARDS = 20_000  # cards of a group for which machine code makes room


@dataclass(frozen=True, slots=True)
class CardHolder:
    """Cells that hold cards of some `kinds`. If it `counts`, cell n says how many cards of the kind `base + n` there
    are. Else it is one cell, whose value is `kind + base`: place number `index` of a row, of which the cell `size`
    says how many places are filled; without it (-1), a value from `base` on fills the place. `owner` is the first
    index of the field, and `most` how many cards it can hold."""

    cells: tuple[int, ...]
    counts: bool
    base: int
    kinds: range
    owner: int
    most: int = 1
    size: int = -1
    index: int = 0

    def list_card_kinds(self, state: Sequence[int]) -> list[int]:
        """Return the kinds of the cards it holds."""
        if self.counts:
            return [
                kind for kind, cell in zip(self.kinds, self.cells, strict=True) for _ in range(state[cell])
            ]
        kind = state[self.cells[0]] - self.base
        filled = self.index < state[self.size] if self.size >= 0 else kind >= 0
        return [kind] if filled and kind in self.kinds else []

    def write_cards(self, state: list[int], cards: Sequence[int]) -> None:
        """Write cards of those kinds into the cells of `state`."""
        if not self.counts:
            for kind in cards:
                state[self.cells[0]] = kind + self.base
            return
        for cell in self.cells:
            state[cell] = 0
        for kind in cards:
            state[self.cells[kind - self.base]] += 1


CardPool = tuple[CardHolder, ...]


def list_card_pools(game: Game, seat: int) -> tuple[CardPool, ...]:
    """Return the groups of holders that exchange cards which a seat does not see."""
    return _list_card_pools_cached(id(game), game, seat)


@lru_cache(maxsize=256)
def _list_card_pools_cached(_: int, game: Game, seat: int) -> tuple[CardPool, ...]:
    mask = [seen for field in game.fields for seen in field.make_visibility_mask(seat, game.players)]
    made: list[CardPool] = []
    for group in game.facts.get("exchangeable", ()):
        holders = [*_iter_counting_holders(game, group), *_iter_slot_holders(game, group)]
        hidden = [holder for holder in holders if not any(mask[cell] for cell in holder.cells)]
        owners = sorted({holder.owner for holder in hidden}) if group.get("by_player") else [None]
        made += [tuple(holder for holder in hidden if owner in (None, holder.owner)) for owner in owners]
    return tuple(made)


def _iter_counting_holders(game: Game, group: Mapping[str, Any]) -> Iterator[CardHolder]:
    """Yield the rows of a group's counting arrays."""
    wanted = _get_kind_range(group)
    for field in map(game.get_field, group.get("counts", ())):
        for row in _split_field_into_rows(field):
            cells = tuple(row[wanted.start : wanted.stop])
            kinds = range(wanted.start, wanted.start + len(cells))
            yield CardHolder(
                cells,
                True,
                wanted.start,
                kinds,
                _get_first_index_of_cell(field, row.start),
                field.hi * len(cells),
            )


def _iter_slot_holders(game: Game, group: Mapping[str, Any]) -> Iterator[CardHolder]:
    """Yield the places of a group's slots. Places of one row may be seen by different seats (a hand of one card each),
    so each is a holder."""
    first, wanted = int(group.get("first", 0)), _get_kind_range(group)
    sizes: Mapping[str, str | None] = group.get("slots", {})
    for name, size_name in sizes.items():
        field = game.get_field(name)
        kinds = range(wanted.start, min(wanted.stop, field.hi - first + 1))
        filled = game.get_field(size_name).offset if size_name else None
        for number, row in enumerate(_split_field_into_rows(field)):
            size = -1 if filled is None else filled + number
            for index, cell in enumerate(row):
                yield CardHolder(
                    (cell,),
                    False,
                    first,
                    kinds,
                    _get_first_index_of_cell(field, cell),
                    size=size,
                    index=index,
                )


def _get_kind_range(group: Mapping[str, Any]) -> range:
    return range(*group.get("kinds", (0, sys.maxsize)))


def _get_first_index_of_cell(field: Field, cell: int) -> int:
    """Return the first index of a cell."""
    return (cell - field.offset) * field.shape[0] // field.size if field.shape else 0


def _split_field_into_rows(field: Field) -> list[range]:
    width = field.shape[-1] if field.shape else 1
    return [range(start, start + width) for start in range(field.offset, field.offset + field.size, width)]


# -- for machine code -----------------------------------------------------------------------------------------------


def encode_card_pools(game: Game) -> tuple[list[int], int, int]:
    """Return the pools of all seats as one table, how many kinds of cards there are, and how many cards a pool can
    hold at most.

    The table begins with the place of each seat's pools. These are: how many, then for each pool how many holders,
    then for each holder how many numbers it has, 1 if it counts, its base, and its cells; or 0, its base, its cell,
    where its size stands, its index, and the range of its kinds.
    """
    table, every = [0] * game.players, [list_card_pools(game, seat) for seat in range(game.players)]
    for seat, groups in enumerate(every):
        table[seat] = len(table)
        table.append(len(groups))
        for pool in groups:
            table.append(len(pool))
            for h in pool:
                place = (*h.cells, h.size, h.index, h.kinds.start, h.kinds.stop)
                numbers = [int(h.counts), h.base, *(h.cells if h.counts else place)]
                table += [len(numbers) + 1, *numbers]
    holders = [pool for groups in every for pool in groups]
    kinds = max((h.kinds.stop for pool in holders for h in pool), default=0)
    return table, max(0, kinds), max((sum(h.most for h in pool) for pool in holders), default=0)


def can_deal_in_machine_code(game: Game) -> bool:
    """Return whether the game says what may be exchanged unseen, and machine code has room to deal it."""
    _, kinds, cards = encode_card_pools(game)
    return bool(game.facts.get("exchangeable")) and kinds + cards <= _MOST_CARDS
