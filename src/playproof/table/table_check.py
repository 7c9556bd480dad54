"""Checks `table.yaml`: every name that it uses exists, and every place of the rules lies on paper or
in a hand."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from pydantic import BaseModel

from playproof.database.errors import Finding, InputError, Where, did_you_mean
from playproof.generator.build.products import find_language_mismatches
from playproof.generator.layout.expression import Expression, Number, Template
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.language import Sees
from playproof.referee.match import Match
from playproof.referee.variant import Variant
from playproof.referee.view import View, list_drawn_fields
from playproof.table.scene import Surface, TablePiece
from playproof.table.table_layout import DiceThrow, NoTable, SpecPath, TableLayout

# -- every place ---------------------------------------------------------------------------------------------
# Check that every place of the rules lies on paper or in a hand. `lint` uses it, and a test for every game.

STEPS = 40
"""Moves of the random game whose states are laid. Names are checked without a state."""


def check_table(variant: Variant, looks: LayoutRenderer | None = None) -> list[Finding]:
    """Return all findings on the table of a game under its options; empty if it has no table.

    `looks` are the game's looks if they have been read already.
    """
    try:
        spread = TableLayout(variant, looks)
    except NoTable:
        return []
    except InputError as error:
        return list(error.findings)
    wrong = find_unknown_names(spread)
    if wrong:  # no state can be laid
        return wrong
    findings = [
        *_check_all_fields_shown(spread),
        *_check_throws(spread, variant.play.start()),
        *_check_random_game(spread),
        *iter_title_language_findings(spread),
    ]
    return list(dict.fromkeys(findings))  # a throw and a state meet the same mistake


def _check_random_game(layout: TableLayout) -> Iterator[Finding]:
    """Yield what cannot be laid in the states of a random game, and the pieces that lie beside their surface."""
    match, dice = Match(layout.variant, 0), Random(0)
    places = set[Where]()
    for _ in range(STEPS):
        match.settle()
        for finding in _check_state(layout, match.state):
            if finding.where not in places:
                places.add(finding.where)
                yield finding
        if match.over:
            return
        match.apply(dice.choice(match.play.legal(match.state)))


def _is_on_surface(piece: TablePiece, surface: Surface) -> bool:
    """Return whether a piece lies at least partly on its surface: cards may be tucked under a mat.
    Half of its shorter side reaches that far, whichever way it is turned."""
    reach = min(piece.width, piece.height) / 2
    return -reach <= piece.x <= surface.width + reach and -reach <= piece.y <= surface.height + reach


def _check_state(layout: TableLayout, state: Sequence[int]) -> Iterator[Finding]:
    try:
        scene = layout.make_scene(state)
    except InputError as error:
        yield from error.findings
        return
    surfaces = {surface.key: surface for surface in scene.surfaces}
    for piece in scene.pieces:
        surface = surfaces[piece.surface]
        if not _is_on_surface(piece, surface):
            place = int(piece.key[1:].partition(".")[0])  # `p3.0`: of the fourth place
            message = f"{piece.picture.component} lies beside its surface `{surface.key}` at {piece.x:g}, {piece.y:g}"
            size = f"it is {surface.width:g} x {surface.height:g} mm"
            yield layout.make_finding("PP628", ["places", place], message, size)


def _check_all_fields_shown(layout: TableLayout) -> Iterator[Finding]:
    """Yield a finding for each field that somebody sees and that the table shows nowhere."""
    accounted = layout.list_shown_fields() | set(layout.spec.off)
    for field in list_drawn_fields(layout.game):
        if field.sees is not Sees.NOBODY and field.name not in accounted:
            message = (
                f"`{field.name}` lies nowhere: expected it in a place's `shows`, or in `off` with the reason"
            )
            yield Finding("PP626", layout.node.get_nearest(["places"]).where, message)


def _check_throws(layout: TableLayout, state: Sequence[int]) -> Iterator[Finding]:
    """Yield the first mistake of each throw: every value that chance may throw is laid once."""
    wrong: set[str] = set()
    view = View.of(layout.game, state, None)
    for _, action, values in layout.game.iter_ground_actions():
        if action.name not in layout.spec.throws or action.name in wrong:
            continue
        named = {param.local.name: value for param, value in zip(action.params, values, strict=True)}
        try:
            layout.lay_out_view(view, [DiceThrow(action.name, named)])
        except InputError as error:
            wrong.add(action.name)
            yield from error.findings


# -- named things --------------------------------------------------------------------------------------------
# Checks `table.yaml` without a state: every name that it uses exists, also where no game has come yet.

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
