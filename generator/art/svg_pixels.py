"""SVG pictures as pixels, drawn by resvg: for filters, masks, patterns and whatever else the scene cannot hold."""

from __future__ import annotations

from math import ceil
from pathlib import Path as FilePath
from xml.etree.ElementTree import tostring

from playproof.database.source import read_plain_file
from playproof.generator.art.svg_drawable import (
    list_font_files_for_text,
    normalise_embedded_pictures,
    refuse_undrawable_parts,
)
from playproof.generator.art.svg_errors import BadPicture, NotDrawableAsVectors
from playproof.generator.art.svg_read import LARGEST, parse_svg_tree, read_view_box, refuse_unsafe
from playproof.generator.art.svg_style import write_out_styles
from playproof.generator.art.svg_text import GENERIC
from playproof.generator.type.shaping import Shaper

DPI = 600  # where edges of black on white look drawn, as in the raster of a printer
MOST = 6000  # pixels of the longer side: 25 cm at that resolution


def render_svg_to_png(path: FilePath, longer_side_mm: float, shaper: Shaper) -> bytes:
    """Return the picture as PNG for a place whose longer side is ``longest`` mm, see-through where it draws nothing.
    Raises BadPicture for one that is unsafe, that has a part which resvg would leave out, or text in a font that the
    game does not have."""
    import resvg_py  # few games need it

    root = parse_svg_tree(read_plain_file(path, LARGEST))
    try:
        write_out_styles(root)
        for element in root.iter():
            refuse_unsafe(element, images=True)
        fonts = list_font_files_for_text(root, shaper)
        refuse_undrawable_parts(root)
        normalise_embedded_pictures(root)
        bounds = read_view_box(root)
    except NotDrawableAsVectors:
        raise
    except ValueError as error:
        raise BadPicture(str(error)) from None
    scale = min(MOST, ceil(longer_side_mm / 25.4 * DPI)) / max(bounds.width, bounds.height)
    width, height = max(1, round(bounds.width * scale)), max(1, round(bounds.height * scale))
    root.set("viewBox", f"{bounds.x} {bounds.y} {bounds.width} {bounds.height}")
    root.set("width", str(width))
    root.set("height", str(height))
    try:
        return bytes(
            resvg_py.svg_to_bytes(
                svg_string=tostring(root, "unicode"),
                width=width,
                height=height,
                dpi=96,  # else a length in mm would be nothing
                skip_system_fonts=True,
                font_files=[str(file) for file in fonts],
                **_build_generic_font_options(shaper),
            )
        )
    except ValueError as error:
        raise BadPicture(f"resvg cannot draw it: {error}") from None


def _build_generic_font_options(shaper: Shaper) -> dict[str, str]:
    """Return which families of the game stand for the generic ones: resvg's own are not there, and draw nothing."""
    families = {
        name: shaper.book[f"{key}-regular"].family
        for name, key in GENERIC.items()
        if f"{key}-regular" in shaper.book
    }
    plain = families["serif"]
    return {
        "font_family": plain, "serif_family": plain, "sans_serif_family": families.get("sans-serif", plain),
        "cursive_family": families.get("cursive", plain), "fantasy_family": plain, "monospace_family": plain,
    }  # fmt: skip


def read_png_size(data: bytes) -> tuple[int, int]:
    """Return width and height in pixels, from the file's first chunk."""
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
