"""Read and check layout files, which are a game's looks. All mistakes in all files are reported at
once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, NamedTuple

from playproof.database.errors import FindingCollector, InputError, Where, did_you_mean
from playproof.database.source import YamlNode, read_yaml_file
from playproof.database.validation import validate_node
from playproof.generator.art.icons import IconLibrary
from playproof.generator.layout.elements import Element, read_elements
from playproof.generator.layout.expression import Expression, Template
from playproof.generator.layout.model import SIZES, LayoutSpec, MoodSpec, StyleSpec
from playproof.generator.scene import Colour, Path, Rect, circle, hexagon_in_box

if TYPE_CHECKING:
    from playproof.generator.art.scenery import Mood, World

LAYOUTS = FilePath(__file__).resolve().parents[2] / "layouts"
SIDES = ("front", "back")
NOT_LAYOUTS = ("build.yaml", "table.yaml")  # files of the folder that are not layouts


def find_layout_folder(game: FilePath) -> FilePath:
    """Return the folder of a game's looks: `layouts/` beside its own cards, or the folder of the
    game's name in layouts/."""
    own = game / "layouts"
    return own if own.is_dir() else LAYOUTS / game.resolve().name


@dataclass(frozen=True, eq=False)
class Layout:
    """One look, with everything it inherits."""

    name: str
    where: Where
    kind: str
    book: bool
    net: str | None
    ground: Colour | None
    variants: str
    pile: Template | None
    label_width: float
    rule_ids: bool
    condition: Expression | None
    width: float
    height: float
    bleed: float
    safe: float
    corner: float
    shape: str
    min_type: float | None
    colours: Mapping[str, Colour]
    styles: Mapping[str, StyleSpec]
    moods: Mapping[str, Mood]
    tables: Mapping[str, Mapping[str, str]]
    words: Mapping[str, Mapping[str, Template]]
    parts: Mapping[str, tuple[Element, ...]]
    sides: Mapping[str, tuple[Element, ...]]
    motifs: IconLibrary = field(default_factory=IconLibrary)
    worlds: Mapping[str, World] = field(default_factory=dict)

    @cached_property
    def trim(self) -> Rect:
        return Rect(0, 0, self.width, self.height)

    @cached_property
    def bleed_box(self) -> Rect:
        return self.trim.expand(self.bleed)

    @cached_property
    def page_boxes(self) -> Mapping[str, Rect]:
        """The boxes of the page, in which every element may be placed."""
        return {"trim": self.trim, "bleed": self.bleed_box, "safe": self.trim.expand(-self.safe)}

    @cached_property
    def outline(self) -> Path | None:
        """The shape that is cut out if it is a circle or a hexagon, else None."""
        if self.shape == "circle":
            return circle(self.width / 2, self.height / 2, min(self.width, self.height) / 2)
        return hexagon_in_box(self.trim) if self.shape == "hexagon" else None


class _LayoutFile(NamedTuple):
    """One layout file before it inherits."""

    name: str
    node: YamlNode
    spec: LayoutSpec


def read_layouts(
    folder: FilePath, collector: FindingCollector, shared: FilePath | None = None
) -> tuple[Layout, ...]:
    """Return the layouts of a folder that have a kind, a book or a net, in the order of their
    files' names."""
    own = _read_files(folder, collector)
    common = _read_files(shared, collector) if shared else {}
    base_styles: dict[str, StyleSpec] = {}
    if any(file.spec.book for file in own.values()):
        for file in common.values():
            if file.spec.book:
                base_styles |= file.spec.styles
        common = {name: file for name, file in common.items() if not file.spec.book}
    files = common | own
    worlds = _read_known_worlds(folder, collector) if any(file.spec.moods for file in files.values()) else {}
    layouts = []
    for file in files.values():
        if file.spec.kind is None and not file.spec.book and not file.spec.net:
            continue
        line = _resolve_extends_chain(file, files, collector)
        if line:
            line = [*line[:-1], _fill_in_base_styles(file, base_styles)] if file.spec.book else line
            layout = _build_layout(line, folder, worlds, base_styles if file.spec.book else {}, collector)
            if layout is not None:
                layouts.append(layout)
    return tuple(layouts)


def _fill_in_base_styles(file: _LayoutFile, base_styles: Mapping[str, StyleSpec]) -> _LayoutFile:
    """Return a booklet's file whose styles have the plain booklet's keys where they give none. A
    style that extends another takes them from there."""
    styles = {}
    for name, own in file.spec.styles.items():
        if name in base_styles and own.extends is None:
            own_keys = {key: getattr(own, key) for key in own.model_fields_set}
            styles[name] = base_styles[name].model_copy(update=own_keys)
        else:
            styles[name] = own
    return file._replace(spec=file.spec.model_copy(update={"styles": styles}))


