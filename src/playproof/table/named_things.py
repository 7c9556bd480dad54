"""Checks `table.yaml` without a state: every name that it uses exists, also where no game has come yet."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from playproof.database.errors import Finding, did_you_mean
from playproof.generator.build.products import find_language_mismatches
from playproof.generator.layout.expression import Expression, Number, Template
from playproof.table.placing import SpecPath, TableLayout

_OF_THE_STATE = ("me", "order", "alone", "quantity")
_OF_FIELDS = ("names", "word")
"""Functions whose first value names a field of the rules."""


def find_unknown_names(layout: TableLayout) -> list[Finding]:
    """Return a finding for each name in an expression of the file that nothing defines, and for each
    component, field or kind that is named outright and does not exist."""
    return [*_iter_unknown_names_in_expressions(layout), *_iter_unknown_components(layout)]


def iter_title_language_findings(layout: TableLayout) -> Iterator[Finding]:
    """PP629: a title has a text in each language of the game, and in no other."""
    languages = layout.variant.data.languages
    titles: list[tuple[SpecPath, Mapping[str, Any]]] = [
        (["surfaces", name, "title"], each.title) for name, each in layout.spec.surfaces.items() if each.title
    ]
    titles += [(["scores", at, "title"], each.title) for at, each in enumerate(layout.spec.scores)]
    for path, title in titles:
        yield from (
            replace(finding, code="PP629")
            for finding in find_language_mismatches(title, layout.node.get_nearest(path), languages)
        )


def _iter_unknown_names_in_expressions(layout: TableLayout) -> Iterator[Finding]:
    spec, game = layout.spec, layout.game
    names = {*layout.lasting, *_OF_THE_STATE, *spec.sometimes, *(field.name for field in game.fields)}
    for name, expression in spec.let.items():
        yield from _iter_unknown_names_in_value(layout, expression, names, ["let", name])
        names.add(name)
    for name, surface in spec.surfaces.items():
        yield from _iter_unknown_names_in_spec(layout, surface, names, ["surfaces", name])
    for at, place in enumerate(spec.places):
        if any(map(layout.has_game_field, place.shows)):  # other options have other fields
            yield from _iter_unknown_names_in_spec(layout, place, names, ["places", at])
    for at, spot in enumerate(spec.spots):
        yield from _iter_unknown_names_in_spec(layout, spot, names, ["spots", at])
    for at, score in enumerate(spec.scores):
        yield from _iter_unknown_names_in_spec(layout, score, {*names, "seat"}, ["scores", at])
    actions = {action.name: action for action in game.actions}
    for name, throw in spec.throws.items():
        if name in actions:
            thrown = {param.local.name for param in actions[name].params}
            yield from _iter_unknown_names_in_spec(layout, throw, names | thrown, ["throws", name])


def _iter_unknown_names_in_spec(
    layout: TableLayout, spec: BaseModel, names: set[str], path: SpecPath
) -> Iterator[Finding]:
    """Yield what is wrong in one entry. The names of its `each` are known in what follows them."""
    names = set(names)
    for name, items in getattr(spec, "each", {}).items():
        yield from _iter_unknown_names_in_value(layout, items, names, [*path, "each", name])
        names.add(name)
    for name, field in type(spec).model_fields.items():
        if name != "each":
            yield from _iter_unknown_names_in_value(
                layout, getattr(spec, name), names, [*path, field.alias or name]
            )


def _iter_unknown_names_in_value(
    layout: TableLayout, value: Any, names: set[str], path: SpecPath
) -> Iterator[Finding]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _iter_unknown_names_in_value(layout, item, names, [*path, key])
    elif isinstance(value, list | tuple):
        for at, item in enumerate(value):
            yield from _iter_unknown_names_in_value(layout, item, names, [*path, at])
    else:
        for used, source in _iter_expressions(value):
            for name in sorted(used - names):
                yield layout.make_finding(
                    "PP622", path, f"there is no field {name!r} here", did_you_mean(name, names)
                )
            yield from _iter_unknown_literals(layout, source, path)


def _iter_expressions(value: object) -> Iterator[tuple[frozenset[str], str]]:
    """Yield the names and the source of each expression in a value."""
    if isinstance(value, Template):
        value = [part[0] for part in value.parts if not isinstance(part, str)]
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, Expression | Number):
            yield each.names, each.source


def _iter_unknown_literals(layout: TableLayout, source: str, path: SpecPath) -> Iterator[Finding]:
    """Yield the fields and kinds that calls name as text and that do not exist."""
    fields = {field.name for field in layout.game.fields} | set(layout.spec.sometimes)
    kinds = layout.kinds
    for call in ast.walk(ast.parse(source.strip() or "None", mode="eval")):
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.args):
            continue
        first = call.args[0]
        if not (isinstance(first, ast.Constant) and isinstance(first.value, str)):
            continue
        what, there = ("field", fields) if call.func.id in _OF_FIELDS else ("kind", kinds)
        if call.func.id in (*_OF_FIELDS, "ids", "named") and first.value not in there:
            message = f"`{call.func.id}` names the {what} {first.value!r}, which does not exist"
            yield layout.make_finding("PP622", path, message, did_you_mean(first.value, there))


def _iter_unknown_components(layout: TableLayout) -> Iterator[Finding]:
    """Yield the components that are named without holes and do not exist."""
    spec, components = layout.spec, layout.components
    named: list[tuple[SpecPath, Any]] = [
        (["surfaces", name, "card"], each.card) for name, each in spec.surfaces.items()
    ]
    named += [(["places", at, "piece"], each.piece) for at, each in enumerate(spec.places)]
    named += [(["throws", name, "die"], each.die) for name, each in spec.throws.items()]
    for path, template in named:
        if template is None or not any(isinstance(part, str) for part in template.parts):
            continue  # nothing of the name is written here
        pattern = "".join(re.escape(part) if isinstance(part, str) else ".*" for part in template.parts)
        if not any(re.fullmatch(pattern, ident) for ident in components):
            hint = did_you_mean(template.source, components)
            yield layout.make_finding("PP624", path, f'there is no component "{template.source}"', hint)
