"""Elements as read: a checked spec, its place in the file, and the elements inside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pydantic import BaseModel

from playproof.database.errors import FindingCollector, Where, did_you_mean
from playproof.database.source import YamlNode
from playproof.database.validation import validate_node
from playproof.generator.layout.expression import Expression, Number, Template
from playproof.generator.layout.model import (
    ELEMENTS,
    RELATIONS,
    BoxSpec,
    ElementSpec,
    ImageSpec,
    PartSpec,
    StyleSpec,
    TableSpec,
)

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


def read_elements(node: YamlNode | None, collector: FindingCollector) -> tuple[Element, ...]:
    """Return the elements of a list, and note every mistake in any of them."""
    if node is None:
        return ()
    read = (_parse_element(item, collector) for item in node.items)
    return tuple(element for element in read if element is not None)


def _parse_element(node: YamlNode, collector: FindingCollector) -> Element | None:
    kinds = [key for key in node.entries if key in ELEMENTS]
    if len(kinds) != 1:
        _report_wrong_kind(node, kinds, collector)
        return None
    spec = validate_node(ELEMENTS[kinds[0]], node, collector)
    children: tuple[Element, ...] = ()
    for key in CHILDREN:
        children += read_elements(node.get(key), collector)
    if spec is None:
        return None
    static = not _varies_by_card(spec) and all(child.static for child in children)
    styles = dict.fromkeys([*_iter_style_names(spec), *(name for child in children for name in child.styles)])
    return Element(spec, node.where, children, static, _is_fixed(spec.box), tuple(styles))


def _iter_style_names(spec: BaseModel) -> Iterator[str]:
    """Yield the styles that a text or a table names, directly or as what its own style extends."""
    named = [getattr(spec, "style", None), getattr(spec, "heading_style", None)]
    for column in getattr(spec, "columns", ()) if isinstance(spec, TableSpec) else ():
        named.append(column.style)
    for style in named:
        name = style.extends if isinstance(style, StyleSpec) else style
        if name is not None:
            yield name


def _report_wrong_kind(node: YamlNode, kinds: list[str], collector: FindingCollector) -> None:
    if kinds:
        message = f"this element is two at once: {' and '.join(kinds)}"
        collector.add_finding("PP510", node.where, message, "begin each with a dash")
        return
    first = next(iter(node.entries), "")
    hint = did_you_mean(first, ELEMENTS) if first else "one of: " + ", ".join(ELEMENTS)
    collector.add_finding("PP510", node.where, f"expected an element, found {node.kind}", hint)


def _varies_by_card(spec: ElementSpec) -> bool:
    """Return whether the spec holds a value that is computed for each card, or a place that depends
    on an element that may move."""
    if isinstance(spec, PartSpec | ImageSpec):
        return True  # a part's own elements may vary; a picture may be missing on one card alone
    beside = [getattr(spec.box, relation) for relation in RELATIONS]
    if any(name is not None and name not in PAGE_BOXES for name in beside):
        return True
    return any(_is_computed_per_card(value) for value in _iter_field_values(spec))


def _is_fixed(box: BoxSpec) -> bool:
    """Return whether a box names no other box and all its numbers are constants."""
    return not any(getattr(box, relation) for relation in RELATIONS) and not any(
        map(_is_computed_per_card, _iter_field_values(box))
    )


PAGE_BOXES = ("trim", "bleed", "safe")


def _iter_field_values(model: BaseModel) -> Iterator[object]:
    for name in type(model).model_fields:
        value = getattr(model, name)
        if isinstance(value, dict):
            items = list(value.values())
        else:
            items = value if isinstance(value, list) else [value]
        for item in items:
            if isinstance(item, BaseModel):
                yield from _iter_field_values(item)
            else:
                yield item


def _is_computed_per_card(value: object) -> bool:
    if isinstance(value, Expression):
        return True
    return isinstance(value, Number | Template) and not value.constant
