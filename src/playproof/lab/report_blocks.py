"""What a report is made of: paragraphs, tables, charts and cards, and cells for figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from playproof.generator.scene import Face
from playproof.lab import phrases
from playproof.lab.estimates import Estimate


@dataclass(frozen=True, slots=True)
class TableCell:
    """A few words. `game` is the number of a game that shows them; `chart` stands in their place."""

    text: str = ""
    game: int | None = None
    chart: Face | None = None
    strong: bool = False


@dataclass(frozen=True, slots=True)
class ReportParagraph:
    """A paragraph. A note says how to read the figures beside it."""

    parts: tuple[TableCell, ...]
    note: bool = False


@dataclass(frozen=True, slots=True)
class Subtitle:
    """A title inside a section."""

    text: str


@dataclass(frozen=True, slots=True)
class TextList:
    """A list of short texts."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DataTable:
    """A table: a row of heads, and rows of cells."""

    heads: tuple[str, ...]
    rows: tuple[tuple[TableCell, ...], ...]


@dataclass(frozen=True, slots=True)
class LabelledCard:
    """A card's printed face, by the word for the card and its component, with a label over the lower edge."""

    word: str
    component: str | None
    label: Face
    game: int | None


@dataclass(frozen=True, slots=True)
class LabelledCardRow:
    """Cards beside each other. Those without a printed face are left out: a table has them too."""

    cards: tuple[LabelledCard, ...]


Block: TypeAlias = ReportParagraph | Subtitle | TextList | DataTable | Face | LabelledCardRow


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report under its title."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class ReportDocument:
    """A whole report: its title, what was played, the findings in sentences, and the sections."""

    title: str
    facts: tuple[str, ...]
    summary: tuple[str, ...]
    sections: tuple[Section, ...]

    @property
    def iter_cards(self) -> Iterator[LabelledCard]:
        """The cards whose faces it shows."""
        for section in self.sections:
            for block in section.blocks:
                yield from block.cards if isinstance(block, LabelledCardRow) else ()


def build_cell_of_estimate(
    format_estimate: Callable[..., str], estimate: Estimate | None, *format_arguments: int
) -> TableCell:
    """Return the words for an estimate, with its game."""
    if estimate is None or estimate.value is None:
        return TableCell(format_estimate(estimate, *format_arguments))
    return TableCell(format_estimate(estimate, *format_arguments), estimate.game)


def build_cell_of_points(estimate: Estimate | None, for_score: bool) -> TableCell:
    """Return points, or parts of a score, with their interval and their game."""
    return build_cell_of_estimate(phrases.format_points_with_interval_or_dash, estimate, for_score)


def build_table_of_means(rows: Iterable[tuple[str, Callable[..., str], Estimate, str]]) -> DataTable:
    """Return a table of figures, each with its mean per game and what it says."""
    cells = (
        (TableCell(title), build_cell_of_estimate(format_estimate, estimate), TableCell(meaning))
        for title, format_estimate, estimate, meaning in rows
    )
    return DataTable(("", "mean per game", ""), tuple(cells))


def build_text_cells(*texts: str) -> tuple[TableCell, ...]:
    """Return a cell for each text."""
    return tuple(TableCell(text) for text in texts)


def build_note_paragraph(text: str) -> ReportParagraph:
    """Return a note, which says how to read figures."""
    return ReportParagraph((TableCell(text),), note=True)


def format_number_range(low: int, high: int) -> str:
    """Return "3 to 5", or "3" where both are the same."""
    return str(low) if low == high else f"{low} to {high}"
