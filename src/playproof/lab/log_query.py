"""Questions in SQL to a run's log, by DuckDB, over views with words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from playproof.lab.codes import build_input_error_of_one_finding
from playproof.lab.manifest import read_run_manifest_or_raise
from playproof.referee.variant import Variant

VIEWS: Mapping[str, str] = {
    "games": "a row per game: `game` (its number), `seed`, `ending` (words), `kind` (win, loss, draw, scores), "
    "`decisions`, `rounds`, `starter` (seat), `tie`, `return_1`, `won_1` ... per seat",
    "results": "a row per game and seat: `game`, `seat`, `name`, `score` (the return), `won`, `started`",
    "decisions": "a row per decision of a player in the recorded games: `game`, `step`, `seat`, `action`, `words` "
    "(what was chosen), `name` (its kind), `options` (numbers of the legal actions), `legal` (how many), `forced`, "
    "`evaluation` (of the game, if it declares one that a seat may know)",
    "chance": "the same for what chance decided",
    "things": "a row per event of a thing in the recorded games: `game`, `step`, `word`, `kind`, `component`, "
    "`event` (dealt, used, held), `seat` (0: chance), `held` (how many a seat now holds)",
    "quantities": "a row per change of a quantity in the recorded games: `game`, `step`, `name`, `value`",
    "actions": "the words of each action: `action` (its number), `name`, `words`",
    "seats": "`seat`, `name`",
}
"""What each view holds, by name."""


def open_database_with_views_of_run(run_folder: Path) -> duckdb.DuckDBPyConnection:
    """Return a database with the views of a run. Raises InputError (PP820) if the folder holds no run."""
    manifest = read_run_manifest_or_raise(run_folder)
    if not any((run_folder / "games").glob("*.parquet")):
        raise build_input_error_of_one_finding(
            "PP820", run_folder, "this run holds no game yet", "`simulate --out ... --resume` plays them"
        )
    database = duckdb.connect()
    database.execute("set enable_progress_bar = false")
    for name in ("seats", "endings", "actions", "things_words", "quantities_words"):
        source = _quote_sql_text(run_folder / f"{name}.parquet")
        database.execute(f"create view {_get_raw_view_name(name)} as select * from read_parquet({source})")
    for part in ("games", "steps", "things", "quantities"):
        database.execute(f"create view raw_{part} as {_build_select_of_parquet_or_no_rows(run_folder, part)}")
    seats = Variant(manifest.game, manifest.options, manifest.rulings).summary.players
    for name, query in _build_sql_by_view_name(seats).items():
        database.execute(f"create view {name} as {query}")
    return database


def _get_raw_view_name(name: str) -> str:
    return name if name in ("seats", "actions") else f"raw_{name}"


_EMPTY = {
    "steps": "0::bigint game, 0::int step, 0::tinyint seat, 0::int action, []::int[] options, false forced",
    "things": "0::bigint game, 0::int step, 0::int thing, '' event, 0::tinyint seat, 0::int held",
    "quantities": "0::bigint game, 0::int step, 0::int quantity, 0::bigint value",
}


def _build_select_of_parquet_or_no_rows(run_folder: Path, table_name: str) -> str:
    if any((run_folder / table_name).glob("*.parquet")):
        return f"select * from read_parquet({_quote_sql_text(run_folder / table_name / '*.parquet')})"
    return f"select {_EMPTY[table_name]} where false"


def _quote_sql_text(value: object) -> str:
    return "'" + str(value).replace("'", "''") + "'"


def _build_sql_by_view_name(seat_count: int) -> dict[str, str]:
    results = " union all ".join(
        f"select game, {seat}::tinyint seat, return_{seat} score, won_{seat} won, starter = {seat} started "
        "from raw_games"
        for seat in range(1, seat_count + 1)
    )
    steps = (
        "select s.* exclude (forced), a.words, a.name, len(s.options) legal, s.forced "
        "from raw_steps s join actions a using (action)"
    )
    return {
        "games": "select g.* exclude (ending), e.reason ending, e.kind from raw_games g "
        "left join raw_endings e using (ending)",
        "results": f"select r.*, seats.name from ({results}) r join seats using (seat)",
        "decisions": f"{steps} where s.seat > 0",
        "chance": f"{steps} where s.seat = 0",
        "things": "select t.* exclude (thing), w.word, w.kind, w.component from raw_things t "
        "join raw_things_words w using (thing)",
        "quantities": "select q.game, q.step, w.name, q.value from raw_quantities q "
        "join raw_quantities_words w using (quantity)",
    }


def run_sql_query_and_get_columns_and_rows(run_folder: Path, sql: str) -> tuple[list[str], Sequence[tuple[Any, ...]]]:
    """Return the names of the columns and the rows of an answer. Raises InputError (PP822) for a question that the
    database refuses."""
    database = open_database_with_views_of_run(run_folder)
    try:
        answer = database.execute(sql)
        return [column[0] for column in answer.description or ()], answer.fetchall()
    except duckdb.Error as error:
        views = ", ".join(VIEWS)
        raise build_input_error_of_one_finding(
            "PP822", run_folder, str(error).strip().replace("\n", " "), f"the views are {views}"
        ) from None
    finally:
        database.close()
