"""Whether a change of a component is played, and which of its values the rules read: a value that is
printed and not played is the worst fault of an erratum.

Which values of its cards the rules of a game read while its description is built.

    with_watch, reads = make_watched_copy_of_cards(cards)
    build(ref, options, with_watch)
    reads.fields      {("item", "power"), ("item", "power.arrange.count"), ("item", "count"), ...}

The rules get components that look the same and note what is asked of them. A place is written as its kind's field, with
the effects and records below it; positions in lists, and the letters of options, are left out.

A game is built with the old value and with the new one, under every option and ruling in turn, until what happens in
play differs. Where it is the same in all of them, either the rules never read the value, or it decides nothing.

The reading of cards by the rules is watched while the game is built: under its usual setting, then under each other
option, and for what is unread by then under each ruling."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from playproof.database.components import Component, Effect, Either, Option
from playproof.database.errors import Finding, InputError, make_nearest_or_possible_words_hint
from playproof.database.field_readers import (
    COUNT,
    ChangedLeaf,
    decide_if_print_or_rules_read_count,
    get_fields_declared_print_only,
    iter_changed_leaves_with_old_and_new,
    iter_changed_leaves_with_readers,
    iter_names_of_fields_that_rules_read,
)
from playproof.database.game import Game as Cards, copy_game_with_component_changes, copy_game_with_file_change
from playproof.database.patch import Change, Erratum
from playproof.database.sheet_cells import format_as_one_line_yaml, yaml_node_from_data_at_one_place
from playproof.database.source import YamlNode
from playproof.database.yaml_models import FieldSpec
from playproof.language import RulesError
from playproof.language.archive import load_descriptions_unless_rules_exist
from playproof.language.description.writer import split_description_from_words
from playproof.language.options import OptionError, Options
from playproof.language.registry import build

# -- refusals ------------------------------------------------------------------------------------------------
# The errors by which the rules of a game refuse its cards.

REFUSALS = (RulesError, InputError, OptionError, ValueError, TypeError, KeyError, StopIteration)
"""Errors that the rules of a game raise if they cannot use its cards. A game's own Python code
looks cards up and counts them, so Python's errors are among them."""


def make_refused_cards_finding(erratum: Erratum, error: Exception) -> Finding:
    """PP810: return why the rules refuse the cards of an erratum."""
    touched = [*(change.target for change in erratum.changes), *(fate.id for fate in erratum.rulings)]
    changed = ", ".join(dict.fromkeys(touched))
    why = "; ".join(fault.message for fault in error.all) if isinstance(error, RulesError) else str(error)
    gone = [
        change.component
        for change in erratum.changes
        if change.path == ("count",) and _is_copy_count_missing_or_zero(change.new)
    ]
    hint = "change all cards that the rules want alike, or the rules too"
    if gone:
        hint = f"leave {', '.join(gone)} in the box, or let the rules do without"
    message = f"erratum {erratum.version} changes {changed}, and the rules refuse these cards: {why}"
    return Finding(
        "PP810", erratum.changes[0].where if erratum.changes else erratum.get_place_of_key("rulings"), message, hint
    )


def _is_copy_count_missing_or_zero(copies: YamlNode | None) -> bool:
    return copies is None or copies.value == 0


# -- card reads ----------------------------------------------------------------------------------------------
# Which values of its cards the rules of a game read while its description is built.


@dataclass
class CardReads:
    """What was read: pairs of a kind and a place in it, and which components."""

    fields: set[tuple[str, str]] = field(default_factory=set)
    values: set[tuple[str, str]] = field(default_factory=set)
    """Pairs of a component's id and the name of a field, or `count`."""
    missing: set[tuple[str, str]] = field(default_factory=set)
    """Pairs of a kind and a name that was asked for in vain, since the component has no such field."""

    def record_read(self, kind: str, component_id: str, place: str) -> None:
        """Note that a value was read."""
        self.fields.add((kind, place))
        self.values.add((component_id, place.partition(".")[0]))


@dataclass(frozen=True)
class _WatchedPlace:
    """A place in a component that is watched."""

    reads: CardReads
    kind: str
    ident: str
    path: str = ""

    def make_child_place(self, key: str) -> _WatchedPlace:
        return replace(self, path=f"{self.path}.{key}" if self.path else key)

    def record_read(self) -> None:
        self.reads.record_read(self.kind, self.ident, self.path)


