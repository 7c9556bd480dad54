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

from playproof.database.errors import Finding, InputError, Where, make_nearest_or_possible_words_hint
from playproof.generator.build.products import iter_missing_or_extra_language_warnings
from playproof.generator.layout.expression import Expression, Number, Template
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.language import Sees
from playproof.referee.match import Match
from playproof.referee.variant import Variant
from playproof.referee.view import View, list_fields_drawn_on_table
from playproof.table.scene import Surface, TablePiece
from playproof.table.table_layout import DiceThrow, NoTable, SpecPath, TableLayout

# -- every place ---------------------------------------------------------------------------------------------
# Check that every place of the rules lies on paper or in a hand. `lint` uses it, and a test for every game.

STEPS = 40
"""Moves of the random game whose states are laid. Names are checked without a state."""


def list_findings_on_table_yaml(variant: Variant, layout_renderer: LayoutRenderer | None = None) -> list[Finding]:
    """Return all findings on the table of a game under its options; empty if it has no table.

    `layout_renderer` are the game's looks if they have been read already.
    """
    try:
        spread = TableLayout(variant, layout_renderer)
    except NoTable:
        return []
    except InputError as error:
        return list(error.findings)
    wrong = list_findings_of_unknown_names(spread)
    if wrong:  # no state can be laid
        return wrong
    findings = [
        *_iter_findings_of_fields_shown_nowhere(spread),
        *_iter_findings_of_dice_throws(spread, variant.play.start()),
        *_iter_findings_in_random_game(spread),
        *iter_findings_of_title_languages(spread),
    ]
    return list(dict.fromkeys(findings))  # a throw and a state meet the same mistake


def _iter_findings_in_random_game(layout: TableLayout) -> Iterator[Finding]:
    """Yield what cannot be laid in the states of a random game, and the pieces that lie beside their surface."""
    match, dice = Match(layout.variant, 0), Random(0)
    places = set[Where]()
    for _ in range(STEPS):
        match.settle()
        for finding in _iter_findings_of_laid_state(layout, match.state):
            if finding.where not in places:
                places.add(finding.where)
                yield finding
        if match.over:
            return
        match.apply(dice.choice(match.play.legal(match.state)))


def _is_piece_partly_on_surface(piece: TablePiece, surface: Surface) -> bool:
    """Return whether a piece lies at least partly on its surface: cards may be tucked under a mat.
    Half of its shorter side reaches that far, whichever way it is turned."""
    reach = min(piece.width, piece.height) / 2
    return -reach <= piece.x <= surface.width + reach and -reach <= piece.y <= surface.height + reach


def _iter_findings_of_laid_state(layout: TableLayout, state: Sequence[int]) -> Iterator[Finding]:
    try:
        scene = layout.make_scene_seen_by_seat(state)
    except InputError as error:
        yield from error.findings
        return
    surfaces = {surface.key: surface for surface in scene.surfaces}
    for piece in scene.pieces:
        surface = surfaces[piece.surface]
        if not _is_piece_partly_on_surface(piece, surface):
            place = int(piece.key[1:].partition(".")[0])  # `p3.0`: of the fourth place
            message = f"{piece.picture.component} lies beside its surface `{surface.key}` at {piece.x:g}, {piece.y:g}"
            size = f"it is {surface.width:g} x {surface.height:g} mm"
            yield layout.make_finding("PP628", ["places", place], message, size)


def _iter_findings_of_fields_shown_nowhere(layout: TableLayout) -> Iterator[Finding]:
    """Yield a finding for each field that somebody sees and that the table shows nowhere."""
    accounted = layout.list_names_of_shown_fields() | set(layout.spec.off)
    for field in list_fields_drawn_on_table(layout.game):
        if field.sees is not Sees.NOBODY and field.name not in accounted:
            message = f"`{field.name}` lies nowhere: expected it in a place's `shows`, or in `off` with the reason"
            yield Finding("PP626", layout.node.get_node_or_nearest_ancestor(["places"]).where, message)


def _iter_findings_of_dice_throws(layout: TableLayout, state: Sequence[int]) -> Iterator[Finding]:
    """Yield the first mistake of each throw: every value that chance may throw is laid once."""
    wrong: set[str] = set()
    view = View.of(layout.game, state, None)
    for _, action, values in layout.game.iter_ground_actions():
        if action.name not in layout.spec.throws or action.name in wrong:
            continue
        named = {param.local.name: value for param, value in zip(action.params, values, strict=True)}
        try:
            layout.make_scene_from_view(view, [DiceThrow(action.name, named)])
        except InputError as error:
            wrong.add(action.name)
            yield from error.findings


# -- named things --------------------------------------------------------------------------------------------
# Checks `table.yaml` without a state: every name that it uses exists, also where no game has come yet.

_OF_THE_STATE = ("me", "order", "alone", "quantity")
_OF_FIELDS = ("names", "word")
"""Functions whose first value names a field of the rules."""


def list_findings_of_unknown_names(layout: TableLayout) -> list[Finding]:
    """Return a finding for each name in an expression of the file that nothing defines, and for each
    component, field or kind that is named outright and does not exist."""
    return [*_iter_unknown_name_findings_of_file(layout), *_iter_findings_of_unknown_components(layout)]


