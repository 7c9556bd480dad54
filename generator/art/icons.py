"""Icons by name (a game's own folder is searched before the shared one), the light that makes their flat
shapes look solid, and the credits of who drew them."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path as FilePath
from typing import NamedTuple

from playproof.database.errors import FindingCollector, Where
from playproof.database.source import YamlNode, read_yaml_file
from playproof.generator.art.picture_files import BadPicture
from playproof.generator.art.svg_read import read_svg_file_as_symbol_or_raise
from playproof.generator.scene import (
    BLACK,
    Colour,
    Command,
    Group,
    Node,
    Path,
    Rect,
    Symbol,
    Transform,
    build_rectangle_path,
)

# Icons by name. Each icon is one SVG file; a game's own folder is searched before the shared one.


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
                symbol = self._read[name] = read_svg_file_as_symbol_or_raise(path)
                self.ids.add(id(symbol))
            except BadPicture as error:
                raise BadPicture(f"{path.name}: {error}") from None
        return symbol

    def recolour_black_of_icon(self, name: str, colour: Colour) -> Symbol:
        """Return the icon with this colour in place of black. Its other colours stay."""
        key = (name, f"{colour.hex}{colour.cmyk or ''}")
        symbol = self._coloured.get(key)
        if symbol is None:
            plain = self[name]
            children = tuple(_recolour_black_parts(node, colour) for node in plain.children)
            symbol = self._coloured[key] = Symbol(".".join(key), plain.bounds, children)
            self.ids.add(id(symbol))
        return symbol

    def get_icon_with_lit_edges(self, name: str) -> Symbol:
        """Return the icon with light on each of its parts."""
        key = (name, "lit")
        symbol = self._coloured.get(key)
        if symbol is None:
            symbol = self._coloured[key] = shade_symbol_lit_from_upper_right(self[name])
            self.ids.add(id(symbol))
        return symbol

    def make_missing_icons_draw_nothing(self, names: Iterable[str]) -> None:
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


# -- modelling -----------------------------------------------------------------------------------------------
# Light on flat drawings: every shape has an edge in the light, a body, and an edge in the shade.

_LIT, _SHADE = 0.022, 0.055
"""How wide the edges in the light and in the shade are, in shares of a motif's height."""
_EYE = 0.14
"""The size of the largest opening that has no such edges, in shares of a motif's height."""
_PART = 0.3
"""How wide the shade on a part of a figure is at most, in shares of the part."""
_SMALL = 0.11
"""The size of the largest part of a figure that stays flat, in shares of the figure's height."""
_LINE = 0.7
"""How wide the outline of a figure is, of what its file says: the planes tell its parts apart too."""
_LAMP, _NIGHT = Colour(1.0, 0.96, 0.84), Colour(0.08, 0.06, 0.16)
"""What the lit edges and the outlines of a coloured figure are mixed with."""


def draw_path_with_lit_and_shaded_edges(
    path: Path,
    lit_body_and_shade_colours: tuple[Colour, Colour, Colour],
    light_direction: tuple[float, float],
    bounds: Rect,
    shade_width: float,
) -> Group:
    """Return the shape in three colours: its lit edge, its body and its edge in the shade. Both edges follow the
    outline: they are what a copy, moved along the light, leaves free of its shape. ``shade_width`` is how wide the
    shade is, ``light_direction`` where the light comes from."""
    lit, body, shade = lit_body_and_shade_colours
    across, down = (part * shade_width for part in light_direction)
    thin = _LIT / _SHADE
    light, shadow = Transform.move(-thin * across, -thin * down), Transform.move(across, down)
    ground = bounds.expand(shade_width)
    solid = tuple(
        command
        for line in split_subpaths(path)
        if _get_longer_side_of_outline(line) > _EYE * bounds.height
        for command in line
    )
    copy = Path(solid, body, None, path.even_odd)  # with the same numbers, which a file then stores once
    outside = Path((*solid, *build_rectangle_path(ground.translate(-across, -down)).commands), shade, None, True)
    return Group((build_rectangle_path(bounds, fill=lit), Group((copy,), light), Group((outside,), shadow)), clip=path)


def draw_paths_with_lit_and_shaded_edges(
    paths: Sequence[Path], lit: Colour, body: Colour, shade: Colour, light_direction: tuple[float, float], bounds: Rect
) -> tuple[Node, ...]:
    """Return the shapes of a motif in three planes of the same colours."""
    wide = _SHADE * bounds.height
    return tuple(
        draw_path_with_lit_and_shaded_edges(path, (lit, body, shade), light_direction, bounds, wide) for path in paths
    )


def has_several_fill_colours(paths: Sequence[Path]) -> bool:
    """Return whether a drawing has colours of its own: it is a figure, not a silhouette."""
    return len({path.fill for path in paths if path.fill is not None}) > 1


