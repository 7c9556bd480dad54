"""From a state, as one seat sees it, to the table: the one function that puts a game on its printed
places.

Expressions of `table.yaml` are evaluated over what the seat sees and nothing else. A hidden cell is
None before the first expression reads it, so no place can show what its seat may not know."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from math import ceil, floor
from typing import Any, TypeVar

from playproof.database.components import Component
from playproof.database.effect_text import made_text
from playproof.database.errors import Finding, InputError, Where, make_nearest_or_possible_words_hint
from playproof.generator.layout.expression import ExpressionError, Scope
from playproof.generator.layout.layout_files import SIDES
from playproof.generator.layout.layout_renderer import PANEL, LayoutRenderer
from playproof.generator.layout.views import ComponentViewer
from playproof.language import CHANCE
from playproof.language.fields import Field
from playproof.language.game import Game
from playproof.referee.match import Match
from playproof.referee.notation import seat_names, strip_markup_and_name_icons
from playproof.referee.observations import get_cached_observation_model
from playproof.referee.variant import Variant
from playproof.referee.view import DisplayFacts, View
from playproof.table.piece_cache import PieceCache, ViewScope
from playproof.table.scene import CardWords, Crop, Picture, Scene, Score, Spot, Surface, TablePiece
from playproof.table.spec import (
    PlaceSpec,
    Rounds,
    SpotSpec,
    SurfaceSpec,
    iter_paths_and_surface_names,
    read_table_yaml_of_layouts,
)

_T = TypeVar("_T")
SpecPath = Sequence[str | int]  # from the top of the file to an entry
_DIE_SIDES = tuple(f"face-{at}" for at in range(6))
_MISTYPED = 0.75  # how alike two names are, at least, if one is a slip of the pen
_MISTYPED_ACTION = 0.6  # fewer actions are like one another
_GAP = 1.5  # mm between pieces that share a box


class NoTable(LookupError):
    """The game has no `table.yaml`, so its state has no places on a table."""


@dataclass(frozen=True, slots=True)
class _EachIteration:
    """One iteration of an `each`: a key and the values of its names."""

    key: str
    scope: dict[str, Any]


@dataclass(frozen=True, slots=True)
class DiceThrow:
    """A throw by chance that everybody saw: its action and the parameters."""

    action: str
    values: Mapping[str, int]


def list_public_dice_throws_since_choice(match: Match, step_count: int | None = None) -> list[DiceThrow]:
    """Return chance's throws, after so many steps (None: all), since anybody acted, that
    everybody saw."""
    throws, witness = list[DiceThrow](), get_cached_observation_model(match.game)
    for step in reversed(match.steps[:step_count]):
        if step.actor != CHANCE:
            break
        if not witness.can_action_be_heard_incompletely(step.ident):
            action = match.game.get_action_of_ground_action_number(step.ident)
            values = zip(action.params, action.get_values_of_ground_action(step.ident), strict=True)
            throws.append(DiceThrow(action.name, {p.local.name: value for p, value in values}))
    return throws


class TableLayout:
    """A game's table. `make_scene_seen_by_seat(state, seat)` lays it out; one object serves any number of states."""

    def __init__(self, variant: Variant, looks: LayoutRenderer | None = None, language: str = "en") -> None:
        """Read the game's `table.yaml`. Raises NoTable, or InputError with every mistake in the
        file."""
        if variant.data is None:
            raise NoTable(f"{variant.title} has no cards, so it has no printed table")
        self.variant, self.language = variant, language
        self.card_words = CardWords(variant, language)
        self.looks = looks or LayoutRenderer(variant.data, rulings=variant.rulings)
        table = read_table_yaml_of_layouts(self.looks.folder)
        if table is None:
            raise NoTable(f"{variant.title} has no table.yaml in its layouts")
        self.spec, self.node = table
        self.look = DisplayFacts.from_game(variant.game)
        self._sided = set[tuple[str, str]]()  # components and sides that are there
        self._sizes: dict[tuple[str, str, Crop | None], tuple[float, float]] = {}
        self.lasting = self._build_scope_of_constant_names()
        self._kept = PieceCache(variant.game, self.spec.let)
        self.refuse_unknown_names_in_table_yaml()

    @property
    def game(self) -> Game:
        """The description of the game."""
        return self.variant.game

    @property
    def components(self) -> Mapping[str, Component]:
        """The components of the game, by id."""
        components: Mapping[str, Component] = self.variant.data.components
        return components

    @property
    def kinds(self) -> Collection[str]:
        """The kinds of component that the game's vocabulary has."""
        kinds: Collection[str] = self.variant.data.vocabulary.kinds
        return kinds

    def make_finding(self, code: str, path: SpecPath, message: str, hint: str = "") -> Finding:
        """Return a finding at a place of the file."""
        return Finding(code, self._get_place_in_table_yaml(path), message, hint)

    # -- the function ---------------------------------------------------------------------------------------

    def make_scene_seen_by_seat(self, state: Sequence[int], seat: int | None = None) -> Scene:
        """Return the table as `seat` sees it (None: everything, as the referee does)."""
        return self.make_scene_from_view(View.of(self.game, state, seat))

    def make_scene_from_view(self, view: View, throws: Sequence[DiceThrow] = (), reader_key: Hashable = None) -> Scene:
        """Return the table of a view, with the dice just thrown. Raises InputError at the place
        in `table.yaml` that cannot be evaluated.

        `reader_key` is whose view it is; each reader's results are remembered apart.
        """
        moment, cache = ViewScope(view, self._make_expression_scope_of_view, reader_key), self._kept
        surfaces = cache.get_cached_or_make_for_cells_read(
            "surfaces", self.spec.surfaces, moment, lambda scope: {s.key: s for s in self._iter_surfaces(scope)}
        )
        keys = tuple(surfaces)
        pieces: list[TablePiece] = []
        for at, place in enumerate(self.spec.places):
            there = _make_function_returning_tuple(partial(self._iter_pieces_of_place, at, place, surfaces))
            pieces += cache.get_cached_or_make_for_cells_read(("place", at), place, moment, there, keys)
        for number, throw in enumerate(throws):
            pieces += self._iter_dice_pieces_of_throw(number, throw, moment.scope, surfaces)
        spots: list[Spot] = []
        for at, spec in enumerate(self.spec.spots):
            open_here = _make_function_returning_tuple(partial(self._iter_spots_of_entry, at, spec, surfaces))
            spots += cache.get_cached_or_make_for_cells_read(("spot", at), spec, moment, open_here, keys)
        scores = cache.get_cached_or_make_for_cells_read(
            "scores", self.spec.scores, moment, lambda scope: tuple(self._iter_scores(scope))
        )
        width = max((s.x + s.width for s in surfaces.values()), default=0.0)
        height = max((s.y + s.height for s in surfaces.values()), default=0.0)
        return Scene(width, height, tuple(surfaces.values()), tuple(pieces), tuple(spots), scores)

    # -- checks without a state -----------------------------------------------------------------------------

    def refuse_unknown_names_in_table_yaml(self) -> None:
        """Raise InputError if `table.yaml` names fields that the rules do not have or that it does
        not show."""
        names = {field.name for field in self.game.fields} | set(self.spec.sometimes)
        findings = []
        for at, place in enumerate(self.spec.places):
            for n, name in enumerate(place.shows):
                if name not in names:
                    where, hint = (
                        self._get_place_in_table_yaml(["places", at, "shows", n]),
                        make_nearest_or_possible_words_hint(name, names),
                    )
                    findings.append(Finding("PP621", where, f"the rules have no field `{name}`", hint))
        with_places = self.list_names_of_shown_fields()
        for n, name in enumerate(self.spec.sometimes):
            if name not in with_places:
                where, hint = (
                    self._get_place_in_table_yaml(["sometimes", n]),
                    make_nearest_or_possible_words_hint(name, with_places),
                )
                findings.append(Finding("PP621", where, f"no place shows a field `{name}`", hint))
        findings += [*self._iter_findings_of_mistyped_names(), *self._iter_findings_of_unknown_surfaces()]
        if findings:
            raise InputError(findings)

    def _iter_findings_of_mistyped_names(self) -> Iterator[Finding]:
        """Yield the names of `off` and `throws` that are nearly a name the file says nothing of.

        Another unknown name may belong to the rules under other options, which share the file.
        """
        fields = {field.name for field in self.game.fields}
        actions = {action.name for action in self.game.actions}
        for key, what, names, mentioned, alike in (
            ("off", "field", fields, self.list_names_of_shown_fields() | set(self.spec.off), _MISTYPED),
            ("throws", "action", actions, set(self.spec.throws), _MISTYPED_ACTION),
        ):
            for name in getattr(self.spec, key):
                near = get_close_matches(name, sorted(names - mentioned), 1, alike)
                if name not in names and near:
                    message = f"the rules have no {what} `{name}`"
                    yield Finding(
                        "PP621",
                        self._get_place_in_table_yaml([key, name]),
                        message,
                        make_nearest_or_possible_words_hint(name, near),
                    )

    def _iter_findings_of_unknown_surfaces(self) -> Iterator[Finding]:
        """Yield the surfaces that are named outright and do not exist. A name with holes is known
        only at the table."""
        surfaces = self.spec.surfaces
        entries: list[tuple[SpecPath, Any]] = [(["places", at], spec.on) for at, spec in enumerate(self.spec.places)]
        entries += [(["spots", at], spec.on) for at, spec in enumerate(self.spec.spots)]
        entries += [(["throws", name], spec.on) for name, spec in self.spec.throws.items()]
        for path, on in entries:
            if on.constant and (name := str(on.evaluate_to_value_or_text({}))).partition(".")[0] not in surfaces:
                yield self._make_no_surface_finding([*path, "on"], name)
        for screen, tree in self.spec.screens.items():
            for path, leaf in iter_paths_and_surface_names(tree, ("screens", screen)):
                if (name := leaf.partition(".")[0]) not in surfaces:
                    yield self._make_no_surface_finding(path, name)

    def _make_no_surface_finding(self, path: SpecPath, surface_name: str) -> Finding:
        hint = make_nearest_or_possible_words_hint(surface_name, self.spec.surfaces)
        return Finding("PP627", self._get_place_in_table_yaml(path), f"the table has no surface `{surface_name}`", hint)

    def list_names_of_shown_fields(self) -> set[str]:
        """Return the names of all fields that a place or a title shows."""
        of_places = {name for place in self.spec.places for name in place.shows}
        return of_places | {name for surface in self.spec.surfaces.values() for name in surface.shows}

    # -- what expressions may name --------------------------------------------------------------------------

    def _build_scope_of_constant_names(self) -> dict[str, Any]:
        """Return the names that are the same in every state."""
        game, data = self.game, self.variant.data
        viewer = ComponentViewer(data, self.language, self.variant.rulings)
        by_name: dict[tuple[str, str], str] = {}
        for component in data.components.values():
            by_name.setdefault((component.kind, component.name), component.id)
        fields = {field.name: field for field in game.fields}

        def named(kind: str, name: str) -> str:
            """Return the id of the component of a kind with this English name."""
            if (kind, name) not in by_name:
                names = [names for known_kind, names in by_name if known_kind == kind]
                raise ExpressionError(
                    f"there is no {kind} called {name!r}", make_nearest_or_possible_words_hint(name, names)
                )
            return by_name[kind, name]

        def names(field: str) -> Sequence[str]:
            """Return the names of an array's places along its last dimension."""
            held = fields[field]
            return self.look.get_declared_place_names_or_none(held, len(held.shape) - 1) or [
                str(n) for n in range(held.shape[-1])
            ]

        def word(field: str, value: int | None) -> str:
            """Return a value of a field in words, without the part in brackets."""
            return self.look.format_field_value(fields[field], value).partition(" (")[0]

        return {
            **viewer.functions,
            "printed": self._format_printed_effects,
            "tables": self.spec.tables,
            "rulings": viewer.rulings,
            "facts": {**game.facts, **game.facts.get("own", {})},
            "players": game.players,
            "options": dict(self.variant.options),
            "seats": seat_names(game),
            "has": fields.keys().__contains__,
            "named": named,
            "names": names,
            "word": word,
            "ids": lambda kind: [c.id for c in data.of_kind(kind)],
            "seen": lambda value: value is not None,
            "index": lambda values, value: list(values).index(value),
            "at": _get_item_or_default,
            "rank": _count_earlier_equal_items,
            "distinct": lambda values: list(dict.fromkeys(values)),
            "where_in": lambda values, value: [n for n, item in enumerate(values) if item == value],
            "face_of": lambda die, value: [face["value"] for face in data.components[die].get("faces")].index(value),
            "sum": lambda values: sum(v for v in values if v is not None),
            "list": list,
            "abs": abs,
            "unseen": lambda values: all(v is None for v in values),
        }

    def _format_printed_effects(self, ident: str, *path: str | int) -> str:
        """Return in words the effects that a component prints at a place of its fields."""
        if ident not in self.components:
            raise ExpressionError(
                f'there is no component "{ident}"', make_nearest_or_possible_words_hint(ident, self.components)
            )
        value: Any = self.components[ident].fields
        for step in path:
            try:
                value = value[step]
            except (LookupError, TypeError):
                raise ExpressionError(f"{ident} has nothing at {'.'.join(map(str, path))}") from None
        return strip_markup_and_name_icons(made_text(value, self.variant.data.vocabulary, self.language, style="words"))

    def _make_expression_scope_of_view(self, view: View) -> dict[str, Any]:
        me = 0 if view.seat is None else view.seat
        cells = {field.name: _nest_cells_of_field_by_shape(field, view.cells) for field in self.game.fields}
        order = [(me + n) % self.game.players for n in range(self.game.players)]

        def quantity(name: str) -> int | None:
            """Return a quantity of the rules; None while anything is hidden from the reader."""
            if name not in self.game.quantities:
                raise ExpressionError(
                    f"the rules have no quantity {name!r}",
                    make_nearest_or_possible_words_hint(name, self.game.quantities),
                )
            cells = [cell for cell in view.cells if cell is not None]
            return self.variant.play.quantity(name, cells) if len(cells) == len(view.cells) else None

        ours = {"me": me, "order": order, "alone": self.game.players == 1, "quantity": quantity}
        scope = {**self.lasting, **cells, **ours}
        for name, expression in self.spec.let.items():
            scope[name] = self._evaluate_or_raise_at_place(expression, scope, ["let", name])
        return scope

    def _iter_combinations_of_each_values(
        self, each_lists: Rounds, scope: dict[str, Any], path: SpecPath
    ) -> Iterator[_EachIteration]:
        """Yield every combination of the values of an `each_lists`; the first name varies slowest."""
        if not each_lists:
            yield _EachIteration("", scope)
            return
        (name, items), *rest = each_lists.items()
        for value in self._evaluate_or_raise_at_place(items, scope, [*path, "each", name]):
            for inner in self._iter_combinations_of_each_values(dict(rest), {**scope, name: value}, path):
                yield _EachIteration(f".{value}{inner.key}", inner.scope)

    def _iter_combinations_meeting_condition(
        self, spec: SurfaceSpec | PlaceSpec | SpotSpec, scope: dict[str, Any], path: SpecPath
    ) -> Iterator[_EachIteration]:
        """Yield the iterations whose condition holds."""
        for turn in self._iter_combinations_of_each_values(spec.each, scope, path):
            if spec.condition is None or self._evaluate_or_raise_at_place(spec.condition, turn.scope, [*path, "if"]):
                yield turn

    def _evaluate_or_raise_at_place(self, expression: Any, scope: Scope, path: SpecPath) -> Any:
        """Return the value of an expression, template or number. Raises InputError with its
        place if that fails."""
        try:
            return (
                expression.evaluate_to_value_or_text(scope)
                if hasattr(expression, "evaluate_to_value_or_text")
                else expression(scope)
            )
        except ExpressionError as error:
            raise InputError.from_single_finding(
                "PP622", self._get_place_in_table_yaml(path), str(error), error.hint
            ) from None

    def _evaluate_numbers_or_raise_at_place(
        self, expressions: Sequence[Any], scope: Scope, path: SpecPath
    ) -> list[float]:
        return [self._evaluate_or_raise_at_place(number, scope, path) for number in expressions]

    def _evaluate_positive_box_or_raise(
        self, expressions: Sequence[Any], scope: Scope, path: SpecPath
    ) -> tuple[float, ...]:
        """Return a box, with what follows it. Raises InputError if its width or height is not above 0."""
        box = tuple(self._evaluate_numbers_or_raise_at_place(expressions, scope, path))
        if min(box[2:]) <= 0:
            sizes = " x ".join(f"{number:g}" for number in box[2:])
            raise InputError([self.make_finding("PP622", path, f"expected sizes above 0, found {sizes}")])
        return box

    def _get_place_in_table_yaml(self, path: SpecPath) -> Where:
        return self.node.get_node_or_nearest_ancestor(path).where

    # -- surfaces -------------------------------------------------------------------------------------------

    def _iter_surfaces(self, scope: dict[str, Any]) -> Iterator[Surface]:
        for name, spec in self.spec.surfaces.items():
            path: SpecPath = ("surfaces", name)
            for turn in self._iter_combinations_meeting_condition(spec, scope, path):
                yield self._make_surface(name + turn.key, spec, turn.scope, path)

    def _make_surface(self, surface_key: str, spec: SurfaceSpec, scope: dict[str, Any], path: SpecPath) -> Surface:
        x, y = self._evaluate_numbers_or_raise_at_place(spec.at, scope, [*path, "at"])
        seat = None if spec.seat is None else self._evaluate_or_raise_at_place(spec.seat, scope, [*path, "seat"])
        if seat is not None and not (isinstance(seat, int) and 0 <= seat < self.game.players):
            message = f"expected a seat from 0 to {self.game.players - 1}, found {seat}"
            raise InputError([self.make_finding("PP622", [*path, "seat"], message)])
        title = spec.title.get(self.language) or spec.title.get("en")
        card = "" if spec.card is None else str(self._evaluate_or_raise_at_place(spec.card, scope, [*path, "card"]))
        if not card:
            if spec.size is None:
                message = f"{surface_key}: expected `card`, a printed face, or `size` and `title` of a bare place"
                raise InputError.from_single_finding("PP623", self._get_place_in_table_yaml(path), message)
            width, height = self._evaluate_numbers_or_raise_at_place(spec.size, scope, [*path, "size"])
            text = str(self._evaluate_or_raise_at_place(title, scope, [*path, "title"])) if title else surface_key
            return Surface(surface_key, text, x, y, width, height, None, seat, spec.hand)
        component = self._get_component_or_raise(card, [*path, "card"])
        picture = Picture(
            component.id, self._evaluate_side_of_component_or_raise(spec.side, scope, [*path, "side"], component)
        )
        width, height = self.get_picture_size_in_mm(picture)
        text = str(self._evaluate_or_raise_at_place(title, scope, [*path, "title"])) if title else component.name
        return Surface(surface_key, text, x, y, width, height, picture, seat, spec.hand)

    # -- pieces ---------------------------------------------------------------------------------------------

    def _iter_pieces_of_place(
        self, place_index: int, spec: PlaceSpec, surfaces: Mapping[str, Surface], scope: dict[str, Any]
    ) -> Iterator[TablePiece]:
        path: SpecPath = ("places", place_index)
        shared: dict[tuple[str, tuple[float, ...]], list[TablePiece]] = {}
        if not any(self.has_game_field(name) for name in spec.shows):
            return
        for turn in self._iter_combinations_meeting_condition(spec, scope, path):
            surface = str(self._evaluate_or_raise_at_place(spec.on, turn.scope, [*path, "on"]))
            if surface not in surfaces:
                continue  # a mat that nobody has taken yet
            piece = self._make_piece(f"p{place_index}{turn.key}", spec, turn.scope, surface, path)
            if (
                piece.count == 0
                and spec.count is not None
                and self._evaluate_or_raise_at_place(spec.count, turn.scope, path) == 0
            ):
                continue
            if spec.box is None and spec.cells is None:
                yield piece
                continue
            name, numbers = ("in", spec.box) if spec.box is not None else ("cells", spec.cells or ())
            box = self._evaluate_positive_box_or_raise(numbers, turn.scope, [*path, name])
            shared.setdefault((surface, box), []).append(piece)
        step = None if spec.step is None else self._evaluate_or_raise_at_place(spec.step, scope, [*path, "step"])
        for (_, box), pieces in shared.items():
            yield from (
                iter_pieces_packed_in_rows(pieces, box, step)
                if spec.cells is None
                else iter_pieces_placed_in_grid_cells(pieces, box)
            )

    def has_game_field(self, field_name: str) -> bool:
        """Return whether the game, under its options, has this field."""
        return any(field.name == field_name for field in self.game.fields)

    def _make_piece(
        self, piece_key: str, spec: PlaceSpec, scope: dict[str, Any], surface_key: str, path: SpecPath
    ) -> TablePiece:
        component = self._get_component_or_raise(
            str(self._evaluate_or_raise_at_place(spec.piece, scope, [*path, "piece"])), [*path, "piece"]
        )
        crop = None
        if spec.crop is not None:
            x, y, width, height = self._evaluate_numbers_or_raise_at_place(spec.crop, scope, [*path, "crop"])
            crop = (x, y, width, height)
        picture = Picture(
            component.id, self._evaluate_side_of_component_or_raise(spec.side, scope, [*path, "side"], component), crop
        )
        scale = self._evaluate_or_raise_at_place(spec.scale, scope, [*path, "scale"])
        if scale <= 0:
            raise InputError(
                [self.make_finding("PP622", [*path, "scale"], f"expected a scale above 0, found {scale:g}")]
            )
        width, height = (side * scale for side in self.get_picture_size_in_mm(picture))
        x, y = self._evaluate_numbers_or_raise_at_place(spec.at, scope, [*path, "at"]) if spec.at else (0.0, 0.0)
        count = None
        if spec.count is not None:
            counted = self._evaluate_or_raise_at_place(spec.count, scope, [*path, "count"])
            count = 0 if counted is None else int(counted)
        words = (
            component.name,
            *(str(self._evaluate_or_raise_at_place(w, scope, [*path, "words"])) for w in spec.words),
        )
        name = component.name if picture.side == "front" or len(words) == 1 else words[1]
        if picture.side == "back":  # a card face down is not called by its name
            words, name = words[1:], (words[1] if len(words) > 1 else "face-down card")
        elif spec.name is not None:
            name = str(self._evaluate_or_raise_at_place(spec.name, scope, [*path, "name"]))
        turn = self._evaluate_or_raise_at_place(spec.turn, scope, [*path, "turn"])
        return TablePiece(
            piece_key,
            surface_key,
            picture,
            name,
            x,
            y,
            width,
            height,
            turn,
            count,
            tuple(w for w in words if w),
            tuple(spec.shows),
        )

    def _iter_scores(self, scope: dict[str, Any]) -> Iterator[Score]:
        for at, spec in enumerate(self.spec.scores):
            title = spec.title.get(self.language) or next(iter(spec.title.values()))
            for seat in range(self.game.players):
                inner = {**scope, "seat": seat}
                value = self._evaluate_or_raise_at_place(spec.value, inner, ["scores", at, "value"])
                if value is not None:
                    yield Score(
                        seat, str(self._evaluate_or_raise_at_place(title, inner, ["scores", at, "title"])), str(value)
                    )

    def _iter_dice_pieces_of_throw(
        self, throw_index: int, throw: DiceThrow, scope: dict[str, Any], surfaces: Mapping[str, Surface]
    ) -> Iterator[TablePiece]:
        """Yield the dice of an action of chance, if the file says that it throws dice."""
        spec = self.spec.throws.get(throw.action)
        if spec is None or spec.on(scope) not in surfaces:
            return
        path: SpecPath = ("throws", throw.action)
        inner = {**scope, **throw.values}
        component = self._get_component_or_raise(
            str(self._evaluate_or_raise_at_place(spec.die, inner, [*path, "die"])), [*path, "die"]
        )
        picture = Picture(
            component.id, self._evaluate_side_of_component_or_raise(spec.side, inner, [*path, "side"], component)
        )
        x, y = self._evaluate_numbers_or_raise_at_place(spec.at, inner, [*path, "at"])
        count = (
            None if spec.count is None else int(self._evaluate_or_raise_at_place(spec.count, inner, [*path, "count"]))
        )
        width, height = self.get_picture_size_in_mm(picture)
        surface = str(self._evaluate_or_raise_at_place(spec.on, inner, [*path, "on"]))
        yield TablePiece(
            f"throw.{throw.action.replace(' ', '-')}.{throw_index}",
            surface,
            picture,
            component.name,
            x,
            y,
            width,
            height,
            0.0,
            count,
            (component.name,),
        )

    def _iter_spots_of_entry(
        self, entry_index: int, spec: SpotSpec, surfaces: Mapping[str, Surface], scope: dict[str, Any]
    ) -> Iterator[Spot]:
        path: SpecPath = ("spots", entry_index)
        for turn in self._iter_combinations_meeting_condition(spec, scope, path):
            surface = str(self._evaluate_or_raise_at_place(spec.on, turn.scope, [*path, "on"]))
            if surface in surfaces:
                x, y, width, height = self._evaluate_positive_box_or_raise(spec.box, turn.scope, [*path, "box"])
                words = tuple(
                    str(self._evaluate_or_raise_at_place(w, turn.scope, [*path, "words"])) for w in spec.words
                )
                prints = spec.prints and self._evaluate_or_raise_at_place(spec.prints, turn.scope, [*path, "prints"])
                yield Spot(
                    f"s{entry_index}{turn.key}", surface, words[0], x, y, width, height, words, str(prints or "")
                )

    # -- components and their sizes -------------------------------------------------------------------------

    def _get_component_or_raise(self, component_id: str, path: SpecPath) -> Component:
        components: Mapping[str, Component] = self.variant.data.components
        if component_id not in components:
            message = f'there is no component "{component_id}"'
            raise InputError.from_single_finding(
                "PP624",
                self._get_place_in_table_yaml(path),
                message,
                make_nearest_or_possible_words_hint(component_id, components),
            )
        return components[component_id]

    def _evaluate_side_of_component_or_raise(
        self, side: Any, scope: Scope, path: SpecPath, component: Component
    ) -> str:
        """Return the side of a component that is up. Raises InputError if it has no such side."""
        if side is None:
            return "front"
        word = str(self._evaluate_or_raise_at_place(side, scope, path))
        if (component.id, word) not in self._sided:
            die = self.looks.get_net_kind_or_empty(component) == "die"
            if not (word in _DIE_SIDES if die else word == PANEL or self.looks.has_side(component, word)):
                hint = "a die has face-0 to face-5" if die else make_nearest_or_possible_words_hint(word, SIDES)
                raise InputError([self.make_finding("PP622", path, f"{component.id} has no side `{word}`", hint)])
            self._sided.add((component.id, word))
        return word

    def get_picture_size_in_mm(self, picture: Picture) -> tuple[float, float]:
        """Return width and height of a picture in mm."""
        key = (picture.component, picture.side, picture.crop)
        if key not in self._sizes:
            self._sizes[key] = self._measure_picture_in_mm_or_raise(picture)
        return self._sizes[key]

    def _measure_picture_in_mm_or_raise(self, picture: Picture) -> tuple[float, float]:
        if picture.crop is not None:
            return picture.crop[2], picture.crop[3]
        component = self.variant.data.components[picture.component]
        layout = self.looks.find_layout_for_component_or_none(component, self.language)
        if layout is None:
            message = f"{component.kind} {component.id} has no layout, so it has no picture"
            raise InputError.from_single_finding("PP625", component.where, message)
        return layout.width, layout.height


