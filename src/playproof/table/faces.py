"""Pictures of faces as SVG, named by the hash of their content.

The time of an answer must not tell who has seen a picture. So a picture is stored when its turn
comes in the order of the components, and never because somebody asked for it.
"""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from threading import Lock
from time import monotonic

from playproof.database.errors import InputError
from playproof.generator.build.fingerprint import of_files, of_this_room, together
from playproof.generator.layout.bind import DIE_FACE, PANEL
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.generator.scene import (
    Colour,
    Face,
    Group,
    Node,
    Path,
    Rect,
    Stroke,
    Transform,
    circle,
    rectangle,
)
from playproof.generator.type.setting import TextStyle, Typesetter
from playproof.referee.variant import Variant
from playproof.table.lettering import legible
from playproof.table.outlines import for_screens
from playproof.table.placing import NoTable, Spread
from playproof.table.scene import Picture, Piece, Scene, Surface

_REST = 0.02  # seconds between two pictures that are drawn ahead
_QUIET = 0.5  # seconds after a request in which none is drawn ahead


class Faces:
    """The pictures of one edition of a game: its cards, looks, language and rulings.

    A picture's name is a hash of everything it is made from. So names are known before anything is
    drawn. `drawing` stores the pictures one after the other; before a picture's turn, each request
    draws it anew.
    """

    def __init__(self, spread: Spread) -> None:
        self.spread = spread
        folders = {spread.looks.folder, LAYOUTS / "icons", LAYOUTS / "motifs", LAYOUTS / "fonts"}
        looks = of_files(path for folder in folders for path in folder.rglob("*") if path.is_file())
        # A face may show text of other components, so every name depends on all cards.
        self.edition = together(
            of_this_room(),
            looks,
            spread.language,
            sorted(spread.looks.rulings.items()),
            spread.variant.data.digest,
        )
        self._names: dict[Picture, str] = {}
        self._pictures: dict[str, Picture] = {}
        self._stored: dict[
            str, bytes | None
        ] = {}  # compressed; None: a side that the component does not have
        self._warm = False
        self._asked = 0.0  # when somebody last waited for a picture
        self._lock = Lock()
        for component in spread.variant.data.components:
            for picture in _pictures(component):
                self._pictures[self.name(picture)] = picture

    def name(self, picture: Picture) -> str:
        """Return the hash of a picture's inputs: 20 hexadecimal digits. A part of a face has the
        name of the whole face, or the names that exist would tell which parts have been seen."""
        whole = replace(picture, crop=None)
        if whole not in self._names:
            self._names[whole] = together(self.edition, whole)[:20]
        return self._names[whole]

    def has(self, name: str) -> bool:
        """Return whether a picture of this edition has this hash."""
        return name in self._pictures

    def svg(self, picture: Picture) -> bytes:
        """Return the picture as SVG, drawn now. Raises InputError if there is no such side."""
        from playproof.generator.svg import svg_text  # lint lays out the table but draws nothing

        return for_screens(svg_text(cut_face(self.spread, picture))).encode()

    def lettered(self, picture: Picture) -> bytes:
        """Return the picture as SVG with letters for every width at which it may be shown."""
        from playproof.generator.svg import svg_text

        face, sheet = legible(cut_face(self.spread, picture))
        return for_screens(svg_text(face).replace("<defs", f"{sheet}<defs", 1)).encode()

    def packed(self, name: str) -> bytes | None:
        """Return the compressed SVG with this hash; None if no component has it."""
        if name in self._stored:
            return self._stored[name]
        picture = self._pictures.get(name)
        if picture is None:
            return None
        self._asked = monotonic()
        try:
            return self._drawn(picture)
        finally:
            self._asked = monotonic()

    def _drawn(self, picture: Picture) -> bytes | None:
        with self._lock:
            self._warm_up()
            try:
                return gzip.compress(self.lettered(picture), 6, mtime=0)
            except InputError:
                return None

    def _warm_up(self) -> None:
        """Lay out all faces once. The layout remembers the letters and lines that it has set, so
        a face would be drawn faster after another with the same words."""
        if self._warm:
            return
        for picture in self._pictures.values():
            with suppress(InputError):
                cut_face(self.spread, picture)
        self._warm = True

    async def drawing(self) -> None:
        """Draw and store all pictures, one after the other, while nobody waits for one."""
        for name, picture in self._pictures.items():
            while monotonic() - self._asked < _QUIET:
                await asyncio.sleep(_QUIET)
            if name not in self._stored:
                self._stored[name] = await asyncio.to_thread(self._drawn, picture)
                await asyncio.sleep(_REST)

    @property
    def complete(self) -> bool:
        """Whether all pictures are stored."""
        return len(self._stored) == len(self._pictures)


