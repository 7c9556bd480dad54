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

from playproof.database.errors import shorten_path
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
    compare,
    logical_not,
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
    find_fields_read,
    find_written_fields,
    iter_statements,
)
from playproof.mutation.rewriting import ReplacementOutOfBounds, TermSwaps, rewrite_game

# -- slips ---------------------------------------------------------------------------------------------------
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
        self.alike = _next_similar_array(game.fields[2:])
        self.phases = {game.current_phase.field.number, *(f.number for f in game.phase_fields)}

    def iter_mistakes_in_statements(
        self, body: Sequence[Statement]
    ) -> Iterator[tuple[Statement, AuthoringMistake]]:
        """Yield slips in a row of statements, each with the statement at which it stands."""
        for statement in body:
            yield from ((statement, slip) for slip in self._iter_mistakes_at_statement(statement))
        for first, second in pairwise(body):
            if isinstance(first, _STEPS) and isinstance(second, _STEPS) and _are_dependent(first, second):
                change = f"{_describe_statement(second)} before {_describe_statement(first)}"
                yield first, ("swapped", change, {id(first): (second,), id(second): (first,)})

    def _iter_mistakes_at_statement(self, s: Statement) -> Iterator[AuthoringMistake]:
        if isinstance(s, Keep | Require | Finish):
            return
        yield "left out", f"{_describe_statement(s)} left out", {id(s): ()}
        if isinstance(s, Invoke) or (isinstance(s, Assign) and s.field in find_fields_read(s.value)):
            yield "twice", f"{_describe_statement(s)} twice", {id(s): (s, s)}
        if isinstance(s, Loop) and s.stop - s.start == self.game.players > 1:
            shorter = Loop(s.var, s.start, s.stop - 1, s.body)
            yield "seats", "the last seat left out", {id(s): (shorter,)}
        if isinstance(s, Assign):
            if self._is_array_over_seats(s.field):
                other = Assign(s.field, self._index_for_next_seat(s.field, s.index), s.value, s.place)
                yield "player", f"{s.field.name} of the next player", {id(s): (other,)}
            deck = self.alike.get(s.field.number)
            if deck is not None:
                other = Assign(deck, s.index, s.value, s.place)
                yield "deck", f"{deck.name} for {s.field.name}", {id(s): (other,)}

    def iter_mistakes_at_term(self, term: Term) -> Iterator[AuthoringMistake]:
        """Yield slips at a term itself."""
        match term:
            case Read() if self._is_array_over_seats(term.field):
                clock = term.reads[term.field.number]
                other = Read(term.field, self._index_for_next_seat(term.field, term.index), clock)
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

    def iter_skipped_phase(self, phase: Phase) -> Iterator[AuthoringMistake]:
        """Yield that an automatic phase does nothing but lead on."""
        body = phase.body or ()
        done = [s for s in body if not self._changes_phase(s)]
        if done and len(done) < len(body):
            yield "skipped", f"the phase {phase.name} is skipped", {id(s): () for s in done}

    def _changes_phase(self, statement: Statement) -> bool:
        """Return whether a statement goes to another phase, in some case."""
        return any(
            isinstance(s, Assign) and s.field.number in self.phases for s in iter_statements((statement,))
        )

    def _is_array_over_seats(self, field: Field) -> bool:
        return bool(field.shape) and field.shape[0] == self.game.players > 1

    def _index_for_next_seat(self, field: Field, index: Term) -> Term:
        """Return the same place of the next player's part of an array."""
        share = field.size // field.shape[0]
        if isinstance(index, Const):
            return Const((index.value + share) % field.size)
        last = field.size - share
        return clamp(pick(index >= last, index - last, index + share), 0, field.size - 1)


def iter_hidden_fields(game: Game) -> Iterator[Field]:
    """Yield the fields that hide something, which a slip may show to all."""
    if game.players > 1:
        yield from (field for field in game.fields[2:] if field.sees is not Sees.ALL and field.lo < field.hi)


