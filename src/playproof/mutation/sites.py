"""What can be changed in the rules of a game: numbers, comparisons, destinations and guards of its
description, and the slips of a writer's hand (`slips.py`).

A *site* is a term or statement of the traced description; a *mutant* is one change at one site.
Sites that come from one source line traced many times (a loop over cards) form one family; a sample
takes members of different families in turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from playproof.database.errors import shorten_path
from playproof.language import Phase, Place, Term
from playproof.language.expr import Apply, Const, Function, Lookup, Op, Read, Reduce, compare, logical_not
from playproof.language.fields import Field, Sees
from playproof.language.game import Game
from playproof.language.traced_statements import (
    Assign,
    Finish,
    If,
    Invoke,
    Keep,
    Loop,
    Procedure,
    Require,
    Statement,
)
from playproof.mutation.rewriting import ReplacementOutOfBounds, TermSwaps, rewrite_game
from playproof.mutation.slips import KINDS as SLIPS, AuthoringMistake, AuthoringMistakes, iter_hidden_fields

KINDS = ("number", "comparison", "destination", "guard", *SLIPS)
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
