"""Draw pictures from files, cropped and masked, and generated scenes; find and open the files that layouts
name."""

from __future__ import annotations

import re
from pathlib import Path as FilePath

from playproof.database.errors import Finding, find_nearest_word_or_empty, make_nearest_or_possible_words_hint
from playproof.generator.art.icons import shade_symbol_lit_from_upper_right
from playproof.generator.art.picture_files import (
    PICTURE_SUFFIXES,
    BadPicture,
    NotDrawableAsVectors,
    PictureNotFound,
    RasterPicture,
    compose_accents_of_name,
    compute_crop_shares_to_cover_box,
    fit_rectangle_centred_in_box,
    read_raster_picture_or_raise_if_broken,
)
from playproof.generator.art.svg_read import read_svg_file_as_symbol_or_raise
from playproof.generator.layout.draw_shapes import build_flat_topped_hexagon, parse_path_in_shares_of_box
from playproof.generator.layout.drawing import FaceDrawing, register_element_drawer
from playproof.generator.layout.layout_files import Element
from playproof.generator.layout.model import ImageSpec, SceneSpec
from playproof.generator.layout.text_styles import NoSuchName
from playproof.generator.scene import (
    Colour,
    Group,
    Image,
    Node,
    Path,
    Rect,
    Stroke,
    Symbol,
    Transform,
    Use,
    build_ellipse_path,
    build_rectangle_path,
)
from playproof.generator.scene.nodes import WHOLE

# Draw pictures from files, and generated scenes.

PLACEHOLDER = "a crossed frame is printed in its place"


@register_element_drawer(SceneSpec)
def draw_generated_scene_element(drawing: FaceDrawing, spec: SceneSpec, element: Element, box: Rect) -> Rect:
    """Draw a generated landscape. Every seed gives its own."""
    scope = drawing.scope
    moods, motifs = drawing.layout.moods, drawing.layout.motifs
    mood, motif = spec.mood(scope), spec.motif(scope)
    companions = [name(scope) for name in spec.companions]
    if mood not in moods:
        raise NoSuchName(f"there is no mood {mood!r}", make_nearest_or_possible_words_hint(mood, moods))
    for name in (motif, *companions):
        if name and name not in motifs:
            raise NoSuchName(f"there is no motif {name!r}", make_nearest_or_possible_words_hint(name, motifs))
    world, view = drawing.layout.worlds[moods[mood].world], spec.view(scope)
    if view not in world.views:
        raise NoSuchName(
            f"the world {world.name!r} has no view {view!r}", make_nearest_or_possible_words_hint(view, world.views)
        )
    from playproof.generator.art.scenery import paint_scenery_clipped_to_box  # few layouts have landscapes

    seed, ground, figure = spec.scene(scope), spec.ground(scope), motifs[motif] if motif else None
    beside = [motifs[name] for name in companions if name]
    key = (box, seed, id(world), id(moods[mood]), figure, *beside, ground, view)
    nodes = drawing.kit.scenes.get(key)
    if nodes is None:
        nodes = paint_scenery_clipped_to_box(
            box, seed, world, moods[mood], figure, beside, ground, drawing.kit.ink.low, view
        )
        drawing.kit.scenes[key] = nodes
    _append_nodes_clipped_where_needed(drawing, nodes, box, spec.radius(scope))
    return box


