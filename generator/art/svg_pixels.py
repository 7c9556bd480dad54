"""SVG pictures as pixels, drawn by resvg: for filters, masks, patterns and whatever else the scene cannot
hold. What resvg leaves out without a word is refused by its name, with the way out."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Iterator
from io import BytesIO
from math import ceil
from pathlib import Path as FilePath
from typing import NamedTuple
from xml.etree.ElementTree import Element, tostring

from playproof.database.source import read_limited_plain_file_or_raise
from playproof.generator.art.picture_files import BadPicture, NotDrawableAsVectors
from playproof.generator.art.svg_read import (
    LARGEST,
    describe_value_error,
    has_non_svg_namespace,
    parse_safe_svg_tree_or_raise,
    read_view_box_or_size_or_raise,
    read_viewport_of_whole_picture,
    refuse_unsafe_svg_element,
)
from playproof.generator.art.svg_references import apply_css_for_svg_in_place, get_local_tag
from playproof.generator.art.svg_text import GENERIC, HOW, find_listed_font_key_or_raise, resolve_font_weight
from playproof.generator.type.shaping import Shaper

# SVG pictures as pixels, drawn by resvg: for filters, masks, patterns and whatever else the scene cannot
# hold.

DPI = 600  # where edges of black on white look drawn, as in the raster of a printer
MOST = 6000  # pixels of the longer side: 25 cm at that resolution


def render_svg_to_png_or_raise(path: FilePath, longer_side_mm: float, shaper: Shaper) -> bytes:
    """Return the picture as PNG for a place whose longer side is ``longer_side_mm`` mm, see-through where it draws
    nothing. Raises BadPicture for one that is unsafe, that has a part which resvg would leave out, or text in a font
    that the game does not have."""
    import resvg_py  # few games need it

    root = parse_safe_svg_tree_or_raise(read_limited_plain_file_or_raise(path, LARGEST))
    try:
        apply_css_for_svg_in_place(root)
        for element in root.iter():
            refuse_unsafe_svg_element(element, allow_embedded_images=True)
        fonts = list_all_fonts_if_text_occurs(root, shaper)
        refuse_parts_that_resvg_drops(root)
        replace_embedded_pictures_by_srgb_png(root)
        view_box = read_view_box_or_size_or_raise(root)
        bounds = read_viewport_of_whole_picture(root, view_box)
    except NotDrawableAsVectors:
        raise
    except ValueError as error:
        raise BadPicture(describe_value_error(error)) from None
    scale = min(MOST, ceil(longer_side_mm / 25.4 * DPI)) / max(bounds.width, bounds.height)
    width, height = max(1, round(bounds.width * scale)), max(1, round(bounds.height * scale))
    root.set("viewBox", f"{view_box.x} {view_box.y} {view_box.width} {view_box.height}")
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
                **_build_resvg_generic_font_options(shaper),
            )
        )
    except ValueError as error:
        raise BadPicture(f"resvg cannot draw it: {error}") from None


def _build_resvg_generic_font_options(shaper: Shaper) -> dict[str, str]:
    """Return which families of the game stand for the generic ones: resvg's own are not there, and draw nothing."""
    families = {
        name: shaper.book[f"{key}-regular"].family for name, key in GENERIC.items() if f"{key}-regular" in shaper.book
    }
    plain = families["serif"]
    return {
        "font_family": plain, "serif_family": plain, "sans_serif_family": families.get("sans-serif", plain),
        "cursive_family": families.get("cursive", plain), "fantasy_family": plain, "monospace_family": plain,
    }  # fmt: skip


def read_png_size_in_pixels(png_bytes: bytes) -> tuple[int, int]:
    """Return width and height in pixels, from the file's first chunk."""
    return int.from_bytes(png_bytes[16:20], "big"), int.from_bytes(png_bytes[20:24], "big")


