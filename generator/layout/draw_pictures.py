"""Draw pictures from files, and generated scenes."""

from __future__ import annotations

from playproof.database.errors import Finding, did_you_mean
from playproof.generator.art.modelling import shade_coloured_symbol
from playproof.generator.art.picture_files import RasterPicture, compute_covering_crop, fit_centred_in_box
from playproof.generator.art.svg_errors import BadPicture, PictureNotFound
from playproof.generator.layout.drawing import FaceDrawing, register_drawer
from playproof.generator.layout.elements import Element
from playproof.generator.layout.masks import BadMask, evaluate_crop, load_mask, render_masked_picture
from playproof.generator.layout.model import ImageSpec, SceneSpec
from playproof.generator.layout.picture_loading import load_picture, load_picture_as_pixels, make_picture_hint
from playproof.generator.layout.styles import NoSuchName
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
    rectangle,
)
from playproof.generator.scene.nodes import WHOLE

PLACEHOLDER = "a crossed frame is printed in its place"


@register_drawer(SceneSpec)
def draw_scene(drawing: FaceDrawing, spec: SceneSpec, element: Element, box: Rect) -> Rect:
    """Draw a generated landscape. Every seed gives its own."""
    scope = drawing.scope
    moods, motifs = drawing.layout.moods, drawing.layout.motifs
    mood, motif = spec.mood(scope), spec.motif(scope)
    companions = [name(scope) for name in spec.companions]
    if mood not in moods:
        raise NoSuchName(f"there is no mood {mood!r}", did_you_mean(mood, moods))
    for name in (motif, *companions):
        if name and name not in motifs:
            raise NoSuchName(f"there is no motif {name!r}", did_you_mean(name, motifs))
    world, view = drawing.layout.worlds[moods[mood].world], spec.view(scope)
    if view not in world.views:
        raise NoSuchName(f"the world {world.name!r} has no view {view!r}", did_you_mean(view, world.views))
    from playproof.generator.art.scenery import paint_scenery  # few layouts have landscapes

    seed, ground, figure = spec.scene(scope), spec.ground(scope), motifs[motif] if motif else None
    beside = [motifs[name] for name in companions if name]
    key = (box, seed, id(world), id(moods[mood]), figure, *beside, ground, view)
    nodes = drawing.kit.scenes.get(key)
    if nodes is None:
        nodes = paint_scenery(
            box, seed, world, moods[mood], figure, beside, ground, drawing.kit.ink.low, view
        )
        drawing.kit.scenes[key] = nodes
    _append_clipped(drawing, nodes, box, spec.radius(scope))
    return box


@register_drawer(ImageSpec)
def draw_image(drawing: FaceDrawing, spec: ImageSpec, element: Element, box: Rect) -> Rect:
    """Draw a raster or SVG picture, fitted or cropped."""
    name = spec.image(drawing.scope)
    if not name or not drawing.kit.ink.shows_picture(spec.always):
        return Rect(box.x, box.y, box.width, 0)
    try:
        picture = load_picture(drawing, name, max(box.width, box.height))
    except PictureNotFound as error:
        if spec.image.has_empty_placeholder(drawing.scope):  # the card has no picture: nothing is missing
            return Rect(box.x, box.y, box.width, 0)
        where, about = drawing.find_text_place(spec.image, element), (drawing.subject,)
        earlier = drawing.kit.missing.get(name)
        message = earlier.message if earlier else f"{error}{make_picture_hint(drawing.kit.folders, name)}"
        finding = Finding("PP506", where, message, PLACEHOLDER, "warning", about)
        drawing.collector.add_findings([finding])
        drawing.kit.missing.setdefault(name, finding)
        drawing.nodes.append(_build_placeholder(box))
        return box
    except BadPicture as error:
        drawing.add_finding("PP506", drawing.find_text_place(spec.image, element), error)
        return box
    try:
        part = evaluate_crop(drawing, spec)
        mask, outline = load_mask(drawing, spec, box)
    except BadMask as error:
        drawing.add_finding("PP634", element.where, error)
        return box
    if isinstance(picture, Symbol) and mask is not None:  # pixels alone can be see-through by degrees
        picture = load_picture_as_pixels(drawing, name, max(box.width, box.height))
    if isinstance(picture, Symbol):
        if drawing.kit.ink.is_figure_lit(spec.lit):
            picture = _get_lit_symbol(drawing, name, picture)
        used, shown = _fit_symbol_in_box(picture, box, spec.fit, part)
        _append_clipped(drawing, (used,), shown, spec.radius(drawing.scope), outline)
    else:
        for remark in picture.remarks:
            where, message = drawing.find_text_place(spec.image, element), f"{name}: {remark.message}"
            drawing.add_remark("PP630", where, message, remark.hint, key=(picture.file, remark))
        place, crop = _compute_place_and_crop(picture, box, spec, part)
        _note_resolution(drawing, picture, place, crop)
        made = Image(picture.file, place, crop, picture.data)
        if mask is not None:
            data = render_masked_picture(drawing, picture, crop, mask, box, place)
            made = Image(picture.file, place, WHOLE, data)
        _append_clipped(drawing, (made,), box, spec.radius(drawing.scope), outline)
    return box