def _next_similar_array(fields: Sequence[Field]) -> dict[int, Field]:
    """Return for each array the next one of the same shape, bounds and names, if there is one."""
    groups: dict[object, list[Field]] = {}
    for field in fields:
        if field.shape:
            groups.setdefault((field.shape, field.lo, field.hi, field.labels), []).append(field)
    pairs = ((group, n) for group in groups.values() if len(group) > 1 for n in range(len(group)))
    return {group[n].number: group[(n + 1) % len(group)] for group, n in pairs}


def _are_dependent(first: Statement, second: Statement) -> bool:
    """Return whether one statement writes what the other reads or writes."""
    a, b = find_written_fields((first,)), find_written_fields((second,))
    return bool(a & (b | field_numbers_read_by(second)) or b & field_numbers_read_by(first))


def field_numbers_read_by(statement: Statement) -> frozenset[int]:
    """Return the numbers of the fields that a statement reads."""
    terms = [term for s in iter_statements((statement,)) for term in terms_of_statement(s)]
    return frozenset(field.number for term in terms for field in find_fields_read(term))


def terms_of_statement(s: Statement) -> tuple[Term, ...]:
    """Return the terms that a statement itself holds, without those of statements in it."""
    match s:
        case Assign():
            return s.index, s.value
        case Keep():
            return (s.value,)
        case If() | Require():
            return (s.condition,)
        case Invoke():
            return s.args
    return ()


def _describe_statement(s: Statement) -> str:
    """Return a statement in a few words."""
    match s:
        case Assign():
            return f"`{s.field.name} =`"
        case Invoke():
            return f"`{s.procedure.name}`"
        case If():
            fields = [f.name for f in find_fields_read(s.condition)][:2]
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
        return f"{shorten_path(Path(self.place.file).resolve())}:{self.place.line}"

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

    def apply_to_game(self, game: Game) -> Game | None:
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
            return rewrite_game(game, self.swaps)
        except ReplacementOutOfBounds:
            return None


def list_mutants(game: Game) -> list[Mutant]:
    """Return every mutant of a sealed game, in the order of the description."""
    return _number_family_members(
        [
            *_MutantFinder(game).iter_mutants(),
            *_iter_start_value_mutants(game),
            *_iter_revealed_field_mutants(game),
        ]
    )


def _number_family_members(unnumbered: list[Mutant]) -> list[Mutant]:
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
                change = (
                    f"{field.name} starts with {field.format_value(other)} for {field.format_value(value)}"
                )
                yield Mutant("number", field.place, name, change, 0, {}, (field.number, cell, other))


def _iter_revealed_field_mutants(game: Game) -> Iterator[Mutant]:
    """Yield mutants in which all see what is hidden."""
    for field in iter_hidden_fields(game):
        change = f"{field.name} is hidden from nobody"
        yield Mutant("hidden", field.place, field.name, change, 0, {}, None, field.number)


