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
class Number:
    """A whole number."""

    value: int


@dataclass(frozen=True)
class Name:
    """A name as it is written: a bare word, in backquotes, or in quotes (a text)."""

    text: str
    quote: str = ""


@dataclass(frozen=True)
class Cell:
    """A cell of an array, by its place."""

    name: str
    place: tuple[Tree, ...]


@dataclass(frozen=True)
class Over:
    """A sum of, any of, or all of a `part` for each value of a `counter`: 0 up to a number, or the rows of an
    array."""

    kind: str
    counter: str
    rows: Number | Name
    part: Tree


@dataclass(frozen=True)
class Was:
    """What a part was before the step."""

    part: Tree


@dataclass(frozen=True)
class Negative:
    """The negative of a number."""

    part: Tree


@dataclass(frozen=True)
class Sum:
    """Two numbers joined by `+`, `-` or `*`."""

    sign: str
    left: Tree
    right: Tree


@dataclass(frozen=True)
class Compared:
    """Sides with a sign between each two of them: `1 < x <= 3` has three sides."""

    sides: tuple[Tree, ...]
    signs: tuple[str, ...]


@dataclass(frozen=True)
class Not:
    """The opposite of a condition."""

    part: Tree


@dataclass(frozen=True)
class Joined:
    """Conditions joined by one word: `and` or `or`."""

    word: str
    parts: tuple[Tree, ...]


Tree: TypeAlias = Number | Name | Cell | Over | Was | Negative | Sum | Compared | Not | Joined
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


def tree(text: str, *, dotted: bool = False) -> Tree:
    """Return the tree of a condition or quantity. Names may have dots if `dotted`. Raises Unreadable."""
    return _Reader(_tokens(text, dotted)).whole()


def _tokens(text: str, dotted: bool) -> list[str]:
    """Return the signs, words, numbers and quoted names of a text."""
    tokens, here = list[str](), 0
    while here < len(text):
        match = _TOKEN.match(text, here) or (_DOTTED.match(text, here) if dotted else None)
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


class _Reader:
    """Reads one condition from its tokens, from left to right."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens, self._here, self._depth = tokens, 0, 0

    @property
    def _next(self) -> str:
        """The token to be read, "" at the end."""
        return self._tokens[self._here] if self._here < len(self._tokens) else ""

    def _take(self) -> str:
        token = self._next
        self._here += 1
        return token

    def _expect(self, token: str) -> None:
        if self._next != token:
            raise Unreadable(f"expected `{token}`, found {self._upcoming}")
        self._here += 1

    @property
    def _upcoming(self) -> str:
        return f"`{self._next}`" if self._next else "the end"

    def whole(self) -> Tree:
        """Return the tree of all tokens."""
        made = self._condition()
        if self._next:
            raise Unreadable(f"expected an operator or the end, found {self._upcoming}")
        return made

    def _condition(self) -> Tree:
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise Unreadable(f"expected at most {_MOST_DEPTH} parentheses within each other")
        made = self._joined("or", lambda: self._joined("and", self._part))
        self._depth -= 1
        return made

    def _joined(self, word: str, part: Callable[[], Tree]) -> Tree:
        parts = [part()]
        while self._next == word:
            self._take()
            parts.append(part())
        return parts[0] if len(parts) == 1 else Joined(word, tuple(parts))

    def _part(self) -> Tree:
        turned = 0
        while self._next == "not":
            self._take()
            turned += 1
        made = self._comparison()
        for _ in range(turned):
            made = Not(made)
        return made

    def _comparison(self) -> Tree:
        sides, signs = [self._sum()], list[str]()
        while self._next in _COMPARISONS:
            signs.append(self._take())
            sides.append(self._sum())
        if len(signs) > 1 and not any(set(signs) <= way for way in _ONE_WAY):
            message = f"`{' .. '.join(signs)}` does not say which sides are compared"
            raise Unreadable(message, "write two comparisons with `and`")
        return Compared(tuple(sides), tuple(signs)) if signs else sides[0]

    def _sum(self) -> Tree:
        made = self._product()
        while self._next in ("+", "-"):
            made = Sum(self._take(), made, self._product())
        return made

    def _product(self) -> Tree:
        made = self._factor()
        while self._next == "*":
            made = Sum(self._take(), made, self._factor())
        return made

    def _factor(self) -> Tree:
        negative = 0
        while self._next == "-":
            self._take()
            negative += 1
        made = self._atom()
        for _ in range(negative):
            made = Number(-made.value) if isinstance(made, Number) else Negative(made)
        return made

    def _atom(self) -> Tree:
        if self._next == "(":
            self._take()
            made = self._condition()
            self._expect(")")
            return made
        if self._next[:1].isdecimal():
            return Number(self._number())
        if self._next[:1] in ("'", '"'):
            return Name(self._take()[1:-1], '"')
        name = self._name()
        if self._next == "(" and not name.quote and name.text in (*_OVER, "was"):
            return self._called(name.text)
        if self._next != "[":
            return name
        self._take()
        place = [self._index(name.text)]
        while self._next == ",":
            self._take()
            place.append(self._index(name.text))
        self._expect("]")
        return Cell(name.text, tuple(place))

    def _called(self, word: str) -> Tree:
        """Return what stands in the parentheses behind `was`, `sum`, `any` or `all`."""
        self._expect("(")
        if word == "was":
            made: Tree = Was(self._condition())
        else:
            counter = self._name().text
            self._expect("in")
            rows = Number(self._number()) if self._next[:1].isdecimal() else self._name()
            self._expect(":")
            made = Over(word, counter, rows, self._condition())
        self._expect(")")
        return made

    def _name(self) -> Name:
        token = self._next
        if token.startswith("`"):
            return Name(self._take()[1:-1], "`")
        if token in _RESERVED or not token.partition(".")[0].replace("-", "_").isidentifier():
            hint = "put it in parentheses" if token == "not" else ""
            raise Unreadable(f"expected a number or a name, found {self._upcoming}", hint)
        return Name(self._take())

    def _index(self, name: str) -> Tree:
        if self._next in ("", "]", ","):
            raise Unreadable(f"`{name}[{self._next}]`: expected the place of a cell, as `{name}[0]`")
        return self._sum()

    def _number(self) -> int:
        token = self._take()
        if not _NUMBER.fullmatch(token):
            hint = "write it with the digits 0 to 9 alone"
            raise Unreadable(f"expected a whole number, found `{token}`", hint)
        return int(token)


_ONE_WAY = tuple(map(frozenset, (["=="], ["<", "<=", "=="], [">", ">=", "=="])))
"""The signs that may stand together in one chain."""
