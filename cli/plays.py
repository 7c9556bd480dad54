"""What a rulebook shows of play: moves of recorded games, as the referee accepts them.

The press may not import the referee; this hands it what it asks for (`playproof.generator.book.Plays`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playproof.generator.book import PlayedMove, Scene
    from playproof.referee.match import Match

ROOMS = ("rules", "referee", "table")  # whose code decides what is shown


class Played:
    """Plays what a book shows."""

    def fingerprint(self, game: Path) -> str:
        """A hash of the code that plays, and of the game's own files."""
        top = Path(__file__).resolve().parents[1]
        files = [file for room in ROOMS for file in sorted((top / room).rglob("*.py"))]
        files += sorted(file for file in game.rglob("*") if file.suffix in (".py", ".txt", ".md"))
        made = hashlib.sha256()
        for file in files:
            made.update(file.name.encode() + b"\0" + file.read_bytes())
        return made.hexdigest()

    def moves(self, transcript: Path) -> Sequence[PlayedMove]:
        """The moves of a transcript. Raises InputError with the first that is not legal."""
        from playproof.generator.book import PlayedMove
        from playproof.referee.words import seat_name
        from playproof.rules.language import CHANCE

        match = _accepted(transcript)
        return tuple(
            PlayedMove(number, seat_name(match.game, step.actor),
                       match.lexicon.exact(step.ident, match.play.legal(state)), step.actor == CHANCE)
            for number, (step, state) in enumerate(zip(match.steps, match.states, strict=False), 1)
        )  # fmt: skip

    def scene(self, transcript: Path, after: int, part: str) -> Scene | None:
        """No game's table can be drawn yet."""
        return None

    def start(self, game: Path, options: Mapping[str, str], part: str) -> Scene | None:
        """No game's table can be drawn yet."""
        return None


@lru_cache(maxsize=16)
def _accepted(transcript: Path) -> Match:
    """The match a file records. Raises InputError if a move in it is not legal."""
    from playproof.referee.judging import load

    return load(transcript)
