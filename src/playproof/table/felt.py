"""The felt: surfaces, spots and pieces as SVG, and the style sheets of their places.

Positions are attributes of SVG, or stand in a sheet of their own: no page holds a style.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from html import escape

from rich.console import Console

from playproof.referee.text_table import render_table
from playproof.table.arranging import SCREENS, ScreenLayout, arrange_screens
from playproof.table.faces import FacePictures
from playproof.table.page_context import REMEMBERED, PageContext, ReaderKey
from playproof.table.scene import Scene, Spot, Surface, TablePiece

_BADGE = 6.0  # mm, the radius of a count
_MM = r"\d{1,6}(?:\.\d{1,6})?"
_SURFACE = re.compile(r"_([A-Za-z][\w-]{0,59})" + rf"~(-?{_MM})" * 4 + rf"~({_MM})", re.ASCII)
_LAYOUT = re.compile(rf"({_MM})x({_MM})((?:{_SURFACE.pattern}){{1,40}})\Z", re.ASCII)
_LONGEST_LAYOUT = 2_000


def render_table_view(context: PageContext, targets: Mapping[int, Sequence[str]]) -> str:
    """Return the table, with what the actions name glowing; as text if the game has no printed table."""
    scene = context.scene
    if scene is None or context.pictures is None or context.layout is None:
        text = f'<pre tabindex="0" role="region" aria-label="the table">{escape(_render_table_as_text(context))}</pre>'
        return f'<div class="view text"><div class="felt text">{text}</div></div>'
    can = {key for keys in targets.values() for key in keys}
    surfaces = "".join(
        _render_surface(context.memory, context.pictures, scene, surface, can) for surface in scene.surfaces
    )
    trees = tuple(context.layout.spec.screens.items())
    sheets = "".join(
        f'<link rel="stylesheet" media="{SCREENS[screen.name]}" href="/layout/{format_layout_name(screen, scene)}.css">'
        for screen in arrange_screens(
            context.memory, scene, trees, (context.seat, len(context.session.seats))
        )
    )
    return f'<div class="view" id="view" tabindex="-1"><div class="felt" id="felt">{sheets}{surfaces}</div></div>'


def _render_table_as_text(context: PageContext) -> str:
    """Return the table as text, for games without a printed one."""
    out = io.StringIO()
    console = Console(file=out, width=80, color_system=None)
    sitting = context.session
    state = sitting.match.states[-1 if context.step is None else context.step]
    seat = 0 if context.reader is None and not sitting.has_hidden_fields else context.reader
    if seat is None:
        return "this game is shown to those who play"
    console.print(render_table(sitting.match.play, state, seat, sitting.variant.title))
    return out.getvalue()


def _render_surface(
    memory: ReaderKey, faces: FacePictures, scene: Scene, surface: Surface, target_keys: set[str]
) -> str:
    width, height = _format_mm(surface.width), _format_mm(surface.height)
    if surface.picture is None:
        ground = (
            f'<rect class="bare" width="{width}" height="{height}" rx="3"/>'
            f'<svg width="{width}" height="{height}">'
            f'<text class="name" x="2.5" y="1.6" lengthAdjust="spacingAndGlyphs">{escape(surface.title)}</text></svg>'
        )
    else:
        ground = _render_image(faces.get_picture_hash(surface.picture), (0, 0, surface.width, surface.height))
    spots = "".join(_render_spot(spot, spot.key in target_keys) for spot in scene.list_spots_on(surface))
    pieces = "".join(
        _render_piece(
            memory,
            piece,
            _render_piece_face(faces, piece),
            piece.key in target_keys,
            faces.spread.card_words.has_readable_words(piece.picture),
        )
        for piece in scene.list_pieces_on(surface)
    )
    kind = "hand" if surface.hand else "bare-place" if surface.picture is None else "printed"
    if surface.picture is not None and faces.spread.card_words.has_readable_words(surface.picture):
        kind += " reads"
    whose = "" if surface.seat is None else f' data-seat="{surface.seat}"'
    return (
        f'<section class="surface {kind}" id="s-{dom_id_from_key(surface.key)}"{whose}>'
        f'<svg viewBox="0 0 {width} {height}" role="group" aria-label="{escape(surface.title)}">'
        f"{ground}{spots}{pieces}</svg></section>"
    )


@lru_cache(maxsize=REMEMBERED)
def _render_spot(spot: Spot, is_target: bool) -> str:
    box = (
        f'x="{_format_mm(spot.x)}" y="{_format_mm(spot.y)}" '
        f'width="{_format_mm(spot.width)}" height="{_format_mm(spot.height)}" rx="2"'
    )
    name = escape(spot.name)
    return (
        f'<rect class="spot{" can" if is_target else ""}" id="k-{dom_id_from_key(spot.key)}" '
        f'data-key="{escape(spot.key)}" {box} '
        f'{_make_keyboard_attributes(is_target)} aria-label="{name}"><title>{name}</title></rect>'
    )


@lru_cache(maxsize=REMEMBERED)
def _render_piece(_: ReaderKey, piece: TablePiece, image: str, is_target: bool, has_words: bool) -> str:
    x, y = _get_top_left_corner(piece)
    many = piece.count is not None and piece.count > 1
    name = escape(f"{piece.name}, {piece.count}" if many else piece.name)
    badge = ""
    if many:
        # At the lower left, the corner that stays visible if cards overlap.
        left, low = _format_mm(x + _BADGE), _format_mm(y + piece.height - _BADGE)
        badge = (
            f'<circle class="badge" cx="{left}" cy="{low}" r="{_BADGE}"/>'
            f'<text class="count" x="{left}" y="{low}">{piece.count}</text>'
        )
    kind = (
        " down" if piece.picture.side == "back" else " die" if piece.picture.side.startswith("face-") else ""
    )
    kind += " reads" if has_words else ""
    turn = (
        f' transform="rotate({_format_mm(piece.turn)} {_format_mm(piece.x)} {_format_mm(piece.y)})"'
        if piece.turn
        else ""
    )
    return (
        f'<g class="piece{" can" if is_target else ""}{kind}" id="k-{dom_id_from_key(piece.key)}" '
        f'data-key="{escape(piece.key)}" '
        f'{_make_keyboard_attributes(is_target)} aria-label="{name}"><title>{name}</title>'
        f"<g{turn}>{image}"
        f'<rect class="edge" x="{_format_mm(x)}" y="{_format_mm(y)}" '
        f'width="{_format_mm(piece.width)}" height="{_format_mm(piece.height)}" '
        f'rx="2"/></g>{badge}</g>'
    )


def _make_keyboard_attributes(is_target: bool) -> str:
    """Return the attributes that let the keyboard reach everything that can be acted on. Other
    things can only be read."""
    return 'role="button" tabindex="0"' if is_target else 'role="img"'


def _get_top_left_corner(piece: TablePiece) -> tuple[float, float]:
    """Return the top left corner of a piece on its surface, in mm."""
    return piece.x - piece.width / 2, piece.y - piece.height / 2


def _render_piece_face(faces: FacePictures, piece: TablePiece) -> str:
    """Return the picture of a piece. A part of a face is the whole face behind a window."""
    picture, name = piece.picture, faces.get_picture_hash(piece.picture)
    box = (*_get_top_left_corner(piece), piece.width, piece.height)
    if picture.crop is None:
        return _render_image(name, box)
    window = " ".join(map(_format_mm, picture.crop))
    whole = faces.spread.get_picture_size(replace(picture, crop=None))
    return (
        f'<svg {_format_box_attributes(box)} viewBox="{window}">{_render_image(name, (0, 0, *whole))}</svg>'
    )


def _render_image(name: str, box: tuple[float, float, float, float]) -> str:
    return f'<image href="/face/{name}.svg" {_format_box_attributes(box)}/>'


def _format_box_attributes(box: tuple[float, float, float, float]) -> str:
    x, y, width, height = map(_format_mm, box)
    return f'x="{x}" y="{y}" width="{width}" height="{height}"'


def _format_mm(value: float) -> str:
    return f"{round(value, 2):g}"


def dom_id_from_key(key: str) -> str:
    """Return a key as an id that style sheets can name."""
    return key.replace(".", "-").replace(" ", "_")


def format_layout_name(screen: ScreenLayout, scene: Scene) -> str:
    """Return the places of a screen's surfaces as an address. The style sheet is made from the
    address alone."""
    sizes = {surface.key: (surface.width, surface.height) for surface in scene.surfaces}
    whole = f"{screen.width:g}x{screen.height:g}"
    places = (
        f"{dom_id_from_key(key)}~{x:g}~{y:g}~{sizes[key][0]:g}~{sizes[key][1]:g}~{scale:g}"
        for key, x, y, scale in screen.places
    )
    return "_".join([whole, *places])


def stylesheet_from_layout_name(name: str) -> str | None:
    """Return the style sheet of a layout's name: surfaces at their places, in shares of the
    table. None if it is no layout's name, or the table has no area."""
    layout = _LAYOUT.match(name)
    if len(name) > _LONGEST_LAYOUT or layout is None:
        return None
    width, height = float(layout[1]), float(layout[2])
    if not width or not height:
        return None
    rules = [f".felt{{aspect-ratio:{width:g}/{height:g};--ratio:{width / height:.4f};--units:{width:g}}}"]
    for key, *box in _SURFACE.findall(layout[3]):
        x, y, wide, high, scale = map(float, box)
        rules.append(
            f"#s-{key}{{left:{100 * x / width:.3f}%;top:{100 * y / height:.3f}%;--scale:{scale:g};"
            f"width:{100 * wide * scale / width:.3f}%;height:{100 * high * scale / height:.3f}%}}"
        )
    return "\n".join(rules) + "\n"
