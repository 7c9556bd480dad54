"""Read and check layout files, which are a game's looks: their elements with their places in the file, and
the names that they ask of a card. All mistakes in all files are reported at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import BaseModel

from playproof.database.errors import FindingCollector, InputError, Where, make_nearest_or_possible_words_hint
from playproof.database.source import YamlNode, read_yaml_file
from playproof.database.yaml_models import validate_node_or_record_findings
from playproof.generator.art.icons import IconLibrary
from playproof.generator.layout.expression import Expression, Number, Template
from playproof.generator.layout.model import (
    ELEMENTS,
    RELATIONS,
    SIZES,
    BoxSpec,
    ElementSpec,
    GridSpec,
    ImageSpec,
    LayoutSpec,
    ListSpec,
    MoodSpec,
    PartSpec,
    StyleSpec,
    TableSpec,
    TrackSpec,
)
from playproof.generator.scene import Colour, Path, Rect, build_circle_path, build_hexagon_filling_box

if TYPE_CHECKING:
    from playproof.generator.art.scenery import Mood, World


# Read and check layout files, which are a game's looks. All mistakes in all files are reported at once.

LAYOUTS = FilePath(__file__).resolve().parents[2] / "layouts"
SIDES = ("front", "back")
NOT_LAYOUTS = ("build.yaml", "table.yaml")  # files of the folder that are not layouts


def find_layout_folder_of_game(game_folder: FilePath) -> FilePath:
    """Return the folder of a game's looks: `layouts/` beside its own cards, or the folder of the
    game's name in layouts/."""
    own = game_folder / "layouts"
    return own if own.is_dir() else LAYOUTS / game_folder.resolve().name


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
    def round_or_hexagonal_cut_outline(self) -> Path | None:
        """The shape that is cut out if it is a circle or a hexagon, else None."""
        if self.shape == "circle":
            return build_circle_path(self.width / 2, self.height / 2, min(self.width, self.height) / 2)
        return build_hexagon_filling_box(self.trim) if self.shape == "hexagon" else None


class _LayoutFile(NamedTuple):
    """One layout file before it inherits."""

    name: str
    node: YamlNode
    spec: LayoutSpec


def read_concrete_layouts_and_note_errors(
    folder: FilePath, collector: FindingCollector, shared_folder: FilePath | None = None
) -> tuple[Layout, ...]:
    """Return the layouts of a folder that have a kind, a book or a net, in the order of their
    files' names."""
    own = _read_layout_files_by_name(folder, collector)
    common = _read_layout_files_by_name(shared_folder, collector) if shared_folder else {}
    base_styles: dict[str, StyleSpec] = {}
    if any(file.spec.book for file in own.values()):
        for file in common.values():
            if file.spec.book:
                base_styles |= file.spec.styles
        common = {name: file for name, file in common.items() if not file.spec.book}
    files = common | own
    worlds = _read_shared_and_own_worlds(folder, collector) if any(file.spec.moods for file in files.values()) else {}
    layouts = []
    for file in files.values():
        if file.spec.kind is None and not file.spec.book and not file.spec.net:
            continue
        line = _list_extended_files_base_first_or_empty(file, files, collector)
        if line:
            line = [*line[:-1], _complete_styles_from_plain_booklet(file, base_styles)] if file.spec.book else line
            layout = _build_layout_from_extends_chain_or_none(
                line, folder, worlds, base_styles if file.spec.book else {}, collector
            )
            if layout is not None:
                layouts.append(layout)
    return tuple(layouts)


def _complete_styles_from_plain_booklet(file: _LayoutFile, base_styles: Mapping[str, StyleSpec]) -> _LayoutFile:
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


def _read_shared_and_own_worlds(folder: FilePath, collector: FindingCollector) -> Mapping[str, World]:
    """Return the worlds that moods may name: the project's own, and those of the folder."""
    from playproof.generator.art.scenery import read_worlds_by_name_and_note_mistakes  # few layouts have landscapes

    return read_worlds_by_name_and_note_mistakes((LAYOUTS / "worlds", folder / "worlds"), collector)


def _read_layout_files_by_name(folder: FilePath, collector: FindingCollector) -> dict[str, _LayoutFile]:
    """Return the layout files of a folder by name. A file that cannot be read is noted and left
    out."""
    paths = [path for path in sorted(folder.glob("*.yaml")) if path.name not in NOT_LAYOUTS]
    read_files = [_read_layout_file_or_none(path, collector) for path in paths]
    return {file.name: file for file in read_files if file is not None}


def _read_layout_file_or_none(path: FilePath, collector: FindingCollector) -> _LayoutFile | None:
    try:
        node = read_yaml_file(path)
    except InputError as error:
        collector.add_findings(error.findings)
        return None
    spec = validate_node_or_record_findings(LayoutSpec, node, collector)
    return _LayoutFile(path.stem, node, spec) if spec is not None else None


