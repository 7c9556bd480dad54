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

from playproof.referee.text_table import draw
from playproof.table.arranging import SCREENS, Screen, screens
from playproof.table.faces import Faces
from playproof.table.page_context import REMEMBERED, Memory, PageContext
from playproof.table.scene import Scene, Spot, Surface, TablePiece

_BADGE = 6.0  # mm, the radius of a count
_MM = r"\d{1,6}(?:\.\d{1,6})?"
_SURFACE = re.compile(r"_([A-Za-z][\w-]{0,59})" + rf"~(-?{_MM})" * 4 + rf"~({_MM})", re.ASCII)
_LAYOUT = re.compile(rf"({_MM})x({_MM})((?:{_SURFACE.pattern}){{1,40}})\Z", re.ASCII)
_LONGEST_LAYOUT = 2_000


def felt(context: PageContext, at: Mapping[int, Sequence[str]]) -> str:
    """Return the table, with what the actions name glowing; as text if the game has no printed table."""
    scene = context.scene
    if scene is None or context.faces is None or context.spread is None:
        text = f'<pre tabindex="0" role="region" aria-label="the table">{escape(_drawn(context))}</pre>'
        return f'<div class="view text"><div class="felt text">{text}</div></div>'
    can = {key for keys in at.values() for key in keys}
    surfaces = "".join(
        _surface(context.memory, context.faces, scene, surface, can) for surface in scene.surfaces
    )
    trees = tuple(context.spread.spec.screens.items())
    sheets = "".join(
        f'<link rel="stylesheet" media="{SCREENS[screen.name]}" href="/layout/{layout_name(screen, scene)}.css">'
        for screen in screens(context.memory, scene, trees, (context.seat, len(context.sitting.seats)))
    )
    return f'<div class="view" id="view" tabindex="-1"><div class="felt" id="felt">{sheets}{surfaces}</div></div>'


def _drawn(context: PageContext) -> str:
    """Return the table as text, for games without a printed one."""
    out = io.StringIO()
    console = Console(file=out, width=80, color_system=None)
    sitting = context.sitting
    state = sitting.match.states[-1 if context.step is None else context.step]
    seat = 0 if context.reader is None and not sitting.hides else context.reader
    if seat is None:
        return "this game is shown to those who play"
    console.print(draw(sitting.match.play, state, seat, sitting.variant.title))
    return out.getvalue()


def _surface(memory: Memory, faces: Faces, scene: Scene, surface: Surface, can: set[str]) -> str:
    width, height = _mm(surface.width), _mm(surface.height)
    if surface.picture is None:
        ground = (
            f'<rect class="bare" width="{width}" height="{height}" rx="3"/>'
            f'<svg width="{width}" height="{height}">'
            f'<text class="name" x="2.5" y="1.6" lengthAdjust="spacingAndGlyphs">{escape(surface.title)}</text></svg>'
        )
    else:
        ground = _image(faces.name(surface.picture), (0, 0, surface.width, surface.height))
    spots = "".join(_spot(spot, spot.key in can) for spot in scene.spots_on(surface))
    pieces = "".join(
        _piece(
            memory,
            piece,
            _face(faces, piece),
            piece.key in can,
            faces.spread.card_words.has_words(piece.picture),
        )
        for piece in scene.on(surface)
    )
    kind = "hand" if surface.hand else "bare-place" if surface.picture is None else "printed"
    if surface.picture is not None and faces.spread.card_words.has_words(surface.picture):
        kind += " reads"
    whose = "" if surface.seat is None else f' data-seat="{surface.seat}"'
    return (
        f'<section class="surface {kind}" id="s-{dom_id(surface.key)}"{whose}>'
        f'<svg viewBox="0 0 {width} {height}" role="group" aria-label="{escape(surface.title)}">'
        f"{ground}{spots}{pieces}</svg></section>"
    )