@register_element_drawer(ImageSpec)
def draw_image_element(drawing: FaceDrawing, spec: ImageSpec, element: Element, box: Rect) -> Rect:
    """Draw a raster or SVG picture, fitted or cropped."""
    name = spec.image(drawing.scope)
    if not name or not drawing.kit.ink.is_picture_printed(spec.always):
        return Rect(box.x, box.y, box.width, 0)
    try:
        picture = load_picture_or_svg_symbol(drawing, name, max(box.width, box.height))
    except PictureNotFound as error:
        if spec.image.has_hole_with_empty_value(drawing.scope):  # the card has no picture: nothing is missing
            return Rect(box.x, box.y, box.width, 0)
        where, about = drawing.find_place_of_words_in_card_or_layout(spec.image, element), (drawing.subject,)
        earlier = drawing.kit.missing.get(name)
        message = (
            earlier.message
            if earlier
            else f"{error}{format_similar_picture_suffix_or_empty(drawing.kit.folders, name)}"
        )
        finding = Finding("PP506", where, message, PLACEHOLDER, "warning", about)
        drawing.collector.add_findings([finding])
        drawing.kit.missing.setdefault(name, finding)
        drawing.nodes.append(_build_crossed_frame_placeholder(box))
        return box
    except BadPicture as error:
        drawing.add_finding_about_card(
            "PP506", drawing.find_place_of_words_in_card_or_layout(spec.image, element), error
        )
        return box
    try:
        part = evaluate_crop_in_shares_or_raise(drawing, spec)
        mask, outline = load_mask_as_picture_or_outline_or_none(drawing, spec, box)
    except BadMask as error:
        drawing.add_finding_about_card("PP634", element.where, error)
        return box
    if isinstance(picture, Symbol) and mask is not None:  # pixels alone can be see-through by degrees
        picture = load_picture_as_pixels(drawing, name, max(box.width, box.height))
    if isinstance(picture, Symbol):
        if drawing.kit.ink.is_figure_printed_lit(spec.lit):
            picture = _get_or_shade_lit_symbol(drawing, name, picture)
        used, shown = _place_symbol_part_and_get_its_window(picture, box, spec.fit, part)
        _append_nodes_clipped_where_needed(drawing, (used,), shown, spec.radius(drawing.scope), outline)
    else:
        for remark in picture.remarks:
            where, message = (
                drawing.find_place_of_words_in_card_or_layout(spec.image, element),
                f"{name}: {remark.message}",
            )
            drawing.add_remark_once("PP630", where, message, remark.hint, key=(picture.file, remark))
        place, crop = _compute_picture_place_and_crop_shares(picture, box, spec, part)
        if not picture.data:  # one drawn from lines is as fine as it has to be
            _record_lowest_picture_dpi(drawing, picture, place, crop)
        made = Image(picture.file, place, crop, picture.data)
        if mask is not None:
            data = render_masked_picture_to_png(drawing, picture, crop, mask, box, place)
            made = Image(picture.file, place, WHOLE, data)
        _append_nodes_clipped_where_needed(drawing, (made,), box, spec.radius(drawing.scope), outline)
    return box


def _record_lowest_picture_dpi(drawing: FaceDrawing, picture: RasterPicture, place: Rect, crop: Rect) -> None:
    """Note how many dots to the inch a picture of pixels has here, if they are the fewest so far."""
    across, down = picture.width * crop.width / place.width, picture.height * crop.height / place.height
    dots = min(across, down) * 25.4
    drawing.kit.dots[picture.file] = min(dots, drawing.kit.dots.get(picture.file, dots))


def _compute_picture_place_and_crop_shares(
    picture: RasterPicture, box: Rect, spec: ImageSpec, shown_part: Rect
) -> tuple[Rect, Rect]:
    """Return the place of a picture's part in its box, and the crop that is shown there."""
    width, height = picture.width * shown_part.width, picture.height * shown_part.height
    if spec.fit == "contain":
        return fit_rectangle_centred_in_box(width, height, box), shown_part
    crop = compute_crop_shares_to_cover_box(width, height, box, spec.focus) if spec.fit == "cover" else WHOLE
    x, y = shown_part.x + crop.x * shown_part.width, shown_part.y + crop.y * shown_part.height
    return box, Rect(x, y, crop.width * shown_part.width, crop.height * shown_part.height)