# -- svg drawable --------------------------------------------------------------------------------------------
# What resvg leaves out of an SVG picture without a word: each part is refused by its name, with the way
# out.

DRAWN_ELEMENTS = frozenset((
    "a", "circle", "clipPath", "defs", "ellipse", "feBlend", "feColorMatrix", "feComponentTransfer", "feComposite",
    "feConvolveMatrix", "feDiffuseLighting", "feDisplacementMap", "feDistantLight", "feDropShadow", "feFlood",
    "feFuncA", "feFuncB", "feFuncG", "feFuncR", "feGaussianBlur", "feImage", "feMerge", "feMergeNode",
    "feMorphology", "feOffset", "fePointLight", "feSpecularLighting", "feSpotLight", "feTile", "feTurbulence",
    "filter", "g", "image", "line", "linearGradient", "marker", "mask", "path", "pattern", "polygon", "polyline",
    "radialGradient", "rect", "stop", "style", "svg", "switch", "symbol", "text", "textPath", "tref", "tspan",
    "use",
))  # fmt: skip
# They draw nothing by themselves. Text in a font that stands in the picture is refused as text in a font that lacks.
SILENT_ELEMENTS = frozenset((
    "title", "desc", "metadata", "view", "cursor", "color-profile", "font", "font-face", "font-face-src",
    "font-face-uri", "font-face-name", "font-face-format", "glyph", "missing-glyph", "hkern", "vkern", "namedview",
))  # fmt: skip
PAINTS = frozenset(("meshgradient", "mesh", "meshrow", "meshpatch", "hatch", "hatchpath", "solidcolor", "solidColor"))
FLOWED = frozenset(("flowRoot", "flowRegion", "flowPara", "flowSpan", "flowLine", "flowDiv", "flowRegionExclude"))
UNFLOW = "in Inkscape: Text, Unflow, or Path, Object to Path"
CURES = {
    "meshgradient": "use a linear or radial gradient, or export the picture as PNG",
    "hatch": "draw the lines, or use a pattern",
    "solidcolor": "write the colour where it is used",
    **dict.fromkeys(FLOWED, UNFLOW),
}
# Properties that resvg passes over, and the values that change nothing.
PASSED_OVER = {
    "vector-effect": ("none",), "text-transform": ("none",), "text-shadow": ("none",), "d": (),
    "font-feature-settings": ("normal",), "font-variation-settings": ("normal",), "font-variant-ligatures": ("normal",),
    "font-variant-numeric": ("normal",), "font-variant-east-asian": ("normal",), "font-variant-position": ("normal",),
    "text-indent": ("0", "0px"), "backdrop-filter": ("none",), "mask-image": ("none",), "offset-path": ("none",),
}  # fmt: skip
_COMPUTED = re.compile(r"\b(?:var|calc|env|attr|min|max|clamp)\(")
_LOCAL = re.compile(r"url\(\s*[\"']?#([^\"')\s]+)[\"']?\s*\)\s*(\S*)")
_HELD = re.compile(r"\s*data:image/(?:png|jpe?g|gif|webp|bmp|x-ms-bmp);base64,(.*)", re.DOTALL)
TEXTS = ("text", "tspan", "textPath", "tref")


class _FontStyle(NamedTuple):
    """What a text inherits of its font."""

    family: str = "serif"
    weight: str = "400"
    slant: str = "normal"


def refuse_parts_that_resvg_drops(root: Element) -> None:
    """Raise BadPicture for what resvg would leave out of the picture."""
    ids = {name for element in root.iter() if (name := element.get("id"))}
    named = set(_iter_ids_needed_without_fallback_colour(root))
    for element in _iter_displayed_svg_elements(root):
        tag = get_local_tag(element)
        if tag in FLOWED and "".join(element.itertext()).strip():
            raise BadPicture(f"nobody draws its flowed text ({tag!r}); {CURES[tag]}")
        if tag in PAINTS and not (element.get("id") and element.get("id") in named):
            continue
        if tag not in DRAWN_ELEMENTS | SILENT_ELEMENTS | FLOWED:
            raise BadPicture(f"nobody draws the element {tag!r}; {CURES.get(tag, 'draw it in another way')}")
        if tag not in SILENT_ELEMENTS:
            _refuse_undrawable_properties(element, tag)
    for name in sorted(named):
        if name not in ids:
            raise BadPicture(f"it refers to {name!r}, and nothing in the file has that id")


