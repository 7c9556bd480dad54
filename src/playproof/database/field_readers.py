"""Who reads each value of a component: the rules, what is printed, or both.

A vocabulary says it with `read_by` at a field, or at a kind for all of its fields. Where nothing is said, texts, icons
and images are printed, and everything else is read by the rules too: a number that is printed and not played is the
worst fault of an erratum.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from playproof.database.component_models import EITHER
from playproof.database.source import YamlData
from playproof.database.vocabulary import ICON_MARK, KindSpec, Vocabulary
from playproof.database.yaml_models import FieldSpec, Reader

COUNT = FieldSpec(type="integer", min=0)
"""The number of copies, which every component has."""
_PRINTED = ("text", "words", "icon", "image")
NOTES = ("source", "rules")
"""Parts of every component that say something of the component and are no value of the game."""
ValuePath = tuple[str, ...]


@dataclass(frozen=True)
class ChangedLeaf:
    """The smallest part of a component that a change replaces. None stands for no value. `spec` is None for a part that
    no field declares, such as an effect's name."""

    path: ValuePath
    old: YamlData
    new: YamlData
    reader: Reader
    spec: FieldSpec | None

    @property
    def is_played(self) -> bool:
        """Return whether the rules should read it."""
        return self.reader != "print"

    @property
    def is_words(self) -> bool:
        """Return whether it is a text for people."""
        return self.spec is not None and self.spec.type in ("text", "words")

    @property
    def is_function(self) -> bool:
        """Return whether it is no matter of words: an effect, a count, a cost, a limit, or an icon, in a text too."""
        if self.is_words:
            return _list_icons_in_text_sorted(self.old) != _list_icons_in_text_sorted(self.new)
        return self.is_played or self.spec is COUNT or (self.spec is not None and self.spec.type == "icon")


def _list_icons_in_text_sorted(text_or_translations: YamlData) -> list[str]:
    """Return the icons in a text, in any order."""
    texts = text_or_translations.values() if isinstance(text_or_translations, dict) else [text_or_translations]
    return sorted(icon for each in texts for icon in ICON_MARK.findall(str(each or "")))


def decide_if_print_or_rules_read_field(spec: FieldSpec, inherited_reader: Reader | None = None) -> Reader:
    """Return who reads a field; `inherited_reader` is what is said of the kind or field that it lies in."""
    said = spec.read_by or inherited_reader
    if said is not None:
        return said
    if spec.type == "record":
        return (
            "both"
            if any(decide_if_print_or_rules_read_field(inner) != "print" for inner in (spec.fields or {}).values())
            else "print"
        )
    if spec.type in ("list", "map") and spec.of is not None:
        return decide_if_print_or_rules_read_field(spec.of)
    return "print" if spec.type in _PRINTED else "both"


def decide_if_print_or_rules_read_count(kind: KindSpec) -> Reader:
    """Return who reads the number of copies of a kind's components."""
    return kind.count_read_by or kind.read_by or "both"


def iter_changed_leaves_with_readers(
    vocabulary: Vocabulary, kind: str, path: ValuePath, old: YamlData, new: YamlData
) -> Iterator[ChangedLeaf]:
    """Yield the smallest values that replacing `old` by `new` at a path of a component changes."""
    for place, was, now in iter_changed_leaves_with_old_and_new(path, old, new):
        reader, spec = find_reader_and_field_of_value_at_path(vocabulary, kind, place)
        yield ChangedLeaf(place, was, now, reader, spec)


