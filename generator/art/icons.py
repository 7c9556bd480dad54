"""Icons by name. Each icon is one SVG file; a game's own folder is searched before the shared
one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path as FilePath

from playproof.generator.art.modelling import shade_coloured_symbol
from playproof.generator.art.svg_errors import BadPicture
from playproof.generator.art.svg_read import read_svg
from playproof.generator.scene import BLACK, Colour, Group, Node, Path, Rect, Symbol


class IconLibrary(Mapping[str, Symbol]):
    """The icons of some folders. Each is read when it is first asked for; an earlier folder
    wins."""

    def __init__(self, *folders: FilePath) -> None:
        self.files: dict[str, FilePath] = {}
        for folder in reversed(folders):
            for path in sorted(folder.glob("*.svg")):
                self.files[path.stem] = path
        self._read: dict[str, Symbol] = {}
        self._coloured: dict[tuple[str, str], Symbol] = {}  # by the icon's name and how it is drawn
        self.ids: set[int] = set()  # of the symbols read so far: `id()` tells an icon from another picture

    def __getitem__(self, name: str) -> Symbol:
        symbol = self._read.get(name)
        if symbol is None:
            path = self.files[name]
            try:
                symbol = self._read[name] = read_svg(path)
                self.ids.add(id(symbol))
            except BadPicture as error:
                raise BadPicture(f"{path.name}: {error}") from None
        return symbol

    def build_coloured_icon(self, name: str, colour: Colour) -> Symbol:
        """Return the icon with this colour in place of black. Its other colours stay."""
        key = (name, f"{colour.hex}{colour.cmyk or ''}")
        symbol = self._coloured.get(key)
        if symbol is None:
            plain = self[name]
            children = tuple(_recolour_black_parts(node, colour) for node in plain.children)
            symbol = self._coloured[key] = Symbol(".".join(key), plain.bounds, children)
            self.ids.add(id(symbol))
        return symbol

    def build_lit_icon(self, name: str) -> Symbol:
        """Return the icon with light on each of its parts."""
        key = (name, "lit")
        symbol = self._coloured.get(key)
        if symbol is None:
            symbol = self._coloured[key] = shade_coloured_symbol(self[name])
            self.ids.add(id(symbol))
        return symbol

    def register_blank_icons(self, names: Iterable[str]) -> None:
        """Draw nothing for names without a file. Lint has told where they are named, once, and need not tell
        again of each face that shows them."""
        for name in names:
            self._read[name] = Symbol(name, Rect(0, 0, 1, 1), ())

    @property
    def names_by_symbol_id(self) -> Mapping[int, str]:
        """Return the names of the symbols read so far, in each of their colours and lit, by their `id()`."""
        names = {id(symbol): name for name, symbol in self._read.items()}
        return names | {id(symbol): name for (name, _), symbol in self._coloured.items()}

    @property
    def opened_files(self) -> tuple[FilePath, ...]:
        """Return the files of the icons that were asked for so far."""
        return tuple(self.files[name] for name in self._read if name in self.files)

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def __contains__(self, name: object) -> bool:
        return name in self.files or name in self._read


def _recolour_black_parts(node: Node, colour: Colour) -> Node:
    if isinstance(node, Group):
        return node._replace(children=tuple(_recolour_black_parts(child, colour) for child in node.children))
    if not isinstance(node, Path):
        return node
    stroke = node.stroke
    if stroke is not None and stroke.colour == BLACK:
        stroke = stroke._replace(colour=colour)
    return node._replace(fill=colour if node.fill == BLACK else node.fill, stroke=stroke)
