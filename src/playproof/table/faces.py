"""Pictures of faces as SVG, named by the hash of their content, and kept on disk from one start of the
server to the next.

The time of an answer must not tell who has seen a picture. So a picture is drawn when its turn comes, in an order
that is the same at every table, and never because somebody asked for it."""

from __future__ import annotations

import gzip
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random

from playproof.database.errors import InputError
from playproof.database.files import write_file_atomically
from playproof.generator.art.picture_files import PICTURE_SUFFIXES
from playproof.generator.build.file_jobs import (
    hash_file_names_and_contents,
    hash_generator_code,
    hash_joined_parts_as_sha256_hex,
)
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.generator.layout.layout_renderer import DIE_FACE, PANEL
from playproof.language import CHANCE
from playproof.language.cache import ensure_private_cache_folder
from playproof.referee.match import Match
from playproof.table.drawn_table import draw_face_as_cut
from playproof.table.scene import Picture, Scene
from playproof.table.screen_svg import mark_texts_and_make_legibility_stylesheet, shorten_svg_outlines
from playproof.table.table_layout import TableLayout

# Pictures of faces as SVG, named by the hash of their content, and kept on disk from one start to the next.

_FOLDERS = ("icons", "motifs", "fonts", "common")  # of layouts/, that all games share
_MADE = ("output", "node_modules")  # folders beside a game that hold no picture of it
_LOOK_AHEAD = 40  # steps of a game that shows which kinds of things come first
_DRAWN_BY = [Path(__file__).resolve().with_name(f"{name}.py") for name in ("drawn_table", "faces", "screen_svg")]


class FacePictures:
    """The pictures of one edition of a game: its cards, looks, language and rulings.

    A picture's name is a hash of everything it is made from. So names are known before anything is
    drawn. `FaceDrawer` draws and stores them one after the other.
    """

    def __init__(self, spread: TableLayout) -> None:
        self.spread = spread
        # A face may show text of other components, so every name depends on all cards.
        self.edition = hash_joined_parts_as_sha256_hex(
            hash_generator_code(),
            hash_file_names_and_contents(_DRAWN_BY),
            hash_file_names_and_contents(_iter_layout_and_picture_files(spread)),
            spread.language,
            sorted(spread.looks.rulings.items()),
            spread.variant.data.digest,
        )
        self.store = FaceStore(self.edition)
        self._names: dict[Picture, str] = {}
        self._pictures: dict[str, Picture] = {}
        for component in spread.variant.data.components:
            for picture in _iter_pictures_of_all_possible_sides(component):
                self._pictures[self.get_picture_hash_of_whole_face(picture)] = picture

    def get_picture_hash_of_whole_face(self, picture: Picture) -> str:
        """Return the hash of a picture's inputs: 20 hexadecimal digits. A part of a face has the
        name of the whole face, or the names that exist would tell which parts have been seen."""
        whole = replace(picture, crop=None)
        if whole not in self._names:
            self._names[whole] = hash_joined_parts_as_sha256_hex(self.edition, whole)[:20]
        return self._names[whole]

    @property
    def picture_hashes(self) -> list[str]:
        """The names of all pictures that may be asked for."""
        return list(self._pictures)

    def has_picture_with_hash(self, picture_hash: str) -> bool:
        """Return whether a picture of this edition has this hash."""
        return picture_hash in self._pictures

    def get_front_words_or_empty(self, picture_hash: str) -> str:
        """Return what the picture with this hash prints: its title, and its words in lines; "" if it prints none."""
        picture = self._pictures[picture_hash]
        return self.spread.card_words.format_printed_words_or_empty(picture) if picture.side == "front" else ""

    def draw_svg(self, picture: Picture) -> bytes:
        """Return the picture as SVG, drawn now. Raises InputError if there is no such side."""
        from playproof.generator.svg import (
            render_face_to_svg_text,  # lint lays out the table but draws nothing
        )

        face = draw_face_as_cut(self.spread, picture)
        return shorten_svg_outlines(render_face_to_svg_text(face, fonts=self.spread.looks.fonts)).encode()

    def draw_face_svg_legible_at_any_width(self, picture: Picture) -> bytes:
        """Return the picture as SVG with letters for every width at which it may be shown."""
        from playproof.generator.svg import render_face_to_svg_text

        face, sheet = mark_texts_and_make_legibility_stylesheet(draw_face_as_cut(self.spread, picture))
        svg = render_face_to_svg_text(face, fonts=self.spread.looks.fonts)
        return shorten_svg_outlines(svg.replace("<defs", f"{sheet}<defs", 1)).encode()

    def draw_gzipped_svg_by_hash_or_none(self, picture_hash: str) -> bytes | None:
        """Return the compressed SVG with this hash, drawn now; None for a side that its component does not have."""
        try:
            return gzip.compress(self.draw_face_svg_legible_at_any_width(self._pictures[picture_hash]), 6, mtime=0)
        except InputError:
            return None

    def list_picture_hashes_in_drawing_order(self) -> list[str]:
        """Return all names in the order in which they are drawn: first what all see at the start, then all pictures
        of the kinds that a game of random choices shows, then the rest. No game under way changes it."""
        spread, rank = self.spread, dict[str, int]()
        kinds = {ident: component.kind for ident, component in spread.components.items()}
        for scene in (
            spread.make_scene_seen_by_seat(spread.variant.play.start(), 0),
            *_iter_random_game_scenes(spread),
        ):
            shown = list(_iter_whole_pictures_in_scene(scene))
            for picture in shown if not rank else ():
                rank.setdefault(self.get_picture_hash_of_whole_face(picture), len(rank))
            for picture in shown:
                rank.setdefault(f"{kinds[picture.component]} {picture.side}", len(rank))
        last = len(rank)

        def turn(item: tuple[str, Picture]) -> int:
            name, picture = item
            return rank.get(name, rank.get(f"{kinds[picture.component]} {picture.side}", last))

        return [name for name, _ in sorted(self._pictures.items(), key=turn)]


