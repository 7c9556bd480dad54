"""What can be changed in the rules of a game: numbers, comparisons, destinations and guards of its
description, and the mistakes that a writer of rules makes by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

from playproof.database.errors import make_path_relative_to_working_folder
from playproof.language import Phase, Place, Term
from playproof.language.expr import (
    OPERATORS,
    Apply,
    Const,
    Function,
    Lookup,
    Op,
    Read,
    Reduce,
    clamp,
    make_comparison_term,
    make_not_term,
    pick,
)
from playproof.language.fields import Field, Sees
from playproof.language.game import Game
from playproof.language.statements import (
    Assign,
    Finish,
    If,
    Invoke,
    Keep,
    Loop,
    Procedure,
    Require,
    Statement,
    find_fields_term_depends_on,
    find_numbers_of_written_fields,
    iter_statements_recursively,
)
from playproof.mutation.rewriting import ReplacementOutOfBounds, TermSwaps, copy_game_with_swapped_parts

# -- mistakes of writers -------------------------------------------------------------------------------------
# Slips: what a writer of rules gets wrong by hand. A statement is left out or stands twice, two steps are
# swapped, another player or another deck is meant, a loop misses a seat, `any` stands for `all`, a phase is
# skipped, or what is hidden is shown.

MISTAKE_KINDS = ("left out", "twice", "swapped", "player", "deck", "seats", "quantifier", "skipped", "hidden")
AuthoringMistake: TypeAlias = tuple[str, str, TermSwaps]
"""A kind, what the change says, and the parts that it exchanges."""
_STEPS = (Assign, If, Loop, Invoke)
_OTHER_QUANTIFIER = {"any": "all", "all": "any", "and": "or", "or": "and"}


class AuthoringMistakes:
    """The slips that one game allows."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.alike = _map_arrays_to_next_similar_one(game.fields[2:])
        self.phases = {game.current_phase.field.number, *(f.number for f in game.phase_fields)}

    def iter_mistakes_in_statements(self, body: Sequence[Statement]) -> Iterator[tuple[Statement, AuthoringMistake]]:
        """Yield slips in a row of statements, each with the statement at which it stands."""
        for statement in body:
            yield from ((statement, slip) for slip in self._iter_mistakes_at_statement(statement))
        for first, second in pairwise(body):
            if (
                isinstance(first, _STEPS)
                and isinstance(second, _STEPS)
                and _do_statements_share_written_field(first, second)
            ):
                change = f"{_describe_statement_in_few_words(second)} before {_describe_statement_in_few_words(first)}"
                yield first, ("swapped", change, {id(first): (second,), id(second): (first,)})

    def _iter_mistakes_at_statement(self, statement: Statement) -> Iterator[AuthoringMistake]:
        if isinstance(statement, Keep | Require | Finish):
            return
        yield "left out", f"{_describe_statement_in_few_words(statement)} left out", {id(statement): ()}
        if isinstance(statement, Invoke) or (
            isinstance(statement, Assign) and statement.field in find_fields_term_depends_on(statement.value)
        ):
            yield (
                "twice",
                f"{_describe_statement_in_few_words(statement)} twice",
                {id(statement): (statement, statement)},
            )
        if isinstance(statement, Loop) and statement.stop - statement.start == self.game.players > 1:
            shorter = Loop(statement.var, statement.start, statement.stop - 1, statement.body)
            yield "seats", "the last seat left out", {id(statement): (shorter,)}
        if isinstance(statement, Assign):
            if self._has_one_part_per_seat(statement.field):
                other = Assign(
                    statement.field,
                    self._build_index_for_next_seat(statement.field, statement.index),
                    statement.value,
                    statement.place,
                )
                yield "player", f"{statement.field.name} of the next player", {id(statement): (other,)}
            deck = self.alike.get(statement.field.number)
            if deck is not None:
                other = Assign(deck, statement.index, statement.value, statement.place)
                yield "deck", f"{deck.name} for {statement.field.name}", {id(statement): (other,)}

    def iter_mistakes_at_term(self, term: Term) -> Iterator[AuthoringMistake]:
        """Yield slips at a term itself."""
        match term:
            case Read() if self._has_one_part_per_seat(term.field):
                clock = term.reads[term.field.number]
                other = Read(term.field, self._build_index_for_next_seat(term.field, term.index), clock)
                yield "player", f"{term.field.name} of the next player", {id(term): other}
            case Reduce():
                if term.kind in _OTHER_QUANTIFIER:
                    kind = _OTHER_QUANTIFIER[term.kind]
                    other_kind = Reduce(kind, term.var, term.start, term.stop, term.body)
                    yield "quantifier", f"{kind} for {term.kind}", {id(term): other_kind}
                if term.stop - term.start == self.game.players > 1:
                    shorter = Reduce(term.kind, term.var, term.start, term.stop - 1, term.body)
                    yield "seats", "the last seat left out", {id(term): shorter}
            case Op(op="and" | "or"):
                word = _OTHER_QUANTIFIER[term.op]
                yield "quantifier", f"`{word}` for `{term.op}`", {id(term): OPERATORS[word](*term.args)}

    def iter_mistake_of_skipping_phase(self, phase: Phase) -> Iterator[AuthoringMistake]:
        """Yield that an automatic phase does nothing but lead on."""
        body = phase.body or ()
        done = [s for s in body if not self._can_change_phase(s)]
        if done and len(done) < len(body):
            yield "skipped", f"the phase {phase.name} is skipped", {id(s): () for s in done}

    def _can_change_phase(self, statement: Statement) -> bool:
        """Return whether a statement goes to another phase, in some case."""
        return any(
            isinstance(s, Assign) and s.field.number in self.phases for s in iter_statements_recursively((statement,))
        )

    def _has_one_part_per_seat(self, field: Field) -> bool:
        return bool(field.shape) and field.shape[0] == self.game.players > 1

    def _build_index_for_next_seat(self, field: Field, index: Term) -> Term:
        """Return the same place of the next player's part of an array."""
        share = field.size // field.shape[0]
        if isinstance(index, Const):
            return Const((index.value + share) % field.size)
        last = field.size - share
        return clamp(pick(index >= last, index - last, index + share), 0, field.size - 1)