def _append_nodes_clipped_where_needed(
    drawing: FaceDrawing, nodes: tuple[Node, ...], box: Rect, radius: float, outline: Path | None = None
) -> None:
    """Draw the nodes within a box with round corners, and within an outline."""
    if radius or any(isinstance(node, Use) for node in nodes):
        nodes = (Group(nodes, clip=build_rectangle_path(box, radius=radius)),)
    drawing.nodes.extend(nodes if outline is None else (Group(nodes, clip=outline),))


def _get_or_shade_lit_symbol(drawing: FaceDrawing, name: str, symbol: Symbol) -> Symbol:
    """Return a figure in the light, modelled once however often it is shown."""
    lit = drawing.kit.pictures.get((name, "lit"))
    if not isinstance(lit, Symbol):
        lit = drawing.kit.pictures[name, "lit"] = shade_symbol_lit_from_upper_right(symbol)
    return lit


def _build_crossed_frame_placeholder(box: Rect) -> Path:
    """Return a crossed frame in place of a picture that is not there yet."""
    pen = min(0.4, box.width / 20, box.height / 20)
    left, top, right, bottom = box.x + pen, box.y + pen, box.right - pen, box.bottom - pen
    corners = (("M", (left, top)), ("L", (right, top)), ("L", (right, bottom)), ("L", (left, bottom)), ("Z", ()))
    cross = (("M", (left, top)), ("L", (right, bottom)), ("M", (right, top)), ("L", (left, bottom)))
    return Path((*corners, *cross), Colour(0.93, 0.93, 0.93), Stroke(Colour(0.6, 0.6, 0.6), pen))


def _place_symbol_part_and_get_its_window(
    symbol: Symbol, box: Rect, fit: str, shown_part: Rect = WHOLE
) -> tuple[Use, Rect]:
    """Return a part of an SVG picture laid into a box, and the place where that part may be seen."""
    whole = symbol.bounds
    x, y = whole.x + shown_part.x * whole.width, whole.y + shown_part.y * whole.height
    bounds = Rect(x, y, shown_part.width * whole.width, shown_part.height * whole.height)
    across, down = box.width / bounds.width, box.height / bounds.height
    if fit != "stretch":
        across = down = max(across, down) if fit == "cover" else min(across, down)
    x, y = box.centre
    left = x - (bounds.x + bounds.width / 2) * across
    top = y - (bounds.y + bounds.height / 2) * down
    placed = Transform(across, 0, 0, down, left, top)
    return Use(symbol, placed), box if shown_part == WHOLE else bounds.apply_upright_transform(
        placed
    ).intersect_or_get_empty_rectangle(box)


# -- masks ---------------------------------------------------------------------------------------------------
# What of a picture is shown: a crop, and a mask that is a shape or another picture.

MASKS = ("ellipse", "circle", "hexagon")
_PATH = re.compile(r"[Mm]\s*-?[\d.]")