class _WatchedMapping(dict[str, Any]):
    """A mapping that notes which of its values are asked for."""

    at: _WatchedPlace

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any], place: _WatchedPlace) -> _WatchedMapping:
        """Return the values as a mapping that stands at a place."""
        made = cls(values)
        made.at = place
        return made

    def __getitem__(self, key: str) -> Any:
        value, at = super().__getitem__(key), self.at.make_child_place(key)
        at.record_read()
        return _wrap_value_to_record_reads(value, at)

    def get(self, key: str, default: Any = None) -> Any:
        if key not in self:
            if not self.at.path:
                self.at.reads.missing.add((self.at.kind, key))
            return default
        return self[key]

    def values(self) -> Any:
        return {key: self[key] for key in self}.values()

    def items(self) -> Any:
        return {key: self[key] for key in self}.items()


class _WatchedEffect(Effect):
    """An effect whose arguments are watched."""

    __slots__ = ()


class _WatchedOption(Option):
    """A lettered option that notes what is asked of it."""

    __slots__ = ("at",)
    at: _WatchedPlace

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        if name in ("needs", "to", "cost", "effects"):
            at = super().__getattribute__("at").make_child_place({"cost": "pay", "effects": "do"}.get(name, name))
            at.record_read()
            return _wrap_value_to_record_reads(value, at)
        return value


class _WatchedComponent(Component):
    """A component that notes what is asked of it."""

    __slots__ = ("at",)
    at: _WatchedPlace

    def __getattribute__(self, name: str) -> Any:
        if name == "count":
            super().__getattribute__("at").make_child_place("count").record_read()
        return super().__getattribute__(name)

    @property
    def options(self) -> tuple[Option, ...]:
        """All lettered options; no other field is read for them."""
        fields: _WatchedMapping = super().__getattribute__("fields")
        plain = dict.items(fields)
        found = [key for key, value in plain if isinstance(value, tuple) and any(isinstance(v, Option) for v in value)]
        return tuple(option for key in found for option in fields[key])


def _wrap_value_to_record_reads(value: Any, place: _WatchedPlace) -> Any:
    """Return a value that notes what is read of it, and is equal to the value in all else."""
    if isinstance(value, Option):
        made = _WatchedOption(value.letter, value.needs, value.cost, value.effects, value.to, value.text, value.where)
        object.__setattr__(made, "at", place)
        return made
    if isinstance(value, Effect):
        args = _WatchedMapping.from_mapping(value.args, place.make_child_place(value.op))
        return _WatchedEffect(value.op, args, value.where)
    if isinstance(value, Either):
        return Either(tuple(_wrap_value_to_record_reads(way, place) for way in value.alternatives), value.where)
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple(_wrap_value_to_record_reads(item, place) for item in value)
    if type(value) is dict:
        return _WatchedMapping.from_mapping(value, place)
    return value


def make_watched_copy_of_cards(cards: Cards) -> tuple[Cards, CardReads]:
    """Return the same cards, watched, and what will have been read of them."""
    reads = CardReads()
    return replace(
        cards, components={key: _wrap_component_to_record_reads(c, reads) for key, c in cards.components.items()}
    ), reads


def _wrap_component_to_record_reads(component: Component, reads: CardReads) -> Component:
    at = _WatchedPlace(reads, component.kind, component.id)
    fields = _WatchedMapping.from_mapping(component.fields, at)
    made = _WatchedComponent(
        component.id,
        component.kind,
        component.name,
        component.count,
        fields,
        component.source,
        component.rules,
        component.where,
        component.called_by,
    )
    object.__setattr__(made, "at", at)
    return made


# Whether a change of a component is played: a value that is printed and not played is the worst fault of an
# erratum.

_WORDS, _ICON = FieldSpec(type="words"), FieldSpec(type="icon")
_SUPPLIES = ("supply", "limit", "store", "short")
"""Keys of a term that say how much there is of it, and how it is paid."""
OptionsAndRulings = tuple[Mapping[str, str], Mapping[str, str]]
"""Options and rulings that are chosen otherwise than by default."""


