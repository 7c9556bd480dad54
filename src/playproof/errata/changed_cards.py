"""The changed cards: in words, as pictures, and as sheets of only these, each marked with the version."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from playproof.database.components import Component
from playproof.database.errors import Collector
from playproof.database.files import write_atomically
from playproof.generator.exports.raster import face_page
from playproof.generator.pdf import Metadata, pdf_bytes
from playproof.generator.png import png_pages
from playproof.generator.sheets import impose, impose_board, load_printer, paper, plan
from playproof.referee.card_text import unmarked

if TYPE_CHECKING:
    from playproof.database.game import Game
    from playproof.errata.speech import Speech
    from playproof.errata.versions import Changed, Difference
    from playproof.generator.build.run import Builder
    from playproof.generator.scene import Face, Rect
    from playproof.generator.sheets.geometry import Size

_DOTS = 110.0  # an inch, for pictures on screen


def print_changes(
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
        for piece in press.pieces([card], language)
    ]
    made = []
    for name in papers if pieces else ():
        sheet = paper(name).portrait
        fitting = [piece for piece in pieces if fits_on(piece.front, sheet)]
        pages = []
        if fitting:
            home = plan("home", on=paper(name))
            pages += impose(fitting, home, title=title, printer=load_printer(), language=language)
        for piece in pieces:
            if piece not in fitting:
                pages += impose_board(piece, plan("board", on=paper(name)), title=title, language=language)
        path = folder / f"changed-{name}-{language}.pdf"
        data = pdf_bytes(pages, metadata=Metadata(title, language=language), pool=press.pool)
        write_atomically(path, data)
        made.append(path)
    return made


def fits_on(thing: Face | Rect, sheet: Size) -> bool:
    """Return whether a thing can be printed on one sheet, either way round."""
    width, height = sheet.width - 10, sheet.height - 10
    upright = thing.width <= width and thing.height <= height
    return upright or (thing.width <= height and thing.height <= width)


def picture(builder: Builder, ident: str, language: str) -> bytes | None:
    """Return a card's front as PNG; None if there is no such card or nothing to draw."""
    card = builder.press.game.components.get(ident)
    face = builder.press.marked_face(card, "front", language, Collector()) if card else None
    if face is None:
        return None
    data = pdf_bytes([face_page(face, 0.0)], metadata=Metadata(face.name), pool=builder.press.pool)
    return next(iter(png_pages(data, _DOTS)))


def words(difference: Difference, speech: Speech) -> list[str]:
    """Return what changed on one card: first printed texts, then values that no text mentions."""
    texts = [
        speech.say(
            "without" if change.new is None else "line",
            where=speech.label(change.path, difference.new),
            now=_said(change.new, speech),
            before=_said(change.old, speech),
        )
        for change in difference.texts
    ]
    return [*texts, *unmentioned(difference, speech)]


def unmentioned(difference: Difference, speech: Speech) -> list[str]:
    """Return that a card is new or leaves the game, and the values that differ and that no changed text mentions. Of
    a card that only one version has, no value is told."""
    old, new = difference.old, difference.new
    if old is None or new is None:
        return [speech.say("new" if old is None else "gone")]
    if not difference.changes and not difference.texts:
        return [speech.say("quotes")]
    parts = ("options.{}.cost.", "options.{}.effects.", "{}.")
    mentioned = [part.format(c.path) for c in difference.texts for part in parts]
    mentioned += [f"options.{c.path}." for c in difference.texts if None in (c.old, c.new)]
    values = [c for c in difference.changes if not c.path.startswith(tuple(mentioned))]
    paths = {change.path for change in values}
    return [_value(c, new, speech) for c in values if not _is_translation(c.path, paths, speech)]


def _is_translation(path: str, paths: Collection[str], speech: Speech) -> bool:
    """Return whether a text of another language changed together with that of the reader's."""
    above, _, last = path.rpartition(".")
    languages = speech.game.languages if speech.game else ()
    return last in languages and last != speech.language and f"{above}.{speech.language}" in paths


def _value(change: Changed, card: Component, speech: Speech) -> str:
    """Return a value before and after, in words: without a copy, a card is not in the game."""
    if change.path == "count" and not (change.old and change.new):
        return speech.say("gone" if change.old else "new")
    return speech.listed(
        speech.label(change.path, card), [f"{speech.value(change.old)} → {speech.value(change.new)}"]
    )


def called(difference: Difference, language: str = "en", game: Game | None = None) -> str:
    """Return a changed card's id and title. A card without a title is called by the first card of the game that it
    names and that has one, as a card by its spot."""
    return titled(difference.id, difference.new or difference.old, language, game)


def titled(ident: str, card: Component | None, language: str, game: Game | None) -> str:
    """Return a card's id and title, as `called`."""
    title = card.title if card else None
    if card and game and title is None:
        spec = game.vocabulary.kinds[card.kind].fields
        named = (game.components.get(str(card.get(name))) for name in spec if spec[name].type == "reference")
        title = next((other.title for other in named if other is not None), None)
    return f"{ident} {title.text(language)}" if title is not None else ident


def _said(text: object, speech: Speech) -> str:
    """Return a text as a person reads it at a terminal."""
    return unmarked(str(text)) if text else speech.say("nothing")
