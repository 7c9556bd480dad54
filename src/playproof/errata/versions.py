"""Versions of a game: which errata each one has, and how two of them differ, card by card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path

from playproof.database.components import Component, Effect, Either, Words
from playproof.database.effect_text import format_amounts_with_term_names, made_text, option_text
from playproof.database.errors import Finding, InputError
from playproof.database.field_readers import NOTES
from playproof.database.game import Game, load_game
from playproof.database.patch import Change, Erratum, choose_errata_in_use, require_erratum_of_version
from playproof.database.source import YamlNode


@dataclass(frozen=True, slots=True)
class ChangedValue:
    """One value that differs. `path` is written like `options.B.to`. None stands for a missing
    value."""

    path: str
    old: object
    new: object


@dataclass(frozen=True, slots=True)
class ComponentDifference:
    """One component that differs. `old` is None if the component is new, `new` is None if it is
    gone."""

    id: str
    old: Component | None
    new: Component | None
    changes: tuple[ChangedValue, ...]
    texts: tuple[ChangedValue, ...]

    @property
    def values_for_readers(self) -> tuple[ChangedValue, ...]:
        """What differs but for notes of the authors, which nothing prints: sources of facts, and rules behind it."""
        return tuple(each for each in self.changes if each.path.partition(".")[0] not in NOTES)

    @property
    def is_shown_before_and_after(self) -> tuple[bool, bool]:
        """Whether there is a card to show before and after; one without a copy is shown if the other has none too."""
        before, after = (card.count if card else 0 for card in (self.old, self.new))
        return self.old is not None and before >= min(after, 1), self.new is not None and after >= min(before, 1)


def load_games_before_and_after_erratum(
    game_ref: str | Path, erratum_version: str | None = None, version_before: str | None = None
) -> tuple[Game, Game, Erratum]:
    """Return the game just before and just after an erratum, and the erratum. Without a version it is the newest that
    is issued, or else the newest that is proposed. The game before may be as it was in an earlier version
    (`version_before`).

    Raises InputError if the game has no errata or none with these versions.
    """
    published = load_game(game_ref, errata=False)
    errata, unread = published.errata, published.unread_errata
    if (
        any(not each.proposed for each in unread)
        if erratum_version is None
        else erratum_version in {e.version for e in unread}
    ):
        load_game(game_ref, True if erratum_version is None else erratum_version)  # raises with what is wrong in it
    issued = [erratum.version for erratum in errata if not erratum.proposed]
    if erratum_version is None and errata:
        erratum_version = (issued or [erratum.version for erratum in errata])[-1]
    erratum = require_erratum_of_version(game_ref, errata, erratum_version or "")
    if version_before is not None:
        return *load_game_in_two_versions(game_ref, version_before, erratum.version), erratum
    return *_load_game_at_two_selectors(
        game_ref, _get_selector_of_version_before_erratum(errata, erratum), erratum.version
    ), erratum


def load_game_in_two_versions(game_ref: str | Path, old_version: str, new_version: str) -> tuple[Game, Game]:
    """Return a game in two versions; "none" is the game as first published. Raises InputError if there is no such
    version."""
    errata = load_game(game_ref, errata=False).errata
    for version in (old_version, new_version):
        if version != "none":
            require_erratum_of_version(game_ref, errata, version)
    return _load_game_at_two_selectors(
        game_ref, *(False if version == "none" else version for version in (old_version, new_version))
    )


def _get_selector_of_version_before_erratum(errata: Sequence[Erratum], erratum: Erratum) -> bool | str:
    """Return what selects the version that an erratum builds on."""
    *earlier, _ = choose_errata_in_use(errata, erratum.version)
    return earlier[-1].version if earlier else False


def _load_game_at_two_selectors(
    game_ref: str | Path, old_selector: bool | str, new_selector: bool | str
) -> tuple[Game, Game]:
    """Return a game in two versions. Raises InputError with all that is wrong in both."""
    games, findings = list[Game](), list[Finding]()
    for version in (old_selector, new_selector):
        try:
            games.append(load_game(game_ref, errata=version))
        except InputError as error:
            findings += error.findings
    if findings:
        raise InputError(findings)
    before, after = games
    return before, after


def get_errata_selector_of_game(game: Game) -> bool | str:
    """Return what selects the errata of a loaded game: the last one's version, or False."""
    return game.applied[-1] if game.applied else False


def list_changes_of_files_beside_components(game_before: Game, game_after: Game) -> tuple[Change, ...]:
    """Return what changes in files between two versions of a game, each value and sentence once, from what it was to
    what it is."""
    taken_back = [
        e for e in game_before.errata if e.version in game_before.applied and e.version not in game_after.applied
    ]
    added = [e for e in game_after.errata if e.version in game_after.applied and e.version not in game_before.applied]
    steps = [change.inverse for erratum in reversed(taken_back) for change in reversed(erratum.changes)]
    steps += [change for erratum in added for change in erratum.changes]
    whole = list[Change]()
    for step in steps:
        if not step.file:
            continue
        for number, before in enumerate(whole):
            if (before.file, before.path) == (step.file, step.path) and (
                step.path or _get_data_of_node_or_none(before.new) == _get_data_of_node_or_none(step.old)
            ):
                whole[number] = replace(before, new=step.new, where=step.where)
                break
        else:
            whole.append(step)
    return tuple(
        change for change in whole if _get_data_of_node_or_none(change.old) != _get_data_of_node_or_none(change.new)
    )


