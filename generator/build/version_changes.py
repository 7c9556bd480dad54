"""What two versions of a game print differently, decided by the drawn faces; the cards that changed since a
revision in git; and the mark of an erratum on each card that it changed."""

from __future__ import annotations

import io
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, NamedTuple

from playproof.database.components import Component
from playproof.database.errors import FindingCollector, InputError, Where
from playproof.database.game import Game, load_game
from playproof.generator.build.file_jobs import (
    hash_component_ignoring_file_position,
    hash_file_names_and_contents,
    hash_joined_parts_as_sha256_hex,
    value_to_text_without_file_positions,
)
from playproof.generator.build.press import iter_pictures_below_outside_output
from playproof.generator.layout.layout_renderer import STICKERS
from playproof.generator.layout.printable_area import iter_drawn_boxes_as_text_or_shape
from playproof.generator.layout.views import collect_game_content_to_compare_prints
from playproof.generator.scene import BLACK, WHITE, Rect, build_rectangle_path
from playproof.generator.scene.nodes import are_faces_drawn_and_cut_alike
from playproof.generator.type.shaping import (
    iter_lines_wrapped_to_width,
    measure_text_line_width_in_mm,
    typeset_anchored_text_line,
)

if TYPE_CHECKING:
    from playproof.generator.build.press import Press
    from playproof.generator.scene import Face


# -- face changes --------------------------------------------------------------------------------------------
# Compare what two versions of a game print: decided by the drawn faces, not by whose data changed.


class FaceChanges:
    """What differs in print between two versions of a game. Each component is compared once in a language."""

    def __init__(self, before: Press, after: Press) -> None:
        self.before, self.after = before, after
        self._differing: dict[tuple[str, str], bool] = {}

    @cached_property
    def ids_of_components_that_may_differ(self) -> frozenset[str]:
        """The ids of components that are in both versions, and of which a face may differ."""
        old, new = self.before.game, self.after.game
        both = frozenset(new.components) & frozenset(old.components)
        if collect_game_content_to_compare_prints(old, with_version=False) != collect_game_content_to_compare_prints(
            new, with_version=False
        ):
            return both
        return frozenset(
            ident
            for ident in both
            if self.before.hash_printed_content_without_mark(old.components[ident])
            != self.after.hash_printed_content_without_mark(new.components[ident])
        )

    def is_component_printed_differently(self, component_id: str, language: str) -> bool:
        """Return whether a side or look of a component that both versions have is printed otherwise."""
        key = component_id, language
        if key not in self._differing:
            self._differing[key] = (
                component_id in self.ids_of_components_that_may_differ
                and are_component_faces_different(self.before, self.after, component_id, language)
            )
        return self._differing[key]


def copy_old_game_with_new_version_number(old_game: Game, new_game: Game) -> Game:
    """Return the old game under the new one's version, so that a layout that prints the version tells no difference."""
    return replace(old_game, applied=new_game.applied)


def are_component_faces_different(before: Press, after: Press, component_id: str, language: str) -> bool:
    """Return whether a side or look of a component that both versions have is printed otherwise."""
    # first, because the other takes what is the same from it
    new = list(draw_and_iter_faces_of_all_looks(after, component_id, language))
    old = list(draw_and_iter_faces_of_all_looks(before, component_id, language))
    return len(old) != len(new) or not all(map(_are_same_faces_or_both_none, old, new))


def draw_and_iter_faces_of_all_looks(press: Press, component_id: str, language: str) -> Iterator[Face | None]:
    """Yield what is printed of a component: its sides in each look, and the stickers of a die."""
    card = press.game.components[component_id]
    if press.looks.find_layout_for_component_or_none(card, language) is None:
        return
    for variant in press.looks.list_copy_variants_or_one_empty_text(card):
        for side in press.list_sides_of_component(card):
            yield press.draw_face_or_none_and_note_problems(card, side, language, FindingCollector(), variant=variant)
    if _is_printed_as_stickers(press, card):
        yield press.draw_face_or_none_and_note_problems(card, STICKERS, language, FindingCollector())


def _is_printed_as_stickers(press: Press, card: Component) -> bool:
    return any(product.stickers and card.kind in product.kinds for product in press.products)