def iter_findings_of_title_languages(layout: TableLayout) -> Iterator[Finding]:
    """PP629: a title has a text in each language of the game, and in no other."""
    languages = layout.variant.data.languages
    titles: list[tuple[SpecPath, Mapping[str, Any]]] = [
        (["surfaces", name, "title"], each.title) for name, each in layout.spec.surfaces.items() if each.title
    ]
    titles += [(["scores", at, "title"], each.title) for at, each in enumerate(layout.spec.scores)]
    for path, title in titles:
        yield from (
            replace(finding, code="PP629")
            for finding in iter_missing_or_extra_language_warnings(
                title, layout.node.get_node_or_nearest_ancestor(path), languages
            )
        )


def _iter_unknown_name_findings_of_file(layout: TableLayout) -> Iterator[Finding]:
    spec, game = layout.spec, layout.game
    names = {*layout.lasting, *_OF_THE_STATE, *spec.sometimes, *(field.name for field in game.fields)}
    for name, expression in spec.let.items():
        yield from _iter_findings_of_unknown_names_in_value(layout, expression, names, ["let", name])
        names.add(name)
    for name, surface in spec.surfaces.items():
        yield from _iter_findings_of_unknown_names_in_spec(layout, surface, names, ["surfaces", name])
    for at, place in enumerate(spec.places):
        if any(map(layout.has_game_field, place.shows)):  # other options have other fields
            yield from _iter_findings_of_unknown_names_in_spec(layout, place, names, ["places", at])
    for at, spot in enumerate(spec.spots):
        yield from _iter_findings_of_unknown_names_in_spec(layout, spot, names, ["spots", at])
    for at, score in enumerate(spec.scores):
        yield from _iter_findings_of_unknown_names_in_spec(layout, score, {*names, "seat"}, ["scores", at])
    actions = {action.name: action for action in game.actions}
    for name, throw in spec.throws.items():
        if name in actions:
            thrown = {param.local.name for param in actions[name].params}
            yield from _iter_findings_of_unknown_names_in_spec(layout, throw, names | thrown, ["throws", name])


def _iter_findings_of_unknown_names_in_spec(
    layout: TableLayout, entry_spec: BaseModel, known_names: set[str], spec_path: SpecPath
) -> Iterator[Finding]:
    """Yield what is wrong in one entry. The names of its `each` are known in what follows them."""
    known_names = set(known_names)
    for name, items in getattr(entry_spec, "each", {}).items():
        yield from _iter_findings_of_unknown_names_in_value(layout, items, known_names, [*spec_path, "each", name])
        known_names.add(name)
    for name, field in type(entry_spec).model_fields.items():
        if name != "each":
            yield from _iter_findings_of_unknown_names_in_value(
                layout, getattr(entry_spec, name), known_names, [*spec_path, field.alias or name]
            )


def _iter_findings_of_unknown_names_in_value(
    layout: TableLayout, spec_value: Any, known_names: set[str], spec_path: SpecPath
) -> Iterator[Finding]:
    if isinstance(spec_value, Mapping):
        for key, item in spec_value.items():
            yield from _iter_findings_of_unknown_names_in_value(layout, item, known_names, [*spec_path, key])
    elif isinstance(spec_value, list | tuple):
        for at, item in enumerate(spec_value):
            yield from _iter_findings_of_unknown_names_in_value(layout, item, known_names, [*spec_path, at])
    else:
        for used, source in _iter_names_and_source_of_expressions(spec_value):
            for name in sorted(used - known_names):
                yield layout.make_finding(
                    "PP622",
                    spec_path,
                    f"there is no field {name!r} here",
                    make_nearest_or_possible_words_hint(name, known_names),
                )
            yield from _iter_findings_of_unknown_literals(layout, source, spec_path)


def _iter_names_and_source_of_expressions(spec_value: object) -> Iterator[tuple[frozenset[str], str]]:
    """Yield the names and the source of each expression in a value."""
    if isinstance(spec_value, Template):
        spec_value = [part[0] for part in spec_value.parts if not isinstance(part, str)]
    for each in spec_value if isinstance(spec_value, list) else [spec_value]:
        if isinstance(each, Expression | Number):
            yield each.names, each.source


def _iter_findings_of_unknown_literals(
    layout: TableLayout, expression_source: str, spec_path: SpecPath
) -> Iterator[Finding]:
    """Yield the fields and kinds that calls name as text and that do not exist."""
    fields = {field.name for field in layout.game.fields} | set(layout.spec.sometimes)
    kinds = layout.kinds
    for call in ast.walk(ast.parse(expression_source.strip() or "None", mode="eval")):
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.args):
            continue
        first = call.args[0]
        if not (isinstance(first, ast.Constant) and isinstance(first.value, str)):
            continue
        what, there = ("field", fields) if call.func.id in _OF_FIELDS else ("kind", kinds)
        if call.func.id in (*_OF_FIELDS, "ids", "named") and first.value not in there:
            message = f"`{call.func.id}` names the {what} {first.value!r}, which does not exist"
            yield layout.make_finding(
                "PP622", spec_path, message, make_nearest_or_possible_words_hint(first.value, there)
            )


def _iter_findings_of_unknown_components(layout: TableLayout) -> Iterator[Finding]:
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
            hint = make_nearest_or_possible_words_hint(template.source, components)
            yield layout.make_finding("PP624", path, f'there is no component "{template.source}"', hint)
