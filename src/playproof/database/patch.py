"""Dated patches as `errata/*.yaml` says them: what each changes, their order, which are in use, and how a person names
one or a card. `patch_application.py` applies them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date as day, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from playproof.database.component_models import SourceSpec, provenance_from_node_or_empty, words_by_language_from_node
from playproof.database.components import Component, Provenance, Words
from playproof.database.errors import (
    Finding,
    FindingCollector,
    InputError,
    MessageAndHint,
    Where,
    make_nearest_or_possible_words_hint,
    make_path_relative_to_working_folder,
)
from playproof.database.game import Game, require_game_folder
from playproof.database.game_files import convert_number_to_text_else_same
from playproof.database.patch_targets import find_fault_of_change, find_version_mismatch_of_file_name
from playproof.database.source import YamlNode, read_yaml_file
from playproof.database.vocabulary import WordsSpec
from playproof.database.yaml_models import FileName, StrictModel, validate_node_or_record_findings

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_OTHER_NOTATIONS = (
    *("%d.%m.%Y", "%d. %m. %Y", "%d-%m-%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d"),
    *("%d %B %Y", "%d. %B %Y", "%d %b %Y", "%B %d, %Y", "%B %d %Y", "%b %d, %Y", "%b %d %Y"),
)


def _require_calendar_day(text: str) -> str:
    """Check that a date is a day of the calendar, written as 2026-11-20. Raises PydanticCustomError."""
    try:
        if _DAY.fullmatch(text):
            day.fromisoformat(text)
            return text
    except ValueError:
        pass
    days = " or ".join(_list_iso_dates_of_other_notation(text))
    form = "" if _DAY.fullmatch(text) else " as 2026-11-20"
    expected = f"write {days}" if days else f"expected a day of the calendar{form}"
    message = "`date`: {expected}, found {found}"
    raise PydanticCustomError("PP206", message, {"expected": expected, "found": text})


def _list_iso_dates_of_other_notation(text: str) -> list[str]:
    """Return the days that a date may mean as people write them: `20.11.2026`, `11/20/2026`, `November 20, 2026`.

    >>> _list_iso_dates_of_other_notation("20.11.2026"), _list_iso_dates_of_other_notation("2/3/2026")
    (['2026-11-20'], ['2026-03-02', '2026-02-03'])
    """
    days = list[str]()
    for form in _OTHER_NOTATIONS:
        with suppress(ValueError):
            days.append(datetime.strptime(" ".join(text.split()), form).date().isoformat())
    return list(dict.fromkeys(days))


class ChangeSpec(StrictModel):
    """One changed value of a component or a file. Without `from`, there was no value before; without `to`, the value is
    removed."""

    component: str = Field(default="", description="the id of a component")
    kind: str = Field(default="", description="of a new component, which `to` holds whole")
    file: str = Field(
        default="", description="`game`, `rulebook`, `vocabulary`, or the path of a chapter of the rulebook"
    )
    path: str = Field(default="", description="where the value stands, as `options.A.pay`; a chapter has none")
    from_: Any = Field(default=None, alias="from")
    to: Any = None


Version = Annotated[FileName, BeforeValidator(convert_number_to_text_else_same, json_schema_input_type=str | float)]
ErratumClass = Literal["typo", "clarification", "function", "balance"]
RulingOutcome = Literal["stays", "falls", "changes"]


class AuthoritySpec(StrictModel):
    """Who decided the erratum, and where that can be read."""

    name: str = Field(min_length=1)
    source: SourceSpec = Field(default={})


class PrintingSpec(StrictModel):
    """One printing of the game, and how a player tells which printing a card is from."""

    name: str = Field(min_length=1)
    affected: bool = Field(default=True, description="whether its cards have the old values")
    mark: WordsSpec = Field(description="what is printed on its cards, or missing there")
    languages: list[str] = Field(default=[], description="the languages it exists in; all if left out")


class RulingFateSpec(StrictModel):
    """What becomes of a ruling."""

    becomes: RulingOutcome
    to: str = Field(default="", description="the option that is in force from now on, if the ruling `changes`")
    why: WordsSpec = Field(default={})


class FollowingSpec(StrictModel):
    """What a claim says and expects with this erratum."""

    says: WordsSpec = Field(default={})
    expect: Any = None


class ErratumSpec(StrictModel):
    """The content of one file in `errata/`. It has `changes` or `rulings`, or names the erratum that it `undoes`."""

    version: Version
    date: Annotated[
        str,
        AfterValidator(_require_calendar_day),
        WithJsonSchema({"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}),
    ]
    status: Literal["issued", "proposed"] = Field(
        default="issued", description="a proposed erratum is in use only where its version is named"
    )
    class_: ErratumClass | None = Field(
        default=None, alias="class", description="left out, it is read off what changes"
    )
    note: WordsSpec = Field(description="what players read")
    reason: WordsSpec = Field(default={}, description="why it was made")
    authority: AuthoritySpec | None = None
    languages: list[str] = Field(default=[], description="the languages whose cards change; all if left out")
    printings: list[PrintingSpec] = Field(default=[])
    rulings: dict[str, RulingFateSpec] = Field(default={}, description="rulings that it touches, by id")
    claims: dict[str, FollowingSpec] = Field(
        default={}, description="claims that follow the change, by id: what they say and expect with it"
    )
    follows: Version | None = Field(default=None, description="a proposed erratum that this one builds on")
    undoes: Version | None = Field(default=None, description="an earlier erratum whose changes it takes back")
    changes: list[ChangeSpec] = Field(default=[])


@dataclass(frozen=True, slots=True)
class Change:
    """One change: at `path` of a component or of a `file`, `new` replaces `old`. None stands for a missing
    value. A change without a path is a new component of a `kind`, or a sentence of a chapter."""

    component: str
    path: tuple[str, ...]
    old: YamlNode | None
    new: YamlNode | None
    where: Where = field(compare=False)
    file: str = ""
    kind: str = ""

    @property
    def target(self) -> str:
        """What it changes, for messages: the component, or the file."""
        return self.component or self.file

    @property
    def inverse(self) -> Change:
        """The change that takes this one back."""
        return replace(self, old=self.new, new=self.old)


@dataclass(frozen=True, slots=True)
class Authority:
    """Who decided an erratum, with the source."""

    name: str
    source: Provenance


@dataclass(frozen=True, slots=True)
class Printing:
    """A printing, and how one tells its cards."""

    name: str
    affected: bool
    mark: Words
    languages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RulingFate:
    """What becomes of a ruling: it stays, falls or changes; and why. `to` is the option that is in force from now on,
    "" if it is not said."""

    id: str
    becomes: RulingOutcome
    to: str
    why: Words | None
    where: Where = field(compare=False)


@dataclass(frozen=True, slots=True)
class Erratum:
    """A dated patch. `kind` is its class as the file states it, None if it states none. `languages` is empty if
    cards change in all languages."""

    version: str
    date: str
    note: Words
    changes: tuple[Change, ...]
    where: Where = field(compare=False)
    proposed: bool = False
    kind: ErratumClass | None = None
    reason: Words | None = None
    authority: Authority | None = None
    languages: tuple[str, ...] = ()
    printings: tuple[Printing, ...] = ()
    rulings: tuple[RulingFate, ...] = ()
    claims: Mapping[str, YamlNode] = field(default_factory=dict, compare=False)
    follows: str = ""
    undoes: str = ""
    places: Mapping[str, Where] = field(default_factory=dict, compare=False)

    @property
    def components(self) -> tuple[str, ...]:
        """The ids of the components that it changes, each once, in its order."""
        return tuple(dict.fromkeys(change.component for change in self.changes if change.component))

    def get_place_of_key(self, key: str) -> Where:
        """Return where the file says something, by its key; where the erratum begins if it does not."""
        return self.places.get(key, self.where)


def read_erratum_or_record_findings(node: YamlNode, collector: FindingCollector) -> Erratum | None:
    """Check and convert one erratum; return None after noting its errors."""
    found = FindingCollector()
    spec = validate_node_or_record_findings(ErratumSpec, node, found, "erratum: ")
    asked = dict(_iter_findings_of_changed_questions(node))
    collector.add_findings(f for f in found.findings if f.code != "PP204" or f.where not in asked)
    collector.add_findings(asked.values())
    if spec is None:
        return None
    if not (spec.changes or spec.undoes or spec.rulings) or (spec.changes and spec.undoes):
        message = "erratum: expected `changes`, `rulings`, or `undoes` with the version of another erratum, found "
        collector.add_finding("PP405", node.where, message + ("both" if spec.changes else "none"))
        return None
    changes = [
        _build_change_or_record_fault(item, collector)
        for item in (node.get_node_or_nearest_ancestor(["changes"]).items if spec.changes else ())
    ]
    _record_changes_taken_back(list(filter(None, changes)), collector)
    return Erratum(
        version=spec.version,
        date=spec.date,
        note=words_by_language_from_node(node.get_node_or_nearest_ancestor(["note"])),
        changes=tuple(filter(None, changes)),
        where=node.where,
        proposed=spec.status == "proposed",
        kind=spec.class_,
        reason=words_by_language_from_node(node.get_node_or_nearest_ancestor(["reason"])) if spec.reason else None,
        authority=_build_authority_or_none(spec, node),
        languages=tuple(spec.languages),
        printings=_build_printings(spec, node),
        rulings=_build_ruling_fates(spec, node),
        claims={ident: entry.node for ident, entry in node.get_node_or_nearest_ancestor(["claims"]).entries.items()}
        if spec.claims
        else {},
        follows=spec.follows or "",
        undoes=spec.undoes or "",
        places={key: entry.node.where for key, entry in node.entries.items()},
    )


def _iter_findings_of_changed_questions(node: YamlNode) -> Iterator[tuple[Where, Finding]]:
    """Yield PP410 with its place for each key of a claim that is neither what it says nor what it expects."""
    for ident, claim in node.get_node_or_nearest_ancestor(["claims"]).entries.items() if node.get("claims") else ():
        for key, entry in claim.node.entries.items():
            if key not in FollowingSpec.model_fields:
                message = f"an erratum changes what a claim says and expects, not `{key}` of claim `{ident}`"
                hint = f"both versions are asked the same: write a second claim with this `{key}` in claims.yaml"
                yield entry.key_where, Finding("PP410", entry.key_where, message, hint)


def _record_changes_taken_back(changes: Sequence[Change], collector: FindingCollector) -> None:
    """Note each value and sentence that one erratum changes, and changes back to what it was."""
    for number, last in enumerate(changes):
        for first in changes[:number]:
            is_same_place = (first.component, first.file, first.path) == (last.component, last.file, last.path)
            is_next_step = bool(last.path) or are_nodes_equal_with_same_types(first.new, last.old)
            if is_same_place and is_next_step and are_nodes_equal_with_same_types(first.old, last.new):
                what = f"`{'.'.join(last.path)}`" if last.path else "a sentence"
                message = f"{last.target}: {what} is changed at {first.where} and changed back here: nothing changes"
                collector.add_finding("PP405", last.where, message, "leave out both changes")


def _build_authority_or_none(spec: ErratumSpec, node: YamlNode) -> Authority | None:
    if spec.authority is None:
        return None
    return Authority(
        spec.authority.name,
        provenance_from_node_or_empty(node.get_node_or_nearest_ancestor(["authority"]).get("source")),
    )


def _build_printings(spec: ErratumSpec, node: YamlNode) -> tuple[Printing, ...]:
    return tuple(
        Printing(
            item.name,
            item.affected,
            words_by_language_from_node(node.get_node_or_nearest_ancestor(["printings", number, "mark"])),
            tuple(item.languages),
        )
        for number, item in enumerate(spec.printings)
    )


def _build_ruling_fates(spec: ErratumSpec, node: YamlNode) -> tuple[RulingFate, ...]:
    fates = []
    for ident, fate in spec.rulings.items():
        own = node.get_node_or_nearest_ancestor(["rulings", ident])
        why = words_by_language_from_node(own.get_node_or_nearest_ancestor(["why"])) if fate.why else None
        fates.append(RulingFate(ident, fate.becomes, fate.to, why, own.where))
    return tuple(fates)


def _build_change_or_record_fault(node: YamlNode, collector: FindingCollector) -> Change | None:
    """Return a change, or None after noting what it does not say."""
    words = {key: str(entry.node.value) for key, entry in node.entries.items()}
    component, kind = words.get("component", ""), words.get("kind", "")
    file = words.get("file", "").removesuffix(".yaml").removeprefix("./")
    path = tuple(filter(None, words.get("path", "").split(".")))
    change = Change(component, path, node.get("from"), node.get("to"), node.where, file, kind)
    wrong = find_fault_of_change(change)
    if wrong is not None:
        collector.add_finding(wrong.code, node.where, wrong.message, wrong.hint)
        return None
    return change


@dataclass(frozen=True, slots=True)
class UnreadErratum:
    """A file of errata that cannot be used, and why. It is in nobody's way who does not need it. `proposed` and
    `version` are as the file says, if it says it."""

    version: str
    proposed: bool
    findings: tuple[Finding, ...]


def read_usable_and_unread_errata(paths: Sequence[Path]) -> tuple[list[Erratum], list[UnreadErratum]]:
    """Return the errata of these files, and the files that hold none that can be used."""
    errata, unread = list[Erratum](), list[UnreadErratum]()
    for path in paths:
        collector, node = FindingCollector(), None
        try:
            node = read_yaml_file(path)
            erratum = read_erratum_or_record_findings(node, collector)
            misnamed = find_version_mismatch_of_file_name(path, erratum) if erratum else None
            collector.add_findings([misnamed] if misnamed else [])
        except InputError as error:
            erratum = None
            collector.add_findings(error.findings)
        if collector.errors or erratum is None:
            unread.append(_make_unread_erratum(path, node, collector))
        else:
            errata.append(erratum)
    return errata, unread


def _make_unread_erratum(path: Path, node: YamlNode | None, collector: FindingCollector) -> UnreadErratum:
    said = {key: str(entry.node.value) for key, entry in node.entries.items()} if node else {}
    misnamed = any(finding.code == "PP840" for finding in collector.findings)
    version = path.stem if misnamed else said.get("version", path.stem)
    return UnreadErratum(version, said.get("status") == "proposed", tuple(collector.findings))


def list_unread_versions_needed_by_selection(unread: Mapping[str, UnreadErratum], selection: bool | str) -> list[str]:
    """Return the versions of errata that cannot be used, and that a choice of errata needs: all that are issued, or one
    version with those before it."""
    if selection is False:
        return []
    if selection is True:
        return [version for version, each in unread.items() if not each.proposed]
    upto = _make_version_sort_key(selection)
    earlier = {v for v, each in unread.items() if not each.proposed and _make_version_sort_key(v) < upto}
    return [version for version in unread if version == selection or version in earlier]


def sort_errata_resolve_undoing_split_misfits(
    errata: Sequence[Erratum],
) -> tuple[tuple[Erratum, ...], list[UnreadErratum]]:
    """Return the errata by date and version, those that undo another with its changes taken back. Beside them, those of
    a version that another one has, and those that name a version that no earlier one has."""
    ordered = sorted(errata, key=lambda e: (e.date, _make_version_sort_key(e.version)))
    earlier: dict[str, Erratum] = {}
    unread = list[UnreadErratum]()
    for erratum in ordered:
        collector = FindingCollector()
        if erratum.version in earlier:
            message = f'two errata have the version "{erratum.version}"'
            first = earlier[erratum.version]
            collector.add_finding("PP403", erratum.where, message, f"the other is at {first.where}")
        for key in ("follows", "undoes"):
            version = getattr(erratum, key)
            if version and version not in earlier:
                message = f'`{key}`: no earlier erratum has the version "{version}"'
                collector.add_finding(
                    "PP404",
                    erratum.get_place_of_key(key),
                    message,
                    make_nearest_or_possible_words_hint(version, earlier),
                )
        if collector.errors:
            unread.append(UnreadErratum(erratum.version, erratum.proposed, tuple(collector.findings)))
            continue
        undone = earlier.get(erratum.undoes)
        if undone is not None:
            back = tuple(replace(change.inverse, where=erratum.get_place_of_key("undoes")) for change in undone.changes)
            erratum = replace(erratum, changes=back[::-1])
        earlier[erratum.version] = erratum
    return tuple(earlier.values()), unread


def find_previous_version_of_later_date(erratum: Erratum, errata: Sequence[Erratum]) -> Erratum | None:
    """Return the highest issued version below an erratum's, if that is dated after it."""
    key = _make_version_sort_key(erratum.version)
    below = [e for e in errata if not e.proposed and _make_version_sort_key(e.version) < key]
    previous = max(below, key=lambda each: _make_version_sort_key(each.version), default=None)
    return previous if previous is not None and previous.date > erratum.date else None


