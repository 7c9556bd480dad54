"""SVG from faces, as vectors throughout. Letters are outlines, so that every viewer shows the same.

Each line of text carries its words as an ``aria-label``. Symbols, glyphs and gradients are stored
once, in defs.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path as FilePath
from typing import Any

import svgwrite

from playproof.database.errors import Where, shorten_path
from playproof.generator.art.picture_files import (
    convert_to_srgb_pixels,
    encode_jpeg,
    encode_png,
    has_unambiguous_pixels,
)
from playproof.generator.scene import (
    IDENTITY,
    Colour,
    Command,
    Face,
    Glyphs,
    Group,
    Image,
    LinearGradient,
    Node,
    Paint,
    Path,
    Rect,
    Symbol,
    Transform,
    Use,
    has_corner_between_miter_limits,
    pt_to_mm,
    rectangle,
)
from playproof.generator.type.fonts import FontBook, get_default_fonts

SVG_LIMIT = 4.0  # of pointed corners, where a picture says none
Element = Any  # svgwrite brings no types


def render_face_to_svg(
    face: Face, *, bleed: float = 0.0, fonts: FontBook | None = None, prefix: str = ""
) -> str:
    """Return one face as SVG text. The same face gives the same text. Names in it begin with `prefix`: pictures that
    stand in one page need different ones."""
    window = face.trim.expand(min(bleed, face.bleed))
    return _SvgWriter(window, face.name, fonts or get_default_fonts(), prefix).build_document(face.nodes)


def _format_number(value: float) -> str:
    return f"{round(value, 4):.7g}"


def _format_places(source: Sequence[Where]) -> str:
    """Return places of files as editors read them, separated by spaces."""
    return " ".join(f"{shorten_path(FilePath(at.file)).as_posix()}:{at.line}:{at.column}" for at in source)


def format_path_data(commands: Sequence[Command]) -> str:
    """Return the ``d`` attribute of a path."""
    return "".join(letter + " ".join(map(_format_number, points)) for letter, points in commands)


def _format_matrix(m: Transform) -> str:
    return "matrix(" + " ".join(f"{value:.7g}" for value in (m.a, m.b, m.c, m.d, m.e, m.f)) + ")"


def _get_embeddable_picture(image: Image) -> tuple[str, bytes]:
    """Return a picture as every viewer of SVG shows it: the file itself, or its true pixels."""
    if image.data:
        return "png", image.data
    from PIL import Image as pillow  # few faces have pictures

    with pillow.open(image.file) as opened:
        if has_unambiguous_pixels(opened):
            return "png" if opened.format == "PNG" else "jpeg", image.file.read_bytes()
        is_photograph = opened.format in ("JPEG", "MPO")
        picture = convert_to_srgb_pixels(opened)
        return ("jpeg", encode_jpeg(picture)) if is_photograph else ("png", encode_png(picture))


class _SvgWriter:
    """Writes one document. Definitions are remembered by content, so that each is written once."""

    def __init__(self, window: Rect, name: str, fonts: FontBook, prefix: str) -> None:
        self._fonts, self._prefix = fonts, prefix
        self._window = window
        size = (f"{_format_number(window.width)}mm", f"{_format_number(window.height)}mm")
        box = " ".join(map(_format_number, (window.x, window.y, window.width, window.height)))
        self._svg = svgwrite.Drawing(size=size, viewBox=box, debug=False)
        self._svg.set_desc(title=name)
        self._defined: dict[object, str] = {}

    def build_document(self, nodes: Sequence[Node]) -> str:
        body = self._svg.g(clip_path=f"url(#{self._define_clip(rectangle(self._window))})")
        self._add_nodes(body, nodes)
        self._svg.add(body)
        return str(self._svg.tostring())

    def _add_nodes(self, parent: Element, nodes: Sequence[Node]) -> None:
        for node in nodes:
            if isinstance(node, Path):
                parent.add(self._build_path_element(node))
            elif isinstance(node, Glyphs):
                if node.pieces:
                    parent.add(self._build_glyphs_element(node))
            elif isinstance(node, Use):
                use = self._svg.use(f"#{self._define_symbol(node.symbol)}")
                if node.transform != IDENTITY:
                    use["transform"] = _format_matrix(node.transform)
                if node.says is not None:
                    use["aria-label"] = node.says.text
                parent.add(use)
            elif isinstance(node, Group):
                parent.add(self._build_group_element(node))
            else:
                parent.add(self._build_image_element(node))

    def _add_definition(self, key: object, letter: str, element: Element) -> str:
        name = f"{self._prefix}{letter}{len(self._defined) + 1}"
        element["id"] = name
        self._svg.defs.add(element)
        self._defined[key] = name
        return name

    def _build_path_element(self, path: Path) -> Element:
        element = self._svg.path(d=format_path_data(path.commands), fill=self._format_paint(path.fill))
        if path.even_odd:
            element["fill-rule"] = "evenodd"
        if path.stroke is not None:
            stroke = path.stroke
            element["stroke"] = stroke.colour.hex
            element["stroke-width"] = _format_number(stroke.width)
            if stroke.dash:
                element["stroke-dasharray"] = " ".join(map(_format_number, stroke.dash))
            if stroke.cap != "butt":
                element["stroke-linecap"] = stroke.cap
            if stroke.join != "miter":
                element["stroke-linejoin"] = stroke.join
            elif has_corner_between_miter_limits(path.commands, SVG_LIMIT, stroke.limit):
                element["stroke-miterlimit"] = _format_number(stroke.limit)
        return element

    def _format_paint(self, paint: Paint | None) -> str:
        if paint is None:
            return "none"
        if isinstance(paint, Colour):
            return paint.hex
        if paint in self._defined:
            return f"url(#{self._defined[paint]})"
        if isinstance(paint, LinearGradient):
            ends = (
                (_format_number(paint.x1), _format_number(paint.y1)),
                (_format_number(paint.x2), _format_number(paint.y2)),
            )
            element = self._svg.linearGradient(*ends, gradientUnits="userSpaceOnUse")
        else:
            middle = (_format_number(paint.x), _format_number(paint.y))
            element = self._svg.radialGradient(
                middle, _format_number(paint.radius), gradientUnits="userSpaceOnUse"
            )
        for stop in paint.stops:
            element.add_stop_color(_format_number(stop.at), stop.colour.hex)
        return f"url(#{self._add_definition(paint, 'g', element)})"

    def _define_clip(self, path: Path) -> str:
        key = ("clip", path.commands, path.even_odd)
        if key not in self._defined:
            element = self._svg.clipPath()
            shape = self._svg.path(d=format_path_data(path.commands))
            if path.even_odd:
                shape["clip-rule"] = "evenodd"
            element.add(shape)
            return self._add_definition(key, "c", element)
        return self._defined[key]

    def _build_glyphs_element(self, glyphs: Glyphs) -> Element:
        scale = pt_to_mm(glyphs.size) / 1000
        place = Transform(scale, 0, 0, -scale, glyphs.x, glyphs.y)
        group = self._svg.g(fill=glyphs.fill.hex, transform=_format_matrix(place))
        group["aria-label"] = glyphs.text
        for start, shape in glyphs.pieces:
            x = start / scale
            offsets = shape.offsets or ((0.0, 0.0),) * len(shape.glyphs)
            for glyph, advance, (right, up) in zip(shape.glyphs, shape.advances, offsets, strict=True):
                name = self._define_glyph(shape.font, glyph)
                if name:
                    group.add(
                        self._svg.use(f"#{name}", insert=(_format_number(x + right), _format_number(up)))
                    )
                x += advance
        return group

    def _define_glyph(self, font: str, glyph: int) -> str:
        key = (font, glyph)
        if key not in self._defined:
            outline = self._fonts[font].get_outline(glyph)
            if not outline:
                self._defined[key] = ""
                return ""
            return self._add_definition(key, "t", self._svg.path(d=format_path_data(outline)))
        return self._defined[key]

    def _define_symbol(self, symbol: Symbol) -> str:
        key = ("symbol", id(symbol))
        if key not in self._defined:
            group = self._svg.g()
            self._add_nodes(group, symbol.children)
            return self._add_definition(key, "s", group)
        return self._defined[key]

    def _build_group_element(self, group: Group) -> Element:
        """Return the group with its transform outside its clip, as the scene defines it."""
        outer = self._svg.g()
        if group.transform != IDENTITY:
            outer["transform"] = _format_matrix(group.transform)
        if group.opacity < 1:
            outer["opacity"] = _format_number(group.opacity)
        if group.clip is not None:
            outer["clip-path"] = f"url(#{self._define_clip(group.clip)})"
        if group.source:
            outer["data-source"] = _format_places(group.source)
        if group.name:
            outer["class"] = group.name
        self._add_nodes(outer, group.children)
        return outer

    def _build_image_element(self, image: Image) -> Element:
        """Return the picture embedded in the file, clipped to its rectangle, which hides the
        cropped parts."""
        kind, content = _get_embeddable_picture(image)
        data = base64.b64encode(content).decode()
        crop, rect = image.crop, image.rect
        width, height = rect.width / crop.width, rect.height / crop.height
        element = self._svg.image(
            f"data:image/{kind};base64,{data}",
            insert=(_format_number(rect.x - crop.x * width), _format_number(rect.y - crop.y * height)),
            size=(_format_number(width), _format_number(height)),
        )
        element["preserveAspectRatio"] = "none"
        group = self._svg.g(clip_path=f"url(#{self._define_clip(rectangle(rect))})")
        group.add(element)
        return group
