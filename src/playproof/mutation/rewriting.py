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
    as_truth_term,
    clamp,
)
from playproof.language.game import Game
from playproof.language.statements import (
    Assign,
    If,
    Invoke,
    Keep,
    Loop,
    Procedure,
    Require,
    Statement,
    find_numbers_of_written_fields,
    fold_constant_branches_and_requirements,
    get_statements_deciding_legality,
)

TermSwaps = Mapping[int, Any]
"""The replacement of a term, or the tuple of statements that replaces a statement, by the old one's
`id`."""


class ReplacementOutOfBounds(Exception):
    """Raised if a replacement does not fit: it names a cell that the array does not have."""


def copy_game_with_swapped_parts(game: Game, swaps: TermSwaps) -> Game:
    """Return the game with parts exchanged; unaffected parts are shared with the old one. Raises
    OutOfPlace."""
    return _GameRewriter(game, swaps).build_rewritten_game()


class _GameRewriter:
    """One pass over one game. Locals keep their numbers; a local takes new bounds if its value has
    new ones."""

    def __init__(self, game: Game, swaps: TermSwaps) -> None:
        self.old, self.swaps = game, swaps
        self.functions: dict[int, Function] = {}
        self.procedures: dict[int, Procedure] = {}
        self.locals: dict[int, Local] = {}
        self.made: dict[int, Term] = {}

    def build_rewritten_game(self) -> Game:
        """Return the new game. Its parts are made in an order in which each uses only earlier
        ones."""
        new = copy.copy(self.old)
        new.__dict__.pop("results", None)
        new.functions = [self.rewrite_function(f) for f in self.old.functions]
        new.procedures = [self.rewrite_procedure(p) for p in self.old.procedures]
        new.actions = [self.rewrite_action(a) for a in self.old.actions]
        new.phases = [self.rewrite_phase(p, new.actions) for p in self.old.phases]
        new.endings = [replace(e, winner=self.rewrite_term_or_none(e.winner)) for e in self.old.endings]
        new.payoffs = None if self.old.payoffs is None else tuple(map(self.rewrite_term, self.old.payoffs))
        new.quantities = {name: self.rewrite_term(t) for name, t in self.old.quantities.items()}
        new.facts = self.rewrite_facts(self.old.facts)
        return new

    # -- parts ----------------------------------------------------------------------------------------------

    def rewrite_function(self, function: Function) -> Function:
        """Return a named quantity; it is the old one if nothing in it changed."""
        if function.number not in self.functions:
            body = self.rewrite_term(function.body)
            same = body is function.body
            self.functions[function.number] = (
                function if same else Function(function.name, function.number, function.params, body, function.place)
            )
        return self.functions[function.number]

    def rewrite_procedure(self, procedure: Procedure) -> Procedure:
        """Return a named block of effects; it is the old one if nothing in it changed."""
        if procedure.number not in self.procedures:
            body = self.rewrite_statements(procedure.body)
            self.procedures[procedure.number] = (
                procedure
                if body is procedure.body
                else replace(procedure, body=body, writes=procedure.writes | find_numbers_of_written_fields(body))
            )
        return self.procedures[procedure.number]

    def rewrite_action(self, action: Action) -> Action:
        """Return an action with its body, head and weight rebuilt; it is the old one if nothing
        changed."""
        self._forget_locals_and_terms_of_last_body()
        body, weight = self.rewrite_statements(action.body), self.rewrite_term_or_none(action.weight)
        if body is action.body and weight is action.weight:
            return action
        head = get_statements_deciding_legality(body)
        return replace(action, body=body, head=head, kept=tuple(s for s in head if isinstance(s, Keep)), weight=weight)

    def rewrite_phase(self, phase: Phase, actions: list[Action]) -> Phase:
        """Return a phase with the new actions."""
        self._forget_locals_and_terms_of_last_body()
        body = None if phase.body is None else self.rewrite_statements(phase.body)
        mine = [actions[a.number] for a in phase.actions]
        return replace(phase, actor=self.rewrite_term(phase.actor), actions=mine, body=body)

    def _forget_locals_and_terms_of_last_body(self) -> None:
        if self.locals:  # a local whose bounds changed belongs to one body
            self.locals, self.made = {}, {}

    def rewrite_facts(self, value: Any) -> Any:
        """Return facts, which are plain data that may contain terms."""
        if isinstance(value, Term):
            return self.rewrite_term(value)
        if isinstance(value, Operand):
            return value
        if isinstance(value, Mapping):
            return {key: self.rewrite_facts(v) for key, v in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(map(self.rewrite_facts, value)) if type(value) in (list, tuple) else value
        return value

    # -- statements -----------------------------------------------------------------------------------------

    def rewrite_statements(self, statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
        """Return statements in order; it is the old tuple if nothing changed."""
        body: list[Statement] = []
        for statement in statements:
            swap = self.swaps.get(id(statement))
            if swap is None:
                body.append(self.rewrite_statement(statement))
            else:
                body += swap
        same_length = len(body) == len(statements)
        if same_length and all(new is old for new, old in zip(body, statements, strict=True)):
            return statements
        return fold_constant_branches_and_requirements(body)

    def rewrite_statement(self, statement: Statement) -> Statement:
        """Return a statement over the new terms; it is the old one if nothing changed."""
        match statement:
            case Assign():
                index, value = self.rewrite_term(statement.index), self.rewrite_term(statement.value)
                same = index is statement.index and value is statement.value
                return (
                    statement
                    if same
                    else replace(
                        statement,
                        index=_clamp_index_or_raise_if_constant_outside(index, statement.field.size),
                        value=value,
                    )
                )
            case Keep():
                return self._rewrite_kept_local(statement)
            case If():
                condition, then, other = (
                    self.rewrite_term(statement.condition),
                    self.rewrite_statements(statement.then),
                    self.rewrite_statements(statement.other),
                )
                same = condition is statement.condition and then is statement.then and other is statement.other
                return (
                    statement
                    if same
                    else replace(statement, condition=as_truth_term(condition), then=then, other=other)
                )
            case Loop():
                body = self.rewrite_statements(statement.body)
                return statement if body is statement.body else replace(statement, body=body)
            case Require():
                condition, args = (
                    self.rewrite_term(statement.condition),
                    tuple(map(self.rewrite_term, statement.args)),
                )
                same = condition is statement.condition and all(
                    a is b for a, b in zip(args, statement.args, strict=True)
                )
                return statement if same else replace(statement, condition=as_truth_term(condition), args=args)
            case Invoke():
                procedure, args = (
                    self.rewrite_procedure(statement.procedure),
                    tuple(map(self.rewrite_term, statement.args)),
                )
                same = procedure is statement.procedure and all(
                    a is b for a, b in zip(args, statement.args, strict=True)
                )
                return statement if same else replace(statement, procedure=procedure, args=args)
        return statement

    def _rewrite_kept_local(self, statement: Keep) -> Keep:
        value = self.rewrite_term(statement.value)
        if value is statement.value:
            return statement
        local = statement.local
        derived = (local.lo, local.hi) == (statement.value.lo, statement.value.hi)  # else the rules declare its bounds
        if derived and (local.lo, local.hi) != (value.lo, value.hi):
            local = Local(local.name, local.number, value.lo, value.hi)
            self.locals[local.number] = local
            self.made = {}
        return replace(statement, local=local, value=value)

    # -- terms ----------------------------------------------------------------------------------------------

    def rewrite_term_or_none(self, term: Term | None) -> Term | None:
        """Return a rebuilt term, or None for None."""
        return None if term is None else self.rewrite_term(term)

    def rewrite_term(self, term: Term) -> Term:
        """Return a term over the new parts; it is the old one if nothing changed."""
        if id(term) not in self.made:  # the old game keeps its terms, and so their ids, alive
            swap = self.swaps.get(id(term))
            self.made[id(term)] = self._rebuild_term_over_new_parts(term) if swap is None else swap
        return self.made[id(term)]

    def _rebuild_term_over_new_parts(self, term: Term) -> Term:
        match term:
            case Local():
                return self.locals.get(term.number, term)
            case Read():
                index = self.rewrite_term(term.index)
                clock = term.reads[term.field.number]
                return (
                    term
                    if index is term.index
                    else Read(term.field, _clamp_index_or_raise_if_constant_outside(index, term.field.size), clock)
                )
            case Lookup():
                index = self.rewrite_term(term.index)
                return term if index is term.index else _rebuild_lookup_or_constant(term, index)
            case Op():
                args = tuple(map(self.rewrite_term, term.args))
                same = all(a is b for a, b in zip(args, term.args, strict=True))
                return term if same else OPERATORS[term.op](*args)
            case Reduce():
                body = self.rewrite_term(term.body)
                return term if body is term.body else Reduce(term.kind, term.var, term.start, term.stop, body)
            case Apply():
                function, args = (self.rewrite_function(term.function), tuple(map(self.rewrite_term, term.args)))
                same = function is term.function and all(a is b for a, b in zip(args, term.args, strict=True))
                return term if same else Apply(function, args, 0)
        return term


def _clamp_index_or_raise_if_constant_outside(index: Term, array_size: int) -> Term:
    """Return an index clamped to its array, as tracing makes it. Raises OutOfPlace for a constant
    outside."""
    if isinstance(index, Const) and not 0 <= index.value < array_size:
        raise ReplacementOutOfBounds(f"cell {index.value} of {array_size}")
    return index if index.lo >= 0 and index.hi < array_size else clamp(index, 0, array_size - 1)


def _rebuild_lookup_or_constant(term: Lookup, index: Term) -> Term:
    at = _clamp_index_or_raise_if_constant_outside(index, len(term.table.values))
    return Const(term.table.values[at.value]) if isinstance(at, Const) else Lookup(term.table, at)