def choose_errata_in_use(errata: Sequence[Erratum], selection: bool | str) -> tuple[Erratum, ...]:
    """Return the errata in use: all that are issued, none, or those up to a version. A proposed erratum is in use
    only if it is that version, or if that version builds on it."""
    if selection is False:
        return ()
    if selection is True:
        return tuple(erratum for erratum in errata if not erratum.proposed)
    by_version = {erratum.version: erratum for erratum in errata}
    wanted = {selection}
    last = by_version[selection]
    while last.follows or (last.undoes and by_version[last.undoes].proposed):
        last = by_version[last.follows or last.undoes]
        wanted.add(last.version)
    upto = list(by_version).index(selection)
    return tuple(erratum for erratum in errata[: upto + 1] if erratum.version in wanted or not erratum.proposed)


def _make_version_sort_key(version: str) -> tuple[tuple[int, str], ...]:
    """Return a sort key that puts 1.10 after 1.9."""
    parts = re.findall(r"\d{1,18}|[^\d.]+", version)
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in parts)


def are_nodes_equal_with_same_types(first: YamlNode | None, second: YamlNode | None) -> bool:
    """Return whether two values are equal and of the same types. For Python, 1 and 1.0 and true are equal."""
    return _format_canonical_json(first) == _format_canonical_json(second)


