"""Find and open the pictures that layouts name."""

from __future__ import annotations

import re
from pathlib import Path as FilePath

from playproof.database.errors import find_nearest_word
from playproof.generator.art.picture_files import RasterPicture, open_picture
from playproof.generator.art.svg_errors import BadPicture, NotDrawableAsVectors, PictureNotFound
from playproof.generator.art.svg_read import read_svg
from playproof.generator.layout.drawing import FaceDrawing
from playproof.generator.scene import Symbol

PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".svg", ".webp", ".avif", ".gif", ".tif", ".tiff", ".bmp")
_WORD_BREAK = re.compile(r"[\s_-]+")


def load_picture(drawing: FaceDrawing, name: str, longer_side_mm: float) -> RasterPicture | Symbol:
    """Return the picture of that name from the allowed folders; as pixels for this length (mm) if it is SVG that the
    scene cannot hold. Raises BadPicture if there is none."""
    pictures = drawing.kit.pictures
    picture: RasterPicture | Symbol | None = pictures.get(name) or pictures.get((name, longer_side_mm))
    if picture is None:
        path = find_picture_file(drawing.kit.folders, name)
        drawing.kit.opened.add(path)
        try:
            if path.suffix.lower() == ".svg":
                picture = read_svg(path, f"picture.{name}", drawing.kit.typesetter.shaper)
            else:
                picture = open_picture(path)
            pictures[name] = picture
        except NotDrawableAsVectors as error:
            picture = pictures[name, longer_side_mm] = _rasterise_svg(
                drawing, path, longer_side_mm, str(error)
            )
    return picture


def load_picture_as_pixels(drawing: FaceDrawing, name: str, longer_side_mm: float) -> RasterPicture:
    """Return the picture of that name as pixels, drawn for this length (mm) if it is SVG. Raises BadPicture."""
    picture = load_picture(drawing, name, longer_side_mm)
    if isinstance(picture, Symbol):
        return _rasterise_svg(drawing, find_picture_file(drawing.kit.folders, name), longer_side_mm, "")
    return picture


def _rasterise_svg(drawing: FaceDrawing, path: FilePath, longer_side_mm: float, reason: str) -> RasterPicture:
    from playproof.generator.art.svg_pixels import (  # few games have such pictures
        read_png_size,
        render_svg_to_png,
    )

    drawing.kit.opened.add(path)
    data = render_svg_to_png(path, longer_side_mm, drawing.kit.typesetter.shaper)
    return RasterPicture(path, *read_png_size(data), data, reason.replace(" here", ""))


def find_picture_file(folders: tuple[FilePath, ...], name: str) -> FilePath:
    """Return the file that a name means in the first folder that has it. Raises NoPicture, and BadPicture for one
    outside the folders."""
    for folder in folders:
        try:
            path = (folder / name.replace("\\", "/")).resolve()  # as it is written on Windows
        except (OSError, RuntimeError):  # Python 3.13 and older ones call a circle by two names
            raise BadPicture(f"the picture {name!r} is a link that leads in a circle") from None
        if not path.is_relative_to(folder.resolve()):
            raise BadPicture(f"the picture {name!r} lies outside the folder it may be in")
        if path.is_file():
            return path
    raise PictureNotFound(f"there is no picture {name!r}")


def make_picture_hint(folders: tuple[FilePath, ...], name: str) -> str:
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
    near = find_nearest_word(wanted.stem, {path.stem for path in pictures.values()}, min_similarity=0.75)
    meant = [each for each, path in pictures.items() if near and path.stem == near]
    return f"; did you mean {meant[0]!r}?" if meant else ""


def _fold_name(path: FilePath) -> str:
    return path.name.casefold()


def _fold_stem(path: FilePath) -> str:
    return _WORD_BREAK.sub("-", path.stem.casefold())
