"""The dossier on paper: the post about a change as PDF, and slips, the changed places of a card at true
size, to glue over the old ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from playproof.database.lint_errata import WordRun, list_runs_of_kept_and_changed_words
from playproof.errata.changes import (
    can_fit_on_sheet_either_way_round,
    list_changed_card_texts_in_language,
    list_changed_texts_of_files,
    list_sentences_on_value_changes_not_in_texts,
)
from playproof.errata.dossier import ErratumDossier, iter_titles_and_lines_of_replacements
from playproof.errata.dossier_language import format_message
from playproof.errata.dossier_page import (
    describe_how_to_tell_printing,
    format_heading_with_kind_if_mixed,
    iter_titles_and_sentences_of_effects,
)
from playproof.errata.print_differences import PrintDifferences
from playproof.errata.versions import ComponentDifference
from playproof.generator.build.run import Builder
from playproof.generator.build.version_changes import copy_piece_with_text_at_foot
from playproof.generator.exports.raster import render_faces_at_exact_pixels
from playproof.generator.layout.printable_area import iter_drawn_boxes_as_text_or_shape
from playproof.generator.pdf import Metadata, render_pages_to_pdf_bytes
from playproof.generator.scene import (
    BLACK,
    IDENTITY,
    WHITE,
    Colour,
    Face,
    Group,
    Node,
    Rect,
    Stroke,
    Transform,
    build_line_path,
    build_rectangle_path,
)
from playproof.generator.scene.nodes import are_faces_drawn_and_cut_alike
from playproof.generator.sheets import (
    Piece,
    impose_pieces_on_pages,
    parse_paper_name_or_size_or_raise,
    read_printer_offsets_or_empty,
    read_sheet_plan_by_name_or_raise,
)
from playproof.generator.sheets.slots import Size
from playproof.generator.sheets.text_columns import FLOW_BODY, FLOW_HEAD, FLOW_LEADING, FLOW_MARGIN, PageFlow
from playproof.generator.type.shaping import (
    BOLD,
    PLAIN,
    iter_lines_wrapped_to_width,
    measure_text_line_width_in_mm,
    typeset_anchored_text_line,
)

# -- sheets --------------------------------------------------------------------------------------------------
# The post about a change as PDF.

_OLD, _NEW, _SOFT = Colour(0.64, 0.15, 0.11), Colour(0.11, 0.42, 0.22), Colour(0.42, 0.36, 0.3)
_WORD_INKS = {"same": BLACK, "old": _OLD, "new": _NEW}
_TITLE, _SMALL = 22.0, 8.0  # points
_ROW, _LOW_ROW = 78.0, 38.0
"""Height of a card's picture in mm, and where more than `_MANY` cards changed."""
_MANY = 6
_HEADED = 24.0  # mm: a heading, and two lines that stay with it


def render_dossier_pdf(dossier: ErratumDossier, old_builder: Builder, new_builder: Builder, page_size: str) -> bytes:
    """Return the post as PDF, on this paper."""
    language, erratum = dossier.language, dossier.erratum
    flow = PageFlow(parse_paper_name_or_size_or_raise(page_size).portrait)
    flow.add_wrapped_text(dossier.title, _TITLE, font=BOLD)
    flow.y += 2
    kind = format_message(language, dossier.kind) + (
        f", {format_message(language, 'proposed').lower()}" if erratum.proposed else ""
    )
    who = f" · {format_message(language, 'who', name=erratum.authority.name)}" if erratum.authority else ""
    flow.add_wrapped_text(f"{kind} · {erratum.date}{who}", _SMALL, colour=_SOFT)
    flow.y += 2
    flow.add_wrapped_text(erratum.note.text(language), FLOW_BODY + 1.5)
    if erratum.reason:
        flow.add_wrapped_text(erratum.reason.text(language))
    flow.add_ruled_heading(format_message(language, "changes"), _HEADED)
    row = _LOW_ROW if len(dossier.cards) > _MANY else _ROW
    for difference in dossier.cards:
        _add_card_comparison_to_flow(flow, difference, dossier, old_builder, new_builder, row)
    rules = list_changed_texts_of_files(dossier.file_changes, dossier.speech)
    if rules:
        flow.add_wrapped_text(format_message(language, "rules"), FLOW_HEAD - 1, font=BOLD)
    for text in rules:
        flow.begin_page_unless_height_fits(3 * FLOW_LEADING)
        flow.nodes.append(
            typeset_anchored_text_line(text.where, FLOW_MARGIN, flow.y + FLOW_LEADING, _SMALL, colour=_SOFT, font=BOLD)
        )
        words = list_runs_of_kept_and_changed_words(text.old, text.new)
        flow.y = _add_marked_words_and_get_next_baseline(
            flow, words, FLOW_MARGIN, flow.y + 2 * FLOW_LEADING, flow.width_between_margins
        )
    if not dossier.cards and not rules:
        flow.add_wrapped_text(format_message(language, "none"))
    for title, texts in iter_titles_and_lines_of_replacements(dossier):
        flow.add_ruled_heading(title, _HEADED)
        printings = erratum.printings if title == format_message(language, "tell") else ()
        for sentence in (*texts, *(describe_how_to_tell_printing(printing, dossier.speech) for printing in printings)):
            flow.add_wrapped_text(sentence)
    for title, texts in iter_titles_and_sentences_of_effects(dossier):
        flow.add_ruled_heading(title, _HEADED)
        for sentence in texts:
            flow.add_wrapped_text(f"· {sentence}")
    flow.finish_page_and_begin_new_one()
    return render_pages_to_pdf_bytes(
        flow.pages, metadata=Metadata(dossier.title, language=language), pool=new_builder.press.shared_pdf_parts
    )


