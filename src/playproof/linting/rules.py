"""What lint finds in rules without playing: rules that can be traced and are still doubtful, and where
the rulebook, its numbers and the rules disagree."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from playproof.database.errors import (
    Finding,
    Where,
    make_nearest_or_possible_words_hint,
    make_path_relative_to_working_folder,
)
from playproof.database.game import Game as Cards
from playproof.database.game_files import Declared
from playproof.database.lint import list_existing_components_counted_by_line
from playproof.database.lint_numbers import (
    collect_numbers_in_question_and_rulings,
    collect_numbers_of_components_and_facts,
)
from playproof.database.number_words import count_numbers_except_word_one
from playproof.database.rulebook import Rule
from playproof.database.rulebook_text import list_rulebook_files_in_reading_order
from playproof.language import Const, Field, Local, Place, Sees, Term
from playproof.language.authoring import Game as Written
from playproof.language.declarations import ParameterFlow, trace_parameter_flow_into_fields
from playproof.language.expr import OPERATORS, Lookup, Op, Read
from playproof.language.game import Game
from playproof.language.game_analysis import find_unreached_phases
from playproof.language.options import Options
from playproof.language.parts import Action
from playproof.language.registry import build
from playproof.language.statements import (
    Assign,
    Finish,
    If,
    Invoke,
    Keep,
    Loop,
    Require,
    Statement,
    iter_conditions_joined_by_and,
    iter_statements_recursively,
    iter_term_and_subterms,
    make_structural_key_or_identity,
)

# -- rulebook check ------------------------------------------------------------------------------------------
# Checks that the rulebook and the rules agree on rule ids, rulings and their options, and phases.


def collect_findings_on_rules_and_rulebook(game: Game, options: Options, cards: Cards) -> list[Finding]:
    """Return the differences between a game's data and its rules, which were built under these default
    options."""
    return [
        *_iter_unknown_cited_rule_findings(game, cards),
        *_iter_ruling_mismatch_findings(options, cards),
        *_iter_unreached_phase_findings(game),
        *_iter_track_too_short_findings(game, cards),
        *iter_contradicted_secrecy_findings(game),
        *iter_doubtful_rule_findings(game),
        *iter_unfounded_number_findings(game, cards),
    ]


def collect_findings_on_rules_without_cards(game_ref: str) -> list[Finding]:
    """Return what is doubtful in rules that have no cards. Raises RulesError if the rules cannot be built,
    UnknownGame if there are none."""
    game = build(game_ref)
    return [
        *_iter_unreached_phase_findings(game),
        *iter_contradicted_secrecy_findings(game),
        *iter_doubtful_rule_findings(game),
    ]


def _iter_unknown_cited_rule_findings(game: Game, cards: Cards) -> Iterator[Finding]:
    """PP347: the rules cite a rule that the rulebook does not have."""
    in_rulebook = [*sorted(cards.rules, key=_make_natural_sort_key), *sorted(cards.rulings, key=_make_natural_sort_key)]
    for ident, places in game.citations.items():
        if in_rulebook and ident not in in_rulebook:
            yield Finding(
                "PP347",
                convert_rule_place_to_file_place(places[0]),
                f"the rulebook has no rule `{ident}`",
                make_nearest_or_possible_words_hint(ident, in_rulebook),
            )


def _iter_ruling_mismatch_findings(options: Options, cards: Cards) -> Iterator[Finding]:
    """PP348: the rules and the rulebook differ on a ruling's options."""
    for ident, read in options.read.items():
        ruling = cards.rulings.get(ident)
        if ruling is None:
            yield Finding(
                "PP348",
                convert_rule_place_to_file_place(options.places[ident]),
                f"the rules ask for ruling {ident}, which the rulebook does not have",
                make_nearest_or_possible_words_hint(ident, cards.rulings),
            )
        elif set(ruling.options) != set(read) or ruling.default != read[0]:
            yield Finding(
                "PP348",
                ruling.where,
                f"ruling {ident}: expected {_format_options_with_default(read[0], read)} as in the rules, "
                f"found {_format_options_with_default(ruling.default, ruling.options)}",
                "give both the same options and the same default",
            )


