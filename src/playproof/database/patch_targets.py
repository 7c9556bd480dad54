"""What a change of an erratum may name: a component, a new one, a value of a file, or a sentence of a chapter.

A change that cannot be made there is refused with the sentence that says where it is made instead.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from playproof.database.errors import (
    Finding,
    FindingCollector,
    Where,
    find_nearest_word_or_empty,
    make_nearest_or_possible_words_hint,
    make_path_relative_to_working_folder,
)
from playproof.database.sheet_cells import COUNTS, NAMES, make_property_name_from_heading, normalize_heading
from playproof.database.source import KindAndNode

if TYPE_CHECKING:
    from playproof.database.patch import Change, Erratum
    from playproof.database.vocabulary import Vocabulary

FILES = ("game", "rulebook", "vocabulary")
"""The files of which an erratum changes values by their paths."""
_CHAPTER = re.compile(r"rulebook/.+\.md")
_VERSION = re.compile(r"v?(\d+(?:\.\d+)+)")
_NEAR = 0.8
"""So much alike is a name that is only misspelt: a heading of a sheet, as `Cost` for `cost`."""
_OPTION_FIELDS = ("needs", "pay", "do", "to", "text")
_RENUMBER = "take the old one out (`path: count, to: 0`) and add the new one (`component: NEW, kind: ..., to: {...}`)"
_OF_ANOTHER_KIND = "a component of another kind is a new component: `component: NEW, kind: ..., to: {...}`"


class ChangeFault(NamedTuple):
    """What is wrong with a change, and the nearest way out."""

    code: str
    message: str
    hint: str = ""


def find_fault_of_change(change: Change) -> ChangeFault | None:
    """Return what a change does not say, None if it says all that it has to."""
    if bool(change.component) == bool(change.file):
        found = "both" if change.component else "neither"
        hint = "a rule, a number of set-up or the list of the box stands in a file: `file: rulebook`, `file: game`"
        return ChangeFault("PP841", f"a change: expected a `component` or a `file`, found {found}", hint)
    return _find_fault_of_file_change(change) if change.file else _find_fault_of_component_change(change)


def _find_fault_of_file_change(change: Change) -> ChangeFault | None:
    if _CHAPTER.fullmatch(change.file):
        if change.path or change.old is None or not isinstance(change.old.value, str):
            hint = "write the sentence as `from` and as it reads now as `to`, without a `path`"
            return ChangeFault("PP841", f"{change.file}: expected a sentence as `from`", hint)
        return None
    if change.file not in FILES:
        hints = {
            "claims": "what a claim says and expects from then on stands under `claims:` of the erratum",
            "rules": "rules are written in Python: change them in rules/, and say here what that does to the cards",
        }
        hint = hints.get(change.file.split("/")[0].removesuffix(".py"), "")
        message = f"an erratum changes components, the files {', '.join(FILES)}, and chapters such as "
        instead = "values of a card are changed with `component: ID`"
        return ChangeFault("PP842", f'{message}rulebook/1-play.md, found the file "{change.file}"', hint or instead)
    if not change.path:
        return ChangeFault("PP841", f"{change.file}: expected a `path`", "as in `path: numbers.hand`")
    return None


def _find_fault_of_component_change(change: Change) -> ChangeFault | None:
    ident = change.component
    if change.path in (("id",), ("kind",)):
        what, hint = ("number", _RENUMBER) if change.path == ("id",) else ("kind", _OF_ANOTHER_KIND)
        return ChangeFault("PP844", f"{ident}: the {what} of a component is no value of it", hint)
    if change.path:
        return (
            ChangeFault("PP841", f"{ident}: `kind` is of a new component, which has no `path`") if change.kind else None
        )
    if not change.kind or change.old is not None or change.new is None:
        hint = "for a new component write `kind: ...` and all of it as `to: {...}`, without `from`"
        return ChangeFault("PP841", f"{ident}: expected the `path` of the value that changes", hint)
    return None


def add_or_undo_components_of_errata(
    nodes: Mapping[str, KindAndNode],
    errata: Sequence[Erratum],
    kinds: Sequence[str],
    collector: FindingCollector,
) -> dict[str, KindAndNode]:
    """Return the kinds and nodes of all components with those that errata add."""
    added = dict(nodes)
    for erratum in errata:
        for change in erratum.changes:
            if change.path or not change.component:
                continue
            if change.new is None:  # an erratum that adds it is undone
                added.pop(change.component, None)
            elif change.component in added:
                first = added[change.component].node.where
                message = f'two components have the number "{change.component}"'
                collector.add_finding("PP209", change.where, message, f"the other is at {first}")
            elif change.kind not in kinds:
                message = f'there is no kind "{change.kind}" in the vocabulary'
                collector.add_finding(
                    "PP206", change.where, message, make_nearest_or_possible_words_hint(change.kind, kinds)
                )
            else:
                added[change.component] = KindAndNode(change.kind, change.new)
    return added


# -- chapters -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChapterEdit:
    """A sentence of a chapter that an erratum replaces. `file` is below the game's folder."""

    file: str
    old: str
    new: str
    where: Where

    def compile_pattern_of_old_sentence(self) -> re.Pattern[str]:
        """Return what finds the sentence, wherever its lines break."""
        return re.compile(r"\s+".join(map(re.escape, self.old.split())))


