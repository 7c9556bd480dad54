"""Claims about what the cards say, before anybody plays: `ask: ledger`.

    {each: option, where: "chapter == 1", sum: gain.food}        how much Food the options of chapter 1 give
    {where: "kind == artifact and level == 3", by: region}       how many such cards each region has
    {each: copy, where: "kind == card", by: points, alike: side} as many of each value on both sides
    {each: option, where: "to == past", holds: "gain <= 2"}      each such option gains at most 2

`card_rows.py` says which names a row has. `worth` is the worth of a row by the table of the game's claims.yaml.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from playproof.database.components import Component
from playproof.database.errors import InputError, Where, did_you_mean
from playproof.verifier.questions.card_rows import EACH, Row, rows, worth
from playproof.verifier.questions.grammar import (
    Cell,
    Compared,
    Joined,
    Name,
    Negative,
    Not,
    Number,
    Over,
    Sum,
    Tree,
    Unreadable,
    Was,
    tree,
)

MEASURES = ("sum", "least", "most", "holds")
KEYS = ("each", "where", "by", "band", "alike", "worth", *MEASURES)
WORTH, KIND = "worth", "kind"
_MOST_NAMED = 6
Value: TypeAlias = "int | str"


@dataclass(frozen=True)
class Counted:
    """What a claim counts: its value, the rows that it speaks of, with their part of it, and those that break it.
    `value` is None if there are no such rows."""

    value: Any
    members: tuple[str, ...]
    breakers: tuple[str, ...] = ()


def counted(cards: Sequence[Component], spec: Any, where: Where | None = None) -> Counted:
    """Return what a claim about the cards counts. Raises InputError if it cannot be understood."""
    return _Reader(cards, spec, where or Where("claim")).counted()


def chosen_rows(cards: Sequence[Component], spec: Any, where: Where) -> tuple[list[Row], set[str]]:
    """Return the rows that `each` and `where` choose, and all names that a row may have. Raises InputError."""
    reader = _Reader(cards, spec, where)
    return reader.chosen(), reader.numbers | reader.texts


class _Reader:
    """Reads one specification for one set of cards."""

    def __init__(self, cards: Sequence[Component], spec: Any, where: Where) -> None:
        self.place = where
        self.wrong = partial(InputError.of, "PP701", where)
        if not isinstance(spec, Mapping):
            raise self.wrong(f"expected what to count of the cards, found {spec!r}", "write {sum: gain.food}")
        for key in spec:
            if key not in KEYS:
                raise self.wrong(f"unknown key `{key}`", did_you_mean(str(key), KEYS))
        each = spec.get("each", "card")
        if each not in EACH:
            raise self.wrong(f"each `{each}`: expected {', '.join(EACH)}", did_you_mean(str(each), EACH))
        self.spec, self.each = spec, str(each)
        self.table = self._table(spec.get(WORTH))
        self.rows = rows(cards, self.each)
        self.numbers = {name for row in self.rows for name in row.numbers}
        self.texts = {name for row in self.rows for name in row.texts} - self.numbers
        unknown = [
            name for name in self.table if name not in self.numbers and not self._of_another_row(cards, name)
        ]
        if unknown:
            raise self.wrong(f"`{unknown[0]}` of the worth table is printed nowhere", self._like(unknown[0]))

    def counted(self) -> Counted:
        """Count. A claim about no rows has no value."""
        measures = [key for key in MEASURES if key in self.spec]
        if len(measures) > 1:
            raise self.wrong(f"expected one of {', '.join(MEASURES)}, found {', '.join(measures)}")
        measure = measures[0] if measures else ""
        chosen = self.chosen()
        if not chosen:
            self._checked(measure)
            return Counted(None, ())
        if measure == "holds":
            return self._holding(chosen)
        number = self._numbers(measure)
        groups = self._groups(chosen)
        if "alike" in self.spec:
            return self._alike(groups, measure, number)
        values = {
            key: _joined(measure, [(number(row), row.weight) for row in of]) for key, of in groups.items()
        }
        members = tuple(f"{row.name}: {number(row) * row.weight}" for row in chosen)
        if "band" in self.spec:
            low, high = self._band()
            beyond = tuple(
                f"{key}: {n}" if key else f"{n}" for key, n in values.items() if not low <= n <= high
            )
            return Counted(not beyond, members, beyond)
        return Counted(values if "by" in self.spec else values[""], members)

    def chosen(self) -> list[Row]:
        """Return the rows that `where` is true of."""
        fits = self.evaluated(str(self.spec["where"])) if "where" in self.spec else None
        return [row for row in self.rows if fits is None or fits(row)]

    def _checked(self, measure: str) -> None:
        """Read what no row is asked, so that a mistake in it is named."""
        if measure:
            self.evaluated(str(self.spec[measure]))

    # -- what is counted ------------------------------------------------------------------------------------

    def _holding(self, chosen: Sequence[Row]) -> Counted:
        for key in ("by", "band", "alike"):
            if key in self.spec:
                raise self.wrong(f"`{key}` says nothing beside `holds`", "leave it out")
        holds = self.evaluated(str(self.spec["holds"]))
        broken = tuple(self._named(row) for row in chosen if not holds(row))
        return Counted(not broken, tuple(row.name for row in chosen), broken)

    def _named(self, row: Row) -> str:
        if not self.table or not re.search(rf"(?<![\w.`]){WORTH}(?![\w.`])", str(self.spec["holds"])):
            return row.name
        return f"{row.name} (worth {worth(row.printed, self.table)})"

    def _alike(
        self, groups: Mapping[str, Sequence[Row]], measure: str, number: Callable[[Row], int]
    ) -> Counted:
        """Count each group apart for each value of the name `alike`; equal counts are alike."""
        if measure not in ("", "sum") or "band" in self.spec:
            raise self.wrong("`alike` compares counts or sums", "leave `band`, `least` and `most` out")
        side = self._name(self.spec["alike"])
        sides = sorted({side(row) for of in groups.values() for row in of})
        if len(sides) < 2:
            raise self.wrong(f"`alike: {self.spec['alike']}` compares one value with nothing")
        members, broken = list[str](), list[str]()
        for key, of in groups.items():
            sums = [sum(number(row) * row.weight for row in of if side(row) == value) for value in sides]
            text = f"{key or 'all'}: " + ", ".join(f"{s} {n}" for s, n in zip(sides, sums, strict=True))
            members.append(text)
            if len(set(sums)) > 1:
                broken.append(text)
        return Counted(not broken, tuple(members), tuple(broken))

    def _numbers(self, measure: str) -> Callable[[Row], int]:
        if not measure:
            return lambda row: 1
        read = self.evaluated(str(self.spec[measure]))

        def number(row: Row) -> int:
            value = read(row)
            if isinstance(value, str):
                raise self.wrong(f"`{self.spec[measure]}` is a text, and texts have no {measure}")
            return int(value)

        return number

    def _groups(self, chosen: Sequence[Row]) -> dict[str, list[Row]]:
        """Return the rows by what `by` names, under their values; under "" if it names nothing."""
        by = self.spec.get("by", [])
        names = [self._name(name) for name in (by if isinstance(by, list) else [by])]
        groups: dict[str, list[Row]] = {}
        for row in chosen:
            groups.setdefault(", ".join(name(row) for name in names), []).append(row)
        return groups

    def _name(self, name: object) -> Callable[[Row], str]:
        text = str(name)
        if text not in self.numbers and text not in self.texts:
            raise self.wrong(f"no row has the name `{text}`", self._like(text))
        return lambda row: str(row.texts.get(text, row.numbers.get(text, "")))

    def _band(self) -> tuple[int, int]:
        band = self.spec["band"]
        if not (isinstance(band, list) and [type(n) for n in band] == [int, int] and band[0] <= band[1]):
            raise self.wrong(f"expected `band` as [least, most], found {band!r}")
        return band[0], band[1]

    def _table(self, table: Any) -> dict[str, int]:
        if table is None:
            return {}
        if not isinstance(table, Mapping) or any(type(n) is not int for n in table.values()):
            raise self.wrong("expected `worth` as a table of whole numbers by name", "write {gain.food: 1}")
        return {str(name): number for name, number in table.items()}

    def _of_another_row(self, cards: Sequence[Component], name: str) -> bool:
        return any(name in row.numbers for each in ("card", "option") for row in rows(cards, each))

    # -- conditions on a row --------------------------------------------------------------------------------

    def evaluated(self, text: str) -> Callable[[Row], Value | bool]:
        """Return the reading of an expression on rows. Raises InputError."""
        try:
            return self._read(tree(text, dotted=True))
        except Unreadable as error:
            raise self.wrong(f"`{text[:60]}` cannot be read: {error}", error.hint) from None

    def _read(self, node: Tree) -> Callable[[Row], Any]:
        match node:
            case Number(value=value):
                return lambda row: value
            case Name(text=text, quote=quote):
                return self._value(text, quote)
            case Negative(part=part):
                inner = self._read(part)
                return lambda row: -inner(row)
            case Sum(sign=sign, left=left, right=right):
                return _combined(sign, self._read(left), self._read(right))
            case Not(part=part):
                inner = self._read(part)
                return lambda row: not inner(row)
            case Joined(word=word, parts=parts):
                each = [self._read(part) for part in parts]
                join = all if word == "and" else any
                return lambda row: join(bool(part(row)) for part in each)
            case Compared():
                return self._compared(node)
            case Cell(name=name):
                raise self.wrong(f"`{name}[...]`: rows of cards have no cells")
            case Over() | Was():
                raise self.wrong(
                    "`sum`, `any`, `all` and `was` are about states of a game", "write `sum:` or `by:`"
                )

    def _value(self, name: str, quote: str) -> Callable[[Row], Any]:
        if name == WORTH and quote != '"':
            if not self.table:
                raise self.wrong("there is no worth table", "write `worth:` with a table into claims.yaml")
            return lambda row: worth(row.printed, self.table)
        if quote == '"':
            return lambda row: name
        if name in self.numbers:
            return lambda row: row.numbers.get(name, 0)
        if name in self.texts:
            return lambda row: row.texts.get(name, "")
        raise self.wrong(f"no {self.each} prints `{name}`", self._like(name))

    def _compared(self, node: Compared) -> Callable[[Row], bool]:
        """Return a comparison. A bare word beside a name with texts is one of these texts."""
        held = next((s.text for s in node.sides if isinstance(s, Name) and s.text in self.texts), "")
        sides = [self._side(side, held) for side in node.sides]
        return lambda row: all(
            _compare(sign, a(row), b(row)) for a, sign, b in zip(sides, node.signs, sides[1:], strict=False)
        )

    def _side(self, node: Tree, held: str) -> Callable[[Row], Any]:
        if not (held and isinstance(node, Name)) or node.text == held:
            return self._read(node)
        values = sorted({row.texts[held] for row in self.rows if held in row.texts})
        text = node.text
        if held == KIND and not node.quote and text in values:  # a kind is compared with kinds alone
            return lambda row: text
        if not node.quote and text in values and text in self.numbers | self.texts:
            raise self.wrong(
                f"`{text}` names something that cards print, and a value of `{held}`",
                f'write "{text}" for the value, and put the name into backquotes',
            )
        if node.quote == "`" or (not node.quote and text in self.texts):
            return self._read(node)
        if text and text not in values:
            raise self.wrong(
                f'"{text}" is no value of `{held}`', did_you_mean(text, values) or ", ".join(values[:8])
            )
        return lambda row: text

    def _like(self, name: str) -> str:
        return did_you_mean(name, sorted(self.numbers | self.texts))


def _joined(measure: str, numbers: Sequence[tuple[int, int]]) -> int:
    if measure == "least":
        return min(n for n, _ in numbers)
    if measure == "most":
        return max(n for n, _ in numbers)
    return sum(n * weight for n, weight in numbers)


def _combined(sign: str, left: Callable[[Row], Any], right: Callable[[Row], Any]) -> Callable[[Row], int]:
    if sign == "+":
        return lambda row: int(left(row)) + int(right(row))
    if sign == "-":
        return lambda row: int(left(row)) - int(right(row))
    return lambda row: int(left(row)) * int(right(row))


def _compare(sign: str, a: Any, b: Any) -> bool:
    if isinstance(a, str) != isinstance(b, str):
        return sign == "!="
    match sign:
        case "==":
            return bool(a == b)
        case "!=":
            return bool(a != b)
        case "<":
            return bool(a < b)
        case "<=":
            return bool(a <= b)
        case ">":
            return bool(a > b)
    return bool(a >= b)


def fits(spec: Any, expect: Any) -> str:
    """Return what a claim about the cards must expect, in words, "" if it does."""
    truth = isinstance(spec, Mapping) and bool({"holds", "band", "alike"} & set(spec))
    if expect is None or not isinstance(spec, Mapping):
        return ""
    if truth:
        return "" if isinstance(expect, bool) else "true or false"
    if "by" in spec:
        whole = isinstance(expect, Mapping) and all(type(n) is int for n in expect.values())
        return "" if whole else "a whole number for each value of `by`"
    return "" if type(expect) is int else "a whole number"


def named(breakers: Sequence[str]) -> str:
    """Return the rows that break a claim, the first few by name."""
    more = len(breakers) - _MOST_NAMED
    return ", ".join(breakers[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
