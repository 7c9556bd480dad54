"""Writes the log of a run: Parquet files of games, and of every step of some of them, with a manifest; and
builds the Arrow tables that these files hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from playproof.database.errors import make_nearest_or_possible_words_hint
from playproof.database.files import write_file_atomically
from playproof.lab.card_worth import CardLikeThing, list_card_like_things_of_game
from playproof.lab.codes import build_input_error_of_one_finding
from playproof.lab.game_runner import GameRunner, concatenate_playout_batches
from playproof.lab.manifest import (
    NAME,
    GameRange,
    RunManifest,
    find_two_ranges_that_share_a_game,
    format_file_name_of_game_block,
    iter_missing_game_ranges,
    list_ranges_of_written_games,
    read_run_manifest_or_raise,
)
from playproof.language.explorer import evaluate_term_in_many_states
from playproof.language.game import Game
from playproof.language.machine.records import ACTOR, GAME, IDENT, LEGAL, USES
from playproof.language.playouts import PlayoutResults
from playproof.language.random import GOLDEN, MASK, MIX_1, MIX_2, Stream, make_game_seed, mix_bits
from playproof.language.recorded_playouts import GameRecords
from playproof.referee.batches import (
    NOBODY,
    CompiledCallPacer,
    flag_games_won_by_each_seat_and_tied,
    has_reached_limit,
    make_declared_or_default_limits,
    play_game_to_states_actions_and_choices,
)
from playproof.referee.bots import load_builtin_or_user_bot
from playproof.referee.cluster import make_own_stamp_for_variant
from playproof.referee.engine import Engine
from playproof.referee.errors import make_too_long_game_error
from playproof.referee.notation import seat_names
from playproof.referee.simulate import map_in_order_on_spawned_processes
from playproof.referee.variant import Variant

# Writes the log of a run: Parquet files of games, and of every step of some of them, with a manifest.

PARTS = ("games", "steps", "things", "quantities")
_STEPWISE = 20  # games of bots that think in one file
_AHEAD = 3  # blocks that wait per thread
Progress = Callable[[int, int], None]


@dataclass
class RunLog:
    """A run's log under way. `quantities` are recorded over time."""

    folder: Path
    manifest: RunManifest
    variant: Variant
    bench: GameRunner
    things: list[CardLikeThing]

    # -- beginning --------------------------------------------------------------------------------------------

    @classmethod
    def open_or_create_log_folder(
        cls, bench: GameRunner, folder: Path, *, record_every: int, quantities: Sequence[str] | None, resume: bool
    ) -> RunLog:
        """Begin a log in a folder, or go on with the one that is there. Raises InputError (PP820) if the folder
        holds another run, or a run that is not to be resumed."""
        variant = bench.variant
        manifest = build_run_manifest(bench, record_every, quantities)
        if (folder / NAME).exists():
            there = read_run_manifest_or_raise(folder)
            different = manifest.describe_differences_from_other_run(there)
            if different:
                raise build_input_error_of_one_finding(
                    "PP820", folder, "the log there is of another run: " + "; ".join(different)
                )
            if not resume:
                raise build_input_error_of_one_finding(
                    "PP820", folder, "this run is there already", "add --resume to play what is missing"
                )
        elif folder.exists() and any(folder.iterdir()):
            raise build_input_error_of_one_finding(
                "PP820", folder, "the folder is not empty and holds no run", "name a new folder"
            )
        manifest.write_manifest_file(folder)
        log = cls(folder, manifest, variant, bench, list_card_like_things_of_game(variant))
        for name, table in build_name_tables_by_file_name(variant.game, log.things, manifest.quantities).items():
            _write_parquet_file_atomically(folder / f"{name}.parquet", table)
        return log

    # -- playing ----------------------------------------------------------------------------------------------

    def play_missing_games_and_count_present(
        self, first_game: int, games: int, progress: Progress | None = None
    ) -> int:
        """Play the games first .. first + games - 1 that are not there yet. Return how many of them are there at the
        end: fewer if Ctrl-C ends the run."""
        left = list(iter_missing_game_ranges(list_ranges_of_written_games(self.folder), first_game, first_game + games))
        done = games - sum(stop - start for start, stop in left)
        play = (
            self._play_and_write_compiled_iter_counts
            if self.bench.can_play_compiled
            else self._play_and_write_stepwise_iter_counts
        )
        if self.bench.client is not None:
            play = self._play_and_write_on_cluster_iter_counts
        try:
            for played in play(left):
                done += played
                if progress:
                    progress(done, games)
        except KeyboardInterrupt:
            have = list_ranges_of_written_games(self.folder)
            done = games - sum(
                stop - start for start, stop in iter_missing_game_ranges(have, first_game, first_game + games)
            )
        return done

    def _play_and_write_compiled_iter_counts(self, first_and_stop_ranges: Sequence[GameRange]) -> Iterator[int]:
        """Play ranges in compiled code on threads; yield the number of games of each. If the caller stops asking,
        the games that are done are written."""
        self.bench.play_games_in_compiled_code_or_raise(
            0, 1
        )  # machine code is made once, before the threads ask for it
        pace = CompiledCallPacer()
        with ThreadPoolExecutor(self.bench.jobs) as pool:
            waiting: list[Future[int]] = []
            left = iter(first_and_stop_ranges)
            try:
                for block in left:
                    waiting.append(pool.submit(self._play_and_write_range_and_count_games, block, pace))
                    if len(waiting) >= _AHEAD * self.bench.jobs:
                        yield waiting.pop(0).result()
                while waiting:
                    yield waiting.pop(0).result()
            finally:
                pace.stop.set()

    def _play_and_write_range_and_count_games(self, first_and_stop: GameRange, pace: CompiledCallPacer) -> int:
        """Play and write one range, or its beginning if the run is to stop. Return the number of games."""
        parts: list[PlayoutResults] = []
        at, stop = first_and_stop
        while at < stop and not pace.stop.is_set():
            began, count = perf_counter(), min(pace.games, stop - at)
            parts.append(self.bench.play_games_in_compiled_code_or_raise(at, count))
            pace.adapt_games_per_call_to_time(count, perf_counter() - began)
            at += count
        if not parts:
            return 0
        self.write_games_and_records_of_block(
            first_and_stop.first,
            concatenate_playout_batches(parts),
            _record_every_nth_game(self.bench, RecordedRange(first_and_stop.first, at, self.manifest.every)),
        )
        return at - first_and_stop.first

    def _play_and_write_stepwise_iter_counts(self, first_and_stop_ranges: Sequence[GameRange]) -> Iterator[int]:
        """Play ranges step by step, in several processes if there is enough to do."""
        works = [
            GameRangeTask(self.folder, self.manifest, at, min(stop, at + _STEPWISE))
            for start, stop in first_and_stop_ranges
            for at in range(start, stop, _STEPWISE)
        ]
        if self.bench.jobs == 1 or len(works) == 1:
            yield from map(self.play_and_write_task_and_count_games, works)
        else:
            yield from map_in_order_on_spawned_processes(self.bench.jobs, works, run_game_range_task_and_count_games)

    def _play_and_write_on_cluster_iter_counts(self, first_and_stop_ranges: Sequence[GameRange]) -> Iterator[int]:
        """Play ranges on a cluster, and write each as it comes, so that a lost scheduler costs what is under way."""
        size = (
            _STEPWISE
            if not self.bench.can_play_compiled
            else max(stop - start for start, stop in first_and_stop_ranges or [GameRange(0, 1)])
        )
        spans = [
            RecordedRange(at, min(stop, at + size), self.manifest.every)
            for start, stop in first_and_stop_ranges
            for at in range(start, stop, size)
        ]
        for span, played in zip(spans, self.bench.map_on_cluster(_play_range_with_records, spans), strict=True):
            self.write_games_and_records_of_block(span.first, *played)
            yield span.stop - span.first

    def play_and_write_task_and_count_games(self, task: GameRangeTask) -> int:
        """Play the games of a piece of work step by step, and write them. Return their number."""
        self.write_games_and_records_of_block(
            task.first, *_play_range_with_records(self.bench, RecordedRange(task.first, task.stop, self.manifest.every))
        )
        return task.stop - task.first

    # -- writing ----------------------------------------------------------------------------------------------

    def write_games_and_records_of_block(
        self, first_game: int, batch: PlayoutResults, records: Sequence[GameRecords]
    ) -> None:
        """Write a range of games: first the steps of those that are recorded, then the games."""
        game, name = (self.variant.game, format_file_name_of_game_block(first_game, first_game + len(batch.endings)))
        if records:
            steps = [
                build_steps_table(record, _evaluate_states_for_acting_seats(self.bench.engine, record))
                for record in records
            ]
            _write_parquet_file_atomically(self.folder / "steps" / name, pa.concat_tables(steps))
            things = [build_table_of_deals_uses_and_holdings(record, self.things) for record in records]
            _write_parquet_file_atomically(self.folder / "things" / name, pa.concat_tables(things))
            if self.manifest.quantities:
                over_time = [build_table_of_quantity_changes(game, r, self.manifest.quantities) for r in records]
                _write_parquet_file_atomically(self.folder / "quantities" / name, pa.concat_tables(over_time))
        _write_parquet_file_atomically(
            self.folder / "games" / name, build_games_table(game, self.manifest.seed, first_game, batch)
        )


