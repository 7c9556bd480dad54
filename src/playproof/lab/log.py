"""Writes the log of a run: Parquet files of games, and of every step of some of them, with a manifest.

Each file holds a range of games and is written whole. So a run that is stopped goes on where it was, and runs of
several machines come together in one folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from time import perf_counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from playproof.database.errors import did_you_mean
from playproof.database.files import write_atomically
from playproof.lab import tables
from playproof.lab.codes import refuse
from playproof.lab.manifest import (
    NAME,
    Manifest,
    block_name,
    blocks_of,
    missing,
    overlapping,
    read_manifest,
)
from playproof.lab.playing import Bench, joined
from playproof.lab.things import Thing, things_of
from playproof.language.machine.records import ACTOR
from playproof.language.playouts import Playouts
from playproof.language.random import Stream, seed_of
from playproof.language.recorded_playouts import Records
from playproof.language.vector import evaluate
from playproof.referee.batches import Pace, game_limits, play_steps, reaches_limit
from playproof.referee.bots import load_bot
from playproof.referee.cluster import program_stamp
from playproof.referee.engine import Engine
from playproof.referee.game_length import length_error
from playproof.referee.simulate import on_processes
from playproof.referee.variant import Variant

PARTS = ("games", "steps", "things", "quantities")
_STEPWISE = 20  # games of bots that think in one file
_AHEAD = 3  # blocks that wait per thread
Progress = Callable[[int, int], None]


@dataclass
class Log:
    """A run's log under way. `quantities` are recorded over time."""

    folder: Path
    manifest: Manifest
    variant: Variant
    bench: Bench
    things: list[Thing]

    # -- beginning --------------------------------------------------------------------------------------------

    @classmethod
    def begin(
        cls, bench: Bench, folder: Path, *, every: int, quantities: Sequence[str] | None, resume: bool
    ) -> Log:
        """Begin a log in a folder, or go on with the one that is there. Raises InputError (PP820) if the folder
        holds another run, or a run that is not to be resumed."""
        variant = bench.variant
        manifest = manifest_of(bench, every, quantities)
        if (folder / NAME).exists():
            there = read_manifest(folder)
            different = manifest.differences(there)
            if different:
                raise refuse("PP820", folder, "the log there is of another run: " + "; ".join(different))
            if not resume:
                raise refuse(
                    "PP820", folder, "this run is there already", "add --resume to play what is missing"
                )
        elif folder.exists() and any(folder.iterdir()):
            raise refuse("PP820", folder, "the folder is not empty and holds no run", "name a new folder")
        manifest.save(folder)
        log = cls(folder, manifest, variant, bench, things_of(variant))
        for name, table in tables.words(variant.game, log.things, manifest.quantities).items():
            _write(folder / f"{name}.parquet", table)
        return log

    # -- playing ----------------------------------------------------------------------------------------------

    def play(self, first: int, games: int, progress: Progress | None = None) -> int:
        """Play the games first .. first + games - 1 that are not there yet. Return how many of them are there at the
        end: fewer if Ctrl-C ends the run."""
        left = list(missing(blocks_of(self.folder), first, first + games))
        done = games - sum(stop - start for start, stop in left)
        play = self._compiled if self.bench.compiles else self._stepwise
        if self.bench.client is not None:
            play = self._elsewhere
        try:
            for played in play(left):
                done += played
                if progress:
                    progress(done, games)
        except KeyboardInterrupt:
            have = blocks_of(self.folder)
            done = games - sum(stop - start for start, stop in missing(have, first, first + games))
        return done

    def _compiled(self, ranges: Sequence[tuple[int, int]]) -> Iterator[int]:
        """Play ranges in compiled code on threads; yield the number of games of each. If the caller stops asking,
        the games that are done are written."""
        self.bench.games(0, 1)  # machine code is made once, before the threads ask for it
        pace = Pace()
        with ThreadPoolExecutor(self.bench.jobs) as pool:
            waiting: list[Future[int]] = []
            left = iter(ranges)
            try:
                for block in left:
                    waiting.append(pool.submit(self._block, block, pace))
                    if len(waiting) >= _AHEAD * self.bench.jobs:
                        yield waiting.pop(0).result()
                while waiting:
                    yield waiting.pop(0).result()
            finally:
                pace.stop.set()

    def _block(self, span: tuple[int, int], pace: Pace) -> int:
        """Play and write one range, or its beginning if the run is to stop. Return the number of games."""
        parts: list[Playouts] = []
        at, stop = span
        while at < stop and not pace.stop.is_set():
            began, count = perf_counter(), min(pace.games, stop - at)
            parts.append(self.bench.games(at, count))
            pace.took(count, perf_counter() - began)
            at += count
        if not parts:
            return 0
        self.write_block(
            span[0], joined(parts), _compiled_records(self.bench, (span[0], at, self.manifest.every))
        )
        return at - span[0]

    def _stepwise(self, ranges: Sequence[tuple[int, int]]) -> Iterator[int]:
        """Play ranges step by step, in several processes if there is enough to do."""
        works = [
            Work(self.folder, self.manifest, at, min(stop, at + _STEPWISE))
            for start, stop in ranges
            for at in range(start, stop, _STEPWISE)
        ]
        if self.bench.jobs == 1 or len(works) == 1:
            yield from map(self.step_block, works)
        else:
            yield from on_processes(self.bench.jobs, works, play_work)

    def _elsewhere(self, ranges: Sequence[tuple[int, int]]) -> Iterator[int]:
        """Play ranges on a cluster, and write each as it comes, so that a lost scheduler costs what is under way."""
        size = (
            _STEPWISE if not self.bench.compiles else max(stop - start for start, stop in ranges or [(0, 1)])
        )
        spans = [
            (at, min(stop, at + size), self.manifest.every)
            for start, stop in ranges
            for at in range(start, stop, size)
        ]
        for span, played in zip(spans, self.bench.elsewhere(_played, spans), strict=True):
            self.write_block(span[0], *played)
            yield span[1] - span[0]

    def step_block(self, work: Work) -> int:
        """Play the games of a piece of work step by step, and write them. Return their number."""
        self.write_block(work.first, *_played(self.bench, (work.first, work.stop, self.manifest.every)))
        return work.stop - work.first

    # -- writing ----------------------------------------------------------------------------------------------

    def write_block(self, first: int, batch: Playouts, records: Sequence[Records]) -> None:
        """Write a range of games: first the steps of those that are recorded, then the games."""
        game, name = self.variant.game, block_name(first, first + len(batch.endings))
        if records:
            steps = [
                tables.steps_table(record, _evaluations(self.bench.engine, record)) for record in records
            ]
            _write(self.folder / "steps" / name, pa.concat_tables(steps))
            things = [tables.things_table(record, self.things) for record in records]
            _write(self.folder / "things" / name, pa.concat_tables(things))
            if self.manifest.quantities:
                over_time = [tables.quantities_table(game, r, self.manifest.quantities) for r in records]
                _write(self.folder / "quantities" / name, pa.concat_tables(over_time))
        _write(self.folder / "games" / name, tables.games_table(game, self.manifest.seed, first, batch))


