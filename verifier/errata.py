"""An erratum's claims before and after it: what the patch makes of the game, in verdicts and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from database.errata import before_and_after
from verifier.case import Progress
from verifier.prove import prove
from verifier.sentences import compared
from verifier.verdict import Answer, Verdict


@dataclass(frozen=True, slots=True)
class Comparison:
    """The claims just before and just after an erratum."""

    version: str
    date: str
    before: tuple[Answer, ...]
    after: tuple[Answer, ...]

    @property
    def sentences(self) -> list[str]:
        """What changed, for people."""
        return compared(self.before, self.after)

    @property
    def lost(self) -> list[str]:
        """Claims that were true before and are so no longer."""
        true = {a.id for a in self.before if a.verdict is Verdict.PROVEN}
        return [a.id for a in self.after if a.id in true and a.verdict is Verdict.REFUTED]

    def as_json(self) -> dict[str, Any]:
        """The shape of `errata --json` about claims."""
        old = {a.id: a for a in self.before}
        return {"version": self.version, "date": self.date, "sentences": self.sentences, "lost": self.lost,
                "claims": [{"id": a.id, "before": old[a.id].as_json() if a.id in old else None,
                            "after": a.as_json()} for a in self.after]}


def compare(ref: str, version: str | None = None, *, values: Mapping[str, str] | None = None,
            rulings: Mapping[str, str] | None = None, only: Sequence[str] = (), seconds: float = 60.0,
            games: int = 200_000, output: Path | None = None, progress: Progress | None = None,
            numba: bool | None = None) -> Comparison:
    """Prove a game's claims before and after an erratum (the newest if none is named). Evidence goes to folders of
    their own below `output`: `before` and `after`."""
    old, _, erratum = before_and_after(ref, version)
    earlier: bool | str = old.applied[-1] if old.applied else False

    def side(name: str, errata: bool | str) -> tuple[Answer, ...]:
        folder = None if output is None else output / f"erratum-{erratum.version}" / name
        return tuple(prove(ref, values, rulings, only=only, seconds=seconds, games=games, output=folder, errata=errata,
                           progress=progress, numba=numba))

    return Comparison(erratum.version, erratum.date, side("before", earlier), side("after", erratum.version))
