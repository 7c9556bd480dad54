"""Conditions as text: `placed <= 2 * round and hearts > 0`, read into terms of a game.

Names are the game's quantities, then its fields (`board[4]`), then its invariants, and its constant tables. The
place of a cell may be computed (`board[at]`); beyond the ends of an array the first or last cell is meant, as in
rules. `sum(i in board: board[i])` goes over the rows of an array; `any` and `all` read alike. A name with spaces
stands in backquotes: `owns I01` > 0. The operators are + - *, comparisons, and, or, not. A side that is compared
with an enumeration or the phase may be one of its value names: `phase == choose`, `hand[0] == "king of cups"`.
`grammar.py` holds the grammar.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import add, ge, gt, le, lt, mul, sub
from types import MappingProxyType
from typing import Any, assert_never

from playproof.database.errors import InputError, Where, did_you_mean
from playproof.language import Array, Const, RulesError, Table, Term, all_of, any_of
from playproof.language.expr import Local, Lookup, Read, as_term, make_flat_index_term, make_reduce_term
from playproof.language.fields import Field
from playproof.language.game import Game
from playproof.verifier.questions.grammar import (
    Aggregate,
    Arithmetic,
    BeforeStep,
    CellReference,
    Comparison,
    ConditionTree,
    LogicalJoin,
    NameReference,
    NegativeNumber,
    NotCondition,
    NumberLiteral,
    Unreadable,
    parse_condition_text,
)

_SHOWN = 60
"""Characters of a condition that a finding repeats."""
_TRUTH = MappingProxyType({"True": 1, "False": 0})
"""Words for truth values, where the game means nothing else by them."""

_SIGNS: Mapping[str, Callable[[Any, Any], Any]] = MappingProxyType(
    {"+": add, "-": sub, "*": mul, "<": lt, "<=": le, ">": gt, ">=": ge}
)


class ConditionReader:
    """Reads condition text for one game. Findings name `where` as their place."""

    def __init__(self, game: Game, where: Where) -> None:
        self.game, self.where = game, where
        self.wrong = partial(InputError.from_single_finding, "PP702", where)
        self.counters: dict[str, Local] = {}

    def read_condition(self, text: str) -> Term:
        """Return the term of a condition or quantity. Raises InputError, which says what was
        expected."""
        try:
            return self.tree_to_term(parse_condition_text(text))
        except Unreadable as error:
            reason, hint = str(error), error.hint
        except RecursionError:
            reason, hint = "it is nested too deeply", ""
        short = text if len(text) <= _SHOWN else f"{text[:_SHOWN]} ..."
        raise self.wrong(f"`{short}` cannot be read as a condition: {reason}", hint)

    def find_term_by_name(self, name: str) -> Term:
        """Return a quantity, a single field, or a condition that the game declares, by name. Raises
        InputError."""
        if name in self.counters:
            return self.counters[name]
        if name in self.game.quantities:
            return self.game.quantities[name]
        handle = self.game.handles.get(name)
        if handle is not None and not isinstance(handle, Array):
            return handle.to_term()
        invariants = self.game.facts.get("invariants") or {}
        if name in invariants:
            return as_term(invariants[name])
        if handle is not None:
            raise self.wrong(f"`{name}` has several cells", f"name one of them, as `{name}[0]`")
        if name in _TRUTH:
            return Const(_TRUTH[name])
        message = f"`{name}` is neither a quantity nor a field of {self.game.name}"
        raise self.wrong(message, did_you_mean(name, [*self.list_known_names(), *invariants]))

    def list_known_names(self) -> list[str]:
        """Return the names that come before the name of a value."""
        return [*self.counters, *self.game.quantities, *self.game.handles]

    def tree_to_term(self, node: ConditionTree) -> Term:
        """Return the term of a tree. Raises InputError."""
        match node:
            case NumberLiteral(value=value):
                return Const(value)
            case NameReference(text=text, quote='"'):
                raise self.wrong(f'"{text}" is compared with nothing whose values have names')
            case NameReference(text=text):
                return self.find_term_by_name(text)
            case CellReference():
                return self._cell_to_term(node)
            case Aggregate():
                return self._aggregate_to_term(node)
            case BeforeStep(part=part):
                return self.build_term_before_step(part)
            case NegativeNumber(part=part):
                return as_term(-self.tree_to_term(part))
            case Arithmetic():
                return self._arithmetic_to_term(node)
            case Comparison():
                return self._comparison_to_term(node)
            case NotCondition(part=part):
                return as_term(~self.tree_to_term(part))
            case LogicalJoin(word=word, parts=parts):
                terms = [self.tree_to_term(part) for part in parts]
                return as_term(all_of(terms) if word == "and" else any_of(terms))
        assert_never(node)

    def build_term_before_step(self, node: ConditionTree) -> Term:
        """Return what a part was before the step that a law is about. Raises InputError: a condition is about
        one state."""
        raise self.wrong("`was(...)` is what `leads` of a law of steps compares with")

    def index_to_term(self, node: ConditionTree) -> Term:
        """Return a part of the place of a cell."""
        return self.tree_to_term(node)

    def resolve_cell(self, node: CellReference) -> tuple[Field | Table, Term]:
        """Return the array or constant table of a cell, and the cell's number in it. Raises InputError."""
        array = self._find_array_or_table(node.name)
        keys = tuple(self.index_to_term(part) for part in node.place)
        # `make_flat_index_term` says if they are not as many
        for key, size in zip(keys, array.shape, strict=False):
            counted = any(key is counter for counter in self.counters.values())
            if key.hi < 0 or key.lo >= size or (counted and key.hi >= size):
                places = str(key.lo) if key.lo == key.hi else f"{key.lo}..{key.hi}"
                raise self.wrong(f"`{node.name}`: index {places} is outside 0..{size - 1}")
        try:
            return array, make_flat_index_term(f"`{node.name}`", array.shape, keys, [])
        except RulesError as error:
            raise self.wrong(error.message) from None

    def _cell_to_term(self, node: CellReference) -> Term:
        array, index = self.resolve_cell(node)
        return Lookup(array, index) if isinstance(array, Table) else Read(array, index, 0)

    def _find_array_or_table(self, name: str) -> Field | Table:
        """Return the array field of a name, else the constant table. Raises InputError."""
        handle = self.game.handles.get(name)
        if isinstance(handle, Array):
            return handle.field
        table = next((t for t in self.game.tables if t.name == name), None)
        if table is None:
            raise self.wrong(f"`{name}` is not an array of {self.game.name}")
        return table

    def _aggregate_to_term(self, node: Aggregate) -> Term:
        """Return a sum, or whether any or all, over a counter's values."""
        rows = (
            node.rows.value
            if isinstance(node.rows, NumberLiteral)
            else self._find_array_or_table(node.rows.text).shape[0]
        )
        if node.counter in self.list_known_names():
            raise self.wrong(f"`{node.counter}` has a meaning already", "count with another word")

        def part(counter: Local) -> Term:
            self.counters[node.counter] = counter
            try:
                return self.tree_to_term(node.part)
            finally:
                del self.counters[node.counter]

        try:
            return make_reduce_term(node.kind, rows, part)
        except RulesError as error:
            raise self.wrong(error.message) from None

    def _arithmetic_to_term(self, node: Arithmetic) -> Term:
        return as_term(_SIGNS[node.sign](self.tree_to_term(node.left), self.tree_to_term(node.right)))

    # -- comparisons ----------------------------------------------------------------------------------------

    def _comparison_to_term(self, node: Comparison) -> Term:
        fields = [field for side in node.sides if (field := self._find_enumeration_field(side))]
        held = fields[0] if fields else None
        other = next((f for f in fields if held and (f.labels, f.lo) != (held.labels, held.lo)), None)
        if held is not None and other is not None:  # the same number has another name on the other side
            raise self.wrong(
                f"the values of `{held.name}` and of `{other.name}` have other names",
                f"to compare their numbers, write `{held.name} + 0`",
            )
        sides = [self._comparison_side_to_terms(side, held) for side in node.sides]
        return as_term(
            all_of(
                self._compare_term_alternatives(*pair)
                for pair in zip(sides, node.signs, sides[1:], strict=False)
            )
        )

    def _find_enumeration_field(self, node: ConditionTree) -> Field | None:
        """Return the field with named values that a side of a comparison reads, or None."""
        match node:
            case BeforeStep(part=part):
                return self._find_enumeration_field(part)
            case CellReference(name=name):
                handle = self.game.handles.get(name)
            case NameReference(text=name, quote=quote) if quote != '"' and name not in self.game.quantities:
                handle = self.game.handles.get(name)
            case _:
                return None
        return handle.field if handle is not None and handle.field.labels else None

    def _comparison_side_to_terms(self, node: ConditionTree, enumeration_field: Field | None) -> list[Term]:
        """Return what a side of a comparison may be: one term, or each value of `held` that has this
        name, for two values may have one name. A text in quotes is always the name of a value. Raises
        InputError for a bare word that is the name of a value and of something else."""
        if not isinstance(node, NameReference) or (
            enumeration_field is not None and self._find_enumeration_field(node) is enumeration_field
        ):
            return [self.tree_to_term(node)]
        word, is_name = node.text, node.quote != '"' and node.text in self.list_known_names()
        values = (
            [n for n, label in enumerate(enumeration_field.labels) if label == word]
            if enumeration_field is not None
            else []
        )
        if is_name and values and not node.quote:
            raise self.wrong(
                f"`{word}` names a number of the game, and a value of `{enumeration_field and enumeration_field.name}`",
                f'write "{word}" for the value; for the number, write it in backquotes',
            )
        if is_name or (enumeration_field is None and node.quote != '"'):
            return [self.find_term_by_name(word)]
        if enumeration_field is None:
            return [self.tree_to_term(node)]
        if not values and word in _TRUTH and not node.quote:
            return [Const(_TRUTH[word])]
        if not values:
            raise self.wrong(
                f"`{word}` is no value of `{enumeration_field.name}`",
                did_you_mean(word, [*enumeration_field.labels, *self.list_known_names()])
                or f"it has {', '.join(enumeration_field.labels)}",
            )
        return [Const(enumeration_field.lo + n) for n in values]

    def _compare_term_alternatives(self, left: Sequence[Term], sign: str, right: Sequence[Term]) -> Term:
        """Return a comparison of two sides. A name of several values is equal to what has one of them."""
        pairs = [(a, b) for a in left for b in right]
        if sign == "==":
            return as_term(any_of(a == b for a, b in pairs))
        if sign == "!=":
            return as_term(all_of(a != b for a, b in pairs))
        if len(pairs) > 1:
            raise self.wrong(
                f"a name of several values stands beside `{sign}`", "write the number of one of them"
            )
        [(a, b)] = pairs
        return as_term(_SIGNS[sign](a, b))
