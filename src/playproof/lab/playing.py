"""Plays games of a variant for the lab: in compiled code on all cores, with numbers that decide every game."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from playproof.language.compiled import Compiled
from playproof.language.playouts import Playouts
from playproof.language.recorded_playouts import Curves, Recorder, Records, Treated
from playproof.referee.batches import POLICIES, can_compile
from playproof.referee.engine import Engine
from playproof.referee.simulate import seated
from playproof.referee.variant import Variant

Ints = npt.NDArray[np.int64]
_T = TypeVar("_T")
_W = TypeVar("_W")


class Bench:
    """A variant with the bots that play it, in compiled code. `compiles` says whether these bots can: random ones
    always, greedy ones where the game declares an evaluation, and what may be exchanged unseen if it hides anything."""

    def __init__(self, variant: Variant, bots: Sequence[str], seed: int, jobs: int | None = None) -> None:
        self.variant, self.seed = variant, seed
        self.bots = seated(bots, variant.game.players)
        self.jobs = jobs or os.cpu_count() or 1

    @cached_property
    def engine(self) -> Engine:
        """The steps of the game."""
        return Engine(self.variant.game)

    @property
    def compiled(self) -> Compiled:
        """The compiled reading."""
        return self.engine.compiled

    @cached_property
    def recorder(self) -> Recorder:
        """The compiled reading that keeps records."""
        return Recorder(self.compiled)

    @cached_property
    def compiles(self) -> bool:
        """Whether compiled code plays these bots."""
        return can_compile(self.engine, self.bots)

    @property
    def policies(self) -> list[int]:
        """The number of each seat's bot in compiled code; random, if that cannot play it."""
        return [POLICIES[name] if self.compiles else 0 for name in self.bots]

    @property
    def players(self) -> str:
        """Who plays what is computed in compiled code, in words."""
        names = sorted(set(self.bots)) if self.compiles else ["random"]
        return " and ".join(names) + " players"

    def games(self, first: int, count: int) -> Playouts:
        """Play games `first` to `first + count - 1` of the run."""
        return self.compiled.playouts(count, self.seed, first=first, policies=self.policies)

    def records(self, numbers: Sequence[int] | Ints) -> Iterator[Records]:
        """Yield records of the games with these numbers."""
        return self.recorder.records(self.seed, numbers, self.policies)

    def curves(self, numbers: Sequence[int] | Ints, games: int) -> list[Curves]:
        """Return the chances to win along these games, from `games` random games per state."""
        parts = [
            part for part in np.array_split(np.asarray(numbers, dtype=np.int64), 8 * self.jobs) if len(part)
        ]
        made = self.spread(
            lambda part: list(self.recorder.curves(self.seed, part, self.policies, games)), parts
        )
        return [curve for part in made for curve in part]

    def treated(self, games: int, arm: int, marks: Ints, cells: Ints, first: int = 0) -> Treated:
        """Play games of the run from `first` on with a change for one seat (`Recorder.treated`)."""
        return self.recorder.treated(self.seed, first, games, self.policies, arm, marks, cells)

    def spread(self, work: Callable[[_W], _T], parts: Sequence[_W]) -> list[_T]:
        """Do the work on all parts, on as many threads as there are jobs. Compiled code runs side by side."""
        with ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(work, parts))


def joined(parts: Sequence[Playouts]) -> Playouts:
    """Return several batches that follow each other as one."""
    if len(parts) == 1:
        return parts[0]
    rows = ("endings", "decisions", "rounds", "returns", "starters")
    sums = ("taken", "worth")
    return Playouts(
        **{name: np.concatenate([getattr(part, name) for part in parts]) for name in rows},
        **{name: np.sum([getattr(part, name) for part in parts], axis=0) for name in sums},
    )
