"""The changed cards: in words, as pictures, and as sheets of only these, each marked with the version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from playproof.database.components import Component, Words
from playproof.database.errors import Collector
from playproof.database.files import write_atomically
from playproof.generator.exports.raster import face_page
from playproof.generator.layout.canvas import drawn_boxes
from playproof.generator.pdf import Metadata, pdf_bytes
from playproof.generator.png import png_pages
from playproof.generator.scene import BLACK, WHITE, Rect, rectangle
from playproof.generator.sheets import impose, load_printer, paper, plan
from playproof.generator.sheets.lettering import broken, letter, width_of
from playproof.referee.card_text import unmarked

if TYPE_CHECKING:
    from playproof.database.game import Game
    from playproof.database.patch import Erratum
    from playproof.errata.speech import Speech
    from playproof.errata.versions import Changed, Difference
    from playproof.generator.build.run import Builder
    from playproof.generator.scene import Face, Rect
    from playproof.generator.sheets import Piece
    from playproof.generator.sheets.geometry import Size

_MARK_SIZE = 7.0  # pt
_MARK_LEADING, _MARK_EDGE = 2.9, 2.5  # mm: from line to line, and from the cut where there is room
_EDGES = (
    _MARK_EDGE,
    1.8,
    1.2,
)  # mm: the mark moves towards the cut, but no further, to keep off what is printed
_DOTS = 110.0  # an inch, for pictures on screen


def mark_of(erratum: Erratum) -> str:
    """Return the text printed on every changed card."""
    return f"v{erratum.version} · {erratum.date}"


def marked(piece: Piece, text: str) -> Piece:
    """Return the piece with a text at the foot of its front."""
    return replace(piece, front=_lettered(piece.front, text))


def _lettered(face: Face, text: str) -> Face:
    lines = list(broken(text, face.width - 2 * _MARK_EDGE, _MARK_SIZE))
    width = max(width_of(line, _MARK_SIZE) for line in lines)
    box = _free(face, width + 1.6, _MARK_LEADING * len(lines) - 0.3)
    ground = rectangle(box, WHITE, radius=0.6)
    words = [
        letter(
            line,
            box.centre[0],
            box.y + _MARK_LEADING * (number + 0.66),
            _MARK_SIZE,
            anchor="middle",
            colour=BLACK,
        )
        for number, line in enumerate(lines)
    ]
    return replace(face, nodes=(*face.nodes, ground, *words))


def _free(face: Face, width: float, height: float) -> Rect:
    """Return a place for a mark of this size that crosses no line of text and no outline: at the foot if there
    is room, else at the head, else nearest to the cut at the foot."""
    there = list(drawn_boxes(face.nodes))
    left = (face.width - width) / 2
    feet = [
        Rect(x, face.height - edge - height, width, height)
        for x in (left, _MARK_EDGE, face.width - _MARK_EDGE - width)
        for edge in _EDGES
    ]
    heads = [box._replace(y=face.height - box.bottom) for box in feet]
    free = (box for box in (*feet, *heads) if not any(_crosses(box, what, drawn) for what, drawn in there))
    return next(free, feet[len(_EDGES) - 1])


def _crosses(box: Rect, what: str, drawn: Rect) -> bool:
    """Return whether a mark hides a part of something. A mark wholly inside a shape hides only its ground."""
    apart = box.right <= drawn.x or drawn.right <= box.x or box.bottom <= drawn.y or drawn.bottom <= box.y
    return not apart and (what == "text" or not drawn.contains(box))


def print_changes(
    builder: Builder,
    changed: Sequence[str],
    erratum: Erratum,
    folder: Path,
    papers: Sequence[str],
    language: str,
) -> list[Path]:
    """Write one PDF per paper with the changed cards, marked, and return the paths; none if no card is left to
    print."""
    cards = [builder.press.game.components[i] for i in changed if i in builder.press.game.components]
    pieces = [marked(piece, mark_of(erratum)) for piece in builder.press.pieces(cards, language)]
    if not any(piece.count for piece in pieces):  # all are taken out of the game, or change back
        return []
    title = f"{builder.press.game.titles.text(language)} · {mark_of(erratum)}"
    made = []
    for name in papers:
        sheet = paper(name).portrait
        fitting = [p for p in pieces if fits_on(p.front, sheet)]
        if not fitting:
            continue
        pages = impose(
            fitting, plan("home", on=paper(name)), title=title, printer=load_printer(), language=language
        )
        path = folder / f"changed-{name}-{language}.pdf"
        write_atomically(
            path, pdf_bytes(pages, metadata=Metadata(title, language=language), pool=builder.press.pool)
        )
        made.append(path)
    return made


def fits_on(thing: Face | Rect, sheet: Size) -> bool:
    """Return whether a thing can be printed on a sheet, either way round. A board is sent as a picture only."""
    width, height = sheet.width - 10, sheet.height - 10
    upright = thing.width <= width and thing.height <= height
    return upright or (thing.width <= height and thing.height <= width)


def picture(builder: Builder, ident: str, language: str) -> bytes | None:
    """Return a card's front as PNG; None if there is no such card or nothing to draw."""
    card = builder.press.game.components.get(ident)
    face = builder.press.face(card, "front", language, Collector()) if card else None
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
    parts = ("options.{}.cost.", "options.{}.effects.", "{}.")
    mentioned = [part.format(c.path) for c in difference.texts for part in parts]
    mentioned += [f"options.{c.path}." for c in difference.texts if None in (c.old, c.new)]
    values = [c for c in difference.changes if not c.path.startswith(tuple(mentioned))]
    titles = {f"title.{speech.language}" for c in values if c.path == "name"}
    return [_value(c, new, speech) for c in values if c.path not in titles]


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
    title = card.get("title") if card else None
    if card and game and title is None:
        spec = game.vocabulary.kinds[card.kind].fields
        named = (game.components.get(str(card.get(name))) for name in spec if spec[name].type == "reference")
        title = next((other.get("title") for other in named if other is not None), None)
    return f"{ident} {title.text(language)}" if isinstance(title, Words) else ident


def _said(text: object, speech: Speech) -> str:
    """Return a text as a person reads it at a terminal."""
    return unmarked(str(text)) if text else speech.say("nothing")