def iter_changed_leaves_with_old_and_new(
    path: ValuePath, old: YamlData, new: YamlData
) -> Iterator[tuple[ValuePath, YamlData, YamlData]]:
    """Yield the smallest values that differ, each with its path."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            yield from iter_changed_leaves_with_old_and_new((*path, key), old.get(key), new.get(key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (was, now) in enumerate(zip(old, new, strict=True)):
            yield from iter_changed_leaves_with_old_and_new((*path, str(number)), was, now)
    elif old != new:
        yield path, old, new


def find_reader_and_field_of_value_at_path(
    vocabulary: Vocabulary, kind: str, path: ValuePath
) -> tuple[Reader, FieldSpec | None]:
    """Return who reads the value at a path of a component, and the field that declares it."""
    declared = vocabulary.kinds[kind]
    if path[0] not in declared.fields:
        if path[0] in NOTES:
            return "print", None
        return (decide_if_print_or_rules_read_count(declared), COUNT) if path[0] == "count" else ("both", None)
    return _find_reader_and_field_below_field(vocabulary, declared.fields[path[0]], path[1:], declared.read_by)


def _find_reader_and_field_below_field(
    vocabulary: Vocabulary, spec: FieldSpec, path: Sequence[str], inherited_reader: Reader | None
) -> tuple[Reader, FieldSpec | None]:
    """Return who reads what lies at a path below a field."""
    said = spec.read_by or inherited_reader
    if not path or spec.type == "words":
        return decide_if_print_or_rules_read_field(spec, inherited_reader), spec
    if spec.type in ("list", "map", "record"):
        inner = spec.get_child_field(path[0])
        return (
            (said or "both", None)
            if inner is None
            else _find_reader_and_field_below_field(vocabulary, inner, path[1:], said)
        )
    if spec.type == "effects":
        return _find_reader_and_field_in_effects(vocabulary, path[1:], said)
    if spec.type == "options":
        return _find_reader_and_field_in_option(vocabulary, path[1:], said)
    return said or "both", spec


def _find_reader_and_field_in_effects(
    vocabulary: Vocabulary, path: Sequence[str], declared_reader: Reader | None
) -> tuple[Reader, FieldSpec | None]:
    """Return who reads what lies in an effect: `gain.food`, or `either.0.1.gain.food` in a choice of effects."""
    if path and path[0] == EITHER:
        return _find_reader_and_field_in_effects(vocabulary, path[3:], declared_reader)
    declared = vocabulary.effects[path[0]].args if path and path[0] in vocabulary.effects else {}
    inner = list(path[1:])
    if len(declared) == 1:
        return _find_reader_and_field_below_field(vocabulary, next(iter(declared.values())), inner, declared_reader)
    spec = declared.get(inner[0]) if inner else None
    return (
        (declared_reader or "both", None)
        if spec is None
        else _find_reader_and_field_below_field(vocabulary, spec, inner[1:], declared_reader)
    )


def _find_reader_and_field_in_option(
    vocabulary: Vocabulary, path: Sequence[str], declared_reader: Reader | None
) -> tuple[Reader, FieldSpec | None]:
    """Return who reads what lies in a lettered option: all but its written text is played."""
    if path and path[0] == "text":
        return declared_reader or "print", FieldSpec(type="words")
    if path and path[0] == "do":
        return _find_reader_and_field_in_effects(vocabulary, path[2:], declared_reader)
    return declared_reader or "both", None


def iter_names_of_fields_that_rules_read(vocabulary: Vocabulary, kind: str) -> Iterator[str]:
    """Yield the fields of a kind that the rules should read, those of records as `rows.left`, and `count`."""
    declared = vocabulary.kinds[kind]
    if decide_if_print_or_rules_read_count(declared) != "print":
        yield "count"
    for name, spec in declared.fields.items():
        yield from _iter_names_of_rules_fields_below(name, spec, declared.read_by)


def _iter_names_of_rules_fields_below(name: str, spec: FieldSpec, inherited_reader: Reader | None) -> Iterator[str]:
    said = spec.read_by or inherited_reader
    inner: FieldSpec | None = spec
    while inner is not None and inner.type in ("list", "map"):
        said, inner = inner.read_by or said, inner.of
    if inner is not None and inner.type == "record":
        for key, field in (inner.fields or {}).items():
            yield from _iter_names_of_rules_fields_below(f"{name}.{key}", field, inner.read_by or said)
    elif decide_if_print_or_rules_read_field(spec, inherited_reader) != "print":
        yield name


def get_fields_declared_print_only(vocabulary: Vocabulary, kind: str) -> Mapping[str, FieldSpec]:
    """Return the fields of a kind that are declared to be printed only, by name."""
    declared = vocabulary.kinds[kind]
    return {name: spec for name, spec in declared.fields.items() if (spec.read_by or declared.read_by) == "print"}
