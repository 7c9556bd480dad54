"""Whether a change of a component is played: a value that is printed and not played is the worst fault of an erratum.

A game is built with the old value and with the new one, under every option and ruling in turn, until what happens in
play differs. Where it is the same in all of them, either the rules never read the value, or it decides nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from playproof.database.components import Component
from playproof.database.errors import Finding, InputError
from playproof.database.field_readers import (
    COUNT,
    ChangedLeaf,
    get_count_reader,
    iter_changed_leaves,
    iter_smallest_changes,
)
from playproof.database.field_types import FieldSpec
from playproof.database.game import Game as Cards, apply_changes_to_game, apply_file_change_to_game, load_game
from playproof.database.patch import Change, Erratum
from playproof.database.sheet_cells import format_flow_yaml, node_from_data
from playproof.language.card_reads import CardReads, watch_cards
from playproof.language.description.wordless import separate_words
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.linting.refusals import REFUSALS, make_refused_cards_finding

_WORDS = FieldSpec(type="words")
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
    _usual: dict[tuple[int, int], str] = field(default_factory=dict)
    _settings: list[OptionsAndRulings] = field(default_factory=list)

    def has_difference_in_play(self, before: Cards, after: Cards) -> bool:
        """Return whether something differs in play in any setting. `before` is remembered, and has to be kept."""
        for number, setting in enumerate(self.iter_settings()):
            key = id(before), number
            if key not in self._usual:
                self._usual[key] = self._play_digest(before, setting)
            if self._usual[key] != self._play_digest(after, setting):
                return True
        return False

    def _play_digest(self, cards: Cards, setting: OptionsAndRulings) -> str:
        """Return what happens in play with some cards in a setting, as a digest; why nothing does, if the rules refuse
        the cards."""
        try:
            return separate_words(build(self.ref, Options(*setting), cards)).play_digest
        except REFUSALS as error:
            return f"{type(error).__name__}: {error}"

    def iter_settings(self) -> Iterator[OptionsAndRulings]:
        """Yield the usual setting, then each other value of an option, what claims choose, then each other value of a
        ruling. Raises what the rules raise if they refuse the cards in the usual one."""
        yield {}, {}
        if not self._settings:
            self._settings = list(_iter_other_settings(self.ref, self.cards))
        yield from self._settings

    def is_field_read(self, component: Component, place: str) -> bool:
        """Return whether the rules read a field of a component, or `count`, in any setting."""
        if not self.reads.values:
            self.reads = record_card_reads(self.ref, self.cards, self.iter_settings())
        return (component.id, place) in self.reads.values


def record_card_reads(ref: str, cards: Cards, settings: Iterable[OptionsAndRulings]) -> CardReads:
    """Return what the rules of a game read of its cards in some settings."""
    watched, reads = watch_cards(cards)
    for values, rulings in settings:
        with suppress(*REFUSALS):
            build(ref, Options(values, rulings), watched)
    return reads


def _iter_other_settings(ref: str, cards: Cards) -> Iterator[OptionsAndRulings]:
    options = Options()
    build(ref, options, cards)
    chosen: list[dict[str, str]] = [{}]
    for name, values in options.choices.items():
        if name not in options.read:
            chosen += [{name: value} for value in values[1:]]
    yield from ((values, {}) for values in chosen[1:])
    if options.lists:
        yield from _iter_list_option_settings(ref, cards, chosen)
    claimed = dict[str, dict[str, str]]()
    for claim in cards.readable_claims.values():
        named = {name: str(value) for name, value in claim.options.items() if isinstance(value, str | int)}
        if len(named) > 1:
            claimed.setdefault(json.dumps(named, sort_keys=True), named)
    yield from ((named, {}) for named in claimed.values())
    for name, readings in options.read.items():
        yield from (({}, {name: value}) for value in readings[1:])


def _iter_list_option_settings(
    ref: str, cards: Cards, chosen: Sequence[Mapping[str, str]]
) -> Iterator[OptionsAndRulings]:
    """Yield each setting again with all that its options of several may name."""
    for values in chosen:
        options = Options(values)
        with suppress(*REFUSALS):
            build(ref, options, cards)
        yield from (({**values, name: " ".join(names)}, {}) for name, names in options.lists.items() if names)


def find_unplayed_changes(ref: str, before: Cards, after: Cards, erratum: Erratum) -> list[Finding]:
    """PP830: return the values that an erratum changes, that the rules should read, and that change nothing in play.
    Raises what the rules raise if they refuse the cards before it."""
    played = [
        (change, leaf) for change, leaf in list_smallest_value_changes(before, erratum) if leaf.is_played
    ]
    if not played:
        return []
    plays = PlayDigests(ref, before)
    return [
        _unplayed_change_finding(plays, erratum, change, leaf)
        for change, leaf in played
        if not _changes_play(plays, after, change, leaf)
    ]


def list_smallest_value_changes(before: Cards, erratum: Erratum) -> list[tuple[Change, ChangedLeaf]]:
    """Return the smallest values that an erratum replaces, each with its change."""
    return [
        (change, leaf) for change in erratum.changes for leaf in _iter_smallest_value_changes(before, change)
    ]


def _iter_smallest_value_changes(before: Cards, change: Change) -> Iterator[ChangedLeaf]:
    """Yield the smallest values that a change replaces; of a new component, its number of copies."""
    old, new = (node.data if node is not None else None for node in (change.old, change.new))
    if change.file:
        for path, was, now in iter_smallest_changes(change.path, old, new):
            played = _is_played_in_file(change.file, path)
            text = isinstance(was, str | None) and isinstance(now, str | None) and not played
            yield ChangedLeaf(path, was, now, "both" if played else "print", _WORDS if text else None)
    elif change.component in before.nodes:
        yield from iter_changed_leaves(
            before.vocabulary, before.nodes[change.component][0], change.path, old, new
        )
    elif change.kind in before.vocabulary.kinds:
        copies = new.get("count", 1) if isinstance(new, Mapping) else 1
        yield ChangedLeaf(
            ("count",), 0, copies, get_count_reader(before.vocabulary.kinds[change.kind]), COUNT
        )


def _is_played_in_file(file: str, path: tuple[str, ...]) -> bool:
    """Return whether the rules should read a value of a file: a number of the rules, how many play, what an option may
    be, and how much there is of a term. All else in these files is words, or is held against something by lint."""
    if file == "game":
        of_option = path[0] == "options" and len(path) > 2 and path[2] in ("values", "default", "carry")
        return of_option or path[0] in ("numbers", "players")
    return file == "vocabulary" and path[0] == "terms" and len(path) > 3 and path[3] in _SUPPLIES


def _changes_play(plays: PlayDigests, after: Cards, change: Change, leaf: ChangedLeaf) -> bool:
    """Return whether a value matters: it alone changes what happens before the erratum, or, where it is refused alone,
    to take it back changes what happens after it."""
    ways = (plays.cards, leaf.old, leaf.new), (after, leaf.new, leaf.old)
    for cards, old, new in ways:
        with suppress(InputError):
            other = _replace_card_value(cards, change, leaf.path, old, new)
            if other is not None:
                return plays.has_difference_in_play(cards, other)
    return plays.has_difference_in_play(plays.cards, after)


def _replace_card_value(
    cards: Cards, change: Change, path: tuple[str, ...], old: Any, new: Any
) -> Cards | None:
    """Return cards with another value at a path of what a change is about, None if they do not have it. Raises
    InputError if it does not fit."""
    if change.file:
        was, now = (None if value is None else node_from_data(value, change.where) for value in (old, new))
        return apply_file_change_to_game(cards, Change("", path, was, now, change.where, change.file))
    if change.component not in cards.nodes:
        return None
    stands = cards.nodes[change.component][1].get("count") if path == ("count",) else None
    was = (
        None if old is None or (path == ("count",) and stands is None) else node_from_data(old, change.where)
    )
    now = None if new is None else node_from_data(new, change.where)
    return apply_changes_to_game(cards, [Change(change.component, path, was, now, change.where)])


def _unplayed_change_finding(
    plays: PlayDigests, erratum: Erratum, change: Change, leaf: ChangedLeaf
) -> Finding:
    cards, name, place = plays.cards, leaf.path[0], f"`{'.'.join(leaf.path)}` of {change.target}"
    kind = cards.nodes[change.component][0] if change.component in cards.nodes else change.kind
    component = cards.components.get(change.component) or cards.removed.get(change.component)
    why = "nothing differs in play under any option or ruling"
    if component is not None:
        read = f"the rules read it, and {why}"
        why = (
            read
            if plays.is_field_read(component, name)
            else f"the rules never read `{name}` of {component.id}"
        )
    values = f"from {_format_value(leaf.old)} to {_format_value(leaf.new)}"
    message = f"erratum {erratum.version} changes {place} {values}, and this is not played: {why}"
    hint = "write it in the rules of the game"
    if kind:
        key = (
            f"`count_read_by: print` at {kind}"
            if name == "count"
            else f"`read_by: print` at `{name}` of {kind}"
        )
        hint += f"; if it is only printed, declare {key} in vocabulary.yaml"
    return Finding("PP830", change.where, message, hint)


def _format_value(value: Any) -> str:
    return "nothing" if value is None else format_flow_yaml(value)


def find_unplayed_errata(ref: str, game: Cards) -> list[Finding]:
    """Return what is printed and not played of each erratum in use, and of each proposal that can be read; PP810 for a
    proposal that the rules refuse."""
    findings: list[Finding] = []
    for erratum in game.errata:
        if erratum.version in game.applied or erratum.proposed:
            with suppress(InputError):  # lint says what is wrong with it
                before, after = (
                    load_game(ref, _select_version_below(game, erratum)),
                    load_game(ref, erratum.version),
                )
                findings += _find_unplayed_in_erratum(ref, before, after, erratum)
    return findings


def _find_unplayed_in_erratum(ref: str, before: Cards, after: Cards, erratum: Erratum) -> list[Finding]:
    try:
        if erratum.proposed:
            build(ref, None, after)
    except REFUSALS as error:
        return [make_refused_cards_finding(erratum, error)]
    return find_unplayed_changes(ref, before, after, erratum)


def _select_version_below(game: Cards, erratum: Erratum) -> bool | str:
    from playproof.database.patch import choose_errata

    *earlier, _ = choose_errata(game.errata, erratum.version)
    return earlier[-1].version if earlier else False
