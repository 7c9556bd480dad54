"""Dated patches: reads `errata/*.yaml` and applies them to the YAML nodes before these become
components.

A patch works on nodes, so that a patched card goes through the same checks as a written one, and a
mistake in the patch is reported at its place in the patch."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date as day, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

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
from playproof.database.patch_targets import find_fault_of_change, find_version_mismatch_of_file_name
from playproof.database.rulebook import Rulebook, RulingAnswer
from playproof.database.sheet_cells import format_as_one_line_yaml
from playproof.database.source import YamlEntry, YamlNode, read_yaml_file
from playproof.database.vocabulary import WordsSpec
from playproof.database.yaml_models import FileName, StrictModel, validate_node_or_record_findings

_INDEX = re.compile(r"0|[1-9][0-9]{0,5}")
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


def _convert_version_number_to_text(value: object) -> object:
    """Convert a version written as a bare number to text: 1.1 becomes "1.1"."""
    return str(value) if isinstance(value, int | float) else value


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


Version = Annotated[FileName, BeforeValidator(_convert_version_number_to_text, json_schema_input_type=str | float)]
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
    spec = validate_node_or_record_findings(ErratumSpec, node, collector, "erratum: ")
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


def _record_changes_taken_back(changes: Sequence[Change], collector: FindingCollector) -> None:
    """Note each value and sentence that one erratum changes, and changes back to what it was."""
    for number, last in enumerate(changes):
        for first in changes[:number]:
            is_same_place = (first.component, first.file, first.path) == (last.component, last.file, last.path)
            is_next_step = bool(last.path) or _are_equal_with_same_types(first.new, last.old)
            if is_same_place and is_next_step and _are_equal_with_same_types(first.old, last.new):
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


def sort_errata_and_split_off_misfits(errata: Sequence[Erratum]) -> tuple[tuple[Erratum, ...], list[UnreadErratum]]:
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


def find_lower_version_of_later_date(erratum: Erratum, errata: Sequence[Erratum]) -> Erratum | None:
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


def find_ruling_answers_of_errata(
    errata: Sequence[Erratum], rulebook: Rulebook, collector: FindingCollector
) -> dict[str, RulingAnswer]:
    """Return the answers to rulings that errata put in force, by the ruling's id. Notes a ruling that is said to change
    and would stay as it is (PP834), and one that does not exist (PP407)."""
    in_force, undone = dict[str, RulingAnswer](), _find_undone_versions(errata)
    for erratum in errata:
        for change in erratum.changes:
            if change.file == "rulebook" and change.path[:1] == ("rulings",) and change.path[2:] == ("default",):
                in_force[change.path[1]] = RulingAnswer(str(change.new.value if change.new else ""))
        for fate in erratum.rulings if erratum.version not in undone else ():
            ruling = rulebook.rulings.get(fate.id)
            if ruling is None:
                message = f'erratum {erratum.version}: there is no ruling "{fate.id}"'
                collector.add_finding(
                    "PP407", fate.where, message, make_nearest_or_possible_words_hint(fate.id, rulebook.rulings)
                )
                continue
            now = in_force[fate.id].option if fate.id in in_force else ruling.default
            others = [option for option in ruling.options if option != now]
            if fate.becomes == "changes" and fate.to not in others:
                found = f"`to: {fate.to}`" if fate.to else "no `to`"
                message = f"erratum {erratum.version}: ruling {fate.id} is said to change, and would stay `{now}`: "
                message += f"expected `to` with another option, found {found}"
                collector.add_finding(
                    "PP834", fate.where, message, make_nearest_or_possible_words_hint(fate.to, others)
                )
            elif fate.becomes != "changes" and fate.to:
                message = f"erratum {erratum.version}: ruling {fate.id} {fate.becomes}, and has `to: {fate.to}`"
                collector.add_finding("PP834", fate.where, message, "write `becomes: changes`, or leave `to` out")
            elif fate.to:
                in_force[fate.id] = RulingAnswer(fate.to, fate.why)
    return in_force


def apply_errata_to_claims(claims: YamlNode, errata: Sequence[Erratum], collector: FindingCollector) -> YamlNode:
    """Return the file of claims with what the errata say of claims; one that is undone says nothing."""
    undone = _find_undone_versions(errata)
    for erratum in errata:
        if erratum.version not in undone:
            claims = _apply_erratum_to_claims(claims, erratum, collector)
    return claims


def _find_undone_versions(errata: Sequence[Erratum]) -> set[str]:
    """Return the versions that later errata take back, which are not taken back themselves."""
    undone = set[str]()
    for erratum in reversed(errata):
        if erratum.version not in undone:
            undone.add(erratum.undoes)
    return undone


def _apply_erratum_to_claims(claims: YamlNode, erratum: Erratum, collector: FindingCollector) -> YamlNode:
    by_id = claims.get_node_or_nearest_ancestor(["claims"]).entries
    for ident, node in erratum.claims.items():
        if ident not in by_id:
            message = f'erratum {erratum.version}: there is no claim "{ident}"'
            collector.add_finding("PP401", node.where, message, make_nearest_or_possible_words_hint(ident, by_id))
            continue
        for key, entry in node.entries.items():
            claims = _copy_with_value_replaced_or_removed(claims, ("claims", ident, key), entry.node, entry.key_where)
    return claims


def _make_version_sort_key(version: str) -> tuple[tuple[int, str], ...]:
    """Return a sort key that puts 1.10 after 1.9."""
    parts = re.findall(r"\d{1,18}|[^\d.]+", version)
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in parts)


class _AppliedChange(NamedTuple):
    version: str
    change: Change


def apply_errata_to_components(
    components: Mapping[str, YamlNode],
    errata: Sequence[Erratum],
    collector: FindingCollector,
    suggest_target: Callable[[Change], str] = lambda _: "",
) -> dict[str, YamlNode]:
    """Return the component nodes after the errata, applied in order. Note each change that does not
    fit and skip it. `suggest_target` says of a change that finds nothing how it is written instead, if it knows."""
    patched = dict(components)
    changed_by: dict[tuple[str, ...], _AppliedChange] = {}
    for erratum in errata:
        for change in erratum.changes:
            if change.file or not change.path:
                continue  # files and new components are changed before
            old = patched.get(change.component)
            if old is None:
                message = f'there is no component "{change.component}"'
                hint = suggest_target(change) or make_nearest_or_possible_words_hint(change.component, patched)
                collector.add_finding("PP401", change.where, message, hint)
                continue
            before = _find_last_change_of_value_or_around(changed_by, change)
            new = _copy_with_change_or_record_fault(old, change, collector, before, suggest_target(change))
            if new is not None:
                patched[change.component] = new
                changed_by[(change.component, *change.path)] = _AppliedChange(erratum.version, change)
    return patched


def _find_last_change_of_value_or_around(
    changed_by: Mapping[tuple[str, ...], _AppliedChange], change: Change
) -> _AppliedChange | None:
    """Return the version and the change that last changed a component's value, or else what holds it."""
    places = ((change.component, *change.path[:length]) for length in range(len(change.path), 0, -1))
    return next((changed_by[place] for place in places if place in changed_by), None)


