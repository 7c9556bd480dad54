"""``use`` elements of an SVG picture, replaced by copies of what they name."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from xml.etree.ElementTree import Element

from playproof.generator.art.svg_errors import BadPicture

MOST_ELEMENTS = 50_000  # of a picture with its copies: copies of copies double at each step
DEEPEST = 20  # copies in copies


def get_referenced_id(element: Element) -> str:
    """Return the id that an element refers to, "" if it refers to nothing. Raises ValueError for a reference outside
    the file."""
    for key, value in element.attrib.items():
        if key.rpartition("}")[2] == "href":
            if not value.startswith("#"):
                raise BadPicture(f"the reference {value[:60]!r} is refused")
            return value[1:]
    return ""


def expand_use_elements(root: Element, ids: Mapping[str, Element]) -> None:
    """Replace each ``use`` by a group that holds a copy of what it names, at its place. Raises ValueError for one that
    names nothing, or itself."""
    if any(_get_local_tag(element) == "use" for element in root.iter()):
        _UseExpander(ids).expand_children(root, 0)


def _get_local_tag(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


class _UseExpander:
    """Counts what it copies, so that a small file cannot become a huge picture."""

    def __init__(self, ids: Mapping[str, Element]) -> None:
        self.ids = {name: deepcopy(element) for name, element in ids.items()}
        self.elements = 0

    def expand_children(self, parent: Element, depth: int) -> None:
        for at, child in enumerate(parent):
            self.elements += 1
            if self.elements > MOST_ELEMENTS or depth > DEEPEST:
                raise BadPicture("its copies (`use`) contain each other, or are too many")
            if _get_local_tag(child) == "use":
                parent[at] = self._build_copy_group(child)
                self.expand_children(parent[at], depth + 1)
            else:
                self.expand_children(child, depth)

    def _build_copy_group(self, use: Element) -> Element:
        name = get_referenced_id(use)
        if name not in self.ids:
            raise BadPicture(f"`use` names {name!r}, which the picture does not have")
        copy = deepcopy(self.ids[name])
        space = use.tag[: -len("use")]
        keys = [
            key for key in use.attrib if key.rpartition("}")[2] not in ("x", "y", "width", "height", "href")
        ]
        group = Element(f"{space}g", {key: use.attrib[key] for key in keys})
        x, y = use.get("x", "0"), use.get("y", "0")
        if (x, y) != ("0", "0"):
            group.set(
                "transform",
                f"{use.get('transform', '')} translate({_strip_px_unit(x)} {_strip_px_unit(y)})".strip(),
            )
        if _get_local_tag(copy) == "symbol":
            copy.tag = f"{space}svg"
            for side in ("width", "height"):
                if use.get(side) or copy.get("viewBox"):
                    copy.set(side, use.get(side, "100%"))
        group.append(copy)
        return group


def _strip_px_unit(length: str) -> str:
    return str(float(length.strip().removesuffix("px")))
