"""Plays games of a variant for the lab, on all cores or on a cluster, with numbers that decide every game."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from threading import Lock
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from playproof.language.compiled import Compiled
from playproof.language.game import Game
from playproof.language.machine.players import STOPPED
from playproof.language.playouts import Playouts
from playproof.language.recorded_playouts import Curves, Recorder, Records, Treated
from playproof.referee.batches import POLICIES, Batch, can_compile, game_limits, make_engine, stepwise
from playproof.referee.cluster import DescribedVariant, on_cluster, width
from playproof.referee.engine import Engine
from playproof.referee.game_length import length_error
from playproof.referee.simulate import on_processes, seated
from playproof.referee.tally import plays_for_score
from playproof.referee.variant import Variant

Ints = npt.NDArray[np.int64]
_T = TypeVar("_T")
_W = TypeVar("_W")
_PART = 20_000  # games of one piece of work
_FEW_THOUGHTFUL = 40  # games of bots that think, for which no process is worth starting


class Bench:
    """A variant with the bots that play it, in compiled code. `compiles` says whether these bots can: random ones
    always, greedy ones where the game declares an evaluation, and what may be exchanged unseen if it hides anything.
    With a Dask `client`, work is spread over its workers."""

    def __init__(
        self, variant: Variant, bots: Sequence[str], seed: int, jobs: int | None = None, client: Any = None
    ) -> None:
        self.variant, self.seed, self.client = variant, seed, client
        self.bots = seated(bots, variant.game.players)
        self.jobs = jobs or (os.cpu_count() or 1 if client is None else width(client))

    def of_random_players(self) -> Bench:
        """Return the same games between random players."""
        return Bench(self.variant, ["random"], self.seed, self.jobs, self.client)

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

    @cached_property
    def for_score(self) -> bool:
        """Whether nobody can win, and what counts is a score."""
        return plays_for_score(self.variant.game)

    @property
    def players(self) -> str:
        """Who plays what is computed in compiled code, in words."""
        names = sorted(set(self.bots)) if self.compiles else ["random"]
        return " and ".join(names) + " players"

    def games(self, first: int, count: int) -> Playouts:
        """Play games `first` to `first + count - 1` of the run. Raises LengthError if one does not end in time."""
        limits = game_limits(self.variant.game)
        batch = self.compiled.playouts(count, self.seed, first=first, policies=self.policies, limits=limits)
        check_whole(self.variant.game, batch, first, self.seed)
        return batch

    def records(self, numbers: Sequence[int] | Ints) -> Iterator[Records]:
        """Yield records of the games with these numbers."""
        return self.recorder.records(self.seed, numbers, self.policies)

    def curves(self, numbers: Sequence[int] | Ints, games: int) -> list[Curves]:
        """Return the chances to win along these games, from `games` random games per state."""
        parts = [
            part for part in np.array_split(np.asarray(numbers, dtype=np.int64), 8 * self.jobs) if len(part)
        ]
        made = self.spread(partial(_curves, games=games), parts)
        return [curve for part in made for curve in part]

    def treated(self, games: int, arm: int, marks: Ints, cells: Ints, first: int = 0) -> Treated:
        """Play games of the run from `first` on with a change for one seat (`Recorder.treated`)."""
        return self.recorder.treated(self.seed, first, games, self.policies, arm, marks, cells)

    def spread(self, work: Callable[[Bench, _W], _T], parts: Sequence[_W]) -> list[_T]:
        """Return `work` of this bench and each part: on as many threads as there are jobs, since compiled code runs
        side by side, or on the cluster."""
        if self.client is not None:
            return list(self.elsewhere(work, parts))
        if self.compiles:
            self.games(0, 1)  # machine code is made once, before the threads ask for it
        with ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(partial(work, self), parts))

    def elsewhere(self, work: Callable[[Bench, _W], _T], parts: Iterable[_W]) -> Iterator[_T]:
        """Yield the work on each part as the cluster's workers do it; `work` is a module's function."""
        items = ((self.bots, self.seed, work, part) for part in parts)
        return on_cluster(self.client, DescribedVariant(self.variant), _on_bench, items)


_benches: dict[tuple[str, Sequence[str], int], Bench] = {}
_MAKING = Lock()  # a worker may have several threads


def _on_bench(
    described: DescribedVariant, item: tuple[Sequence[str], int, Callable[[Bench, Any], _T], Any]
) -> _T:
    """Do a piece of a bench's work in a worker, which keeps the bench for the next one."""
    bots, seed, work, part = item
    key = (described.digest, tuple(bots), seed)
    with _MAKING:
        if key not in _benches:
            bench = _benches[key] = Bench(described.variant, bots, seed, 1)
            _ = bench.compiles and bench.games(0, 1), bench.recorder
    return work(_benches[key], part)


def games_of(bench: Bench, first: int, count: int) -> Playouts:
    """Play games of a run: in compiled code, or step by step if that cannot play the bots."""
    size = max(1, min(_PART, -(-count // bench.jobs)))
    spans = [(at, min(size, first + count - at)) for at in range(first, first + count, size)]
    if not bench.compiles and bench.client is None:
        return joined(list(_step_by_step(bench, spans)))
    return joined(bench.spread(_games, spans))


def _step_by_step(bench: Bench, spans: Sequence[tuple[int, int]]) -> Iterator[Playouts]:
    """Yield games of bots that no compiled code plays: never on threads, since the steps of an engine share its lists.
    Cards that were given do not travel to other processes."""
    if bench.jobs == 1 or bench.variant.own_cards or sum(count for _, count in spans) < _FEW_THOUGHTFUL:
        yield from (_games(bench, span) for span in spans)
        return
    batches = [Batch(bench.variant, tuple(bench.bots), bench.seed, *span) for span in spans]
    for span, batch in zip(spans, on_processes(bench.jobs, batches, _stepped), strict=True):
        check_whole(bench.variant.game, batch, span[0], bench.seed)
        yield batch


def _stepped(batch: Batch) -> Playouts:
    return stepwise(batch, make_engine(batch.variant.game, watch=False))


def _games(bench: Bench, span: tuple[int, int]) -> Playouts:
    if bench.compiles:
        return bench.games(*span)
    batch = stepwise(Batch(bench.variant, tuple(bench.bots), bench.seed, *span), bench.engine)
    check_whole(bench.variant.game, batch, span[0], bench.seed)
    return batch


def _curves(bench: Bench, part: Ints, games: int) -> list[Curves]:
    return list(bench.recorder.curves(bench.seed, part, bench.policies, games))


def check_whole(game: Game, batch: Playouts, first: int, seed: int) -> None:
    """Raise LengthError if a game of a batch was stopped. `first` is the number of its first game."""
    stopped = np.flatnonzero(batch.endings == STOPPED)
    if len(stopped):
        row = int(stopped[0])
        steps = game_limits(game).steps
        raise length_error(game, steps, int(batch.decisions[row]), f"game {first + row} of seed {seed}")


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
