"""The errata in a game's folder: which are in use, and what they make of its files, cards and rulings. A game without
errata does without what this reads patches with."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from playproof.database import rulebook as references
from playproof.database.components import TITLE_FIELDS
from playproof.database.errors import (
    FindingCollector,
    Where,
    make_nearest_or_possible_words_hint,
    make_path_relative_to_working_folder,
)
from playproof.database.game_files import GameFacts
from playproof.database.rulebook import Rulebook, RulingAnswer
from playproof.database.source import KindAndNode, YamlNode, read_file_or_its_override
from playproof.database.vocabulary import Vocabulary

if TYPE_CHECKING:  # a game without claims or errata does without what they import
    from playproof.database.claims_yaml import Claim
    from playproof.database.patch import Change, Erratum, UnreadErratum
    from playproof.database.patch_targets import ChapterEdit


class FolderErrata:
    """The errata of one folder, and one more that is `proposed` and in no file. What is wrong goes to `collector`, of
    claims to `of_claims`; what is read is added to `read_files_hash`."""

    def __init__(
        self,
        folder: Path,
        proposed: YamlNode | None,
        collector: FindingCollector,
        of_claims: FindingCollector,
        read_files_hash: hashlib._Hash,
    ) -> None:
        self.folder, self.proposed = folder, proposed
        self.collector, self.of_claims, self.hash = collector, of_claims, read_files_hash
        self.edits: tuple[ChapterEdit, ...] = ()
        self.unread: dict[str, UnreadErratum] = {}  # by version

    def read_errata_oldest_first_noting_unread(self) -> tuple[Erratum, ...]:
        """Every dated patch that can be read, oldest first. One that cannot is kept with what is wrong in it."""
        paths = sorted((self.folder / "errata").glob("*.yaml"))
        if not paths and self.proposed is None:
            return ()
        from playproof.database.patch import (
            read_erratum_or_record_findings,
            read_usable_and_unread_errata,
            sort_errata_resolve_undoing_split_misfits,
        )

        if self.proposed is not None:
            self.hash.update(repr(self.proposed.data).encode())
        for path in paths:
            if path.is_file():
                self.hash.update(
                    path.relative_to(self.folder).as_posix().encode() + b"\0" + read_file_or_its_override(path)
                )
        errata, unread = read_usable_and_unread_errata(paths)
        extra = read_erratum_or_record_findings(self.proposed, self.collector) if self.proposed is not None else None
        ordered, out_of_order = sort_errata_resolve_undoing_split_misfits([*errata, *([extra] if extra else [])])
        self.unread = {each.version: each for each in (*unread, *out_of_order)}
        return ordered

    def choose_errata_or_note_errors(self, patches: tuple[Erratum, ...], errata: bool | str) -> tuple[Erratum, ...]:
        from playproof.database.patch import choose_errata_in_use, list_unread_versions_needed_by_selection

        versions = [erratum.version for erratum in patches]
        wanting = list_unread_versions_needed_by_selection(self.unread, errata)
        if wanting:
            for version in wanting:
                self.collector.add_findings(self.unread.pop(version).findings)
            return ()
        if isinstance(errata, str) and errata not in versions:
            where = Where(make_path_relative_to_working_folder(self.folder / "errata"))
            hint = make_nearest_or_possible_words_hint(errata, versions)
            self.collector.add_finding("PP404", where, f'there is no erratum with the version "{errata}"', hint)
            return ()
        if not patches:
            return ()
        return choose_errata_in_use(patches, errata)

    def apply_errata_to_files_noting_edits(
        self, files: Mapping[str, YamlNode], errata: tuple[Erratum, ...]
    ) -> dict[str, YamlNode]:
        """Return the files that errata change, after the changes, and keep the sentences of chapters that they
        replace."""
        if not any(change.file for erratum in errata for change in erratum.changes):
            return {}
        from playproof.database.patch_application import apply_errata_to_file_node
        from playproof.database.patch_targets import (
            FILES,
            list_sentences_replaced_by_errata,
            record_changes_of_missing_files,
            record_impossible_chapter_edits,
        )

        self.edits = list_sentences_replaced_by_errata(errata)
        record_impossible_chapter_edits(self.folder, self.edits, self.collector)
        record_changes_of_missing_files(errata, files, self.collector)
        named = [name for name in FILES if name in files]
        return {name: apply_errata_to_file_node(files[name], name, errata, self.collector) for name in named}

    def find_ruling_answers_of_errata(self, errata: tuple[Erratum, ...], rulebook: Rulebook) -> dict[str, RulingAnswer]:
        """Return the answers to rulings that errata put in force."""
        if not any(e.rulings or any(change.file for change in e.changes) for e in errata):
            return {}
        from playproof.database.patch_application import find_ruling_answers_and_note_faults

        return find_ruling_answers_and_note_faults(errata, rulebook, self.collector)

    def read_claims_changed_by_errata(
        self, node: YamlNode | None, errata: tuple[Erratum, ...], rulebook: Rulebook
    ) -> dict[str, Claim]:
        if any(erratum.claims for erratum in errata):
            from playproof.database.patch_application import apply_errata_to_claims

            node = apply_errata_to_claims(node or YamlNode({}, Where("claims.yaml")), errata, self.of_claims)
        if node is None or node.value == {}:
            return {}
        from playproof.database.claims_yaml import read_valid_claims_by_id_and_note_errors

        claims = read_valid_claims_by_id_and_note_errors(node, self.of_claims, self.folder)
        references.record_unknown_rules_cited_by_claims(claims, rulebook, self.of_claims)
        return claims

    def add_components_created_by_errata(
        self, nodes: dict[str, KindAndNode], chosen: Sequence[Erratum], vocabulary: Vocabulary
    ) -> dict[str, KindAndNode]:
        if not chosen:
            return nodes
        from playproof.database.patch_targets import add_or_undo_components_of_errata

        return add_or_undo_components_of_errata(nodes, chosen, [*vocabulary.kinds], self.collector)

    def apply_errata_to_components(
        self,
        nodes: Mapping[str, KindAndNode],
        errata: tuple[Erratum, ...],
        has_unread_files: bool,
        suggest_target: Callable[[Change], str],
    ) -> dict[str, YamlNode]:
        """Return the components after the chosen patches. Note the patches' errors, but only if all
        files could be read."""
        raw = {key: node for key, (_, node) in nodes.items()}
        if not errata:
            return raw
        from playproof.database.patch_application import apply_errata_to_components

        return apply_errata_to_components(
            raw, errata, FindingCollector() if has_unread_files else self.collector, suggest_target
        )

    def make_suggester_for_unknown_target(
        self,
        nodes: Mapping[str, KindAndNode],
        vocabulary: Vocabulary,
        rulebook: Rulebook,
        facts: GameFacts | None,
    ) -> Callable[[Change], str]:
        """Return what says how a change of something that is no component is written."""

        def suggest_right_target(change: Change) -> str:
            from playproof.database.patch_targets import TargetSuggester

            kinds = {key: kind for key, (kind, _) in nodes.items()}
            numbers, columns = [*facts.numbers] if facts is not None else [], dict[str, dict[str, str | None]]()
            for sheet in facts.sheets if facts is not None else ():
                columns.setdefault(sheet.kind, {}).update(sheet.columns)
            titles = {text: key for key, (_, node) in nodes.items() for text in _iter_written_titles(node)}
            around = TargetSuggester(
                kinds, vocabulary, [*rulebook.rules], [*rulebook.rulings], numbers, columns, titles
            )
            return around.suggest_right_target_or_empty(change)

        return suggest_right_target

    def add_hints_to_errata_findings(self) -> None:
        """Say of what errata write and the vocabulary does not allow, how it would be allowed."""
        if self.collector.errors:
            from playproof.database.patch_targets import copy_findings_with_errata_hints

            self.collector.findings[:] = copy_findings_with_errata_hints(self.collector.findings)


def _iter_written_titles(node: YamlNode) -> Iterator[str]:
    """Yield what a component is called, in each language."""
    for title in filter(None, map(node.get, TITLE_FIELDS)):
        yield from map(str, title.data.values() if isinstance(title.data, dict) else [title.data])
