"""Writes everything that one sends out of a change into a folder, each file with its digest; for programs,
the dossier as JSON with a schema."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from playproof.database.components import Words
from playproof.database.files import compute_file_sha256, write_file_atomically
from playproof.database.game_schema import DIALECT
from playproof.database.patch import ErratumClass, RulingOutcome
from playproof.database.yaml_models import StrictModel
from playproof.errata.changes import format_card_id_and_title_of_difference, write_pdfs_of_changed_cards_per_paper
from playproof.errata.dossier import ErratumDossier
from playproof.errata.dossier_page import render_dossier_html
from playproof.errata.dossier_pdfs import (
    Slip,
    list_slips_of_changed_cards,
    render_dossier_pdf,
    render_slip_sheets_pdf_or_none,
)
from playproof.errata.dossier_text import render_dossier_markdown
from playproof.errata.print_differences import PrintDifferences, compare_everything_printed_of_versions
from playproof.errata.versions import ComponentDifference
from playproof.generator.build.run import Builder
from playproof.generator.exports.raster import build_page_of_face_and_bleed, iter_pdf_pages_as_png
from playproof.generator.pdf import Metadata, render_pages_to_pdf_bytes
from playproof.generator.type.fonts import use_fonts_as_default_within

# -- sent ----------------------------------------------------------------------------------------------------
# Writes everything that one sends out of a change into a folder, and names each file with its digest.

_DOTS = 300.0
"""Dots per inch of the pictures for shops and virtual tables."""


def write_erratum_files_and_list_page_first(
    dossier: ErratumDossier, output_folder: Path, papers: Sequence[str]
) -> list[Path]:
    """Write the sheets, slips, pages and pictures, then the posts and the data that name them. Return all paths, the
    page first."""
    if dossier.printed is None:
        dossier = replace(
            dossier, printed=compare_everything_printed_of_versions(dossier.old, dossier.new, output_folder)
        )
    printed = dossier.printed
    assert printed is not None  # it was made above
    with use_fonts_as_default_within(printed.after.press.looks.fonts):
        return _write_files_with_fonts_of_game(dossier, printed, output_folder, papers)


def _write_files_with_fonts_of_game(
    dossier: ErratumDossier, printed: PrintDifferences, output_folder: Path, papers: Sequence[str]
) -> list[Path]:
    before, after = printed.before, printed.after
    copies = {
        c.id: c.count_copies_to_add(dossier.language)
        for c in printed.list_components_with_copies_to_remove_or_add(dossier.language)
    }
    title = f"{dossier.new.titles.text(dossier.language)} · {dossier.mark}"
    made = write_pdfs_of_changed_cards_per_paper(after, copies, output_folder, papers, dossier.language, title)
    cut = list_slips_of_changed_cards(dossier, printed)
    dossier = replace(dossier, has_slips=bool(cut))
    made += _write_and_iter_slip_pdfs(dossier, cut, after, output_folder, papers)
    made += _write_and_iter_card_front_pngs(
        dossier, after, output_folder, [ident for ident, count in copies.items() if count]
    )
    made += _write_and_iter_pdfs_of_book_pages(printed, dossier.language, output_folder)
    for name in papers:
        path = output_folder / f"post-{name}-{dossier.language}.pdf"
        write_file_atomically(path, render_dossier_pdf(dossier, before, after, name))
        made.append(path)
    data = dossier_to_erratum_json(dossier, output_folder, made, {slip.card for slip in cut})
    texts = {
        "index.html": render_dossier_html(dossier, before, after, output_folder, made),
        "post.md": render_dossier_markdown(dossier, output_folder, made),
        "erratum.json": json.dumps(data, indent=2, ensure_ascii=False) + "\n",
    }
    _delete_unchanged_files_of_earlier_run(output_folder, dossier.language, made)
    for file, text in texts.items():
        write_file_atomically(output_folder / file, text.encode())
    return [*(output_folder / file for file in texts), *made]


def _delete_unchanged_files_of_earlier_run(output_folder: Path, language: str, new_files: Sequence[Path]) -> None:
    """Remove what an earlier run wrote for this language and this one does not, as the `erratum.json` of that run lists
    it: a card that no longer changes would be sent. What somebody changed since stays."""
    earlier: list[Any] = []
    kept = {path.resolve() for path in new_files}
    with suppress(OSError, ValueError, TypeError, KeyError):
        earlier = json.loads((output_folder / "erratum.json").read_text("utf-8"))["files"]
    for entry in earlier:
        with suppress(OSError, TypeError, KeyError):
            file = (output_folder / entry["name"]).resolve()
            is_of_this_run = file.parent == (output_folder / "cards").resolve() or (
                file.parent == output_folder.resolve() and file.stem.endswith(f"-{language}")
            )
            if is_of_this_run and file not in kept and compute_file_sha256(file) == entry["sha256"]:
                file.unlink()


def _write_and_iter_pdfs_of_book_pages(printed: PrintDifferences, language: str, output_folder: Path) -> Iterator[Path]:
    """Write the pages of rulebooks that differ."""
    for book in (each for each in printed.books if each.pages):
        if book.language == language:
            path = output_folder / f"{book.name}-pages-{language}.pdf"
            write_file_atomically(path, book.drawn)
            yield path


def _write_and_iter_slip_pdfs(
    dossier: ErratumDossier, slips: Sequence[Slip], new_builder: Builder, output_folder: Path, papers: Sequence[str]
) -> Iterator[Path]:
    for name in papers:
        data = render_slip_sheets_pdf_or_none(dossier, slips, new_builder, name)
        if data is not None:
            path = output_folder / f"slips-{name}-{dossier.language}.pdf"
            write_file_atomically(path, data)
            yield path


def _write_and_iter_card_front_pngs(
    dossier: ErratumDossier, new_builder: Builder, output_folder: Path, card_ids: Sequence[str]
) -> Iterator[Path]:
    """Write the front of each new card, marked, as shops and virtual tables take it."""
    cards = [new_builder.press.game.components[ident] for ident in card_ids]
    for piece in new_builder.press.build_pieces_of_components_or_raise(cards, dossier.language) if cards else []:
        page = build_page_of_face_and_bleed(piece.front, 0.0)
        data = render_pages_to_pdf_bytes(
            [page], metadata=Metadata(piece.front.name), pool=new_builder.press.shared_pdf_parts
        )
        path = output_folder / "cards" / f"{piece.name}.front.png"
        write_file_atomically(path, next(iter(iter_pdf_pages_as_png(data, _DOTS))))
        yield path


# -- machine -------------------------------------------------------------------------------------------------
# The dossier for programs: JSON with a schema. A card carries the fields that card databases use for
# errata: `errataDate`, `errataNotes` and `printableSlipUrl`.

Texts = dict[str, str]


class ValueFile(StrictModel):
    """A value of a card that differs; null stands for a missing one."""

    path: str
    from_: Any = Field(alias="from")
    to: Any


class CardFile(StrictModel):
    """A card that changed."""

    id: str
    title: str
    count: int = Field(description="copies in the changed game; 0 for a card that leaves it")
    kind: str = Field(description="the kind of component")
    printed: list[str] = Field(description="the languages in which its faces are printed otherwise")
    takeOut: int = Field(description="old copies to take out of a box, in the language of the dossier")
    putIn: int = Field(description="new copies to put into a box")
    errataDate: str
    errataNotes: str
    printableSlipUrl: str | None = Field(description="the file with the slips, beside this one")
    before: Texts = Field(description="its rules texts as they were, by option or field")
    after: Texts
    values: list[ValueFile]
    family: list[str] = Field(description="cards worded alike that do not change")


class PrintingFile(StrictModel):
    """A printing, and how one tells its cards."""

    name: str
    affected: bool
    mark: Texts


class BookFile(StrictModel):
    """A rulebook of which pages are printed otherwise; they count from 1."""

    name: str
    language: str
    pages: list[int]


class BoxFile(StrictModel):
    """A tuckbox that is printed otherwise, or has another size."""

    name: str
    languages: list[str]


class FateFile(StrictModel):
    """What becomes of a ruling."""

    id: str
    becomes: RulingOutcome
    why: Texts


class SentFile(StrictModel):
    """A file that goes with the dossier."""

    name: str
    sha256: str
    bytes: int


class DossierFile(StrictModel):
    """A change of a game."""

    playproof: Literal[1]
    game: str
    version: str
    before: str = Field(description="the version before, `none` for the game as first published")
    date: str
    status: Literal["issued", "proposed"]
    class_: ErratumClass = Field(alias="class")
    note: Texts
    reason: Texts
    authority: str
    source: str
    mark: str
    languages: list[str]
    printings: list[PrintingFile]
    rulings: list[FateFile]
    cards: list[CardFile]
    remove: dict[str, int] = Field(description="copies of old cards to take out, by id and title")
    add: dict[str, int] = Field(description="copies of new cards to put in, by id and title")
    books: list[BookFile]
    boxes: list[BoxFile]
    translationsLeftBehind: list[str]
    claims: dict[str, Any] | None
    consistent: dict[str, Any] | None = Field(
        description="the same change on the cards worded alike: `fits`, `misfits` with their words, whether the rules "
        "have `refused` it, and `claims` in the shape of the field above, against the erratum alone"
    )
    play: list[dict[str, Any]]
    ladder: list[dict[str, Any]] = Field(
        description="each bot against the one below it, or alone, over the same seeds in both versions: shares of "
        "games `before` and `after`, and their `difference` with its 95 % interval"
    )
    files: list[SentFile]


def make_schema_of_erratum_json() -> dict[str, Any]:
    """Return the JSON Schema of `erratum.json`."""
    return {"$schema": DIALECT, **DossierFile.model_json_schema(), "title": "Playproof: erratum.json"}


def dossier_to_erratum_json(
    dossier: ErratumDossier, output_folder: Path, files_in_folder: Sequence[Path], cards_with_slips: Collection[str]
) -> dict[str, Any]:
    """Return the dossier as JSON data of `DossierFile`; `files_in_folder` go with it in its folder. `cut` are the
    cards that have slips."""
    erratum = dossier.erratum
    slips = next((file.name for file in files_in_folder if file.name.startswith("slips")), None)
    data = {
        "playproof": 1,
        "game": dossier.new.name,
        "version": erratum.version,
        "before": dossier.old.applied[-1] if dossier.old.applied else "none",
        "date": erratum.date,
        "status": "proposed" if erratum.proposed else "issued",
        "class": dossier.kind,
        "note": dict(erratum.note.texts),
        "reason": _map_languages_to_texts(erratum.reason),
        "authority": erratum.authority.name if erratum.authority else "",
        "source": str(erratum.authority.source) if erratum.authority else "",
        "mark": dossier.mark,
        **_replaced_copies_to_json(dossier),
        "languages": list(erratum.languages or dossier.new.languages),
        "printings": [
            {"name": each.name, "affected": each.affected, "mark": _map_languages_to_texts(each.mark)}
            for each in erratum.printings
        ],
        "rulings": [
            {"id": each.id, "becomes": each.becomes, "why": _map_languages_to_texts(each.why)}
            for each in erratum.rulings
        ],
        "cards": [
            _card_difference_to_json(dossier, each, slips if each.id in cards_with_slips else None)
            for each in dossier.cards
        ],
        "translationsLeftBehind": [f"{text.component} {text.path}".rstrip() for text in dossier.untranslated_changes],
        "claims": dossier.claims.as_json(dossier.speech) if dossier.claims else None,
        "consistent": dossier.consistent.as_json(dossier.speech) if dossier.consistent else None,
        "play": [each.as_json(dossier.language) for each in dossier.played],
        "ladder": [each.as_json() for each in dossier.ladder],
        "files": [_file_name_digest_size_to_json(file, output_folder) for file in files_in_folder],
    }
    DossierFile.model_validate(data)  # what is sent is what the schema says
    return data


def _replaced_copies_to_json(dossier: ErratumDossier) -> dict[str, Any]:
    """Return what has to be replaced in a box."""
    books, boxes = (dossier.printed.books, dossier.printed.boxes) if dossier.printed else ((), ())
    return {
        "remove": {part.name: part.count for part in dossier.copies_to_remove},
        "add": {part.name: part.count for part in dossier.copies_to_add},
        "books": [{"name": b.name, "language": b.language, "pages": list(b.pages)} for b in books],
        "boxes": [{"name": box.name, "languages": list(box.languages)} for box in boxes],
    }


def _file_name_digest_size_to_json(file: Path, output_folder: Path) -> dict[str, Any]:
    return {
        "name": file.relative_to(output_folder).as_posix(),
        "sha256": compute_file_sha256(file),
        "bytes": file.stat().st_size,
    }


def _card_difference_to_json(
    dossier: ErratumDossier, difference: ComponentDifference, slips_file_name: str | None
) -> dict[str, Any]:
    parts = dossier.printed.components if dossier.printed else ()
    part = next((each for each in parts if each.id == difference.id), None)
    card = difference.new or difference.old
    assert card is not None  # it is in one of the two versions
    return {
        "id": difference.id,
        "title": format_card_id_and_title_of_difference(difference, dossier.language, dossier.new),
        "count": difference.new.count if difference.new else 0,
        "kind": card.kind,
        "printed": list(part.languages) if part else [],
        "takeOut": part.count_copies_to_remove(dossier.language) if part else 0,
        "putIn": part.count_copies_to_add(dossier.language) if part else 0,
        "errataDate": dossier.erratum.date,
        "errataNotes": dossier.erratum.note.text(dossier.language),
        "printableSlipUrl": slips_file_name,
        "before": {
            text.path: dossier.speech.format_text_with_icons_as_names(text.old)
            for text in difference.texts
            if text.old is not None
        },
        "after": {
            text.path: dossier.speech.format_text_with_icons_as_names(text.new)
            for text in difference.texts
            if text.new is not None
        },
        "values": [
            {"path": c.path, "from": _value_to_json_or_text(c.old), "to": _value_to_json_or_text(c.new)}
            for c in difference.changes
        ],
        "family": list(dossier.unchanged_relatives_by_card.get(difference.id, ())),
    }


def _map_languages_to_texts(words: Words | None) -> Texts:
    return dict(words.texts) if words else {}


def _value_to_json_or_text(value: object) -> object:
    return value if value is None or isinstance(value, bool | int | float) else str(value)
