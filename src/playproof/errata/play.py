"""What a change does in play: the same seeds in both versions, by the cause. The lab compares (`lab/compare.py`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playproof.database.errors import InputError
from playproof.lab.compare import Comparison, Progress, compare, version_of

_SETTINGS = 3
"""So many settings of a game are played at most."""


@dataclass(frozen=True)
class Played:
    """One setting and one kind of bot, in both versions."""

    setting: str
    bot: str
    comparison: Comparison

    @property
    def sentences(self) -> list[str]:
        """Return what the games say, one sentence per figure that differs, or that nothing does."""
        figures = [figure.words() for figure in self.comparison.figures if figure.settled == "differs"]
        named = [text.replace(" in A, ", " before, ").replace(" in B; B is ", " after; ") for text in figures]
        nothing = [f"nothing that {self.comparison.games:,} games tell apart"]
        return named or nothing

    def as_json(self) -> dict[str, Any]:
        """Return the shape of `errata --json` about play."""
        return {
            "setting": self.setting,
            "bot": self.bot,
            **self.comparison.as_json(),
            "sentences": self.sentences,
        }


def played(
    ref: str,
    versions: tuple[str, str],
    settings: Sequence[Mapping[str, str]],
    games: int,
    *,
    seed: int = 0,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Iterator[Played]:
    """Play both versions ("none" is the game as first published) with random bots and, where compiled code plays
    them, with greedy ones. Settings that cannot be played are left out."""
    for setting in settings[:_SETTINGS]:
        words = ",".join(f"{name}={value}" for name, value in setting.items())
        for bot in ("random", "greedy"):
            texts = [
                f"{ref}:{','.join(filter(None, [words, f'erratum={version}', f'bot={bot}']))}"
                for version in versions
            ]
            try:
                old, new = (version_of(text, seed, jobs) for text in texts)
            except InputError:
                continue
            if bot == "greedy" and not (old.bench.compiles and new.bench.compiles):
                continue
            yield Played(words, bot, compare(old, new, games, progress=progress))