@dataclass(frozen=True)
class GameRangeTask:
    """Games first .. stop - 1 of a run, for another process."""

    folder: Path
    manifest: RunManifest
    first: int
    stop: int


def run_game_range_task_and_count_games(task: GameRangeTask) -> int:
    """Play and write a piece of work in this process, which keeps the game for the next one."""
    return _open_cached_log_of_task(
        task.folder, task.manifest.game, str(task.manifest)
    ).play_and_write_task_and_count_games(task)


@lru_cache(maxsize=2)
def _open_cached_log_of_task(log_folder: Path, _: str, __: str) -> RunLog:
    manifest = read_run_manifest_or_raise(log_folder)
    variant = Variant(manifest.game, manifest.options, manifest.rulings)
    bench = GameRunner(variant, manifest.bots, manifest.seed, 1)
    return RunLog(log_folder, manifest, variant, bench, list_card_like_things_of_game(variant))


def build_run_manifest(bench: GameRunner, record_every: int, quantities: Sequence[str] | None) -> RunManifest:
    """Return the manifest of a run. Raises InputError (PP820) for a quantity that the game does not have."""
    variant = bench.variant
    stamp = make_own_stamp_for_variant(variant)
    chosen = _list_default_quantities(variant) if quantities is None else tuple(quantities)
    for name in chosen:
        if name not in variant.game.quantities:
            hint = make_nearest_or_possible_words_hint(name, variant.game.quantities)
            raise build_input_error_of_one_finding("PP820", "--quantity", f"the game has no quantity `{name}`", hint)
    return RunManifest(
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
        record_every,
        chosen,
    )


