"""Applies errata to the YAML nodes of cards, rules and claims, before these become components.

A patched card goes through the same checks as a written one, and a mistake in the patch is reported at its place in
the patch."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from playproof.database.errors import FindingCollector, Where, make_nearest_or_possible_words_hint
from playproof.database.patch import Change, Erratum, are_nodes_equal_with_same_types
from playproof.database.rulebook import Rulebook, RulingAnswer
from playproof.database.sheet_cells import format_as_one_line_yaml
from playproof.database.source import YamlEntry, YamlNode

_INDEX = re.compile(r"0|[1-9][0-9]{0,5}")


def find_ruling_answers_and_note_faults(
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
            hint = _make_wrong_path_hint_or_empty(
                node, above
            )  # the field is there, and what is looked for in it is not
        elif field is not None and not isinstance(field.value, tuple) and len(above) == 1:
            hint = f"`{above[0]}` is one value, without parts: write `path: {above[0]}`"
        collector.add_finding("PP401", change.where, message, hint or _make_wrong_path_hint_or_empty(node, above))
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
    if not (are_nodes_equal_with_same_types(stands, change.old) or _is_change_of_unwritten_count(stands, change)):
        expected = change.old.data if change.old else "nothing"
        value = stands.data if stands else "nothing"
        place = change.old.where if change.old else change.where
        dotted = ".".join(change.path)
        hint = hint if not stands else f"it stands at {stands.where}"
        hint = hint or make_nearest_or_possible_words_hint(last, parent.entries)
        if stands and change.old and type(stands.data) is not type(change.old.data):
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
    if change.old is not None and are_nodes_equal_with_same_types(change.old, change.new):
        message = f"{change.target}: `from` and `to` are the same, so nothing changes"
        collector.add_finding("PP405", change.where, message)
        return None
    return _copy_with_value_replaced_or_removed(node, change.path, change.new, change.where)


def _is_change_of_unwritten_count(current_node: YamlNode | None, change: Change) -> bool:
    """Return whether a change is of the one copy that a component has where no `count` is written."""
    is_count = bool(change.component) and change.path == ("count",)
    return is_count and current_node is None and change.old is not None and change.old.data == 1


def _make_wrong_path_hint_or_empty(node: YamlNode, path: Sequence[str]) -> str:
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