def _iter_layout_and_picture_files(table_layout: TableLayout) -> Iterator[Path]:
    """Yield the files that say how a game looks, the pictures beside its cards among them."""
    for folder in {table_layout.looks.folder, *(LAYOUTS / name for name in _FOLDERS)}:
        yield from (path for path in folder.rglob("*") if path.is_file())
    folder = table_layout.variant.data.folder
    for path in folder.rglob("*"):
        inside = path.relative_to(folder).parts
        if path.suffix.lower() in PICTURE_SUFFIXES and not any(p.startswith(".") or p in _MADE for p in inside):
            yield path


def _iter_random_game_scenes(table_layout: TableLayout) -> Iterator[Scene]:
    """Yield the table during a game of random choices, always the same one, as the referee sees it."""
    match, dice = Match(table_layout.variant, 0), Random(0)
    for _ in range(_LOOK_AHEAD):
        if match.over or match.play.has_no_legal_action(match.state):
            return
        if match.actor == CHANCE:
            match.take_chance_action_of_seed_or_raise()
        else:
            match.apply(dice.choice(match.play.legal(match.state)))
        yield table_layout.make_scene_seen_by_seat(match.state)


def _iter_whole_pictures_in_scene(scene: Scene) -> Iterator[Picture]:
    """Yield the whole faces that lie on the table, boards first."""
    pictures = [*(surface.picture for surface in scene.surfaces), *(piece.picture for piece in scene.pieces)]
    yield from (replace(picture, crop=None) for picture in pictures if picture is not None)


def _iter_pictures_of_all_possible_sides(component_id: str) -> Iterator[Picture]:
    """Yield a component's pictures, one per side that may be shown."""
    for side in ("front", "back", PANEL, *(f"{DIE_FACE}{n}" for n in range(6))):
        yield Picture(component_id, side)


# -- face store ----------------------------------------------------------------------------------------------
# Drawn pictures on disk, in the cache folder: one folder for each edition of a game.

_MOST_EDITIONS = 40  # each a few MB; those that were used longest ago go
_ALL = "all"  # the file that says that every picture is there


class FaceStore:
    """The compressed pictures of an edition. Where nothing can be written they are kept in memory."""

    def __init__(self, edition: str) -> None:
        self._memory: dict[str, bytes] = {}
        self._folder: Path | None = None
        self._complete = False
        with suppress(OSError):
            self._folder = ensure_private_cache_folder() / "faces" / edition[:32]
            if self._folder.is_dir():
                os.utime(self._folder)
                self._complete = (self._folder / _ALL).is_file()

    def read_stored_picture(self, picture_hash: str) -> bytes | None:
        """Return a picture; None if it is not there."""
        if picture_hash in self._memory:
            return self._memory[picture_hash]
        try:
            return None if self._folder is None else (self._folder / picture_hash).read_bytes() or None
        except OSError:
            return None

    def store_picture(self, picture_hash: str, compressed_svg: bytes) -> None:
        """Keep a picture."""
        try:
            if self._folder is None:
                raise OSError("there is no folder")
            if not self._folder.is_dir():
                _delete_least_recent_edition_folders(self._folder.parent)
            write_file_atomically(self._folder / picture_hash, compressed_svg)
        except OSError:
            self._memory[picture_hash] = compressed_svg

    def mark_all_pictures_stored(self) -> None:
        """Note that every picture has been drawn."""
        self._complete = True
        if self._folder is not None and not self._memory:
            with suppress(OSError):
                write_file_atomically(self._folder / _ALL, b"")

    @property
    def is_complete(self) -> bool:
        """Whether every picture has been drawn; what is not there does not exist."""
        return self._complete


def _delete_least_recent_edition_folders(editions_folder: Path) -> None:
    """Make room for one more edition."""
    if not editions_folder.is_dir():
        return
    editions = sorted(editions_folder.iterdir(), key=lambda path: path.stat().st_mtime)
    for old in editions[: -_MOST_EDITIONS + 1] if len(editions) >= _MOST_EDITIONS else ():
        shutil.rmtree(old, ignore_errors=True)
