"""Printed cards that no claim covers, each marked with the changes that no claim noticed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from playproof.database.files import write_atomically
from playproof.database.game import load_game
from playproof.generator.build.run import Builder
from playproof.generator.build.version_changes import add_mark_to_piece
from playproof.generator.pdf import Metadata, render_pdf
from playproof.generator.sheets import impose_pieces, load_printer, parse_paper, read_plan
from playproof.mutation.mutate import group_undetected_by_place

if TYPE_CHECKING:
    from playproof.mutation.sampling import MutantOutcome


_LETTERS = 60


def print_cards_with_unnoticed_changes(
    ref: str, verdicts: Sequence[MutantOutcome], path: Path, language: str = "en", page: str = "A4"
) -> int:
    """Write the PDF and return the number of cards in it. Leaves out values of components
    without their own face."""
    game = load_game(ref)
    builder = Builder(game, path.parent)
    changes_of: dict[str, list[str]] = {}
    for some in group_undetected_by_place(verdicts).values():
        for verdict in some:
            if verdict.owner in game.components:
                changes_of.setdefault(verdict.owner, []).append(verdict.said)
    pieces = []
    for ident, changes in changes_of.items():
        text = f"no claim: {'; '.join(changes)}"
        text = text if len(text) <= _LETTERS else f"{text[: _LETTERS - 4]} ..."
        card = game.components[ident]
        pieces += [
            add_mark_to_piece(piece, text)
            for piece in builder.press.build_pieces([card], language, marks=False)
        ]
    title = f"{game.titles.text(language)}: values whose change nothing noticed"
    pages = (
        impose_pieces(
            pieces, read_plan("fronts", target_paper=parse_paper(page)), title=title, printer=load_printer()
        )
        if pieces
        else []
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    if pages:
        write_atomically(
            path, render_pdf(pages, metadata=Metadata(title, language=language), pool=builder.press.pool)
        )
    return len(changes_of)
