"""Find and open the pictures that layouts name."""

from __future__ import annotations

from pathlib import Path as FilePath

from playproof.generator.art.picture_files import Picture, open_picture
from playproof.generator.art.svg_errors import BadPicture, BeyondVectors, NoPicture
from playproof.generator.art.svg_read import read_svg
from playproof.generator.layout.drawing import Drawing
from playproof.generator.scene import Symbol


def load_picture(drawing: Drawing, name: str, longest: float) -> Picture | Symbol:
    """Return the picture of that name from the allowed folders; as pixels for this length (mm) if it is SVG that the
    scene cannot hold. Raises BadPicture if there is none."""
    pictures = drawing.kit.pictures
    picture: Picture | Symbol | None = pictures.get(name) or pictures.get((name, longest))
    if picture is None:
        path = find_picture(drawing.kit.folders, name)
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


def load_pixels(drawing: Drawing, name: str, longest: float) -> Picture:
    """Return the picture of that name as pixels, drawn for this length (mm) if it is SVG. Raises BadPicture."""
    picture = load_picture(drawing, name, longest)
    if isinstance(picture, Symbol):
        return _pixels(drawing, find_picture(drawing.kit.folders, name), longest, "")
    return picture


def _pixels(drawing: Drawing, path: FilePath, longest: float, reason: str) -> Picture:
    from playproof.generator.art.svg_pixels import size_of_png, svg_pixels  # few games have such pictures

    drawing.kit.opened.add(path)
    data = svg_pixels(path, longest, drawing.kit.typesetter.shaper)
    return Picture(path, *size_of_png(data), data, reason.replace(" here", ""))


def find_picture(folders: tuple[FilePath, ...], name: str) -> FilePath:
    """Return the file that a name means in the first folder that has it. Raises NoPicture, and BadPicture for one
    outside the folders."""
    for folder in folders:
        path = (folder / name.replace("\\", "/")).resolve()  # as it is written on Windows
        if not path.is_relative_to(folder.resolve()):
            raise BadPicture(f"the picture {name!r} lies outside the folder it may be in")
        if path.is_file():
            return path
    if name.endswith(("/", "\\")) or FilePath(name).stem.startswith("."):
        raise NoPicture(
            f"there is no picture {name!r}: a part of its name is blank; `if` leaves the element out"
        )
    raise NoPicture(f"there is no picture {name!r}")


def say_elsewhere(folders: tuple[FilePath, ...], name: str) -> str:
    """Return where a file of that name is, for a message; "" if it is nowhere. Pictures often are in a folder of
    their own, and a layout or a card names the file alone."""
    if name.endswith(("/", "\\")):
        return ""
    last = FilePath(name.replace("\\", "/")).name.casefold()
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.name.casefold() != last or not path.is_file():  # capitals count on other computers
                continue
            return f"; but there is '{path.relative_to(folder).as_posix()}'"
    return ""