def _list_extended_files_base_first_or_empty(
    file: _LayoutFile, files: Mapping[str, _LayoutFile], collector: FindingCollector
) -> list[_LayoutFile]:
    """Return the file and all it extends, the most distant first. Return an empty list after noting
    a circle or a gap."""
    line = [file]
    while (above := line[0].spec.extends) is not None:
        where = line[0].node.get_node_or_nearest_ancestor(["extends"]).where
        if above not in files:
            collector.add_finding(
                "PP504", where, f'there is no layout "{above}"', make_nearest_or_possible_words_hint(above, files)
            )
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

    def merge_file_over_earlier_ones(
        self, file: _LayoutFile, worlds: Mapping[str, World], collector: FindingCollector
    ) -> None:
        """Merge one file over those before it."""
        self.colours |= _parse_named_colours(file, collector)
        self.styles |= file.spec.styles
        self.tables |= file.spec.tables
        self.words |= file.spec.words
        for name, spec in file.spec.moods.items():
            mood = _parse_mood_or_none(file, name, spec, worlds, collector)
            if mood is not None:
                self.moods[name] = mood
        for name in file.spec.parts:
            self.parts[name] = parse_element_list_and_note_mistakes(
                file.node.get_node_or_nearest_ancestor(["parts", name]), collector
            )
        for side in SIDES:
            if getattr(file.spec, side) is not None:
                own = parse_element_list_and_note_mistakes(
                    file.node.get_node_or_nearest_ancestor([side]).get("elements"), collector
                )
                self.sides[side] = _merge_elements_replacing_namesakes(self.sides.get(side, ()), own)


