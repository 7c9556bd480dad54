"""What a book needs to know about play. The press cannot play; whoever can hands this over.

The implementation stands above, in cli/recorded_moves.py; what it returns are words and faces, no
rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from playproof.generator.layout.bind import Looks
from playproof.generator.scene import Face


@dataclass(frozen=True, slots=True)
class PlayedMove:
    """One move of a recorded game that the referee accepted: its number, who made it, and its
    words."""

    number: int
    actor: str
    words: str
    chance: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """A table as a picture, and in words for those who do not see it."""

    face: Face
    says: str


class Plays(Protocol):
    """Plays what a book shows. Each raises InputError with what the referee does not accept."""

    def fingerprint(self, game: Path) -> str:
        """A hash of everything beside the cards that decides what is shown."""

    def moves(self, transcript: Path) -> Sequence[PlayedMove]:
        """The moves of a transcript."""

    def scene(
        self, transcript: Path, after: int | None, parts: Sequence[str], looks: Looks, language: str
    ) -> Scene | None:
        """Parts of the table after so many moves of a transcript (None: all of them), drawn with
        these looks.

        None where the game's table cannot be drawn, or has no such part.
        """