@dataclass(frozen=True)
class Work:
    """Games first .. stop - 1 of a run, for another process."""

    folder: Path
    manifest: Manifest
    first: int
    stop: int


def play_work(work: Work) -> int:
    """Play and write a piece of work in this process, which keeps the game for the next one."""
    return _log(work.folder, work.manifest.game, str(work.manifest)).step_block(work)


@lru_cache(maxsize=2)
def _log(folder: Path, _: str, __: str) -> Log:
    manifest = read_manifest(folder)
    variant = Variant(manifest.game, manifest.options, manifest.rulings)
    bench = Bench(variant, manifest.bots, manifest.seed, 1)
    return Log(folder, manifest, variant, bench, things_of(variant))


def manifest_of(bench: Bench, every: int, quantities: Sequence[str] | None) -> Manifest:
    """Return the manifest of a run. Raises InputError (PP820) for a quantity that the game does not have."""
    variant = bench.variant
    stamp = program_stamp(variant)
    chosen = _usual_quantities(variant) if quantities is None else tuple(quantities)
    for name in chosen:
        if name not in variant.game.quantities:
            hint = did_you_mean(name, variant.game.quantities)
            raise refuse("PP820", "--quantity", f"the game has no quantity `{name}`", hint)
    return Manifest(
        variant.ref,
        variant.title,
        dict(variant.options),
        dict(variant.rulings),
        stamp.game,
        variant.digest,
        stamp.version,
        stamp.program,
        bench.bots,
        bench.seed,
        every,
        chosen,
    )


def _usual_quantities(variant: Variant) -> tuple[str, ...]:
    """Return the quantities that a game shows at its table, and its round."""
    facts, game = variant.game.facts, variant.game
    names = [*facts.get("show", ()), *([facts["round"]] if "round" in facts else [])]
    return tuple(name for name in dict.fromkeys(names) if name in game.quantities)