def _build_layout_from_extends_chain_or_none(
    extends_chain: list[_LayoutFile],
    folder: FilePath,
    worlds: Mapping[str, World],
    base_styles: Mapping[str, StyleSpec],
    collector: FindingCollector,
) -> Layout | None:
    """Return one layout from a line of files, or None after noting mistakes. A style of the line
    replaces its namesake in ``base_styles``."""
    before = len(collector.errors)
    merged = _MergedFiles(dict(base_styles))
    for file in extends_chain:
        merged.merge_file_over_earlier_ones(file, worlds, collector)
    size = _resolve_trim_size_in_mm_or_none(extends_chain, collector)
    if size is None or len(collector.errors) > before:
        return None
    last = extends_chain[-1]
    return Layout(
        name=f"{folder.name}.{last.name}",
        where=last.node.where,
        kind=last.spec.kind or "",
        book=last.spec.book,
        net=last.spec.net,
        ground=_parse_net_ground_colour_or_none(extends_chain, merged.colours, collector),
        pile=_get_last_given_value_or_none(extends_chain, "pile"),
        variants=_get_last_given_value_or_none(extends_chain, "variants") or "",
        label_width=last.spec.label_width,
        rule_ids=last.spec.rule_ids,
        condition=last.spec.condition,
        width=size[0],
        height=size[1],
        bleed=_get_last_given_number_or_default(extends_chain, "bleed", 0.0),
        safe=_get_last_given_number_or_default(extends_chain, "safe", 3.0),
        corner=_get_last_given_number_or_default(extends_chain, "corner", 0.0),
        shape=_get_last_given_value_or_none(extends_chain, "outline") or "rect",
        min_type=_get_last_given_number_or_default(extends_chain, "min_type", 0.0) or None,
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


def _get_last_given_value_or_none(extends_chain: list[_LayoutFile], key: str) -> Any:
    """Return the value of a key in the last file that gives it, or None."""
    for file in reversed(extends_chain):
        value = getattr(file.spec, key)
        if value is not None and value != "":
            return value
    return None


def _get_last_given_number_or_default(extends_chain: list[_LayoutFile], key: str, default: float) -> float:
    value = _get_last_given_value_or_none(extends_chain, key)
    return default if value is None else float(value)


def _merge_elements_replacing_namesakes(
    base_elements: tuple[Element, ...], own_elements: tuple[Element, ...]
) -> tuple[Element, ...]:
    """Return the base's elements, with namesakes replaced in place, followed by the rest of
    ``own_elements``."""
    named = {element.spec.name: element for element in own_elements if element.spec.name}
    merged = [named.get(element.spec.name or "", element) for element in base_elements]
    used = set(map(id, merged))
    return (*merged, *(element for element in own_elements if id(element) not in used))


def _parse_named_colours(file: _LayoutFile, collector: FindingCollector) -> dict[str, Colour]:
    colours = {}
    for name, text in file.spec.colours.items():
        try:
            colours[name] = Colour.parse_hex_or_cmyk_colour_or_raise(text)
        except ValueError:
            where = file.node.get_node_or_nearest_ancestor(["colours", name]).where
            collector.add_finding(
                "PP206", where, f"expected a colour such as #a1b2c3 or cmyk(0 50 100 0), found {text!r}"
            )
    return colours


def _parse_net_ground_colour_or_none(
    extends_chain: Iterable[_LayoutFile], colours: Mapping[str, Colour], collector: FindingCollector
) -> Colour | None:
    """Return the colour of a net's panels, given by name or by value, or None."""
    grounded = [file for file in extends_chain if file.spec.ground]
    if not grounded:
        return None
    word = grounded[-1].spec.ground or ""
    try:
        return colours.get(word) or Colour.parse_hex_or_cmyk_colour_or_raise(word)
    except ValueError:
        where = grounded[-1].node.get_node_or_nearest_ancestor(["ground"]).where
        collector.add_finding(
            "PP503", where, f"there is no colour {word!r}", make_nearest_or_possible_words_hint(word, colours)
        )
        return None


def _parse_mood_or_none(
    file: _LayoutFile, mood_name: str, spec: MoodSpec, worlds: Mapping[str, World], collector: FindingCollector
) -> Mood | None:
    if spec.world not in worlds:
        where = file.node.get_node_or_nearest_ancestor(["moods", mood_name, "world"]).where
        collector.add_finding(
            "PP503", where, f"there is no world {spec.world!r}", make_nearest_or_possible_words_hint(spec.world, worlds)
        )
    parts = {}
    for part in ("sky", "horizon", "far", "middle", "near", "light"):
        try:
            parts[part] = Colour.parse_hex_or_cmyk_colour_or_raise(getattr(spec, part))
        except ValueError:
            where = file.node.get_node_or_nearest_ancestor(["moods", mood_name, part]).where
            collector.add_finding("PP206", where, f"expected a colour, found {getattr(spec, part)!r}")
    from playproof.generator.art.scenery import Mood

    is_complete = len(parts) == 6 and spec.world in worlds
    return Mood(**parts, night=spec.night, world=spec.world) if is_complete else None


def _resolve_trim_size_in_mm_or_none(
    extends_chain: Iterable[_LayoutFile], collector: FindingCollector
) -> tuple[float, float] | None:
    """Return the trim size of the last file that gives one, in mm, or None after noting a
    mistake."""
    size: tuple[float, float] | None = None
    where = Where("")
    for file in extends_chain:
        if file.spec.size is None:
            where = where if size else file.node.where
            continue
        where = file.node.get_node_or_nearest_ancestor(["size"]).where
        if isinstance(file.spec.size, str):
            if file.spec.size not in SIZES:
                hint = make_nearest_or_possible_words_hint(file.spec.size, SIZES)
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


# -- elements ------------------------------------------------------------------------------------------------
# Elements as read: a checked spec, its place in the file, and the elements inside it.

CHILDREN = ("group", "each")


@dataclass(frozen=True, eq=False)
class Element:
    """One element. A ``static`` element draws the same on every card, so it is drawn once and used
    many times.

    The box of a ``fixed`` element depends on its container alone.
    """

    spec: ElementSpec
    where: Where
    children: tuple[Element, ...] = ()
    static: bool = field(default=False)
    fixed: bool = field(default=False)
    styles: tuple[str, ...] = ()  # the names of styles that it and its children are set in


def parse_element_list_and_note_mistakes(node: YamlNode | None, collector: FindingCollector) -> tuple[Element, ...]:
    """Return the elements of a list, and note every mistake in any of them."""
    if node is None:
        return ()
    read = (_parse_element_or_note_mistake(item, collector) for item in node.items)
    return tuple(element for element in read if element is not None)


def _parse_element_or_note_mistake(node: YamlNode, collector: FindingCollector) -> Element | None:
    kinds = [key for key in node.entries if key in ELEMENTS]
    if len(kinds) != 1:
        _note_missing_or_double_element_kind(node, kinds, collector)
        return None
    spec = validate_node_or_record_findings(ELEMENTS[kinds[0]], node, collector)
    children: tuple[Element, ...] = ()
    for key in CHILDREN:
        children += parse_element_list_and_note_mistakes(node.get(key), collector)
    if spec is None:
        return None
    static = not _can_differ_between_cards(spec) and all(child.static for child in children)
    styles = dict.fromkeys(
        [*_iter_style_names_used_by_element(spec), *(name for child in children for name in child.styles)]
    )
    return Element(spec, node.where, children, static, _is_box_independent_of_others(spec.box), tuple(styles))


def _iter_style_names_used_by_element(spec: BaseModel) -> Iterator[str]:
    """Yield the styles that a text or a table names, directly or as what its own style extends."""
    named = [getattr(spec, "style", None), getattr(spec, "heading_style", None)]
    for column in getattr(spec, "columns", ()) if isinstance(spec, TableSpec) else ():
        named.append(column.style)
    for style in named:
        name = style.extends if isinstance(style, StyleSpec) else style
        if name is not None:
            yield name


def _note_missing_or_double_element_kind(node: YamlNode, kinds_in_node: list[str], collector: FindingCollector) -> None:
    if kinds_in_node:
        message = f"this element is two at once: {' and '.join(kinds_in_node)}"
        collector.add_finding("PP510", node.where, message, "begin each with a dash")
        return
    first = next(iter(node.entries), "")
    hint = make_nearest_or_possible_words_hint(first, ELEMENTS) if first else "one of: " + ", ".join(ELEMENTS)
    collector.add_finding("PP510", node.where, f"expected an element, found {node.kind}", hint)


def _can_differ_between_cards(spec: ElementSpec) -> bool:
    """Return whether the spec holds a value that is computed for each card, or a place that depends
    on an element that may move."""
    if isinstance(spec, PartSpec | ImageSpec):
        return True  # a part's own elements may vary; a picture may be missing on one card alone
    beside = [getattr(spec.box, relation) for relation in RELATIONS]
    if any(name is not None and name not in PAGE_BOXES for name in beside):
        return True
    return any(_is_computed_per_card(value) for value in _iter_nested_field_values(spec))


def _is_box_independent_of_others(box: BoxSpec) -> bool:
    """Return whether a box names no other box and all its numbers are constants."""
    return not any(getattr(box, relation) for relation in RELATIONS) and not any(
        map(_is_computed_per_card, _iter_nested_field_values(box))
    )


PAGE_BOXES = ("trim", "bleed", "safe")


def _iter_nested_field_values(model: BaseModel) -> Iterator[object]:
    for name in type(model).model_fields:
        value = getattr(model, name)
        if isinstance(value, dict):
            items = list(value.values())
        else:
            items = value if isinstance(value, list) else [value]
        for item in items:
            if isinstance(item, BaseModel):
                yield from _iter_nested_field_values(item)
            else:
                yield item


def _is_computed_per_card(value: object) -> bool:
    if isinstance(value, Expression):
        return True
    return isinstance(value, Number | Template) and not value.constant


# -- used names ----------------------------------------------------------------------------------------------
# Which names the sides of a layout ask of the card, and not of a loop inside it.

_LOOPS = (GridSpec, ListSpec, TableSpec, TrackSpec)
"""Elements whose own `index` counts their items."""


def collect_names_in_expressions_of_sides(layout: Layout) -> set[str]:
    """Return every name in the expressions of a layout's sides, with the parts and styles that they use."""
    return {
        name
        for elements in layout.sides.values()
        for name in _iter_expression_names_in_elements(elements, layout, frozenset())
    }


def _iter_expression_names_in_elements(
    elements: Iterable[Element], layout: Layout, enclosing_parts: frozenset[str]
) -> Iterator[str]:
    for element in elements:
        spec = element.spec
        is_loop = isinstance(spec, _LOOPS)
        names = [
            *_iter_expression_names_in_value(spec, layout),
            *_iter_expression_names_in_elements(element.children, layout, enclosing_parts),
        ]
        if isinstance(spec, PartSpec):
            for part in _get_names_of_parts_element_may_draw(spec, layout) - enclosing_parts:
                names += _iter_expression_names_in_elements(
                    layout.parts.get(part, ()), layout, enclosing_parts | {part}
                )
        yield from (name for name in names if not (is_loop and name == "index"))


def _get_names_of_parts_element_may_draw(spec: PartSpec, layout: Layout) -> set[str]:
    """Return the parts that an element may draw: the one it names, or all if a card decides."""
    return {spec.part} if spec.part in layout.parts else set(layout.parts)


def _iter_expression_names_in_value(value: object, layout: Layout) -> Iterator[str]:
    """Yield the names in a spec's expressions."""
    if isinstance(value, Expression | Number | Template):
        yield from value.names
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            field = getattr(value, name)
            if name in ("style", "heading_style", "extends") and isinstance(field, str):
                yield from _iter_expression_names_in_style(field, layout)
            else:
                yield from _iter_expression_names_in_value(field, layout)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _iter_expression_names_in_value(item, layout)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _iter_expression_names_in_value(item, layout)


def _iter_expression_names_in_style(name: str, layout: Layout) -> Iterator[str]:
    if "{" in name:  # any style may be meant
        yield from _iter_expression_names_in_value(Template(name), layout)
        for style in layout.styles.values():
            yield from _iter_expression_names_in_value(style.model_copy(update={"extends": None}), layout)
    elif name in layout.styles and layout.styles[name].extends != name:
        yield from _iter_expression_names_in_value(layout.styles[name], layout)