def _get_data_of_node_or_none(node: YamlNode | None) -> object:
    return node.data if node else None


@dataclass(frozen=True, slots=True)
class ComponentHistory:
    """What each erratum changes on a component, oldest first, proposed errata too. `findings` is what is wrong in any
    proposal of the game: such a one changes nothing here."""

    changes: tuple[tuple[Erratum, ComponentDifference], ...]
    findings: tuple[Finding, ...]


def build_component_history(game_ref: str | Path, component_id: str, language: str = "en") -> ComponentHistory:
    """Return the history of a component."""
    errata = load_game(game_ref, errata=False).errata
    changes, findings = list[tuple[Erratum, ComponentDifference]](), list[Finding]()
    for erratum in errata:
        try:
            before, after = _load_game_at_two_selectors(
                game_ref, _get_selector_of_version_before_erratum(errata, erratum), erratum.version
            )
        except InputError as error:
            findings += error.findings
            continue
        differ = list_component_differences(before, after, language) if component_id in erratum.components else ()
        changes += [(erratum, difference) for difference in differ if difference.id == component_id]
    return ComponentHistory(tuple(changes), InputError(findings).findings)


def list_component_differences(
    game_before: Game, game_after: Game, language: str = "en"
) -> tuple[ComponentDifference, ...]:
    """Return every component that differs between two versions of a game, in the order of the new
    one. One that comes back has no copy before."""
    ids = dict.fromkeys([*game_after.components, *game_before.components])
    back = {key: card for key, card in game_before.removed.items() if key in game_after.components}
    earlier = {**back, **game_before.components}
    pairs = ((key, earlier.get(key), game_after.components.get(key)) for key in ids)
    return tuple(
        ComponentDifference(
            key,
            before,
            after,
            _list_values_that_differ(before, after),
            _list_rules_texts_that_differ(before, after, game_before, game_after, language),
        )
        for key, before, after in pairs
        if before != after
    )


def _list_values_that_differ(
    old_component: Component | None, new_component: Component | None
) -> tuple[ChangedValue, ...]:
    """Return the values that differ, by dotted path."""
    old = dict(_flatten_value_to_paths("", old_component)) if old_component else {}
    new = dict(_flatten_value_to_paths("", new_component)) if new_component else {}
    return tuple(
        ChangedValue(path, old.get(path), new.get(path))
        for path in dict.fromkeys([*old, *new])
        if old.get(path) != new.get(path)
    )


def _list_rules_texts_that_differ(
    old_component: Component | None, new_component: Component | None, game_before: Game, game_after: Game, language: str
) -> tuple[ChangedValue, ...]:
    """Return the texts that differ, in words: an option's text by its letter, the text of other
    effects by their field. Of a card that only one version has, none."""
    if old_component is None or new_component is None:
        return ()
    was = format_rules_texts_by_option_or_field(old_component, game_before, language)
    now = format_rules_texts_by_option_or_field(new_component, game_after, language)
    return tuple(
        ChangedValue(letter, was.get(letter), now.get(letter))
        for letter in dict.fromkeys([*was, *now])
        if was.get(letter) != now.get(letter)
    )


def format_rules_texts_by_option_or_field(
    component: Component | None, game: Game, language: str = "en"
) -> dict[str, str]:
    """Return the rules texts of a component in words: of an option by its letter, of other effects and of amounts by
    their field."""
    if component is None:
        return {}
    vocabulary = game.vocabulary
    options = {o.letter: option_text(o, vocabulary, language, "words") for o in component.options}
    others = {
        name: made_text(value, vocabulary, language, "words")
        for name, value in component.fields.items()
        if isinstance(value, tuple) and value and all(isinstance(step, Effect | Either) for step in value)
    }
    declared = vocabulary.kinds[component.kind].fields
    amounts = {
        name: format_amounts_with_term_names(value, declared[name].group or "", vocabulary, language)
        for name, value in component.fields.items()
        if isinstance(value, Mapping) and name in declared and declared[name].type == "amounts"
    }
    return {**options, **others, **amounts}


def _flatten_value_to_paths(dotted_path: str, value: object) -> list[tuple[str, object]]:
    """Flatten a value into pairs (dotted path, plain value). Options are keyed by letter; places
    are left out."""
    if isinstance(value, Words):
        return _flatten_value_to_paths(dotted_path, value.texts)
    if is_dataclass(value) and not isinstance(value, type):
        derived = "name" if isinstance(value, Component) else ""  # a field says it too
        named = ((f.name, getattr(value, f.name)) for f in fields(value) if f.compare and f.name != derived)
        return [
            pair for name, item in named for pair in _flatten_value_to_paths(_join_dotted_path(dotted_path, name), item)
        ]
    if isinstance(value, Mapping):
        return [
            pair
            for name, item in value.items()
            for pair in _flatten_value_to_paths(_join_dotted_path(dotted_path, str(name)), item)
        ]
    if isinstance(value, tuple):
        letters = [str(getattr(item, "letter", index)) for index, item in enumerate(value)]
        return [
            pair
            for letter, item in zip(letters, value, strict=True)
            for pair in _flatten_value_to_paths(_join_dotted_path(dotted_path, letter), item)
        ]
    return [(dotted_path.removeprefix("fields."), value)]


def _join_dotted_path(dotted_path: str, name: str) -> str:
    return f"{dotted_path}.{name}" if dotted_path else name
