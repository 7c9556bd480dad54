"""A game while somebody edits it: its faces now and before, what changed, what is wrong, and the entry
of one component, saved without losing anybody else's save.

edited = EditedGame(ref, check, build)
edited.reload_files_keeping_last_readable()              # now, and after every save
edited.draw_faces_and_note_changed_components(faces)     # and say which of them changed

The entry of one component in its YAML file: read as text, and saved without losing anybody else's save.

entry = read_yaml_entry_of_component(component)
replace_yaml_entry_or_raise_conflict(component, entry.digest, "title: ...")  # raises SaveConflict if it has changed"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from threading import Lock

from playproof.database.components import Component
from playproof.database.errors import Finding, InputError, Where, make_path_relative_to_working_folder
from playproof.database.files import write_file_atomically
from playproof.database.game import Game, load_game
from playproof.database.source import (
    YamlEntry as Keyed,
    decode_utf8_without_byte_mark,
    parse_yaml,
    read_limited_plain_file_or_raise,
)
from playproof.generator.build.file_jobs import hash_component_ignoring_file_position
from playproof.generator.build.run import BuiltFile
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.svg import render_face_to_svg_text
from playproof.table.claim_watch import AskClaims, ClaimWatch
from playproof.table.screen_svg import shorten_svg_outlines

# -- editing -------------------------------------------------------------------------------------------------
# A game while somebody edits it: its faces now and before, what changed, what is wrong.

SIDES = ("front", "back")
RunChecks = Callable[[], Sequence[Finding]]
BuildFiles = Callable[[], Sequence[BuiltFile]]
_SOURCE = re.compile(r' data-source="[^"]*"')
_ALL_PLACES = re.compile(r'\b(id="|href="#|url\(#)')

FaceKey = tuple[str, str]  # a component's id, a side


@dataclass
class GameEdition:
    """The game as read at one moment. Pictures are drawn when first asked for."""

    game: Game
    looks: LayoutRenderer
    drawn: dict[FaceKey, str] = field(default_factory=dict)
    wrong: dict[FaceKey, tuple[Finding, ...]] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    @classmethod
    def load_game_and_layouts(cls, game_ref: str) -> GameEdition:
        """Read the game and its looks. Raises InputError."""
        game = load_game(game_ref)
        return cls(game, LayoutRenderer(game, traced=True))

    def iter_printed_faces(self) -> Iterator[FaceKey]:
        """Yield all printed faces, in the order of the files."""
        for component in self.game.components.values():
            yield from ((component.id, side) for side in SIDES if self.looks.has_side(component, side))

    def get_face_svg_or_empty(self, face: FaceKey) -> str:
        """Return the picture, each part with its source; "" if the face cannot be drawn."""
        with self.lock:
            if face not in self.drawn and face not in self.wrong:
                try:
                    made = self.looks.draw_face_or_raise(self.game.components[face[0]], face[1])
                    self.drawn[face] = shorten_svg_outlines(render_face_to_svg_text(made, fonts=self.looks.fonts))
                except InputError as error:
                    self.wrong[face] = error.findings
            return self.drawn.get(face, "")

    def has_printed_face(self, face: FaceKey) -> bool:
        """Return whether this face exists."""
        component = self.game.components.get(face[0])
        return component is not None and face[1] in SIDES and self.looks.has_side(component, face[1])

    def make_search_words_of_component(self, component: Component) -> str:
        """Return the words by which a search finds a component."""
        texts = [component.id, component.name, component.kind]
        texts += [str(value) for value in component.fields.values() if isinstance(value, str | int)]
        # A card that belongs to another component is found by that one's name too.
        texts += [self.game.components[text].name for text in texts if text in self.game.components]
        return " ".join(texts).casefold()


class EditedGame:
    """A game that is being edited. `old` is what it is compared with: the game as first read, or
    at the last `make_present_state_the_baseline`."""

    def __init__(self, ref: str, check: RunChecks, build: BuildFiles, ask: AskClaims | None = None) -> None:
        """Read the game. `check` returns what lint finds, `build` makes the print files,
        `ask` asks the claims. Raises InputError if the game cannot be read."""
        self.ref, self._check, self._build = ref, check, build
        self.now = self.old = GameEdition.load_game_and_layouts(ref)
        self.number = 1  # of the state that is shown
        self.base = "/workshop"  # the address of its pages
        self.findings: tuple[Finding, ...] = ()
        self.readable = True  # whether the files as they are now could be read
        self.claims = ClaimWatch(ask) if ask is not None else None
        self.changed: set[str] = set()
        self.files: tuple[BuiltFile, ...] = ()
        self.busy = ""
        self._plain: dict[str, str] = {}  # pictures without sources, by the hash of their content
        self._names: dict[tuple[int, FaceKey], str] = {}

    @property
    def folders(self) -> list[Path]:
        """The folders to watch."""
        shared = [LAYOUTS / name for name in ("icons", "motifs", "fonts", "worlds")]
        folders = [self.now.game.folder, self.now.looks.folder, *shared]
        return [folder.resolve() for folder in dict.fromkeys(folders) if folder.is_dir()]

    # -- after a save ---------------------------------------------------------------------------------------

    def reload_files_keeping_last_readable(self) -> bool:
        """Read everything again. If that fails, report the errors, keep the last readable state
        and return False."""
        try:
            self.now = GameEdition.load_game_and_layouts(self.ref)
        except InputError as error:
            self.findings, self.readable = error.findings, False
            self.number += 1
            return False
        self.findings, self.readable = (), True
        self.number += 1
        return True

    def list_faces_of_changed_components(self) -> list[FaceKey]:
        """The faces of components whose text has changed, which are drawn first."""
        before, now = self.old.game.components, self.now.game.components
        written = {
            ident
            for ident, component in now.items()
            if ident not in before
            or hash_component_ignoring_file_position(before[ident]) != hash_component_ignoring_file_position(component)
        }
        return [face for face in self.now.iter_printed_faces() if face[0] in written]

    def draw_faces_and_note_changed_components(self, faces: Sequence[FaceKey]) -> None:
        """Draw these faces, as they are and as they were, and note which differ."""
        edition = self.now
        for face in faces:
            if self.now is not edition:
                return  # saved again meanwhile
            if self.get_picture_hash_of_face_or_empty(edition, face) != self.get_picture_hash_of_face_or_empty(
                self.old, face
            ):
                self.changed.add(face[0])
            else:
                others = [f for f in SIDES if f != face[1]]
                if all(
                    self.get_picture_hash_of_face_or_empty(edition, (face[0], side))
                    == self.get_picture_hash_of_face_or_empty(self.old, (face[0], side))
                    for side in others
                ):
                    self.changed.discard(face[0])

    def store_lint_and_drawing_findings(self) -> None:
        """Store what lint finds and what cannot be drawn."""
        undrawn = [finding for findings in self.now.wrong.values() for finding in findings]
        try:
            self.findings = tuple(dict.fromkeys([*undrawn, *self._check()]))
        except InputError as error:
            self.findings = tuple(dict.fromkeys([*undrawn, *error.findings]))
        self.number += 1

    def list_findings_about(self, component: Component, yaml_entry: ComponentEntry | None) -> list[Finding]:
        """Return what is wrong with a component. While the files cannot be read: all that is wrong with them."""
        if not self.readable:
            return list(self.findings)
        undrawn = {finding for side in SIDES for finding in self.now.wrong.get((component.id, side), ())}
        return [
            finding
            for finding in self.findings
            if finding in undrawn
            or component.id in finding.about
            or (yaml_entry is not None and yaml_entry.contains_place(finding.where))
        ]

    def build_outdated_print_files(self) -> None:
        """Make the print files that are out of date."""
        try:
            self.files = tuple(self._build())
        except InputError as error:
            self.findings = tuple(dict.fromkeys([*self.findings, *error.findings]))
        self.number += 1

    def make_present_state_the_baseline(self) -> None:
        """Make the present state the one that later states are compared with."""
        self.old = self.now
        self.changed.clear()
        if self.claims is not None:
            self.claims.make_present_state_the_baseline()
        self.number += 1

    # -- pictures -------------------------------------------------------------------------------------------

    def get_picture_hash_of_face_or_empty(self, edition: GameEdition, face: FaceKey) -> str:
        """Return the hash of a picture without its sources; "" if there is no picture."""
        if not edition.has_printed_face(face):
            return ""
        key = id(edition), face
        if key not in self._names:
            plain = _SOURCE.sub("", edition.get_face_svg_or_empty(face))
            self._names[key] = hashlib.sha256(plain.encode()).hexdigest()[:20] if plain else ""
            self._plain[self._names[key]] = plain
            self._forget_old_pictures_if_many()
        return self._names[key]

    def _forget_old_pictures_if_many(self) -> None:
        """Forget pictures of editions that are no longer shown."""
        alive = {id(self.now), id(self.old)}
        if len(self._names) > 4 * max(1, len(self.now.game.components)) * len(SIDES):
            self._names = {key: name for key, name in self._names.items() if key[0] in alive}
            names = set(self._names.values())
            self._plain = {name: text for name, text in self._plain.items() if name in names}

    def get_svg_by_picture_hash(self, picture_hash: str) -> str | None:
        """Return a picture by its hash, or None."""
        return self._plain.get(picture_hash) or None

    def read_yaml_lines_around_place(self, file_line_column: str) -> str | None:
        """Return the lines of YAML around a place (`file:line:column`) in a file of the game;
        None for any other file."""
        match = re.fullmatch(r"(.{1,400}):(\d{1,7}):\d{1,7}", file_line_column)
        if match is None:
            return None
        if "\0" in file_line_column:
            return None
        path, line = Path(match[1]).resolve(), int(match[2])
        ours = any(path.is_relative_to(folder) for folder in self.folders)
        if path.suffix != ".yaml" or not ours or not path.is_file():
            return None
        text = path.read_text(encoding="utf-8", errors="replace").splitlines()
        first = max(1, line - 3)
        around = enumerate(text[first - 1 : line + 6], first)
        return "\n".join(f"{'>' if n == line else ' '} {n:4} {text_line}" for n, text_line in around)


def make_svg_embeddable(svg: str, id_prefix: str) -> str:
    """Return a picture that can share a page with others: it has unique names and no
    declaration, and its words belong to an element that may have words (WAI-ARIA 1.2, 5.2.8.6)."""
    named = svg[svg.index("<svg") :].replace(" aria-label=", ' role="img" aria-label=')
    return _ALL_PLACES.sub(lambda match: match[0] + id_prefix, named)


# -- card entry ----------------------------------------------------------------------------------------------
# The entry of one component in its YAML file: read as text, and saved without losing anybody else's save.

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


def read_yaml_entry_of_component(component: Component) -> ComponentEntry | None:
    """Return the entry as the file holds it now; None if the file cannot be read, or if the entry has no lines of its
    own: made from a spreadsheet, or beside others on a line."""
    try:
        return _find_yaml_entry_of_component(
            component.id, Path(component.where.file), _read_text_of_yaml_file_or_raise(Path(component.where.file))
        )
    except (OSError, InputError):
        return None


def replace_yaml_entry_or_raise_conflict(component: Component, base_digest: str, new_text: str) -> None:
    """Put a text in the place of an entry, if the file still holds the text with the digest `base_digest` there.

    Raises SaveConflict if it does not, and InputError if the file would not be readable any more, or would lose another
    entry. Then nothing is written.
    """
    file = Path(component.where.file).resolve()  # a link to a file stays a link
    with _lock:
        try:
            before = _read_text_of_yaml_file_or_raise(file)
        except OSError as error:
            raise _make_yaml_save_error(file, f"cannot read this file: {error.strerror}") from None
        entry = _find_yaml_entry_of_component(component.id, file, before)
        if entry is None:
            raise _make_yaml_save_error(file, f"`{component.id}` does not stand in this file any more")
        if entry.digest != base_digest:
            raise SaveConflict(entry)
        after = _replace_entry_in_file_text(before, entry, new_text)
        _require_other_entries_unchanged(before, after, component.id, file)
        write_file_atomically(file, after.encode())


def _read_text_of_yaml_file_or_raise(file: Path) -> str:
    if file.suffix != ".yaml":
        raise FileNotFoundError(f"{file} is no YAML file")
    return decode_utf8_without_byte_mark(read_limited_plain_file_or_raise(file, _MOST_BYTES), file)


@lru_cache(maxsize=8)  # a card's page is made anew for each verdict
def _parse_component_entries_of_yaml(yaml_text: str, file: Path) -> Mapping[str, Keyed]:
    return (
        parse_yaml(yaml_text, make_path_relative_to_working_folder(file))
        .get_node_or_nearest_ancestor(["components"])
        .entries
    )


def _find_yaml_entry_of_component(component_id: str, yaml_file: Path, file_text: str) -> ComponentEntry | None:
    lines = _split_lines_of_any_ending(file_text)
    keys = _parse_component_entries_of_yaml(file_text, yaml_file)
    if component_id not in keys:
        return None
    starts = sorted(entry.key_where.line - 1 for entry in keys.values())
    first, column = keys[component_id].key_where.line - 1, keys[component_id].key_where.column - 1
    if starts.count(first) > 1 or lines[first][:column].strip():
        return None
    last = next((start for start in starts if start > first), len(lines))
    # What stands outside of it, and comments before the next entry, belong to others.
    last = next((n for n in range(first + 1, last) if _is_line_outside_entry(lines[n], column)), last)
    while last > first + 1 and (not lines[last - 1].strip() or lines[last - 1].lstrip().startswith("#")):
        last -= 1
    return ComponentEntry(yaml_file, first, last, "\n".join(lines[first:last]))


def _is_line_outside_entry(line: str, entry_column: int) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#") and len(line) - len(line.lstrip()) < entry_column


def _replace_entry_in_file_text(file_text: str, old_entry: ComponentEntry, new_text: str) -> str:
    """Return the file's text with another entry, in the file's own ends of lines."""
    end = "\r\n" if "\r\n" in file_text else "\n"
    lines = _split_lines_of_any_ending(file_text)
    lines[old_entry.first : old_entry.last] = _split_lines_of_any_ending(new_text.rstrip())
    return end.join(lines)


def _split_lines_of_any_ending(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")


def _require_other_entries_unchanged(
    old_file_text: str, new_file_text: str, component_id: str, yaml_file: Path
) -> None:
    """Raise InputError if the new text is not YAML, or if other entries than this one are not what they were."""
    old, new = (
        _parse_component_entries_of_yaml(old_file_text, yaml_file),
        _parse_component_entries_of_yaml(new_file_text, yaml_file),
    )
    others = [
        key for key in old if key != component_id and (key not in new or new[key].node.data != old[key].node.data)
    ]
    others += [key for key in new if key not in old]
    if component_id not in new or others:
        change = f"it would change {', '.join(others)}" if others else "it is gone"
        raise _make_yaml_save_error(yaml_file, f"expected the entry of `{component_id}` alone, found that {change}")


def _make_yaml_save_error(file: Path, message: str) -> InputError:
    return InputError.from_single_finding("PP104", Where(make_path_relative_to_working_folder(file)), message)
