"""Conditions as text: `placed <= 2 * round and hearts > 0`, read by a grammar of their own into a tree, and
the tree into claim terms of a game. Nothing of this is trusted: evidence holds the claim terms, and `check` prints
them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import TypeAlias, assert_never

from playproof.database.errors import InputError, Where, make_nearest_or_possible_words_hint
from playproof.language import Array, RulesError, Table, Term
from playproof.language.expr import Local, get_start_and_stop_of_range_or_raise, make_fresh_local
from playproof.language.fields import Field
from playproof.language.game import Game
from playproof.verifier.kernel.claim_terms import TRUTH, ClaimTerm, ClaimTermBuilder

_SHOWN = 60
"""Characters of a condition that a finding repeats."""


class ConditionReader:
    """Reads condition text for one game. Findings name `where` as their place."""

    def __init__(self, game: Game, where: Where) -> None:
        self.game, self.where = game, where
        self.wrong = partial(InputError.from_single_finding, "PP702", where)
        self.builder = ClaimTermBuilder(game)

    @property
    def counters(self) -> dict[str, Local]:
        """The counters that are named at this place."""
        return self.builder.counters

    def condition_text_to_term(self, condition_text: str) -> Term:
        """Return the term of a condition or quantity. Raises InputError, which says what was
        expected."""
        with self._raise_error_for_unreadable_text(condition_text):
            return self.builder.build_term(self.condition_text_to_data(condition_text))

    def condition_text_to_data(self, condition_text: str) -> ClaimTerm:
        """Return the claim term of a condition or quantity. Raises InputError, which says what was expected."""
        with self._raise_error_for_unreadable_text(condition_text):
            return self.condition_tree_to_data(parse_condition_text_to_tree(condition_text))

    @contextmanager
    def _raise_error_for_unreadable_text(self, condition_text: str) -> Iterator[None]:
        try:
            yield
            return
        except Unreadable as error:
            reason, hint = str(error), error.hint
        except RecursionError:
            reason, hint = "it is nested too deeply", ""
        short = condition_text if len(condition_text) <= _SHOWN else f"{condition_text[:_SHOWN]} ..."
        raise self.wrong(f"`{short}` cannot be read as a condition: {reason}", hint)

    def find_data_of_name_or_raise(self, name: str) -> ClaimTerm:
        """Return a quantity, a single field, or a condition that the game declares, by name. Raises
        InputError."""
        handle, invariants = self.game.handles.get(name), self.game.facts.get("invariants") or {}
        is_cell = handle is not None and not isinstance(handle, Array)
        if is_cell or name in {*self.builder.parameters, *self.counters, *self.game.quantities, *invariants}:
            return ["name", name]
        if handle is not None:
            raise self.wrong(f"`{name}` has several cells", f"name one of them, as `{name}[0]`")
        if name in TRUTH:
            return TRUTH[name]
        message = f"`{name}` is neither a quantity nor a field of {self.game.name}"
        raise self.wrong(
            message, make_nearest_or_possible_words_hint(name, [*self.list_names_shadowing_value_names(), *invariants])
        )

    def list_names_shadowing_value_names(self) -> list[str]:
        """Return the names that come before the name of a value."""
        return [*self.builder.parameters, *self.counters, *self.game.quantities, *self.game.handles]

    def condition_tree_to_data(self, node: ConditionTree) -> ClaimTerm:
        """Return the claim term of a tree. Raises InputError."""
        match node:
            case NumberLiteral(value=value):
                return value
            case NameReference(text=text, quote='"'):
                raise self.wrong(f'"{text}" is compared with nothing whose values have names')
            case NameReference(text=text):
                return self.find_data_of_name_or_raise(text)
            case CellReference():
                self.require_cell_in_array(node)
                return ["cell", node.name, *(self.index_tree_to_data(part) for part in node.place)]
            case Aggregate():
                return self._aggregate_to_data(node)
            case BeforeStep(part=part):
                return self.before_step_tree_to_data(part)
            case NegativeNumber(part=part):
                return ["negative", self.condition_tree_to_data(part)]
            case Arithmetic(sign=sign, left=left, right=right):
                return [sign, self.condition_tree_to_data(left), self.condition_tree_to_data(right)]
            case Comparison():
                return self._comparison_to_data(node)
            case NotCondition(part=part):
                return ["not", self.condition_tree_to_data(part)]
            case LogicalJoin(word=word, parts=parts):
                return [word, *map(self.condition_tree_to_data, parts)]
        assert_never(node)

    def before_step_tree_to_data(self, node: ConditionTree) -> ClaimTerm:
        """Return what a part was before the step that a law is about. Raises InputError: a condition is about
        one state."""
        raise self.wrong("`was(...)` is what `leads` of a law of steps compares with")

    def index_tree_to_data(self, node: ConditionTree) -> ClaimTerm:
        """Return a part of the place of a cell."""
        return self.condition_tree_to_data(node)

    def require_cell_in_array(self, node: CellReference) -> Field | Table:
        """Return the array or constant table of a cell, in which it must lie. Raises InputError."""
        array = self._find_array_or_table_by_name(node.name)
        keys = [self.builder.build_term(self.index_tree_to_data(part)) for part in node.place]
        # `find_array_and_cell_index` says if they are not as many
        for key, size in zip(keys, array.shape, strict=False):
            counted = any(key is counter for counter in self.counters.values())
            if key.hi < 0 or key.lo >= size or (counted and key.hi >= size):
                places = str(key.lo) if key.lo == key.hi else f"{key.lo}..{key.hi}"
                raise self.wrong(f"`{node.name}`: index {places} is outside 0..{size - 1}")
        if len(keys) != len(array.shape):
            try:
                self.builder.find_array_and_cell_index(node.name, [0] * len(keys))
            except RulesError as error:
                raise self.wrong(error.message) from None
        return array

    def _find_array_or_table_by_name(self, name: str) -> Field | Table:
        """Return the array field of a name, else the constant table. Raises InputError."""
        handle = self.game.handles.get(name)
        if isinstance(handle, Array):
            return handle.field
        table = next((t for t in self.game.tables if t.name == name), None)
        if table is None:
            raise self.wrong(f"`{name}` is not an array of {self.game.name}")
        return table

    def _aggregate_to_data(self, node: Aggregate) -> ClaimTerm:
        """Return a sum, or whether any or all, over a counter's values."""
        if isinstance(node.rows, NumberLiteral):
            rows = node.rows.value
        else:
            rows = self._find_array_or_table_by_name(node.rows.text).shape[0]
        if node.counter in self.list_names_shadowing_value_names():
            raise self.wrong(f"`{node.counter}` has a meaning already", "count with another word")
        try:
            start, stop = get_start_and_stop_of_range_or_raise(rows)
        except RulesError as error:
            raise self.wrong(error.message) from None
        self.counters[node.counter] = make_fresh_local("i", start, stop - 1)
        try:
            return [node.kind, node.counter, rows, self.condition_tree_to_data(node.part)]
        finally:
            del self.counters[node.counter]

    # -- comparisons ----------------------------------------------------------------------------------------

    def _comparison_to_data(self, node: Comparison) -> ClaimTerm:
        fields = [field for side in node.sides if (field := self._find_field_with_named_values_or_none(side))]
        held = fields[0] if fields else None
        other = next((f for f in fields if held and not self._do_fields_have_same_value_names(f, held)), None)
        if held is not None and other is not None:  # the same number has another name on the other side
            raise self.wrong(
                f"the values of `{held.name}` and of `{other.name}` have other names",
                f"to compare their numbers, write `{held.name} + 0`",
            )
        sides = [self._list_data_comparison_side_may_mean(side, held) for side in node.sides]
        pairs = zip(sides, node.signs, sides[1:], strict=False)
        return join_data("and", [self._build_comparison_of_alternatives(*pair) for pair in pairs])

    def _find_field_with_named_values_or_none(self, comparison_side: ConditionTree) -> Field | None:
        """Return the field with named values that a side of a comparison reads, or None."""
        match comparison_side:
            case BeforeStep(part=part):
                return self._find_field_with_named_values_or_none(part)
            case CellReference(name=name):
                handle = self.game.handles.get(name)
            case NameReference(text=name, quote=quote) if quote != '"' and name not in self.game.quantities:
                handle = self.game.handles.get(name)
            case _:
                return None
        return handle.field if handle is not None and any(self._list_value_names(handle.field)) else None

    def _list_value_names(self, named_field: Field) -> tuple[Sequence[str], ...]:
        """Return the names of a field's values, from its least on: its labels, and the fact `values`."""
        values = self.game.facts.get("values", {}).get(named_field.name, ())
        return tuple(names for names in (named_field.labels, values) if names)

    def _do_fields_have_same_value_names(self, one: Field, other: Field) -> bool:
        return (self._list_value_names(one), one.lo) == (self._list_value_names(other), other.lo)

    def _list_data_comparison_side_may_mean(
        self, comparison_side: ConditionTree, enumeration_field: Field | None
    ) -> list[ClaimTerm]:
        """Return what a side of a comparison may be: one claim term, or each value of `held` that has this
        name, for two values may have one name. A text in quotes is always the name of a value. Raises
        InputError for a bare word that is the name of a value and of something else."""
        if not isinstance(comparison_side, NameReference) or (
            enumeration_field is not None
            and self._find_field_with_named_values_or_none(comparison_side) is enumeration_field
        ):
            return [self.condition_tree_to_data(comparison_side)]
        word, is_name = (
            comparison_side.text,
            comparison_side.quote != '"' and comparison_side.text in self.list_names_shadowing_value_names(),
        )
        values = self._find_value_indexes_by_name(enumeration_field, word) if enumeration_field is not None else []
        if is_name and values and not comparison_side.quote:
            raise self.wrong(
                f"`{word}` names a number of the game, and a value of `{enumeration_field and enumeration_field.name}`",
                f'write "{word}" for the value; for the number, write it in backquotes',
            )
        if is_name or (enumeration_field is None and comparison_side.quote != '"'):
            return [self.find_data_of_name_or_raise(word)]
        if enumeration_field is None:
            return [self.condition_tree_to_data(comparison_side)]
        if not values and word in TRUTH and not comparison_side.quote:
            return [TRUTH[word]]
        if not values:
            names = dict.fromkeys(chain(*self._list_value_names(enumeration_field)))
            raise self.wrong(
                f"`{word}` is no value of `{enumeration_field.name}`",
                make_nearest_or_possible_words_hint(word, [*names, *self.list_names_shadowing_value_names()])
                or f"it has {', '.join(names)}",
            )
        return [enumeration_field.lo + n for n in values]

    def _find_value_indexes_by_name(self, named_field: Field, word: str) -> list[int]:
        """Return which values of a field, counted from its least, have a name."""
        lists = self._list_value_names(named_field)
        return sorted({n for names in lists for n, name in enumerate(names) if name == word})

    def _build_comparison_of_alternatives(
        self, left_data: Sequence[ClaimTerm], comparison_sign: str, right_data: Sequence[ClaimTerm]
    ) -> ClaimTerm:
        """Return a comparison of two sides. A name of several values is equal to what has one of them."""
        pairs = [[comparison_sign, a, b] for a in left_data for b in right_data]
        if len(pairs) > 1 and comparison_sign not in ("==", "!="):
            raise self.wrong(
                f"a name of several values stands beside `{comparison_sign}`", "write the number of one of them"
            )
        return join_data("and" if comparison_sign == "!=" else "or", pairs)