def _write(path: Path, table: pa.Table) -> None:
    """Write a Parquet file atomically; leave nothing of one that cannot be written."""
    # Numbers that never recur, such as seeds, would only waste the search for a dictionary.
    words = [name for name in table.column_names if name not in ("game", "seed")]
    running = {"game": "DELTA_BINARY_PACKED"} if "game" in table.column_names else None
    content = pa.BufferOutputStream()
    pq.write_table(table, content, compression="snappy", use_dictionary=words, column_encoding=running)
    write_atomically(path, content.getvalue().to_pybytes())


def _evaluations(engine: Engine, record: Records) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]] | None:
    """Return the declared evaluation of each recorded state for the seat that acts; None if the game declares none
    that each seat may know."""
    terms = engine.game.evaluations
    if terms is None or not engine.evaluates:
        return None
    columns = np.ascontiguousarray(record.states.T)
    values = np.stack([evaluate(term, columns) for term in terms])
    seats = np.clip(record.steps[:, ACTOR], 0, len(terms) - 1)
    return np.asarray(values[seats, np.arange(len(seats))], dtype=np.int64)


def _compiled_records(bench: Bench, span: tuple[int, int, int]) -> list[Records]:
    """Return records of the games from the first to before the second whose number is a multiple of the third."""
    first, stop, every = span
    numbers = np.arange(-(-first // every) * every, stop, every)
    return list(bench.records(numbers)) if len(numbers) else []


def _played(bench: Bench, span: tuple[int, int, int]) -> tuple[Playouts, list[Records]]:
    """Return games from the first to before the second, and records of those whose number is a multiple of the third:
    in compiled code, or step by step."""
    first, stop, every = span
    if bench.compiles:
        return bench.games(first, stop - first), _compiled_records(bench, span)
    game, engine = bench.variant.game, bench.engine
    minds = [load_bot(name) for name in bench.bots]
    rows: list[tuple[int, int, int, int]] = []
    returns: list[list[int]] = []
    records: list[Records] = []
    for number in range(first, stop):
        states, actions, choices = play_steps(engine, minds, Stream(seed_of(bench.seed, number)))
        final = states[-1]
        if reaches_limit(final, len(actions), len(choices), game_limits(game)):
            raise length_error(game, len(actions), len(choices), f"game {number} of seed {bench.seed}")
        rows.append((final[1], len(choices), engine.round(final), choices[0][0] if choices else -1))
        returns.append(engine.returns(final))
        if number % every == 0:
            records.append(_recorded(engine, number, states, actions))
    columns = np.array(rows, dtype=np.int64).T
    nothing = np.zeros(max(1, game.ground), dtype=np.int64)
    batch = Playouts(
        columns[0], columns[1], columns[2], np.array(returns, dtype=np.int64), columns[3], nothing, nothing
    )
    return batch, records


def _recorded(engine: Engine, number: int, states: Sequence[list[int]], actions: Sequence[int]) -> Records:
    """Return the record of one game that was played step by step."""
    legal = [engine.legal(state) if not state[1] else [] for state in states]
    steps = [
        (0, engine.actor(state) if offered else -1, ident, len(offered))
        for state, ident, offered in zip(states, [*actions, -1], legal, strict=True)
    ]
    return Records(
        np.array([number], dtype=np.int64),
        np.array(steps, dtype=np.int64),
        np.array(states, dtype=np.int64),
        np.array([ident for offered in legal for ident in offered], dtype=np.int64),
    )


# -- merging --------------------------------------------------------------------------------------------------------


def merge(into: Path, others: Sequence[Path]) -> int:
    """Copy the games of other folders into one, which may be new. Return how many games it then holds. Raises
    InputError (PP821) if the folders are not of one run, or if two hold the same games; nothing is then copied."""
    sources = [*([into] if (into / NAME).exists() else []), *others]
    manifest = read_manifest(sources[0])
    for source in sources:
        different = read_manifest(source).differences(manifest)
        if different:
            raise refuse("PP821", source, f"this is not the run of {sources[0]}: " + "; ".join(different))
    twice = overlapping(span for source in sources for span in blocks_of(source))
    if twice is not None:
        (a, b), (c, d) = twice
        raise refuse("PP821", into, f"games {a} to {b - 1} and games {c} to {d - 1} are both there", "")
    for source in others:
        _copy(source, into)
    write_atomically(into / NAME, (sources[0] / NAME).read_bytes())
    return sum(stop - start for start, stop in blocks_of(into))


def _copy(source: Path, into: Path) -> None:
    """Copy all tables; the files of games come last, so that a range of which they are there is whole."""
    for part in ("", *reversed(PARTS)):
        for file in sorted((source / part).glob("*.parquet")):
            write_atomically(into / part / file.name, file.read_bytes())
