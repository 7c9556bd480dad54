"""The mark of an erratum on each card that it changed: on the sheets of the dossier, and in every later print.

A player who holds a card without the mark holds an old one, whichever file the others were printed from.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from playproof.database.components import Component
from playproof.database.errors import InputError
from playproof.database.game import Game, load_game
from playproof.generator.build.fingerprint import hash_parts
from playproof.generator.layout.canvas import iter_drawn_boxes
from playproof.generator.scene import BLACK, WHITE, Rect, rectangle
from playproof.generator.sheets.lettering import iter_wrapped_lines, measure_text_width, set_text_line

if TYPE_CHECKING:
    from playproof.database.patch import Erratum
    from playproof.generator.build.face_changes import FaceChanges
    from playproof.generator.build.press import Press
    from playproof.generator.scene import Face
    from playproof.generator.sheets import Piece

_MARK_SIZE = 7.0  # pt
_MARK_LEADING, _MARK_EDGE = 2.9, 2.5  # mm: from line to line, and from the cut where there is room
# mm: the mark moves towards the cut, but no further, to keep off what is printed
_EDGES = (_MARK_EDGE, 1.8, 1.2)


def format_version_mark(erratum: Erratum) -> str:
    """Return the text printed on every card that an erratum changes."""
    return f"v{erratum.version} · {erratum.date}"


class VersionMarks:
    """Finds, for each component of a game with errata, the last erratum that changed what is printed of it."""

    def __init__(self, press: Press) -> None:
        self._press = press
        self._found: dict[tuple[str, str], str] = {}

    @cached_property
    def _steps(self) -> list[tuple[Erratum, FaceChanges | None]]:
        """Each erratum in use, newest first, with what it changed in print. A game that cannot be read without an
        erratum has nothing to compare."""
        by_version = {erratum.version: erratum for erratum in self._press.game.errata}
        after, steps = self._press, []
        for number, version in reversed([*enumerate(self._press.game.applied)]):
            before = self._load_game_version(self._press.game.applied[number - 1] if number else False)
            changes = after.compare_with_version(before) if before is not None else None
            steps.append((by_version[version], changes))
            if changes is None:
                break
            after = changes.before
        return steps

    def _load_game_version(self, version: str | bool) -> Game | None:
        try:
            return load_game(self._press.game.folder, version)
        except InputError:
            return None

    def get_mark_text(self, card: Component, language: str) -> str:
        """Return what is marked on a component, "" if every erratum in use prints it as it was first published."""
        key = (card.id, language)
        if key not in self._found:
            self._found[key] = self._find_mark_text(card.id, language)
        return self._found[key]

    def _find_mark_text(self, ident: str, language: str) -> str:
        for erratum, changes in self._steps:
            if changes is None:
                return format_version_mark(erratum) if ident in erratum.components else ""
            if ident not in changes.before.game.components:
                return format_version_mark(erratum)  # it came with this erratum
            if changes.is_printed_differently(ident, language):
                return format_version_mark(erratum)
        return ""

    def hash_mark_inputs(self, card: Component) -> str:
        """Return a hash of what decides the mark, "" if there can be none."""
        parts = [
            (format_version_mark(erratum), own)
            for erratum, changes in self._steps
            if not (own := _hash_unmarked_print(changes, card.id))
            or card.id in (changes.candidates if changes else erratum.components)
        ]
        return hash_parts(*parts) if parts else ""


def _hash_unmarked_print(changes: FaceChanges | None, ident: str) -> str:
    """Return the hash of what the version before prints of a component, "" if it does not have it."""
    card = changes.before.game.components.get(ident) if changes is not None else None
    return changes.before.hash_content_without_mark(card) if changes is not None and card is not None else ""


def add_mark_to_piece(piece: Piece, text: str) -> Piece:
    """Return the piece with a text at the foot of its front."""
    return replace(piece, front=add_text_to_face(piece.front, text))


def add_text_to_face(face: Face, text: str) -> Face:
    """Return the face with a text at its foot, or at its head where the foot is full."""
    lines = list(iter_wrapped_lines(text, face.width - 2 * _MARK_EDGE, _MARK_SIZE))
    width = max(measure_text_width(line, _MARK_SIZE) for line in lines)
    box = _find_place_for_mark(face, width + 1.6, _MARK_LEADING * len(lines) - 0.3)
    ground = rectangle(box, WHITE, radius=0.6)
    words = [
        set_text_line(
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


def _find_place_for_mark(face: Face, width: float, height: float) -> Rect:
    """Return a place for a mark of this size that crosses no line of text and no outline: at the foot if there
    is room, else at the head, else nearest to the cut at the foot."""
    there = list(iter_drawn_boxes(face.nodes))
    left = (face.width - width) / 2
    feet = [
        Rect(x, face.height - edge - height, width, height)
        for x in (left, _MARK_EDGE, face.width - _MARK_EDGE - width)
        for edge in _EDGES
    ]
    heads = [box._replace(y=face.height - box.bottom) for box in feet]
    free = (
        box
        for box in (*feet, *heads)
        if not any(_covers_part_of_drawing(box, what, drawn) for what, drawn in there)
    )
    return next(free, feet[len(_EDGES) - 1])


def _covers_part_of_drawing(box: Rect, kind: str, drawing_box: Rect) -> bool:
    """Return whether a mark hides a part of something. A mark wholly inside a shape hides only its ground."""
    apart = (
        box.right <= drawing_box.x
        or drawing_box.right <= box.x
        or box.bottom <= drawing_box.y
        or drawing_box.bottom <= box.y
    )
    return not apart and (kind == "text" or not drawing_box.contains(box))
