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

from playproof.database.errors import Where, short_path
from playproof.generator.art.true_pixels import is_plain, jpeg_of, png_of, true_pixels
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
    cuts_corners,
    pt_to_mm,
    rectangle,
)
from playproof.generator.type.font_book import FontBook, default_fonts

SVG_LIMIT = 4.0  # of pointed corners, where a picture says none
Element = Any  # svgwrite brings no types


def svg_text(face: Face, *, bleed: float = 0.0, fonts: FontBook | None = None, prefix: str = "") -> str:
    """Return one face as SVG text. The same face gives the same text. Names in it begin with `prefix`: pictures that
    stand in one page need different ones."""
    window = face.trim.grown(min(bleed, face.bleed))
    return _Writer(window, face.name, fonts or default_fonts(), prefix).document(face.nodes)


def _number(value: float) -> str:
    return f"{round(value, 4):.7g}"


def _places(source: Sequence[Where]) -> str:
    """Return places of files as editors read them, separated by spaces."""
    return " ".join(f"{short_path(FilePath(at.file)).as_posix()}:{at.line}:{at.column}" for at in source)


def path_data(commands: Sequence[Command]) -> str:
    """Return the ``d`` attribute of a path."""
    return "".join(letter + " ".join(map(_number, points)) for letter, points in commands)


def _matrix(m: Transform) -> str:
    return "matrix(" + " ".join(f"{value:.7g}" for value in (m.a, m.b, m.c, m.d, m.e, m.f)) + ")"


def _embeddable(image: Image) -> tuple[str, bytes]:
    """Return a picture as every viewer of SVG shows it: the file itself, or its true pixels."""
    if image.data:
        return "png", image.data
    from PIL import Image as pillow  # few faces have pictures

    with pillow.open(image.file) as opened:
        if is_plain(opened):
            return "png" if opened.format == "PNG" else "jpeg", image.file.read_bytes()
        is_photograph = opened.format in ("JPEG", "MPO")
        picture = true_pixels(opened)
        return ("jpeg", jpeg_of(picture)) if is_photograph else ("png", png_of(picture))