def join_data(word: str, parts: list[ClaimTerm]) -> ClaimTerm:
    """Return some conditions joined by `and` or `or`; a single one is itself."""
    return parts[0] if len(parts) == 1 else [word, *parts]


# -- grammar -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NumberLiteral:
    """A whole number."""

    value: int


@dataclass(frozen=True)
class NameReference:
    """A name as it is written: a bare word, in backquotes, or in quotes (a text)."""

    text: str
    quote: str = ""


@dataclass(frozen=True)
class CellReference:
    """A cell of an array, by its place."""

    name: str
    place: tuple[ConditionTree, ...]


@dataclass(frozen=True)
class Aggregate:
    """A sum of, any of, or all of a `part` for each value of a `counter`: 0 up to a number, or the rows of an
    array."""

    kind: str
    counter: str
    rows: NumberLiteral | NameReference
    part: ConditionTree


@dataclass(frozen=True)
class BeforeStep:
    """What a part was before the step."""

    part: ConditionTree


@dataclass(frozen=True)
class NegativeNumber:
    """The negative of a number."""

    part: ConditionTree


@dataclass(frozen=True)
class Arithmetic:
    """Two numbers joined by `+`, `-` or `*`."""

    sign: str
    left: ConditionTree
    right: ConditionTree


@dataclass(frozen=True)
class Comparison:
    """Sides with a sign between each two of them: `1 < x <= 3` has three sides."""

    sides: tuple[ConditionTree, ...]
    signs: tuple[str, ...]


