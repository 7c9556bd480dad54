"""The entry of one component in its YAML file: read as text, and saved without losing anybody else's save.

entry = entry_of(component)
save(component, entry.digest, "title: ...")    # Conflict if the file holds another text by now
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from threading import Lock

from playproof.database.components import Component
from playproof.database.errors import InputError, Where, shorten_path
from playproof.database.files import write_atomically
from playproof.database.source import YamlEntry as Keyed, decode_utf8, parse_yaml, read_plain_file

_MOST_BYTES = 4_000_000
_lock = Lock()  # of one process: between the look at the file and the writing, no other save comes


@dataclass(frozen=True)
class ComponentEntry:
    """The lines of a component in its file, first to last (from 0, the last excluded)."""

    file: Path
    first: int
    last: int
    text: str

    @property
    def digest(self) -> str:
        """The name of this text, by which a later save says what it was made from."""
        return sha256(self.text.encode()).hexdigest()[:20]

    def contains_place(self, place: Where) -> bool:
        """Return whether a place stands in these lines."""
        return Path(place.file).resolve() == self.file.resolve() and self.first < place.line <= self.last


class SaveConflict(Exception):
    """Somebody saved another text meanwhile. Nothing was written."""

    def __init__(self, theirs: ComponentEntry) -> None:
        self.theirs = theirs
        super().__init__("somebody saved this card after you began")


def read_component_entry(component: Component) -> ComponentEntry | None:
    """Return the entry as the file holds it now; None if the file cannot be read, or if the entry has no lines of its
    own: made from a spreadsheet, or beside others on a line."""
    try:
        return _find_entry(
            component.id, Path(component.where.file), _read_yaml_text(Path(component.where.file))
        )
    except (OSError, InputError):
        return None


def save_component_entry(component: Component, base_digest: str, text: str) -> None:
    """Put a text in the place of an entry, if the file still holds the text with the digest `base` there.

    Raises Conflict if it does not, and InputError if the file would not be readable any more, or would lose another
    entry. Then nothing is written.
    """
    file = Path(component.where.file).resolve()  # a link to a file stays a link
    with _lock:
        try:
            before = _read_yaml_text(file)
        except OSError as error:
            raise _make_save_error(file, f"cannot read this file: {error.strerror}") from None
        entry = _find_entry(component.id, file, before)
        if entry is None:
            raise _make_save_error(file, f"`{component.id}` does not stand in this file any more")
        if entry.digest != base_digest:
            raise SaveConflict(entry)
        after = _replace_entry(before, entry, text)
        _check_other_entries_unchanged(before, after, component.id, file)
        write_atomically(file, after.encode())


def _read_yaml_text(file: Path) -> str:
    if file.suffix != ".yaml":
        raise FileNotFoundError(f"{file} is no YAML file")
    return decode_utf8(read_plain_file(file, _MOST_BYTES), file)


@lru_cache(maxsize=8)  # a card's page is made anew for each verdict
def _parse_components(text: str, file: Path) -> Mapping[str, Keyed]:
    return parse_yaml(text, shorten_path(file)).get_nearest(["components"]).entries


def _find_entry(ident: str, file: Path, text: str) -> ComponentEntry | None:
    lines = _split_lines(text)
    keys = _parse_components(text, file)
    if ident not in keys:
        return None
    starts = sorted(entry.key_where.line - 1 for entry in keys.values())
    first, column = keys[ident].key_where.line - 1, keys[ident].key_where.column - 1
    if starts.count(first) > 1 or lines[first][:column].strip():
        return None
    last = next((start for start in starts if start > first), len(lines))
    # What stands outside of it, and comments before the next entry, belong to others.
    last = next((n for n in range(first + 1, last) if _is_outside_entry(lines[n], column)), last)
    while last > first + 1 and (not lines[last - 1].strip() or lines[last - 1].lstrip().startswith("#")):
        last -= 1
    return ComponentEntry(file, first, last, "\n".join(lines[first:last]))


def _is_outside_entry(line: str, column: int) -> bool:
    return (
        bool(line.strip()) and not line.lstrip().startswith("#") and len(line) - len(line.lstrip()) < column
    )


def _replace_entry(before: str, entry: ComponentEntry, text: str) -> str:
    """Return the file's text with another entry, in the file's own ends of lines."""
    end = "\r\n" if "\r\n" in before else "\n"
    lines = _split_lines(before)
    lines[entry.first : entry.last] = _split_lines(text.rstrip())
    return end.join(lines)


def _split_lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")


def _check_other_entries_unchanged(before: str, after: str, ident: str, file: Path) -> None:
    """Raise InputError if the new text is not YAML, or if other entries than this one are not what they were."""
    old, new = _parse_components(before, file), _parse_components(after, file)
    others = [
        key for key in old if key != ident and (key not in new or new[key].node.data != old[key].node.data)
    ]
    others += [key for key in new if key not in old]
    if ident not in new or others:
        change = f"it would change {', '.join(others)}" if others else "it is gone"
        raise _make_save_error(file, f"expected the entry of `{ident}` alone, found that {change}")


def _make_save_error(file: Path, message: str) -> InputError:
    return InputError.from_single_finding("PP104", Where(shorten_path(file)), message)