@lru_cache(maxsize=REMEMBERED)
def _spot(spot: Spot, can: bool) -> str:
    box = f'x="{_mm(spot.x)}" y="{_mm(spot.y)}" width="{_mm(spot.width)}" height="{_mm(spot.height)}" rx="2"'
    name = escape(spot.name)
    return (
        f'<rect class="spot{" can" if can else ""}" id="k-{dom_id(spot.key)}" data-key="{escape(spot.key)}" {box} '
        f'{_reach(can)} aria-label="{name}"><title>{name}</title></rect>'
    )


@lru_cache(maxsize=REMEMBERED)
def _piece(_: Memory, piece: TablePiece, image: str, can: bool, reads: bool) -> str:
    x, y = _corner(piece)
    many = piece.count is not None and piece.count > 1
    name = escape(f"{piece.name}, {piece.count}" if many else piece.name)
    badge = ""
    if many:
        # At the lower left, the corner that stays visible if cards overlap.
        left, low = _mm(x + _BADGE), _mm(y + piece.height - _BADGE)
        badge = (
            f'<circle class="badge" cx="{left}" cy="{low}" r="{_BADGE}"/>'
            f'<text class="count" x="{left}" y="{low}">{piece.count}</text>'
        )
    kind = (
        " down" if piece.picture.side == "back" else " die" if piece.picture.side.startswith("face-") else ""
    )
    kind += " reads" if reads else ""
    turn = f' transform="rotate({_mm(piece.turn)} {_mm(piece.x)} {_mm(piece.y)})"' if piece.turn else ""
    return (
        f'<g class="piece{" can" if can else ""}{kind}" id="k-{dom_id(piece.key)}" data-key="{escape(piece.key)}" '
        f'{_reach(can)} aria-label="{name}"><title>{name}</title>'
        f"<g{turn}>{image}"
        f'<rect class="edge" x="{_mm(x)}" y="{_mm(y)}" width="{_mm(piece.width)}" height="{_mm(piece.height)}" '
        f'rx="2"/></g>{badge}</g>'
    )


def _reach(can: bool) -> str:
    """Return the attributes that let the keyboard reach everything that can be acted on. Other
    things can only be read."""
    return 'role="button" tabindex="0"' if can else 'role="img"'


def _corner(piece: TablePiece) -> tuple[float, float]:
    """Return the top left corner of a piece on its surface, in mm."""
    return piece.x - piece.width / 2, piece.y - piece.height / 2


def _face(faces: Faces, piece: TablePiece) -> str:
    """Return the picture of a piece. A part of a face is the whole face behind a window."""
    picture, name = piece.picture, faces.name(piece.picture)
    box = (*_corner(piece), piece.width, piece.height)
    if picture.crop is None:
        return _image(name, box)
    window = " ".join(map(_mm, picture.crop))
    whole = faces.spread.size(replace(picture, crop=None))
    return f'<svg {_box(box)} viewBox="{window}">{_image(name, (0, 0, *whole))}</svg>'


def _image(name: str, box: tuple[float, float, float, float]) -> str:
    return f'<image href="/face/{name}.svg" {_box(box)}/>'


def _box(box: tuple[float, float, float, float]) -> str:
    x, y, width, height = map(_mm, box)
    return f'x="{x}" y="{y}" width="{width}" height="{height}"'


def _mm(value: float) -> str:
    return f"{round(value, 2):g}"


def dom_id(key: str) -> str:
    """Return a key as an id that style sheets can name."""
    return key.replace(".", "-").replace(" ", "_")


def layout_name(screen: Screen, scene: Scene) -> str:
    """Return the places of a screen's surfaces as an address. The style sheet is made from the
    address alone."""
    sizes = {surface.key: (surface.width, surface.height) for surface in scene.surfaces}
    whole = f"{screen.width:g}x{screen.height:g}"
    places = (
        f"{dom_id(key)}~{x:g}~{y:g}~{sizes[key][0]:g}~{sizes[key][1]:g}~{scale:g}"
        for key, x, y, scale in screen.places
    )
    return "_".join([whole, *places])


def sheet(name: str) -> str | None:
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
