"""Pictures of faces as SVG, known by the hash of their content: the same picture is drawn, sent and stored once."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from threading import Lock

from playproof.generator.scene import Face, Group, Path, Rect, Transform, rectangle
from playproof.generator.svg import svg_text
from playproof.table.placing import Spread
from playproof.table.scene import Picture


class Faces:
    """The pictures of one spread, drawn when first asked for."""

    def __init__(self, spread: Spread) -> None:
        self.spread = spread
        self._names: dict[Picture, str] = {}
        self._made: dict[str, bytes] = {}
        self._lock = Lock()

    def name(self, picture: Picture) -> str:
        """The hash of a picture's content: 20 hexadecimal digits."""
        with self._lock:
            if picture not in self._names:
                made = svg_text(cut_face(self.spread, picture)).encode()
                name = hashlib.sha256(made).hexdigest()[:20]
                self._names[picture], self._made[name] = name, made
            return self._names[picture]

    def svg(self, picture: Picture) -> bytes:
        """The picture as SVG."""
        return self._made[self.name(picture)]

    def by_name(self, name: str) -> bytes | None:
        """The SVG with this hash, if it was drawn here."""
        return self._made.get(name)


def cut_face(spread: Spread, picture: Picture) -> Face:
    """A face cut as it is cut on paper: to its outline, its corners, or the part that is wanted."""
    component = spread.variant.data.components[picture.component]
    face = spread.looks.face(component, picture.side, spread.language)
    if picture.crop is not None:
        x, y, width, height = picture.crop
        moved = Group(face.nodes, Transform.move(-x, -y))
        return Face(component.name, width, height, (moved,))
    return replace(face, name=component.name, bleed=0.0, nodes=(Group(face.nodes, clip=_cut(face)),))


def _cut(face: Face) -> Path:
    if face.outline is not None:
        return face.outline
    return rectangle(Rect(0, 0, face.width, face.height), radius=face.corner)