class _MutantFinder:
    """Walks a description and yields the mutants of each term and statement once."""

    def __init__(self, game: Game) -> None:
        self.game, self.seen = game, set[int]()
        self.owner, self.place = game.name, game.place
        self.slips = AuthoringMistakes(game)
        self.phases = self.slips.phases

    def iter_mutants(self) -> Iterator[Mutant]:
        """Yield every mutant, action by action, then phase by phase."""
        for action in self.game.actions:
            yield from self._iter_with_owner(
                f"action {action.name}", action.place, self._mutate_statements(action.body)
            )
            if action.weight is not None:
                yield from self._iter_with_owner(
                    f"action {action.name}", action.place, self._mutate_term(action.weight)
                )
        for phase in self.game.phases:
            yield from self._iter_with_owner(
                f"phase {phase.name}", phase.place or self.game.place, self._mutate_phase(phase)
            )

    def _mutate_phase(self, phase: Phase) -> Iterator[Mutant]:
        yield from self._mistakes_to_mutants(self.slips.iter_skipped_phase(phase))
        yield from self._mutate_statements(phase.body or ())

    def _mistakes_to_mutants(self, slips: Iterable[AuthoringMistake]) -> Iterator[Mutant]:
        """Yield slips as mutants at the present place."""
        for kind, change, swaps in slips:
            yield Mutant(kind, self.place, self.owner, change, 0, swaps)

    def _iter_with_owner(self, owner: str, place: Place, inner: Iterator[Mutant]) -> Iterator[Mutant]:
        """Yield mutants that belong to an owner at a place."""
        outside = self.owner, self.place
        self.owner, self.place = owner, place
        yield from inner
        self.owner, self.place = outside

    def _make_mutant(self, kind: str, change: str, old: Any, new: Any) -> Mutant:
        """Return a mutant at the present place; `change` says in words what it changes."""
        return Mutant(kind, self.place, self.owner, change, 0, {id(old): new})

    def _mark_seen(self, node: object) -> bool:
        if id(node) in self.seen:
            return False
        self.seen.add(id(node))
        return True

    # -- statements -----------------------------------------------------------------------------------------

    def _mutate_statements(self, body: tuple[Statement, ...]) -> Iterator[Mutant]:
        fresh = [statement for statement in body if id(statement) not in self.seen]
        for statement, slip in self.slips.iter_mistakes_in_statements(fresh):
            place = getattr(statement, "place", None)
            yield from self._iter_with_owner(
                self.owner, place or self.place, self._mistakes_to_mutants([slip])
            )
        for statement in body:
            if self._mark_seen(statement):
                place = getattr(statement, "place", None)
                yield from self._iter_with_owner(
                    self.owner, place or self.place, self._mutate_statement(statement)
                )

    def _mutate_statement(self, s: Statement) -> Iterator[Mutant]:
        match s:
            case Assign():
                yield from self._mutate_assignment(s)
            case Keep():
                yield from self._mutate_term(s.value)
            case If():
                yield from self._drop_condition(s)
                yield from self._mutate_term(s.condition)
                yield from self._mutate_statements(s.then)
                yield from self._mutate_statements(s.other)
            case Loop():
                yield from self._mutate_statements(s.body)
            case Require():
                yield self._make_mutant("guard", f"no `require`: {s.text[:50]}", s, ())
                yield from self._mutate_term(s.condition)
            case Finish():
                yield from self._mutate_finish(s)
            case Invoke():
                for argument in s.args:
                    yield from self._mutate_term(argument)
                yield from self._mutate_procedure(s.procedure)

    def _drop_condition(self, s: If) -> Iterator[Mutant]:
        """Yield mutants that drop a condition: one branch always runs."""
        if s.then:
            yield self._make_mutant("guard", "no `when`", s, s.then)
        if s.other:
            yield self._make_mutant("guard", "always otherwise", s, s.other)

    def _mutate_finish(self, s: Finish) -> Iterator[Mutant]:
        reason = self.game.endings[s.ending - 1].reason
        yield self._make_mutant("destination", f"not over: {reason}", s, ())
        if len(self.game.endings) > 1:
            other = self.game.endings[s.ending % len(self.game.endings)]
            yield self._make_mutant(
                "destination", f"{other.reason} for {reason}", s, (Finish(other.number, s.place),)
            )

    def _mutate_assignment(self, s: Assign) -> Iterator[Mutant]:
        if isinstance(s.value, Const):
            yield from self._mutate_assigned_constant(s, s.value)
        else:
            yield from self._mutate_term(s.value)
        if isinstance(s.index, Const) and s.field.size > 1:
            place = Const((s.index.value + 1) % s.field.size)
            change = f"{s.field.name}[{place.value}] for [{s.index.value}]"
            yield self._make_mutant("destination", change, s, (Assign(s.field, place, s.value, s.place),))

    def _mutate_assigned_constant(self, s: Assign, value: Const) -> Iterator[Mutant]:
        """Yield mutants of a constant that is assigned: the next phase or place, or a neighbouring
        number."""
        field = s.field
        leads = field.number in self.phases or len(field.labels) > 2
        for step in (1,) if leads else (1, -1):
            other = field.lo + (value.value + step - field.lo) % (field.hi - field.lo + 1)
            if other != value.value:
                change = f"{field.name} = {field.format_value(other)} for {field.format_value(value.value)}"
                yield self._make_mutant(
                    "destination" if leads else "number",
                    change,
                    s,
                    (Assign(field, s.index, Const(other), s.place),),
                )
            if field.hi - field.lo < 2:
                return

    def _mutate_procedure(self, procedure: Procedure) -> Iterator[Mutant]:
        if self._mark_seen(procedure):
            yield from self._iter_with_owner(
                f"procedure {procedure.name}", self.place, self._mutate_statements(procedure.body)
            )

    # -- terms ----------------------------------------------------------------------------------------------

    def _mutate_term(self, term: Term, compared_field: Field | None = None) -> Iterator[Mutant]:
        """Yield mutants of a term. `held` is the field that it is compared with, which may name its
        values."""
        if not self._mark_seen(term):
            return
        yield from self._mistakes_to_mutants(self.slips.iter_mistakes_at_term(term))
        match term:
            case Const():
                yield from self._mutate_constant(term, compared_field)
            case Op():
                yield from self._mutate_operation(term)
            case Read() | Lookup():
                yield from self._mutate_index(term.index)
            case Reduce():
                yield from self._mutate_term(term.body)
            case Apply():
                for argument in term.args:
                    yield from self._mutate_term(argument)
                yield from self._mutate_function(term.function)

    def _mutate_index(self, index: Term) -> Iterator[Mutant]:
        """Yield mutants inside an index. Its arithmetic addresses the array, so only choices and
        other terms in it are rules."""
        match index:
            case Op(op="pick"):
                yield from self._mutate_term(index.args[0])
                for argument in index.args[1:]:
                    yield from self._mutate_index(argument)
            case Op(op="+" | "*" | "min" | "max"):
                for argument in index.args:
                    yield from self._mutate_index(argument)
            case Op() | Read() | Lookup() | Apply() | Reduce():
                yield from self._mutate_term(index)

    def _mutate_constant(self, term: Const, compared_field: Field | None) -> Iterator[Mutant]:
        if compared_field is not None and compared_field.labels:
            other = compared_field.lo + (term.value + 1 - compared_field.lo) % (
                compared_field.hi - compared_field.lo + 1
            )
            if compared_field.lo <= term.value <= compared_field.hi and other != term.value:
                yield self._make_mutant(
                    "destination" if compared_field.number in self.phases else "number",
                    f"{compared_field.format_value(other)} for {compared_field.format_value(term.value)}",
                    term,
                    Const(other),
                )
            return
        for step in (1, -1):
            yield self._make_mutant(
                "number", f"{term.value + step} for {term.value}", term, Const(term.value + step)
            )

    def _mutate_operation(self, term: Op) -> Iterator[Mutant]:
        held = None
        if term.op in _OTHER:
            yield self._make_mutant(
                "comparison",
                f"`{_OTHER[term.op]}` for `{term.op}`",
                term,
                compare(_OTHER[term.op], *term.args),
            )
            held = next((a.field for a in term.args if isinstance(a, Read)), None)
        elif term.op == "and":
            yield from self._drop_operand(term, "&")
        elif term.op == "or":
            yield from self._drop_operand(term, "|")
        elif term.op == "pick":
            yield self._make_mutant("guard", "the other way of `pick`", term, _negate_pick_condition(term))
        for n, argument in enumerate(term.args):
            is_divisor = term.op in ("//", "%") and n == 1
            if is_divisor and isinstance(argument, Const) and argument.value < 2:  # one less would be 0
                continue
            yield from self._mutate_term(argument, held)

    def _drop_operand(self, term: Op, sign: str) -> Iterator[Mutant]:
        """Yield mutants that leave out the first or the second part of an `and` or `or`."""
        for n, other_part in enumerate(reversed(term.args)):
            place = "first" if n == 0 else "second"
            yield self._make_mutant("guard", f"{place} part of `{sign}` left out", term, other_part)

    def _mutate_function(self, function: Function) -> Iterator[Mutant]:
        if self._mark_seen(function):
            yield from self._iter_with_owner(
                f"function {function.name}", function.place or self.place, self._mutate_term(function.body)
            )


def _negate_pick_condition(term: Op) -> Term:
    """Return a choice between values with its condition negated."""
    condition, yes, no = term.args
    return Op("pick", (logical_not(condition), yes, no), term.lo, term.hi)
