"""Pictures of faces as SVG, named by the hash of their content.

The time of an answer must not tell who has seen a picture. So a picture is stored when its turn
comes in the order of the components, and never because somebody asked for it.
"""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from html import escape
from threading import Lock
from time import monotonic

from playproof.database.errors import InputError
from playproof.generator.build.fingerprint import of_files, of_this_room, together
from playproof.generator.layout.bind import DIE_FACE, PANEL
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.referee.variant import Variant
from playproof.table.drawn_table import cut_face
from playproof.table.lettering import legible
from playproof.table.outlines import for_screens
from playproof.table.placing import NoTable, Spread
from playproof.table.scene import Picture

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


def cover(variant: Variant) -> bytes:
    """Return the first printed face of a game's table as SVG, or a tile with the game's title if it has none. Raises
    InputError."""
    from playproof.generator.svg import svg_text

    with suppress(NoTable):
        spread = Spread(variant)
        for surface in spread.scene(variant.play.start(), 0).surfaces:
            if surface.picture is not None:
                return for_screens(svg_text(cut_face(spread, surface.picture))).encode()
    size = min(14.0, 240 / len(variant.title))  # so that a long title fits
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 80"><rect width="160" height="80" fill="#2f4a3f"/>'
        f'<text x="80" y="45" text-anchor="middle" font-family="serif" font-size="{size:.1f}" fill="#fbf4e4">'
        f"{escape(variant.title)}</text></svg>"
    ).encode()
