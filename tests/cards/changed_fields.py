"""Changes of every field that the rules might read: one value of one component at a time, as an erratum would make it.

A change is made of what the vocabulary declares, not of what today's cards happen to say: a flag that no card has is
set, an effect of each kind is added, and a component's number of copies goes up by one and down to none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from playproof.database.errors import InputError, Where
from playproof.database.game import Game, load_game, load_game_with_extra_erratum
from playproof.database.installation import CARDS
from playproof.database.sheet_cells import yaml_node_from_data_at_one_place
from playproof.database.source import read_yaml_file
from playproof.database.yaml_models import FieldSpec
from playproof.language.description import digest
from playproof.language.errors import RulesError
from playproof.language.options import Options
from playproof.language.registry import build

COUNT = FieldSpec(type="integer", min=0)
Path = tuple[str | int, ...]


@dataclass(frozen=True)
class FieldChange:
    """One value of a component, changed. `field` is its place in the kind, list positions left out; None stands for
    no value."""

    game: str
    kind: str
    component: str
    path: Path
    old: Any
    new: Any

    @property
    def field(self) -> str:
        """The kind and the place in it, such as `item.power.gain.fear`."""
        return ".".join([self.kind, *(str(key) for key in self.path if not isinstance(key, int))])

    def __str__(self) -> str:
        keys = ".".join(map(str, self.path))
        return f"{self.game} {self.component} {keys}: {self.old!r} -> {self.new!r}"


@cache
def published(name: str) -> Game:
    """Return a game without its errata."""
    return load_game(name, False)


def field_changes(name: str) -> list[FieldChange]:
    """Return every change of a game, kind by kind."""
    game = published(name)
    changes = []
    for ident, values in _raw_components(name).items():
        kind = game.components[ident].kind
        specs = {**game.vocabulary.kinds[kind].fields, "count": COUNT}
        values = {"count": 1, **values}
        for key, spec in specs.items():
            for path, old, new in _changes_of(game, spec, values.get(key), (key,)):
                changes.append(FieldChange(name, kind, ident, path, old, new))
    return changes


def _raw_components(name: str) -> dict[str, dict[str, Any]]:
    """Return the components as their files write them, defaults filled in."""
    found = {}
    for path in sorted((CARDS / name).glob("*.yaml")):
        data: Any = read_yaml_file(path).data
        if isinstance(data, dict) and "kind" in data:
            for ident, values in data["components"].items():
                found[str(ident)] = {**data.get("defaults", {}), **(values or {})}
    return found


def _changes_of(game: Game, spec: FieldSpec, value: Any, path: Path) -> Iterator[tuple[Path, Any, Any]]:
    """Yield (path, old, new) for each other value that a field may have and for each value inside it."""
    match spec.type:
        case "integer" | "number":
            wanted = [value + 1, value - 1, 0] if value is not None else [1]
            yield from ((path, value, new) for new in dict.fromkeys(wanted) if _is_allowed(spec, new, value))
        case "flag":
            yield path, value, not value
        case "choice":
            yield from ((path, value, new) for new in spec.choices or () if new != value)
        case "term":
            yield from ((path, value, new) for new in game.vocabulary.group(spec.group or "") if new != value)
        case "reference":
            others = [c.id for kind in spec.kinds or () for c in game.of_kind(kind) if c.id != value]
            yield from ((path, value, new) for new in others[:2])
        case "amounts":
            yield from _changes_of_amounts(game, spec, value or {}, path)
        case "effects":
            yield from _changes_of_effects(game, value or [], path)
        case "options":
            for letter, option in (value or {}).items():
                yield from _changes_of_option(game, option or {}, (*path, letter))
        case "list" | "map" | "record":
            items = value.items() if isinstance(value, Mapping) else enumerate(value or ())
            for key, item in items:
                inner = spec.get_child_field(key)
                if inner is not None:
                    yield from _changes_of(game, inner, item, (*path, key))


def _is_allowed(spec: FieldSpec, new: float, old: float | None) -> bool:
    low = spec.min if spec.min is not None else new
    return new != old and low <= new <= (spec.max if spec.max is not None else new)


def _changes_of_amounts(
    game: Game, spec: FieldSpec, value: Mapping[str, int], path: Path
) -> Iterator[tuple[Path, Any, Any]]:
    for term, amount in value.items():
        yield (*path, term), amount, amount + 1
        if amount > 1:
            yield (*path, term), amount, amount - 1
    for term in game.vocabulary.group(spec.group or ""):
        if value and term not in value:
            yield (*path, term), None, 1


def _changes_of_effects(game: Game, value: Sequence[Any], path: Path) -> Iterator[tuple[Path, Any, Any]]:
    """Yield changes inside each effect, each effect removed, and one effect of each kind that these do not have."""
    for n, effect in enumerate(value):
        for op, argument in effect.items():
            if op == "either":
                for m, way in enumerate(argument):
                    yield from _changes_of_effects(game, way, (*path, n, op, m))
            else:
                yield from _changes_of_arguments(game, op, argument, (*path, n, op))
    if len(value) > 1:
        yield path, value, value[1:]
    for op, effect in game.vocabulary.effects.items():
        argument = _example_of_arguments(game, effect.args)
        yield path, value or None, [*value, {op: argument}]


def _example_of_arguments(game: Game, declared: Mapping[str, FieldSpec]) -> Any:
    """Return arguments that an effect may have."""
    examples = {key: _example_of(game, spec) for key, spec in declared.items()}
    return True if not examples else next(iter(examples.values())) if len(examples) == 1 else examples


def _example_of(game: Game, spec: FieldSpec) -> Any:
    """Return a value that a field may have."""
    match spec.type:
        case "integer" | "number":
            return spec.min if spec.min is not None else 1
        case "term":
            return next(iter(game.vocabulary.group(spec.group or "")))
        case "amounts":
            return {next(iter(game.vocabulary.group(spec.group or ""))): 1}
        case "reference":
            return next(c.id for kind in spec.kinds or () for c in game.of_kind(kind))
        case "list":
            assert spec.of is not None
            return [_example_of(game, spec.of)]
    return True


def _changes_of_arguments(game: Game, op: str, value: Any, path: Path) -> Iterator[tuple[Path, Any, Any]]:
    declared = game.vocabulary.effects[op].args
    if len(declared) == 1:
        yield from _changes_of(game, next(iter(declared.values())), value, path)
        return
    for key, spec in declared.items():
        yield from _changes_of(game, spec, value.get(key), (*path, key))


def _changes_of_option(game: Game, option: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, Any, Any]]:
    """Yield changes of a lettered option: its cost, its effects, where it sends the card and what it needs."""
    vocabulary = game.vocabulary
    for zone in vocabulary.group(vocabulary.spec.options.to):
        if zone != option.get("to"):
            yield (*path, "to"), option.get("to"), zone
    for term, amount in option.get("pay", {}).items():
        yield (*path, "pay", term), amount, amount + 1
    yield from _changes_of_effects(game, option.get("do", []), (*path, "do"))
    for ident in [c.id for kind in vocabulary.spec.options.needs for c in game.of_kind(kind)][:2]:
        if ident != option.get("needs"):
            yield (*path, "needs"), option.get("needs"), ident


# -- what becomes of a change ---------------------------------------------------------------------------------------


def settings(game: Game) -> list[dict[str, str]]:
    """Return the default options, and each other value of one option."""
    found: list[dict[str, str]] = [{}]
    for name, option in game.facts.options.items():
        found += [{name: str(value)} for value in option.values if str(value) != str(option.default)]
    return found


def descriptions(name: str, game: Game) -> list[str]:
    """Return the digest of the description in every setting."""
    return [digest(build(name, Options(each, {}), game)) for each in settings(game)]


@cache
def published_descriptions(name: str) -> list[str]:
    """Return the digests of the published cards."""
    return descriptions(name, published(name))


def outcome_of(change: FieldChange) -> str:
    """Return "played", "silent", or the codes with which the change is refused."""
    keys = ".".join(map(str, change.path))
    try:
        game = with_change(change.game, (change.component, keys, change.new))
        now = descriptions(change.game, game)
    except (InputError, RulesError) as error:
        return _codes_of(error)
    return "silent" if now == published_descriptions(change.game) else "played"


def _codes_of(error: InputError | RulesError) -> str:
    if isinstance(error, InputError):
        return " ".join(sorted({finding.code for finding in error.findings}))
    return " ".join(sorted({each.code for each in error.all}))


def with_change(name: str, *changes: tuple[str, str, Any]) -> Game:
    """Return the published cards with values changed: (component, path, new value), as errata write them."""
    raw, made = _raw_components(name), []
    for component, path, new in changes:
        old: Any = raw[component]
        for key in path.split("."):
            old = old[int(key)] if isinstance(old, list) else (old or {}).get(key)
        change = {"component": component, "path": path, "from": old, "to": new}
        made.append({key: value for key, value in change.items() if value is not None})
    erratum = {"version": "99", "date": "2026-12-31", "note": {"en": "A test."}, "changes": made}
    return load_game_with_extra_erratum(name, yaml_node_from_data_at_one_place(erratum, Where("changed_fields")))