def _iter_unreached_phase_findings(game: Game) -> Iterator[Finding]:
    """PP343: a phase that no rule goes to."""
    for phase in find_unreached_phases(game):
        if phase.place is not None:
            yield Finding(
                "PP343",
                convert_rule_place_to_file_place(phase.place),
                f"no rule ever goes to phase `{phase.name}`",
                "add a `goto` to it, or remove the phase",
                "warning",
            )


def _iter_track_too_short_findings(game: Game, cards: Cards) -> Iterator[Finding]:
    """PP351: a printed track does not cover the numbers that the rules count on it."""
    fields = {field.name: field for field in game.fields}
    for index, track in enumerate(cards.facts.tracks):
        where = cards.node.get_node_or_nearest_ancestor(["tracks", index]).where
        for end, counted in (("first", track.least_of), ("last", track.most_of)):
            printed = cards.number(getattr(track, end))
            if printed is None:
                yield Finding(
                    "PP351",
                    where,
                    f"`{end}` of the track: expected a number or a component's field, found {getattr(track, end)!r}",
                )
            elif counted is not None and counted not in fields:
                yield Finding(
                    "PP351",
                    where,
                    f"the rules have no field `{counted}`",
                    make_nearest_or_possible_words_hint(counted, fields),
                )
            elif counted is not None:
                bound = fields[counted].lo if end == "first" else fields[counted].hi
                if (printed > bound) if end == "first" else (printed < bound):
                    name = track.name.get("en", "track")
                    way = "begins" if end == "first" else "ends"
                    yield Finding(
                        "PP351", where, f"{name} {way} at {printed}, but the rules count to {bound} (`{counted}`)"
                    )


def _format_options_with_default(default: str, options: Iterable[str]) -> str:
    return ", ".join([f"{default} (default)", *sorted(set(options) - {default})])