@dataclass
class PlayDigests:
    """What happens in play in each setting of a game's rules, for its cards and for others that they may become."""

    ref: str
    cards: Cards
    reads: CardReads = field(default_factory=CardReads)
    _digests: dict[tuple[int, str], tuple[Cards, str]] = field(default_factory=dict)
    _settings: list[OptionsAndRulings] = field(default_factory=list)

    def do_cards_play_differently_anywhere(self, cards_before: Cards, cards_after: Cards) -> bool:
        """Return whether something differs in play in any setting."""
        return any(
            self.do_cards_play_differently_in_setting(cards_before, cards_after, setting)
            for setting in self.iter_settings_usual_first()
        )

    def do_cards_play_differently_in_setting(self, before: Cards, after: Cards, setting: OptionsAndRulings) -> bool:
        """Return whether something differs in play in a setting."""
        return self.get_play_digest_or_refusal_text(before, setting) != self.get_play_digest_or_refusal_text(
            after, setting
        )

    def get_play_digest_or_refusal_text(self, cards: Cards, setting: OptionsAndRulings) -> str:
        """Return what happens in play with some cards in a setting, as a digest; why nothing does, if the rules refuse
        the cards. It is remembered with the cards."""
        key = id(cards), json.dumps(setting, sort_keys=True)
        if key not in self._digests:
            self._digests[key] = cards, self._compute_play_digest_or_refusal_text(cards, setting)
        return self._digests[key][1]

    def _compute_play_digest_or_refusal_text(self, cards: Cards, setting: OptionsAndRulings) -> str:
        try:
            return split_description_from_words(build(self.ref, Options(*setting), cards)).play_digest
        except REFUSALS as error:
            return f"{type(error).__name__}: {error}"

    def iter_settings_usual_first(self) -> Iterator[OptionsAndRulings]:
        """Yield the usual setting, then each other value of an option, what claims choose, then each other value of a
        ruling. Raises what the rules raise if they refuse the cards in the usual one."""
        yield {}, {}
        if not self._settings:
            self._settings = list(_iter_non_default_settings(self.ref, self.cards))
        yield from self._settings

    def is_field_read_in_any_setting(self, component: Component, place: str) -> bool:
        """Return whether the rules read a field of a component, or `count`, in any setting."""
        if not self.reads.values:
            self.reads = record_card_reads_in_settings(self.ref, self.cards, self.iter_settings_usual_first())
        return (component.id, place) in self.reads.values


def record_card_reads_in_settings(game_ref: str, cards: Cards, settings: Iterable[OptionsAndRulings]) -> CardReads:
    """Return what the rules of a game read of its cards in some settings."""
    watched, reads = make_watched_copy_of_cards(cards)
    for values, rulings in settings:
        with suppress(*REFUSALS):
            build(game_ref, Options(values, rulings), watched)
    return reads


def _iter_non_default_settings(game_ref: str, cards: Cards) -> Iterator[OptionsAndRulings]:
    options = Options()
    build(game_ref, options, cards)
    chosen: list[dict[str, str]] = [{}]
    for name, values in options.choices.items():
        if name not in options.read:
            chosen += [{name: value} for value in values[1:]]
    yield from ((values, {}) for values in chosen[1:])
    if options.lists:
        yield from _iter_settings_filling_list_options(game_ref, cards, chosen)
    claimed = dict[str, dict[str, str]]()
    for claim in cards.readable_claims.values():
        named = {name: str(value) for name, value in claim.options.items() if isinstance(value, str | int)}
        if len(named) > 1:
            claimed.setdefault(json.dumps(named, sort_keys=True), named)
    yield from ((named, {}) for named in claimed.values())
    for name, readings in options.read.items():
        yield from (({}, {name: value}) for value in readings[1:])


def _iter_settings_filling_list_options(
    game_ref: str, cards: Cards, chosen: Sequence[Mapping[str, str]]
) -> Iterator[OptionsAndRulings]:
    """Yield each setting again with all that its options of several may name."""
    for values in chosen:
        options = Options(values)
        with suppress(*REFUSALS):
            build(game_ref, options, cards)
        yield from (({**values, name: " ".join(names)}, {}) for name, names in options.lists.items() if names)


