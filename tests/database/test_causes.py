"""Findings of one cause are put together; what must be mended twice stays apart."""

from __future__ import annotations

from playproof.database.errors import (
    APART,
    Finding,
    SheetName,
    Where,
    group_findings_by_cause,
    iter_report_lines_shortened_by_cause,
)

SHEET = SheetName("cards.csv")
BOX = "the layout is at layouts/card.yaml:25:7"


def too_high(row: int, lines: int = 7, hint: str = BOX) -> Finding:
    message = f"{{text}}: at 9 pt, its least size, the text is {lines * 3.7:.1f} mm high ({lines} lines)"
    return Finding("PP501", Where(SHEET, row, 5), message, hint, about=(f"card c{row}",))


def test_a_thousand_cards_of_one_cause_take_three_lines_with_places() -> None:
    lines = list(iter_report_lines_shortened_by_cause(too_high(row, 7 + row % 9) for row in range(2, 1002)))
    assert len(lines) == 3
    assert lines[0] == str(too_high(2, 9))
    assert lines[1].startswith("    and 999 more of this cause: row 3 (card c3); row 4 (card c4)")
    assert lines[1].endswith("; and 993 more")
    assert "--json" in lines[2]


def test_a_few_findings_are_shown_as_they_are() -> None:
    findings = [too_high(row) for row in range(APART)]
    assert list(iter_report_lines_shortened_by_cause(findings)) == list(map(str, findings))


def test_another_element_another_code_or_another_word_is_another_cause() -> None:
    other_box = too_high(3, hint="the layout is at layouts/card.yaml:26:7")
    warning = Finding("PP501", Where(SHEET, 4, 5), too_high(4).message, BOX, "warning")
    other_code = Finding("PP502", Where(SHEET, 5, 5), too_high(5).message, BOX)
    other_words = Finding("PP501", Where(SHEET, 6, 5), "the word is too wide", BOX)
    assert len(group_findings_by_cause([too_high(2), other_box, warning, other_code, other_words])) == 5


def test_quoted_words_cells_and_the_card_at_the_start_make_no_cause_of_their_own() -> None:
    doubled = [
        Finding("PP209", Where(SHEET, row, 1), f'two rows have the id "{name}" (the other is at cards.csv, row {row})')
        for row, name in enumerate(["fox", "owl", "bear"], 2)
    ]
    assert len(group_findings_by_cause(doubled)) == 1
    large = [Finding("PP542", Where(SHEET, 2), f"{name} of 63 x 88 mm does not fit") for name in ("fox", "owl")]
    assert len(group_findings_by_cause(large)) == 1
    colours = [Finding("PP503", Where(SHEET, 2), f"there is no colour '{name}'") for name in ("rde", "bleu")]
    assert len(group_findings_by_cause(colours)) == 1