def iter_fields_hidden_from_some_player(game: Game) -> Iterator[Field]:
    """Yield the fields that hide something, which a slip may show to all."""
    if game.players > 1:
        yield from (field for field in game.fields[2:] if field.sees is not Sees.ALL and field.lo < field.hi)


def _map_arrays_to_next_similar_one(fields: Sequence[Field]) -> dict[int, Field]:
    """Return for each array the next one of the same shape, bounds and names, if there is one."""
    groups: dict[object, list[Field]] = {}
    for field in fields:
        if field.shape:
            groups.setdefault((field.shape, field.lo, field.hi, field.labels), []).append(field)
    pairs = ((group, n) for group in groups.values() if len(group) > 1 for n in range(len(group)))
    return {group[n].number: group[(n + 1) % len(group)] for group, n in pairs}


def _do_statements_share_written_field(first: Statement, second: Statement) -> bool:
    """Return whether one statement writes what the other reads or writes."""
    a, b = find_numbers_of_written_fields((first,)), find_numbers_of_written_fields((second,))
    return bool(
        a & (b | find_field_numbers_read_by_statement(second)) or b & find_field_numbers_read_by_statement(first)
    )


def find_field_numbers_read_by_statement(statement: Statement) -> frozenset[int]:
    """Return the numbers of the fields that a statement reads."""
    terms = [term for s in iter_statements_recursively((statement,)) for term in list_terms_directly_in_statement(s)]
    return frozenset(field.number for term in terms for field in find_fields_term_depends_on(term))


