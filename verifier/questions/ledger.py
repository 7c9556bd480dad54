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
from playproof.database.errors import InputError, Where, make_nearest_or_possible_words_hint
from playproof.language.game import Game
from playproof.verifier.questions.card_rows import EACH, CardRow, build_rows_of_cards, compute_worth_of_printed_fields
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
    parse_condition_text_to_tree,
)

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


def count_ledger_claim_on_cards_or_raise(
    cards: Sequence[Component], ledger_spec: Any, where: Where | None = None
) -> LedgerCount:
    """Return what a claim about the cards counts. Raises InputError if it cannot be understood."""
    return _LedgerReader(cards, ledger_spec, where or Where("claim")).evaluate_ledger_spec()


def select_card_rows_and_known_names(
    cards: Sequence[Component], ledger_spec: Any, where: Where
) -> tuple[list[CardRow], set[str]]:
    """Return the rows that `each` and `where` choose, and all names that a row may have. Raises InputError."""
    reader = _LedgerReader(cards, ledger_spec, where)
    return reader.select_rows_where_true(), reader.numbers | reader.texts


class _LedgerReader:
    """Reads one specification for one set of cards."""

    def __init__(self, cards: Sequence[Component], spec: Any, where: Where) -> None:
        self.place = where
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
            return self._count_groups_with_unequal_sums(groups, measure, number)
        values = {
            key: _combine_row_measures(measure, [(number(row), row.weight) for row in of]) for key, of in groups.items()
        }
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

    def _count_groups_with_unequal_sums(
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
            sums = [sum(measure_row(row) * row.weight for row in of if side(row) == value) for value in sides]
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
        try:
            return self._compile_tree_on_row(parse_condition_text_to_tree(expression_text, allow_dots=True))
        except Unreadable as error:
            raise self.wrong(f"`{expression_text[:60]}` cannot be read: {error}", error.hint) from None

    def _compile_tree_on_row(self, node: ConditionTree) -> Callable[[CardRow], Any]:
        match node:
            case NumberLiteral(value=value):
                return lambda row: value
            case NameReference(text=text, quote=quote):
                return self._compile_name_on_row(text, quote)
            case NegativeNumber(part=part):
                inner = self._compile_tree_on_row(part)
                return lambda row: -inner(row)
            case Arithmetic(sign=sign, left=left, right=right):
                return _compile_arithmetic_on_row(
                    sign, self._compile_tree_on_row(left), self._compile_tree_on_row(right)
                )
            case NotCondition(part=part):
                inner = self._compile_tree_on_row(part)
                return lambda row: not inner(row)
            case LogicalJoin(word=word, parts=parts):
                each = [self._compile_tree_on_row(part) for part in parts]
                join = all if word == "and" else any
                return lambda row: join(bool(part(row)) for part in each)
            case Comparison():
                return self._compile_comparison_on_row(node)
            case CellReference(name=name):
                raise self.wrong(f"`{name}[...]`: rows of cards have no cells")
            case Aggregate() | BeforeStep():
                raise self.wrong("`sum`, `any`, `all` and `was` are about states of a game", "write `sum:` or `by:`")

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

    def _compile_comparison_on_row(self, node: Comparison) -> Callable[[CardRow], bool]:
        """Return a comparison. A bare word beside a name with texts is one of these texts."""
        held = next((s.text for s in node.sides if isinstance(s, NameReference) and s.text in self.texts), "")
        sides = [self._compile_comparison_side_on_row(side, held) for side in node.sides]
        return lambda row: all(
            _does_comparison_hold(sign, a(row), b(row))
            for a, sign, b in zip(sides, node.signs, sides[1:], strict=False)
        )

    def _compile_comparison_side_on_row(self, node: ConditionTree, compared_name: str) -> Callable[[CardRow], Any]:
        if not (compared_name and isinstance(node, NameReference)) or node.text == compared_name:
            return self._compile_tree_on_row(node)
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
            return self._compile_tree_on_row(node)
        if text and text not in values:
            raise self.wrong(
                f'"{text}" is no value of `{compared_name}`',
                make_nearest_or_possible_words_hint(text, values) or ", ".join(values[:8]),
            )
        return lambda row: text

    def _suggest_similar_name(self, name: str) -> str:
        return make_nearest_or_possible_words_hint(name, sorted(self.numbers | self.texts))


def _combine_row_measures(measure_key: str, values_and_weights: Sequence[tuple[int, int]]) -> int:
    if measure_key == "least":
        return min(n for n, _ in values_and_weights)
    if measure_key == "most":
        return max(n for n, _ in values_and_weights)
    return sum(n * weight for n, weight in values_and_weights)


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


# -- families of laws: one `step` claim that has several members ------------------------------------------------

_NAME = re.compile(r"\{([^{}]+)\}")
_OWN = ("each", "where")
EXCEPT = "except"
"""The key of a law about every action and every automatic phase but those that it names."""
PLACE = "#"
"""The place of a row among those that are chosen, counted from 0."""


def is_family_of_laws(law_spec: Any) -> bool:
    """Return whether a claim states several laws."""
    return isinstance(law_spec, list) or (isinstance(law_spec, Mapping) and ("each" in law_spec or EXCEPT in law_spec))


def list_names_and_specs_of_laws(game: Game, family_spec: Any, where: Where | None = None) -> list[tuple[str, Any]]:
    """Return the laws of a family, each with its name. Raises InputError."""
    place = where or Where(game.name)
    if isinstance(family_spec, list):
        return [member for part in family_spec for member in _list_laws_of_list_entry(game, part, place)]
    if "each" not in family_spec:
        return _list_laws_of_all_steps_but_excepted(game, family_spec, place)
    each = family_spec["each"]
    template = {key: value for key, value in family_spec.items() if key not in _OWN}
    if isinstance(each, Mapping):
        chosen = _build_rows_of_all_value_combinations(each, "where" in family_spec, place)
        names = set(each) | {PLACE}
    elif each in EACH:
        if game.cards is None:
            raise _make_law_family_error(place, "the rules have no cards, so a law has no members")
        own = {key: family_spec[key] for key in _OWN if key in family_spec}
        chosen, names = select_card_rows_and_known_names(tuple(game.cards.components.values()), own, place)
        names |= {PLACE}
    else:
        expected = f"expected {', '.join(EACH)}, or words with their values"
        raise _make_law_family_error(
            place, f"each `{each}`: {expected}", make_nearest_or_possible_words_hint(str(each), EACH)
        )
    numbered = (replace(row, numbers={**row.numbers, PLACE: n}) for n, row in enumerate(chosen))
    laws = [(row.name, _fill_law_template_from_row(template, row, names, place)) for row in numbered]
    if EXCEPT not in template:
        return laws
    return [
        (f"{row}: {step}", law)
        for row, spec in laws
        for step, law in _list_laws_of_all_steps_but_excepted(game, spec, place)
    ]


def _list_laws_of_all_steps_but_excepted(
    game: Game, law_spec: Mapping[str, Any], place: Where
) -> list[tuple[str, Any]]:
    """Return one law for all actions, and one for each automatic phase, but for those that `except` names: so a new
    rule is never left out. Raises InputError."""
    excepted, law = law_spec[EXCEPT], {key: value for key, value in law_spec.items() if key != EXCEPT}
    actions = list(dict.fromkeys(action.name for action in game.actions))
    phases = [phase.name for phase in game.phases if phase.automatic]
    if not isinstance(excepted, list) or {"action", "phase", "can", "legal"} & set(law):
        expected = "`except` is a list of actions and automatic phases; the law is about all others"
        raise _make_law_family_error(place, expected, "write {except: [...], changes: {...}}")
    for name in map(str, excepted):
        if name in actions and name in phases:
            raise _make_law_family_error(place, f"`{name}` is an action and an automatic phase", "rename one of them")
        if name not in actions and name not in phases:
            hint = make_nearest_or_possible_words_hint(name, [*actions, *phases])
            raise _make_law_family_error(place, f"no action or automatic phase is called `{name}`", hint)
    named = set(map(str, excepted))
    others = [name for name in actions if name not in named]
    laws: list[tuple[str, Any]] = [("actions", {"action": others, **law})] if others else []
    return laws + [(name, {"phase": name, **law}) for name in phases if name not in named]


def _list_laws_of_list_entry(game: Game, law_or_family_spec: Any, place: Where) -> list[tuple[str, Any]]:
    """Return a law of a list, or those of a family in it, named by what they are about."""
    about = law_or_family_spec
    if isinstance(about, Mapping):
        about = about.get("action", about.get("phase", "every other step" if EXCEPT in about else "can"))
    if not is_family_of_laws(law_or_family_spec):
        return [(str(about), law_or_family_spec)]
    return [(f"{about}: {name}", law) for name, law in list_names_and_specs_of_laws(game, law_or_family_spec, place)]


def _build_rows_of_all_value_combinations(
    values_by_word: Mapping[str, Any], has_where_key: bool, place: Where
) -> list[CardRow]:
    """Return a row for each combination of the values of some words. Raises InputError."""
    if has_where_key:
        raise _make_law_family_error(
            place, "`where` chooses among cards, and `each` names values", "leave out the values"
        )
    if not values_by_word or not all(isinstance(values, list) and values for values in values_by_word.values()):
        raise _make_law_family_error(
            place, f"expected `each` as words with lists of values, found {dict(values_by_word)}"
        )
    chosen = [dict(zip(values_by_word, map(str, values), strict=True)) for values in product(*values_by_word.values())]
    return [CardRow(", ".join(texts.values()), {}, texts) for texts in chosen]


def _fill_law_template_from_row(template: Any, row: CardRow, known_names: set[str], place: Where) -> Any:
    """Return a part of the template with what the row prints."""

    def printed(match: re.Match[str]) -> str:
        name = match[1]
        if name not in known_names:
            raise _make_law_family_error(
                place, f"no row prints `{name}`", make_nearest_or_possible_words_hint(name, sorted(known_names))
            )
        return str(row.texts.get(name, row.numbers.get(name, 0)))

    if isinstance(template, str):
        return _NAME.sub(printed, template)
    if isinstance(template, Mapping):
        return {
            _fill_law_template_from_row(key, row, known_names, place): _fill_law_template_from_row(
                part, row, known_names, place
            )
            for key, part in template.items()
        }
    if isinstance(template, list):
        return [_fill_law_template_from_row(part, row, known_names, place) for part in template]
    return template


def _make_law_family_error(place: Where, message: str, hint: str = "") -> InputError:
    return InputError.from_single_finding("PP701", place, message, hint)
