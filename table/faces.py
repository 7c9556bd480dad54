"""Pictures of faces as SVG, named by the hash of their content: each picture is drawn, sent and
stored once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from threading import Lock

from playproof.database.errors import InputError
from playproof.generator.build.fingerprint import of_files, of_this_room, together
from playproof.generator.layout.bind import DIE_FACE, PANEL
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.generator.scene import Face, Group, Path, Rect, Transform, rectangle
from playproof.table.placing import Spread
from playproof.table.scene import Picture

_OUTLINE = re.compile(r'\bd="[^"]+"')
_DECIMALS = re.compile(r"-?\d+\.\d+")


class Faces:
    """The pictures of one spread, drawn when first asked for.

    A picture's name is a hash of everything it is made from. So names are known before anything is
    drawn, and the server's answer for a name does not reveal whether somebody has already seen the
    picture.
    """

    def __init__(self, spread: Spread) -> None:
        self.spread = spread
        folders = {spread.looks.folder, LAYOUTS / "icons", LAYOUTS / "motifs", LAYOUTS / "fonts"}
        looks = of_files(path for folder in folders for path in folder.rglob("*") if path.is_file())
        self._looks = together(of_this_room(), looks, spread.language,
                               sorted(spread.looks.rulings.items()))
        self._named: dict[Picture, str] = {}
        self._known: dict[str, Picture] = {}
        self._made: dict[str, bytes] = {}
        self._lock = Lock()
        for component in spread.variant.data.components:
            for picture in _pictures(component):
                self.name(picture)

    def name(self, picture: Picture) -> str:
        """Return the hash of a picture's inputs: 20 hexadecimal digits."""
        if picture not in self._named:
            # A face may show text of other components, so every name depends on all cards.
            name = together(self._looks, self.spread.variant.data.digest, picture)[:20]
            self._named[picture], self._known[name] = name, picture
        return self._named[picture]

    def svg(self, picture: Picture) -> bytes:
        """Return the picture as SVG."""
        from playproof.generator.svg import svg_text  # lint lays out the table but draws nothing

        name = self.name(picture)
        with self._lock:
            if name not in self._made:
                self._made[name] = for_screens(svg_text(cut_face(self.spread, picture))).encode()
            return self._made[name]

    def by_name(self, name: str) -> bytes | None:
        """Return the SVG with this hash; None if no component has it."""
        picture = self._known.get(name)
        if picture is None:
            return None
        try:
            return self.svg(picture)
        except InputError:
            return None  # a side that the component does not have


def _pictures(component: str) -> Iterator[Picture]:
    """Yield a component's pictures, one per side that may be shown."""
    for side in ("front", "back", PANEL, *(f"{DIE_FACE}{n}" for n in range(6))):
        yield Picture(component, side)


def for_screens(svg: str) -> str:
    """Return the picture with its outlines rounded to hundredths of a millimetre. That makes it a
    sixth smaller and looks the same on any screen.

    >>> for_screens('<path d="M1.23456 2L3 4.0001" x="1.23456"/>')
    '<path d="M1.23 2L3 4" x="1.23456"/>'
    """
    return _OUTLINE.sub(lambda found: _DECIMALS.sub(lambda n: f"{round(float(n[0]), 2):g}", found[0]), svg)


def cut_face(spread: Spread, picture: Picture) -> Face:
    """Return a face cut as it is cut on paper: to its outline, its corners, or the wanted part."""
    component = spread.variant.data.components[picture.component]
    face = spread.looks.face(component, picture.side, spread.language)
    if picture.crop is not None:
        x, y, width, height = picture.crop
        moved = Group(face.nodes, Transform.move(-x, -y))
        return Face(component.name, width, height, (moved,))
    return replace(face, name=component.name, bleed=0.0,
                   nodes=(Group(face.nodes, clip=_cut(face)),))


def _cut(face: Face) -> Path:
    if face.outline is not None:
        return face.outline
    return rectangle(Rect(0, 0, face.width, face.height), radius=face.corner)
