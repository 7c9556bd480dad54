"""Versions of a game: which errata each one has, and how two of them differ, card by card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path

from playproof.database.components import Component, Effect, Either, Words
from playproof.database.effect_text import format_amounts, made_text, option_text
from playproof.database.errors import Finding, InputError
from playproof.database.game import Game, load_game
from playproof.database.patch import Change, Erratum, choose_errata, find_erratum
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
    def is_shown_before_and_after(self) -> tuple[bool, bool]:
        """Whether there is a card to show before and after; one without a copy is shown if the other has none too."""
        before, after = (card.count if card else 0 for card in (self.old, self.new))
        return self.old is not None and before >= min(after, 1), self.new is not None and after >= min(
            before, 1
        )


def load_before_and_after_erratum(
    ref: str | Path, version: str | None = None, since: str | None = None
) -> tuple[Game, Game, Erratum]:
    """Return the game just before and just after an erratum, and the erratum. Without a version it is the newest that
    is issued, or else the newest that is proposed. The game before may be as it was in an earlier version (`since`).

    Raises InputError if the game has no errata or none with these versions.
    """
    published = load_game(ref, errata=False)
    errata, unread = published.errata, published.unread_errata
    if (
        any(not each.proposed for each in unread)
        if version is None
        else version in {e.version for e in unread}
    ):
        load_game(ref, True if version is None else version)  # raises with what is wrong in it
    issued = [erratum.version for erratum in errata if not erratum.proposed]
    if version is None and errata:
        version = (issued or [erratum.version for erratum in errata])[-1]
    erratum = find_erratum(ref, errata, version or "")
    if since is not None:
        return *load_two_versions(ref, since, erratum.version), erratum
    return *_load_game_at_two_errata(ref, _select_version_below(errata, erratum), erratum.version), erratum


def load_two_versions(ref: str | Path, old: str, new: str) -> tuple[Game, Game]:
    """Return a game in two versions; "none" is the game as first published. Raises InputError if there is no such
    version."""
    errata = load_game(ref, errata=False).errata
    for version in (old, new):
        if version != "none":
            find_erratum(ref, errata, version)
    return _load_game_at_two_errata(ref, *(False if version == "none" else version for version in (old, new)))


def _select_version_below(errata: Sequence[Erratum], erratum: Erratum) -> bool | str:
    """Return what selects the version that an erratum builds on."""
    *earlier, _ = choose_errata(errata, erratum.version)
    return earlier[-1].version if earlier else False


def _load_game_at_two_errata(ref: str | Path, old: bool | str, new: bool | str) -> tuple[Game, Game]:
    """Return a game in two versions. Raises InputError with all that is wrong in both."""
    games, findings = list[Game](), list[Finding]()
    for version in (old, new):
        try:
            games.append(load_game(ref, errata=version))
        except InputError as error:
            findings += error.findings
    if findings:
        raise InputError(findings)
    before, after = games
    return before, after


def errata_selector_of_game(game: Game) -> bool | str:
    """Return what selects the errata of a loaded game: the last one's version, or False."""
    return game.applied[-1] if game.applied else False


def list_file_changes(old: Game, new: Game) -> tuple[Change, ...]:
    """Return what changes in files between two versions of a game, each value and sentence once, from what it was to
    what it is."""
    taken_back = [e for e in old.errata if e.version in old.applied and e.version not in new.applied]
    added = [e for e in new.errata if e.version in new.applied and e.version not in old.applied]
    steps = [change.inverse for erratum in reversed(taken_back) for change in reversed(erratum.changes)]
    steps += [change for erratum in added for change in erratum.changes]
    whole = list[Change]()
    for step in steps:
        if not step.file:
            continue
        for number, before in enumerate(whole):
            if (before.file, before.path) == (step.file, step.path) and (
                step.path or _node_value(before.new) == _node_value(step.old)
            ):
                whole[number] = replace(before, new=step.new, where=step.where)
                break
        else:
            whole.append(step)
    return tuple(change for change in whole if _node_value(change.old) != _node_value(change.new))