def _iter_displayed_svg_elements(parent: Element) -> Iterator[Element]:
    """Yield an element and all in it, without what is not displayed and what is not SVG."""
    if _get_style_or_attribute_or_empty(parent, "display") == "none" and get_local_tag(parent) not in (
        "clipPath",
        "defs",
    ):
        return
    yield parent
    for child in parent:
        if isinstance(child.tag, str) and not has_non_svg_namespace(child) and get_local_tag(parent) not in PAINTS:
            yield from _iter_displayed_svg_elements(child)


def _iter_ids_needed_without_fallback_colour(root: Element) -> Iterator[str]:
    """Yield the ids that shown parts of the picture refer to, without those that have a colour to fall back on."""
    for element in _iter_displayed_svg_elements(root):
        for key, value in element.attrib.items():
            if key.rpartition("}")[2] == "href" and value.startswith("#") and get_local_tag(element) != "a":
                yield value[1:]
            for declaration in value.split(";") if key == "style" else (value,):
                yield from (name for name, other in _LOCAL.findall(declaration) if not other or other == "!important")


def _refuse_undrawable_properties(element: Element, tag: str) -> None:
    for name, value in _iter_attribute_and_style_properties(element):
        if _COMPUTED.search(value) and not name.startswith(("data-", "aria-")):
            raise BadPicture(f"nobody computes {name}={value!r}; write the value itself")
        if name in ("clip-path", "mask") and value not in ("", "none", "inherit") and not value.startswith("url("):
            raise BadPicture(f"nobody draws {name}={value!r}; cut it with a shape of the file")
        if name == "d" and tag == "path" and element.get("d", "").strip() == value:
            continue
        if name in PASSED_OVER and value not in (*PASSED_OVER[name], "", "inherit", "initial"):
            raise BadPicture(f"nobody draws {name}={value!r}; take it out, or turn it into outlines")
        if name in ("in", "in2") and value in ("BackgroundImage", "BackgroundAlpha", "FillPaint", "StrokePaint"):
            raise BadPicture(f"nobody draws a filter of {value!r}; export the picture as PNG")
        flows = name in ("shape-inside", "inline-size") and value not in ("", "none", "auto", "0")
        if flows and tag == "text" and not any(part.get("x") for part in element.iter() if part is not element):
            raise BadPicture(f"nobody draws text flowed into a shape ({name!r}); {UNFLOW}")
    if element.get("systemLanguage"):
        raise BadPicture("its words depend on the reader's language ('systemLanguage'); keep those of one")
    if tag == "image" and any(
        key.rpartition("}")[2] == "href" and value.startswith("#") for key, value in element.attrib.items()
    ):
        raise BadPicture("nobody draws an 'image' of another part of the file; use 'use'")


def _iter_attribute_and_style_properties(element: Element) -> Iterator[tuple[str, str]]:
    for key, value in element.attrib.items():
        if key == "style":
            for declaration in value.split(";"):
                name, _, word = declaration.partition(":")
                yield name.strip(), word.strip()
        elif "}" not in key:
            yield key, value.strip()


def _get_style_or_attribute_or_empty(element: Element, name: str) -> str:
    return dict(_iter_attribute_and_style_properties(element)).get(name, "")