def iter_pieces_packed_in_rows(
    pieces: Sequence[TablePiece], box: Sequence[float], distance: float | None = None
) -> Iterator[TablePiece]:
    """Yield the pieces in rows of a box, in order. Pieces shrink if one is too large, and overlap
    if many are too wide.

    With a `distance` they lie in one row from the left, `distance` mm from one to the next.
    """
    x, y, width, height = box
    tallest, widest = max(p.height for p in pieces), max(p.width for p in pieces)
    scale = min(1.0, height / tallest, width / widest)
    tall, wide = tallest * scale, widest * scale
    rows = 1 if distance is not None else _count_rows_for_pieces_in_box(len(pieces), (width, height), (wide, tall))
    columns = ceil(len(pieces) / rows)
    pitch = min(distance or wide + _GAP, (width - wide) / (columns - 1)) if columns > 1 else 0.0
    line = min(tall + _GAP, (height - tall) / (rows - 1)) if rows > 1 else 0.0
    top = y + (height - tall - line * (rows - 1)) / 2
    for at, piece in enumerate(pieces):
        row, column = divmod(at, columns)
        here = min(columns, len(pieces) - row * columns)
        left = x if distance is not None else x + (width - wide - pitch * (here - 1)) / 2
        yield _move_and_scale_piece(piece, left + wide / 2 + column * pitch, top + tall / 2 + row * line, scale)