def list_terms_directly_in_statement(statement: Statement) -> tuple[Term, ...]:
    """Return the terms that a statement itself holds, without those of statements in it."""
    match statement:
        case Assign():
            return statement.index, statement.value
        case Keep():
            return (statement.value,)
        case If() | Require():
            return (statement.condition,)
        case Invoke():
            return statement.args
    return ()


def _describe_statement_in_few_words(statement: Statement) -> str:
    """Return a statement in a few words."""
    match statement:
        case Assign():
            return f"`{statement.field.name} =`"
        case Invoke():
            return f"`{statement.procedure.name}`"
        case If():
            fields = [f.name for f in find_fields_term_depends_on(statement.condition)][:2]
            return f"`when {' '.join(fields)}`"
    return "the loop"


# -- sites ---------------------------------------------------------------------------------------------------
# What can be changed in the rules of a game: numbers, comparisons, destinations and guards of its
# description, and the slips of a writer's hand (`slips.py`).

KINDS = ("number", "comparison", "destination", "guard", *MISTAKE_KINDS)
_OTHER = {"<": "<=", "<=": "<", "==": "!=", "!=": "=="}


@dataclass(frozen=True)
class Mutant:
    """One change of a description. `owner` is the action, phase or function that contains it. `key`
    is the same in each process. `member` counts the sites of its family."""

    kind: str
    place: Place
    owner: str
    said: str
    member: int
    swaps: TermSwaps
    start: tuple[int, int, int] | None = None  # a field's number, one of its cells, and the cell's new start
    revealed: int | None = None  # the number of a field that all see now

    @property
    def file_and_line(self) -> str:
        """The place as `file:line`, which editors make clickable."""
        return f"{make_path_relative_to_working_folder(Path(self.place.file).resolve())}:{self.place.line}"

    @property
    def family(self) -> str:
        """The name that all changes of this kind at one line share."""
        return f"{self.file_and_line} {self.kind} {self.said}"

    @property
    def key(self) -> str:
        """The mutant's unique name."""
        return f"{self.family} in {self.owner} #{self.member}"

    @property
    def changes_field_in_place(self) -> bool:
        """Whether a field of the game itself is changed, and no step."""
        return self.start is not None or self.revealed is not None

    def build_or_edit_changed_game_or_none(self, game: Game) -> Game | None:
        """Return the changed game, or None if the change makes no sense. A field is changed in
        place, so the caller must be its own process."""
        if self.revealed is not None:
            game.fields[self.revealed].sees = Sees.ALL
            return copy(game)
        if self.start is not None:
            number, cell, value = self.start
            field = game.fields[number]
            field.start = (*field.start[:cell], value, *field.start[cell + 1 :])
            return copy(game)  # what is kept about the game with the other start is not about this one
        try:
            return copy_game_with_swapped_parts(game, self.swaps)
        except ReplacementOutOfBounds:
            return None


def list_mutants_of_sealed_game(game: Game) -> list[Mutant]:
    """Return every mutant of a sealed game, in the order of the description."""
    return _number_mutants_by_family_and_owner(
        [
            *_MutantFinder(game).iter_mutants_of_actions_and_phases(),
            *_iter_start_value_mutants(game),
            *_iter_mutants_revealing_hidden_fields(game),
        ]
    )


def _number_mutants_by_family_and_owner(unnumbered: list[Mutant]) -> list[Mutant]:
    """Return the mutants, each with its number among those of its family in one owner."""
    counted: Counter[str] = Counter()
    numbered = []
    for mutant in unnumbered:
        name = f"{mutant.family} in {mutant.owner}"
        numbered.append(replace(mutant, member=counted[name]))
        counted[name] += 1
    return numbered


