"""The table as a drawing: each face as it is cut, and the whole table as one face, for paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from playproof.database.components import Component
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.scene import (
    Colour,
    Face,
    Group,
    Node,
    Path,
    Rect,
    Stroke,
    Transform,
    build_circle_path,
    build_rectangle_path,
)
from playproof.generator.type.typesetter import TextStyle, Typesetter
from playproof.table.scene import Picture, Scene, Surface, TablePiece
from playproof.table.table_layout import TableLayout


def draw_face_as_cut(layout: TableLayout, picture: Picture) -> Face:
    """Return a face cut as it is cut on paper: to its outline, its corners, or the wanted part."""
    return draw_component_face_as_cut(
        layout.looks, layout.variant.data.components[picture.component], picture, layout.language
    )


def draw_component_face_as_cut(
    layout_renderer: LayoutRenderer, component: Component, picture: Picture, language: str = "en"
) -> Face:
    """Return the same of a component, for a game that may have no table."""
    face = layout_renderer.draw_face_or_raise(component, picture.side, language)
    if picture.crop is not None:
        x, y, width, height = picture.crop
        moved = Group(face.nodes, Transform.move(-x, -y))
        return Face(component.name, width, height, (moved,))
    return replace(
        face, name=component.name, bleed=0.0, nodes=(Group(face.nodes, clip=_get_outline_or_rounded_box_of_face(face)),)
    )


def _get_outline_or_rounded_box_of_face(face: Face) -> Path:
    if face.outline is not None:
        return face.outline
    return build_rectangle_path(Rect(0, 0, face.width, face.height), radius=face.corner)


_LINE, _GROUND, _BADGE = (
    Colour.parse_hex_or_cmyk_colour_or_raise("#8a8578"),
    Colour.parse_hex_or_cmyk_colour_or_raise("#f3efe4"),
    Colour.parse_hex_or_cmyk_colour_or_raise("#2b2a33"),
)
_TITLE = TextStyle(
    family="alegreyasans", size=12, min_size=5, colour=Colour.parse_hex_or_cmyk_colour_or_raise("#4a4740"), bold=True
)
_COUNT = TextStyle(
    family="alegreyasans",
    size=18,
    min_size=6,
    colour=Colour.parse_hex_or_cmyk_colour_or_raise("#ffffff"),
    bold=True,
    align="centre",
    valign="middle",
)
_EDGE = 2.0  # mm around the table


def draw_table_scene_as_one_face(layout: TableLayout, scene: Scene, surface_keys: Sequence[str] | None = None) -> Face:
    """Return the scene, or only the surfaces with these keys, as a face of its size in mm. Scale
    it where it is placed."""
    chosen = [s for s in scene.surfaces if surface_keys is None or s.key in surface_keys]
    left, top = min((s.x for s in chosen), default=0.0), min((s.y for s in chosen), default=0.0)
    drawn = [node for surface in chosen for node in _iter_nodes_of_surface_and_pieces(layout, scene, surface)]
    width = max((s.x + s.width for s in chosen), default=0.0) - left + 2 * _EDGE
    height = max((s.y + s.height for s in chosen), default=0.0) - top + 2 * _EDGE
    shifted = Group(tuple(drawn), Transform.move(_EDGE - left, _EDGE - top))
    return Face(f"{layout.variant.title}: the table", width, height, (shifted,))


def _iter_nodes_of_surface_and_pieces(layout: TableLayout, scene: Scene, surface: Surface) -> Iterator[Node]:
    setter = Typesetter(layout.looks.fonts, layout.looks.icons, layout.language)
    if surface.picture is None:
        box = Rect(surface.x, surface.y, surface.width, surface.height)
        yield build_rectangle_path(box, _GROUND, Stroke(_LINE, 0.5, (3, 2)), 3)
        yield from setter.typeset_text_as_large_as_box_allows(
            surface.title, Rect(box.x + 3, box.y + 1.5, box.width - 6, 6), _TITLE
        ).nodes
    else:
        at = Transform.move(surface.x, surface.y)
        yield Group(draw_face_as_cut(layout, surface.picture).nodes, at)
    for piece in scene.list_pieces_on(surface):
        yield from _iter_nodes_of_piece(layout, setter, surface, piece)


def _iter_nodes_of_piece(
    layout: TableLayout, setter: Typesetter, surface: Surface, piece: TablePiece
) -> Iterator[Node]:
    face = draw_face_as_cut(layout, piece.picture)
    x, y = surface.x + piece.x, surface.y + piece.y
    size = Transform.scale(piece.width / face.width, piece.height / face.height)
    at = Transform.move(x - piece.width / 2, y - piece.height / 2)
    yield Group(face.nodes, size.then(at).then(Transform.rotate(piece.turn, (x, y))))
    if piece.count is not None and piece.count > 1:
        # At the lower left, the corner that stays visible if cards overlap.
        left, low = x - piece.width / 2 + 4.5, y + piece.height / 2 - 4.5
        yield build_circle_path(left, low, 4.5, _BADGE)
        yield from setter.typeset_text_as_large_as_box_allows(
            str(piece.count), Rect(left - 4.5, low - 4.5, 9, 9), _COUNT
        ).nodes
