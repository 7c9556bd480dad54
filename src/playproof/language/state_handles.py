"""What a rule's body calls the fields by: handles that read as terms and record assignments."""

from __future__ import annotations

from typing import Any, Protocol

from playproof.database.errors import make_nearest_or_possible_words_hint
from playproof.language.errors import RulesError
from playproof.language.expr import FIRST, NonScalar, Operand, Read, Term, Value, make_clamped_row_major_index_term
from playproof.language.fields import Field


class AssignmentRecorder(Protocol):
    """What takes an assignment: the tracer of a game whose rules are being written. `clock` counts what was assigned
    in a body; `beyond` collects indices beyond an array's end."""

    clock: int
    beyond: list[RulesError]

    def record_assignment(self, field: Field, index: Term, value: Value) -> None:
        """Record `field[index] = value`."""


class AssignmentRefuser:
    """Fields of a description that is read from a file are never assigned."""

    def __init__(self) -> None:
        self.clock = 0
        self.beyond: list[RulesError] = []

    def record_assignment(self, field: Field, index: Term, value: Value) -> None:
        raise RulesError("PP312", f"`{field.name}` was assigned outside a rule's body", "rules are written in Python")


class Var(Operand):
    """Handle of a single-valued field. It reads as a term; rules write it with `.set(value)` or
    through `g.state`."""

    __slots__ = ("_writer", "field")

    def __init__(self, field: Field, writer: AssignmentRecorder) -> None:
        self.field, self._writer = field, writer

    def to_term(self) -> Term:
        return Read(self.field, FIRST, self._writer.clock)

    def set(self, value: Value) -> None:
        """Assign inside a rule."""
        self._writer.record_assignment(self.field, FIRST, value)


class Array(NonScalar):
    """Handle of an array field: `a[i]`, `a[i, j]` read; `a[i] = v` and `a[i] += v` write inside a
    rule."""

    __slots__ = ("_writer", "field")

    def __init__(self, field: Field, writer: AssignmentRecorder) -> None:
        self.field, self._writer = field, writer

    def describe_in_error_message(self) -> str:
        places = " x ".join(map(str, self.field.shape))
        return f"`{self.field.name}`, an array of {places} places,"

    def suggest_expression_of_single_value(self) -> str:
        name, shape = self.field.name, self.field.shape
        if len(shape) > 1:
            return f"write s.{name}[{', '.join('ijklmn'[: len(shape)])}]; it has always {shape[0]} rows"
        cells = f"{shape[0]}, lambda i: s.{name}[i]"
        return (
            f"it has always {shape[0]} places: write s.{name}[i] for one; count_of({cells} != 0) counts the "
            f"places in use, sum_of({cells}) adds them"
        )

    def __getitem__(self, key: Value | tuple[Value, ...]) -> Term:
        return Read(
            self.field,
            make_clamped_row_major_index_term(self.field.name, self.field.shape, key, self._writer.beyond),
            self._writer.clock,
        )

    def __setitem__(self, key: Value | tuple[Value, ...], value: Value) -> None:
        self._writer.record_assignment(
            self.field,
            make_clamped_row_major_index_term(self.field.name, self.field.shape, key, self._writer.beyond),
            value,
        )


class State(NonScalar):
    """The state inside a rule's body: `s.turn = 1 - s.turn`, `s.board[cell] += 1`. `handles` are
    the handles of the game's fields."""

    _handles: dict[str, Var | Array]

    def __init__(self, handles: dict[str, Var | Array]) -> None:
        object.__setattr__(self, "_handles", handles)

    def describe_in_error_message(self) -> str:
        return "the state"

    def suggest_expression_of_single_value(self) -> str:
        return "name a field of it: `s.field`"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python asks for these by itself
            raise AttributeError(name)
        handle = self._get_field_handle_or_raise(name)
        # a value is what it is now, not what it will be
        return handle.to_term() if isinstance(handle, Var) else handle

    def _get_field_handle_or_raise(self, name: str) -> Var | Array:
        try:
            return self._handles[name]
        except KeyError:
            raise RulesError(
                "PP320", f"the state has no field `{name}`", make_nearest_or_possible_words_hint(name, self._handles)
            ) from None

    def __setattr__(self, name: str, value: Any) -> None:
        handle = self._get_field_handle_or_raise(name)
        if name == "outcome":
            raise RulesError(
                "PP321",
                "`outcome` says how the game has ended, and is not assigned",
                "write win(reason), lose(reason), tie(reason) or score(reason)",
            )
        if not isinstance(handle, Var):
            raise RulesError("PP321", f"`{name}` is an array", f"write s.{name}[index] = value")
        handle.set(value)