def list_unplayed_changes_of_erratum(
    game_ref: str, cards_before: Cards, cards_after: Cards, erratum: Erratum, plays: PlayDigests | None = None
) -> list[Finding]:
    """PP830: return the values that an erratum changes, that the rules should read, and that change nothing in play.
    `plays` remembers what happens in play before it. Raises what the rules raise if they refuse the cards before it."""
    played = [(change, leaf) for change, leaf in list_smallest_value_changes(cards_before, erratum) if leaf.is_played]
    if not played:
        return []
    plays = plays or PlayDigests(game_ref, cards_before)
    unplayed = [each for each in played if not _is_changed_value_played(plays, cards_after, *each)]
    findings = [
        _make_unplayed_order_finding(erratum, change)
        if _is_change_of_order(change)
        else _make_unplayed_change_finding(plays, erratum, change, leaf)
        for change, leaf in unplayed
    ]
    return list(dict.fromkeys(findings))


def list_smallest_value_changes(cards_before: Cards, erratum: Erratum) -> list[tuple[Change, ChangedLeaf]]:
    """Return the smallest values that an erratum replaces, each with its change."""
    return [(change, leaf) for change in erratum.changes for leaf in _iter_smallest_value_changes(cards_before, change)]


def _iter_smallest_value_changes(cards_before: Cards, change: Change) -> Iterator[ChangedLeaf]:
    """Yield the smallest values that a change replaces; of a new component, its number of copies."""
    old, new = (node.data if node is not None else None for node in (change.old, change.new))
    if change.file:
        for path, was, now in iter_changed_leaves_with_old_and_new(change.path, old, new):
            played = _is_played_in_file(change.file, path)
            text = isinstance(was, str | None) and isinstance(now, str | None) and not played
            spec = _ICON if change.file == "vocabulary" and path[-1] == "icon" else _WORDS if text else None
            yield ChangedLeaf(path, was, now, "both" if played else "print", spec)
    elif change.component in cards_before.nodes:
        yield from iter_changed_leaves_with_readers(
            cards_before.vocabulary, cards_before.nodes[change.component].kind, change.path, old, new
        )
    elif change.kind in cards_before.vocabulary.kinds:
        copies = new.get("count", 1) if isinstance(new, Mapping) else 1
        yield ChangedLeaf(
            ("count",),
            0,
            copies,
            decide_if_print_or_rules_read_count(cards_before.vocabulary.kinds[change.kind]),
            COUNT,
        )


def _is_played_in_file(file: str, path: tuple[str, ...]) -> bool:
    """Return whether the rules should read a value of a file: a number of the rules, how many play, what an option may
    be, and how much there is of a term. All else in these files is words, or is held against something by lint."""
    if file == "game":
        of_option = path[0] == "options" and len(path) > 2 and path[2] in ("values", "default", "carry")
        return of_option or path[0] in ("numbers", "players")
    return file == "vocabulary" and path[0] == "terms" and len(path) > 3 and path[3] in _SUPPLIES


def _is_changed_value_played(plays: PlayDigests, cards_after: Cards, change: Change, leaf: ChangedLeaf) -> bool:
    """Return whether a value matters: it alone changes what happens before the erratum, or, where it is refused alone,
    to take it back changes what happens after it."""
    ways = (plays.cards, leaf.old, leaf.new), (cards_after, leaf.new, leaf.old)
    for cards, old, new in ways:
        with suppress(InputError):
            other = copy_cards_with_value_or_none(cards, change, leaf.path, old, new)
            if other is not None:
                return plays.do_cards_play_differently_anywhere(cards, other)
    return plays.do_cards_play_differently_anywhere(plays.cards, cards_after)


def copy_cards_with_value_or_none(
    cards: Cards, change: Change, path: tuple[str, ...], old: Any, new: Any
) -> Cards | None:
    """Return cards with another value at a path of what a change is about, None if they do not have it. Raises
    InputError if it does not fit."""
    if change.file:
        was, now = (
            None if value is None else yaml_node_from_data_at_one_place(value, change.where) for value in (old, new)
        )
        return copy_game_with_file_change(cards, Change("", path, was, now, change.where, change.file))
    if change.component not in cards.nodes:
        return None
    stands = cards.nodes[change.component].node.get("count") if path == ("count",) else None
    was = (
        None
        if old is None or (path == ("count",) and stands is None)
        else yaml_node_from_data_at_one_place(old, change.where)
    )
    now = None if new is None else yaml_node_from_data_at_one_place(new, change.where)
    return copy_game_with_component_changes(cards, [Change(change.component, path, was, now, change.where)])


def _is_change_of_order(change: Change) -> bool:
    """Return whether a list has the same items in another order."""
    old, new = (side.items if side is not None else () for side in (change.old, change.new))
    was, now = (sorted(format_as_one_line_yaml(item.data) for item in items) for items in (old, new))
    return len(was) > 1 and was == now


