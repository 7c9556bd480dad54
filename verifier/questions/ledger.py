"""Claims about what the cards say, read from their words: `ask: ledger` counts them before anybody plays, and a family
of laws has a law for each of their rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

from playproof.database.components import Component
from playproof.database.errors import InputError, Where, make_nearest_or_possible_words_hint
from playproof.language.game import Game
from playproof.verifier.kernel.card_tally import WORTH, CardCount, RowReader, count_cards, get_printed_text
from playproof.verifier.kernel.strict_json import Json
from playproof.verifier.questions.card_rows import (
    EACH,
    CardRow,
    build_rows_of_cards,
    compute_worth_of_printed_fields,
)
from playproof.verifier.questions.claims import EXCEPT, is_family_of_laws
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
KEYS = ("each", "where", "by", "band", "alike", WORTH, *MEASURES)
KIND = "kind"


def count_ledger_claim_on_cards_or_raise(
    cards: Sequence[Component], ledger_spec: Any, where: Where | None = None
) -> CardCount:
    """Return what a claim about the cards counts. Raises InputError if it cannot be understood."""
    data = ledger_spec_to_data(cards, ledger_spec, where or Where("claim"))
    counted = count_cards(cards, data)
    if data["measure"] != "holds" or not data[WORTH] or WORTH not in _list_printed_names(data["of"]):
        return counted
    rows = {row.name: row for row in build_rows_of_cards(cards, data["each"])}
    worths = {name: compute_worth_of_printed_fields(rows[name].printed, data[WORTH]) for name in counted.breakers}
    return replace(counted, breakers=tuple(f"{name} (worth {worth})" for name, worth in worths.items()))


def _list_printed_names(data: Json) -> list[str]:
    """Return the names that claim terms about a row read."""
    match data:
        case ["printed", name]:
            return [name]
        case [_, *parts]:
            return [name for part in parts for name in _list_printed_names(part)]
    return []


def ledger_spec_to_data(cards: Sequence[Component], ledger_spec: Any, where: Where) -> Json:
    """Return what a claim asks of cards as data, which the kernel counts by. Raises InputError."""
    return _LedgerReader(cards, ledger_spec, where).spec_to_data()


class _LedgerReader:
    """Reads what one specification asks of one set of cards. Raises InputError for one that cannot be understood."""

    def __init__(self, cards: Sequence[Component], spec: Any, where: Where) -> None:
        self.where, self.cards = where, cards
        self.wrong = partial(InputError.from_single_finding, "PP701", where)
        if not isinstance(spec, Mapping):
            raise self.wrong(f"expected what to count of the cards, found {spec!r}", "write {sum: gain.food}")
        for key in spec:
            if key not in KEYS:
                raise self.wrong(f"unknown key `{key}`", make_nearest_or_possible_words_hint(str(key), KEYS))
        each = spec.get("each", "card")
        if each not in EACH:
            hint = make_nearest_or_possible_words_hint(str(each), EACH)
            raise self.wrong(f"each `{each}`: expected {', '.join(EACH)}", hint)
        self.spec, self.each = spec, str(each)
        self.worth = self._read_worth_table()
        self.reader = RowReader(build_rows_of_cards(cards, self.each), self.worth)
        self.numbers, self.texts = self.reader.numbers, self.reader.texts
        printed = self.numbers | {n for each in ("card", "option") for n in _list_number_names(cards, each)}
        for name in self.worth:
            if name not in printed:
                raise self.wrong(f"`{name}` of the worth table is printed nowhere", self._suggest_similar_name(name))

    def spec_to_data(self) -> Json:
        """Return the data of the specification."""
        measures = [key for key in MEASURES if key in self.spec]
        if len(measures) > 1:
            raise self.wrong(f"expected one of {', '.join(MEASURES)}, found {', '.join(measures)}")
        [measure] = measures or ["count"]
        of = self.expression_to_data(str(self.spec[measure])) if measures else 1
        where = self.condition_to_data()
        data = {"each": self.each, "where": where, "measure": measure, "of": of, WORTH: self.worth}
        data |= {"by": None, "band": None, "alike": None}
        chosen = self.reader.list_rows_where_true(where)
        if not chosen:
            return data
        if measure == "holds":
            for key in ("by", "band", "alike"):
                if key in self.spec:
                    raise self.wrong(f"`{key}` says nothing beside `holds`", "leave it out")
            return data
        if self._is_text(of):
            raise self.wrong(f"`{self.spec[measure]}` is a text, and texts have no {measure}")
        if "by" in self.spec:
            by = self.spec["by"]
            data["by"] = [self._require_printed_name(name) for name in (by if isinstance(by, list) else [by])]
        if "alike" in self.spec:
            data["alike"] = self._read_name_of_sides(measure, chosen)
        elif "band" in self.spec:
            data["band"] = self._read_least_and_most_of_band()
        return data

    def condition_to_data(self) -> Json:
        """Return the condition that chooses rows."""
        return self.expression_to_data(str(self.spec["where"])) if "where" in self.spec else 1

    def expression_to_data(self, expression_text: str) -> Json:
        """Return an expression about a row as claim terms."""
        try:
            return self._tree_to_data(parse_condition_text_to_tree(expression_text, allow_dots=True))
        except Unreadable as error:
            raise self.wrong(f"`{expression_text[:60]}` cannot be read: {error}", error.hint) from None

    def _require_printed_name(self, name: object) -> str:
        if str(name) not in self.numbers | self.texts:
            raise self.wrong(f"no row has the name `{name}`", self._suggest_similar_name(str(name)))
        return str(name)

    def _read_name_of_sides(self, measure: str, chosen_rows: Sequence[CardRow]) -> str:
        if measure not in ("count", "sum") or "band" in self.spec:
            raise self.wrong("`alike` compares counts or sums", "leave `band`, `least` and `most` out")
        name = self._require_printed_name(self.spec["alike"])
        if len({get_printed_text(row, name) for row in chosen_rows}) < 2:
            raise self.wrong(f"`alike: {self.spec['alike']}` compares one value with nothing")
        return name

    def _read_least_and_most_of_band(self) -> list[int]:
        band = self.spec["band"]
        if not (isinstance(band, list) and [type(n) for n in band] == [int, int] and band[0] <= band[1]):
            raise self.wrong(f"expected `band` as [least, most], found {band!r}")
        return band

    def _read_worth_table(self) -> dict[str, int]:
        table = self.spec.get(WORTH)
        if table is None:
            return {}
        if not isinstance(table, Mapping) or any(type(n) is not int for n in table.values()):
            raise self.wrong("expected `worth` as a table of whole numbers by name", "write {gain.food: 1}")
        return {str(name): number for name, number in table.items()}

    def _suggest_similar_name(self, name: str) -> str:
        return make_nearest_or_possible_words_hint(name, sorted(self.numbers | self.texts))

    # -- expressions ------------------------------------------------------------------------------------------

    def _tree_to_data(self, node: ConditionTree) -> Json:
        match node:
            case NumberLiteral(value=value):
                return value
            case NameReference(text=text, quote=quote):
                return self._name_to_data(text, quote)
            case NegativeNumber(part=part):
                return ["negative", self._number_to_data(part)]
            case NotCondition(part=part):
                return ["not", self._tree_to_data(part)]
            case Arithmetic(sign=sign, left=left, right=right):
                return [sign, self._number_to_data(left), self._number_to_data(right)]
            case LogicalJoin(word=word, parts=parts):
                return [word, *map(self._tree_to_data, parts)]
            case Comparison(sides=sides, signs=signs):
                return self._comparison_to_data(sides, signs)
            case CellReference(name=name):
                raise self.wrong(f"`{name}[...]`: rows of cards have no cells")
            case Aggregate() | BeforeStep():
                message = "`sum`, `any`, `all` and `was` are about states of a game"
                raise self.wrong(message, "write `sum:` or `by:`")

    def _number_to_data(self, node: ConditionTree) -> Json:
        data = self._tree_to_data(node)
        if self._is_text(data):
            raise self.wrong(f"`{data[1]}` is a text, and no number")
        return data

    def _is_text(self, data: Json) -> bool:
        return isinstance(data, list) and (data[0] == "text" or (data[0] == "printed" and data[1] in self.texts))

    def _name_to_data(self, name: str, quote: str) -> Json:
        if quote == '"':
            return ["text", name]
        if name == WORTH and not self.worth:
            raise self.wrong("there is no worth table", "write `worth:` with a table into claims.yaml")
        if name == WORTH or name in self.numbers | self.texts:
            return ["printed", name]
        raise self.wrong(f"no {self.each} prints `{name}`", self._suggest_similar_name(name))

    def _comparison_to_data(self, sides: Sequence[ConditionTree], signs: Sequence[str]) -> Json:
        """Return a comparison. A bare word beside a name with texts is one of these texts."""
        names = [side.text for side in sides if isinstance(side, NameReference)]
        held = next((name for name in names if name in self.texts), "")
        values = [self._compared_side_to_data(side, held) for side in sides]
        pairs = [[sign, a, b] for a, sign, b in zip(values, signs, values[1:], strict=False)]
        return pairs[0] if len(pairs) == 1 else ["and", *pairs]

    def _compared_side_to_data(self, node: ConditionTree, compared_name: str) -> Json:
        if not compared_name or not isinstance(node, NameReference) or node.text == compared_name:
            return self._tree_to_data(node)
        values = sorted({row.texts[compared_name] for row in self.reader.rows if compared_name in row.texts})
        text, quote = node.text, node.quote
        if compared_name == KIND and not quote and text in values:  # a kind is compared with kinds alone
            return ["text", text]
        if not quote and text in values and text in self.numbers | self.texts:
            raise self.wrong(
                f"`{text}` names something that cards print, and a value of `{compared_name}`",
                f'write "{text}" for the value, and put the name into backquotes',
            )
        if quote == "`" or (not quote and text in self.texts):
            return self._tree_to_data(node)
        if text and text not in values:
            hint = make_nearest_or_possible_words_hint(text, values) or ", ".join(values[:8])
            raise self.wrong(f'"{text}" is no value of `{compared_name}`', hint)
        return ["text", text]


def _list_number_names(cards: Sequence[Component], row_kind: str) -> set[str]:
    return {name for row in build_rows_of_cards(cards, row_kind) for name in row.numbers}


# -- families of laws: one `step` claim that has several members ------------------------------------------------

_NAME = re.compile(r"\{([^{}]+)\}")
_OWN = ("each", "where")
PLACE = "#"
"""The place of a row among those that are chosen, counted from 0."""


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
        family = _LedgerReader(tuple(game.cards.components.values()), own, place)
        chosen = family.reader.list_rows_where_true(family.condition_to_data())
        names = family.numbers | family.texts | {PLACE}
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
