"""Finds what legality may tell: requirements that read cells which the acting player does not see, and phases
whose actor not everybody can tell.

A player sees which actions may be chosen, and whose turn it is. If these depend on hidden cells, they are part of
what the player knows. Everything that groups worlds by what a seat knows asks `RevealingPhases.from_game(game)`.

The answer errs on one side: a requirement that is not listed reads only what its actor sees. One that is listed may
still tell nothing, because another requirement or an invariant of the game decides it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from playproof.language.expr import Apply, Const, Local, Op, Read, Term, get_child_terms
from playproof.language.fields import Field, Sees
from playproof.language.game import Game
from playproof.language.parts import Action, Phase
from playproof.language.traced_statements import If, Keep, Require, Statement, iter_statements
from playproof.language.walks import find_fields_read, iter_conjuncts, make_shape_key

_TermsByLocal = Mapping[int, tuple[Term, ...]]


@dataclass(frozen=True, slots=True)
class HiddenRequirement:
    """A requirement of a player's action that may read `field` where the actor does not see it. `source` is the
    requirement, or the condition around one."""

    action: Action
    source: Require | If
    field: Field


@dataclass(frozen=True, slots=True)
class RevealingPhases:
    """The phases in which a seat may learn something beside the cells that it sees: `choices` are those in which the
    legal actions may tell it something, `actors` those in which it may learn from who acts."""

    choices: frozenset[int]
    actors: frozenset[int]

    @classmethod
    def from_game(cls, game: Game) -> RevealingPhases:
        """Return the phases of a game that may tell something."""
        return _find_revealing_phases(id(game), game)


@lru_cache(maxsize=256)
def _find_revealing_phases(_: int, game: Game) -> RevealingPhases:
    if not any(is_hidden_from_some_seat(game, held) for held in game.fields):
        return RevealingPhases(frozenset(), frozenset())
    choices = {phase for found in find_hidden_requirements(game) for phase in found.action.phases}
    actors = {phase.number for phase in game.phases if _has_hidden_actor(game, phase)}
    return RevealingPhases(frozenset(choices), frozenset(actors))


def is_hidden_from_some_seat(game: Game, field: Field) -> bool:
    """Return whether some seat does not see all of a field."""
    return any(not all(field.make_visibility_mask(seat, game.players)) for seat in range(game.players))


def _has_hidden_actor(game: Game, phase: Phase) -> bool:
    return not phase.automatic and any(
        is_hidden_from_some_seat(game, held) for held in find_fields_read(phase.actor)
    )


def find_hidden_requirements(game: Game) -> list[HiddenRequirement]:
    """Return the requirements of players' actions that may read what the actor does not see, in order, one for each
    requirement and field."""
    found: dict[tuple[int, int, int], HiddenRequirement] = {}
    for action in game.actions:
        for number in action.phases:
            phase = game.phases[number]
            if phase.chance:
                continue
            for source, held in _ActionHead(game, phase, action).iter_hidden_reads():
                found.setdefault(
                    (action.number, id(source), held.number), HiddenRequirement(action, source, held)
                )
    return list(found.values())


class _ActionHead:
    """The part of an action that decides whether it is legal, as the actor of one phase meets it."""

    def __init__(self, game: Game, phase: Phase, action: Action) -> None:
        self.game, self.actor, self.action = game, phase.actor, action
        values: dict[int, list[Term]] = {}
        for statement in iter_statements(action.head):
            if isinstance(statement, Keep):
                values.setdefault(statement.local.number, []).append(statement.value)
        self.values: _TermsByLocal = {number: tuple(terms) for number, terms in values.items()}
        self.same = self._find_keys_equal_to_actor()

    def iter_hidden_reads(self) -> Iterator[tuple[Require | If, Field]]:
        """Yield each requirement (or condition around requirements) with a field that it reads where the actor may
        not see it."""
        for statement in iter_statements(self.action.head):
            match statement:
                case Require(condition, _, _, args, _):
                    terms: Sequence[Term] = (condition, *args)
                case If(condition, then, other) if _has_requirement(then) or _has_requirement(other):
                    terms = (condition,)
                case _:
                    continue
            for held in dict.fromkeys(
                chain.from_iterable(self._iter_hidden_fields_read(term, {}) for term in terms)
            ):
                yield statement, held

    def _find_keys_equal_to_actor(self) -> set[object]:
        """Return the keys of all that equals the actor where the action is legal."""
        same = {self._make_term_key(self.actor, {})}
        for statement in self.action.head:
            if isinstance(statement, Require):
                for part in iter_conjuncts(statement.condition):
                    if isinstance(part, Op) and part.op == "==":
                        keys = {self._make_term_key(side, {}) for side in part.args}
                        same |= keys if keys & same else set()
        return same

    def _iter_hidden_fields_read(self, term: Term, bound: _TermsByLocal) -> Iterator[Field]:
        """Yield the fields that a term reads in cells that the actor may not see. `bound` holds the arguments of the
        functions around it."""
        match term:
            case Local():
                known = {**self.values, **bound}.get(term.number, ())
                for value in known:
                    if value is not term:
                        yield from self._iter_hidden_fields_read(value, bound)
                return
            case Apply():
                params = zip(term.function.params, term.args, strict=True)
                inner = {p.number: tuple(self._iter_argument_terms(a, bound)) for p, a in params}
                yield from self._iter_hidden_fields_read(term.function.body, {**bound, **inner})
            case Read() if not self._is_seen_by_actor(term, bound):
                yield term.field
        for child in get_child_terms(term):
            yield from self._iter_hidden_fields_read(child, bound)

    def _iter_argument_terms(self, term: Term, bound: _TermsByLocal) -> Iterator[Term]:
        """Yield what an argument may be, in terms of the action's own locals."""
        if isinstance(term, Local) and term.number in bound:
            yield from bound[term.number]
        else:
            yield term

    def _is_seen_by_actor(self, read: Read, bound: _TermsByLocal) -> bool:
        """Return whether the actor surely sees a cell."""
        held, players = read.field, self.game.players
        if players == 1:
            return all(held.make_visibility_mask(0, 1))
        if isinstance(held.sees, frozenset):
            return set(range(self.actor.lo, self.actor.hi + 1)) <= held.sees
        if held.sees in (Sees.ALL, Sees.NOBODY):
            return held.sees is Sees.ALL
        owner = find_first_coordinate(held, read.index)
        if owner is None:
            return False
        if held.sees is Sees.OWNER:
            return self._make_term_key(owner, bound) in self.same
        return isinstance(owner, Const) and isinstance(self.actor, Const) and owner.value != self.actor.value

    def _make_term_key(self, term: Term, bound: _TermsByLocal) -> object:
        """Return a key that is equal for terms that surely have one value."""
        known = {**self.values, **bound}
        while isinstance(term, Local) and len(known.get(term.number, ())) == 1:
            term = known[term.number][0]
        if isinstance(term, Op):
            return (term.op, *(self._make_term_key(arg, bound) for arg in term.args))
        return make_shape_key(term)


def _has_requirement(body: Sequence[Statement]) -> bool:
    return any(isinstance(statement, Require) for statement in iter_statements(tuple(body)))


def find_first_coordinate(field: Field, index: Term) -> Term | None:
    """Return the first index of an array's cell from the number of the cell, or None if it cannot be told."""
    row: Term | None = index
    for size in reversed(field.shape[1:]):
        row = None if row is None else _divide_cell_number(row, size)
    return row


def _divide_cell_number(number: Term, size: int) -> Term | None:
    """Return `number // size` for a number that is written as `row * size + place`."""
    match number:
        case Const():
            return Const(number.value // size)
        case Op(op="*", args=(row, Const() as factor)) if factor.value == size:
            return row
        case Op(op="+", args=(Op(op="*", args=(row, Const() as factor)), place)) if factor.value == size:
            return row if place.lo >= 0 and place.hi < size else None
    return Const(0) if number.lo >= 0 and number.hi < size else None