def _read_known_worlds(folder: FilePath, collector: FindingCollector) -> Mapping[str, World]:
    """Return the worlds that moods may name: the project's own, and those of the folder."""
    from playproof.generator.art.scenery import read_worlds  # few layouts have landscapes

    return read_worlds((LAYOUTS / "worlds", folder / "worlds"), collector)


def _read_files(folder: FilePath, collector: FindingCollector) -> dict[str, _LayoutFile]:
    """Return the layout files of a folder by name. A file that cannot be read is noted and left
    out."""
    paths = [path for path in sorted(folder.glob("*.yaml")) if path.name not in NOT_LAYOUTS]
    read_files = [_read_file(path, collector) for path in paths]
    return {file.name: file for file in read_files if file is not None}


def _read_file(path: FilePath, collector: FindingCollector) -> _LayoutFile | None:
    try:
        node = read_yaml_file(path)
    except InputError as error:
        collector.add_findings(error.findings)
        return None
    spec = validate_node(LayoutSpec, node, collector)
    return _LayoutFile(path.stem, node, spec) if spec is not None else None


def _resolve_extends_chain(
    file: _LayoutFile, files: Mapping[str, _LayoutFile], collector: FindingCollector
) -> list[_LayoutFile]:
    """Return the file and all it extends, the most distant first. Return an empty list after noting
    a circle or a gap."""
    line = [file]
    while (above := line[0].spec.extends) is not None:
        where = line[0].node.get_nearest(["extends"]).where
        if above not in files:
            collector.add_finding("PP504", where, f'there is no layout "{above}"', did_you_mean(above, files))
            return []
        if any(above == member.name for member in line):
            circle_ = " -> ".join([*(member.name for member in reversed(line)), above])
            collector.add_finding("PP504", where, f"layouts extend each other in a circle: {circle_}")
            return []
        line.insert(0, files[above])
    return line


@dataclass(slots=True)
class _MergedFiles:
    """What a line of files gives together. Later files win, and named elements replace their
    namesakes."""

    styles: dict[str, StyleSpec]
    colours: dict[str, Colour] = field(default_factory=dict)
    moods: dict[str, Mood] = field(default_factory=dict)
    tables: dict[str, Mapping[str, str]] = field(default_factory=dict)
    words: dict[str, Mapping[str, Template]] = field(default_factory=dict)
    parts: dict[str, tuple[Element, ...]] = field(default_factory=dict)
    sides: dict[str, tuple[Element, ...]] = field(default_factory=dict)

    def merge_file(self, file: _LayoutFile, worlds: Mapping[str, World], collector: FindingCollector) -> None:
        """Merge one file over those before it."""
        self.colours |= _parse_colours(file, collector)
        self.styles |= file.spec.styles
        self.tables |= file.spec.tables
        self.words |= file.spec.words
        for name, spec in file.spec.moods.items():
            mood = _parse_mood(file, name, spec, worlds, collector)
            if mood is not None:
                self.moods[name] = mood
        for name in file.spec.parts:
            self.parts[name] = read_elements(file.node.get_nearest(["parts", name]), collector)
        for side in SIDES:
            if getattr(file.spec, side) is not None:
                own = read_elements(file.node.get_nearest([side]).get("elements"), collector)
                self.sides[side] = _replace_namesakes(self.sides.get(side, ()), own)


def _build_layout(
    extends_chain: list[_LayoutFile],
    folder: FilePath,
    worlds: Mapping[str, World],
    base_styles: Mapping[str, StyleSpec],
    collector: FindingCollector,
) -> Layout | None:
    """Return one layout from a line of files, or None after noting mistakes. A style of the line
    replaces its namesake in ``given``."""
    before = len(collector.errors)
    merged = _MergedFiles(dict(base_styles))
    for file in extends_chain:
        merged.merge_file(file, worlds, collector)
    size = _resolve_trim_size(extends_chain, collector)
    if size is None or len(collector.errors) > before:
        return None
    last = extends_chain[-1]
    return Layout(
        name=f"{folder.name}.{last.name}",
        where=last.node.where,
        kind=last.spec.kind or "",
        book=last.spec.book,
        net=last.spec.net,
        ground=_parse_ground_colour(extends_chain, merged.colours, collector),
        pile=_get_last_given_value(extends_chain, "pile"),
        variants=_get_last_given_value(extends_chain, "variants") or "",
        label_width=last.spec.label_width,
        rule_ids=last.spec.rule_ids,
        condition=last.spec.condition,
        width=size[0],
        height=size[1],
        bleed=_get_last_given_number(extends_chain, "bleed", 0.0),
        safe=_get_last_given_number(extends_chain, "safe", 3.0),
        corner=_get_last_given_number(extends_chain, "corner", 0.0),
        shape=_get_last_given_value(extends_chain, "outline") or "rect",
        min_type=_get_last_given_number(extends_chain, "min_type", 0.0) or None,
        colours=merged.colours,
        styles=merged.styles,
        moods=merged.moods,
        tables=merged.tables,
        words=merged.words,
        parts=merged.parts,
        sides=merged.sides,
        motifs=IconLibrary(folder / "motifs", folder / "figures", LAYOUTS / "motifs"),
        worlds=worlds,
    )


