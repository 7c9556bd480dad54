"""A table of text, whatever file it comes from, and the cells that are more than text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from playproof.database.errors import Where


class AlteredCell(str):
    """A cell that is not what its author wrote; `why` says what became of it."""

    why: str

    def __new__(cls, text: str, why: str) -> AlteredCell:
        cell = super().__new__(cls, text)
        cell.why = why
        return cell


class JsonCell(str):
    """A cell that JSON holds as another thing than a text; `kind` says as what: flag, integer, number or list."""

    kind: str

    def __new__(cls, text: str, kind: str) -> JsonCell:
        cell = super().__new__(cls, text)
        cell.kind = kind
        return cell


@dataclass(frozen=True, slots=True)
class Worksheet:
    """One sheet. `rows` holds the headings and each row below them; `above` counts the rows before them. `place` names
    file and sheet in messages. `places` are those of rows (column -1) and cells if the file has lines instead."""

    name: str
    place: str
    rows: Sequence[Sequence[str]] = field(repr=False)
    above: int = 0
    places: Mapping[tuple[int, int], Where] = field(default_factory=dict, repr=False)

    def get_place(self, row: int, column: int) -> Where:
        """Return the place of a cell; row and column count from 0."""
        if self.places:
            return self.places.get((row, column)) or self.places[row, -1]
        return Where(self.place, self.above + row + 1, column + 1)