def list_sentences_replaced_by_errata(errata: Sequence[Erratum]) -> tuple[ChapterEdit, ...]:
    """Return the sentences that errata replace, in order."""
    return tuple(
        ChapterEdit(
            change.file,
            str(change.old.value) if change.old else "",
            str(change.new.value) if change.new else "",
            change.where,
        )
        for erratum in errata
        for change in erratum.changes
        if change.file and change.file not in FILES
    )


def replace_sentences_found_once_in_chapter(
    chapter_text: str, chapter_file: str, edits: Sequence[ChapterEdit], collector: FindingCollector | None = None
) -> str:
    """Return a chapter with the sentences replaced that belong to it. Notes one that stands nowhere, or more than
    once."""
    for edit in edits:
        if edit.file != chapter_file:
            continue
        found = len(edit.compile_pattern_of_old_sentence().findall(chapter_text))
        if found == 1:
            chapter_text = edit.compile_pattern_of_old_sentence().sub(lambda _, new=edit.new: new, chapter_text)  # type: ignore[misc]
        elif collector is not None:
            message = f"{chapter_file}: expected the sentence of `from` once, found it {found or 'no'} times"
            hint = (
                "write more of it, so that it stands there once"
                if found
                else _make_nearest_line_hint_or_empty(chapter_text, edit.old)
            )
            collector.add_finding("PP843", edit.where, message, hint)
    return chapter_text


def _make_nearest_line_hint_or_empty(text: str, sentence: str) -> str:
    words = set(sentence.split())
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    best = max(lines, key=lambda line: len(words & set(line.split())), default="")
    return f"the nearest line is: {best}" if words & set(best.split()) else ""


def record_impossible_chapter_edits(folder: Path, edits: Sequence[ChapterEdit], collector: FindingCollector) -> None:
    """Note the sentences that cannot be replaced, and chapters that there are not."""
    chapters = {path.relative_to(folder).as_posix(): path for path in (folder / "rulebook").rglob("*.md")}
    for file in dict.fromkeys(edit.file for edit in edits):
        if file in chapters:
            replace_sentences_found_once_in_chapter(chapters[file].read_text("utf-8"), file, edits, collector)
        else:
            where = next(edit.where for edit in edits if edit.file == file)
            collector.add_finding(
                "PP401", where, f'there is no chapter "{file}"', make_nearest_or_possible_words_hint(file, chapters)
            )


def record_changes_of_missing_files(
    errata: Sequence[Erratum], files: Collection[str], collector: FindingCollector
) -> None:
    """Note the changes of values in files that the game does not have."""
    for erratum in errata:
        for change in erratum.changes:
            if change.file in FILES and change.file not in files:
                hint = "write the file first; a value of a card is changed with `component: ID`"
                collector.add_finding("PP401", change.where, f"the game has no {change.file}.yaml", hint)