def _pictures(component: str) -> Iterator[Picture]:
    """Yield a component's pictures, one per side that may be shown."""
    for side in ("front", "back", PANEL, *(f"{DIE_FACE}{n}" for n in range(6))):
        yield Picture(component, side)


def cut_face(spread: Spread, picture: Picture) -> Face:
    """Return a face cut as it is cut on paper: to its outline, its corners, or the wanted part."""
    component = spread.variant.data.components[picture.component]
    face = spread.looks.face(component, picture.side, spread.language)
    if picture.crop is not None:
        x, y, width, height = picture.crop
        moved = Group(face.nodes, Transform.move(-x, -y))
        return Face(component.name, width, height, (moved,))
    return replace(face, name=component.name, bleed=0.0, nodes=(Group(face.nodes, clip=_cut(face)),))


def first_board(variant: Variant) -> bytes | None:
    """Return the first printed face of a game's table as SVG; None if it has no such table. Raises InputError."""
    from playproof.generator.svg import svg_text

    try:
        spread = Spread(variant)
    except NoTable:
        return None
    for surface in spread.scene(variant.play.start(), 0).surfaces:
        if surface.picture is not None:
            return for_screens(svg_text(cut_face(spread, surface.picture))).encode()
    return None


def _cut(face: Face) -> Path:
    if face.outline is not None:
        return face.outline
    return rectangle(Rect(0, 0, face.width, face.height), radius=face.corner)


_LINE, _GROUND, _BADGE = Colour.parse("#8a8578"), Colour.parse("#f3efe4"), Colour.parse("#2b2a33")
_TITLE = TextStyle(family="alegreyasans", size=12, min_size=5, colour=Colour.parse("#4a4740"), bold=True)
_COUNT = TextStyle(
    family="alegreyasans",
    size=18,
    min_size=6,
    colour=Colour.parse("#ffffff"),
    bold=True,
    align="centre",
    valign="middle",
)
_EDGE = 2.0  # mm around the table


def table_face(spread: Spread, scene: Scene, surfaces: Sequence[str] | None = None) -> Face:
    """Return the scene, or only the surfaces with these keys, as a face of its size in mm. Scale
    it where it is placed."""
    chosen = [s for s in scene.surfaces if surfaces is None or s.key in surfaces]
    left, top = min((s.x for s in chosen), default=0.0), min((s.y for s in chosen), default=0.0)
    drawn = [node for surface in chosen for node in _surface(spread, scene, surface)]
    width = max((s.x + s.width for s in chosen), default=0.0) - left + 2 * _EDGE
    height = max((s.y + s.height for s in chosen), default=0.0) - top + 2 * _EDGE
    shifted = Group(tuple(drawn), Transform.move(_EDGE - left, _EDGE - top))
    return Face(f"{spread.variant.title}: the table", width, height, (shifted,))


def _surface(spread: Spread, scene: Scene, surface: Surface) -> Iterator[Node]:
    setter = Typesetter(spread.looks.fonts, spread.looks.icons, spread.language)
    if surface.picture is None:
        box = Rect(surface.x, surface.y, surface.width, surface.height)
        yield rectangle(box, _GROUND, Stroke(_LINE, 0.5, (3, 2)), 3)
        yield from setter.set(surface.title, Rect(box.x + 3, box.y + 1.5, box.width - 6, 6), _TITLE).nodes
    else:
        at = Transform.move(surface.x, surface.y)
        yield Group(cut_face(spread, surface.picture).nodes, at)
    for piece in scene.on(surface):
        yield from _piece(spread, setter, surface, piece)


def _piece(spread: Spread, setter: Typesetter, surface: Surface, piece: Piece) -> Iterator[Node]:
    face = cut_face(spread, piece.picture)
    x, y = surface.x + piece.x, surface.y + piece.y
    size = Transform.scale(piece.width / face.width, piece.height / face.height)
    at = Transform.move(x - piece.width / 2, y - piece.height / 2)
    yield Group(face.nodes, size.then(at).then(Transform.rotate(piece.turn, (x, y))))
    if piece.count is not None and piece.count > 1:
        # At the lower left, the corner that stays visible if cards overlap.
        left, low = x - piece.width / 2 + 4.5, y + piece.height / 2 - 4.5
        yield circle(left, low, 4.5, _BADGE)
        yield from setter.set(str(piece.count), Rect(left - 4.5, low - 4.5, 9, 9), _COUNT).nodes
