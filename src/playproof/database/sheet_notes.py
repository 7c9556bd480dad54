"""What people keep in a workbook beside their cards: rows that head a group, sheets of sums, cards that were taken out.

None of it is a card, and whoever reads a sheet says what was left out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from playproof.database.sheet_cells import is_likely_note_heading, normalize_heading, split_into_casefolded_words
from playproof.database.spreadsheets import Worksheet

_DECORATED = re.compile(
    r"([-–—=~*•·#_>▼▶►■●]{1,})\s*\w.*?\s*\1\Z|[-–—=~*•·_>▼▶►■●]{2,}\s*\w.*|.*\w\s*[-–—=~_▼]{2,}\Z", re.DOTALL
)
"""What people write around a word so that it reads as a heading: `— EVENTS —`, `== Events`."""
_FEWEST_CELLS = 3
"""Cells that most rows of a sheet have, where a row with one is a heading."""
_CARD_WORDS = frozenset(("card", "cards", "karte", "karten", "carte", "cartes", "carta", "cartas", "kaarten", "karty"))
_REMOVED_WORDS = frozenset(
    (
        *("removed", "deleted", "unused", "archive", "archived", "old", "cut", "retired", "rejected"),
        *("archiv", "alte", "entfernt", "entfernte", "gelöscht", "gelöschte", "gestrichen", "verworfen"),
        *("supprimé", "supprimées", "retirées", "anciennes", "eliminadas", "retiradas", "descartadas", "antigas"),
        *("eliminate", "scartate", "vecchie", "verwijderd", "oude", "usunięte", "stare"),
    )
)
_STATISTICS_WORDS = frozenset(
    (
        *("balance", "balancing", "statistics", "stats", "analysis"),
        *("playtest", "playtests", "playtesting", "sessions"),
        *("changes", "versions", "lists", "dropdowns", "validation", "settings", "lookup", "summary", "calculations"),
        *("overview", "formulas", "distribution", "bilanz", "statistik", "auswertung", "übersicht", "verteilung"),
        *("équilibrage", "statistiques", "analyse", "résumé", "balanço", "estatísticas", "análise", "resumo"),
        *("estadísticas", "análisis", "resumen", "bilanciamento", "statistiche", "analisi", "riepilogo"),
        *("statistieken", "balans", "overzicht", "statystyki", "balanse", "podsumowanie"),
    )
)


def is_group_heading_row(rows: Sequence[Sequence[str]], row_number: int) -> bool:
    """Return whether a row of a sheet, whose first row holds the headings, is the heading of those below it: it has
    one cell, set off by signs or in capitals as no other row's is, and most rows have three cells or more.

    >>> rows = [["Name", "Cost", "Text"], ["— EVENTS —", "", ""], ["Fog", "2", "Skip."], ["Storm", "3", "Stop."]]
    >>> is_group_heading_row(rows, 1), is_group_heading_row(rows, 2)
    (True, False)
    """
    cells = [cell.strip() for cell in rows[row_number] if cell.strip()]
    if len(cells) != 1 or not any(map(str.isalpha, cells[0])) or row_number == len(rows) - 1:
        return False
    others = [
        [cell for cell in row if cell.strip()] for number, row in enumerate(rows) if number not in (0, row_number)
    ]
    filled = sorted(len(row) for row in others if len(row) > 1)
    if not filled or filled[len(filled) // 2] < _FEWEST_CELLS:
        return False
    column = next(number for number, cell in enumerate(rows[row_number]) if cell.strip())
    beside = [row[column].strip() for row in rows[1:] if column < len(row) and sum(map(bool, map(str.strip, row))) > 1]
    if _DECORATED.fullmatch(cells[0]):
        return not any(map(_DECORATED.fullmatch, beside))
    return _is_in_capitals(cells[0]) and not any(map(_is_in_capitals, beside))


def _is_in_capitals(text: str) -> bool:
    return text.isupper() and sum(map(str.isalpha, text)) > 3


def is_sheet_name_of_removed_cards(name: str) -> bool:
    """Return whether a sheet is called so that its cards are no longer in the game: `Removed Cards`, `Archiv`."""
    words = {*split_into_casefolded_words(name)}
    return bool(words & _REMOVED_WORDS) and words <= _REMOVED_WORDS | _CARD_WORDS


def is_sheet_name_of_statistics(name: str) -> bool:
    """Return whether a sheet is called so that it counts or measures cards: `Balance`, `Statistik`."""
    words = {word for word in split_into_casefolded_words(name) if not re.fullmatch(r"v?\d+", word)}
    return bool(words & _STATISTICS_WORDS) and words <= _STATISTICS_WORDS | _CARD_WORDS


def is_table_of_statistics(table: Worksheet, others: Sequence[Worksheet]) -> bool:
    """Return whether a sheet counts or measures: it only has numbers for what a column of another sheet sorts its cards
    into, a row per type; or two of its columns are computed, as 0.6470588 is, and none has a text of some length."""
    columns = _collect_cells_by_heading(table)
    if len(columns) < 2:
        return False
    computed = [cells for cells in columns.values() if cells and 2 * sum(map(_is_computed, cells)) >= len(cells)]
    texts = (cells for heading, cells in columns.items() if not is_likely_note_heading(heading))
    if len(computed) >= 2 and not any(len(cell) > _LONGEST_WORD_OF_STATISTICS for cells in texts for cell in cells):
        return True
    (first, groups), *rest = columns.items()
    if not all(re.fullmatch(r"[-+]?\d+([.,]\d+)?\s?%?", cell) for _, cells in rest for cell in cells):
        return False
    return any(_has_repeated_groups_in_column(other, first, {*groups}) for other in others if other is not table)


_LONGEST_WORD_OF_STATISTICS = 40


def _is_computed(cell: str) -> bool:
    return re.fullmatch(r"-?\d+\.\d{6,}(e-?\d+)?", cell) is not None


def _has_repeated_groups_in_column(table: Worksheet, heading: str, groups: set[str]) -> bool:
    cells = _collect_cells_by_heading(table).get(heading, ())
    return bool(groups) and groups <= {*cells} and len(cells) >= 2 * len({*cells})


def _collect_cells_by_heading(table: Worksheet) -> Mapping[str, Sequence[str]]:
    """Return the filled cells below each heading."""
    headings = map(normalize_heading, table.rows[0] if table.rows else ())
    return {
        heading: [row[number].strip() for row in table.rows[1:] if number < len(row) and row[number].strip()]
        for number, heading in enumerate(headings)
        if heading
    }
