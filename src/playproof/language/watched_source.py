"""The watched form of the compiled reading: the same games, with every invariant checked after
every step.

Watched source differs in three places. An assignment whose value could leave its field's bounds
checks the value first. Each step ends with `watch`, which checks the bounds of every cell and every
invariant that the game declares (`g.fact(invariants={name: term})`). The state has extra cells that
note a failure. The game then ends at once with an ending of its own, so that playouts need not know
of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from playproof.language.expr import Term, as_term
from playproof.language.fields import Field
from playproof.language.game import Game
from playproof.language.python_source import SourceBuilder
from playproof.language.statements import Assign, Statement

EXTRA = 3  # cells after the state: kind of flaw; which cell or invariant; the value that is out of bounds
DEAD_END = "dead end"
NO_END = "automatic phases end"
_BOUNDS, _INVARIANT, _ENDLESS = 1, 2, 3
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1
"""The numbers that a cell can hold."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """A condition that failed after a step: `name` is the invariant's name, "bounds" or DEAD_END;
    `text` is a sentence."""

    name: str
    text: str


def get_flaw_ending_number(game: Game) -> int:
    """Return the number of the ending that marks a failed check."""
    return len(game.endings) + 1


def get_declared_invariants(game: Game) -> dict[str, Term]:
    """Return the invariants that the game declares, by name."""
    return {name: as_term(term) for name, term in (game.facts.get("invariants") or {}).items()}


def list_names_of_checked_conditions(game: Game) -> list[str]:
    """Return what is checked after every step: the names of the invariants, and two conditions that
    every game must meet."""
    return [*get_declared_invariants(game), "all bounds", "somebody can act"]


class WatchedSource(SourceBuilder):
    """Source in which assignments of values that could leave their field go through `store`, which
    notes a value that does."""

    def generate_lines_for_endless_phases(self) -> list[str]:
        """Return the line that notes the phase that is due."""
        return [f"note(S, {_ENDLESS}, S[0], 0)"]

    def _generate_statement_lines(self, statement: Statement) -> list[str]:
        if not isinstance(statement, Assign) or _is_assigned_value_always_in_bounds(statement):
            return super()._generate_statement_lines(statement)
        to = statement.field
        cell, value = (self._format_cell_index(to.offset, statement.index), self.format_integer_term(statement.value))
        return [f"store(S, {cell}, {value}, {to.lo}, {to.hi})"]


def _is_assigned_value_always_in_bounds(assign: Assign) -> bool:
    """Return whether the value is within the field's bounds in every state."""
    return assign.field.lo <= assign.value.lo and assign.value.hi <= assign.field.hi


def add_flaw_noting_functions(source: SourceBuilder, game: Game) -> None:
    """Add `store(...)` and `watch(S)` to a watched source."""
    at, broken = game.cells, get_flaw_ending_number(game)
    # Exact source runs as plain Python, and its values may be larger than a cell.
    narrowed = [f"value = max({_LEAST}, min({_MOST}, value))"] if source.exact else []
    source.add_function_definition(
        "note",
        ["S", "kind", "what", "value"],
        [
            *narrowed,
            f"if S[{at}] == 0:",
            f"    S[{at}], S[{at + 1}], S[{at + 2}] = kind, what, value",
            f"S[1] = {broken}",
        ],
    )
    source.add_function_definition(
        "store",
        ["S", "cell", "value", "lo", "hi"],
        ["if lo <= value <= hi:", "    S[cell] = value", "else:", f"    note(S, {_BOUNDS}, cell, value)"],
    )
    lines = [line for run in _group_fields_with_equal_bounds(game.fields) for line in _generate_bounds_check_lines(run)]
    for number, term in enumerate(get_declared_invariants(game).values()):
        lines += [f"if not {source.format_term(term)}:", f"    note(S, {_INVARIANT}, {number}, 0)"]
    source.add_function_definition("watch", ["S"], lines)


def _group_fields_with_equal_bounds(fields: Sequence[Field]) -> list[list[Field]]:
    """Return groups of neighbouring fields with equal bounds; one loop checks each group."""
    runs = [[fields[0]]]
    for before, after in pairwise(fields):
        if (before.lo, before.hi) == (after.lo, after.hi):
            runs[-1].append(after)
        else:
            runs.append([after])
    return runs


def _generate_bounds_check_lines(neighbouring_fields: Sequence[Field]) -> list[str]:
    first, last = neighbouring_fields[0], neighbouring_fields[-1]
    return [
        f"for i in range({first.offset}, {last.offset + last.size}):",
        f"    if S[i] < {first.lo} or S[i] > {first.hi}:",
        f"        note(S, {_BOUNDS}, i, S[i])",
    ]


def find_flaw_noted_in_state(game: Game, state: Sequence[int]) -> Flaw | None:
    """Return the flaw noted in the extra cells of a watched state, or None."""
    kind, what, value = (int(v) for v in state[game.cells : game.cells + EXTRA])
    if kind == _BOUNDS:
        field = next(f for f in game.fields if f.offset <= what < f.offset + f.size)
        where = f"`{field.name}`" if not field.shape else f"`{field.name}`, place {what - field.offset},"
        more = {_LEAST: " or less", _MOST: " or more"}.get(value, "")
        return Flaw("bounds", f"{where} holds {field.lo}..{field.hi}, the rules give {value}{more}")
    if kind == _INVARIANT:
        name = list(get_declared_invariants(game))[what]
        return Flaw(name, f"the invariant `{name}` does not hold")
    if kind == _ENDLESS:
        phase = game.phases[what]
        return Flaw(NO_END, f"{phase.place}: automatic phases go on and on, here from phase `{phase.name}`")
    return None
