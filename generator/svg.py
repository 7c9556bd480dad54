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

from playproof.database.errors import Where, make_path_relative_to_working_folder
from playproof.generator.art.picture_files import (
    can_embed_file_bytes_unchanged,
    convert_first_frame_to_upright_srgb,
    encode_jpeg_without_metadata,
    encode_png_without_metadata,
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
    build_rectangle_path,
    compute_dash_apart_from_corners,
    is_drawn_differently_with_other_miter_limit,
    pt_to_mm,
)
from playproof.generator.type.fonts import FontBook, get_fonts_of_game_in_export_or_project

SVG_LIMIT = 4.0  # of pointed corners, where a picture says none
Element = Any  # svgwrite brings no types


def render_face_to_svg_text(
    face: Face, *, bleed: float = 0.0, fonts: FontBook | None = None, id_prefix: str = ""
) -> str:
    """Return one face as SVG text. The same face gives the same text. Names in it begin with `id_prefix`: pictures that
    stand in one page need different ones."""
    window = face.trim.expand(min(bleed, face.bleed))
    return _SvgWriter(
        window, face.name, fonts or get_fonts_of_game_in_export_or_project(), id_prefix
    ).build_svg_document_text(face.nodes)


def _format_svg_number(value: float) -> str:
    return f"{round(value, 4):.7g}"


def _format_places_as_file_line_column(source: Sequence[Where]) -> str:
    """Return places of files as editors read them, separated by spaces."""
    return " ".join(
        f"{make_path_relative_to_working_folder(FilePath(at.file)).as_posix()}:{at.line}:{at.column}" for at in source
    )


def format_svg_path_data(commands: Sequence[Command]) -> str:
    """Return the ``d`` attribute of a path."""
    return "".join(letter + " ".join(map(_format_svg_number, points)) for letter, points in commands)


def _format_svg_matrix(transform: Transform) -> str:
    return (
        "matrix("
        + " ".join(
            f"{value:.7g}" for value in (transform.a, transform.b, transform.c, transform.d, transform.e, transform.f)
        )
        + ")"
    )


def _get_png_or_jpeg_name_and_bytes(image: Image) -> tuple[str, bytes]:
    """Return a picture as every viewer of SVG shows it: the file itself, or its true pixels."""
    if image.data:
        return "png", image.data
    from PIL import Image as pillow  # few faces have pictures

    with pillow.open(image.file) as opened:
        if can_embed_file_bytes_unchanged(opened):
            return "png" if opened.format == "PNG" else "jpeg", image.file.read_bytes()
        is_photograph = opened.format in ("JPEG", "MPO")
        picture = convert_first_frame_to_upright_srgb(opened)
        return (
            ("jpeg", encode_jpeg_without_metadata(picture))
            if is_photograph
            else ("png", encode_png_without_metadata(picture))
        )