def _are_same_faces_or_both_none(old: Face | None, new: Face | None) -> bool:
    if old is None or new is None:
        return old is new
    return are_faces_drawn_and_cut_alike(old, new)


# -- changed since -------------------------------------------------------------------------------------------
# Find the cards that changed since a revision in git: `--changed-since REV`.


class GameAtRevision(NamedTuple):
    """A game as it was at a revision, and a hash of the layouts and pictures that its folder had there."""

    game: Game
    looks: str


def hash_layout_and_picture_files(game: Game) -> str:
    """Return a hash of the layouts and pictures in a game's folder. Which sheets they go to is no matter."""
    folder = game.folder / "layouts"
    own = [path for path in folder.rglob("*") if path.is_file() and path.name != "build.yaml"]
    return hash_file_names_and_contents({*own, *iter_pictures_below_outside_output(game.folder)})


def load_game_at_git_revision_or_raise(game: Game, revision: str) -> GameAtRevision:
    """Return the game as it was at a revision. Raises InputError if git or the revision is missing,
    or if the game was not readable then."""
    folder = game.folder.resolve()
    top = FilePath(_run_git_or_raise_input_error(folder, revision, "rev-parse", "--show-toplevel").decode().strip())
    inside = folder.relative_to(top.resolve()).as_posix()
    archive = _run_git_or_raise_input_error(top, revision, "archive", "--format=tar", revision, "--", inside)
    with tempfile.TemporaryDirectory() as name:
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            if hasattr(tarfile, "data_filter"):  # Python 3.11.4 and later; git's own archive needs no filter
                tar.extraction_filter = tarfile.data_filter
            tar.extractall(name)
        before = load_game(FilePath(name) / inside)
        return GameAtRevision(before, hash_layout_and_picture_files(before))


def list_new_or_changed_component_ids(before: GameAtRevision, game: Game) -> tuple[str, ...]:
    """Return the ids of components that are new or print differently than in ``before``, in the
    game's order. If a layout or a picture that several cards may show is another, all count."""
    words = (value_to_text_without_file_positions(each.vocabulary.spec.model_dump()) for each in (before.game, game))
    same_words = len({*words}) == 1 and before.looks == hash_layout_and_picture_files(game)
    old = {key: hash_component_ignoring_file_position(component) for key, component in before.game.components.items()}
    return tuple(
        key
        for key, component in game.components.items()
        if not same_words or old.get(key) != hash_component_ignoring_file_position(component)
    )


def _run_git_or_raise_input_error(folder: FilePath, revision: str, *arguments: str) -> bytes:
    try:
        done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=False)
    except OSError:
        raise InputError.from_single_finding(
            "PP512", Where("--changed-since"), "git is needed to compare, and is missing"
        ) from None
    if done.returncode:
        complaint = done.stderr.decode("utf-8", "replace").strip().splitlines()
        message = f"git knows no {revision!r} of this game" + (f": {complaint[0]}" if complaint else "")
        raise InputError.from_single_finding("PP512", Where("--changed-since"), message)
    return done.stdout


# -- version marks -------------------------------------------------------------------------------------------
# The mark of an erratum on each card that it changed: on the sheets of the dossier, and in every later
# print.

if TYPE_CHECKING:
    from playproof.database.patch import Erratum
    from playproof.generator.build.press import Press
    from playproof.generator.scene import Face
    from playproof.generator.sheets import Piece

_MARK_SIZE = 7.0  # pt
_MARK_LEADING, _MARK_EDGE = 2.9, 2.5  # mm: from line to line, and from the cut where there is room
# mm: the mark moves towards the cut, but no further, to keep off what is printed
_EDGES = (_MARK_EDGE, 1.8, 1.2)


def format_errata_mark_text(erratum: Erratum) -> str:
    """Return the text printed on every card that an erratum changes."""
    return f"v{erratum.version} · {erratum.date}"