def _make_unplayed_order_finding(erratum: Erratum, change: Change) -> Finding:
    message = (
        f"erratum {erratum.version} changes the order in `{'.'.join(change.path)}` of {change.component}, and this is "
        "not played: nothing differs in play under any option or ruling"
    )
    hint = "if the order matters, write it in the rules of the game; if it does not, say so in the rulebook instead"
    return Finding("PP830", change.where, message, hint)


def _make_unplayed_change_finding(plays: PlayDigests, erratum: Erratum, change: Change, leaf: ChangedLeaf) -> Finding:
    cards, name, place = plays.cards, leaf.path[0], f"`{'.'.join(leaf.path)}` of {change.target}"
    kind = cards.nodes[change.component].kind if change.component in cards.nodes else change.kind
    component = cards.components.get(change.component) or cards.removed.get(change.component)
    why = "nothing differs in play under any option or ruling"
    if component is not None:
        read = f"the rules read it, and {why}"
        why = (
            read
            if plays.is_field_read_in_any_setting(component, name)
            else f"the rules never read `{name}` of {component.id}"
        )
    values = f"from {_format_value_as_one_line_yaml(leaf.old)} to {_format_value_as_one_line_yaml(leaf.new)}"
    message = f"erratum {erratum.version} changes {place} {values}, and this is not played: {why}"
    hint = "write it in the rules of the game"
    if kind:
        key = f"`count_read_by: print` at {kind}" if name == "count" else f"`read_by: print` at `{name}` of {kind}"
        hint += f"; if it is only printed, declare {key} in vocabulary.yaml"
    return Finding("PP830", change.where, message, hint)


def _format_value_as_one_line_yaml(value: Any) -> str:
    return "nothing" if value is None else format_as_one_line_yaml(value)


# -- unread fields -------------------------------------------------------------------------------------------
# Fields of components whose reader is another than the vocabulary says: PP831 and PP832.


def find_fields_read_otherwise_than_declared(game_ref: str, cards: Cards) -> Iterator[Finding]:
    """PP831: fields that the rules never read and that are not declared to be printed only; the number of copies is
    one of them where there is more than one of a component. PP832: fields that are declared so and that the rules
    read. PP837: fields that the rules read and that nothing has. Nothing for an archive: it is read without its
    rules."""
    if load_descriptions_unless_rules_exist(game_ref) is not None:
        return
    expected = {
        kind: _list_fields_rules_should_read(cards, kind)
        for kind in dict.fromkeys(c.kind for c in cards.components.values())
    }
    reads = _record_reads_until_all_expected(
        game_ref, cards, {(kind, name) for kind, names in expected.items() for name in names}
    )
    read = reads.fields
    yield from _iter_unknown_field_findings(cards, reads.missing)
    for kind, names in expected.items():
        unread = [name for name in names if (kind, name) not in read]
        if unread:
            yield _make_unread_fields_finding(cards, kind, unread)
        for name in get_fields_declared_print_only(cards.vocabulary, kind):
            if (kind, name) in read:
                message = f"`{name}` of {kind} is declared to be printed only, and the rules read it"
                where = cards.vocabulary.node.get_node_or_nearest_ancestor(["kinds", kind, "fields", name]).where
                yield Finding("PP832", where, message, "declare `read_by: both`", severity="warning")


def _iter_unknown_field_findings(cards: Cards, missing: Iterable[tuple[str, str]]) -> Iterator[Finding]:
    known = {name for component in cards.components.values() for name in component.fields}
    known |= {name for spec in cards.vocabulary.kinds.values() for name in spec.fields}
    for kind, name in sorted(missing):
        if name not in known:
            where = next(component.where for component in cards.components.values() if component.kind == kind)
            message = f"the rules read `{name}` of {kind}, and no component has it: they always find nothing"
            hint = make_nearest_or_possible_words_hint(name, sorted(known))
            yield Finding("PP837", where, message, hint, severity="warning")


def _list_fields_rules_should_read(cards: Cards, kind: str) -> list[str]:
    """Return the fields of a kind that the rules should read."""
    single = all(component.count == 1 for component in cards.components.values() if component.kind == kind)
    return [
        name
        for name in iter_names_of_fields_that_rules_read(cards.vocabulary, kind)
        if not (single and name == "count")
    ]