def _make_natural_sort_key(rule_id: str) -> list[str | int]:
    """Return the key that sorts R2 before R12, and A12 before A12b."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", rule_id)]


def iter_contradicted_secrecy_findings(game: Game) -> Iterator[Finding]:
    """PP352: an action shows to all what it declares secret. PP353: a hidden value is written to a
    field that all see, and nothing declares it (`reveals=`). Both are warnings."""
    hidden = [held for held in game.fields if held.sees is not Sees.ALL]
    if game.players == 1 or not hidden:
        return
    for action in game.actions:
        leads = trace_parameter_flow_into_fields(action.params, action.body, hidden)
        for parameter in action.params:
            visible = leads.outlets.get(parameter.local.number, set())
            name = parameter.local.name
            if name in action.secret and visible:
                shown = _format_field_names(visible)
                message = f"`{name}` of action `{action.name}` is secret, and is shown in {shown}"
                hint = "hide that field, or do not call it secret"
                yield Finding("PP352", convert_rule_place_to_file_place(action.place), message, hint, "warning")
        yield from _iter_revealed_field_findings(f"action `{action.name}`", action.place, leads, action.reveals)
    for phase in game.phases:
        if phase.body is not None and phase.place is not None:
            leads = trace_parameter_flow_into_fields((), phase.body, hidden)
            yield from _iter_revealed_field_findings(f"phase `{phase.name}`", phase.place, leads, phase.reveals)


def _iter_revealed_field_findings(
    subject: str, place: Place, leads: ParameterFlow, declared_reveals: Iterable[str]
) -> Iterator[Finding]:
    revealed = {held for held, _ in leads.reveals if held.name not in declared_reveals}
    for held in sorted(revealed, key=lambda f: f.number):
        into = {to for source, to in leads.reveals if source is held}
        yield Finding(
            "PP353",
            convert_rule_place_to_file_place(place),
            f"{subject} shows `{held.name}`, which not everybody sees, in {_format_field_names(into)}",
            f'write reveals="{held.name}" if that is meant',
            "warning",
        )


def _format_field_names(fields: Iterable[Field]) -> str:
    return ", ".join(sorted(f"`{held.name}`" for held in fields))


# -- rulebook numbers ----------------------------------------------------------------------------------------
# Check the numbers of rules: against the list of components, and where no chapter states a rule, against
# its claims, fields and data.

_WHOLE = {
    "en": ("the", "all", "these"),
    "fr": ("les", "ces"),
    "de": ("die", "alle", "den", "aller", "diese"),
    "es": ("los", "las", "todos", "todas"),
}
"""Words before a number that speak of all there are: "shuffle the six path cards"."""


def iter_unfounded_number_findings(game: Game, cards: Cards) -> Iterator[Finding]:
    """PP356: a number in a rule of a rulebook without chapters, which no claim that cites the rule, no field,
    requirement or ending of that rule and no data have. A rule that no claim cites may have the numbers of any
    claim. Before the name of components a number has to be more: how many there are."""
    founded, data = (_collect_supporting_numbers_by_rule(game, cards), _collect_numbers_of_cards_and_kinds(cards))
    if any(list_rulebook_files_in_reading_order(cards.folder, language) for language in cards.languages):
        # PP528 holds the rules against the chapters, PP247 the languages against each other.
        for rule in cards.rules.values():
            if rule.left_out:
                continue
            own = founded.get(rule.id, set())
            for language in cards.languages:
                for _, finding in _iter_miscounted_numbers_with_findings(rule, language, cards, own, None):
                    yield finding
        return
    cited = {rule for claim in cards.claims.values() for rule in claim.rules}
    anywhere = set[int]().union(
        *(collect_numbers_in_question_and_rulings(claim, cards) for claim in cards.claims.values())
    )
    for rule in cards.rules.values():
        if rule.left_out:
            continue
        own = founded.get(rule.id, set())
        accounted = data | own
        if rule.id not in cited:
            accounted |= anywhere
        for language in cards.languages:
            text = rule.words.texts.get(language, "")
            unknown = sorted(set(count_numbers_except_word_one(text, language)) - accounted)
            for number in unknown:
                message = (
                    f"{rule.id} says {number} ({language}), which no claim that cites {rule.id}, no field, requirement "
                    "or ending of "
                )
                yield Finding(
                    "PP356",
                    rule.words.get_place_of_language_text(language),
                    f"{message}{rule.id} and no data have",
                    f"mend the number; or cite {rule.id} where the rules compare with {number}, as in "
                    f'`require(..., "{rule.id}", ...)` or `win(..., rule="{rule.id}")`; or in a claim about {number}',
                )
            for number, finding in _iter_miscounted_numbers_with_findings(rule, language, cards, own, data):
                if number not in unknown:
                    yield finding


def _iter_miscounted_numbers_with_findings(
    rule: Rule, language: str, cards: Cards, rule_numbers: set[int], data_numbers: set[int] | None
) -> Iterator[tuple[int, Finding]]:
    """Yield each number before the name of components that is neither how many there are nor founded by this
    rule, with its finding. Unless the words speak of all of them, it may also be a number of the `data_numbers`, or
    any number if there are none."""
    for declared in cards.facts.components:
        name = declared.name.get(language, "")
        for number, whole in _iter_numbers_before_component_name(name, rule.words.texts.get(language, ""), language):
            some = not whole and (data_numbers is None or number in data_numbers)
            if not some and number not in _get_acceptable_counts_of_components(declared, cards) | rule_numbers:
                message = f"{rule.id} says {number} {name} ({language}), the list of components has {declared.count}"
                yield (
                    number,
                    Finding(
                        "PP356",
                        rule.words.get_place_of_language_text(language),
                        message,
                        f"mend the number, or cite {rule.id} in a claim that asks about {number}",
                    ),
                )


def _get_acceptable_counts_of_components(declared: Declared, cards: Cards) -> set[int]:
    """Return how many components a line of the list has, how many each of its sets has, and how many each
    player gets of them. If there are more or fewer cards than the list says, lint tells that of the list; their
    number counts here too."""
    players = cards.facts.players
    sharers = {1, declared.sets} | (set(range(players.min, players.max + 1)) if players else set())
    totals = {
        declared.count,
        sum(component.count for component in list_existing_components_counted_by_line(cards, declared)),
    }
    return {total // n for total in totals for n in sharers if total % n == 0}


def _iter_numbers_before_component_name(component_name: str, text: str, language: str) -> Iterator[tuple[int, bool]]:
    """Yield each number that stands right before a name in a text, and whether a word before it speaks of
    all there are."""
    if not component_name or component_name.lower() not in text.lower():  # few texts name a component
        return
    for match in re.finditer(rf"(?:(\S+)\s+)?(\S+)\s+{re.escape(component_name)}(?!\w)", text, re.IGNORECASE):
        whole = (match[1] or "").casefold() in _WHOLE.get(language.partition("-")[0], ())
        for number in count_numbers_except_word_one(match[2], language):
            yield number, whole


def _collect_supporting_numbers_by_rule(game: Game, cards: Cards) -> Mapping[str, set[int]]:
    """Return by rule the numbers of the claims that cite it, the bounds and first values of its fields, and the
    numbers in the requirements and the conditions of endings that cite it."""
    numbers: dict[str, set[int]] = {}
    for claim in cards.claims.values():
        its_own = collect_numbers_in_question_and_rulings(claim, cards) if claim.rules else ()
        for rule in claim.rules:
            numbers.setdefault(rule, set()).update(its_own)
    for held in game.fields:
        for rule in held.rules:
            numbers.setdefault(rule, set()).update((held.lo, held.hi, *held.start))
    for action in game.actions:
        _add_numbers_of_cited_conditions(action.body, (), game, numbers)
    for body in (*(phase.body or () for phase in game.phases), *(each.body for each in game.procedures)):
        _add_numbers_of_cited_conditions(body, (), game, numbers)
    return numbers


def _add_numbers_of_cited_conditions(
    body: Iterable[Statement], conditions: tuple[Term, ...], game: Game, numbers: dict[str, set[int]]
) -> None:
    """Add by rule the numbers of what it requires, and of the conditions on the way to what it ends."""
    for statement in body:
        if isinstance(statement, Require):
            for rule in statement.rule.split():
                numbers.setdefault(rule, set()).update(_iter_numbers_compared_in_term(statement.condition))
        elif isinstance(statement, Finish):
            for rule in game.endings[statement.ending - 1].rule.split():
                for condition in conditions:
                    numbers.setdefault(rule, set()).update(_iter_numbers_compared_in_term(condition))
        elif isinstance(statement, If):
            inside = (*conditions, statement.condition)
            _add_numbers_of_cited_conditions(statement.then, inside, game, numbers)
            _add_numbers_of_cited_conditions(statement.other, inside, game, numbers)
        elif isinstance(statement, Loop):
            _add_numbers_of_cited_conditions(statement.body, conditions, game, numbers)


def _iter_numbers_compared_in_term(term: Term) -> Iterator[int]:
    """Yield the numbers that a condition compares something with: of `coins > 4` also 5, which is the least that it
    lets pass."""
    for part in iter_term_and_subterms(term, enter_functions=True):
        if isinstance(part, Op) and part.op in ("==", "!=", "<", "<="):
            for at, side in enumerate(part.args):
                if isinstance(side, Const):
                    yield side.value
                    if part.op == "<":
                        yield side.value + (1 if at == 0 else -1)


def _collect_numbers_of_cards_and_kinds(cards: Cards) -> set[int]:
    """Return the numbers of the data, and how many components each kind has."""
    counts = Counter[str]()
    for component in cards.components.values():
        counts[component.kind] += component.count
    return {1, *counts.values(), *collect_numbers_of_components_and_facts(cards)}


# -- doubtful rules ------------------------------------------------------------------------------------------
# Finds rules that can be traced and are still doubtful: choices that read the same, conditions that the
# bounds decide, seats that never act.


def iter_doubtful_rule_findings(game: Game) -> Iterator[Finding]:
    """Yield what is doubtful in a game's description, and in the lines of Python that it was traced from."""
    yield from _iter_same_wording_findings(game)
    if isinstance(game, Written):
        yield from _iter_constant_condition_findings(game)
        yield from _iter_index_beyond_end_findings(game)
        yield from _iter_undeclared_start_findings(game)
    yield from _iter_unread_parameter_findings(game)
    yield from _iter_idle_seat_findings(game)
    yield from _iter_nonexistent_winner_findings(game)
    yield from _iter_replaced_goto_findings(game)
    yield from _iter_endless_phase_findings(game)