def shade_coloured_figure(
    figure_nodes: Sequence[Node], bounds: Rect, light_direction: tuple[float, float]
) -> tuple[Node, ...]:
    """Return the parts of a coloured figure in three planes each, under thinner outlines. What is small, or has no
    outline, is a detail on another part and stays as it is."""
    nodes: list[Node] = []
    for node in figure_nodes:
        if not (isinstance(node, Path) and isinstance(node.fill, Colour) and node.stroke is not None):
            nodes.append(node)
            continue
        stroke = node.stroke._replace(width=node.stroke.width * _LINE, colour=node.fill.mix_with(_NIGHT, 0.82))
        part, least = node._replace(stroke=stroke), _get_shorter_side_of_path(node)
        if least > _SMALL * bounds.height:
            wide = min(2 * _SHADE * bounds.height, _PART * least)
            colours = (node.fill.mix_with(_LAMP, 0.42), node.fill, _darken_and_cool_colour(node.fill))
            nodes.append(
                draw_path_with_lit_and_shaded_edges(node._replace(stroke=None), colours, light_direction, bounds, wide)
            )
            part = part._replace(fill=None)
        nodes.append(part)
    return tuple(nodes)


def _darken_and_cool_colour(colour: Colour) -> Colour:
    """Return a colour out of the light: darker, and a little cooler, so that pale parts do not turn grey."""
    return Colour(colour.red * 0.72, colour.green * 0.65, colour.blue * 0.74)


def shade_symbol_lit_from_upper_right(symbol: Symbol) -> Symbol:
    """Return a coloured figure in the light, which comes from the upper right as in scenes."""
    nodes = shade_coloured_figure(symbol.children, symbol.bounds, (1.0, -1.0))
    return Symbol(f"{symbol.name}.lit", symbol.bounds, nodes, symbol.picture)


def filter_path_nodes(nodes: Sequence[Node]) -> tuple[Path, ...]:
    """Return the paths among the nodes (motifs and figures hold only paths)."""
    return tuple(node for node in nodes if isinstance(node, Path))


def split_subpaths(path: Path) -> list[tuple[Command, ...]]:
    """Return the closed lines that a path consists of."""
    starts = [at for at, command in enumerate(path.commands) if command[0] == "M"]
    return [path.commands[start:end] for start, end in pairwise((*starts, len(path.commands)))]


def _measure_width_and_height(commands: Sequence[Command]) -> tuple[float, float]:
    """Return the width and the height of a line and its control points."""
    places = [number for _, place in commands for number in place]
    across, down = (max(numbers) - min(numbers) for numbers in (places[0::2], places[1::2]))
    return across, down


def _get_longer_side_of_outline(commands: Sequence[Command]) -> float:
    return max(_measure_width_and_height(commands))


def _get_shorter_side_of_path(path: Path) -> float:
    return min(_measure_width_and_height(path.commands))


# -- credits -------------------------------------------------------------------------------------------------
# Who drew what: the `credits.yaml` in each folder of icons, motifs and fonts.


class FileCredit(NamedTuple):
    """The names of some files, and the line to print of them."""

    files: frozenset[str]
    author: str
    licence: str
    line: str
    where: Where


def iter_credits_of_folder_or_raise(
    files: Iterable[FilePath], credits_section: str, language: str = "en"
) -> Iterator[FileCredit]:
    """Yield the credits of some files of one folder, from the part ``credits_section`` of its `credits.yaml`. What
    an entry says may be one text, or one per language; ``changed`` says what was changed, as CC BY asks.

    A file belongs to the first entry that matches it, so entries with exact names stand before an
    entry with a pattern for the rest. Raises InputError if an entry lacks a key.
    """
    paths = list(files)
    book = paths[0].parent / "credits.yaml" if paths else None
    if book is None or not book.is_file():
        return
    rest = {path.name for path in paths}
    node = read_yaml_file(book)
    collector = FindingCollector()
    for item in node.get_node_or_nearest_ancestor([credits_section]).items if node.get(credits_section) else ():
        credit = {name: _get_text_in_language_or_english(entry.node, language) for name, entry in item.entries.items()}
        missing = [name for name in ("author", "licence", "source") if name not in credit]
        if missing:
            collector.add_finding("PP203", item.where, f"a credit lacks {', '.join(missing)}")
            continue
        theirs = {name for pattern in _list_file_patterns_or_star(item) for name in fnmatch.filter(rest, pattern)}
        rest -= theirs
        name = f"**{credit['name']}** " if "name" in credit else ""
        changed = f" · {credit['changed']}" if "changed" in credit else ""
        line = f"{name}{credit['author']}, {credit['licence']}: {credit['source']}{changed}"
        yield FileCredit(frozenset(theirs), credit["author"], credit["licence"], line, item.where)
    collector.raise_if_errors()


def _get_text_in_language_or_english(node: YamlNode, language: str) -> str:
    """Return a text in a language, or the only one there is."""
    entry = node.entries.get(language) or node.entries.get("en")
    return str(node.value if entry is None else entry.node.value)


def _list_file_patterns_or_star(credit_entry: YamlNode) -> list[str]:
    """Return the names or patterns of an entry: one, or a list; without any, it is for all files."""
    files = credit_entry.get("files")
    if files is None:
        return ["*"]
    return [str(each.value) for each in files.items] or [str(files.value)]
