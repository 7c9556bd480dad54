"""Writes a sealed game as a file: whole, without the words by which people are told of it, or one part
alone, to name it by its content. Equal games give equal bytes, in every process.

Games that differ elsewhere share the name of such a part, so what was shown of it in one game holds in the other."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, TypeAlias

from playproof.language.declarations import make_fact_not_storable_error
from playproof.language.description.file_rows import (
    CHANCE,
    ENDINGS,
    NOBODY,
    PHASES,
    VERSION,
    Json,
    format_description_file,
    has_unprintable_characters,
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
from playproof.language.statements import Assign, Finish, If, Invoke, Keep, Loop, Procedure, Require, Statement

# Writes a sealed game as a file. Equal games give equal bytes, in every process.

JsonRow: TypeAlias = Hashable
"""A term or a block as JSON, with tuples for lists."""
# A control character as JSON writes it, or the letter behind a backslash.
_DOUBTFUL = re.compile(r"\\[bfnrtu]")


def write(game: Game) -> bytes:
    """Return the game's description as a file. Raises RulesError for a fact that is no data (PP338)
    and for a text that no line can show (PP339)."""
    sections = DescriptionWriter(game.seal()).build_sections()
    text = format_description_file(sections)
    if _DOUBTFUL.search(text) or has_unprintable_characters(text, allow_line_breaks=True):
        _refuse_unprintable_texts(game, sections)
    return text.encode()


def digest(game: Game) -> str:
    """Return the SHA-256 of the game's file: 64 hexadecimal digits."""
    return sha256(write(game)).hexdigest()


def _refuse_unprintable_texts(game: Game, sections: Mapping[str, Json]) -> None:
    for name, section in sections.items():
        for text in _iter_nested_texts(section):
            if has_unprintable_characters(text, allow_line_breaks=name == "facts"):
                raise RulesError(
                    "PP339",
                    f"the {name} of `{game.name}` hold the text {text!r}",
                    "write printable letters, on one line",
                    game.place,
                )


def _iter_nested_texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for item in value.items() for text in _iter_nested_texts(item))
    elif isinstance(value, list | tuple):
        yield from (text for item in value for text in _iter_nested_texts(item) if not isinstance(item, int))


