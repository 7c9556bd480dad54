"""A name for all that a game means: the same digest, the same rules, cards, quantities and facts.

The description is written out as text, node by node, and hashed. Names of locals are numbered anew, since their own
numbers differ from process to process; where a rule is written does not count.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from playproof.rules.language import Action, Game, Phase
from playproof.rules.language.expr import Apply, Const, Local, Lookup, Op, Operand, Read, Reduce, Term
from playproof.rules.language.statements import Assign, Finish, If, Invoke, Keep, Loop, Require, Statement


def digest(game: Game) -> str:
    """The game's digest, 64 hexadecimal digits."""
    return hashlib.sha256("\n".join(_Written(game.seal()).lines()).encode()).hexdigest()


class _Written:
    """Writes one game. Each term, function and procedure is written once and then named by its number."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.out: list[str] = []
        self.terms: dict[int, int] = {}  # by id; the game keeps the terms alive meanwhile
        self.made: list[Term] = []
        self.locals: dict[int, int] = {}

    def lines(self) -> list[str]:
        """The whole description."""
        game = self.game
        self.say("game", game.name, game.players)
        for f in game.fields:
            self.say("field", f.name, f.lo, f.hi, f.shape, f.start, f.labels, f.sees.name)
        for table in game.tables:
            self.say("table", table.name, table.shape, table.values)
        for function in game.functions:
            self.say("function", function.name, [self.local(p) for p in function.params], self.term(function.body))
        for procedure in game.procedures:
            self.say("procedure", procedure.name, [self.local(p) for p in procedure.params])
            self.body(procedure.body)
        for phase in game.phases:
            self.phase(phase)
        for action in game.actions:
            self.action(action)
        for e in game.endings:
            self.say("ending", e.number, e.kind, e.reason, self.data(e.winner))
        self.say("returns", self.data(game.payoffs))
        self.say("quantities", self.data(game.quantities))
        self.say("facts", self.data(game.facts))
        return self.out

    def say(self, *words: object) -> None:
        """One line."""
        self.out.append(repr(words))

    def phase(self, phase: Phase) -> None:
        """A phase with what it does by itself."""
        self.say("phase", phase.name, phase.number, phase.text, self.term(phase.actor),
                 [a.number for a in phase.actions])
        self.body(phase.body or ())

    def action(self, action: Action) -> None:
        """An action, the words of all its ground actions included."""
        params = [(self.local(p.local), p.low, p.count, p.labels) for p in action.params]
        shown = [action.show(action.values(i)) for i in range(action.first, action.first + action.count)]
        self.say("action", action.name, action.phases, action.first, params, shown, self.data(action.weight),
                 len(action.head), action.rules)
        self.body(action.body)

    def body(self, statements: tuple[Statement, ...]) -> None:
        """Statements, nested ones between `begin` and `end`."""
        self.say("begin")
        for s in statements:
            match s:
                case Assign():
                    self.say("assign", s.field.number, self.term(s.index), self.term(s.value))
                case Keep():
                    self.say("keep", self.local(s.local), self.term(s.value))
                case If():
                    self.say("if", self.term(s.condition))
                    self.body(s.then)
                    self.body(s.other)
                case Loop():
                    self.say("loop", self.local(s.var), s.start, s.stop)
                    self.body(s.body)
                case Require():
                    self.say("require", self.term(s.condition), s.rule, s.text, [self.term(a) for a in s.args])
                case Invoke():
                    self.say("invoke", s.procedure.number, [self.term(a) for a in s.args])
                case Finish():
                    self.say("finish", s.ending)
        self.say("end")

    def local(self, local: Local) -> tuple[int, int, int]:
        """A local's own number, in the order of their first mention, and its bounds."""
        return self.locals.setdefault(local.number, len(self.locals)), local.lo, local.hi

    def term(self, term: Term) -> int:
        """The number of a term, written where it is new."""
        if id(term) not in self.terms:
            words = self._term(term)
            self.terms[id(term)] = len(self.made)
            self.made.append(term)
            self.say(*words)
        return self.terms[id(term)]

    def _term(self, term: Term) -> tuple[object, ...]:
        match term:
            case Const():
                return ("const", term.value)
            case Local():
                return ("local", *self.local(term))
            case Read():
                return ("read", term.field.number, self.term(term.index))
            case Lookup():
                return ("lookup", term.table.number, self.term(term.index))
            case Apply():
                return ("apply", term.function.number, *map(self.term, term.args))
            case Reduce():
                return ("reduce", term.kind, self.local(term.var), term.start, term.stop, self.term(term.body))
            case Op():
                return ("op", term.op, *map(self.term, term.args))
        raise TypeError(f"unknown term {term!r}")

    def data(self, value: Any) -> object:
        """Free data: terms by their numbers, mappings and lists entry by entry."""
        if isinstance(value, Operand):
            return "term", self.term(value.term())
        if isinstance(value, Mapping):
            return [(str(k), self.data(v)) for k, v in value.items()]
        if isinstance(value, list | tuple):
            return [self.data(v) for v in value]
        if isinstance(value, set | frozenset):
            return sorted(map(str, value))
        return value if value is None or isinstance(value, bool | int | str) else type(value).__name__


__all__ = ["digest"]