@dataclass(frozen=True)
class NotCondition:
    """The opposite of a condition."""

    part: ConditionTree


@dataclass(frozen=True)
class LogicalJoin:
    """Conditions joined by one word: `and` or `or`."""

    word: str
    parts: tuple[ConditionTree, ...]


ConditionTree: TypeAlias = (
    NumberLiteral
    | NameReference
    | CellReference
    | Aggregate
    | BeforeStep
    | NegativeNumber
    | Arithmetic
    | Comparison
    | NotCondition
    | LogicalJoin
)
_TOKEN = re.compile(r"`[^`]+`|\"[^\"]*\"|'[^']*'|[=!<>]=|[-+*<>()\[\],:]")
_DOTTED = re.compile(r"[^\W\d][\w-]*(?:\.[\w-]+)+")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,199}")
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_RESERVED = ("and", "or", "not")
_OVER = ("sum", "any", "all")
_MOST_DEPTH = 50
_INSTEAD = MappingProxyType(
    {
        "=": "write == to compare",
        "&": "write `and`",
        "|": "write `or`",
        "!": "write `not`, or != to compare",
        "/": "only + - * are known",
        "%": "only + - * are known",
        ".": "only whole numbers are known",
        '"': "a text ends with the same quote",
        "'": "a text ends with the same quote",
        "`": "a name in backquotes ends with one",
    }
)


