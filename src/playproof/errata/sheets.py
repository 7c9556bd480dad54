"""What is printed of a change: the post as PDF, and slips to glue over the old text."""

from __future__ import annotations

from collections.abc import Sequence

from playproof.database.components import Component, Effect, Either
from playproof.database.effect_text import made_text, option_text
from playproof.database.game import Game
from playproof.errata.changed_cards import called, unmentioned
from playproof.errata.dossier import Dossier
from playproof.errata.page import affected, sections
from playproof.errata.versions import Difference
from playproof.errata.word_changes import Part, marked_words
from playproof.errata.words import say
from playproof.generator.build.run import Builder
from playproof.generator.pdf import Metadata, pdf_bytes
from playproof.generator.scene import (
    BLACK,
    WHITE,
    Colour,
    Face,
    Group,
    Node,
    Rect,
    Stroke,
    Transform,
    line,
    rectangle,
)
from playproof.generator.sheets import Piece, impose, load_printer, paper, plan
from playproof.generator.sheets.flowing import BODY, HEAD, LEADING, MARGIN, Flow
from playproof.generator.sheets.lettering import BOLD, PLAIN, broken, letter, width_of
from playproof.referee.card_text import unmarked

_OLD, _NEW, _SOFT = Colour(0.64, 0.15, 0.11), Colour(0.11, 0.42, 0.22), Colour(0.42, 0.36, 0.3)
_INK = {"same": BLACK, "old": _OLD, "new": _NEW}
_TITLE, _SMALL, _ROW = 22.0, 8.0, 78.0  # points, points, and mm: the height of a card's picture
_SLIP_TEXT, _SLIP_LEADING, _SLIP_EDGE, _SLIP_WIDTH = 8.5, 3.9, 2.6, 58.0


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
    flow.head(say(language, "changes"))
    for difference in dossier.differences:
        _card(flow, difference, language, before, after)
    flow.head(say(language, "tell"))
    flow.text(say(language, "mark", mark=dossier.mark))
    for printing in erratum.printings:
        flow.text(f"{printing.name} ({affected(printing, language)}): {printing.mark.text(language)}")
    if dossier.removed:
        flow.head(say(language, "remove"))
        for name, count in dossier.removed:
            flow.text(f"{say(language, 'copy', count=count)} {name}")
        flow.text(say(language, "put"))
    for title, texts in sections(dossier):
        flow.head(title)
        for text in texts:
            flow.text(f"· {text}")
    flow.turn()
    return pdf_bytes(flow.pages, metadata=Metadata(dossier.title, language=language), pool=after.press.pool)


def _card(flow: Flow, difference: Difference, language: str, before: Builder, after: Builder) -> None:
    """Put a card's two faces side by side, and its words beside them."""
    faces = [
        (caption, _front(builder, difference.id, language))
        for caption, builder in (("before", before), ("now", after))
    ]
    shown = [(caption, face) for caption, face in faces if face is not None]
    widest = (flow.room - 8) / 3
    scales = [min(_ROW / face.height, widest / face.width, 1.0) for _, face in shown]
    height = max((face.height * scale for (_, face), scale in zip(shown, scales, strict=True)), default=20.0)
    flow.need(height + 8)
    x, top = MARGIN, flow.y + 3
    for (caption, face), scale in zip(shown, scales, strict=True):
        move = Transform(scale, 0, 0, scale, x, top)
        clip = rectangle(Rect(x, top, face.width * scale, face.height * scale), radius=face.corner * scale)
        flow.nodes.append(Group((Group(face.nodes, move),), clip=clip))
        middle = x + face.width * scale / 2
        colour = _NEW if caption == "now" else _SOFT
        foot = top + face.height * scale + 3.6
        flow.nodes.append(
            letter(say(language, caption), middle, foot, _SMALL, anchor="middle", colour=colour, font=BOLD)
        )
        x += face.width * scale + 4
    _words(flow, difference, language, x + 2, top + 4, flow.sheet.width - MARGIN - x - 2)
    flow.y = top + height + 7


