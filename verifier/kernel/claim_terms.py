"""Claims as terms: what a claim says of states, as JSON data in a small language whose names are the game's.

    ["<=", ["+", ["name", "food"], ["name", "gold"]], 8]        `food + gold <= 8`

An evidence file says what the words of a claim are as such data (`Context.read_claim_part`). The kernel reads no words,
and prints none: it makes the terms of the data, and checks certificates against them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from operator import add, eq, ge, gt, le, lt, mul, ne, sub
from types import MappingProxyType
from typing import Any, TypeAlias

from playproof.language import Array, Const, Table, Term, all_of, any_of
from playproof.language.expr import (
    Local,
    Lookup,
    Read,
    as_term,
    make_clamped_row_major_index_term,
    make_fresh_local,
    make_reduction_term,
)
from playproof.language.fields import Field
from playproof.language.game import Game
from playproof.verifier.kernel.strict_json import Json, Unreadable, format_data_shortened

ClaimTerm: TypeAlias = Json
"""A whole number, or a list of a word and what it is about."""
SIGNS: Mapping[str, Callable[[Any, Any], Any]] = MappingProxyType(
    {"+": add, "-": sub, "*": mul, "<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne}
)
TRUTH = MappingProxyType({"True": 1, "False": 0})
"""Words for truth values, where the game means nothing else by them."""


@dataclass(frozen=True, slots=True)
class Target:
    """`condition` holds in some state, or (with `idents`) one of these actions is taken while it holds. `spec` is the
    target as a claim writes it, from which it can be read again."""

    name: str
    spec: Any
    condition: Term
    idents: frozenset[int] | None = None


@dataclass
class ClaimTermBuilder:
    """Makes terms of data. `parameters` are those of an action. With `earlier`, `was` stands for what a part was before
    a step, and is put there under a name."""

    game: Game
    parameters: Mapping[str, Local] = field(default_factory=dict)
    earlier: list[tuple[Local, Term]] | None = None
    counters: dict[str, Local] = field(default_factory=dict)
    _is_before: bool = False

    def build_term(self, data: ClaimTerm) -> Term:
        """Return the term of data. Raises Unreadable, and RulesError."""
        match data:
            case int() if type(data) is int:
                return Const(data)
            case ["name", str(name)]:
                return self.find_term_of_name(name)
            case ["cell", str(name), *place]:
                array, index = self.find_array_and_cell_index(name, place)
                return Lookup(array, index) if isinstance(array, Table) else Read(array, index, 0)
            case ["sum" | "any" | "all" as kind, str(counter), int(rows), part]:
                return self._build_loop_term(kind, counter, rows, part)
            case ["was", part] if self.earlier is not None:
                return self._build_term_before_step(part, self.earlier)
            case ["quantity", str(name)] if name in self.game.quantities:
                return self.game.quantities[name]
            case ["declared", str(name)] if name in (self.game.facts.get("invariants") or {}):
                return as_term(self.game.facts["invariants"][name])
            case ["ended", int(number)] if 0 < number <= len(self.game.endings):
                return as_term(self.game.outcome) == number
            case ["return", int(seat)] if self.game.payoffs and 0 <= seat < self.game.players:
                return self.game.payoffs[seat]
            case ["winner", int(number)] if 0 < number <= len(self.game.endings):
                winner = self.game.endings[number - 1].winner
                return as_term(0 if winner is None else winner)
            case ["evaluation", int(seat)] if 0 <= seat < len(self.game.evaluations or ()):
                return (self.game.evaluations or ())[seat]
            case ["not", part]:
                return as_term(~self.build_term(part))
            case ["negative", part]:
                return as_term(-self.build_term(part))
            case ["and" | "or" as word, *parts] if len(parts) > 1:
                terms = [self.build_term(part) for part in parts]
                return as_term(all_of(terms) if word == "and" else any_of(terms))
            case [str(sign), left, right] if sign in SIGNS:
                return as_term(SIGNS[sign](self.build_term(left), self.build_term(right)))
        raise Unreadable(f"{format_data_shortened(data)} is no term of a claim")

    def find_term_of_name(self, name: str) -> Term:
        """Return what a name means: a counter, a parameter, a quantity, a field of one cell, or a condition that the
        game declares; `True` and `False` where nothing else has this name. Raises Unreadable."""
        handle, declared = self.game.handles.get(name), self.game.facts.get("invariants") or {}
        for terms in (self.parameters, self.counters, self.game.quantities):
            if name in terms:
                return as_term(terms[name])
        if handle is not None and not isinstance(handle, Array):
            return handle.to_term()
        if name in declared:
            return as_term(declared[name])
        if name in TRUTH and handle is None:
            return Const(TRUTH[name])
        raise Unreadable(f"`{name}` names no number of {self.game.name}")

    def find_array_and_cell_index(self, name: str, place: list[ClaimTerm]) -> tuple[Field | Table, Term]:
        """Return an array of the game, else a constant table, and the number of a cell in it. Raises Unreadable, and
        RulesError."""
        handle = self.game.handles.get(name)
        tables = [t for t in self.game.tables if t.name == name]
        array = handle.field if isinstance(handle, Array) else tables[0] if tables else None
        if array is None:
            raise Unreadable(f"`{name}` is no array of {self.game.name}")
        keys = tuple(map(self.build_term, place))
        return array, make_clamped_row_major_index_term(f"`{name}`", array.shape, keys, [])

    def _build_loop_term(self, kind: str, counter: str, rows: int, part: ClaimTerm) -> Term:
        if counter in {*self.counters, *self.parameters, *self.game.quantities, *self.game.handles}:
            raise Unreadable(f"`{counter}` has a meaning already")

        def build_part(local: Local) -> Term:
            self.counters[counter] = local
            try:
                return self.build_term(part)
            finally:
                del self.counters[counter]

        return make_reduction_term(kind, rows, build_part)

    def _build_term_before_step(self, part: ClaimTerm, earlier: list[tuple[Local, Term]]) -> Term:
        """Return a name for what a part was before the step; the part itself if it reads no state."""
        if self._is_before:
            return self.build_term(part)
        self._is_before = True
        try:
            term = self.build_term(part)
        finally:
            self._is_before = False
        if not term.reads:
            return term
        if any(counter in term.locals for counter in self.counters.values()):
            raise Unreadable("what was before a step depends on a counter")
        name = make_fresh_local("was", term.lo, term.hi, counts=False)
        earlier.append((name, term))
        return name


def build_target(builder: ClaimTermBuilder, data: Json, target_spec: Any) -> Target:
    """Return the target of data: a `condition`, or the `actions` in its place, and what limits it `within`. Raises
    Unreadable, and RulesError."""
    limit = as_term(1) if data["within"] is None else builder.build_term(data["within"])
    if data["actions"] is not None:
        return Target(data["name"], target_spec, limit, frozenset(data["actions"]))
    return Target(data["name"], target_spec, as_term(builder.build_term(data["condition"])) & limit)
