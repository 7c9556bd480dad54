"""Writes everything that one sends out of a change into a folder, and names each file with its digest."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from playproof.database.files import write_atomically
from playproof.errata.changed_cards import write_changed_cards_pdfs
from playproof.errata.dossier import ErratumDossier
from playproof.errata.machine import dossier_to_json
from playproof.errata.page import render_dossier_html
from playproof.errata.post import render_dossier_markdown
from playproof.errata.printed import PrintDifferences, compare_prints
from playproof.errata.sheets import render_dossier_pdf
from playproof.errata.slips import Slip, find_slips, render_slips_pdf
from playproof.generator.build.run import Builder
from playproof.generator.exports.raster import build_face_page
from playproof.generator.pdf import Metadata, render_pdf
from playproof.generator.png import render_pdf_pages_to_png
from playproof.generator.type.font_book import use_fonts

_DOTS = 300.0
"""Dots per inch of the pictures for shops and virtual tables."""


def write_erratum_files(dossier: ErratumDossier, folder: Path, papers: Sequence[str]) -> list[Path]:
    """Write the sheets, slips, pages and pictures, then the posts and the data that name them. Return all paths, the
    page first."""
    if dossier.printed is None:
        dossier = replace(dossier, printed=compare_prints(dossier.old, dossier.new, folder))
    printed = dossier.printed
    assert printed is not None  # it was made above
    before, after = printed.before, printed.after
    copies = {
        c.id: c.count_copies_to_add(dossier.language)
        for c in printed.changed_components_in_language(dossier.language)
    }
    title = f"{dossier.new.titles.text(dossier.language)} · {dossier.mark}"
    made = write_changed_cards_pdfs(after, copies, folder, papers, dossier.language, title)
    with use_fonts(after.press.looks.fonts):
        cut = find_slips(dossier, printed)
    dossier = replace(dossier, has_slips=bool(cut))
    made += _write_slip_pdfs(dossier, cut, after, folder, papers)
    made += _write_card_pictures(dossier, after, folder, [ident for ident, count in copies.items() if count])
    made += _write_changed_book_pages(printed, dossier.language, folder)
    for name in papers:
        path = folder / f"post-{name}-{dossier.language}.pdf"
        write_atomically(path, render_dossier_pdf(dossier, before, after, name))
        made.append(path)
    data = dossier_to_json(dossier, folder, made, {slip.card for slip in cut})
    texts = {
        "index.html": render_dossier_html(dossier, before, after, folder, made),
        "post.md": render_dossier_markdown(dossier, folder, made),
        "erratum.json": json.dumps(data, indent=2, ensure_ascii=False) + "\n",
    }
    for file, text in texts.items():
        write_atomically(folder / file, text.encode())
    return [*(folder / file for file in texts), *made]


def _write_changed_book_pages(printed: PrintDifferences, language: str, folder: Path) -> Iterator[Path]:
    """Write the pages of rulebooks that differ."""
    for book in printed.books:
        if book.language == language:
            path = folder / f"{book.name}-pages-{language}.pdf"
            write_atomically(path, book.drawn)
            yield path


def _write_slip_pdfs(
    dossier: ErratumDossier, cut: Sequence[Slip], after: Builder, folder: Path, papers: Sequence[str]
) -> Iterator[Path]:
    for name in papers:
        data = render_slips_pdf(dossier, cut, after, name)
        if data is not None:
            path = folder / f"slips-{name}-{dossier.language}.pdf"
            write_atomically(path, data)
            yield path


def _write_card_pictures(
    dossier: ErratumDossier, after: Builder, folder: Path, ids: Sequence[str]
) -> Iterator[Path]:
    """Write the front of each new card, marked, as shops and virtual tables take it."""
    cards = [after.press.game.components[ident] for ident in ids]
    for piece in after.press.build_pieces(cards, dossier.language) if cards else []:
        page = build_face_page(piece.front, 0.0)
        data = render_pdf([page], metadata=Metadata(piece.front.name), pool=after.press.pool)
        path = folder / "cards" / f"{piece.name}.front.png"
        write_atomically(path, next(iter(render_pdf_pages_to_png(data, _DOTS))))
        yield path
