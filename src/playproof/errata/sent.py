"""Writes everything that one sends out of a change into a folder, and names each file with its digest."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from playproof.database.files import write_atomically
from playproof.errata.changed_cards import print_changes
from playproof.errata.dossier import Dossier
from playproof.errata.machine import machine
from playproof.errata.page import page
from playproof.errata.post import post
from playproof.errata.printed import Printed, compare_prints
from playproof.errata.sheets import post_pdf
from playproof.errata.slips import Slip, slips, slips_pdf
from playproof.generator.build.run import Builder
from playproof.generator.exports.raster import face_page
from playproof.generator.pdf import Metadata, pdf_bytes
from playproof.generator.png import png_pages
from playproof.generator.type.font_book import drawn_in

_DOTS = 300.0
"""Dots per inch of the pictures for shops and virtual tables."""


def send(dossier: Dossier, folder: Path, papers: Sequence[str]) -> list[Path]:
    """Write the sheets, slips, pages and pictures, then the posts and the data that name them. Return all paths, the
    page first."""
    if dossier.printed is None:
        dossier = replace(dossier, printed=compare_prints(dossier.old, dossier.new, folder))
    printed = dossier.printed
    assert printed is not None  # it was made above
    before, after = printed.before, printed.after
    copies = {c.id: c.put_in(dossier.language) for c in printed.changed_in(dossier.language)}
    title = f"{dossier.new.titles.text(dossier.language)} · {dossier.mark}"
    made = print_changes(after, copies, folder, papers, dossier.language, title)
    with drawn_in(after.press.looks.fonts):
        cut = slips(dossier, printed)
    dossier = replace(dossier, has_slips=bool(cut))
    made += _slips(dossier, cut, after, folder, papers)
    made += _pictures(dossier, after, folder, [ident for ident, count in copies.items() if count])
    made += _books(printed, dossier.language, folder)
    for name in papers:
        path = folder / f"post-{name}-{dossier.language}.pdf"
        write_atomically(path, post_pdf(dossier, before, after, name))
        made.append(path)
    data = machine(dossier, folder, made, {slip.card for slip in cut})
    texts = {
        "index.html": page(dossier, before, after, folder, made),
        "post.md": post(dossier, folder, made),
        "erratum.json": json.dumps(data, indent=2, ensure_ascii=False) + "\n",
    }
    for file, text in texts.items():
        write_atomically(folder / file, text.encode())
    return [*(folder / file for file in texts), *made]


def _books(printed: Printed, language: str, folder: Path) -> Iterator[Path]:
    """Write the pages of rulebooks that differ."""
    for book in printed.books:
        if book.language == language:
            path = folder / f"{book.name}-pages-{language}.pdf"
            write_atomically(path, book.drawn)
            yield path


def _slips(
    dossier: Dossier, cut: Sequence[Slip], after: Builder, folder: Path, papers: Sequence[str]
) -> Iterator[Path]:
    for name in papers:
        data = slips_pdf(dossier, cut, after, name)
        if data is not None:
            path = folder / f"slips-{name}-{dossier.language}.pdf"
            write_atomically(path, data)
            yield path


def _pictures(dossier: Dossier, after: Builder, folder: Path, ids: Sequence[str]) -> Iterator[Path]:
    """Write the front of each new card, marked, as shops and virtual tables take it."""
    cards = [after.press.game.components[ident] for ident in ids]
    for piece in after.press.pieces(cards, dossier.language) if cards else []:
        page = face_page(piece.front, 0.0)
        data = pdf_bytes([page], metadata=Metadata(piece.front.name), pool=after.press.pool)
        path = folder / "cards" / f"{piece.name}.front.png"
        write_atomically(path, next(iter(png_pages(data, _DOTS))))
        yield path