def _add_card_comparison_to_flow(
    flow: PageFlow,
    difference: ComponentDifference,
    dossier: ErratumDossier,
    old_builder: Builder,
    new_builder: Builder,
    max_picture_height: float,
) -> None:
    """Put a card's two faces side by side, at most `max_picture_height` mm high, and its words beside them."""
    speech = dossier.speech
    faces = [
        (caption, _build_card_front_or_none(builder, difference.id, speech.language))
        for there, caption, builder in zip(
            difference.is_shown_before_and_after, ("before", "now"), (old_builder, new_builder), strict=True
        )
        if there
    ]
    drawn = [(caption, face) for caption, face in faces if face is not None]
    if len(drawn) == 2 and are_faces_drawn_and_cut_alike(drawn[0][1], drawn[1][1]):
        drawn = [("alike", drawn[1][1])]
    widest = (flow.width_between_margins - 8) / 3
    scales = [min(max_picture_height / face.height, widest / face.width, 1.0) for _, face in drawn]
    height = max((face.height * scale for (_, face), scale in zip(drawn, scales, strict=True)), default=20.0)
    width = sum(face.width * scale + 4 for (_, face), scale in zip(drawn, scales, strict=True))
    beside, room = FLOW_MARGIN + width + 2, flow.width_between_margins - width - 2
    tall = _add_change_texts_and_get_next_baseline(PageFlow(flow.sheet), difference, dossier, beside, 4, room)
    flow.begin_page_unless_height_fits(max(height, tall) + 8)
    x, top = FLOW_MARGIN, flow.y + 3
    for (caption, face), scale in zip(drawn, scales, strict=True):
        move = Transform(scale, 0, 0, scale, x, top)
        clip = build_rectangle_path(Rect(x, top, face.width * scale, face.height * scale), radius=face.corner * scale)
        flow.nodes.append(Group((Group(face.nodes, move),), clip=clip))
        middle = x + face.width * scale / 2
        colour = _SOFT if caption == "before" else _NEW
        foot = top + face.height * scale + 3.6
        flow.nodes.append(
            typeset_anchored_text_line(
                speech.format_message(caption), middle, foot, _SMALL, anchor="middle", colour=colour, font=BOLD
            )
        )
        x += face.width * scale + 4
    _add_change_texts_and_get_next_baseline(flow, difference, dossier, beside, top + 4, room)
    flow.y = top + max(height, tall) + 7


