"""Claims as terms: what a claim says of states, as JSON data in a small language whose names are the game's.

    ["<=", ["+", ["name", "food"], ["name", "gold"]], 8]        `food + gold <= 8`

Whoever runs the kernel reads the words of a claim into such data (`Context.read_claim_part`). The kernel reads no
words: it makes the terms of the data, checks certificates against them, and prints the data for people. What is printed
is a condition of the claims' own grammar, so that a claim and what the kernel took it for can be compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
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


def format_actions(game: Game, action_ids: Collection[int]) -> str:
    """Return ground actions in words, with their numbers if the words mean several; all of an action by its name."""
    texts = list[str]()
    for action in game.actions:
        mine = [ident for ident in action.idents if ident in action_ids]
        words = {ident: game.show(ident) for ident in mine}
        named = [t if len(game.idents_by_text[t]) == 1 else f"{t} [#{ident}]" for ident, t in words.items()]
        texts += [f"any `{action.name}`"] if 1 < len(mine) == action.count else named
    return " or ".join(texts)


def format_target(game: Game, data: Json) -> str:
    """Return the target of data as a condition, or as the actions that it speaks of."""
    if data["actions"] is None:
        text = format_claim_term(game, data["condition"])
    else:
        text = format_actions(game, data["actions"])
    return text if data["within"] is None else f"{text}, within {format_claim_term(game, data['within'])}"


def format_law(game: Game, data: Json) -> str:
    """Return the law of data in words."""
    show = partial(format_claim_term, game)
    said = [f"phase {game.phases[data['phase']].name}"] if "phase" in data else []
    said += [f"{key} {format_actions(game, data[key])}" for key in ("actions", "can") if data.get(key)]
    said += [f"{key} {show(data[key])}" for key in ("when", "needs", "legal", "leads") if key in data]
    said += [f"{show(number)} changes by {show(by)}" for number, by in data.get("changes", ())]
    said += [f"only {', '.join(map(show, data['only']))}"] if "only" in data else []
    return "; ".join(said)


# -- words ------------------------------------------------------------------------------------------------------------

_LOOSE, _AND, _NOT, _COMPARED, _SUM, _PRODUCT, _SIGNED = range(7)
_STRENGTH = MappingProxyType({"or": _LOOSE, "and": _AND, "not": _NOT, "+": _SUM, "-": _SUM, "*": _PRODUCT})
"""How strongly a word binds what stands beside it; the signs that are left out compare."""
_BARE = re.compile(r"(?!(?:and|or|not|sum|any|all|was|True|False)$)[A-Za-z_][A-Za-z0-9_]*")


def format_claim_term(game: Game, data: ClaimTerm, least_strength: int = _LOOSE) -> str:
    """Return data as a condition, in parentheses where it binds less than asked for. It is read back as this data, but
    for what only endings, scores and evaluations mean."""

    def show(part: ClaimTerm, strength: int) -> str:
        return format_claim_term(game, part, strength)

    match data:
        case int():
            return str(data)
        case ["text", text]:
            return f'"{text}"'
        case ["name" | "field" | "printed", name]:
            return name if _BARE.fullmatch(name) else f"`{name}`"
        case ["cell", name, *place]:
            return f"{show(['name', name], _SIGNED)}[{', '.join(show(part, _SUM) for part in place)}]"
        case ["sum" | "any" | "all" as kind, counter, rows, part]:
            return f"{kind}({show(['name', counter], _SIGNED)} in {rows}: {show(part, _LOOSE)})"
        case ["was", part]:
            return f"was({show(part, _LOOSE)})"
        case ["quantity" | "declared" as word, name]:
            return f"`{word} {name}`"
        case ["ended", number]:
            return format_claim_term(game, ["==", ["name", "outcome"], number], least_strength)
        case ["return" | "evaluation" as word, seat]:
            return f"`{word} of seat {seat}`"
        case ["winner", number]:
            return f"`winner of {game.endings[number - 1].reason}`"
        case ["negative", part]:
            text, strength = f"-{show(part, _SIGNED)}", _SIGNED
        case ["not", part]:
            text, strength = f"not {show(part, _NOT)}", _NOT
        case ["and" | "or" as word, *parts]:
            strength = _STRENGTH[word]
            text = f" {word} ".join(show(part, strength + 1) for part in parts)
        case [sign, left, right]:
            strength = _STRENGTH.get(sign, _COMPARED)
            is_compared = strength == _COMPARED
            label = _find_label(game, left, right) if sign in ("==", "!=") else ""
            text = f"{show(left, strength + is_compared)} {sign} {label or show(right, strength + 1)}"
    return f"({text})" if strength < least_strength else text


def _find_label(game: Game, compared: ClaimTerm, value: ClaimTerm) -> str:
    """Return the name of a field's value, in quotes; "" if it has none, or others have the same."""
    while compared[:1] == ["was"] if isinstance(compared, list) else False:
        compared = compared[1]
    match compared, value:
        case ["name" | "cell", name, *_], int() if name in game.handles and name not in game.quantities:
            held = game.handles[name].field
            named = dict(enumerate(held.labels, held.lo))
            label = named.get(value, "")
            plain = '"' not in label and label and list(named.values()).count(label) == 1
            return f'"{label}"' if plain else ""
    return ""