def _make_unread_fields_finding(cards: Cards, kind: str, field_names: Sequence[str]) -> Finding:
    where = cards.vocabulary.node.get_node_or_nearest_ancestor(["kinds", kind]).where
    called = ", ".join(f"`{name}`" for name in field_names)
    message = f"the rules never read {called} of {kind}: an erratum of it would be printed and not played"
    keys = dict.fromkeys("`count_read_by: print`" if n == "count" else "`read_by: print`" for n in field_names)
    hint = f"read it in the rules, or declare {' and '.join(keys)} for what is only printed"
    return Finding("PP831", where, message, hint, severity="warning")


def find_unplayed_effects(ref: str, game: Cards) -> Iterator[Finding]:
    """PP388: effects that cards have and that change nothing in play. Only an effect that the rules never name is
    tried: what happens in play is then the same without it, in each setting. Nothing for an archive."""
    if load_descriptions_unless_rules_exist(ref) is not None:
        return
    kinds_by_op: dict[str, dict[str, str]] = {}
    for component in game.components.values():
        for name in iter_names_of_fields_that_rules_read(game.vocabulary, component.kind):
            for effect in _list_effects_of_plain_list_field(component.fields.get(name)):
                kinds_by_op.setdefault(effect.op, {}).setdefault(component.id, component.kind)
    named = _collect_texts_and_names_in_rules_code(game.folder)
    digests = PlayDigests(ref, game)
    for op, kinds in kinds_by_op.items():
        if op in named or digests.do_cards_play_differently_anywhere(game, _copy_cards_without_effect(game, op)):
            continue
        cards = ", ".join([*kinds][:3]) + (f" and {len(kinds) - 3} more" if len(kinds) > 3 else "")
        message = f"the effect `{op}` of {cards} changes nothing in play: the rules never name it"
        where = game.vocabulary.node.get_node_or_nearest_ancestor(["effects", op]).where
        hint = f'read it in the rules, as `effect.op == "{op}"`, or declare `read_by: print` for its field'
        yield Finding("PP388", where, message, hint, severity="warning")


def _list_effects_of_plain_list_field(value: object) -> list[Effect]:
    """Return the effects of a field that holds a plain list of them."""
    items = value if isinstance(value, tuple | list) else ()
    return [item for item in items if isinstance(item, Effect)]


def _collect_texts_and_names_in_rules_code(folder: Path) -> set[str]:
    """Return every text in the Python of a game's rules, and every name: by one of these they name an effect."""
    files = [folder / "rules.py", *sorted((folder / "rules").glob("**/*.py"))]
    found = set[str]()
    for path in files:
        if path.is_file():
            with suppress(SyntaxError, ValueError):
                for node in ast.walk(ast.parse(path.read_bytes())):
                    if isinstance(node, ast.Constant) and isinstance(node.value, str):
                        found.update(re.findall(r"[\w-]+", node.value))
                    elif isinstance(node, ast.Attribute):
                        found.add(node.attr)
                    elif isinstance(node, ast.Name | ast.keyword | ast.arg | ast.FunctionDef):
                        found.add(
                            str(getattr(node, "id", None) or getattr(node, "arg", None) or getattr(node, "name", ""))
                        )
    return found


def _copy_cards_without_effect(game: Cards, effect_name: str) -> Cards:
    """Return cards without an effect."""

    def without(component: Component) -> Component:
        fields = dict(component.fields)
        for name, value in component.fields.items():
            effects = _list_effects_of_plain_list_field(value)
            if effects:
                fields[name] = tuple(each for each in effects if each.op != effect_name)
        return replace(component, fields=fields)

    return replace(game, components={key: without(each) for key, each in game.components.items()})


def _record_reads_until_all_expected(game_ref: str, cards: Cards, expected_fields: set[tuple[str, str]]) -> CardReads:
    """Return what the rules read. Settings are tried until all that is expected is read."""
    all_reads = CardReads()
    settings: list[OptionsAndRulings] = [({}, {})]
    for setting in chain(
        settings, (each for n, each in enumerate(PlayDigests(game_ref, cards).iter_settings_usual_first()) if n)
    ):
        reads = record_card_reads_in_settings(game_ref, cards, [setting])
        all_reads.fields |= reads.fields
        all_reads.missing |= reads.missing
        if expected_fields <= all_reads.fields:
            break
    return all_reads
