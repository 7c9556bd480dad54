"""A description with some of its parts exchanged: a new game, made from the old one's terms and
statements.

Terms are rebuilt by the operators that built them, so their bounds are right and constants are
folded.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from playproof.language import Action, Phase, Term
from playproof.language.expr import (
    OPERATORS,
    Apply,
    Const,
    Function,
    Local,
    Lookup,
    Op,
    Operand,
    Read,
    Reduce,
    clamp,
    truth,
)
from playproof.language.game import Game
from playproof.language.traced_statements import (
    Assign,
    If,
    Invoke,
    Keep,
    Loop,
    Procedure,
    Require,
    Statement,
    folded,
    head_of,
    written_by,
)

Swaps = Mapping[int, Any]
"""The replacement of a term, or the tuple of statements that replaces a statement, by the old one's
`id`."""


class OutOfPlace(Exception):
    """Raised if a replacement does not fit: it names a cell that the array does not have."""


def rewritten(game: Game, swaps: Swaps) -> Game:
    """Return the game with parts exchanged; unaffected parts are shared with the old one. Raises
    OutOfPlace."""
    return _Rewriter(game, swaps).game()


class _Rewriter:
    """One pass over one game. Locals keep their numbers; a local takes new bounds if its value has
    new ones."""

    def __init__(self, game: Game, swaps: Swaps) -> None:
        self.old, self.swaps = game, swaps
        self.functions: dict[int, Function] = {}
        self.procedures: dict[int, Procedure] = {}
        self.locals: dict[int, Local] = {}
        self.made: dict[int, Term] = {}

    def game(self) -> Game:
        """Return the new game. Its parts are made in an order in which each uses only earlier
        ones."""
        new = copy.copy(self.old)
        new.__dict__.pop("results", None)
        new.functions = [self.function(f) for f in self.old.functions]
        new.procedures = [self.procedure(p) for p in self.old.procedures]
        new.actions = [self.action(a) for a in self.old.actions]
        new.phases = [self.phase(p, new.actions) for p in self.old.phases]
        new.endings = [replace(e, winner=self.optional(e.winner)) for e in self.old.endings]
        new.payoffs = None if self.old.payoffs is None else tuple(map(self.term, self.old.payoffs))
        new.quantities = {name: self.term(t) for name, t in self.old.quantities.items()}
        new.facts = self.data(self.old.facts)
        return new

    # -- parts ----------------------------------------------------------------------------------------------

    def function(self, function: Function) -> Function:
        """Return a named quantity; it is the old one if nothing in it changed."""
        if function.number not in self.functions:
            body = self.term(function.body)
            same = body is function.body
            self.functions[function.number] = (
                function
                if same
                else Function(function.name, function.number, function.params, body, function.place)
            )
        return self.functions[function.number]

    def procedure(self, procedure: Procedure) -> Procedure:
        """Return a named block of effects; it is the old one if nothing in it changed."""
        if procedure.number not in self.procedures:
            body = self.body(procedure.body)
            self.procedures[procedure.number] = (
                procedure
                if body is procedure.body
                else replace(procedure, body=body, writes=procedure.writes | written_by(body))
            )
        return self.procedures[procedure.number]

    def action(self, action: Action) -> Action:
        """Return an action with its body, head and weight rebuilt; it is the old one if nothing
        changed."""
        self._other_body()
        body, weight = self.body(action.body), self.optional(action.weight)
        if body is action.body and weight is action.weight:
            return action
        head = head_of(body)
        return replace(
            action, body=body, head=head, kept=tuple(s for s in head if isinstance(s, Keep)), weight=weight
        )

    def phase(self, phase: Phase, actions: list[Action]) -> Phase:
        """Return a phase with the new actions."""
        self._other_body()
        body = None if phase.body is None else self.body(phase.body)
        mine = [actions[a.number] for a in phase.actions]
        return replace(phase, actor=self.term(phase.actor), actions=mine, body=body)

    def _other_body(self) -> None:
        if self.locals:  # a local whose bounds changed belongs to one body
            self.locals, self.made = {}, {}

    def data(self, value: Any) -> Any:
        """Return facts, which are plain data that may contain terms."""
        if isinstance(value, Term):
            return self.term(value)
        if isinstance(value, Operand):
            return value
        if isinstance(value, Mapping):
            return {key: self.data(v) for key, v in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(map(self.data, value)) if type(value) in (list, tuple) else value
        return value

    # -- statements -----------------------------------------------------------------------------------------

    def body(self, statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
        """Return statements in order; it is the old tuple if nothing changed."""
        body: list[Statement] = []
        for statement in statements:
            swap = self.swaps.get(id(statement))
            if swap is None:
                body.append(self.statement(statement))
            else:
                body += swap
        same_length = len(body) == len(statements)
        if same_length and all(new is old for new, old in zip(body, statements, strict=True)):
            return statements
        return folded(body)

    def statement(self, s: Statement) -> Statement:
        """Return a statement over the new terms; it is the old one if nothing changed."""
        match s:
            case Assign():
                index, value = self.term(s.index), self.term(s.value)
                same = index is s.index and value is s.value
                return s if same else replace(s, index=_cell(index, s.field.size), value=value)
            case Keep():
                return self._keep(s)
            case If():
                condition, then, other = self.term(s.condition), self.body(s.then), self.body(s.other)
                same = condition is s.condition and then is s.then and other is s.other
                return s if same else replace(s, condition=truth(condition), then=then, other=other)
            case Loop():
                body = self.body(s.body)
                return s if body is s.body else replace(s, body=body)
            case Require():
                condition, args = self.term(s.condition), tuple(map(self.term, s.args))
                same = condition is s.condition and all(a is b for a, b in zip(args, s.args, strict=True))
                return s if same else replace(s, condition=truth(condition), args=args)
            case Invoke():
                procedure, args = self.procedure(s.procedure), tuple(map(self.term, s.args))
                same = procedure is s.procedure and all(a is b for a, b in zip(args, s.args, strict=True))
                return s if same else replace(s, procedure=procedure, args=args)
        return s

    def _keep(self, s: Keep) -> Keep:
        value = self.term(s.value)
        if value is s.value:
            return s
        local = s.local
        derived = (local.lo, local.hi) == (s.value.lo, s.value.hi)  # else the rules declare its bounds
        if derived and (local.lo, local.hi) != (value.lo, value.hi):
            local = Local(local.name, local.number, value.lo, value.hi)
            self.locals[local.number] = local
            self.made = {}
        return replace(s, local=local, value=value)

    # -- terms ----------------------------------------------------------------------------------------------

    def optional(self, term: Term | None) -> Term | None:
        """Return a rebuilt term, or None for None."""
        return None if term is None else self.term(term)

    def term(self, term: Term) -> Term:
        """Return a term over the new parts; it is the old one if nothing changed."""
        if id(term) not in self.made:  # the old game keeps its terms, and so their ids, alive
            swap = self.swaps.get(id(term))
            self.made[id(term)] = self._built(term) if swap is None else swap
        return self.made[id(term)]

    def _built(self, term: Term) -> Term:
        match term:
            case Local():
                return self.locals.get(term.number, term)
            case Read():
                index = self.term(term.index)
                clock = term.reads[term.field.number]
                return term if index is term.index else Read(term.field, _cell(index, term.field.size), clock)
            case Lookup():
                index = self.term(term.index)
                return term if index is term.index else _looked_up(term, index)
            case Op():
                args = tuple(map(self.term, term.args))
                same = all(a is b for a, b in zip(args, term.args, strict=True))
                return term if same else OPERATORS[term.op](*args)
            case Reduce():
                body = self.term(term.body)
                return term if body is term.body else Reduce(term.kind, term.var, term.start, term.stop, body)
            case Apply():
                function, args = self.function(term.function), tuple(map(self.term, term.args))
                same = function is term.function and all(a is b for a, b in zip(args, term.args, strict=True))
                return term if same else Apply(function, args, 0)
        return term


def _cell(index: Term, size: int) -> Term:
    """Return an index clamped to its array, as tracing makes it. Raises OutOfPlace for a constant
    outside."""
    if isinstance(index, Const) and not 0 <= index.value < size:
        raise OutOfPlace(f"cell {index.value} of {size}")
    return index if index.lo >= 0 and index.hi < size else clamp(index, 0, size - 1)


def _looked_up(term: Lookup, index: Term) -> Term:
    at = _cell(index, len(term.table.values))
    return Const(term.table.values[at.value]) if isinstance(at, Const) else Lookup(term.table, at)
