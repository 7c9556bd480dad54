"""Slips: what a writer of rules gets wrong by hand. A statement is left out or stands twice, two steps are swapped,
another player or another deck is meant, a loop misses a seat, `any` stands for `all`, a phase is skipped, or what is
hidden is shown.

Each function yields what a change says and the parts that it exchanges; `sites.py` knows where they stand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from playproof.language import Phase, Term
from playproof.language.expr import OPERATORS, Const, Op, Read, Reduce, clamp, pick
from playproof.language.fields import Field, Sees
from playproof.language.game import Game
from playproof.language.traced_statements import (
    Assign,
    Finish,
    If,
    Invoke,
    Keep,
    Loop,
    Require,
    Statement,
    find_written_fields,
    iter_statements,
)
from playproof.language.walks import find_fields_read
from playproof.mutation.rewriting import TermSwaps

KINDS = ("left out", "twice", "swapped", "player", "deck", "seats", "quantifier", "skipped", "hidden")
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