def _list_default_quantities(variant: Variant) -> tuple[str, ...]:
    """Return the quantities that a game shows at its table, and its round."""
    facts, game = variant.game.facts, variant.game
    names = [*facts.get("show", ()), *([facts["round"]] if "round" in facts else [])]
    return tuple(name for name in dict.fromkeys(names) if name in game.quantities)


def _write_parquet_file_atomically(path: Path, table: pa.Table) -> None:
    """Write a Parquet file atomically; leave nothing of one that cannot be written."""
    # Numbers that never recur, such as seeds, would only waste the search for a dictionary.
    words = [name for name in table.column_names if name not in ("game", "seed")]
    running = {"game": "DELTA_BINARY_PACKED"} if "game" in table.column_names else None
    content = pa.BufferOutputStream()
    pq.write_table(table, content, compression="snappy", use_dictionary=words, column_encoding=running)
    write_file_atomically(path, content.getvalue().to_pybytes())


def _evaluate_states_for_acting_seats(
    engine: Engine, record: GameRecords
) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]] | None:
    """Return the declared evaluation of each recorded state for the seat that acts; None if the game declares none
    that each seat may know."""
    terms = engine.game.evaluations
    if terms is None or not engine.evaluates:
        return None
    columns = np.ascontiguousarray(record.states.T)
    values = np.stack([evaluate_term_in_many_states(term, columns) for term in terms])
    seats = np.clip(record.steps[:, ACTOR], 0, len(terms) - 1)
    return np.asarray(values[seats, np.arange(len(seats))], dtype=np.int64)


class RecordedRange(NamedTuple):
    first: int
    stop: int
    every: int  # games whose number is a multiple of it are recorded


