"""Slips: the places of a card that changed, cut out of the new card at true size, to glue over the old ones.

The old and the new card are drawn and compared as pixels, so a slip shows whatever the card prints there: words, icons
or a number. It shows the whole element of the layout in which something changed, if that is not most of the card. The
mark is a place that changed too, so a card with its slips looks like the new card.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from playproof.errata.changed_cards import fits_on_sheet
from playproof.errata.dossier import ErratumDossier
from playproof.errata.printed import PrintDifferences
from playproof.errata.versions import ComponentDifference
from playproof.errata.words import format_message
from playproof.generator.build.run import Builder
from playproof.generator.build.version_marks import add_mark_to_piece
from playproof.generator.exports.raster import render_faces
from playproof.generator.layout.canvas import iter_drawn_boxes
from playproof.generator.pdf import Metadata, render_pdf
from playproof.generator.scene import (
    IDENTITY,
    WHITE,
    Colour,
    Face,
    Group,
    Node,
    Rect,
    Stroke,
    Transform,
    rectangle,
)
from playproof.generator.sheets import Piece, impose_pieces, load_printer, parse_paper, read_plan
from playproof.generator.sheets.geometry import Size
from playproof.generator.sheets.lettering import iter_wrapped_lines, set_text_line

_DOTS = 6  # per mm: a stroke of 0.2 mm shows
_SAME = 24  # of 255: what smoothing alone makes of an edge that did not move
_APART = 3.0  # mm without a change between two slips
_LEAST, _MOST = 7.0, 0.4  # mm of a side, and share of a card: elements that are worth a slip
_AROUND = 0.8  # mm of what did not change around what did
_CAPTION, _LEADING, _GAP, _NARROWEST = 7.0, 3.0, 1.5, 34.0  # points; mm
_INK, _CUT = Colour(0.42, 0.36, 0.3), Stroke(Colour(0.42, 0.36, 0.3), 0.15, (1.0, 0.6))
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Slip:
    """A window on a changed card, and how many copies of the card there are to glue it on."""

    card: str
    title: str
    face: Face
    window: Rect
    count: int


def find_slips(dossier: ErratumDossier, printed: PrintDifferences) -> list[Slip]:
    """Return the slips of all cards that are in both versions and print something else now."""
    made, press = list[Slip](), printed.after.press
    for difference in dossier.cards:
        for old, new in _iter_piece_pairs(dossier, printed, difference):
            count = min(old.count, new.count)
            changed = find_differing_windows(old.front, new.front) if count else []
            mark = press.get_version_mark(press.game.components[difference.id], dossier.language)
            if changed:
                front = add_mark_to_piece(new, mark).front if mark else new.front
                windows = _expand_windows_to_elements(
                    changed, (old.front, new.front)
                ) + find_differing_windows(new.front, front)
                made += [
                    Slip(difference.id, new.label, front, each, count)
                    for each in _merge_overlapping_windows(windows)
                ]
    return made


def _iter_piece_pairs(
    dossier: ErratumDossier, printed: PrintDifferences, difference: ComponentDifference
) -> Iterator[tuple[Piece, Piece]]:
    """Yield a card's pieces in both versions, each look with itself. A piece that changed its size has no slips."""
    if difference.old is None or difference.new is None:
        return
    old, new = (
        press.build_pieces([card], dossier.language, marks=False)
        for press, card in zip(
            printed.presses_with_source_tracing, (difference.old, difference.new), strict=True
        )
    )
    was = {(piece.name, piece.size): piece for piece in old}
    yield from ((was[piece.name, piece.size], piece) for piece in new if (piece.name, piece.size) in was)


def _expand_windows_to_elements(windows: Iterable[Rect], faces: Sequence[Face]) -> list[Rect]:
    """Return the windows, each as large as the smallest element around it that is worth cutting out: one that holds
    other elements, as a number with its icon, else any; a tiny one only where there is no other."""
    elements = sorted(
        (element for face in faces for element in _iter_layout_elements(face.nodes, face.trim)),
        key=lambda element: (element.tiny, not element.holds, element.place.width * element.place.height),
    )
    places = [element.place for element in elements]
    return [
        Rect.build_bounding_box(
            [window, *(box for box in places if box.contains(window, slack=2 * _AROUND))][:2]
        )
        for window in windows
    ]


class _LayoutElement(NamedTuple):
    """Where an element of the layout is, whether it is tiny, and whether it holds others that are not."""

    place: Rect
    tiny: bool
    holds: bool


def _iter_layout_elements(
    nodes: Iterable[Node], trim: Rect, move: Transform = IDENTITY
) -> Iterator[_LayoutElement]:
    """Yield the elements of the layout that are not most of the card."""
    for node in nodes:
        if not isinstance(node, Group):
            continue
        inner = list(_iter_layout_elements(node.children, trim, node.transform.then(move)))
        yield from inner
        boxes = [box for _, box in iter_drawn_boxes([node], move) if trim.overlaps(box)]
        if node.source and boxes:
            place = Rect.build_bounding_box(boxes).intersect(trim)
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