class VersionMarks:
    """Finds, for each component of a game with errata, the last erratum that changed what is printed of it."""

    def __init__(self, press: Press) -> None:
        self._press = press
        self._found: dict[tuple[str, str], str] = {}

    @cached_property
    def _errata_with_face_changes(self) -> list[tuple[Erratum, FaceChanges | None]]:
        """Each erratum in use, newest first, with what it changed in print. A game that cannot be read without an
        erratum has nothing to compare."""
        by_version = {erratum.version: erratum for erratum in self._press.game.errata}
        after, steps = self._press, []
        for number, version in reversed([*enumerate(self._press.game.applied)]):
            before = self._load_game_version_or_none(self._press.game.applied[number - 1] if number else False)
            changes = after.get_print_changes_from_other_version(before) if before is not None else None
            steps.append((by_version[version], changes))
            if changes is None:
                break
            after = changes.before
        return steps

    def _load_game_version_or_none(self, version: str | bool) -> Game | None:
        try:
            return load_game(self._press.game.folder, version)
        except InputError:
            return None

    def get_errata_mark_text_or_empty(self, card: Component, language: str) -> str:
        """Return what is marked on a component, "" if every erratum in use prints it as it was first published."""
        key = (card.id, language)
        if key not in self._found:
            self._found[key] = self._find_last_changing_mark_or_empty(card.id, language)
        return self._found[key]

    def _find_last_changing_mark_or_empty(self, component_id: str, language: str) -> str:
        for erratum, changes in self._errata_with_face_changes:
            if changes is None:
                return format_errata_mark_text(erratum) if component_id in erratum.components else ""
            if component_id not in changes.before.game.components:
                return format_errata_mark_text(erratum)  # it came with this erratum
            if changes.is_component_printed_differently(component_id, language):
                return format_errata_mark_text(erratum)
        return ""

    def hash_errata_mark_inputs_or_empty(self, card: Component) -> str:
        """Return a hash of what decides the mark, "" if there can be none."""
        parts = [
            (format_errata_mark_text(erratum), own)
            for erratum, changes in self._errata_with_face_changes
            if not (own := _hash_print_before_changes_or_empty(changes, card.id))
            or card.id in (changes.ids_of_components_that_may_differ if changes else erratum.components)
        ]
        return hash_joined_parts_as_sha256_hex(*parts) if parts else ""


def _hash_print_before_changes_or_empty(changes: FaceChanges | None, component_id: str) -> str:
    """Return the hash of what the version before prints of a component, "" if it does not have it."""
    card = changes.before.game.components.get(component_id) if changes is not None else None
    return changes.before.hash_printed_content_without_mark(card) if changes is not None and card is not None else ""


def copy_piece_with_text_at_foot(piece: Piece, text: str) -> Piece:
    """Return the piece with a text at the foot of its front."""
    return replace(piece, front=copy_face_with_text_near_edge(piece.front, text))


def copy_face_with_text_near_edge(face: Face, text: str) -> Face:
    """Return the face with a text at its foot, or at its head where the foot is full."""
    lines = list(iter_lines_wrapped_to_width(text, face.width - 2 * _MARK_EDGE, _MARK_SIZE))
    width = max(measure_text_line_width_in_mm(line, _MARK_SIZE) for line in lines)
    box = _find_mark_place_free_if_possible(face, width + 1.6, _MARK_LEADING * len(lines) - 0.3)
    ground = build_rectangle_path(box, WHITE, radius=0.6)
    words = [
        typeset_anchored_text_line(
            line, box.centre[0], box.y + _MARK_LEADING * (number + 0.66), _MARK_SIZE, anchor="middle", colour=BLACK
        )
        for number, line in enumerate(lines)
    ]
    return replace(face, nodes=(*face.nodes, ground, *words))


def _find_mark_place_free_if_possible(face: Face, width: float, height: float) -> Rect:
    """Return a place for a mark of this size that crosses no line of text and no outline: at the foot if there
    is room, else at the head, else nearest to the cut at the foot."""
    there = list(iter_drawn_boxes_as_text_or_shape(face.nodes))
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
        if not any(_would_mark_hide_part_of_drawing(box, what, drawn) for what, drawn in there)
    )
    return next(free, feet[len(_EDGES) - 1])


def _would_mark_hide_part_of_drawing(mark_box: Rect, drawing_kind: str, drawing_box: Rect) -> bool:
    """Return whether a mark hides a part of something. A mark wholly inside a shape hides only its ground."""
    apart = (
        mark_box.right <= drawing_box.x
        or drawing_box.right <= mark_box.x
        or mark_box.bottom <= drawing_box.y
        or drawing_box.bottom <= mark_box.y
    )
    return not apart and (drawing_kind == "text" or not drawing_box.contains(mark_box))
