"""Draw pictures from files, and generated scenes."""

from __future__ import annotations

import re
from pathlib import Path as FilePath

from playproof.database.errors import Finding, did_you_mean, nearest
from playproof.generator.art.modelling import modelled_symbol
from playproof.generator.art.picture_files import Picture, contain, cover, open_picture
from playproof.generator.art.svg_errors import BadPicture, BeyondVectors, NoPicture
from playproof.generator.art.svg_read import read_svg
from playproof.generator.layout.drawing import Drawing, draws
from playproof.generator.layout.elements import Element
from playproof.generator.layout.model import ImageSpec, SceneSpec
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
PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".svg", ".webp", ".avif", ".gif", ".tif", ".tiff", ".bmp")
_WORD_BREAK = re.compile(r"[\s_-]+")


@draws(SceneSpec)
def scene(drawing: Drawing, spec: SceneSpec, element: Element, box: Rect) -> Rect:
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
    from playproof.generator.art.scenery import scenery  # few layouts have landscapes

    seed, ground, figure = spec.scene(scope), spec.ground(scope), motifs[motif] if motif else None
    beside = [motifs[name] for name in companions if name]
    key = (box, seed, id(world), id(moods[mood]), figure, *beside, ground, view)
    nodes = drawing.kit.scenes.get(key)
    if nodes is None:
        nodes = scenery(box, seed, world, moods[mood], figure, beside, ground, drawing.kit.ink.low, view)
        drawing.kit.scenes[key] = nodes
    _clipped(drawing, nodes, box, spec.radius(scope))
    return box


@draws(ImageSpec)
def image(drawing: Drawing, spec: ImageSpec, element: Element, box: Rect) -> Rect:
    """Draw a raster or SVG picture, fitted or cropped."""
    name = spec.image(drawing.scope)
    if not name or not drawing.kit.ink.shows(spec.always):
        return Rect(box.x, box.y, box.width, 0)
    try:
        picture = _picture(drawing, name, max(box.width, box.height))
    except NoPicture as error:
        if spec.image.has_blank(drawing.scope):  # the card has no picture: nothing is missing
            return Rect(box.x, box.y, box.width, 0)
        where, about = drawing.place_of(spec.image, element), (drawing.subject,)
        earlier = drawing.kit.missing.get(name)
        message = earlier.message if earlier else f"{error}{find_near_picture(drawing.kit.folders, name)}"
        finding = Finding("PP506", where, message, PLACEHOLDER, "warning", about)
        drawing.collector.extend([finding])
        drawing.kit.missing.setdefault(name, finding)
        drawing.nodes.append(_placeholder(box))
        return box
    except BadPicture as error:
        drawing.complain("PP506", drawing.place_of(spec.image, element), error)
        return box
    if isinstance(picture, Symbol):
        if drawing.kit.ink.lit(spec.lit):
            picture = _lit(drawing, name, picture)
        nodes: tuple[Node, ...] = (_fitted(picture, box, spec.fit),)
    else:
        place, crop = box, WHOLE
        if spec.fit == "cover":
            crop = cover(picture, box, spec.focus)
        elif spec.fit == "contain":
            place = contain(picture.width, picture.height, box)
        nodes = (Image(picture.file, place, crop, picture.data),)
        for remark in picture.remarks:
            where, message = drawing.place_of(spec.image, element), f"{name}: {remark.message}"
            drawing.remark("PP630", where, message, remark.hint, key=(picture.file, remark))
        if not picture.data:
            dots = (
                min(picture.width * crop.width / place.width, picture.height * crop.height / place.height)
                * 25.4
            )
            drawing.kit.dots[picture.file] = min(dots, drawing.kit.dots.get(picture.file, dots))
    _clipped(drawing, nodes, box, spec.radius(drawing.scope))
    return box


def _clipped(drawing: Drawing, nodes: tuple[Node, ...], box: Rect, radius: float) -> None:
    if radius or any(isinstance(node, Use) for node in nodes):
        drawing.nodes.append(Group(nodes, clip=rectangle(box, radius=radius)))
    else:
        drawing.nodes.extend(nodes)