class BadMask(Exception):
    """A crop or mask that cannot be used, and the way out."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def evaluate_crop_in_shares_or_raise(drawing: FaceDrawing, spec: ImageSpec) -> Rect:
    """Return the part of a picture that is shown, in shares of it. Raises BadMask for one that is not in it."""
    if not spec.crop:
        return WHOLE
    part = Rect(*(number(drawing.scope) for number in spec.crop))
    if part.width <= 0 or part.height <= 0 or not WHOLE.contains(part):
        numbers = ", ".join(f"{number:g}" for number in part)
        message = f"expected a crop that lies in the picture, found [{numbers}]"
        raise BadMask(message, "x, y, width and height in shares of the picture: [0, 0, 1, 0.5] is its upper half")
    return part


def load_mask_as_picture_or_outline_or_none(
    drawing: FaceDrawing, spec: ImageSpec, box: Rect
) -> tuple[RasterPicture | None, Path | None]:
    """Return what hides a part of a picture: another picture, or the outline outside of which nothing is seen; None
    for both if nothing does. Raises BadMask."""
    word = spec.mask(drawing.scope).strip()
    if not word:
        return None, None
    if word in MASKS:
        return None, _build_named_mask_outline(word, box)
    if _PATH.match(word):
        return None, Path(parse_path_in_shares_of_box(word, box))
    try:
        mask = load_picture_as_pixels(drawing, word, max(box.width, box.height))
    except BadPicture as error:
        names = make_nearest_or_possible_words_hint(word, MASKS) if "." not in word else ""
        raise BadMask(f"{error}, which `mask` names", names or getattr(error, "hint", "")) from None
    return mask, None


def _build_named_mask_outline(mask: str, box: Rect) -> Path:
    if mask == "hexagon":
        return build_flat_topped_hexagon(*box.centre, min(box.width, box.height / (3**0.5 / 2)) / 2)
    least = min(box.width, box.height)
    width, height = (least, least) if mask == "circle" else (box.width, box.height)
    return build_ellipse_path(*box.centre, width / 2, height / 2)


def render_masked_picture_to_png(
    drawing: FaceDrawing, picture: RasterPicture, crop: Rect, mask: RasterPicture, box: Rect, place: Rect
) -> bytes:
    """Return the crop of a picture as PNG with what a mask over the box hides at its place. It is made once however
    often it is shown."""
    from playproof.generator.art.picture_files import (
        render_masked_crop_to_png,  # few games have such pictures
    )

    part = Rect(
        (place.x - box.x) / box.width,
        (place.y - box.y) / box.height,
        place.width / box.width,
        place.height / box.height,
    )
    size = (round(place.width, 4), round(place.height, 4))
    key = ("masked", picture.file, len(picture.data), crop, mask.file, part, size)
    data = drawing.kit.pictures.get(key)
    if not isinstance(data, bytes):
        data = drawing.kit.pictures[key] = render_masked_crop_to_png(picture, crop, mask, part, size)
    return data


# -- picture loading -----------------------------------------------------------------------------------------
# Find and open the pictures that layouts name.

_WORD_BREAK = re.compile(r"[\s_-]+")


def load_picture_or_svg_symbol(drawing: FaceDrawing, name: str, longer_side_mm: float) -> RasterPicture | Symbol:
    """Return the picture of that name from the allowed folders; as pixels for this length (mm) if it is SVG that the
    scene cannot hold. Raises BadPicture if there is none."""
    pictures = drawing.kit.pictures
    picture: RasterPicture | Symbol | None = pictures.get(name) or pictures.get((name, longer_side_mm))
    if picture is None:
        path = find_picture_file_or_raise(drawing.kit.folders, name)
        drawing.kit.opened.add(path)
        try:
            if path.suffix.lower() == ".svg":
                picture = read_svg_file_as_symbol_or_raise(path, f"picture.{name}", drawing.kit.typesetter.shaper)
            else:
                picture = read_raster_picture_or_raise_if_broken(path)
            pictures[name] = picture
        except NotDrawableAsVectors as error:
            picture = pictures[name, longer_side_mm] = _render_svg_to_raster_picture(
                drawing, path, longer_side_mm, str(error)
            )
    return picture


def load_picture_as_pixels(drawing: FaceDrawing, name: str, longer_side_mm: float) -> RasterPicture:
    """Return the picture of that name as pixels, drawn for this length (mm) if it is SVG. Raises BadPicture."""
    picture = load_picture_or_svg_symbol(drawing, name, longer_side_mm)
    if isinstance(picture, Symbol):
        return _render_svg_to_raster_picture(
            drawing, find_picture_file_or_raise(drawing.kit.folders, name), longer_side_mm, ""
        )
    return picture


def _render_svg_to_raster_picture(
    drawing: FaceDrawing, path: FilePath, longer_side_mm: float, reason: str
) -> RasterPicture:
    from playproof.generator.art.svg_pixels import read_png_size_in_pixels, render_svg_to_png_or_raise

    drawing.kit.opened.add(path)
    data = render_svg_to_png_or_raise(path, longer_side_mm, drawing.kit.typesetter.shaper)
    return RasterPicture(path, *read_png_size_in_pixels(data), data, reason.replace(" here", ""))


def find_picture_file_or_raise(folders: tuple[FilePath, ...], name: str) -> FilePath:
    """Return the file that a name means in the first folder that has it; a name without a suffix means the only picture
    called so. Raises PictureNotFound, and BadPicture for one outside the folders, or one of several."""
    for folder in folders:
        try:
            path = (folder / name.replace("\\", "/")).resolve()  # as it is written on Windows
        except (OSError, RuntimeError):  # Python 3.13 and older ones call a circle by two names
            raise BadPicture(f"the picture {name!r} is a link that leads in a circle") from None
        if not path.is_relative_to(folder.resolve()):
            raise BadPicture(f"the picture {name!r} lies outside the folder it may be in")
        path = _find_in_other_normal_form_or_none(path) or path
        if path.is_file():
            if path.suffix.lower() not in PICTURE_SUFFIXES:
                raise BadPicture(f"{path.name}: pictures end in {', '.join(PICTURE_SUFFIXES)}; save it as PNG or JPEG")
            return path
        if (only := _find_only_picture_with_some_suffix_or_none(path)) is not None:
            return only
    raise PictureNotFound(f"there is no picture {name!r}")


def _find_only_picture_with_some_suffix_or_none(path: FilePath) -> FilePath | None:
    """Return the picture that a name without suffix means. Raises BadPicture if there are several."""
    if not path.name or path.suffix.lower() in PICTURE_SUFFIXES or not path.parent.is_dir():
        return None
    wanted = compose_accents_of_name(path.name)
    found = [
        each
        for each in sorted(path.parent.iterdir())
        if each.suffix.lower() in PICTURE_SUFFIXES
        and compose_accents_of_name(each.name.removesuffix(each.suffix)) == wanted
    ]
    if len(found) > 1:
        named = ", ".join(each.name for each in found)
        raise BadPicture(f"the picture {path.name!r} may be each of {named}: write the suffix too")
    return found[0] if found else None


def _find_in_other_normal_form_or_none(path: FilePath) -> FilePath | None:
    """Return the file whose accents are composed otherwise."""
    if path.exists() or str(path).isascii() or path.parent == path:
        return None
    folder = _find_in_other_normal_form_or_none(path.parent) or path.parent
    wanted = compose_accents_of_name(path.name)
    files = folder.iterdir() if folder.is_dir() else ()
    return next((each for each in files if compose_accents_of_name(each.name) == wanted), None)


def format_similar_picture_suffix_or_empty(folders: tuple[FilePath, ...], name: str) -> str:
    """Return which picture may be meant, for a message; "" if there is none like it. Pictures often are in a folder of
    their own, or end in another suffix, and capitals count on other computers than the designer's."""
    wanted = FilePath(name.replace("\\", "/"))
    pictures = {
        path.relative_to(folder).as_posix(): path
        for folder in reversed(folders)
        for path in sorted(folder.rglob("*"))
        if path.suffix.lower() in PICTURE_SUFFIXES
    }
    for told in (_get_file_name_without_case, _get_casefolded_stem_with_dashes_as_separators):
        alike = [each for each, path in pictures.items() if told(path) == told(wanted)]
        if alike:
            return f"; but there is {alike[0]!r}"
    near = find_nearest_word_or_empty(wanted.stem, {path.stem for path in pictures.values()}, min_similarity=0.75)
    meant = [each for each, path in pictures.items() if near and path.stem == near]
    return f"; did you mean {meant[0]!r}?" if meant else ""


def _get_file_name_without_case(path: FilePath) -> str:
    return path.name.casefold()


def _get_casefolded_stem_with_dashes_as_separators(path: FilePath) -> str:
    return _WORD_BREAK.sub("-", path.stem.casefold())