def _format_canonical_json(node: YamlNode | None) -> str:
    return json.dumps(node.data if node else None, sort_keys=True)


# -- lookup --------------------------------------------------------------------------------------------------
# Finds what a person names: an erratum by its version, a card by its number or title.

_A_CHANGE = "`{component: ID, path: title, from: OLD, to: NEW}`"


def require_erratum_of_version(game_ref: str | Path, errata: Sequence[Erratum], version: str) -> Erratum:
    """Return the erratum of this version. Raises InputError if there is none."""
    for erratum in errata:
        if erratum.version == version:
            return erratum
    where = Where(make_path_relative_to_working_folder(require_game_folder(game_ref) / "errata"))
    if not errata:
        hint = f"write {where.file}/1.1.yaml with `version`, `date`, `note` and `changes`, of which each is {_A_CHANGE}"
        raise InputError.from_single_finding("PP404", where, "this game has no errata", hint)
    message = f'there is no erratum with the version "{version}"'
    raise InputError.from_single_finding(
        "PP404", where, message, make_nearest_or_possible_words_hint(version, [e.version for e in errata])
    )


def require_component_by_id_or_title(game: Game, id_or_title: str, language: str) -> Component:
    """Return the component with this number or title, also one that left the box. Raises InputError if there is
    none."""
    every = {**game.removed, **game.components}
    if id_or_title in every:
        return every[id_or_title]
    titles = {
        component.title.text(language).casefold(): component
        for component in every.values()
        if component.title is not None
    }
    if id_or_title.casefold() in titles:
        return titles[id_or_title.casefold()]
    hint = make_nearest_or_possible_words_hint(
        id_or_title, [*every, *(component.name for component in titles.values())]
    )
    raise InputError.from_single_finding("PP210", Where(game.name), f'there is no card "{id_or_title}"', hint)


def describe_missing_component_with_hint(game: Game, component_id: str) -> MessageAndHint:
    """Return that a game has no component of this id, and the way out: another one, or what to do for one that left the
    box."""
    if component_id in game.removed:
        hint = f"name another component here, write around it, or leave {component_id} in the box"
        return MessageAndHint(f"{component_id} is no longer in the box: it has 0 copies", hint)
    message = f'there is no component "{component_id}"'
    return MessageAndHint(message, make_nearest_or_possible_words_hint(component_id, game.components))
