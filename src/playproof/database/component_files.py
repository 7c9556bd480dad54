"""The components that a game's files declare: collected from all files, checked against the kinds of the vocabulary,
and what cannot be read kept apart."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from playproof.database.component_models import Converter, get_or_make_component_models, provenance_from_node_or_empty
from playproof.database.components import TITLE_FIELDS, Component, UnreadComponent, find_title_in_fields_or_none
from playproof.database.errors import (
    Finding,
    FindingCollector,
    find_nearest_word_or_empty,
    make_nearest_or_possible_words_hint,
)
from playproof.database.rulebook import OfComponent
from playproof.database.source import KindAndNode, YamlEntry, YamlNode
from playproof.database.vocabulary import Vocabulary
from playproof.database.yaml_models import validate_node_or_record_findings

SPECIAL = ("game", "vocabulary", "rulebook", "claims")
_OF_COMPONENTS = ("kind", "defaults", "components")


class ComponentFiles:
    """The files of components of one game. What is wrong goes to `collector`, and what is wrong with one component also
    to `unread`, by its id, or by the file where an id cannot be read."""

    def __init__(self, collector: FindingCollector) -> None:
        self.collector = collector
        self.unread: dict[str, UnreadComponent] = {}

    def record_unread_component(self, name: str, kind: str, findings: Sequence[Finding]) -> None:
        """Keep apart what is wrong with one component, or with a file of components; it is in the collector too."""
        earlier = self.unread[name].findings if name in self.unread else ()
        self.unread[name] = UnreadComponent(kind, (*earlier, *findings))

    def make_recorder_of_component_findings(self, nodes: Mapping[str, KindAndNode]) -> OfComponent:
        """Return what notes findings on a component by its id."""

        def record_findings(key: str, findings: Sequence[Finding]) -> None:
            self.record_unread_component(key, nodes[key].kind, findings)

        return record_findings

    def drop_unread_components_and_findings(self, components: Mapping[str, Component]) -> dict[str, Component]:
        """Return the components that can be read. What is wrong with the others is no longer wrong with the game."""
        noted = {finding for each in self.unread.values() for finding in each.findings}
        self.collector.findings[:] = [finding for finding in self.collector.findings if finding not in noted]
        return {key: component for key, component in components.items() if key not in self.unread}

    def collect_kinds_and_nodes_by_id(
        self, files: Mapping[str, YamlNode], vocabulary: Vocabulary
    ) -> dict[str, KindAndNode]:
        """Return every component by id, with defaults filled in, in the order of
        files and lines."""
        nodes: dict[str, KindAndNode] = {}
        for stem, node in files.items():
            if stem in SPECIAL:
                continue
            before = len(self.collector.findings)
            kind = self._read_kind_or_note_errors(node, vocabulary)
            if kind is None:
                self.record_unread_component(f"{stem}.yaml", "", self.collector.findings[before:])
                continue
            defaults = node.get_node_or_nearest_ancestor(["defaults"]).entries if node.get("defaults") else {}
            for key, entry in node.get_node_or_nearest_ancestor(["components"]).entries.items():
                if key in nodes:
                    first = nodes[key].node.where
                    message = f'two components have the number "{key}"'
                    self.collector.add_finding("PP209", entry.key_where, message, f"the other is at {first}")
                    self.record_unread_component(key, kind, self.collector.findings[-1:])
                    continue
                self._record_finding_if_id_mismatches_pattern(key, entry, kind, vocabulary)
                nodes[key] = KindAndNode(kind, add_defaults_for_missing_fields(entry.node, defaults))
        return nodes

    def _read_kind_or_note_errors(self, node: YamlNode, vocabulary: Vocabulary) -> str | None:
        """Return the kind that a component file declares, if file and kind are valid."""
        misspelt = set[str]()
        for key, entry in node.entries.items():
            if key not in _OF_COMPONENTS:
                hint = make_nearest_or_possible_words_hint(key, _OF_COMPONENTS)
                misspelt.add(find_nearest_word_or_empty(key, _OF_COMPONENTS))
                self.collector.add_finding("PP204", entry.key_where, f"`{key}` is not a field of this file", hint)
        kind = node.get("kind")
        components = node.get("components")
        if (kind is None and "kind" in misspelt) or (components is None and "components" in misspelt):
            return None
        if kind is None or components is None or not isinstance(components.value, Mapping):
            message = "expected a mapping with `kind: ...` and `components: {number: ...}`"
            self.collector.add_finding("PP203", node.where, message)
            return None
        if not isinstance(kind.value, str) or kind.value not in vocabulary.kinds:
            message = f"there is no kind {kind.kind} in the vocabulary"
            self.collector.add_finding(
                "PP206", kind.where, message, make_nearest_or_possible_words_hint(kind.value, vocabulary.kinds)
            )
            return None
        return kind.value

    def _record_finding_if_id_mismatches_pattern(
        self, key: str, entry: YamlEntry, kind: str, vocabulary: Vocabulary
    ) -> None:
        pattern = vocabulary.kinds[kind].id
        if not key or not re.fullmatch(pattern, key):
            message = f'the number of a {kind} should look like {pattern}, found "{key}"'
            self.collector.add_finding("PP214", entry.key_where, message)
            self.record_unread_component(key, kind, self.collector.findings[-1:])


def convert_valid_components_by_id(
    nodes: Mapping[str, KindAndNode],
    vocabulary: Vocabulary,
    converter: Converter,
    collector: FindingCollector,
    report_findings_of_component: OfComponent | None = None,
) -> dict[str, Component]:
    """Check and convert components, by id; note what is wrong and leave it out. `report_findings_of_component`
    hears of each."""
    models = get_or_make_component_models(vocabulary)
    components: dict[str, Component] = {}
    for key, (kind, node) in nodes.items():
        before = len(collector.findings)
        hint = f"if some {kind} has none: `{{field}}: {{{{type: ..., required: false}}}}` in vocabulary.yaml"
        if validate_node_or_record_findings(models.kinds[kind], node, collector, f"{kind} {key}: ", hint) is None:
            if report_findings_of_component is not None:
                report_findings_of_component(key, collector.findings[before:])
            continue
        converter.owner = key
        declared = vocabulary.kinds[kind].fields
        values = converter.convert_declared_fields_by_name(declared, node)
        called_by = vocabulary.kinds[kind].called_by or ""
        title = find_title_in_fields_or_none(values, node.where, called_by)
        # A kind may call a property of its own `rules` or `source`: then that is all the word means.
        count, source, rules = (
            node.get(name) if name not in declared else None for name in ("count", "source", "rules")
        )
        components[key] = Component(
            id=key,
            kind=kind,
            name=str(title) if title else key,
            count=int(str(count.value)) if count else 1,
            fields=values,
            source=provenance_from_node_or_empty(source),
            rules=tuple(str(item.value) for item in rules.items) if rules else (),
            where=node.where,
            called_by=called_by,
        )
    return components


def split_components_by_having_copies(
    components: Mapping[str, Component],
) -> tuple[dict[str, Component], dict[str, Component]]:
    """Return the components of which there are copies, and those of which there are none."""
    removed = {key: component for key, component in components.items() if not component.count}
    return {key: component for key, component in components.items() if key not in removed}, removed


def add_defaults_for_missing_fields(node: YamlNode, defaults: Mapping[str, YamlEntry]) -> YamlNode:
    """Return the component's node, with the file's defaults for missing fields."""
    if not defaults or not isinstance(node.value, dict):
        return node
    return node._replace(value={**defaults, **node.entries})


def collect_plain_fields_titles_and_kind(kind: str, node: YamlNode) -> dict[str, str]:
    """Return a component's fields that hold plain values, for the wording of references to it."""
    plain = {key: str(entry.node.value) for key, entry in node.entries.items() if _is_text_or_whole_number(entry.node)}
    title = next(filter(None, map(node.get, TITLE_FIELDS)), None)
    if title is not None and isinstance(title.value, Mapping):
        plain |= {f"title-{language}": str(entry.node.value) for language, entry in title.entries.items()}
    return {**plain, "kind": kind}


def _is_text_or_whole_number(node: YamlNode) -> bool:
    return isinstance(node.value, str | int) and not isinstance(node.value, bool)
