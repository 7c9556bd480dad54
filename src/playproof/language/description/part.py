"""Names a part of a game by its content: a kind of small step, or a term, with all that it reads.

Games that differ elsewhere share the name of such a part, so what was shown of it in one game holds in the other.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

from playproof.language.description.rows import Json
from playproof.language.description.writer import Row, Writer
from playproof.language.expr import Apply, Lookup, Read, Term
from playproof.language.fields import Field
from playproof.language.game import Game
from playproof.language.parts import Action, Phase
from playproof.language.traced_statements import Assign, Invoke, Require, Statement


def digest_of_part(game: Game, what: Action | Phase | Term | Sequence[Term]) -> str:
    """Return the SHA-256 of all that decides what a kind of small step does or what terms are worth: the bounds of each
    field, and each table, function and procedure that it names, but no words for people. Numbers of fields, phases,
    endings, tables, functions and procedures are those of the game."""
    part = _Part(game)
    match what:
        case Action():
            first = part.action(what)
        case Phase():
            first = part.phase(what)
        case Term():
            first = part.term(what)
        case _:
            first = [part.term(term) for term in what]
    local = [[name, lo, hi] for _, name, lo, hi in part.locals]
    content = [first, local, list(part.terms), list(part.blocks), sorted(part.named.items())]
    return sha256(json.dumps(content).encode()).hexdigest()


class _Part(Writer):
    """One pass over a part, and over what it names."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.named: dict[tuple[str, int], Json] = {}

    def action(self, action: Action) -> Json:
        """Return what an action does, and when."""
        params = [self.local(p.local) for p in action.params]
        return ["action", list(action.phases), params, self.block(action.body), self.optional(action.weight)]

    def phase(self, phase: Phase) -> Json:
        """Return what happens in a phase by itself."""
        return ["phase", phase.number, phase.automatic, self.block(phase.body or ())]

    def _term(self, term: Term) -> Row:
        if isinstance(term, Read):
            self._name("field", term.field, _bounds)
        elif isinstance(term, Lookup):
            self._name("table", term.table, self.table)
        elif isinstance(term, Apply):
            self._name("function", term.function, self.function)
        return super()._term(term)

    def statement(self, s: Statement) -> Row:
        """Return a statement's row."""
        if isinstance(s, Assign):
            self._name("field", s.field, _bounds)
        elif isinstance(s, Require):
            return "require", self.term(s.condition)
        elif isinstance(s, Invoke):
            self._name("procedure", s.procedure, self.procedure)
        return super().statement(s)

    def _name(self, kind: str, named: Any, row: Callable[[Any], Json]) -> None:
        if (kind, named.number) not in self.named:
            self.named[kind, named.number] = None  # until its row is written
            self.named[kind, named.number] = row(named)


def _bounds(field: Field) -> Json:
    return [field.lo, field.hi, field.size]