def _count_rows_for_pieces_in_box(
    piece_count: int, box_size: tuple[float, float], piece_size: tuple[float, float]
) -> int:
    """Return the number of rows for so many pieces in a box: no more than fit, no more than
    needed."""
    most = max(1, floor((box_size[1] + _GAP) / (piece_size[1] + _GAP)))
    in_a_row = max(1, floor((box_size[0] + _GAP) / (piece_size[0] + _GAP)))
    return min(most, ceil(piece_count / in_a_row))


def iter_pieces_placed_in_grid_cells(pieces: Sequence[TablePiece], grid: Sequence[float]) -> Iterator[TablePiece]:
    """Yield the pieces one by one in the cells of a grid. Pieces beyond the last cell lie on the
    first ones, slightly shifted."""
    x, y, width, height, columns, rows = grid
    wide, tall = width / columns, height / rows
    for at, piece in enumerate(pieces):
        layer, cell = divmod(at, int(columns * rows))
        row, column = divmod(cell, int(columns))
        scale = min(1.0, wide / piece.width, tall / piece.height)
        yield _move_and_scale_piece(
            piece, x + (column + 0.5) * wide + 3 * layer, y + (row + 0.5) * tall + 3 * layer, scale
        )


def _move_and_scale_piece(piece: TablePiece, x: float, y: float, scale: float) -> TablePiece:
    return replace(piece, x=x, y=y, width=piece.width * scale, height=piece.height * scale)


