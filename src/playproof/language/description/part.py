"""Names a part of a game by its content: a kind of small step, or a term, with all that it reads.

Games that differ elsewhere share the name of such a part, so what was shown of it in one game holds in the other.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

from playproof.language.description.rows import Json
from playproof.language.description.writer import DescriptionWriter, JsonRow
from playproof.language.expr import Apply, Lookup, Read, Term
from playproof.language.fields import Field
from playproof.language.game import Game
from playproof.language.parts import Action, Phase
from playproof.language.traced_statements import Assign, Invoke, Require, Statement


def compute_part_digest(game: Game, described_part: Action | Phase | Term | Sequence[Term]) -> str:
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
            first = part.get_term_number(described_part)
        case _:
            first = [part.get_term_number(term) for term in described_part]
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
        params = [self.get_local_number(p.local) for p in action.params]
        return [
            "action",
            list(action.phases),
            params,
            self.get_block_number(action.body),
            self.get_optional_term_number(action.weight),
        ]

    def make_phase_row(self, phase: Phase) -> Json:
        """Return what happens in a phase by itself."""
        return ["phase", phase.number, phase.automatic, self.get_block_number(phase.body or ())]

    def _make_term_row(self, term: Term) -> JsonRow:
        if isinstance(term, Read):
            self._add_named_row("field", term.field, _make_bounds_row)
        elif isinstance(term, Lookup):
            self._add_named_row("table", term.table, self.make_table_row)
        elif isinstance(term, Apply):
            self._add_named_row("function", term.function, self.make_function_row)
        return super()._make_term_row(term)

    def make_statement_row(self, s: Statement) -> JsonRow:
        """Return a statement's row."""
        if isinstance(s, Assign):
            self._add_named_row("field", s.field, _make_bounds_row)
        elif isinstance(s, Require):
            return "require", self.get_term_number(s.condition)
        elif isinstance(s, Invoke):
            self._add_named_row("procedure", s.procedure, self.make_procedure_row)
        return super().make_statement_row(s)

    def _add_named_row(self, kind: str, item: Any, row: Callable[[Any], Json]) -> None:
        if (kind, item.number) not in self.named:
            self.named[kind, item.number] = None  # until its row is written
            self.named[kind, item.number] = row(item)


def _make_bounds_row(field: Field) -> Json:
    return [field.lo, field.hi, field.size]
