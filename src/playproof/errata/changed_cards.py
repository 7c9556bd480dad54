"""The changed cards: in words, as pictures, and as sheets of only these, each marked with the version."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from playproof.database.components import Component
from playproof.database.errors import FindingCollector
from playproof.database.files import write_atomically
from playproof.generator.exports.raster import build_face_page
from playproof.generator.pdf import Metadata, render_pdf
from playproof.generator.png import render_pdf_pages_to_png
from playproof.generator.sheets import impose_board, impose_pieces, load_printer, parse_paper, read_plan
from playproof.referee.card_text import strip_markup

if TYPE_CHECKING:
    from playproof.database.game import Game
    from playproof.errata.speech import DossierLanguage
    from playproof.errata.versions import ChangedValue, ComponentDifference
    from playproof.generator.build.run import Builder
    from playproof.generator.scene import Face, Rect
    from playproof.generator.sheets.geometry import Size

_DOTS = 110.0  # an inch, for pictures on screen


def write_changed_cards_pdfs(
    builder: Builder,
    copies: Mapping[str, int],
    folder: Path,
    papers: Sequence[str],
    language: str,
    title: str,
) -> list[Path]:
    """Write one PDF per paper with the new copies of components, by id; boards on as many sheets as they need. Return
    the paths; none if there is nothing to print."""
    press = builder.press
    cards = [press.game.components[ident] for ident, count in copies.items() if count]
    pieces = [
        replace(piece, count=piece.count * copies[card.id] // card.count)
        for card in cards
        for piece in press.build_pieces([card], language)
    ]
    made = []
    for name in papers if pieces else ():
        sheet = parse_paper(name).portrait
        fitting = [piece for piece in pieces if fits_on_sheet(piece.front, sheet)]
        pages = []
        if fitting:
            home = read_plan("home", target_paper=parse_paper(name))
            pages += impose_pieces(fitting, home, title=title, printer=load_printer(), language=language)
        for piece in pieces:
            if piece not in fitting:
                pages += impose_board(
                    piece, read_plan("board", target_paper=parse_paper(name)), title=title, language=language
                )
        path = folder / f"changed-{name}-{language}.pdf"
        data = render_pdf(pages, metadata=Metadata(title, language=language), pool=press.pool)
        write_atomically(path, data)
        made.append(path)
    return made


def fits_on_sheet(item: Face | Rect, sheet: Size) -> bool:
    """Return whether a thing can be printed on one sheet, either way round."""
    width, height = sheet.width - 10, sheet.height - 10
    upright = item.width <= width and item.height <= height
    return upright or (item.width <= height and item.height <= width)


def render_card_front_png(builder: Builder, ident: str, language: str) -> bytes | None:
    """Return a card's front as PNG; None if there is no such card or nothing to draw."""
    card = builder.press.game.components.get(ident)
    face = builder.press.draw_marked_face(card, "front", language, FindingCollector()) if card else None
    if face is None:
        return None
    data = render_pdf([build_face_page(face, 0.0)], metadata=Metadata(face.name), pool=builder.press.pool)
    return next(iter(render_pdf_pages_to_png(data, _DOTS)))


def describe_card_difference(difference: ComponentDifference, speech: DossierLanguage) -> list[str]:
    """Return what changed on one card: first printed texts, then values that no text mentions."""
    texts = [
        speech.format_message(
            "without" if change.new is None else "line",
            where=speech.label_of_field(change.path, difference.new),
            now=_format_text_for_terminal(change.new, speech),
            before=_format_text_for_terminal(change.old, speech),
        )
        for change in difference.texts
    ]
    return [*texts, *describe_value_changes_not_in_texts(difference, speech)]


def describe_value_changes_not_in_texts(
    difference: ComponentDifference, speech: DossierLanguage
) -> list[str]:
    """Return that a card is new or leaves the game, and the values that differ and that no changed text mentions. Of
    a card that only one version has, no value is told."""
    old, new = difference.old, difference.new
    if old is None or new is None:
        return [speech.format_message("new" if old is None else "gone")]
    if not difference.changes and not difference.texts:
        return [speech.format_message("quotes")]
    parts = ("options.{}.cost.", "options.{}.effects.", "{}.")
    mentioned = [part.format(c.path) for c in difference.texts for part in parts]
    mentioned += [f"options.{c.path}." for c in difference.texts if None in (c.old, c.new)]
    values = [c for c in difference.changes if not c.path.startswith(tuple(mentioned))]
    paths = {change.path for change in values}
    return [
        _format_value_change(c, new, speech) for c in values if not _is_translation(c.path, paths, speech)
    ]


def _is_translation(path: str, paths: Collection[str], speech: DossierLanguage) -> bool:
    """Return whether a text of another language changed together with that of the reader's."""
    above, _, last = path.rpartition(".")
    languages = speech.game.languages if speech.game else ()
    return last in languages and last != speech.language and f"{above}.{speech.language}" in paths


def _format_value_change(change: ChangedValue, card: Component, speech: DossierLanguage) -> str:
    """Return a value before and after, in words: without a copy, a card is not in the game."""
    if change.path == "count" and not (change.old and change.new):
        return speech.format_message("gone" if change.old else "new")
    return speech.format_labelled_list(
        speech.label_of_field(change.path, card),
        [f"{speech.format_value(change.old)} → {speech.format_value(change.new)}"],
    )


def card_id_and_title_of_difference(
    difference: ComponentDifference, language: str = "en", game: Game | None = None
) -> str:
    """Return a changed card's id and title. A card without a title is called by the first card of the game that it
    names and that has one, as a card by its spot."""
    return format_card_id_and_title(difference.id, difference.new or difference.old, language, game)


def format_card_id_and_title(ident: str, card: Component | None, language: str, game: Game | None) -> str:
    """Return a card's id and title, as `card_id_and_title_of_difference`."""
    title = card.title if card else None
    if card and game and title is None:
        spec = game.vocabulary.kinds[card.kind].fields
        named = (game.components.get(str(card.get(name))) for name in spec if spec[name].type == "reference")
        title = next((other.title for other in named if other is not None), None)
    return f"{ident} {title.text(language)}" if title is not None else ident


def _format_text_for_terminal(text: object, speech: DossierLanguage) -> str:
    """Return a text as a person reads it at a terminal."""
    return strip_markup(str(text)) if text else speech.format_message("nothing")
