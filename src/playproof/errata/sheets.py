"""The post about a change as PDF."""

from __future__ import annotations

from collections.abc import Sequence

from playproof.database.word_changes import WordRun, diff_words
from playproof.errata.changed_cards import describe_value_changes_not_in_texts
from playproof.errata.changed_rules import find_changed_rule_texts
from playproof.errata.dossier import ErratumDossier
from playproof.errata.page import describe_printing, format_card_heading, iter_effect_sections
from playproof.errata.replacement_text import iter_replacement_sections
from playproof.errata.versions import ComponentDifference
from playproof.errata.words import format_message
from playproof.generator.build.run import Builder
from playproof.generator.pdf import Metadata, render_pdf
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
from playproof.generator.sheets import parse_paper
from playproof.generator.sheets.flowing import BODY, HEAD, LEADING, MARGIN, PageFlow
from playproof.generator.sheets.lettering import (
    BOLD,
    PLAIN,
    iter_wrapped_lines,
    measure_text_width,
    set_text_line,
)
from playproof.referee.card_text import strip_markup

_OLD, _NEW, _SOFT = Colour(0.64, 0.15, 0.11), Colour(0.11, 0.42, 0.22), Colour(0.42, 0.36, 0.3)
_INK = {"same": BLACK, "old": _OLD, "new": _NEW}
_TITLE, _SMALL = 22.0, 8.0  # points
_ROW, _LOW_ROW = 78.0, 38.0
"""Height of a card's picture in mm, and where more than `_MANY` cards changed."""
_MANY = 6
_HEADED = 24.0  # mm: a heading, and two lines that stay with it


def render_dossier_pdf(dossier: ErratumDossier, before: Builder, after: Builder, page_size: str) -> bytes:
    """Return the post as PDF, on this paper."""
    language, erratum = dossier.language, dossier.erratum
    flow = PageFlow(parse_paper(page_size).portrait)
    flow.add_text(dossier.title, _TITLE, font=BOLD)
    flow.y += 2
    kind = format_message(language, dossier.kind) + (
        f", {format_message(language, 'proposed').lower()}" if erratum.proposed else ""
    )
    who = f" · {format_message(language, 'who', name=erratum.authority.name)}" if erratum.authority else ""
    flow.add_text(f"{kind} · {erratum.date}{who}", _SMALL, colour=_SOFT)
    flow.y += 2
    flow.add_text(erratum.note.text(language), BODY + 1.5)
    if erratum.reason:
        flow.add_text(erratum.reason.text(language))
    flow.add_heading(format_message(language, "changes"), _HEADED)
    row = _LOW_ROW if len(dossier.cards) > _MANY else _ROW
    for difference in dossier.cards:
        _draw_card_comparison(flow, difference, dossier, before, after, row)
    rules = find_changed_rule_texts(dossier.file_changes, dossier.speech)
    if rules:
        flow.add_text(format_message(language, "rules"), HEAD - 1, font=BOLD)
    for text in rules:
        flow.ensure_room(3 * LEADING)
        flow.nodes.append(
            set_text_line(text.where, MARGIN, flow.y + LEADING, _SMALL, colour=_SOFT, font=BOLD)
        )
        words = diff_words(strip_markup(text.old), strip_markup(text.new))
        flow.y = _draw_marked_words(flow, words, MARGIN, flow.y + 2 * LEADING, flow.room)
    if not dossier.cards and not rules:
        flow.add_text(format_message(language, "none"))
    for title, texts in iter_replacement_sections(dossier):
        flow.add_heading(title, _HEADED)
        printings = erratum.printings if title == format_message(language, "tell") else ()
        for sentence in (*texts, *(describe_printing(printing, dossier.speech) for printing in printings)):
            flow.add_text(sentence)
    for title, texts in iter_effect_sections(dossier):
        flow.add_heading(title, _HEADED)
        for sentence in texts:
            flow.add_text(f"· {sentence}")
    flow.begin_page()
    return render_pdf(flow.pages, metadata=Metadata(dossier.title, language=language), pool=after.press.pool)


def _draw_card_comparison(
    flow: PageFlow,
    difference: ComponentDifference,
    dossier: ErratumDossier,
    before: Builder,
    after: Builder,
    row: float,
) -> None:
    """Put a card's two faces side by side, at most `row` mm high, and its words beside them."""
    speech = dossier.speech
    faces = [
        (caption, _build_card_front(builder, difference.id, speech.language))
        for there, caption, builder in zip(
            difference.is_shown_before_and_after, ("before", "now"), (before, after), strict=True
        )
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
    tall = _draw_change_texts(PageFlow(flow.sheet), difference, dossier, beside, 4, room)
    flow.ensure_room(max(height, tall) + 8)
    x, top = MARGIN, flow.y + 3
    for (caption, face), scale in zip(drawn, scales, strict=True):
        move = Transform(scale, 0, 0, scale, x, top)
        clip = rectangle(Rect(x, top, face.width * scale, face.height * scale), radius=face.corner * scale)
        flow.nodes.append(Group((Group(face.nodes, move),), clip=clip))
        middle = x + face.width * scale / 2
        colour = _SOFT if caption == "before" else _NEW
        foot = top + face.height * scale + 3.6
        flow.nodes.append(
            set_text_line(
                speech.format_message(caption),
                middle,
                foot,
                _SMALL,
                anchor="middle",
                colour=colour,
                font=BOLD,
            )
        )
        x += face.width * scale + 4
    _draw_change_texts(flow, difference, dossier, beside, top + 4, room)
    flow.y = top + max(height, tall) + 7


def _draw_change_texts(
    flow: PageFlow, difference: ComponentDifference, dossier: ErratumDossier, x: float, y: float, room: float
) -> float:
    """Put what changed in words in a column. Return the next line's baseline."""
    speech = dossier.speech
    for words in iter_wrapped_lines(format_card_heading(difference, dossier), room, HEAD - 1, BOLD):
        flow.nodes.append(set_text_line(words, x, y, HEAD - 1, font=BOLD))
        y += 5.4
    for change in difference.texts:
        where = speech.label_of_field(change.path, difference.new)
        flow.nodes.append(set_text_line(where, x, y, _SMALL, colour=_SOFT, font=BOLD))
        y += LEADING
        parts = diff_words(strip_markup(str(change.old or "")), strip_markup(str(change.new or "")))
        y = _draw_marked_words(flow, parts, x, y, room) + 2.5
    for text in describe_value_changes_not_in_texts(difference, speech):
        for words in iter_wrapped_lines(text, room, BODY - 1):
            flow.nodes.append(set_text_line(words, x, y, BODY - 1))
            y += LEADING
    return y


def _draw_marked_words(flow: PageFlow, parts: Sequence[WordRun], x: float, y: float, room: float) -> float:
    """Put words in a column: old ones struck out, new ones bold. Return the next line's baseline."""
    at = x
    for part in parts:
        font = BOLD if part.kind == "new" else PLAIN
        for word in part.text.split():
            width = measure_text_width(word, BODY, font)
            if at > x and at + width > x + room:
                at, y = x, y + LEADING
            flow.nodes.append(set_text_line(word, at, y, BODY, font=font, colour=_INK[part.kind]))
            if part.kind == "old":
                flow.nodes.append(line(at - 0.3, y - 1.1, at + width + 0.3, y - 1.1, Stroke(_OLD, 0.3)))
            at += width + 1.1
    return y + LEADING


def _build_card_front(builder: Builder, ident: str, language: str) -> Face | None:
    card = builder.press.game.components.get(ident)
    pieces = builder.press.build_pieces([card], language) if card else []
    return pieces[0].front if pieces else None
