"""Writes a sealed game as a file. Equal games give equal bytes, in every process."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, TypeAlias

from playproof.language.declarations import no_data
from playproof.language.description.rows import (
    CHANCE,
    ENDINGS,
    NOBODY,
    PHASES,
    VERSION,
    Json,
    text_of,
    unprintable,
)
from playproof.language.errors import RulesError
from playproof.language.expr import (
    Apply,
    Const,
    Function,
    Local,
    Lookup,
    Op,
    Operand,
    Read,
    Reduce,
    Table,
    Term,
    as_term,
)
from playproof.language.fields import Field, Sees
from playproof.language.game import Game
from playproof.language.parts import Action, Ending, Phase
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

Row: TypeAlias = Hashable
"""A term or a block as JSON, with tuples for lists."""
# A control character as JSON writes it, or the letter behind a backslash.
_DOUBTFUL = re.compile(r"\\[bfnrtu]")


def write(game: Game) -> bytes:
    """Return the game's description as a file. Raises RulesError for a fact that is no data (PP338)
    and for a text that no line can show (PP339)."""
    sections = Writer(game.seal()).sections()
    text = text_of(sections)
    if _DOUBTFUL.search(text) or unprintable(text, lines=True):
        _check_texts(game, sections)
    return text.encode()


def digest(game: Game) -> str:
    """Return the SHA-256 of the game's file: 64 hexadecimal digits."""
    return sha256(write(game)).hexdigest()


def _check_texts(game: Game, sections: Mapping[str, Json]) -> None:
    for name, section in sections.items():
        for text in _texts(section):
            if unprintable(text, lines=name == "facts"):
                raise RulesError(
                    "PP339",
                    f"the {name} of `{game.name}` hold the text {text!r}",
                    "write printable letters, on one line",
                    game.place,
                )


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for item in value.items() for text in _texts(item))
    elif isinstance(value, list | tuple):
        yield from (text for item in value for text in _texts(item) if not isinstance(item, int))