def _picture(drawing: Drawing, name: str, longest: float) -> Picture | Symbol:
    """Return the picture of that name from the allowed folders; as pixels for this length (mm) if it is SVG that the
    scene cannot hold. Raises BadPicture if there is none."""
    pictures = drawing.kit.pictures
    picture: Picture | Symbol | None = pictures.get(name) or pictures.get((name, longest))
    if picture is None:
        path = _find(drawing.kit.folders, name)
        drawing.kit.opened.add(path)
        try:
            if path.suffix.lower() == ".svg":
                picture = read_svg(path, f"picture.{name}", drawing.kit.typesetter.shaper)
            else:
                picture = open_picture(path)
            pictures[name] = picture
        except BeyondVectors as error:
            picture = pictures[name, longest] = _pixels(drawing, path, longest, str(error))
    return picture


def _lit(drawing: Drawing, name: str, symbol: Symbol) -> Symbol:
    """Return a figure in the light, modelled once however often it is shown."""
    lit = drawing.kit.pictures.get((name, "lit"))
    if not isinstance(lit, Symbol):
        lit = drawing.kit.pictures[name, "lit"] = modelled_symbol(symbol)
    return lit


def _pixels(drawing: Drawing, path: FilePath, longest: float, reason: str) -> Picture:
    from playproof.generator.art.svg_pixels import size_of_png, svg_pixels  # few games have such pictures

    data = svg_pixels(path, longest, drawing.kit.typesetter.shaper)
    return Picture(path, *size_of_png(data), data, reason.replace(" here", ""))


def _find(folders: tuple[FilePath, ...], name: str) -> FilePath:
    for folder in folders:
        try:
            path = (folder / name.replace("\\", "/")).resolve()  # as it is written on Windows
        except (OSError, RuntimeError):  # Python 3.13 and older ones call a circle by two names
            raise BadPicture(f"the picture {name!r} is a link that leads in a circle") from None
        if not path.is_relative_to(folder.resolve()):
            raise BadPicture(f"the picture {name!r} lies outside the folder it may be in")
        if path.is_file():
            return path
    raise NoPicture(f"there is no picture {name!r}")


def _placeholder(box: Rect) -> Path:
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


def _fitted(symbol: Symbol, box: Rect, fit: str) -> Use:
    bounds = symbol.bounds
    across, down = box.width / bounds.width, box.height / bounds.height
    if fit != "stretch":
        across = down = max(across, down) if fit == "cover" else min(across, down)
    x, y = box.centre
    left = x - (bounds.x + bounds.width / 2) * across
    top = y - (bounds.y + bounds.height / 2) * down
    return Use(symbol, Transform(across, 0, 0, down, left, top))


def find_near_picture(folders: tuple[FilePath, ...], name: str) -> str:
    """Return which picture may be meant, for a message; "" if there is none like it. Pictures often are in a folder of
    their own, or end in another suffix, and capitals count on other computers than the designer's."""
    wanted = FilePath(name.replace("\\", "/"))
    pictures = {
        path.relative_to(folder).as_posix(): path
        for folder in reversed(folders)
        for path in sorted(folder.rglob("*"))
        if path.suffix.lower() in PICTURE_SUFFIXES
    }
    for told in (_fold_name, _fold_stem):
        alike = [each for each, path in pictures.items() if told(path) == told(wanted)]
        if alike:
            return f"; but there is {alike[0]!r}"
    near = nearest(wanted.stem, {path.stem for path in pictures.values()}, alike=0.75)
    meant = [each for each, path in pictures.items() if near and path.stem == near]
    return f"; did you mean {meant[0]!r}?" if meant else ""


def _fold_name(path: FilePath) -> str:
    return path.name.casefold()


def _fold_stem(path: FilePath) -> str:
    return _WORD_BREAK.sub("-", path.stem.casefold())