def _add_change_texts_and_get_next_baseline(
    flow: PageFlow, difference: ComponentDifference, dossier: ErratumDossier, x: float, y: float, column_width: float
) -> float:
    """Put what changed in words in a column. Return the next line's baseline."""
    speech = dossier.speech
    for words in iter_lines_wrapped_to_width(
        format_heading_with_kind_if_mixed(difference, dossier), column_width, FLOW_HEAD - 1, BOLD
    ):
        flow.nodes.append(typeset_anchored_text_line(words, x, y, FLOW_HEAD - 1, font=BOLD))
        y += 5.4
    for text in list_changed_card_texts_in_language(difference, speech):
        flow.nodes.append(typeset_anchored_text_line(text.where, x, y, _SMALL, colour=_SOFT, font=BOLD))
        y += FLOW_LEADING
        y = (
            _add_marked_words_and_get_next_baseline(
                flow, list_runs_of_kept_and_changed_words(text.old, text.new), x, y, column_width
            )
            + 2.5
        )
    for value in list_sentences_on_value_changes_not_in_texts(difference, speech):
        for words in iter_lines_wrapped_to_width(value, column_width, FLOW_BODY - 1):
            flow.nodes.append(typeset_anchored_text_line(words, x, y, FLOW_BODY - 1))
            y += FLOW_LEADING
    return y


def _add_marked_words_and_get_next_baseline(
    flow: PageFlow, word_runs: Sequence[WordRun], x: float, y: float, column_width: float
) -> float:
    """Put words in a column: old ones struck out, new ones bold. Return the next line's baseline."""
    at = x
    for part in word_runs:
        font = BOLD if part.kind == "new" else PLAIN
        for word in part.text.split():
            width = measure_text_line_width_in_mm(word, FLOW_BODY, font)
            if at > x and at + width > x + column_width:
                at, y = x, y + FLOW_LEADING
            flow.nodes.append(
                typeset_anchored_text_line(word, at, y, FLOW_BODY, font=font, colour=_WORD_INKS[part.kind])
            )
            if part.kind == "old":
                flow.nodes.append(build_line_path(at - 0.3, y - 1.1, at + width + 0.3, y - 1.1, Stroke(_OLD, 0.3)))
            at += width + 1.1
    return y + FLOW_LEADING


def _build_card_front_or_none(builder: Builder, card_id: str, language: str) -> Face | None:
    card = builder.press.game.components.get(card_id)
    pieces = builder.press.build_pieces_of_components_or_raise([card], language) if card else []
    return pieces[0].front if pieces else None


# -- corrections to glue -------------------------------------------------------------------------------------
# Slips: the places of a card that changed, cut out of the new card at true size, to glue over the old ones.

_DOTS = 6  # per mm: a stroke of 0.2 mm shows
_SAME = 24  # of 255: what smoothing alone makes of an edge that did not move
_APART = 3.0  # mm without a change between two slips
_LEAST, _MOST = 7.0, 0.4  # mm of a side, and share of a card: elements that are worth a slip
_AROUND = 0.8  # mm of what did not change around what did
_AROUND_MARK = 0.2  # mm: within the plate of a version mark, so that the line of type above it is not cut
_OVERHANG = 0.35  # of a line's box, which is as high as capitals: accents, the top of a "b" and the foot of a "p"
_CAPTION, _LEADING, _GAP, _NARROWEST = 7.0, 3.0, 1.5, 34.0  # points; mm
_SLIP_INK, _CUT = Colour(0.42, 0.36, 0.3), Stroke(Colour(0.42, 0.36, 0.3), 0.15, (1.0, 0.6))
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Slip:
    """A window on a changed card, and how many copies of the card there are to glue it on."""

    card: str
    title: str
    face: Face
    window: Rect
    count: int


def list_slips_of_changed_cards(dossier: ErratumDossier, print_differences: PrintDifferences) -> list[Slip]:
    """Return the slips of all cards that are in both versions and print something else now."""
    made, press = list[Slip](), print_differences.after.press
    for difference in dossier.cards:
        for old, new in _iter_old_and_new_pieces_of_card(dossier, print_differences, difference):
            count = min(old.count, new.count)
            changed = list_rects_where_faces_differ_in_mm(old.front, new.front) if count else []
            mark = press.get_errata_mark_to_print_or_empty(press.game.components[difference.id], dossier.language)
            if changed:
                front = copy_piece_with_text_at_foot(new, mark).front if mark else new.front
                windows = _expand_windows_to_elements(
                    changed, (old.front, new.front)
                ) + list_rects_where_faces_differ_in_mm(new.front, front, _AROUND_MARK)
                made += [
                    Slip(difference.id, new.label, front, each, count) for each in _merge_overlapping_windows(windows)
                ]
    return made


