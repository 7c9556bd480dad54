"""Cached results of views, keyed by what they depend on: most of a table stays the same at each
move.

An entry of `table.yaml` names the fields it reads. While their cells in the view are the same, its
pieces are too. Each reader has results of its own: from a shared one, the time of an answer would
tell that somebody else sees the same cards.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import cached_property
from typing import Any, TypeVar

from pydantic import BaseModel

from playproof.generator.layout.expression import Expression, Number, Template
from playproof.language.game import Game
from playproof.referee.view import View

T = TypeVar("T")
_MOST = 12_288  # entries: some fifty tables at once, with three readers each
_OF_THE_SEAT = ("me", "order")  # names that depend on who looks


class ViewScope:
    """A view, who reads it, and the names that expressions may use of it. The names are made when
    the first one is evaluated."""

    def __init__(self, view: View, make_scope: Callable[[View], dict[str, Any]], reader: Hashable = None) -> None:
        self.view, self._made, self.reader = view, make_scope, reader

    @cached_property
    def scope(self) -> dict[str, Any]:
        """All names with their values."""
        return self._made(self.view)


class PieceCache:
    """Results by what they depend on. The oldest are forgotten."""

    def __init__(self, game: Game, let: Mapping[str, Expression]) -> None:
        self._cells = {field.name: slice(field.offset, field.offset + field.size) for field in game.fields}
        self._let: dict[str, frozenset[str]] = {}
        for name, expression in let.items():
            self._let[name] = self._copy_names_with_those_of_let_entries(expression.names)
        self._known: OrderedDict[Hashable, Any] = OrderedDict()
        self._reads: dict[Hashable, tuple[tuple[slice, ...], bool]] = {}

    def get_cached_or_make_for_cells_read(
        self,
        entry_key: Hashable,
        entry_spec: object,
        view_scope: ViewScope,
        make_from_scope: Callable[[dict[str, Any]], T],
        other_inputs: Hashable = None,
    ) -> T:
        """Return the result of `make_from_scope` for the entry named `entry_key`, in the scope of this moment.
        `other_inputs` is everything else that the result depends on."""
        if entry_key not in self._reads:
            self._reads[entry_key] = self._find_cells_and_seat_use_of_entry(entry_spec)
        cells, by_seat = self._reads[entry_key]
        view = view_scope.view
        whole = (
            view_scope.reader,
            entry_key,
            view.seat if by_seat else None,
            other_inputs,
            *(view.cells[part] for part in cells),
        )
        if whole in self._known:
            self._known.move_to_end(whole)
        else:
            self._known[whole] = make_from_scope(view_scope.scope)
            if len(self._known) > _MOST:
                self._known.popitem(last=False)
        value: T = self._known[whole]
        return value

    def _find_cells_and_seat_use_of_entry(self, entry_spec: object) -> tuple[tuple[slice, ...], bool]:
        names = self._copy_names_with_those_of_let_entries(frozenset(_iter_names_in_expressions_of_entry(entry_spec)))
        cells = tuple(self._cells[name] for name in sorted(names) if name in self._cells)
        if "quantity" in names:  # which may read all there is
            cells = (slice(None),)
        return cells, any(name in names for name in _OF_THE_SEAT)

    def _copy_names_with_those_of_let_entries(self, expression_names: frozenset[str]) -> frozenset[str]:
        """Return these names together with the names that their `let` definitions use."""
        return expression_names.union(*(self._let[name] for name in expression_names if name in self._let))


def _iter_names_in_expressions_of_entry(entry_spec: object) -> Iterator[str]:
    """Yield all names in the expressions of an entry."""
    if isinstance(entry_spec, Expression | Number | Template):
        yield from entry_spec.names
    elif isinstance(entry_spec, BaseModel):
        for name in type(entry_spec).model_fields:
            yield from _iter_names_in_expressions_of_entry(getattr(entry_spec, name))
    elif isinstance(entry_spec, Mapping):
        for part in entry_spec.values():
            yield from _iter_names_in_expressions_of_entry(part)
    elif isinstance(entry_spec, list | tuple):
        for part in entry_spec:
            yield from _iter_names_in_expressions_of_entry(part)