# -- where it is changed instead ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TargetSuggester:
    """What a game has beside its components, to say how a change is written that names none of them."""

    kinds: Mapping[str, str]
    vocabulary: Vocabulary
    rules: Sequence[str]
    rulings: Sequence[str]
    numbers: Sequence[str]
    columns: Mapping[str, Mapping[str, str | None]]
    """By kind: the headings of its sheets with the properties that game.yaml gives them."""

    ids_by_title: Mapping[str, str] = field(default_factory=dict)

    def suggest_right_target_or_empty(self, change: Change) -> str:
        """Return how a change is written that finds nothing where it is written, "" if that is not known."""
        name = change.component
        if name in FILES:
            return f"write `file: {name}` in place of `component: {name}`"
        if name in self.rules:
            return f"{name} is a rule: write `file: rulebook, path: rules.{name}.text.en`"
        if name in self.rulings:
            return f"{name} is a ruling: write it under `rulings:`; its words: `file: rulebook, path: rulings.{name}`"
        if name in self.numbers:
            return f"{name} is a number of the rules: write `file: game, path: numbers.{name}`"
        if name in self.ids_by_title:
            return f'“{name}” is the title of {self.ids_by_title[name]}: write `component: "{self.ids_by_title[name]}"`'
        kind = self.kinds.get(name)
        return self._suggest_adding_field_or_empty(change, kind) if kind is not None else ""

    def _suggest_adding_field_or_empty(self, change: Change, kind: str) -> str:
        """Return how a field comes to a component that does not have it."""
        field, fields = change.path[0], self.vocabulary.kinds[kind].fields
        dotted = ".".join(filter(None, re.split(r"[./\[\]]", ".".join(change.path))))
        if dotted != ".".join(change.path) and dotted.partition(".")[0] in fields:
            return f"a path has dots between its parts: write `path: {dotted}`"
        if field in fields and len(change.path) > 1:
            if fields[field].type in ("list", "effects") and not str(change.path[1]).isdigit():
                inner = ".".join(map(str, change.path[1:]))
                return f"`{field}` is a list, counted from 0: write `path: {field}.0.{inner}` for its first item"
            return f"{change.component} has no `{field}` yet: add it whole, with `path: {field}`"
        if field not in fields and normalize_heading(field) in COUNTS:
            return "the number of copies is `count`, whatever its column is called: write `path: count`"
        heading = normalize_heading(".".join(change.path))
        column = next((name for name in self.columns.get(kind, {}) if normalize_heading(name) == heading), None)
        if field not in fields and column is not None:
            named = self.columns[kind][column]
            what = (
                f"is `{named}`: write `path: {named}`" if named else "is a note, which nothing prints and nothing plays"
            )
            return f"the column `{column}` {what}"
        near = find_nearest_word_or_empty(make_property_name_from_heading(field), fields, _NEAR)
        if field not in fields and near:
            return f'did you mean "{".".join((near, *change.path[1:]))}"?'
        if field not in fields and field in ("number", "no", "nr"):
            return f"its number is its key in the file: {_RENUMBER}"
        if field not in fields and field not in ("count", "source", "rules"):
            called_by = self.vocabulary.kinds[kind].called_by or next((name for name in NAMES if name in fields), "")
            if field in NAMES and called_by:
                return f"what it is called is its `{called_by}`: write `path: {called_by}`"
            if change.old is not None:  # a value that is there, it says: no new field is wanted
                return make_nearest_or_possible_words_hint(field, fields)
            return explain_how_to_declare_field(field, kind, change.path)
        return ""


def explain_how_to_declare_field(field: str, kind: str, path: Sequence[str]) -> str:
    """Return what has to be written before an erratum can give a kind a field that it does not have."""
    if len(path) > 1 and path[0] == "options" and field == path[-1]:
        known = ", ".join(f"`{name}`" for name in _OPTION_FIELDS)
        return (
            f"an option has {known}: declare an effect `{field}` in vocabulary.yaml, which the rules read, and write "
            "it in `do`; or write it in the rules, and its words as `text`"
        )
    return (
        f"declare it in vocabulary.yaml (kinds.{kind}.fields.{field}), print it in a layout, and read it in the rules "
        "if it has an effect"
    )


def copy_findings_with_errata_hints(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings, those in errata about what the vocabulary does not allow with how it would."""
    return [
        _copy_finding_with_errata_hint(finding) if is_place_in_errata_file(finding.where) else finding
        for finding in findings
    ]


def _copy_finding_with_errata_hint(finding: Finding) -> Finding:
    match = re.match(r"(\S+) (\S+): nobody declared the field `([^`]+)`(?: in `([^`]+)`)?", finding.message)
    if finding.code == "PP204" and match:
        kind, _, field, inside = match.groups()
        hint = explain_how_to_declare_field(field, kind, tuple(filter(None, (*(inside or "").split("."), field))))
        return replace(
            finding, hint="; or ".join(filter(None, (_keep_hint_if_did_you_mean_or_empty(finding.hint), hint)))
        )
    bound = re.match(r"(\S+) (\S+): `([^`]+)`: expected (?:at (?:most|least)|a length)", finding.message)
    if finding.code == "PP206" and bound:
        kind, _, path = bound.groups()
        place = f"kinds.{kind}.fields.{path.split('.')[0]}"
        what = f"vocabulary.yaml limits it ({place}, or the effect in it)"
        return replace(finding, hint=f"{what}, because rules and layouts are made for no more: change those first")
    return finding


def _keep_hint_if_did_you_mean_or_empty(hint: str) -> str:
    return hint if hint.startswith("did you mean") else ""


def is_place_in_errata_file(where: Where) -> bool:
    """Return whether a place is in a file of errata."""
    return Path(str(where.file)).parent.name == "errata"


def find_version_mismatch_of_file_name(path: Path, erratum: Erratum) -> Finding | None:
    """Return a PP840 finding if a file is named by another version than it holds."""
    match = _VERSION.fullmatch(path.stem)
    if match is None or match[1] == erratum.version:
        return None
    message = f'{make_path_relative_to_working_folder(path)} holds the version "{erratum.version}"'
    quoted = f'; in quotes, `version: "{match[1]}"` keeps a last zero' if match[1].endswith("0") else ""
    return Finding("PP840", erratum.get_place_of_key("version"), message, f"rename the file or the version{quoted}")