class Writer:
    """One pass over a game. A row is written when it is first needed, after the rows that it names; equal
    rows are written once."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.locals: dict[tuple[int, str, int, int], int] = {}
        self.terms: dict[Row, int] = {}
        self.blocks: dict[Row, int] = {}
        self._terms_of: dict[int, int] = {}  # by a term's id; the game keeps its terms alive

    def sections(self) -> dict[str, Json]:
        """Return the file's sections by name."""
        game = self.game
        later = {  # in the order in which they number terms, blocks and locals
            "functions": [self.function(f) for f in game.functions],
            "procedures": [self.procedure(p) for p in game.procedures],
            "phases": [self.phase(p) for p in game.phases],
            "actions": [self.action(a) for a in game.actions],
            "endings": [self.ending(e) for e in game.endings],
            "payoffs": None if game.payoffs is None else [self.term(t) for t in game.payoffs],
            "quantities": [[name, self.term(t)] for name, t in game.quantities.items()],
            "facts": [[name, self.fact(name, value)] for name, value in game.facts.items()],
        }
        return {
            "playproof-game": VERSION,
            "name": game.name,
            "players": game.players,
            "teams": [list(team) for team in game.teams],
            "setting": {kind: dict(sorted(chosen.items())) for kind, chosen in sorted(game.setting.items())},
            "fields": [self.field(f) for f in game.fields],
            "tables": [self.table(t) for t in game.tables],
            "locals": [[name, lo, hi] for _, name, lo, hi in self.locals],
            "terms": list(self.terms),
            "blocks": list(self.blocks),
            **later,
        }

    # -- parts ----------------------------------------------------------------------------------------------

    def field(self, field: Field) -> Json:
        """Return a field's row."""
        bounds: Json = [field.lo, field.hi]
        if field in (self.game.current_phase.field, *self.game.phase_fields):
            bounds = PHASES
        elif field is self.game.outcome.field:
            bounds = ENDINGS
        return {
            "name": field.name,
            "bounds": bounds,
            "shape": list(field.shape),
            "start": list(field.start),
            "sees": field.sees.value if isinstance(field.sees, Sees) else sorted(field.sees),
            "labels": list(field.labels) if isinstance(bounds, list) else [],
            "rules": list(field.rules),
        }

    def table(self, table: Table) -> Json:
        """Return a table's row."""
        return {"name": table.name, "shape": list(table.shape), "values": list(table.values)}

    def function(self, function: Function) -> Json:
        """Return a function's row."""
        params = self.all_locals(function.params)
        return {"name": function.name, "params": params, "value": self.term(function.body)}

    def procedure(self, procedure: Procedure) -> Json:
        """Return a procedure's row."""
        params = self.all_locals(procedure.params)
        return {"name": procedure.name, "params": params, "does": self.block(procedure.body)}

    def ending(self, ending: Ending) -> Json:
        """Return an ending's row."""
        return {
            "kind": ending.kind,
            "reason": ending.reason,
            "winner": self.optional(ending.winner),
            "shared": ending.shared,
            "rule": ending.rule,
        }

    def phase(self, phase: Phase) -> Json:
        """Return a phase's row."""
        return {
            "name": phase.name,
            "text": phase.text,
            "actor": NOBODY if phase.automatic else CHANCE if phase.chance else self.term(phase.actor),
            "does": None if phase.body is None else self.block(phase.body),
            "rules": list(phase.rules),
            "reveals": sorted(phase.reveals),
        }

    def action(self, action: Action) -> Json:
        """Return an action's row."""
        params = [{"local": self.local(p.local), "labels": list(p.labels)} for p in action.params]
        return {
            "name": action.name,
            "text": action.text if isinstance(action.text, str) else list(action.text),
            "phases": list(action.phases),
            "params": params,
            "does": self.block(action.body),
            "weight": self.optional(action.weight),
            "rules": list(action.rules),
            "hidden": action.hidden,
            "secret": sorted(action.secret),
            "public": sorted(action.public),
            "reveals": sorted(action.reveals),
        }

    def fact(self, name: str, value: Any) -> Json:
        """Return a fact as JSON; a mapping becomes pairs, whose order counts, and a term its number."""
        match value:
            case None | bool() | str():
                return value
            case int():
                return int(value)
            case Operand():
                return {"term": self.term(as_term(value))}
            case Mapping():
                return {"map": [[key, self.fact(name, v)] for key, v in value.items()]}
            case list() | tuple():
                return [self.fact(name, v) for v in value]
        raise no_data(name, value, self.game.place)

    # -- terms and statements -------------------------------------------------------------------------------

    def local(self, local: Local) -> int:
        """Return a local's number."""
        key = (local.number, local.name, local.lo, local.hi)
        return self.locals.setdefault(key, len(self.locals))

    def all_locals(self, params: Sequence[Local]) -> list[int]:
        """Return the numbers of some locals."""
        return [self.local(p) for p in params]

    def optional(self, term: Term | None) -> int | None:
        """Return a term's number, or None for None."""
        return None if term is None else self.term(term)

    def term(self, term: Term) -> int:
        """Return a term's number."""
        number = self._terms_of.get(id(term))
        if number is None:
            row = self._term(term)
            number = self._terms_of[id(term)] = self.terms.setdefault(row, len(self.terms))
        return number

    def _term(self, term: Term) -> Row:
        match term:
            case Const():
                return int(term.value)
            case Local():
                return "local", self.local(term)
            case Read():
                return "read", term.field.number, self.term(term.index)
            case Lookup():
                return "lookup", term.table.number, self.term(term.index)
            case Op():
                return term.op, *map(self.term, term.args)
            case Apply():
                return "call", term.function.number, *map(self.term, term.args)
            case Reduce():
                kind = f"{term.kind} of" if term.kind in ("min", "max") else term.kind
                return kind, self.local(term.var), self.term(term.body)
        raise TypeError(f"unknown term {term!r}")

    def block(self, body: Sequence[Statement]) -> int:
        """Return the number of a block of statements."""
        row = tuple(map(self.statement, body))
        return self.blocks.setdefault(row, len(self.blocks))

    def statement(self, s: Statement) -> Row:
        """Return a statement's row."""
        match s:
            case Assign():
                return "set", s.field.number, self.term(s.index), self.term(s.value)
            case Keep():
                value = self.term(s.value)
                return "keep", self.local(s.local), value
            case If():
                return "if", self.term(s.condition), self.block(s.then), self.block(s.other)
            case Loop():
                return "loop", self.local(s.var), self.block(s.body)
            case Require():
                return "require", self.term(s.condition), s.rule, s.text, tuple(map(self.term, s.args))
            case Finish():
                return "finish", s.ending - 1
            case Invoke():
                return "do", s.procedure.number, tuple(map(self.term, s.args))
        raise TypeError(f"unknown statement {s!r}")
