"""Fields of the state: bounded integers, flags, enumerations and arrays. Says who may see each and
how rules name them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, IntEnum
from math import prod
from typing import TYPE_CHECKING, Any

from playproof.database.errors import did_you_mean
from playproof.language.errors import Place, RulesError
from playproof.language.expr import Operand, Read, Several, Term, Value, flat_index

if TYPE_CHECKING:
    from playproof.language.trace import Tracer

Labels = Sequence[str] | type[IntEnum] | None


class Sees(Enum):
    """Who sees a field. An array seen by its owner, or by all others, has the player as its first
    index. In place of these, `sees=[0, 2]` names the seats that see all of it."""

    ALL = "all"
    OWNER = "owner"
    OTHERS = "others"
    NOBODY = "nobody"


Seers = Sees | frozenset[int]


class Field:
    """A declared field. `shape` is () for one value, else the array's dimensions; `offset` is its
    first cell in the flat state.

    `start` holds the initial value of each cell. `rules` are the ids of the rules that the field
    implements.
    """

    def __init__(
        self,
        number: int,
        name: str,
        lo: int,
        hi: int,
        *,
        shape: tuple[int, ...],
        offset: int,
        start: tuple[int, ...],
        labels: tuple[str, ...],
        sees: Seers,
        rules: tuple[str, ...],
        place: Place,
    ) -> None:
        self.number, self.name, self.lo, self.hi = number, name, lo, hi
        self.shape, self.offset, self.start = shape, offset, start
        self.labels, self.sees, self.rules, self.place = labels, sees, rules, place

    @property
    def size(self) -> int:
        """Number of cells."""
        return prod(self.shape)

    def seen_by(self, seat: int, players: int) -> list[bool]:
        """Return for each cell whether a seat sees it."""
        if not isinstance(self.sees, Sees):
            return [seat in self.sees] * self.size
        if self.sees in (Sees.ALL, Sees.NOBODY) or players == 1:
            return [self.sees in (Sees.ALL, Sees.OWNER)] * self.size
        share = self.size // self.shape[0]
        is_owner = [cell // share == seat for cell in range(self.size)]
        return is_owner if self.sees is Sees.OWNER else [not own for own in is_owner]

    @property
    def bits(self) -> int:
        """Bits one cell needs when packed."""
        return (self.hi - self.lo).bit_length()

    def show(self, value: int) -> str:
        """Return a value as people name it."""
        return self.labels[value - self.lo] if self.labels else str(value)

    def __repr__(self) -> str:
        shape = "".join(f"[{n}]" for n in self.shape)
        return f"{self.name}{shape}: {self.lo}..{self.hi}"


class Var(Operand):
    """Handle of a single-valued field. It reads as a term; rules write it with `.set(value)` or
    through `g.state`."""

    __slots__ = ("_tracer", "field")

    def __init__(self, field: Field, tracer: Tracer) -> None:
        self.field, self._tracer = field, tracer

    def term(self) -> Term:
        return Read(self.field, flat_index(self.field.name, (), ()), self._tracer.clock)

    def set(self, value: Value) -> None:
        """Assign inside a rule."""
        self._tracer.assign(self.field, flat_index(self.field.name, (), ()), value)


class Array(Several):
    """Handle of an array field: `a[i]`, `a[i, j]` read; `a[i] = v` and `a[i] += v` write inside a
    rule."""

    __slots__ = ("_tracer", "field")

    def __init__(self, field: Field, tracer: Tracer) -> None:
        self.field, self._tracer = field, tracer

    def what(self) -> str:
        places = " x ".join(map(str, self.field.shape))
        return f"`{self.field.name}`, an array of {places} places,"

    def instead(self) -> str:
        name, shape = self.field.name, self.field.shape
        if len(shape) > 1:
            return f"write s.{name}[{', '.join('ijklmn'[: len(shape)])}]; it has always {shape[0]} rows"
        cells = f"{shape[0]}, lambda i: s.{name}[i]"
        return (
            f"it has always {shape[0]} places: write s.{name}[i] for one; count_of({cells} != 0) counts the "
            f"places in use, sum_of({cells}) adds them"
        )

    def __getitem__(self, key: Value | tuple[Value, ...]) -> Term:
        return Read(self.field, flat_index(self.field.name, self.field.shape, key), self._tracer.clock)

    def __setitem__(self, key: Value | tuple[Value, ...], value: Value) -> None:
        self._tracer.assign(self.field, flat_index(self.field.name, self.field.shape, key), value)


class State(Several):
    """The state inside a rule's body: `s.turn = 1 - s.turn`, `s.board[cell] += 1`. `handles` are
    the handles of the game's fields."""

    _handles: dict[str, Var | Array]

    def __init__(self, handles: dict[str, Var | Array]) -> None:
        object.__setattr__(self, "_handles", handles)

    def what(self) -> str:
        return "the state"

    def instead(self) -> str:
        return "name a field of it: `s.field`"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python asks for these by itself
            raise AttributeError(name)
        handle = self._handle(name)
        return (
            handle.term() if isinstance(handle, Var) else handle
        )  # a value is what it is now, not what it will be

    def _handle(self, name: str) -> Var | Array:
        try:
            return self._handles[name]
        except KeyError:
            raise RulesError(
                "PP320", f"the state has no field `{name}`", did_you_mean(name, self._handles)
            ) from None

    def __setattr__(self, name: str, value: Any) -> None:
        handle = self._handle(name)
        if name == "outcome":
            raise RulesError(
                "PP321",
                "`outcome` says how the game has ended, and is not assigned",
                "write win(reason), lose(reason), tie(reason) or score(reason)",
            )
        if not isinstance(handle, Var):
            raise RulesError("PP321", f"`{name}` is an array", f"write s.{name}[index] = value")
        handle.set(value)


def label_names(labels: Labels) -> tuple[str, ...]:
    """The names of an enumeration, in value order starting at 0."""
    if labels is None:
        return ()
    if isinstance(labels, type):
        members = sorted(labels, key=int)
        if [int(m) for m in members] != list(range(len(members))):
            raise RulesError(
                "PP323",
                f"the members of {labels.__name__} are {', '.join(str(int(m)) for m in members)}",
                "number them 0, 1, 2 ...",
            )
        return tuple(m.name.lower().replace("_", " ") for m in members)
    return tuple(labels)