def convert_rule_place_to_file_place(place: Place) -> Where:
    """Return a place of the rules as a place of a file."""
    return Where(make_path_relative_to_working_folder(Path(place.file)), place.line, max(1, place.column))


# -- fields that start below zero -----------------------------------------------------------------------------


def _iter_undeclared_start_findings(game: Written) -> Iterator[Finding]:
    """PP386: a field that may hold 0 starts below it, because no start was declared."""
    for handle in game.lowest_starts:
        held = handle.field
        place = held.place or game.place
        yield Finding(
            "PP386",
            convert_rule_place_to_file_place(place),
            f"`{held.name}` starts at {held.lo}, its least value, because no start is declared",
            f"write the start behind the bounds: {held.lo}, {held.hi}, 0",
            "warning",
        )


# -- choices that change nothing ------------------------------------------------------------------------------


def _iter_unread_parameter_findings(game: Game) -> Iterator[Finding]:
    """PP362: a player's action has a parameter that neither its requirements nor its effects read."""
    for action in game.actions:
        if all(game.phases[number].chance for number in action.phases):
            continue
        read = {local.number for term in _iter_terms_of_action(action) for local in term.locals}
        for parameter in action.params:
            if parameter.count > 1 and parameter.local.number not in read:
                yield Finding(
                    "PP362",
                    convert_rule_place_to_file_place(action.place),
                    f"nothing in `{action.name}` reads `{parameter.local.name}`: "
                    f"its {parameter.count} choices do the same",
                    "use it in a requirement or an effect, or take it away",
                    "warning",
                )


