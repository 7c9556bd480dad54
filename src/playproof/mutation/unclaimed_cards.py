"""Printed cards that no claim covers, each marked with the changes that no claim noticed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from playproof.database.files import write_file_atomically
from playproof.database.game import load_game
from playproof.generator.build.run import Builder
from playproof.generator.build.version_changes import copy_piece_with_text_at_foot
from playproof.generator.pdf import Metadata, render_pages_to_pdf_bytes
from playproof.generator.sheets import (
    impose_pieces_on_pages,
    parse_paper_name_or_size_or_raise,
    read_printer_offsets_or_empty,
    read_sheet_plan_by_name_or_raise,
)
from playproof.generator.type.fonts import use_fonts_as_default_within
from playproof.mutation.mutate import group_unnoticed_outcomes_by_place

if TYPE_CHECKING:
    from playproof.mutation.sampling import MutantOutcome


_LETTERS = 60


def write_unnoticed_changes_pdf_count_cards(ref: str, outcomes: Sequence[MutantOutcome], path: Path) -> int:
    """Write the PDF and return the number of cards in it. Leaves out values of components
    without their own face."""
    builder = Builder(load_game(ref), path.parent)
    with use_fonts_as_default_within(builder.press.looks.fonts):
        return _write_pdf_and_count_cards(builder, outcomes, path)


def _write_pdf_and_count_cards(builder: Builder, outcomes: Sequence[MutantOutcome], path: Path) -> int:
    game = builder.press.game
    language = game.languages[0]
    changes_of: dict[str, list[str]] = {}
    for some in group_unnoticed_outcomes_by_place(outcomes).values():
        for verdict in some:
            if verdict.owner in game.components:
                changes_of.setdefault(verdict.owner, []).append(verdict.said)
    pieces = []
    for ident, changes in changes_of.items():
        text = f"no claim: {'; '.join(changes)}"
        text = text if len(text) <= _LETTERS else f"{text[: _LETTERS - 4]} ..."
        card = game.components[ident]
        pieces += [
            copy_piece_with_text_at_foot(piece, text)
            for piece in builder.press.build_pieces_of_components_or_raise([card], language, with_errata_marks=False)
        ]
    title = f"{game.titles.text(language)}: values whose change nothing noticed"
    pages = (
        impose_pieces_on_pages(
            pieces,
            read_sheet_plan_by_name_or_raise("fronts", target_paper=parse_paper_name_or_size_or_raise("A4")),
            title=title,
            printer=read_printer_offsets_or_empty(),
        )
        if pieces
        else []
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    if pages:
        write_file_atomically(
            path,
            render_pages_to_pdf_bytes(
                pages, metadata=Metadata(title, language=language), pool=builder.press.shared_pdf_parts
            ),
        )
    return len(changes_of)
