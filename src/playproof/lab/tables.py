"""The tables of a run's log as Arrow tables: games, steps, things, quantities, and the words for their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from playproof.lab.things import CardLikeThing
from playproof.language.game import Game
from playproof.language.machine.records import ACTOR, GAME, IDENT, LEGAL, USES
from playproof.language.playouts import PlayoutResults
from playproof.language.random import GOLDEN, MASK, MIX_1, MIX_2, mix_bits
from playproof.language.recorded_playouts import GameRecords
from playproof.language.vector import evaluate_term
from playproof.referee.notation import seat_names
from playproof.referee.tally import NOBODY, find_winners_and_ties

IntArray = npt.NDArray[np.int64]
SeedArray = npt.NDArray[np.uint64]


def compute_game_seeds(run_seed: int, first: int, count: int) -> SeedArray:
    """Return the seeds of games, as `language.random.seed_of` makes them one by one."""
    numbers = np.arange(first, first + count, dtype=np.uint64)
    z = np.uint64(mix_bits(run_seed & MASK)) + numbers * np.uint64(GOLDEN)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(MIX_1)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(MIX_2)
    return z ^ (z >> np.uint64(31))


def make_games_table(game: Game, run_seed: int, first: int, batch: PlayoutResults) -> pa.Table:
    """Return a row per game: its number, seed, ending, length, who began, and each seat's return and win."""
    count = len(batch.endings)
    won, tied = find_winners_and_ties(game, batch.endings, batch.returns)
    columns: dict[str, Any] = {
        "game": np.arange(first, first + count, dtype=np.int64),
        "seed": compute_game_seeds(run_seed, first, count),
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


def make_steps_table(record: GameRecords, worths: IntArray | None) -> pa.Table:
    """Return a row per step of the recorded games: who acted (0 for chance), what was legal, what was taken.
    `worths` is the declared evaluation of the state for the seat that acts."""
    acts = record.steps[:, IDENT] >= 0
    steps = record.steps[acts]
    counts = record.steps[:, LEGAL]  # a last state offers nothing, so its list of options is empty
    offsets = np.concatenate([[0], np.cumsum(counts[acts])]).astype(np.int32)
    played_by_seat = steps[:, ACTOR] >= 0
    columns: dict[str, Any] = {
        "game": record.numbers[steps[:, GAME]],
        "step": _row_number_within_game(steps[:, GAME]).astype(np.int32),
        "seat": (steps[:, ACTOR] + 1).astype(np.int8),
        "action": steps[:, IDENT].astype(np.int32),
        "options": pa.ListArray.from_arrays(pa.array(offsets), pa.array(record.options.astype(np.int32))),
        "forced": steps[:, LEGAL] == 1,
    }
    if worths is not None:
        columns["evaluation"] = pa.array(worths[acts], mask=~played_by_seat)
    return pa.table(columns)


def _row_number_within_game(games: IntArray) -> IntArray:
    """Return for each row its number within its game."""
    starts = (
        np.flatnonzero(np.r_[True, games[1:] != games[:-1]]) if len(games) else np.zeros(0, dtype=np.int64)
    )
    lengths = np.diff(np.r_[starts, len(games)])
    return np.arange(len(games), dtype=np.int64) - np.repeat(starts, lengths)


def make_things_table(record: GameRecords, things: Sequence[CardLikeThing]) -> pa.Table:
    """Return a row per event of a thing: dealt by chance, used by a seat, or how many of it a seat now holds."""
    rows = list(_iter_thing_event_rows(record, things))
    games, step = record.steps[:, GAME], _row_number_within_game(record.steps[:, GAME])
    at = np.concatenate([part[0] for part in rows]) if rows else np.zeros(0, dtype=np.int64)
    number = np.concatenate([np.full(len(part[0]), part[1], dtype=np.int64) for part in rows]) if rows else at
    events = [part[2] for part in rows for _ in range(len(part[0]))]
    seat = np.concatenate([part[3] for part in rows]) if rows else at
    held = np.concatenate([part[4] for part in rows]) if rows else at
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


def _iter_thing_event_rows(
    record: GameRecords, things: Sequence[CardLikeThing]
) -> Iterator[tuple[IntArray, int, str, IntArray, IntArray]]:
    """Yield the rows of each thing's events: positions in the record, the thing, the event, seats and counts."""
    ident, actor = record.steps[:, IDENT], record.steps[:, ACTOR]
    same_game = np.r_[False, record.steps[1:, GAME] == record.steps[:-1, GAME]]
    most = int(max(ident.max(initial=0), max((max(t.deals + t.uses, default=0) for t in things), default=0)))
    for number, thing in enumerate(things):
        marks = thing.mark_actions(most + 1)[np.clip(ident, 0, most)] * (ident >= 0)
        for event in ("dealt", "used"):
            rows = np.flatnonzero(marks == (USES if event == "used" else 1))
            yield rows, number, event, actor[rows] + 1, np.zeros(len(rows), dtype=np.int64)
        for seat, cells in thing.cells.items():
            held = sum(
                (
                    record.states[:, cell]
                    if wanted < 0
                    else (record.states[:, cell] == wanted).astype(np.int64)
                )
                for cell, wanted in cells
            )
            counts = np.asarray(held, dtype=np.int64)
            before = np.where(same_game, np.r_[0, counts[:-1]], 0)
            rows = np.flatnonzero(counts != before)
            yield rows, number, "held", np.full(len(rows), seat + 1, dtype=np.int64), counts[rows]


def make_quantities_table(game: Game, record: GameRecords, names: Sequence[str]) -> pa.Table:
    """Return the values of quantities where they change: a row per state at which one has a new value."""
    games, step = record.steps[:, GAME], _row_number_within_game(record.steps[:, GAME])
    first = np.r_[True, games[1:] != games[:-1]]
    columns = np.ascontiguousarray(record.states.T)
    parts: list[dict[str, Any]] = []
    for number, name in enumerate(names):
        values = np.asarray(evaluate_term(game.quantities[name], columns), dtype=np.int64)
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


def make_name_tables(
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
                "name": pa.array([game.get_action_of_ident(i).name for i in idents], type=pa.string()),
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