class DescriptionWriter:
    """One pass over a game. A row is written when it is first needed, after the rows that it names; equal
    rows are written once."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.locals: dict[tuple[int, str, int, int], int] = {}
        self.terms: dict[JsonRow, int] = {}
        self.blocks: dict[JsonRow, int] = {}
        self._terms_of: dict[int, int] = {}  # by a term's id; the game keeps its terms alive

    def build_sections(self) -> dict[str, Json]:
        """Return the file's sections by name."""
        game = self.game
        later = {  # in the order in which they number terms, blocks and locals
            "functions": [self.make_function_row(f) for f in game.functions],
            "procedures": [self.make_procedure_row(p) for p in game.procedures],
            "phases": [self.make_phase_row(p) for p in game.phases],
            "actions": [self.make_action_row(a) for a in game.actions],
            "endings": [self.make_ending_row(e) for e in game.endings],
            "payoffs": None if game.payoffs is None else [self.get_or_add_term_number(t) for t in game.payoffs],
            "quantities": [[name, self.get_or_add_term_number(t)] for name, t in game.quantities.items()],
            "facts": [[name, self.convert_fact_to_json(name, value)] for name, value in game.facts.items()],
        }
        return {
            "playproof-game": VERSION,
            "name": game.name,
            "players": game.players,
            "teams": [list(team) for team in game.teams],
            "setting": {kind: dict(sorted(chosen.items())) for kind, chosen in sorted(game.setting.items())},
            "fields": [self.make_field_row(f) for f in game.fields],
            "tables": [self.make_table_row(t) for t in game.tables],
            "locals": [[name, lo, hi] for _, name, lo, hi in self.locals],
            "terms": list(self.terms),
            "blocks": list(self.blocks),
            **later,
        }

    # -- parts ----------------------------------------------------------------------------------------------

    def make_field_row(self, field: Field) -> Json:
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

    def make_table_row(self, table: Table) -> Json:
        """Return a table's row."""
        return {"name": table.name, "shape": list(table.shape), "values": list(table.values)}

    def make_function_row(self, function: Function) -> Json:
        """Return a function's row."""
        params = self.get_or_add_local_numbers(function.params)
        return {"name": function.name, "params": params, "value": self.get_or_add_term_number(function.body)}

    def make_procedure_row(self, procedure: Procedure) -> Json:
        """Return a procedure's row."""
        params = self.get_or_add_local_numbers(procedure.params)
        return {"name": procedure.name, "params": params, "does": self.get_or_add_block_number(procedure.body)}

    def make_ending_row(self, ending: Ending) -> Json:
        """Return an ending's row."""
        return {
            "kind": ending.kind,
            "reason": ending.reason,
            "winner": self.get_or_add_optional_term_number(ending.winner),
            "shared": ending.shared,
            "rule": ending.rule,
        }

    def make_phase_row(self, phase: Phase) -> Json:
        """Return a phase's row."""
        return {
            "name": phase.name,
            "text": phase.text,
            "actor": NOBODY
            if phase.automatic
            else CHANCE
            if phase.chance
            else self.get_or_add_term_number(phase.actor),
            "does": None if phase.body is None else self.get_or_add_block_number(phase.body),
            "rules": list(phase.rules),
            "reveals": sorted(phase.reveals),
        }

    def make_action_row(self, action: Action) -> Json:
        """Return an action's row."""
        params = [{"local": self.get_or_add_local_number(p.local), "labels": list(p.labels)} for p in action.params]
        return {
            "name": action.name,
            "text": action.text if isinstance(action.text, str) else list(action.text),
            "phases": list(action.phases),
            "params": params,
            "does": self.get_or_add_block_number(action.body),
            "weight": self.get_or_add_optional_term_number(action.weight),
            "rules": list(action.rules),
            "hidden": action.hidden,
            "secret": sorted(action.secret),
            "public": sorted(action.public),
            "reveals": sorted(action.reveals),
        }

    def convert_fact_to_json(self, name: str, value: Any) -> Json:
        """Return a fact as JSON; a mapping becomes pairs, whose order counts, and a term its number."""
        match value:
            case None | bool() | str():
                return value
            case int():
                return int(value)
            case Operand():
                return {"term": self.get_or_add_term_number(as_term(value))}
            case Mapping():
                return {"map": [[key, self.convert_fact_to_json(name, v)] for key, v in value.items()]}
            case list() | tuple():
                return [self.convert_fact_to_json(name, v) for v in value]
        raise make_fact_not_storable_error(name, value, self.game.place)

    # -- terms and statements -------------------------------------------------------------------------------

    def get_or_add_local_number(self, local: Local) -> int:
        """Return a local's number."""
        key = (local.number, local.name, local.lo, local.hi)
        return self.locals.setdefault(key, len(self.locals))

    def get_or_add_local_numbers(self, params: Sequence[Local]) -> list[int]:
        """Return the numbers of some locals."""
        return [self.get_or_add_local_number(p) for p in params]

    def get_or_add_optional_term_number(self, term: Term | None) -> int | None:
        """Return a term's number, or None for None."""
        return None if term is None else self.get_or_add_term_number(term)

    def get_or_add_term_number(self, term: Term) -> int:
        """Return a term's number."""
        number = self._terms_of.get(id(term))
        if number is None:
            row = self._make_term_row(term)
            number = self._terms_of[id(term)] = self.terms.setdefault(row, len(self.terms))
        return number

    def _make_term_row(self, term: Term) -> JsonRow:
        match term:
            case Const():
                return int(term.value)
            case Local():
                return "local", self.get_or_add_local_number(term)
            case Read():
                return "read", term.field.number, self.get_or_add_term_number(term.index)
            case Lookup():
                return "lookup", term.table.number, self.get_or_add_term_number(term.index)
            case Op():
                return term.op, *map(self.get_or_add_term_number, term.args)
            case Apply():
                return "call", term.function.number, *map(self.get_or_add_term_number, term.args)
            case Reduce():
                kind = f"{term.kind} of" if term.kind in ("min", "max") else term.kind
                return kind, self.get_or_add_local_number(term.var), self.get_or_add_term_number(term.body)
        raise TypeError(f"unknown term {term!r}")

    def get_or_add_block_number(self, body: Sequence[Statement]) -> int:
        """Return the number of a block of statements."""
        row = tuple(map(self.make_statement_row, body))
        return self.blocks.setdefault(row, len(self.blocks))

    def make_statement_row(self, statement: Statement) -> JsonRow:
        """Return a statement's row."""
        match statement:
            case Assign():
                return (
                    "set",
                    statement.field.number,
                    self.get_or_add_term_number(statement.index),
                    self.get_or_add_term_number(statement.value),
                )
            case Keep():
                value = self.get_or_add_term_number(statement.value)
                return "keep", self.get_or_add_local_number(statement.local), value
            case If():
                return (
                    "if",
                    self.get_or_add_term_number(statement.condition),
                    self.get_or_add_block_number(statement.then),
                    self.get_or_add_block_number(statement.other),
                )
            case Loop():
                return (
                    "loop",
                    self.get_or_add_local_number(statement.var),
                    self.get_or_add_block_number(statement.body),
                )
            case Require():
                return (
                    "require",
                    self.get_or_add_term_number(statement.condition),
                    statement.rule,
                    statement.text,
                    tuple(map(self.get_or_add_term_number, statement.args)),
                )
            case Finish():
                return "finish", statement.ending - 1
            case Invoke():
                return ("do", statement.procedure.number, tuple(map(self.get_or_add_term_number, statement.args)))
        raise TypeError(f"unknown statement {statement!r}")


# -- part ----------------------------------------------------------------------------------------------------
# Names a part of a game by its content: a kind of small step, or a term, with all that it reads.


