"""Printed cards that no claim covers, each marked with the changes that no claim noticed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from playproof.database.files import write_atomically
from playproof.database.game import load_game
from playproof.generator.build.run import Builder
from playproof.generator.build.version_marks import marked
from playproof.generator.pdf import Metadata, pdf_bytes
from playproof.generator.sheets import impose, load_printer, paper, plan
from playproof.mutation.noticed_report import silent

if TYPE_CHECKING:
    from playproof.mutation.sampling import Verdict

_LETTERS = 60


def print_marks(
    ref: str, verdicts: Sequence[Verdict], path: Path, language: str = "en", page: str = "A4"
) -> int:
    """Write the PDF and return the number of cards in it. Leaves out values of components
    without their own face."""
    game = load_game(ref)
    builder = Builder(game, path.parent)
    changes_of: dict[str, list[str]] = {}
    for some in silent(verdicts).values():
        for verdict in some:
            if verdict.owner in game.components:
                changes_of.setdefault(verdict.owner, []).append(verdict.said)
    pieces = []
    for ident, changes in changes_of.items():
        text = f"no claim: {'; '.join(changes)}"
        text = text if len(text) <= _LETTERS else f"{text[: _LETTERS - 4]} ..."
        card = game.components[ident]
        pieces += [marked(piece, text) for piece in builder.press.pieces([card], language, marks=False)]
    title = f"{game.titles.text(language)}: values whose change nothing noticed"
    pages = (
        impose(pieces, plan("fronts", on=paper(page)), title=title, printer=load_printer()) if pieces else []
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    if pages:
        write_atomically(
            path, pdf_bytes(pages, metadata=Metadata(title, language=language), pool=builder.press.pool)
        )
    return len(changes_of)