def _iter_terms_of_action(action: Action) -> Iterator[Term]:
    if action.weight is not None:
        yield action.weight
    for statement in iter_statements_recursively(action.body):
        match statement:
            case Assign():
                yield statement.index
                yield statement.value
            case Keep():
                yield statement.value
            case If():
                yield statement.condition
            case Require():
                yield statement.condition
                yield from statement.args
            case Invoke():
                yield from statement.args


# -- choices that read the same -----------------------------------------------------------------------------


def _iter_same_wording_findings(game: Game) -> Iterator[Finding]:
    """PP366: two choices of an action have the same words, and nothing keeps them apart."""
    for action in game.actions:
        by_words: dict[str, list[int]] = {}
        for ident in action.idents:
            by_words.setdefault(" ".join(game.show(ident).casefold().split()), []).append(ident)
        for idents in by_words.values():
            pair = next((p for p in combinations(idents, 2) if _may_both_ground_actions_be_legal(action, *p)), None)
            if pair is not None:
                yield _make_same_wording_finding(game, action, pair)
                break


def _make_same_wording_finding(game: Game, action: Action, pair: tuple[int, int]) -> Finding:
    values = [action.get_values_of_ground_action(ident) for ident in pair]
    differing = [p.local.name for p, a, b in zip(action.params, *values, strict=True) if a != b]
    named, braced = (", ".join(f"`{name}`" for name in differing), " and ".join(f"{{{name}}}" for name in differing))
    message = f"two choices of action `{action.name}` read the same, `{game.show(pair[0])}`; they differ in {named}"
    return Finding(
        "PP366",
        convert_rule_place_to_file_place(action.place),
        message,
        f"write {braced} into its text, and give each value its own name",
    )


