"""Writes everything that one sends out of a change into a folder, and names each file with its digest."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from playproof.database.files import write_atomically
from playproof.errata.changed_cards import marked, print_changes
from playproof.errata.dossier import Dossier
from playproof.errata.machine import machine
from playproof.errata.page import page
from playproof.errata.post import post
from playproof.errata.sheets import post_pdf
from playproof.errata.slips import Slip, slips, slips_pdf
from playproof.generator.build.run import Builder
from playproof.generator.exports.raster import face_page
from playproof.generator.layout.bind import Looks
from playproof.generator.pdf import Metadata, pdf_bytes
from playproof.generator.png import png_pages
from playproof.generator.type.font_book import drawn_in

_DOTS = 300.0
"""Dots per inch of the pictures for shops and virtual tables."""


def send(dossier: Dossier, folder: Path, papers: Sequence[str]) -> list[Path]:
    """Write the sheets, slips and pictures, then the posts and the data that name them with their digests. Return all
    paths, the page first."""
    # Traced, because a slip shows whole elements of the layout.
    before, after = (
        Builder(game, folder, looks=Looks(game, traced=True)) for game in (dossier.old, dossier.new)
    )
    ids = [difference.id for difference in dossier.differences]
    made = print_changes(after, ids, dossier.erratum, folder, papers, dossier.language)
    with drawn_in(after.press.looks.fonts):
        cut = slips(dossier, before, after)
    made += _slips(dossier, cut, after, folder, papers)
    made += _pictures(dossier, after, folder)
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


def _slips(
    dossier: Dossier, cut: Sequence[Slip], after: Builder, folder: Path, papers: Sequence[str]
) -> Iterator[Path]:
    for name in papers:
        data = slips_pdf(dossier, cut, after, name)
        if data is not None:
            path = folder / f"slips-{name}-{dossier.language}.pdf"
            write_atomically(path, data)
            yield path


def _pictures(dossier: Dossier, after: Builder, folder: Path) -> Iterator[Path]:
    """Write the front of each changed card, marked, as shops and virtual tables take it."""
    cards = [d.new for d in dossier.differences if d.new is not None and d.new.count]
    for piece in after.press.pieces(cards, dossier.language) if cards else []:
        face = marked(piece, dossier.mark).front
        data = pdf_bytes([face_page(face, 0.0)], metadata=Metadata(face.name), pool=after.press.pool)
        path = folder / "cards" / f"{piece.name}.front.png"
        write_atomically(path, next(iter(png_pages(data, _DOTS))))
        yield path
