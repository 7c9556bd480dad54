"""Finds valid data that is doubtful: counts, gaps, calls, costs, icons, texts, rulings, sources.

Each check is a function from a game to findings, listed in CHECKS. Each has a test that makes it
fire.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from playproof.database import effect_text, lint_changed_rules, lint_errata, lint_numbers, lint_text
from playproof.database.components import Component, Effect, Option, iter_effects_nested_in_value
from playproof.database.errors import Finding, Where, make_nearest_or_possible_words_hint
from playproof.database.game import Game
from playproof.database.game_files import Declared
from playproof.database.patch import RulingFate
from playproof.database.patch_targets import is_place_in_errata_file
from playproof.database.rulebook_text import read_rulebook_document
from playproof.database.sheet_inference import list_warnings_on_left_out_sheets
from playproof.database.sheet_source import find_warnings_of_sheet_rows
from playproof.database.vocabulary import Term
from playproof.database.yaml_models import FieldSpec

LintCheck = Callable[[Game], Iterable[Finding]]
_MOST_NUMBERS = 10_000
"""A longer range of numbers is a slip of the pen: it would be told number by number."""


def lint(game: Game, icons: Collection[str] | None = None) -> list[Finding]:
    """Return every finding about a loaded game, sorted by place.

    `icons` are the names of the icons that can be drawn (default: the vocabulary's icons).
    """
    findings = [finding for check in CHECKS for finding in check(game)]
    findings += lint_text.iter_unknown_icon_findings(game, icons)
    findings += lint_text.iter_unfilled_brace_findings(game, icons)
    return sorted(findings, key=lambda f: (str(f.where.file), f.where.line, f.where.column, f.code))


def iter_component_miscount_findings(game: Game) -> Iterator[Finding]:
    """PP231: the number of components equals that in the rulebook's list, which counts each once."""
    counted: set[str] = set()
    for index, declared in _iter_valid_lines_of_component_list(game):
        components = list_existing_components_counted_by_line(game, declared)
        count = sum(component.count for component in components)
        if count != declared.count:
            name = declared.name.get("en", "")
            message = f"the rulebook lists {declared.count} {name}, the data has {count}"
            path = f"components.{index}.count"
            erratum = f"an erratum says it with `file: game, path: {path}, from: {declared.count}, to: {count}`"
            yield Finding("PP231", _get_place_of_list_line(game, index), message, erratum if game.applied else "")
        for component in components:
            if component.id in counted:
                yield Finding("PP231", _get_place_of_list_line(game, index), f"the list counts `{component.id}` twice")
            counted.add(component.id)


def iter_unknown_name_in_box_list_findings(game: Game) -> Iterator[Finding]:
    """PP210: the kinds and ids that the rulebook's list counts exist."""
    for index, declared in enumerate(game.facts.components):
        node = game.node.get_node_or_nearest_ancestor(["components", index])
        if declared.kind is not None and declared.kind not in game.vocabulary.kinds:
            yield Finding(
                "PP210",
                node.get_node_or_nearest_ancestor(["kind"]).where,
                f'the vocabulary has no kind "{declared.kind}"',
                make_nearest_or_possible_words_hint(declared.kind, game.vocabulary.kinds),
            )
        for at, ident in enumerate(declared.ids or ()):
            if ident not in game.components:
                yield Finding(
                    "PP210",
                    node.get_node_or_nearest_ancestor(["ids", at]).where,
                    f'there is no component "{ident}"',
                    make_nearest_or_possible_words_hint(ident, game.components),
                )


def _iter_valid_lines_of_component_list(game: Game) -> Iterator[tuple[int, Declared]]:
    """Yield the lines of the rulebook's list that name what exists;
    `iter_unknown_name_in_box_list_findings` tells of the others."""
    for index, declared in enumerate(game.facts.components):
        of_a_kind = declared.kind is None or declared.kind in game.vocabulary.kinds
        if of_a_kind and all(ident in game.components for ident in declared.ids or ()):
            yield index, declared


def list_existing_components_counted_by_line(game: Game, declared: Declared) -> list[Component]:
    """Return the components that a line of the list counts."""
    if declared.ids is not None:
        return [game.components[key] for key in declared.ids if key in game.components]
    return [c for c in game.components.values() if c.kind == declared.kind]


def _get_place_of_list_line(game: Game, line_index: int) -> Where:
    return game.node.get_node_or_nearest_ancestor(["components", line_index]).where


def iter_missing_or_extra_card_id_findings(game: Game) -> Iterator[Finding]:
    """PP232: no number of the rulebook's list is missing, and there is no other."""
    for index, declared in _iter_valid_lines_of_component_list(game):
        if declared.numbers is None:
            continue
        expected = [number for part in declared.numbers for number in _expand_id_range(part)]
        by_number = {component.id: component for component in list_existing_components_counted_by_line(game, declared)}
        where = _get_place_of_list_line(game, index)
        missing = [number for number in expected if number not in by_number]
        others = [component for number, component in by_number.items() if number not in expected]
        if len(missing) == len(others):  # each has another's number
            for number, component in zip(missing, others, strict=True):
                message = f"the rulebook's list has no number {component.id}, and no {declared.kind} is {number}"
                yield Finding("PP232", component.where, message, f'did you mean "{number}"?')
            continue
        way_out = _suggest_erratum_of_card_ids_or_empty(game, index, declared.numbers, list(by_number))
        for number in missing:
            message = f"the numbers have a gap: no {declared.kind} has the number {number}"
            yield Finding("PP232", where, message, way_out)
        for component in others:
            message = f"the rulebook's list has no number {component.id}"
            yield Finding(
                "PP232",
                component.where,
                message,
                way_out or make_nearest_or_possible_words_hint(component.id, expected),
            )


def _suggest_erratum_of_card_ids_or_empty(
    game: Game, line_index: int, listed_id_ranges: list[str], present_ids: list[str]
) -> str:
    """Return how an erratum says which numbers a line of the list has now, "" where no erratum is in use."""
    if not game.applied:
        return ""
    was, new = (f"[{', '.join(parts)}]" for parts in (listed_id_ranges, _join_card_ids_to_ranges(sorted(present_ids))))
    return f"an erratum says it with `file: game, path: components.{line_index}.numbers, from: {was}, to: {new}`"


def _join_card_ids_to_ranges(card_ids: list[str]) -> list[str]:
    """Return numbers as a line of the list writes them: H01, H02, H03 as `H01-H03`."""
    ranges = list[list[str]]()
    for number in card_ids:
        if ranges and _expand_id_range(f"{ranges[-1][-1]}-{number}") == [ranges[-1][-1], number]:
            ranges[-1].append(number)
        else:
            ranges.append([number])
    return [part[0] if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in ranges]


def _expand_id_range(id_or_range: str) -> list[str]:
    """Expand `H01-H03` to H01, H02, H03; return a single number as itself."""
    match = re.fullmatch(r"(\D*)(\d{1,9})-(\D*)(\d{1,9})", id_or_range)
    if not match or match[1] != match[3] or int(match[4]) - int(match[2]) > _MOST_NUMBERS:
        return [id_or_range]
    width = len(match[2])
    return [f"{match[1]}{number:0{width}d}" for number in range(int(match[2]), int(match[4]) + 1)]


def iter_call_to_other_deck_findings(game: Game) -> Iterator[Finding]:
    """PP212: a call stays within the caller's own deck, given by the fields in `same`."""
    for use in game.references:
        owner, target = game.components.get(use.owner), game.components.get(use.name)
        if owner is None or target is None:
            continue
        for name in use.spec.same or []:
            here, there = owner.get(name), target.get(name)
            if here is not None and there is not None and here != there:
                message = f"{owner.id} ({name} {here}) calls {target.id}, which belongs to {name} {there}"
                yield Finding("PP212", use.where, message)


def iter_unpayable_cost_findings(game: Game) -> Iterator[Finding]:
    """PP233: no cost exceeds what can exist or be held."""
    for component in game.components.values():
        for option in component.options:
            for what, cost, most in _iter_unpayable_costs_with_limits(game, option):
                message = f"{component.id} {option.letter} costs {cost} {what}, but a player can hold at most {most}"
                yield Finding("PP233", option.where, message)


class _UnpayableCost(NamedTuple):
    term_name: str
    cost: int
    most_one_can_hold: int


def _iter_unpayable_costs_with_limits(game: Game, option: Option) -> Iterator[_UnpayableCost]:
    """Yield each term, and each store of terms, that the option charges too
    much of."""
    totals: dict[str, int] = defaultdict(int)
    stores: dict[str, int] = defaultdict(int)
    for term, amount in _iter_terms_and_amounts_of_cost(game, option.cost):
        if term.spec.short:
            continue  # may be paid short, so it is never too much
        totals[term.id] += amount
        if term.spec.store:
            stores[term.spec.store] += amount
    terms = {term.id: term for group in game.vocabulary.terms.values() for term in group.values()}
    for name, cost in [*totals.items(), *stores.items()]:
        most = _compute_most_of_term_one_can_hold(game, terms[name])
        if most is not None and cost > most:
            yield _UnpayableCost(terms[name].name("en", cost), cost, most)


def _iter_terms_and_amounts_of_cost(game: Game, effects: Iterable[Effect]) -> Iterator[tuple[Term, int]]:
    for effect in effects:
        for name, spec in game.vocabulary.effects[effect.op].args.items():
            amounts = effect.args.get(name)
            if spec.type == "amounts" and isinstance(amounts, dict):
                group = game.vocabulary.group(spec.group or "")
                yield from ((group[term], int(n)) for term, n in amounts.items())


def _compute_most_of_term_one_can_hold(game: Game, term: Term) -> int | None:
    """Return the most of a term that can be held, from `supply` and `limit`, or None if neither is
    known."""
    sums = [
        _sum_numbers_and_component_fields(game, parts)
        for parts in (term.spec.supply, term.spec.limit)
        if parts is not None
    ]
    bounds = [bound for bound in sums if bound is not None]
    return min(bounds) if bounds else None


def _sum_numbers_and_component_fields(game: Game, parts: list[str | int]) -> int | None:
    """Return the sum of numbers and of components' fields, as in `[hand.spaces, 2]`, or None if one
    is not known."""
    values = [game.number(part) for part in parts]
    return None if None in values else sum(value for value in values if value is not None)


def iter_unknown_supply_or_limit_findings(game: Game) -> Iterator[Finding]:
    """PP210: every quantity that a term names (`food.count`) is a number of an existing
    component."""
    for group, members in game.vocabulary.terms.items():
        for name, term in members.items():
            for key in ("supply", "limit"):
                for index, part in enumerate(getattr(term.spec, key) or []):
                    if isinstance(part, str) and game.number(part) is None:
                        where = game.vocabulary.node.get_node_or_nearest_ancestor(
                            ["terms", group, name, key, index]
                        ).where
                        hint = make_nearest_or_possible_words_hint(part.partition(".")[0], game.components)
                        yield Finding("PP210", where, f'"{part}" is not a number of a component', hint)


def iter_no_free_option_findings(game: Game) -> Iterator[Finding]:
    """PP239: a card whose options all have a cost or need can leave a player without a choice."""
    for component in game.components.values():
        if component.options and not any(_is_free_option(game, option) for option in component.options):
            message = f"{component.id} has no option without cost or need"
            yield Finding("PP239", component.where, message, severity="warning")


def _is_free_option(game: Game, option: Option) -> bool:
    return not option.needs and all(term.spec.short for term, _ in _iter_terms_and_amounts_of_cost(game, option.cost))


def iter_never_called_component_findings(game: Game) -> Iterator[Finding]:
    """PP240: a card that effects may call, but none does, never comes into play."""
    called = {
        str(name)
        for c in game.components.values()
        for name in (*_iter_components_named_in_effects(game, c), *_iter_components_named_in_fields(game, c))
    }
    for spec in _list_reference_arguments_of_effects(game):
        for component in game.of_kind(*(spec.kinds or [])):
            fits = all(component.get(name) in allowed for name, allowed in (spec.where or {}).items())
            if fits and component.id not in called:
                message = f"nothing brings {component.id} into play"
                yield Finding("PP240", component.where, message, severity="warning")


def _iter_components_named_in_effects(game: Game, component: Component) -> Iterator[object]:
    """Yield the components that a component's effects name."""
    for value in component.fields.values():
        for effect in iter_effects_nested_in_value(value):
            for name, spec in game.vocabulary.effects[effect.op].args.items():
                if _get_reference_field_of_argument(spec):
                    argument = effect.args.get(name)
                    yield from argument if isinstance(argument, tuple) else (argument,)


def _iter_components_named_in_fields(game: Game, component: Component) -> Iterator[object]:
    """Yield the components that a component names outside its effects, such as its place."""
    for name, spec in game.vocabulary.kinds[component.kind].fields.items():
        if spec.type == "reference" and component.get(name) is not None:
            yield component.get(name)


def _list_reference_arguments_of_effects(game: Game) -> list[FieldSpec]:
    arguments = (spec for effect in game.vocabulary.effects.values() for spec in effect.args.values())
    return [reference for spec in arguments if (reference := _get_reference_field_of_argument(spec))]


def _get_reference_field_of_argument(spec: FieldSpec) -> FieldSpec | None:
    """Return the reference field that an argument is or lists, or None."""
    if spec.type == "reference":
        return spec
    return _get_reference_field_of_argument(spec.of) if spec.type == "list" and spec.of else None


def iter_ruling_without_default_findings(game: Game) -> Iterator[Finding]:
    """PP236: every ruling has options and names its default."""
    for ruling in game.rulings.values():
        if not ruling.options:
            yield Finding("PP236", ruling.where, f"{ruling.id} has no options")
        elif not ruling.default:
            message = f"{ruling.id} does not say which option is the default"
            yield Finding("PP236", ruling.where, message, make_nearest_or_possible_words_hint("", ruling.options))


# Words by which a rule leaves something to its player or sets no limit; a ruling on such a rule may
# narrow it.
GENEROUS = re.compile(r"\b(any|whenever|may(?! not)|no limit|as many|likes?)\b", re.IGNORECASE)


def iter_unexplained_rule_narrowing_findings(game: Game) -> Iterator[Finding]:
    """PP245: a ruling on a rule that sets no limit names the option that is the full reading, or
    says in print why its default is narrower."""
    generous: dict[str, str] = {rule.ruling: rule.id for rule in game.rules.values() if GENEROUS.search(rule.text)}
    for ruling in game.rulings.values():
        rule = generous.get(ruling.id)
        if rule and not (ruling.full or ruling.narrowed):
            message = f"{ruling.id} settles {rule}, which sets no limit, and does not say whether it limits that rule"
            hint = f"`full: {ruling.default}`, or `narrowed:` and why"
            yield Finding("PP245", ruling.where, message, hint)
        elif ruling.full and ruling.full != ruling.default and not ruling.narrowed:
            message = f"{ruling.id} narrows a rule by its default and does not say why"
            if change := _find_last_erratum_changing_ruling(game, ruling.id):
                yield Finding("PP245", change.where, message, "write `why:` here: it is printed beside the answer")
            else:
                yield Finding("PP245", ruling.where, message, f"default: {ruling.full}, or `narrowed:` and why")
        elif ruling.narrowed and ruling.full == ruling.default:
            message = f"{ruling.id} says why its default is narrower, and that its default is the full reading"
            yield Finding("PP245", ruling.where, message, "leave out one of `full` and `narrowed`")


def _find_last_erratum_changing_ruling(game: Game, ruling_id: str) -> RulingFate | None:
    """Return what the last erratum in use says of a ruling that it changes; None if none changes it."""
    fates = (fate for erratum in game.errata if erratum.version in game.applied for fate in erratum.rulings)
    changes = [fate for fate in fates if fate.id == ruling_id and fate.becomes == "changes"]
    return changes[-1] if changes else None


def iter_rule_id_gap_findings(game: Game) -> Iterator[Finding]:
    """PP237: rules and rulings are numbered without a gap (A12b counts with A12)."""
    for things in (game.rules, game.rulings):
        seen: dict[str, set[int]] = defaultdict(set)
        last: dict[str, Where] = {}
        for key, thing in things.items():
            match = re.fullmatch(r"([A-Z]+)(\d{1,18})[a-z]?", key)
            if match:
                seen[match[1]].add(int(match[2]))
                last[match[1]] = thing.where
        for prefix, numbers in seen.items():
            for before, after in pairwise(sorted({0, *numbers})):
                if after - before == 2:
                    yield Finding("PP237", last[prefix], f"the ids have a gap: {prefix}{before + 1} is missing")
                elif after - before > 2:
                    message = f"the ids have a gap: {prefix}{before + 1} to {prefix}{after - 1} are missing"
                    yield Finding("PP237", last[prefix], message)


def iter_missing_source_findings(game: Game) -> Iterator[Finding]:
    """PP216: every component names the sources of its facts, unless a table and a layout are all there is."""
    if not (game.folder / "vocabulary.yaml").is_file():
        return
    silent: dict[str, list[Component]] = defaultdict(list)
    for component in game.components.values():
        if not component.source:
            silent[str(component.where.file)].append(component)
    for first, *others in silent.values():  # one line of `defaults` mends a whole file
        where = "in its `to`" if is_place_in_errata_file(first.where) else "under `defaults`, for all"
        hint = f"{where}: `source: mine` of your own; or {{rulebook: place}}, {{public: address}}"
        message = f"{first.id} does not say where its facts come from"
        more = f", nor do {len(others)} more of this file" if others else ""
        yield Finding("PP216", first.where, message + more, hint)


def iter_unstated_or_unknown_rule_findings(game: Game) -> Iterator[Finding]:
    """PP244: a chapter of the rulebook states every rule in use, and no chapter marks a rule that
    does not exist."""
    for language in game.languages:
        document = read_rulebook_document(game.folder, language, game.edits)
        if document is None:
            continue
        placed = document.find_first_place_of_each_rule()
        for name in game.rules.keys() - placed.keys():
            if not game.rules[name].left_out:
                yield Finding("PP244", game.rules[name].where, f"no chapter of the {language} rulebook states {name}")
        for name in placed.keys() - game.rules.keys() - game.rulings.keys():
            hint = make_nearest_or_possible_words_hint(name, game.rules)
            yield Finding("PP244", placed[name], f'there is no rule "{name}"', hint)


def find_all_sheet_row_findings(game: Game) -> Iterable[Finding]:
    """PP637: ids of a sheet's cards do not follow the order of its rows. PP268, PP269: no row is a total or a heading.
    PP270: numbers are shown as they are printed. PP271: each cell has its own text."""
    if not game.facts.sheets:
        return ()
    return find_warnings_of_sheet_rows(game.facts.sheets, game.node, game.folder, game.vocabulary)


def find_sheet_findings_except_row_order(game: Game) -> Iterable[Finding]:
    """PP268 to PP271: a row of a sheet is taken for a total or a heading, or a cell is shown otherwise than it is
    printed."""
    codes = ("PP268", "PP269", "PP270", "PP271")
    return [finding for finding in find_all_sheet_row_findings(game) if finding.code in codes]


def get_left_out_sheet_findings(game: Game) -> Iterable[Finding]:
    """PP267: a sheet of a workbook is taken for notes."""
    return list_warnings_on_left_out_sheets(game.facts.sheets, game.folder) if game.facts.sheets else ()


CHECKS: tuple[LintCheck, ...] = (
    iter_unknown_name_in_box_list_findings, iter_component_miscount_findings,
    iter_missing_or_extra_card_id_findings, iter_call_to_other_deck_findings,
    iter_unpayable_cost_findings, iter_unknown_supply_or_limit_findings, iter_no_free_option_findings,
    iter_never_called_component_findings, iter_ruling_without_default_findings,
    iter_unexplained_rule_narrowing_findings,
    iter_rule_id_gap_findings, iter_missing_source_findings, iter_unstated_or_unknown_rule_findings,
    lint_text.iter_handwritten_text_mismatch_findings, lint_text.iter_missing_translation_findings,
    lint_text.iter_unread_number_language_findings, lint_text.iter_contradicting_number_findings,
    effect_text.iter_contradicting_card_text_findings, lint_numbers.iter_unfounded_claim_number_findings,
    lint_errata.iter_doubtful_errata_findings, lint_errata.iter_text_change_and_old_title_findings,
    lint_changed_rules.iter_reworded_but_played_same_findings,
    lint_numbers.iter_unmet_demand_findings, find_all_sheet_row_findings, get_left_out_sheet_findings,
)  # fmt: skip