class _SvgWriter:
    """Writes one document. Definitions are remembered by content, so that each is written once."""

    def __init__(self, window: Rect, name: str, fonts: FontBook, prefix: str) -> None:
        self._fonts, self._prefix = fonts, prefix
        self._window = window
        size = (f"{_format_svg_number(window.width)}mm", f"{_format_svg_number(window.height)}mm")
        box = " ".join(map(_format_svg_number, (window.x, window.y, window.width, window.height)))
        self._svg = svgwrite.Drawing(size=size, viewBox=box, debug=False)
        self._svg.set_desc(title=name)
        self._defined: dict[object, str] = {}

    def build_svg_document_text(self, nodes: Sequence[Node]) -> str:
        body = self._svg.g(clip_path=f"url(#{self._define_clip_once_and_get_id(build_rectangle_path(self._window))})")
        self._add_node_elements_to_parent(body, nodes)
        self._svg.add(body)
        return str(self._svg.tostring())

    def _add_node_elements_to_parent(self, parent: Element, nodes: Sequence[Node]) -> None:
        for node in nodes:
            if isinstance(node, Path):
                parent.add(self._build_path_element(node))
            elif isinstance(node, Glyphs):
                if node.pieces:
                    parent.add(self._build_glyphs_element(node))
            elif isinstance(node, Use):
                use = self._svg.use(f"#{self._define_symbol_once_and_get_id(node.symbol)}")
                if node.transform != IDENTITY:
                    use["transform"] = _format_svg_matrix(node.transform)
                if node.says is not None:
                    use["aria-label"] = node.says.text
                parent.add(use)
            elif isinstance(node, Group):
                parent.add(self._build_group_element(node))
            else:
                parent.add(self._build_image_element(node))

    def _add_definition_and_get_id(self, key: object, id_letter: str, element: Element) -> str:
        name = f"{self._prefix}{id_letter}{len(self._defined) + 1}"
        element["id"] = name
        self._svg.defs.add(element)
        self._defined[key] = name
        return name

    def _build_path_element(self, path: Path) -> Element:
        element = self._svg.path(
            d=format_svg_path_data(path.commands), fill=self._define_paint_and_format_fill_value(path.fill)
        )
        if path.even_odd:
            element["fill-rule"] = "evenodd"
        if path.stroke is not None:
            stroke = path.stroke
            element["stroke"] = stroke.colour.hex
            element["stroke-width"] = _format_svg_number(stroke.width)
            if stroke.dash:
                element["stroke-dasharray"] = " ".join(map(_format_svg_number, compute_dash_apart_from_corners(path)))
            if stroke.cap != "butt":
                element["stroke-linecap"] = stroke.cap
            if stroke.join != "miter":
                element["stroke-linejoin"] = stroke.join
            elif is_drawn_differently_with_other_miter_limit(path.commands, SVG_LIMIT, stroke.limit):
                element["stroke-miterlimit"] = _format_svg_number(stroke.limit)
        return element

    def _define_paint_and_format_fill_value(self, paint: Paint | None) -> str:
        if paint is None:
            return "none"
        if isinstance(paint, Colour):
            return paint.hex
        if paint in self._defined:
            return f"url(#{self._defined[paint]})"
        if isinstance(paint, LinearGradient):
            ends = (
                (_format_svg_number(paint.x1), _format_svg_number(paint.y1)),
                (_format_svg_number(paint.x2), _format_svg_number(paint.y2)),
            )
            element = self._svg.linearGradient(*ends, gradientUnits="userSpaceOnUse")
        else:
            middle = (_format_svg_number(paint.x), _format_svg_number(paint.y))
            element = self._svg.radialGradient(middle, _format_svg_number(paint.radius), gradientUnits="userSpaceOnUse")
        for stop in paint.stops:
            element.add_stop_color(_format_svg_number(stop.at), stop.colour.hex)
        return f"url(#{self._add_definition_and_get_id(paint, 'g', element)})"

    def _define_clip_once_and_get_id(self, path: Path) -> str:
        key = ("clip", path.commands, path.even_odd)
        if key not in self._defined:
            element = self._svg.clipPath()
            shape = self._svg.path(d=format_svg_path_data(path.commands))
            if path.even_odd:
                shape["clip-rule"] = "evenodd"
            element.add(shape)
            return self._add_definition_and_get_id(key, "c", element)
        return self._defined[key]

    def _build_glyphs_element(self, glyphs: Glyphs) -> Element:
        scale = pt_to_mm(glyphs.size) / 1000
        place = Transform(scale, 0, 0, -scale, glyphs.x, glyphs.y)
        group = self._svg.g(fill=glyphs.fill.hex, transform=_format_svg_matrix(place))
        group["aria-label"] = glyphs.text
        for start, shape in glyphs.pieces:
            x = start / scale
            offsets = shape.offsets or ((0.0, 0.0),) * len(shape.glyphs)
            for glyph, advance, (right, up) in zip(shape.glyphs, shape.advances, offsets, strict=True):
                name = self._define_glyph_once_and_get_id_or_empty(shape.font, glyph)
                if name:
                    group.add(self._svg.use(f"#{name}", insert=(_format_svg_number(x + right), _format_svg_number(up))))
                x += advance
        return group

    def _define_glyph_once_and_get_id_or_empty(self, font: str, glyph: int) -> str:
        key = (font, glyph)
        if key not in self._defined:
            outline = self._fonts[font].get_glyph_outline(glyph)
            if not outline:
                self._defined[key] = ""
                return ""
            return self._add_definition_and_get_id(key, "t", self._svg.path(d=format_svg_path_data(outline)))
        return self._defined[key]

    def _define_symbol_once_and_get_id(self, symbol: Symbol) -> str:
        key = ("symbol", id(symbol))
        if key not in self._defined:
            group = self._svg.g()
            self._add_node_elements_to_parent(group, symbol.children)
            return self._add_definition_and_get_id(key, "s", group)
        return self._defined[key]

    def _build_group_element(self, group: Group) -> Element:
        """Return the group with its transform outside its clip, as the scene defines it."""
        outer = self._svg.g()
        if group.transform != IDENTITY:
            outer["transform"] = _format_svg_matrix(group.transform)
        if group.opacity < 1:
            outer["opacity"] = _format_svg_number(group.opacity)
        if group.clip is not None:
            outer["clip-path"] = f"url(#{self._define_clip_once_and_get_id(group.clip)})"
        if group.source:
            outer["data-source"] = _format_places_as_file_line_column(group.source)
        if group.name:
            outer["class"] = group.name
        self._add_node_elements_to_parent(outer, group.children)
        return outer

    def _build_image_element(self, image: Image) -> Element:
        """Return the picture embedded in the file, clipped to its rectangle, which hides the
        cropped parts."""
        kind, content = _get_png_or_jpeg_name_and_bytes(image)
        data = base64.b64encode(content).decode()
        crop, rect = image.crop, image.rect
        width, height = rect.width / crop.width, rect.height / crop.height
        element = self._svg.image(
            f"data:image/{kind};base64,{data}",
            insert=(_format_svg_number(rect.x - crop.x * width), _format_svg_number(rect.y - crop.y * height)),
            size=(_format_svg_number(width), _format_svg_number(height)),
        )
        element["preserveAspectRatio"] = "none"
        group = self._svg.g(clip_path=f"url(#{self._define_clip_once_and_get_id(build_rectangle_path(rect))})")
        group.add(element)
        return group
