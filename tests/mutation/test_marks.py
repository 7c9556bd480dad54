"""Marks on printed cards: each card of whose values no claim speaks, with the changes on it; no other card."""

from __future__ import annotations

from pathlib import Path

import pypdfium2

from playproof.mutation.sampling import NOTICED, SURVIVED, MutantOutcome
from playproof.mutation.unclaimed_cards import write_unnoticed_changes_pdf_count_cards


def verdict(card: str, said: str, state: str) -> MutantOutcome:
    return MutantOutcome(f"{card} {said}", "cards/eila/events-0.yaml:9", "value", said, card, state)


def words_of(path: Path) -> str:
    with pypdfium2.PdfDocument(path) as file:
        return "\n".join(page.get_textpage().get_text_range() for page in file)


def test_cards_are_marked_with_what_nobody_noticed(tmp_path: Path) -> None:
    found = [
        verdict("002", "3 for 2", SURVIVED),
        verdict("002", "gold for food", SURVIVED),
        verdict("003", "5 for 4", NOTICED),
        verdict("nobody", "1 for 2", SURVIVED),
    ]
    path = tmp_path / "marks.pdf"
    assert write_unnoticed_changes_pdf_count_cards("eila", found, path) == 1
    words = words_of(path)
    assert "no claim: 3 for 2; gold for food" in words
    assert "The Hazel Thicket" in words
    assert "5 for 4" not in words


def test_without_survivors_nothing_is_printed(tmp_path: Path) -> None:
    assert (
        write_unnoticed_changes_pdf_count_cards("eila", [verdict("003", "5 for 4", NOTICED)], tmp_path / "marks.pdf")
        == 0
    )
    assert not list(tmp_path.iterdir())
