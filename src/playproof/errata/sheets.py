"""The post about a change as PDF."""

from __future__ import annotations

from collections.abc import Sequence

from playproof.database.word_changes import WordRun, marked_words
from playproof.errata.changed_cards import unmentioned
from playproof.errata.changed_rules import changed_texts
from playproof.errata.dossier import Dossier
from playproof.errata.page import card_heading, sections, told_by
from playproof.errata.replacement_text import replacement_sections
from playproof.errata.versions import Difference
from playproof.errata.words import say
from playproof.generator.build.run import Builder
from playproof.generator.pdf import Metadata, pdf_bytes
from playproof.generator.scene import (
    BLACK,
    Colour,
    Face,
    Group,
    Rect,
    Stroke,
    Transform,
    line,
    rectangle,
)
from playproof.generator.scene.comparison import is_same_face
from playproof.generator.sheets import paper
from playproof.generator.sheets.flowing import BODY, HEAD, LEADING, MARGIN, Flow
from playproof.generator.sheets.lettering import BOLD, PLAIN, broken, letter, width_of
from playproof.referee.card_text import unmarked

_OLD, _NEW, _SOFT = Colour(0.64, 0.15, 0.11), Colour(0.11, 0.42, 0.22), Colour(0.42, 0.36, 0.3)
_INK = {"same": BLACK, "old": _OLD, "new": _NEW}
_TITLE, _SMALL = 22.0, 8.0  # points
_ROW, _LOW_ROW = 78.0, 38.0
"""Height of a card's picture in mm, and where more than `_MANY` cards changed."""
_MANY = 6
_HEADED = 24.0  # mm: a heading, and two lines that stay with it


def post_pdf(dossier: Dossier, before: Builder, after: Builder, page_size: str) -> bytes:
    """Return the post as PDF, on this paper."""
    language, erratum = dossier.language, dossier.erratum
    flow = Flow(paper(page_size).portrait)
    flow.text(dossier.title, _TITLE, font=BOLD)
    flow.y += 2
    kind = say(language, dossier.kind) + (
        f", {say(language, 'proposed').lower()}" if erratum.proposed else ""
    )
    who = f" · {say(language, 'who', name=erratum.authority.name)}" if erratum.authority else ""
    flow.text(f"{kind} · {erratum.date}{who}", _SMALL, colour=_SOFT)
    flow.y += 2
    flow.text(erratum.note.text(language), BODY + 1.5)
    if erratum.reason:
        flow.text(erratum.reason.text(language))
    flow.head(say(language, "changes"), _HEADED)
    row = _LOW_ROW if len(dossier.cards) > _MANY else _ROW
    for difference in dossier.cards:
        _card(flow, difference, dossier, before, after, row)
    rules = changed_texts(erratum, dossier.speech)
    if rules:
        flow.text(say(language, "rules"), HEAD - 1, font=BOLD)
    for text in rules:
        flow.need(3 * LEADING)
        flow.nodes.append(letter(text.where, MARGIN, flow.y + LEADING, _SMALL, colour=_SOFT, font=BOLD))
        words = marked_words(unmarked(text.old), unmarked(text.new))
        flow.y = _marked(flow, words, MARGIN, flow.y + 2 * LEADING, flow.room)
    if not dossier.cards and not rules:
        flow.text(say(language, "none"))
    for title, texts in replacement_sections(dossier):
        flow.head(title, _HEADED)
        printings = erratum.printings if title == say(language, "tell") else ()
        for sentence in (*texts, *(told_by(printing, dossier.speech) for printing in printings)):
            flow.text(sentence)
    for title, texts in sections(dossier):
        flow.head(title, _HEADED)
        for sentence in texts:
            flow.text(f"· {sentence}")
    flow.turn()
    return pdf_bytes(flow.pages, metadata=Metadata(dossier.title, language=language), pool=after.press.pool)


def _card(
    flow: Flow, difference: Difference, dossier: Dossier, before: Builder, after: Builder, row: float
) -> None:
    """Put a card's two faces side by side, at most `row` mm high, and its words beside them."""
    speech = dossier.speech
    faces = [
        (caption, _front(builder, difference.id, speech.language))
        for there, caption, builder in zip(difference.shown, ("before", "now"), (before, after), strict=True)
        if there
    ]
    drawn = [(caption, face) for caption, face in faces if face is not None]
    if len(drawn) == 2 and is_same_face(drawn[0][1], drawn[1][1]):
        drawn = [("alike", drawn[1][1])]
    widest = (flow.room - 8) / 3
    scales = [min(row / face.height, widest / face.width, 1.0) for _, face in drawn]
    height = max((face.height * scale for (_, face), scale in zip(drawn, scales, strict=True)), default=20.0)
    width = sum(face.width * scale + 4 for (_, face), scale in zip(drawn, scales, strict=True))
    beside, room = MARGIN + width + 2, flow.room - width - 2
    tall = _words(Flow(flow.sheet), difference, dossier, beside, 4, room)
    flow.need(max(height, tall) + 8)
    x, top = MARGIN, flow.y + 3
    for (caption, face), scale in zip(drawn, scales, strict=True):
        move = Transform(scale, 0, 0, scale, x, top)
        clip = rectangle(Rect(x, top, face.width * scale, face.height * scale), radius=face.corner * scale)
        flow.nodes.append(Group((Group(face.nodes, move),), clip=clip))
        middle = x + face.width * scale / 2
        colour = _SOFT if caption == "before" else _NEW
        foot = top + face.height * scale + 3.6
        flow.nodes.append(
            letter(speech.say(caption), middle, foot, _SMALL, anchor="middle", colour=colour, font=BOLD)
        )
        x += face.width * scale + 4
    _words(flow, difference, dossier, beside, top + 4, room)
    flow.y = top + max(height, tall) + 7


def _words(flow: Flow, difference: Difference, dossier: Dossier, x: float, y: float, room: float) -> float:
    """Put what changed in words in a column. Return the next line's baseline."""
    speech = dossier.speech
    for words in broken(card_heading(difference, dossier), room, HEAD - 1, BOLD):
        flow.nodes.append(letter(words, x, y, HEAD - 1, font=BOLD))
        y += 5.4
    for change in difference.texts:
        where = speech.label(change.path, difference.new)
        flow.nodes.append(letter(where, x, y, _SMALL, colour=_SOFT, font=BOLD))
        y += LEADING
        parts = marked_words(unmarked(str(change.old or "")), unmarked(str(change.new or "")))
        y = _marked(flow, parts, x, y, room) + 2.5
    for text in unmentioned(difference, speech):
        for words in broken(text, room, BODY - 1):
            flow.nodes.append(letter(words, x, y, BODY - 1))
            y += LEADING
    return y


def _marked(flow: Flow, parts: Sequence[WordRun], x: float, y: float, room: float) -> float:
    """Put words in a column: old ones struck out, new ones bold. Return the next line's baseline."""
    at = x
    for part in parts:
        font = BOLD if part.kind == "new" else PLAIN
        for word in part.text.split():
            width = width_of(word, BODY, font)
            if at > x and at + width > x + room:
                at, y = x, y + LEADING
            flow.nodes.append(letter(word, at, y, BODY, font=font, colour=_INK[part.kind]))
            if part.kind == "old":
                flow.nodes.append(line(at - 0.3, y - 1.1, at + width + 0.3, y - 1.1, Stroke(_OLD, 0.3)))
            at += width + 1.1
    return y + LEADING


def _front(builder: Builder, ident: str, language: str) -> Face | None:
    card = builder.press.game.components.get(ident)
    pieces = builder.press.pieces([card], language) if card else []
    return pieces[0].front if pieces else None