def _iter_old_and_new_pieces_of_card(
    dossier: ErratumDossier, print_differences: PrintDifferences, difference: ComponentDifference
) -> Iterator[tuple[Piece, Piece]]:
    """Yield a card's pieces in both versions, each look with itself. A piece that changed its size has no slips."""
    if difference.old is None or difference.new is None or not difference.old.count:
        return
    old, new = (
        press.build_pieces_of_components_or_raise([card], dossier.language, with_errata_marks=False)
        for press, card in zip(
            print_differences.presses_with_source_tracing, (difference.old, difference.new), strict=True
        )
    )
    was = {(piece.name, piece.size): piece for piece in old}
    yield from ((was[piece.name, piece.size], piece) for piece in new if (piece.name, piece.size) in was)


def _expand_windows_to_elements(windows: Iterable[Rect], faces: Sequence[Face]) -> list[Rect]:
    """Return the windows, each as large as the smallest element around it that is worth cutting out: one that holds
    other elements, as a number with its icon, else any; a tiny one only where there is no other."""
    elements = sorted(
        (element for face in faces for element in _iter_layout_elements_smaller_than_card(face.nodes, face.trim)),
        key=lambda element: (element.tiny, not element.holds, element.place.width * element.place.height),
    )
    places = [element.place for element in elements]
    return [
        Rect.build_bounding_box([window, *(box for box in places if box.contains(window, slack=2 * _AROUND))][:2])
        for window in windows
    ]


class _LayoutElement(NamedTuple):
    """Where an element of the layout is, whether it is tiny, and whether it holds others that are not."""

    place: Rect
    tiny: bool
    holds: bool


def _iter_layout_elements_smaller_than_card(
    nodes: Iterable[Node], trim: Rect, move: Transform = IDENTITY
) -> Iterator[_LayoutElement]:
    """Yield the elements of the layout that are not most of the card."""
    for node in nodes:
        if not isinstance(node, Group):
            continue
        inner = list(_iter_layout_elements_smaller_than_card(node.children, trim, node.transform.then(move)))
        yield from inner
        boxes = [
            box.expand(_OVERHANG * min(box.width, box.height)) if what == "text" else box
            for what, box in iter_drawn_boxes_as_text_or_shape([node], move)
            if trim.overlaps(box)
        ]
        if node.source and boxes:
            place = Rect.build_bounding_box(boxes).intersect_or_get_empty_rectangle(trim)
            if place.width * place.height < _MOST * trim.width * trim.height:
                tiny = min(place.width, place.height) < _LEAST
                yield _LayoutElement(place, tiny, any(not element.tiny for element in inner))


def _merge_overlapping_windows(windows: Iterable[Rect]) -> list[Rect]:
    """Return windows of which those that meet became one."""
    made: list[Rect] = []
    for window in windows:
        while meeting := [other for other in made if other.overlaps(window)]:
            made = [other for other in made if other not in meeting]
            window = Rect.build_bounding_box([window, *meeting])
        made.append(window)
    return made


def list_rects_where_faces_differ_in_mm(old_face: Face, new_face: Face, around: float = _AROUND) -> list[Rect]:
    """Return the smallest windows on a face outside which two faces of one size print the same, each with so many mm
    around it."""
    size = max(1, round(old_face.width * _DOTS)), max(1, round(old_face.height * _DOTS))
    was, now = (
        np.asarray(picture, dtype=np.int16) for picture in render_faces_at_exact_pixels((old_face, new_face), size)
    )
    mask: Mask = (np.abs(was - now) > _SAME).any(axis=2)
    windows = []
    for top, bottom, left, right in _iter_rects_of_mask_by_xy_cut(mask, 0, 0):
        place = Rect(left / _DOTS, top / _DOTS, (right - left) / _DOTS, (bottom - top) / _DOTS).expand(around)
        windows.append(place.intersect_or_get_empty_rectangle(old_face.trim))
    return windows


