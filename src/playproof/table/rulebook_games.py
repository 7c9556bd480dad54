"""Recorded games for a rulebook: moves that the referee accepts, and the table after them.

The press may not import the referee. This module gives it what it needs
(`playproof.generator.book.RecordedGamePlayer`)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from playproof.database.installation import CARDS, compute_digest_of_program_code

if TYPE_CHECKING:
    from playproof.database.game import Game
    from playproof.generator.book import TablePicture
    from playproof.generator.layout.layout_renderer import LayoutRenderer
    from playproof.referee.match import Match
    from playproof.table import TableLayout
    from playproof.table.scene import Scene as TableScene


PACKAGES = ("language", "referee", "table")  # whose code decides what is shown


class RefereedGamePlayer:
    """Plays the recorded games that a book shows."""

    def __init__(self) -> None:
        self._spreads: list[tuple[Match, TableLayout]] = []

    def hash_rules_and_looks_without_cards(self, game: Path) -> str:
        """Return a hash of the code that plays, and of the game's own files."""
        files = sorted(file for file in game.rglob("*") if file.suffix in (".py", ".txt", ".md") and file.is_file())
        made = hashlib.sha256(compute_digest_of_program_code(PACKAGES).encode())
        for file in files:
            made.update(file.name.encode() + b"\0" + file.read_bytes())
        return made.hexdigest()

    def count_moves_or_raise_if_rejected(self, transcript: Path, cards: Game | None = None) -> int:
        """Return how many moves a transcript has with the cards of a version, by default with those that are in force.
        Raises InputError at the first illegal move."""
        return len(_load_match_played_with_cards(transcript, cards).steps)

    def draw_table_after_moves_or_none(
        self, transcript: Path, after: int | None, parts: Sequence[str], looks: LayoutRenderer, language: str
    ) -> TablePicture | None:
        """Return parts of the table after so many moves, all hands open; None if there is no
        printed table or no such part."""
        from playproof.generator.book import TablePicture
        from playproof.table import draw_table_scene_as_one_face

        match = _load_match_played_with_cards(transcript, looks.game)  # what is printed is what is played
        spread = self._get_cached_table_layout(match, looks, language)
        if spread is None:
            return None
        state = match.states[len(match.steps) if after is None else min(after, len(match.steps))]
        laid = spread.make_scene_seen_by_seat(state)
        keys = [surface.key for surface in laid.surfaces if not parts or surface.key in parts]
        if not keys:
            return None
        return TablePicture(
            draw_table_scene_as_one_face(spread, laid, keys), _describe_pieces_on_surfaces_in_sentences(laid, keys)
        )

    def _get_cached_table_layout(
        self, match: Match, layout_renderer: LayoutRenderer, language: str
    ) -> TableLayout | None:
        """Return the match's table with these looks, read once; None if the game has none."""
        from playproof.table import TableLayout
        from playproof.table.table_layout import NoTable

        for earlier, spread in self._spreads:
            if earlier is match and spread.looks is layout_renderer and spread.language == language:
                return spread
        try:
            spread = TableLayout(match.variant, layout_renderer, language)
        except NoTable:
            return None
        self._spreads.append((match, spread))
        return spread


def _describe_pieces_on_surfaces_in_sentences(scene: TableScene, surface_keys: Sequence[str]) -> str:
    """Return in words what lies where, for readers who do not see the picture."""
    sentences = []
    for surface in scene.surfaces:
        if surface.key in surface_keys:
            names = Counter[str]()
            for piece in scene.list_pieces_on(surface):
                names[piece.name] += piece.count or 1
            things = ", ".join(f"{count} × {name}" if count > 1 else name for name, count in names.items())
            sentences.append(f"{surface.title}: {things or 'nothing on it'}.")
    return " ".join(sentences)


def _list_modification_times_of_game_files(transcript: Path) -> tuple[int, ...]:
    """Return when a transcript and the cards of its game were last saved, in nanoseconds. While
    people edit them, a match is judged again only after one of them has changed."""
    files = (transcript, *sorted((_find_game_folder_above_transcript(transcript) or transcript.parent).rglob("*.yaml")))
    return tuple(file.stat().st_mtime_ns for file in files if file.is_file())


def _find_game_folder_above_transcript(transcript: Path) -> Path | None:
    """Return the folder of the game that a transcript belongs to, or None."""
    return next((folder for folder in transcript.parents if (folder / "game.yaml").is_file()), None)


@dataclass(frozen=True)
class _Version:
    """The cards of a version, None for those in force, known by the digest of their files and the errata applied."""

    digest: str
    errata: tuple[str, ...]
    cards: Game | None = field(compare=False)


def _load_match_played_with_cards(transcript: Path, cards: Game | None) -> Match:
    """Return the match that a file records, played with the cards of a version. Raises InputError if a move in it is
    not legal."""
    version = _Version(cards.digest, cards.applied, cards) if cards else _Version("", (), None)
    return _load_accepted_match_cached(transcript, _list_modification_times_of_game_files(transcript), version)


@lru_cache(maxsize=16)
def _load_accepted_match_cached(transcript: Path, modification_times: tuple[int, ...], version: _Version) -> Match:
    """Return the match that a file records. Raises InputError if a move in it is not legal."""
    from playproof.database.errors import InputError
    from playproof.language.registry import is_game_recorded_under_name
    from playproof.referee.recorded_games import load
    from playproof.referee.transcript import read_transcript_file_or_raise

    folder = _find_game_folder_above_transcript(transcript)
    if folder is None or folder.resolve().parent == CARDS:
        return load(transcript, cards=version.cards)
    name, written = folder.resolve().name, read_transcript_file_or_raise(transcript)
    if not is_game_recorded_under_name(str(folder), written.game):
        message = f"expected a game of `{name}`, as its folder is called, found one of `{written.game}`"
        raise InputError.from_single_finding("PP606", written.where, message, f"write `game: {name}`")
    return load(transcript, str(folder), version.cards)