def _note_resolution(drawing: FaceDrawing, picture: RasterPicture, place: Rect, crop: Rect) -> None:
    """Note how many dots to the inch a picture of pixels has here, if they are the fewest so far."""
    if not picture.data:
        across, down = picture.width * crop.width / place.width, picture.height * crop.height / place.height
        dots = min(across, down) * 25.4
        drawing.kit.dots[picture.file] = min(dots, drawing.kit.dots.get(picture.file, dots))


def _compute_place_and_crop(
    picture: RasterPicture, box: Rect, spec: ImageSpec, part: Rect
) -> tuple[Rect, Rect]:
    """Return the place of a picture's part in its box, and the crop that is shown there."""
    width, height = picture.width * part.width, picture.height * part.height
    if spec.fit == "contain":
        return fit_centred_in_box(width, height, box), part
    crop = compute_covering_crop(width, height, box, spec.focus) if spec.fit == "cover" else WHOLE
    x, y = part.x + crop.x * part.width, part.y + crop.y * part.height
    return box, Rect(x, y, crop.width * part.width, crop.height * part.height)


def _append_clipped(
    drawing: FaceDrawing, nodes: tuple[Node, ...], box: Rect, radius: float, outline: Path | None = None
) -> None:
    """Draw the nodes within a box with round corners, and within an outline."""
    if radius or any(isinstance(node, Use) for node in nodes):
        nodes = (Group(nodes, clip=rectangle(box, radius=radius)),)
    drawing.nodes.extend(nodes if outline is None else (Group(nodes, clip=outline),))


def _get_lit_symbol(drawing: FaceDrawing, name: str, symbol: Symbol) -> Symbol:
    """Return a figure in the light, modelled once however often it is shown."""
    lit = drawing.kit.pictures.get((name, "lit"))
    if not isinstance(lit, Symbol):
        lit = drawing.kit.pictures[name, "lit"] = shade_coloured_symbol(symbol)
    return lit


def _build_placeholder(box: Rect) -> Path:
    """Return a crossed frame in place of a picture that is not there yet."""
    pen = min(0.4, box.width / 20, box.height / 20)
    left, top, right, bottom = box.x + pen, box.y + pen, box.right - pen, box.bottom - pen
    corners = (
        ("M", (left, top)),
        ("L", (right, top)),
        ("L", (right, bottom)),
        ("L", (left, bottom)),
        ("Z", ()),
    )
    cross = (("M", (left, top)), ("L", (right, bottom)), ("M", (right, top)), ("L", (left, bottom)))
    return Path((*corners, *cross), Colour(0.93, 0.93, 0.93), Stroke(Colour(0.6, 0.6, 0.6), pen))


def _fit_symbol_in_box(symbol: Symbol, box: Rect, fit: str, part: Rect = WHOLE) -> tuple[Use, Rect]:
    """Return a part of an SVG picture laid into a box, and the place where that part may be seen."""
    whole = symbol.bounds
    x, y = whole.x + part.x * whole.width, whole.y + part.y * whole.height
    bounds = Rect(x, y, part.width * whole.width, part.height * whole.height)
    across, down = box.width / bounds.width, box.height / bounds.height
    if fit != "stretch":
        across = down = max(across, down) if fit == "cover" else min(across, down)
    x, y = box.centre
    left = x - (bounds.x + bounds.width / 2) * across
    top = y - (bounds.y + bounds.height / 2) * down
    placed = Transform(across, 0, 0, down, left, top)
    return Use(symbol, placed), box if part == WHOLE else bounds.apply_upright_transform(placed).intersect(
        box
    )