def _words(flow: Flow, difference: Difference, language: str, x: float, y: float, room: float) -> None:
    for words in broken(called(difference, language), room, HEAD - 1, BOLD):
        flow.nodes.append(letter(words, x, y, HEAD - 1, font=BOLD))
        y += 5.4
    for change in difference.texts:
        where = say(language, "option", letter=change.path) if change.path.isupper() else change.path
        flow.nodes.append(letter(where, x, y, _SMALL, colour=_SOFT, font=BOLD))
        y += LEADING
        parts = marked_words(unmarked(str(change.old or "")), unmarked(str(change.new or "")))
        y = _marked(flow, parts, x, y, room) + 2.5
    for text in unmentioned(difference, language):
        for words in broken(text, room, BODY - 1):
            flow.nodes.append(letter(words, x, y, BODY - 1))
            y += LEADING


def _marked(flow: Flow, parts: Sequence[Part], x: float, y: float, room: float) -> float:
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


# -- slips ----------------------------------------------------------------------------------------------------------


def slips_pdf(dossier: Dossier, after: Builder, page_size: str) -> bytes | None:
    """Return slips with the new texts, one per copy of each changed card, or None if no text changed. All are as tall
    as the tallest, so that they share pages and cuts."""
    texts = [
        (difference, difference.new, _lines(dossier, difference, difference.new))
        for difference in dossier.differences
        if difference.new is not None and difference.texts and difference.new.count
    ]
    if not texts:
        return None
    tallest = max(len(lines) for _, _, lines in texts)
    pieces = [_slip(dossier, difference, card, lines, tallest) for difference, card, lines in texts]
    title = f"{dossier.title} · {say(dossier.language, 'slip')}"
    pages = impose(
        pieces,
        plan("fronts", on=paper(page_size)),
        title=title,
        printer=load_printer(),
        language=dossier.language,
    )
    return pdf_bytes(pages, metadata=Metadata(title, language=dossier.language), pool=after.press.pool)


def _lines(dossier: Dossier, difference: Difference, card: Component) -> list[tuple[str, str]]:
    """Return a slip's lines, each with its font: the card's title, and its new texts."""
    room = _SLIP_WIDTH - 2 * _SLIP_EDGE
    lines = [(words, BOLD) for words in broken(called(difference, dossier.language), room, _SLIP_TEXT, BOLD)]
    for change in difference.texts:
        if change.new is not None:
            text = _printed(dossier.new, card, change.path, dossier.language)
            label = f"{change.path}: {text}" if change.path.isupper() else text
            lines += [(words, PLAIN) for words in broken(label, room, _SLIP_TEXT)]
    return lines


def _slip(
    dossier: Dossier, difference: Difference, card: Component, lines: Sequence[tuple[str, str]], tallest: int
) -> Piece:
    """Return one slip with its lines and the mark, as tall as that of the most lines."""
    height = 2 * _SLIP_EDGE + 2.8 + tallest * _SLIP_LEADING
    nodes: list[Node] = [rectangle(Rect(0, 0, _SLIP_WIDTH, height), WHITE)]
    for number, (words, font) in enumerate(lines):
        baseline = _SLIP_EDGE + 2.8 + number * _SLIP_LEADING
        nodes.append(letter(words, _SLIP_EDGE, baseline, _SLIP_TEXT, font=font))
    foot = _SLIP_WIDTH - _SLIP_EDGE, height - _SLIP_EDGE
    nodes.append(letter(dossier.mark, *foot, 6.0, anchor="end", colour=_SOFT))
    face = Face(f"slip {difference.id}", _SLIP_WIDTH, height, tuple(nodes), safe=1.0)
    return Piece(f"slip {difference.id}", face, count=card.count, where=card.where, title=called(difference))


def _printed(game: Game, card: Component, path: str, language: str) -> str:
    """Return the new text of an option or an effect field, in plain words."""
    for option in card.options:
        if option.letter == path:
            return unmarked(option_text(option, game.vocabulary, language, "words"))
    value = card.fields.get(path)
    assert isinstance(value, tuple)  # only effects have texts made from them
    steps = [step for step in value if isinstance(step, Effect | Either)]
    return unmarked(made_text(steps, game.vocabulary, language, "words"))