def apply_errata_to_file_node(
    node: YamlNode, file_stem: str, errata: Sequence[Erratum], collector: FindingCollector
) -> YamlNode:
    """Return a file's node after the changes that errata make in it, in order. Note each that does not fit."""
    changed_by: dict[tuple[str, ...], _AppliedChange] = {}
    for erratum in errata:
        for change in erratum.changes:
            if change.file == file_stem:
                new = _copy_with_change_or_record_fault(node, change, collector, changed_by.get(change.path))
                if new is not None:
                    node = new
                    changed_by[change.path] = _AppliedChange(erratum.version, change)
    return node


def apply_change_to_file_node(node: YamlNode, change: Change, collector: FindingCollector) -> YamlNode | None:
    """Return a file's node after a change of no erratum, None after noting that it does not fit."""
    return _copy_with_change_or_record_fault(node, change, collector, None)


def apply_changes_to_components(
    components: Mapping[str, YamlNode], changes: Sequence[Change], collector: FindingCollector
) -> dict[str, YamlNode]:
    """Return the component nodes after some changes of no erratum. Note each change that does not fit and skip it."""
    patched = dict(components)
    for change in changes:
        old = patched.get(change.component)
        new = _copy_with_change_or_record_fault(old, change, collector, None) if old is not None else None
        if new is not None:
            patched[change.component] = new
    return patched