def _get_item_or_default(values: Sequence[Any], index: int, default: Any = None) -> Any:
    """Return an item of a list; `default` beyond its end."""
    return values[index] if 0 <= index < len(values) else default


def _count_earlier_equal_items(values: Sequence[Any], index: int) -> int:
    """Return how many earlier items are equal to this one."""
    return list(values[:index]).count(values[index])


def _nest_cells_of_field_by_shape(field: Field, cells: Sequence[int | None]) -> Any:
    """Return a field's part of a view: one value, or lists in lists."""
    own = cells[field.offset : field.offset + field.size]
    return _nest_cells_by_shape(own, field.shape) if field.shape else own[0]


def _nest_cells_by_shape(cells: Sequence[int | None], shape: Sequence[int]) -> list[Any]:
    if len(shape) == 1:
        return list(cells)
    inner = len(cells) // shape[0]
    return [_nest_cells_by_shape(cells[n * inner : (n + 1) * inner], shape[1:]) for n in range(shape[0])]


def _make_function_returning_tuple(
    generator_function: Callable[[dict[str, Any]], Iterable[_T]],
) -> Callable[[dict[str, Any]], tuple[_T, ...]]:
    """Return the same function with all its results at once: what is kept must not run out."""
    return lambda scope: tuple(generator_function(scope))
