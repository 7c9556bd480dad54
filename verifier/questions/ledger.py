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
from playproof.verifier.kernel.card_counts import CardCounter, LedgerCount
from playproof.verifier.kernel.strict_json import Json
from playproof.verifier.questions.card_rows import EACH, CardRow
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


def count_ledger_claim_on_cards_or_raise(
    cards: Sequence[Component], ledger_spec: Any, where: Where | None = None
) -> LedgerCount:
    """Return what a claim about the cards counts. Raises InputError if it cannot be understood."""
    return _make_counter(cards, ledger_spec, where or Where("claim")).evaluate_ledger_spec()


def _make_counter(cards: Sequence[Component], ledger_spec: Any, where: Where) -> CardCounter:
    return CardCounter(cards, ledger_spec, where, partial(row_expression_text_to_data, where=where))


def row_expression_text_to_data(expression_text: str, where: Where) -> Json:
    """Return an expression about a row of the cards as data. Raises InputError."""
    try:
        return _tree_to_data(parse_condition_text_to_tree(expression_text, allow_dots=True), where)
    except Unreadable as error:
        message = f"`{expression_text[:60]}` cannot be read: {error}"
        raise InputError.from_single_finding("PP701", where, message, error.hint) from None


def _tree_to_data(node: ConditionTree, where: Where) -> Json:
    match node:
        case NumberLiteral(value=value):
            return value
        case NameReference(text=text, quote=quote):
            return ["name", text, quote]
        case NegativeNumber(part=part):
            return ["negative", _tree_to_data(part, where)]
        case NotCondition(part=part):
            return ["not", _tree_to_data(part, where)]
        case Arithmetic(sign=sign, left=left, right=right):
            return [sign, _tree_to_data(left, where), _tree_to_data(right, where)]
        case LogicalJoin(word=word, parts=parts):
            return [word, *(_tree_to_data(part, where) for part in parts)]
        case Comparison(sides=sides, signs=signs):
            return ["compare", [_tree_to_data(side, where) for side in sides], list(signs)]
        case CellReference(name=name):
            message, hint = f"`{name}[...]`: rows of cards have no cells", ""
        case Aggregate() | BeforeStep():
            message, hint = "`sum`, `any`, `all` and `was` are about states of a game", "write `sum:` or `by:`"
    raise InputError.from_single_finding("PP701", where, message, hint)


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
        counter = _make_counter(tuple(game.cards.components.values()), own, place)
        chosen, names = counter.select_rows_where_true(), counter.numbers | counter.texts | {PLACE}
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