def compute_digest_of_rules_part(game: Game, described_part: Action | Phase | Term | Sequence[Term]) -> str:
    """Return the SHA-256 of all that decides what a kind of small step does or what terms are worth: the bounds of each
    field, and each table, function and procedure that it names, but no words for people. Numbers of fields, phases,
    endings, tables, functions and procedures are those of the game."""
    part = _PartWriter(game)
    match described_part:
        case Action():
            first = part.make_action_row(described_part)
        case Phase():
            first = part.make_phase_row(described_part)
        case Term():
            first = part.get_or_add_term_number(described_part)
        case _:
            first = [part.get_or_add_term_number(term) for term in described_part]
    local = [[name, lo, hi] for _, name, lo, hi in part.locals]
    content = [first, local, list(part.terms), list(part.blocks), sorted(part.named.items())]
    return sha256(json.dumps(content).encode()).hexdigest()


class _PartWriter(DescriptionWriter):
    """One pass over a part, and over what it names."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.named: dict[tuple[str, int], Json] = {}

    def make_action_row(self, action: Action) -> Json:
        """Return what an action does, and when."""
        params = [self.get_or_add_local_number(p.local) for p in action.params]
        return [
            "action",
            list(action.phases),
            params,
            self.get_or_add_block_number(action.body),
            self.get_or_add_optional_term_number(action.weight),
        ]

    def make_phase_row(self, phase: Phase) -> Json:
        """Return what happens in a phase by itself."""
        return ["phase", phase.number, phase.automatic, self.get_or_add_block_number(phase.body or ())]

    def _make_term_row(self, term: Term) -> JsonRow:
        if isinstance(term, Read):
            self._add_named_row_once("field", term.field, _make_bounds_and_size_row)
        elif isinstance(term, Lookup):
            self._add_named_row_once("table", term.table, self.make_table_row)
        elif isinstance(term, Apply):
            self._add_named_row_once("function", term.function, self.make_function_row)
        return super()._make_term_row(term)

    def make_statement_row(self, statement: Statement) -> JsonRow:
        """Return a statement's row."""
        if isinstance(statement, Assign):
            self._add_named_row_once("field", statement.field, _make_bounds_and_size_row)
        elif isinstance(statement, Require):
            return "require", self.get_or_add_term_number(statement.condition)
        elif isinstance(statement, Invoke):
            self._add_named_row_once("procedure", statement.procedure, self.make_procedure_row)
        return super().make_statement_row(statement)

    def _add_named_row_once(self, kind: str, named_part: Any, make_row: Callable[[Any], Json]) -> None:
        if (kind, named_part.number) not in self.named:
            self.named[kind, named_part.number] = None  # until its row is written
            self.named[kind, named_part.number] = make_row(named_part)


def _make_bounds_and_size_row(field: Field) -> Json:
    return [field.lo, field.hi, field.size]


# -- wordless ------------------------------------------------------------------------------------------------
# A description in two parts: what happens in play, and the words by which people are told of it.

_OF_CLAIMS = ("families", "own")
_NAMES = "names"


@dataclass(frozen=True)
class WordlessDescription:
    """The rows of a description by section, without words for people and without the choices that the game was built
    with; and these words, each with its place."""

    sections: dict[str, Any]
    words: tuple[tuple[str, str], ...]

    @cached_property
    def digest(self) -> str:
        """A digest of all but the words."""
        return _compute_sha256_of_sorted_json(self.sections)

    @cached_property
    def play_digest(self) -> str:
        """A digest of what happens and is learnt in play: without families of things, which only claims read."""
        facts = [fact for fact in self.sections["facts"] if fact[0] not in _OF_CLAIMS]
        return _compute_sha256_of_sorted_json({**self.sections, "facts": facts})


def split_description_from_words(game: Game) -> WordlessDescription:
    """Return the description of a game in its two parts."""
    described = json.loads(write(game))
    del described["setting"]
    words = tuple(_iter_words_while_removing_them(described))
    return WordlessDescription(described, words)


def _compute_sha256_of_sorted_json(value: Any) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _iter_words_while_removing_them(described: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Take the words for people out of a description, and yield them with their places."""
    for number, phase in enumerate(described["phases"]):
        yield f"phase {number}", phase.pop("text")
    for number, action in enumerate(described["actions"]):
        yield from _iter_words_with_places(f"action {number}", action.pop("text"))
        for place, parameter in enumerate(action["params"]):
            yield from _iter_words_with_places(f"action {number} parameter {place}", parameter.pop("labels"))
    for number, each in enumerate(described["fields"]):
        yield from _iter_words_with_places(f"field {number}", each.pop("labels"))
    names = [json.dumps(fact[1], sort_keys=True) for fact in described["facts"] if fact[0] == _NAMES]
    described["facts"] = [fact for fact in described["facts"] if fact[0] != _NAMES]
    yield from ((_NAMES, name) for name in names)


def _iter_words_with_places(place: str, words: str | list[str]) -> Iterator[tuple[str, str]]:
    """Yield one word, or each of several with its number."""
    if isinstance(words, str):
        yield place, words
    else:
        yield from ((f"{place}.{number}", word) for number, word in enumerate(words))