def _copy_with_change_or_record_fault(
    node: YamlNode,
    change: Change,
    collector: FindingCollector,
    earlier_change: _AppliedChange | None,
    hint: str = "",
) -> YamlNode | None:
    """Return the component with this change, or None after noting why it cannot be made. `earlier_change` is the
    version and the change that changed the same value last, if any did."""
    above, last = change.path[:-1], change.path[-1]
    parent = _find_node_at_path(node, above)
    if parent is None or not isinstance(parent.value, Mapping | tuple):
        message = f"{change.target} has nothing at `{'.'.join(above)}`"
        field = node.get(change.path[0])
        if earlier_change is not None:
            hint = f"erratum {earlier_change[0]} has changed it at {earlier_change[1].where}"
        elif field is not None and isinstance(field.value, Mapping):
            hint = _make_hint_for_wrong_path(node, above)  # the field is there, and what is looked for in it is not
        collector.add_finding("PP401", change.where, message, hint or _make_hint_for_wrong_path(node, above))
        return None
    stands = _get_child_by_key_or_index(parent, last)
    if isinstance(parent.value, tuple) and (wrong := _describe_index_fault_or_empty(parent.value, last)):
        collector.add_finding("PP401", change.where, f"{change.target}: {wrong}, found `{'.'.join(change.path)}`")
        return None
    if stands is None and change.old is None and change.new is None:
        message = f"{change.target}: the change to `{'.'.join(change.path)}` has neither `from` nor `to`"
        collector.add_finding("PP401", change.where, message)
        return None
    brings_back = change.old is not None and change.old.data == 0
    if change.component and change.path == ("count",) and change.new is None and not brings_back:
        message = f"{change.target}: without `count` a component has one copy, so removing it takes nothing out"
        collector.add_finding("PP401", change.where, message, "to take it out of the box, write `to: 0`")
        return None
    if not (_are_equal_with_same_types(stands, change.old) or _is_change_of_unwritten_count(stands, change)):
        expected = change.old.data if change.old else "nothing"
        value = stands.data if stands else "nothing"
        place = change.old.where if change.old else change.where
        dotted = ".".join(change.path)
        hint = hint if not stands else f"it stands at {stands.where}"
        hint = hint or make_nearest_or_possible_words_hint(last, parent.entries)
        if stands and change.old and str(stands.data) == str(change.old.data):
            hint = f"its type is another: write {format_as_one_line_yaml(stands.data)}; {hint}"
        if earlier_change is not None:
            version, change_before = earlier_change
            hint = f"erratum {version} has changed it at {change_before.where}"
        message = (
            f"{change.target}: `{dotted}` should be {format_as_one_line_yaml(expected)} before the change, "
            f"found {format_as_one_line_yaml(value)}"
        )
        collector.add_finding("PP402", place, message, hint)
        return None
    if change.old is not None and _are_equal_with_same_types(change.old, change.new):
        message = f"{change.target}: `from` and `to` are the same, so nothing changes"
        collector.add_finding("PP405", change.where, message)
        return None
    return _copy_with_value_replaced_or_removed(node, change.path, change.new, change.where)


def _is_change_of_unwritten_count(current_node: YamlNode | None, change: Change) -> bool:
    """Return whether a change is of the one copy that a component has where no `count` is written."""
    is_count = bool(change.component) and change.path == ("count",)
    return is_count and current_node is None and change.old is not None and change.old.data == 1


def _make_hint_for_wrong_path(node: YamlNode, path: Sequence[str]) -> str:
    """Return what stands where a path goes wrong, as a hint."""
    for number, key in enumerate(path):
        below = _get_child_by_key_or_index(node, key)
        if below is None:
            return make_nearest_or_possible_words_hint(key, node.entries)
        if not isinstance(below.value, Mapping | tuple):
            whole = ".".join(path[: number + 1])
            return f"`{whole}` is `{format_as_one_line_yaml(below.data)}`: change it whole, with `path: {whole}`"
        node = below
    return ""


def _describe_index_fault_or_empty(items: Sequence[YamlNode], key: str) -> str:
    """Return what was expected in place of `key`, which is no item of the list nor the next one; else ""."""
    if _INDEX.fullmatch(key) and int(key) <= len(items):
        return ""
    return f"expected an item of a list of {len(items)}, counted from 0, or {len(items)} to add one"


def _are_equal_with_same_types(first: YamlNode | None, second: YamlNode | None) -> bool:
    """Return whether two values are equal and of the same types. For Python, 1 and 1.0 and true are equal."""
    return _format_canonical_json(first) == _format_canonical_json(second)


def _format_canonical_json(node: YamlNode | None) -> str:
    return json.dumps(node.data if node else None, sort_keys=True)


def _find_node_at_path(node: YamlNode, path: Sequence[str]) -> YamlNode | None:
    """Return the node at a path, or None if it does not exist."""
    current: YamlNode | None = node
    for key in path:
        current = _get_child_by_key_or_index(current, key) if current is not None else None
    return current


def _get_child_by_key_or_index(node: YamlNode, key: str) -> YamlNode | None:
    """Return the child under a key; in a list, the key is an index."""
    if isinstance(node.value, tuple):
        return node.get(int(key)) if _INDEX.fullmatch(key) else None
    return node.get(key)


def _copy_with_value_replaced_or_removed(
    node: YamlNode, path: Sequence[str], new_value: YamlNode | None, where: Where
) -> YamlNode:
    """Return a copy of `node` with `new` at `path`, or without a value there if `new` is None."""
    if not path:
        assert new_value is not None  # the last key is handled by its parent
        return new_value
    key, *rest = path
    if isinstance(node.value, tuple):
        items = list(node.value)
        index = int(key)
        child = _copy_with_value_replaced_or_removed(items[index], rest, new_value, where) if rest else new_value
        grown = child is None or index == len(items)  # a list of another length is the erratum's
        items[index : index + 1] = [child] if child is not None else []
        return node._replace(value=tuple(items), where=where if grown else node.where)
    entries = dict(node.entries)
    child = _copy_with_value_replaced_or_removed(entries[key].node, rest, new_value, where) if rest else new_value
    if child is None:
        entries.pop(key)
    else:
        entries[key] = YamlEntry(key, entries[key].key_where if key in entries else where, child)
    return node._replace(value=entries)


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
