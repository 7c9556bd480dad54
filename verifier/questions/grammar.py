"""The grammar of conditions: text read into a tree, character by character as it is written.

    condition   = each { "or" each }
    each        = part { "and" part }
    part        = "not" part | comparison
    comparison  = sum { ("==" | "!=" | "<" | "<=" | ">" | ">=") sum }
    sum         = product { ("+" | "-") product }
    product     = factor { "*" factor }
    factor      = "-" factor | number | text | name [ "[" sum { "," sum } "]" ] | "(" condition ")"
                | ("sum" | "any" | "all") "(" word "in" (number | name) ":" condition ")"
                | "was" "(" condition ")"

A name is a word, or anything between backquotes; of rows of cards also words joined by dots
(`gain.food`). A text stands between quotes of one kind. Nothing is folded, escaped or replaced, so a
name of the game is meant only by exactly its own characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias


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