def _get_last_given_value(line: list[_LayoutFile], name: str) -> Any:
    """Return the value of a key in the last file that gives it, or None."""
    for file in reversed(line):
        value = getattr(file.spec, name)
        if value is not None and value != "":
            return value
    return None


def _get_last_given_number(line: list[_LayoutFile], name: str, default: float) -> float:
    value = _get_last_given_value(line, name)
    return default if value is None else float(value)


def _replace_namesakes(base: tuple[Element, ...], own_elements: tuple[Element, ...]) -> tuple[Element, ...]:
    """Return the base's elements, with namesakes replaced in place, followed by the rest of
    ``own``."""
    named = {element.spec.name: element for element in own_elements if element.spec.name}
    merged = [named.get(element.spec.name or "", element) for element in base]
    used = set(map(id, merged))
    return (*merged, *(element for element in own_elements if id(element) not in used))


def _parse_colours(file: _LayoutFile, collector: FindingCollector) -> dict[str, Colour]:
    colours = {}
    for name, text in file.spec.colours.items():
        try:
            colours[name] = Colour.parse(text)
        except ValueError:
            where = file.node.get_nearest(["colours", name]).where
            collector.add_finding(
                "PP206", where, f"expected a colour such as #a1b2c3 or cmyk(0 50 100 0), found {text!r}"
            )
    return colours


def _parse_ground_colour(
    line: Iterable[_LayoutFile], colours: Mapping[str, Colour], collector: FindingCollector
) -> Colour | None:
    """Return the colour of a net's panels, given by name or by value, or None."""
    grounded = [file for file in line if file.spec.ground]
    if not grounded:
        return None
    word = grounded[-1].spec.ground or ""
    try:
        return colours.get(word) or Colour.parse(word)
    except ValueError:
        where = grounded[-1].node.get_nearest(["ground"]).where
        collector.add_finding("PP503", where, f"there is no colour {word!r}", did_you_mean(word, colours))
        return None


def _parse_mood(
    file: _LayoutFile, name: str, spec: MoodSpec, worlds: Mapping[str, World], collector: FindingCollector
) -> Mood | None:
    if spec.world not in worlds:
        where = file.node.get_nearest(["moods", name, "world"]).where
        collector.add_finding(
            "PP503", where, f"there is no world {spec.world!r}", did_you_mean(spec.world, worlds)
        )
    parts = {}
    for part in ("sky", "horizon", "far", "middle", "near", "light"):
        try:
            parts[part] = Colour.parse(getattr(spec, part))
        except ValueError:
            where = file.node.get_nearest(["moods", name, part]).where
            collector.add_finding("PP206", where, f"expected a colour, found {getattr(spec, part)!r}")
    from playproof.generator.art.scenery import Mood

    return Mood(**parts, night=spec.night, world=spec.world) if len(parts) == 6 else None


def _resolve_trim_size(
    line: Iterable[_LayoutFile], collector: FindingCollector
) -> tuple[float, float] | None:
    """Return the trim size of the last file that gives one, in mm, or None after noting a
    mistake."""
    size: tuple[float, float] | None = None
    where = Where("")
    for file in line:
        if file.spec.size is None:
            where = where if size else file.node.where
            continue
        where = file.node.get_nearest(["size"]).where
        if isinstance(file.spec.size, str):
            if file.spec.size not in SIZES:
                hint = did_you_mean(file.spec.size, SIZES)
                collector.add_finding("PP206", where, f"there is no size {file.spec.size!r}", hint)
                return None
            size = SIZES[file.spec.size]
        else:
            size = file.spec.size
    if size is None and file.spec.net in ("tuckbox", "wedge"):
        # the deck says how large a box is, and a stand's component how large the stand is
        return SIZES["poker"]
    if size is None:
        collector.add_finding("PP203", where, "expected `size`, a name or [width, height] in mm")
    elif min(size) <= 0 or max(size) > 3000:
        collector.add_finding(
            "PP507", where, f"expected a size above 0 and up to 3000 mm, found {size[0]:g} by {size[1]:g}"
        )
        return None
    return size
