"""What `ask: ledger` counts of the cards before anybody plays."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from playproof.database.components import Component
from playproof.database.errors import InputError, Where, make_nearest_or_possible_words_hint
from playproof.verifier.kernel.strict_json import Json, Unreadable, format_data_shortened
from playproof.verifier.questions.card_rows import EACH, CardRow, build_rows_of_cards, compute_worth_of_printed_fields

MEASURES = ("sum", "least", "most", "holds")
KEYS = ("each", "where", "by", "band", "alike", "worth", *MEASURES)
WORTH, KIND = "worth", "kind"
Value: TypeAlias = "int | str"


@dataclass(frozen=True)
class LedgerCount:
    """What a claim counts: its value, the rows that it speaks of, with their part of it, and those that break it.
    `value` is None if there are no such rows."""

    value: Any
    members: tuple[str, ...]
    breakers: tuple[str, ...] = ()


class CardCounter:
    """Counts what one specification asks of one set of cards. `read` says what an expression in words is as data.
    Raises InputError for a specification that cannot be understood."""

    def __init__(self, cards: Sequence[Component], spec: Any, where: Where, read: Callable[[str], Json]) -> None:
        self.read = read
        self.wrong = partial(InputError.from_single_finding, "PP701", where)
        if not isinstance(spec, Mapping):
            raise self.wrong(f"expected what to count of the cards, found {spec!r}", "write {sum: gain.food}")
        for key in spec:
            if key not in KEYS:
                raise self.wrong(f"unknown key `{key}`", make_nearest_or_possible_words_hint(str(key), KEYS))
        each = spec.get("each", "card")
        if each not in EACH:
            raise self.wrong(
                f"each `{each}`: expected {', '.join(EACH)}", make_nearest_or_possible_words_hint(str(each), EACH)
            )
        self.spec, self.each = spec, str(each)
        self.table = self._parse_worth_table(spec.get(WORTH))
        self.rows = build_rows_of_cards(cards, self.each)
        self.numbers = {name for row in self.rows for name in row.numbers}
        self.texts = {name for row in self.rows for name in row.texts} - self.numbers
        unknown = [
            name
            for name in self.table
            if name not in self.numbers and not self._is_name_in_card_or_option_rows(cards, name)
        ]
        if unknown:
            raise self.wrong(
                f"`{unknown[0]}` of the worth table is printed nowhere", self._suggest_similar_name(unknown[0])
            )

    def evaluate_ledger_spec(self) -> LedgerCount:
        """Count. A claim about no rows has no value."""
        measures = [key for key in MEASURES if key in self.spec]
        if len(measures) > 1:
            raise self.wrong(f"expected one of {', '.join(MEASURES)}, found {', '.join(measures)}")
        measure = measures[0] if measures else ""
        chosen = self.select_rows_where_true()
        if not chosen:
            self._require_readable_measure_expression(measure)
            return LedgerCount(None, ())
        if measure == "holds":
            return self._count_rows_breaking_condition(chosen)
        number = self._make_function_measuring_row(measure)
        groups = self._group_rows_by_named_values(chosen)
        if "alike" in self.spec:
            return self._compare_sums_of_sides_in_each_group(groups, measure, number)
        values = {key: _combine_row_measures(measure, number, of) for key, of in groups.items()}
        members = tuple(f"{row.name}: {number(row) * row.weight}" for row in chosen)
        if "band" in self.spec:
            low, high = self._read_least_and_most_of_band()
            beyond = tuple(f"{key}: {n}" if key else f"{n}" for key, n in values.items() if not low <= n <= high)
            return LedgerCount(not beyond, members, beyond)
        return LedgerCount(values if "by" in self.spec else values[""], members)

    def select_rows_where_true(self) -> list[CardRow]:
        """Return the rows that `where` is true of."""
        fits = self.compile_expression_on_row(str(self.spec["where"])) if "where" in self.spec else None
        return [row for row in self.rows if fits is None or fits(row)]

    def _require_readable_measure_expression(self, measure_key: str) -> None:
        """Read what no row is asked, so that a mistake in it is named."""
        if measure_key:
            self.compile_expression_on_row(str(self.spec[measure_key]))

    # -- what is counted ------------------------------------------------------------------------------------

    def _count_rows_breaking_condition(self, rows: Sequence[CardRow]) -> LedgerCount:
        for key in ("by", "band", "alike"):
            if key in self.spec:
                raise self.wrong(f"`{key}` says nothing beside `holds`", "leave it out")
        holds = self.compile_expression_on_row(str(self.spec["holds"]))
        broken = tuple(self._format_row_name_with_worth(row) for row in rows if not holds(row))
        return LedgerCount(not broken, tuple(row.name for row in rows), broken)

    def _format_row_name_with_worth(self, row: CardRow) -> str:
        if not self.table or not re.search(rf"(?<![\w.`]){WORTH}(?![\w.`])", str(self.spec["holds"])):
            return row.name
        return f"{row.name} (worth {compute_worth_of_printed_fields(row.printed, self.table)})"

    def _compare_sums_of_sides_in_each_group(
        self, rows_by_group: Mapping[str, Sequence[CardRow]], measure_key: str, measure_row: Callable[[CardRow], int]
    ) -> LedgerCount:
        """Count each group apart for each value of the name `alike`; equal counts are alike."""
        if measure_key not in ("", "sum") or "band" in self.spec:
            raise self.wrong("`alike` compares counts or sums", "leave `band`, `least` and `most` out")
        side = self._make_function_getting_named_value(self.spec["alike"])
        sides = sorted({side(row) for of in rows_by_group.values() for row in of})
        if len(sides) < 2:
            raise self.wrong(f"`alike: {self.spec['alike']}` compares one value with nothing")
        members, broken = list[str](), list[str]()
        for key, of in rows_by_group.items():
            by_side: dict[str, int] = dict.fromkeys(sides, 0)
            for row in of:
                by_side[side(row)] += measure_row(row) * row.weight
            sums = list(by_side.values())
            text = f"{key or 'all'}: " + ", ".join(f"{s} {n}" for s, n in zip(sides, sums, strict=True))
            members.append(text)
            if len(set(sums)) > 1:
                broken.append(text)
        return LedgerCount(not broken, tuple(members), tuple(broken))

    def _make_function_measuring_row(self, measure_key: str) -> Callable[[CardRow], int]:
        if not measure_key:
            return lambda row: 1
        read = self.compile_expression_on_row(str(self.spec[measure_key]))

        def number(row: CardRow) -> int:
            value = read(row)
            if isinstance(value, str):
                raise self.wrong(f"`{self.spec[measure_key]}` is a text, and texts have no {measure_key}")
            return int(value)

        return number

    def _group_rows_by_named_values(self, rows: Sequence[CardRow]) -> dict[str, list[CardRow]]:
        """Return the rows by what `by` names, under their values; under "" if it names nothing."""
        by = self.spec.get("by", [])
        names = [self._make_function_getting_named_value(name) for name in (by if isinstance(by, list) else [by])]
        groups: dict[str, list[CardRow]] = {}
        for row in rows:
            groups.setdefault(", ".join(name(row) for name in names), []).append(row)
        return groups

    def _make_function_getting_named_value(self, name: object) -> Callable[[CardRow], str]:
        text = str(name)
        if text not in self.numbers and text not in self.texts:
            raise self.wrong(f"no row has the name `{text}`", self._suggest_similar_name(text))
        return lambda row: str(row.texts.get(text, row.numbers.get(text, "")))

    def _read_least_and_most_of_band(self) -> tuple[int, int]:
        band = self.spec["band"]
        if not (isinstance(band, list) and [type(n) for n in band] == [int, int] and band[0] <= band[1]):
            raise self.wrong(f"expected `band` as [least, most], found {band!r}")
        return band[0], band[1]

    def _parse_worth_table(self, worth_spec: Any) -> dict[str, int]:
        if worth_spec is None:
            return {}
        if not isinstance(worth_spec, Mapping) or any(type(n) is not int for n in worth_spec.values()):
            raise self.wrong("expected `worth` as a table of whole numbers by name", "write {gain.food: 1}")
        return {str(name): number for name, number in worth_spec.items()}

    def _is_name_in_card_or_option_rows(self, cards: Sequence[Component], name: str) -> bool:
        return any(name in row.numbers for each in ("card", "option") for row in build_rows_of_cards(cards, each))

    # -- conditions on a row --------------------------------------------------------------------------------

    def compile_expression_on_row(self, expression_text: str) -> Callable[[CardRow], Value | bool]:
        """Return the reading of an expression on rows. Raises InputError."""
        return self._compile_data_on_row(self.read(expression_text))

    def _compile_data_on_row(self, data: Json) -> Callable[[CardRow], Any]:
        match data:
            case int():
                return lambda row: data
            case ["name", name, quote]:
                return self._compile_name_on_row(name, quote)
            case ["negative", part]:
                inner = self._compile_data_on_row(part)
                return lambda row: -inner(row)
            case ["+" | "-" | "*" as sign, left, right]:
                return _compile_arithmetic_on_row(
                    sign, self._compile_data_on_row(left), self._compile_data_on_row(right)
                )
            case ["not", part]:
                inner = self._compile_data_on_row(part)
                return lambda row: not inner(row)
            case ["and" | "or" as word, *parts]:
                each = [self._compile_data_on_row(part) for part in parts]
                join = all if word == "and" else any
                return lambda row: join(bool(part(row)) for part in each)
            case ["compare", sides, signs]:
                return self._compile_comparison_on_row(sides, signs)
        raise Unreadable(f"{format_data_shortened(data)} is no expression about a row")

    def _compile_name_on_row(self, name: str, quote: str) -> Callable[[CardRow], Any]:
        if name == WORTH and quote != '"':
            if not self.table:
                raise self.wrong("there is no worth table", "write `worth:` with a table into claims.yaml")
            return lambda row: compute_worth_of_printed_fields(row.printed, self.table)
        if quote == '"':
            return lambda row: name
        if name in self.numbers:
            return lambda row: row.numbers.get(name, 0)
        if name in self.texts:
            return lambda row: row.texts.get(name, "")
        raise self.wrong(f"no {self.each} prints `{name}`", self._suggest_similar_name(name))

    def _compile_comparison_on_row(self, sides: Sequence[Json], signs: Sequence[str]) -> Callable[[CardRow], bool]:
        """Return a comparison. A bare word beside a name with texts is one of these texts."""
        names = [side[1] for side in sides if isinstance(side, list) and side[0] == "name"]
        held = next((name for name in names if name in self.texts), "")
        values = [self._compile_comparison_side_on_row(side, held) for side in sides]
        return lambda row: all(
            _does_comparison_hold(sign, a(row), b(row)) for a, sign, b in zip(values, signs, values[1:], strict=False)
        )

    def _compile_comparison_side_on_row(self, data: Json, compared_name: str) -> Callable[[CardRow], Any]:
        is_name = isinstance(data, list) and data[0] == "name"
        if not compared_name or not is_name or data[1] == compared_name:
            return self._compile_data_on_row(data)
        values = sorted({row.texts[compared_name] for row in self.rows if compared_name in row.texts})
        _, text, quote = data
        if compared_name == KIND and not quote and text in values:  # a kind is compared with kinds alone
            return lambda row: text
        if not quote and text in values and text in self.numbers | self.texts:
            raise self.wrong(
                f"`{text}` names something that cards print, and a value of `{compared_name}`",
                f'write "{text}" for the value, and put the name into backquotes',
            )
        if quote == "`" or (not quote and text in self.texts):
            return self._compile_data_on_row(data)
        if text and text not in values:
            raise self.wrong(
                f'"{text}" is no value of `{compared_name}`',
                make_nearest_or_possible_words_hint(text, values) or ", ".join(values[:8]),
            )
        return lambda row: text

    def _suggest_similar_name(self, name: str) -> str:
        return make_nearest_or_possible_words_hint(name, sorted(self.numbers | self.texts))


def _combine_row_measures(measure_key: str, measure_row: Callable[[CardRow], int], rows: Sequence[CardRow]) -> int:
    if measure_key == "least":
        return min(map(measure_row, rows))
    if measure_key == "most":
        return max(map(measure_row, rows))
    return sum(measure_row(row) * row.weight for row in rows)


def _compile_arithmetic_on_row(
    sign: str, left: Callable[[CardRow], Any], right: Callable[[CardRow], Any]
) -> Callable[[CardRow], int]:
    if sign == "+":
        return lambda row: int(left(row)) + int(right(row))
    if sign == "-":
        return lambda row: int(left(row)) - int(right(row))
    return lambda row: int(left(row)) * int(right(row))


def _does_comparison_hold(comparison_sign: str, left: Any, right: Any) -> bool:
    if isinstance(left, str) != isinstance(right, str):
        return comparison_sign == "!="
    match comparison_sign:
        case "==":
            return bool(left == right)
        case "!=":
            return bool(left != right)
        case "<":
            return bool(left < right)
        case "<=":
            return bool(left <= right)
        case ">":
            return bool(left > right)
    return bool(left >= right)
