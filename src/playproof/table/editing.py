"""A game while somebody edits it: its faces now and before, what changed, what is wrong.

edited = Edited(ref, check, build)
edited.read()            # now, and after every save
edited.compare(faces)    # draw these faces, and note which of them changed
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from playproof.database.components import Component
from playproof.database.errors import Finding, InputError
from playproof.database.game import Game, load_game
from playproof.generator.build.fingerprint import hash_component
from playproof.generator.build.run import BuiltFile
from playproof.generator.layout.bind import LayoutRenderer
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.generator.svg import render_face_to_svg
from playproof.table.card_entry import ComponentEntry
from playproof.table.claim_watch import AskClaims, ClaimWatch
from playproof.table.outlines import shorten_svg_outlines

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
    def read(cls, ref: str) -> GameEdition:
        """Read the game and its looks. Raises InputError."""
        game = load_game(ref)
        return cls(game, LayoutRenderer(game, traced=True))

    def iter_faces(self) -> Iterator[FaceKey]:
        """Yield all printed faces, in the order of the files."""
        for component in self.game.components.values():
            yield from ((component.id, side) for side in SIDES if self.looks.has_side(component, side))

    def draw_svg(self, face: FaceKey) -> str:
        """Return the picture, each part with its source; "" if the face cannot be drawn."""
        with self.lock:
            if face not in self.drawn and face not in self.wrong:
                try:
                    made = self.looks.draw_face(self.game.components[face[0]], face[1])
                    self.drawn[face] = shorten_svg_outlines(render_face_to_svg(made))
                except InputError as error:
                    self.wrong[face] = error.findings
            return self.drawn.get(face, "")

    def has_face(self, face: FaceKey) -> bool:
        """Return whether this face exists."""
        component = self.game.components.get(face[0])
        return component is not None and face[1] in SIDES and self.looks.has_side(component, face[1])

    def get_search_words(self, component: Component) -> str:
        """Return the words by which a search finds a component."""
        texts = [component.id, component.name, component.kind]
        texts += [str(value) for value in component.fields.values() if isinstance(value, str | int)]
        # A card that belongs to another component is found by that one's name too.
        texts += [self.game.components[text].name for text in texts if text in self.game.components]
        return " ".join(texts).casefold()


class EditedGame:
    """A game that is being edited. `old` is what it is compared with: the game as first read, or
    at the last `keep_as_baseline`."""

    def __init__(self, ref: str, check: RunChecks, build: BuildFiles, ask: AskClaims | None = None) -> None:
        """Read the game. `check` returns what lint finds, `build` makes the print files,
        `ask` asks the claims. Raises InputError if the game cannot be read."""
        self.ref, self._check, self._build = ref, check, build
        self.now = self.old = GameEdition.read(ref)
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

    def reload_files(self) -> bool:
        """Read everything again. If that fails, report the errors, keep the last readable state
        and return False."""
        try:
            self.now = GameEdition.read(self.ref)
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
            if ident not in before or hash_component(before[ident]) != hash_component(component)
        }
        return [face for face in self.now.iter_faces() if face[0] in written]

    def compare_faces(self, faces: Sequence[FaceKey]) -> None:
        """Draw these faces, as they are and as they were, and note which differ."""
        edition = self.now
        for face in faces:
            if self.now is not edition:
                return  # saved again meanwhile
            if self.get_picture_hash(edition, face) != self.get_picture_hash(self.old, face):
                self.changed.add(face[0])
            else:
                others = [f for f in SIDES if f != face[1]]
                if all(
                    self.get_picture_hash(edition, (face[0], side))
                    == self.get_picture_hash(self.old, (face[0], side))
                    for side in others
                ):
                    self.changed.discard(face[0])

    def run_checks(self) -> None:
        """Store what lint finds and what cannot be drawn."""
        undrawn = [finding for findings in self.now.wrong.values() for finding in findings]
        try:
            self.findings = tuple(dict.fromkeys([*undrawn, *self._check()]))
        except InputError as error:
            self.findings = tuple(dict.fromkeys([*undrawn, *error.findings]))
        self.number += 1

    def list_findings_about(self, component: Component, entry: ComponentEntry | None) -> list[Finding]:
        """Return what is wrong with a component. While the files cannot be read: all that is wrong with them."""
        if not self.readable:
            return list(self.findings)
        undrawn = {finding for side in SIDES for finding in self.now.wrong.get((component.id, side), ())}
        return [
            finding
            for finding in self.findings
            if finding in undrawn
            or component.id in finding.about
            or (entry is not None and entry.contains_place(finding.where))
        ]

    def build_files(self) -> None:
        """Make the print files that are out of date."""
        try:
            self.files = tuple(self._build())
        except InputError as error:
            self.findings = tuple(dict.fromkeys([*self.findings, *error.findings]))
        self.number += 1

    def keep_as_baseline(self) -> None:
        """Make the present state the one that later states are compared with."""
        self.old = self.now
        self.changed.clear()
        if self.claims is not None:
            self.claims.keep_as_baseline()
        self.number += 1

    # -- pictures -------------------------------------------------------------------------------------------

    def get_picture_hash(self, edition: GameEdition, face: FaceKey) -> str:
        """Return the hash of a picture without its sources; "" if there is no picture."""
        if not edition.has_face(face):
            return ""
        key = id(edition), face
        if key not in self._names:
            plain = _SOURCE.sub("", edition.draw_svg(face))
            self._names[key] = hashlib.sha256(plain.encode()).hexdigest()[:20] if plain else ""
            self._plain[self._names[key]] = plain
            self._forget_old_pictures()
        return self._names[key]

    def _forget_old_pictures(self) -> None:
        """Forget pictures of editions that are no longer shown."""
        alive = {id(self.now), id(self.old)}
        if len(self._names) > 4 * max(1, len(self.now.game.components)) * len(SIDES):
            self._names = {key: name for key, name in self._names.items() if key[0] in alive}
            names = set(self._names.values())
            self._plain = {name: text for name, text in self._plain.items() if name in names}

    def get_picture_by_hash(self, name: str) -> str | None:
        """Return a picture by its hash, or None."""
        return self._plain.get(name) or None

    def read_source_lines(self, place: str) -> str | None:
        """Return the lines of YAML around a place (`file:line:column`) in a file of the game;
        None for any other file."""
        match = re.fullmatch(r"(.{1,400}):(\d{1,7}):\d{1,7}", place)
        if match is None:
            return None
        if "\0" in place:
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