def _iter_start_value_mutants(game: Game) -> Iterator[Mutant]:
    """Yield mutants in which a number starts with another value. The starts of the phase and the
    outcome stay."""
    for field in game.fields[2:]:
        for cell, value in enumerate(field.start):
            other = value + 1 if value < field.hi else value - 1
            if field.lo <= other <= field.hi and field.place is not None:
                name = f"{field.name}[{cell}]" if field.shape else field.name
                change = f"{field.name} starts with {field.format_value(other)} for {field.format_value(value)}"
                yield Mutant("number", field.place, name, change, 0, {}, (field.number, cell, other))


def _iter_mutants_revealing_hidden_fields(game: Game) -> Iterator[Mutant]:
    """Yield mutants in which all see what is hidden."""
    for field in iter_fields_hidden_from_some_player(game):
        change = f"{field.name} is hidden from nobody"
        yield Mutant("hidden", field.place, field.name, change, 0, {}, None, field.number)


class _MutantFinder:
    """Walks a description and yields the mutants of each term and statement once."""

    def __init__(self, game: Game) -> None:
        self.game, self.seen = game, set[int]()
        self.owner, self.place = game.name, game.place
        self.slips = AuthoringMistakes(game)
        self.phases = self.slips.phases

    def iter_mutants_of_actions_and_phases(self) -> Iterator[Mutant]:
        """Yield every mutant, action by action, then phase by phase."""
        for action in self.game.actions:
            yield from self._iter_mutants_under_owner(
                f"action {action.name}", action.place, self._iter_mutants_of_statements(action.body)
            )
            if action.weight is not None:
                yield from self._iter_mutants_under_owner(
                    f"action {action.name}", action.place, self._iter_mutants_of_term(action.weight)
                )
        for phase in self.game.phases:
            yield from self._iter_mutants_under_owner(
                f"phase {phase.name}", phase.place or self.game.place, self._iter_mutants_of_phase(phase)
            )

    def _iter_mutants_of_phase(self, phase: Phase) -> Iterator[Mutant]:
        yield from self._iter_mutants_of_mistakes(self.slips.iter_mistake_of_skipping_phase(phase))
        yield from self._iter_mutants_of_statements(phase.body or ())

    def _iter_mutants_of_mistakes(self, mistakes: Iterable[AuthoringMistake]) -> Iterator[Mutant]:
        """Yield slips as mutants at the present place."""
        for kind, change, swaps in mistakes:
            yield Mutant(kind, self.place, self.owner, change, 0, swaps)

    def _iter_mutants_under_owner(self, owner: str, place: Place, mutants: Iterator[Mutant]) -> Iterator[Mutant]:
        """Yield mutants that belong to an owner at a place."""
        outside = self.owner, self.place
        self.owner, self.place = owner, place
        yield from mutants
        self.owner, self.place = outside

    def _build_mutant_at_present_place(self, kind: str, change: str, old: Any, new: Any) -> Mutant:
        """Return a mutant at the present place; `change` says in words what it changes."""
        return Mutant(kind, self.place, self.owner, change, 0, {id(old): new})

    def _mark_visited_and_tell_if_new(self, node: object) -> bool:
        if id(node) in self.seen:
            return False
        self.seen.add(id(node))
        return True

    # -- statements -----------------------------------------------------------------------------------------

    def _iter_mutants_of_statements(self, body: tuple[Statement, ...]) -> Iterator[Mutant]:
        fresh = [statement for statement in body if id(statement) not in self.seen]
        for statement, slip in self.slips.iter_mistakes_in_statements(fresh):
            place = getattr(statement, "place", None)
            yield from self._iter_mutants_under_owner(
                self.owner, place or self.place, self._iter_mutants_of_mistakes([slip])
            )
        for statement in body:
            if self._mark_visited_and_tell_if_new(statement):
                place = getattr(statement, "place", None)
                yield from self._iter_mutants_under_owner(
                    self.owner, place or self.place, self._iter_mutants_of_statement(statement)
                )

    def _iter_mutants_of_statement(self, statement: Statement) -> Iterator[Mutant]:
        match statement:
            case Assign():
                yield from self._iter_mutants_of_assignment(statement)
            case Keep():
                yield from self._iter_mutants_of_term(statement.value)
            case If():
                yield from self._iter_mutants_dropping_condition(statement)
                yield from self._iter_mutants_of_term(statement.condition)
                yield from self._iter_mutants_of_statements(statement.then)
                yield from self._iter_mutants_of_statements(statement.other)
            case Loop():
                yield from self._iter_mutants_of_statements(statement.body)
            case Require():
                yield self._build_mutant_at_present_place(
                    "guard", f"no `require`: {statement.text[:50]}", statement, ()
                )
                yield from self._iter_mutants_of_term(statement.condition)
            case Finish():
                yield from self._iter_mutants_of_game_end(statement)
            case Invoke():
                for argument in statement.args:
                    yield from self._iter_mutants_of_term(argument)
                yield from self._iter_mutants_of_procedure(statement.procedure)

    def _iter_mutants_dropping_condition(self, statement: If) -> Iterator[Mutant]:
        """Yield mutants that drop a condition: one branch always runs."""
        if statement.then:
            yield self._build_mutant_at_present_place("guard", "no `when`", statement, statement.then)
        if statement.other:
            yield self._build_mutant_at_present_place("guard", "always otherwise", statement, statement.other)

    def _iter_mutants_of_game_end(self, statement: Finish) -> Iterator[Mutant]:
        reason = self.game.endings[statement.ending - 1].reason
        yield self._build_mutant_at_present_place("destination", f"not over: {reason}", statement, ())
        if len(self.game.endings) > 1:
            other = self.game.endings[statement.ending % len(self.game.endings)]
            yield self._build_mutant_at_present_place(
                "destination", f"{other.reason} for {reason}", statement, (Finish(other.number, statement.place),)
            )

    def _iter_mutants_of_assignment(self, statement: Assign) -> Iterator[Mutant]:
        if isinstance(statement.value, Const):
            yield from self._iter_mutants_of_assigned_constant(statement, statement.value)
        else:
            yield from self._iter_mutants_of_term(statement.value)
        if isinstance(statement.index, Const) and statement.field.size > 1:
            place = Const((statement.index.value + 1) % statement.field.size)
            change = f"{statement.field.name}[{place.value}] for [{statement.index.value}]"
            yield self._build_mutant_at_present_place(
                "destination", change, statement, (Assign(statement.field, place, statement.value, statement.place),)
            )

    def _iter_mutants_of_assigned_constant(self, statement: Assign, value: Const) -> Iterator[Mutant]:
        """Yield mutants of a constant that is assigned: the next phase or place, or a neighbouring
        number."""
        field = statement.field
        leads = field.number in self.phases or len(field.labels) > 2
        for step in (1,) if leads else (1, -1):
            other = field.lo + (value.value + step - field.lo) % (field.hi - field.lo + 1)
            if other != value.value:
                change = f"{field.name} = {field.format_value(other)} for {field.format_value(value.value)}"
                yield self._build_mutant_at_present_place(
                    "destination" if leads else "number",
                    change,
                    statement,
                    (Assign(field, statement.index, Const(other), statement.place),),
                )
            if field.hi - field.lo < 2:
                return

    def _iter_mutants_of_procedure(self, procedure: Procedure) -> Iterator[Mutant]:
        if self._mark_visited_and_tell_if_new(procedure):
            yield from self._iter_mutants_under_owner(
                f"procedure {procedure.name}", self.place, self._iter_mutants_of_statements(procedure.body)
            )

    # -- terms ----------------------------------------------------------------------------------------------

    def _iter_mutants_of_term(self, term: Term, compared_field: Field | None = None) -> Iterator[Mutant]:
        """Yield mutants of a term. `held` is the field that it is compared with, which may name its
        values."""
        if not self._mark_visited_and_tell_if_new(term):
            return
        yield from self._iter_mutants_of_mistakes(self.slips.iter_mistakes_at_term(term))
        match term:
            case Const():
                yield from self._iter_mutants_of_constant(term, compared_field)
            case Op():
                yield from self._iter_mutants_of_operation(term)
            case Read() | Lookup():
                yield from self._iter_mutants_of_choices_in_index(term.index)
            case Reduce():
                yield from self._iter_mutants_of_term(term.body)
            case Apply():
                for argument in term.args:
                    yield from self._iter_mutants_of_term(argument)
                yield from self._iter_mutants_of_function(term.function)

    def _iter_mutants_of_choices_in_index(self, index: Term) -> Iterator[Mutant]:
        """Yield mutants inside an index. Its arithmetic addresses the array, so only choices and
        other terms in it are rules."""
        match index:
            case Op(op="pick"):
                yield from self._iter_mutants_of_term(index.args[0])
                for argument in index.args[1:]:
                    yield from self._iter_mutants_of_choices_in_index(argument)
            case Op(op="+" | "*" | "min" | "max"):
                for argument in index.args:
                    yield from self._iter_mutants_of_choices_in_index(argument)
            case Op() | Read() | Lookup() | Apply() | Reduce():
                yield from self._iter_mutants_of_term(index)

    def _iter_mutants_of_constant(self, term: Const, compared_field: Field | None) -> Iterator[Mutant]:
        if compared_field is not None and compared_field.labels:
            other = compared_field.lo + (term.value + 1 - compared_field.lo) % (
                compared_field.hi - compared_field.lo + 1
            )
            if compared_field.lo <= term.value <= compared_field.hi and other != term.value:
                yield self._build_mutant_at_present_place(
                    "destination" if compared_field.number in self.phases else "number",
                    f"{compared_field.format_value(other)} for {compared_field.format_value(term.value)}",
                    term,
                    Const(other),
                )
            return
        for step in (1, -1):
            yield self._build_mutant_at_present_place(
                "number", f"{term.value + step} for {term.value}", term, Const(term.value + step)
            )

    def _iter_mutants_of_operation(self, term: Op) -> Iterator[Mutant]:
        held = None
        if term.op in _OTHER:
            yield self._build_mutant_at_present_place(
                "comparison",
                f"`{_OTHER[term.op]}` for `{term.op}`",
                term,
                make_comparison_term(_OTHER[term.op], *term.args),
            )
            held = next((a.field for a in term.args if isinstance(a, Read)), None)
        elif term.op == "and":
            yield from self._iter_mutants_dropping_operand(term, "&")
        elif term.op == "or":
            yield from self._iter_mutants_dropping_operand(term, "|")
        elif term.op == "pick":
            yield self._build_mutant_at_present_place(
                "guard", "the other way of `pick`", term, _copy_pick_with_negated_condition(term)
            )
        for n, argument in enumerate(term.args):
            is_divisor = term.op in ("//", "%") and n == 1
            if is_divisor and isinstance(argument, Const) and argument.value < 2:  # one less would be 0
                continue
            yield from self._iter_mutants_of_term(argument, held)

    def _iter_mutants_dropping_operand(self, term: Op, sign: str) -> Iterator[Mutant]:
        """Yield mutants that leave out the first or the second part of an `and` or `or`."""
        for n, other_part in enumerate(reversed(term.args)):
            place = "first" if n == 0 else "second"
            yield self._build_mutant_at_present_place("guard", f"{place} part of `{sign}` left out", term, other_part)

    def _iter_mutants_of_function(self, function: Function) -> Iterator[Mutant]:
        if self._mark_visited_and_tell_if_new(function):
            yield from self._iter_mutants_under_owner(
                f"function {function.name}", function.place or self.place, self._iter_mutants_of_term(function.body)
            )


def _copy_pick_with_negated_condition(term: Op) -> Term:
    """Return a choice between values with its condition negated."""
    condition, yes, no = term.args
    return Op("pick", (make_not_term(condition), yes, no), term.lo, term.hi)
