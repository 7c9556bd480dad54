"""Claims about what the cards say: `ask: ledger` counts them before anybody plays, and a family of laws has
a law for each of their rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any, TypeAlias

from playproof.database.components import Component
from playproof.database.errors import InputError, Where, did_you_mean
from playproof.language.game import Game
from playproof.verifier.questions.card_rows import EACH, CardRow, build_card_rows, compute_printed_worth
from playproof.verifier.questions.conditions import (
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

# Claims about what the cards say, before anybody plays: `ask: ledger`.

MEASURES = ("sum", "least", "most", "holds")
KEYS = ("each", "where", "by", "band", "alike", "worth", *MEASURES)
WORTH, KIND = "worth", "kind"
_MOST_NAMED = 6
Value: TypeAlias = "int | str"


@dataclass(frozen=True)
class LedgerCount:
    """What a claim counts: its value, the rows that it speaks of, with their part of it, and those that break it.
    `value` is None if there are no such rows."""

    value: Any
    members: tuple[str, ...]
    breakers: tuple[str, ...] = ()


def evaluate_ledger_claim(cards: Sequence[Component], spec: Any, where: Where | None = None) -> LedgerCount:
    """Return what a claim about the cards counts. Raises InputError if it cannot be understood."""
    return _LedgerReader(cards, spec, where or Where("claim")).evaluate_claim()


def select_card_rows(cards: Sequence[Component], spec: Any, where: Where) -> tuple[list[CardRow], set[str]]:
    """Return the rows that `each` and `where` choose, and all names that a row may have. Raises InputError."""
    reader = _LedgerReader(cards, spec, where)
    return reader.select_rows(), reader.numbers | reader.texts


class _LedgerReader:
    """Reads one specification for one set of cards."""

    def __init__(self, cards: Sequence[Component], spec: Any, where: Where) -> None:
        self.place = where
        self.wrong = partial(InputError.from_single_finding, "PP701", where)
        if not isinstance(spec, Mapping):
            raise self.wrong(f"expected what to count of the cards, found {spec!r}", "write {sum: gain.food}")
        for key in spec:
            if key not in KEYS:
                raise self.wrong(f"unknown key `{key}`", did_you_mean(str(key), KEYS))
        each = spec.get("each", "card")
        if each not in EACH:
            raise self.wrong(f"each `{each}`: expected {', '.join(EACH)}", did_you_mean(str(each), EACH))
        self.spec, self.each = spec, str(each)
        self.table = self._read_worth_table(spec.get(WORTH))
        self.rows = build_card_rows(cards, self.each)
        self.numbers = {name for row in self.rows for name in row.numbers}
        self.texts = {name for row in self.rows for name in row.texts} - self.numbers
        unknown = [
            name
            for name in self.table
            if name not in self.numbers and not self._is_name_of_other_rows(cards, name)
        ]
        if unknown:
            raise self.wrong(
                f"`{unknown[0]}` of the worth table is printed nowhere", self._suggest_name(unknown[0])
            )

    def evaluate_claim(self) -> LedgerCount:
        """Count. A claim about no rows has no value."""
        measures = [key for key in MEASURES if key in self.spec]
        if len(measures) > 1:
            raise self.wrong(f"expected one of {', '.join(MEASURES)}, found {', '.join(measures)}")
        measure = measures[0] if measures else ""
        chosen = self.select_rows()
        if not chosen:
            self._check_measure_expression(measure)
            return LedgerCount(None, ())
        if measure == "holds":
            return self._check_condition_on_rows(chosen)
        number = self._make_row_measure(measure)
        groups = self._group_rows(chosen)
        if "alike" in self.spec:
            return self._compare_groups(groups, measure, number)
        values = {
            key: _combine_measures(measure, [(number(row), row.weight) for row in of])
            for key, of in groups.items()
        }
        members = tuple(f"{row.name}: {number(row) * row.weight}" for row in chosen)
        if "band" in self.spec:
            low, high = self._read_band()
            beyond = tuple(
                f"{key}: {n}" if key else f"{n}" for key, n in values.items() if not low <= n <= high
            )
            return LedgerCount(not beyond, members, beyond)
        return LedgerCount(values if "by" in self.spec else values[""], members)

    def select_rows(self) -> list[CardRow]:
        """Return the rows that `where` is true of."""
        fits = self.compile_expression(str(self.spec["where"])) if "where" in self.spec else None
        return [row for row in self.rows if fits is None or fits(row)]

    def _check_measure_expression(self, measure: str) -> None:
        """Read what no row is asked, so that a mistake in it is named."""
        if measure:
            self.compile_expression(str(self.spec[measure]))

    # -- what is counted ------------------------------------------------------------------------------------

    def _check_condition_on_rows(self, rows: Sequence[CardRow]) -> LedgerCount:
        for key in ("by", "band", "alike"):
            if key in self.spec:
                raise self.wrong(f"`{key}` says nothing beside `holds`", "leave it out")
        holds = self.compile_expression(str(self.spec["holds"]))
        broken = tuple(self._name_row_with_worth(row) for row in rows if not holds(row))
        return LedgerCount(not broken, tuple(row.name for row in rows), broken)

    def _name_row_with_worth(self, row: CardRow) -> str:
        if not self.table or not re.search(rf"(?<![\w.`]){WORTH}(?![\w.`])", str(self.spec["holds"])):
            return row.name
        return f"{row.name} (worth {compute_printed_worth(row.printed, self.table)})"

    def _compare_groups(
        self, groups: Mapping[str, Sequence[CardRow]], measure: str, measure_row: Callable[[CardRow], int]
    ) -> LedgerCount:
        """Count each group apart for each value of the name `alike`; equal counts are alike."""
        if measure not in ("", "sum") or "band" in self.spec:
            raise self.wrong("`alike` compares counts or sums", "leave `band`, `least` and `most` out")
        side = self._make_name_getter(self.spec["alike"])
        sides = sorted({side(row) for of in groups.values() for row in of})
        if len(sides) < 2:
            raise self.wrong(f"`alike: {self.spec['alike']}` compares one value with nothing")
        members, broken = list[str](), list[str]()
        for key, of in groups.items():
            sums = [sum(measure_row(row) * row.weight for row in of if side(row) == value) for value in sides]
            text = f"{key or 'all'}: " + ", ".join(f"{s} {n}" for s, n in zip(sides, sums, strict=True))
            members.append(text)
            if len(set(sums)) > 1:
                broken.append(text)
        return LedgerCount(not broken, tuple(members), tuple(broken))

    def _make_row_measure(self, measure: str) -> Callable[[CardRow], int]:
        if not measure:
            return lambda row: 1
        read = self.compile_expression(str(self.spec[measure]))

        def number(row: CardRow) -> int:
            value = read(row)
            if isinstance(value, str):
                raise self.wrong(f"`{self.spec[measure]}` is a text, and texts have no {measure}")
            return int(value)

        return number

    def _group_rows(self, rows: Sequence[CardRow]) -> dict[str, list[CardRow]]:
        """Return the rows by what `by` names, under their values; under "" if it names nothing."""
        by = self.spec.get("by", [])
        names = [self._make_name_getter(name) for name in (by if isinstance(by, list) else [by])]
        groups: dict[str, list[CardRow]] = {}
        for row in rows:
            groups.setdefault(", ".join(name(row) for name in names), []).append(row)
        return groups

    def _make_name_getter(self, name: object) -> Callable[[CardRow], str]:
        text = str(name)
        if text not in self.numbers and text not in self.texts:
            raise self.wrong(f"no row has the name `{text}`", self._suggest_name(text))
        return lambda row: str(row.texts.get(text, row.numbers.get(text, "")))

    def _read_band(self) -> tuple[int, int]:
        band = self.spec["band"]
        if not (isinstance(band, list) and [type(n) for n in band] == [int, int] and band[0] <= band[1]):
            raise self.wrong(f"expected `band` as [least, most], found {band!r}")
        return band[0], band[1]

    def _read_worth_table(self, table: Any) -> dict[str, int]:
        if table is None:
            return {}
        if not isinstance(table, Mapping) or any(type(n) is not int for n in table.values()):
            raise self.wrong("expected `worth` as a table of whole numbers by name", "write {gain.food: 1}")
        return {str(name): number for name, number in table.items()}

    def _is_name_of_other_rows(self, cards: Sequence[Component], name: str) -> bool:
        return any(name in row.numbers for each in ("card", "option") for row in build_card_rows(cards, each))

    # -- conditions on a row --------------------------------------------------------------------------------

    def compile_expression(self, text: str) -> Callable[[CardRow], Value | bool]:
        """Return the reading of an expression on rows. Raises InputError."""
        try:
            return self._compile_tree(parse_condition_text(text, allow_dots=True))
        except Unreadable as error:
            raise self.wrong(f"`{text[:60]}` cannot be read: {error}", error.hint) from None

    def _compile_tree(self, node: ConditionTree) -> Callable[[CardRow], Any]:
        match node:
            case NumberLiteral(value=value):
                return lambda row: value
            case NameReference(text=text, quote=quote):
                return self._compile_name(text, quote)
            case NegativeNumber(part=part):
                inner = self._compile_tree(part)
                return lambda row: -inner(row)
            case Arithmetic(sign=sign, left=left, right=right):
                return _compile_arithmetic(sign, self._compile_tree(left), self._compile_tree(right))
            case NotCondition(part=part):
                inner = self._compile_tree(part)
                return lambda row: not inner(row)
            case LogicalJoin(word=word, parts=parts):
                each = [self._compile_tree(part) for part in parts]
                join = all if word == "and" else any
                return lambda row: join(bool(part(row)) for part in each)
            case Comparison():
                return self._compile_comparison(node)
            case CellReference(name=name):
                raise self.wrong(f"`{name}[...]`: rows of cards have no cells")
            case Aggregate() | BeforeStep():
                raise self.wrong(
                    "`sum`, `any`, `all` and `was` are about states of a game", "write `sum:` or `by:`"
                )

    def _compile_name(self, name: str, quote: str) -> Callable[[CardRow], Any]:
        if name == WORTH and quote != '"':
            if not self.table:
                raise self.wrong("there is no worth table", "write `worth:` with a table into claims.yaml")
            return lambda row: compute_printed_worth(row.printed, self.table)
        if quote == '"':
            return lambda row: name
        if name in self.numbers:
            return lambda row: row.numbers.get(name, 0)
        if name in self.texts:
            return lambda row: row.texts.get(name, "")
        raise self.wrong(f"no {self.each} prints `{name}`", self._suggest_name(name))

    def _compile_comparison(self, node: Comparison) -> Callable[[CardRow], bool]:
        """Return a comparison. A bare word beside a name with texts is one of these texts."""
        held = next((s.text for s in node.sides if isinstance(s, NameReference) and s.text in self.texts), "")
        sides = [self._compile_comparison_side(side, held) for side in node.sides]
        return lambda row: all(
            _compare_values(sign, a(row), b(row))
            for a, sign, b in zip(sides, node.signs, sides[1:], strict=False)
        )

    def _compile_comparison_side(self, node: ConditionTree, compared_name: str) -> Callable[[CardRow], Any]:
        if not (compared_name and isinstance(node, NameReference)) or node.text == compared_name:
            return self._compile_tree(node)
        values = sorted({row.texts[compared_name] for row in self.rows if compared_name in row.texts})
        text = node.text
        if compared_name == KIND and not node.quote and text in values:  # a kind is compared with kinds alone
            return lambda row: text
        if not node.quote and text in values and text in self.numbers | self.texts:
            raise self.wrong(
                f"`{text}` names something that cards print, and a value of `{compared_name}`",
                f'write "{text}" for the value, and put the name into backquotes',
            )
        if node.quote == "`" or (not node.quote and text in self.texts):
            return self._compile_tree(node)
        if text and text not in values:
            raise self.wrong(
                f'"{text}" is no value of `{compared_name}`',
                did_you_mean(text, values) or ", ".join(values[:8]),
            )
        return lambda row: text

    def _suggest_name(self, name: str) -> str:
        return did_you_mean(name, sorted(self.numbers | self.texts))


def _combine_measures(measure: str, numbers: Sequence[tuple[int, int]]) -> int:
    if measure == "least":
        return min(n for n, _ in numbers)
    if measure == "most":
        return max(n for n, _ in numbers)
    return sum(n * weight for n, weight in numbers)


def _compile_arithmetic(
    sign: str, left: Callable[[CardRow], Any], right: Callable[[CardRow], Any]
) -> Callable[[CardRow], int]:
    if sign == "+":
        return lambda row: int(left(row)) + int(right(row))
    if sign == "-":
        return lambda row: int(left(row)) - int(right(row))
    return lambda row: int(left(row)) * int(right(row))


def _compare_values(sign: str, a: Any, b: Any) -> bool:
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


def describe_required_expectation(spec: Any, expect: Any) -> str:
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


def format_breaking_rows(breakers: Sequence[str]) -> str:
    """Return the rows that break a claim, the first few by name."""
    more = len(breakers) - _MOST_NAMED
    return ", ".join(breakers[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


# -- families ------------------------------------------------------------------------------------------------
# Families of laws: one `step` claim that has several members.

_NAME = re.compile(r"\{([^{}]+)\}")
_OWN = ("each", "where")
PLACE = "#"
"""The place of a row among those that are chosen, counted from 0."""


def is_law_family(spec: Any) -> bool:
    """Return whether a claim states several laws."""
    return isinstance(spec, list) or (isinstance(spec, Mapping) and "each" in spec)


def is_about_card_rows(spec: Any) -> bool:
    """Return whether the laws of a claim are about rows of the cards."""
    if isinstance(spec, list):
        return any(map(is_about_card_rows, spec))
    return is_law_family(spec) and not isinstance(spec["each"], Mapping)


def expand_law_family(game: Game, spec: Any, where: Where | None = None) -> list[tuple[str, Any]]:
    """Return the laws of a family, each with its name. Raises InputError."""
    place = where or Where(game.name)
    if isinstance(spec, list):
        return [member for part in spec for member in _expand_list_part(game, part, place)]
    each = spec["each"]
    template = {key: value for key, value in spec.items() if key not in _OWN}
    if isinstance(each, Mapping):
        chosen = _build_rows_from_values(each, "where" in spec, place)
        names = set(each) | {PLACE}
    elif each in EACH:
        if game.cards is None:
            raise _make_family_error(place, "the rules have no cards, so a law has no members")
        own = {key: spec[key] for key in _OWN if key in spec}
        chosen, names = select_card_rows(tuple(game.cards.components.values()), own, place)
        names |= {PLACE}
    else:
        expected = f"expected {', '.join(EACH)}, or words with their values"
        raise _make_family_error(place, f"each `{each}`: {expected}", did_you_mean(str(each), EACH))
    numbered = (replace(row, numbers={**row.numbers, PLACE: n}) for n, row in enumerate(chosen))
    return [(row.name, _fill_template(template, row, names, place)) for row in numbered]


def _expand_list_part(game: Game, spec: Any, place: Where) -> list[tuple[str, Any]]:
    """Return a law of a list, or those of a family in it, named by what they are about."""
    about = spec.get("action", spec.get("phase", "can")) if isinstance(spec, Mapping) else spec
    if not is_law_family(spec):
        return [(str(about), spec)]
    return [(f"{about}: {name}", law) for name, law in expand_law_family(game, spec, place)]


def _build_rows_from_values(
    values_by_word: Mapping[str, Any], has_where: bool, place: Where
) -> list[CardRow]:
    """Return a row for each combination of the values of some words. Raises InputError."""
    if has_where:
        raise _make_family_error(
            place, "`where` chooses among cards, and `each` names values", "leave out the values"
        )
    if not values_by_word or not all(
        isinstance(values, list) and values for values in values_by_word.values()
    ):
        raise _make_family_error(
            place, f"expected `each` as words with lists of values, found {dict(values_by_word)}"
        )
    chosen = [
        dict(zip(values_by_word, map(str, values), strict=True))
        for values in product(*values_by_word.values())
    ]
    return [CardRow(", ".join(texts.values()), {}, texts) for texts in chosen]


def _fill_template(value: Any, row: CardRow, names: set[str], place: Where) -> Any:
    """Return a part of the template with what the row prints."""

    def printed(match: re.Match[str]) -> str:
        name = match[1]
        if name not in names:
            raise _make_family_error(place, f"no row prints `{name}`", did_you_mean(name, sorted(names)))
        return str(row.texts.get(name, row.numbers.get(name, 0)))

    if isinstance(value, str):
        return _NAME.sub(printed, value)
    if isinstance(value, Mapping):
        return {
            _fill_template(key, row, names, place): _fill_template(part, row, names, place)
            for key, part in value.items()
        }
    if isinstance(value, list):
        return [_fill_template(part, row, names, place) for part in value]
    return value


def _make_family_error(place: Where, message: str, hint: str = "") -> InputError:
    return InputError.from_single_finding("PP701", place, message, hint)
