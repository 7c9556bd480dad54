"""Conditions as text: `placed <= 2 * round and hearts > 0`, read by a grammar of their own into a tree, and
the tree into terms of a game."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import add, ge, gt, le, lt, mul, sub
from types import MappingProxyType
from typing import Any, TypeAlias, assert_never

from playproof.database.errors import InputError, Where, did_you_mean
from playproof.language import Array, Const, RulesError, Table, Term, all_of, any_of
from playproof.language.expr import Local, Lookup, Read, as_term, make_flat_index_term, make_reduce_term
from playproof.language.fields import Field
from playproof.language.game import Game

# Conditions as text: `placed <= 2 * round and hearts > 0`, read into terms of a game.

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


# -- grammar -------------------------------------------------------------------------------------------------
# The grammar of conditions: text read into a tree, character by character as it is written.


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


def parse_condition_text(text: str, *, allow_dots: bool = False) -> ConditionTree:
    """Return the tree of a condition or quantity. Names may have dots if `dotted`. Raises Unreadable."""
    return _TokenParser(_split_into_tokens(text, allow_dots)).parse_all_tokens()


def _split_into_tokens(text: str, allow_dots: bool) -> list[str]:
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

    def _take_token(self) -> str:
        token = self._next_token
        self._here += 1
        return token

    def _expect_token(self, token: str) -> None:
        if self._next_token != token:
            raise Unreadable(f"expected `{token}`, found {self._quoted_next_token}")
        self._here += 1

    @property
    def _quoted_next_token(self) -> str:
        return f"`{self._next_token}`" if self._next_token else "the end"

    def parse_all_tokens(self) -> ConditionTree:
        """Return the tree of all tokens."""
        made = self._parse_condition()
        if self._next_token:
            raise Unreadable(f"expected an operator or the end, found {self._quoted_next_token}")
        return made

    def _parse_condition(self) -> ConditionTree:
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise Unreadable(f"expected at most {_MOST_DEPTH} parentheses within each other")
        made = self._parse_joined_parts(
            "or", lambda: self._parse_joined_parts("and", self._parse_negated_comparison)
        )
        self._depth -= 1
        return made

    def _parse_joined_parts(self, word: str, parse_part: Callable[[], ConditionTree]) -> ConditionTree:
        parts = [parse_part()]
        while self._next_token == word:
            self._take_token()
            parts.append(parse_part())
        return parts[0] if len(parts) == 1 else LogicalJoin(word, tuple(parts))

    def _parse_negated_comparison(self) -> ConditionTree:
        turned = 0
        while self._next_token == "not":
            self._take_token()
            turned += 1
        made = self._parse_comparison()
        for _ in range(turned):
            made = NotCondition(made)
        return made

    def _parse_comparison(self) -> ConditionTree:
        sides, signs = [self._parse_sum()], list[str]()
        while self._next_token in _COMPARISONS:
            signs.append(self._take_token())
            sides.append(self._parse_sum())
        if len(signs) > 1 and not any(set(signs) <= way for way in _ONE_WAY):
            message = f"`{' .. '.join(signs)}` does not say which sides are compared"
            raise Unreadable(message, "write two comparisons with `and`")
        return Comparison(tuple(sides), tuple(signs)) if signs else sides[0]

    def _parse_sum(self) -> ConditionTree:
        made = self._parse_product()
        while self._next_token in ("+", "-"):
            made = Arithmetic(self._take_token(), made, self._parse_product())
        return made

    def _parse_product(self) -> ConditionTree:
        made = self._parse_factor()
        while self._next_token == "*":
            made = Arithmetic(self._take_token(), made, self._parse_factor())
        return made

    def _parse_factor(self) -> ConditionTree:
        negative = 0
        while self._next_token == "-":
            self._take_token()
            negative += 1
        made = self._parse_atom()
        for _ in range(negative):
            made = NumberLiteral(-made.value) if isinstance(made, NumberLiteral) else NegativeNumber(made)
        return made

    def _parse_atom(self) -> ConditionTree:
        if self._next_token == "(":
            self._take_token()
            made = self._parse_condition()
            self._expect_token(")")
            return made
        if self._next_token[:1].isdecimal():
            return NumberLiteral(self._parse_number())
        if self._next_token[:1] in ("'", '"'):
            return NameReference(self._take_token()[1:-1], '"')
        name = self._parse_name()
        if self._next_token == "(" and not name.quote and name.text in (*_OVER, "was"):
            return self._parse_call(name.text)
        if self._next_token != "[":
            return name
        self._take_token()
        place = [self._parse_index(name.text)]
        while self._next_token == ",":
            self._take_token()
            place.append(self._parse_index(name.text))
        self._expect_token("]")
        return CellReference(name.text, tuple(place))

    def _parse_call(self, word: str) -> ConditionTree:
        """Return what stands in the parentheses behind `was`, `sum`, `any` or `all`."""
        self._expect_token("(")
        if word == "was":
            made: ConditionTree = BeforeStep(self._parse_condition())
        else:
            counter = self._parse_name().text
            self._expect_token("in")
            rows = (
                NumberLiteral(self._parse_number())
                if self._next_token[:1].isdecimal()
                else self._parse_name()
            )
            self._expect_token(":")
            made = Aggregate(word, counter, rows, self._parse_condition())
        self._expect_token(")")
        return made

    def _parse_name(self) -> NameReference:
        token = self._next_token
        if token.startswith("`"):
            return NameReference(self._take_token()[1:-1], "`")
        if token in _RESERVED or not token.partition(".")[0].replace("-", "_").isidentifier():
            hint = "put it in parentheses" if token == "not" else ""
            raise Unreadable(f"expected a number or a name, found {self._quoted_next_token}", hint)
        return NameReference(self._take_token())

    def _parse_index(self, array_name: str) -> ConditionTree:
        if self._next_token in ("", "]", ","):
            raise Unreadable(
                f"`{array_name}[{self._next_token}]`: expected the place of a cell, as `{array_name}[0]`"
            )
        return self._parse_sum()

    def _parse_number(self) -> int:
        token = self._take_token()
        if not _NUMBER.fullmatch(token):
            hint = "write it with the digits 0 to 9 alone"
            raise Unreadable(f"expected a whole number, found `{token}`", hint)
        return int(token)


_ONE_WAY = tuple(map(frozenset, (["=="], ["<", "<=", "=="], [">", ">=", "=="])))
"""The signs that may stand together in one chain."""
