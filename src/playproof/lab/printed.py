"""What a game prints, for the pages of the lab: the faces of its cards, and its games as pages with pictures."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property

from playproof.database.errors import InputError
from playproof.generator.layout.bind import LayoutRenderer
from playproof.generator.scene import Face
from playproof.lab.playing import GameRunner
from playproof.referee.match import Match
from playproof.referee.simulate import replay
from playproof.referee.transcript import write
from playproof.table.drawn_table import cut_component_face, make_cut_face
from playproof.table.faces import FacePictures
from playproof.table.placing import NoTable, TableLayout
from playproof.table.replay_page import render_replay_html
from playproof.table.scene import Picture

_SCENES = 60  # states of a game in which words are looked up on the table


class _CachedFaces(FacePictures):
    """Faces that keep each picture that they have drawn: the pages of a report share them."""

    def __init__(self, spread: TableLayout) -> None:
        super().__init__(spread)
        self._drawn_faces: dict[Picture, bytes] = {}

    def draw_svg(self, picture: Picture) -> bytes:
        if picture not in self._drawn_faces:
            self._drawn_faces[picture] = super().draw_svg(picture)
        return self._drawn_faces[picture]


class PrintedGameRenderer:
    """The printed side of a variant. A game without a printed table has no faces and no pictures."""

    def __init__(self, bench: GameRunner) -> None:
        self.bench = bench
        try:
            self.spread: TableLayout | None = TableLayout(bench.variant)
        except NoTable:
            self.spread = None
        self.faces = _CachedFaces(self.spread) if self.spread else None
        self._components: dict[str, str] | None = None
        self._matches: dict[int, Match] = {}

    def find_printed_face(self, word: str, component: str | None) -> Face | None:
        """Return the front of the thing with this word as it is printed; None if it is not."""
        ident = self._component_by_table_word().get(word) or component
        data = self.bench.variant.data
        if ident is None or data is None:
            return None
        with suppress(InputError, LookupError):
            if self.spread is not None:
                return make_cut_face(self.spread, Picture(ident))
            return cut_component_face(
                self._layout_renderer, data.components[ident], Picture(ident), data.languages[0]
            )
        return None

    @cached_property
    def _layout_renderer(self) -> LayoutRenderer:
        return LayoutRenderer(self.bench.variant.data, rulings=self.bench.variant.rulings)

    def _component_by_table_word(self) -> dict[str, str]:
        """Return the component for each word by which a piece on the table is called, in some states of a game."""
        if self._components is None:
            self._components = {}
            if self.spread is not None:
                match = self.replay_match(0)
                states = match.states[:: max(1, len(match.states) // _SCENES)]
                for state in states:
                    for piece in self.spread.make_scene(state).pieces:
                        for word in piece.words if piece.picture.side == "front" else ():
                            self._components.setdefault(word, piece.picture.component)
        return self._components

    def replay_match(self, number: int) -> Match:
        """Return a game of the run, played again; each is played once."""
        if number not in self._matches:
            bench = self.bench
            made = replay(bench.variant, bench.bots, bench.seed, number, engine=bench.engine)
            self._matches[number] = made
        return self._matches[number]

    def render_replay_pages(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return games of the run as pages with pictures, by number; none if the game has no printed table."""
        if self.spread is None:
            return {}
        spread, faces = self.spread, self.faces
        return {
            number: render_replay_html(self.replay_match(number), spread, faces=faces) for number in numbers
        }

    def write_transcripts(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return games of the run as text, by number. None of them is kept."""
        texts = {}
        for number in numbers:
            texts[number] = write(self.replay_match(number))
            del self._matches[number]
        return texts