def _record_every_nth_game(bench: GameRunner, first_stop_and_every: RecordedRange) -> list[GameRecords]:
    """Return records of the games of a range that are recorded."""
    first, stop, every = first_stop_and_every
    numbers = np.arange(-(-first // every) * every, stop, every)
    return list(bench.play_and_iter_game_records(numbers)) if len(numbers) else []


def _play_range_with_records(
    bench: GameRunner, first_stop_and_every: RecordedRange
) -> tuple[PlayoutResults, list[GameRecords]]:
    """Return the games of a range, and records of those that are recorded: in compiled code, or step by step."""
    first, stop, every = first_stop_and_every
    if bench.can_play_compiled:
        return bench.play_games_in_compiled_code_or_raise(first, stop - first), _record_every_nth_game(
            bench, first_stop_and_every
        )
    game, engine = bench.variant.game, bench.engine
    minds = [load_builtin_or_user_bot(name) for name in bench.bots]
    rows: list[tuple[int, int, int, int]] = []
    returns: list[list[int]] = []
    records: list[GameRecords] = []
    for number in range(first, stop):
        states, actions, choices = play_game_to_states_actions_and_choices(
            engine, minds, Stream(make_game_seed(bench.seed, number))
        )
        final = states[-1]
        if has_reached_limit(final, len(actions), len(choices), make_declared_or_default_limits(game)):
            raise make_too_long_game_error(game, len(actions), len(choices), f"game {number} of seed {bench.seed}")
        rows.append((final[1], len(choices), engine.get_round_number_or_zero(final), choices[0][0] if choices else -1))
        returns.append(engine.returns(final))
        if number % every == 0:
            records.append(_build_record_of_stepwise_game(engine, number, states, actions))
    columns = np.array(rows, dtype=np.int64).T
    nothing = np.zeros(max(1, game.ground), dtype=np.int64)
    batch = PlayoutResults(
        columns[0], columns[1], columns[2], np.array(returns, dtype=np.int64), columns[3], nothing, nothing
    )
    return batch, records


def _build_record_of_stepwise_game(
    engine: Engine, game_number: int, states: Sequence[list[int]], actions: Sequence[int]
) -> GameRecords:
    """Return the record of one game that was played step by step."""
    legal = [engine.legal(state) if not state[1] else [] for state in states]
    steps = [
        (0, engine.actor(state) if offered else -1, ident, len(offered))
        for state, ident, offered in zip(states, [*actions, -1], legal, strict=True)
    ]
    return GameRecords(
        np.array([game_number], dtype=np.int64),
        np.array(steps, dtype=np.int64),
        np.array(states, dtype=np.int64),
        np.array([ident for offered in legal for ident in offered], dtype=np.int64),
    )


# -- merging --------------------------------------------------------------------------------------------------------


def copy_logs_into_one_and_count_games(target: Path, source_folders: Sequence[Path]) -> int:
    """Copy the games of other folders into one, which may be new. Return how many games it then holds. Raises
    InputError (PP821) if the folders are not of one run, or if two hold the same games; nothing is then copied."""
    sources = [*([target] if (target / NAME).exists() else []), *source_folders]
    manifest = read_run_manifest_or_raise(sources[0])
    for source in sources:
        different = read_run_manifest_or_raise(source).describe_differences_from_other_run(manifest)
        if different:
            raise build_input_error_of_one_finding(
                "PP821", source, f"this is not the run of {sources[0]}: " + "; ".join(different)
            )
    twice = find_two_ranges_that_share_a_game(
        span for source in sources for span in list_ranges_of_written_games(source)
    )
    if twice is not None:
        (a, b), (c, d) = twice
        raise build_input_error_of_one_finding(
            "PP821", target, f"games {a} to {b - 1} and games {c} to {d - 1} are both there", ""
        )
    for source in source_folders:
        _copy_parquet_files_of_log(source, target)
    write_file_atomically(target / NAME, (sources[0] / NAME).read_bytes())
    return sum(stop - start for start, stop in list_ranges_of_written_games(target))


def _copy_parquet_files_of_log(source: Path, target: Path) -> None:
    """Copy all tables; the files of games come last, so that a range of which they are there is whole."""
    for part in ("", *reversed(PARTS)):
        for file in sorted((source / part).glob("*.parquet")):
            write_file_atomically(target / part / file.name, file.read_bytes())


# -- tables --------------------------------------------------------------------------------------------------
# The tables of a run's log as Arrow tables: games, steps, things, quantities, and the words for their
# numbers.

IntArray = npt.NDArray[np.int64]
SeedArray = npt.NDArray[np.uint64]


def compute_game_seeds(run_seed: int, first_game: int, count: int) -> SeedArray:
    """Return the seeds of games, as `language.random.seed_of` makes them one by one."""
    numbers = np.arange(first_game, first_game + count, dtype=np.uint64)
    z = np.uint64(mix_bits(run_seed & MASK)) + numbers * np.uint64(GOLDEN)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(MIX_1)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(MIX_2)
    return z ^ (z >> np.uint64(31))


def build_games_table(game: Game, run_seed: int, first_game: int, batch: PlayoutResults) -> pa.Table:
    """Return a row per game: its number, seed, ending, length, who began, and each seat's return and win."""
    count = len(batch.endings)
    won, tied = flag_games_won_by_each_seat_and_tied(game, batch.endings, batch.returns)
    columns: dict[str, Any] = {
        "game": np.arange(first_game, first_game + count, dtype=np.int64),
        "seed": compute_game_seeds(run_seed, first_game, count),
        "ending": batch.endings.astype(np.int16),
        "decisions": batch.decisions.astype(np.int32),
        "rounds": batch.rounds.astype(np.int32),
        "starter": (batch.starters + 1).astype(np.int8),
        "tie": tied,
    }
    for seat in range(game.players):
        columns[f"return_{seat + 1}"] = batch.returns[:, seat]
        columns[f"won_{seat + 1}"] = won[seat]
    return pa.table(columns)


def build_steps_table(record: GameRecords, evaluations_by_state: IntArray | None) -> pa.Table:
    """Return a row per step of the recorded games: who acted (0 for chance), what was legal, what was taken.
    `evaluations_by_state` is the declared evaluation of the state for the seat that acts."""
    acts = record.steps[:, IDENT] >= 0
    steps = record.steps[acts]
    counts = record.steps[:, LEGAL]  # a last state offers nothing, so its list of options is empty
    offsets = np.concatenate([[0], np.cumsum(counts[acts])]).astype(np.int32)
    played_by_seat = steps[:, ACTOR] >= 0
    columns: dict[str, Any] = {
        "game": record.numbers[steps[:, GAME]],
        "step": _number_rows_within_each_game(steps[:, GAME]).astype(np.int32),
        "seat": (steps[:, ACTOR] + 1).astype(np.int8),
        "action": steps[:, IDENT].astype(np.int32),
        "options": pa.ListArray.from_arrays(pa.array(offsets), pa.array(record.options.astype(np.int32))),
        "forced": steps[:, LEGAL] == 1,
    }
    if evaluations_by_state is not None:
        columns["evaluation"] = pa.array(evaluations_by_state[acts], mask=~played_by_seat)
    return pa.table(columns)


def _number_rows_within_each_game(game_of_each_row: IntArray) -> IntArray:
    """Return for each row its number within its game."""
    starts = (
        np.flatnonzero(np.r_[True, game_of_each_row[1:] != game_of_each_row[:-1]])
        if len(game_of_each_row)
        else np.zeros(0, dtype=np.int64)
    )
    lengths = np.diff(np.r_[starts, len(game_of_each_row)])
    return np.arange(len(game_of_each_row), dtype=np.int64) - np.repeat(starts, lengths)


def build_table_of_deals_uses_and_holdings(record: GameRecords, things: Sequence[CardLikeThing]) -> pa.Table:
    """Return a row per event of a thing: dealt by chance, used by a seat, or how many of it a seat now holds."""
    rows = list(_iter_deal_use_and_holding_rows(record, things))
    games, step = record.steps[:, GAME], _number_rows_within_each_game(record.steps[:, GAME])
    at = np.concatenate([part.record_rows for part in rows]) if rows else np.zeros(0, dtype=np.int64)
    numbers = [np.full(len(part.seats), part.thing_number, dtype=np.int64) for part in rows]
    number = np.concatenate(numbers) if rows else at
    events = [part.event for part in rows for _ in range(len(part.seats))]
    seat = np.concatenate([part.seats for part in rows]) if rows else at
    held = np.concatenate([part.counts for part in rows]) if rows else at
    order = np.argsort(at, kind="stable")
    return pa.table(
        {
            "game": record.numbers[games[at[order]]] if len(at) else at,
            "step": step[at[order]].astype(np.int32),
            "thing": number[order].astype(np.int32),
            "event": pa.array([events[i] for i in order], type=pa.string()),
            "seat": seat[order].astype(np.int8),
            "held": held[order].astype(np.int32),
        }
    )


class CardEventRows(NamedTuple):
    """All events of one kind of a thing; the arrays have an item per event."""

    record_rows: IntArray
    thing_number: int
    event: str  # dealt, used or held
    seats: IntArray  # from 1; 0 is chance
    counts: IntArray  # how many the seat now holds; 0 if it is dealt or used


def _iter_deal_use_and_holding_rows(record: GameRecords, things: Sequence[CardLikeThing]) -> Iterator[CardEventRows]:
    """Yield the rows of each thing's events."""
    ident, actor = record.steps[:, IDENT], record.steps[:, ACTOR]
    same_game = np.r_[False, record.steps[1:, GAME] == record.steps[:-1, GAME]]
    most = int(max(ident.max(initial=0), max((max(t.deals + t.uses, default=0) for t in things), default=0)))
    for number, thing in enumerate(things):
        marks = thing.build_array_marking_deals_and_uses(most + 1)[np.clip(ident, 0, most)] * (ident >= 0)
        for event in ("dealt", "used"):
            rows = np.flatnonzero(marks == (USES if event == "used" else 1))
            yield CardEventRows(rows, number, event, actor[rows] + 1, np.zeros(len(rows), dtype=np.int64))
        for seat, cells in thing.cells.items():
            held = sum(
                (record.states[:, cell] if wanted < 0 else (record.states[:, cell] == wanted).astype(np.int64))
                for cell, wanted in cells
            )
            counts = np.asarray(held, dtype=np.int64)
            before = np.where(same_game, np.r_[0, counts[:-1]], 0)
            rows = np.flatnonzero(counts != before)
            seats = np.full(len(rows), seat + 1, dtype=np.int64)
            yield CardEventRows(rows, number, "held", seats, counts[rows])


def build_table_of_quantity_changes(game: Game, record: GameRecords, names: Sequence[str]) -> pa.Table:
    """Return the values of quantities where they change: a row per state at which one has a new value."""
    games, step = record.steps[:, GAME], _number_rows_within_each_game(record.steps[:, GAME])
    first = np.r_[True, games[1:] != games[:-1]]
    columns = np.ascontiguousarray(record.states.T)
    parts: list[dict[str, Any]] = []
    for number, name in enumerate(names):
        values = np.asarray(evaluate_term_in_many_states(game.quantities[name], columns), dtype=np.int64)
        rows = np.flatnonzero(first | np.r_[True, values[1:] != values[:-1]])
        parts.append(
            {
                "game": record.numbers[games[rows]],
                "step": step[rows].astype(np.int32),
                "quantity": np.full(len(rows), number, dtype=np.int32),
                "value": values[rows],
            }
        )
    return pa.table({key: np.concatenate([part[key] for part in parts]) for key in parts[0]})


def build_name_tables_by_file_name(
    game: Game, things: Sequence[CardLikeThing], quantities: Sequence[str]
) -> dict[str, pa.Table]:
    """Return the tables that give the numbers of the others their words."""
    idents = range(game.ground)
    endings = [(0, "", NOBODY), *((end.number, end.kind, end.reason) for end in game.endings)]
    return {
        "seats": pa.table({"seat": list(range(1, game.players + 1)), "name": seat_names(game)}),
        "endings": pa.table(
            {
                "ending": pa.array([end[0] for end in endings], type=pa.int16()),
                "kind": [end[1] for end in endings],
                "reason": [end[2] for end in endings],
            }
        ),
        "actions": pa.table(
            {
                "action": pa.array(list(idents), type=pa.int32()),
                "name": pa.array([game.get_action_of_ground_action_number(i).name for i in idents], type=pa.string()),
                "words": pa.array([game.show(i) for i in idents], type=pa.string()),
            }
        ),
        "things_words": pa.table(
            {
                "thing": pa.array(range(len(things)), type=pa.int32()),
                "word": pa.array([thing.word for thing in things], type=pa.string()),
                "kind": pa.array([thing.kind for thing in things], type=pa.string()),
                "component": pa.array([thing.component for thing in things], type=pa.string()),
            }
        ),
        "quantities_words": pa.table(
            {
                "quantity": pa.array(range(len(quantities)), type=pa.int32()),
                "name": pa.array(list(quantities), type=pa.string()),
            }
        ),
    }
