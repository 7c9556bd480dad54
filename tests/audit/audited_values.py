"""What the audit changes: each value of a game's files and of its layouts, with a second replacement where a number
or a name has one."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from unittest.mock import patch

from playproof.database import source
from playproof.database.errors import InputError
from playproof.database.game import require_game_folder
from playproof.database.source import override_file_content_in_block, parse_yaml
from playproof.generator.layout.layout_files import find_layout_folder_of_game
from playproof.mutation.value_changes import (
    LEFT_OUT,
    YamlValueChange,
    apply_value_change_to_text,
    drop_ids_and_list_positions_of_keys,
    list_changeable_yaml_values_of_files,
    list_changeable_yaml_values_of_game,
)

_WORD = re.compile(r"[a-z][a-z0-9-]*\Z")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\Z")
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class AuditedValue(YamlValueChange):
    """A value of a game's files or layouts. `again` is a second replacement ("" for none); `folder` is "layouts/" for
    a value of a layout."""

    again: str = ""
    folder: str = ""

    @property
    def name(self) -> str:
        """The value's name in all games that have it: `rulebook.rules.R6.text.en`,
        `layouts/base.styles.rules.size`."""
        return f"{self.folder}{self.file.stem}.{'.'.join(map(str, self.path))}"


def audited_values(ref: str, files: Sequence[str] = ()) -> list[AuditedValue]:
    """Return every value of a game's files and layouts, or of those files of them that are named."""
    looks = find_layout_folder_of_game(require_game_folder(ref))
    layouts = [path for path in sorted(looks.glob("**/*.yaml")) if path.stem not in LEFT_OUT]
    every = [
        *_audited(list_changeable_yaml_values_of_game(ref), ""),
        *_audited(list_changeable_yaml_values_of_files(layouts), "layouts/"),
    ]
    return [value for value in every if not files or value.file.stem in files]


def _audited(changes: Sequence[YamlValueChange], folder: str) -> Iterator[AuditedValue]:
    names: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for value in changes:
        if _WORD.match(_bare(value.was)):
            names[drop_ids_and_list_positions_of_keys(value.path)].add(_bare(value.was))
    for value in changes:
        again = _second(value, names[drop_ids_and_list_positions_of_keys(value.path)])
        yield AuditedValue(
            value.file,
            value.line,
            value.column,
            value.path,
            value.was,
            value.other,
            again=again if again != value.other else "",
            folder=folder,
        )


def _second(value: YamlValueChange, names: set[str]) -> str:
    """Return half of a number, a name before this one, or ""."""
    try:
        scalar = parse_yaml(value.was).value
    except InputError:  # the first line of a longer text
        return ""
    if isinstance(scalar, bool) or not isinstance(scalar, int | float | str):
        return ""
    if isinstance(scalar, int):
        return str(scalar // 2)
    if isinstance(scalar, float):
        return str(round(scalar / 2, 6))
    if scalar != _bare(value.was):  # with escapes, or on several lines
        return ""
    others = sorted(names - {scalar})
    if _WORD.match(scalar) and others:
        before = [name for name in others if name < scalar]
        return _quoted_as(value.was, (before or others)[-1])
    number = _NUMBER.search(value.was)
    if _COLOUR.match(scalar) or number is None:
        return ""
    half = str(int(number[0]) // 2).zfill(len(number[0]))
    return f"{value.was[: number.start()]}{half}{value.was[number.end() :]}"


def _bare(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0] else text


def _quoted_as(text: str, other: str) -> str:
    return f"{text[0]}{other}{text[0]}" if text[0] in "\"'" else other


def marked(value: AuditedValue, mark: str) -> AuditedValue:
    """Return the change that appends a mark to the text."""
    end = value.was[-1] if value.was[-1] in "\"'" else ""
    return replace(value, other=f"{value.was[: len(value.was) - len(end)]} {mark}{end}")


@contextmanager
def reading(*changes: AuditedValue) -> Iterator[None]:
    """While the context lasts, this process reads the values' replacements; the files themselves stay unchanged."""
    ordered = sorted(changes, key=lambda value: (value.file, value.line, value.column))
    with ExitStack() as stack:
        for file, of_file in groupby(ordered, key=lambda value: value.file):
            text = file.read_text(encoding="utf-8")
            for value in reversed(list(of_file)):  # from the end, so that the other columns still hold
                text = apply_value_change_to_text(text, value)
            stack.enter_context(override_file_content_in_block(Path(file), text))
        yield


@contextmanager
def as_written() -> Iterator[None]:
    """Make this process read files as they are inside the `with` block, even if `override_file_content_in_block`
    replaced them."""
    with patch.object(source, "_instead", {}):
        yield
