"""Pictures of faces as SVG, named by the hash of their content, and kept on disk from one start to the next.

The time of an answer must not tell who has seen a picture. So a picture is drawn when its turn comes, in an order
that is the same at every table, and never because somebody asked for it.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

from playproof.database.errors import InputError
from playproof.generator.build.fingerprint import of_files, of_this_room, together
from playproof.generator.layout.bind import DIE_FACE, PANEL
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.language import CHANCE
from playproof.referee.match import Match
from playproof.table.drawn_table import cut_face
from playproof.table.face_store import FaceStore
from playproof.table.lettering import legible
from playproof.table.outlines import for_screens
from playproof.table.placing import Spread
from playproof.table.scene import Picture, Scene

_FOLDERS = ("icons", "motifs", "fonts", "common")  # of layouts/, that all games share
_PIXELS = frozenset((".png", ".jpg", ".jpeg", ".svg", ".webp", ".gif", ".tif", ".tiff", ".bmp"))
_MADE = ("output", "node_modules")  # folders beside a game that hold no picture of it
_LOOK_AHEAD = 40  # steps of a game that shows which kinds of things come first
_DRAWN_BY = [
    Path(__file__).resolve().with_name(f"{name}.py")
    for name in ("drawn_table", "faces", "lettering", "outlines")
]


class Faces:
    """The pictures of one edition of a game: its cards, looks, language and rulings.

    A picture's name is a hash of everything it is made from. So names are known before anything is
    drawn. `FaceDrawer` draws and stores them one after the other.
    """

    def __init__(self, spread: Spread) -> None:
        self.spread = spread
        # A face may show text of other components, so every name depends on all cards.
        self.edition = together(
            of_this_room(),
            of_files(_DRAWN_BY),
            of_files(_looks_of(spread)),
            spread.language,
            sorted(spread.looks.rulings.items()),
            spread.variant.data.digest,
        )
        self.store = FaceStore(self.edition)
        self._names: dict[Picture, str] = {}
        self._pictures: dict[str, Picture] = {}
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

    @property
    def names(self) -> list[str]:
        """The names of all pictures that may be asked for."""
        return list(self._pictures)

    def has(self, name: str) -> bool:
        """Return whether a picture of this edition has this hash."""
        return name in self._pictures

    def words(self, name: str) -> str:
        """Return what the picture with this hash prints: its title, and its words in lines; "" if it prints none."""
        picture = self._pictures[name]
        return self.spread.card_words.printed(picture) if picture.side == "front" else ""

    def svg(self, picture: Picture) -> bytes:
        """Return the picture as SVG, drawn now. Raises InputError if there is no such side."""
        from playproof.generator.svg import svg_text  # lint lays out the table but draws nothing

        return for_screens(svg_text(cut_face(self.spread, picture))).encode()

    def lettered(self, picture: Picture) -> bytes:
        """Return the picture as SVG with letters for every width at which it may be shown."""
        from playproof.generator.svg import svg_text

        face, sheet = legible(cut_face(self.spread, picture))
        return for_screens(svg_text(face).replace("<defs", f"{sheet}<defs", 1)).encode()

    def draw(self, name: str) -> bytes:
        """Return the compressed SVG with this hash, drawn now; b"" for a side that its component does not have."""
        try:
            return gzip.compress(self.lettered(self._pictures[name]), 6, mtime=0)
        except InputError:
            return b""

    def order(self) -> list[str]:
        """Return all names in the order in which they are drawn: first what all see at the start, then all pictures
        of the kinds that a game of random choices shows, then the rest. No game under way changes it."""
        spread, rank = self.spread, dict[str, int]()
        kinds = {ident: component.kind for ident, component in spread.components.items()}
        for scene in (spread.scene(spread.variant.play.start(), 0), *_scenes_ahead(spread)):
            shown = list(_shown(scene))
            for picture in shown if not rank else ():
                rank.setdefault(self.name(picture), len(rank))
            for picture in shown:
                rank.setdefault(f"{kinds[picture.component]} {picture.side}", len(rank))
        last = len(rank)

        def turn(item: tuple[str, Picture]) -> int:
            name, picture = item
            return rank.get(name, rank.get(f"{kinds[picture.component]} {picture.side}", last))

        return [name for name, _ in sorted(self._pictures.items(), key=turn)]


def _looks_of(spread: Spread) -> Iterator[Path]:
    """Yield the files that say how a game looks, the pictures beside its cards among them."""
    for folder in {spread.looks.folder, *(LAYOUTS / name for name in _FOLDERS)}:
        yield from (path for path in folder.rglob("*") if path.is_file())
    folder = spread.variant.data.folder
    for path in folder.rglob("*"):
        inside = path.relative_to(folder).parts
        if path.suffix.lower() in _PIXELS and not any(p.startswith(".") or p in _MADE for p in inside):
            yield path


def _scenes_ahead(spread: Spread) -> Iterator[Scene]:
    """Yield the table during a game of random choices, always the same one, as the referee sees it."""
    match, dice = Match(spread.variant, 0), Random(0)
    for _ in range(_LOOK_AHEAD):
        if match.over or match.play.stuck(match.state):
            return
        if match.actor == CHANCE:
            match.chance()
        else:
            match.apply(dice.choice(match.play.legal(match.state)))
        yield spread.scene(match.state)


def _shown(scene: Scene) -> Iterator[Picture]:
    """Yield the whole faces that lie on the table, boards first."""
    pictures = [*(surface.picture for surface in scene.surfaces), *(piece.picture for piece in scene.pieces)]
    yield from (replace(picture, crop=None) for picture in pictures if picture is not None)


def _pictures(component: str) -> Iterator[Picture]:
    """Yield a component's pictures, one per side that may be shown."""
    for side in ("front", "back", PANEL, *(f"{DIE_FACE}{n}" for n in range(6))):
        yield Picture(component, side)