def list_all_fonts_if_text_occurs(root: Element, shaper: Shaper) -> list[FilePath]:
    """Return the font files for all text in the picture. Raises BadPicture for letters that none of them has, and
    ValueError for a font that the game does not have."""
    keys: set[str] = set()
    _add_text_font_keys_or_raise(root, _FontStyle(), shaper, keys)
    if keys:  # resvg takes what these lack from the others, as the shaper does
        keys |= set(shaper.book.fonts)
    files = {shaper.book[key].path for key in keys}
    return sorted(
        {beside for file in files for beside in file.parent.glob(f"{file.stem.partition('-')[0]}-*.ttf")} | files
    )


def _add_text_font_keys_or_raise(
    element: Element,
    inherited_style: _FontStyle,
    shaper: Shaper,
    font_keys_to_fill: set[str],
    is_in_text: bool = False,
) -> None:
    words = {"family": "font-family", "weight": "font-weight", "slant": "font-style"}
    own = {
        field: word
        for field, name in words.items()
        if (word := _get_style_or_attribute_or_empty(element, name)) not in ("", "inherit")
    }
    if shorthand := _get_style_or_attribute_or_empty(element, "font"):
        own = {**_parse_css_font_shorthand(shorthand), **own}
    if "weight" in own:
        own["weight"] = resolve_font_weight(own["weight"], inherited_style.weight)
    type_ = inherited_style._replace(**own)
    is_text = get_local_tag(element) in TEXTS or (is_in_text and get_local_tag(element) == "a")
    texts = [element.text or ""] if is_text else []
    for child in element:
        _add_text_font_keys_or_raise(child, type_, shaper, font_keys_to_fill, is_text)
        if is_text:
            texts.append(child.tail or "")
    for text in texts:
        if text.strip():
            key = find_listed_font_key_or_raise(type_.family, shaper, type_.weight, type_.slant)
            font_keys_to_fill.add(key)
            if lacking := "".join(shaper.join_characters_that_no_font_draws(key, word) for word in text.split()):
                raise BadPicture(f"no font draws {lacking!r}; {HOW}")


def _parse_css_font_shorthand(font: str) -> dict[str, str]:
    """Return family, weight and slant of CSS's ``font``."""
    head, _, family = re.sub(r"\s+", " ", font).partition("px")
    for unit in ("pt", "em", "mm", "%"):
        if not family:
            head, _, family = font.partition(unit)
    words = head.split()
    weight = next((word for word in words if word in ("bold", "bolder") or word in ("600", "700", "800", "900")), "400")
    slant = next((word for word in words if word in ("italic", "oblique")), "normal")
    named = family.lstrip("/0123456789. ").strip()
    return {"weight": weight, "slant": slant} | ({"family": named} if named else {})


def replace_embedded_pictures_by_srgb_png(root: Element) -> None:
    """Replace each picture inside the picture that not everybody draws alike by its true pixels. Raises BadPicture for
    one that cannot be read."""
    for element in root.iter():
        if get_local_tag(element) != "image":
            continue
        for key, value in element.attrib.items():
            held = _HELD.match(value) if key.rpartition("}")[2] == "href" else None
            if held:
                element.set(key, _data_uri_to_srgb_png_uri_if_needed(held[1], value))


def _data_uri_to_srgb_png_uri_if_needed(base64: str, data_uri: str) -> str:
    from PIL import Image

    from playproof.generator.art.picture_files import (
        can_embed_file_bytes_unchanged,
        convert_first_frame_to_upright_srgb,
        encode_png_without_metadata,
        list_unprinted_features_or_raise,
    )

    try:
        with Image.open(BytesIO(b64decode("".join(base64.split())))) as opened:
            list_unprinted_features_or_raise(opened)
            if can_embed_file_bytes_unchanged(opened):
                return data_uri
            return (
                f"data:image/png;base64,"
                f"{b64encode(encode_png_without_metadata(convert_first_frame_to_upright_srgb(opened))).decode()}"
            )
    except (NotBase64, OSError, ValueError, SyntaxError) as error:
        raise BadPicture(f"a picture inside the picture cannot be read: {error}") from None