def _iter_rects_of_mask_by_xy_cut(mask: Mask, top: int, left: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield top, bottom, left and right of the parts of a mask, cut along empty rows and columns until none is left
    (the XY cut of Nagy and Seth, 1984)."""
    rows, columns = (
        list(_iter_runs_of_true_across_small_gaps(np.any(mask, axis=1))),
        list(_iter_runs_of_true_across_small_gaps(np.any(mask, axis=0))),
    )
    if not rows:
        return
    if len(rows) == len(columns) == 1:
        [(above, below)], [(first, last)] = rows, columns
        yield top + above, top + below, left + first, left + last
        return
    for above, below in rows:
        for first, last in columns:
            yield from _iter_rects_of_mask_by_xy_cut(mask[above:below, first:last], top + above, left + first)


def _iter_runs_of_true_across_small_gaps(mask_line: Mask) -> Iterator[tuple[int, int]]:
    """Yield the first and the end of each run of places that changed; gaps narrower than `_APART` end none."""
    places = np.flatnonzero(mask_line)
    if len(places):
        gaps = np.flatnonzero(np.diff(places) > _APART * _DOTS)
        firsts, lasts = np.append(places[0], places[gaps + 1]), np.append(places[gaps], places[-1])
        yield from zip(firsts.tolist(), (lasts + 1).tolist(), strict=True)


# -- on paper -------------------------------------------------------------------------------------------------------


def render_slip_sheets_pdf_or_none(
    dossier: ErratumDossier, slips_to_print: Sequence[Slip], new_builder: Builder, page_size: str
) -> bytes | None:
    """Return sheets of slips, all in cells of one size so that they share pages; None if no slip has room on this
    paper."""
    sheet = parse_paper_name_or_size_or_raise(page_size).portrait
    fitting = [slip for slip in slips_to_print if can_fit_on_sheet_either_way_round(slip.window, sheet)]
    if not fitting:
        return None
    width = max(_NARROWEST, *(slip.window.width + 2 * _GAP for slip in fitting))
    captions = [list(iter_lines_wrapped_to_width(slip.title, width - 2 * _GAP, _CAPTION)) for slip in fitting]
    tallest = max(slip.window.height for slip in fitting)
    size = Size(width, tallest + _LEADING * max(map(len, captions)) + 3 * _GAP)
    pieces = [
        _make_piece_of_slip_with_caption(slip, f"slip {slip.card} {number}", caption, size)
        for number, (slip, caption) in enumerate(zip(fitting, captions, strict=True))
    ]
    title, language = f"{dossier.title} · {format_message(dossier.language, 'slip')}", dossier.language
    on = read_sheet_plan_by_name_or_raise("fronts", target_paper=parse_paper_name_or_size_or_raise(page_size))
    pages = impose_pieces_on_pages(pieces, on, title=title, printer=read_printer_offsets_or_empty(), language=language)
    return render_pages_to_pdf_bytes(
        pages, metadata=Metadata(title, language=language), pool=new_builder.press.shared_pdf_parts
    )


def _make_piece_of_slip_with_caption(slip: Slip, piece_name: str, caption: Sequence[str], size: Size) -> Piece:
    """Return a slip with a line to cut along, and below it what it is for."""
    at = Rect((size.width - slip.window.width) / 2, _GAP, slip.window.width, slip.window.height)
    move = Transform.move(at.x - slip.window.x, at.y - slip.window.y)
    view = Group(
        (Group(tuple(iter_nodes_without_parts_outside_window(slip.face.nodes, slip.window)), move),),
        clip=build_rectangle_path(at),
    )
    nodes: list[Node] = [build_rectangle_path(Rect(0, 0, *size), WHITE), view, build_rectangle_path(at, stroke=_CUT)]
    for row, words in enumerate(caption):
        foot = at.bottom + _GAP + _LEADING * (row + 0.75)
        nodes.append(
            typeset_anchored_text_line(words, size.width / 2, foot, _CAPTION, anchor="middle", colour=_SLIP_INK)
        )
    face = Face(piece_name, *size, tuple(nodes), safe=0.0)
    return Piece(piece_name, face, count=slip.count, title=slip.title)


def iter_nodes_without_parts_outside_window(
    nodes: Iterable[Node], window: Rect, move: Transform = IDENTITY
) -> Iterator[Node]:
    """Yield what nodes draw in a window. What lies outside would not be seen, but read by screen readers."""
    for node in nodes:
        if isinstance(node, Group) and node.clip is None:
            yield node._replace(
                children=tuple(
                    iter_nodes_without_parts_outside_window(node.children, window, node.transform.then(move))
                )
            )
        elif any(box.overlaps(window) for _, box in iter_drawn_boxes_as_text_or_shape([node], move)):
            yield node
