"""The interface through which a book learns about play. The generator cannot play; its caller
passes an implementation.

The implementation is in table/rulebook_games.py. It returns words and faces, no rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from playproof.database.game import Game
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.scene import Face


@dataclass(frozen=True, slots=True)
class TablePicture:
    """A picture of a table, and words for readers who do not see it."""

    face: Face
    says: str


def find_recorded_game_inside_folder_or_none(folder: Path, name: str) -> Path | None:
    """Return the file of a recorded game below a book's folder, or None. A name that leads out of the folder, by `..`
    or by a link, is refused, because the rules beside a recorded game are run."""
    file = folder / name
    inside = file.resolve().is_relative_to(folder.resolve())
    return file if inside and file.is_file() else None


class RecordedGamePlayer(Protocol):
    """Plays the recorded games that a book shows. Its methods raise InputError with what the
    referee rejects."""

    def hash_rules_and_looks_without_cards(self, game: Path) -> str:
        """Return a hash of everything except the cards that decides what is shown."""

    def count_moves_or_raise_if_rejected(self, transcript: Path, cards: Game | None = None) -> int:
        """Return how many moves of a transcript the referee accepts with the cards of a version. All of them, or it
        raises."""

    def draw_table_after_moves_or_none(
        self,
        transcript: Path,
        moves_played: int | None,
        table_parts: Sequence[str],
        looks: LayoutRenderer,
        language: str,
    ) -> TablePicture | None:
        """Draw parts of the table after ``moves_played`` moves of a transcript (None: all of them), with
        these looks.

        Returns None if the game's table cannot be drawn or has no such part.
        """
