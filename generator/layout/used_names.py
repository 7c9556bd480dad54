"""Which names the sides of a layout ask of the card, and not of a loop inside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pydantic import BaseModel

from playproof.generator.layout.elements import Element
from playproof.generator.layout.expression import Expression, Number, Template
from playproof.generator.layout.layout_files import Layout
from playproof.generator.layout.model import GridSpec, ListSpec, PartSpec, TableSpec, TrackSpec

_LOOPS = (GridSpec, ListSpec, TableSpec, TrackSpec)
"""Elements whose own `index` counts their items."""


def collect_used_names(layout: Layout) -> set[str]:
    """Return every name in the expressions of a layout's sides, with the parts and styles that they use."""
    return {
        name
        for elements in layout.sides.values()
        for name in _iter_names_in_elements(elements, layout, frozenset())
    }


def _iter_names_in_elements(
    elements: Iterable[Element], layout: Layout, within: frozenset[str]
) -> Iterator[str]:
    for element in elements:
        spec = element.spec
        is_loop = isinstance(spec, _LOOPS)
        names = [
            *_iter_names_in_value(spec, layout),
            *_iter_names_in_elements(element.children, layout, within),
        ]
        if isinstance(spec, PartSpec):
            for part in _list_possible_parts(spec, layout) - within:
                names += _iter_names_in_elements(layout.parts.get(part, ()), layout, within | {part})
        yield from (name for name in names if not (is_loop and name == "index"))


def _list_possible_parts(spec: PartSpec, layout: Layout) -> set[str]:
    """Return the parts that an element may draw: the one it names, or all if a card decides."""
    return {spec.part} if spec.part in layout.parts else set(layout.parts)


def _iter_names_in_value(value: object, layout: Layout) -> Iterator[str]:
    """Yield the names in a spec's expressions."""
    if isinstance(value, Expression | Number):
        yield from value.names
    elif isinstance(value, Template):
        for part in value.parts:
            if not isinstance(part, str):
                yield from part[0].names
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            field = getattr(value, name)
            if name in ("style", "heading_style", "extends") and isinstance(field, str):
                yield from _iter_names_in_style(field, layout)
            else:
                yield from _iter_names_in_value(field, layout)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _iter_names_in_value(item, layout)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _iter_names_in_value(item, layout)


def _iter_names_in_style(name: str, layout: Layout) -> Iterator[str]:
    if "{" in name:  # any style may be meant
        yield from _iter_names_in_value(Template(name), layout)
        for style in layout.styles.values():
            yield from _iter_names_in_value(style.model_copy(update={"extends": None}), layout)
    elif name in layout.styles and layout.styles[name].extends != name:
        yield from _iter_names_in_value(layout.styles[name], layout)