class Unreadable(ValueError):
    """Raised if a text is no condition; the message says what was expected, and `hint` what to write."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def parse_condition_text_to_tree(text: str, *, allow_dots: bool = False) -> ConditionTree:
    """Return the tree of a condition or quantity. Names may have dots if `dotted`. Raises Unreadable."""
    return _TokenParser(_split_condition_text_into_tokens(text, allow_dots)).parse_all_tokens_to_tree()


def _split_condition_text_into_tokens(text: str, allow_dots: bool) -> list[str]:
    """Return the signs, words, numbers and quoted names of a text."""
    tokens, here = list[str](), 0
    while here < len(text):
        match = _TOKEN.match(text, here) or (_DOTTED.match(text, here) if allow_dots else None)
        if text[here].isspace():
            here += 1
            continue
        end = match.end() if match else here
        while match is None and end < len(text) and f"a{text[end]}".isidentifier():
            end += 1
        if end == here:
            sign = text[here]
            message = f"`{sign}` (U+{ord(sign):04X}) stands where nothing of it is known"
            raise Unreadable(message, _INSTEAD.get(sign, ""))
        tokens.append(text[here:end])
        here = end
    return tokens


class _TokenParser:
    """Reads one condition from its tokens, from left to right."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens, self._here, self._depth = tokens, 0, 0

    @property
    def _next_token(self) -> str:
        """The token to be read, "" at the end."""
        return self._tokens[self._here] if self._here < len(self._tokens) else ""

    def _pop_next_token(self) -> str:
        token = self._next_token
        self._here += 1
        return token

    def _require_and_skip_token(self, expected_token: str) -> None:
        if self._next_token != expected_token:
            raise Unreadable(f"expected `{expected_token}`, found {self._quoted_next_token}")
        self._here += 1

    @property
    def _quoted_next_token(self) -> str:
        return f"`{self._next_token}`" if self._next_token else "the end"

    def parse_all_tokens_to_tree(self) -> ConditionTree:
        """Return the tree of all tokens."""
        made = self._parse_or_condition()
        if self._next_token:
            raise Unreadable(f"expected an operator or the end, found {self._quoted_next_token}")
        return made

    def _parse_or_condition(self) -> ConditionTree:
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise Unreadable(f"expected at most {_MOST_DEPTH} parentheses within each other")
        made = self._parse_parts_joined_by_word(
            "or", lambda: self._parse_parts_joined_by_word("and", self._parse_comparison_with_negations)
        )
        self._depth -= 1
        return made

    def _parse_parts_joined_by_word(self, word: str, parse_part: Callable[[], ConditionTree]) -> ConditionTree:
        parts = [parse_part()]
        while self._next_token == word:
            self._pop_next_token()
            parts.append(parse_part())
        return parts[0] if len(parts) == 1 else LogicalJoin(word, tuple(parts))

    def _parse_comparison_with_negations(self) -> ConditionTree:
        turned = 0
        while self._next_token == "not":
            self._pop_next_token()
            turned += 1
        made = self._parse_comparison_or_sum()
        for _ in range(turned):
            made = NotCondition(made)
        return made

    def _parse_comparison_or_sum(self) -> ConditionTree:
        sides, signs = [self._parse_sum_or_difference()], list[str]()
        while self._next_token in _COMPARISONS:
            signs.append(self._pop_next_token())
            sides.append(self._parse_sum_or_difference())
        if len(signs) > 1 and not any(set(signs) <= way for way in _ONE_WAY):
            message = f"`{' .. '.join(signs)}` does not say which sides are compared"
            raise Unreadable(message, "write two comparisons with `and`")
        return Comparison(tuple(sides), tuple(signs)) if signs else sides[0]

    def _parse_sum_or_difference(self) -> ConditionTree:
        made = self._parse_product_of_factors()
        while self._next_token in ("+", "-"):
            made = Arithmetic(self._pop_next_token(), made, self._parse_product_of_factors())
        return made

    def _parse_product_of_factors(self) -> ConditionTree:
        made = self._parse_signed_factor()
        while self._next_token == "*":
            made = Arithmetic(self._pop_next_token(), made, self._parse_signed_factor())
        return made

    def _parse_signed_factor(self) -> ConditionTree:
        negative = 0
        while self._next_token == "-":
            self._pop_next_token()
            negative += 1
        made = self._parse_parentheses_number_or_name()
        for _ in range(negative):
            made = NumberLiteral(-made.value) if isinstance(made, NumberLiteral) else NegativeNumber(made)
        return made

    def _parse_parentheses_number_or_name(self) -> ConditionTree:
        if self._next_token == "(":
            self._pop_next_token()
            made = self._parse_or_condition()
            self._require_and_skip_token(")")
            return made
        if self._next_token[:1].isdecimal():
            return NumberLiteral(self._parse_whole_number())
        if self._next_token[:1] in ("'", '"'):
            return NameReference(self._pop_next_token()[1:-1], '"')
        name = self._parse_name_reference()
        if self._next_token == "(" and not name.quote and name.text in (*_OVER, "was"):
            return self._parse_aggregate_or_was(name.text)
        if self._next_token != "[":
            return name
        self._pop_next_token()
        place = [self._parse_array_index(name.text)]
        while self._next_token == ",":
            self._pop_next_token()
            place.append(self._parse_array_index(name.text))
        self._require_and_skip_token("]")
        return CellReference(name.text, tuple(place))

    def _parse_aggregate_or_was(self, function_word: str) -> ConditionTree:
        """Return what stands in the parentheses behind `was`, `sum`, `any` or `all`."""
        self._require_and_skip_token("(")
        if function_word == "was":
            made: ConditionTree = BeforeStep(self._parse_or_condition())
        else:
            counter = self._parse_name_reference().text
            self._require_and_skip_token("in")
            is_number = self._next_token[:1].isdecimal()
            rows = NumberLiteral(self._parse_whole_number()) if is_number else self._parse_name_reference()
            self._require_and_skip_token(":")
            made = Aggregate(function_word, counter, rows, self._parse_or_condition())
        self._require_and_skip_token(")")
        return made

    def _parse_name_reference(self) -> NameReference:
        token = self._next_token
        if token.startswith("`"):
            return NameReference(self._pop_next_token()[1:-1], "`")
        if token in _RESERVED or not token.partition(".")[0].replace("-", "_").isidentifier():
            hint = "put it in parentheses" if token == "not" else ""
            raise Unreadable(f"expected a number or a name, found {self._quoted_next_token}", hint)
        return NameReference(self._pop_next_token())

    def _parse_array_index(self, array_name: str) -> ConditionTree:
        if self._next_token in ("", "]", ","):
            raise Unreadable(f"`{array_name}[{self._next_token}]`: expected the place of a cell, as `{array_name}[0]`")
        return self._parse_sum_or_difference()

    def _parse_whole_number(self) -> int:
        token = self._pop_next_token()
        if not _NUMBER.fullmatch(token):
            hint = "write it with the digits 0 to 9 alone"
            raise Unreadable(f"expected a whole number, found `{token}`", hint)
        return int(token)


_ONE_WAY = tuple(map(frozenset, (["=="], ["<", "<=", "=="], [">", ">=", "=="])))
"""The signs that may stand together in one chain."""