def _may_both_ground_actions_be_legal(action: Action, first_action_id: int, second_action_id: int) -> bool:
    """Return whether two ground actions may be legal in one state, as far as their own requirements say:
    no requirement asks one value of the state to be two numbers."""
    values = (
        _map_required_terms_to_numbers_of_action(action, first_action_id),
        _map_required_terms_to_numbers_of_action(action, second_action_id),
    )
    return all(values[1].get(read, number) == number for read, number in values[0].items())


def _map_required_terms_to_numbers_of_action(action: Action, action_id: int) -> dict[object, int]:
    """Return the values of the state that the requirements of a ground action fix, each with its number."""
    env: dict[Term, Term] = {
        p.local: Const(v) for p, v in zip(action.params, action.get_values_of_ground_action(action_id), strict=True)
    }
    demands: dict[object, int] = {}
    for statement in action.body:
        if isinstance(statement, Require):
            for part in iter_conditions_joined_by_and(_substitute_numbers_for_parameters(statement.condition, env)):
                if isinstance(part, Op) and part.op == "==":
                    for cell, number in (part.args, part.args[::-1]):
                        if isinstance(number, Const):
                            demands[make_structural_key_or_identity(cell)] = number.value
    return demands


def _substitute_numbers_for_parameters(term: Term, value_by_parameter: Mapping[Term, Term]) -> Term:
    """Return a term with numbers in place of parameters; loops and functions stay as they are."""
    if isinstance(term, Local):
        return value_by_parameter.get(term, term)
    if isinstance(term, Lookup):
        index = _substitute_numbers_for_parameters(term.index, value_by_parameter)
        return Const(term.table.values[index.value]) if isinstance(index, Const) else Lookup(term.table, index)
    if isinstance(term, Op):
        args = [_substitute_numbers_for_parameters(arg, value_by_parameter) for arg in term.args]
        return OPERATORS[term.op](*args)
    return term


# -- what never changes -------------------------------------------------------------------------------------


def _iter_constant_condition_findings(game: Written) -> Iterator[Finding]:
    """PP367: a condition that the bounds of its fields decide, so that it holds always or never."""
    lines: set[tuple[str, int]] = set()
    for place, holds, sides in game.tracer.settled:
        if (place.file, place.line) in lines or not any(map(_can_vary_by_declaration, sides)):
            continue
        lines.add((place.file, place.line))
        listed = " and ".join(_describe_term_with_bounds(side) for side in sides)
        how_often = "always" if holds else "never"
        yield Finding(
            "PP367",
            convert_rule_place_to_file_place(place),
            f"the condition holds {how_often}: it compares {listed}",
            "mend the number, or the bounds of the field",
            "warning",
        )


def _iter_index_beyond_end_findings(game: Written) -> Iterator[Finding]:
    """PP306: a parameter or counter that indexes beyond the end of an array or table, where it first does."""
    messages: set[str] = set()
    for error in game.tracer.beyond:
        if error.message not in messages:
            messages.add(error.message)
            yield Finding(error.code, convert_rule_place_to_file_place(error.place), error.message, error.hint)


def _can_vary_by_declaration(term: Term) -> bool:
    """Return whether a term has several values by its declaration, not by the cards or options of one game."""
    return term.lo < term.hi and not isinstance(term, Lookup)


def _describe_term_with_bounds(term: Term) -> str:
    if term.lo == term.hi:
        return str(term.lo)
    name = f"`{term.field.name}`" if isinstance(term, Read) else "a value"
    return f"{name} of {term.lo}..{term.hi}"