def find_differing_windows(old: Face, new: Face) -> list[Rect]:
    """Return the smallest windows on a face outside which two faces of one size print the same."""
    size = max(1, round(old.width * _DOTS)), max(1, round(old.height * _DOTS))
    was, now = (np.asarray(picture, dtype=np.int16) for picture in render_faces((old, new), size))
    mask: Mask = (np.abs(was - now) > _SAME).any(axis=2)
    windows = []
    for top, bottom, left, right in _iter_mask_parts(mask, 0, 0):
        place = Rect(left / _DOTS, top / _DOTS, (right - left) / _DOTS, (bottom - top) / _DOTS).expand(
            _AROUND
        )
        windows.append(place.intersect(old.trim))
    return windows


def _iter_mask_parts(mask: Mask, top: int, left: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield top, bottom, left and right of the parts of a mask, cut along empty rows and columns until none is left
    (the XY cut of Nagy and Seth, 1984)."""
    rows, columns = list(_iter_runs(np.any(mask, axis=1))), list(_iter_runs(np.any(mask, axis=0)))
    if not rows:
        return
    if len(rows) == len(columns) == 1:
        [(above, below)], [(first, last)] = rows, columns
        yield top + above, top + below, left + first, left + last
        return
    for above, below in rows:
        for first, last in columns:
            yield from _iter_mask_parts(mask[above:below, first:last], top + above, left + first)


def _iter_runs(line: Mask) -> Iterator[tuple[int, int]]:
    """Yield the first and the end of each run of places that changed; gaps narrower than `_APART` end none."""
    places = np.flatnonzero(line)
    if len(places):
        gaps = np.flatnonzero(np.diff(places) > _APART * _DOTS)
        firsts, lasts = np.append(places[0], places[gaps + 1]), np.append(places[gaps], places[-1])
        yield from zip(firsts.tolist(), (lasts + 1).tolist(), strict=True)


# -- on paper -------------------------------------------------------------------------------------------------------


def render_slips_pdf(
    dossier: ErratumDossier, slips_to_print: Sequence[Slip], after: Builder, page_size: str
) -> bytes | None:
    """Return sheets of slips, all in cells of one size so that they share pages; None if no slip has room on this
    paper."""
    sheet = parse_paper(page_size).portrait
    fitting = [slip for slip in slips_to_print if fits_on_sheet(slip.window, sheet)]
    if not fitting:
        return None
    width = max(_NARROWEST, *(slip.window.width + 2 * _GAP for slip in fitting))
    captions = [list(iter_wrapped_lines(slip.title, width - 2 * _GAP, _CAPTION)) for slip in fitting]
    tallest = max(slip.window.height for slip in fitting)
    size = Size(width, tallest + _LEADING * max(map(len, captions)) + 3 * _GAP)
    pieces = [
        _make_slip_piece(slip, f"slip {slip.card} {number}", caption, size)
        for number, (slip, caption) in enumerate(zip(fitting, captions, strict=True))
    ]
    title, language = f"{dossier.title} · {format_message(dossier.language, 'slip')}", dossier.language
    on = read_plan("fronts", target_paper=parse_paper(page_size))
    pages = impose_pieces(pieces, on, title=title, printer=load_printer(), language=language)
    return render_pdf(pages, metadata=Metadata(title, language=language), pool=after.press.pool)


def _make_slip_piece(slip: Slip, name: str, caption: Sequence[str], size: Size) -> Piece:
    """Return a slip with a line to cut along, and below it what it is for."""
    at = Rect((size.width - slip.window.width) / 2, _GAP, slip.window.width, slip.window.height)
    move = Transform.move(at.x - slip.window.x, at.y - slip.window.y)
    view = Group(
        (Group(tuple(iter_nodes_in_window(slip.face.nodes, slip.window)), move),), clip=rectangle(at)
    )
    nodes: list[Node] = [rectangle(Rect(0, 0, *size), WHITE), view, rectangle(at, stroke=_CUT)]
    for line, words in enumerate(caption):
        foot = at.bottom + _GAP + _LEADING * (line + 0.75)
        nodes.append(set_text_line(words, size.width / 2, foot, _CAPTION, anchor="middle", colour=_INK))
    face = Face(name, *size, tuple(nodes), safe=0.0)
    return Piece(name, face, count=slip.count, title=slip.title)


def iter_nodes_in_window(nodes: Iterable[Node], window: Rect, move: Transform = IDENTITY) -> Iterator[Node]:
    """Yield what nodes draw in a window. What lies outside would not be seen, but read by screen readers."""
    for node in nodes:
        if isinstance(node, Group) and node.clip is None:
            yield node._replace(
                children=tuple(iter_nodes_in_window(node.children, window, node.transform.then(move)))
            )
        elif any(box.overlaps(window) for _, box in iter_drawn_boxes([node], move)):
            yield node