def _node_value(node: YamlNode | None) -> object:
    return node.data if node else None


@dataclass(frozen=True, slots=True)
class ComponentHistory:
    """What each erratum changes on a component, oldest first, proposed errata too. `findings` is what is wrong in any
    proposal of the game: such a one changes nothing here."""

    changes: tuple[tuple[Erratum, ComponentDifference], ...]
    findings: tuple[Finding, ...]


def build_component_history(ref: str | Path, ident: str, language: str = "en") -> ComponentHistory:
    """Return the history of a component."""
    errata = load_game(ref, errata=False).errata
    changes, findings = list[tuple[Erratum, ComponentDifference]](), list[Finding]()
    for erratum in errata:
        try:
            before, after = _load_game_at_two_errata(
                ref, _select_version_below(errata, erratum), erratum.version
            )
        except InputError as error:
            findings += error.findings
            continue
        differ = compare_components(before, after, language) if ident in erratum.components else ()
        changes += [(erratum, difference) for difference in differ if difference.id == ident]
    return ComponentHistory(tuple(changes), InputError(findings).findings)


def compare_components(old: Game, new: Game, language: str = "en") -> tuple[ComponentDifference, ...]:
    """Return every component that differs between two versions of a game, in the order of the new
    one."""
    ids = dict.fromkeys([*new.components, *old.components])
    pairs = ((key, old.components.get(key), new.components.get(key)) for key in ids)
    return tuple(
        ComponentDifference(
            key,
            before,
            after,
            _compare_values(before, after),
            _compare_rules_texts(before, after, old, new, language),
        )
        for key, before, after in pairs
        if before != after
    )


def _compare_values(before: Component | None, after: Component | None) -> tuple[ChangedValue, ...]:
    """Return the values that differ, by dotted path."""
    old = dict(_flatten_value("", before)) if before else {}
    new = dict(_flatten_value("", after)) if after else {}
    return tuple(
        ChangedValue(path, old.get(path), new.get(path))
        for path in dict.fromkeys([*old, *new])
        if old.get(path) != new.get(path)
    )


def _compare_rules_texts(
    before: Component | None, after: Component | None, old: Game, new: Game, language: str
) -> tuple[ChangedValue, ...]:
    """Return the texts that differ, in words: an option's text by its letter, the text of other
    effects by their field. Of a card that only one version has, none."""
    if before is None or after is None:
        return ()
    was = format_rules_texts(before, old, language)
    now = format_rules_texts(after, new, language)
    return tuple(
        ChangedValue(letter, was.get(letter), now.get(letter))
        for letter in dict.fromkeys([*was, *now])
        if was.get(letter) != now.get(letter)
    )


def format_rules_texts(component: Component | None, game: Game, language: str = "en") -> dict[str, str]:
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
        name: format_amounts(value, declared[name].group or "", vocabulary, language)
        for name, value in component.fields.items()
        if isinstance(value, Mapping) and name in declared and declared[name].type == "amounts"
    }
    return {**options, **others, **amounts}


def _flatten_value(path: str, value: object) -> list[tuple[str, object]]:
    """Flatten a value into pairs (dotted path, plain value). Options are keyed by letter; places
    are left out."""
    if isinstance(value, Words):
        return _flatten_value(path, value.texts)
    if is_dataclass(value) and not isinstance(value, type):
        derived = "name" if isinstance(value, Component) else ""  # a field says it too
        named = ((f.name, getattr(value, f.name)) for f in fields(value) if f.compare and f.name != derived)
        return [pair for name, item in named for pair in _flatten_value(_join_path(path, name), item)]
    if isinstance(value, Mapping):
        return [
            pair for name, item in value.items() for pair in _flatten_value(_join_path(path, str(name)), item)
        ]
    if isinstance(value, tuple):
        letters = [str(getattr(item, "letter", index)) for index, item in enumerate(value)]
        return [
            pair
            for letter, item in zip(letters, value, strict=True)
            for pair in _flatten_value(_join_path(path, letter), item)
        ]
    return [(path.removeprefix("fields."), value)]


def _join_path(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
