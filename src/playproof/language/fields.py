"""Fields of the state: bounded integers, flags, enumerations and arrays. Says who may see each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from enum import Enum, IntEnum
from math import prod

from playproof.language.errors import Place, RulesError

Labels = Sequence[str] | type[IntEnum] | None


class Sees(Enum):
    """Who sees a field. An array seen by its owner, or by all others, has the player as its first
    index. In place of these, `sees=[0, 2]` names the seats that see all of it."""

    ALL = "all"
    OWNER = "owner"
    OTHERS = "others"
    NOBODY = "nobody"


FieldVisibility = Sees | frozenset[int]


@dataclass(eq=False, repr=False)
class Field:
    """A declared field. `shape` is () for one value, else the array's dimensions; `offset` is its
    first cell in the flat state.

    `start` holds the initial value of each cell. `rules` are the ids of the rules that the field
    implements.
    """

    number: int
    name: str
    lo: int
    hi: int
    _: KW_ONLY
    shape: tuple[int, ...]
    offset: int
    start: tuple[int, ...]
    labels: tuple[str, ...]
    sees: FieldVisibility
    rules: tuple[str, ...]
    place: Place

    @property
    def size(self) -> int:
        """Number of cells."""
        return prod(self.shape)

    def make_mask_of_cells_seen_by_seat(self, seat: int, players: int) -> list[bool]:
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

    def format_value(self, value: int) -> str:
        """Return a value as people name it."""
        return self.labels[value - self.lo] if self.labels else str(value)

    def __repr__(self) -> str:
        shape = "".join(f"[{n}]" for n in self.shape)
        return f"{self.name}{shape}: {self.lo}..{self.hi}"


def get_label_names(labels: Labels) -> tuple[str, ...]:
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