def _iter_idle_seat_findings(game: Game) -> Iterator[Finding]:
    """PP368: a seat that acts in no phase."""
    actors = [phase.actor for phase in game.phases if not phase.automatic and not phase.chance]
    if not actors:
        return
    may_act = {seat for actor in actors for seat in range(actor.lo, actor.hi + 1)}
    idle = [seat for seat in range(game.players) if seat not in may_act]
    if idle:
        place = next(phase.place for phase in game.phases if phase.actor is actors[0]) or game.place
        yield Finding(
            "PP368",
            convert_rule_place_to_file_place(place),
            f"{_format_idle_seats(idle)}: all phases belong to others",
            "give the phase its actor: g.phase(name, actor=s.turn)",
            "warning",
        )


def _iter_nonexistent_winner_findings(game: Game) -> Iterator[Finding]:
    """PP368: a winner that may be a seat that does not exist, as when seats are counted from 1."""
    for end in game.endings:
        if end.winner is not None and end.winner.hi == game.players and end.winner.lo > 0:
            yield Finding(
                "PP368",
                convert_rule_place_to_file_place(end.place),
                f"`{end.reason}` is won by seat {end.winner.lo} to "
                f"{end.winner.hi}, the seats are 0 to {game.players - 1}",
                "count seats from 0",
                "warning",
            )


# -- steps without effect -----------------------------------------------------------------------------------


def _iter_replaced_goto_findings(game: Game) -> Iterator[Finding]:
    """PP372: a `goto` that a later one of the same block replaces."""
    bodies = [action.body for action in game.actions]
    bodies += [phase.body for phase in game.phases if phase.body is not None]
    bodies += [procedure.body for procedure in game.procedures]
    lines: set[Place] = set()
    for block in (block for body in bodies for block in _iter_nested_statement_blocks(body)):
        for first, second in _iter_replaced_goto_pairs(game, block):
            if first.place not in lines:
                lines.add(first.place)
                message = f"this `goto` has no effect: line {second.place.line} goes to another phase"
                hint = "remove one of the two, or put each under its condition"
                yield Finding("PP372", convert_rule_place_to_file_place(first.place), message, hint, "warning")


def _iter_nested_statement_blocks(body: tuple[Statement, ...]) -> Iterator[tuple[Statement, ...]]:
    """Yield a body and all blocks inside it."""
    yield body
    for statement in iter_statements_recursively(body):
        if isinstance(statement, If):
            yield from (statement.then, statement.other)
        elif isinstance(statement, Loop):
            yield statement.body


def _iter_replaced_goto_pairs(game: Game, block: tuple[Statement, ...]) -> Iterator[tuple[Assign, Assign]]:
    """Yield the pairs of `goto`s of a block between which nothing can ask for the phase."""
    last: Assign | None = None
    for statement in block:
        if isinstance(statement, Assign) and statement.field is game.fields[0]:
            if last is not None:
                yield last, statement
            last = statement
        elif isinstance(statement, If | Loop | Invoke | Finish):
            last = None


def _iter_endless_phase_findings(game: Game) -> Iterator[Finding]:
    """PP372: an automatic phase that never goes to another and never ends the game."""
    for phase in game.phases:
        if phase.automatic and phase.body is not None and not _can_leave_phase_or_end(game, phase.body):
            message = f"the phase `{phase.name}` runs by itself, and nothing in it goes on or ends the game"
            hint = "end it with goto(...) to the next phase"
            yield Finding(
                "PP372", convert_rule_place_to_file_place(phase.place or game.place), message, hint, "warning"
            )


def _can_leave_phase_or_end(game: Game, body: tuple[Statement, ...]) -> bool:
    for statement in iter_statements_recursively(body):
        if isinstance(statement, Finish):
            return True
        if isinstance(statement, Assign) and statement.field is game.fields[0]:
            return True
        if isinstance(statement, Invoke) and _can_leave_phase_or_end(game, statement.procedure.body):
            return True
    return False


def _format_idle_seats(seats: Sequence[int]) -> str:
    if len(seats) == 1:
        return f"seat {seats[0]} never acts"
    return f"the seats {', '.join(map(str, seats))} never act"