class _Writer:
    """Writes one document. Definitions are remembered by content, so that each is written once."""

    def __init__(self, window: Rect, name: str, fonts: FontBook, prefix: str) -> None:
        self._fonts, self._prefix = fonts, prefix
        self._window = window
        size = (f"{_number(window.width)}mm", f"{_number(window.height)}mm")
        box = " ".join(map(_number, (window.x, window.y, window.width, window.height)))
        self._svg = svgwrite.Drawing(size=size, viewBox=box, debug=False)
        self._svg.set_desc(title=name)
        self._defined: dict[object, str] = {}

    def document(self, nodes: Sequence[Node]) -> str:
        body = self._svg.g(clip_path=f"url(#{self._clip(rectangle(self._window))})")
        self._add(body, nodes)
        self._svg.add(body)
        return str(self._svg.tostring())

    def _add(self, parent: Element, nodes: Sequence[Node]) -> None:
        for node in nodes:
            if isinstance(node, Path):
                parent.add(self._path(node))
            elif isinstance(node, Glyphs):
                if node.pieces:
                    parent.add(self._glyphs(node))
            elif isinstance(node, Use):
                use = self._svg.use(f"#{self._symbol(node.symbol)}")
                if node.transform != IDENTITY:
                    use["transform"] = _matrix(node.transform)
                if node.says is not None:
                    use["aria-label"] = node.says.text
                parent.add(use)
            elif isinstance(node, Group):
                parent.add(self._group(node))
            else:
                parent.add(self._image(node))

    def _define(self, key: object, letter: str, element: Element) -> str:
        name = f"{self._prefix}{letter}{len(self._defined) + 1}"
        element["id"] = name
        self._svg.defs.add(element)
        self._defined[key] = name
        return name

    def _path(self, path: Path) -> Element:
        element = self._svg.path(d=path_data(path.commands), fill=self._paint(path.fill))
        if path.even_odd:
            element["fill-rule"] = "evenodd"
        if path.stroke is not None:
            stroke = path.stroke
            element["stroke"] = stroke.colour.hex
            element["stroke-width"] = _number(stroke.width)
            if stroke.dash:
                element["stroke-dasharray"] = " ".join(map(_number, stroke.dash))
            if stroke.cap != "butt":
                element["stroke-linecap"] = stroke.cap
            if stroke.join != "miter":
                element["stroke-linejoin"] = stroke.join
            elif cuts_corners(path.commands, SVG_LIMIT, stroke.limit):
                element["stroke-miterlimit"] = _number(stroke.limit)
        return element

    def _paint(self, paint: Paint | None) -> str:
        if paint is None:
            return "none"
        if isinstance(paint, Colour):
            return paint.hex
        if paint in self._defined:
            return f"url(#{self._defined[paint]})"
        if isinstance(paint, LinearGradient):
            ends = ((_number(paint.x1), _number(paint.y1)), (_number(paint.x2), _number(paint.y2)))
            element = self._svg.linearGradient(*ends, gradientUnits="userSpaceOnUse")
        else:
            middle = (_number(paint.x), _number(paint.y))
            element = self._svg.radialGradient(middle, _number(paint.radius), gradientUnits="userSpaceOnUse")
        for stop in paint.stops:
            element.add_stop_color(_number(stop.at), stop.colour.hex)
        return f"url(#{self._define(paint, 'g', element)})"

    def _clip(self, path: Path) -> str:
        key = ("clip", path.commands, path.even_odd)
        if key not in self._defined:
            element = self._svg.clipPath()
            shape = self._svg.path(d=path_data(path.commands))
            if path.even_odd:
                shape["clip-rule"] = "evenodd"
            element.add(shape)
            return self._define(key, "c", element)
        return self._defined[key]

    def _glyphs(self, glyphs: Glyphs) -> Element:
        scale = pt_to_mm(glyphs.size) / 1000
        place = Transform(scale, 0, 0, -scale, glyphs.x, glyphs.y)
        group = self._svg.g(fill=glyphs.fill.hex, transform=_matrix(place))
        group["aria-label"] = glyphs.text
        for start, shape in glyphs.pieces:
            x = start / scale
            offsets = shape.offsets or ((0.0, 0.0),) * len(shape.glyphs)
            for glyph, advance, (right, up) in zip(shape.glyphs, shape.advances, offsets, strict=True):
                name = self._glyph(shape.font, glyph)
                if name:
                    group.add(self._svg.use(f"#{name}", insert=(_number(x + right), _number(up))))
                x += advance
        return group

    def _glyph(self, font: str, glyph: int) -> str:
        key = (font, glyph)
        if key not in self._defined:
            outline = self._fonts[font].outline(glyph)
            if not outline:
                self._defined[key] = ""
                return ""
            return self._define(key, "t", self._svg.path(d=path_data(outline)))
        return self._defined[key]

    def _symbol(self, symbol: Symbol) -> str:
        key = ("symbol", id(symbol))
        if key not in self._defined:
            group = self._svg.g()
            self._add(group, symbol.children)
            return self._define(key, "s", group)
        return self._defined[key]

    def _group(self, group: Group) -> Element:
        """Return the group with its transform outside its clip, as the scene defines it."""
        outer = self._svg.g()
        if group.transform != IDENTITY:
            outer["transform"] = _matrix(group.transform)
        if group.opacity < 1:
            outer["opacity"] = _number(group.opacity)
        if group.clip is not None:
            outer["clip-path"] = f"url(#{self._clip(group.clip)})"
        if group.source:
            outer["data-source"] = _places(group.source)
        if group.name:
            outer["class"] = group.name
        self._add(outer, group.children)
        return outer

    def _image(self, image: Image) -> Element:
        """Return the picture embedded in the file, clipped to its rectangle, which hides the
        cropped parts."""
        kind, content = _embeddable(image)
        data = base64.b64encode(content).decode()
        crop, rect = image.crop, image.rect
        width, height = rect.width / crop.width, rect.height / crop.height
        element = self._svg.image(
            f"data:image/{kind};base64,{data}",
            insert=(_number(rect.x - crop.x * width), _number(rect.y - crop.y * height)),
            size=(_number(width), _number(height)),
        )
        element["preserveAspectRatio"] = "none"
        group = self._svg.g(clip_path=f"url(#{self._clip(rectangle(rect))})")
        group.add(element)
        return group
